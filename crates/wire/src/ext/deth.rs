//! The datagram extended transport header (IBTA volume 1, 9.3.2).

use crate::Qpn;
use crate::header::{be32, fixed_header, join};
use std::fmt;

/// Datagram extended transport header, 8 bytes, on every UD packet and on RD requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deth {
    /// Queue key.
    pub qkey: u32,
    /// Reserved byte.
    pub reserved: u8,
    /// Source queue pair.
    pub src: Qpn,
}

fixed_header!(Deth, 8, "DETH");

impl Deth {
    /// Queue key of queue pair 1, the connection manager's.
    pub const QKEY_QP1: u32 = 0x8001_0000;

    /// From its bytes.
    pub const fn from_bytes(bytes: &[u8; 8]) -> Self {
        Self { qkey: be32(bytes, 0), reserved: bytes[4], src: Qpn::new(be32(bytes, 4)) }
    }

    /// The header's bytes.
    pub fn to_bytes(&self) -> [u8; 8] {
        let src = u32::from(self.reserved) << 24 | self.src.get();
        join(&[&self.qkey.to_be_bytes(), &src.to_be_bytes()])
    }
}

impl fmt::Display for Deth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DETH qkey 0x{:08x} source qp {}", self.qkey, self.src)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_connection_managers_header() {
        let bytes = [0x80, 0x01, 0, 0, 0xa5, 0, 0, 1];
        let deth = Deth::parse(&bytes).unwrap();
        assert_eq!(deth, Deth { qkey: Deth::QKEY_QP1, reserved: 0xa5, src: Qpn::new(1) });
        assert_eq!(deth.to_bytes(), bytes);
    }
}
