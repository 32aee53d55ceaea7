//! Messages from host to host: what a workload turns into.

use crate::text::keywords;
use serde::Serialize;
use weir_units::{Span, Time};

use crate::NodeId;

keywords! {
    /// What carries the bytes.
    pub enum Op: "an operation" {
        /// RDMA WRITE from `src` to `dst`.
        #[default]
        Write = "write",
        /// SEND from `src` to `dst`.
        Send = "send",
        /// RDMA READ: `dst` asks, and the bytes flow from `src` to `dst` as responses. The flow starts with the
        /// request.
        Read = "read",
    }
}

/// When a flow starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// At this time.
    At(Time),
    /// When a gate opens.
    After {
        /// Index into [`FlowSet::gates`].
        gate: u32,
        /// Time between the gate's opening and the start, for example for computing.
        delay: Span,
    },
}

/// One message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FlowSpec {
    /// Its index in [`FlowSet::flows`].
    pub id: u32,
    /// Host where the bytes come from.
    pub src: NodeId,
    /// Host where the bytes go to.
    pub dst: NodeId,
    /// Payload bytes, at least 1.
    pub bytes: u64,
    /// When it starts.
    pub start: Start,
    /// How the bytes travel.
    pub op: Op,
    /// Index of the traffic class in [`crate::Qos::classes`].
    pub class: u8,
    /// Flows of equal `connection` use one queue pair, one after the other in order of start and then of `id`:
    /// its rate, window and path live on from message to message. All of them have the same `src`, `dst` and
    /// `class`.
    pub connection: u32,
    /// Index into [`FlowSet::jobs`].
    pub job: u32,
}

/// What dependent flows wait for. Gate `i` opens when the last of its flows has been delivered at its receiver; a
/// flow may stand in several gates.
///
/// Waiting goes through gates so that n flows that wait for n others are 2n entries and not n².
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Gates {
    /// Where the flows of gate `i` end.
    ends: Vec<u32>,
    flows: Vec<u32>,
}

impl Gates {
    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len()
    }
    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
    /// The flows, by `id`, that must have been delivered before gate `i` opens; at least one.
    #[inline]
    pub fn flows_of(&self, i: u32) -> &[u32] {
        let i = i as usize;
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.flows[start as usize..self.ends[i] as usize]
    }
    /// Adds a gate and gives its index.
    pub fn push(&mut self, flows: impl IntoIterator<Item = u32>) -> u32 {
        self.flows.extend(flows);
        self.ends.push(self.flows.len() as u32);
        self.ends.len() as u32 - 1
    }
}

/// What one run of one workload is called in results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Job {
    /// The workload's name, with the number of the repetition behind `#` where it repeats.
    pub name: String,
    /// The workload's tag, such as `foreground`.
    pub tag: String,
    /// Index of the workload in [`crate::Scenario::workloads`].
    pub workload: u32,
    /// Its pattern, such as `incast`.
    pub kind: &'static str,
    /// Whether the completion time of the whole is of interest: a collective, a job with dependent flows.
    pub collective: bool,
    /// Ranks that take part in a collective; 0 otherwise.
    pub ranks: u32,
    /// Payload that each rank contributes to a collective, in bytes; 0 otherwise.
    pub rank_bytes: u64,
}

/// Everything that a scenario's workloads send.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FlowSet {
    /// By `id`. Flows with a start time are in no particular order of time.
    pub flows: Vec<FlowSpec>,
    /// What dependent flows wait for.
    pub gates: Gates,
    /// What flows belong to.
    pub jobs: Vec<Job>,
    /// How many different values `connection` takes: `0..connections`.
    pub connections: u32,
}
