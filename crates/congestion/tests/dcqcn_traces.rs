//! The reaction point against worked numbers: the paper's rules by hand, and the ns-3 HPCC simulator's.

use weir_congestion::dcqcn::{ClampTarget, FirstCnp};
use weir_congestion::{Controller, Dcqcn, DcqcnParams, RpTimer};
use weir_units::{Rate, Span, Time};

const LINE: Rate = Rate::from_gbps(40);

fn us(us: u64) -> Time {
    Time::from_us(us)
}

fn gbps(rp: &Dcqcn) -> f64 {
    rp.rate().as_gbps_f64()
}

fn near(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance, "found {found}, wanted {wanted} ± {tolerance}");
}

/// T2: CNPs 50 us apart halve the rate each time, since alpha stays 1.
#[test]
fn paper_cuts_halve_while_alpha_is_one() {
    let mut rp = Dcqcn::new(DcqcnParams::paper(), LINE, Time::ZERO);
    for (i, wanted) in [20.0, 10.0, 5.0, 2.5, 1.25, 0.625].into_iter().enumerate() {
        rp.on_cnp(us(50 * i as u64));
        assert_eq!(gbps(&rp), wanted);
        assert_eq!(rp.alpha(), 1.0);
        assert_eq!(rp.target().as_gbps_f64(), 2.0 * wanted, "the target is the rate before the cut");
    }
}

/// T2: one CNP, then the timer: five rounds of fast recovery and more.
#[test]
fn paper_recovery_after_one_cnp() {
    let mut rp = Dcqcn::new(DcqcnParams::paper(), LINE, Time::ZERO);
    rp.on_cnp(us(0));
    for (tick, wanted) in [30.0, 35.0, 37.5, 38.75, 39.375, 39.6875].into_iter().enumerate() {
        let at = us(55 * (tick as u64 + 1));
        rp.advance(at - Span::from_ps(1));
        assert!(gbps(&rp) < wanted, "not before {at}");
        rp.advance(at);
        assert_eq!(gbps(&rp), wanted, "at {at}");
    }
    // Alpha of the same trace.
    let mut rp = Dcqcn::new(DcqcnParams::paper(), LINE, Time::ZERO);
    rp.on_cnp(us(0));
    for (tick, wanted) in [0.99609, 0.99220, 0.98833].into_iter().enumerate() {
        rp.advance(us(55 * (tick as u64 + 1)));
        near(rp.alpha(), wanted, 5e-6);
    }
}

/// T2: half-life of alpha 177 periods (9.7 ms), a tenth after 588 or 589 (32.4 ms).
#[test]
fn paper_alpha_half_life() {
    let mut rp = Dcqcn::new(DcqcnParams::paper(), LINE, Time::ZERO);
    rp.on_cnp(us(0));
    let periods_to = |below: f64, rp: &mut Dcqcn| {
        (1u64..).find(|tick| {
            rp.advance(us(55 * tick));
            rp.alpha() <= below
        })
    };
    let half = periods_to(0.5, &mut rp).unwrap();
    near(half as f64, (0.5f64).ln() / (1.0 - 1.0 / 256.0f64).ln(), 1.0);
    near(half as f64, 177.0, 1.0);
    near(half as f64 * 0.055, 9.7, 0.1);
    let tenth = periods_to(0.1, &mut rp).unwrap();
    near(tenth as f64, 588.0, 1.0);
    near(tenth as f64 * 0.055, 32.4, 0.05);
}

/// The average slope, in Mb/s a ms, between two times of a flow that stands far below its ceiling.
fn slope(params: DcqcnParams, from: Time, to: Time) -> f64 {
    let mut rp = Dcqcn::new(params, Rate::from_gbps(400), Time::ZERO);
    for i in 0..400 {
        rp.on_cnp(us(50 * i));
    }
    let start = us(50 * 400);
    rp.advance(start + (from - Time::ZERO));
    let before = rp.rate().as_bps() as f64 / 1e6;
    rp.advance(start + (to - Time::ZERO));
    (rp.rate().as_bps() as f64 / 1e6 - before) / ((to - from).as_ps() as f64 / 1e9)
}

/// T3: additive increase 727 Mb/s a ms in the paper, 16.7 in firmware; hyper increase of firmware 167.
#[test]
fn increase_slopes() {
    let ms = Time::from_ms;
    near(slope(DcqcnParams { byte_counter: None, ..DcqcnParams::paper() }, ms(11), ms(66)), 727.3, 8.0);
    let firmware = DcqcnParams { byte_counter: None, clamp: ClampTarget::Always, ..DcqcnParams::firmware() };
    let additive = DcqcnParams { r_hai: firmware.r_ai, ..firmware.clone() };
    near(slope(additive, ms(30), ms(630)), 16.67, 0.1);
    near(slope(firmware, ms(30), ms(630)), 166.7, 1.0);
}

