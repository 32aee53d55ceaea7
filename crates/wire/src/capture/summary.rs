//! What a capture holds, in figures.

use super::read::{CaptureError, CaptureReader};
use crate::ext::Syndrome;
use crate::frame::{Body, Frame};
use crate::ip::Ecn;
use crate::pfc::MacControl;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Read;

/// Figures of a capture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Packets in the file.
    pub packets: u64,
    /// RoCEv2 packets, CNPs included.
    pub roce_packets: u64,
    /// RoCEv2 packets whose ICRC is right.
    pub icrc_ok: u64,
    /// RoCEv2 packets whose ICRC is wrong.
    pub icrc_bad: u64,
    /// Packets that claim to be IP, RoCEv2 or MAC control and cannot be read as such.
    pub malformed: u64,
    /// Packets of which the capture kept only a part; they are not looked into.
    pub cut: u64,
    /// Congestion notification packets.
    pub cnp: u64,
    /// PFC frames.
    pub pfc: u64,
    /// Pause frames of 802.3x.
    pub pause: u64,
    /// RoCEv2 packets with congestion experienced.
    pub ce: u64,
    /// RoCEv2 packets by opcode, as the byte in hexadecimal.
    pub opcodes: BTreeMap<String, u64>,
    /// One entry for each source, destination and destination queue pair.
    pub flows: Vec<FlowSummary>,
    /// Where reading ended early, and why.
    pub ended_early: Option<String>,
}

/// Packets from one address to one queue pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FlowSummary {
    /// Source address.
    pub src: String,
    /// Destination address.
    pub dst: String,
    /// Destination queue pair.
    pub dest_qpn: u32,
    /// Packets.
    pub packets: u64,
    /// Payload bytes.
    pub payload_bytes: u64,
    /// Request packets whose PSN had been passed before.
    pub retransmitted: u64,
    /// Times that a request PSN was not the one after the last.
    pub gaps: u64,
    /// Sequence, access and other NAKs.
    pub naks: u64,
    /// Receiver-not-ready NAKs.
    pub rnr_naks: u64,
    /// CNPs.
    pub cnps: u64,
    /// Packets with congestion experienced.
    pub ce: u64,
    /// Time of the first packet, nanoseconds.
    pub first_ns: u64,
    /// Time of the last packet, nanoseconds.
    pub last_ns: u64,
    #[serde(skip)]
    next_psn: Option<crate::Psn>,
}

/// Reads a capture to its end. One that ends in the middle gives what came before, and says so; one that does not begin as
/// a capture is an error.
pub fn summarise(input: impl Read) -> Result<Summary, CaptureError> {
    let mut reader = CaptureReader::new(input)?;
    let mut summary = Summary::default();
    let mut flows = BTreeMap::new();
    loop {
        match reader.next_packet() {
            Ok(None) => break,
            Ok(Some(packet)) => {
                summary.packets += 1;
                if (packet.bytes.len() as u64) < u64::from(packet.wire_len) {
                    summary.cut += 1;
                } else if let Some(bytes) = packet.ethernet() {
                    count(&mut summary, &mut flows, packet.at_ns, &bytes);
                }
            }
            Err(error) => {
                summary.ended_early = Some(error.to_string());
                break;
            }
        }
    }
    summary.flows = flows.into_values().collect();
    Ok(summary)
}

type Flows = BTreeMap<(std::net::IpAddr, std::net::IpAddr, u32), FlowSummary>;

fn count(summary: &mut Summary, flows: &mut Flows, at_ns: u64, bytes: &[u8]) {
    let Ok(frame) = Frame::parse(bytes) else {
        summary.malformed += 1;
        return;
    };
    let roce = match frame.body {
        Body::Roce(roce) => roce,
        Body::MacControl(MacControl::Pfc(_)) => return summary.pfc += 1,
        Body::MacControl(MacControl::Pause { .. }) => return summary.pause += 1,
        Body::MacControl(MacControl::Other { .. }) | Body::Other(_) => return,
    };
    summary.roce_packets += 1;
    *(if roce.icrc_ok() { &mut summary.icrc_ok } else { &mut summary.icrc_bad }) += 1;
    *summary.opcodes.entry(roce.bth.opcode.to_string()).or_default() += 1;
    let ce = roce.ip.ecn() == Ecn::Ce;
    summary.ce += u64::from(ce);
    let (src, dst, qpn) = (roce.ip.src(), roce.ip.dst(), roce.bth.dest.get());
    let flow = flows.entry((src, dst, qpn)).or_insert_with(|| FlowSummary {
        src: src.to_string(),
        dst: dst.to_string(),
        dest_qpn: qpn,
        packets: 0,
        payload_bytes: 0,
        retransmitted: 0,
        gaps: 0,
        naks: 0,
        rnr_naks: 0,
        cnps: 0,
        ce: 0,
        first_ns: at_ns,
        last_ns: at_ns,
        next_psn: None,
    });
    flow.packets += 1;
    flow.ce += u64::from(ce);
    flow.first_ns = flow.first_ns.min(at_ns);
    flow.last_ns = flow.last_ns.max(at_ns);
    if roce.is_cnp() {
        summary.cnp += 1;
        flow.cnps += 1;
        return;
    }
    flow.payload_bytes += roce.payload.len() as u64;
    match roce.ext.aeth.map(|aeth| Syndrome::of(aeth.syndrome)) {
        Some(Syndrome::Nak(_)) => flow.naks += 1,
        Some(Syndrome::RnrNak(_)) => flow.rnr_naks += 1,
        _ => {}
    }
    let operation = roce.bth.opcode.operation();
    let request =
        operation <= crate::opcode::op::READ_REQUEST || operation >= crate::opcode::op::COMPARE_SWAP;
    if request {
        let psn = roce.bth.psn;
        if let Some(next) = flow.next_psn {
            match psn.since(next) {
                ..0 => flow.retransmitted += 1,
                0 => {}
                // After a read request the numbers of its responses are skipped: not a gap that can be told from loss.
                _ => flow.gaps += 1,
            }
        }
        let next = psn.add(1);
        flow.next_psn = Some(flow.next_psn.filter(|old| next.since(*old) < 0).unwrap_or(next));
    }
}
