//! The egress queue of one port and priority.

use crate::pause::PauseTimer;
use crate::threshold::Terms;
use std::collections::VecDeque;

/// A frame in a queue, with what its departure needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Entry<F> {
    pub frame: F,
    /// Depth of the queue that the frame found.
    pub found: u32,
    pub size: u16,
    pub in_port: u16,
}

/// One queue and its counters: two cache lines, the first for what every frame touches.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Queue<F> {
    pub entries: VecDeque<Entry<F>>,
    pub bytes: u32,
    /// What deficit round robin still owes the queue.
    pub deficit: u32,
    pub threshold: Terms,
    pub peak: u32,
    /// One above the index of the queue's marking curve; 0 for none.
    pub red: u16,
    pub packets: u64,
    pub octets: u64,
    pub pause: PauseTimer,
    pub dropped: u64,
    pub dropped_octets: u64,
    pub marked: u64,
    pub marked_octets: u64,
}

impl<F> Queue<F> {
    pub fn new(threshold: Terms, red: u16) -> Self {
        Self {
            entries: VecDeque::new(),
            bytes: 0,
            deficit: 0,
            threshold,
            peak: 0,
            red,
            packets: 0,
            octets: 0,
            pause: PauseTimer::default(),
            dropped: 0,
            dropped_octets: 0,
            marked: 0,
            marked_octets: 0,
        }
    }

    #[inline]
    pub fn push(&mut self, frame: F, size: u16, in_port: u16) {
        self.entries.push_back(Entry { frame, found: self.bytes, size, in_port });
        self.bytes += u32::from(size);
        self.peak = self.peak.max(self.bytes);
    }

    /// The frame at the head, its bytes no longer counted.
    #[inline]
    pub fn pop(&mut self) -> Option<Entry<F>> {
        let entry = self.entries.pop_front()?;
        self.bytes -= u32::from(entry.size);
        Some(entry)
    }

    /// Length of the frame at the head.
    #[inline]
    pub fn head_bytes(&self) -> Option<u32> {
        self.entries.front().map(|entry| u32::from(entry.size))
    }
}
