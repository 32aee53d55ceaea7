//! DCQCN on one bottleneck against its fluid theory: equilibrium, rate of CNPs, stability, convergence, the peak of a start
//! at line rate, and where the control ends.

#![allow(clippy::unwrap_used, clippy::cast_precision_loss, reason = "a test may")]

use rayon::prelude::*;
use weir_congestion::CnpStyle;
use weir_congestion::fluid::{Fluid, Linearisation, cnp};
use weir_fabric::Scenario;
use weir_sim::net::{Quiet, RunOptions, run};
use weir_sim::results::{Results, jain};
use weir_units::Span;

/// A packet of 1 KiB as the queue counts it.
const FRAME: f64 = 1082.0;
/// The same with preamble and gap: what it takes of the line.
const WIRE: u32 = 1106;

/// `n` hosts that send for ever to one more, at 40 Gb/s with marking 5 KB, 200 KB, 1 %. A star has two links between
/// hosts: from the switch to the sender, by way of the receiver, and back there are four delays of 1 us.
fn star(n: u32) -> String {
    format!(
        r#"
[topology]
kind = "star"
hosts = {}
rate = "40 Gb/s"
delay = "1 us"
[[class]]
name = "roce"
priority = 3
lossless = true
ecn = {{ kmin = "5 KB", kmax = "200 KB", pmax = 0.01 }}
[[class]]
name = "cnp"
priority = 6
strict = true
[buffer]
total = "1 GiB"
[pfc]
enabled = false
[nic]
ack_every = 16
cnp_style = "window-end"
[control]
algorithm = "dcqcn"
preset = "paper"
[[workload]]
kind = "pairs"
from = "h0..h{}"
to = "h{n}"
bytes = "4 GB"
jitter = "500 us"
[probes]
queue_series = "2 us"
queues = ["s0:{n}/3"]
"#,
        n + 1,
        n - 1
    )
}

fn changed(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replacen(from, to, 1)
}

fn immediate(text: &str) -> String {
    changed(text, "window-end", "immediate")
}

/// The run up to `stop_us`.
fn simulate(text: &str, stop_us: u64) -> Results {
    let scenario = Scenario::from_toml(text, "theory", &mut |_| Err("none".into())).unwrap();
    let options = RunOptions { time_limit: Some(Span::from_us(stop_us)), ..RunOptions::default() };
    run(&scenario, &options, &mut Quiet).unwrap()
}

/// The fluid at 40 Gb/s in packets of 1 KiB, whose thresholds count frames without preamble and gap.
fn fluid() -> Fluid {
    let paper = Fluid::paper_40g();
    Fluid {
        capacity: 40e9 / 8.0 / f64::from(WIRE),
        packet_bytes: FRAME,
        kmin: 5_000.0 / FRAME,
        kmax: 200_000.0 / FRAME,
        byte_counter: 10e6 / f64::from(WIRE),
        r_ai: 40e6 / 8.0 / f64::from(WIRE),
        ..paper
    }
}

/// What a stretch of a run says.
#[derive(Debug)]
struct Steady {
    /// Mean queue, bytes.
    queue: f64,
    /// Its standard deviation over the mean.
    spread: f64,
    /// Share of the packets that were marked.
    p: f64,
    /// CNPs a second and flow.
    cnps: f64,
    /// Share of the line in use.
    used: f64,
    /// Jain's index of the flows' mean rates.
    jain: f64,
    /// Most of the queue.
    peak: u64,
}

