//! Between transport packets and the headers of `weir-wire`.

use crate::packet::{Ext, Flags, Packet};
use weir_wire::ext::Headers;
use weir_wire::{
    Aeth, AtomicAckEth, AtomicEth, Bth, Deth, Extensions, Ieth, ImmDt, Psn, Reth, Syndrome, Xrceth,
};

/// Why headers are not a packet that a queue pair can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FromWireError {
    /// A reserved syndrome.
    #[error("AETH syndrome {found:#04x} is reserved")]
    Syndrome {
        /// The syndrome byte.
        found: u8,
    },
    /// More payload than a packet can have.
    #[error("{found} bytes of payload; at most 4096 fit")]
    Payload {
        /// Bytes.
        found: usize,
    },
}

impl<P> Packet<P> {
    /// The base transport header: default partition, MigReq set as hardware expects it, pad by the payload.
    pub fn bth(&self) -> Bth {
        Bth {
            solicited: self.flags.contains(Flags::SOLICITED),
            pad: (self.payload_bytes.wrapping_neg() & 3) as u8,
            fecn: self.flags.contains(Flags::FECN),
            becn: self.flags.contains(Flags::BECN),
            ack_req: self.ack_req(),
            ..Bth::new(self.opcode, self.dest, self.psn)
        }
    }

    /// The extension headers. Those of [`Packet::SELECTIVE_ACK`] are not the standard's: see
    /// [`Packet::selective_ack_bytes`].
    pub fn extensions(&self) -> Extensions {
        let mut ext = Extensions::default();
        match self.ext {
            Ext::None | Ext::Sack { .. } => {}
            Ext::Reth { va, rkey, len } | Ext::XrcReth { va, rkey, len, .. } => {
                ext.reth = Some(Reth { va, rkey, len });
            }
            Ext::Aeth { syndrome, msn } => ext.aeth = Some(Aeth { syndrome, msn }),
            Ext::Atomic { va, rkey, swap_or_add, compare } => {
                ext.atomic = Some(AtomicEth { va, rkey, swap_or_add, compare });
            }
            Ext::AtomicAck { syndrome, msn, original } => {
                ext.aeth = Some(Aeth { syndrome, msn });
                ext.atomic_ack = Some(AtomicAckEth { original });
            }
            Ext::Deth { qkey, src } => ext.deth = Some(Deth { qkey, reserved: 0, src }),
            Ext::Xrc { .. } => {}
        }
        ext.xrceth = self.srqn().map(|srqn| Xrceth { reserved: 0, srqn });
        let headers = self.opcode.headers().unwrap_or_default();
        if headers.contains(Headers::IMM_DT) {
            ext.imm = Some(ImmDt(self.imm));
        }
        if headers.contains(Headers::IETH) {
            ext.ieth = Some(Ieth { rkey: self.imm });
        }
        ext
    }

    /// A packet from its headers. Of [`Packet::SELECTIVE_ACK`], whose headers look like payload, give the payload's bytes
    /// to [`Packet::from_selective_ack`] instead.
    pub fn from_wire(
        bth: &Bth,
        ext: &Extensions,
        payload_bytes: usize,
        payload: P,
    ) -> Result<Self, FromWireError> {
        let found = payload_bytes;
        let payload_bytes = match u16::try_from(found) {
            Ok(bytes) if bytes <= 4096 => bytes,
            _ => return Err(FromWireError::Payload { found }),
        };
        if let Some(Aeth { syndrome: Syndrome::Reserved(found), .. }) = ext.aeth {
            return Err(FromWireError::Syndrome { found });
        }
        let imm = ext.imm.map(|imm| imm.0).or(ext.ieth.map(|ieth| ieth.rkey));
        let srqn = ext.xrceth.map(|xrc| xrc.srqn);
        let header = match (*ext, srqn) {
            (Extensions { reth: Some(Reth { va, rkey, len }), .. }, Some(srqn)) => {
                Ext::XrcReth { srqn, va, rkey, len }
            }
            (Extensions { reth: Some(Reth { va, rkey, len }), .. }, None) => Ext::Reth { va, rkey, len },
            (Extensions { atomic: Some(AtomicEth { va, rkey, swap_or_add, compare }), .. }, _) => {
                Ext::Atomic { va, rkey, swap_or_add, compare }
            }
            (Extensions { aeth: Some(aeth), atomic_ack: Some(ack), .. }, _) => {
                Ext::AtomicAck { syndrome: aeth.syndrome, msn: aeth.msn, original: ack.original }
            }
            (Extensions { aeth: Some(Aeth { syndrome, msn }), .. }, _) => Ext::Aeth { syndrome, msn },
            (Extensions { deth: Some(Deth { qkey, src, .. }), .. }, _) => Ext::Deth { qkey, src },
            (_, Some(srqn)) => Ext::Xrc { srqn },
            (_, None) => Ext::None,
        };
        let mut flags = Flags::empty();
        flags.set(Flags::ACK_REQ, bth.ack_req);
        flags.set(Flags::SOLICITED, bth.solicited);
        flags.set(Flags::BECN, bth.becn);
        flags.set(Flags::FECN, bth.fecn);
        Ok(Self {
            dest: bth.dest,
            psn: bth.psn,
            imm: match header {
                Ext::Atomic { .. } => srqn.unwrap_or(0),
                _ => imm.unwrap_or(0),
            },
            payload_bytes,
            opcode: bth.opcode,
            flags,
            ext: header,
            payload,
        })
    }

