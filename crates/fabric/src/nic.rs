//! What a NIC does, and how long it takes.

use crate::text::keywords;
use serde::Serialize;
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Window {
    /// Any number.
    #[default]
    None,
    /// The path's base round trip times its slowest link.
    Bdp,
    /// This many.
    Bytes(Bytes),
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
