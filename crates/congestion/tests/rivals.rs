//! HPCC, TIMELY, DCTCP and Swift step by step, against their papers' formulas worked out by hand.

use weir_congestion::dctcp::Form;
use weir_congestion::swift::PathDelay;
use weir_congestion::timely::Update;
use weir_congestion::{
    AckEvent, Controller, Dctcp, DctcpParams, Hpcc, HpccParams, IntFormat, IntHop, Loss, Swift, SwiftParams,
    Timely, TimelyParams,
};
use weir_units::{Rate, Span, Time};

const LINE: Rate = Rate::from_gbps(100);
const T: Span = Span::from_us(10);

fn gbps(controller: &impl Controller) -> f64 {
    controller.rate().as_gbps_f64()
}

fn near(found: f64, wanted: f64, what: &str) {
    assert!((found - wanted).abs() <= 1e-6 * wanted.abs(), "{what}: found {found}, wanted {wanted}");
}

/// A port at `us`, of rate `rate`.
fn port(us: u64, tx_bytes: u64, queue_bytes: u64, rate: Rate) -> IntHop {
    IntHop { at: Time::from_us(us), tx_bytes, queue_bytes, rate }
}

fn int<'a>(acked_bytes: u64, in_flight_bytes: u64, telemetry: &'a [IntHop]) -> AckEvent<'a> {
    AckEvent { acked_bytes, in_flight_bytes, telemetry, ..AckEvent::default() }
}

// HPCC.

/// U = 1 + 0.1 over a whole base round trip: R = R_c eta/U + R_AI, W = R T.
#[test]
fn hpcc_multiplies_down() {
    let mut hpcc = Hpcc::new(HpccParams::paper(LINE), LINE, T);
    assert_eq!((hpcc.rate(), hpcc.window_bytes()), (LINE, 125_000));
    hpcc.on_ack(Time::ZERO, &int(1000, 100_000, &[port(0, 0, 12_500, LINE)]));
    assert_eq!(hpcc.rate(), LINE, "one reading is no measurement");
    hpcc.on_ack(Time::ZERO, &int(101_000, 50_000, &[port(10, 125_000, 20_000, LINE)]));
    near(hpcc.utilisation(), 1.1, "U");
    let rate = 100.0 * 0.95 / 1.1 + 0.05;
    near(gbps(&hpcc), rate, "rate");
    near(hpcc.window_bytes() as f64, (rate / 100.0 * 125_000.0).floor(), "window");
    // Within the round: again from the round's reference, now that rate, and with half a round trip's weight.
    hpcc.on_ack(Time::ZERO, &int(1000, 50_000, &[port(15, 187_500, 0, LINE)]));
    near(hpcc.utilisation(), 1.1 * 0.5 + 1.0 * 0.5, "U");
    near(gbps(&hpcc), rate * 0.95 / 1.05 + 0.05, "rate");
    hpcc.on_ack(Time::ZERO, &int(1000, 50_000, &[port(20, 250_000, 0, LINE)]));
    near(gbps(&hpcc), rate * 0.95 / 1.025 + 0.05, "not compounded");
}

/// maxStage additive rounds while there is room, then a multiplicative one up.
#[test]
fn hpcc_stages() {
    for (max_stage, wanted) in
        [(0, [50.05 * 0.95 / 0.5 + 0.05, 100.0, 100.0]), (2, [50.10, 50.15, 50.15 * 0.95 / 0.5 + 0.05])]
    {
        let mut hpcc = Hpcc::new(HpccParams { max_stage, ..HpccParams::paper(LINE) }, LINE, T);
        // A port twice as busy as eta halves the rate; then it is half idle.
        hpcc.on_ack(Time::ZERO, &int(10_000, 0, &[port(0, 0, 0, LINE)]));
        let mut sent = 125_000 * 19 / 10;
        hpcc.on_ack(Time::ZERO, &int(10_000, 0, &[port(10, sent, 0, LINE)]));
        near(gbps(&hpcc), 50.05, "cut");
        for (round, wanted) in (2..).zip(wanted) {
            sent += 62_500;
            hpcc.on_ack(Time::ZERO, &int(10_000, 0, &[port(10 * round, sent, 0, LINE)]));
            near(gbps(&hpcc), wanted, &format!("maxStage {max_stage}, round {round}"));
        }
    }
}

