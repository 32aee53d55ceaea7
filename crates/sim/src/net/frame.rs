//! Frames: a small handle that queues and events carry, and the packet behind it.

use weir_congestion::IntHop;
use weir_switch::Frame;
use weir_transport::Packet;

/// What travels: enough for a switch to do its work without a look at the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle {
    /// Slot of the packet.
    pub(crate) packet: u32,
    /// Where in the arena the next output port stands, or [`super::path::DYNAMIC`].
    pub(crate) path: u32,
    /// Bytes from the Ethernet header to the FCS.
    pub(crate) bytes: u16,
    pub(crate) prio: u8,
    pub(crate) flags: u8,
}

/// The frame's IP header allows marking (ECT).
pub(crate) const ECT: u8 = 1;
/// It has been marked (CE).
pub(crate) const CE: u8 = 2;
/// Its payload has been changed behind the FCS.
pub(crate) const CORRUPT: u8 = 4;
/// Switches write telemetry into it.
pub(crate) const INT: u8 = 8;

impl Frame for Handle {
    #[inline]
    fn bytes(&self) -> u32 {
        u32::from(self.bytes)
    }
    #[inline]
    fn ecn_capable(&self) -> bool {
        self.flags & ECT != 0
    }
    #[inline]
    fn mark_ce(&mut self) {
        self.flags |= CE;
    }
}

/// A packet under way: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Flying {
    pub(crate) packet: Packet<()>,
    /// The end that it is for: `2 × connection + side`.
    pub(crate) to: u32,
    /// Slot of its telemetry, or [`NO_TELEMETRY`].
    pub(crate) telemetry: u32,
}

/// No telemetry is collected.
pub(crate) const NO_TELEMETRY: u32 = u32::MAX;

/// Bytes around the InfiniBand transport header and payload in a RoCEv2 frame over IPv4: Ethernet 14, IPv4 20, UDP 8,
/// FCS 4.
pub(crate) const FRAME_OVERHEAD_BYTES: u32 = 14 + 20 + 8 + 4;

/// An acknowledgement: BTH 12, AETH 4, ICRC 4.
pub(crate) const ACK_FRAME_BYTES: u32 = FRAME_OVERHEAD_BYTES + 20;

/// What telemetry adds to a data packet and its acknowledgement: 8 bytes for each of up to five hops and a header of 2 (the
/// HPCC paper's figure).
pub(crate) const INT_BYTES: u32 = 42;

/// Telemetry of one packet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Telemetry {
    hops: [IntHop; MOST_HOPS],
    used: u8,
}

/// Hops that telemetry has room for.
const MOST_HOPS: usize = 8;

impl Telemetry {
    pub(crate) fn push(&mut self, hop: IntHop) {
        if let Some(slot) = self.hops.get_mut(usize::from(self.used)) {
            *slot = hop;
            self.used += 1;
        }
    }
    pub(crate) fn hops(&self) -> &[IntHop] {
        &self.hops[..usize::from(self.used)]
    }
}
