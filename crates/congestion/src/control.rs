//! The sender's side of congestion control: one trait, a closed set of algorithms.

use crate::dcqcn::{Dcqcn, DcqcnParams};
use crate::dctcp::{Dctcp, DctcpParams};
use crate::hpcc::{Hpcc, HpccParams};
use crate::none::NoControl;
use crate::swift::{Swift, SwiftParams};
use crate::timely::{Timely, TimelyParams};
use weir_units::{Rate, Span, Time};

/// What a switch on the path reported (in-band telemetry).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntHop {
    /// When the packet left the switch.
    pub at: Time,
    /// Bytes that the port had sent by then.
    pub tx_bytes: u64,
    /// Bytes queued behind the packet.
    pub queue_bytes: u64,
    /// The port's rate.
    pub rate: Rate,
}

/// An acknowledgement, as a controller sees it.
#[derive(Clone, Copy, Debug, Default)]
pub struct AckEvent<'a> {
    /// Payload bytes that it newly acknowledges.
    pub acked_bytes: u64,
    /// Payload bytes still in flight after it.
    pub in_flight_bytes: u64,
    /// It says that a packet arrived with congestion experienced (BECN on an acknowledgement).
    pub ecn_echo: bool,
    /// The round trip that it measured.
    pub rtt: Option<Span>,
    /// Telemetry of the path, first hop first; empty where there is none.
    pub telemetry: &'a [IntHop],
}

/// How a loss was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// A sequence NAK.
    Nak,
    /// The retransmission timer.
    Timeout,
}

/// A congestion controller of one queue pair, at the sender.
///
/// Inputs come in order of time. [`Controller::advance`] fires internal timers that are due; the getters hold for the
/// time of the last call.
pub trait Controller {
    /// A CNP arrived.
    fn on_cnp(&mut self, now: Time);
    /// An acknowledgement arrived.
    fn on_ack(&mut self, now: Time, ack: &AckEvent<'_>);
    /// A loss was noticed.
    fn on_loss(&mut self, now: Time, loss: Loss);
    /// A data packet of `wire_bytes` began to leave.
    fn on_sent(&mut self, now: Time, wire_bytes: u32);
    /// Fire every internal timer that is due at or before `now`, in order.
    fn advance(&mut self, now: Time);
    /// The pacing rate.
    fn rate(&self) -> Rate;
    /// The most bytes in flight; `u64::MAX` for no limit.
    fn window_bytes(&self) -> u64;
    /// When the next internal timer is due, for users that prefer events.
    fn next_deadline(&self) -> Option<Time>;
}

/// A controller of any kind, dispatched by `match`.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "one per queue pair, and the common case is the large one")]
pub enum Control {
    /// None.
    None(NoControl),
    /// DCQCN.
    Dcqcn(Dcqcn),
    /// DCTCP-style window.
    Dctcp(Dctcp),
    /// TIMELY.
    Timely(Timely),
    /// HPCC.
    Hpcc(Box<Hpcc>),
    /// Swift.
    Swift(Swift),
}

/// Which controller, with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum ControlParams {
    /// None: line rate, PFC alone.
    None,
    /// DCQCN.
    Dcqcn(DcqcnParams),
    /// DCTCP-style window.
    Dctcp(DctcpParams),
    /// TIMELY.
    Timely(TimelyParams),
    /// HPCC.
    Hpcc(HpccParams),
    /// Swift.
    Swift(SwiftParams),
}

impl ControlParams {
    /// The algorithm's name.
    pub fn name(&self) -> &'static str {
        match self {
            ControlParams::None => "none",
            ControlParams::Dcqcn(_) => "DCQCN",
            ControlParams::Dctcp(_) => "DCTCP",
            ControlParams::Timely(_) => "TIMELY",
            ControlParams::Hpcc(_) => "HPCC",
            ControlParams::Swift(_) => "Swift",
        }
    }

    /// A controller for a queue pair on a line of rate `line`, whose path has the round trip `base_rtt` when idle.
    ///
    /// For many queue pairs of the same line and path, build one and clone it: clones share their parameters.
    pub fn build(&self, line: Rate, now: Time, base_rtt: Span) -> Control {
        match self {
            ControlParams::None => Control::None(NoControl::new(line)),
            ControlParams::Dcqcn(params) => Control::Dcqcn(Dcqcn::new(params.clone(), line, now)),
            ControlParams::Dctcp(params) => Control::Dctcp(Dctcp::new(params.clone(), line, base_rtt)),
            ControlParams::Timely(params) => Control::Timely(Timely::new(params.clone(), line, base_rtt)),
            ControlParams::Hpcc(params) => Control::Hpcc(Box::new(Hpcc::new(params.clone(), line, base_rtt))),
            ControlParams::Swift(params) => Control::Swift(Swift::new(params.clone(), line, base_rtt)),
        }
    }
}

macro_rules! each {
    ($self:ident, $c:ident => $e:expr) => {
        match $self {
            Control::None($c) => $e,
            Control::Dcqcn($c) => $e,
            Control::Dctcp($c) => $e,
            Control::Timely($c) => $e,
            Control::Hpcc($c) => $e,
            Control::Swift($c) => $e,
        }
    };
}

impl Controller for Control {
    #[inline]
    fn on_cnp(&mut self, now: Time) {
        each!(self, c => c.on_cnp(now))
    }
    #[inline]
    fn on_ack(&mut self, now: Time, ack: &AckEvent<'_>) {
        each!(self, c => c.on_ack(now, ack))
    }
    #[inline]
    fn on_loss(&mut self, now: Time, loss: Loss) {
        each!(self, c => c.on_loss(now, loss))
    }
    #[inline]
    fn on_sent(&mut self, now: Time, wire_bytes: u32) {
        each!(self, c => c.on_sent(now, wire_bytes))
    }
    #[inline]
    fn advance(&mut self, now: Time) {
        each!(self, c => c.advance(now))
    }
    #[inline]
    fn rate(&self) -> Rate {
        each!(self, c => c.rate())
    }
    #[inline]
    fn window_bytes(&self) -> u64 {
        each!(self, c => c.window_bytes())
    }
    #[inline]
    fn next_deadline(&self) -> Option<Time> {
        each!(self, c => c.next_deadline())
    }
}