/// N flows on one ideal port: R = eta C/N + R_AI each, from any start, and U = eta/(1 - R_AI/R).
#[test]
fn hpcc_converges_to_eta_and_fair_shares() {
    let params = HpccParams::paper(LINE);
    let step = params.rate_ai.as_gbps_f64();
    let mut flows: Vec<Hpcc> = (0..4).map(|_| Hpcc::new(params.clone(), LINE, T)).collect();
    let mut sent = 0u64;
    for round in 0..12_000u64 {
        // The first round only one flow is there, so that rates start unequal.
        let active = if round < 5 { 1 } else { 4 };
        let total: u64 = flows[..active].iter().map(|flow| flow.rate().as_bps()).sum();
        sent += Rate::from_bps(total).bytes_in(T);
        let hop = [port(10 * round, sent, 0, LINE)];
        flows[..active].iter_mut().for_each(|flow| flow.on_ack(Time::ZERO, &int(1000, 0, &hop)));
    }
    for flow in &flows {
        let rate = 95.0 / 4.0 + step;
        assert!((gbps(flow) - rate).abs() < 0.005 * rate, "{} of {rate}", gbps(flow));
        let u = 0.95 / (1.0 - step / rate);
        assert!((flow.utilisation() - u).abs() < 1e-3, "{} of {u}", flow.utilisation());
    }
}

/// The busiest hop rules, and with a rate for each hop the slowest does.
#[test]
fn hpcc_takes_the_busiest_hop() {
    let fast = Rate::from_gbps(400);
    for rate_per_hop in [false, true] {
        let mut hpcc = Hpcc::new(HpccParams { rate_per_hop, ..HpccParams::paper(LINE) }, LINE, T);
        hpcc.on_ack(
            Time::ZERO,
            &int(1000, 0, &[port(0, 0, 0, fast), port(0, 0, 0, LINE), port(0, 0, 0, LINE)]),
        );
        // 400G: half busy; 100G: full; 100G: idle.
        let path = [port(10, 250_000, 0, fast), port(10, 125_000, 0, LINE), port(10, 0, 0, LINE)];
        hpcc.on_ack(Time::ZERO, &int(1000, 0, &path));
        near(gbps(&hpcc), 95.05, "rate");
        near(hpcc.utilisation(), 1.0, "U");
    }
}

/// FAST_REACT and SAMPLE_FEEDBACK: which acknowledgements within a round count.
#[test]
fn hpcc_options_within_a_round() {
    let within = |change: fn(&mut HpccParams), queue| {
        let mut params = HpccParams::paper(LINE);
        change(&mut params);
        let mut hpcc = Hpcc::new(params, LINE, T);
        hpcc.on_ack(Time::ZERO, &int(1000, 100_000, &[port(0, 0, queue, LINE)]));
        hpcc.on_ack(Time::ZERO, &int(1000, 100_000, &[port(10, 250_000, queue, LINE)]));
        hpcc.rate()
    };
    assert!(within(|_| (), 0) < LINE);
    assert_eq!(within(|p| p.fast_react = false, 0), LINE);
    assert_eq!(within(|p| p.sample_feedback = true, 0), LINE, "an empty queue is skipped");
    assert!(within(|p| p.sample_feedback = true, 5000) < LINE);
}

/// Compact telemetry is exact telemetry but for its units, across the wrap of its counters.
#[test]
fn hpcc_compact_telemetry() {
    let run = |int_format| {
        let mut hpcc = Hpcc::new(HpccParams { int: int_format, ..HpccParams::paper(LINE) }, LINE, T);
        // 2^24 ns and 2^20 × 128 × 4 bytes lie within the series.
        for i in 0..2000u64 {
            let hop = [port(15_000 + 10 * i, 500_000_000 + 112_500 * i, 4_000, LINE)];
            hpcc.on_ack(Time::ZERO, &int(10_000, 0, &hop));
        }
        (hpcc.utilisation(), gbps(&hpcc))
    };
    let (exact, compact) = (run(IntFormat::Exact), run(IntFormat::Compact { multi: 4 }));
    assert!((exact.0 - 0.932).abs() < 1e-9, "{exact:?}");
    assert!((exact.0 - compact.0).abs() < 0.01, "{exact:?} {compact:?}");
    // An increase of 10 Mb/s for each 25 Gb/s, in the artefact's preset.
    let preset = HpccParams::hpcc_sim(LINE);
    assert_eq!((preset.rate_ai, preset.min_rate), (Rate::from_mbps(40), Rate::from_mbps(1000)));
    assert_eq!(preset.int, IntFormat::Compact { multi: 4 });
}

