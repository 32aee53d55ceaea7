//! Executes a request packet that is in order (IBTA volume 1, 9.7.4, 9.7.5).

use super::Incoming;
use crate::completion::Status;
use crate::env::{Env, Event};
use crate::keys::Access;
use crate::memory::Memory;
use crate::packet::Packet;
use crate::qp::Qp;
use weir_wire::{NakCode, Syndrome, opcode::op};

/// What came of a request packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Executed.
    Done,
    /// No receive request is there: the peer has to send it again later.
    NotReady,
    /// Refused for good: the queue pair is in error (or, if unreliable, the message is dropped).
    Refused,
}

pub(super) const START: u8 = 1;
pub(super) const END: u8 = 2;
pub(super) const WRITE: u8 = 4;
pub(super) const SEND: u8 = 8;
pub(super) const IMM: u8 = 16;
pub(super) const INVALIDATE: u8 = 32;

/// What each operation of SEND and WRITE is.
pub(super) const KIND: [u8; 32] = {
    let mut table = [0; 32];
    table[op::SEND_FIRST as usize] = SEND | START;
    table[op::SEND_MIDDLE as usize] = SEND;
    table[op::SEND_LAST as usize] = SEND | END;
    table[op::SEND_LAST_IMM as usize] = SEND | END | IMM;
    table[op::SEND_ONLY as usize] = SEND | START | END;
    table[op::SEND_ONLY_IMM as usize] = SEND | START | END | IMM;
    table[op::WRITE_FIRST as usize] = WRITE | START;
    table[op::WRITE_MIDDLE as usize] = WRITE;
    table[op::WRITE_LAST as usize] = WRITE | END;
    table[op::WRITE_LAST_IMM as usize] = WRITE | END | IMM;
    table[op::WRITE_ONLY as usize] = WRITE | START | END;
    table[op::WRITE_ONLY_IMM as usize] = WRITE | START | END | IMM;
    table[op::SEND_LAST_INVALIDATE as usize] = SEND | END | INVALIDATE;
    table[op::SEND_ONLY_INVALIDATE as usize] = SEND | START | END | INVALIDATE;
    table
};

impl<M: Memory> Qp<M> {
    /// Executes the expected packet. `placed`: its payload is in memory already.
    #[inline]
    pub(super) fn execute(&mut self, packet: &Packet<M::Payload>, placed: bool, env: &mut Env<M>) -> Outcome {
        let kind = KIND[usize::from(packet.opcode.operation())];
        if kind == 0 {
            return match packet.opcode.operation() {
                op::READ_REQUEST => self.read(packet, env),
                op::COMPARE_SWAP | op::FETCH_ADD => self.atomic(packet, env),
                _ => self.refuse(NakCode::InvalidRequest, None, env),
            };
        }
        if kind & START != 0 {
            let begun = self.begin(kind, packet, env);
            if begun != Outcome::Done {
                return begun;
            }
        }
        let mtu = self.config.mtu;
        let bytes = u32::from(packet.payload_bytes);
        let (ends, write) = (kind & END != 0, kind & WRITE != 0);
        let Some(message) = &mut self.resp.message else {
            // A middle or last packet without a first one.
            return self.refuse(NakCode::InvalidRequest, None, env);
        };
        // First and middle packets are full, a last one is not empty (IBTA volume 1, 9.7.4).
        let length_ok = if ends { bytes <= mtu && (bytes > 0 || kind & START != 0) } else { bytes == mtu };
        if message.write != write || !length_ok {
            return self.refuse(NakCode::InvalidRequest, None, env);
        }
        if write && (bytes > message.left || ends && bytes != message.left) {
            return self.refuse(NakCode::InvalidRequest, None, env);
        }
        if bytes > message.left {
            // The SEND is longer than its receive buffer (IBTA volume 1, 9.7.4).
            return self.refuse(NakCode::InvalidRequest, Some(Status::LocalLength), env);
        }
        if write && message.epoch != env.keys.epoch() {
            let (rkey, va, len) = (message.rkey, message.va, message.len);
            let (pd, qpn) = (self.config.pd, self.config.qpn);
            match env.keys.check_remote(rkey, va, len.into(), Access::REMOTE_WRITE, pd, qpn) {
                Ok(_) => message.epoch = env.keys.epoch(),
                Err(_) if len == 0 => {}
                Err(_) => return self.refuse(NakCode::RemoteAccessError, None, env),
            }
        }
        if kind & IMM != 0 && write && !self.hold_receive(packet, env) {
            if kind & START != 0 {
                self.resp.message = None;
            }
            return self.not_ready();
        }
        let Some(message) = &mut self.resp.message else { return Outcome::Refused };
        if write && !placed {
            let to = message.addr.wrapping_add(u64::from(message.received));
            env.memory.write(to, &packet.payload, 0, bytes);
        }
        let received = message.received;
        message.left -= bytes;
        message.received += bytes;
        self.counters.delivered_bytes += u64::from(bytes);
        if !write {
            self.scatter(received, &packet.payload, bytes, env);
        }
        if ends {
            if kind & INVALIDATE != 0
                && env.keys.invalidate(packet.imm, self.config.pd, self.config.qpn).is_err()
            {
                return self.refuse(NakCode::RemoteAccessError, None, env);
            }
            let received = received + bytes;
            self.resp.message = None;
            self.resp.count_message();
            if !write || kind & IMM != 0 {
                self.received(kind, packet, received, env);
            }
        }
        self.resp.expected = packet.psn.add(1);
        if packet.ack_req() && self.config.service.is_reliable() {
            self.resp.ack(packet.psn, self.config.ecn_echo);
        }
        Outcome::Done
    }