/// From `from_us` to `until_us`: the same run ended twice, which begins alike.
fn steady(text: &str, from_us: u64, until_us: u64) -> Steady {
    let (early, late) = rayon::join(|| simulate(text, from_us), || simulate(text, until_us));
    let series = &late.series[0];
    let skip = (from_us * 1_000_000 / series.interval_ps) as usize;
    let queue = &series.values[skip..];
    let mean = queue.iter().sum::<u64>() as f64 / queue.len() as f64;
    let square = queue.iter().map(|q| (*q as f64 - mean).powi(2)).sum::<f64>() / queue.len() as f64;
    let grown = |of: fn(&weir_sim::results::FlowResult) -> u64| -> Vec<f64> {
        late.flows.iter().zip(&early.flows).map(|(l, e)| (of(l) - of(e)) as f64).collect()
    };
    let sent = grown(|f| f.delivered_bytes);
    let packets = sent.iter().sum::<f64>() / 1024.0;
    let seconds = (until_us - from_us) as f64 / 1e6;
    let rate = early.ports.iter().find(|p| p.switch).unwrap().rate_bps as f64;
    Steady {
        queue: mean,
        spread: square.sqrt() / mean,
        p: grown(|f| f.marked_packets).iter().sum::<f64>() / packets,
        cnps: grown(|f| f.cnps).iter().sum::<f64>() / sent.len() as f64 / seconds,
        used: packets * f64::from(WIRE) * 8.0 / rate / seconds,
        jain: jain(sent.iter().copied()),
        peak: queue.iter().copied().max().unwrap(),
    }
}

/// The mean of two seeds.
fn twice(text: &str, from_us: u64, until_us: u64) -> Steady {
    let of = |seed: u32| steady(&format!("{text}[run]\nseed = {seed}\n"), from_us, until_us);
    let (a, b) = (of(1), of(2));
    Steady {
        queue: (a.queue + b.queue) / 2.0,
        spread: (a.spread + b.spread) / 2.0,
        p: (a.p + b.p) / 2.0,
        cnps: (a.cnps + b.cnps) / 2.0,
        used: (a.used + b.used) / 2.0,
        jain: (a.jain + b.jain) / 2.0,
        peak: a.peak.max(b.peak),
    }
}

/// A ramp of the same slope that goes on to ten times the height, so that the queue does not leave it.
fn long_ramp(text: &str) -> String {
    changed(text, "kmax = \"200 KB\", pmax = 0.01", "kmax = \"2000 KB\", pmax = 0.1")
}

/// All flows start within a round of packets. Farther apart a flow that joins sends at line rate until its first packet
/// is through a queue that the others made, which is another experiment.
fn at_once(text: &str) -> String {
    changed(text, "500 us", "2 us")
}

fn close(measured: f64, expected: f64, tolerance: f64) -> bool {
    (measured / expected - 1.0).abs() <= tolerance
}

/// What the fluid rests at: queue in bytes, marking probability, rate of a flow in packets a second.
fn rest(fluid: &Fluid, n: u32) -> (f64, f64, f64) {
    let rest = fluid.fixed_point(n).unwrap();
    (rest.queue * FRAME, rest.p, rest.rate)
}

/// T19: queue, marking and shares in equilibrium, with CNPs at windows' ends as the fluid has them.
#[test]
fn the_equilibrium_is_the_fluid_models() {
    let runs: Vec<_> = [2u32, 4, 8, 10]
        .into_par_iter()
        .map(|n| {
            let text = if n < 4 { star(n) } else { long_ramp(&star(n)) };
            (n, twice(&text, 100_000, 400_000))
        })
        .collect();
    for (n, s) in runs {
        let (queue, p, _) = rest(&fluid(), n);
        println!("T19 window-end N={n}: {queue:.0} B {p:.6}, {s:.5?}");
        assert!(close(s.queue, queue, 0.15), "N={n}: {} B for {queue}", s.queue);
        assert!(close(s.p, p, 0.10), "N={n}: {} for {p}", s.p);
        assert!(s.jain >= 0.998, "N={n}: Jain {}", s.jain);
        assert!(s.used >= 0.99, "N={n}: {} of the line", s.used);
    }
}

