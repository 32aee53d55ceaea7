//! The responder: executes requests in order and answers them (IBTA volume 1, 9.7.4 and 9.7.5).

use crate::config::Recovery;
use crate::env::Env;
use crate::memory::Memory;
use crate::packet::{Ext, Packet, RxMeta, Syndrome};
use crate::qp::Qp;
use crate::work::{Completion, RecvWr, Status};
use std::collections::VecDeque;
use weir_units::Time;
use weir_wire::opcode::op;
use weir_wire::{Opcode, Psn};

/// What is to be sent, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Out {
    Ack { psn: Psn, syndrome: Syndrome, msn: u32, becn: bool },
    Read { first: Psn, next: Psn, end: Psn, va: u64, len: u32, msn: u32 },
}

/// The message that is arriving.
#[derive(Clone, Copy, Debug)]
struct Incoming {
    first: Psn,
    write: bool,
    va: u64,
    left: u32,
    received: u32,
}

#[derive(Debug)]
pub(crate) struct Responder {
    expected: Psn,
    msn: u32,
    nak_sent: bool,
    message: Option<Incoming>,
    ce_seen: bool,
    pub rq: VecDeque<RecvWr>,
    pub out: VecDeque<Out>,
}

impl Responder {
    pub fn new(psn: Psn) -> Self {
        Self {
            expected: psn,
            msn: 0,
            nak_sent: false,
            message: None,
            ce_seen: false,
            rq: VecDeque::new(),
            out: VecDeque::new(),
        }
    }

    #[inline]
    pub fn has_ack(&self) -> bool {
        matches!(self.out.front(), Some(Out::Ack { .. }))
    }

    #[inline]
    pub fn has_read(&self) -> bool {
        matches!(self.out.front(), Some(Out::Read { .. }))
    }

    /// An acknowledgement of `psn`; it replaces one that still waits.
    fn ack(&mut self, psn: Psn, becn: bool) {
        let msn = self.msn;
        if let Some(Out::Ack { psn: waiting, syndrome: Syndrome::Ack, msn: m, becn: b }) = self.out.back_mut()
        {
            *waiting = psn;
            *m = msn;
            *b |= becn;
        } else {
            self.out.push_back(Out::Ack { psn, syndrome: Syndrome::Ack, msn, becn });
        }
    }

    fn nak(&mut self, syndrome: Syndrome) {
        self.nak_sent = true;
        self.out.push_back(Out::Ack { psn: self.expected, syndrome, msn: self.msn, becn: false });
    }
}

impl<M: Memory> Qp<M> {
    pub(crate) fn next_ack(&mut self) -> Option<Packet<M::Payload>> {
        if !self.resp.has_ack() {
            return None;
        }
        let Some(Out::Ack { psn, syndrome, msn, becn }) = self.resp.out.pop_front() else { return None };
        Some(Packet {
            dest: self.config.peer,
            opcode: Opcode::rc(op::ACKNOWLEDGE),
            psn,
            becn,
            ext: Ext::Aeth { syndrome, msn },
            ..Packet::default()
        })
    }

    pub(crate) fn next_read_response(&mut self, env: &mut Env<M>) -> Option<Packet<M::Payload>> {
        let mtu = self.config.mtu;
        let Some(Out::Read { first, next, end, va, len, msn }) = self.resp.out.front_mut() else {
            return None;
        };
        let index = next.since(*first) as u32;
        let packets = end.since(*first) as u32;
        let offset = index * mtu;
        let bytes = (*len - offset).min(mtu);
        let operation = match (index == 0, index + 1 == packets) {
            (true, true) => op::READ_RESPONSE_ONLY,
            (true, false) => op::READ_RESPONSE_FIRST,
            (false, true) => op::READ_RESPONSE_LAST,
            (false, false) => op::READ_RESPONSE_MIDDLE,
        };
        let ext = match operation {
            op::READ_RESPONSE_MIDDLE => Ext::None,
            _ => Ext::Aeth { syndrome: Syndrome::Ack, msn: *msn },
        };
        let packet = Packet {
            dest: self.config.peer,
            opcode: Opcode::rc(operation),
            psn: *next,
            payload_bytes: bytes as u16,
            payload: env.memory.read(*va + u64::from(offset), bytes),
            ext,
            ..Packet::default()
        };
        *next = next.add(1);
        if next == end {
            self.resp.out.pop_front();
        }
        Some(packet)
    }

    #[inline]
    pub(crate) fn handle_request(
        &mut self,
        _now: Time,
        packet: &Packet<M::Payload>,
        rx: RxMeta<'_>,
        env: &mut Env<M>,
    ) {
        let ahead = packet.psn.since(self.resp.expected);
        self.resp.ce_seen |= rx.ce;
        if ahead != 0 {
            return self.out_of_order(packet, ahead, env);
        }
        self.resp.nak_sent = false;
        self.execute(packet, env);
    }

