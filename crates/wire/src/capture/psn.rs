//! Following the PSNs of one direction of a queue pair: what came twice, what is missing.

use crate::{Psn, Reth};
use std::collections::BTreeMap;

/// A PSN this far from the last one is not loss: the queue pair was set up anew.
const RESTART: i32 = 1 << 16;
/// Runs of PSNs remembered at a time: a bound on memory that only a capture full of holes reaches.
const MOST_RUNS: usize = 4096;

/// What a PSN says in the light of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The first, or after a new start.
    First,
    /// The one that was due.
    Next,
    /// So many PSNs were passed over.
    Gap(u32),
    /// From before the newest, and not seen until now: out of order, or sent again after a loss.
    Late,
    /// Seen before.
    Repeat,
}

/// Follows PSNs.
#[derive(Clone, Debug, Default)]
pub struct PsnTrack {
    /// The newest PSN, and its number when counting does not wrap.
    newest: Option<(Psn, i64)>,
    /// What was seen: start and end (not included) of each run.
    runs: BTreeMap<i64, i64>,
    /// A READ that is the newest request, of which it is not known how many PSNs it takes.
    open_read: Option<Reth>,
    /// Path MTU in bytes, once a packet that is full by definition showed it.
    mtu: Option<u32>,
}

impl PsnTrack {
    /// A first or middle packet of a message has exactly the path MTU of payload.
    pub fn learn_mtu(&mut self, payload_bytes: usize) {
        if self.mtu.is_none() && matches!(payload_bytes, 256 | 512 | 1024 | 2048 | 4096) {
            self.mtu = Some(payload_bytes as u32);
        }
    }

    /// A request packet. A READ takes a PSN for each packet of its response (IBTA volume 1, 9.7.3.1).
    pub fn request(&mut self, psn: Psn, read: Option<Reth>) -> Place {
        let (newest, number) = match self.newest {
            Some((newest, number)) if psn.since(newest).abs() <= RESTART => (newest, number),
            _ => {
                self.runs.clear();
                self.advance(psn, 0, read);
                return Place::First;
            }
        };
        let ahead = psn.since(newest);
        let here = number + i64::from(ahead);
        if ahead <= 0 {
            let seen = self.contains(here);
            self.insert(here, here + self.span(read));
            return if seen { Place::Repeat } else { Place::Late };
        }
        let Some(open) = self.open_read else {
            self.advance(psn, here, read);
            return if ahead == 1 { Place::Next } else { Place::Gap(ahead as u32 - 1) };
        };
        // A READ of which a part arrived is asked again for the rest: same key, same end.
        let end = |reth: &Reth| reth.va.wrapping_add(u64::from(reth.len));
        if read.is_some_and(|read| read.rkey == open.rkey && end(&read) == end(&open) && read.len < open.len)
        {
            return Place::Repeat;
        }
        let ahead = ahead as u32;
        let spans = [256, 512, 1024, 2048, 4096].map(|mtu| packets(open.len, mtu));
        // The longest of the READ's possible lengths that ends at or before this PSN.
        let span = spans.into_iter().filter(|span| *span <= ahead).max().unwrap_or(ahead);
        self.insert(number, number + i64::from(span));
        self.advance(psn, here, read);
        if span == ahead { Place::Next } else { Place::Gap(ahead - span) }
    }

    /// A packet of a READ response or an atomic acknowledgement; true if its PSN was seen before. Responses pass over the
    /// PSNs of other requests, so there are no gaps to find.
    pub fn response(&mut self, psn: Psn) -> bool {
        match self.newest {
            Some((newest, number)) if psn.since(newest).abs() <= RESTART => {
                let here = number + i64::from(psn.since(newest));
                let seen = self.contains(here);
                if here > number {
                    self.newest = Some((psn, here));
                }
                self.insert(here, here + 1);
                seen
            }
            _ => {
                self.runs.clear();
                self.newest = Some((psn, 0));
                self.insert(0, 1);
                false
            }
        }
    }

