//! Random numbers by counter: the n-th draw of a stream follows from seed, purpose, place and n alone, so what a
//! port draws does not depend on the order in which the rest of the network happens to run.

/// What a stream of draws is for. Streams of different purposes never meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Purpose {
    /// ECN marking at an egress port.
    Mark = 1,
    /// Faults of one direction of a link.
    Fault = 2,
    /// Packet spraying at a switch.
    Spray = 3,
    /// Entropy (UDP source ports).
    Entropy = 4,
}

/// One stream: SplitMix64 from a start that a hash of seed, purpose and place gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream {
    state: u64,
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// One number from a place and a counter, for draws that need no stream of their own.
pub(crate) const fn hash(seed: u64, purpose: Purpose, place: u64, n: u64) -> u64 {
    let start = mix(seed ^ mix(place.wrapping_mul(GOLDEN) ^ mix(purpose as u64)));
    mix(start.wrapping_add(n.wrapping_mul(GOLDEN)))
}

impl Stream {
    pub(crate) const fn new(seed: u64, purpose: Purpose, place: u64) -> Self {
        Self { state: mix(seed ^ mix(place.wrapping_mul(GOLDEN) ^ mix(purpose as u64))) }
    }

    #[inline]
    pub(crate) fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// Uniform in [0, 1), on a grid of 2^-53.
    #[inline]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SplitMix64 from state 1234567 gives these numbers (published with the algorithm's reference code).
    #[test]
    fn the_generator_is_splitmix64() {
        let mut stream = Stream { state: 1_234_567 };
        let drawn: Vec<u64> = (0..3).map(|_| stream.next_u64()).collect();
        assert_eq!(drawn, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn draws_are_uniform_and_streams_differ() {
        let mut stream = Stream::new(1, Purpose::Mark, 7);
        let n = 100_000;
        let mean = (0..n).map(|_| stream.unit()).sum::<f64>() / f64::from(n);
        // Five standard errors: 5 / sqrt(12 n).
        assert!((mean - 0.5).abs() < 5.0 / (12.0 * f64::from(n)).sqrt(), "{mean}");
        let first = |seed, purpose, place| Stream::new(seed, purpose, place).next_u64();
        assert_ne!(first(1, Purpose::Mark, 7), first(1, Purpose::Fault, 7));
        assert_ne!(first(1, Purpose::Mark, 7), first(1, Purpose::Mark, 8));
        assert_ne!(first(1, Purpose::Mark, 7), first(2, Purpose::Mark, 7));
    }
}
