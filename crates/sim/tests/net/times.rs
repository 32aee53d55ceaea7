//! Completion times and queues that follow from arithmetic alone (checks T6 and T7 of the collected theory), to the
//! picosecond and the byte.

use super::setup::*;
use weir_fabric::{Op, TopologySpec};
use weir_units::{Rate, Span};

/// Bytes of a packet besides its payload: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4.
const HEADERS: u64 = 62;
const PREAMBLE: u64 = 8;
const GAP: u64 = 12;
/// RETH of a message's first packet.
const RETH: u64 = 16;
const MTU: u64 = 1024;
/// Picoseconds a byte at 100 Gb/s.
const BYTE: u64 = 80;
const DELAY: u64 = 1_000_000;
/// An acknowledgement: headers and AETH.
const ACK: u64 = PREAMBLE + HEADERS + 4;

/// T6: the sum of propagation, a packet for each hop but the first, and the message's bytes on the line. A switch sends a
/// packet on when it has it whole; the first, with its RETH, is the longest, and all behind it wait for it on each link.
fn alone(links: u64, bytes: u64) -> u64 {
    let packets = bytes / MTU;
    let line = packets * (PREAMBLE + MTU + HEADERS + GAP) + RETH - GAP;
    links * DELAY + (line + (links - 1) * (PREAMBLE + MTU + HEADERS + RETH)) * BYTE
}

#[test]
fn a_lone_message_takes_what_arithmetic_says() {
    let leaf_spine = weir_fabric::Shape::LeafSpine {
        leaves: 2,
        spines: 2,
        hosts_per_leaf: 2,
        links_per_spine: 1,
        rate: Rate::from_gbps(100),
        delay: US,
        fabric_rate: Rate::from_gbps(100),
        fabric_delay: US,
    };
    let leaf_spine = TopologySpec { shape: leaf_spine, bit_error_rate: 0.0 };
    let cases = [
        (2, TopologySpec::star(4, Rate::from_gbps(100), US)),
        (4, leaf_spine),
        (6, TopologySpec::fat_tree(4, Rate::from_gbps(100), US)),
    ];
    for (links, spec) in cases {
        let last = spec.build().unwrap().hosts() - 1;
        for bytes in [MTU, 10 * MTU, 1000 * MTU] {
            let mut s = scenario(spec.clone());
            s.workloads = vec![to_one(0..1, last, bytes)];
            let results = run_it(&s);
            assert_all_done(&results);
            let flow = &results.flows[0];
            let delivered = alone(links, bytes);
            assert_eq!(flow.delivered_ps, Some(delivered), "{links} links, {bytes} B");
            let back = links * (DELAY + ACK * BYTE);
            assert_eq!(flow.fct_ps, Some(delivered + back));
            assert_eq!((flow.ideal_ps, flow.slowdown), (delivered + back, Some(1.0)));
        }
    }
}

#[test]
fn a_lone_send_and_a_lone_read_are_as_fast_as_they_can_be() {
    for op in [Op::Send, Op::Read] {
        for bytes in [1, 3, 1000, 1024, 50_000] {
            let mut s = star(2, 100);
            s.workloads = vec![to_one(0..1, 1, bytes)];
            s.workloads[0].op = op;
            let results = run_it(&s);
            assert_all_done(&results);
            let slowdown = results.flows[0].slowdown.unwrap();
            // The ideal time of a read leaves out the AETH of 4 bytes in its last response, over two links.
            let slack = 2.0 * 4.0 * BYTE as f64 / results.flows[0].ideal_ps as f64;
            assert!(slowdown <= 1.0 + slack, "{op:?} of {bytes} B: {slowdown}");
        }
    }
}

/// T7: N senders, a message of k packets each, line rate, no control. The queue peaks at what N − 1 of them send, and the last
/// byte arrives when the port has sent everything without a pause.
#[test]
fn a_burst_peaks_at_what_all_but_one_send() {
    for (n, packets) in [(2u64, 50u64), (8, 30), (16, 20)] {
        let mut s = star(n as u32 + 1, 100);
        s.workloads = vec![to_one(0..n as u32, n as u32, packets * MTU)];
        let results = run_it(&s);
        assert_all_done(&results);
        assert_eq!(results.summary.pfc_pauses, 0, "the buffer holds it all");
        let frame = MTU + HEADERS;
        // Arrivals come in rounds of N. When those of the last round are there, one packet has left for each round
        // before it: first packets, for there are more senders or fewer rounds than that.
        let left = packets - 1;
        let firsts = left.min(n);
        let peak = n * (packets * frame + RETH) - left * frame - firsts * RETH;
        assert_eq!(results.summary.max_queue_bytes, peak, "{n} to 1");
        let ideal = (n - 1) * packets * frame;
        assert!(
            peak.abs_diff(ideal) <= 2 * frame,
            "{peak} B is (N − 1) S = {ideal} B within a packet at each end"
        );

        let first = DELAY + (PREAMBLE + frame + RETH) * BYTE;
        let line = n * (packets * (PREAMBLE + frame + GAP) + RETH) - GAP;
        let last = results.flows.iter().filter_map(|flow| flow.delivered_ps).max();
        assert_eq!(last, Some(first + line * BYTE + DELAY), "{n} to 1");
    }
}

/// The speed of a link shows in times, cable length in propagation, and a slower hop sets the pace.
#[test]
fn rates_and_lengths_count() {
    for gbps in [10u64, 25, 40, 200, 400, 800, 1600] {
        let mut s = scenario(TopologySpec::star(2, Rate::from_gbps(gbps), Span::from_ns(100)));
        s.workloads = vec![to_one(0..1, 1, MTU)];
        let results = run_it(&s);
        let frame = PREAMBLE + MTU + HEADERS + RETH;
        assert_eq!(results.flows[0].delivered_ps, Some(200_000 + 2 * frame * 8000 / gbps), "{gbps} Gb/s");
    }
}
