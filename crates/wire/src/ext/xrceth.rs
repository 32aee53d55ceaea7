//! The XRC extended transport header (IBTA volume 1, annex A14).

use crate::header::{be32, fixed_header};
use std::fmt;

/// XRC extended transport header, 4 bytes, on XRC requests; responses have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Xrceth {
    /// Reserved byte.
    pub reserved: u8,
    /// The shared receive queue that the request is for, 24 bits.
    pub srqn: u32,
}

fixed_header!(Xrceth, 4, "XRCETH");

impl Xrceth {
    /// From its bytes.
    pub const fn from_bytes(bytes: &[u8; 4]) -> Self {
        Self { reserved: bytes[0], srqn: be32(bytes, 0) & 0xff_ffff }
    }

    /// The header's bytes.
    pub const fn to_bytes(&self) -> [u8; 4] {
        ((self.reserved as u32) << 24 | self.srqn & 0xff_ffff).to_be_bytes()
    }
}

impl fmt::Display for Xrceth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "XRCETH srq 0x{:06x}", self.srqn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_byte_kept() {
        let header = Xrceth::parse(&[0xff, 0, 0, 7]).unwrap();
        assert_eq!(header, Xrceth { reserved: 0xff, srqn: 7 });
        assert_eq!(header.to_bytes(), [0xff, 0, 0, 7]);
    }
}
