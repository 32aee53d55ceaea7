//! Buffers and PFC of the switches.

use crate::text::keywords;
use serde::Serialize;
use weir_units::{Bytes, Rate, Span};

/// Buffer for what arrives while a pause travels to the sender, per port and lossless priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Headroom {
    /// 2 MTU + 64 B + C (2 d + response): what the formula needs, and no drop can happen.
    #[default]
    Auto,
    /// 3 C d, as the ns-3 HPCC simulator reckons.
    Hpcc,
    /// This much on every port.
    Bytes(Bytes),
}

/// The packet buffer of a switch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Buffer {
    /// All of it, for a switch.
    pub total: Bytes,
    /// Dynamic threshold: a lossless queue may take `alpha` times the shared buffer that is free.
    pub alpha: f64,
    /// If set, `alpha` is meant for ports of this rate and grows in proportion for faster ones, as in the ns-3 HPCC
    /// simulator.
    pub alpha_at: Option<Rate>,
    /// Dynamic threshold of an egress queue of a lossy class.
    pub lossy_alpha: f64,
    /// Guaranteed to each port and priority before it draws on the shared buffer.
    pub reserve: Bytes,
    /// Headroom per port and lossless priority.
    pub headroom: Headroom,
}

keywords! {
    /// What a watchdog does with a queue that stays paused.
    pub enum WatchdogAction: "a watchdog action" {
        /// Drop what is queued and what arrives for the queue.
        #[default]
        Drop = "drop",
        /// Send in spite of the pause.
        Forward = "forward",
    }
}

/// The PFC watchdog, as SONiC has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Watchdog {
    /// A queue that was paused for this long without sending is in a storm.
    pub detect: Span,
    /// Without pauses for this long, it is well again.
    pub restore: Span,
    /// What happens meanwhile.
    pub action: WatchdogAction,
}

keywords! {
    /// How long a pause holds.
    pub enum PauseStyle: "a pause style" {
        /// For its quanta, unless refreshed (IEEE 802.1Qbb).
        #[default]
        Quanta = "quanta",
        /// Until a resume arrives, as in the ns-3 HPCC simulator.
        OnOff = "on-off",
    }
}

/// Priority flow control of every switch and NIC.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pfc {
    /// Off: lossless classes lose packets when their threshold is reached.
    pub enabled: bool,
    /// How long a pause holds.
    pub style: PauseStyle,
    /// Pause time in quanta of 512 bit times.
    pub quanta: u16,
    /// A pause is repeated when this share of its time has passed, 0 to 1 (exclusive).
    pub refresh: f64,
    /// Resume when occupancy is this far below the threshold at which the queue paused.
    pub xon_offset: Bytes,
    /// Time between the arrival of a pause at a switch and the end of its transmission of that priority, besides the
    /// frame that is being sent.
    pub response_delay: Span,
    /// The watchdog, if there is one.
    pub watchdog: Option<Watchdog>,
}
