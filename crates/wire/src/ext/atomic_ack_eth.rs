//! The atomic acknowledge extended transport header (IBTA volume 1, 9.3.5.3).

use crate::header::fixed_header;
use std::fmt;

/// Atomic acknowledge extended transport header, 8 bytes, after the AETH of an atomic acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtomicAckEth {
    /// The value at the remote address before the operation.
    pub original: u64,
}

fixed_header!(AtomicAckEth, 8, "AtomicAckETH");

impl AtomicAckEth {
    /// From its bytes.
    pub const fn from_bytes(bytes: &[u8; 8]) -> Self {
        Self { original: u64::from_be_bytes(*bytes) }
    }

    /// The header's bytes.
    pub const fn to_bytes(&self) -> [u8; 8] {
        self.original.to_be_bytes()
    }
}

impl fmt::Display for AtomicAckEth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AtomicAckETH original {}", self.original)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn big_endian() {
        let header = AtomicAckEth::parse(&[0, 0, 0, 0, 0, 0, 1, 2]).unwrap();
        assert_eq!(header.original, 258);
        assert_eq!(header.to_bytes(), [0, 0, 0, 0, 0, 0, 1, 2]);
    }
}
