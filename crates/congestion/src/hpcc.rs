//! HPCC (Li et al., SIGCOMM 2019): each acknowledgement carries what every switch port of the path saw, and the sender
//! computes the rate at which the busiest one runs at a share eta of its speed.
//!
//! The paper's algorithm 1 in windows is the same as the ns-3 artefact's in rates, W = R T; this is in rates.

use crate::control::{AckEvent, Controller, IntHop, Loss};
use crate::rounds::{Round, Rounds};
use weir_units::{Rate, Span, Time};

/// Most hops whose telemetry is used; further ones are ignored. The artefact's header has room for 5.
pub const MAX_HOPS: usize = 8;

/// How exact telemetry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntFormat {
    /// As the switch counts.
    Exact,
    /// As in the artefact's 8-byte hop record: 24 bits of ns, 20 bits of bytes sent in units of 128 × `multi`, 17 bits of
    /// queue in units of 80 × `multi`.
    Compact {
        /// `INT_MULTI`: the artefact takes the NIC's rate by 25 Gb/s. Zero counts as 1.
        multi: u32,
    },
}

/// Parameters of HPCC.
#[derive(Clone, Debug, PartialEq)]
pub struct HpccParams {
    /// eta: target utilisation, above 0 to 1. `U_TARGET`.
    pub eta: f64,
    /// maxStage: additive rounds before a multiplicative one although there is room. `MI_THRESH`.
    pub max_stage: u32,
    /// W_AI by the round trip: the additive step. `RATE_AI`.
    pub rate_ai: Rate,
    /// Floor of the rate. `MIN_RATE`.
    pub min_rate: Rate,
    /// The window at line rate; `None`: line rate times the base round trip. It also scales queues in U.
    pub window_bytes: Option<u64>,
    /// The window follows the rate, as in the paper. `VAR_WIN`.
    pub variable_window: bool,
    /// React to each acknowledgement, from the rate of the round's beginning. `FAST_REACT`.
    pub fast_react: bool,
    /// A rate for each hop, the smallest rules. `MULTI_RATE`.
    pub rate_per_hop: bool,
    /// Within a round use only hops with a queue. `SAMPLE_FEEDBACK`.
    pub sample_feedback: bool,
    /// Telemetry.
    pub int: IntFormat,
}

impl HpccParams {
    /// The paper's values (sections 3.3 and 5.1): eta 95 %, W_AI = W (1 − eta) / N for N = 100 flows (80 bytes at
    /// 100 Gb/s and 13 us). maxStage is 0 as in the artefact's runs; the paper's text says 5.
    pub fn paper(line: Rate) -> Self {
        Self {
            eta: 0.95,
            max_stage: 0,
            rate_ai: Rate::from_bps(line.as_bps() / 2000),
            min_rate: Rate::from_mbps(100),
            window_bytes: None,
            variable_window: true,
            fast_react: true,
            rate_per_hop: false,
            sample_feedback: false,
            int: IntFormat::Exact,
        }
    }

    /// The artefact's (`run.py hp`): additive step 10 Mb/s for each 25 Gb/s of the NIC, floor 1 Gb/s, compact telemetry.
    pub fn hpcc_sim(line: Rate) -> Self {
        Self {
            rate_ai: Rate::from_bps(line.as_bps() / 2500),
            min_rate: Rate::from_mbps(1000),
            int: IntFormat::Compact { multi: (line.as_bps() / 25_000_000_000) as u32 },
            ..Self::paper(line)
        }
    }
}

/// A switch port as the last acknowledgement showed it, and what the sender makes of it.
#[derive(Clone, Copy, Debug, Default)]
struct Hop {
    seen: IntHop,
    /// Rate, utilisation and stage where each hop has its own.
    rate: u64,
    u: f64,
    stage: u32,
}

/// HPCC of one queue pair. About 600 bytes: each hop has a record.
#[derive(Clone, Debug)]
pub struct Hpcc {
    params: HpccParams,
    line: u64,
    window: u64,
    /// T, ns.
    base_rtt_ns: f64,
    /// What is paced now.
    rate: u64,
    /// R^c (W^c by T): the rate at the beginning of the round.
    reference: u64,
    u: f64,
    stage: u32,
    rounds: Rounds,
    hops: [Hop; MAX_HOPS],
    known_hops: usize,
}

/// The difference of two readings of a port: ns, bytes sent, and the smaller queue.
struct Delta {
    ns: f64,
    bytes: u64,
    queue: u64,
}

impl IntFormat {
    /// `None` where the readings are not of the same port, or at the same time.
    fn delta(self, new: &IntHop, old: &IntHop) -> Option<Delta> {
        match self {
            IntFormat::Exact => {
                let ns = (new.at.as_ps().checked_sub(old.at.as_ps())?) as f64 / 1e3;
                let bytes = new.tx_bytes.checked_sub(old.tx_bytes)?;
                (ns > 0.0).then_some(Delta { ns, bytes, queue: new.queue_bytes.min(old.queue_bytes) })
            }
            IntFormat::Compact { multi } => {
                let multi = u64::from(multi.max(1));
                let wrapped = |new: u64, old: u64, bits: u32| new.wrapping_sub(old) & ((1 << bits) - 1);
                let ns = wrapped(new.at.as_ns(), old.at.as_ns(), 24);
                let unit = 128 * multi;
                let bytes = wrapped(new.tx_bytes / unit, old.tx_bytes / unit, 20) * unit;
                let queue = |hop: &IntHop| self.queue(hop);
                (ns > 0).then_some(Delta { ns: ns as f64, bytes, queue: queue(new).min(queue(old)) })
            }
        }
    }

