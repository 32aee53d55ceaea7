//! The reaction point's state machine.

use super::params::{ClampTarget, DcqcnParams, FirstCnp, Variant};
use crate::control::{AckEvent, Controller, Loss};
use std::sync::Arc;
use weir_units::{Rate, Time};

/// The timers of the reaction point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RpTimer {
    /// Alpha's period.
    Alpha,
    /// The firmware's cut window.
    Decrease,
    /// The increase timer.
    Increase,
}

/// DCQCN's reaction point for one queue pair.
///
/// [`Controller::advance`] fires due timers lazily; a user that needs its own order of equal-time events calls
/// [`Dcqcn::handle_timer`] for each timer at its [`Dcqcn::deadline`] instead.
#[derive(Clone, Debug)]
pub struct Dcqcn {
    params: Arc<DcqcnParams>,
    ceiling: u64,
    rate: u64,
    target: u64,
    alpha: f64,
    alpha_at: Time,
    decrease_at: Time,
    increase_at: Time,
    /// The earliest of the three.
    due: Time,
    bytes_left: u64,
    timer_events: u32,
    byte_events: u32,
    /// A CNP has ever arrived.
    started: bool,
    cnp_for_alpha: bool,
    cnp_for_rate: bool,
}

impl Dcqcn {
    /// At the line's rate, no CNP seen.
    pub fn new(params: DcqcnParams, line: Rate, now: Time) -> Self {
        Self::with(Arc::new(params), line, now)
    }

    /// As [`Dcqcn::new`], with parameters shared between queue pairs.
    pub fn with(params: Arc<DcqcnParams>, line: Rate, _now: Time) -> Self {
        let max = params.max_rate.as_bps();
        let ceiling = if max == 0 { line.as_bps() } else { max.min(line.as_bps()) };
        Self {
            ceiling,
            rate: ceiling,
            target: ceiling,
            alpha: params.initial_alpha,
            alpha_at: Time::MAX,
            decrease_at: Time::MAX,
            increase_at: Time::MAX,
            due: Time::MAX,
            bytes_left: u64::MAX,
            timer_events: 0,
            byte_events: 0,
            started: false,
            cnp_for_alpha: false,
            cnp_for_rate: false,
            params,
        }
    }

    /// Rc.
    #[inline]
    pub fn rate(&self) -> Rate {
        Rate::from_bps(self.rate)
    }
    /// Rt.
    #[inline]
    pub fn target(&self) -> Rate {
        Rate::from_bps(self.target)
    }
    /// Alpha.
    #[inline]
    pub fn alpha(&self) -> f64 {
        self.alpha
    }
    /// When a timer is due; `None` while it does not run.
    #[inline]
    pub fn deadline(&self, timer: RpTimer) -> Option<Time> {
        let at = match timer {
            RpTimer::Alpha => self.alpha_at,
            RpTimer::Decrease => self.decrease_at,
            RpTimer::Increase => self.increase_at,
        };
        (at != Time::MAX).then_some(at)
    }

    /// One tick of a timer, at `now`; it is set anew from `now`.
    pub fn handle_timer(&mut self, timer: RpTimer, now: Time) {
        match (timer, self.params.variant) {
            (RpTimer::Alpha, Variant::Firmware) => {
                self.alpha_at = now + self.params.alpha_interval;
                self.alpha *= 1.0 - self.params.g;
                if self.cnp_for_alpha {
                    self.alpha += self.params.g;
                    self.cnp_for_alpha = false;
                }
            }
            (RpTimer::Alpha, Variant::Paper) => {
                self.alpha_at = now + self.params.alpha_interval;
                self.alpha *= 1.0 - self.params.g;
            }
            (RpTimer::Decrease, _) => {
                self.decrease_at = now + self.params.decrease_interval;
                if self.cnp_for_rate {
                    self.cnp_for_rate = false;
                    self.cut(now);
                }
            }
            (RpTimer::Increase, _) => {
                self.increase_at = now + self.params.increase_interval;
                self.increase(true);
            }
        }
        self.due = self.alpha_at.min(self.decrease_at).min(self.increase_at);
    }

    fn cut(&mut self, now: Time) {
        let clamps = match self.params.clamp {
            ClampTarget::Always => true,
            ClampTarget::AfterIncrease => self.timer_events != 0 || self.byte_events != 0,
            ClampTarget::AfterByteIncrease => self.byte_events != 0,
        };
        if clamps {
            self.target = self.rate;
        }
        let cut = (self.rate as f64 * (1.0 - self.alpha / 2.0)) as u64;
        let least = (self.rate as f64 * self.params.min_dec_fac) as u64;
        self.rate = cut.max(least).max(self.params.min_rate.as_bps()).min(self.ceiling);
        self.timer_events = 0;
        self.byte_events = 0;
        self.increase_at = now + self.params.increase_interval;
        self.bytes_left = self.params.byte_counter.unwrap_or(u64::MAX);
    }

