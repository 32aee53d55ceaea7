//! Pauses, what caused them, and what they led to: propagation trees, deadlocks, lossless drops.

use serde::{Deserialize, Serialize};

/// One pause asked for by a node: from its first PFC frame until the resume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PauseEvent {
    /// Number of this pause in the run.
    pub id: u32,
    /// The node that asked for it.
    pub node: String,
    /// The port by which it asked, so the peer behind it was paused.
    pub port: u32,
    /// The priority paused.
    pub priority: u8,
    /// When the pause was decided.
    pub start_ps: u64,
    /// When it was lifted; none if it never was.
    pub end_ps: Option<u64>,
    /// The pause that caused this one: the frame that crossed the threshold wanted to leave by a port that
    /// was itself paused. None at the root of a tree.
    pub parent: Option<u32>,
    /// The egress port that the frame which crossed the threshold wanted: the congestion point at a root. None
    /// for a host.
    pub toward_port: Option<u32>,
}

/// A tree of pauses: a root cause and everything that followed from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PauseTree {
    /// Where it began, as `node:port/priority` of the congested egress port (or of the host that paused).
    pub root: String,
    /// How many pauses had this root cause.
    pub pauses: u64,
    /// Most pauses from root to leaf.
    pub depth: u32,
    /// Distinct ports paused.
    pub ports: u64,
    /// Edges `paused port ← pausing port` with how often each was used, ordered by that, at most 64.
    pub edges: Vec<PauseEdge>,
}

/// One step of propagation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PauseEdge {
    /// Who was paused, as `node:port`: that egress port stopped.
    pub paused: String,
    /// Who asked, as `node:port`.
    pub by: String,
    /// How often.
    pub times: u64,
}

/// All pauses of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pauses {
    /// Every pause in order of start, up to a limit set in the run options.
    pub events: Vec<PauseEvent>,
    /// Pauses that did not fit into `events`.
    pub not_kept: u64,
    /// Trees by root cause, largest first.
    pub trees: Vec<PauseTree>,
}

/// A cycle of ports each of which waits for the next: none of them can ever send again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deadlock {
    /// When it was found.
    pub at_ps: u64,
    /// Since when the cycle has made no progress, at least.
    pub since_ps: u64,
    /// The priority that is stuck.
    pub priority: u8,
    /// The cycle, as `node:port` of egress ports; each is paused by the node that owns the next one.
    pub cycle: Vec<String>,
}

/// A frame of a lossless class that found no room: always an error, of configuration or of Weir.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LosslessDrop {
    /// When.
    pub at_ps: u64,
    /// The switch.
    pub node: String,
    /// The port at which the frame arrived.
    pub port: u32,
    /// Its priority.
    pub priority: u8,
    /// Bytes that this port and priority held in the buffer.
    pub occupancy_bytes: u64,
    /// Of them, bytes in headroom.
    pub headroom_bytes: u64,
    /// The headroom that was configured.
    pub headroom_limit_bytes: u64,
}
