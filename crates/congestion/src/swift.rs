//! Swift (Kumar et al., SIGCOMM 2020): a window that holds the round trip at a target delay, which grows with the path's
//! length and as the window shrinks.
//!
//! This is the fabric window. The paper's second window, for delay inside the receiving host, needs that host's
//! timestamps, which a RoCE acknowledgement does not carry.

use crate::control::{AckEvent, Controller, Loss};
use std::sync::Arc;
use weir_units::{Rate, Span, Time};

/// The part of the target delay that the path sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathDelay {
    /// The paper's topology scaling: a base and so much for each switch hop.
    Hops {
        /// Base target.
        base: Span,
        /// h-bar: for each hop.
        per_hop: Span,
        /// Hops of the path.
        hops: u32,
    },
    /// The path's base round trip and so much queueing.
    AboveBase {
        /// Queueing allowed.
        queueing: Span,
    },
}

/// Parameters of Swift.
#[derive(Clone, Debug, PartialEq)]
pub struct SwiftParams {
    /// ai: additive increase, packets a round trip.
    pub ai: f64,
    /// beta: weight of the relative excess delay in a decrease.
    pub beta: f64,
    /// max_mdf: the largest share that one decrease takes.
    pub max_mdf: f64,
    /// The path's part of the target.
    pub path: PathDelay,
    /// fs_range: the most that flow scaling adds to the target.
    pub fs_range: Span,
    /// fs_min_cwnd: the window, in packets, below which flow scaling adds all of its range.
    pub fs_min_cwnd: f64,
    /// fs_max_cwnd: the window, in packets, above which flow scaling adds nothing.
    pub fs_max_cwnd: f64,
    /// Smallest window, packets; below 1 packets are paced further apart than a round trip.
    pub min_cwnd: f64,
    /// Largest window, packets.
    pub max_cwnd: f64,
    /// Timeouts in a row after which the window falls to its smallest.
    pub retx_reset_threshold: u32,
    /// A packet's payload, bytes.
    pub mtu_bytes: u32,
}

impl SwiftParams {
    /// The paper's form with the constants that public implementations give: ai 1, beta 0.8, max_mdf 0.5, flow scaling
    /// between 0.1 and 100 packets; a base target of 25 us and 1 us a hop, five hops.
    pub fn paper() -> Self {
        Self {
            ai: 1.0,
            beta: 0.8,
            max_mdf: 0.5,
            path: PathDelay::Hops { base: Span::from_us(25), per_hop: Span::from_us(1), hops: 5 },
            fs_range: Span::from_us(125),
            fs_min_cwnd: 0.1,
            fs_max_cwnd: 100.0,
            min_cwnd: 0.001,
            max_cwnd: 10_000.0,
            retx_reset_threshold: 5,
            mtu_bytes: 1000,
        }
    }

    /// For a fabric whose round trips are far below the paper's target: the base round trip of each path and `queueing`
    /// on top, flow scaling of as much again.
    pub fn above_base(queueing: Span) -> Self {
        Self { path: PathDelay::AboveBase { queueing }, fs_range: queueing, ..Self::paper() }
    }
}

/// Swift of one queue pair.
#[derive(Clone, Debug)]
pub struct Swift {
    params: Arc<SwiftParams>,
    line: u64,
    /// The path's part of the target, ns.
    path_ns: f64,
    /// Flow scaling is `fs_alpha / sqrt(cwnd) + fs_beta`, ns.
    fs_alpha: f64,
    fs_beta: f64,
    cwnd: f64,
    rtt: Span,
    last_decrease: Option<Time>,
    timeouts: u32,
}

