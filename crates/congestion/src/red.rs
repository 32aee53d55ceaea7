//! The congestion point: RED marking by the instantaneous depth of an egress queue (DCQCN, section 3).

/// Marking thresholds of an egress queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedParams {
    /// Kmin: up to this depth nothing is marked. Bytes.
    pub kmin_bytes: u64,
    /// Kmax: above this depth everything is marked. Bytes.
    pub kmax_bytes: u64,
    /// Pmax: probability at Kmax, 0 to 1.
    pub pmax: f64,
}

impl RedParams {
    /// Marking probability at a depth of `queue_bytes`.
    #[inline]
    pub fn probability(&self, queue_bytes: u64) -> f64 {
        if queue_bytes > self.kmax_bytes {
            1.0
        } else if queue_bytes > self.kmin_bytes {
            self.pmax * (queue_bytes - self.kmin_bytes) as f64 / (self.kmax_bytes - self.kmin_bytes) as f64
        } else {
            0.0
        }
    }

    /// Whether to mark at a depth of `queue_bytes`. `draw` gives a number uniform in 0..1 and is called only on the
    /// ramp, where the answer depends on it.
    #[inline]
    pub fn mark(&self, queue_bytes: u64, draw: impl FnOnce() -> f64) -> bool {
        if queue_bytes > self.kmax_bytes {
            true
        } else if queue_bytes > self.kmin_bytes {
            draw() < self.probability(queue_bytes)
        } else {
            false
        }
    }
}
