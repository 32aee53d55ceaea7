//! The PFC watchdog, as SONiC has it: a queue that stays paused is in a storm until pauses stay away.

use weir_units::Span;

/// What the watchdog does with a queue in a storm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WatchdogAction {
    /// Drops what is queued, what arrives for the queue, and what the port receives in its priority.
    #[default]
    Drop,
    /// Sends in spite of the pause.
    Forward,
    /// Reports alone.
    Alert,
}

/// The watchdog of every port and lossless priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchdogParams {
    /// A queue that was paused for this long without a break is in a storm, whether or not anything waits in it
    /// (`detection_time`).
    pub detection: Span,
    /// Without a pause for this long, it is well again (`restoration_time`).
    pub restoration: Span,
    /// What happens meanwhile (`action`).
    pub action: WatchdogAction,
}

/// One queue's watchdog and its counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WatchdogState {
    /// Whether the queue is in a storm now (`PFC_WD_STATUS` `stormed`).
    pub stormed: bool,
    /// Storms found (`PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED`).
    pub detected: u64,
    /// Storms that passed (`PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED`).
    pub restored: u64,
    /// Frames sent in storms (`PFC_WD_QUEUE_STATS_TX_PACKETS`).
    pub tx_packets: u64,
    /// Frames toward the queue dropped in storms (`PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS`).
    pub tx_dropped_packets: u64,
    /// Frames from the port taken in during storms (`PFC_WD_QUEUE_STATS_RX_PACKETS`).
    pub rx_packets: u64,
    /// Frames from the port dropped in storms (`PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS`).
    pub rx_dropped_packets: u64,
}
