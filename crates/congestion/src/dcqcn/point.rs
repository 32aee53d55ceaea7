//! The reaction point's state machine.
//!
//! Two ways to drive it give the same rate, target and alpha to the last bit:
//!
//! * **Lazily**, through [`Controller`]: [`Controller::advance`] costs one comparison while nothing that the rate
//!   depends on is due. Alpha's ticks are applied in bulk when a cut or a getter needs alpha, windows without a CNP and
//!   increases that can change nothing are skipped.
//! * **Tick by tick**, through [`Dcqcn::deadline`], [`Dcqcn::handle_timer`] and [`Dcqcn::handle_cnp`], for a user that
//!   has its own order of equal-time events (the ns-3 mode of the simulator).

use super::params::{ClampTarget, DcqcnParams, FirstCnp, Variant};
use crate::control::{AckEvent, Controller, Loss};
use std::sync::Arc;
use weir_units::{Rate, Span, Time};

/// The timers of the reaction point. Where several are due at once, they go in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RpTimer {
    /// Alpha's period.
    Alpha,
    /// The firmware's cut window.
    Decrease,
    /// The increase timer.
    Increase,
}

impl RpTimer {
    /// Every timer, in order.
    pub const ALL: [RpTimer; 3] = [RpTimer::Alpha, RpTimer::Decrease, RpTimer::Increase];
}

/// Parameters, and what follows from them.
#[derive(Debug)]
struct Shared {
    params: DcqcnParams,
    /// 1 − g.
    keep: f64,
    /// After more ticks than this without a CNP, alpha has no effect on a cut nor on alpha after the next CNP: it is
    /// under g × 2^-56, so both `1 − alpha/2` and `(1 − g) alpha + g` round as if it were zero.
    negligible_after: u64,
}

/// DCQCN's reaction point for one queue pair.
///
/// A clone shares its parameters with the original: clone a fresh one rather than building many.
#[derive(Clone, Debug)]
pub struct Dcqcn {
    shared: Arc<Shared>,
    /// The earliest time at which the rate can change by itself.
    due: Time,
    /// Where [`Controller::advance`] was last; stays at the start for tick-by-tick users.
    now: Time,
    rate: u64,
    target: u64,
    ceiling: u64,
    /// Alpha before the tick at `alpha_at`.
    alpha: f64,
    /// The first tick of alpha that has not been applied.
    alpha_at: Time,
    /// The tick of alpha that sees a CNP (firmware).
    alpha_cnp_at: Time,
    /// An end of a cut window that has not been passed.
    decrease_at: Time,
    increase_at: Time,
    /// Until the byte counter's next event; `u64::MAX` while it does not run.
    bytes_left: u64,
    /// Increase events by the timer since the last cut.
    timer_events: u32,
    /// Increase events by the byte counter since the last cut.
    byte_events: u32,
    /// A CNP has ever arrived.
    started: bool,
    cnp_for_rate: bool,
}

/// How many ticks of period `every`, the first at `first`, fall at or before `now`.
#[inline]
fn ticks_until(first: Time, every: Span, now: Time) -> u64 {
    if first > now || every == Span::ZERO { 0 } else { (now - first) / every + 1 }
}

/// The first tick after `now`.
#[inline]
fn tick_after(first: Time, every: Span, now: Time) -> Time {
    after(first, every, ticks_until(first, every, now))
}

/// `at` and `ticks` periods, or never.
#[inline]
fn after(at: Time, every: Span, ticks: u64) -> Time {
    Time::from_ps(at.as_ps().saturating_add(every.as_ps().saturating_mul(ticks)))
}

/// A timer of period `every` started at `now`; a zero period never fires.
#[inline]
fn start(now: Time, every: Span) -> Time {
    if every == Span::ZERO { Time::MAX } else { now.saturating_add(every) }
}

