//! The parameters of DCQCN's rivals, as far as a scenario changes them.

use serde::{Serialize, Serializer};
use weir_congestion::dctcp::Form;
use weir_congestion::hpcc::IntFormat;
use weir_congestion::swift::PathDelay;
use weir_congestion::timely::{Rule, Update};
use weir_congestion::{DctcpParams, HpccParams, SwiftParams, TimelyParams};
use weir_units::{Bytes, Rate, Span};

fn set<T: Copy>(to: &mut T, from: Option<T>) {
    if let Some(from) = from {
        *to = from;
    }
}

/// When TIMELY updates its rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Once a round trip.
    Round,
    /// Each time so much is acknowledged.
    Bytes(Bytes),
}

impl Serialize for Segment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Segment::Round => serializer.serialize_str("round"),
            Segment::Bytes(bytes) => bytes.serialize(serializer),
        }
    }
}

/// TIMELY parameters that differ from the preset's.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TimelyChanges {
    /// Weight of a new difference, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// Multiplicative decrease, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// Below it the rate always grows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_low: Option<Span>,
    /// Above it the rate always shrinks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_high: Option<Span>,
    /// What gradients are measured by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rtt: Option<Span>,
    /// Additive step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<Rate>,
    /// The step in hyperactive increase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta_hai: Option<Rate>,
    /// Increases in a row before hyperactive increase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hai_after: Option<u32>,
    /// Whether an increase below T_low counts towards hyperactive increase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hai_below_t_low: Option<bool>,
    /// When the rate is updated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<Segment>,
    /// Reference round trip of the patched rule; makes the rule the patched one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_ref: Option<Span>,
    /// Floor of the rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rate: Option<Rate>,
}

impl TimelyChanges {
    pub(super) fn apply(&self, p: &mut TimelyParams) {
        set(&mut p.alpha, self.alpha);
        set(&mut p.beta, self.beta);
        set(&mut p.t_low, self.t_low);
        set(&mut p.t_high, self.t_high);
        set(&mut p.delta, self.delta);
        set(&mut p.delta_hai, self.delta_hai);
        set(&mut p.hai_after, self.hai_after);
        set(&mut p.hai_below_t_low, self.hai_below_t_low);
        set(&mut p.min_rate, self.min_rate);
        p.min_rtt = self.min_rtt.or(p.min_rtt);
        let update = self.segment.map(|segment| match segment {
            Segment::Round => Update::Round,
            Segment::Bytes(bytes) => Update::Segment(bytes.get()),
        });
        set(&mut p.update, update);
        set(&mut p.rule, self.rtt_ref.map(|rtt_ref| Rule::Patched { rtt_ref }));
    }
}

/// DCTCP parameters that differ from the preset's.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DctcpChanges {
    /// Gain of alpha, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub g: Option<f64>,
    /// First alpha, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_alpha: Option<f64>,
    /// A segment: the window's step a round trip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mss: Option<Bytes>,
    /// First window, of the window form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_window: Option<Bytes>,
    /// The step of the rate form; makes it that form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_step: Option<Rate>,
    /// Floor of the rate, of the rate form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rate: Option<Rate>,
}

impl DctcpChanges {
    pub(super) fn apply(&self, p: &mut DctcpParams) {
        set(&mut p.g, self.g);
        set(&mut p.initial_alpha, self.initial_alpha);
        set(&mut p.min_rate, self.min_rate);
        set(&mut p.mss_bytes, self.mss.map(Bytes::get));
        set(&mut p.form, self.rate_step.map(|step| Form::Rate { step }));
        if let (Form::Window { initial_bytes }, Some(window)) = (&mut p.form, self.initial_window) {
            *initial_bytes = Some(window.get());
        }
    }
}

/// HPCC parameters that differ from the preset's.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HpccChanges {
    /// Target utilisation, above 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eta: Option<f64>,
    /// Additive rounds before a multiplicative one although there is room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_stage: Option<u32>,
    /// Additive step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_ai: Option<Rate>,
    /// Floor of the rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rate: Option<Rate>,
    /// The window at line rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Bytes>,
    /// Whether the window follows the rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable_window: Option<bool>,
    /// Whether to react to each acknowledgement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast_react: Option<bool>,
    /// Whether each hop has a rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_per_hop: Option<bool>,
    /// Whether to use only hops with a queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample_feedback: Option<bool>,
    /// Telemetry in the artefact's compact form with this multiplier; 0: exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub int_multi: Option<u32>,
}

impl HpccChanges {
    pub(super) fn apply(&self, p: &mut HpccParams) {
        set(&mut p.eta, self.eta);
        set(&mut p.max_stage, self.max_stage);
        set(&mut p.rate_ai, self.rate_ai);
        set(&mut p.min_rate, self.min_rate);
        set(&mut p.variable_window, self.variable_window);
        set(&mut p.fast_react, self.fast_react);
        set(&mut p.rate_per_hop, self.rate_per_hop);
        set(&mut p.sample_feedback, self.sample_feedback);
        p.window_bytes = self.window.map(Bytes::get).or(p.window_bytes);
        let int = self.int_multi.map(|multi| match multi {
            0 => IntFormat::Exact,
            multi => IntFormat::Compact { multi },
        });
        set(&mut p.int, int);
    }
}

/// Swift parameters that differ from the preset's.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SwiftChanges {
    /// Additive increase, packets a round trip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ai: Option<f64>,
    /// Weight of the relative excess delay in a decrease.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// Largest share that one decrease takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_mdf: Option<f64>,
    /// Base of the target delay, of the paper's topology scaling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_target: Option<Span>,
    /// Target delay for each hop, of the paper's topology scaling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_hop: Option<Span>,
    /// Hops of the path, of the paper's topology scaling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hops: Option<u32>,
    /// Queueing above the path's base round trip; makes the target that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queueing: Option<Span>,
    /// The most that flow scaling adds to the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fs_range: Option<Span>,
    /// Window, in packets, below which flow scaling adds all of its range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fs_min_cwnd: Option<f64>,
    /// Window, in packets, above which flow scaling adds nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fs_max_cwnd: Option<f64>,
    /// Smallest window, packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_cwnd: Option<f64>,
    /// Largest window, packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cwnd: Option<f64>,
    /// Timeouts in a row after which the window falls to its smallest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retx_reset_threshold: Option<u32>,
}

impl SwiftChanges {
    pub(super) fn apply(&self, p: &mut SwiftParams) {
        set(&mut p.ai, self.ai);
        set(&mut p.beta, self.beta);
        set(&mut p.max_mdf, self.max_mdf);
        set(&mut p.fs_range, self.fs_range);
        set(&mut p.fs_min_cwnd, self.fs_min_cwnd);
        set(&mut p.fs_max_cwnd, self.fs_max_cwnd);
        set(&mut p.min_cwnd, self.min_cwnd);
        set(&mut p.max_cwnd, self.max_cwnd);
        set(&mut p.retx_reset_threshold, self.retx_reset_threshold);
        set(&mut p.path, self.queueing.map(|queueing| PathDelay::AboveBase { queueing }));
        if self.base_target.or(self.per_hop).is_some() || self.hops.is_some() {
            let PathDelay::Hops { mut base, mut per_hop, mut hops } = SwiftParams::paper().path else {
                return;
            };
            set(&mut base, self.base_target);
            set(&mut per_hop, self.per_hop);
            set(&mut hops, self.hops);
            p.path = PathDelay::Hops { base, per_hop, hops };
        }
    }
}
