//! The acknowledge extended transport header (IBTA volume 1, 9.3.5).

use super::Syndrome;
use crate::header::{be32, fixed_header};
use std::fmt;

/// Acknowledge extended transport header, 4 bytes: on acknowledgements and on the first and last packet of a READ response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aeth {
    /// Acknowledgement or refusal.
    pub syndrome: Syndrome,
    /// Message sequence number, 24 bits: messages completed so far.
    pub msn: u32,
}

fixed_header!(Aeth, 4, "AETH");

impl Aeth {
    /// From its bytes.
    pub const fn from_bytes(bytes: &[u8; 4]) -> Self {
        Self { syndrome: Syndrome::from_byte(bytes[0]), msn: be32(bytes, 0) & 0xff_ffff }
    }

    /// The header's bytes.
    pub const fn to_bytes(&self) -> [u8; 4] {
        ((self.syndrome.byte() as u32) << 24 | self.msn & 0xff_ffff).to_be_bytes()
    }
}

impl fmt::Display for Aeth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AETH {} msn {}", self.syndrome, self.msn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NakCode;

    #[test]
    fn a_kernels_nak() {
        let bytes = [0x60, 0x00, 0x01, 0x02];
        let aeth = Aeth::parse(&bytes).unwrap();
        assert_eq!(aeth.syndrome, Syndrome::Nak { code: NakCode::PsnSequenceError });
        assert_eq!((aeth.msn, aeth.to_bytes()), (258, bytes));
        assert_eq!(aeth.to_string(), "AETH NAK PSN sequence error msn 258");
    }
}
