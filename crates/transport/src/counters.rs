//! Counters of a queue pair.

/// Counts, under the names that mlx5 and rdma_rxe use where they have one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Data packets sent, repeated ones included: requests and read responses.
    pub sent_packets: u64,
    /// Request packets sent again.
    pub retransmitted_packets: u64,
    /// Payload bytes that arrived and count: of messages in order, and of read responses.
    pub delivered_bytes: u64,
    /// Request packets that arrived ahead of the expected one.
    pub out_of_sequence: u64,
    /// Request packets that had arrived before.
    pub duplicate_request: u64,
    /// Sequence NAKs received.
    pub packet_seq_err: u64,
    /// Read responses found missing because a later one arrived.
    pub implied_nak_seq_err: u64,
    /// RNR NAKs received.
    pub rnr_nak: u64,
    /// Retransmission timeouts.
    pub local_ack_timeout_err: u64,
    /// CNPs handled.
    pub cnp_handled: u64,
    /// Requests that found no receive request: RNR NAKs sent, or datagrams and UC messages dropped.
    pub out_of_buffer: u64,
    /// Messages of an unreliable service that were dropped because a packet was missing, or did not fit.
    pub dropped_messages: u64,
    /// Datagrams with a wrong queue key.
    pub qkey_violations: u64,
}
