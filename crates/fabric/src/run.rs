//! How long to run, with which seeds, and what to record.

use serde::Serialize;
use weir_units::{Span, Time};

/// The run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// One run for each.
    pub seeds: Vec<u64>,
    /// The run ends here even if flows are left; `None`: it ends with the last flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Time>,
}

impl Default for Run {
    /// Seed 1, until the last flow ends.
    fn default() -> Self {
        Self { seeds: vec![1], stop: None }
    }
}

/// What to record besides what is always recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Probes {
    /// Time between samples of queue depth for histograms; `None`: no histogram.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_histogram: Option<Span>,
    /// Time between samples of queue series; `None`: no series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_series: Option<Span>,
    /// Queues to record as series, as `node`, `node:port` or `node:port/priority`; empty for all switch queues.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queues: Vec<String>,
    /// Time between samples of rate and goodput series; `None`: no series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_series: Option<Span>,
    /// Links to record as rate series, as `node:port` of the sending end; empty for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    /// Flows to record as rate series, by id; empty for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<u32>,
}