impl Dcqcn {
    /// At the line's rate, no CNP seen. Values outside their range are taken at its end; [`DcqcnParams::check`] says
    /// which are.
    pub fn new(params: DcqcnParams, line: Rate, now: Time) -> Self {
        let g = if params.g.is_finite() { params.g.clamp(0.0, 1.0) } else { 0.0 };
        let initial =
            if params.initial_alpha.is_finite() { params.initial_alpha.clamp(0.0, 1.0) } else { 1.0 };
        let negligible = ((g * 2f64.powi(-56)).ln() / (1.0 - g).ln()).ceil();
        let max = params.max_rate.as_bps();
        let ceiling = if max == 0 { line.as_bps() } else { max.min(line.as_bps()) };
        Self {
            shared: Arc::new(Shared {
                params: DcqcnParams { g, initial_alpha: initial, ..params },
                keep: 1.0 - g,
                // With g = 0 no tick changes alpha, so ticking stops at once whatever their number.
                negligible_after: if g > 0.0 { negligible as u64 + 1 } else { u64::MAX },
            }),
            due: Time::MAX,
            now,
            rate: ceiling,
            target: ceiling,
            ceiling,
            alpha: initial,
            alpha_at: Time::MAX,
            alpha_cnp_at: Time::MAX,
            decrease_at: Time::MAX,
            increase_at: Time::MAX,
            bytes_left: u64::MAX,
            timer_events: 0,
            byte_events: 0,
            started: false,
            cnp_for_rate: false,
        }
    }

    /// Its parameters.
    pub fn params(&self) -> &DcqcnParams {
        &self.shared.params
    }

    /// Rc, the current rate.
    #[inline]
    pub fn rate(&self) -> Rate {
        Rate::from_bps(self.rate)
    }

    /// Rt, the target rate.
    #[inline]
    pub fn target(&self) -> Rate {
        Rate::from_bps(self.target)
    }

    /// Alpha, with every tick up to the last [`Controller::advance`] applied.
    pub fn alpha(&self) -> f64 {
        let every = self.shared.params.alpha_interval;
        let mut ticks = ticks_until(self.alpha_at, every, self.now);
        let mut alpha = self.alpha;
        if self.alpha_cnp_at <= self.now {
            let before = self.ticks_before_cnp();
            alpha = self.shared.keep * self.decayed(alpha, before) + self.shared.params.g;
            ticks -= before + 1;
        }
        self.decayed(alpha, ticks)
    }

    /// When a timer is due next; `None` while it does not run.
    pub fn deadline(&self, timer: RpTimer) -> Option<Time> {
        let params = &self.shared.params;
        let (at, every) = match timer {
            RpTimer::Alpha => (self.alpha_at, params.alpha_interval),
            RpTimer::Decrease => (self.decrease_at, params.decrease_interval),
            RpTimer::Increase => (self.increase_at, params.increase_interval),
        };
        let at = tick_after(at, every, self.now);
        (at != Time::MAX).then_some(at)
    }

    /// One tick of a timer, which starts anew from `now`. For users that run every timer themselves: call it at each
    /// [`Dcqcn::deadline`], and [`Dcqcn::handle_cnp`] and [`Dcqcn::handle_sent`] in place of the trait's methods.
    pub fn handle_timer(&mut self, timer: RpTimer, now: Time) {
        match timer {
            RpTimer::Alpha => {
                self.alpha *= self.shared.keep;
                if self.alpha_cnp_at != Time::MAX {
                    self.alpha += self.shared.params.g;
                    self.alpha_cnp_at = Time::MAX;
                }
                self.alpha_at = start(now, self.shared.params.alpha_interval);
            }
            RpTimer::Decrease => {
                self.decrease_at = start(now, self.shared.params.decrease_interval);
                if self.cnp_for_rate {
                    self.cnp_for_rate = false;
                    self.cut(now, self.alpha);
                }
            }
            RpTimer::Increase => {
                self.increase_at = start(now, self.shared.params.increase_interval);
                self.increase(true);
            }
        }
        self.set_due();
    }

    /// A CNP arrived, for users of [`Dcqcn::handle_timer`]: it fires no timer, so a timer that is due at `now` and has not
    /// been handled yet sees the CNP.
    pub fn handle_cnp(&mut self, now: Time) {
        let alpha = self.alpha;
        self.cnp(now, self.alpha_at, alpha);
    }

    /// A packet began to leave, for users of [`Dcqcn::handle_timer`]: the byte counter alone.
    pub fn handle_sent(&mut self, wire_bytes: u32) {
        if self.bytes_left == u64::MAX {
            return;
        }
        self.bytes_left = self.bytes_left.saturating_sub(u64::from(wire_bytes));
        if self.bytes_left == 0 {
            self.bytes_left = self.shared.params.byte_counter.unwrap_or(u64::MAX);
            self.increase(false);
            self.set_due();
        }
    }