/// Ports that go back, or a path of another length, are another path: no rate follows from the difference.
#[test]
fn hpcc_forgets_another_path() {
    let mut hpcc = Hpcc::new(HpccParams::paper(LINE), LINE, T);
    hpcc.on_ack(Time::ZERO, &int(1000, 0, &[port(0, 1_000_000, 0, LINE)]));
    hpcc.on_ack(Time::ZERO, &int(1000, 0, &[port(10, 500, 0, LINE)]));
    hpcc.on_ack(Time::ZERO, &int(1000, 0, &[port(20, 900_000, 0, LINE), port(20, 0, 0, LINE)]));
    hpcc.on_ack(Time::ZERO, &int(1000, 0, &[]));
    assert_eq!(hpcc.rate(), LINE);
    // More hops than are kept, and readings of no time, are harmless.
    let many = [port(30, 7, 7, Rate::ZERO); 20];
    (0..3).for_each(|_| hpcc.on_ack(Time::ZERO, &int(1000, 0, &many)));
    assert_eq!(hpcc.rate(), LINE);
}

// TIMELY.

fn timely(params: TimelyParams) -> Timely {
    let mut timely = Timely::new(TimelyParams { update: Update::Segment(1000), ..params }, LINE, T);
    // Down to a rate that can move both ways.
    rtt(&mut timely, 1000);
    rtt(&mut timely, 1000);
    rtt(&mut timely, 1000);
    timely
}

fn rtt(timely: &mut Timely, us: u64) -> f64 {
    let ack = AckEvent { acked_bytes: 1000, rtt: Some(Span::from_us(us)), ..AckEvent::default() };
    timely.on_ack(Time::ZERO, &ack);
    gbps(timely)
}

/// Algorithm 1 of the paper, branch by branch.
#[test]
fn timely_by_branch() {
    let mut flow = timely(TimelyParams::paper());
    near(gbps(&flow), 100.0 * 0.6 * 0.6, "above T_high: 1 - 0.8 (1 - 500/1000), twice");
    near(rtt(&mut flow, 40), 36.01, "below T_low: delta");
    near(rtt(&mut flow, 40), 36.02, "below T_low: delta again");
    // The gradient: 0.125 × the last and 0.875 × the new difference, by 20 us.
    let before = flow.gradient();
    let slope = 0.125 * before + 0.875 * 20.0 / 20.0;
    near(rtt(&mut flow, 60), 36.02 * (1.0 - 0.8 * slope).max(0.0), "gradient");
    near(flow.gradient(), slope, "gradient");
    // A round trip that falls: increases, the sixth in a row five times as large.
    let start = gbps(&flow);
    let mut steps = Vec::new();
    for us in [199, 198, 197, 196, 195, 194, 193, 192] {
        let before = gbps(&flow);
        steps.push(((rtt(&mut flow, us) - before) * 1000.0).round());
    }
    assert!(start > 0.0 && steps[0] < 0.0, "{steps:?}");
    let up = steps.iter().position(|step| *step > 0.0).unwrap();
    let wanted: Vec<f64> = (0..steps.len() - up).map(|i| if i < 5 { 10.0 } else { 50.0 }).collect();
    assert_eq!(steps[up..], wanted);
}

/// ECN or Delay, section 4.2: any shares are at rest in the original, and only equal ones in the patch.
#[test]
fn timely_has_no_fair_share_and_the_patch_has() {
    // The same round trip for both, steady just above T_low.
    let run = |params: TimelyParams| {
        let (mut fast, mut slow) = (timely(params.clone()), timely(params));
        while gbps(&slow) > 0.8 * gbps(&fast) {
            rtt(&mut slow, 1000);
        }
        for _ in 0..10 {
            rtt(&mut fast, 53);
            rtt(&mut slow, 53);
        }
        let before = gbps(&fast) - gbps(&slow);
        for _ in 0..40_000 {
            rtt(&mut fast, 53);
            rtt(&mut slow, 53);
        }
        (before, gbps(&fast), gbps(&slow))
    };
    let params = TimelyParams {
        delta: Rate::from_bps(1000),
        delta_hai: Rate::from_bps(1000),
        ..TimelyParams::paper()
    };
    let (before, fast, slow) = run(params);
    assert!(before > 5.0);
    near(fast - slow, before, "the original");
    // The patch: delta/(beta error) for both, wherever they start.
    let (before, fast, slow) = run(TimelyParams::patched());
    let rest = 0.01 / (0.008 * 3.0 / 50.0);
    assert!(
        before > 5.0 && (fast / rest - 1.0).abs() < 0.01 && (slow / rest - 1.0).abs() < 0.01,
        "{fast} {slow} {rest}"
    );
}