/// T19: a CNP at the first marked packet is up to a window earlier than the model has it, and the queue deeper.
#[test]
fn immediate_notifications_rest_higher() {
    let runs: Vec<_> = [2u32, 3, 4, 6, 8]
        .into_par_iter()
        .map(|n| (n, twice(&immediate(&star(n)), 100_000, 400_000)))
        .collect();
    for (n, s) in runs {
        let (queue, ..) = rest(&fluid(), n);
        println!("T19 immediate N={n}: {queue:.0} B, {s:.5?}");
        assert!(close(s.queue, queue, 0.30) && s.queue > queue, "N={n}: {} B for {queue}", s.queue);
        assert!(s.jain >= 0.998 && s.used >= 0.99, "N={n}: {s:?}");
    }
}

/// T19 with R_AI 10 Mb/s and Kmax 1000 KB: the gentler setting of the stability study.
#[test]
fn a_gentler_increase_rests_where_the_fluid_does() {
    let runs: Vec<_> = [2u32, 4, 8]
        .into_par_iter()
        .map(|n| {
            let text = changed(&star(n), "200 KB", "1000 KB");
            let text = changed(&text, "\"paper\"", "\"paper\"\nr_ai = \"10 Mb/s\"");
            (n, twice(&text, 150_000, 550_000))
        })
        .collect();
    for (n, s) in runs {
        let paper = fluid();
        let (queue, p, _) = rest(&Fluid { r_ai: paper.r_ai / 4.0, kmax: paper.kmax * 5.0, ..paper }, n);
        println!("T19 R_AI 10 N={n}: {queue:.0} B {p:.6}, {s:.5?}");
        assert!(close(s.queue, queue, 0.15) && close(s.p, p, 0.10), "N={n}: {s:?}");
        assert!(s.jain >= 0.998, "N={n}: {s:?}");
    }
}

/// T19 where the queue runs over Kmax at times, so that the fluid's figure (93.8 KB) is too high: another packet model.
#[test]
fn eight_flows_run_over_kmax() {
    let s = twice(&star(8), 100_000, 400_000);
    println!("T19 window-end N=8, Kmax 200 KB: {s:.5?}");
    assert!(close(s.queue, 79_700.0, 0.15) && s.peak > 200_000 && s.jain >= 0.998, "{s:?}");
}

/// T5: how often CNPs come, given how many packets are marked.
#[test]
fn cnps_come_as_often_as_marking_says() {
    for n in [2u32, 4] {
        let texts = [(CnpStyle::WindowEnd, star(n)), (CnpStyle::Immediate, immediate(&star(n)))];
        for (style, text) in texts {
            let s = steady(&text, 100_000, 300_000);
            let (.., rate) = rest(&fluid(), n);
            let expected = cnp::rate(style, s.p, rate, Span::from_us(50));
            println!("T5 {style:?} N={n}: {expected:.0}/s, {:.0}/s", s.cnps);
            assert!(close(s.cnps, expected, 0.10), "{style:?} N={n}: {} for {expected}", s.cnps);
        }
    }
}

/// From 15 flows on the fixed point needs more than Pmax: the queue stays at the edge where all is marked.
#[test]
fn twenty_flows_chatter_about_kmax() {
    let paper = Fluid::paper_40g();
    assert!(paper.fixed_point(14).unwrap().is_on_ramp && !paper.fixed_point(15).unwrap().is_on_ramp);
    let s = steady(&at_once(&immediate(&star(20))), 30_000, 80_000);
    println!("N=20: {s:.5?}");
    assert!(close(s.queue, 200_000.0, 0.10) && s.peak > 200_000 && s.peak < 220_000, "{s:?}");
    assert!(s.p > 0.01, "{s:?}");
}

