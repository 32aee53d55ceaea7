//! Whatever comes in, in whatever parameters: no panic, and a rate between nothing and the line.

use proptest::prelude::*;
use weir_congestion::dcqcn::{ClampTarget, FirstCnp, Variant};
use weir_congestion::dctcp::Form;
use weir_congestion::fluid::{Fluid, Linearisation, cnp};
use weir_congestion::swift::PathDelay;
use weir_congestion::timely::{Rule, Update};
use weir_congestion::{
    AckEvent, ControlParams, Controller, DcqcnParams, DctcpParams, HpccParams, IntFormat, IntHop, Loss,
    NotificationTable, NpParams, RedParams, SwiftParams, TimelyParams, np,
};
use weir_units::{Rate, Span, Time};

fn wild() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), Just(u64::MAX), 0u64..2000, any::<u64>(), 1_000_000u64..10_000_000_000_000]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(1.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(-1.0),
        0.0f64..1.0,
        any::<f64>()
    ]
}

/// Timers of a microsecond and more, or off: a shorter one is refused by `DcqcnParams::check`.
fn timer() -> impl Strategy<Value = Span> {
    prop_oneof![Just(0), 1_000_000u64..1_000_000_000_000, Just(u64::MAX)].prop_map(Span::from_ps)
}

prop_compose! {
    fn dcqcn()(
        x in number(), y in number(), z in number(), share in number(),
        a in timer(), d in timer(), i in timer(),
        bytes in proptest::option::of(wild()), rounds in any::<u32>(),
        ai in wild(), hai in wild(), min in wild(), max in wild(), firmware in any::<bool>(), clamp in 0usize..3,
    ) -> ControlParams {
        ControlParams::Dcqcn(DcqcnParams {
            variant: if firmware { Variant::Firmware } else { Variant::Paper },
            g: x, initial_alpha: y, alpha_interval: a, decrease_interval: d, decrease_offset: a, increase_interval: i,
            byte_counter: bytes, recovery_rounds: rounds, r_ai: Rate::from_bps(ai), r_hai: Rate::from_bps(hai),
            min_dec_fac: z, min_rate: Rate::from_bps(min), max_rate: Rate::from_bps(max),
            clamp: [ClampTarget::Always, ClampTarget::AfterIncrease, ClampTarget::AfterByteIncrease][clamp],
            rate_on_first_cnp: FirstCnp::Share(share),
        })
    }
}

