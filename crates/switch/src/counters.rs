//! Counters, named as SONiC's counter database names them.

use crate::{Priority, WatchdogState};
use weir_units::Span;

/// One port and priority: PFC of the port, the egress queue, and the ingress priority group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PriorityCounters {
    /// PFC frames received that pause the priority.
    pub pfc_pauses_received: u64,
    /// PFC frames received that resume it (`SAI_PORT_STAT_PFC_n_ON2OFF_RX_PKTS`). With those that pause they are
    /// `SAI_PORT_STAT_PFC_n_RX_PKTS`.
    pub pfc_resumes_received: u64,
    /// PFC frames sent that pause the priority, repetitions included.
    pub pfc_pauses_sent: u64,
    /// PFC frames sent that resume it. With those that pause they are `SAI_PORT_STAT_PFC_n_TX_PKTS`.
    pub pfc_resumes_sent: u64,
    /// Time for which the queue was not allowed to send (`SAI_PORT_STAT_PFC_n_RX_PAUSE_DURATION_US`).
    pub rx_pause_duration: Span,
    /// Time for which the peer was asked not to send (`SAI_PORT_STAT_PFC_n_TX_PAUSE_DURATION_US`).
    pub tx_pause_duration: Span,
    /// Frames sent (`SAI_QUEUE_STAT_PACKETS`).
    pub queue_packets: u64,
    /// Their bytes (`SAI_QUEUE_STAT_BYTES`).
    pub queue_bytes: u64,
    /// Frames toward this queue that were dropped, for whatever reason (`SAI_QUEUE_STAT_DROPPED_PACKETS`).
    pub queue_dropped_packets: u64,
    /// Their bytes (`SAI_QUEUE_STAT_DROPPED_BYTES`).
    pub queue_dropped_bytes: u64,
    /// Bytes waiting now (`SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES`).
    pub queue_occupancy_bytes: u64,
    /// Most bytes that ever waited (`SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES`; queues have no reserve of their own).
    pub queue_watermark_bytes: u64,
    /// Frames marked here (`SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS`).
    pub ecn_marked_packets: u64,
    /// Their bytes (`SAI_QUEUE_STAT_WRED_ECN_MARKED_BYTES`).
    pub ecn_marked_bytes: u64,
    /// Frames taken in at this port (`SAI_INGRESS_PRIORITY_GROUP_STAT_PACKETS`).
    pub group_packets: u64,
    /// Their bytes (`SAI_INGRESS_PRIORITY_GROUP_STAT_BYTES`).
    pub group_bytes: u64,
    /// Frames from this port that were not taken in (`SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS`).
    pub group_dropped_packets: u64,
    /// Their bytes.
    pub group_dropped_bytes: u64,
    /// Bytes held for this port now: reserve, shared and headroom
    /// (`SAI_INGRESS_PRIORITY_GROUP_STAT_CURR_OCCUPANCY_BYTES`).
    pub group_occupancy_bytes: u64,
    /// Most bytes that were ever held (`SAI_INGRESS_PRIORITY_GROUP_STAT_WATERMARK_BYTES`).
    pub group_watermark_bytes: u64,
    /// Of the bytes held now, those in the shared buffer (`SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_CURR_OCCUPANCY_BYTES`).
    pub group_shared_occupancy_bytes: u64,
    /// Most that were (`SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES`).
    pub group_shared_watermark_bytes: u64,
    /// Of the bytes held now, those in headroom (`SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_CURR_OCCUPANCY_BYTES`).
    pub xoff_room_occupancy_bytes: u64,
    /// Most that were (`SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES`).
    pub xoff_room_watermark_bytes: u64,
}