    /// The 16 bytes after the BTH of a selective acknowledgement.
    pub fn selective_ack_bytes(&self) -> Option<[u8; 16]> {
        let Ext::Sack { msn, base, bitmap } = self.ext else { return None };
        let aeth = Aeth { syndrome: crate::packet::SEQUENCE_NAK, msn };
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&aeth.to_bytes());
        bytes[4..8].copy_from_slice(&base.get().to_be_bytes());
        bytes[8..].copy_from_slice(&bitmap.to_be_bytes());
        Some(bytes)
    }

    /// A selective acknowledgement from its BTH and the 16 bytes after it.
    pub fn from_selective_ack(bth: &Bth, bytes: &[u8; 16]) -> Self
    where
        P: Default,
    {
        let word = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let bitmap = u64::from(word(8)) << 32 | u64::from(word(12));
        Self {
            dest: bth.dest,
            psn: bth.psn,
            opcode: bth.opcode,
            flags: if bth.becn { Flags::BECN } else { Flags::empty() },
            ext: Ext::Sack { msn: word(0) & 0xff_ffff, base: Psn::new(word(4)), bitmap },
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_wire::{Opcode, Qpn};

    /// Every opcode of the transports that queue pairs speak: headers to packet to headers.
    #[test]
    fn headers_invert() {
        for &opcode in Opcode::ALL.iter().filter(|opcode| !matches!(opcode.0 >> 5, 2 | 4)) {
            let headers = opcode.headers().unwrap();
            let bytes: Vec<u8> = (0..64).map(|i| if i % 4 == 0 { 0 } else { i }).collect();
            let ext = Extensions::parse(&bytes, headers).unwrap();
            let bth = Bth { ack_req: true, becn: true, ..Bth::new(opcode, Qpn::new(5), Psn::new(7)) };
            let packet = Packet::<()>::from_wire(&bth, &ext, 0, ()).unwrap();
            assert_eq!(packet.extensions(), ext, "{opcode}");
            assert_eq!(packet.bth(), bth, "{opcode}");
            assert_eq!(packet.transport_bytes() as usize, 12 + headers.bytes() + 4, "{opcode}");
        }
    }

    #[test]
    fn a_cnp_is_that_of_the_wire() {
        assert_eq!(Packet::<()>::cnp(Qpn::new(0x118)).bth(), weir_wire::cnp::cnp(Qpn::new(0x118)));
    }

    #[test]
    fn selective_acknowledgements_invert() {
        let packet = Packet::<()> {
            dest: Qpn::new(3),
            psn: Psn::new(0xff_fffe),
            opcode: Packet::<()>::SELECTIVE_ACK,
            ext: Ext::Sack { msn: 9, base: Psn::new(1), bitmap: 0x8000_0000_0000_0005 },
            ..Packet::default()
        };
        let bytes = packet.selective_ack_bytes().unwrap();
        assert_eq!(Packet::from_selective_ack(&packet.bth(), &bytes), packet);
        assert_eq!(packet.transport_bytes(), 12 + 16 + 4);
    }
}
