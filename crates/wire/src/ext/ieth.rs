//! The invalidate extended transport header (IBTA volume 1, 9.3.7).

use crate::header::fixed_header;
use std::fmt;

/// Invalidate extended transport header, 4 bytes, on the last packet of a SEND with invalidate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ieth {
    /// The responder's key that becomes invalid.
    pub rkey: u32,
}

fixed_header!(Ieth, 4, "IETH");

impl Ieth {
    /// From its bytes.
    pub const fn from_bytes(bytes: &[u8; 4]) -> Self {
        Self { rkey: u32::from_be_bytes(*bytes) }
    }

    /// The header's bytes.
    pub const fn to_bytes(&self) -> [u8; 4] {
        self.rkey.to_be_bytes()
    }
}

impl fmt::Display for Ieth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IETH rkey 0x{:08x}", self.rkey)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn big_endian() {
        assert_eq!(Ieth::parse(&[0, 0, 2, 0x76]), Ok(Ieth { rkey: 0x276 }));
        assert_eq!(Ieth { rkey: 0x276 }.to_bytes(), [0, 0, 2, 0x76]);
    }
}
