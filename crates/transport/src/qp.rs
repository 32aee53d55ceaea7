//! The queue pair: state, pacing, and what its two halves share.

use crate::config::{QpConfig, Service};
use crate::env::Env;
use crate::memory::Memory;
use crate::packet::{Packet, RxMeta};
use crate::requester::Requester;
use crate::responder::Responder;
use crate::work::{Completion, PostError, RecvWr, SendWr, Status};
use weir_congestion::{Control, Controller, Loss};
use weir_units::{Rate, Time};
use weir_wire::opcode::op;

/// State of a queue pair, as far as a simulator needs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QpState {
    /// Ready to send and receive.
    #[default]
    Rts,
    /// In error: everything outstanding has been flushed.
    Error,
}

/// What a queue pair wants of the wire for its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Nothing until something arrives.
    Nothing,
    /// To send now.
    Now,
    /// To send at this time.
    At(Time),
}

/// Counts under the names that rdma_rxe and mlx5 use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Data packets sent, repeated ones included.
    pub sent_packets: u64,
    /// Data packets sent again.
    pub retransmitted_packets: u64,
    /// Payload bytes that arrived in order.
    pub delivered_bytes: u64,
    /// Request packets that arrived ahead of the expected one.
    pub out_of_sequence: u64,
    /// Request packets that had arrived before.
    pub duplicate_request: u64,
    /// Sequence NAKs received.
    pub packet_seq_err: u64,
    /// RNR NAKs received.
    pub rnr_nak: u64,
    /// Retransmission timeouts.
    pub local_ack_timeout_err: u64,
    /// CNPs handled.
    pub cnp_handled: u64,
}

/// A queue pair.
#[derive(Debug)]
pub struct Qp<M: Memory> {
    pub(crate) config: QpConfig,
    pub(crate) state: QpState,
    pub(crate) control: Control,
    pub(crate) next_at: Time,
    pub(crate) req: Requester,
    pub(crate) resp: Responder,
    pub(crate) counters: Counters,
    memory: std::marker::PhantomData<fn(M)>,
}

impl<M: Memory> Qp<M> {
    /// A queue pair in RTS.
    pub fn new(config: QpConfig, now: Time) -> Self {
        Self {
            control: config.control.build(config.line, now, config.base_rtt),
            req: Requester::new(config.sq_psn),
            resp: Responder::new(config.rq_psn),
            state: QpState::Rts,
            next_at: now,
            counters: Counters::default(),
            memory: std::marker::PhantomData,
            config,
        }
    }

    /// Its attributes.
    pub fn config(&self) -> &QpConfig {
        &self.config
    }
    /// Its state.
    pub fn state(&self) -> QpState {
        self.state
    }
    /// Its counters.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }
    /// Its congestion controller.
    pub fn control(&self) -> &Control {
        &self.control
    }
    /// The pacing rate at `now`.
    pub fn rate(&mut self, now: Time) -> Rate {
        self.control.advance(now);
        self.control.rate()
    }

    /// Take a send request.
    pub fn post_send(&mut self, wr: SendWr) -> Result<(), PostError> {
        if self.state != QpState::Rts {
            return Err(PostError::State(self.state));
        }
        if wr.len > 1 << 31 {
            return Err(PostError::TooLong(wr.len));
        }
        self.req.post(wr, self.config.mtu);
        Ok(())
    }

    /// Take a receive request.
    pub fn post_recv(&mut self, wr: RecvWr) {
        self.resp.rq.push_back(wr);
    }

    /// A packet arrived for this queue pair.
    #[inline]
    pub fn handle_packet(
        &mut self,
        now: Time,
        packet: &Packet<M::Payload>,
        rx: RxMeta<'_>,
        env: &mut Env<M>,
    ) {
        if self.state != QpState::Rts {
            return;
        }
        match packet.opcode.operation() {
            op::ACKNOWLEDGE => self.handle_ack(now, packet, rx, env),
            op::READ_RESPONSE_FIRST..=op::READ_RESPONSE_ONLY => {
                self.handle_read_response(now, packet, rx, env)
            }
            _ => self.handle_request(now, packet, rx, env),
        }
    }