/// T3: from 20 to 40 Gb/s in 27.5 ms with the paper's values, 120 ms with hyper increase of the firmware's.
#[test]
fn time_to_regain_half_a_line() {
    let time = |mut params: DcqcnParams| {
        params.byte_counter = None;
        // A target at the rate itself, so that only the steps raise it.
        params.clamp = ClampTarget::Always;
        params.rate_on_first_cnp = FirstCnp::Rate(Rate::from_gbps(20));
        params.initial_alpha = 0.0;
        let mut rp = Dcqcn::new(params, LINE, Time::ZERO);
        rp.on_cnp(us(0));
        (1u64..)
            .find(|&ticks| {
                rp.advance(us(5 * ticks));
                rp.target() == LINE
            })
            .unwrap() as f64
            * 0.005
    };
    near(time(DcqcnParams::paper()), 27.5, 0.3);
    near(time(DcqcnParams::firmware()), 120.0, 0.7);
}

/// The byte counter alone, and with the timer: hyper increase needs both past F (section 3.3 of the paper).
#[test]
fn paper_byte_counter_and_hyper_increase() {
    let params = DcqcnParams {
        byte_counter: Some(1_000_000),
        increase_interval: Span::from_ms(100),
        ..DcqcnParams::paper()
    };
    let mut rp = Dcqcn::new(params, LINE, Time::ZERO);
    rp.on_sent(us(0), 5_000_000);
    assert_eq!(rp.rate(), LINE, "no counter before the first CNP");
    for i in 0..4 {
        rp.on_cnp(us(i));
    }
    assert_eq!(gbps(&rp), 2.5);
    assert_eq!(rp.target().as_gbps_f64(), 5.0);
    let sent = |rp: &mut Dcqcn| (0..1000).for_each(|_| rp.on_sent(us(10), 1000));
    for wanted in [3.75, 4.375, 4.6875, 4.84375, 4.921875] {
        sent(&mut rp);
        assert_eq!(gbps(&rp), wanted, "fast recovery");
    }
    for events in 1..=4u64 {
        sent(&mut rp);
        assert_eq!(rp.target(), Rate::from_mbps(5000 + 40 * events), "additive: the timer has not passed F");
    }
    // Nine byte events; the timer passes F = 5 with its sixth event, and the seventh is the first to know.
    let steps = [40, 40, 40, 40, 40, 40, 400, 800, 1200, 1600, 1600];
    for (timer, step) in (1..).zip(steps) {
        let target = rp.target().as_bps();
        rp.advance(us(4) + Span::from_ms(100 * timer) - Span::from_us(1));
        assert_eq!(rp.target().as_bps() - target, step * 1_000_000, "timer event {timer}");
    }
}

/// A CNP restarts timer, counter and stage (section 3.3 of the paper).
#[test]
fn paper_cnp_restarts_everything() {
    let params = DcqcnParams { byte_counter: Some(1000), ..DcqcnParams::paper() };
    let mut rp = Dcqcn::new(params, LINE, Time::ZERO);
    rp.on_cnp(us(0));
    rp.on_sent(us(1), 999);
    rp.on_cnp(us(50));
    rp.advance(us(104));
    rp.on_sent(us(104), 999);
    assert_eq!(gbps(&rp), 10.0, "neither timer nor counter of the first CNP goes on");
    assert_eq!(rp.deadline(RpTimer::Increase), Some(us(105)));
    assert_eq!(rp.deadline(RpTimer::Alpha), Some(us(105)));
    rp.on_sent(us(104), 1);
    assert_eq!(gbps(&rp), 15.0);
}

/// The ns-3 form by hand: alpha at each us, cuts at 4 us and 1 ns after the first CNP, increases each 300 us after a cut.
#[test]
fn firmware_first_cnp_and_windows() {
    let line = Rate::from_gbps(100);
    let mut rp = Dcqcn::new(DcqcnParams::hpcc_sim(line), line, Time::ZERO);
    let first = us(10);
    rp.on_cnp(first);
    assert_eq!((rp.rate(), rp.alpha()), (line, 1.0), "the first CNP changes nothing yet");
    assert_eq!(rp.deadline(RpTimer::Alpha), Some(us(11)));
    assert_eq!(rp.deadline(RpTimer::Decrease), Some(us(14) + Span::from_ns(1)));
    assert_eq!(rp.deadline(RpTimer::Increase), None);
    // Alpha did not count the first CNP: four plain ticks before the cut.
    let keep: f64 = 1.0 - 1.0 / 256.0;
    let alpha: f64 = 1.0 * keep * keep * keep * keep;
    rp.advance(us(14) + Span::from_ns(1));
    assert_eq!(rp.alpha().to_bits(), alpha.to_bits());
    let cut = (100e9 * (1.0 - alpha / 2.0)) as u64;
    assert_eq!(rp.rate(), Rate::from_bps(cut));
    assert_eq!(
        rp.target(),
        line,
        "no increase since: the target keeps the rate before the first of a run of cuts"
    );
    // A second CNP marks alpha's next tick and the window's end.
    rp.on_cnp(us(15));
    rp.advance(us(18) + Span::from_ns(1));
    let alpha = (keep * (alpha * keep) + 1.0 / 256.0) * keep * keep;
    assert_eq!(rp.alpha().to_bits(), alpha.to_bits());
    let again = (cut as f64 * (1.0 - alpha / 2.0)) as u64;
    assert_eq!((rp.rate(), rp.target()), (Rate::from_bps(again), line));
    // F = 1: one halving of the gap, then additive, then hyper; each half truncated by itself.
    let mut rate = again;
    let mut target = line.as_bps();
    for (tick, step) in [0, 20_000_000, 200_000_000, 200_000_000].into_iter().enumerate() {
        rp.advance(us(18 + 300 * (tick as u64 + 1)) + Span::from_ns(1));
        target = (target + step).min(line.as_bps());
        rate = rate / 2 + target / 2;
        assert_eq!((rp.rate(), rp.target()), (Rate::from_bps(rate), Rate::from_bps(target)));
    }
}