impl Swift {
    /// With the window of line rate times the base round trip.
    pub fn new(params: SwiftParams, line: Rate, base_rtt: Span) -> Self {
        let ns = |span: Span| span.as_ps() as f64 / 1e3;
        let path_ns = match params.path {
            PathDelay::Hops { base, per_hop, hops } => ns(base) + ns(per_hop) * f64::from(hops),
            PathDelay::AboveBase { queueing } => ns(base_rtt) + ns(queueing),
        };
        let root = |cwnd: f64| 1.0 / cwnd.max(1e-9).sqrt();
        let width = root(params.fs_min_cwnd) - root(params.fs_max_cwnd);
        let fs_alpha = if width > 0.0 { ns(params.fs_range) / width } else { 0.0 };
        let fs_beta = -fs_alpha * root(params.fs_max_cwnd);
        let mtu = u64::from(params.mtu_bytes.max(1));
        let mut swift = Self {
            line: line.as_bps(),
            path_ns,
            fs_alpha,
            fs_beta,
            cwnd: 0.0,
            rtt: base_rtt,
            last_decrease: None,
            timeouts: 0,
            params: Arc::new(params),
        };
        swift.set((line.bytes_in(base_rtt) as f64 / mtu as f64).max(1.0), Time::ZERO);
        swift
    }

    /// The window, packets.
    pub fn window_packets(&self) -> f64 {
        self.cwnd
    }

    /// The target delay at the present window (section 3.5 of the paper).
    pub fn target_delay(&self) -> Span {
        Span::from_ps((self.target_ns() * 1e3) as u64)
    }

    fn target_ns(&self) -> f64 {
        let range = self.params.fs_range.as_ps() as f64 / 1e3;
        let scaling = (self.fs_alpha / self.cwnd.sqrt() + self.fs_beta).min(range).max(0.0);
        self.path_ns + scaling
    }

    /// At most one decrease a round trip.
    fn can_decrease(&self, now: Time) -> bool {
        self.last_decrease.is_none_or(|last| now.saturating_since(last) >= self.rtt)
    }

    fn set(&mut self, cwnd: f64, now: Time) {
        let before = self.cwnd;
        let most = self.params.max_cwnd.max(1e-6);
        let least = self.params.min_cwnd.max(1e-6).min(most);
        self.cwnd = cwnd.max(least).min(most);
        if self.cwnd < before {
            self.last_decrease = Some(now);
        }
    }
}

impl Controller for Swift {
    fn on_cnp(&mut self, _now: Time) {}

    /// Algorithm 1 of the paper.
    fn on_ack(&mut self, now: Time, ack: &AckEvent<'_>) {
        let Some(rtt) = ack.rtt else {
            return;
        };
        self.timeouts = 0;
        self.rtt = rtt;
        let (delay, target) = (rtt.as_ps() as f64 / 1e3, self.target_ns());
        let acked = ack.acked_bytes as f64 / f64::from(self.params.mtu_bytes.max(1));
        if delay < target {
            let divisor = self.cwnd.max(1.0);
            self.set(self.cwnd + self.params.ai / divisor * acked, now);
        } else if self.can_decrease(now) {
            let cut = self.params.beta * (delay - target) / delay;
            self.set((1.0 - cut).max(1.0 - self.params.max_mdf) * self.cwnd, now);
        }
    }

    fn on_loss(&mut self, now: Time, loss: Loss) {
        self.timeouts = match loss {
            Loss::Nak => 0,
            Loss::Timeout => self.timeouts.saturating_add(1),
        };
        if self.timeouts >= self.params.retx_reset_threshold.max(1) {
            self.set(self.params.min_cwnd, now);
        } else if self.can_decrease(now) {
            self.set((1.0 - self.params.max_mdf) * self.cwnd, now);
        }
    }

    #[inline]
    fn on_sent(&mut self, _now: Time, _wire_bytes: u32) {}

    #[inline]
    fn advance(&mut self, _now: Time) {}

    /// Line rate, or below one packet a round trip a packet each `rtt / cwnd`.
    fn rate(&self) -> Rate {
        if self.cwnd >= 1.0 {
            return Rate::from_bps(self.line);
        }
        let seconds = self.rtt.as_secs_f64().max(1e-12);
        let bps = self.cwnd * f64::from(self.params.mtu_bytes) * 8.0 / seconds;
        Rate::from_bps((bps as u64).clamp(1, self.line.max(1)))
    }

    /// At least one packet: below that the rate paces.
    #[inline]
    fn window_bytes(&self) -> u64 {
        (self.cwnd.max(1.0) * f64::from(self.params.mtu_bytes.max(1))) as u64
    }

    #[inline]
    fn next_deadline(&self) -> Option<Time> {
        None
    }
}
