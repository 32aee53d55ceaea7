//! Runs against formulas that need no simulator: bursts, fair pauses, go-back-N, a queue with Poisson arrivals.

#![allow(clippy::unwrap_used, clippy::cast_precision_loss, reason = "a test may")]

use weir_fabric::Scenario;
use weir_sim::net::{Quiet, RunOptions, run};
use weir_sim::results::{EndReason, FlowStatus, Results, jain};

/// Line bytes of a full frame beyond its payload: preamble 8, Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4, gap 12.
const OVERHEAD: u64 = 82;
/// The RETH of the first packet of a write.
const RETH: u64 = 16;

fn simulate(text: &str) -> Results {
    let scenario = Scenario::from_toml(text, "theory", &mut |_| Err("none".into())).unwrap();
    run(&scenario, &RunOptions::default(), &mut Quiet).unwrap()
}

fn all_done(r: &Results) {
    assert_eq!(r.end, EndReason::Completed);
    assert!(r.flows.iter().all(|f| f.status == FlowStatus::Completed && f.delivered_bytes == f.bytes));
}

/// N to 1, no control, no PFC, a buffer that holds it all: while N senders fill the queue one drains it, so that it is
/// deepest when the senders end, at (N-1)/N of all; and the last byte leaves when all have gone over the one link.
#[test]
fn a_burst_queues_all_but_one_share_and_drains_at_line_rate() {
    const PACKETS: u64 = 1000;
    for n in [2u64, 8, 16] {
        let r = simulate(&format!(
            r#"
            [topology]
            kind = "star"
            hosts = {hosts}
            rate = "100 Gb/s"
            delay = "1 us"
            [buffer]
            total = "256 MiB"
            alpha = 64
            [pfc]
            enabled = false
            [control]
            algorithm = "none"
            [[workload]]
            kind = "pairs"
            from = "h0..h{last}"
            to = "h{n}"
            bytes = "{kib} KiB"
            "#,
            hosts = n + 1,
            last = n - 1,
            kib = PACKETS,
        ));
        all_done(&r);
        assert_eq!((r.summary.drops, r.summary.retransmitted_packets), (0, 0));
        // What a queue holds of a frame is without preamble and gap.
        let share = PACKETS * (1024 + OVERHEAD - 20) + RETH;
        let peak = (n - 1) * share;
        // The frame that is on its way out may count in whole or in part.
        let slack = 1024 + OVERHEAD - 20 + RETH;
        println!("T7 {n}:1 peak {} formula {peak}", r.summary.max_queue_bytes);
        assert!(
            r.summary.max_queue_bytes.abs_diff(peak) <= slack,
            "{n}: {} {peak}",
            r.summary.max_queue_bytes
        );
        let last = r.flows.iter().filter_map(|f| f.delivered_ps).max().unwrap();
        // Two links of 1 us, the first packet stored whole, then all bytes one after another at 80 ps each.
        let all = n * (PACKETS * (1024 + OVERHEAD) + RETH) - 12;
        let want = 2_000_000 + (all + 1024 + OVERHEAD - 12 + RETH) * 80;
        println!("T7 {n}:1 last {last} formula {want}");
        assert_eq!(last, want, "{n}");
    }
}

fn incast_with_pfc(n: u64, stop: &str) -> String {
    format!(
        r#"
        [topology]
        kind = "star"
        hosts = {hosts}
        rate = "100 Gb/s"
        delay = "1 us"
        [buffer]
        threshold = "50 KB"
        [control]
        algorithm = "none"
        [[workload]]
        kind = "pairs"
        from = "h0..h{last}"
        to = "h{n}"
        bytes = "200 MB"
        [run]
        stop = "{stop}"
        "#,
        hosts = n + 1,
        last = n - 1,
    )
}

