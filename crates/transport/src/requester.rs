//! The requester: from send requests to request packets, and what answers do to them (IBTA volume 1, 9.7.3 to 9.7.7).

use crate::config::{QpConfig, Recovery, rnr_timer};
use crate::env::Env;
use crate::memory::Memory;
use crate::packet::{Ext, Packet, RxMeta, Syndrome};
use crate::qp::Qp;
use crate::work::{Completion, SendOp, SendWr, Status};
use std::collections::VecDeque;
use weir_congestion::{AckEvent, Controller, Loss};
use weir_units::Time;
use weir_wire::opcode::op;
use weir_wire::{Opcode, Psn};

/// At most this many packets between the oldest unacknowledged and the next one, so that PSNs stay comparable.
const MOST_IN_FLIGHT: i32 = 1 << 22;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Wqe {
    pub wr: SendWr,
    first: Psn,
    packets: u32,
}

#[derive(Debug)]
pub(crate) struct Requester {
    pub sq: VecDeque<Wqe>,
    /// Index in `sq` of the request that the next packet is of.
    cur: usize,
    /// PSN of the next packet.
    next: Psn,
    /// Oldest PSN that is not acknowledged.
    pub una: Psn,
    /// One past the highest PSN ever sent.
    high: Psn,
    /// First PSN of the next request to be posted.
    tail: Psn,
    pub timeout_at: Time,
    pub rnr_until: Time,
    pub retries: u8,
    rnr_retries: u8,
    since_ack_req: u32,
    reads_out: u32,
    /// Responses from this PSN on have been asked for again; until they come, or the timer fires, not once more.
    asked_again: Option<Psn>,
    /// Send time of the packet at `timed` that asked for an acknowledgement, for the round trip.
    timed: Option<(Psn, Time)>,
}

impl Requester {
    pub fn new(psn: Psn) -> Self {
        Self {
            sq: VecDeque::new(),
            cur: 0,
            next: psn,
            una: psn,
            high: psn,
            tail: psn,
            timeout_at: Time::MAX,
            rnr_until: Time::ZERO,
            retries: 0,
            rnr_retries: 0,
            since_ack_req: 0,
            reads_out: 0,
            asked_again: None,
            timed: None,
        }
    }

    pub fn post(&mut self, wr: SendWr, mtu: u32) {
        let packets = wr.len.div_ceil(mtu).max(1);
        self.sq.push_back(Wqe { wr, first: self.tail, packets });
        self.tail = self.tail.add(packets);
    }

    #[inline]
    pub fn has_data(&self, config: &QpConfig, window_bytes: u64) -> bool {
        let Some(wqe) = self.sq.get(self.cur) else { return false };
        let in_flight = self.next.since(self.una);
        if in_flight >= MOST_IN_FLIGHT {
            return false;
        }
        if in_flight > 0 && in_flight as u64 * u64::from(config.mtu) >= window_bytes {
            return false;
        }
        !(matches!(wqe.wr.op, SendOp::Read { .. }) && self.reads_out >= u32::from(config.max_rd_atomic))
    }

    /// The next packet is that of `psn`, or the first of its message.
    pub fn rewind(&mut self, psn: Psn, recovery: Recovery) {
        self.timed = None;
        self.since_ack_req = 0;
        let index =
            self.sq.iter().position(|wqe| psn.since(wqe.first) < wqe.packets as i32).unwrap_or(self.sq.len());
        self.cur = index;
        self.reads_out =
            self.sq.range(..index).filter(|w| matches!(w.wr.op, SendOp::Read { .. })).count() as u32;
        self.next = psn;
        if recovery == Recovery::GoBack0
            && let Some(wqe) = self.sq.get(index)
        {
            self.next = wqe.first;
            self.una = wqe.first;
        }
    }
}