    /// A message begins.
    fn begin(&mut self, kind: u8, packet: &Packet<M::Payload>, env: &mut Env<M>) -> Outcome {
        if self.resp.message.is_some() {
            // The message before has no end (IBTA volume 1, 9.7.4).
            return self.refuse(NakCode::InvalidRequest, None, env);
        }
        let mut message = Incoming {
            write: kind & WRITE != 0,
            first: packet.psn,
            addr: 0,
            va: 0,
            rkey: 0,
            len: 0,
            epoch: env.keys.epoch(),
            left: 0,
            received: 0,
        };
        if message.write {
            let Some((va, rkey, len)) = packet.reth() else {
                return self.refuse(NakCode::InvalidRequest, None, env);
            };
            if !self.config.access.contains(Access::REMOTE_WRITE) || len > 1 << 31 {
                return self.refuse(NakCode::InvalidRequest, None, env);
            }
            // The key of nothing is not looked at (IBTA volume 1, 9.7.4).
            if len > 0 {
                let (pd, qpn) = (self.config.pd, self.config.qpn);
                match env.keys.check_remote(rkey, va, len.into(), Access::REMOTE_WRITE, pd, qpn) {
                    Ok(addr) => message.addr = addr,
                    Err(_) => return self.refuse(NakCode::RemoteAccessError, None, env),
                }
            }
            (message.va, message.rkey, message.len, message.left) = (va, rkey, len, len);
        } else {
            if !self.hold_receive(packet, env) {
                return self.not_ready();
            }
            match self.resolve_held(env) {
                Some(room) => message.left = room,
                None => {
                    // A fault of the receiver's own (IBTA volume 1, 9.7.5).
                    let status = Some(Status::LocalProtection);
                    return self.refuse(NakCode::RemoteOperationalError, status, env);
                }
            }
        }
        self.resp.message = Some(message);
        Outcome::Done
    }

    /// No receive request is there (IBTA volume 1, 9.7.5).
    #[cold]
    pub(super) fn not_ready(&mut self) -> Outcome {
        self.counters.out_of_buffer += 1;
        if self.config.service.is_reliable() {
            self.resp.nak(Syndrome::RnrNak { timer: self.config.min_rnr_timer }, None);
        } else {
            self.drop_message();
        }
        Outcome::NotReady
    }

    /// A request that cannot be executed. A reliable queue pair answers, and is in error; `receive` is how the receive
    /// request of the message ends. An unreliable one drops the message without a word, but for its own faults.
    #[cold]
    pub(super) fn refuse(&mut self, code: NakCode, receive: Option<Status>, env: &mut Env<M>) -> Outcome {
        let reliable = self.config.service.is_reliable();
        if !reliable && receive != Some(Status::LocalProtection) {
            self.drop_message();
            return Outcome::Refused;
        }
        let qpn = self.config.qpn;
        if reliable {
            self.resp.nak(Syndrome::Nak { code }, None);
        }
        env.events.push_back(match code {
            NakCode::RemoteAccessError => Event::AccessError(qpn),
            NakCode::RemoteOperationalError => Event::Fatal(qpn),
            _ => Event::RequestError(qpn),
        });
        if let Some(status) = receive {
            self.fail_receive(status, env);
        }
        self.enter_error(None, true, env);
        Outcome::Refused
    }
}
