//! What can be read of a switch.

use super::Switch;
use crate::counters::{PoolCounters, PriorityCounters};
use crate::{LosslessDrop, Port, Priority, WatchdogState};
use weir_units::Time;

impl<F> Switch<F> {
    fn cell(&self, port: Port, priority: Priority) -> Option<usize> {
        let slot = usize::from(self.slots[priority.index()]);
        (slot < self.stride && port.index() < self.lines.len()).then(|| port.index() * self.stride + slot)
    }

    /// How many ports there are.
    pub fn ports(&self) -> usize {
        self.lines.len()
    }

    /// The priorities that have a class, lowest first.
    pub fn priorities(&self) -> &[Priority] {
        &self.priorities[..self.stride]
    }

    /// Whether nothing waits at this egress port, paused or not.
    #[inline]
    pub fn is_empty(&self, port: Port) -> bool {
        self.lines.get(port.index()).is_none_or(|line| line.waiting == 0)
    }

    /// Bytes that wait at an egress port in one priority.
    #[inline]
    pub fn queue_bytes(&self, port: Port, priority: Priority) -> u64 {
        self.cell(port, priority).map_or(0, |at| u64::from(self.queues[at].bytes))
    }

    /// Bytes that wait at an egress port in all priorities.
    #[inline]
    pub fn port_bytes(&self, port: Port) -> u64 {
        self.lines.get(port.index()).map_or(0, |line| line.bytes)
    }

    /// The frames that wait at an egress port in one priority, the next to leave first.
    pub fn queued(&self, port: Port, priority: Priority) -> impl Iterator<Item = (Port, &F)> {
        let queue = self.cell(port, priority).and_then(|at| self.queues.get(at));
        queue.into_iter().flat_map(|queue| &queue.entries).map(|entry| (Port(entry.in_port), &entry.frame))
    }

    /// Bytes of the shared buffer in use.
    #[inline]
    pub fn shared_used(&self) -> u64 {
        u64::from(self.pool.shared_used())
    }

    /// Bytes of the shared buffer that thresholds divide.
    pub fn shared_limit(&self) -> u64 {
        u64::from(self.pool.shared_limit())
    }

    /// Bytes of headroom in use.
    #[inline]
    pub fn headroom_used(&self) -> u64 {
        u64::from(self.pool.headroom_used())
    }

    /// Bytes that an ingress port holds in one priority: reserve, shared and headroom.
    pub fn ingress_bytes(&self, port: Port, priority: Priority) -> u64 {
        let cell = self.cell(port, priority);
        cell.map_or(0, |at| u64::from(self.groups[at].held()) + u64::from(self.groups[at].headroom()))
    }

    /// Bytes of the shared buffer that an ingress port holds in one priority.
    pub fn ingress_shared_bytes(&self, port: Port, priority: Priority) -> u64 {
        self.cell(port, priority).map_or(0, |at| u64::from(self.groups[at].shared()))
    }

    /// Bytes of headroom that an ingress port holds in one priority.
    pub fn ingress_headroom_bytes(&self, port: Port, priority: Priority) -> u64 {
        self.cell(port, priority).map_or(0, |at| u64::from(self.groups[at].headroom()))
    }

    /// The ingress threshold of a port and priority as the buffer is filled now: XOFF for a lossless class.
    pub fn ingress_threshold(&self, port: Port, priority: Priority) -> u64 {
        self.cell(port, priority).map_or(0, |at| self.groups[at].threshold(&self.pool))
    }

    /// Whether this egress queue may not send now because its peer asked for a pause (and the watchdog does not
    /// override it).
    #[inline]
    pub fn paused(&self, now: Time, port: Port, priority: Priority) -> bool {
        let Some(at) = self.cell(port, priority) else { return false };
        let bit = 1 << (at - port.index() * self.stride);
        let line = &self.lines[port.index()];
        if self.rule.never_paused() & bit != 0 {
            return false;
        }
        line.line.is_paused(now) || (line.freed & bit == 0 && self.queues[at].pause.is_paused(now))
    }

