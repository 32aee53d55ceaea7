//! The event queue: a timing wheel that gives events back in the order (time, scheduling number).
//!
//! Almost every delay in a network simulation is one propagation plus one serialisation away, so the near
//! future is an array of buckets and a push or pop there costs the same however many events wait. What lies
//! beyond the wheel's horizon (flow starts, long timers) sits in a heap and moves into the wheel the moment
//! the horizon passes it, before anything can be pushed directly to the same instant. So events of one
//! instant always come out in the order they were scheduled, whichever way they took.
//!
//! A tick is whatever the user counts in: the ns-3 mode uses nanoseconds and one tick a bucket, Weir's own
//! mode picoseconds and a few thousand ticks a bucket.
//!
//! [`Wheel::reserve`] gives out a scheduling number for an event that may never be needed (the end of a
//! transmission on a port where nothing waits). [`Wheel::push_reserved`] puts it in later, at the place in
//! the order it would have had, and [`Wheel::has_passed`] tells whether that place is already behind.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bits of a key that hold the scheduling number; the rest hold the tick within its bucket.
const NUMBER_BITS: u32 = 48;
const NUMBER_MASK: u64 = (1 << NUMBER_BITS) - 1;
/// How far an event that comes late into a bucket looks for its place.
const LONGEST_WALK: u32 = 16;
/// End of a list.
const NIL: u32 = u32::MAX;

/// A place in the order of events, given out by [`Wheel::reserve`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

#[derive(Clone, Copy)]
struct Entry<E> {
    /// Tick within the bucket, then scheduling number: the order within a bucket.
    key: u64,
    next: u32,
    event: E,
}

#[derive(Clone, Copy)]
struct Bucket {
    head: u32,
    tail: u32,
}

const EMPTY: Bucket = Bucket { head: NIL, tail: NIL };

/// A priority queue of events `E` by (tick, scheduling number).
pub struct Wheel<E> {
    /// A bucket is `1 << shift` ticks wide.
    shift: u32,
    /// Number of buckets less one.
    mask: u64,
    buckets: Vec<Bucket>,
    /// One bit a bucket: something is in it; and one bit a word of that.
    occupied: Vec<u64>,
    summary: Vec<u64>,
    /// One bit a bucket: its list is not in order of keys yet.
    unsorted: Vec<u64>,
    slab: Vec<Entry<E>>,
    free: u32,
    /// The bucket (absolute number) that is being emptied; the wheel covers `base..=base + mask`.
    base: u64,
    now: u64,
    /// Scheduling number of the event last popped.
    current: u64,
    next_number: u64,
    in_wheel: usize,
    overflow: BinaryHeap<Reverse<(u64, u64, u32)>>,
    /// Bucket of the first event in `overflow`, `u64::MAX` if there is none.
    overflow_bucket: u64,
    scratch: Vec<(u64, u32)>,
}

impl<E: Copy> Wheel<E> {
    /// A wheel of `2^buckets_log2` buckets (6 to 18) of `2^shift` ticks (shift at most 16) that starts at
    /// tick `start`. Values outside these ranges are brought into them.
    pub fn new(shift: u32, buckets_log2: u32, start: u64) -> Self {
        let shift = shift.min(64 - NUMBER_BITS);
        let count = 1usize << buckets_log2.clamp(6, 18);
        let words = count / 64;
        Wheel {
            shift,
            mask: count as u64 - 1,
            buckets: vec![EMPTY; count],
            occupied: vec![0; words],
            summary: vec![0; words.div_ceil(64)],
            unsorted: vec![0; words],
            slab: Vec::new(),
            free: NIL,
            base: start >> shift,
            now: start,
            current: 0,
            next_number: 1,
            in_wheel: 0,
            overflow: BinaryHeap::new(),
            overflow_bucket: u64::MAX,
            scratch: Vec::new(),
        }
    }

    /// The tick of the event last popped (the start before the first).
    #[inline]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// How many events wait.
    #[inline]
    pub fn len(&self) -> usize {
        self.in_wheel + self.overflow.len()
    }

    /// Whether no event waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many scheduling numbers have been given out, by pushes and reservations.
    pub fn scheduled(&self) -> u64 {
        self.next_number - 1
    }

