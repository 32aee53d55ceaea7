//! Flowlets: a flow may change its path when it has been quiet for longer than paths differ in delay, so that its
//! packets stay in order.

use weir_units::{Span, Time};

/// The flowlet table of a switch: a fixed number of entries that flows share by hash (as LetFlow and CONGA have it).
#[derive(Clone, Debug)]
pub struct Flowlets {
    gap: Span,
    entries: Vec<Entry>,
    shift: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    last: Time,
    hop: u32,
}

impl Flowlets {
    /// A table of `2^bits` entries (bits from 1 to 20, others are brought into that range) and the gap after which a
    /// flow is free to change.
    pub fn new(bits: u32, gap: Span) -> Self {
        let bits = bits.clamp(1, 20);
        Self { gap, entries: vec![Entry { last: Time::ZERO, hop: u32::MAX }; 1 << bits], shift: 32 - bits }
    }

    /// The hop, 0 to `hops` (exclusive), of a packet whose flow has this hash. `pick` chooses one for a new flowlet, and
    /// when the one chosen before is gone.
    #[inline]
    pub fn choose(&mut self, now: Time, hash: u32, hops: u32, pick: impl FnOnce(u32) -> u32) -> u32 {
        let Some(entry) = self.entries.get_mut((hash >> self.shift) as usize) else { return 0 };
        if entry.hop >= hops || now.saturating_since(entry.last) > self.gap {
            entry.hop = pick(hops).min(hops.saturating_sub(1));
        }
        entry.last = now;
        entry.hop
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_changes_path_only_after_a_gap() {
        let mut flowlets = Flowlets::new(8, Span::from_us(50));
        let hash = 0xabcd_0123;
        let mut now = Time::from_us(1);
        assert_eq!(flowlets.choose(now, hash, 4, |_| 2), 2);
        for _ in 0..10 {
            now += Span::from_us(50);
            assert_eq!(flowlets.choose(now, hash, 4, |_| 3), 2, "a gap of just the limit is none");
        }
        now += Span::from_us(51);
        assert_eq!(flowlets.choose(now, hash, 4, |_| 3), 3);
        // Another flow has its own entry.
        assert_eq!(flowlets.choose(now, !hash, 4, |_| 1), 1);
        assert_eq!(flowlets.choose(now, hash, 4, |_| 0), 3);
    }

    #[test]
    fn a_hop_that_is_gone_is_replaced() {
        let mut flowlets = Flowlets::new(99, Span::from_us(50));
        assert_eq!(flowlets.choose(Time::ZERO, 7, 4, |_| 3), 3);
        assert_eq!(flowlets.choose(Time::ZERO, 7, 2, |_| 1), 1);
        assert_eq!(flowlets.choose(Time::ZERO, 7, 0, |_| 9), 0);
        assert_eq!(flowlets.choose(Time::ZERO, 7, 1, |_| 9), 0, "an answer out of range is brought into it");
    }
}
