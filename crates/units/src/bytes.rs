//! Sizes in bytes.

use std::fmt;

/// A size, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

impl Bytes {
    /// Nothing.
    pub const ZERO: Bytes = Bytes(0);

    /// From bytes.
    #[inline]
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }
    /// From kilobytes of 1000 bytes.
    pub const fn from_kb(kb: u64) -> Self {
        Self(kb * 1_000)
    }
    /// From kibibytes of 1024 bytes.
    pub const fn from_kib(kib: u64) -> Self {
        Self(kib << 10)
    }
    /// From mebibytes of 2^20 bytes.
    pub const fn from_mib(mib: u64) -> Self {
        Self(mib << 20)
    }
    /// Bytes.
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const BINARY: [(u64, &str); 4] =
            [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
        const DECIMAL: [(u64, &str); 4] =
            [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "KB")];
        // A size that is round in binary units alone was meant so: 400 KiB, not 409.6 KB; but 6.4 MB, not 6250 KiB.
        let binary = BINARY
            .iter()
            .filter(|_| !self.0.is_multiple_of(1000))
            .find(|(unit, _)| self.0 >= *unit && self.0.is_multiple_of(*unit));
        let (unit, name) =
            binary.or_else(|| DECIMAL.iter().find(|(unit, _)| self.0 >= *unit)).copied().unwrap_or((1, "B"));
        f.pad(&format!("{} {name}", crate::text::short(self.0 as f64 / unit as f64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_the_unit_that_was_meant() {
        assert_eq!(Bytes::from_kib(400).to_string(), "400 KiB");
        assert_eq!(Bytes::from_kb(400).to_string(), "400 KB");
        assert_eq!(Bytes::from_kb(6400).to_string(), "6.4 MB");
        assert_eq!(Bytes::from_mib(32).to_string(), "32 MiB");
        assert_eq!(Bytes::new(1048).to_string(), "1.048 KB");
        assert_eq!(Bytes::new(64).to_string(), "64 B");
    }
}