    /// Schedules `event` at tick `at`, after everything already scheduled for that tick. A tick in the past
    /// is taken as now.
    #[inline]
    pub fn push(&mut self, at: u64, event: E) {
        let number = self.next_number;
        self.next_number += 1;
        self.insert(at, number, event);
    }

    /// Takes the next place in the order without scheduling anything.
    #[inline]
    pub fn reserve(&mut self) -> Ticket {
        let number = self.next_number;
        self.next_number += 1;
        Ticket(number)
    }

    /// Schedules `event` at tick `at` at the place of `ticket`. The place must not be behind (see
    /// [`Wheel::has_passed`]); if it is, the event comes next.
    #[inline]
    pub fn push_reserved(&mut self, at: u64, ticket: Ticket, event: E) {
        self.insert(at, ticket.0, event);
    }

    /// Whether an event at tick `at` with this ticket would have been popped before the current one.
    #[inline]
    pub fn has_passed(&self, at: u64, ticket: Ticket) -> bool {
        at < self.now || (at == self.now && ticket.0 < self.current)
    }

    /// The tick of the next event.
    pub fn peek(&mut self) -> Option<u64> {
        if self.in_wheel == 0 {
            return self.overflow.peek().map(|&Reverse((at, ..))| at);
        }
        let bucket = self.open_next()?;
        let slot = (bucket & self.mask) as usize;
        let key = self.slab[self.buckets[slot].head as usize].key;
        Some((bucket << self.shift) | (key >> NUMBER_BITS))
    }

    /// The event that comes next if it is of the same bucket as the last and nothing goes before it: a hint of what memory
    /// will be wanted.
    #[inline]
    pub fn upcoming(&self) -> Option<&E> {
        let list = self.buckets[(self.base & self.mask) as usize];
        Some(&self.slab.get(list.head as usize)?.event)
    }

    /// Takes the next event out.
    #[inline]
    pub fn pop(&mut self) -> Option<(u64, E)> {
        self.pop_until(u64::MAX)
    }

    /// Takes the next event out if its tick is at most `last`.
    #[inline]
    pub fn pop_until(&mut self, last: u64) -> Option<(u64, E)> {
        if self.in_wheel == 0 {
            let &Reverse((at, ..)) = self.overflow.peek()?;
            if at > last {
                return None;
            }
            self.base = at >> self.shift;
            self.migrate();
        }
        let bucket = self.open_next()?;
        let slot = (bucket & self.mask) as usize;
        let index = self.buckets[slot].head;
        let entry = self.slab[index as usize];
        let at = (bucket << self.shift) | (entry.key >> NUMBER_BITS);
        if at > last {
            return None;
        }
        self.buckets[slot].head = entry.next;
        if entry.next == NIL {
            self.buckets[slot].tail = NIL;
            let word = slot / 64;
            self.occupied[word] &= !(1 << (slot % 64));
            if self.occupied[word] == 0 {
                self.summary[word / 64] &= !(1 << (word % 64));
            }
        }
        self.slab[index as usize].next = self.free;
        self.free = index;
        self.in_wheel -= 1;
        self.now = at;
        self.current = entry.key & NUMBER_MASK;
        if bucket != self.base {
            self.base = bucket;
            if self.overflow_bucket <= bucket + self.mask {
                self.migrate();
            }
        }
        Some((at, entry.event))
    }

    #[inline]
    fn insert(&mut self, at: u64, number: u64, event: E) {
        let at = at.max(self.now);
        let bucket = at >> self.shift;
        let key = ((at & ((1 << self.shift) - 1)) << NUMBER_BITS) | number;
        let entry = Entry { key, next: NIL, event };
        let index = if self.free == NIL {
            self.slab.push(entry);
            (self.slab.len() - 1) as u32
        } else {
            let index = self.free;
            self.free = self.slab[index as usize].next;
            self.slab[index as usize] = entry;
            index
        };
        if bucket - self.base > self.mask {
            self.overflow.push(Reverse((at, number, index)));
            self.overflow_bucket = self.overflow_bucket.min(bucket);
        } else {
            self.link(bucket, key, index);
        }
    }

