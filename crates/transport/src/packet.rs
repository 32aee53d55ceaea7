//! A transport packet: base transport header, extension header, payload.

use bitflags::bitflags;
use weir_congestion::IntHop;
use weir_wire::{CNP_RESERVED_BYTES, NakCode, Opcode, Psn, Qpn, Syndrome, opcode::op};

bitflags! {
    /// One-bit fields of the base transport header.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Flags: u8 {
        /// An acknowledgement is asked for.
        const ACK_REQ = 1;
        /// Solicited event.
        const SOLICITED = 2;
        /// BECN: on a CNP always; on an acknowledgement, that it acknowledges a packet marked with congestion.
        const BECN = 4;
        /// FECN.
        const FECN = 8;
    }
}

/// A PSN sequence NAK.
pub(crate) const SEQUENCE_NAK: Syndrome = Syndrome::Nak { code: NakCode::PsnSequenceError };

/// Extension header after the BTH. Immediate data and the key of an IETH are [`Packet::imm`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ext {
    /// None.
    #[default]
    None,
    /// RDMA: address, key, length of the whole message.
    Reth {
        /// Remote key.
        rkey: u32,
        /// Remote address.
        va: u64,
        /// Bytes.
        len: u32,
    },
    /// Acknowledgement.
    Aeth {
        /// What it says.
        syndrome: Syndrome,
        /// Message sequence number, 24 bits.
        msn: u32,
    },
    /// Atomic request. On an XRC packet the number of the shared receive queue is in [`Packet::imm`].
    Atomic {
        /// Remote key.
        rkey: u32,
        /// Remote address.
        va: u64,
        /// Value to swap in, or to add.
        swap_or_add: u64,
        /// Value to compare with.
        compare: u64,
    },
    /// Answer to an atomic request.
    AtomicAck {
        /// What it says.
        syndrome: Syndrome,
        /// Message sequence number, 24 bits.
        msn: u32,
        /// The value before.
        original: u64,
    },
    /// Datagram.
    Deth {
        /// Queue key.
        qkey: u32,
        /// Where it comes from.
        src: Qpn,
    },
    /// XRC request without another extension header.
    Xrc {
        /// Number of the shared receive queue.
        srqn: u32,
    },
    /// XRC request with RDMA header.
    XrcReth {
        /// Number of the shared receive queue.
        srqn: u32,
        /// Remote address.
        va: u64,
        /// Remote key.
        rkey: u32,
        /// Bytes.
        len: u32,
    },
    /// Selective acknowledgement ([`Packet::SELECTIVE_ACK`]): everything before the packet's PSN has arrived, and of
    /// the 64 packets from `base` on those whose bit is set.
    Sack {
        /// Message sequence number, 24 bits.
        msn: u32,
        /// PSN of bit 0.
        base: Psn,
        /// Which arrived.
        bitmap: u64,
    },
}

/// A packet; `P` is its payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet<P> {
    /// Destination queue pair.
    pub dest: Qpn,
    /// Sequence number.
    pub psn: Psn,
    /// Immediate data, or the key to invalidate, where the opcode has it.
    pub imm: u32,
    /// Payload bytes, without pad.
    pub payload_bytes: u16,
    /// Operation.
    pub opcode: Opcode,
    /// Flags.
    pub flags: Flags,
    /// Extension header.
    pub ext: Ext,
    /// Payload.
    pub payload: P,
}

const _: () = assert!(size_of::<Packet<()>>() <= 48, "a simulator has millions of them");

/// Bytes of the extension headers of each opcode.
const EXTENSION_BYTES: [u8; 256] = {
    let mut table = [0; 256];
    let mut code = 0;
    while code < 256 {
        if let Some(headers) = Opcode(code as u8).headers() {
            table[code] = headers.bytes() as u8;
        }
        code += 1;
    }
    table[Packet::<()>::SELECTIVE_ACK.0 as usize] = 16;
    table
};

