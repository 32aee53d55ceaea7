//! No congestion control: line rate always, PFC alone.

use crate::control::{AckEvent, Controller, Loss};
use weir_units::{Rate, Time};

/// A sender that reacts to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoControl {
    line: Rate,
}

impl NoControl {
    /// A sender at `line` for ever.
    pub fn new(line: Rate) -> Self {
        Self { line }
    }
}

impl Controller for NoControl {
    #[inline]
    fn on_cnp(&mut self, _now: Time) {}
    #[inline]
    fn on_ack(&mut self, _now: Time, _ack: &AckEvent<'_>) {}
    #[inline]
    fn on_loss(&mut self, _now: Time, _loss: Loss) {}
    #[inline]
    fn on_sent(&mut self, _now: Time, _wire_bytes: u32) {}
    #[inline]
    fn advance(&mut self, _now: Time) {}
    #[inline]
    fn rate(&self) -> Rate {
        self.line
    }
    #[inline]
    fn window_bytes(&self) -> u64 {
        u64::MAX
    }
    #[inline]
    fn next_deadline(&self) -> Option<Time> {
        None
    }
}
