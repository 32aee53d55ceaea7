//! One request packet of a message (IBTA volume 1, 9.7.3, table 38).

use super::{Wqe, psn_of};
use crate::config::{QpConfig, Service};
use crate::memory::Memory;
use crate::packet::{Ext, Flags, Packet};
use crate::work::SendOp;
use weir_wire::{Opcode, Qpn, opcode::op};

const SEND: [u8; 4] = [op::SEND_FIRST, op::SEND_MIDDLE, op::SEND_LAST, op::SEND_ONLY];
const WRITE: [u8; 4] = [op::WRITE_FIRST, op::WRITE_MIDDLE, op::WRITE_LAST, op::WRITE_ONLY];

/// The packet `seq` of a message; of a read, the request for `run` responses from there on. Without
/// [`Flags::ACK_REQ`].
#[inline]
pub(super) fn build<M: Memory>(
    config: &QpConfig,
    wqe: &Wqe<M::Payload>,
    seq: u64,
    run: u32,
    memory: &mut M,
) -> Packet<M::Payload> {
    let index = (seq - wqe.first) as u32;
    let offset = index.wrapping_mul(config.mtu);
    let rest = wqe.len - offset;
    let last = index + run == wqe.packets;
    let mut packet = Packet { dest: config.peer, psn: psn_of(seq), ..Packet::default() };
    let operation = match wqe.wr.op {
        SendOp::Write { remote, rkey, imm } => {
            if index == 0 {
                packet.ext = Ext::Reth { va: remote, rkey, len: wqe.len };
            }
            packet.imm = imm.unwrap_or(0);
            kind(WRITE, index, last) + u8::from(last && imm.is_some())
        }
        SendOp::Send { imm } => {
            packet.imm = imm.unwrap_or(0);
            kind(SEND, index, last) + u8::from(last && imm.is_some())
        }
        SendOp::SendInvalidate { rkey } => {
            packet.imm = rkey;
            match (index == 0, last) {
                (true, true) => op::SEND_ONLY_INVALIDATE,
                (false, true) => op::SEND_LAST_INVALIDATE,
                _ => kind(SEND, index, last),
            }
        }
        SendOp::Read { remote, rkey } => {
            let len = if last { rest } else { run.wrapping_mul(config.mtu) };
            packet.ext = Ext::Reth { va: remote.wrapping_add(u64::from(offset)), rkey, len };
            packet.opcode = Opcode(config.service.code() << 5 | op::READ_REQUEST);
            return with_srqn(packet, config, wqe.wr.srqn);
        }
        SendOp::CompareSwap { remote: va, rkey, compare, swap } => {
            packet.ext = Ext::Atomic { va, rkey, swap_or_add: swap, compare };
            packet.opcode = Opcode(config.service.code() << 5 | op::COMPARE_SWAP);
            return with_srqn(packet, config, wqe.wr.srqn);
        }
        SendOp::FetchAdd { remote: va, rkey, add } => {
            packet.ext = Ext::Atomic { va, rkey, swap_or_add: add, compare: 0 };
            packet.opcode = Opcode(config.service.code() << 5 | op::FETCH_ADD);
            return with_srqn(packet, config, wqe.wr.srqn);
        }
        SendOp::Datagram { dest, qkey, imm } => {
            packet.dest = dest;
            packet.imm = imm.unwrap_or(0);
            // The top bit stands for the queue pair's own key (IBTA volume 1, 10.2.5).
            let qkey = if qkey >> 31 == 1 { config.qkey } else { qkey };
            packet.ext = Ext::Deth { qkey, src: config.qpn };
            op::SEND_ONLY + u8::from(imm.is_some())
        }
        // Local operations have no packets.
        SendOp::Bind(_) | SendOp::LocalInvalidate { .. } => op::SEND_ONLY,
    };
    packet.opcode = Opcode(config.service.code() << 5 | operation);
    let bytes = rest.min(config.mtu);
    packet.payload_bytes = bytes as u16;
    match &wqe.inline {
        Some(payload) => packet.payload = M::slice(payload, offset, bytes),
        None => {
            wqe.wr.local.parts(offset, bytes, |va, _, len| memory.read(va, len, &mut packet.payload));
        }
    }
    if last && wqe.wr.solicited && uses_receive(&wqe.wr.op) {
        packet.flags |= Flags::SOLICITED;
    }
    match config.service {
        Service::XrcInitiator => with_srqn(packet, config, wqe.wr.srqn),
        _ => packet,
    }
}

/// Whether the message uses a receive request: only then does a solicited event make sense (IBTA volume 1, 9.2.3).
fn uses_receive(op: &SendOp) -> bool {
    !matches!(op, SendOp::Write { imm: None, .. })
}

/// First, middle, last or only.
#[inline]
fn kind([first, middle, ending, only]: [u8; 4], index: u32, last: bool) -> u8 {
    match (index == 0, last) {
        (true, true) => only,
        (true, false) => first,
        (false, true) => ending,
        (false, false) => middle,
    }
}

/// Every XRC request names the shared receive queue (annex A14).
fn with_srqn<P>(mut packet: Packet<P>, config: &QpConfig, srqn: u32) -> Packet<P> {
    if config.service.is_xrc() {
        let srqn = Qpn::new(srqn).get();
        packet.ext = match packet.ext {
            Ext::Reth { va, rkey, len } => Ext::XrcReth { srqn, va, rkey, len },
            atomic @ Ext::Atomic { .. } => {
                packet.imm = srqn;
                atomic
            }
            _ => Ext::Xrc { srqn },
        };
    }
    packet
}
