//! The reliable datagram extended transport header (IBTA volume 1, 9.3.1).

use crate::header::{be32, fixed_header};
use std::fmt;

/// Reliable datagram extended transport header, 4 bytes, first on every RD packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rdeth {
    /// Reserved byte.
    pub reserved: u8,
    /// End-to-end context, 24 bits.
    pub ee_context: u32,
}

fixed_header!(Rdeth, 4, "RDETH");

impl Rdeth {
    /// From its bytes.
    pub const fn from_bytes(bytes: &[u8; 4]) -> Self {
        Self { reserved: bytes[0], ee_context: be32(bytes, 0) & 0xff_ffff }
    }

    /// The header's bytes.
    pub const fn to_bytes(&self) -> [u8; 4] {
        ((self.reserved as u32) << 24 | self.ee_context & 0xff_ffff).to_be_bytes()
    }
}

impl fmt::Display for Rdeth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RDETH context 0x{:06x}", self.ee_context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_byte_kept() {
        let header = Rdeth::parse(&[9, 1, 2, 3]).unwrap();
        assert_eq!(header, Rdeth { reserved: 9, ee_context: 0x01_0203 });
        assert_eq!(header.to_bytes(), [9, 1, 2, 3]);
    }
}
