//! Rules of the InfiniBand architecture, each in a scenario of two queue pairs; each cites its clause (IBTA volume 1;
//! to the third level, as deeper numbers differ between releases).
#![allow(missing_docs, reason = "helpers of the scenarios")]

#[path = "../common/mod.rs"]
mod common;

mod acknowledge;
mod atomics;
mod connections;
mod datagrams;
mod errors;
mod memory;
mod not_ready;
mod queues;
mod reads;
mod repeat;
mod selective;
mod send_queue;

use common::{Pair, config, connected};
use weir_transport::*;
use weir_units::Span;

/// Two connected queue pairs, an area of 64 KiB each, and the key of the second one's.
pub fn pair_of(base: QpConfig) -> (Pair, u32) {
    let mut pair = Pair::new(connected(&base), 1 << 16);
    for side in 0..2 {
        for (i, byte) in pair.envs[side].memory.0.iter_mut().enumerate() {
            *byte = (i as u64 * 37 + side as u64 * 101 + (i as u64 >> 8)) as u8;
        }
    }
    let rkey = pair.envs[1].keys.register(0, 1 << 16, Access::REMOTE);
    (pair, rkey)
}

pub fn pair() -> (Pair, u32) {
    pair_of(config())
}

pub fn send(pair: &mut Pair, id: u64, op: SendOp, local: u64, len: u32) {
    post(pair, SendWr::new(id, op, local, len));
}

pub fn post(pair: &mut Pair, wr: SendWr) {
    pair.qps[0].post_send(wr, &mut pair.envs[0]).expect("taken");
}

pub fn receive(pair: &mut Pair, id: u64, to: u64, len: u32) {
    pair.qps[1].post_recv(RecvWr::new(id, to, len), &mut pair.envs[1]).expect("taken");
}

pub const SEND: SendOp = SendOp::Send { imm: None };

pub fn write(rkey: u32, remote: u64) -> SendOp {
    SendOp::Write { remote, rkey, imm: None }
}

pub fn read(rkey: u32, remote: u64) -> SendOp {
    SendOp::Read { remote, rkey }
}

/// Statuses of one side's completions, taken, with the requests' numbers.
pub fn statuses(pair: &mut Pair, side: usize) -> Vec<(u64, Status)> {
    pair.completions(side).iter().map(|completion| (completion.id, completion.status)).collect()
}

/// A channel that loses the packets of side 0 (or 1) with these indices, in order of sending.
pub fn losing(from: usize, lost: &[usize]) -> impl FnMut(usize, &Packet<Vec<u8>>) -> Vec<Span> {
    let lost = lost.to_vec();
    let mut sent = 0;
    move |side, _| {
        if side != from {
            return vec![Span::from_us(1)];
        }
        sent += 1;
        if lost.contains(&(sent - 1)) { Vec::new() } else { vec![Span::from_us(1)] }
    }
}

/// Packets that a side sent: opcode, PSN from the first on.
pub fn sent(pair: &Pair, side: usize) -> Vec<(u8, i32)> {
    let first = pair.qps[0].config().sq_psn;
    let of = pair.log.iter().filter(|(_, from, _)| *from == side);
    of.map(|(_, _, packet)| (packet.opcode.0, packet.psn.since(first))).collect()
}

/// Acknowledgements and NAKs that side 1 sent: syndrome, PSN from the first on, MSN.
pub fn answers(pair: &Pair) -> Vec<(Syndrome, i32, u32)> {
    let first = pair.qps[0].config().sq_psn;
    let of = pair.log.iter().filter(|(_, from, _)| *from == 1);
    of.filter_map(|(_, _, packet)| match packet.ext {
        Ext::Aeth { syndrome, msn } => Some((syndrome, packet.psn.since(first), msn)),
        _ => None,
    })
    .collect()
}

pub const LIMIT: Span = Span::from_s(5);
