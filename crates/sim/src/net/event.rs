//! What can happen.

use super::frame::Handle;

/// An event of the own mode. Times are kept by the queue; equal times are served in the order of scheduling, which
/// depends on scenario and seed alone.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// The last byte of a frame is at a port of a switch.
    ToSwitch {
        /// Index of the switch.
        node: u32,
        /// Number of the port there.
        local: u16,
        frame: Handle,
    },
    /// The last byte of a frame is at a port of a host.
    ToHost { port: u32, frame: Handle },
    /// The same for a line where something is out of the ordinary: faults, taps.
    Arrive { port: u32, frame: Handle },
    /// The transmitter of a switch port is free, and something may wait for it.
    SwitchFree(u32),
    /// A NIC may have something to send: its transmitter is free or its pacer lets someone go.
    NicWake(u32),
    /// The next flows start.
    FlowStart,
    /// A flow that waited for others starts.
    FlowReady(u32),
    /// A timer of a queue pair (retransmission, receiver not ready) may have run out.
    QpTimer { end: u32, generation: u32 },
    /// The notification point of an end has made a congestion notification.
    CnpReady { end: u32 },
    /// A window of the notification point of an end is over.
    NpWindow { end: u32 },
    /// The reaction point of an end acts on a congestion notification.
    CnpHandled { end: u32 },
    /// A PFC frame is at a port.
    Pfc {
        port: u32,
        /// Where the frame is kept.
        frame: u32,
    },
    /// A switch has a deadline: a pause runs out, a refresh is due, the watchdog looks.
    SwitchDeadline(u32),
    /// A pause of a NIC may have run out.
    NicPauseEnd(u32),
    /// A slow receiver has taken in its oldest frame.
    Drained(u32),
    /// A NIC that pauses its peer repeats the pause.
    NicRefresh(u32),
    /// A planned fault begins or ends.
    Fault(u32),
    /// Histograms are due.
    Sample,
    /// Queue series are due.
    Series,
    /// Rate series are due.
    RateSeries,
    /// Time to look for deadlocks.
    Deadlocks,
}
