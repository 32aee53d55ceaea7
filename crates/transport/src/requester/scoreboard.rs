//! Selective repeat: what the requester knows of the packets in flight (as IRN, SIGCOMM 2018, section 3.1).

/// A bit for each sequence number from the oldest unacknowledged one on, and what follows from them.
#[derive(Debug)]
pub(super) struct Scoreboard {
    bits: Vec<u64>,
    /// Sequence numbers that have a bit: a power of two.
    span: u64,
    /// The responder has executed everything before this (reads need their responses all the same).
    pub acked: u64,
    /// What is before this and has not arrived is lost.
    pub lost_below: u64,
    /// What is lost and before this has been repeated.
    pub scan: u64,
    /// Losses before this have been told to the congestion controller.
    pub recover: u64,
}

impl Scoreboard {
    pub fn new(cap: u64, first: u64) -> Self {
        let span = cap.next_power_of_two().max(64);
        Self {
            bits: vec![0; (span / 64) as usize],
            span,
            acked: first,
            lost_below: first,
            scan: first,
            recover: first,
        }
    }

    /// Whether `seq` has a bit while `una` is the oldest.
    pub fn covers(&self, seq: u64, una: u64) -> bool {
        (una..una + self.span).contains(&seq)
    }

    fn place(&self, seq: u64) -> (usize, u64) {
        let at = seq & (self.span - 1);
        ((at / 64) as usize, 1 << (at % 64))
    }

    /// Whether `seq`, which is covered, has arrived.
    pub fn has(&self, seq: u64) -> bool {
        let (word, bit) = self.place(seq);
        self.bits[word] & bit != 0
    }

    pub fn set(&mut self, seq: u64) {
        let (word, bit) = self.place(seq);
        self.bits[word] |= bit;
    }

    pub fn clear(&mut self, from: u64, to: u64) {
        for seq in from..to.min(from.saturating_add(self.span)) {
            let (word, bit) = self.place(seq);
            self.bits[word] &= !bit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_follow_the_window() {
        let mut board = Scoreboard::new(100, 1000);
        assert!(board.covers(1127, 1000) && !board.covers(1128, 1000) && !board.covers(999, 1000));
        board.set(1003);
        board.set(1127);
        assert!(board.has(1003) && board.has(1127) && !board.has(1004));
        board.clear(1000, 1004);
        assert!(!board.has(1003) && board.has(1127));
        board.clear(1000, u64::MAX);
        assert!(!board.has(1127));
    }
}