    /// One increase event: by the timer or by the byte counter. The stage is that of the events before this one in the
    /// firmware's form, and counts this one in the paper's.
    fn increase(&mut self, by_timer: bool) {
        let f = self.params.recovery_rounds;
        let (high, low) = match self.params.variant {
            Variant::Paper => {
                *(if by_timer { &mut self.timer_events } else { &mut self.byte_events }) += 1;
                (self.timer_events.max(self.byte_events), self.timer_events.min(self.byte_events))
            }
            Variant::Firmware => {
                let stage = self.timer_events.max(self.byte_events);
                (stage, stage)
            }
        };
        if low > f {
            let steps = match self.params.variant {
                Variant::Paper => u64::from(low - f),
                Variant::Firmware => 1,
            };
            self.raise_target(self.params.r_hai.as_bps().saturating_mul(steps));
        } else if high >= f {
            self.raise_target(self.params.r_ai.as_bps());
        }
        self.rate = (self.rate / 2 + self.target / 2).min(self.ceiling);
        if self.params.variant == Variant::Firmware {
            *(if by_timer { &mut self.timer_events } else { &mut self.byte_events }) += 1;
        }
    }

    fn raise_target(&mut self, by: u64) {
        self.target = (self.target.saturating_add(by)).min(self.ceiling);
    }

    #[cold]
    fn catch_up(&mut self, now: Time) {
        while self.due <= now {
            if self.alpha_at == self.due {
                self.handle_timer(RpTimer::Alpha, self.alpha_at);
            } else if self.decrease_at == self.due {
                self.handle_timer(RpTimer::Decrease, self.decrease_at);
            } else {
                self.handle_timer(RpTimer::Increase, self.increase_at);
            }
        }
    }
}

impl Controller for Dcqcn {
    fn on_cnp(&mut self, now: Time) {
        self.advance(now);
        self.handle_cnp(now);
    }

    fn on_ack(&mut self, _now: Time, _ack: &AckEvent<'_>) {}

    fn on_loss(&mut self, _now: Time, _loss: Loss) {}

    #[inline]
    fn on_sent(&mut self, now: Time, wire_bytes: u32) {
        if !self.started || self.bytes_left == u64::MAX {
            return;
        }
        self.advance(now);
        if let Some(left) = self.bytes_left.checked_sub(u64::from(wire_bytes)).filter(|left| *left > 0) {
            self.bytes_left = left;
        } else {
            self.bytes_left = self.params.byte_counter.unwrap_or(u64::MAX);
            self.increase(false);
        }
    }

    #[inline]
    fn advance(&mut self, now: Time) {
        if self.due <= now {
            self.catch_up(now);
        }
    }

    #[inline]
    fn rate(&self) -> Rate {
        Rate::from_bps(self.rate)
    }

    #[inline]
    fn window_bytes(&self) -> u64 {
        u64::MAX
    }

    fn next_deadline(&self) -> Option<Time> {
        (self.due != Time::MAX).then_some(self.due)
    }
}

impl Dcqcn {
    /// What the first CNP alone does; true if this was it.
    fn first(&mut self, _now: Time) -> bool {
        if self.started {
            return false;
        }
        self.started = true;
        self.alpha = self.params.initial_alpha;
        let rate = match self.params.rate_on_first_cnp {
            FirstCnp::Keep => return true,
            FirstCnp::Rate(rate) => rate.as_bps(),
            FirstCnp::Share(share) => (self.rate as f64 * share) as u64,
        };
        self.rate = rate.max(self.params.min_rate.as_bps()).min(self.ceiling);
        self.target = self.rate;
        true
    }

    /// A CNP arrived, for users of [`Dcqcn::handle_timer`]: as [`Controller::on_cnp`], but it fires no timer, so a timer
    /// that is due at `now` and has not been handled yet sees the CNP.
    pub fn handle_cnp(&mut self, now: Time) {
        match self.params.variant {
            Variant::Paper => {
                self.first(now);
                self.cut(now);
                self.alpha = (1.0 - self.params.g) * self.alpha + self.params.g;
                self.alpha_at = now + self.params.alpha_interval;
                self.due = self.alpha_at.min(self.increase_at);
            }
            Variant::Firmware => {
                self.cnp_for_alpha = true;
                self.cnp_for_rate = true;
                if self.first(now) {
                    self.cnp_for_alpha = false;
                    self.alpha_at = now + self.params.alpha_interval;
                    self.decrease_at = now + self.params.decrease_interval + self.params.decrease_offset;
                    self.due = self.alpha_at.min(self.decrease_at);
                }
            }
        }
    }
}
