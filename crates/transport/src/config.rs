//! How a queue pair is set up.

use crate::completion::CqId;
use crate::keys::{Access, Pd};
use crate::srq::SrqId;
use weir_congestion::ControlParams;
use weir_units::{Rate, Span};
use weir_wire::{Psn, Qpn};

/// Transport service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    /// Reliable connection.
    Rc,
    /// Unreliable connection.
    Uc,
    /// Unreliable datagram.
    Ud,
    /// Extended reliable connection, initiator: it only sends requests (annex A14).
    XrcInitiator,
    /// Extended reliable connection, target: it only answers, and receives into the shared receive queue that a request
    /// names (annex A14).
    XrcTarget,
}

impl Service {
    /// Whether lost packets are repeated.
    #[inline]
    pub const fn is_reliable(self) -> bool {
        matches!(self, Service::Rc | Service::XrcInitiator | Service::XrcTarget)
    }

    pub(crate) const fn is_xrc(self) -> bool {
        matches!(self, Service::XrcInitiator | Service::XrcTarget)
    }

    /// The top three bits of its opcodes.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Service::Rc => 0,
            Service::Uc => 1,
            Service::Ud => 3,
            Service::XrcInitiator | Service::XrcTarget => 5,
        }
    }
}

/// What the requester repeats after a loss. Both ends must have the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Recovery {
    /// From the lost packet on (the standard's).
    #[default]
    GoBackN,
    /// The whole message: the livelock of early NICs, for demonstrations.
    GoBack0,
    /// Only what is lost (as IRN, SIGCOMM 2018).
    SelectiveRepeat,
}

impl Recovery {
    /// What two ends use that want `self` and `peer`: the same if they agree, otherwise the standard's.
    pub fn negotiate(self, peer: Recovery) -> Recovery {
        if self == peer { self } else { Recovery::GoBackN }
    }
}

/// Parameters of selective repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Selective {
    /// Most packets between the oldest unacknowledged one and the next (IRN's BDP-FC): the bandwidth-delay product of the
    /// longest path. Rounded up to a multiple of 64; both ends must have the same.
    pub cap_packets: u32,
    /// Timeout while few packets are in flight, so that a lost tail is soon repeated.
    pub rto_low: Span,
    /// Fewer than this many in flight are few.
    pub rto_low_packets: u32,
}

impl Default for Selective {
    /// IRN's evaluation: 40 Gb/s, 110 packets of 1 KB, low timeout 100 us below 3 packets.
    fn default() -> Self {
        Self { cap_packets: 128, rto_low: Span::from_us(100), rto_low_packets: 3 }
    }
}

/// Attributes of a queue pair. Some can be changed with a state ([`Modify`](crate::Modify)).
#[derive(Clone, Debug)]
pub struct QpConfig {
    /// Transport service.
    pub service: Service,
    /// Own number.
    pub qpn: Qpn,
    /// Number of the peer (not UD).
    pub peer: Qpn,
    /// Protection domain.
    pub pd: Pd,
    /// Where send requests complete.
    pub send_cq: CqId,
    /// Where receive requests complete.
    pub recv_cq: CqId,
    /// Receive requests come from this queue.
    pub srq: Option<SrqId>,
    /// Send requests that fit.
    pub sq_depth: u32,
    /// Receive requests that fit.
    pub rq_depth: u32,
    /// Inline bytes that a send request may have.
    pub max_inline_bytes: u32,
    /// Remote rights that the peer has over this queue pair at all.
    pub access: Access,
    /// Queue key (UD).
    pub qkey: u32,
    /// Path MTU: payload bytes of a full packet.
    pub mtu: u32,
    /// First PSN sent.
    pub sq_psn: Psn,
    /// First PSN expected.
    pub rq_psn: Psn,
    /// Most payload bytes in flight, whatever the congestion controller's window; `u64::MAX` for no cap.
    pub window_bytes: u64,
    /// An acknowledgement is asked for at every n-th packet and at each message's last; also when the window closes, and
    /// when a quarter of the timeout has passed.
    pub ack_every: u32,
    /// Without progress for this long, repeat ([`ack_timeout`](crate::ack_timeout) has the standard's codes).
    pub ack_timeout: Span,
    /// Timeouts and sequence NAKs in a row, without progress, before the queue pair gives up.
    pub retry_count: u8,
    /// RNR NAKs in a row before it gives up; 7 for ever.
    pub rnr_retry: u8,
    /// RNR timer code that this side's RNR NAKs carry.
    pub min_rnr_timer: u8,
    /// Reads and atomics that this side may have outstanding.
    pub max_rd_atomic: u8,
    /// Reads and atomics that the peer may have outstanding here.
    pub max_dest_rd_atomic: u8,
    /// What is repeated after a loss.
    pub recovery: Recovery,
    /// Parameters of [`Recovery::SelectiveRepeat`].
    pub selective: Selective,
    /// Acknowledgements carry BECN if a packet since the last one came marked (for DCTCP).
    pub ecn_echo: bool,
    /// Bytes that the wire carries besides payload, extension headers and BTH; counted by the pacer.
    pub wire_overhead_bytes: u32,
    /// Congestion control.
    pub control: ControlParams,
    /// Rate of the port.
    pub line: Rate,
    /// Round trip of the idle path.
    pub base_rtt: Span,
}

impl Default for QpConfig {
    /// RC at 100 Gb/s, MTU 1024, no congestion control, deep queues, every remote right, and the timers that most
    /// applications use: timeout 67 ms (code 14), seven retries, endless RNR retries of 640 us (code 12).
    fn default() -> Self {
        Self {
            service: Service::Rc,
            qpn: Qpn::new(0),
            peer: Qpn::new(0),
            pd: Pd(0),
            send_cq: CqId(0),
            recv_cq: CqId(0),
            srq: None,
            sq_depth: u32::MAX,
            rq_depth: u32::MAX,
            max_inline_bytes: 1024,
            access: Access::REMOTE,
            qkey: 0,
            mtu: 1024,
            sq_psn: Psn::new(0),
            rq_psn: Psn::new(0),
            window_bytes: u64::MAX,
            ack_every: 16,
            ack_timeout: crate::ack_timeout(14),
            retry_count: 7,
            rnr_retry: 7,
            min_rnr_timer: 12,
            max_rd_atomic: 16,
            max_dest_rd_atomic: 16,
            recovery: Recovery::GoBackN,
            selective: Selective::default(),
            ecn_echo: false,
            wire_overhead_bytes: 0,
            control: ControlParams::None,
            line: Rate::from_gbps(100),
            base_rtt: Span::from_us(8),
        }
    }
}
