//! The requester: from send requests to request packets, and what answers do to them (IBTA volume 1, 9.7.3 to 9.7.7).
//!
//! Inside, sequence numbers have 64 bits and never wrap; the wire's 24 are their low bits. A queue may hold far more packets
//! than 24 bits can tell apart; only what is in flight must stay below 2^23.

mod answer;
mod build;
mod local;
pub(crate) use local::resolve;
mod retry;
mod rtt;
mod scoreboard;
mod selective;
mod send;

use crate::completion::{Completion, Status, WcOp};
use crate::config::{QpConfig, Recovery};
use crate::env::Env;
use crate::memory::Memory;
use crate::qp::Qp;
use crate::work::{SendOp, SendWr};
use rtt::RttRing;
use scoreboard::Scoreboard;
use std::collections::VecDeque;
use weir_units::{Span, Time};
use weir_wire::Psn;

/// Most packets in flight, so that PSNs stay comparable (IBTA volume 1, 9.7.4: less than half of the number space).
const MOST_IN_FLIGHT: u64 = 1 << 22;

/// No sequence number.
const NONE: u64 = u64::MAX;

/// Where a send request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing done yet.
    Posted,
    /// Its keys have been checked.
    Ready,
    /// A local operation that has been carried out.
    Done,
    /// It cannot be carried out: it ends so when it is the oldest.
    Failed(Status),
}

/// A send request in the queue.
#[derive(Debug)]
pub(crate) struct Wqe<P> {
    pub wr: SendWr,
    /// Sequence number of its first packet.
    first: u64,
    /// Sequence numbers that it takes: of a read, those of the responses; of a local operation, none.
    packets: u32,
    /// Bytes of the message.
    len: u32,
    /// Payload bytes of all requests before it.
    start: u64,
    inline: Option<P>,
    stage: Stage,
    /// Nothing but window and pacing can hold it back.
    plain: bool,
}

impl<P> Wqe<P> {
    /// One past its last sequence number.
    #[inline]
    fn end(&self) -> u64 {
        self.first + u64::from(self.packets)
    }

    /// Payload bytes before packet `seq`, from the beginning of the queue.
    fn position(&self, seq: u64, mtu: u32) -> u64 {
        let bytes = seq.saturating_sub(self.first) * u64::from(mtu);
        self.start + if self.wr.op.needs_response() { 0 } else { bytes.min(u64::from(self.len)) }
    }
}

#[derive(Debug)]
pub(crate) struct Requester<P> {
    pub sq: VecDeque<Wqe<P>>,
    /// Index in `sq` of the request that the next packet is of.
    cur: usize,
    /// The next packet.
    next: u64,
    /// The oldest that is not acknowledged.
    una: u64,
    /// One past the highest ever sent.
    high: u64,
    /// The first of the next request to be posted.
    tail: u64,
    /// Payload bytes before `next`, `una` and `tail`.
    next_pos: u64,
    una_pos: u64,
    tail_pos: u64,
    pub timeout_at: Time,
    pub rnr_until: Time,
    /// From this time on every packet asks for an acknowledgement: a slow sender must hear before its timer fires.
    ask_by: Time,
    most_in_flight: u64,
    /// One past the highest packet that asked for an acknowledgement; 0 for none since going back.
    asked: u64,
    since_ack_req: u32,
    /// Reads and atomics that were sent and are not complete.
    rd_out: u32,
    retries: u8,
    rnr_retries: u8,
    pub drain_reported: bool,
    /// What is missing from here on has been asked for again; not once more until something comes or the timer fires.
    asked_again: u64,
    /// Selective repeat: the packet to repeat next, or [`NONE`].
    resend: u64,
    rtt: RttRing,
    board: Option<Box<Scoreboard>>,
}

impl<P> Requester<P> {
    pub fn new(config: &QpConfig) -> Self {
        // Far enough from 0 that no difference underflows.
        let first = 1 << 24 | u64::from(config.sq_psn.get());
        let selective = config.recovery == Recovery::SelectiveRepeat && config.service.is_reliable();
        let cap = u64::from(config.selective.cap_packets).clamp(1, MOST_IN_FLIGHT);
        Self {
            sq: VecDeque::new(),
            cur: 0,
            next: first,
            una: first,
            high: first,
            tail: first,
            next_pos: 0,
            una_pos: 0,
            tail_pos: 0,
            timeout_at: Time::MAX,
            rnr_until: Time::ZERO,
            ask_by: Time::MAX,
            most_in_flight: if selective { cap } else { MOST_IN_FLIGHT },
            asked: 0,
            since_ack_req: 0,
            rd_out: 0,
            retries: 0,
            rnr_retries: 0,
            drain_reported: false,
            asked_again: NONE,
            resend: NONE,
            rtt: RttRing::default(),
            board: selective.then(|| Box::new(Scoreboard::new(cap, first))),
        }
    }

    pub fn post(&mut self, wr: SendWr, len: u32, inline: Option<P>, mtu: u32) {
        let local = wr.op.is_local();
        let response = wr.op.needs_response();
        let packets = if local { 0 } else { len.div_ceil(mtu).max(1) };
        self.sq.push_back(Wqe {
            first: self.tail,
            packets,
            len,
            start: self.tail_pos,
            inline,
            stage: Stage::Posted,
            plain: !local && !response && !wr.fence,
            wr,
        });
        self.tail += u64::from(packets);
        if !local && !response {
            self.tail_pos += u64::from(len);
        }
    }