prop_compose! {
    fn rivals()(
        n in proptest::array::uniform6(number()), w in proptest::array::uniform6(wild()),
        flags in proptest::array::uniform4(any::<bool>()), stage in any::<u32>(), which in 0u8..4,
    ) -> ControlParams {
        let rate = Rate::from_bps;
        let span = Span::from_ps;
        match which {
            0 => ControlParams::Hpcc(HpccParams {
                eta: n[0], max_stage: stage, rate_ai: rate(w[0]), min_rate: rate(w[1]),
                window_bytes: flags[0].then_some(w[2]), variable_window: flags[0], fast_react: flags[1],
                rate_per_hop: flags[2], sample_feedback: flags[3],
                int: if flags[1] { IntFormat::Exact } else { IntFormat::Compact { multi: stage } },
            }),
            1 => ControlParams::Timely(TimelyParams {
                alpha: n[0], beta: n[1], t_low: span(w[0]), t_high: span(w[1]),
                min_rtt: flags[0].then_some(span(w[2])), delta: rate(w[3]), delta_hai: rate(w[4]), hai_after: stage,
                hai_below_t_low: flags[1],
                update: if flags[2] { Update::Round } else { Update::Segment(w[5]) },
                rule: if flags[3] { Rule::Gradient } else { Rule::Patched { rtt_ref: span(w[0]) } },
                min_rate: rate(w[2]),
            }),
            2 => ControlParams::Dctcp(DctcpParams {
                g: n[0], initial_alpha: n[1], mss_bytes: w[0],
                form: if flags[0] { Form::Rate { step: rate(w[1]) } } else { Form::Window { initial_bytes: flags[1].then_some(w[2]) } },
                min_rate: rate(w[3]),
            }),
            _ => ControlParams::Swift(SwiftParams {
                ai: n[0], beta: n[1], max_mdf: n[2],
                path: if flags[0] { PathDelay::AboveBase { queueing: span(w[0]) } } else {
                    PathDelay::Hops { base: span(w[0]), per_hop: span(w[1]), hops: stage }
                },
                fs_range: span(w[2]), fs_min_cwnd: n[3], fs_max_cwnd: n[4], min_cwnd: n[5], max_cwnd: n[0],
                retx_reset_threshold: stage, mtu_bytes: stage,
            }),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn controllers(
        params in prop_oneof![dcqcn(), rivals()],
        line in wild(), rtt in wild(),
        inputs in proptest::collection::vec((0u8..6, proptest::array::uniform6(wild()), any::<bool>()), 0..40),
    ) {
        let mut control = params.build(Rate::from_bps(line), Time::ZERO, Span::from_ps(rtt));
        let mut now = Time::ZERO;
        for (kind, w, flag) in inputs {
            now = now.saturating_add(Span::from_ps(w[0] % 50_000_000_000));
            match kind {
                0 => control.on_cnp(now),
                1 => control.on_loss(now, if flag { Loss::Nak } else { Loss::Timeout }),
                2 => control.on_sent(now, w[1] as u32),
                3 => control.advance(now),
                _ => {
                    let hop = IntHop { at: Time::from_ps(w[1]), tx_bytes: w[2], queue_bytes: w[3], rate: Rate::from_bps(w[4]) };
                    control.on_ack(now, &AckEvent {
                        acked_bytes: w[5], in_flight_bytes: w[1], ecn_echo: flag,
                        rtt: flag.then_some(Span::from_ps(w[2])), telemetry: &[hop, IntHop::default(), hop][..usize::from(kind) - 3],
                    });
                }
            }
            prop_assert!(control.rate().as_bps() <= line.max(1), "{:?}", control.rate());
            let _ = (control.window_bytes(), control.next_deadline());
        }
        control.advance(now);
        let _ = format!("{control:?}");
        if let ControlParams::Dcqcn(params) = &params {
            let _ = params.check();
        }
    }

    #[test]
    fn points(queues in proptest::collection::vec(wild(), 20), kmin in wild(), kmax in wild(), pmax in number()) {
        let red = RedParams { kmin_bytes: kmin, kmax_bytes: kmax, pmax };
        for style in [np::CnpStyle::Immediate, np::CnpStyle::WindowEnd] {
            let mut table = NotificationTable::new(NpParams { interval: Span::from_ps(kmin), style, ..NpParams::paper() });
            for queue in &queues {
                let _ = (red.mark(*queue, || 0.5), red.probability(*queue));
                let _ = (table.on_ce(Time::from_ps(*queue), *queue % 5), table.poll(Time::from_ps(*queue)));
            }
        }
        let _ = (cnp::most_within(Span::from_ps(kmin), Span::from_ps(kmax)), cnp::most_rate(Span::from_ps(kmin)));
    }

    #[test]
    fn fluids(params in dcqcn(), kmin in wild(), kmax in wild(), pmax in number(), line in wild(), flows in any::<u32>(), delay in number()) {
        let ControlParams::Dcqcn(params) = params else { return Ok(()) };
        let red = RedParams { kmin_bytes: kmin, kmax_bytes: kmax, pmax };
        let fluid = Fluid::new(&params, &red, Span::from_us(50), Rate::from_bps(line), 1000);
        let _ = (fluid.fixed_point(flows), fluid.approximate_p(flows), fluid.convergence_bound(flows));
        let _ = (fluid.phase_margin(flows, delay, Linearisation::Exact), fluid.phase_margin(flows, delay, Linearisation::Published));
        let _ = fluid.line_rate_start_peak(flows, delay);
        fluid.trajectory(&[(3, fluid.at_line_rate())], delay.min(1e-4), 1e-6).run(1e-5, |_| {});
    }
}
