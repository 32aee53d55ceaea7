//! RoCEv2 packets as bytes: Ethernet to BTH and every extension header, CNP, PFC, ICRC, capture files.
//!
//! One header a file. Each is a plain value that keeps every bit, reserved and unknown ones too:
//!
//! * `parse` is the checked way in, `emit` the way out, and `emit(parse(bytes))` gives the bytes again;
//! * [`Frame`] is a whole Ethernet frame, [`Roce`] a packet from IP header to ICRC. A parsed one borrows its payload, so
//!   that looking at a packet allocates nothing but for tags and IPv4 options; `into_owned` keeps it.
//! * [`Roce::new`] and [`Roce::seal`] compute pad, lengths, checksum and ICRC; `emit` writes every field as it is, so that
//!   damaged packets can be written too.
//! * [`capture`] reads pcap and pcapng, writes pcapng and sums up a capture.
//!
//! # No input panics
//!
//! No function here panics, whatever bytes or field values it gets. What cannot be read is a [`WireError`] with field,
//! place, what was expected and what was found. A field wider than its place on the wire (a tag's priority of 9) is cut to
//! its bits. Code points that are not known (opcodes, syndromes, MAC control opcodes, EtherTypes) are kept, not refused.
//!
//! ```
//! use weir_wire::{Bth, Extensions, Ip, Opcode, Psn, Qpn, Roce};
//!
//! let ip = Ip::between([10, 0, 0, 1].into(), [10, 0, 0, 2].into()).unwrap();
//! let bth = Bth::new(Opcode::RC_SEND_ONLY, Qpn::new(17), Psn::new(100));
//! let packet = Roce::new(ip, 0xc001, bth, Extensions::default(), &b"hello"[..])?;
//! let mut bytes = Vec::new();
//! packet.emit(&mut bytes);
//!
//! let read = Roce::parse(&bytes).unwrap().unwrap();
//! assert!(read.icrc_ok());
//! assert_eq!((read.payload.as_ref(), read.bth.pad), (&b"hello"[..], 3));
//! # Ok::<(), weir_wire::SealError>(())
//! ```

pub mod bth;
pub mod capture;
pub mod cnp;
mod error;
pub mod eth;
pub mod ext;
mod frame;
mod header;
pub mod icrc;
pub mod ip;
pub mod mac;
pub mod number;
pub mod opcode;
mod roce;
pub mod udp;

pub use bth::Bth;
pub use cnp::{CNP_DSCP, CNP_RESERVED_BYTES};
pub use error::{SealError, WireError};
pub use eth::{Ethernet, MacAddr, Tag};
pub use ext::{
    Aeth, AtomicAckEth, AtomicEth, Deth, Extensions, Headers, Ieth, ImmDt, NakCode, Rdeth, Reth, Syndrome,
    Xrceth,
};
pub use frame::{Body, Frame};
pub use icrc::icrc;
pub use ip::{Ecn, Ip, Ipv4, Ipv6};
pub use mac::{MacControl, Pause, Pfc};
pub use number::{Psn, Qpn};
pub use opcode::Opcode;
pub use roce::Roce;
pub use udp::{ROCE_PORT, Udp};
