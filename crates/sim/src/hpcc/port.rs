//! One end of a link: what transmits, one frame at a time.

use super::clock::serialisation_ns;
use super::frame::Event;
use crate::wheel::{Ticket, Wheel};

/// Which error model of the list a port uses; none.
pub(crate) const NO_LOSS: u32 = u32::MAX;

/// A port of a switch or a host.
#[derive(Clone, Debug)]
pub(crate) struct Port {
    /// The port at the other end.
    pub peer: u32,
    /// Index of the switch, or of the host's NIC.
    pub owner: u32,
    /// Which port of its node, from 0: the reference's interface less one.
    pub local: u16,
    pub is_switch: bool,
    pub up: bool,
    /// The node.
    pub node: u32,
    /// The error model that its arrivals meet.
    pub loss: u32,
    pub delay_ns: u64,
    pub bps: u64,
    /// Serialisation of a full data packet, and of an acknowledgement.
    full_ns: u64,
    ack_ns: u64,
    full_bytes: u16,
    ack_bytes: u16,
    /// Whether an event tells when the frame on the line has gone. If not, the place of that event in the order
    /// is kept, and it is scheduled when somebody wants to send before.
    armed: bool,
    busy_until: u64,
    ticket: Ticket,
    /// Bytes sent so far, for telemetry.
    pub sent_bytes: u64,
}

/// Lengths that nearly every frame has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UsualBytes {
    pub full: u16,
    pub ack: u16,
}

impl Port {
    /// Port `local` of `node`, with `ticket` for a transmission before the first.
    pub fn new(node: u32, local: u16, bps: u64, delay_ns: u64, usual: UsualBytes, ticket: Ticket) -> Self {
        Port {
            peer: 0,
            owner: 0,
            local,
            is_switch: false,
            up: true,
            node,
            loss: NO_LOSS,
            delay_ns,
            bps,
            full_ns: serialisation_ns(u32::from(usual.full), bps),
            ack_ns: serialisation_ns(u32::from(usual.ack), bps),
            full_bytes: usual.full,
            ack_bytes: usual.ack,
            armed: false,
            busy_until: 0,
            ticket,
            sent_bytes: 0,
        }
    }

    /// Whether a frame is on the line.
    #[inline]
    pub fn is_busy(&self, wheel: &Wheel<Event>) -> bool {
        self.armed || !wheel.has_passed(self.busy_until, self.ticket)
    }

    /// A frame starts now and is gone at `until`; `ticket` is the place of that moment among its equals, and
    /// `armed` tells that an event has it.
    #[inline]
    pub fn begin(&mut self, until: u64, ticket: Ticket, armed: bool) {
        self.busy_until = until;
        self.ticket = ticket;
        self.armed = armed;
    }

    /// Somebody waits for the line: where to put the event for its end, unless there is one.
    #[inline]
    pub fn arm(&mut self) -> Option<(u64, Ticket)> {
        if std::mem::replace(&mut self.armed, true) { None } else { Some((self.busy_until, self.ticket)) }
    }

    /// The event of the end has come.
    #[inline]
    pub fn disarm(&mut self) {
        self.armed = false;
        self.busy_until = 0;
    }

    /// How long a frame of `bytes` takes.
    #[inline]
    pub fn serialisation_ns(&self, bytes: u16) -> u64 {
        if bytes == self.full_bytes {
            self.full_ns
        } else if bytes == self.ack_bytes {
            self.ack_ns
        } else {
            serialisation_ns(u32::from(bytes), self.bps)
        }
    }
}
