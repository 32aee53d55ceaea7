//! A transport packet: base transport header, extension header, payload.

use weir_congestion::IntHop;
use weir_wire::{Opcode, Psn, Qpn};

/// Meaning of an AETH syndrome (IBTA volume 1, 9.7.5.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syndrome {
    /// Acknowledgement.
    Ack,
    /// Receiver not ready; timer code.
    Rnr(u8),
    /// PSN sequence error.
    Sequence,
    /// Invalid request.
    InvalidRequest,
    /// Remote access error.
    RemoteAccess,
    /// Remote operational error.
    RemoteOperational,
}

impl Syndrome {
    /// As the header's byte.
    pub const fn byte(self) -> u8 {
        match self {
            Syndrome::Ack => 0x1f,
            Syndrome::Rnr(code) => 0x20 | (code & 0x1f),
            Syndrome::Sequence => 0x60,
            Syndrome::InvalidRequest => 0x61,
            Syndrome::RemoteAccess => 0x62,
            Syndrome::RemoteOperational => 0x63,
        }
    }
}

/// Extension header after the BTH.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ext {
    /// None.
    #[default]
    None,
    /// RDMA: address, key, length of the whole message.
    Reth {
        /// Remote address.
        va: u64,
        /// Remote key.
        rkey: u32,
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
}

/// A packet; `P` is its payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet<P> {
    /// Destination queue pair.
    pub dest: Qpn,
    /// Operation.
    pub opcode: Opcode,
    /// Acknowledgement asked for.
    pub ack_req: bool,
    /// Solicited event.
    pub solicited: bool,
    /// BECN: on an acknowledgement, that it acknowledges a packet marked with congestion.
    pub becn: bool,
    /// Sequence number.
    pub psn: Psn,
    /// Payload bytes, without pad.
    pub payload_bytes: u16,
    /// Immediate data, where the opcode has it.
    pub imm: u32,
    /// Extension header.
    pub ext: Ext,
    /// Payload.
    pub payload: P,
}

impl<P> Packet<P> {
    /// Bytes from the BTH to the ICRC, both included.
    #[inline]
    pub fn transport_bytes(&self) -> u32 {
        use weir_wire::opcode::op;
        let ext = match self.ext {
            Ext::None => 0,
            Ext::Reth { .. } => 16,
            Ext::Aeth { .. } => 4,
        };
        let imm = matches!(
            self.opcode.operation(),
            op::SEND_LAST_IMM | op::SEND_ONLY_IMM | op::WRITE_LAST_IMM | op::WRITE_ONLY_IMM
        );
        12 + ext + if imm { 4 } else { 0 } + u32::from(self.payload_bytes).next_multiple_of(4) + 4
    }
}

/// What the network says of a packet that arrived.
#[derive(Clone, Copy, Debug, Default)]
pub struct RxMeta<'a> {
    /// It came with congestion experienced.
    pub ce: bool,
    /// Telemetry that it carries (on an acknowledgement: of the packet it acknowledges).
    pub telemetry: &'a [IntHop],
}
