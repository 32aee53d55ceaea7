//! The base transport header (IBTA volume 1, 9.2; annex A17 for FECN and BECN).

use crate::error::{Reader, WireError};
use crate::{Opcode, Psn, Qpn};

/// The base transport header, 12 bytes. Reserved bits are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bth {
    /// Operation.
    pub opcode: Opcode,
    /// Solicited event.
    pub solicited: bool,
    /// Migration state.
    pub mig_req: bool,
    /// Pad bytes after the payload, 0 to 3.
    pub pad: u8,
    /// Transport header version, 4 bits; 0.
    pub version: u8,
    /// Partition key.
    pub pkey: u16,
    /// Forward congestion notification.
    pub fecn: bool,
    /// Backward congestion notification.
    pub becn: bool,
    /// Six reserved bits.
    pub reserved6: u8,
    /// Destination queue pair.
    pub dest: Qpn,
    /// Acknowledgement asked for.
    pub ack_req: bool,
    /// Seven reserved bits.
    pub reserved7: u8,
    /// Packet sequence number.
    pub psn: Psn,
}

impl Bth {
    /// Length in bytes.
    pub const BYTES: usize = 12;

    pub(crate) fn read(r: &mut Reader<'_>) -> Result<Self, WireError> {
        let opcode = Opcode(r.u8("BTH opcode")?);
        let flags = r.u8("BTH flags")?;
        let pkey = r.u16("BTH P_Key")?;
        let dest = r.u32("BTH destination QP")?;
        let psn = r.u32("BTH PSN")?;
        Ok(Self {
            opcode,
            solicited: flags & 0x80 != 0,
            mig_req: flags & 0x40 != 0,
            pad: flags >> 4 & 3,
            version: flags & 15,
            pkey,
            fecn: dest & 1 << 31 != 0,
            becn: dest & 1 << 30 != 0,
            reserved6: (dest >> 24) as u8 & 0x3f,
            dest: Qpn::new(dest),
            ack_req: psn & 1 << 31 != 0,
            reserved7: (psn >> 24) as u8 & 0x7f,
            psn: Psn::new(psn),
        })
    }

    /// Appends the header.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let flags = u8::from(self.solicited) << 7
            | u8::from(self.mig_req) << 6
            | (self.pad & 3) << 4
            | self.version & 15;
        out.extend_from_slice(&[self.opcode.0, flags]);
        out.extend_from_slice(&self.pkey.to_be_bytes());
        let dest = u32::from(self.fecn) << 31
            | u32::from(self.becn) << 30
            | u32::from(self.reserved6 & 0x3f) << 24
            | self.dest.get();
        out.extend_from_slice(&dest.to_be_bytes());
        let psn = u32::from(self.ack_req) << 31 | u32::from(self.reserved7 & 0x7f) << 24 | self.psn.get();
        out.extend_from_slice(&psn.to_be_bytes());
    }
}
