//! Two runs side by side.

use super::{FlowStatus, Percentiles, Results};
use serde::{Deserialize, Serialize};

/// One figure of both runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// What it is, with its unit as suffix where it has one.
    pub name: String,
    /// In the first run.
    pub a: f64,
    /// In the second run.
    pub b: f64,
    /// `b / a - 1`; none where `a` is zero and `b` is not.
    pub change: Option<f64>,
}

/// Two runs side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Whether both have the same digest: they are the same in everything.
    pub identical: bool,
    /// Whether both ran the same scenario.
    pub same_config: bool,
    /// Whether both drew from the same seed.
    pub same_seed: bool,
    /// The figures of both.
    pub metrics: Vec<Metric>,
    /// Completion time of each flow in the second run over that in the first, for the flows that completed in both
    /// and have the same ends and size in both.
    pub fct_ratio: Percentiles,
    /// Flows that are in both with the same ends and size.
    pub matched_flows: u64,
    /// Of them, flows with another completion time.
    pub changed_flows: u64,
    /// Flows in only one of the two.
    pub unmatched_flows: u64,
}

/// Compares `b` with `a`.
pub fn compare(a: &Results, b: &Results) -> Comparison {
    let (sa, sb) = (&a.summary, &b.summary);
    let pairs: [(&str, f64, f64); 19] = [
        ("completed", sa.completed as f64, sb.completed as f64),
        ("unfinished", sa.unfinished as f64, sb.unfinished as f64),
        ("failed", sa.failed as f64, sb.failed as f64),
        ("slowdown_mean", sa.slowdown.mean, sb.slowdown.mean),
        ("slowdown_p50", sa.slowdown.p50, sb.slowdown.p50),
        ("slowdown_p95", sa.slowdown.p95, sb.slowdown.p95),
        ("slowdown_p99", sa.slowdown.p99, sb.slowdown.p99),
        ("slowdown_p999", sa.slowdown.p999, sb.slowdown.p999),
        ("fct_mean_us", sa.fct_us.mean, sb.fct_us.mean),
        ("fct_max_us", sa.fct_us.max, sb.fct_us.max),
        ("goodput_bps", sa.goodput_bps, sb.goodput_bps),
        ("jain", sa.jain, sb.jain),
        ("max_queue_bytes", sa.max_queue_bytes as f64, sb.max_queue_bytes as f64),
        ("ecn_marks", sa.ecn_marks as f64, sb.ecn_marks as f64),
        ("cnps", sa.cnps as f64, sb.cnps as f64),
        ("pfc_pauses", sa.pfc_pauses as f64, sb.pfc_pauses as f64),
        ("paused_us", sa.paused_ps as f64 / 1e6, sb.paused_ps as f64 / 1e6),
        ("retransmitted_packets", sa.retransmitted_packets as f64, sb.retransmitted_packets as f64),
        ("drops", sa.drops as f64, sb.drops as f64),
    ];
    let metrics = pairs
        .into_iter()
        .map(|(name, a, b)| Metric { name: name.to_owned(), a, b, change: change(a, b) })
        .collect();
    let (mut ratios, mut matched, mut changed) = (Vec::new(), 0, 0);
    for flow in &a.flows {
        let Some(other) = b.flow(flow.id) else { continue };
        if (flow.src, flow.dst, flow.bytes) != (other.src, other.dst, other.bytes) {
            continue;
        }
        matched += 1;
        changed += u64::from(flow.fct_ps != other.fct_ps);
        let both = flow.status == FlowStatus::Completed && other.status == FlowStatus::Completed;
        if let (true, Some(fa), Some(fb)) = (both, flow.fct_ps, other.fct_ps) {
            ratios.push(fb as f64 / fa.max(1) as f64);
        }
    }
    Comparison {
        identical: a.digest == b.digest,
        same_config: a.config_hash == b.config_hash,
        same_seed: a.seed == b.seed,
        metrics,
        fct_ratio: Percentiles::of(ratios),
        matched_flows: matched,
        changed_flows: changed,
        unmatched_flows: a.flows.len() as u64 + b.flows.len() as u64 - 2 * matched,
    }
}

fn change(a: f64, b: f64) -> Option<f64> {
    match (a == 0.0, b == 0.0) {
        (true, true) => Some(0.0),
        (true, false) => None,
        _ => Some(b / a - 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::sample;

    #[test]
    fn a_run_equals_itself() {
        let a = sample();
        let same = compare(&a, &a);
        assert!(same.identical && same.same_config && same.same_seed);
        assert_eq!((same.matched_flows, same.changed_flows, same.unmatched_flows), (2, 0, 0));
        assert!(same.metrics.iter().all(|metric| metric.change == Some(0.0)));
    }

    #[test]
    fn a_slower_flow_shows() {
        let a = sample();
        let mut b = a.clone();
        b.flows[1].fct_ps = Some(6_000_000);
        b.flows.push(b.flows[0].clone());
        b.flows[2].id = 2;
        b.seal();
        let diff = compare(&a, &b);
        assert!(!diff.identical);
        assert_eq!((diff.matched_flows, diff.changed_flows, diff.unmatched_flows), (2, 1, 1));
        assert_eq!(diff.fct_ratio.max, 2.0);
    }
}
