//! The hosts' congestion control: the shared controllers, driven in the reference's order of events.

use weir_congestion::{
    AckEvent, ClampTarget, Control, ControlParams, Controller, Dcqcn, DcqcnParams, DctcpParams, FirstCnp,
    HpccParams, IntFormat, RpTimer, TimelyParams, Variant, dctcp, timely,
};
use weir_units::{Rate, Span, Time};

use super::clock::serialisation_ns;
use super::config::{CcMode, Config};
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
    params: DcqcnParams,
    /// By flow; none before the first CNP, when the rate is the line's.
    reactions: Vec<Option<Box<Reaction>>>,
    /// The controller of modes 3, 7 and 8, and by flow those made of it at its first acknowledgement.
    rival: ControlParams,
    rivals: Vec<Option<Box<Control>>>,
}

impl Controls {
    /// For `flows` flows.
    pub fn new(config: &Config, flows: usize) -> Self {
        let rival = match config.mode {
            CcMode::Dcqcn => ControlParams::None,
            CcMode::Hpcc => ControlParams::Hpcc(hpcc_params(config)),
            CcMode::Timely => ControlParams::Timely(timely_params(config)),
            CcMode::Dctcp => ControlParams::Dctcp(dctcp_params(config)),
        };
        Controls {
            params: dcqcn_params(config),
            reactions: vec![None; flows],
            rival,
            rivals: vec![None; if config.mode == CcMode::Dcqcn { 0 } else { flows }],
        }
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

/// As the configuration says; the window is each flow's own.
fn hpcc_params(config: &Config) -> HpccParams {
    HpccParams {
        eta: config.target_utilisation,
        max_stage: config.mi_threshold,
        rate_ai: Rate::from_bps(config.rate_ai_bps),
        min_rate: Rate::from_bps(config.min_rate_bps),
        window_bytes: None,
        variable_window: config.variable_window,
        fast_react: config.fast_react,
        rate_per_hop: config.multi_rate,
        sample_feedback: config.sample_feedback,
        int: IntFormat::Compact { multi: config.int_multiplier },
    }
}

/// Gains and thresholds have no keys: they are the reference's (alpha 0.875, beta 0.8, 50, 500 and 20 us).
fn timely_params(config: &Config) -> TimelyParams {
    TimelyParams {
        alpha: 0.875,
        beta: 0.8,
        t_low: Span::from_us(50),
        t_high: Span::from_us(500),
        min_rtt: Some(Span::from_us(20)),
        delta: Rate::from_bps(config.rate_ai_bps),
        delta_hai: Rate::from_bps(config.rate_hai_bps),
        hai_after: 5,
        hai_below_t_low: true,
        update: timely::Update::Round,
        rule: timely::Rule::Gradient,
        min_rate: Rate::from_bps(config.min_rate_bps),
    }
}

fn dctcp_params(config: &Config) -> DctcpParams {
    DctcpParams {
        g: config.gain,
        initial_alpha: 1.0,
        mss_bytes: u64::from(config.payload_bytes),
        form: dctcp::Form::Rate { step: Rate::from_bps(config.dctcp_rate_ai_bps) },
        min_rate: Rate::from_bps(config.min_rate_bps),
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
                point: Dcqcn::new(params.clone(), line, now),
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

    /// What the controllers of modes 3, 7 and 8 make of an acknowledgement or NACK that newly acknowledges
    /// `acked_bytes`.
    pub(crate) fn control_ack_by_rate(&mut self, frame: Frame, acked_bytes: u64) {
        let sender = &mut self.senders[frame.flow as usize];
        let Some(slot) = self.controls.rivals.get_mut(frame.flow as usize) else { return };
        let now = Time::from_ns(self.now);
        let line = Rate::from_bps(sender.line_bps);
        let params = &self.controls.rival;
        let base_rtt = Span::from_ns(sender.base_rtt_ns);
        let window = u64::from(sender.window);
        let control = slot.get_or_insert_with(|| {
            let mut params = params.clone();
            if let ControlParams::Hpcc(params) = &mut params {
                params.window_bytes = (window > 0).then_some(window);
            }
            Box::new(params.build(line, now, base_rtt))
        });
        let record = self.telemetry.get(frame.telemetry);
        let timely = self.config.mode == CcMode::Timely;
        control.on_ack(
            now,
            &AckEvent {
                acked_bytes,
                in_flight_bytes: sender.snd_nxt.saturating_sub(sender.snd_una),
                ecn_echo: frame.is_cnp(),
                rtt: timely.then(|| Span::from_ns(self.now - record.at_ns)),
                telemetry: record.hops(),
            },
        );
        let rate = control.rate().as_bps();
        if self.config.mode != CcMode::Hpcc {
            sender.rate_bps = rate;
            return;
        }
        // HPCC alone moves the time of the next packet with the rate, and the NIC's wake-up with it.
        if rate == sender.rate_bps {
            return;
        }
        let bytes = u32::from(sender.last_bytes);
        let (old, new) = (serialisation_ns(bytes, sender.rate_bps), serialisation_ns(bytes, rate));
        sender.next_available = sender.next_available.saturating_add(new).saturating_sub(old);
        sender.rate_bps = rate;
        let (at, nic) = (sender.next_available, &mut self.nics[sender.nic as usize]);
        nic.refresh(frame.flow, sender);
        let port = nic.port;
        if let Some(generation) = nic.advance_wake(at.max(self.now)) {
            self.schedule_wake(port, at, generation);
        }
    }

    /// A flow is complete: its controllers go.
    pub(crate) fn forget_control(&mut self, flow: u32) {
        if let Some(slot) = self.controls.reactions.get_mut(flow as usize) {
            *slot = None;
        }
        if let Some(slot) = self.controls.rivals.get_mut(flow as usize) {
            *slot = None;
        }
    }
}
