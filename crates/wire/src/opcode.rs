//! Operation codes of the base transport header (IBTA volume 1, table 38; roce-v2 CNP in annex A17).

use std::fmt;

/// The BTH opcode: transport service in the top three bits, operation in the low five. Unknown values are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Opcode(pub u8);

/// The transport service of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    /// Reliable connection, 000.
    Rc,
    /// Unreliable connection, 001.
    Uc,
    /// Reliable datagram, 010.
    Rd,
    /// Unreliable datagram, 011.
    Ud,
    /// Congestion notification, 100.
    Cnp,
    /// Extended reliable connection, 101.
    Xrc,
    /// Reserved or of a manufacturer.
    Other(u8),
}

/// Operations: the low five bits.
#[allow(missing_docs, reason = "the names are those of the standard's table")]
pub mod op {
    pub const SEND_FIRST: u8 = 0;
    pub const SEND_MIDDLE: u8 = 1;
    pub const SEND_LAST: u8 = 2;
    pub const SEND_LAST_IMM: u8 = 3;
    pub const SEND_ONLY: u8 = 4;
    pub const SEND_ONLY_IMM: u8 = 5;
    pub const WRITE_FIRST: u8 = 6;
    pub const WRITE_MIDDLE: u8 = 7;
    pub const WRITE_LAST: u8 = 8;
    pub const WRITE_LAST_IMM: u8 = 9;
    pub const WRITE_ONLY: u8 = 10;
    pub const WRITE_ONLY_IMM: u8 = 11;
    pub const READ_REQUEST: u8 = 12;
    pub const READ_RESPONSE_FIRST: u8 = 13;
    pub const READ_RESPONSE_MIDDLE: u8 = 14;
    pub const READ_RESPONSE_LAST: u8 = 15;
    pub const READ_RESPONSE_ONLY: u8 = 16;
    pub const ACKNOWLEDGE: u8 = 17;
    pub const ATOMIC_ACKNOWLEDGE: u8 = 18;
    pub const COMPARE_SWAP: u8 = 19;
    pub const FETCH_ADD: u8 = 20;
    pub const SEND_LAST_INVALIDATE: u8 = 22;
    pub const SEND_ONLY_INVALIDATE: u8 = 23;
}

impl Opcode {
    /// Congestion notification packet.
    pub const CNP: Opcode = Opcode(0x81);

    /// An operation over RC.
    #[inline]
    pub const fn rc(operation: u8) -> Self {
        Self(operation & 0x1f)
    }
    /// An operation over UC.
    #[inline]
    pub const fn uc(operation: u8) -> Self {
        Self(0x20 | (operation & 0x1f))
    }
    /// An operation over UD.
    #[inline]
    pub const fn ud(operation: u8) -> Self {
        Self(0x60 | (operation & 0x1f))
    }
    /// The transport service.
    #[inline]
    pub const fn service(self) -> Service {
        match self.0 >> 5 {
            0 => Service::Rc,
            1 => Service::Uc,
            2 => Service::Rd,
            3 => Service::Ud,
            4 => Service::Cnp,
            5 => Service::Xrc,
            other => Service::Other(other),
        }
    }
    /// The operation: the low five bits.
    #[inline]
    pub const fn operation(self) -> u8 {
        self.0 & 0x1f
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:02x}", self.0)
    }
}