    /// Puts a slab entry into its bucket.
    #[inline]
    fn link(&mut self, bucket: u64, key: u64, index: u32) {
        let slot = (bucket & self.mask) as usize;
        self.in_wheel += 1;
        let list = self.buckets[slot];
        if list.head == NIL {
            self.buckets[slot] = Bucket { head: index, tail: index };
            let word = slot / 64;
            self.occupied[word] |= 1 << (slot % 64);
            self.summary[word / 64] |= 1 << (word % 64);
            self.unsorted[word] &= !(1 << (slot % 64));
        } else if self.slab[list.tail as usize].key < key {
            self.slab[list.tail as usize].next = index;
            self.buckets[slot].tail = index;
        } else {
            self.link_out_of_order(slot, key, index);
        }
    }

    /// An event that belongs before the last of its bucket. Its place is near in a short list. In a long one it is
    /// appended and the bucket sorted when its turn comes, so that a full bucket costs n log n and not n².
    fn link_out_of_order(&mut self, slot: usize, key: u64, index: u32) {
        let Bucket { head, tail } = self.buckets[slot];
        let sorted = self.unsorted[slot / 64] & (1 << (slot % 64)) == 0;
        if sorted {
            let mut before = NIL;
            let mut at = head;
            for _ in 0..LONGEST_WALK {
                let entry = &self.slab[at as usize];
                if entry.key > key {
                    self.slab[index as usize].next = at;
                    match before {
                        NIL => self.buckets[slot].head = index,
                        _ => self.slab[before as usize].next = index,
                    }
                    return;
                }
                // The last has a larger key, so the end is never passed.
                before = at;
                at = entry.next;
            }
        }
        self.slab[tail as usize].next = index;
        self.buckets[slot].tail = index;
        self.unsorted[slot / 64] |= 1 << (slot % 64);
    }

    /// The first occupied bucket of the wheel (absolute number), with its list in order.
    #[inline]
    fn open_next(&mut self) -> Option<u64> {
        let from = (self.base & self.mask) as usize;
        let slot = self.find_from(from)?;
        let bucket = self.base + ((slot as u64).wrapping_sub(from as u64) & self.mask);
        if self.unsorted[slot / 64] & (1 << (slot % 64)) != 0 {
            self.sort(slot);
        }
        Some(bucket)
    }

    /// First occupied slot at or cyclically after `from`.
    #[inline]
    fn find_from(&self, from: usize) -> Option<usize> {
        let word = from / 64;
        let rest = self.occupied[word] & (u64::MAX << (from % 64));
        if rest != 0 {
            return Some(word * 64 + rest.trailing_zeros() as usize);
        }
        let next = self.next_word(word + 1).or_else(|| self.next_word(0))?;
        Some(next * 64 + self.occupied[next].trailing_zeros() as usize)
    }

    /// First word at or after `word` with an occupied bucket.
    #[inline]
    fn next_word(&self, word: usize) -> Option<usize> {
        let mut group = word / 64;
        let mut bits = self.summary.get(group)? & (u64::MAX << (word % 64));
        while bits == 0 {
            group += 1;
            bits = *self.summary.get(group)?;
        }
        Some(group * 64 + bits.trailing_zeros() as usize)
    }

    #[cold]
    fn sort(&mut self, slot: usize) {
        let mut order = std::mem::take(&mut self.scratch);
        let mut at = self.buckets[slot].head;
        while at != NIL {
            let entry = &self.slab[at as usize];
            order.push((entry.key, at));
            at = entry.next;
        }
        // Keys differ (scheduling numbers are unique), so an unstable sort is exact.
        order.sort_unstable();
        let mut next = NIL;
        for &(_, index) in order.iter().rev() {
            self.slab[index as usize].next = next;
            next = index;
        }
        self.buckets[slot] = Bucket { head: next, tail: order.last().map_or(NIL, |&(_, index)| index) };
        self.unsorted[slot / 64] &= !(1 << (slot % 64));
        order.clear();
        self.scratch = order;
    }