/// The artefact: once a round trip, and increases below T_low count.
#[test]
fn timely_of_the_artefact() {
    let params = TimelyParams::hpcc_sim(LINE);
    assert_eq!((params.delta, params.delta_hai), (Rate::from_mbps(100), Rate::from_mbps(500)));
    let mut flow = Timely::new(params, LINE, T);
    let ack = |flow: &mut Timely, us, acked_bytes, in_flight_bytes| {
        let ack =
            AckEvent { acked_bytes, in_flight_bytes, rtt: Some(Span::from_us(us)), ..AckEvent::default() };
        flow.on_ack(Time::ZERO, &ack);
        gbps(flow)
    };
    ack(&mut flow, 1000, 1000, 9000);
    near(ack(&mut flow, 1000, 9000, 5000), 100.0, "still the first round");
    near(ack(&mut flow, 1000, 1000, 4000), 60.0, "the second");
    near(ack(&mut flow, 1000, 4000, 4000), 60.0, "within it");
    for step in [0.1, 0.1, 0.1, 0.1, 0.1, 0.5, 0.5] {
        let before = gbps(&flow);
        near(ack(&mut flow, 10, 5000, 0) - before, step, "step");
    }
}

// DCTCP.

fn echo(acked_bytes: u64, in_flight_bytes: u64, ecn_echo: bool) -> AckEvent<'static> {
    AckEvent { acked_bytes, in_flight_bytes, ecn_echo, ..AckEvent::default() }
}

/// RFC 8257: alpha by marked bytes once a window, one cut a window, one segment a window.
#[test]
fn dctcp_window() {
    let mut flow = Dctcp::new(DctcpParams { initial_alpha: 0.5, ..DctcpParams::paper() }, LINE, T);
    assert_eq!((flow.window_bytes(), flow.rate()), (125_000, LINE));
    // The first window: 125 packets, none marked. Each grows the window by a segment's share.
    for i in 0..125 {
        flow.on_ack(Time::ZERO, &echo(1000, 124_000, false));
        assert!(flow.window_bytes() <= 125_000 + 8 * (i + 1));
    }
    assert!((125_900..126_001).contains(&flow.window_bytes()), "{}", flow.window_bytes());
    // The second: a quarter marked. One cut by alpha/2.
    let (alpha, window) = (flow.alpha(), flow.window_bytes() as f64);
    flow.on_ack(Time::ZERO, &echo(1000, 100_000, true));
    let cut = flow.window_bytes() as f64;
    assert!((cut / (window * (1.0 - flow.alpha() / 2.0)) - 1.0).abs() < 1e-4, "{cut} of {window}");
    assert!(flow.alpha() <= alpha);
    for _ in 0..20 {
        flow.on_ack(Time::ZERO, &echo(1000, 90_000, true));
        assert_eq!(flow.window_bytes(), cut as u64, "once a window");
    }
    // Loss, and the floor.
    flow.on_loss(Time::ZERO, Loss::Nak);
    assert_eq!(flow.window_bytes(), (cut / 2.0) as u64);
    flow.on_loss(Time::ZERO, Loss::Timeout);
    assert_eq!(flow.window_bytes(), 1000);
}

/// Alpha goes to the share of marks, by g a window.
#[test]
fn dctcp_alpha_is_the_share_of_marks() {
    let mut flow = Dctcp::new(DctcpParams::paper(), LINE, T);
    for window in 0..400 {
        for packet in 0..10 {
            flow.on_ack(Time::ZERO, &echo(1000, 9_000, packet % 10 < 3));
        }
        if window == 1 {
            // The acknowledgement that ends the first window is its eleventh, and its fourth with a mark.
            near(flow.alpha(), 15.0 / 16.0 + 4.0 / 11.0 / 16.0, "one window");
        }
    }
    near(flow.alpha(), 0.3, "alpha");
}

