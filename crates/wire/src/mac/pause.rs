//! The pause frame (IEEE 802.3, annex 31B).

use crate::header::fixed_header;
use std::fmt;

/// What a pause frame says, 2 bytes after the MAC control opcode: stop everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pause {
    /// Pause time in quanta of 512 bit times; 0 resumes.
    pub quanta: u16,
}

fixed_header!(Pause, 2, "pause time");

impl Pause {
    /// From its bytes.
    pub const fn from_bytes(bytes: &[u8; 2]) -> Self {
        Self { quanta: u16::from_be_bytes(*bytes) }
    }

    /// Its bytes.
    pub const fn to_bytes(&self) -> [u8; 2] {
        self.quanta.to_be_bytes()
    }
}

impl fmt::Display for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pause {} quanta", self.quanta)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn big_endian() {
        assert_eq!(Pause::parse(&[0x12, 0x34]), Ok(Pause { quanta: 0x1234 }));
        assert_eq!(Pause { quanta: 0x1234 }.to_bytes(), [0x12, 0x34]);
    }
}
