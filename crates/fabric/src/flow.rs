//! Messages from host to host: what a workload turns into.

use serde::Serialize;
use weir_units::{Span, Time};

use crate::NodeId;

/// What carries the bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Op {
    /// RDMA WRITE from `src` to `dst`.
    #[default]
    Write,
    /// SEND from `src` to `dst`.
    Send,
    /// RDMA READ: `dst` asks, and the bytes flow from `src` to `dst` as responses. The flow starts with the
    /// request.
    Read,
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

/// Opens when the last of its flows has been delivered at its receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Gate {
    /// Flows that must have been delivered, by `id`; a flow may stand in several gates. An empty gate is open
    /// from time 0.
    pub flows: Vec<u32>,
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
    pub gates: Vec<Gate>,
    /// What flows belong to.
    pub jobs: Vec<Job>,
    /// How many different values `connection` takes: `0..connections`.
    pub connections: u32,
}