/// Consecutive cuts with and without clamping (mlx5 `clamp_tgt_rate`): the scaling limit of T23 comes from this.
#[test]
fn firmware_clamp() {
    let line = Rate::from_gbps(100);
    let run = |clamp| {
        let params = DcqcnParams { clamp, min_rate: Rate::from_mbps(100), ..DcqcnParams::hpcc_sim(line) };
        let mut rp = Dcqcn::new(params, line, Time::ZERO);
        for i in 0..40 {
            rp.on_cnp(us(i));
        }
        rp.advance(us(45));
        rp
    };
    let kept = run(ClampTarget::AfterIncrease);
    let clamped = run(ClampTarget::Always);
    assert_eq!(kept.target(), line);
    assert_eq!(kept.rate(), clamped.rate());
    assert!(clamped.target().as_gbps_f64() < 0.5, "{}", clamped.target());
    // So fast recovery of the first jumps to half the line, of the other stays small.
    for (mut rp, least, most) in [(kept, 50.0, 51.5), (clamped, 0.1, 1.5)] {
        rp.advance(us(400));
        assert!((least..=most).contains(&gbps(&rp)), "{}", rp.rate());
    }
}

/// mlx5: `rpg_min_dec_fac`, `rpg_min_rate`, `rpg_max_rate`, `rate_to_set_on_first_cnp`.
#[test]
fn bounds_of_the_rate() {
    let base = DcqcnParams::paper();
    let mut rp = Dcqcn::new(DcqcnParams { min_dec_fac: 0.8, ..base.clone() }, LINE, Time::ZERO);
    rp.on_cnp(us(0));
    assert_eq!(gbps(&rp), 32.0);

    let mut rp = Dcqcn::new(DcqcnParams { min_rate: Rate::from_gbps(15), ..base.clone() }, LINE, Time::ZERO);
    for i in 0..5 {
        rp.on_cnp(us(i));
    }
    assert_eq!(gbps(&rp), 15.0);

    let mut rp = Dcqcn::new(DcqcnParams { max_rate: Rate::from_gbps(30), ..base.clone() }, LINE, Time::ZERO);
    assert_eq!(gbps(&rp), 30.0);
    rp.on_cnp(us(0));
    rp.advance(Time::from_s(1));
    assert!((29.99..=30.0).contains(&gbps(&rp)), "{}", rp.rate());

    let first = |rate_on_first_cnp| {
        let mut rp = Dcqcn::new(DcqcnParams { rate_on_first_cnp, ..base.clone() }, LINE, Time::ZERO);
        rp.on_cnp(us(0));
        (gbps(&rp), rp.target().as_gbps_f64())
    };
    assert_eq!(first(FirstCnp::Keep), (20.0, 40.0));
    assert_eq!(first(FirstCnp::Share(0.5)), (10.0, 20.0));
    assert_eq!(first(FirstCnp::Rate(Rate::from_gbps(8))), (4.0, 8.0));
    assert_eq!(first(FirstCnp::Rate(Rate::from_gbps(900))), (20.0, 40.0), "never above the ceiling");
}

/// The ideal time to bring N flows from line rate to their fair share is ceil(log2 N) cuts (T22).
#[test]
fn cuts_to_fair_share() {
    for (n, cuts) in [(2, 1), (8, 3), (16, 4), (20, 5), (64, 6)] {
        let mut rp = Dcqcn::new(DcqcnParams::paper(), LINE, Time::ZERO);
        let needed = (1..).find(|&i| {
            rp.on_cnp(us(50 * (i - 1)));
            rp.rate().as_bps() * n <= LINE.as_bps()
        });
        assert_eq!(needed, Some(cuts), "{n} flows");
    }
}

/// Each half of an average is truncated by itself, and a cut is truncated: whole bits a second, as in the ns-3 simulator.
#[test]
fn rates_are_truncated_to_whole_bits() {
    let mut rp = Dcqcn::new(DcqcnParams::paper(), Rate::from_bps(40_000_000_003), Time::ZERO);
    rp.on_cnp(us(0));
    assert_eq!(rp.rate(), Rate::from_bps(20_000_000_001));
    rp.advance(us(55));
    assert_eq!(rp.rate(), Rate::from_bps(10_000_000_000 + 20_000_000_001));
}
