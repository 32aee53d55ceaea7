//! The atomic extended transport header (IBTA volume 1, 9.3.4).

use crate::header::{be32, be64, fixed_header, join};
use std::fmt;

/// Atomic extended transport header, 28 bytes: on compare-and-swap and fetch-and-add requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtomicEth {
    /// Remote address, of 8 bytes.
    pub va: u64,
    /// Remote key.
    pub rkey: u32,
    /// Value to swap in or to add.
    pub swap_or_add: u64,
    /// Value to compare with; not used by fetch-and-add.
    pub compare: u64,
}

fixed_header!(AtomicEth, 28, "AtomicETH");

impl AtomicEth {
    /// From its bytes.
    pub const fn from_bytes(bytes: &[u8; 28]) -> Self {
        Self {
            va: be64(bytes, 0),
            rkey: be32(bytes, 8),
            swap_or_add: be64(bytes, 12),
            compare: be64(bytes, 20),
        }
    }

    /// The header's bytes.
    pub fn to_bytes(&self) -> [u8; 28] {
        join(&[
            &self.va.to_be_bytes(),
            &self.rkey.to_be_bytes(),
            &self.swap_or_add.to_be_bytes(),
            &self.compare.to_be_bytes(),
        ])
    }
}

impl fmt::Display for AtomicEth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AtomicETH va 0x{:016x} rkey 0x{:08x}", self.va, self.rkey)?;
        write!(f, " swap-or-add {} compare {}", self.swap_or_add, self.compare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_in_their_places() {
        let bytes: [u8; 28] = std::array::from_fn(|i| i as u8 + 1);
        let header = AtomicEth::parse(&bytes).unwrap();
        assert_eq!((header.va, header.rkey), (0x0102_0304_0506_0708, 0x090a_0b0c));
        assert_eq!(header.swap_or_add, 0x0d0e_0f10_1112_1314);
        assert_eq!(header.compare, 0x1516_1718_191a_1b1c);
        assert_eq!(header.to_bytes(), bytes);
    }
}
