//! One flow, a few flows: times that follow from arithmetic.

use super::setup::*;

/// Line bytes of a frame of the transport: preamble 8, Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4.
const HEADERS: u64 = 70;
const RETH: u64 = 16;
const GAP: u64 = 12;

/// Check T6 with this simulator's own frames: a lone message is through after the sum of propagation, one packet for
/// each hop but the first, and its bytes on the line; to the picosecond.
#[test]
fn a_lone_message_takes_what_arithmetic_says() {
    let byte = 80; // ps at 100 Gb/s
    for bytes in [1024u64, 10 * 1024, 1000 * 1024] {
        let mut s = star(2, 100);
        s.workloads = vec![to_one(0..1, 1, bytes)];
        let results = run_it(&s);
        assert_all_done(&results);
        let packets = bytes / 1024;
        let full = 1024 + HEADERS;
        // Two links of 1 us. The switch stores the first packet whole before it sends it on, and the first, with its
        // RETH, is the longest: all that follow it wait for its RETH on both links.
        let line = packets * (full + GAP) + RETH - GAP;
        let want = 2_000_000 + (line + full + RETH) * byte;
        assert_eq!(results.flows[0].delivered_ps, Some(want), "{bytes} B");
        // The acknowledgement comes back over the same links: BTH 12, AETH 4, ICRC 4 in 54 bytes of overhead.
        let ack = 2_000_000 + 2 * (8 + 46 + 20) * byte;
        assert_eq!(results.flows[0].fct_ps, Some(want + ack));
        assert_eq!(results.flows[0].slowdown, Some(1.0));
        assert_eq!(results.flows[0].ideal_ps, want + ack);
    }
}

#[test]
fn incast_of_sixteen_shares_the_port() {
    let mut s = star(17, 100);
    s.workloads = vec![to_one(0..16, 16, 1_000_000)];
    let results = run_it(&s);
    assert_all_done(&results);
    let wire: u64 = 16 * (1_000_000 + 977 * (HEADERS + GAP) + RETH);
    let least = wire * 80;
    let last = results.flows.iter().filter_map(|f| f.delivered_ps).max().unwrap();
    assert!(last > least && last < least + 3_000_000, "{last} {least}");
    assert!(results.summary.pfc_pauses > 0 || results.summary.max_queue_bytes > 10_000_000);
}