    #[cold]
    fn out_of_order(&mut self, packet: &Packet<M::Payload>, ahead: i32, env: &mut Env<M>) {
        if !self.reliable() {
            // What is missing takes its message with it; the next first packet begins anew.
            self.counters.out_of_sequence += 1;
            self.resp.message = None;
            self.resp.expected = packet.psn;
            return self.execute(packet, env);
        }
        if ahead > 0 {
            self.counters.out_of_sequence += 1;
            if !self.resp.nak_sent {
                if self.config.recovery == Recovery::GoBack0
                    && let Some(message) = self.resp.message.take()
                {
                    self.resp.expected = message.first;
                }
                self.resp.nak(Syndrome::Sequence);
            }
            return;
        }
        self.counters.duplicate_request += 1;
        if packet.opcode.operation() == op::READ_REQUEST {
            self.read(packet, env);
        } else {
            let becn = std::mem::take(&mut self.resp.ce_seen);
            self.resp.ack(self.resp.expected.sub(1), becn);
        }
    }

    fn read(&mut self, packet: &Packet<M::Payload>, env: &mut Env<M>) -> bool {
        let Ext::Reth { va, rkey, len } = packet.ext else {
            self.resp.nak(Syndrome::InvalidRequest);
            return false;
        };
        if env.keys.check(rkey, va, len, false).is_err() {
            self.resp.nak(Syndrome::RemoteAccess);
            return false;
        }
        let packets = len.div_ceil(self.config.mtu).max(1);
        let end = packet.psn.add(packets);
        // Asked again: what is still queued of the same read starts over where the requester wants it.
        self.resp.out.retain(|out| !matches!(out, Out::Read { end: queued, .. } if *queued == end));
        let msn = self.resp.msn;
        self.resp.out.push_back(Out::Read { first: packet.psn, next: packet.psn, end, va, len, msn });
        true
    }

    fn execute(&mut self, packet: &Packet<M::Payload>, env: &mut Env<M>) {
        let bytes = u32::from(packet.payload_bytes);
        let operation = packet.opcode.operation();
        let starts = matches!(
            operation,
            op::SEND_FIRST
                | op::SEND_ONLY
                | op::SEND_ONLY_IMM
                | op::WRITE_FIRST
                | op::WRITE_ONLY
                | op::WRITE_ONLY_IMM
        );
        let write = (op::WRITE_FIRST..=op::WRITE_ONLY_IMM).contains(&operation);
        let imm = matches!(
            operation,
            op::SEND_LAST_IMM | op::SEND_ONLY_IMM | op::WRITE_LAST_IMM | op::WRITE_ONLY_IMM
        );
        let ends =
            imm || matches!(operation, op::SEND_LAST | op::SEND_ONLY | op::WRITE_LAST | op::WRITE_ONLY);
        if operation == op::READ_REQUEST {
            self.resp.msn = (self.resp.msn + 1) & 0xff_ffff;
            if let Ext::Reth { len, .. } = packet.ext
                && self.read(packet, env)
            {
                self.resp.expected = packet.psn.add(len.div_ceil(self.config.mtu).max(1));
            }
            return;
        }
        if operation > op::WRITE_ONLY_IMM {
            return self.refuse(Syndrome::InvalidRequest);
        }
        if starts {
            if self.resp.message.is_some() && self.reliable() {
                return self.refuse(Syndrome::InvalidRequest);
            }
            let (va, left) = match (write, packet.ext) {
                (true, Ext::Reth { va, rkey, len }) => {
                    if len > 0 && env.keys.check(rkey, va, len, true).is_err() {
                        return self.refuse(Syndrome::RemoteAccess);
                    }
                    (va, len)
                }
                (true, _) => return self.refuse(Syndrome::InvalidRequest),
                (false, _) => match self.resp.rq.front() {
                    Some(wr) => (wr.local, wr.len),
                    None => return self.not_ready(),
                },
            };
            self.resp.message = Some(Incoming { first: packet.psn, write, va, left, received: 0 });
        }
        let Some(mut message) = self.resp.message else {
            return if self.reliable() { self.refuse(Syndrome::InvalidRequest) } else { self.skip(packet) };
        };
        if message.write != write || message.left < bytes {
            return self.refuse(Syndrome::InvalidRequest);
        }
        if imm && write && self.resp.rq.is_empty() {
            return self.not_ready();
        }
        env.memory.write(message.va + u64::from(message.received), &packet.payload);
        message.left -= bytes;
        message.received += bytes;
        self.counters.delivered_bytes += u64::from(bytes);
        self.resp.expected = packet.psn.add(1);
        self.resp.message = (!ends).then_some(message);
        if ends {
            self.resp.msn = (self.resp.msn + 1) & 0xff_ffff;
            if (!write || imm)
                && let Some(wr) = self.resp.rq.pop_front()
            {
                env.completions.push_back(Completion {
                    qpn: self.config.qpn,
                    id: wr.id,
                    status: Status::Success,
                    recv: true,
                    bytes: message.received,
                    imm: imm.then_some(packet.imm),
                });
            }
        }
        if packet.ack_req && self.reliable() {
            let becn = std::mem::take(&mut self.resp.ce_seen);
            self.resp.ack(packet.psn, becn);
        }
    }

    fn skip(&mut self, packet: &Packet<M::Payload>) {
        self.resp.expected = packet.psn.add(1);
    }

    fn not_ready(&mut self) {
        if self.reliable() {
            self.resp.nak(Syndrome::Rnr(self.config.min_rnr_timer));
        } else {
            self.resp.message = None;
            self.resp.expected = self.resp.expected.add(1);
        }
    }

    fn refuse(&mut self, syndrome: Syndrome) {
        self.resp.message = None;
        if self.reliable() {
            self.resp.nak(syndrome);
        } else {
            self.resp.expected = self.resp.expected.add(1);
        }
    }
}
