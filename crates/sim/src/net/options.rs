//! How to run: options, progress, errors.

use weir_fabric::Probes;
use weir_units::{Span, Time};

/// Options of a run that are no part of the scenario: they change what is reported, and (seed and limits apart) nothing
/// of what happens.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Instead of the scenario's seed.
    pub seed: Option<u64>,
    /// Instead of the scenario's time limit.
    pub time_limit: Option<Span>,
    /// Instead of the scenario's probes.
    pub probes: Option<Probes>,
    /// Pauses to keep one by one; more are only counted.
    pub max_pause_events: usize,
    /// Time between looks for deadlocks while anything is paused; zero for never.
    pub deadlock_interval: Span,
    /// Whether to end the run at the first deadlock.
    pub stop_at_deadlock: bool,
    /// Ports whose frames a [`Tap`] wants to see, as `node:port`.
    pub taps: Vec<String>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            seed: None,
            time_limit: None,
            probes: None,
            max_pause_events: 10_000,
            deadlock_interval: Span::from_us(500),
            stop_at_deadlock: true,
            taps: Vec::new(),
        }
    }
}

/// Is told now and then how far a run is.
pub trait Progress {
    /// `now` is simulated time, `done` of `flows` have ended. Returning false ends the run early.
    fn update(&mut self, now: Time, done: u64, flows: u64) -> bool;
}

/// Progress that nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn update(&mut self, _now: Time, _done: u64, _flows: u64) -> bool {
        true
    }
}

/// Which way a frame passed a tapped port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The port began to send it.
    Out,
    /// It arrived whole at the port.
    In,
}

/// Sees the frames of the ports named in [`RunOptions::taps`], as bytes from the Ethernet header to the ICRC, without
/// FCS. Payload bytes are zero.
pub trait Tap {
    /// `tap` counts from 0 in the order of [`RunOptions::taps`].
    fn frame(&mut self, tap: usize, at: Time, direction: Direction, bytes: &[u8]);
}

/// A tap that looks away.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTap;

impl Tap for NoTap {
    fn frame(&mut self, _tap: usize, _at: Time, _direction: Direction, _bytes: &[u8]) {}
}

/// Why a scenario cannot run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimError {
    /// Two hosts of a flow have no path between them.
    #[error("flow {flow}: no path from {from} to {to}; add a link between their parts of the topology")]
    NoPath {
        /// The flow's number.
        flow: u32,
        /// Sending host.
        from: String,
        /// Receiving host.
        to: String,
    },
    /// A flow names a host that is not there.
    #[error("flow {flow}: host {host} does not exist; there are {hosts}, numbered from 0")]
    NoSuchHost {
        /// The flow's number.
        flow: u32,
        /// The host that it names.
        host: u32,
        /// How many there are.
        hosts: usize,
    },
    /// A flow from a host to itself.
    #[error("flow {flow} goes from {host} to itself; a fabric carries flows between hosts")]
    ToItself {
        /// The flow's number.
        flow: u32,
        /// The host.
        host: String,
    },
    /// The parameters of a switch do not fit together.
    #[error("switch {node}: {error}")]
    Switch {
        /// Its name.
        node: String,
        /// What is wrong.
        error: weir_switch::ConfigError,
    },
    /// A flow waits for a gate that is not there, or flows and gates wait for each other in a circle.
    #[error("flow {flow} waits for gate {gate}, {why}")]
    BadDependency {
        /// The flow's number.
        flow: u32,
        /// The gate's number.
        gate: u32,
        /// What is wrong with that.
        why: &'static str,
    },
    /// An option or fault names a port that is not there.
    #[error("{what} `{name}`: there is no such {kind}; write `node:port`, for example `{example}`")]
    NoSuchPort {
        /// What named it.
        what: &'static str,
        /// The name.
        name: String,
        /// What was looked for.
        kind: &'static str,
        /// A name that exists.
        example: String,
    },
    /// A value that the simulator cannot work with.
    #[error("{field}: {found}, and must be {expected}")]
    BadValue {
        /// Which value.
        field: String,
        /// What it is.
        found: String,
        /// What it may be.
        expected: String,
    },
}