    /// Whether this switch has asked the peer at this port to pause the priority.
    #[inline]
    pub fn pausing(&self, port: Port, priority: Priority) -> bool {
        self.cell(port, priority).is_some_and(|at| self.groups[at].is_xoff())
    }

    /// Frames of lossless classes that were dropped for want of headroom.
    pub fn lossless_drops(&self) -> u64 {
        self.lossless_drops
    }

    /// The first of them.
    pub fn first_lossless_drop(&self) -> Option<&LosslessDrop> {
        self.first_lossless_drop.as_ref()
    }

    /// The watchdog of a queue, if the switch has one.
    pub fn watchdog(&self, port: Port, priority: Priority) -> Option<&WatchdogState> {
        self.dogs.get(self.cell(port, priority)?)
    }

    /// Everything counted for one port and priority; `None` for a port or priority that the switch has not.
    pub fn counters(&self, now: Time, port: Port, priority: Priority) -> Option<PriorityCounters> {
        let at = self.cell(port, priority)?;
        let (group, queue) = (&self.groups[at], &self.queues[at]);
        let xoff = self.groups[at].headroom();
        Some(PriorityCounters {
            pfc_pauses_received: u64::from(group.pauses_received),
            pfc_resumes_received: u64::from(group.resumes_received),
            pfc_pauses_sent: u64::from(group.pauses_sent),
            pfc_resumes_sent: u64::from(group.resumes_sent),
            rx_pause_duration: queue.pause.paused_time(now),
            tx_pause_duration: group.xoff_time(now),
            queue_packets: queue.packets,
            queue_bytes: queue.octets,
            queue_dropped_packets: queue.dropped,
            queue_dropped_bytes: queue.dropped_octets,
            queue_occupancy_bytes: u64::from(queue.bytes),
            queue_watermark_bytes: u64::from(queue.peak),
            ecn_marked_packets: queue.marked,
            ecn_marked_bytes: queue.marked_octets,
            group_packets: group.packets,
            group_bytes: group.octets,
            group_dropped_packets: group.dropped,
            group_dropped_bytes: group.dropped_octets,
            group_occupancy_bytes: u64::from(group.held()) + u64::from(xoff),
            group_watermark_bytes: u64::from(group.peak_held()),
            group_shared_occupancy_bytes: u64::from(group.shared()),
            group_shared_watermark_bytes: u64::from(group.peak_shared()),
            xoff_room_occupancy_bytes: u64::from(xoff),
            xoff_room_watermark_bytes: u64::from(group.peak_headroom()),
        })
    }

    /// What the shared buffer counted.
    pub fn pool_counters(&self) -> PoolCounters {
        PoolCounters {
            occupancy_bytes: u64::from(self.pool.shared_used()),
            watermark_bytes: u64::from(self.pool.peak_shared()),
            xoff_room_occupancy_bytes: u64::from(self.pool.headroom_used()),
            xoff_room_watermark_bytes: u64::from(self.pool.peak_headroom()),
        }
    }

    /// Bytes of memory that the switch takes, frames' room included.
    pub fn memory_bytes(&self) -> usize {
        let frames: usize = self.queues.iter().map(|queue| queue.entries.capacity()).sum();
        size_of::<Self>()
            + size_of_val(self.lines.as_slice())
            + size_of_val(self.groups.as_slice())
            + size_of_val(self.queues.as_slice())
            + size_of_val(self.dogs.as_slice())
            + frames * size_of::<crate::queue::Entry<F>>()
    }

    /// Sets every watermark to what is held now.
    pub fn clear_watermarks(&mut self) {
        self.pool.clear_peaks();
        self.groups.iter_mut().for_each(crate::mmu::Group::clear_peaks);
        self.queues.iter_mut().for_each(|queue| queue.peak = queue.bytes);
    }
}
