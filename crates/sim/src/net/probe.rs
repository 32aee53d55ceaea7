//! Samples: queue histograms and time series.

use crate::results::{Series, histogram_bucket};
use weir_units::Span;

const BUCKETS: usize = 48;

/// How often each queue was how deep. Empty queues cost nothing: their count follows from the number of samples.
#[derive(Clone, Debug)]
pub(crate) struct Histograms {
    /// By `port × 8 + priority`; only for queues that were ever seen with something in them.
    counts: Vec<Option<Box<[u64; BUCKETS]>>>,
    samples: u64,
}

impl Histograms {
    pub(crate) fn new(ports: usize) -> Self {
        Self { counts: vec![None; ports * 8], samples: 0 }
    }

    /// A round of samples begins.
    pub(crate) fn begin_round(&mut self) {
        self.samples += 1;
    }

    /// A queue has this depth, not zero, in this round.
    pub(crate) fn record(&mut self, port: u32, prio: u8, bytes: u64) {
        let counts =
            self.counts[port as usize * 8 + usize::from(prio)].get_or_insert_with(|| Box::new([0; BUCKETS]));
        counts[histogram_bucket(bytes).min(BUCKETS - 1)] += 1;
    }

    /// The counts of a queue without trailing zeros; empty where it was never seen with anything in it.
    pub(crate) fn finish(&self, port: u32, prio: u8) -> Vec<u64> {
        let Some(counts) = &self.counts[port as usize * 8 + usize::from(prio)] else { return Vec::new() };
        let mut counts = counts.to_vec();
        counts[0] = self.samples - counts[1..].iter().sum::<u64>();
        let used = counts.iter().rposition(|count| *count != 0).map_or(0, |last| last + 1);
        counts.truncate(used);
        counts
    }
}

/// Where the values of a series come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Bytes in an egress queue.
    Queue { port: u32, prio: u8 },
    /// Bytes of shared buffer in use at a switch.
    Shared { switch: u32 },
    /// Bytes that a port has sent, as a rate.
    Link { port: u32 },
    /// Payload bytes of a flow that have arrived, as a rate.
    Flow { flow: u32 },
    /// What the congestion controller of a flow allows.
    Allowed { flow: u32 },
}

impl Source {
    fn kind(self) -> &'static str {
        match self {
            Source::Queue { .. } => "queue_bytes",
            Source::Shared { .. } => "shared_bytes",
            Source::Link { .. } => "link_bps",
            Source::Flow { .. } => "flow_bps",
            Source::Allowed { .. } => "flow_rate_bps",
        }
    }

    /// Whether the value is a count of bytes that only grows and is reported as a rate.
    fn is_counter(self) -> bool {
        matches!(self, Source::Link { .. } | Source::Flow { .. })
    }
}

#[derive(Clone, Debug)]
struct Track {
    source: Source,
    of: String,
    last: u64,
    values: Vec<u64>,
}

/// All series of a run that are sampled at the same times.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeriesSet {
    interval: Span,
    tracks: Vec<Track>,
}

impl SeriesSet {
    pub(crate) fn new(interval: Span) -> Self {
        Self { interval, tracks: Vec::new() }
    }

    pub(crate) fn add(&mut self, source: Source, of: String) {
        self.tracks.push(Track { source, of, last: 0, values: Vec::new() });
    }

    /// Time between samples; the first is taken that long after the start.
    pub(crate) fn interval(&self) -> Span {
        self.interval
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tracks.is_empty()
    }

    /// Takes one value of each; `read` gives it.
    pub(crate) fn sample(&mut self, mut read: impl FnMut(Source) -> u64) {
        let interval = self.interval.as_ps().max(1);
        for track in &mut self.tracks {
            let value = read(track.source);
            let sample = match track.source.is_counter() {
                true => {
                    let bits = u128::from(value.saturating_sub(track.last)) * 8_000_000_000_000;
                    u64::try_from(bits / u128::from(interval)).unwrap_or(u64::MAX)
                }
                false => value,
            };
            track.last = value;
            track.values.push(sample);
        }
    }

    /// As results.
    pub(crate) fn finish(self) -> Vec<Series> {
        let interval_ps = self.interval.as_ps();
        self.tracks
            .into_iter()
            .map(|track| Series {
                kind: track.source.kind().to_owned(),
                of: track.of,
                start_ps: interval_ps,
                interval_ps,
                values: track.values,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_that_is_empty_most_of_the_time_counts_so() {
        let mut h = Histograms::new(2);
        for round in 0..10 {
            h.begin_round();
            if round >= 8 {
                h.record(1, 3, 1500);
            }
        }
        assert_eq!(h.finish(1, 3), [8, 0, 2]);
        assert!(h.finish(0, 3).is_empty());
    }

    #[test]
    fn counters_become_rates_and_depths_stay() {
        let mut set = SeriesSet::new(Span::from_us(1));
        set.add(Source::Link { port: 0 }, "a:0".into());
        set.add(Source::Queue { port: 0, prio: 3 }, "a:0/3".into());
        for now in [0, 12_500, 25_000] {
            set.sample(|source| if matches!(source, Source::Link { .. }) { now } else { 7 });
        }
        let series = set.finish();
        assert_eq!(series[0].values, [0, 100_000_000_000, 100_000_000_000]);
        assert_eq!(series[1].values, [7, 7, 7]);
    }
}
