//! Two Linux kernels speaking RoCEv2 to each other, captured: every packet parses, every ICRC is right, every packet is
//! emitted again byte for byte.

use std::io::Cursor;
use weir_wire::capture::{CaptureReader, summarise};
use weir_wire::{Body, Frame};

fn fixture(name: &str) -> Vec<u8> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/");
    std::fs::read(format!("{path}{name}")).unwrap()
}

fn every_packet(name: &str, packets: u64) {
    let bytes = fixture(name);
    let mut reader = CaptureReader::new(Cursor::new(&bytes)).unwrap();
    let (mut all, mut roce) = (0, 0);
    while let Some(packet) = reader.next_packet().unwrap() {
        all += 1;
        let frame = Frame::parse(&packet.bytes).unwrap_or_else(|e| panic!("packet {all}: {e}"));
        assert_eq!(frame.to_bytes(), packet.bytes, "packet {all}");
        if let Body::Roce(found) = frame.body {
            roce += 1;
            assert!(found.icrc_ok(), "packet {all}");
            let mut sealed = found.clone();
            sealed.icrc = 0;
            sealed.seal().unwrap();
            assert_eq!(sealed, found, "packet {all}: sealing gives what the kernel sent");
        }
    }
    let summary = summarise(Cursor::new(&bytes)).unwrap();
    assert_eq!((summary.packets, summary.roce_packets), (all, roce));
    assert_eq!((summary.icrc_ok, summary.icrc_bad, summary.malformed), (roce, 0, 0));
    assert_eq!(all, packets);
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
fn loss_shows_in_the_summary() {
    let summary = summarise(Cursor::new(fixture("kernel-rxe-loss.pcap"))).unwrap();
    assert!(summary.flows.iter().map(|flow| flow.retransmitted).sum::<u64>() > 0);
    assert!(summary.flows.iter().map(|flow| flow.naks).sum::<u64>() > 0);
}

#[test]
fn a_capture_cut_off_anywhere_gives_what_came_before_and_says_so() {
    let bytes = fixture("kernel-rxe.pcap");
    for cut in (0..bytes.len()).step_by(977) {
        match summarise(Cursor::new(&bytes[..cut])) {
            Ok(summary) => assert!(summary.packets < 265),
            Err(error) => assert!(cut < 24, "{error}"),
        }
    }
}