/// The artefact's rate form: the order of alpha, cut and step, by hand.
#[test]
fn dctcp_rate_of_the_artefact() {
    let params = DctcpParams::hpcc_sim(LINE);
    assert_eq!(params.form, Form::Rate { step: Rate::from_mbps(615) });
    let mut flow = Dctcp::new(params, LINE, T);
    // First acknowledgement, marked: alpha is still 1, so half; no step in a reduced round.
    flow.on_ack(Time::ZERO, &echo(1000, 9_000, true));
    assert_eq!(gbps(&flow), 50.0);
    for _ in 0..9 {
        flow.on_ack(Time::ZERO, &echo(1000, 9_000, true));
        assert_eq!(gbps(&flow), 50.0);
    }
    // Eleventh: a new round. Eleven marks of an estimated 10000/1000 + 1: alpha stays 1. The reduced state ends: a cut.
    flow.on_ack(Time::ZERO, &echo(1000, 9_000, true));
    assert_eq!((flow.alpha(), gbps(&flow)), (1.0, 25.0));
    for _ in 0..9 {
        flow.on_ack(Time::ZERO, &echo(1000, 9_000, false));
    }
    // No mark of 10: alpha falls by g, and the rate takes a step.
    flow.on_ack(Time::ZERO, &echo(1000, 9_000, false));
    assert_eq!((flow.alpha(), gbps(&flow)), (0.9375, 25.615));
    assert_eq!(flow.window_bytes(), u64::MAX);
}

// Swift.

/// Section 3.5 of the paper: the target at the ends of flow scaling, and with hops.
#[test]
fn swift_target_delay() {
    let params = SwiftParams {
        path: PathDelay::Hops { base: Span::from_us(20), per_hop: Span::from_us(2), hops: 5 },
        fs_range: Span::from_us(50),
        fs_min_cwnd: 0.25,
        fs_max_cwnd: 100.0,
        ..SwiftParams::paper()
    };
    for (cwnd, us) in
        [(100.0, 30.0), (400.0, 30.0), (0.25, 80.0), (0.1, 80.0), (1.0, 30.0 + 50.0 * 0.9 / 1.9)]
    {
        let fixed = SwiftParams { min_cwnd: cwnd, max_cwnd: cwnd, ..params.clone() };
        let swift = Swift::new(fixed, LINE, T);
        assert_eq!(swift.window_packets(), cwnd);
        assert!((swift.target_delay().as_us_f64() - us).abs() < 1e-5, "{cwnd}: {}", swift.target_delay());
    }
}

/// Algorithm 1 of the paper: ai a round trip below the target, one proportional cut a round trip above it.
#[test]
fn swift_steps() {
    let params = SwiftParams { fs_range: Span::ZERO, ..SwiftParams::paper() };
    let mut swift = Swift::new(params, LINE, T);
    assert_eq!((swift.window_packets(), swift.rate()), (125.0, LINE));
    let mut now = Time::from_us(100);
    let mut ack = |swift: &mut Swift, us: u64, wait: u64| {
        now += Span::from_us(wait);
        let ack = AckEvent { acked_bytes: 1000, rtt: Some(Span::from_us(us)), ..AckEvent::default() };
        swift.on_ack(now, &ack);
        swift.window_packets()
    };
    near(ack(&mut swift, 29, 1), 125.0 + 1.0 / 125.0, "below 30 us: ai/cwnd");
    let before = swift.window_packets();
    near(ack(&mut swift, 40, 1), before * (1.0 - 0.8 * 10.0 / 40.0), "above: beta of the excess");
    let cut = swift.window_packets();
    assert_eq!(ack(&mut swift, 40, 39), cut, "not twice a round trip");
    near(ack(&mut swift, 400, 400), cut * 0.5, "at most max_mdf");
    let cut = swift.window_packets();
    swift.on_loss(Time::from_ms(10), Loss::Nak);
    near(swift.window_packets(), cut * 0.5, "a loss takes max_mdf");
    // Below one packet, pace; five timeouts in a row reset.
    for i in 0..5 {
        swift.on_loss(Time::from_ms(20 + i), Loss::Timeout);
    }
    assert_eq!(swift.window_packets(), 0.001);
    assert_eq!(swift.window_bytes(), 1000);
    assert_eq!(swift.rate(), Rate::from_bps(20_000), "a packet each 400 us / 0.001");
    near(ack(&mut swift, 10, 1), 1.001, "below one packet, ai a packet");
}