    /// A CNP, when alpha is `alpha` at `now` (or as good as that) and its next tick is at `tick`.
    fn cnp(&mut self, now: Time, tick: Time, alpha: f64) {
        let first = !self.started;
        let alpha = if first { self.shared.params.initial_alpha } else { alpha };
        if first {
            self.started = true;
            self.alpha = alpha;
            self.alpha_at = start(now, self.shared.params.alpha_interval);
            self.first_rate();
        }
        let params = &self.shared.params;
        match params.variant {
            Variant::Paper => {
                self.alpha = self.shared.keep * alpha + params.g;
                self.alpha_at = start(now, params.alpha_interval);
                self.cut(now, alpha);
            }
            // Without a window every CNP cuts.
            Variant::Firmware if params.decrease_interval == Span::ZERO => {
                if !first {
                    self.alpha_cnp_at = tick;
                }
                self.cut(now, alpha);
            }
            Variant::Firmware => {
                self.cnp_for_rate = true;
                if first {
                    // The first CNP cuts at the window's end, but alpha does not count it.
                    self.decrease_at =
                        start(now, params.decrease_interval).saturating_add(params.decrease_offset);
                } else {
                    self.alpha_cnp_at = tick;
                }
            }
        }
        self.set_due();
    }

    fn first_rate(&mut self) {
        let rate = match self.shared.params.rate_on_first_cnp {
            FirstCnp::Keep => self.rate,
            FirstCnp::Rate(rate) => rate.as_bps(),
            FirstCnp::Share(share) => (self.rate as f64 * share) as u64,
        };
        self.rate = rate.max(self.shared.params.min_rate.as_bps()).min(self.ceiling);
        self.target = self.rate;
    }

    fn cut(&mut self, now: Time, alpha: f64) {
        let params = &self.shared.params;
        let clamps = match params.clamp {
            ClampTarget::Always => true,
            ClampTarget::AfterIncrease => self.timer_events != 0 || self.byte_events != 0,
            ClampTarget::AfterByteIncrease => self.byte_events != 0,
        };
        if clamps {
            self.target = self.rate;
        }
        let cut = (self.rate as f64 * (1.0 - alpha / 2.0)) as u64;
        let least = (self.rate as f64 * params.min_dec_fac) as u64;
        self.rate = cut.max(least).max(params.min_rate.as_bps()).min(self.ceiling);
        self.timer_events = 0;
        self.byte_events = 0;
        self.increase_at = start(now, params.increase_interval);
        self.bytes_left = params.byte_counter.unwrap_or(u64::MAX);
    }

    /// One increase event. The phase is that of the events before it, so fast recovery lasts F of them (section 3.3 of
    /// the paper: "F = 5 successive iterations"; the fluid model and the ns-3 HPCC simulator count so too). Without a
    /// byte counter the firmware's phase is the timer's alone.
    fn increase(&mut self, by_timer: bool) {
        let params = &self.shared.params;
        let timer = self.timer_events;
        let timer_alone = params.variant == Variant::Firmware && params.byte_counter.is_none();
        let bytes = if timer_alone { timer } else { self.byte_events };
        let events = if by_timer { &mut self.timer_events } else { &mut self.byte_events };
        *events = events.saturating_add(1);
        let (f, high, low) = (params.recovery_rounds, timer.max(bytes), timer.min(bytes));
        let step = if low > f {
            let times = if params.variant == Variant::Paper { u64::from(low - f) } else { 1 };
            params.r_hai.as_bps().saturating_mul(times)
        } else if high >= f {
            params.r_ai.as_bps()
        } else {
            0
        };
        self.target = self.target.saturating_add(step).min(self.ceiling);
        self.rate = self.recovered();
    }

    /// The rate after an increase: each half truncated to whole bits a second.
    #[inline]
    fn recovered(&self) -> u64 {
        (self.rate / 2 + self.target / 2).min(self.ceiling)
    }

    /// No increase can change the rate or the target until the next cut.
    #[inline]
    fn is_saturated(&self) -> bool {
        let params = &self.shared.params;
        let stuck = self.target == self.ceiling || (params.r_ai == Rate::ZERO && params.r_hai == Rate::ZERO);
        stuck && self.recovered() == self.rate
    }

