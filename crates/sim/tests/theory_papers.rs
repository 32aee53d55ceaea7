//! Experiments of the DCQCN paper (SIGCOMM 2015) on its own testbed topology.

#![allow(clippy::unwrap_used, clippy::cast_precision_loss, reason = "a test may")]

use rayon::prelude::*;
use weir_fabric::Scenario;
use weir_sim::net::{Quiet, RunOptions, run};
use weir_sim::results::{Results, jain, nearest_rank};

/// What a payload gets of a 40 Gb/s link.
const LINE: f64 = 40e9 * 1024.0 / 1106.0;

fn simulate(text: &str, seed: u64) -> Results {
    let scenario = Scenario::from_toml(text, "paper", &mut |_| Err("none".into())).unwrap();
    let options = RunOptions { seed: Some(seed), ..RunOptions::default() };
    run(&scenario, &options, &mut Quiet).unwrap()
}

fn changed(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replacen(from, to, 1)
}

/// Gb/s of line (so that 40 is a full link) of each flow from `from_ps` to the end of the run.
fn rates(r: &Results, from_ps: u64) -> Vec<f64> {
    r.flows
        .iter()
        .map(|flow| {
            let of = format!("flow {}", flow.id);
            let series = r.series.iter().find(|s| s.kind == "flow_bps" && s.of == of).unwrap();
            let skip = (from_ps.saturating_sub(series.start_ps)).div_ceil(series.interval_ps) as usize;
            let late = &series.values[skip.min(series.values.len() - 1)..];
            late.iter().sum::<u64>() as f64 / late.len() as f64 / LINE * 40.0
        })
        .collect()
}

const PARKING: &str = include_str!("../../../scenarios/parking-lot.toml");
const VICTIM: &str = include_str!("../../../scenarios/victim.toml");
const TWO: &str = include_str!("../../../scenarios/two-bottlenecks.toml");
const MS: u64 = 1_000_000_000;

/// The same with other lengths: messages that do not end, and the run's.
fn lasting(text: &str, stop: &str) -> String {
    changed(&text.replace("\"100 MB\"", "\"1 GB\""), "stop = \"20 ms\"", &format!("stop = \"{stop}\""))
}

fn with_dcqcn(text: &str) -> String {
    changed(text, "enabled = false ", "enabled = true ")
}

/// E1, section 2.2: pauses are fair to ports. The near sender gets half of the receiver's link where the far ones come by
/// one uplink, and a third where they come by both.
#[test]
fn e1_pauses_favour_the_near_sender() {
    let text = lasting(PARKING, "8 ms");
    let near: Vec<f64> = (1..=12u64)
        .into_par_iter()
        .map(|seed| {
            let rates = rates(&simulate(&text, seed), 2 * MS);
            println!("E1 pfc {seed}: {rates:.2?}");
            assert!((rates.iter().sum::<f64>() - 40.0).abs() < 0.2, "{rates:?}");
            rates[3]
        })
        .collect();
    let close = |rate: f64, to: f64| (rate / to - 1.0).abs() < 0.05;
    assert!(near.iter().all(|rate| close(*rate, 20.0) || close(*rate, 40.0 / 3.0)), "{near:?}");
    assert!(near.iter().any(|rate| close(*rate, 20.0)) && near.iter().any(|rate| close(*rate, 40.0 / 3.0)));
}

/// E1 with DCQCN: all four get about 10 Gb/s, without a pause.
#[test]
fn e1_dcqcn_is_fair_to_flows() {
    let text = lasting(&with_dcqcn(PARKING), "60 ms");
    let runs: Vec<Vec<f64>> = (1..=3u64)
        .into_par_iter()
        .map(|seed| {
            let r = simulate(&text, seed);
            let rates = rates(&r, 30 * MS);
            println!("E1 dcqcn {seed}: {rates:.2?}");
            assert_eq!(r.summary.pfc_pauses, 0);
            assert!(jain(rates.clone()) > 0.98, "{rates:?}");
            rates
        })
        .collect();
    for sender in 0..4 {
        let mean = runs.iter().map(|rates| rates[sender]).sum::<f64>() / runs.len() as f64;
        assert!((mean / 10.0 - 1.0).abs() < 0.1, "{sender}: {mean}");
    }
}

/// The victim's rate by seed, in order, with as many senders below the third switch as `more`.
fn victims(text: &str, more: usize, from_ps: u64, seeds: u64) -> Vec<f64> {
    let first = text.find("[[workload]]\nname = \"more\"").unwrap();
    let last = text.find("[[workload]]\nname = \"victim\"").unwrap();
    let text = match more {
        0 => format!("{}{}", &text[..first], &text[last..]),
        1 => changed(text, "from = [\"h10\", \"h11\"]", "from = [\"h10\"]"),
        _ => text.to_owned(),
    };
    let mut all: Vec<f64> = (1..=seeds)
        .into_par_iter()
        .map(|seed| *rates(&simulate(&text, seed), from_ps).last().unwrap())
        .collect();
    all.sort_by(f64::total_cmp);
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    println!("E2 {more} more: median {:.2} mean {mean:.2} {all:.1?}", nearest_rank(&all, 0.5));
    all
}