    /// Whether there is something to send but for pacing and RNR timers.
    #[inline]
    pub fn has_data(&self, config: &QpConfig, window_bytes: u64, draining: bool) -> bool {
        if self.resend != NONE {
            return true;
        }
        let Some(wqe) = self.sq.get(self.cur) else { return false };
        if self.next - self.una >= self.most_in_flight {
            return false;
        }
        // A closed window opens only with an acknowledgement: if none was asked for, one more packet goes and asks.
        if self.next_pos - self.una_pos >= window_bytes && self.asked > self.una {
            return false;
        }
        match wqe.plain {
            true => !draining || wqe.first < self.high,
            false => self.may_begin(wqe, config, draining),
        }
    }

    fn may_begin(&self, wqe: &Wqe<P>, config: &QpConfig, draining: bool) -> bool {
        match wqe.stage {
            Stage::Failed(_) => return false,
            Stage::Done => return true,
            _ => {}
        }
        if draining && wqe.first >= self.high || wqe.wr.fence && self.rd_out > 0 {
            return false;
        }
        if !wqe.wr.op.needs_response() {
            return true;
        }
        let in_flight = self.next - self.una;
        let fits = in_flight == 0 || in_flight + u64::from(wqe.packets) <= MOST_IN_FLIGHT;
        fits && self.rd_out < u32::from(config.max_rd_atomic)
    }

    /// Whether a message has begun and is not complete.
    pub fn has_begun(&self) -> bool {
        self.sq.front().is_some_and(|wqe| wqe.first < self.high || wqe.stage == Stage::Done)
    }

    /// Nothing is in flight, and nothing is waited for.
    pub fn forget_sent(&mut self) {
        self.cur = 0;
        self.resend = NONE;
        self.una = self.tail;
        self.next = self.tail;
        self.high = self.tail;
        (self.una_pos, self.next_pos) = (self.tail_pos, self.tail_pos);
        self.rd_out = 0;
    }

    /// The sequence number of a PSN near the oldest unacknowledged one.
    #[inline]
    fn seq(&self, psn: Psn) -> u64 {
        self.una.wrapping_add_signed(i64::from(psn.since(psn_of(self.una))))
    }

    /// Index of the request that packet `seq` is of; local operations that have been carried out are skipped.
    fn index_of(&self, seq: u64) -> usize {
        self.sq.partition_point(|wqe| {
            seq > wqe.end() || seq == wqe.end() && (wqe.packets > 0 || wqe.stage == Stage::Done)
        })
    }

    /// The next packet is `seq`.
    fn go_to(&mut self, seq: u64, mtu: u32) {
        self.cur = self.index_of(seq);
        self.rd_out = self.sq.range(..self.cur).filter(|wqe| wqe.wr.op.needs_response()).count() as u32;
        self.next = seq;
        self.next_pos = self.sq.get(self.cur).map_or(self.tail_pos, |wqe| wqe.position(seq, mtu));
    }

    fn update_una_pos(&mut self, mtu: u32) {
        self.una_pos = self.sq.front().map_or(self.tail_pos, |wqe| wqe.position(self.una, mtu));
    }

    #[inline]
    fn start_timer(&mut self, now: Time, config: &QpConfig) {
        let mut timeout = config.ack_timeout;
        if self.board.is_some() && self.next - self.una < u64::from(config.selective.rto_low_packets) {
            timeout = timeout.min(config.selective.rto_low);
        }
        self.timeout_at = now.saturating_add(timeout);
        self.ask_by = now.saturating_add(Span::from_ps(timeout.as_ps() / 4));
    }
}

/// The PSN of a sequence number.
#[inline]
fn psn_of(seq: u64) -> Psn {
    Psn::new(seq as u32)
}

impl<M: Memory> Qp<M> {
    /// Completes what is complete at the front of the queue.
    #[inline]
    fn retire(&mut self, env: &mut Env<M>) {
        while let Some(front) = self.req.sq.front() {
            match front.stage {
                Stage::Failed(status) if self.req.cur == 0 => return self.fail_locally(status, env),
                Stage::Done => {}
                _ if front.packets > 0 && front.end() <= self.req.una => {}
                _ => break,
            }
            let Some(wqe) = self.req.sq.pop_front() else { break };
            let response = wqe.wr.op.needs_response();
            if self.req.cur > 0 {
                self.req.cur -= 1;
                self.req.rd_out -= u32::from(response && self.req.rd_out > 0);
            }
            if wqe.wr.signaled {
                let op = wc_op(&wqe.wr.op);
                let mut completion = Completion::new(self.config.qpn, wqe.wr.id, Status::Success, op);
                completion.bytes = if response { wqe.len } else { 0 };
                self.report(completion, env);
            }
        }
        self.req.update_una_pos(self.config.mtu);
        self.check_drained(env);
    }
}

pub(crate) fn wc_op(op: &SendOp) -> WcOp {
    match op {
        SendOp::Send { .. } | SendOp::SendInvalidate { .. } | SendOp::Datagram { .. } => WcOp::Send,
        SendOp::Write { .. } => WcOp::Write,
        SendOp::Read { .. } => WcOp::Read,
        SendOp::CompareSwap { .. } => WcOp::CompareSwap,
        SendOp::FetchAdd { .. } => WcOp::FetchAdd,
        SendOp::Bind(_) => WcOp::Bind,
        SendOp::LocalInvalidate { .. } => WcOp::LocalInvalidate,
    }
}
