//! Buffers and PFC of the switches.

use crate::text::keywords;
use serde::{Serialize, Serializer};
use weir_units::{Bytes, Rate, Span};

/// Buffer for what arrives while a pause travels to the sender, per port and lossless priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Headroom {
    /// 2 MTU + 64 B + C (2 d + response): what the formula needs, and no drop can happen.
    #[default]
    Auto,
    /// 3 C d, as the ns-3 HPCC simulator reckons.
    Hpcc,
    /// This much on every port.
    Bytes(Bytes),
}

impl Serialize for Headroom {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Headroom::Auto => serializer.serialize_str("auto"),
            Headroom::Hpcc => serializer.serialize_str("hpcc"),
            Headroom::Bytes(bytes) => bytes.serialize(serializer),
        }
    }
}

keywords! {
    /// How the buffer is accounted.
    pub enum Accounting: "a way of accounting" {
        /// Reserve and headroom for every port and class, and a shared rest.
        #[default]
        Standard = "standard",
        /// As the ns-3 HPCC simulator does it, 32-bit arithmetic included.
        Hpcc = "hpcc",
    }
}

/// The packet buffer of a switch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Buffer {
    /// All of it, for a switch.
    pub total: Bytes,
    /// How it is accounted.
    pub accounting: Accounting,
    /// Static threshold: a lossless queue pauses at this much; `None`: at a dynamic one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<Bytes>,
    /// Dynamic threshold: a lossless queue may take `alpha` times the shared buffer that is free.
    pub alpha: f64,
    /// If set, `alpha` is meant for ports of this rate and grows in proportion for faster ones, as in the ns-3 HPCC
    /// simulator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha_at: Option<Rate>,
    /// Dynamic threshold of an egress queue of a lossy class.
    pub lossy_alpha: f64,
    /// Guaranteed to each port and priority before it draws on the shared buffer.
    pub reserve: Bytes,
    /// Headroom per port and lossless priority.
    pub headroom: Headroom,
}

impl Default for Buffer {
    /// 32 MiB, alpha 1/8, a reserve of 4 KiB, headroom by the formula.
    fn default() -> Self {
        Self {
            total: Bytes::from_mib(32),
            accounting: Accounting::Standard,
            threshold: None,
            alpha: 0.125,
            alpha_at: None,
            lossy_alpha: 1.0,
            reserve: Bytes::from_kib(4),
            headroom: Headroom::Auto,
        }
    }
}

keywords! {
    /// What a watchdog does with a queue that stays paused.
    pub enum WatchdogAction: "a watchdog action" {
        /// Drop what is queued and what arrives for the queue.
        #[default]
        Drop = "drop",
        /// Send in spite of the pause.
        Forward = "forward",
        /// Report alone.
        Alert = "alert",
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watchdog: Option<Watchdog>,
}

impl Default for Pfc {
    /// On; pauses of the longest time, repeated at half of it, obeyed at once; no watchdog.
    fn default() -> Self {
        Self {
            enabled: true,
            style: PauseStyle::Quanta,
            quanta: u16::MAX,
            refresh: 0.5,
            xon_offset: Bytes::from_kib(3),
            response_delay: Span::ZERO,
            watchdog: None,
        }
    }
}

impl Default for Watchdog {
    /// SONiC's usual times: 200 ms to detect, 400 ms to restore.
    fn default() -> Self {
        Self { detect: Span::from_ms(200), restore: Span::from_ms(400), action: WatchdogAction::Drop }
    }
}
