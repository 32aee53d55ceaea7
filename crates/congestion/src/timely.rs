//! TIMELY (Mittal et al., SIGCOMM 2015): the rate follows the gradient of the round-trip time; and the patch that gives it
//! a fixed point (Zhu et al., ECN or Delay, CoNEXT 2016).

use crate::control::{AckEvent, Controller, Loss};
use crate::rounds::{Round, Rounds};
use std::sync::Arc;
use weir_units::{Rate, Span, Time};

/// When the rate is updated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// Each time this many bytes are acknowledged: the paper's completion event of a segment.
    Segment(u64),
    /// Once a round trip (the ns-3 artefact of HPCC).
    Round,
}

/// What happens between the two thresholds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Algorithm 1 of the paper: any queue is an equilibrium, and any share of it.
    Gradient,
    /// The patch: gradient and distance from a reference, weighted, so that there is one equilibrium.
    Patched {
        /// RTT_ref, the round trip where no flow changes but for its additive step.
        rtt_ref: Span,
    },
}

/// Parameters of TIMELY.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelyParams {
    /// alpha: weight of a new difference, 0 to 1.
    pub alpha: f64,
    /// beta: multiplicative decrease, 0 to 1.
    pub beta: f64,
    /// T_low: below it the rate always grows.
    pub t_low: Span,
    /// T_high: above it the rate always shrinks.
    pub t_high: Span,
    /// minRTT: what gradients are measured by; `None`: the path's base round trip.
    pub min_rtt: Option<Span>,
    /// delta: additive step.
    pub delta: Rate,
    /// The step in hyperactive increase; in the paper 5 delta.
    pub delta_hai: Rate,
    /// Increases in a row before hyperactive increase.
    pub hai_after: u32,
    /// An increase below T_low counts towards hyperactive increase, and is one (the ns-3 artefact; not the paper).
    pub hai_below_t_low: bool,
    /// When the rate is updated.
    pub update: Update,
    /// What happens between the thresholds.
    pub rule: Rule,
    /// Floor of the rate.
    pub min_rate: Rate,
}

impl TimelyParams {
    /// The paper's values at 10 Gb/s: alpha 0.875, beta 0.8, 50 and 500 us, delta 10 Mb/s, segments of 64 KB.
    pub fn paper() -> Self {
        Self {
            alpha: 0.875,
            beta: 0.8,
            t_low: Span::from_us(50),
            t_high: Span::from_us(500),
            min_rtt: Some(Span::from_us(20)),
            delta: Rate::from_mbps(10),
            delta_hai: Rate::from_mbps(50),
            hai_after: 5,
            hai_below_t_low: false,
            update: Update::Segment(64_000),
            rule: Rule::Gradient,
            min_rate: Rate::from_mbps(10),
        }
    }

    /// The patch's values (ECN or Delay, section 4): beta 0.008, segments of 16 KB, reference at T_low.
    pub fn patched() -> Self {
        Self {
            beta: 0.008,
            update: Update::Segment(16_000),
            rule: Rule::Patched { rtt_ref: Span::from_us(50) },
            ..Self::paper()
        }
    }

    /// HPCC's artefact (`run.py timely`): steps of 10 and 50 Mb/s for each 10 Gb/s of the NIC, floor 1 Gb/s, once a round.
    pub fn hpcc_sim(line: Rate) -> Self {
        Self {
            delta: Rate::from_bps(line.as_bps() / 1000),
            delta_hai: Rate::from_bps(line.as_bps() / 200),
            hai_below_t_low: true,
            update: Update::Round,
            min_rate: Rate::from_mbps(1000),
            ..Self::paper()
        }
    }
}

/// TIMELY of one queue pair.
#[derive(Clone, Debug)]
pub struct Timely {
    params: Arc<TimelyParams>,
    line: u64,
    rate: u64,
    min_rtt_ns: f64,
    last_rtt_ns: Option<f64>,
    /// The averaged difference between round trips, ns.
    diff_ns: f64,
    increases: u32,
    segment_bytes: u64,
    rounds: Rounds,
}

fn ns(span: Span) -> f64 {
    span.as_ps() as f64 / 1e3
}

impl Timely {
    /// At line rate, nothing measured.
    pub fn new(params: TimelyParams, line: Rate, base_rtt: Span) -> Self {
        Self {
            min_rtt_ns: ns(params.min_rtt.unwrap_or(base_rtt)).max(1.0),
            params: Arc::new(params),
            line: line.as_bps(),
            rate: line.as_bps(),
            last_rtt_ns: None,
            diff_ns: 0.0,
            increases: 0,
            segment_bytes: 0,
            rounds: Rounds::default(),
        }
    }

    /// The normalised gradient: change of the round trip by minRTT, averaged.
    pub fn gradient(&self) -> f64 {
        self.diff_ns / self.min_rtt_ns
    }

    fn sample(&mut self, rtt_ns: f64) {
        let Some(last) = self.last_rtt_ns.replace(rtt_ns) else {
            return;
        };
        let p = &self.params;
        self.diff_ns = (1.0 - p.alpha) * self.diff_ns + p.alpha * (rtt_ns - last);
        let gradient = self.diff_ns / self.min_rtt_ns;
        let (low, high) = (ns(p.t_low), ns(p.t_high));
        if rtt_ns < low {
            self.increase(p.hai_below_t_low);
        } else if rtt_ns > high {
            self.decrease(1.0 - p.beta * (1.0 - high / rtt_ns));
        } else if let Rule::Patched { rtt_ref } = p.rule {
            let weight = (2.0 * gradient + 0.5).clamp(0.0, 1.0);
            let error = (rtt_ns - ns(rtt_ref)) / ns(rtt_ref).max(1.0);
            let kept = self.rate as f64 * (1.0 - p.beta * weight * error).max(0.0);
            let rate = (p.delta.as_bps() as f64 * (1.0 - weight) + kept) as u64;
            self.set(rate);
        } else if gradient <= 0.0 {
            self.increase(true);
        } else {
            self.decrease((1.0 - p.beta * gradient).max(0.0));
        }
    }

    fn increase(&mut self, counts: bool) {
        let p = &self.params;
        let hyper = counts && self.increases >= p.hai_after;
        let step = if hyper { p.delta_hai } else { p.delta };
        self.increases = if counts { self.increases.saturating_add(1) } else { 0 };
        self.rate = self.rate.saturating_add(step.as_bps()).min(self.line);
    }

    fn decrease(&mut self, factor: f64) {
        self.increases = 0;
        self.set((self.rate as f64 * factor) as u64);
    }

    fn set(&mut self, rate: u64) {
        self.rate = rate.max(self.params.min_rate.as_bps()).min(self.line);
    }
}

impl Controller for Timely {
    fn on_cnp(&mut self, _now: Time) {}

    fn on_ack(&mut self, _now: Time, ack: &AckEvent<'_>) {
        let due = match self.params.update {
            Update::Round => self.rounds.on_ack(ack) != Round::Same,
            Update::Segment(bytes) => {
                self.segment_bytes = self.segment_bytes.saturating_add(ack.acked_bytes);
                self.segment_bytes >= bytes
            }
        };
        if let (true, Some(rtt)) = (due, ack.rtt) {
            self.segment_bytes = 0;
            self.sample(ns(rtt));
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
        u64::MAX
    }

    #[inline]
    fn next_deadline(&self) -> Option<Time> {
        None
    }
}
