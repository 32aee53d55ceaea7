//! The reference's hash for ECMP and for the choice of a host's NIC: murmur3 (32 bits) over twelve bytes.

/// Seed that ns-3's default hash uses; it spreads queue pairs over the NICs of a host that has several.
pub(crate) const NS3_HASH_SEED: u32 = 0x8bad_f00d;

/// What the hash sees of a frame: addresses and ports as three little-endian words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FiveTuple {
    /// Source address.
    pub sip: u32,
    /// Destination address.
    pub dip: u32,
    /// Source port.
    pub sport: u16,
    /// Destination port.
    pub dport: u16,
}

impl FiveTuple {
    /// The same, from the other end: what an acknowledgement carries.
    pub(crate) fn reversed(self) -> Self {
        FiveTuple { sip: self.dip, dip: self.sip, sport: self.dport, dport: self.sport }
    }

    /// Its hash with `seed`.
    pub(crate) fn hash(self, seed: u32) -> u32 {
        murmur3_12([self.sip, self.dip, u32::from(self.sport) | u32::from(self.dport) << 16], seed)
    }
}

/// The address of node `id`: 11.x.y.1 with the id in the middle.
pub(crate) fn address(id: u32) -> u32 {
    0x0b00_0001u32.wrapping_add((id / 256) << 16).wrapping_add((id % 256) << 8)
}

fn murmur3_12(words: [u32; 3], seed: u32) -> u32 {
    let mut h = seed;
    for word in words {
        let k = word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        h = (h ^ k).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    h ^= 12;
    h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_the_references() {
        assert_eq!(address(0), 0x0b00_0001);
        assert_eq!(address(300), 0x0b01_2c01);
    }

    /// Known values of MurmurHash3_x86_32 for twelve bytes: zeros, and "hello, world".
    #[test]
    fn murmur3_of_twelve_bytes() {
        let words = |text: &[u8; 12]| {
            [0, 4, 8].map(|i| u32::from_le_bytes([text[i], text[i + 1], text[i + 2], text[i + 3]]))
        };
        assert_eq!(murmur3_12(words(b"hello, world"), 0), 0x149b_bb7f);
    }
}