    /// A CNP arrived for this queue pair.
    pub fn handle_cnp(&mut self, now: Time) {
        self.counters.cnp_handled += 1;
        self.control.on_cnp(now);
    }

    /// Whether [`Self::poll_ack`] has something.
    #[inline]
    pub fn has_ack(&self) -> bool {
        self.resp.has_ack()
    }

    /// What is wanted for data.
    #[inline]
    pub fn want(&self, now: Time) -> Want {
        if self.state != QpState::Rts {
            return Want::Nothing;
        }
        let mut at = self.next_at;
        if !self.resp.has_read() {
            if !self.req.has_data(&self.config, self.control.window_bytes()) {
                return Want::Nothing;
            }
            at = at.max(self.req.rnr_until);
        }
        if at <= now { Want::Now } else { Want::At(at) }
    }

    /// The next acknowledgement.
    #[inline]
    pub fn poll_ack(&mut self) -> Option<Packet<M::Payload>> {
        self.next_ack()
    }

    /// The next data packet: a read response or a request. `None` when [`Self::want`] is not [`Want::Now`].
    #[inline]
    pub fn poll_data(&mut self, now: Time, env: &mut Env<M>) -> Option<Packet<M::Payload>> {
        if self.want(now) != Want::Now {
            return None;
        }
        let packet =
            if self.resp.has_read() { self.next_read_response(env) } else { self.next_request(now, env) }?;
        let wire_bytes = packet.transport_bytes() + self.config.wire_overhead_bytes;
        self.counters.sent_packets += 1;
        self.control.advance(now);
        self.control.on_sent(now, wire_bytes);
        self.next_at = now.saturating_add(self.control.rate().span_of(u64::from(wire_bytes)));
        Some(packet)
    }

    /// When [`Self::handle_deadline`] is due.
    #[inline]
    pub fn next_deadline(&self) -> Option<Time> {
        (self.req.timeout_at != Time::MAX).then_some(self.req.timeout_at)
    }

    /// Fire the retransmission timer if it is due.
    pub fn handle_deadline(&mut self, now: Time, env: &mut Env<M>) {
        if self.state != QpState::Rts || self.req.timeout_at > now {
            return;
        }
        self.counters.local_ack_timeout_err += 1;
        self.control.on_loss(now, Loss::Timeout);
        self.req.timeout_at = Time::MAX;
        self.retry(self.req.una, env);
    }

    /// Go back to `psn`, or give up.
    pub(crate) fn retry(&mut self, psn: weir_wire::Psn, env: &mut Env<M>) {
        if self.req.retries >= self.config.retry_count {
            return self.fail(Status::RetryExceeded, env);
        }
        self.req.retries += 1;
        self.req.rewind(psn, self.config.recovery);
    }

    /// The oldest request ends with `status`, every other one is flushed, the queue pair is in error.
    pub(crate) fn fail(&mut self, status: Status, env: &mut Env<M>) {
        self.state = QpState::Error;
        self.req.timeout_at = Time::MAX;
        let qpn = self.config.qpn;
        let mut status = status;
        for wqe in self.req.sq.drain(..) {
            env.completions.push_back(Completion {
                qpn,
                id: wqe.wr.id,
                status,
                recv: false,
                bytes: 0,
                imm: None,
            });
            status = Status::Flushed;
        }
        for wr in self.resp.rq.drain(..) {
            let status = Status::Flushed;
            env.completions.push_back(Completion { qpn, id: wr.id, status, recv: true, bytes: 0, imm: None });
        }
        self.resp.out.clear();
    }

    pub(crate) fn reliable(&self) -> bool {
        self.config.service == Service::Rc
    }
}
