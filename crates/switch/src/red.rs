//! The ECN marking curve.

/// Marking on the instantaneous depth of a queue (the congestion point of DCQCN: RED without averaging).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedParams {
    /// Nothing is marked at or below this depth.
    pub kmin_bytes: u64,
    /// Everything is marked above this depth.
    pub kmax_bytes: u64,
    /// Probability at `kmax_bytes`, 0 to 1; linear from 0 at `kmin_bytes`.
    pub pmax: f64,
}

impl RedParams {
    /// Whether to mark at this depth. Draws (uniform, 0 to 1) only where the outcome is open.
    #[inline]
    pub fn mark(&self, queue_bytes: u64, draw: impl FnOnce() -> f64) -> bool {
        if queue_bytes > self.kmax_bytes {
            return true;
        }
        if queue_bytes <= self.kmin_bytes {
            return false;
        }
        let span = (self.kmax_bytes - self.kmin_bytes) as f64;
        draw() < self.pmax * (queue_bytes - self.kmin_bytes) as f64 / span
    }
}
