//! How much of the shared buffer one queue may take.

use std::fmt;

/// The ratio of a dynamic threshold: a queue may hold `alpha` times the shared buffer that is free (Choudhury and
/// Hahne). Held in 1/65536: every power of two from 2^-16 to 2^15 is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Alpha(u32);

impl Alpha {
    const ONE: u32 = 1 << 16;

    /// `2^exponent`, the form that switch chips have (SONiC's `dynamic_th`); `None` outside -16 to 15.
    pub const fn power_of_two(exponent: i32) -> Option<Self> {
        match exponent {
            -16..=-1 => Some(Self(Self::ONE >> -exponent)),
            0..=15 => Some(Self(Self::ONE << exponent)),
            _ => None,
        }
    }

    /// Any ratio, to the nearest 1/65536; `None` unless that lies from 1/65536 to 32768.
    pub fn ratio(alpha: f64) -> Option<Self> {
        let scaled = (alpha * f64::from(Self::ONE)).round();
        let fits = (1.0..=f64::from(1u32 << 31)).contains(&scaled);
        fits.then_some(Self(scaled as u32))
    }

    /// As a float.
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / f64::from(Self::ONE)
    }

    #[inline]
    pub(crate) const fn q16(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Alpha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.0.is_power_of_two()) {
            (0..Self::ONE, true) => write!(f, "1/{}", Self::ONE / self.0),
            _ => write!(f, "{}", self.as_f64()),
        }
    }
}

/// A limit on the shared buffer that one queue may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// A share of what is free.
    Dynamic(Alpha),
    /// So many bytes.
    Static(u32),
}

impl Threshold {
    /// Everything: no limit but the buffer itself.
    pub const UNLIMITED: Threshold = Threshold::Static(u32::MAX);

    /// Both kinds as one sum without a branch.
    pub(crate) const fn terms(self) -> Terms {
        match self {
            Threshold::Dynamic(alpha) => Terms { fixed: 0, alpha: alpha.q16() },
            Threshold::Static(bytes) => Terms { fixed: bytes, alpha: 0 },
        }
    }
}

/// `fixed + alpha * free`: a static threshold has no alpha, a dynamic one nothing fixed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    fixed: u32,
    alpha: u32,
}

impl Terms {
    #[inline]
    pub(crate) const fn bytes(self, free_bytes: u32) -> u64 {
        self.fixed as u64 + ((free_bytes as u64 * self.alpha as u64) >> 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_of_two_is_a_shift() {
        for (exponent, free) in [(-3, 1_234_567u32), (-16, u32::MAX), (0, 77), (3, 1_000), (15, 9)] {
            let terms = Threshold::Dynamic(Alpha::power_of_two(exponent).unwrap()).terms();
            let want = if exponent < 0 { u64::from(free) >> -exponent } else { u64::from(free) << exponent };
            assert_eq!(terms.bytes(free), want, "2^{exponent} of {free}");
        }
        assert_eq!(Alpha::power_of_two(16), None);
        assert_eq!(Alpha::power_of_two(-17), None);
    }

    #[test]
    fn ratios_and_text() {
        assert_eq!(Alpha::ratio(0.125), Alpha::power_of_two(-3));
        assert_eq!(Alpha::ratio(0.125).unwrap().to_string(), "1/8");
        assert_eq!(Alpha::ratio(8.0).unwrap().to_string(), "8");
        assert_eq!(Alpha::ratio(0.0), None);
        assert_eq!(Alpha::ratio(f64::NAN), None);
        assert_eq!(Alpha::ratio(-1.0), None);
        assert_eq!(Alpha::ratio(1e9), None);
        assert!((Alpha::ratio(1.0 / 3.0).unwrap().as_f64() - 1.0 / 3.0).abs() < 1e-5);
        assert_eq!(Threshold::Static(9).terms().bytes(u32::MAX), 9);
    }
}
