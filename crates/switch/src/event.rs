//! What a switch has to say besides frames.

use crate::{Port, Priority};
use std::fmt;
use weir_units::Time;

/// Why a frame was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The switch has no such ingress or egress port.
    NoSuchPort,
    /// No class has this priority.
    NoSuchPriority,
    /// Longer than 65,535 bytes.
    TooLong,
    /// A lossy class whose egress queue has reached its threshold (tail drop).
    EgressThreshold,
    /// A class without PFC whose ingress has reached its threshold.
    IngressThreshold,
    /// The shared buffer has no room for a frame of a lossy class.
    BufferFull,
    /// A lossless class for which threshold and headroom are both used up: an error of configuration.
    Lossless(LosslessDrop),
    /// The watchdog found the egress queue in a storm and drops what wants to join it.
    StormEgress,
    /// The watchdog found a storm at the ingress port and drops what arrives there in the priority.
    StormIngress,
    /// The egress port was flushed.
    Flushed,
}

/// A frame of a lossless class that found no room. Never happens while headroom is configured by the formula and
/// the peer obeys PFC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LosslessDrop {
    /// When.
    pub at: Time,
    /// Where the frame came in.
    pub in_port: Port,
    /// Where it wanted to leave.
    pub out_port: Port,
    /// Its priority.
    pub priority: Priority,
    /// Its length.
    pub frame_bytes: u32,
    /// What this port and priority held in reserve and shared buffer.
    pub occupancy_bytes: u32,
    /// What they held in headroom.
    pub headroom_bytes: u32,
    /// The headroom that they have.
    pub headroom_limit_bytes: u32,
    /// Shared buffer in use by all.
    pub shared_used_bytes: u64,
}

impl fmt::Display for LosslessDrop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a lossless frame of {} B was dropped at {}: port {} priority {} (toward port {}) held {} B and {} of \
             {} B of headroom; give the port more headroom, or check that its peer obeys PFC",
            self.frame_bytes,
            self.at,
            self.in_port,
            self.priority,
            self.out_port,
            self.occupancy_bytes,
            self.headroom_bytes,
            self.headroom_limit_bytes
        )
    }
}

impl std::error::Error for LosslessDrop {}

/// A frame that was queued and then thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discarded<F> {
    /// The frame.
    pub frame: F,
    /// Where it had come in.
    pub in_port: Port,
    /// Where it should have left.
    pub out_port: Port,
    /// Its priority.
    pub priority: Priority,
    /// Why.
    pub reason: DropReason,
}

/// What the watchdog has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A queue was paused for the detection time without a break.
    StormDetected {
        /// When.
        at: Time,
        /// The egress port.
        port: Port,
        /// The priority.
        priority: Priority,
        /// Bytes that were waiting.
        queued_bytes: u32,
    },
    /// No pause has been seen for the restoration time.
    StormRestored {
        /// When.
        at: Time,
        /// The egress port.
        port: Port,
        /// The priority.
        priority: Priority,
    },
}
