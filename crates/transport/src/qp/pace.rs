//! The pacer: when the next data packet may leave.

use weir_units::{Rate, Span, Time};

/// Spaces data packets by the controller's rate. An idle time earns no credit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    next_at: Time,
    /// The latest packet's rate, bytes and the time that they take: most packets repeat them, and a division is slow.
    rate: Rate,
    bytes: u32,
    span: Span,
}

impl Pace {
    pub fn new(now: Time) -> Self {
        Self { next_at: now, rate: Rate::ZERO, bytes: 0, span: Span::ZERO }
    }

    #[inline]
    pub fn next_at(&self) -> Time {
        self.next_at
    }

    /// A packet began to leave.
    #[inline]
    pub fn sent(&mut self, now: Time, rate: Rate, bytes: u32) {
        if rate != self.rate || bytes != self.bytes {
            self.rate = rate;
            self.bytes = bytes;
            self.span = rate.span_of(u64::from(bytes));
        }
        self.next_at = now.saturating_add(self.span);
    }
}