/// N to 1 under PFC alone, one port each: every sender is paused for all but its share of the time.
#[test]
fn pauses_share_a_port_evenly() {
    for n in [2u64, 4, 8] {
        let r = simulate(&incast_with_pfc(n, "20 ms"));
        assert_eq!((r.summary.drops, r.lossless_drops.len()), (0, 0));
        let share = 1.0 / n as f64;
        // Payload of a packet over what it takes on the line; only the first has a RETH.
        let goodput = 100e9 * share * 1024.0 / (1024 + OVERHEAD) as f64;
        let mut rates = vec![];
        for host in 0..n {
            let port = r.port(&format!("h{host}"), 0).unwrap();
            let paused = port.priorities.iter().map(|p| p.paused_ps).sum::<u64>() as f64 / r.end_ps as f64;
            assert!((paused - (1.0 - share)).abs() < 0.01, "{n}:1 h{host} paused {paused}");
            let rate = r.flows[host as usize].delivered_bytes as f64 * 8e12 / r.end_ps as f64;
            println!("T9 {n}:1 h{host} paused {paused:.4} rate {:.4} of share", rate / goodput);
            assert!((rate / goodput - 1.0).abs() < 0.01, "{n}:1 h{host} {rate} {goodput}");
            rates.push(rate);
        }
        assert!(jain(rates) > 0.9999);
    }
}

/// What leaves one end of a link arrives at the other, and what enters a switch leaves it or is dropped or still there.
#[test]
fn every_port_and_switch_balances() {
    let lossless = incast_with_pfc(8, "1 s").replace("200 MB", "2 MB");
    let lossy = lossless
        .replace("threshold = \"50 KB\"", "total = \"1 MiB\"")
        .replace("[control]", "[pfc]\nenabled = false\n[control]");
    for (name, text) in [("lossless", &lossless), ("lossy", &lossy)] {
        let r = simulate(text);
        all_done(&r);
        assert_eq!(name == "lossy", r.summary.drops > 0, "{name}");
        assert_eq!(name == "lossless", r.summary.pfc_pauses > 0, "{name}");
        let (mut entered, mut left, mut dropped) = (0, 0, 0);
        let pfc = |port: &weir_sim::results::PortResult| {
            port.priorities.iter().map(|p| p.pfc_tx + p.pfc_resume_tx).sum::<u64>()
        };
        for port in &r.ports {
            let peer = r.port(&port.peer, port.peer_port).unwrap();
            // A PFC frame may still be on the line when the last flow ends.
            let on_the_line = peer.tx_frames - port.rx_frames;
            assert!(on_the_line <= pfc(peer).min(1), "{name} {}:{} {on_the_line}", port.node, port.port);
            if port.switch {
                entered += port.rx_frames - (pfc(peer) - on_the_line);
                left += port.tx_frames - pfc(port);
                dropped += port.priorities.iter().map(|p| p.dropped).sum::<u64>();
            }
        }
        println!("T8 {name}: in {entered} out {left} dropped {dropped}");
        assert_eq!(entered, left + dropped, "{name}");
        assert_eq!(dropped, r.summary.drops, "{name}");
    }
}

fn long_message(recovery: &str, fault: &str, bytes: &str) -> String {
    format!(
        r#"
        [topology]
        kind = "star"
        hosts = 2
        rate = "100 Gb/s"
        delay = "2.5 us"
        [nic]
        recovery = "{recovery}"
        retransmission_timeout = "16 us"
        [control]
        algorithm = "none"
        [[workload]]
        kind = "pairs"
        from = "h0"
        to = "h1"
        bytes = "{bytes}"
        [[fault]]
        links = ["h0--s0"]
        {fault}
        [run]
        stop = "100 ms"
        "#
    )
}

/// A message of 4096 packets that begins anew at each loss never ends where each 256th packet is lost; one that goes back
/// to the lost packet does.
#[test]
fn going_back_to_the_start_is_a_livelock() {
    let fault = "kind = \"drop-every\"\nevery = 256";
    let r = simulate(&long_message("go-back-0", fault, "4 MiB"));
    assert_ne!(r.flows[0].status, FlowStatus::Completed);
    assert_eq!(r.summary.completed, 0);
    // It is a livelock, not a stop: the link is busy all the while.
    assert!(r.flows[0].sent_packets > 100_000);
    let r = simulate(&long_message("go-back-n", fault, "4 MiB"));
    all_done(&r);
}

/// Goodput as a share of what it is without loss.
fn share_under_loss(recovery: &str, p: f64) -> f64 {
    let fault = format!("kind = \"loss\"\nprobability = {p}");
    let r = simulate(&long_message(recovery, &fault, "200 MiB"));
    all_done(&r);
    let ideal = r.flows[0].ideal_ps as f64;
    println!("{recovery} {p} timeouts {} resent {}", r.flows[0].timeouts, r.flows[0].retransmitted_packets);
    ideal / r.flows[0].fct_ps.unwrap() as f64
}

