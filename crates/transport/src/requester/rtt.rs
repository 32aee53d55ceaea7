//! Send times of packets that asked for an acknowledgement, for TIMELY and Swift.

use weir_units::{Span, Time};

/// Samples kept. While it is full, no more are taken: a round trip is measured a few times, not for every packet.
const SAMPLES: usize = 8;

/// A small ring of (sequence number, send time).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RttRing {
    samples: [(u64, Time); SAMPLES],
    first: u8,
    used: u8,
}

impl RttRing {
    /// Packet `seq` left at `now` and asked for an acknowledgement.
    #[inline]
    pub fn sent(&mut self, seq: u64, now: Time) {
        if usize::from(self.used) < SAMPLES {
            let at = (usize::from(self.first) + usize::from(self.used)) % SAMPLES;
            self.samples[at] = (seq, now);
            self.used += 1;
        }
    }

    /// Everything before `una` is acknowledged; the round trip, if that was the answer to a packet of the ring. An answer to
    /// a later packet says nothing of an earlier one: acknowledgements are coalesced.
    #[inline]
    pub fn acknowledged(&mut self, una: u64, now: Time) -> Option<Span> {
        let mut rtt = None;
        while self.used > 0 {
            let (seq, sent) = self.samples[usize::from(self.first)];
            if seq >= una {
                break;
            }
            rtt = (seq + 1 == una).then(|| now.saturating_since(sent));
            self.first = (self.first + 1) % SAMPLES as u8;
            self.used -= 1;
        }
        rtt
    }

    /// Forgets everything: after a repetition an answer could be to either copy (Karn's rule).
    #[inline]
    pub fn clear(&mut self) {
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_to_the_packet_itself_is_a_sample() {
        let mut ring = RttRing::default();
        ring.sent(10, Time::from_us(1));
        ring.sent(20, Time::from_us(2));
        assert_eq!(ring.acknowledged(15, Time::from_us(7)), None, "a coalesced answer");
        assert_eq!(ring.acknowledged(21, Time::from_us(9)), Some(Span::from_us(7)));
        assert_eq!(ring.acknowledged(22, Time::from_us(9)), None);
    }

    #[test]
    fn a_full_ring_takes_no_more_until_it_drains() {
        let mut ring = RttRing::default();
        (0..20).for_each(|seq| ring.sent(seq, Time::from_us(seq)));
        assert_eq!(ring.acknowledged(8, Time::from_us(10)), Some(Span::from_us(3)));
        ring.sent(20, Time::from_us(20));
        assert_eq!(ring.acknowledged(21, Time::from_us(25)), Some(Span::from_us(5)));
        ring.sent(21, Time::from_us(30));
        ring.clear();
        assert_eq!(ring.acknowledged(22, Time::from_us(31)), None);
    }
}