impl<P> Packet<P> {
    /// Opcode of a selective acknowledgement, from the range that the standard leaves to manufacturers: an AETH with
    /// a PSN sequence NAK, then [`Ext::Sack`]'s base (32 bits) and bitmap (64 bits).
    pub const SELECTIVE_ACK: Opcode = Opcode(0xc0 | op::ACKNOWLEDGE);

    /// Bytes from the BTH to the ICRC, both included.
    #[inline]
    pub fn transport_bytes(&self) -> u32 {
        let ext = u32::from(EXTENSION_BYTES[usize::from(self.opcode.0)]);
        12 + ext + u32::from(self.payload_bytes).next_multiple_of(4) + 4
    }

    /// Whether an acknowledgement is asked for.
    #[inline]
    pub fn ack_req(&self) -> bool {
        self.flags.contains(Flags::ACK_REQ)
    }

    /// Address, key and length of the RDMA header.
    #[inline]
    pub(crate) fn reth(&self) -> Option<(u64, u32, u32)> {
        match self.ext {
            Ext::Reth { va, rkey, len } | Ext::XrcReth { va, rkey, len, .. } => Some((va, rkey, len)),
            _ => None,
        }
    }

    /// Number of the shared receive queue of an XRC request.
    pub fn srqn(&self) -> Option<u32> {
        match self.ext {
            Ext::Xrc { srqn } | Ext::XrcReth { srqn, .. } => Some(srqn),
            Ext::Atomic { .. } if self.opcode.0 >> 5 == 5 => Some(self.imm),
            _ => None,
        }
    }
}

impl<P: Default> Packet<P> {
    /// A congestion notification packet to the sender of a flow (annex A17, 17.9.3): BECN set, PSN 0, then 16 reserved
    /// bytes, which count as payload. Whether and when one is sent is up to the host's notification point.
    pub fn cnp(dest: Qpn) -> Self {
        Self {
            dest,
            opcode: Opcode::CNP,
            flags: Flags::BECN,
            payload_bytes: CNP_RESERVED_BYTES as u16,
            ..Self::default()
        }
    }
}

/// What the network says of a packet that arrived.
#[derive(Clone, Copy, Debug, Default)]
pub struct RxMeta<'a> {
    /// It came with congestion experienced.
    pub ce: bool,
    /// Telemetry that it carries (on an acknowledgement: of the packet it acknowledges).
    pub telemetry: &'a [IntHop],
    /// For a datagram: the 40 bytes that go before its payload (a GRH, or an IPv4 header in the last 20). Without them
    /// the bytes are left as they are; they count all the same.
    pub grh: Option<&'a [u8; 40]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_the_standards_table() {
        let bytes = |code, payload| {
            let packet = Packet::<()> { opcode: Opcode(code), payload_bytes: payload, ..Packet::default() };
            packet.transport_bytes()
        };
        assert_eq!(bytes(0x01, 1024), 12 + 1024 + 4, "SEND middle");
        assert_eq!(bytes(0x06, 1024), 12 + 16 + 1024 + 4, "WRITE first");
        assert_eq!(bytes(0x0b, 1), 12 + 20 + 4 + 4, "WRITE only with immediate, padded");
        assert_eq!(bytes(0x11, 0), 12 + 4 + 4, "acknowledge");
        assert_eq!(bytes(0x12, 0), 12 + 12 + 4, "atomic acknowledge");
        assert_eq!(bytes(0x13, 0), 12 + 28 + 4, "compare and swap");
        assert_eq!(bytes(0x65, 8), 12 + 12 + 8 + 4, "UD with immediate");
        assert_eq!(bytes(0xa4, 0), 12 + 4 + 4, "XRC SEND only");
        assert_eq!(bytes(0xb1, 0), 12 + 4 + 4, "XRC acknowledge has no XRCETH");
        // Annex A17: 60 bytes of IP packet: 20 of IP, 8 of UDP.
        assert_eq!(Packet::<()>::cnp(Qpn::new(1)).transport_bytes(), 60 - 28);
    }
}
