//! What goes wrong, where and when.

use serde::Serialize;
use weir_units::{Rate, Span, Time};

use crate::{LinkId, NodeId};

/// A fault.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fault {
    /// From this time on.
    pub from: Time,
    /// Until this time; [`Time::MAX`] for ever.
    pub until: Time,
    /// What happens.
    pub kind: FaultKind,
}

/// What a fault does. Faults of links hold for both directions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// Frames vanish.
    Loss {
        /// Where.
        links: Vec<LinkId>,
        /// Share of frames, 0 to 1.
        probability: f64,
    },
    /// Every n-th data frame of a direction vanishes.
    DropEvery {
        /// Where.
        links: Vec<LinkId>,
        /// n, at least 2.
        every: u64,
    },
    /// Frames are held back.
    Reorder {
        /// Where.
        links: Vec<LinkId>,
        /// Share of frames, 0 to 1.
        probability: f64,
        /// For how long at most.
        delay: Span,
    },
    /// Frames arrive twice.
    Duplicate {
        /// Where.
        links: Vec<LinkId>,
        /// Share of frames, 0 to 1.
        probability: f64,
    },
    /// Payload is changed behind the FCS, so that the ICRC alone notices.
    Corrupt {
        /// Where.
        links: Vec<LinkId>,
        /// Share of frames, 0 to 1.
        probability: f64,
    },
    /// The cable is out.
    LinkDown {
        /// Which.
        links: Vec<LinkId>,
    },
    /// The cable goes out and comes back, again and again: down for `down`, up for `up`, beginning with down.
    Flap {
        /// Which.
        links: Vec<LinkId>,
        /// Time out.
        down: Span,
        /// Time up.
        up: Span,
    },
    /// The host sends PFC pauses without end.
    PauseStorm {
        /// Which.
        host: NodeId,
        /// Priorities that it pauses, one bit each.
        priorities: u8,
    },
    /// The host takes data in at no more than this rate and pauses the switch meanwhile.
    SlowReceiver {
        /// Which.
        host: NodeId,
        /// Rate at which it takes data in.
        rate: Rate,
        /// Bytes that it can hold before it pauses.
        buffer: weir_units::Bytes,
    },
}