/// E2, section 2.2: senders that share no link with the victim take its bandwidth by pauses; with DCQCN they do not.
#[test]
fn e2_a_victim_suffers_under_pauses_and_not_under_dcqcn() {
    let median = |all: &[f64]| nearest_rank(all, 0.5);
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let pfc = lasting(VICTIM, "20 ms");
    let alone = victims(&pfc, 0, 12 * MS, 9);
    let two = victims(&pfc, 2, 12 * MS, 9);
    assert!(mean(&two) < 0.8 * mean(&alone), "{} {}", mean(&two), mean(&alone));
    assert!(median(&two) < 0.8 * median(&alone), "{} {}", median(&two), median(&alone));
    let dcqcn = victims(&lasting(&with_dcqcn(VICTIM), "16 ms"), 2, 10 * MS, 9);
    assert!(median(&dcqcn) > median(&alone), "{} {}", median(&dcqcn), median(&alone));
}

/// E8, section 6.4: of two bottlenecks in a row, marking by a slope brings the flow that crosses both nearer to its fair
/// share of 20 Gb/s than marking by a cut-off.
#[test]
fn e8_a_slope_is_fairer_to_a_flow_with_two_bottlenecks() {
    let text = TWO.replace("stop = \"40 ms\"", "stop = \"60 ms\"").replace("100 MB", "1 GB");
    let slope = "kmin = \"5 KB\", kmax = \"200 KB\", pmax = 0.01";
    let cut = changed(&text, slope, "kmin = \"40 KB\", kmax = \"40 KB\", pmax = 1.0");
    let of = |name: &str, text: &str| {
        let rates = rates(&simulate(text, 1), 20 * MS);
        println!("E8 {name} {rates:.2?}");
        assert!(rates[0] + rates[1] > 30.0 && rates[0] + rates[2] > 30.0, "{rates:?}");
        rates[0] / 20.0
    };
    let (slope, cut) = (of("red", &text), of("cut-off", &cut));
    assert!(slope > 1.3 * cut && slope > 0.7 && slope < 1.0, "{slope} {cut}");
}

fn incast(n: u64, stop: &str) -> String {
    format!(
        r#"
        [topology]
        kind = "star"
        hosts = {hosts}
        rate = "40 Gb/s"
        delay = "500 ns"
        [[class]]
        name = "roce"
        priority = 3
        dscp = [26]
        lossless = true
        ecn = {{ kmin = "5 KB", kmax = "200 KB", pmax = 0.01 }}
        [[class]]
        name = "cnp"
        priority = 6
        dscp = [48]
        strict = true
        [buffer]
        total = "12 MB"
        alpha = 8
        [control]
        algorithm = "dcqcn"
        preset = "paper"
        [[workload]]
        kind = "pairs"
        from = "h0..h{last}"
        to = "h{n}"
        bytes = "1 GB"
        [probes]
        queue_series = "10 us"
        rate_series = "1 ms"
        queues = ["s0:{n}/3"]
        [run]
        stop = "{stop}"
        "#,
        hosts = n + 1,
        last = n - 1,
    )
}

/// E5, section 6.3: more than 39 Gb/s of an incast of up to 20, no pause, every queue a small part of what would pause.
/// From 15 senders on the paper's fluid model has no fixed point below pmax: the queue stays about Kmax.
#[test]
fn e5_an_incast_keeps_the_link_busy_and_the_queue_short() {
    [2, 4, 8, 16, 20].into_par_iter().for_each(|n| {
        let r = simulate(&incast(n, "100 ms"), 1);
        let series = r.series.iter().find(|s| s.kind == "queue_bytes").unwrap();
        let mut late: Vec<f64> =
            series.values[series.values.len() / 2..].iter().map(|v| *v as f64 / 1e3).collect();
        late.sort_by(f64::total_cmp);
        let mean = late.iter().sum::<f64>() / late.len() as f64;
        let rates = rates(&r, 50 * MS);
        let total: f64 = rates.iter().sum();
        println!(
            "E5 {n}:1 total {total:.2} Gb/s jain {:.4} queue mean {mean:.1} p50 {:.1} p90 {:.1} max ever {}",
            jain(rates.clone()),
            nearest_rank(&late, 0.5),
            nearest_rank(&late, 0.9),
            r.summary.max_queue_bytes
        );
        assert!(total > 39.0, "{n}: {total}");
        assert!(jain(rates.clone()) > 0.99, "{rates:?}");
        assert_eq!(r.summary.pfc_pauses, 0);
        // beta = 8 of 12 MB less the queue: far more than a queue about Kmax.
        assert!(nearest_rank(&late, 0.99) < 210.0);
        assert!(n < 15 || (mean / 200.0 - 1.0).abs() < 0.15, "{n}: {mean}");
    });
}
