//! How long to run, with which seeds, and what to record.

use serde::Serialize;
use weir_units::{Span, Time};

/// The run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// One run for each.
    pub seeds: Vec<u64>,
    /// The run ends here even if flows are left; [`Time::MAX`] when it ends with the last flow.
    pub stop: Time,
}

/// What to record besides what is always recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Probes {
    /// Time between samples of queue depth for histograms; `None`: no histogram.
    pub queue_histogram: Option<Span>,
    /// Time between samples of queue series; `None`: no series.
    pub queue_series: Option<Span>,
    /// Queues to record as series, as `node`, `node:port` or `node:port/priority`; empty for all switch queues.
    pub queues: Vec<String>,
    /// Time between samples of rate and goodput series; `None`: no series.
    pub rate_series: Option<Span>,
    /// Links to record as rate series, as `node:port` of the sending end; empty for all.
    pub links: Vec<String>,
    /// Flows to record as rate series, by id; empty for all.
    pub flows: Vec<u32>,
}
