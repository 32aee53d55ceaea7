//! The figures that one reads first: percentiles, fairness, totals.

use super::{FlowResult, FlowStatus};
use serde::{Deserialize, Serialize};

/// Percentiles of a set of numbers, by nearest rank: the p-th percentile is the smallest value that at least
/// p percent of the values do not exceed, so it is always one of the values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percentiles {
    /// How many values.
    pub count: u64,
    /// Their mean; zero where there are none.
    pub mean: f64,
    /// Smallest.
    pub min: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// Largest.
    pub max: f64,
}

impl Percentiles {
    /// Of these values, in any order; NaN counts as the largest.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let (Some(min), Some(max)) = (sorted.first(), sorted.last()) else {
            return Self::default();
        };
        Self {
            count: sorted.len() as u64,
            mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
            min: *min,
            p50: nearest_rank(&sorted, 0.50),
            p95: nearest_rank(&sorted, 0.95),
            p99: nearest_rank(&sorted, 0.99),
            p999: nearest_rank(&sorted, 0.999),
            max: *max,
        }
    }
}

/// The value at `quantile` (0 to 1) of sorted values by nearest rank; zero where there are none.
pub fn nearest_rank(sorted: &[f64], quantile: f64) -> f64 {
    let rank = (quantile * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied().unwrap_or(0.0)
}

/// Jain's fairness index: 1 when all are equal, 1/n when one has everything; 1 where there are none.
pub fn jain(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for value in values {
        n += 1.0;
        sum += value;
        squares += value * value;
    }
    if squares == 0.0 { 1.0 } else { sum * sum / (n * squares) }
}

/// Slowdown of the flows of one range of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeBucket {
    /// Smallest flow in it, payload bytes.
    pub from_bytes: u64,
    /// Largest flow in it, payload bytes.
    pub to_bytes: u64,
    /// Slowdown of its completed flows.
    pub slowdown: Percentiles,
}

/// The run in a few figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Flows in the scenario.
    pub flows: u64,
    /// Flows that completed.
    pub completed: u64,
    /// Flows that completed in error.
    pub failed: u64,
    /// Flows that had started and had not ended when the run did, or had not started.
    pub unfinished: u64,
    /// Slowdown of the completed flows.
    pub slowdown: Percentiles,
    /// Slowdown by size: up to ten buckets with equally many flows.
    pub slowdown_by_size: Vec<SizeBucket>,
    /// Completion times in microseconds.
    pub fct_us: Percentiles,
    /// Payload bytes delivered in order, all flows.
    pub delivered_bytes: u64,
    /// Payload bits a second, all flows, from the first start to the last delivery, or to the end of the run where a flow
    /// was not finished.
    pub goodput_bps: f64,
    /// Jain's index over the goodput of the completed flows.
    pub jain: f64,
    /// Data frames sent, retransmissions included.
    pub sent_packets: u64,
    /// Data frames sent again.
    pub retransmitted_packets: u64,
    /// Frames marked with congestion experienced by switches.
    pub ecn_marks: u64,
    /// Congestion notification packets that hosts sent.
    pub cnps: u64,
    /// PFC frames that ask for a pause (refreshes included), sent by switches and hosts.
    pub pfc_pauses: u64,
    /// PFC frames that end a pause.
    pub pfc_resumes: u64,
    /// Time that ports were paused, summed over ports and priorities.
    pub paused_ps: u64,
    /// Paused time of switch and host ports over `ports × run time`, for the worst priority.
    pub paused_fraction: f64,
    /// Frames that were lost to anything: full buffers, faults, corruption, links down.
    pub drops: u64,
    /// Of them, frames of a lossless class dropped by a full buffer. Anything but zero is an error.
    pub lossless_drops: u64,
    /// Deepest egress queue in bytes.
    pub max_queue_bytes: u64,
    /// Where that was, as `node:port/priority`; empty where no queue ever formed.
    pub max_queue_at: String,
    /// Deadlocks found.
    pub deadlocks: u64,
}

