//! The ns-3 HPCC mode: runs a configuration of the public HPCC simulator (ns-3.17, SIGCOMM 2019) as it is, and
//! gives the same files.
//!
//! Identity is meant literally: a whole-nanosecond clock that cuts every duration, the reference's order of
//! equal-time events, its random numbers, its routes and hashes. The host is the reference's: thinner than RoCE,
//! with acknowledgements that carry the CNP as a flag and no retransmission timer. Buffer accounting, PFC, marking
//! and scheduling are [`weir_switch`]'s, rate control [`weir_congestion`]'s, with the reference's choices as
//! parameters.
//!
//! [`run`] reads everything and checks it before it creates an output. [`Summary`] says in words which keys of the
//! configuration had no effect.

mod clock;
mod config;
mod control;
mod engine;
mod error;
mod flows;
mod frame;
mod hash;
mod hosting;
mod keys;
mod link_down;
mod nic;
mod output;
mod paths;
mod port;
mod probes;
mod rng;
mod routes;
mod sender;
mod setup;
mod switching;
mod telemetry;
mod text;
mod topology;

use std::path::{Path, PathBuf};

pub use config::CcMode;
pub use error::HpccError;

/// How to run a configuration, beyond what it says itself.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Folder that the paths in the configuration, and its own, start from; empty for the working directory.
    pub base_dir: PathBuf,
    /// Whatever number of flows the flow file states: if it lists fewer, repeat the last one, as the reference does.
    pub repeat_last: bool,
    /// Added to the seed of every switch's ECMP hash (the seed is the node's id).
    pub ecmp_seed_offset: u32,
    /// Write the queue histogram at the end too, not only at multiples of 100 ms. (QLEN_TS or RATE_TS in the
    /// configuration have the same effect, as in the reference's monitored build.)
    pub final_histogram: bool,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time, ns.
    pub now_ns: u64,
    /// When it ends, ns.
    pub stop_ns: u64,
    /// Flows completed.
    pub flows_completed: u64,
    /// Flows in the list.
    pub flows: u64,
    /// Events handled.
    pub events: u64,
}

/// What happened in a run. Every number depends on the inputs alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// When it ended, ns.
    pub now_ns: u64,
    /// Flows in the list, started, completed, and running at the end.
    pub flows: u64,
    /// Flows started.
    pub flows_started: u64,
    /// Flows completed.
    pub flows_completed: u64,
    /// Flows that had started and were not complete at the end.
    pub flows_running: u64,
    /// Frames that hosts sent: data and acknowledgements.
    pub host_frames: u64,
    /// Data frames among them.
    pub host_data_frames: u64,
    /// Frames that switches sent, PFC frames aside.
    pub switch_frames: u64,
    /// Data frames among them.
    pub switch_data_frames: u64,
    /// PFC frames that switches sent.
    pub pfc_sent: u64,
    /// Frames that switches marked, acknowledgements among them.
    pub marks: u64,
    /// Pauses received.
    pub pauses: u64,
    /// Resumes received.
    pub resumes: u64,
    /// Acknowledgements received, and those with the CNP flag (NACKs too).
    pub acks: u64,
    /// NACKs received.
    pub nacks: u64,
    /// Acknowledgements and NACKs that carried the CNP flag.
    pub cnp_acks: u64,
    /// Frames that switches dropped for want of buffer.
    pub drops: u64,
    /// Frames lost by error models or with a link.
    pub lost: u64,
    /// Frames without a route.
    pub unroutable: u64,
    /// Events handled.
    pub events: u64,
    /// Places in the order of events given out; above `events` by the events that were not needed.
    pub scheduled: u64,
    /// Random streams taken: one an open ECN mark, one a PFC frame.
    pub random_draws: u64,
    /// What of the configuration had no effect, was missing, or is not certain to match the reference.
    pub notices: Vec<String>,
    /// What in the inputs distorts the result.
    pub warnings: Vec<String>,
}

impl Summary {
    /// Frames put on lines by hosts and switches, PFC frames aside.
    pub fn packet_hops(&self) -> u64 {
        self.host_frames + self.switch_frames
    }
}

/// Runs the configuration at `config_path` and writes the files that it names. `progress` hears from the run about
/// every quarter of a million events and at the end.
///
/// # Errors
///
/// What is wrong with the inputs, with file, line and remedy: then nothing has been written. Or an output that could
/// not be written.
pub fn run(
    config_path: &Path,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary, HpccError> {
    setup::prepare(config_path, options)?.run(progress)
}
