//! Random numbers from a seed and a name: what one part draws never shifts what another draws.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// A stream of random numbers that depends on the scenario's seed and the stream's name, and on nothing else.
#[derive(Clone, Debug)]
pub struct Stream(Pcg64);

impl Stream {
    /// The stream `name` of `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a over the name, so that a stream keeps its numbers when others come or go.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        let mut bytes = [0; 32];
        for (i, chunk) in (0u64..).zip(bytes.chunks_exact_mut(8)) {
            let word = mix(seed ^ mix(hash.wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15))));
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        Self(Pcg64::from_seed(bytes))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1), in steps of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in `0..n`; 0 for `n` = 0.
    pub fn below(&mut self, n: u64) -> u64 {
        // Lemire's multiplication; numbers from the short last interval are drawn again, so that all are equally
        // likely.
        let threshold = n.wrapping_neg().checked_rem(n).unwrap_or(0);
        loop {
            let wide = u128::from(self.bits()) * u128::from(n);
            if wide as u64 >= threshold {
                return (wide >> 64) as u64;
            }
        }
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }

    /// Puts a slice into random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

/// The finaliser of SplitMix64.
fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_name_and_seed_and_repeat() {
        let first = |seed, name| Stream::new(seed, name).bits();
        assert_eq!(first(1, "a"), first(1, "a"));
        assert_ne!(first(1, "a"), first(1, "b"));
        assert_ne!(first(1, "a"), first(2, "a"));
    }

    #[test]
    fn draws_have_their_means() {
        let mut s = Stream::new(7, "means");
        let n = 200_000;
        let mean = |sum: f64| sum / f64::from(n);
        let unit = mean((0..n).map(|_| s.unit()).sum());
        let exponential = mean((0..n).map(|_| s.exponential()).sum());
        let below = mean((0..n).map(|_| s.below(11) as f64).sum());
        // Four standard errors: 1/sqrt(12 n), 1/sqrt(n), sqrt(10/n).
        let error = 4.0 / f64::from(n).sqrt();
        assert!((unit - 0.5).abs() < error / 12f64.sqrt(), "{unit}");
        assert!((exponential - 1.0).abs() < error, "{exponential}");
        assert!((below - 5.0).abs() < error * 10f64.sqrt(), "{below}");
        assert_eq!(s.below(1), 0);
        assert_eq!(s.below(0), 0);
    }

    #[test]
    fn a_shuffle_is_a_permutation() {
        let mut items: Vec<u32> = (0..100).collect();
        Stream::new(3, "shuffle").shuffle(&mut items);
        assert!(items.iter().enumerate().any(|(i, x)| i as u32 != *x));
        items.sort_unstable();
        assert!(items.iter().enumerate().all(|(i, x)| i as u32 == *x));
    }
}