impl Summary {
    /// What follows from the flows alone, in a run that ended at `end_ps`; the rest is left at zero.
    pub fn of_flows(flows: &[FlowResult], end_ps: u64) -> Self {
        let mut summary = Self { flows: flows.len() as u64, ..Self::default() };
        let (mut first, mut last) = (u64::MAX, 0);
        for flow in flows {
            match flow.status {
                FlowStatus::Completed => summary.completed += 1,
                FlowStatus::Failed(_) => summary.failed += 1,
                FlowStatus::Unfinished | FlowStatus::NotStarted => summary.unfinished += 1,
            }
            if flow.status != FlowStatus::NotStarted {
                first = first.min(flow.start_ps);
            }
            if flow.status == FlowStatus::Unfinished {
                // It was still delivering when the run ended.
                last = end_ps;
            }
            last = last.max(flow.delivered_ps.unwrap_or(0));
            summary.delivered_bytes += flow.delivered_bytes;
            summary.sent_packets += flow.sent_packets;
            summary.retransmitted_packets += flow.retransmitted_packets;
        }
        if last > first {
            summary.goodput_bps = summary.delivered_bytes as f64 * 8e12 / (last - first) as f64;
        }
        summary.slowdown = Percentiles::of(flows.iter().filter_map(|flow| flow.slowdown));
        summary.slowdown_by_size = by_size(flows, 10);
        summary.fct_us =
            Percentiles::of(flows.iter().filter_map(|flow| flow.fct_ps).map(|ps| ps as f64 / 1e6));
        summary.jain = jain(flows.iter().filter_map(FlowResult::goodput_bps));
        summary
    }
}

/// The completed flows by size, in `buckets` ranges with equally many flows each. Flows of one size never
/// fall into two buckets, so there can be fewer.
pub fn by_size(flows: &[FlowResult], buckets: usize) -> Vec<SizeBucket> {
    let mut sized: Vec<(u64, f64)> =
        flows.iter().filter_map(|flow| Some((flow.bytes, flow.slowdown?))).collect();
    sized.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut result = Vec::new();
    let mut from = 0;
    for bucket in 1..=buckets {
        let mut to = sized.len() * bucket / buckets.max(1);
        if to <= from {
            continue;
        }
        while to < sized.len() && sized[to].0 == sized[to - 1].0 {
            to += 1;
        }
        result.push(SizeBucket {
            from_bytes: sized[from].0,
            to_bytes: sized[to - 1].0,
            slowdown: Percentiles::of(sized[from..to].iter().map(|flow| flow.1)),
        });
        from = to;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_by_nearest_rank() {
        let p = Percentiles::of((1..=1000).rev().map(f64::from));
        assert_eq!(
            (p.count, p.min, p.p50, p.p95, p.p99, p.p999, p.max),
            (1000, 1.0, 500.0, 950.0, 990.0, 999.0, 1000.0)
        );
        assert_eq!(p.mean, 500.5);
        assert_eq!(Percentiles::of([]), Percentiles::default());
        assert_eq!(Percentiles::of([7.0]).p999, 7.0);
    }

    #[test]
    fn goodput_counts_to_the_end_where_a_flow_is_not_finished() {
        let mut flows = crate::results::tests::sample().flows;
        // 3000 bytes in 3 us, then the same up to the end of the run.
        assert_eq!(Summary::of_flows(&flows, 6_000_000).goodput_bps, 8e9);
        flows[1].status = FlowStatus::Unfinished;
        flows[1].delivered_ps = None;
        assert_eq!(Summary::of_flows(&flows, 6_000_000).goodput_bps, 4e9);
    }

    #[test]
    fn jain_is_one_for_equals_and_one_over_n_for_a_monopoly() {
        assert_eq!(jain([3.0; 5]), 1.0);
        assert_eq!(jain([1.0, 0.0, 0.0, 0.0]), 0.25);
        assert_eq!(jain([]), 1.0);
    }
}
