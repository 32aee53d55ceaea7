//! The base transport header (IBTA volume 1, 9.2; annex A17 for FECN and BECN).

use crate::header::{be16, be32, fixed_header, join};
use crate::{Opcode, Psn, Qpn};
use std::fmt;

/// The base transport header, 12 bytes. Reserved bits are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bth {
    /// Operation.
    pub opcode: Opcode,
    /// Solicited event: the responder is to raise one.
    pub solicited: bool,
    /// Migration state; set unless a path migration is under way. Some hardware refuses packets without it.
    pub mig_req: bool,
    /// Pad bytes after the payload, 0 to 3.
    pub pad: u8,
    /// Transport header version, 4 bits; 0.
    pub version: u8,
    /// Partition key; 0xffff by default.
    pub pkey: u16,
    /// Forward explicit congestion notification.
    pub fecn: bool,
    /// Backward explicit congestion notification: set in a CNP.
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

fixed_header!(Bth, 12, "BTH");

impl Default for Bth {
    /// As a sender fills it: MigReq set, default partition, everything else zero.
    fn default() -> Self {
        Self::new(Opcode::default(), Qpn::default(), Psn::default())
    }
}

impl Bth {
    /// A header with MigReq set, the default partition and no flag.
    pub const fn new(opcode: Opcode, dest: Qpn, psn: Psn) -> Self {
        Self {
            opcode,
            solicited: false,
            mig_req: true,
            pad: 0,
            version: 0,
            pkey: 0xffff,
            fecn: false,
            becn: false,
            reserved6: 0,
            dest,
            ack_req: false,
            reserved7: 0,
            psn,
        }
    }

    /// From its bytes.
    pub const fn from_bytes(bytes: &[u8; 12]) -> Self {
        let (flags, dest, psn) = (bytes[1], be32(bytes, 4), be32(bytes, 8));
        Self {
            opcode: Opcode(bytes[0]),
            solicited: flags & 0x80 != 0,
            mig_req: flags & 0x40 != 0,
            pad: flags >> 4 & 3,
            version: flags & 15,
            pkey: be16(bytes, 2),
            fecn: dest & 1 << 31 != 0,
            becn: dest & 1 << 30 != 0,
            reserved6: (dest >> 24) as u8 & 0x3f,
            dest: Qpn::new(dest),
            ack_req: psn & 1 << 31 != 0,
            reserved7: (psn >> 24) as u8 & 0x7f,
            psn: Psn::new(psn),
        }
    }

    /// The header's bytes.
    pub fn to_bytes(&self) -> [u8; 12] {
        let flags = u8::from(self.solicited) << 7
            | u8::from(self.mig_req) << 6
            | (self.pad & 3) << 4
            | self.version & 15;
        let dest = u32::from(self.fecn) << 31
            | u32::from(self.becn) << 30
            | u32::from(self.reserved6 & 0x3f) << 24
            | self.dest.get();
        let psn = u32::from(self.ack_req) << 31 | u32::from(self.reserved7 & 0x7f) << 24 | self.psn.get();
        join(&[&[self.opcode.0, flags], &self.pkey.to_be_bytes(), &dest.to_be_bytes(), &psn.to_be_bytes()])
    }
}

impl fmt::Display for Bth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BTH {} qp {} psn {}", self.opcode, self.dest, self.psn)?;
        let flags = [
            (self.ack_req, " ack-req"),
            (self.solicited, " solicited"),
            (self.fecn, " FECN"),
            (self.becn, " BECN"),
            (!self.mig_req, " no-MigReq"),
        ];
        for (set, text) in flags {
            if set {
                f.write_str(text)?;
            }
        }
        if self.pad != 0 {
            write!(f, " pad {}", self.pad)?;
        }
        if self.pkey != 0xffff { write!(f, " pkey 0x{:04x}", self.pkey) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hardware_cnp() {
        // ConnectX-4 Lx, as published with its ICRC.
        let bytes = [0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0, 0, 0, 0];
        let bth = Bth::parse(&bytes).unwrap();
        let expected =
            Bth { becn: true, mig_req: false, ..Bth::new(Opcode::CNP, Qpn::new(0x118), Psn::new(0)) };
        assert_eq!(bth, expected);
        assert_eq!(bth.to_bytes(), bytes);
        assert_eq!(bth.to_string(), "BTH CNP qp 0x000118 psn 0 BECN no-MigReq");
    }

    #[test]
    fn a_kernels_header() {
        let bytes = [0x00, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x00, 0xc3, 0x9d, 0xbc];
        let bth = Bth::parse(&bytes).unwrap();
        assert_eq!((bth.opcode, bth.dest.get(), bth.psn.get()), (Opcode::RC_SEND_FIRST, 17, 12_819_900));
        assert_eq!(bth.to_bytes(), bytes);
    }

    #[test]
    fn every_bit_has_a_place() {
        for bit in 0..96 {
            let mut bytes = [0u8; 12];
            bytes[bit / 8] = 1 << (bit % 8);
            assert_eq!(Bth::from_bytes(&bytes).to_bytes(), bytes, "bit {bit}");
            let flipped = bytes.map(|byte| !byte);
            assert_eq!(Bth::from_bytes(&flipped).to_bytes(), flipped, "all but bit {bit}");
        }
    }
}