/// T20: at a delay of 85 us ten flows swing, and two do not; at 4 us neither does more than packets make it.
#[test]
fn delay_makes_ten_flows_swing() {
    let margin = |n, delay| fluid().phase_margin(n, delay, Linearisation::Published).unwrap();
    assert!(margin(10, 85e-6) < 0.0 && margin(10, 4e-6) > 0.0 && margin(2, 4e-6) > 0.0);
    let far = |text: &str| changed(text, "\"1 us\"", "\"21250 ns\"");
    let near = steady(&long_ramp(&star(10)), 100_000, 300_000);
    let swings = steady(&far(&long_ramp(&star(10))), 100_000, 300_000);
    let two = steady(&far(&long_ramp(&star(2))), 100_000, 300_000);
    println!("T20 N=10 4 us {near:.5?}\n85 us {swings:.5?}\nN=2 85 us {two:.5?}");
    assert!(swings.spread >= 0.9 && near.spread < 0.8, "{} and {}", swings.spread, near.spread);
    assert!(
        swings.used < 0.986 && swings.used > 0.906 && near.used > 0.99,
        "{} and {}",
        swings.used,
        near.used
    );
    let (queue, ..) = rest(&fluid(), 2);
    assert!(close(two.queue, queue, 0.15), "{} for {queue}", two.queue);
}

/// T21: a flow with a line's rate against one with an eighth of it. Eight flows come to rest; then the links of all but
/// one are cut, and a ninth starts.
#[test]
fn unequal_flows_meet_within_the_bound() {
    let bound = fluid().convergence_bound(2).unwrap().seconds;
    let text = at_once(&star(9)).replace("from = \"h0..h8\"", "from = \"h0..h7\"");
    let down: Vec<String> = (1..8).map(|h| format!("\"h{h}--s0\"")).collect();
    let text = changed(&text, "queue_series = \"2 us\"", "rate_series = \"5 ms\"");
    let text = format!(
        "{text}\n[[fault]]\nkind = \"link-down\"\nlinks = [{}]\nfrom = \"50 ms\"\n[[workload]]\nkind = \"pairs\"\nfrom = \"h8\"\nto = \"h9\"\nbytes = \"4 GB\"\nstart = \"50 ms\"\n",
        down.join(", ")
    );
    let seeds: Vec<Vec<f64>> = (1..=8u64)
        .into_par_iter()
        .map(|seed| {
            let r = simulate(&format!("{text}[run]\nseed = {seed}\n"), 170_000);
            let of = |flow: u32| {
                let of = format!("flow {flow}");
                let series = r.series.iter().find(|s| s.kind == "flow_bps" && s.of == of).unwrap();
                let at = |i: usize| {
                    // Samples lie on multiples of 5 ms whenever the series begins.
                    let first = (series.start_ps / series.interval_ps) as usize;
                    i.checked_sub(first).and_then(|i| series.values.get(i)).copied().unwrap_or(0) as f64
                };
                (0..34).map(at).collect::<Vec<f64>>()
            };
            of(8).iter().zip(of(0)).map(|(new, old)| (new - old) / 20e9 * f64::from(WIRE) / 1024.0).collect()
        })
        .collect();
    let mean: Vec<f64> =
        (0..34).map(|i| seeds.iter().map(|s| s[i]).sum::<f64>() / seeds.len() as f64).collect();
    println!("T21 bound {bound:.4} s, difference in shares of the fair rate each 5 ms: {mean:.3?}");
    // From the start of the ninth flow, which is at sample 11 (each is the mean since the one before).
    let between = |from: usize, to: usize| {
        mean[11 + from / 5..11 + to / 5].iter().sum::<f64>() / ((to - from) / 5) as f64
    };
    assert!(between(0, 5) > 0.5, "{mean:.3?}");
    // 80 ms is where another packet model has them closer than a tenth; 96.9 ms is the bound.
    assert!(bound > 0.09 && bound < 0.1, "{bound}");
    assert!(between(80, 100).abs() < 0.1 && between(100, 115).abs() < 0.1, "{mean:.3?}");
}

