//! What a trial is judged by.

use serde::{Deserialize, Serialize};
use weir_sim::results::{Results, nearest_rank};

/// Flows up to this size count as short: the usual border in the literature.
pub const SHORT_BYTES: u64 = 100_000;

/// The figures of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Slowdown of all flows, median.
    pub p50: f64,
    /// Slowdown of all flows, 95th percentile.
    pub p95: f64,
    /// Slowdown of all flows, 99th percentile.
    pub p99: f64,
    /// Slowdown of short flows, 99th percentile.
    pub short_p99: f64,
    /// Slowdown of the other flows, 99th percentile.
    pub long_p99: f64,
    /// Mean slowdown of the other flows.
    pub long_mean: f64,
    /// Share of time that ports were paused by PFC, worst priority, 0 to 1.
    pub paused: f64,
    /// PFC pause frames.
    pub pfc_pauses: f64,
    /// Deepest queue in bytes.
    pub max_queue_bytes: f64,
    /// Payload bits a second, all flows.
    pub goodput_bps: f64,
    /// Frames of a lossless class that were dropped.
    pub lossless_drops: f64,
    /// Flows that did not complete.
    pub incomplete: f64,
}

impl Measurement {
    /// From the results of one run.
    pub fn of(results: &Results) -> Self {
        let sorted = |short: Option<bool>| {
            let mut values: Vec<f64> = results
                .flows
                .iter()
                .filter(|flow| short.is_none_or(|short| (flow.bytes <= SHORT_BYTES) == short))
                .filter_map(|flow| flow.slowdown)
                .collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let (short, long) = (sorted(Some(true)), sorted(Some(false)));
        let summary = &results.summary;
        let rank = |values: &[f64], q| if values.is_empty() { 0.0 } else { nearest_rank(values, q) };
        Self {
            p50: summary.slowdown.p50,
            p95: summary.slowdown.p95,
            p99: summary.slowdown.p99,
            short_p99: rank(&short, 0.99),
            long_p99: rank(&long, 0.99),
            long_mean: if long.is_empty() { 0.0 } else { long.iter().sum::<f64>() / long.len() as f64 },
            paused: summary.paused_fraction,
            pfc_pauses: summary.pfc_pauses as f64,
            max_queue_bytes: summary.max_queue_bytes as f64,
            goodput_bps: summary.goodput_bps,
            lossless_drops: summary.lossless_drops as f64,
            incomplete: (summary.flows - summary.completed) as f64,
        }
    }

    /// The mean of several runs, field by field; zeros for none.
    pub fn mean(runs: &[Measurement]) -> Self {
        let n = runs.len().max(1) as f64;
        let avg = |field: fn(&Measurement) -> f64| runs.iter().map(field).sum::<f64>() / n;
        Self {
            p50: avg(|m| m.p50),
            p95: avg(|m| m.p95),
            p99: avg(|m| m.p99),
            short_p99: avg(|m| m.short_p99),
            long_p99: avg(|m| m.long_p99),
            long_mean: avg(|m| m.long_mean),
            paused: avg(|m| m.paused),
            pfc_pauses: avg(|m| m.pfc_pauses),
            max_queue_bytes: avg(|m| m.max_queue_bytes),
            goodput_bps: avg(|m| m.goodput_bps),
            lossless_drops: avg(|m| m.lossless_drops),
            incomplete: avg(|m| m.incomplete),
        }
    }
}

/// What the user wants most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Favour {
    /// Short flows first.
    Latency,
    /// Long flows first.
    Throughput,
    /// Both.
    #[default]
    Balance,
}

/// One figure of merit, lower is better: the weighted mean of the logarithms of the slowdowns, plus the paused share.
/// A difference of 0.05 is about 5 % in the weighted slowdowns.
///
/// A lossless class that lost a frame, or a flow that did not end, puts a candidate behind all that kept both.
pub fn score(measurement: &Measurement, favour: Favour) -> f64 {
    let (short, long) = match favour {
        Favour::Latency => (0.8, 0.2),
        Favour::Throughput => (0.2, 0.8),
        Favour::Balance => (0.5, 0.5),
    };
    let ln = |slowdown: f64| slowdown.max(1.0).ln();
    let slow = short * (0.7 * ln(measurement.short_p99) + 0.3 * ln(measurement.p50))
        + long * (0.5 * ln(measurement.long_p99) + 0.5 * ln(measurement.long_mean));
    let broken = measurement.lossless_drops + measurement.incomplete;
    slow + measurement.paused + if broken > 0.0 { 100.0 + broken.ln_1p() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Measurement = Measurement {
        p50: 1.2,
        p95: 4.0,
        p99: 10.0,
        short_p99: 10.0,
        long_p99: 6.0,
        long_mean: 2.0,
        paused: 0.0,
        pfc_pauses: 0.0,
        max_queue_bytes: 1e6,
        goodput_bps: 1e12,
        lossless_drops: 0.0,
        incomplete: 0.0,
    };

    #[test]
    fn favour_decides_between_short_and_long_flows() {
        let quick_short = Measurement { short_p99: 5.0, long_p99: 9.0, ..GOOD };
        assert!(score(&quick_short, Favour::Latency) < score(&GOOD, Favour::Latency));
        assert!(score(&quick_short, Favour::Throughput) > score(&GOOD, Favour::Throughput));
    }

    #[test]
    fn loss_in_a_lossless_class_never_wins() {
        let fast_but_lossy =
            Measurement { short_p99: 1.0, long_p99: 1.0, long_mean: 1.0, lossless_drops: 1.0, ..GOOD };
        assert!(score(&fast_but_lossy, Favour::Balance) > score(&GOOD, Favour::Balance));
    }

    #[test]
    fn means_are_taken_field_by_field() {
        let mean = Measurement::mean(&[GOOD, Measurement { p99: 20.0, ..GOOD }]);
        assert_eq!((mean.p99, mean.p50), (15.0, 1.2));
        assert_eq!(Measurement::mean(&[]), Measurement::default());
    }
}
