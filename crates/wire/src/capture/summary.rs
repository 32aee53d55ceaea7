//! What a capture holds, in figures.

use super::error::CaptureError;
use super::flow::{Flow, FlowSummary};
use super::reader::{CaptureReader, Captured};
use crate::frame::Body;
use crate::ip::Ecn;
use crate::mac::MacControl;
use crate::roce::Roce;
use crate::{Bth, Udp};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Read;
use std::net::IpAddr;

/// How many malformed packets are told one by one.
const MOST_TOLD: usize = 8;
/// A packet that was cut and says to have been longer than IP and its link header can be is not looked into.
const LONGEST_BYTES: u32 = 65_535 + 256;

/// Figures of a capture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Packets in the file.
    pub packets: u64,
    /// Bytes that they had on the wire, without FCS.
    pub wire_bytes: u64,
    /// RoCEv2 packets, CNPs included.
    pub roce_packets: u64,
    /// RoCEv2 packets whose ICRC is right.
    pub icrc_ok: u64,
    /// RoCEv2 packets whose ICRC is wrong.
    pub icrc_bad: u64,
    /// RoCEv2 packets of which too little was captured to check the ICRC.
    pub icrc_unchecked: u64,
    /// Packets that claim to be IP, RoCEv2 or MAC control and cannot be read as such.
    pub malformed: u64,
    /// The first of them.
    pub first_malformed: Vec<Malformed>,
    /// Packets of which the capture kept only a part. Those whose headers were kept are counted like others.
    pub cut: u64,
    /// Packets that are neither RoCEv2 nor MAC control.
    pub other: u64,
    /// Packets of a link type that is not known here, among `other`.
    pub unknown_link: u64,
    /// Congestion notification packets.
    pub cnp: u64,
    /// PFC frames.
    pub pfc: u64,
    /// Pause frames of 802.3x.
    pub pause: u64,
    /// RoCEv2 packets with congestion experienced.
    pub ce: u64,
    /// RoCEv2 packets by opcode: the standard's name, or the byte in hexadecimal.
    pub opcodes: BTreeMap<String, u64>,
    /// One entry for each source, destination and destination queue pair, in that order.
    pub flows: Vec<FlowSummary>,
    /// Time of the first packet, nanoseconds since 1970; `None` if the file has no times.
    pub first_ns: Option<u64>,
    /// Time of the last packet, nanoseconds since 1970.
    pub last_ns: Option<u64>,
    /// Where reading ended early, and why.
    pub ended_early: Option<String>,
}

/// A packet that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Malformed {
    /// Its number in the file, from 1.
    pub packet: u64,
    /// Field, place, found and expected.
    pub error: String,
}

/// Reads a capture to its end. One that ends in the middle gives what came before, and says so; one that does not begin as
/// a capture is an error.
pub fn summarise(input: impl Read) -> Result<Summary, CaptureError> {
    let mut reader = CaptureReader::new(input)?;
    let mut counting = Counting::default();
    let mut packet = Captured::default();
    loop {
        match reader.read_packet(&mut packet) {
            Ok(true) => counting.packet(&packet),
            Ok(false) => break,
            // What the disk could not give is not a property of the capture.
            Err(CaptureError::Io(error)) => return Err(error.into()),
            Err(error) => {
                counting.summary.ended_early = Some(error.to_string());
                break;
            }
        }
    }
    let mut summary = counting.summary;
    summary.flows = counting.flows.into_values().map(|flow| flow.summary).collect();
    summary.opcodes = counting.opcodes.into_iter().map(|(opcode, n)| (opcode.to_string(), n)).collect();
    Ok(summary)
}

#[derive(Default)]
struct Counting {
    summary: Summary,
    opcodes: BTreeMap<crate::Opcode, u64>,
    flows: BTreeMap<(IpAddr, IpAddr, u32), Flow>,
    extended: Vec<u8>,
}

impl Counting {
    fn packet(&mut self, packet: &Captured) {
        let s = &mut self.summary;
        s.packets += 1;
        s.wire_bytes += u64::from(packet.wire_len);
        if let Some(at) = packet.at_ns {
            s.first_ns = Some(s.first_ns.map_or(at, |first| first.min(at)));
            s.last_ns = Some(s.last_ns.map_or(at, |last| last.max(at)));
        }
        if packet.is_cut() {
            self.cut_packet(packet);
            return;
        }
        match packet.link_type.body(&packet.bytes) {
            None => {
                s.unknown_link += 1;
                s.other += 1;
            }
            Some(Err(error)) => {
                s.malformed += 1;
                if s.first_malformed.len() < MOST_TOLD {
                    s.first_malformed.push(Malformed { packet: s.packets, error: error.to_string() });
                }
            }
            Some(Ok((Body::Roce(roce), _))) => {
                let ok = roce.icrc_ok();
                self.roce(packet.at_ns, &roce, Some(ok));
            }
            Some(Ok((Body::MacControl(control), _))) => self.control(&control),
            Some(Ok((Body::Other(_), _))) => s.other += 1,
        }
    }

    /// A packet of which a part is missing: zeros in the place of that part make the lengths right, and what was captured is
    /// looked at if it reaches to the end of the headers.
    fn cut_packet(&mut self, packet: &Captured) {
        self.summary.cut += 1;
        let mut extended = std::mem::take(&mut self.extended);
        extended.clear();
        extended.extend_from_slice(&packet.bytes);
        extended.resize(packet.wire_len.min(LONGEST_BYTES) as usize, 0);
        match packet.link_type.body(&extended) {
            Some(Ok((Body::Roce(roce), trailer))) => {
                let start = extended.len() - trailer.len() - roce.bytes();
                let headers = roce.ip.bytes() + Udp::BYTES + Bth::BYTES + roce.ext.headers().bytes();
                if start + headers <= packet.bytes.len() {
                    self.roce(packet.at_ns, &roce, None);
                } else {
                    self.summary.other += 1;
                }
            }
            Some(Ok((Body::MacControl(control), trailer)))
                if extended.len() - trailer.len() <= packet.bytes.len() =>
            {
                self.control(&control);
            }
            _ => self.summary.other += 1,
        }
        self.extended = extended;
    }

    fn control(&mut self, control: &MacControl) {
        match control {
            MacControl::Pfc(_) => self.summary.pfc += 1,
            MacControl::Pause(_) => self.summary.pause += 1,
            MacControl::Other { .. } => self.summary.other += 1,
        }
    }

    fn roce(&mut self, at_ns: Option<u64>, roce: &Roce<'_>, icrc_ok: Option<bool>) {
        let s = &mut self.summary;
        s.roce_packets += 1;
        *match icrc_ok {
            Some(true) => &mut s.icrc_ok,
            Some(false) => &mut s.icrc_bad,
            None => &mut s.icrc_unchecked,
        } += 1;
        s.ce += u64::from(roce.ip.ecn() == Ecn::Ce);
        s.cnp += u64::from(roce.is_cnp());
        *self.opcodes.entry(roce.bth.opcode).or_default() += 1;
        let (src, dst, dest_qpn) = (roce.ip.src(), roce.ip.dst(), roce.bth.dest.get());
        let flow = self.flows.entry((src, dst, dest_qpn)).or_insert_with(|| {
            let (src, dst) = (src.to_string(), dst.to_string());
            Flow::new(FlowSummary { src, dst, dest_qpn, ..FlowSummary::default() })
        });
        flow.count(at_ns, roce, icrc_ok);
    }
}
