//! Which of several equal next hops a packet takes.
//!
//! [`hpcc_hash`] with [`modulo`] is the choice of the ns-3 HPCC simulator; [`FiveTuple::hash`] with [`scale`] that of an
//! ordinary switch. Both have a seed for each switch: with the same hash at every tier, a tier would see only what the
//! tier below sent one way, and use only part of its links. [`Spray`] ignores flows; flowlets are in
//! [`flowlet`](crate::flowlet).

/// MurmurHash3 (32 bits) of little-endian words.
#[inline]
pub const fn murmur3<const N: usize>(words: [u32; N], seed: u32) -> u32 {
    let mut hash = seed;
    let mut i = 0;
    while i < N {
        let k = words[i].wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        hash = (hash ^ k).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
        i += 1;
    }
    hash ^= 4 * N as u32;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

/// The hash of the ns-3 HPCC simulator: of addresses and ports, seeded with the switch's node id. The next hop is
/// [`modulo`] of it. An acknowledgement has both pairs swapped, so it may take another path.
#[inline]
pub const fn hpcc_hash(src: u32, dst: u32, sport: u16, dport: u16, node: u32) -> u32 {
    murmur3([src, dst, sport as u32 | (dport as u32) << 16], node)
}

/// `hash % hops`; 0 for no hops.
#[inline]
pub const fn modulo(hash: u32, hops: u32) -> u32 {
    if hops == 0 { 0 } else { hash % hops }
}

/// `hash` scaled to 0 to `hops` (exclusive) without a division; 0 for no hops.
#[inline]
pub const fn scale(hash: u32, hops: u32) -> u32 {
    ((hash as u64 * hops as u64) >> 32) as u32
}

/// What tells flows apart. RoCEv2 senders vary the UDP source port by queue pair for this purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FiveTuple {
    /// Source address: an IPv4 address, or an IPv6 address folded by [`fold`].
    pub src: u32,
    /// Destination address, likewise.
    pub dst: u32,
    /// Source port.
    pub sport: u16,
    /// Destination port.
    pub dport: u16,
    /// IP protocol: 17 for RoCEv2.
    pub protocol: u8,
}

impl FiveTuple {
    /// The hash of this switch, which has its own `seed`.
    #[inline]
    pub const fn hash(&self, seed: u32) -> u32 {
        let ports = self.sport as u32 | (self.dport as u32) << 16;
        murmur3([self.src, self.dst, ports, self.protocol as u32], seed)
    }
}

/// An IPv6 address as one word for [`FiveTuple`].
pub const fn fold(address: [u8; 16]) -> u32 {
    let bits = u128::from_be_bytes(address);
    murmur3([bits as u32, (bits >> 32) as u32, (bits >> 64) as u32, (bits >> 96) as u32], 0)
}

/// Packet spraying: each packet takes the next hop in turn. A flow's packets overtake each other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spray {
    last: u32,
}

impl Spray {
    /// Begins at the hop after `start`, so that switches can begin at different ones.
    pub const fn new(start: u32) -> Self {
        Self { last: start }
    }

    /// The next hop's index, 0 to `hops` (exclusive); 0 for no hops. `hops` may change from call to call.
    #[inline]
    pub const fn choose(&mut self, hops: u32) -> u32 {
        let next = self.last.wrapping_add(1);
        self.last = if next < hops { next } else { 0 };
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn murmur_s_published_vectors() {
        // SMHasher's verification vectors for MurmurHash3_x86_32 on whole words.
        assert_eq!(murmur3([], 0), 0);
        assert_eq!(murmur3([], 1), 0x514e_28b7);
        assert_eq!(murmur3([], 0xffff_ffff), 0x81f1_6f39);
        assert_eq!(murmur3([0xffff_ffff], 0), 0x7629_3b50);
        assert_eq!(murmur3([0x8765_4321], 0), 0xf55b_516b);
        assert_eq!(murmur3([0x8765_4321], 0x5082_edee), 0x2362_f9de);
        assert_eq!(murmur3([0], 0), 0x2362_f9de);
        assert_eq!(murmur3([u32::from_le_bytes(*b"aaaa")], 0x9747_b28c), 0x5a97_808a);
        assert_eq!(murmur3([u32::from_le_bytes(*b"abcd")], 0x9747_b28c), 0xf047_8627);
    }

    #[test]
    fn every_hop_is_within_range() {
        for hops in [0u32, 1, 2, 3, 7, 16] {
            for hash in [0, 1, u32::MAX / 2, u32::MAX] {
                assert!(modulo(hash, hops) < hops.max(1));
                assert!(scale(hash, hops) < hops.max(1));
            }
        }
        let mut spray = Spray::new(5);
        let chosen: Vec<u32> = (0..6).map(|_| spray.choose(3)).collect();
        assert_eq!(chosen, [0, 1, 2, 0, 1, 2]);
        assert_eq!(spray.choose(0), 0);
    }

    #[test]
    fn another_seed_is_another_choice() {
        let flow = FiveTuple { src: 0x0b00_0001, dst: 0x0b00_0101, sport: 10_000, dport: 4791, protocol: 17 };
        let chosen: Vec<u32> = (0..64).map(|seed| scale(flow.hash(seed), 2)).collect();
        let ones = chosen.iter().sum::<u32>();
        assert!((16..=48).contains(&ones), "{chosen:?}");
        assert_ne!(fold([1; 16]), fold([2; 16]));
    }
}
