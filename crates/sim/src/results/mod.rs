//! What a run found: plain data with a stable JSON form, a digest, CSV tables and a comparison.
//!
//! Everything but [`Results::run`] follows from scenario and seed alone and is covered by
//! [`Results::digest`]; `run` says what the run cost on this machine.

mod compare;
mod csv;
mod digest;
mod flow;
mod pause;
mod port;
mod summary;

pub use compare::{Comparison, Metric, compare};
pub use csv::{flows_csv, ports_csv, queues_csv, series_csv};
pub use digest::Fnv128;
pub use flow::{FlowResult, FlowStatus};
pub use pause::{Deadlock, LosslessDrop, PauseEdge, PauseEvent, PauseTree, Pauses};
pub use port::{HostResult, PortResult, PriorityResult, histogram_bucket};
pub use summary::{Percentiles, SizeBucket, Summary, by_size, jain, nearest_rank};

use serde::{Deserialize, Serialize};

/// The version of the JSON form; raised when a field changes its meaning or goes away.
pub const SCHEMA: u32 = 1;

/// Why the run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// Every flow ended.
    Completed,
    /// The time limit of the scenario came first.
    TimeLimit,
    /// Nothing was left to happen although flows had not ended: they are stuck.
    Stuck,
    /// A deadlock was found and the options say to stop at the first.
    Deadlock,
    /// The caller asked to stop.
    Cancelled,
}

/// One series of samples at equal distances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What it is: `queue_bytes`, `shared_bytes`, `link_bps`, `flow_bps`, `flow_rate_bps`.
    pub kind: String,
    /// Of what: `node:port/priority`, `node:port`, `node` or `flow N`.
    pub of: String,
    /// Time of the first sample.
    pub start_ps: u64,
    /// Time between samples.
    pub interval_ps: u64,
    /// The samples: an instantaneous value, or for `…_bps` the mean since the sample before.
    pub values: Vec<u64>,
}

/// A job (a collective, a workload): first start to last completion of its flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobResult {
    /// Its number.
    pub job: u32,
    /// Its name in the scenario.
    pub name: String,
    /// Flows in it.
    pub flows: u64,
    /// Flows of it that completed.
    pub completed: u64,
    /// Payload bytes.
    pub bytes: u64,
    /// Start of its first flow.
    pub start_ps: u64,
    /// From there to the completion of its last flow; none if one did not complete.
    pub completion_ps: Option<u64>,
    /// Jain's index over the goodput of its completed flows.
    pub jain: f64,
    /// Slowdown of its completed flows.
    pub slowdown: Percentiles,
}

/// What the run cost. Not covered by the digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunCost {
    /// Wall-clock seconds of the event loop; zero, which is left out of JSON, where nobody asked for it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wall_s: f64,
    /// Wall-clock seconds before the first event.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub setup_s: f64,
    /// Events handled.
    pub events: u64,
    /// Frames put on a wire, by hosts and switches, data and control.
    pub frame_hops: u64,
    /// Most frames alive at once.
    pub peak_frames: u64,
    /// Most flows alive at once.
    pub peak_flows: u64,
}

fn is_zero(seconds: &f64) -> bool {
    *seconds == 0.0
}

/// All that a run found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// [`SCHEMA`] of the writer.
    pub schema: u32,
    /// Version of Weir.
    pub version: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Hash of the resolved scenario, seeds aside.
    pub config_hash: String,
    /// The seed of every random draw.
    pub seed: u64,
    /// Hash of the results; see [`Results::compute_digest`].
    pub digest: String,
    /// Why the run ended.
    pub end: EndReason,
    /// When it ended, simulated.
    pub end_ps: u64,
    /// The figures that one reads first.
    pub summary: Summary,
    /// Every flow, by number.
    pub flows: Vec<FlowResult>,
    /// Every job, by number.
    pub jobs: Vec<JobResult>,
    /// Every host, by number.
    pub hosts: Vec<HostResult>,
    /// Every port, switches and hosts.
    pub ports: Vec<PortResult>,
    /// Pauses and their causes.
    pub pauses: Pauses,
    /// Deadlocks found.
    pub deadlocks: Vec<Deadlock>,
    /// Drops in lossless classes, up to a limit.
    pub lossless_drops: Vec<LosslessDrop>,
    /// Series that were asked for.
    pub series: Vec<Series>,
    /// What a reader should know: keys without effect, limits reached.
    pub notes: Vec<String>,
    /// What the run cost on this machine.
    pub run: RunCost,
}

