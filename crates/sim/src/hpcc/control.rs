//! The hosts' congestion control: the shared controllers, driven in the reference's order of events.

use std::sync::Arc;

use weir_congestion::{ClampTarget, Dcqcn, DcqcnParams, FirstCnp, RpTimer, Variant};
use weir_units::{Rate, Span, Time};

use super::config::Config;
use super::engine::Engine;
use super::frame::{Event, Frame, What};

/// DCQCN of one flow, from its first CNP on.
#[derive(Clone, Debug)]
pub(crate) struct Reaction {
    pub point: Dcqcn,
    /// Whether a CNP has come since the last cut window ended: its end then cuts.
    cut_pending: bool,
    /// Counts the settings of the increase timer: an event of an earlier one is void.
    generation: u32,
}

/// The controllers of all flows.
#[derive(Clone, Debug)]
pub(crate) struct Controls {
    params: Arc<DcqcnParams>,
    /// By flow; none before the first CNP, when the rate is the line's.
    reactions: Vec<Option<Box<Reaction>>>,
}

impl Controls {
    /// For `flows` flows.
    pub fn new(config: &Config, flows: usize) -> Self {
        Controls { params: Arc::new(dcqcn_params(config)), reactions: vec![None; flows] }
    }

    /// The reaction point of a flow that has seen a CNP.
    pub fn reaction(&self, flow: u32) -> Option<&Dcqcn> {
        Some(&self.reactions.get(flow as usize)?.as_ref()?.point)
    }
}

/// The reference's "mlx" state machine: flags looked at by timers, no byte counter, the rate kept at the first CNP.
fn dcqcn_params(config: &Config) -> DcqcnParams {
    DcqcnParams {
        variant: Variant::Firmware,
        g: config.gain,
        initial_alpha: 1.0,
        alpha_interval: Span::from_us(config.alpha_us),
        decrease_interval: Span::from_us(config.decrease_us),
        decrease_offset: Span::from_ns(1),
        increase_interval: Span::from_us(config.increase_us),
        byte_counter: None,
        recovery_rounds: config.fast_recovery,
        r_ai: Rate::from_bps(config.rate_ai_bps),
        r_hai: Rate::from_bps(config.rate_hai_bps),
        min_dec_fac: 0.0,
        min_rate: Rate::from_bps(config.min_rate_bps),
        max_rate: Rate::ZERO,
        clamp: if config.clamp_target { ClampTarget::Always } else { ClampTarget::AfterIncrease },
        rate_on_first_cnp: FirstCnp::Keep,
    }
}

impl Engine {
    /// An acknowledgement with the CNP flag, in mode 1. The first one starts the timers of alpha and of the cut, in
    /// this order. (The reference starts them even if this was the flow's last acknowledgement; they then run to the
    /// end and change nothing, so here they do not.)
    pub(crate) fn cnp(&mut self, flow: u32) {
        let sender = &mut self.senders[flow as usize];
        if sender.completed {
            return;
        }
        let now = Time::from_ns(self.now);
        let Some(slot) = self.controls.reactions.get_mut(flow as usize) else { return };
        let first = slot.is_none();
        let params = &self.controls.params;
        let reaction = slot.get_or_insert_with(|| {
            let line = Rate::from_bps(sender.line_bps);
            Box::new(Reaction {
                point: Dcqcn::with(Arc::clone(params), line, now),
                cut_pending: true,
                generation: 0,
            })
        });
        reaction.point.handle_cnp(now);
        reaction.cut_pending = true;
        if first {
            sender.rate_bps = reaction.point.rate().as_bps();
            for (timer, what) in [(RpTimer::Alpha, What::Alpha), (RpTimer::Decrease, What::Decrease)] {
                if let Some(at) = reaction.point.deadline(timer) {
                    self.wheel.push(at.as_ns(), Event::new(what, flow));
                }
            }
        }
    }

    /// A DCQCN timer of a flow is due.
    pub(crate) fn timer(&mut self, what: What, flow: u32, generation: u32) {
        let sender = &mut self.senders[flow as usize];
        let Some(Some(reaction)) = self.controls.reactions.get_mut(flow as usize) else { return };
        if sender.completed {
            return;
        }
        let now = Time::from_ns(self.now);
        let Reaction { point, cut_pending, generation: current } = &mut **reaction;
        match what {
            What::Alpha => {
                point.handle_timer(RpTimer::Alpha, now);
                let next = self.now + self.config.alpha_us * 1000;
                self.wheel.push(next, Event::new(What::Alpha, flow));
            }
            What::Decrease => {
                // The next window is scheduled before the cut, and the cut sets the increase timer anew.
                let cut = std::mem::take(cut_pending);
                point.handle_timer(RpTimer::Decrease, now);
                let next = self.now + self.config.decrease_us * 1000;
                self.wheel.push(next, Event::new(What::Decrease, flow));
                if cut {
                    sender.rate_bps = point.rate().as_bps();
                    *current = current.wrapping_add(1);
                    let next = self.now + self.config.increase_us * 1000;
                    self.wheel.push(next, Event::numbered(What::Increase, flow, *current));
                }
            }
            _ => {
                if generation != *current {
                    return;
                }
                point.handle_timer(RpTimer::Increase, now);
                sender.rate_bps = point.rate().as_bps();
                let next = self.now + self.config.increase_us * 1000;
                self.wheel.push(next, Event::numbered(What::Increase, flow, *current));
            }
        }
    }

    /// What the controllers of modes 3, 7 and 8 make of an acknowledgement.
    pub(crate) fn control_ack_by_rate(&mut self, frame: Frame) {
        let _ = frame;
    }
}