impl PriorityCounters {
    /// Name and value of each counter, in a fixed order; `priority` is part of some names.
    pub fn named(&self, priority: Priority) -> Vec<(String, u64)> {
        let port = |name: &str| format!("SAI_PORT_STAT_PFC_{priority}_{name}");
        let queue = |name: &str| format!("SAI_QUEUE_STAT_{name}");
        let group = |name: &str| format!("SAI_INGRESS_PRIORITY_GROUP_STAT_{name}");
        let us = |span: Span| span.as_ps() / Span::from_us(1).as_ps();
        vec![
            (port("RX_PKTS"), self.pfc_pauses_received + self.pfc_resumes_received),
            (port("TX_PKTS"), self.pfc_pauses_sent + self.pfc_resumes_sent),
            (port("ON2OFF_RX_PKTS"), self.pfc_resumes_received),
            (port("RX_PAUSE_DURATION_US"), us(self.rx_pause_duration)),
            (port("TX_PAUSE_DURATION_US"), us(self.tx_pause_duration)),
            (queue("PACKETS"), self.queue_packets),
            (queue("BYTES"), self.queue_bytes),
            (queue("DROPPED_PACKETS"), self.queue_dropped_packets),
            (queue("DROPPED_BYTES"), self.queue_dropped_bytes),
            (queue("CURR_OCCUPANCY_BYTES"), self.queue_occupancy_bytes),
            (queue("SHARED_WATERMARK_BYTES"), self.queue_watermark_bytes),
            (queue("WRED_ECN_MARKED_PACKETS"), self.ecn_marked_packets),
            (queue("WRED_ECN_MARKED_BYTES"), self.ecn_marked_bytes),
            (group("PACKETS"), self.group_packets),
            (group("BYTES"), self.group_bytes),
            (group("DROPPED_PACKETS"), self.group_dropped_packets),
            (group("CURR_OCCUPANCY_BYTES"), self.group_occupancy_bytes),
            (group("WATERMARK_BYTES"), self.group_watermark_bytes),
            (group("SHARED_CURR_OCCUPANCY_BYTES"), self.group_shared_occupancy_bytes),
            (group("SHARED_WATERMARK_BYTES"), self.group_shared_watermark_bytes),
            (group("XOFF_ROOM_CURR_OCCUPANCY_BYTES"), self.xoff_room_occupancy_bytes),
            (group("XOFF_ROOM_WATERMARK_BYTES"), self.xoff_room_watermark_bytes),
        ]
    }
}

impl WatchdogState {
    /// Name and value of each counter of a queue's watchdog.
    pub fn named(&self) -> Vec<(String, u64)> {
        let name = |name: &str| format!("PFC_WD_QUEUE_STATS_{name}");
        vec![
            (name("DEADLOCK_DETECTED"), self.detected),
            (name("DEADLOCK_RESTORED"), self.restored),
            (name("TX_PACKETS"), self.tx_packets),
            (name("TX_DROPPED_PACKETS"), self.tx_dropped_packets),
            (name("RX_PACKETS"), self.rx_packets),
            (name("RX_DROPPED_PACKETS"), self.rx_dropped_packets),
        ]
    }
}

/// The shared buffer of a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolCounters {
    /// Bytes in use now (`SAI_BUFFER_POOL_STAT_CURR_OCCUPANCY_BYTES`).
    pub occupancy_bytes: u64,
    /// Most that ever were (`SAI_BUFFER_POOL_STAT_WATERMARK_BYTES`).
    pub watermark_bytes: u64,
    /// Bytes of headroom in use now (`SAI_BUFFER_POOL_STAT_XOFF_ROOM_CURR_OCCUPANCY_BYTES`).
    pub xoff_room_occupancy_bytes: u64,
    /// Most that ever were (`SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES`).
    pub xoff_room_watermark_bytes: u64,
}

impl PoolCounters {
    /// Name and value of each counter.
    pub fn named(&self) -> Vec<(String, u64)> {
        let name = |name: &str| format!("SAI_BUFFER_POOL_STAT_{name}");
        vec![
            (name("CURR_OCCUPANCY_BYTES"), self.occupancy_bytes),
            (name("WATERMARK_BYTES"), self.watermark_bytes),
            (name("XOFF_ROOM_CURR_OCCUPANCY_BYTES"), self.xoff_room_occupancy_bytes),
            (name("XOFF_ROOM_WATERMARK_BYTES"), self.xoff_room_watermark_bytes),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_counter_has_one_name() {
        let counters = PriorityCounters { pfc_pauses_sent: 3, pfc_resumes_sent: 2, ..Default::default() };
        let named = counters.named(Priority::from_pcp(3));
        let names: BTreeSet<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.len(), named.len());
        assert!(named.contains(&("SAI_PORT_STAT_PFC_3_TX_PKTS".to_owned(), 5)), "{named:?}");
        assert!(names.contains("SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS"));
        assert!(names.contains("SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES"));
        assert_eq!(WatchdogState::default().named().len(), 6);
        assert_eq!(PoolCounters::default().named().len(), 4);
    }
}