/// T22: the peak of a start at line rate without PFC. `mtu` is 1 KiB or 512 B.
fn peak(n: u32, delay_ns: u32, gbps: u32, mtu: u32) -> (f64, f64) {
    let text = changed(&at_once(&immediate(&star(n))), "jitter = \"2 us\"", "");
    let text = changed(&text, "\"1 us\"", &format!("\"{} ns\"", delay_ns / 4))
        .replace("40 Gb/s", &format!("{gbps} Gb/s"));
    let text = changed(&text, "ack_every", &format!("mtu = \"{mtu} B\"\nack_every"));
    let wire = f64::from(mtu + WIRE - 1024);
    let line = Fluid {
        capacity: f64::from(gbps) * 1e9 / 8.0 / wire,
        packet_bytes: wire,
        kmax: 200_000.0 / wire,
        ..fluid()
    };
    let r = simulate(&text, 2_000);
    let port = r.port("s0", n).unwrap();
    let deepest = port.priorities.iter().map(|p| p.max_queue_bytes).max().unwrap();
    (deepest as f64, line.line_rate_start_peak(n, f64::from(delay_ns) / 1e9))
}

#[test]
fn a_start_at_line_rate_peaks_under_its_bound() {
    for (n, delay, gbps, mtu) in [
        (8, 4_000, 40, 1024),
        (16, 4_000, 40, 1024),
        (64, 4_000, 40, 512),
        (10, 85_000, 40, 1024),
        (32, 8_000, 100, 1024),
    ] {
        let (deepest, bound) = peak(n, delay, gbps, mtu);
        println!(
            "T22 N={n} t*={delay} ns {gbps}G mtu {mtu}: bound {bound:.0}, {deepest:.0}, {:.3}",
            bound / deepest
        );
        assert!(deepest <= bound && deepest > 0.8 * bound, "N={n}: {deepest} B, bound {bound} B");
    }
}

/// Firmware-like, at 100 Gb/s: 400 KB, 1600 KB, 20 %, a CNP for each marked packet.
fn firmware(n: u32, clamp: &str) -> String {
    let text = at_once(&immediate(&star(n))).replace("40 Gb/s", "100 Gb/s");
    let text = changed(
        &text,
        "\"5 KB\", kmax = \"200 KB\", pmax = 0.01",
        "\"400 KB\", kmax = \"1600 KB\", pmax = 0.2",
    );
    let text = changed(&text, "cnp_style", "cnp_interval = \"0 s\"\ncnp_style");
    changed(
        &text,
        "\"paper\"",
        &format!("\"hpcc-sim\"\nr_ai = \"20 Mb/s\"\nr_hai = \"200 Mb/s\"\nclamp = \"{clamp}\""),
    )
}

/// T23: against another packet model of the firmware's form.
#[test]
fn the_firmwares_form_queues_as_published() {
    let published = [(2u32, 182e3), (4, 208e3), (8, 253e3), (16, 334e3)];
    let runs: Vec<_> = published
        .into_par_iter()
        .map(|(n, queue)| (n, queue, steady(&firmware(n, "after-increase"), 20_000, 100_000)))
        .collect();
    for (n, queue, s) in runs {
        println!("T23 N={n}: {queue} B, {s:.5?}");
        assert!(close(s.queue, queue, 0.15), "N={n}: {} for {queue}", s.queue);
        assert!(close(s.used, 0.99, 0.01), "N={n}: {}", s.used);
        assert!(s.jain >= 0.998, "N={n}: {}", s.jain);
    }
}

/// T23: 32 flows. A target that consecutive cuts leave alone takes the rates back to half a line each after the first
/// 300 us, while the first burst still drains; a target that they clamp does not.
#[test]
fn a_target_that_is_not_clamped_brings_a_second_wave() {
    let wave = |clamp: &str| {
        let r = simulate(&firmware(32, clamp), 20_000);
        let (first, later) = r.series[0].values.split_at(150);
        (first.iter().copied().max().unwrap(), later[50..].iter().copied().max().unwrap())
    };
    let (first, second) = wave("after-increase");
    let (same, after) = wave("always");
    println!("T23 N=32: first {first}, then {second}; clamped {same}, then {after}");
    assert_eq!(first, same);
    assert!(second > 2 * first && after < first, "{first} then {second}; clamped, then {after}");
}

