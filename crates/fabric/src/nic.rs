//! What a NIC does, and how long it takes.

use crate::text::keywords;
use serde::{Serialize, Serializer};
use weir_units::{Bytes, Span};

keywords! {
    /// For whom one CNP is enough.
    pub enum CnpMode: "a CNP mode" {
        /// Each queue pair has its own interval.
        #[default]
        PerFlow = "per-flow",
        /// All flows from one address share an interval.
        PerIp = "per-ip",
    }
}

keywords! {
    /// When a CNP leaves within its interval.
    pub enum CnpStyle: "a CNP style" {
        /// At the first marked packet, then nothing for an interval.
        #[default]
        Immediate = "immediate",
        /// At the end of each interval in which a marked packet came.
        WindowEnd = "window-end",
    }
}

keywords! {
    /// What the sender repeats after a loss.
    pub enum Recovery: "a way to recover" {
        /// Everything from the lost packet on.
        #[default]
        GoBackN = "go-back-n",
        /// The whole message, as early RoCE NICs did.
        GoBack0 = "go-back-0",
        /// The lost packets alone (IRN).
        SelectiveRepeat = "selective-repeat",
    }
}

/// How many bytes a queue pair may have in flight, whatever its rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Window {
    /// Any number.
    #[default]
    None,
    /// The path's base round trip times its slowest link.
    Bdp,
    /// This many.
    Bytes(Bytes),
}

impl Serialize for Window {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Window::None => serializer.serialize_str("none"),
            Window::Bdp => serializer.serialize_str("bdp"),
            Window::Bytes(bytes) => bytes.serialize(serializer),
        }
    }
}

/// Every NIC of the fabric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Nic {
    /// Payload of a full packet, 64 to 9216 bytes; InfiniBand's values are powers of two from 256 to 4096.
    pub mtu: Bytes,
    /// The sender asks for an acknowledgement at every n-th packet and at a message's last.
    pub ack_every: u32,
    /// Time that the receiver's NIC takes from a marked packet to its CNP.
    pub notification_delay: Span,
    /// Time that the sender's NIC takes from a CNP to the new rate.
    pub reaction_delay: Span,
    /// Time that the NIC takes from a pause to its last frame of that priority, besides the one being sent.
    pub pfc_response_delay: Span,
    /// Shortest time between CNPs.
    pub cnp_interval: Span,
    /// For whom one CNP is enough.
    pub cnp_mode: CnpMode,
    /// When in its interval a CNP leaves.
    pub cnp_style: CnpStyle,
    /// Without an acknowledgement for this long, the sender repeats. Rounded up to 4.096 us × 2^n, which is what
    /// the queue pair's timeout code can say.
    pub retransmission_timeout: Span,
    /// How often, before the queue pair gives up (IBTA: 0 to 7).
    pub retry_count: u8,
    /// What is repeated.
    pub recovery: Recovery,
    /// Cap on bytes in flight.
    pub window: Window,
}

impl Nic {
    /// Longest frame, from Ethernet header to FCS: payload, Ethernet 14 and a tag of 4, IPv4 20, UDP 8, BTH 12, RETH 16
    /// and immediate data 4, ICRC 4, FCS 4.
    pub fn max_frame_bytes(&self) -> u32 {
        u32::try_from(self.mtu.get()).unwrap_or(u32::MAX).saturating_add(86)
    }
}

impl Default for Nic {
    /// A NIC that takes no time itself, with the paper's CNP interval.
    fn default() -> Self {
        Self {
            mtu: Bytes::from_kib(1),
            ack_every: 1,
            notification_delay: Span::ZERO,
            reaction_delay: Span::ZERO,
            pfc_response_delay: Span::ZERO,
            cnp_interval: Span::from_us(50),
            cnp_mode: CnpMode::PerFlow,
            cnp_style: CnpStyle::Immediate,
            retransmission_timeout: Span::from_ms(4),
            retry_count: 7,
            recovery: Recovery::GoBackN,
            window: Window::None,
        }
    }
}
