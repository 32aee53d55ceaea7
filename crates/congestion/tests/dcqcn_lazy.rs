//! Lazy evaluation against one tick at a time: the same bits whenever anyone looks.

use proptest::prelude::*;
use weir_congestion::dcqcn::{ClampTarget, FirstCnp};
use weir_congestion::{Controller, Dcqcn, DcqcnParams, RpTimer};
use weir_units::{Rate, Span, Time};

/// Fire every timer due at or before `now`, one at a time, in order.
fn tick(rp: &mut Dcqcn, now: Time) {
    loop {
        let next =
            RpTimer::ALL.into_iter().filter_map(|timer| rp.deadline(timer).map(|at| (at, timer))).min();
        match next {
            Some((at, timer)) if at <= now => rp.handle_timer(timer, at),
            _ => return,
        }
    }
}

#[derive(Clone, Debug)]
enum Input {
    Cnp,
    Sent(u32),
    Look,
}

fn inputs() -> impl Strategy<Value = Vec<(u64, Input)>> {
    let input = prop_oneof![Just(Input::Cnp), (1u32..20_000).prop_map(Input::Sent), Just(Input::Look)];
    // Gaps from nothing to a sleep that alpha's subnormal end falls into; whole microseconds make ties.
    let gap = prop_oneof![
        4 => 0u64..10_000_000,
        3 => (0u64..20).prop_map(|us| us * 1_000_000),
        2 => 0u64..2_000_000_000,
        1 => (0u64..300).prop_map(|ms| ms * 1_000_000_000),
    ];
    proptest::collection::vec((gap, input), 1..60)
}

fn params() -> impl Strategy<Value = DcqcnParams> {
    let base = prop_oneof![
        Just(DcqcnParams::paper()),
        Just(DcqcnParams::firmware()),
        Just(DcqcnParams::hpcc_sim(Rate::from_gbps(100))),
        Just(DcqcnParams::hpcc_paper_timers(Rate::from_gbps(100))),
        Just(DcqcnParams::conweave(Rate::from_gbps(100))),
        Just(DcqcnParams::simai()),
        Just(DcqcnParams::paraleon_expert()),
    ];
    let clamp = prop_oneof![
        Just(ClampTarget::Always),
        Just(ClampTarget::AfterIncrease),
        Just(ClampTarget::AfterByteIncrease)
    ];
    let first = prop_oneof![
        2 => Just(FirstCnp::Keep),
        1 => (0.1f64..1.0).prop_map(FirstCnp::Share),
        1 => (1u64..50).prop_map(|gbps| FirstCnp::Rate(Rate::from_gbps(gbps))),
    ];
    let g = prop_oneof![3 => Just(None), 1 => (0.002f64..1.0).prop_map(Some), 1 => Just(Some(0.0)), 1 => Just(Some(1.0))];
    let offset = prop_oneof![Just(None), Just(Some(Span::ZERO)), Just(Some(Span::from_ns(1)))];
    let decrease =
        prop_oneof![3 => Just(None), 1 => Just(Some(Span::ZERO)), 1 => Just(Some(Span::from_us(55)))];
    (base, clamp, first, g, offset, decrease, any::<bool>(), any::<bool>()).prop_map(
        |(mut params, clamp, first, g, offset, decrease, bytes, still)| {
            params.clamp = clamp;
            params.rate_on_first_cnp = first;
            params.g = g.unwrap_or(params.g);
            params.decrease_offset = offset.unwrap_or(params.decrease_offset);
            params.decrease_interval = decrease.unwrap_or(params.decrease_interval);
            if bytes {
                params.byte_counter = Some(100_000);
            }
            if still {
                (params.r_ai, params.r_hai) = (Rate::ZERO, Rate::ZERO);
            }
            params
        },
    )
}