/// T24: a cycle of buffer dependencies deadlocks; routes that go up and then down do not, whatever else is the same.
#[test]
fn only_a_cycle_of_dependencies_deadlocks() {
    const RING: &str = include_str!("../../../scenarios/deadlock-ring.toml");
    let ring = simulate(RING, 50_000);
    assert!(!ring.deadlocks.is_empty() && ring.deadlocks[0].cycle.len() == 4, "{:?}", ring.deadlocks);
    assert!(ring.flows.iter().all(|f| f.delivered_bytes < f.bytes));
    // The same ring cut open between s3 and s0: what is left is a tree.
    let routes = RING.find("[[route]]").unwrap();
    let rest = &RING[RING.find("[buffer]").unwrap()..];
    let tree =
        RING[..routes].lines().filter(|l| !l.contains("\"s3\", \"s0\"")).collect::<Vec<_>>().join("\n");
    let tree = simulate(&format!("{tree}\n{rest}"), 50_000);
    let pauses: u64 = tree.ports.iter().flat_map(|p| &p.priorities).map(|p| p.pfc_tx).sum();
    println!("T24 ring {:?}; tree: {pauses} pauses", ring.deadlocks[0]);
    assert!(tree.deadlocks.is_empty() && pauses > 0);
    assert!(tree.flows.iter().all(|f| f.delivered_bytes == f.bytes));
    // Without pauses the ring loses frames instead.
    let lossy = simulate(&changed(RING, "[buffer]", "[pfc]\nenabled = false\n[buffer]"), 50_000);
    assert!(lossy.deadlocks.is_empty() && lossy.summary.drops > 0);
}

/// The scaling limit that DCQCN+ (ICNP 2018) found: at 40 Gb/s incasts of 160 flows and more are not contained.
#[test]
fn beyond_a_hundred_and_sixty_flows_control_ends() {
    let text = |n: u32| {
        changed(&at_once(&immediate(&star(n))), "ack_every", "retransmission_timeout = \"1 s\"\nack_every")
    };
    let runs: Vec<_> =
        [8u32, 80, 160, 240].into_par_iter().map(|n| (n, steady(&text(n), 30_000, 60_000))).collect();
    for (n, s) in runs {
        println!("limit N={n}: {s:.5?}");
        if n <= 80 {
            assert!(s.peak < 220_000 && s.used > 0.99, "N={n}: {s:?}");
        } else {
            assert!(s.queue > 10e6, "N={n}: {s:?}");
        }
    }
}

/// The same with PFC and 12 MiB: up to the limit pauses end with the first burst; beyond, control never takes over.
#[test]
fn beyond_the_limit_pauses_do_not_end() {
    for n in [8u32, 80, 240] {
        let text = changed(
            &changed(&at_once(&immediate(&star(n))), "enabled = false", "enabled = true"),
            "1 GiB",
            "12 MiB",
        );
        let (early, late) = rayon::join(|| simulate(&text, 20_000), || simulate(&text, 40_000));
        let pauses = |r: &Results| r.ports.iter().flat_map(|p| &p.priorities).map(|p| p.pfc_tx).sum::<u64>();
        let later = pauses(&late) - pauses(&early);
        println!("limit N={n}: {} pauses up to 20 ms, {later} later", pauses(&early));
        // What is lost is CNPs, in a class that may lose.
        let of_data = late.ports.iter().flat_map(|p| &p.priorities).filter(|p| p.priority == 3);
        assert_eq!(of_data.map(|p| p.dropped).sum::<u64>(), 0, "N={n}");
        assert!(late.lossless_drops.is_empty(), "N={n}: {:?}", late.lossless_drops[0]);
        assert_eq!(later > 0, n > 160, "N={n}: {later} pauses after 20 ms");
    }
}
