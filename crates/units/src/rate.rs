//! Rates in bits a second.

use crate::Span;
use std::fmt;

/// A rate, in whole bits a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// No bits at all.
    pub const ZERO: Rate = Rate(0);

    /// From bits a second.
    #[inline]
    pub const fn from_bps(bps: u64) -> Self {
        Self(bps)
    }
    /// From megabits (10^6) a second.
    #[inline]
    pub const fn from_mbps(mbps: u64) -> Self {
        Self(mbps * 1_000_000)
    }
    /// From gigabits (10^9) a second.
    #[inline]
    pub const fn from_gbps(gbps: u64) -> Self {
        Self(gbps * 1_000_000_000)
    }
    /// Bits a second.
    #[inline]
    pub const fn as_bps(self) -> u64 {
        self.0
    }
    /// Gigabits a second as a float.
    pub fn as_gbps_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The time that `bytes` take on a line of this rate, rounded down to whole picoseconds; a zero rate
    /// gives [`Span::MAX`].
    ///
    /// All line rates of IEEE 802.3 from 10 to 1600 Gb/s have a whole number of picoseconds a byte, so
    /// the rounding only ever touches rates that a congestion controller chose.
    #[inline]
    pub const fn span_of(self, bytes: u64) -> Span {
        if self.0 == 0 {
            return Span::MAX;
        }
        const PS_BITS: u64 = 8_000_000_000_000;
        match bytes.checked_mul(PS_BITS) {
            Some(scaled) => Span::from_ps(scaled / self.0),
            None => {
                let ps = (bytes as u128 * PS_BITS as u128) / self.0 as u128;
                Span::from_ps(if ps > u64::MAX as u128 { u64::MAX } else { ps as u64 })
            }
        }
    }

    /// Whole bytes that pass in `span` at this rate.
    #[inline]
    pub const fn bytes_in(self, span: Span) -> u64 {
        (self.0 as u128 * span.as_ps() as u128 / 8_000_000_000_000) as u64
    }

    /// This rate times a fraction, truncated to whole bits a second.
    #[inline]
    pub fn scale(self, factor: f64) -> Rate {
        Rate((self.0 as f64 * factor) as u64)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = match self.0 {
            0..1_000 => (self.0 as f64, "b/s"),
            1_000..1_000_000 => (self.0 as f64 / 1e3, "Kb/s"),
            1_000_000..1_000_000_000 => (self.0 as f64 / 1e6, "Mb/s"),
            _ => (self.0 as f64 / 1e9, "Gb/s"),
        };
        f.pad(&format!("{} {unit}", crate::text::short(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_whole_picoseconds_at_every_ethernet_rate() {
        for (gbps, ps) in
            [(10, 800), (25, 320), (40, 200), (50, 160), (100, 80), (200, 40), (400, 20), (800, 10)]
        {
            assert_eq!(Rate::from_gbps(gbps).span_of(1), Span::from_ps(ps), "{gbps} Gb/s");
        }
        assert_eq!(Rate::from_gbps(1600).span_of(1048), Span::from_ps(5 * 1048));
    }

    #[test]
    fn bytes_and_spans_invert() {
        let rate = Rate::from_gbps(100);
        assert_eq!(rate.bytes_in(rate.span_of(123_456)), 123_456);
        assert_eq!(Rate::from_bps(1).span_of(u64::MAX), Span::MAX);
        assert_eq!(Rate::ZERO.span_of(1), Span::MAX);
    }
}
