//! The summary of conversations that are made up here, so that everything in them is known.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod common;

use weir_wire::capture::{FlowSummary, PcapngWriter, Summary, summarise};
use weir_wire::{
    Aeth, Bth, Deth, Ecn, Ethernet, Extensions, Frame, Ip, MacAddr, MacControl, NakCode, Opcode, Pause, Pfc,
    Psn, Qpn, Reth, Roce, Syndrome,
};

/// A capture being made: a packet each microsecond.
struct Tape {
    writer: PcapngWriter<Vec<u8>>,
    at_ns: u64,
}

impl Tape {
    fn new() -> Self {
        let mut writer = PcapngWriter::new(Vec::new()).unwrap();
        writer.interface("port").unwrap();
        Self { writer, at_ns: 0 }
    }
    fn bytes(&mut self, bytes: &[u8]) {
        self.at_ns += 1000;
        self.writer.frame(0, self.at_ns, bytes).unwrap();
    }
    fn roce(&mut self, roce: Roce<'_>) {
        let (dst, src) = (MacAddr::local(2), MacAddr::local(1));
        self.bytes(&Frame::roce(Ethernet { dst, src, ..Ethernet::default() }, roce).to_bytes());
    }
    fn summary(self) -> Summary {
        summarise(&self.writer.finish().unwrap()[..]).unwrap()
    }
}

fn ip(from: u8, to: u8) -> Ip {
    Ip::between([10, 0, 0, from].into(), [10, 0, 0, to].into()).unwrap()
}

/// A packet from host 1 to queue pair 7 of host 2.
fn request(opcode: Opcode, psn: u32, ext: Extensions, payload: usize) -> Roce<'static> {
    Roce::new(ip(1, 2), 0xc000, Bth::new(opcode, Qpn::new(7), Psn::new(psn)), ext, vec![1; payload]).unwrap()
}

/// An acknowledgement from host 2 to queue pair 9 of host 1.
fn answer(psn: u32, syndrome: Syndrome) -> Roce<'static> {
    let bth = Bth::new(Opcode::RC_ACKNOWLEDGE, Qpn::new(9), Psn::new(psn));
    Roce::new(ip(2, 1), 0xc000, bth, Aeth { syndrome, msn: 0 }.into(), Vec::new()).unwrap()
}

fn send(psn: u32) -> Roce<'static> {
    request(Opcode::RC_SEND_ONLY, psn, Extensions::default(), 100)
}

fn flow(summary: &Summary, qpn: u32) -> &FlowSummary {
    summary.flows.iter().find(|flow| flow.dest_qpn == qpn).unwrap()
}

#[test]
fn loss_and_refusals() {
    let mut tape = Tape::new();
    // 11 is lost behind the tap, so that it is seen twice; 13 ahead of it, so that it is seen once and late.
    for psn in [10, 11, 12] {
        tape.roce(send(psn));
    }
    tape.roce(answer(11, Syndrome::Nak { code: NakCode::PsnSequenceError }));
    for psn in [11, 12, 14, 13, 14, 15] {
        tape.roce(send(psn));
    }
    for code in [1, 2, 3, 3, 9] {
        tape.roce(answer(15, Syndrome::Nak { code: NakCode::from_bits(code) }));
    }
    tape.roce(answer(15, Syndrome::RnrNak { timer: 12 }));
    tape.roce(answer(15, Syndrome::ACK));
    tape.roce(answer(15, Syndrome::ACK));
    let summary = tape.summary();
    let data = flow(&summary, 7);
    assert_eq!((data.packets, data.payload_bytes), (9, 900));
    assert_eq!((data.retransmitted, data.late, data.gaps, data.missing), (3, 1, 1, 0));
    assert_eq!((data.naks, data.service.as_deref()), (0, Some("RC")));
    assert_eq!((data.src.as_str(), data.dst.as_str()), ("10.0.0.1", "10.0.0.2"));
    assert_eq!((data.first_ns, data.last_ns), (Some(1000), Some(10_000)));
    let back = flow(&summary, 9);
    assert_eq!((back.packets, back.retransmitted, back.naks, back.rnr_naks), (9, 0, 6, 1));
    let kinds = back.naks_by_kind;
    let ones = (kinds.psn_sequence_error, kinds.invalid_request, kinds.remote_access_error);
    assert_eq!((ones, kinds.remote_operational_error, kinds.other), ((1, 1, 1), 2, 1));
    assert_eq!((summary.first_ns, summary.last_ns), (Some(1000), Some(18_000)));
}

#[test]
fn packets_that_never_come_are_missing() {
    let mut tape = Tape::new();
    for psn in [0xff_fffe, 0xff_ffff, 3, 4, 8] {
        tape.roce(send(psn));
    }
    let summary = tape.summary();
    assert_eq!((flow(&summary, 7).gaps, flow(&summary, 7).missing), (2, 3 + 3));
}

