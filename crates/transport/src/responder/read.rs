//! Reads: a request becomes responses, paced like other data (IBTA volume 1, 9.7.5).

use super::Answer;
use super::execute::Outcome;
use crate::env::Env;
use crate::keys::Access;
use crate::memory::Memory;
use crate::packet::{Ext, Packet};
use crate::qp::Qp;
use weir_wire::{NakCode, Psn, Syndrome, opcode::op};

/// Repetitions that may wait; more are dropped, and the peer's timer asks again.
const MOST_QUEUED: usize = 256;

/// A read that is being answered: a responder resource.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadAnswer {
    first: Psn,
    next: Psn,
    end: Psn,
    addr: u64,
    va: u64,
    rkey: u32,
    len: u32,
    msn: u32,
    epoch: u32,
    /// It answers a copy of a request whose resource has been given back.
    again: bool,
}

impl<M: Memory> Qp<M> {
    /// A read request in order.
    pub(super) fn read(&mut self, packet: &Packet<M::Payload>, env: &mut Env<M>) -> Outcome {
        let Some((va, rkey, len)) = packet.reth() else {
            return self.refuse(NakCode::InvalidRequest, None, env);
        };
        let allowed = self.config.access.contains(Access::REMOTE_READ) && len <= 1 << 31;
        if !allowed || self.resp.message.is_some() || !self.has_resource() {
            return self.refuse(NakCode::InvalidRequest, None, env);
        }
        let Some(addr) = self.readable(rkey, va, len, env) else {
            return self.refuse(NakCode::RemoteAccessError, None, env);
        };
        self.resp.count_message();
        let end = packet.psn.add(len.div_ceil(self.config.mtu).max(1));
        self.resp.expected = end;
        self.resp.answer(Answer::Read(ReadAnswer {
            first: packet.psn,
            next: packet.psn,
            end,
            addr,
            va,
            rkey,
            len,
            msn: self.resp.msn,
            epoch: env.keys.epoch(),
            again: false,
        }));
        Outcome::Done
    }

    /// Whether the peer keeps to the reads and atomics that it may have outstanding (IBTA volume 1, 9.7.4).
    pub(super) fn has_resource(&self) -> bool {
        let used = self.resp.queue.iter().filter(|answer| match answer {
            Answer::Read(read) => !read.again,
            Answer::Atomic { .. } => true,
            Answer::Ack(_) => false,
        });
        used.count() < usize::from(self.config.max_dest_rd_atomic)
    }

    fn readable(&self, rkey: u32, va: u64, len: u32, env: &Env<M>) -> Option<u64> {
        let (pd, qpn) = (self.config.pd, self.config.qpn);
        match len {
            0 => Some(0),
            _ => env.keys.check_remote(rkey, va, len.into(), Access::REMOTE_READ, pd, qpn).ok(),
        }
    }

    /// A read request that has been executed: it is executed again, from where the peer asks (IBTA volume 1, 9.7.5).
    pub(super) fn read_again(&mut self, packet: &Packet<M::Payload>, env: &mut Env<M>) {
        let Some((va, rkey, len)) = packet.reth() else { return };
        let packets = len.div_ceil(self.config.mtu).max(1);
        let end = packet.psn.add(packets);
        if packets > 1 << 22 || end.since(self.resp.expected) > 0 || len > 1 << 31 {
            return; // not a copy of anything
        }
        let Some(addr) = self.readable(rkey, va, len, env) else {
            self.resp.expected = packet.psn;
            self.refuse(NakCode::RemoteAccessError, None, env);
            return;
        };
        // What still waits of the same read starts over where the peer wants it.
        let mut again = true;
        self.resp.queue.retain(|answer| match answer {
            Answer::Read(read) if read.end == end => {
                again &= read.again;
                false
            }
            _ => true,
        });
        if self.resp.queue.len() >= MOST_QUEUED {
            return;
        }
        let (msn, epoch) = (self.resp.msn, env.keys.epoch());
        let (first, next) = (packet.psn, packet.psn);
        let read = ReadAnswer { first, next, end, addr, va, rkey, len, msn, epoch, again };
        self.resp.answer(Answer::Read(read));
    }

    /// The next response of the read at the front.
    pub(crate) fn next_read_response(&mut self, env: &mut Env<M>) -> Option<Packet<M::Payload>> {
        let mtu = self.config.mtu;
        let Some(Answer::Read(read)) = self.resp.queue.front_mut() else { return None };
        let read = *read;
        if read.epoch != env.keys.epoch() && self.readable(read.rkey, read.va, read.len, env).is_none() {
            // The memory went away meanwhile.
            self.resp.queue.clear();
            self.resp.expected = read.next;
            self.refuse(NakCode::RemoteAccessError, None, env);
            return None;
        }
        let index = read.next.since(read.first) as u32;
        let packets = read.end.since(read.first) as u32;
        let offset = index * mtu;
        let bytes = (read.len - offset).min(mtu);
        let operation = match (index == 0, index + 1 == packets) {
            (true, true) => op::READ_RESPONSE_ONLY,
            (true, false) => op::READ_RESPONSE_FIRST,
            (false, true) => op::READ_RESPONSE_LAST,
            (false, false) => op::READ_RESPONSE_MIDDLE,
        };
        let mut packet = self.response(operation, read.next);
        if operation != op::READ_RESPONSE_MIDDLE {
            packet.ext = Ext::Aeth { syndrome: Syndrome::ACK, msn: read.msn };
        }
        packet.payload_bytes = bytes as u16;
        if bytes > 0 {
            env.memory.read(read.addr.wrapping_add(u64::from(offset)), bytes, &mut packet.payload);
        }
        if index + 1 == packets {
            self.resp.queue.pop_front();
        } else if let Some(Answer::Read(front)) = self.resp.queue.front_mut() {
            front.next = read.next.add(1);
        }
        Some(packet)
    }
}
