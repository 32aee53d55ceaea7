//! Which of several equal next hops a packet takes.

/// MurmurHash3 (32 bits) of three little-endian words.
#[inline]
pub const fn murmur3(words: [u32; 3], seed: u32) -> u32 {
    let mut hash = seed;
    let mut i = 0;
    while i < words.len() {
        let k = words[i].wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        hash = (hash ^ k).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
        i += 1;
    }
    hash ^= 12;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

/// The hash of the ns-3 HPCC simulator: of addresses and ports, seeded with the switch's node id. The next hop is
/// [`modulo`] of it.
#[inline]
pub const fn hpcc_hash(src: u32, dst: u32, sport: u16, dport: u16, node: u32) -> u32 {
    murmur3([src, dst, sport as u32 | (dport as u32) << 16], node)
}

/// `hash % hops`; 0 for no hops.
#[inline]
pub const fn modulo(hash: u32, hops: u32) -> u32 {
    if hops == 0 { 0 } else { hash % hops }
}
