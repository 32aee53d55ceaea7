//! What a capture holds of the packets from one address to one queue pair.

use super::psn::{Place, PsnTrack};
use crate::opcode::Service;
use crate::{Ecn, NakCode, Roce, Syndrome};
use serde::Serialize;

/// Refusals by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NakCounts {
    /// A PSN was missing: loss or reordering.
    pub psn_sequence_error: u64,
    /// A request that the queue pair does not take.
    pub invalid_request: u64,
    /// Key, bounds or rights of memory.
    pub remote_access_error: u64,
    /// The responder could not complete it.
    pub remote_operational_error: u64,
    /// RD, and reserved codes.
    pub other: u64,
}

/// Packets from one address to one queue pair of another: requests of one side, and that side's responses to the other's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FlowSummary {
    /// Source address.
    pub src: String,
    /// Destination address.
    pub dst: String,
    /// Destination queue pair.
    pub dest_qpn: u32,
    /// Transport service of its packets (RC, UC, UD, XRC); `None` if there are only CNPs.
    pub service: Option<String>,
    /// Packets, CNPs included.
    pub packets: u64,
    /// Payload bytes, repeats included.
    pub payload_bytes: u64,
    /// Requests, READ responses and atomic acknowledgements whose PSN had been captured before: retransmissions. RC, UC and
    /// XRC only, as are the next three.
    pub retransmitted: u64,
    /// Requests that came after a later one and had not been captured before: reordered, or retransmitted after a loss ahead
    /// of the capture.
    pub late: u64,
    /// Times that request PSNs were passed over.
    pub gaps: u64,
    /// Request PSNs that were passed over and did not come later.
    pub missing: u64,
    /// NAKs, those for no receive work request aside.
    pub naks: u64,
    /// The same by kind.
    pub naks_by_kind: NakCounts,
    /// Receiver-not-ready NAKs.
    pub rnr_naks: u64,
    /// CNPs.
    pub cnps: u64,
    /// Packets with congestion experienced.
    pub ce: u64,
    /// Packets with a wrong ICRC.
    pub icrc_bad: u64,
    /// Time of the first packet, nanoseconds since 1970; `None` if the file has no times.
    pub first_ns: Option<u64>,
    /// Time of the last packet, nanoseconds since 1970.
    pub last_ns: Option<u64>,
}

/// A flow that is being counted.
#[derive(Debug, Default)]
pub struct Flow {
    pub summary: FlowSummary,
    requests: PsnTrack,
    responses: PsnTrack,
    good_icrc: bool,
}

impl Flow {
    pub fn new(summary: FlowSummary) -> Self {
        Self { summary, ..Self::default() }
    }

    pub fn count(&mut self, at_ns: Option<u64>, roce: &Roce<'_>, icrc_ok: Option<bool>) {
        let s = &mut self.summary;
        s.packets += 1;
        s.ce += u64::from(roce.ip.ecn() == Ecn::Ce);
        s.icrc_bad += u64::from(icrc_ok == Some(false));
        if let Some(at) = at_ns {
            s.first_ns = Some(s.first_ns.map_or(at, |first| first.min(at)));
            s.last_ns = Some(s.last_ns.map_or(at, |last| last.max(at)));
        }
        if roce.is_cnp() {
            s.cnps += 1;
            return;
        }
        s.payload_bytes += roce.payload.len() as u64;
        if s.service.is_none() {
            s.service = Some(roce.bth.opcode.service().to_string());
        }
        match roce.ext.aeth.map(|aeth| aeth.syndrome) {
            Some(Syndrome::Nak { code }) => {
                s.naks += 1;
                *match code {
                    NakCode::PsnSequenceError => &mut s.naks_by_kind.psn_sequence_error,
                    NakCode::InvalidRequest => &mut s.naks_by_kind.invalid_request,
                    NakCode::RemoteAccessError => &mut s.naks_by_kind.remote_access_error,
                    NakCode::RemoteOperationalError => &mut s.naks_by_kind.remote_operational_error,
                    NakCode::InvalidRdRequest | NakCode::Reserved(_) => &mut s.naks_by_kind.other,
                } += 1;
            }
            Some(Syndrome::RnrNak { .. }) => s.rnr_naks += 1,
            _ => {}
        }
        // A damaged PSN tells nothing. Where every ICRC is wrong, it is the capture that lacks them (taken in a sender, ahead
        // of the hardware that fills them in), and the PSNs are good.
        self.good_icrc |= icrc_ok == Some(true);
        if icrc_ok != Some(false) || !self.good_icrc {
            self.follow(roce);
        }
    }

    fn follow(&mut self, roce: &Roce<'_>) {
        let opcode = roce.bth.opcode;
        if !matches!(opcode.service(), Service::Rc | Service::Uc | Service::Xrc) {
            return;
        }
        let s = &mut self.summary;
        if opcode.is_response() {
            // Acknowledgements may repeat without anything being sent again.
            let carries = opcode.is_read_response() || roce.ext.atomic_ack.is_some();
            if carries && self.responses.response(roce.bth.psn) {
                s.retransmitted += 1;
            }
            return;
        }
        if !opcode.is_request() {
            return;
        }
        if opcode.is_first() || opcode.is_middle() {
            self.requests.learn_mtu(roce.payload.len());
        }
        let read = roce.ext.reth.filter(|_| opcode.is_read_request());
        match self.requests.request(roce.bth.psn, read) {
            Place::First | Place::Next => {}
            Place::Repeat => s.retransmitted += 1,
            Place::Late => {
                s.late += 1;
                s.missing = s.missing.saturating_sub(1);
            }
            Place::Gap(n) => {
                s.gaps += 1;
                s.missing += u64::from(n);
            }
        }
    }
}
