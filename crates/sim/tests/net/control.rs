//! Congestion control in the loop.

use super::setup::*;
use weir_fabric::{CnpStyle, Probes, Window};
use weir_sim::net::RunOptions;
use weir_units::{Bytes, Span};

/// T4: a flow gets at most one notification in an interval.
#[test]
fn notifications_keep_their_distance() {
    for style in [CnpStyle::Immediate, CnpStyle::WindowEnd] {
        let mut s = star(5, 100);
        s.control = weir_fabric::ControlSpec::default();
        s.nic.cnp_style = style;
        s.workloads = vec![to_one(0..4, 4, 4_000_000)];
        let results = run_it(&s);
        assert_all_done(&results);
        assert!(results.summary.cnps > 0);
        for flow in &results.flows {
            let most = flow.fct_ps.unwrap().div_ceil(50_000_000);
            assert!(
                flow.cnps > 0 && flow.cnps <= most,
                "{style:?}: {} notifications, at most {most}",
                flow.cnps
            );
        }
        let handled: u64 = results.hosts.iter().map(|host| host.rp_cnp_handled).sum();
        let sent: u64 = results.hosts.iter().map(|host| host.np_cnp_sent).sum();
        let ignored: u64 = results.hosts.iter().map(|host| host.rp_cnp_ignored).sum();
        assert_eq!(sent, results.summary.cnps);
        assert_eq!(sent, handled + ignored);
        // Long flows that share a port by DCQCN are alike.
        assert!(results.summary.jain > 0.99, "{}", results.summary.jain);
        assert_eq!(results.summary.pfc_pauses, 0);
    }
}

/// A later reaction lets the queue grow by what arrives meanwhile.
#[test]
fn the_delays_of_nics_count() {
    let deepest = |delay: Span| {
        let mut s = star(5, 100);
        s.control = weir_fabric::ControlSpec::default();
        s.nic.notification_delay = delay;
        s.nic.reaction_delay = delay;
        s.workloads = vec![to_one(0..4, 4, 4_000_000)];
        run_it(&s).summary.max_queue_bytes
    };
    let (quick, slow) = (deepest(Span::ZERO), deepest(Span::from_us(10)));
    assert!(slow > quick + 100_000, "{slow} {quick}");
}

/// HPCC reads telemetry: the queue of an incast drains, which line rate would not do.
#[test]
fn telemetry_reaches_hpcc() {
    let depth = |algorithm| {
        let mut s = star(5, 100);
        s.control = weir_fabric::ControlSpec { algorithm, ..Default::default() };
        s.workloads = vec![to_one(0..4, 4, 4_000_000)];
        let port = results_port(&s, 4);
        let probes = Probes {
            queue_series: Some(Span::from_us(10)),
            queues: vec![format!("{port}/3")],
            ..Probes::default()
        };
        let results = run_with(&s, &RunOptions { probes: Some(probes), ..RunOptions::default() });
        assert_all_done(&results);
        let series = results.series.iter().find(|series| series.kind == "queue_bytes").unwrap();
        let later = &series.values[series.values.len() / 2..];
        (later.iter().sum::<u64>() / later.len() as u64, results.summary.goodput_bps)
    };
    let (hpcc, goodput) = depth(weir_fabric::Algorithm::Hpcc);
    let (none, _) = depth(weir_fabric::Algorithm::None);
    // HPCC aims at 95 % of the line with an empty queue.
    assert!(hpcc < 100_000 && none > 1_000_000, "{hpcc} {none}");
    assert!(goodput > 70e9, "{goodput}");
}

#[test]
fn every_algorithm_brings_everything_through() {
    use weir_fabric::Algorithm::*;
    for algorithm in [None, Dcqcn, Dctcp, Timely, Hpcc, Swift] {
        let mut s = fat_tree();
        s.control = weir_fabric::ControlSpec { algorithm, ..Default::default() };
        s.workloads = vec![to_one(0..8, 15, 400_000)];
        let results = run_it(&s);
        assert_all_done(&results);
        assert_eq!(results.summary.drops, 0, "{algorithm:?}");
    }
}

/// A window of W bytes on a round trip of T carries W/T.
#[test]
fn a_window_caps_the_rate() {
    let mut s = star(2, 100);
    s.nic.window = Window::Bytes(Bytes::new(8 * 1024));
    s.workloads = vec![to_one(0..1, 1, 2_000_000)];
    let results = run_it(&s);
    assert_all_done(&results);
    // Round trip of a full packet and its acknowledgement: two links each way.
    let rtt = 4_000_000 + 2 * (1094 + 74) * 80;
    let rounds = 2_000_000u64.div_ceil(8 * 1024);
    let (least, most) = (rounds * rtt, (rounds + 2) * (rtt + 8 * 1106 * 80));
    assert!((least..most).contains(&results.end_ps), "{} {least} {most}", results.end_ps);
    // And with a bandwidth-delay product it is as fast as without.
    s.nic.window = Window::Bdp;
    let bdp = run_it(&s);
    s.nic.window = Window::None;
    assert!(bdp.end_ps < run_it(&s).end_ps * 102 / 100);
}

/// Histograms count every sample, series have the values of their probes, and probing changes nothing that happens.
#[test]
fn probes_only_look() {
    let mut s = star(9, 100);
    s.workloads = vec![to_one(0..8, 8, 500_000)];
    let bare = run_it(&s);
    let port = results_port(&s, 8);
    let probes = Probes {
        queue_histogram: Some(Span::from_us(1)),
        queue_series: Some(Span::from_us(1)),
        queues: vec![format!("{port}/3")],
        rate_series: Some(Span::from_us(10)),
        links: vec![port.clone()],
        flows: vec![0],
    };
    let probed = run_with(&s, &RunOptions { probes: Some(probes), ..RunOptions::default() });
    assert_eq!(bare.flows, probed.flows);
    assert_eq!(bare.summary, probed.summary);
    let (node, number) = port.split_once(':').unwrap();
    let queue = &probed.port(node, number.parse().unwrap()).unwrap().priorities[0];
    let samples: u64 = queue.queue_histogram.iter().sum();
    assert!(samples >= probed.end_ps / 1_000_000 - 1, "{samples}");
    let series = |kind: &str| probed.series.iter().find(|series| series.kind == kind).unwrap();
    let depths = &series("queue_bytes").values;
    assert!(*depths.iter().max().unwrap() <= queue.max_queue_bytes);
    assert!(*depths.iter().max().unwrap() > queue.max_queue_bytes * 9 / 10);
    // In the middle of the run the link is busy: 1086 of 1106 bytes are counted.
    let link = &series("link_bps").values;
    let middle = link[link.len() / 2] as f64 / 1e9;
    assert!((middle - 98.2).abs() < 1.0, "{middle} Gb/s");
    let flow = &series("flow_bps").values;
    let bytes: u64 = flow.iter().map(|bps| bps / 8 / 100_000).sum();
    assert!(bytes.abs_diff(500_000) < 70_000, "{bytes}");
}
