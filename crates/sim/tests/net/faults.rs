//! Whatever goes wrong, every flow ends: complete, or in error.

use super::setup::*;
use weir_fabric::{Fault, FaultKind, LinkId, Recovery, Scenario};
use weir_sim::results::{EndReason, FlowStatus};
use weir_units::{Bytes, Rate, Span, Time};

fn all_links(s: &Scenario) -> Vec<LinkId> {
    (0..s.topology.links().len() as u32).map(LinkId).collect()
}

fn always(kind: FaultKind) -> Fault {
    Fault { from: Time::ZERO, until: Time::MAX, kind }
}

#[test]
fn losses_are_repaired_in_every_way_of_recovery() {
    for recovery in [Recovery::GoBackN, Recovery::SelectiveRepeat] {
        for probability in [1e-3, 1e-2, 5e-2] {
            let mut s = star(5, 100);
            s.nic.recovery = recovery;
            s.nic.retransmission_timeout = Span::from_us(100);
            s.workloads = vec![to_one(0..4, 4, 200_000)];
            s.faults = vec![always(FaultKind::Loss { links: all_links(&s), probability })];
            let results = run_it(&s);
            assert_all_done(&results);
            assert!(results.summary.retransmitted_packets > 0, "{recovery:?} {probability}");
        }
    }
}

/// A lost tail has nothing behind it that could show the gap: the timer finds it.
#[test]
fn a_lost_tail_does_not_hang() {
    let mut s = star(2, 100);
    s.nic.retransmission_timeout = Span::from_us(50);
    s.workloads = vec![to_one(0..1, 1, 3 * 1024)];
    s.faults = vec![always(FaultKind::DropEvery { links: vec![LinkId(0)], every: 3 })];
    let results = run_it(&s);
    assert_all_done(&results);
    assert_eq!(results.flows[0].timeouts, 1);
    assert!(results.flows[0].fct_ps.unwrap() > 50_000_000);
}

#[test]
fn damage_duplicates_and_disorder_are_seen_and_mended() {
    let kinds = |links: Vec<LinkId>| {
        [
            FaultKind::Corrupt { links: links.clone(), probability: 0.01 },
            FaultKind::Duplicate { links: links.clone(), probability: 0.01 },
            FaultKind::Reorder { links, probability: 0.01, delay: Span::from_us(3) },
        ]
    };
    for (i, kind) in kinds(vec![]).iter().enumerate() {
        let mut s = star(5, 100);
        s.nic.retransmission_timeout = Span::from_us(100);
        s.workloads = vec![to_one(0..4, 4, 300_000)];
        s.faults = vec![always(kinds(all_links(&s))[i].clone())];
        let results = run_it(&s);
        assert_all_done(&results);
        let sum = |get: fn(&weir_sim::results::HostResult) -> u64| results.hosts.iter().map(get).sum::<u64>();
        match kind {
            FaultKind::Corrupt { .. } => assert!(sum(|host| host.rx_icrc_errors) > 0),
            FaultKind::Duplicate { .. } => assert!(sum(|host| host.duplicate_request) > 0),
            _ => assert!(sum(|host| host.out_of_sequence) > 0),
        }
    }
}

/// Bits that flip on the cable are the FCS's business: the next port drops the frame and counts it.
#[test]
fn bit_errors_are_dropped_by_the_next_port() {
    let mut s = star(3, 100);
    let spec = weir_fabric::TopologySpec { bit_error_rate: 1e-6, ..s.topology_spec.clone() };
    s.topology = spec.build().unwrap();
    s.nic.retransmission_timeout = Span::from_us(100);
    s.workloads = vec![to_one(0..2, 2, 1_000_000)];
    let results = run_it(&s);
    assert_all_done(&results);
    let errors: u64 = results.ports.iter().map(|port| port.rx_errors).sum();
    let lost: u64 = results.ports.iter().map(|port| port.link_drops).sum();
    assert!(errors > 0);
    assert_eq!((errors, lost), (results.summary.drops, results.summary.drops));
    // About 1 − (1 − 1e-6)^(8 × 1086) of the data frames on two links.
    let frames: u64 = results.ports.iter().map(|port| port.tx_frames).sum();
    assert!(errors * 400 > frames / 4 && errors < frames / 20, "{errors} of {frames}");
}

