//! MAC control frames: pause (IEEE 802.3, annex 31B) and priority-based flow control (IEEE 802.1Qbb).

use crate::error::{Reader, WireError};
use crate::eth::{Ethernet, MAC_CONTROL};

/// Where MAC control frames go: no bridge forwards this address.
pub const MAC_CONTROL_ADDRESS: [u8; 6] = [0x01, 0x80, 0xc2, 0x00, 0x00, 0x01];
/// Opcode of a pause.
pub const PAUSE: u16 = 0x0001;
/// Opcode of PFC.
pub const PFC: u16 = 0x0101;
/// The smallest frame without FCS, to which these are padded.
pub const MIN_FRAME_BYTES: usize = 60;

/// A MAC control frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacControl {
    /// Pause everything for so many quanta of 512 bit times; 0 resumes.
    Pause {
        /// Pause time.
        quanta: u16,
    },
    /// Pause priorities.
    Pfc(Pfc),
    /// Another opcode.
    Other {
        /// The opcode.
        opcode: u16,
    },
}

/// A PFC frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pfc {
    /// Priorities that the frame speaks of, one bit each; the high byte is reserved.
    pub enabled: u16,
    /// Pause time of each priority in quanta of 512 bit times; 0 resumes.
    pub quanta: [u16; 8],
}

impl MacControl {
    pub(crate) fn read(r: &mut Reader<'_>) -> Result<Self, WireError> {
        let opcode = r.u16("MAC control opcode")?;
        Ok(match opcode {
            PAUSE => MacControl::Pause { quanta: r.u16("pause time")? },
            PFC => {
                let enabled = r.u16("PFC class-enable vector")?;
                let mut quanta = [0; 8];
                for slot in &mut quanta {
                    *slot = r.u16("PFC pause time")?;
                }
                MacControl::Pfc(Pfc { enabled, quanta })
            }
            opcode => MacControl::Other { opcode },
        })
    }

    /// The whole frame from `src`, padded to the smallest size, without FCS.
    pub fn frame(&self, src: [u8; 6]) -> Vec<u8> {
        let mut out = Vec::with_capacity(MIN_FRAME_BYTES);
        Ethernet { dst: MAC_CONTROL_ADDRESS, src, tags: Vec::new(), ethertype: MAC_CONTROL }.emit(&mut out);
        match self {
            MacControl::Pause { quanta } => {
                out.extend_from_slice(&PAUSE.to_be_bytes());
                out.extend_from_slice(&quanta.to_be_bytes());
            }
            MacControl::Pfc(pfc) => {
                out.extend_from_slice(&PFC.to_be_bytes());
                out.extend_from_slice(&pfc.enabled.to_be_bytes());
                pfc.quanta.iter().for_each(|quanta| out.extend_from_slice(&quanta.to_be_bytes()));
            }
            MacControl::Other { opcode } => out.extend_from_slice(&opcode.to_be_bytes()),
        }
        out.resize(MIN_FRAME_BYTES, 0);
        out
    }
}