    fn queue(self, hop: &IntHop) -> u64 {
        match self {
            IntFormat::Exact => hop.queue_bytes,
            IntFormat::Compact { multi } => {
                let unit = 80 * u64::from(multi.max(1));
                ((hop.queue_bytes / unit) & ((1 << 17) - 1)) * unit
            }
        }
    }
}

impl Hpcc {
    /// At line rate with a full window.
    pub fn new(params: HpccParams, line: Rate, base_rtt: Span) -> Self {
        let line_bps = line.as_bps().max(1);
        Self {
            window: params.window_bytes.unwrap_or_else(|| line.bytes_in(base_rtt)).max(1),
            params,
            line: line_bps,
            base_rtt_ns: (base_rtt.as_ps().max(1)) as f64 / 1e3,
            rate: line_bps,
            reference: line_bps,
            u: 1.0,
            stage: 0,
            rounds: Rounds::default(),
            hops: [Hop { rate: line_bps, u: 1.0, ..Hop::default() }; MAX_HOPS],
            known_hops: 0,
        }
    }

    /// U: the estimate of the busiest hop's normalised bytes in flight.
    pub fn utilisation(&self) -> f64 {
        if self.params.rate_per_hop {
            self.hops[..self.known_hops].iter().map(|hop| hop.u).fold(0.0, f64::max)
        } else {
            self.u
        }
    }

    /// The rate that follows from a utilisation, and the stage after it (algorithm 1, ComputeWind).
    fn step(&self, reference: u64, u: f64, stage: u32) -> (u64, u32) {
        let over = u / self.params.eta;
        let (base, stage) = if over >= 1.0 || stage >= self.params.max_stage {
            ((reference as f64 / over) as u64, 0)
        } else {
            (reference, stage.saturating_add(1))
        };
        let rate = base.saturating_add(self.params.rate_ai.as_bps());
        (rate.max(self.params.min_rate.as_bps()).min(self.line), stage)
    }

    /// U after a sample of `u` over `ns` (algorithm 1, line 10).
    fn averaged(&self, old: f64, u: f64, ns: f64) -> f64 {
        let ns = ns.min(self.base_rtt_ns);
        (old * (self.base_rtt_ns - ns) + u * ns) / self.base_rtt_ns
    }

    fn update(&mut self, path: &[IntHop], full: bool) {
        let (mut busiest, mut over_ns, mut any) = (0.0, 0.0, false);
        let mut slowest = self.line;
        for (i, new) in path.iter().enumerate() {
            let hop = self.hops[i];
            let unused = self.params.sample_feedback && !full && self.params.int.queue(new) == 0;
            let delta = if unused { None } else { self.params.int.delta(new, &hop.seen) };
            let Some(delta) = delta else {
                slowest = slowest.min(hop.rate);
                continue;
            };
            any = true;
            let port = new.rate.as_bps().max(1) as f64;
            let sent = delta.bytes.saturating_mul(8) as f64 / (delta.ns * 1e-9);
            // qlen / (B T), with T of the window, which belongs to the line's rate.
            let queued = delta.queue as f64 * self.line as f64 / port / self.window as f64;
            let u = sent / port + queued;
            let mut next = Hop { seen: *new, ..hop };
            if self.params.rate_per_hop {
                next.u = self.averaged(hop.u, u, delta.ns);
                let (rate, stage) = self.step(hop.rate, next.u, hop.stage);
                slowest = slowest.min(rate);
                if full {
                    (next.rate, next.stage) = (rate, stage);
                }
            } else if u > busiest {
                (busiest, over_ns) = (u, delta.ns);
            }
            self.hops[i] = next;
        }
        if !any {
            return;
        }
        if self.params.rate_per_hop {
            self.rate = slowest;
            return;
        }
        self.u = self.averaged(self.u, busiest, over_ns);
        let (rate, stage) = self.step(self.reference, self.u, self.stage);
        self.rate = rate;
        if full {
            (self.reference, self.stage) = (rate, stage);
        }
    }

    /// The path's ports are new ones: remember them.
    fn learn(&mut self, path: &[IntHop]) {
        for (hop, new) in self.hops.iter_mut().zip(path) {
            hop.seen = *new;
        }
        self.known_hops = path.len();
    }

    /// A port counts up: one whose count or clock went back is another port.
    fn is_same_path(&self, path: &[IntHop]) -> bool {
        path.len() == self.known_hops
            && (self.params.int != IntFormat::Exact
                || self
                    .hops
                    .iter()
                    .zip(path)
                    .all(|(hop, new)| hop.seen.at <= new.at && hop.seen.tx_bytes <= new.tx_bytes))
    }
}

impl Controller for Hpcc {
    fn on_cnp(&mut self, _now: Time) {}

    fn on_ack(&mut self, _now: Time, ack: &AckEvent<'_>) {
        let path = &ack.telemetry[..ack.telemetry.len().min(MAX_HOPS)];
        let round = self.rounds.on_ack(ack);
        if path.is_empty() {
            return;
        }
        if round == Round::First || !self.is_same_path(path) {
            self.learn(path);
        } else if round == Round::New || self.params.fast_react {
            self.update(path, round == Round::New);
        }
    }

    fn on_loss(&mut self, _now: Time, _loss: Loss) {}

    #[inline]
    fn on_sent(&mut self, _now: Time, _wire_bytes: u32) {}

    #[inline]
    fn advance(&mut self, _now: Time) {}

    #[inline]
    fn rate(&self) -> Rate {
        Rate::from_bps(self.rate)
    }

    #[inline]
    fn window_bytes(&self) -> u64 {
        if self.params.variable_window {
            ((u128::from(self.window) * u128::from(self.rate) / u128::from(self.line)) as u64).max(1)
        } else {
            self.window
        }
    }

    #[inline]
    fn next_deadline(&self) -> Option<Time> {
        None
    }
}
