//! What happened to one flow.

use serde::{Deserialize, Serialize};

/// How a flow ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowStatus {
    /// Every byte arrived and the sender's work request completed.
    Completed,
    /// The sender's work request completed in error; the work completion status as verbs name it.
    Failed(String),
    /// The run ended first.
    Unfinished,
    /// Its start time, or the flows that it waits for, never came.
    NotStarted,
}

/// One flow: what was asked, when it ran, what it cost.
///
/// Times are picoseconds since the start of the run. `fct_ps` runs from the flow's start to the sender's
/// completion (the acknowledgement of the last byte), the definition of the HPCC paper; `delivered_ps` is
/// the arrival of the last byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowResult {
    /// The flow's number in the scenario.
    pub id: u32,
    /// Sending host (of the payload: for a read, the responder), as host number.
    pub src: u32,
    /// Receiving host, as host number.
    pub dst: u32,
    /// Payload bytes.
    pub bytes: u64,
    /// Traffic class (priority) of the data.
    pub class: u8,
    /// The job (collective, workload) it belongs to.
    pub job: u32,
    /// How it ended.
    pub status: FlowStatus,
    /// When it was started.
    pub start_ps: u64,
    /// From start to completion at the initiator; none if it did not complete.
    pub fct_ps: Option<u64>,
    /// When the last payload byte arrived; none if it did not.
    pub delivered_ps: Option<u64>,
    /// The time it would have taken alone in the network.
    pub ideal_ps: u64,
    /// `fct / ideal`, never below 1.
    pub slowdown: Option<f64>,
    /// Payload bytes that arrived in order.
    pub delivered_bytes: u64,
    /// Data frames sent, retransmissions included.
    pub sent_packets: u64,
    /// Data frames that were sent again.
    pub retransmitted_packets: u64,
    /// Data frames that arrived with congestion experienced.
    pub marked_packets: u64,
    /// Congestion notifications that reached the sender.
    pub cnps: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
}

impl FlowResult {
    /// Payload bits a second over the whole life of the flow; none before it completes.
    pub fn goodput_bps(&self) -> Option<f64> {
        let ps = self.fct_ps.filter(|ps| *ps > 0)?;
        Some(self.bytes as f64 * 8e12 / ps as f64)
    }
}
