//! Nothing is lost without being counted (check T8), and what is counted adds up.

use super::setup::*;
use weir_fabric::{Fault, FaultKind, LinkId, Scenario};
use weir_sim::results::Results;
use weir_units::{Bytes, Time};

fn books_balance(s: &Scenario, results: &Results) {
    for port in &results.ports {
        let peer = results.port(&port.peer, port.peer_port).unwrap();
        // What one end sent and the link did not lose is what the other end got.
        assert_eq!(port.tx_frames - port.link_drops, peer.rx_frames, "{}:{}", port.node, port.port);
    }
    for switch in s.topology.nodes().iter().filter(|node| results.port(&node.name, 0).unwrap().switch) {
        let ports = || results.ports.iter().filter(|port| port.node == switch.name);
        let got: u64 = ports().map(|port| port.rx_frames).sum();
        let sent: u64 = ports().map(|port| port.tx_frames).sum();
        let classes = || ports().flat_map(|port| &port.priorities);
        let dropped: u64 = classes().map(|class| class.dropped).sum();
        let own: u64 = classes().map(|class| class.pfc_tx + class.pfc_resume_tx).sum();
        let peers = ports().map(|port| results.port(&port.peer, port.peer_port).unwrap());
        let heard: u64 =
            peers.flat_map(|peer| &peer.priorities).map(|class| class.pfc_tx + class.pfc_resume_tx).sum();
        // At the end every queue is empty: data in is data out, besides what was dropped. PFC begins and ends here.
        assert_eq!(got - heard, sent - own + dropped, "{}", switch.name);
    }
    let packets: u64 = results.flows.iter().map(|flow| flow.sent_packets).sum();
    assert_eq!(packets, results.summary.sent_packets);
    let bytes: u64 = results.flows.iter().map(|flow| flow.bytes).sum();
    assert_eq!(results.summary.delivered_bytes, bytes);
}

#[test]
fn in_is_out_in_a_quiet_network() {
    let mut s = fat_tree();
    s.workloads = vec![to_one(0..8, 15, 200_000), to_one(9..12, 2, 300_000)];
    s.workloads[1].name = "other".into();
    let results = run_it(&s);
    assert_all_done(&results);
    assert_eq!(results.summary.drops, 0);
    books_balance(&s, &results);
}

#[test]
fn in_is_out_with_pauses() {
    let mut s = fat_tree();
    s.buffer.total = Bytes::from_kb(600);
    s.workloads = vec![to_one(0..12, 15, 400_000)];
    let results = run_it(&s);
    assert_all_done(&results);
    assert!(results.summary.pfc_pauses > 0 && results.summary.pfc_resumes > 0);
    books_balance(&s, &results);
}

#[test]
fn in_is_out_with_losses() {
    let mut s = fat_tree();
    let links = (0..s.topology.links().len() as u32).map(LinkId).collect();
    let kind = FaultKind::Loss { links, probability: 0.002 };
    s.faults = vec![Fault { from: Time::ZERO, until: Time::MAX, kind }];
    s.workloads = vec![to_one(0..8, 15, 200_000)];
    let results = run_it(&s);
    assert_all_done(&results);
    assert!(results.summary.drops > 0 && results.summary.retransmitted_packets > 0);
    books_balance(&s, &results);
}

#[test]
fn classes_without_pfc_drop_at_the_tail_and_say_so() {
    let mut s = star(17, 100);
    s.qos.classes[0].lossless = false;
    s.buffer.total = Bytes::from_kb(500);
    s.workloads = vec![to_one(0..16, 16, 200_000)];
    let results = run_it(&s);
    assert_all_done(&results);
    let dropped: u64 = results
        .port("s0", 16)
        .or_else(|| results.ports.iter().find(|p| p.switch && p.peer == "h16"))
        .unwrap()
        .priorities[0]
        .dropped;
    assert!(dropped > 0);
    assert_eq!(results.summary.drops, dropped);
    assert_eq!((results.summary.pfc_pauses, results.summary.lossless_drops), (0, 0));
    books_balance(&s, &results);
}