    /// Moves what the horizon has reached from the heap into the wheel.
    #[cold]
    fn migrate(&mut self) {
        self.overflow_bucket = u64::MAX;
        while let Some(&Reverse((at, _, index))) = self.overflow.peek() {
            let bucket = at >> self.shift;
            if bucket - self.base > self.mask {
                self.overflow_bucket = bucket;
                break;
            }
            self.overflow.pop();
            let key = self.slab[index as usize].key;
            self.link(bucket, key, index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn equal_times_come_out_in_the_order_of_scheduling_across_the_horizon() {
        let mut wheel = Wheel::new(0, 6, 0);
        wheel.push(100, 'a'); // beyond the horizon of 64
        wheel.push(40, 'x');
        assert_eq!(wheel.pop(), Some((40, 'x')));
        wheel.push(100, 'b'); // now within it
        wheel.push(100, 'c');
        assert_eq!(wheel.peek(), Some(100));
        let order: Vec<char> = std::iter::from_fn(|| wheel.pop().map(|(_, e)| e)).collect();
        assert_eq!(order, ['a', 'b', 'c']);
        assert!(wheel.is_empty());
    }

    #[test]
    fn a_reserved_place_is_kept() {
        let mut wheel = Wheel::new(0, 8, 10);
        let ticket = wheel.reserve();
        wheel.push(20, 'b');
        wheel.push(15, 'x');
        assert_eq!(wheel.pop(), Some((15, 'x')));
        assert!(!wheel.has_passed(20, ticket));
        wheel.push_reserved(20, ticket, 'a');
        let late = wheel.reserve();
        assert_eq!(wheel.pop(), Some((20, 'a')));
        assert_eq!(wheel.pop(), Some((20, 'b')));
        assert!(wheel.has_passed(20, ticket));
        assert!(!wheel.has_passed(20, late));
        wheel.push(20, 'd');
        wheel.push_reserved(20, late, 'c');
        assert_eq!(wheel.pop(), Some((20, 'c')));
        assert_eq!(wheel.pop(), Some((20, 'd')));
    }

    #[test]
    fn pop_until_leaves_later_events() {
        let mut wheel = Wheel::new(4, 6, 0);
        wheel.push(1_000_000, 1);
        wheel.push(5, 0);
        assert_eq!(wheel.pop_until(100), Some((5, 0)));
        assert_eq!(wheel.pop_until(999_999), None);
        assert_eq!(wheel.now(), 5);
        wheel.push(6, 2);
        assert_eq!(wheel.pop(), Some((6, 2)));
        assert_eq!(wheel.pop(), Some((1_000_000, 1)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// Against a sorted map, over random widths, delays (far ones too), reservations and pops.
        #[test]
        fn agrees_with_a_sorted_map(
            shift in 0u32..8,
            steps in prop::collection::vec((0u8..5, 0u64..40, 0u64..5000), 1..400),
        ) {
            let mut wheel = Wheel::new(shift, 6, 0);
            let mut model: BTreeMap<(u64, u64), u64> = BTreeMap::new();
            let mut number = 0u64;
            let mut reserved: Vec<(u64, u64, Ticket)> = Vec::new();
            for (what, near, far) in steps {
                match what {
                    0 | 1 => {
                        let at = wheel.now() + if what == 0 { near } else { far };
                        number += 1;
                        wheel.push(at, number);
                        model.insert((at, number), number);
                    }
                    2 => {
                        number += 1;
                        reserved.push((wheel.now() + near, number, wheel.reserve()));
                    }
                    3 => {
                        if let Some((at, n, ticket)) = reserved.pop() && !wheel.has_passed(at, ticket) {
                            wheel.push_reserved(at, ticket, n);
                            model.insert((at, n), n);
                        }
                    }
                    _ => {
                        prop_assert_eq!(wheel.peek(), model.first_key_value().map(|(k, _)| k.0));
                        let expected = model.pop_first().map(|((at, _), n)| (at, n));
                        prop_assert_eq!(wheel.pop(), expected);
                    }
                }
                prop_assert_eq!(wheel.len(), model.len());
            }
            while let Some(((at, _), n)) = model.pop_first() {
                prop_assert_eq!(wheel.pop(), Some((at, n)));
            }
            prop_assert_eq!(wheel.pop(), None);
        }
    }
}
