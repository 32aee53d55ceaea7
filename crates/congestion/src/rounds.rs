//! Round trips, as acknowledgements show them.

use crate::control::AckEvent;

/// Counts acknowledged bytes and finds the first acknowledgement of each round trip: the one of a byte that was sent after
/// the last round began.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rounds {
    acked: u64,
    end: u64,
}

/// What an acknowledgement is to the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    /// The very first one: there is nothing to compare with yet.
    First,
    /// The first of a later round.
    New,
    /// Within a round.
    Same,
}

impl Rounds {
    /// Count an acknowledgement; a new round ends with the last byte that is in flight now.
    #[inline]
    pub(crate) fn on_ack(&mut self, ack: &AckEvent<'_>) -> Round {
        self.acked = self.acked.saturating_add(ack.acked_bytes);
        if self.acked <= self.end {
            return Round::Same;
        }
        let round = if self.end == 0 { Round::First } else { Round::New };
        self.end = self.next(ack);
        round
    }

    /// The last acknowledged byte.
    #[inline]
    pub(crate) fn acked(&self) -> u64 {
        self.acked
    }

    /// The next byte to be sent.
    #[inline]
    pub(crate) fn next(&self, ack: &AckEvent<'_>) -> u64 {
        self.acked.saturating_add(ack.in_flight_bytes)
    }
}
