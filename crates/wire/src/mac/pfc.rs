//! The priority-based flow control frame (IEEE 802.1Qbb; IEEE 802.1Q, clause 36).

use crate::header::{be16, fixed_header};
use std::fmt;

/// What a PFC frame says, 18 bytes after the MAC control opcode: which priorities stop, and for how long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pfc {
    /// Class-enable vector: priorities that the frame speaks of, one bit each; the high byte is reserved and kept.
    pub enabled: u16,
    /// Pause time of each priority in quanta of 512 bit times; 0 resumes. Of no meaning where the bit is not set.
    pub quanta: [u16; 8],
}

fixed_header!(Pfc, 18, "PFC classes and times");

impl Pfc {
    /// From its bytes.
    pub const fn from_bytes(bytes: &[u8; 18]) -> Self {
        let mut quanta = [0; 8];
        let mut i = 0;
        while i < 8 {
            quanta[i] = be16(bytes, 2 + 2 * i);
            i += 1;
        }
        Self { enabled: be16(bytes, 0), quanta }
    }

    /// Its bytes.
    pub fn to_bytes(&self) -> [u8; 18] {
        let mut out = [0; 18];
        out[..2].copy_from_slice(&self.enabled.to_be_bytes());
        for (place, quanta) in out[2..].chunks_exact_mut(2).zip(self.quanta) {
            place.copy_from_slice(&quanta.to_be_bytes());
        }
        out
    }

    /// Also says `quanta` for a priority (0 to 7; others are ignored).
    pub const fn with(mut self, priority: u8, quanta: u16) -> Self {
        if priority < 8 {
            self.enabled |= 1 << priority;
            self.quanta[priority as usize] = quanta;
        }
        self
    }

    /// What it says for a priority; `None` if it does not speak of it.
    pub const fn quanta_of(&self, priority: u8) -> Option<u16> {
        if priority < 8 && self.enabled >> priority & 1 != 0 {
            Some(self.quanta[priority as usize])
        } else {
            None
        }
    }
}

impl fmt::Display for Pfc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PFC")?;
        for (priority, quanta) in (0..8).filter_map(|p| self.quanta_of(p).map(|quanta| (p, quanta))) {
            write!(f, " {priority}:{quanta}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_priority() {
        let pfc = Pfc::default().with(3, 0xffff).with(4, 0).with(8, 1);
        let mut bytes = [0; 18];
        bytes[1] = 0b1_1000;
        bytes[8..10].fill(0xff);
        assert_eq!(pfc.to_bytes(), bytes);
        assert_eq!(Pfc::parse(&bytes), Ok(pfc));
        assert_eq!((pfc.quanta_of(3), pfc.quanta_of(4), pfc.quanta_of(5)), (Some(0xffff), Some(0), None));
        assert_eq!(pfc.to_string(), "PFC 3:65535 4:0");
    }
}
