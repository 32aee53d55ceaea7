//! How a queue pair is set up, and the encodings of its timers.

use weir_congestion::ControlParams;
use weir_units::{Rate, Span};
use weir_wire::{Psn, Qpn};

/// Transport service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Reliable connection.
    Rc,
    /// Unreliable connection.
    Uc,
}

/// What the requester repeats after a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recovery {
    /// From the lost packet on.
    #[default]
    GoBackN,
    /// The whole message (the livelock of early NICs).
    GoBack0,
}

/// Attributes of a queue pair.
#[derive(Clone, Debug)]
pub struct QpConfig {
    /// Transport service.
    pub service: Service,
    /// Own number.
    pub qpn: Qpn,
    /// Number of the peer.
    pub peer: Qpn,
    /// Path MTU: payload bytes of a full packet.
    pub mtu: u32,
    /// First PSN sent.
    pub sq_psn: Psn,
    /// First PSN expected.
    pub rq_psn: Psn,
    /// An acknowledgement is asked for at every n-th packet and at each message's last.
    pub ack_every: u32,
    /// Without progress for this long, repeat.
    pub ack_timeout: Span,
    /// Timeouts and sequence NAKs in a row before the queue pair gives up.
    pub retry_count: u8,
    /// RNR NAKs in a row before it gives up; 7 for ever.
    pub rnr_retry: u8,
    /// RNR timer code that this side's RNR NAKs carry.
    pub min_rnr_timer: u8,
    /// Reads that may be outstanding.
    pub max_rd_atomic: u8,
    /// What is repeated after a loss.
    pub recovery: Recovery,
    /// Bytes that the wire carries besides payload, extension headers and BTH; counted by the pacer.
    pub wire_overhead_bytes: u32,
    /// Congestion control.
    pub control: ControlParams,
    /// Rate of the port.
    pub line: Rate,
    /// Round trip of the idle path.
    pub base_rtt: Span,
}

/// The local ACK timeout of a code: 4.096 us × 2^code, 0 for never (IBTA volume 1, 9.9.2.1.1).
pub fn ack_timeout(code: u8) -> Span {
    if code == 0 { Span::MAX } else { Span::from_ps(4_096_000 << u64::from(code.min(31))) }
}

/// The RNR NAK timer of a code (IBTA volume 1, table 45).
pub fn rnr_timer(code: u8) -> Span {
    const HUNDREDTHS_MS: [u64; 32] = [
        65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
        3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
    ];
    Span::from_us(HUNDREDTHS_MS[usize::from(code & 31)] * 10)
}
