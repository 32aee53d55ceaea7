//! The queue pair: state, pacing, and what its two halves share.

mod error;
mod pace;
mod post;
mod state;

pub use state::{Modify, ModifyError, QpState};

use crate::config::QpConfig;
use crate::counters::Counters;
use crate::env::{Env, Event};
use crate::memory::Memory;
use crate::packet::{Packet, RxMeta};
use crate::requester::Requester;
use crate::responder::Responder;
use pace::Pace;
use weir_congestion::{Control, Controller};
use weir_units::{Rate, Time};
use weir_wire::{Opcode, opcode::op};

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

/// A queue pair. `M` is the memory that its work requests name.
///
/// The order of calls: after anything that changes it (a post, a packet, a CNP, a deadline), ask [`Qp::has_ack`],
/// [`Qp::want`] and [`Qp::next_deadline`] anew. `now` never goes back.
#[derive(Debug)]
pub struct Qp<M: Memory> {
    pub(crate) state: QpState,
    /// A read response was sent last: a request has its turn.
    answered: bool,
    pace: Pace,
    pub(crate) req: Requester<M::Payload>,
    pub(crate) resp: Responder<M::Payload>,
    pub(crate) counters: Counters,
    pub(crate) config: QpConfig,
    pub(crate) control: Control,
}

impl<M: Memory> Qp<M> {
    /// A queue pair in [`QpState::Reset`].
    pub fn new_reset(config: QpConfig, now: Time) -> Self {
        Self {
            state: QpState::Reset,
            answered: false,
            pace: Pace::new(now),
            req: Requester::new(&config),
            resp: Responder::new(&config),
            counters: Counters::default(),
            control: config.control.build(config.line, now, config.base_rtt),
            config,
        }
    }

    /// A queue pair in [`QpState::Rts`], for users who connect both ends themselves.
    pub fn new(config: QpConfig, now: Time) -> Self {
        Self { state: QpState::Rts, ..Self::new_reset(config, now) }
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
    /// Most payload bytes in flight: the controller's window, or the cap of the configuration.
    #[inline]
    pub fn window_bytes(&self) -> u64 {
        self.control.window_bytes().min(self.config.window_bytes)
    }
    /// The pacing rate at `now`.
    pub fn rate(&mut self, now: Time) -> Rate {
        self.control.advance(now);
        self.control.rate()
    }
    /// Send requests that have not completed.
    pub fn send_queue_len(&self) -> usize {
        self.req.sq.len()
    }

    /// A packet arrived for this queue pair. What does not belong to its service, or to its state, is dropped.
    #[inline]
    pub fn handle_packet(
        &mut self,
        now: Time,
        packet: &Packet<M::Payload>,
        rx: RxMeta<'_>,
        env: &mut Env<M>,
    ) {
        if !self.state.receives() {
            return;
        }
        if self.state == QpState::Rtr && !self.resp.established {
            self.resp.established = true;
            env.events.push_back(Event::CommunicationEstablished(self.config.qpn));
        }
        if packet.opcode.0 >> 5 != self.config.service.code() {
            return self.handle_special(now, packet, rx, env);
        }
        let operation = packet.opcode.operation();
        if (op::READ_RESPONSE_FIRST..=op::ATOMIC_ACKNOWLEDGE).contains(&operation) {
            if !self.state.awaits_answers() || !self.config.service.is_reliable() {
                return;
            }
            match operation {
                op::ACKNOWLEDGE => self.handle_ack(now, packet, rx, env),
                op::ATOMIC_ACKNOWLEDGE => self.handle_atomic_ack(now, packet, rx, env),
                _ => self.handle_read_response(now, packet, rx, env),
            }
        } else {
            self.handle_request(packet, rx, env);
        }
    }

    #[cold]
    fn handle_special(&mut self, now: Time, packet: &Packet<M::Payload>, rx: RxMeta<'_>, env: &mut Env<M>) {
        if packet.opcode == Opcode::CNP {
            self.handle_cnp(now);
        } else if packet.opcode == Packet::<()>::SELECTIVE_ACK && self.state.awaits_answers() {
            self.handle_selective_ack(now, packet, rx, env);
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

    /// The next acknowledgement, NAK or answer to an atomic: small, and not paced.
    #[inline]
    pub fn poll_ack(&mut self) -> Option<Packet<M::Payload>> {
        self.next_ack()
    }

    /// What is wanted for data: requests and read responses.
    #[inline]
    pub fn want(&self, now: Time) -> Want {
        let mut at = self.pace.next_at();
        if !self.resp.has_read() {
            if !self.has_request() {
                return Want::Nothing;
            }
            at = at.max(self.req.rnr_until);
        }
        if at <= now { Want::Now } else { Want::At(at) }
    }

    #[inline]
    pub(crate) fn has_request(&self) -> bool {
        self.state.awaits_answers()
            && self.req.has_data(&self.config, self.window_bytes(), self.state == QpState::Sqd)
    }

    /// The next data packet: a read response or a request, in turn where there are both. `None` when [`Self::want`] is not
    /// [`Want::Now`], or when what it wanted was work without a packet (a window bind, say): then ask it again.
    #[inline]
    pub fn poll_data(&mut self, now: Time, env: &mut Env<M>) -> Option<Packet<M::Payload>> {
        if self.pace.next_at() > now {
            return None;
        }
        let read = self.resp.has_read();
        let packet = if read && !(self.answered && self.has_request() && self.req.rnr_until <= now) {
            self.answered = true;
            self.next_read_response(env)
        } else if self.has_request() && self.req.rnr_until <= now {
            self.answered = false;
            self.next_request(now, env)
        } else {
            None
        }?;
        let wire_bytes = packet.transport_bytes() + self.config.wire_overhead_bytes;
        self.counters.sent_packets += 1;
        self.control.advance(now);
        self.control.on_sent(now, wire_bytes);
        self.pace.sent(now, self.control.rate(), wire_bytes);
        Some(packet)
    }

    /// When [`Self::handle_deadline`] is due: the retransmission timer. It moves later with every progress, so a user may
    /// keep the timer that it has and look again when it fires.
    #[inline]
    pub fn next_deadline(&self) -> Option<Time> {
        (self.req.timeout_at != Time::MAX).then_some(self.req.timeout_at)
    }

    /// Fires the retransmission timer if it is due.
    pub fn handle_deadline(&mut self, now: Time, env: &mut Env<M>) {
        if self.req.timeout_at <= now && self.state.awaits_answers() {
            self.timed_out(now, env);
        }
    }
}