#[test]
fn a_read_takes_the_psns_of_its_response() {
    let read = |va, len| Extensions::from(Reth { va, rkey: 1, len });
    let mut tape = Tape::new();
    tape.roce(request(Opcode::RC_READ_REQUEST, 100, read(0, 64 << 10), 0));
    tape.roce(request(Opcode::RC_READ_REQUEST, 100 + 16, read(1 << 20, 64 << 10), 0));
    tape.roce(request(Opcode::RC_READ_REQUEST, 100 + 20, read((1 << 20) + 16384, 48 << 10), 0)); // its rest, again
    tape.roce(send(100 + 32));
    let summary = tape.summary();
    let flow = flow(&summary, 7);
    assert_eq!((flow.retransmitted, flow.gaps, flow.late), (1, 0, 0));
}

#[test]
fn datagrams_have_no_psns_to_follow() {
    let mut tape = Tape::new();
    for psn in [5, 5, 9, 1] {
        let ext = Deth { qkey: 1, reserved: 0, src: Qpn::new(3) }.into();
        tape.roce(request(Opcode::UD_SEND_ONLY, psn, ext, 8));
    }
    let summary = tape.summary();
    let flow = flow(&summary, 7);
    assert_eq!((flow.packets, flow.retransmitted, flow.gaps, flow.late), (4, 0, 0, 0));
    assert_eq!(flow.service.as_deref(), Some("UD"));
}

#[test]
fn congestion_and_pauses() {
    let mut tape = Tape::new();
    for (psn, ecn) in [(1, Ecn::Ect0), (2, Ecn::Ce), (3, Ecn::Ce)] {
        let mut packet = send(psn);
        packet.ip.set_traffic_class(26 << 2 | ecn.bits());
        packet.seal().unwrap();
        tape.roce(packet);
    }
    tape.roce(Roce::cnp(ip(2, 1), 0xc000, Qpn::new(9)).unwrap());
    tape.bytes(&MacControl::Pfc(Pfc::default().with(3, 0xffff)).frame(MacAddr::local(3)));
    tape.bytes(&MacControl::Pause(Pause { quanta: 1 }).frame(MacAddr::local(3)));
    tape.bytes(&MacControl::Other { opcode: 9 }.frame(MacAddr::local(3)));
    let summary = tape.summary();
    assert_eq!((summary.ce, summary.cnp, summary.pfc, summary.pause, summary.other), (2, 1, 1, 1, 1));
    assert_eq!((flow(&summary, 7).ce, flow(&summary, 7).cnps), (2, 0));
    assert_eq!((flow(&summary, 9).cnps, flow(&summary, 9).service.as_deref()), (1, None));
    assert_eq!(flow(&summary, 9).payload_bytes, 0, "a CNP's reserved bytes are not payload");
}

#[test]
fn a_damaged_psn_is_no_gap() {
    let mut tape = Tape::new();
    tape.roce(send(1));
    let mut damaged = send(2);
    damaged.bth.psn = Psn::new(2 + 4096);
    tape.roce(damaged);
    tape.roce(send(3));
    let summary = tape.summary();
    let f = flow(&summary, 7);
    assert_eq!((summary.icrc_bad, f.icrc_bad, f.gaps, f.missing, f.packets), (1, 1, 1, 1, 3));

    // Taken in the sender, ahead of the hardware that fills in the ICRC: all are wrong, and the PSNs are good.
    let mut tape = Tape::new();
    for psn in [1, 2, 2, 4] {
        tape.roce(Roce { icrc: 0, ..send(psn) });
    }
    let summary = tape.summary();
    let f = flow(&summary, 7);
    assert_eq!((f.icrc_bad, f.retransmitted, f.gaps), (4, 1, 1));
}

#[test]
fn malformed_packets_are_told() {
    let mut tape = Tape::new();
    tape.roce(send(1));
    let (dst, src) = (MacAddr::local(2), MacAddr::local(1));
    let frame = Frame::roce(Ethernet { dst, src, ..Ethernet::default() }, send(2)).to_bytes();
    tape.bytes(&frame[..60]);
    for _ in 0..20 {
        tape.bytes(&[0; 3]);
    }
    let summary = tape.summary();
    assert_eq!((summary.packets, summary.malformed, summary.roce_packets), (22, 21, 1));
    assert_eq!(summary.first_malformed.len(), 8);
    let first = &summary.first_malformed[0];
    assert_eq!(first.packet, 2);
    assert_eq!(first.error, "RoCEv2 datagram at byte 42 needs 116 bytes, 18 are left");
}

/// What programs that read `weir pcap --format json` rely on.
#[test]
fn keys_of_the_json() {
    let mut tape = Tape::new();
    tape.roce(send(1));
    let json = serde_json::to_value(tape.summary()).unwrap();
    for (key, n) in [("packets", 1), ("roce_packets", 1), ("icrc_ok", 1), ("icrc_bad", 0), ("malformed", 0)] {
        assert_eq!(json[key], n, "{key}");
    }
    assert_eq!(json["opcodes"]["RC_SEND_ONLY"], 1);
    assert_eq!(json["flows"][0]["naks_by_kind"]["psn_sequence_error"], 0);
    assert_eq!(json["flows"][0]["dest_qpn"], 7);
}
