//! 24-bit numbers of the base transport header.

use std::fmt;

/// A packet sequence number, 24 bits, compared modulo 2^24 (IBTA volume 1, 9.7.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Psn(u32);

impl Psn {
    const MASK: u32 = 0xff_ffff;

    /// The low 24 bits of `value`.
    #[inline]
    pub const fn new(value: u32) -> Self {
        Self(value & Self::MASK)
    }
    /// As a number below 2^24.
    #[inline]
    pub const fn get(self) -> u32 {
        self.0
    }
    /// This one plus `n`, modulo 2^24.
    #[inline]
    #[allow(clippy::should_implement_trait, reason = "adds a count, not a PSN")]
    pub const fn add(self, n: u32) -> Self {
        Self::new(self.0.wrapping_add(n))
    }
    /// This one minus `n`, modulo 2^24.
    #[inline]
    #[allow(clippy::should_implement_trait, reason = "subtracts a count, not a PSN")]
    pub const fn sub(self, n: u32) -> Self {
        Self::new(self.0.wrapping_sub(n))
    }
    /// How far this one is ahead of `other`: negative behind it, in −2^23..2^23.
    #[inline]
    pub const fn since(self, other: Psn) -> i32 {
        ((self.0.wrapping_sub(other.0) << 8) as i32) >> 8
    }
    /// Whether this one comes before `other`: at most 2^23 behind it.
    #[inline]
    pub const fn is_before(self, other: Psn) -> bool {
        self.since(other) < 0
    }
}

impl fmt::Display for Psn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A queue pair number, 24 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Qpn(u32);

impl Qpn {
    /// The low 24 bits of `value`.
    #[inline]
    pub const fn new(value: u32) -> Self {
        Self(value & 0xff_ffff)
    }
    /// As a number below 2^24.
    #[inline]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Qpn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:06x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn psn_order_wraps() {
        assert_eq!(Psn::new(0).since(Psn::new(0xff_ffff)), 1);
        assert_eq!(Psn::new(0xff_ffff).since(Psn::new(0)), -1);
        assert_eq!(Psn::new(0x80_0000).since(Psn::new(0)), -0x80_0000);
        assert!(Psn::new(0xff_ffff).is_before(Psn::new(0)) && !Psn::new(0).is_before(Psn::new(0)));
        assert_eq!(Psn::new(0xff_ffff).add(2), Psn::new(1));
        assert_eq!(Psn::new(1).sub(2), Psn::new(0xff_ffff));
    }
}
