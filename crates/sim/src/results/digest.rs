//! A 128-bit FNV-1a hash: small, dependency-free and the same on every machine. It tells runs apart; it is
//! no defence against anyone who wants two runs to look alike.

use std::fmt;
use std::io;

/// 128-bit FNV-1a over bytes; usable as a writer, so that a value can be hashed as it is serialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv128(u128);

const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

impl Fnv128 {
    /// The hash of nothing.
    pub const fn new() -> Self {
        Self(OFFSET)
    }
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(PRIME);
        }
    }
    /// The hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hash = Self::new();
        hash.update(bytes);
        hash
    }
    /// The hash as a number.
    pub const fn get(self) -> u128 {
        self.0
    }
}

impl Default for Fnv128 {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for Fnv128 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl io::Write for Fnv128 {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors published with the algorithm (the FNV reference page's test suite).
    #[test]
    fn hashes_the_published_vectors() {
        assert_eq!(Fnv128::of(b"").to_string(), "6c62272e07bb014262b821756295c58d");
        assert_eq!(Fnv128::of(b"a").to_string(), "d228cb696f1a8caf78912b704e4a8964");
        assert_eq!(Fnv128::of(b"foobar").to_string(), "343e1662793c64bf6f0d3597ba446f18");
    }
}
