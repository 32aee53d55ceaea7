//! RoCEv2 packets as bytes: Ethernet to BTH and every extension header, CNP, PFC, ICRC, pcap.

pub mod number;
pub mod opcode;

pub use number::{Psn, Qpn};
pub use opcode::Opcode;