/// Results that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Not the JSON of results.
    #[error("not the results of a Weir simulation: {0}; write them with `weir sim run --format json`")]
    Json(#[from] serde_json::Error),
    /// Written by a version with another form.
    #[error("results of schema {found}, and this version reads schema {SCHEMA}; run the scenario again")]
    Schema {
        /// The schema in the file.
        found: u32,
    },
}

impl Results {
    /// Hash of the JSON form without the digest itself and without [`Results::run`].
    pub fn compute_digest(&self) -> String {
        let bare = Self { digest: String::new(), run: RunCost::default(), ..self.clone() };
        let mut hash = Fnv128::new();
        // Writing to the hash cannot fail and the structure has only string keys.
        let _ = serde_json::to_writer(&mut hash, &bare);
        hash.to_string()
    }

    /// As JSON, indented.
    pub fn to_json(&self) -> String {
        // Only strings as keys and no type that refuses to be serialised: this cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// From the JSON of [`Results::to_json`].
    pub fn from_json(text: &str) -> Result<Self, ReadError> {
        #[derive(Deserialize)]
        struct Head {
            schema: u32,
        }
        let head: Head = serde_json::from_str(text)?;
        if head.schema != SCHEMA {
            return Err(ReadError::Schema { found: head.schema });
        }
        Ok(serde_json::from_str(text)?)
    }

    /// The flow with this number.
    pub fn flow(&self, id: u32) -> Option<&FlowResult> {
        self.flows
            .get(id as usize)
            .filter(|flow| flow.id == id)
            .or_else(|| self.flows.iter().find(|f| f.id == id))
    }

    /// The port of a node, by names.
    pub fn port(&self, node: &str, port: u32) -> Option<&PortResult> {
        self.ports.iter().find(|p| p.node == node && p.port == port)
    }

    /// Writes the digest into itself. Call when everything else is in place.
    pub fn seal(&mut self) {
        self.digest = self.compute_digest();
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn sample() -> Results {
        let flow = |id: u32, bytes: u64, fct: u64| FlowResult {
            id,
            src: id,
            dst: 9,
            bytes,
            class: 3,
            job: 0,
            status: FlowStatus::Completed,
            start_ps: 0,
            fct_ps: Some(fct),
            delivered_ps: Some(fct),
            ideal_ps: 1_000_000,
            slowdown: Some(fct as f64 / 1e6),
            delivered_bytes: bytes,
            sent_packets: 2,
            retransmitted_packets: 0,
            marked_packets: 1,
            cnps: 1,
            timeouts: 0,
        };
        let flows = vec![flow(0, 1000, 1_000_000), flow(1, 2000, 3_000_000)];
        let mut results = Results {
            schema: SCHEMA,
            version: "0.1.0".into(),
            scenario: "sample, \"quoted\"".into(),
            config_hash: "00".into(),
            seed: 1,
            digest: String::new(),
            end: EndReason::Completed,
            end_ps: 5_000_000,
            summary: Summary::of_flows(&flows, 5_000_000),
            flows,
            jobs: vec![],
            hosts: vec![],
            ports: vec![PortResult {
                node: "tor".into(),
                switch: true,
                priorities: vec![PriorityResult {
                    priority: 3,
                    queue_histogram: vec![4, 1],
                    ..Default::default()
                }],
                ..Default::default()
            }],
            pauses: Pauses::default(),
            deadlocks: vec![],
            lossless_drops: vec![],
            series: vec![Series {
                kind: "queue_bytes".into(),
                of: "tor:0/3".into(),
                start_ps: 0,
                interval_ps: 10,
                values: vec![1, 2],
            }],
            notes: vec![],
            run: RunCost { wall_s: 0.5, ..RunCost::default() },
        };
        results.seal();
        results
    }

    #[test]
    fn json_reads_back_and_the_digest_ignores_what_the_run_cost() {
        let results = sample();
        let back = Results::from_json(&results.to_json()).unwrap();
        assert_eq!(back, results);
        let slower = Results { run: RunCost { wall_s: 9.0, ..results.run }, ..results.clone() };
        assert_eq!(slower.compute_digest(), results.digest);
        let mut other = results.clone();
        other.flows[0].fct_ps = Some(1_000_001);
        assert_ne!(other.compute_digest(), results.digest);
    }

    #[test]
    fn another_schema_is_refused_by_name() {
        let text = sample().to_json().replacen("\"schema\": 1", "\"schema\": 7", 1);
        assert!(matches!(Results::from_json(&text), Err(ReadError::Schema { found: 7 })));
        assert!(matches!(Results::from_json("{"), Err(ReadError::Json(_))));
    }
}