impl<M: Memory> Qp<M> {
    pub(crate) fn next_request(&mut self, now: Time, env: &mut Env<M>) -> Option<Packet<M::Payload>> {
        let req = &mut self.req;
        let wqe = *req.sq.get(req.cur)?;
        let psn = req.next;
        let index = psn.since(wqe.first) as u32;
        let mtu = self.config.mtu;
        let offset = index * mtu;
        let rest = wqe.wr.len - offset;
        let mut packet = Packet { dest: self.config.peer, psn, ..Packet::default() };
        let (operation, packets) = match wqe.wr.op {
            SendOp::Read { remote, rkey } => {
                packet.ext = Ext::Reth { va: remote + u64::from(offset), rkey, len: rest };
                req.reads_out += 1;
                (op::READ_REQUEST, wqe.packets - index)
            }
            SendOp::Send { imm } => {
                packet.imm = imm.unwrap_or(0);
                let kinds = [op::SEND_FIRST, op::SEND_MIDDLE, op::SEND_LAST, op::SEND_ONLY];
                (kind(kinds, index, wqe.packets, imm.is_some()), 1)
            }
            SendOp::Write { remote, rkey, imm } => {
                packet.imm = imm.unwrap_or(0);
                if index == 0 {
                    packet.ext = Ext::Reth { va: remote, rkey, len: wqe.wr.len };
                }
                let kinds = [op::WRITE_FIRST, op::WRITE_MIDDLE, op::WRITE_LAST, op::WRITE_ONLY];
                (kind(kinds, index, wqe.packets, imm.is_some()), 1)
            }
        };
        if operation != op::READ_REQUEST {
            let bytes = rest.min(mtu);
            packet.payload_bytes = bytes as u16;
            packet.payload = env.memory.read(wqe.wr.local + u64::from(offset), bytes);
        }
        req.next = psn.add(packets);
        if psn.since(req.high) < 0 {
            self.counters.retransmitted_packets += 1;
        }
        if req.next.since(req.high) > 0 {
            req.high = req.next;
        }
        let last = req.next.since(wqe.first) as u32 == wqe.packets;
        if last {
            req.cur += 1;
        }
        if self.config.service == crate::Service::Uc {
            packet.opcode = Opcode::uc(operation);
            if last {
                req.una = req.next;
                self.complete_front(Status::Success, env);
            }
            return Some(packet);
        }
        packet.opcode = Opcode::rc(operation);
        req.since_ack_req += 1;
        if last || req.since_ack_req >= self.config.ack_every {
            req.since_ack_req = 0;
            packet.ack_req = true;
            if req.timed.is_none() {
                req.timed = Some((psn, now));
            }
        }
        if req.timeout_at == Time::MAX {
            req.timeout_at = now.saturating_add(self.config.ack_timeout);
        }
        Some(packet)
    }

    fn complete_front(&mut self, status: Status, env: &mut Env<M>) {
        let req = &mut self.req;
        if let Some(wqe) = req.sq.pop_front() {
            if req.cur > 0 {
                req.cur -= 1;
                if matches!(wqe.wr.op, SendOp::Read { .. }) {
                    req.reads_out = req.reads_out.saturating_sub(1);
                }
            }
            if wqe.wr.signaled || status != Status::Success {
                let bytes = if matches!(wqe.wr.op, SendOp::Read { .. }) { wqe.wr.len } else { 0 };
                let qpn = self.config.qpn;
                env.completions.push_back(Completion {
                    qpn,
                    id: wqe.wr.id,
                    status,
                    recv: false,
                    bytes,
                    imm: None,
                });
            }
        }
    }

    /// Everything before `to` is acknowledged. A read in between whose responses did not come stops this: then false.
    fn acknowledge(&mut self, now: Time, to: Psn, ce: bool, rx: RxMeta<'_>, env: &mut Env<M>) -> bool {
        let before = self.req.una;
        let mut complete = true;
        while let Some(wqe) = self.req.sq.front().copied() {
            let end = wqe.first.add(wqe.packets);
            if to.since(wqe.first) <= 0 {
                break;
            }
            if matches!(wqe.wr.op, SendOp::Read { .. }) {
                if self.req.una.since(wqe.first) < 0 {
                    self.req.una = wqe.first;
                }
                complete = false;
                break;
            }
            if to.since(end) < 0 {
                if self.config.recovery != Recovery::GoBack0 {
                    self.req.una = to;
                }
                break;
            }
            self.req.una = end;
            self.complete_front(Status::Success, env);
        }
        let acked = self.req.una.since(before);
        if acked > 0 {
            self.progress(now, acked as u64, ce, rx);
        }
        complete
    }

