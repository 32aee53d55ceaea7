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

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: RedParams = RedParams { kmin_bytes: 5_000, kmax_bytes: 200_000, pmax: 0.01 };

    /// SplitMix64: enough for a test, and the same everywhere.
    fn draws(mut state: u64) -> impl FnMut() -> f64 {
        move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// T1: a forced queue, a million draws each, within 4 standard deviations of a binomial.
    #[test]
    fn marks_by_the_curve() {
        let mut draw = draws(1);
        for (queue, p) in
            [(0, 0.0), (5_000, 0.0), (44_000, 0.002), (102_500, 0.005), (200_000, 0.01), (200_001, 1.0)]
        {
            const DRAWS: u32 = 1_000_000;
            let marks = (0..DRAWS).filter(|_| PAPER.mark(queue, &mut draw)).count() as f64;
            let (mean, sd) = (f64::from(DRAWS) * p, (f64::from(DRAWS) * p * (1.0 - p)).sqrt());
            assert!((marks - mean).abs() <= 4.0 * sd, "{queue} bytes: {marks} marks, wanted {mean} ± {sd}");
            assert!((PAPER.probability(queue) - p).abs() < 1e-15);
        }
    }

    #[test]
    fn draws_only_on_the_ramp() {
        let draws_at = |red: RedParams, queue| {
            let mut drawn = false;
            red.mark(queue, || {
                drawn = true;
                0.5
            });
            drawn
        };
        for (queue, drawn) in [(5_000, false), (5_001, true), (200_000, true), (200_001, false)] {
            assert_eq!(draws_at(PAPER, queue), drawn, "{queue}");
        }
        // A step (DCTCP) and thresholds the wrong way round need no luck.
        for (kmin_bytes, kmax_bytes) in [(1000, 1000), (1000, 500)] {
            let step = RedParams { kmin_bytes, kmax_bytes, pmax: 1.0 };
            assert!((0..3000).all(|queue| !draws_at(step, queue)));
            assert!(step.mark(1001, || 1.0) && !step.mark(500, || 0.0));
        }
    }
}
