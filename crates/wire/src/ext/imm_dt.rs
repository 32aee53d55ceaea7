//! Immediate data (IBTA volume 1, 9.3.6).

use crate::header::fixed_header;
use std::fmt;

/// Immediate data, 4 bytes, kept as a number; a verbs program sees its bytes in network order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImmDt(pub u32);

fixed_header!(ImmDt, 4, "ImmDt");

impl ImmDt {
    /// From its bytes.
    pub const fn from_bytes(bytes: &[u8; 4]) -> Self {
        Self(u32::from_be_bytes(*bytes))
    }

    /// The header's bytes.
    pub const fn to_bytes(&self) -> [u8; 4] {
        self.0.to_be_bytes()
    }
}

impl fmt::Display for ImmDt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ImmDt 0x{:08x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn big_endian() {
        assert_eq!(ImmDt::parse(&[1, 2, 3, 4]), Ok(ImmDt(0x0102_0304)));
        assert_eq!(ImmDt(0x0102_0304).to_bytes(), [1, 2, 3, 4]);
    }
}
