//! The reference's arithmetic: a clock of whole nanoseconds and rates of whole bits a second.
//!
//! ns-3 turns a duration in (double) seconds into time as a 64.64 fixed-point number times 10⁹, cut to its
//! whole part. So a serialisation time loses its fraction of a nanosecond, and a start time written as
//! `2.000009` becomes 2 000 008 999 ns, because the nearest double lies just below. Every rate result is cut
//! to whole bits a second in the same way.

/// Nanoseconds of a duration in seconds, as ns-3 cuts it. Negative and NaN give zero, too large gives
/// `u64::MAX`.
#[inline]
pub(crate) fn seconds_to_ns(seconds: f64) -> u64 {
    if seconds < 1.0 {
        // The fraction in units of 2^-64, cut, as the fixed-point number holds it.
        let fraction = (seconds * TWO_64) as u64;
        ((u128::from(fraction) * 1_000_000_000) >> 64) as u64
    } else if seconds.is_nan() {
        0
    } else {
        let whole = seconds.floor();
        if whole >= MAX_SECONDS {
            return u64::MAX;
        }
        let fraction = ((seconds - whole) * TWO_64) as u64;
        let ns = ((u128::from(fraction) * 1_000_000_000) >> 64) as u64;
        whole as u64 * 1_000_000_000 + ns
    }
}

/// Nanoseconds that `bytes` take on a line of `bps` bits a second, cut to whole ones.
#[inline]
pub(crate) fn serialisation_ns(bytes: u32, bps: u64) -> u64 {
    seconds_to_ns(f64::from(bytes) * 8.0 / bps as f64)
}

const TWO_64: f64 = 18_446_744_073_709_551_616.0;
/// Seconds past which nanoseconds no longer fit 64 bits.
const MAX_SECONDS: f64 = 1.8e10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_times_lose_what_the_double_lacks() {
        // Worked values of the reference.
        assert_eq!(seconds_to_ns(2.000009), 2_000_008_999);
        assert_eq!(seconds_to_ns(2.0), 2_000_000_000);
        assert_eq!(seconds_to_ns(2.002), 2_001_999_999);
        assert_eq!(seconds_to_ns(2.02), 2_020_000_000);
        assert_eq!(seconds_to_ns(2.005), 2_004_999_999);
    }

    #[test]
    fn frames_lose_their_fraction_of_a_nanosecond() {
        assert_eq!(serialisation_ns(1048, 100_000_000_000), 83);
        assert_eq!(serialisation_ns(1048, 400_000_000_000), 20);
        assert_eq!(serialisation_ns(60, 100_000_000_000), 4);
        assert_eq!(serialisation_ns(60, 400_000_000_000), 1);
        assert_eq!(serialisation_ns(43, 100_000_000_000), 3);
    }

    #[test]
    fn odd_values_are_not_a_panic() {
        assert_eq!(seconds_to_ns(f64::NAN), 0);
        assert_eq!(seconds_to_ns(-1.0), 0);
        assert_eq!(seconds_to_ns(f64::INFINITY), u64::MAX);
        assert_eq!(seconds_to_ns(1e300), u64::MAX);
    }
}
