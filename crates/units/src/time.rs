//! Instants and lengths of time in picoseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

/// An instant, in picoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A length of time, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

macro_rules! scales {
    ($type:ident) => {
        impl $type {
            /// Zero picoseconds.
            pub const ZERO: Self = Self(0);
            /// The largest value; stands for "never".
            pub const MAX: Self = Self(u64::MAX);

            /// From picoseconds.
            #[inline]
            pub const fn from_ps(ps: u64) -> Self {
                Self(ps)
            }
            /// From nanoseconds.
            #[inline]
            pub const fn from_ns(ns: u64) -> Self {
                Self(ns * 1_000)
            }
            /// From microseconds.
            #[inline]
            pub const fn from_us(us: u64) -> Self {
                Self(us * 1_000_000)
            }
            /// From milliseconds.
            #[inline]
            pub const fn from_ms(ms: u64) -> Self {
                Self(ms * 1_000_000_000)
            }
            /// From whole seconds.
            #[inline]
            pub const fn from_s(s: u64) -> Self {
                Self(s * 1_000_000_000_000)
            }
            /// From seconds as a float; saturates, NaN and negatives give zero.
            pub fn from_secs_f64(s: f64) -> Self {
                Self((s * 1e12).round() as u64)
            }
            /// Whole picoseconds.
            #[inline]
            pub const fn as_ps(self) -> u64 {
                self.0
            }
            /// Whole nanoseconds, rounded down.
            #[inline]
            pub const fn as_ns(self) -> u64 {
                self.0 / 1_000
            }
            /// Microseconds as a float.
            pub fn as_us_f64(self) -> f64 {
                self.0 as f64 / 1e6
            }
            /// Seconds as a float.
            pub fn as_secs_f64(self) -> f64 {
                self.0 as f64 / 1e12
            }
            /// Addition that stops at [`Self::MAX`].
            #[inline]
            pub const fn saturating_add(self, span: Span) -> Self {
                Self(self.0.saturating_add(span.0))
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let ps = self.0;
                let (value, unit) = match ps {
                    0 => return f.pad("0 s"),
                    _ if *self == Self::MAX => return f.pad("never"),
                    1_000_000_000_000.. => (ps as f64 / 1e12, "s"),
                    1_000_000_000.. => (ps as f64 / 1e9, "ms"),
                    1_000_000.. => (ps as f64 / 1e6, "us"),
                    1_000.. => (ps as f64 / 1e3, "ns"),
                    _ => (ps as f64, "ps"),
                };
                f.pad(&format!("{} {unit}", crate::text::short(value)))
            }
        }
    };
}

scales!(Time);
scales!(Span);

impl Time {
    /// The span since `earlier`, or zero where `earlier` is later.
    #[inline]
    pub const fn saturating_since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// Subtraction that stops at zero.
    #[inline]
    pub const fn saturating_sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl Add<Span> for Time {
    type Output = Time;
    #[inline]
    fn add(self, span: Span) -> Time {
        Time(self.0 + span.0)
    }
}

impl AddAssign<Span> for Time {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        self.0 += span.0;
    }
}

impl Sub<Time> for Time {
    type Output = Span;
    #[inline]
    fn sub(self, earlier: Time) -> Span {
        Span(self.0 - earlier.0)
    }
}

impl Sub<Span> for Time {
    type Output = Time;
    #[inline]
    fn sub(self, span: Span) -> Time {
        Time(self.0 - span.0)
    }
}

impl Add for Span {
    type Output = Span;
    #[inline]
    fn add(self, other: Span) -> Span {
        Span(self.0 + other.0)
    }
}

impl AddAssign for Span {
    #[inline]
    fn add_assign(&mut self, other: Span) {
        self.0 += other.0;
    }
}

impl Sub for Span {
    type Output = Span;
    #[inline]
    fn sub(self, other: Span) -> Span {
        Span(self.0 - other.0)
    }
}

impl SubAssign for Span {
    #[inline]
    fn sub_assign(&mut self, other: Span) {
        self.0 -= other.0;
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    #[inline]
    fn mul(self, times: u64) -> Span {
        Span(self.0 * times)
    }
}

impl Div<u64> for Span {
    type Output = Span;
    #[inline]
    fn div(self, parts: u64) -> Span {
        Span(self.0 / parts)
    }
}

impl Div<Span> for Span {
    type Output = u64;
    /// How many whole `other` fit into this span.
    #[inline]
    fn div(self, other: Span) -> u64 {
        self.0 / other.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_in_the_unit_that_reads_best() {
        assert_eq!(Span::from_ps(80).to_string(), "80 ps");
        assert_eq!(Span::from_ps(83_840).to_string(), "83.84 ns");
        assert_eq!(Span::from_us(55).to_string(), "55 us");
        assert_eq!(Span::from_ms(20).to_string(), "20 ms");
        assert_eq!(Time::from_s(2).to_string(), "2 s");
        assert_eq!(Time::MAX.to_string(), "never");
        assert_eq!(Span::ZERO.to_string(), "0 s");
    }

    #[test]
    fn a_time_earlier_than_another_is_no_time_ago() {
        assert_eq!(Time::from_ns(1).saturating_since(Time::from_ns(2)), Span::ZERO);
    }
}
