//! Deadlocks, and pauses as theory has them.

use super::setup::*;
use weir_sim::net::{Quiet, RunOptions, run};
use weir_sim::results::EndReason;
use weir_units::{Bytes, Span};

const RING: &str = include_str!("../../../../scenarios/deadlock-ring.toml");

/// T24: cyclic buffer dependency and PFC give a deadlock, which is found and named; without PFC there is none.
#[test]
fn a_ring_that_waits_for_itself_is_named() {
    let s = from_toml(RING);
    let results = run(&s, &RunOptions::default(), &mut Quiet).unwrap();
    assert_eq!(results.end, EndReason::Deadlock);
    assert_eq!(results.summary.deadlocks, 1);
    let deadlock = &results.deadlocks[0];
    assert_eq!(deadlock.priority, 3);
    let nodes: Vec<&str> = deadlock.cycle.iter().map(|port| port.split(':').next().unwrap()).collect();
    assert_eq!(nodes, ["s0", "s1", "s2", "s3"]);
    assert!(deadlock.since_ps <= deadlock.at_ps);

    let mut open = from_toml(RING);
    open.pfc.enabled = false;
    let results = run(&open, &RunOptions::default(), &mut Quiet).unwrap();
    assert!(results.deadlocks.is_empty() && results.summary.pfc_pauses == 0);
}

/// T24: up-down routes have no cycle, so the same pressure on a fat-tree pauses and goes on.
#[test]
fn a_fat_tree_under_pressure_is_not_stuck() {
    let mut s = fat_tree();
    s.buffer.total = Bytes::from_kb(500);
    s.workloads = (0..4).map(|i| to_one(0..15, 15, 60_000 + i)).collect();
    for (i, workload) in s.workloads.iter_mut().enumerate() {
        workload.name = format!("w{i}");
    }
    let options = RunOptions { deadlock_interval: Span::from_us(20), ..RunOptions::default() };
    let results = run(&s, &options, &mut Quiet).unwrap();
    assert_all_done(&results);
    assert!(results.summary.pfc_pauses > 0);
    assert!(results.deadlocks.is_empty());
}

/// T9: N to 1 by PFC alone. Each sender is paused 1 − 1/N of the time, sends at C/N, and all are alike.
#[test]
fn pauses_divide_a_port_among_its_feeders() {
    for n in [2u32, 4, 8] {
        let mut s = star(n + 1, 100);
        let (buffer, bytes) = (700_000 + 100_000 * u64::from(n), 24_000_000);
        s.buffer.total = Bytes::new(buffer);
        s.workloads = vec![to_one(0..n, n, bytes)];
        let results = run_it(&s);
        assert_all_done(&results);
        assert!(results.summary.jain > 0.9999, "{}", results.summary.jain);
        let want = 1.0 - 1.0 / f64::from(n);
        // What the buffer holds was sent without a pause, and leaves it without one.
        let slack = buffer as f64 / (f64::from(n) * bytes as f64);
        for host in 0..n {
            let port = results.port(&format!("h{host}"), 0).unwrap();
            let paused = port.priorities.iter().find(|p| p.priority == 3).unwrap().paused_ps as f64;
            let share = paused / results.flows[host as usize].fct_ps.unwrap() as f64;
            assert!((share - want).abs() < slack, "{n} to 1, host {host}: {share}, not {want}");
        }
        // The port never idles.
        let wire = u64::from(n) * (bytes.div_ceil(1024) * 82 + bytes);
        let gbps = wire as f64 * 8.0 / (results.end_ps as f64 / 1e3);
        assert!((99.8..=100.0).contains(&gbps), "{gbps} Gb/s");
    }
}

/// A lossless class without headroom for its cables loses frames, and each is an error that says where.
#[test]
fn a_lossless_drop_is_an_error_with_its_place() {
    let mut s = star(9, 100);
    s.buffer.total = Bytes::from_kb(700);
    s.buffer.headroom = weir_fabric::Headroom::Bytes(Bytes::from_kb(2));
    s.workloads = vec![to_one(0..8, 8, 400_000)];
    let results = run_it(&s);
    assert!(results.summary.lossless_drops > 0);
    let drop = &results.lossless_drops[0];
    assert_eq!(drop.priority, 3);
    assert!(drop.at_ps > 0 && drop.port < 8);
    assert_eq!(drop.headroom_limit_bytes, 2000);
    assert!(drop.headroom_bytes + 1102 > 2000 && drop.occupancy_bytes > 0);
    // With headroom by the formula there are none.
    s.buffer.headroom = weir_fabric::Headroom::Auto;
    let results = run_it(&s);
    assert!(results.summary.pfc_pauses > 0 && results.summary.lossless_drops == 0);
}