    fn progress(&mut self, now: Time, packets: u64, ecn_echo: bool, rx: RxMeta<'_>) {
        let mtu = u64::from(self.config.mtu);
        let req = &mut self.req;
        if req.next.since(req.una) < 0 {
            // An answer to packets sent before going back: they need not be sent again.
            req.next = req.una;
            let una = req.una;
            req.cur =
                req.sq.iter().position(|w| una.since(w.first) < w.packets as i32).unwrap_or(req.sq.len());
            req.reads_out =
                req.sq.range(..req.cur).filter(|w| matches!(w.wr.op, SendOp::Read { .. })).count() as u32;
        }
        req.retries = 0;
        req.rnr_retries = 0;
        let in_flight = req.next.since(req.una).max(0) as u64;
        req.timeout_at = if in_flight == 0 { Time::MAX } else { now.saturating_add(self.config.ack_timeout) };
        let rtt = match req.timed {
            Some((psn, sent)) if req.una.since(psn) > 0 => {
                req.timed = None;
                Some(now.saturating_since(sent))
            }
            _ => None,
        };
        self.control.on_ack(
            now,
            &AckEvent {
                acked_bytes: packets * mtu,
                in_flight_bytes: in_flight * mtu,
                ecn_echo,
                rtt,
                telemetry: rx.telemetry,
            },
        );
    }

    pub(crate) fn handle_ack(
        &mut self,
        now: Time,
        packet: &Packet<M::Payload>,
        rx: RxMeta<'_>,
        env: &mut Env<M>,
    ) {
        let Ext::Aeth { syndrome, .. } = packet.ext else { return };
        let psn = packet.psn;
        if psn.since(self.req.high) >= 0 {
            return; // a ghost: never sent
        }
        if psn.since(self.req.una) < 0 {
            return; // old
        }
        if syndrome == Syndrome::Ack {
            if !self.acknowledge(now, psn.add(1), packet.becn, rx, env) {
                self.ask_again(env);
            }
            return;
        }
        if !self.acknowledge(now, psn, packet.becn, rx, env) {
            return self.ask_again(env);
        }
        match syndrome {
            Syndrome::Ack => {}
            Syndrome::Rnr(code) => {
                self.counters.rnr_nak += 1;
                if self.config.rnr_retry < 7 {
                    if self.req.rnr_retries >= self.config.rnr_retry {
                        return self.fail(Status::RnrRetryExceeded, env);
                    }
                    self.req.rnr_retries += 1;
                }
                self.req.rewind(psn, self.config.recovery);
                self.req.timeout_at = Time::MAX;
                self.req.rnr_until = now + rnr_timer(code);
            }
            Syndrome::Sequence => {
                self.counters.packet_seq_err += 1;
                self.control.on_loss(now, Loss::Nak);
                self.req.timeout_at = Time::MAX;
                self.retry(psn, env);
            }
            Syndrome::InvalidRequest => self.fail(Status::RemoteInvalidRequest, env),
            Syndrome::RemoteAccess => self.fail(Status::RemoteAccess, env),
            Syndrome::RemoteOperational => self.fail(Status::RemoteOperational, env),
        }
    }

    /// Read responses are missing (an implied NAK; IBTA volume 1, 9.7.5.1.1): ask for them again, once for a gap.
    fn ask_again(&mut self, env: &mut Env<M>) {
        let una = self.req.una;
        if self.req.asked_again != Some(una) && self.req.next.since(una) > 0 {
            self.req.asked_again = Some(una);
            self.req.timeout_at = Time::MAX;
            self.retry(una, env);
        }
    }

    pub(crate) fn handle_read_response(
        &mut self,
        now: Time,
        packet: &Packet<M::Payload>,
        rx: RxMeta<'_>,
        env: &mut Env<M>,
    ) {
        let psn = packet.psn;
        if psn.since(self.req.high) >= 0 || psn.since(self.req.una) < 0 {
            return;
        }
        // A response acknowledges every request before its own.
        self.acknowledge(now, psn, false, rx, env);
        let Some(wqe) = self.req.sq.front().copied() else { return };
        if !matches!(wqe.wr.op, SendOp::Read { .. }) {
            return;
        }
        if self.req.una != psn {
            // A response in between is missing.
            return self.ask_again(env);
        }
        let offset = psn.since(wqe.first) as u32 * self.config.mtu;
        env.memory.write(wqe.wr.local + u64::from(offset), &packet.payload);
        self.counters.delivered_bytes += u64::from(packet.payload_bytes);
        self.req.una = psn.add(1);
        if self.req.una == wqe.first.add(wqe.packets) {
            self.complete_front(Status::Success, env);
        }
        self.progress(now, 1, false, rx);
    }
}

/// The operation of packet `index` of `packets`: first, middle, last or only, and the one with immediate data where the
/// message ends with it.
fn kind([first, middle, last, only]: [u8; 4], index: u32, packets: u32, imm: bool) -> u8 {
    match (index == 0, index + 1 == packets) {
        (true, true) => only + u8::from(imm),
        (true, false) => first,
        (false, true) => last + u8::from(imm),
        (false, false) => middle,
    }
}