    /// PSNs that a request is known to take.
    fn span(&self, read: Option<Reth>) -> i64 {
        match (read, self.mtu) {
            (Some(read), Some(mtu)) => i64::from(packets(read.len, mtu)),
            _ => 1,
        }
    }

    fn advance(&mut self, psn: Psn, number: i64, read: Option<Reth>) {
        let span = self.span(read);
        self.open_read = if self.mtu.is_none() { read } else { None };
        self.newest = Some((psn.add(span as u32 - 1), number + span - 1));
        self.insert(number, number + span);
    }

    fn contains(&self, number: i64) -> bool {
        self.runs.range(..=number).next_back().is_some_and(|(_, end)| number < *end)
    }

    fn insert(&mut self, mut start: i64, mut end: i64) {
        while let Some((&s, &e)) = self.runs.range(..=end).next_back().filter(|(_, e)| **e >= start) {
            self.runs.remove(&s);
            start = start.min(s);
            end = end.max(e);
        }
        self.runs.insert(start, end);
        while self.runs.len() > MOST_RUNS {
            self.runs.pop_first();
        }
    }
}

/// Packets of a message; one even if it is empty.
fn packets(bytes: u32, mtu: u32) -> u32 {
    bytes.div_ceil(mtu).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(psns: &[u32]) -> Vec<Place> {
        let mut track = PsnTrack::default();
        psns.iter().map(|psn| track.request(Psn::new(*psn), None)).collect()
    }

    #[test]
    fn loss_and_going_back() {
        use Place::*;
        // 5 is lost, 6 and 7 come, the sender goes back to 5.
        assert_eq!(places(&[4, 6, 7, 5, 6, 7, 8]), [First, Gap(1), Next, Late, Repeat, Repeat, Next]);
        assert_eq!(places(&[0xff_fffe, 0xff_ffff, 0, 0xff_ffff]), [First, Next, Next, Repeat]);
        assert_eq!(places(&[5, 4, 4]), [First, Late, Repeat]);
        assert_eq!(places(&[5, 0x80_0000, 0x80_0001, 5]), [First, First, Next, First]);
    }

    #[test]
    fn reads_take_a_psn_a_packet_of_the_response() {
        use Place::*;
        let read = |va, len| Some(Reth { va, rkey: 1, len });
        let mut track = PsnTrack::default();
        assert_eq!(track.request(Psn::new(10), read(0, 4096)), First);
        assert_eq!(track.request(Psn::new(14), read(4096, 4096)), Next, "4 packets of 1024");
        assert_eq!(track.request(Psn::new(12), read(2048, 2048)), Repeat, "the second half again");
        assert_eq!(track.request(Psn::new(16), read(6144, 2048)), Repeat, "and of the newest");
        assert_eq!(track.request(Psn::new(18), None), Next);
        assert_eq!(track.request(Psn::new(14), read(4096, 4096)), Repeat);

        let mut track = PsnTrack::default();
        track.learn_mtu(1024);
        assert_eq!(track.request(Psn::new(10), read(0, 4096)), First);
        assert_eq!(track.request(Psn::new(16), None), Gap(2), "with the MTU known the gap is exact");
        assert_eq!(track.request(Psn::new(12), read(2048, 2048)), Repeat);
    }

    #[test]
    fn responses() {
        let mut track = PsnTrack::default();
        let seen = [3, 4, 9, 4, 5, 3].map(|psn| track.response(Psn::new(psn)));
        assert_eq!(seen, [false, false, false, true, false, true]);
    }

    #[test]
    fn runs_join() {
        let mut track = PsnTrack::default();
        for (start, end) in [(0, 1), (4, 6), (2, 3), (1, 2), (3, 4)] {
            track.insert(start, end);
        }
        assert_eq!(track.runs, BTreeMap::from([(0, 6)]));
        assert!(track.contains(5) && !track.contains(6) && !track.contains(-1));
    }
}
