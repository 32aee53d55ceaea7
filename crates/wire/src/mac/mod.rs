//! MAC control frames: pause and priority-based flow control.

mod pause;
mod pfc;

pub use pause::Pause;
pub use pfc::Pfc;

use crate::error::{Reader, WireError};
use crate::eth::{self, Ethernet, MacAddr};
use std::fmt;

/// MAC control opcode of a pause (IEEE 802.3, annex 31A).
pub const PAUSE: u16 = 0x0001;
/// MAC control opcode of PFC.
pub const PFC: u16 = 0x0101;
/// Bits that a pause quantum stands for: its length is 512 bits over the port's rate.
pub const QUANTUM_BITS: u32 = 512;

/// What a frame of EtherType 0x8808 says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MacControl {
    /// Pause everything.
    Pause(Pause),
    /// Pause priorities.
    Pfc(Pfc),
    /// Another opcode; what follows it is kept in the frame's trailer.
    Other {
        /// The opcode.
        opcode: u16,
    },
}

impl MacControl {
    /// Reads opcode and content at the start of `bytes`, which follow the EtherType.
    pub fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        Self::read(&mut Reader::new(bytes))
    }

    pub(crate) fn read(r: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(match r.u16("MAC control opcode")? {
            PAUSE => MacControl::Pause(Pause::read(r)?),
            PFC => MacControl::Pfc(Pfc::read(r)?),
            opcode => MacControl::Other { opcode },
        })
    }

    /// The opcode.
    pub const fn opcode(&self) -> u16 {
        match self {
            MacControl::Pause(_) => PAUSE,
            MacControl::Pfc(_) => PFC,
            MacControl::Other { opcode } => *opcode,
        }
    }

    /// Appends opcode and content.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.opcode().to_be_bytes());
        match self {
            MacControl::Pause(pause) => pause.emit(out),
            MacControl::Pfc(pfc) => pfc.emit(out),
            MacControl::Other { .. } => {}
        }
    }

    /// The whole frame from `src`, to the address of MAC control and padded to the smallest size, without FCS. It has no
    /// tag: PFC frames are not of a priority.
    pub fn frame(&self, src: MacAddr) -> Vec<u8> {
        let mut out = Vec::with_capacity(eth::MIN_FRAME_BYTES as usize);
        Ethernet { dst: MacAddr::MAC_CONTROL, src, tags: Vec::new(), ethertype: eth::MAC_CONTROL }
            .emit(&mut out);
        self.emit(&mut out);
        out.resize(eth::MIN_FRAME_BYTES as usize, 0);
        out
    }
}

impl fmt::Display for MacControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MacControl::Pause(pause) => pause.fmt(f),
            MacControl::Pfc(pfc) => pfc.fmt(f),
            MacControl::Other { opcode } => write!(f, "MAC control 0x{opcode:04x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pfc_frame_is_60_bytes_to_the_reserved_address() {
        let frame = MacControl::Pfc(Pfc::default().with(3, 0x1234)).frame(MacAddr::local(1));
        assert_eq!(frame.len(), 60);
        assert_eq!(frame[..6], [0x01, 0x80, 0xc2, 0, 0, 1]);
        assert_eq!(frame[12..20], [0x88, 0x08, 0x01, 0x01, 0x00, 0x08, 0, 0]);
        assert_eq!(frame[24..26], [0x12, 0x34], "the time of priority 3");
        assert!(frame[26..].iter().all(|byte| *byte == 0));
    }

    #[test]
    fn a_pause_frame_and_an_unknown_one() {
        let pause = MacControl::Pause(Pause { quanta: 7 });
        let frame = pause.frame(MacAddr::local(1));
        assert_eq!(frame[12..18], [0x88, 0x08, 0x00, 0x01, 0x00, 0x07]);
        assert_eq!(MacControl::parse(&frame[14..]), Ok(pause));
        // EPON's gate, which has nothing to do with us.
        assert_eq!(MacControl::parse(&[0, 2, 9, 9]), Ok(MacControl::Other { opcode: 2 }));
        assert!(MacControl::parse(&[1, 1, 0, 8]).is_err(), "PFC cut short");
    }
}
