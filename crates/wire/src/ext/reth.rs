//! The RDMA extended transport header (IBTA volume 1, 9.3.3).

use crate::header::{be32, be64, fixed_header, join};
use std::fmt;

/// RDMA extended transport header, 16 bytes: on the first packet of a WRITE, and on a READ request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reth {
    /// Remote address.
    pub va: u64,
    /// Remote key.
    pub rkey: u32,
    /// Length of the whole message in bytes.
    pub len: u32,
}

fixed_header!(Reth, 16, "RETH");

impl Reth {
    /// From its bytes.
    pub const fn from_bytes(bytes: &[u8; 16]) -> Self {
        Self { va: be64(bytes, 0), rkey: be32(bytes, 8), len: be32(bytes, 12) }
    }

    /// The header's bytes.
    pub fn to_bytes(&self) -> [u8; 16] {
        join(&[&self.va.to_be_bytes(), &self.rkey.to_be_bytes(), &self.len.to_be_bytes()])
    }
}

impl fmt::Display for Reth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RETH va 0x{:016x} rkey 0x{:08x} length {}", self.va, self.rkey, self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernels_header() {
        // First WRITE of the lossy capture of two kernels.
        let bytes = [0, 0, 0x55, 0x82, 0xd1, 0xa6, 0x10, 0, 0, 0, 0x02, 0x76, 0, 1, 0, 0];
        let reth = Reth::parse(&bytes).unwrap();
        assert_eq!(reth, Reth { va: 0x5582_d1a6_1000, rkey: 0x276, len: 65536 });
        assert_eq!(reth.to_bytes(), bytes);
        assert_eq!(reth.to_string(), "RETH va 0x00005582d1a61000 rkey 0x00000276 length 65536");
        assert!(Reth::parse(&bytes[..15]).is_err());
    }
}