    fn set_due(&mut self) {
        let decrease = if self.cnp_for_rate { self.decrease_at } else { Time::MAX };
        let increase = if self.is_saturated() { Time::MAX } else { self.increase_at };
        self.due = decrease.min(increase);
    }

    /// Count the events, at or before `now`, of an increase timer that [`Dcqcn::set_due`] left alone.
    fn count_skipped(&mut self, now: Time) {
        let every = self.shared.params.increase_interval;
        let skipped = ticks_until(self.increase_at, every, now);
        self.timer_events = self.timer_events.saturating_add(u32::try_from(skipped).unwrap_or(u32::MAX));
        self.increase_at = after(self.increase_at, every, skipped);
    }

    fn ticks_before_cnp(&self) -> u64 {
        let every = self.shared.params.alpha_interval;
        if every == Span::ZERO { 0 } else { self.alpha_cnp_at.saturating_since(self.alpha_at) / every }
    }

    /// `alpha` after `ticks` ticks without a CNP: one rounding a tick, as ticking does it.
    fn decayed(&self, mut alpha: f64, ticks: u64) -> f64 {
        for _ in 0..ticks {
            let next = alpha * self.shared.keep;
            if next == alpha {
                // At zero, or at the last subnormal number: it stays.
                break;
            }
            alpha = next;
        }
        alpha
    }

    /// Alpha at `now` as far as a cut depends on it. Applies ticks where that is cheap.
    fn effective_alpha(&mut self, now: Time) -> f64 {
        let every = self.shared.params.alpha_interval;
        if self.alpha_cnp_at <= now {
            let before = self.ticks_before_cnp();
            let g = self.shared.params.g;
            self.alpha = if before > self.shared.negligible_after {
                g
            } else {
                self.shared.keep * self.decayed(self.alpha, before) + g
            };
            self.alpha_at = after(self.alpha_at, every, before + 1);
            self.alpha_cnp_at = Time::MAX;
        }
        let ticks = ticks_until(self.alpha_at, every, now);
        if ticks > self.shared.negligible_after {
            return 0.0;
        }
        self.alpha = self.decayed(self.alpha, ticks);
        self.alpha_at = after(self.alpha_at, every, ticks);
        self.alpha
    }

    #[cold]
    fn catch_up(&mut self, now: Time) {
        while self.due <= now {
            let at = self.due;
            if self.cnp_for_rate && self.decrease_at == at {
                self.decrease_at = start(at, self.shared.params.decrease_interval);
                self.cnp_for_rate = false;
                let alpha = self.effective_alpha(at);
                // The cut goes before an increase of the same time, which it cancels.
                self.count_skipped(Time::from_ps(at.as_ps() - 1));
                self.cut(at, alpha);
            } else {
                self.increase_at = start(at, self.shared.params.increase_interval);
                self.increase(true);
            }
            self.set_due();
        }
    }
}

impl Controller for Dcqcn {
    fn on_cnp(&mut self, now: Time) {
        self.advance(now);
        let params = &self.shared.params;
        let (alpha_every, decrease_every) = (params.alpha_interval, params.decrease_interval);
        let windowed = params.variant == Variant::Firmware && decrease_every != Span::ZERO;
        let tick = tick_after(self.alpha_at, alpha_every, now);
        self.decrease_at = tick_after(self.decrease_at, decrease_every, now);
        // A second CNP before the same tick changes nothing; one before a later tick needs the earlier tick applied.
        let alpha = if windowed && (self.alpha_cnp_at == Time::MAX || self.alpha_cnp_at > now) {
            self.alpha
        } else {
            self.effective_alpha(now)
        };
        if !windowed {
            self.count_skipped(now);
        }
        self.cnp(now, tick, alpha);
    }

    fn on_ack(&mut self, _now: Time, _ack: &AckEvent<'_>) {}

    fn on_loss(&mut self, _now: Time, _loss: Loss) {}

    #[inline]
    fn on_sent(&mut self, now: Time, wire_bytes: u32) {
        if self.bytes_left != u64::MAX {
            self.advance(now);
            self.handle_sent(wire_bytes);
        }
    }

    #[inline]
    fn advance(&mut self, now: Time) {
        self.now = now;
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

    #[inline]
    fn next_deadline(&self) -> Option<Time> {
        (self.due != Time::MAX).then_some(self.due)
    }
}