#[test]
fn go_back_n_loses_a_round_trip_for_each_loss() {
    // From the start of the lost packet to the arrival of the NAK: the next packet is sent and goes over both links, the
    // NAK comes back, all the while packets are sent for nothing.
    let packet = (1024 + OVERHEAD) as f64 * 80.0;
    let w = (4.0 * 2.5e6 + 3.0 * packet + 2.0 * 74.0 * 80.0) / packet;
    for p in [1e-4, 1e-3, 1.0 / 256.0, 1e-2] {
        let got = share_under_loss("go-back-n", p);
        let want = (1.0 - p) / (1.0 - p + p * w);
        println!("T16 p {p:.5} W {w:.1} goodput {got:.4} formula {want:.4}");
        assert!((got / want - 1.0).abs() < 0.1, "{p}: {got} {want}");
    }
}

/// One lost packet in ten thousand costs selective repeat next to nothing, 1 - p. With more loss, IRN's window, a
/// bandwidth-delay product from the oldest packet that is missing, stands still while a repeat is under way: it costs up to
/// what go-back-N loses, never more.
#[test]
fn selective_repeat_loses_less_than_go_back_n() {
    for p in [1e-4, 1e-3, 1.0 / 256.0, 1e-2] {
        let got = share_under_loss("selective-repeat", p);
        println!("T16 selective p {p:.5} goodput {got:.4} formula {:.4}", 1.0 - p);
        assert!(got < 1.0 - p / 2.0 && got > share_under_loss("go-back-n", p), "{p}: {got}");
        assert!(p > 1e-4 || got > (1.0 - p) * 0.99, "{p}: {got}");
    }
}

/// Poisson arrivals of one-packet messages at a port: their mean wait is that of an M/D/1 queue, and the mean queue is what
/// arrives in that time (Little).
#[test]
fn a_port_with_poisson_arrivals_is_an_md1_queue() {
    const HOSTS: u64 = 64;
    let frame = 1024 + OVERHEAD + RETH;
    let service = frame as f64 * 80.0;
    for (rho, duration) in [(0.5, "12 ms"), (0.8, "14 ms")] {
        let r = simulate(&format!(
            r#"
            [topology]
            kind = "star"
            hosts = {hosts}
            rate = "100 Gb/s"
            delay = "1 us"
            [pfc]
            enabled = false
            [control]
            algorithm = "none"
            [[workload]]
            kind = "poisson"
            senders = "h0..h{last}"
            receivers = "h{HOSTS}"
            sizes = "1 KiB"
            load = {load}
            duration = "{duration}"
            [probes]
            queue_series = "1 us"
            queues = ["s0:{HOSTS}/3"]
            "#,
            hosts = HOSTS + 1,
            last = HOSTS - 1,
            load = rho / HOSTS as f64 * 1024.0 / frame as f64,
        ));
        all_done(&r);
        // Alone: two links of 1 us and the frame, without gap, on both.
        let alone = 2e6 + 2.0 * (frame - 12) as f64 * 80.0;
        let waits: Vec<f64> =
            r.flows.iter().map(|f| (f.delivered_ps.unwrap() - f.start_ps) as f64 - alone).collect();
        let last = r.flows.iter().map(|f| f.start_ps).max().unwrap() as f64;
        let lambda = waits.len() as f64 / last;
        let rho_drawn = lambda * service;
        let mean = waits.iter().sum::<f64>() / waits.len() as f64;
        let formula = rho / (2.0 * (1.0 - rho)) * service;
        println!(
            "T17 rho {rho} drawn {rho_drawn:.4} n {} wait {mean:.0} ps formula {formula:.0}",
            waits.len()
        );
        let depth: Vec<u64> =
            r.series.iter().filter(|s| s.kind == "queue_bytes").flat_map(|s| s.values.clone()).collect();
        let queue = depth.iter().sum::<u64>() as f64 / depth.len() as f64 / (frame - 20) as f64;
        println!("T8 Little: queue {queue:.4} lambda W {:.4}", lambda * mean);
        assert!((queue / (lambda * mean) - 1.0).abs() < 0.05, "rho {rho}: queue {queue}, {}", lambda * mean);
        assert!((mean / formula - 1.0).abs() < 0.1, "rho {rho}: {mean} {formula}");
    }
}
