//! RoCEv2 packets as bytes: Ethernet to BTH and every extension header, CNP, PFC, ICRC, pcap.
//!
//! [`Frame::parse`] takes a frame apart and [`Frame::to_bytes`] puts it together again byte for byte; [`Roce::seal`] computes
//! lengths, checksum and ICRC of a packet that is new. [`capture`] reads and writes capture files.
//!
//! No input panics: what cannot be read is a [`WireError`] with field and place, and unknown code points are kept.

pub mod bth;
pub mod capture;
mod error;
pub mod eth;
pub mod ext;
mod frame;
mod icrc;
pub mod ip;
pub mod number;
pub mod opcode;
pub mod pfc;

pub use bth::Bth;
pub use error::WireError;
pub use eth::{Ethernet, Tag};
pub use ext::{Aeth, AtomicEth, Deth, Extensions, Layout, Reth, Syndrome};
pub use frame::{Body, Frame, Roce};
pub use icrc::icrc;
pub use ip::{Ecn, Ip, Ipv4, Ipv6, ROCE_PORT, Udp};
pub use number::{Psn, Qpn};
pub use opcode::Opcode;
pub use pfc::{MacControl, Pfc};