fn same(lazy: &Dcqcn, ticked: &Dcqcn, at: Time) -> Result<(), TestCaseError> {
    prop_assert_eq!(lazy.rate(), ticked.rate(), "rate at {}", at);
    prop_assert_eq!(lazy.target(), ticked.target(), "target at {}", at);
    prop_assert_eq!(lazy.alpha().to_bits(), ticked.alpha().to_bits(), "alpha at {}", at);
    for timer in RpTimer::ALL {
        prop_assert_eq!(lazy.deadline(timer), ticked.deadline(timer), "{:?} at {}", timer, at);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lazy_is_ticked_to_the_last_bit(
        params in params(),
        line in prop_oneof![Just(100_000_000_000u64), 10_000_000_000u64..400_000_000_000],
        inputs in inputs(),
    ) {
        let start = Time::from_us(3);
        let mut lazy = Dcqcn::new(params, Rate::from_bps(line), start);
        let mut ticked = lazy.clone();
        let mut now = start;
        for (gap, input) in inputs {
            now += Span::from_ps(gap);
            tick(&mut ticked, now);
            match input {
                Input::Cnp => {
                    ticked.handle_cnp(now);
                    lazy.on_cnp(now);
                }
                Input::Sent(bytes) => {
                    ticked.handle_sent(bytes);
                    lazy.on_sent(now, bytes);
                    lazy.advance(now);
                }
                Input::Look => {
                    lazy.advance(now);
                }
            }
            same(&lazy, &ticked, now)?;
        }
    }

    /// Nobody looks on the way: the ends agree all the same.
    #[test]
    fn looking_changes_nothing(params in params(), inputs in inputs()) {
        let start = Time::from_us(3);
        let mut looked = Dcqcn::new(params, Rate::from_gbps(100), start);
        let mut unseen = looked.clone();
        let mut now = start;
        for (gap, input) in inputs {
            let then = now + Span::from_ps(gap / 2);
            now += Span::from_ps(gap);
            looked.advance(then);
            match input {
                Input::Cnp => [&mut looked, &mut unseen].into_iter().for_each(|rp| rp.on_cnp(now)),
                Input::Sent(bytes) => [&mut looked, &mut unseen].into_iter().for_each(|rp| rp.on_sent(now, bytes)),
                Input::Look => looked.advance(now),
            }
        }
        looked.advance(now);
        unseen.advance(now);
        same(&looked, &unseen, now)?;
    }

    /// [`Controller::next_deadline`] misses no change: coming back only then gives the same rate at every microsecond.
    #[test]
    fn deadlines_are_enough(params in params(), inputs in inputs()) {
        let mut eager = Dcqcn::new(params, Rate::from_gbps(100), Time::ZERO);
        let mut waiting = eager.clone();
        let mut now = Time::ZERO;
        for (gap, input) in inputs {
            let until = now + Span::from_ps(gap.min(5_000_000_000));
            while let Some(at) = waiting.next_deadline().filter(|at| *at <= until) {
                eager.advance(Time::from_ps(at.as_ps() - 1));
                prop_assert_eq!(eager.rate(), waiting.rate());
                waiting.advance(at);
            }
            eager.advance(until);
            prop_assert_eq!(eager.rate(), waiting.rate());
            now = until;
            match input {
                Input::Cnp => [&mut eager, &mut waiting].into_iter().for_each(|rp| rp.on_cnp(now)),
                Input::Sent(bytes) => [&mut eager, &mut waiting].into_iter().for_each(|rp| rp.on_sent(now, bytes)),
                Input::Look => {}
            }
        }
    }
}

#[test]
fn a_long_sleep_costs_nothing_until_someone_looks() {
    let mut rp = Dcqcn::new(DcqcnParams::firmware(), Rate::from_gbps(400), Time::ZERO);
    rp.on_cnp(Time::from_us(1));
    rp.advance(Time::from_ms(500));
    // Each half of the average is truncated, so the last bit or two may never come back.
    assert!(rp.rate().as_bps() >= 399_999_999_998, "recovered: {}", rp.rate());
    assert_eq!(rp.next_deadline(), None, "nothing more can change");
    let began = std::time::Instant::now();
    // A thousand hours of 1 us ticks, with a CNP an hour: far more ticks than there is time for.
    for hour in 1..1000 {
        let now = Time::from_s(3600 * hour);
        rp.on_cnp(now);
        rp.advance(now + Span::from_ms(1));
    }
    assert!(began.elapsed().as_secs() < 5, "took {:?}", began.elapsed());
    assert!(std::mem::size_of::<Dcqcn>() <= 160, "{} bytes", std::mem::size_of::<Dcqcn>());
}
