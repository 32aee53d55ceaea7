//! Counters of ports and hosts, under the names that SONiC and mlx5 give them.

use serde::{Deserialize, Serialize};

/// One port of a switch or host, as seen from that end of the link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PortResult {
    /// The node's name.
    pub node: String,
    /// Whether the node is a switch.
    pub switch: bool,
    /// Port number on the node.
    pub port: u32,
    /// The node at the other end.
    pub peer: String,
    /// Port number at the other end.
    pub peer_port: u32,
    /// Line rate.
    pub rate_bps: u64,
    /// Frames sent, PFC frames included (`SAI_PORT_STAT_IF_OUT_UCAST_PKTS` and control frames).
    pub tx_frames: u64,
    /// Bytes of those frames without preamble and gap (`SAI_PORT_STAT_IF_OUT_OCTETS`).
    pub tx_bytes: u64,
    /// Frames that arrived here whole.
    pub rx_frames: u64,
    /// Their bytes (`SAI_PORT_STAT_IF_IN_OCTETS`).
    pub rx_bytes: u64,
    /// Share of the run for which the line was busy sending, gap included.
    pub utilisation: f64,
    /// Frames lost on the way out of this port: lost by the link, corrupted beyond the FCS, or sent into a
    /// link that was down.
    pub link_drops: u64,
    /// Frames that arrived here with a bad FCS or ICRC (`SAI_PORT_STAT_IF_IN_ERRORS`).
    pub rx_errors: u64,
    /// Each priority that saw anything.
    pub priorities: Vec<PriorityResult>,
}

/// One priority of one port.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PriorityResult {
    /// 0 to 7.
    pub priority: u8,
    /// Deepest egress queue, bytes (`SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES`).
    pub max_queue_bytes: u64,
    /// Deepest ingress occupancy, headroom included, bytes (`SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES`).
    pub max_ingress_bytes: u64,
    /// Most headroom in use, bytes (`SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES`).
    pub max_headroom_bytes: u64,
    /// Frames that got congestion experienced here (`SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS`).
    pub ecn_marked: u64,
    /// Frames dropped for want of buffer, by the port they wanted to leave by (`SAI_QUEUE_STAT_DROPPED_PACKETS`).
    pub dropped: u64,
    /// Pause frames that this port sent, refreshes included (`SAI_PORT_STAT_PFC_n_TX_PKTS` without resumes).
    pub pfc_tx: u64,
    /// Resume frames that this port sent (`SAI_PORT_STAT_PFC_n_ON2OFF_RX_PKTS` of the peer).
    pub pfc_resume_tx: u64,
    /// Pause frames that arrived at this port (`SAI_PORT_STAT_PFC_n_RX_PKTS` without resumes).
    pub pfc_rx: u64,
    /// Time for which this port was not allowed to send (`SAI_PORT_STAT_PFC_n_RX_PAUSE_DURATION`).
    pub paused_ps: u64,
    /// Egress queue depth, sampled: how many samples fell into each bucket. Bucket 0 counts empty queues,
    /// bucket 1 depths under 1 KB (1000 bytes), bucket `i` above it depths from `2^(i-2)` KB up to `2^(i-1)` KB.
    pub queue_histogram: Vec<u64>,
}

/// Counters of one host, named as mlx5 names them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostResult {
    /// The host's name.
    pub name: String,
    /// Data frames that arrived with congestion experienced.
    pub np_ecn_marked_roce_packets: u64,
    /// Congestion notifications sent.
    pub np_cnp_sent: u64,
    /// Congestion notifications obeyed.
    pub rp_cnp_handled: u64,
    /// Congestion notifications for queue pairs that were gone.
    pub rp_cnp_ignored: u64,
    /// Requests that arrived with a later sequence number than expected.
    pub out_of_sequence: u64,
    /// Requests that arrived twice.
    pub duplicate_request: u64,
    /// Negative acknowledgements for sequence errors that arrived.
    pub packet_seq_err: u64,
    /// Retransmission timeouts.
    pub local_ack_timeout_err: u64,
    /// Receiver-not-ready negative acknowledgements that arrived.
    pub rnr_nak_retry_err: u64,
    /// Frames whose ICRC was wrong.
    pub rx_icrc_errors: u64,
    /// Frames dropped because the host could not take them in.
    pub rx_out_of_buffer: u64,
}

/// The bucket of [`PriorityResult::queue_histogram`] that a depth falls into.
pub fn histogram_bucket(bytes: u64) -> usize {
    match bytes {
        0 => 0,
        _ => 1 + (u64::BITS - (bytes / 1000).leading_zeros()) as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_fall_into_powers_of_two_kilobytes() {
        let at = |bytes| histogram_bucket(bytes);
        assert_eq!((at(0), at(1), at(999)), (0, 1, 1));
        assert_eq!((at(1_000), at(1_999)), (2, 2));
        assert_eq!((at(2_000), at(3_999)), (3, 3));
        assert_eq!((at(4_000), at(7_999), at(8_000)), (4, 4, 5));
    }
}