#[test]
fn a_link_that_flaps_is_gone_round() {
    let mut s = fat_tree();
    // Longer than what all buffers of a path can hold up.
    s.nic.retransmission_timeout = Span::from_ms(2);
    s.workloads = vec![to_one(0..4, 12, 2_000_000)];
    // The first uplink of the receiver's pod and one of the senders'.
    let fabric: Vec<LinkId> = all_links(&s)
        .into_iter()
        .filter(|l| !s.topology.link(*l).ends.iter().any(|e| s.topology.is_host(e.node)))
        .collect();
    s.faults = vec![Fault {
        from: Time::from_us(50),
        until: Time::from_us(900),
        kind: FaultKind::Flap {
            links: fabric.iter().copied().step_by(2).collect(),
            down: Span::from_us(60),
            up: Span::from_us(40),
        },
    }];
    let results = run_it(&s);
    assert_all_done(&results);
    assert!(results.summary.retransmitted_packets > 0, "frames on the cables were lost");
    let quiet = run_it(&Scenario { faults: vec![], ..s });
    assert!(results.end_ps > quiet.end_ps);
}

/// The only cable of the receiver is out for good: the sender's retries run out and the flow ends in error.
#[test]
fn a_dead_receiver_ends_the_flow_in_error() {
    let mut s = star(3, 100);
    s.nic.retransmission_timeout = Span::from_us(50);
    s.nic.retry_count = 3;
    s.workloads = vec![to_one(0..1, 2, 5_000_000)];
    let kind = FaultKind::LinkDown { links: vec![LinkId(2)] };
    s.faults = vec![Fault { from: Time::from_us(20), until: Time::MAX, kind }];
    let results = run_it(&s);
    assert_eq!(results.end, EndReason::Completed);
    assert!(
        matches!(&results.flows[0].status, FlowStatus::Failed(why) if why.contains("Retry")),
        "{:?}",
        results.flows[0]
    );
    assert_eq!((results.summary.failed, results.flows[0].timeouts), (1, 4));
    // 20 us at 100 Gb/s are a quarter of a megabyte, less 2 us on the way.
    assert!((190_000..250_000).contains(&results.flows[0].delivered_bytes), "{:?}", results.flows[0]);
}

/// The same, but the cable comes back in time.
#[test]
fn a_receiver_that_comes_back_gets_everything() {
    let mut s = star(3, 100);
    s.nic.retransmission_timeout = Span::from_us(50);
    s.workloads = vec![to_one(0..1, 2, 5_000_000)];
    let kind = FaultKind::LinkDown { links: vec![LinkId(2)] };
    s.faults = vec![Fault { from: Time::from_us(20), until: Time::from_us(150), kind }];
    let results = run_it(&s);
    assert_all_done(&results);
    assert!(results.flows[0].timeouts > 0);
}

/// A host that takes data in at 10 Gb/s pauses its switch, loses nothing, and the flow runs at its pace.
#[test]
fn a_slow_receiver_pauses_its_switch() {
    let mut s = star(2, 100);
    s.workloads = vec![to_one(0..1, 1, 4_000_000)];
    s.faults = vec![always(FaultKind::SlowReceiver {
        host: weir_fabric::NodeId(1),
        rate: Rate::from_gbps(10),
        buffer: Bytes::from_kb(100),
    })];
    let results = run_it(&s);
    assert_all_done(&results);
    let host = results.port("h1", 0).unwrap();
    assert!(
        host.priorities.iter().any(|p| p.priority == 3 && p.pfc_tx > 0 && p.pfc_resume_tx > 0),
        "{host:?}"
    );
    let frames = 4_000_000f64 / 1024.0 * 1086.0;
    let gbps = frames * 8.0 / (results.end_ps as f64 / 1e3);
    assert!((9.8..=10.05).contains(&gbps), "{gbps} Gb/s");
    assert_eq!(results.summary.drops, 0);
}

/// Pauses without end stop the switch's port, the buffer fills, and the pause spreads to the senders: the tree of pauses has
/// its root at the storm.
#[test]
fn a_storm_spreads_from_its_root() {
    let mut s = star(4, 100);
    s.buffer.total = Bytes::from_kb(400);
    s.workloads = vec![to_one(0..3, 3, 1_000_000)];
    let kind = FaultKind::PauseStorm { host: weir_fabric::NodeId(3), priorities: 1 << 3 };
    s.faults = vec![Fault { from: Time::ZERO, until: Time::from_ms(2), kind }];
    let results = run_it(&s);
    assert_all_done(&results);
    assert!(results.end_ps > 2_000_000_000);
    let tree = results.pauses.trees.iter().find(|tree| tree.root == "h3:0/3").unwrap();
    assert_eq!((tree.depth, tree.ports), (2, 4), "{tree:?}");
    let first = results.pauses.events.iter().find(|event| event.node == "h3").unwrap();
    let child = results.pauses.events.iter().find(|event| event.parent == Some(first.id)).unwrap();
    assert_eq!(child.priority, 3);
    assert!(child.start_ps > first.start_ps);
    assert!(results.deadlocks.is_empty(), "a storm is no deadlock");
}
