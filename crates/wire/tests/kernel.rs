//! Two Linux kernels speaking RoCEv2 to each other, captured: every packet parses, every ICRC is right, every packet is
//! emitted again byte for byte.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod common;

use common::fixture;
use std::collections::BTreeMap;
use weir_wire::capture::{CaptureReader, summarise};
use weir_wire::icrc::{of_packet, recover_ipv4_id};
use weir_wire::{Body, Frame, Ip, Opcode, Roce};

/// Calls `look` with each RoCEv2 packet and its number.
fn each_packet(name: &str, packets: usize, mut look: impl FnMut(usize, &Roce<'_>, &[u8])) {
    let bytes = fixture(name);
    let mut reader = CaptureReader::new(&bytes[..]).unwrap();
    let (mut all, mut roce) = (0, 0);
    while let Some(packet) = reader.next_packet().unwrap() {
        all += 1;
        let frame = Frame::parse(&packet.bytes).unwrap_or_else(|error| panic!("packet {all}: {error}"));
        assert_eq!(frame.to_bytes(), packet.bytes, "packet {all}");
        if let Body::Roce(found) = &frame.body {
            roce += 1;
            let start = frame.ethernet.bytes();
            look(all, found, &packet.bytes[start..start + found.bytes()]);
        }
    }
    assert_eq!((all, roce), (packets, packets), "all of the capture is RoCEv2");
    assert_eq!(reader.offset(), bytes.len() as u64);
}

fn every_packet(name: &str, packets: usize) {
    each_packet(name, packets, |number, found, bytes| {
        assert!(found.icrc_ok(), "packet {number}");
        assert_eq!(of_packet(&bytes[..bytes.len() - 4]), Some(found.icrc), "packet {number}");
        let mut out = Vec::new();
        found.emit(&mut out);
        assert_eq!(out, bytes, "packet {number}");
        // From the fields that a sender chooses, the rest follows as the kernel has it.
        let (ip, payload) = (found.ip.clone(), found.payload.clone());
        let sealed = Roce::new(ip, found.udp.src_port, found.bth, found.ext, payload).unwrap();
        assert_eq!(&sealed, found, "packet {number}");
        out.clear();
        Roce { icrc: 0, ..sealed }.emit_with_icrc(&mut out);
        assert_eq!(out, bytes, "packet {number}");
    });
}

#[test]
fn clean() {
    every_packet("kernel-rxe.pcap", 265);
}

#[test]
fn with_loss() {
    every_packet("kernel-rxe-loss.pcap", 2008);
}

#[test]
fn the_identification_comes_out_of_the_icrc_and_damage_shows() {
    for (name, packets) in [("kernel-rxe.pcap", 265), ("kernel-rxe-loss.pcap", 2008)] {
        let (mut missed, mut tried) = (0, 0);
        each_packet(name, packets, |number, found, bytes| {
            let Ip::V4(ip) = &found.ip else { panic!("packet {number} is not IPv4") };
            let mut transport = bytes[28..bytes.len() - 4].to_vec();
            assert_eq!(
                recover_ipv4_id(ip, &found.udp, &transport, found.icrc),
                Some(ip.id),
                "packet {number}"
            );
            // One bit of the packet wrong, another in each packet (not in the masked byte of the BTH).
            let bit = number * 7919 % (transport.len() * 8);
            if bit / 8 != 4 {
                transport[bit / 8] ^= 1 << (bit % 8);
                tried += 1;
                missed += u32::from(recover_ipv4_id(ip, &found.udp, &transport, found.icrc).is_some());
            }
        });
        // 2^-16 of damaged packets pass for ones with another identification: more than one in these would be a fault.
        assert!(missed <= 1, "{missed} of {tried}");
    }
}

/// PSNs that came twice, counted without anything of `capture`: by remembering each PSN. A READ takes a PSN for each 1024
/// bytes here, the path MTU of both captures.
fn repeats(name: &str, packets: usize) -> (u64, u64) {
    type Seen = BTreeMap<(std::net::IpAddr, u32, bool), std::collections::BTreeSet<u32>>;
    let (mut seen, mut repeated, mut naks): (Seen, u64, u64) = (BTreeMap::new(), 0, 0);
    each_packet(name, packets, |_, found, _| {
        let code = found.bth.opcode.0;
        let response = (13..=16).contains(&(code & 31)) || code & 31 == 18;
        naks += u64::from(found.ext.aeth.is_some_and(|aeth| aeth.syndrome.byte() >> 5 == 3));
        if code == 17 || code >> 5 > 1 {
            return; // a plain acknowledgement; UD
        }
        let span = found.ext.reth.filter(|_| code == 12).map_or(1, |reth| reth.len.div_ceil(1024).max(1));
        let seen = seen.entry((found.ip.src(), found.bth.dest.get(), response)).or_default();
        repeated += u64::from(seen.contains(&found.bth.psn.get()));
        seen.extend((0..span).map(|i| found.bth.psn.add(i).get()));
    });
    (repeated, naks)
}

#[test]
fn the_summary_counts_what_came_twice() {
    for (name, packets) in [("kernel-rxe.pcap", 265), ("kernel-rxe-loss.pcap", 2008)] {
        let summary = summarise(&fixture(name)[..]).unwrap();
        let sum = |of: fn(&weir_wire::capture::FlowSummary) -> u64| summary.flows.iter().map(of).sum::<u64>();
        let (repeated, naks) = repeats(name, packets);
        assert_eq!(sum(|flow| flow.retransmitted), repeated, "{name}");
        assert_eq!(sum(|flow| flow.naks), naks, "{name}");
        assert_eq!(
            sum(|flow| flow.naks_by_kind.psn_sequence_error),
            naks,
            "{name}: the kernel's are all of this kind"
        );
        assert_eq!(sum(|flow| flow.packets), packets as u64);
        if name == "kernel-rxe.pcap" {
            // Nothing was lost; the two kernels were emulated, and slower than their own retransmission timers.
            assert!(repeated < 10, "{repeated}");
            assert_eq!(
                (naks, sum(|flow| flow.gaps), sum(|flow| flow.late), sum(|flow| flow.missing)),
                (0, 0, 0, 0)
            );
        } else {
            assert!(
                repeated > 100 && naks > 10,
                "2% loss and 2% reordering: {repeated} repeats, {naks} NAKs"
            );
            assert!(sum(|flow| flow.gaps) > 0);
        }
    }
}

#[test]
fn the_summary_of_the_clean_capture() {
    let bytes = fixture("kernel-rxe.pcap");
    let summary = summarise(&bytes[..]).unwrap();
    assert_eq!((summary.packets, summary.roce_packets, summary.icrc_ok), (265, 265, 265));
    assert_eq!((summary.icrc_bad, summary.malformed, summary.cut, summary.other), (0, 0, 0, 0));
    assert_eq!(summary.ended_early, None);
    // 24 bytes of file header, 16 of each packet's.
    assert_eq!(summary.wire_bytes, bytes.len() as u64 - 24 - 16 * 265);
    // capinfos: first packet 1796123494.506014 (2026-12-01 11:11:34), 54.265358 s in all.
    let (first, last) = (summary.first_ns.unwrap(), summary.last_ns.unwrap());
    assert_eq!((first, last - first), (1_796_123_494_506_014_000, 54_265_358_000));
    assert_eq!(summary.opcodes[&Opcode::RC_COMPARE_SWAP.to_string()], 5);
}

/// One bit wrong in each packet of a copy: every one of them is found, and told as what it is.
#[test]
fn damaged_packets_are_counted_as_such() {
    let mut bytes = fixture("kernel-rxe.pcap");
    let (mut at, mut changed) = (24, 0u64);
    while at < bytes.len() {
        let len = u32::from_le_bytes(bytes[at + 8..at + 12].try_into().unwrap()) as usize;
        // The last byte of the ICRC.
        bytes[at + 16 + len - 1] ^= 0x10;
        changed += 1;
        at += 16 + len;
    }
    let summary = summarise(&bytes[..]).unwrap();
    assert_eq!((summary.roce_packets, summary.icrc_ok, summary.icrc_bad), (changed, 0, changed));
    assert_eq!(summary.flows.iter().map(|flow| flow.icrc_bad).sum::<u64>(), changed);
}

#[test]
fn a_capture_cut_off_anywhere_gives_what_came_before_and_says_so() {
    let bytes = fixture("kernel-rxe.pcap");
    let mut ends = vec![24];
    while let Some(&at) = ends.last().filter(|at| **at < bytes.len()) {
        ends.push(at + 16 + u32::from_le_bytes(bytes[at + 8..at + 12].try_into().unwrap()) as usize);
    }
    for cut in (0..bytes.len()).step_by(487) {
        match summarise(&bytes[..cut]) {
            Ok(summary) => {
                let whole = ends.iter().filter(|end| **end <= cut).count() - 1;
                assert_eq!(summary.packets, whole as u64, "cut at {cut}");
                let at_an_end = ends.contains(&cut);
                assert_eq!(summary.ended_early.is_none(), at_an_end, "cut at {cut}");
                if let Some(why) = summary.ended_early {
                    assert!(why.contains("the file ends inside"), "{why}");
                }
            }
            Err(error) => assert!(cut < 24, "{error}"),
        }
    }
}
