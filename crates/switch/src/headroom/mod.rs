//! How much headroom a lossless port and priority needs, term by term; and the order of thresholds.
//!
//! Headroom holds what still arrives after a switch has decided to pause its peer (IEEE 802.1Q annex O has the
//! reasoning). [`Headroom`] is Weir's formula, [`sonic`] that of SONiC for Spectrum switches; [`hpcc_bytes`] and
//! [`conweave_bytes`] are those of two simulators. [`thresholds`] says where ECN must begin so that it comes before PFC.

pub mod sonic;
pub mod thresholds;

use std::fmt;
use weir_units::{Rate, Span};

/// Bytes of a PFC frame on the line, without preamble and gap: the shortest Ethernet frame.
pub const PFC_FRAME_BYTES: u64 = 64;

/// What headroom depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Rate of the link.
    pub rate: Rate,
    /// One-way delay of the cable (5 ns a metre).
    pub delay: Span,
    /// Longest frame on the link, of any priority.
    pub max_frame_bytes: u32,
    /// Time from the arrival of a pause at the peer to its last start of a frame
    /// ([`response_limit`](crate::pause::response_limit) is what the standard allows).
    pub response: Span,
}

/// Headroom of one port and priority, each term by itself. Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headroom {
    /// The pause waits for a frame that this end has just begun to send.
    pub own_frame: u64,
    /// The pause itself takes time to send.
    pub pfc_frame: u64,
    /// The pause travels to the peer.
    pub cable_out: u64,
    /// The peer goes on for its response time.
    pub response: u64,
    /// The peer ends a frame that it began just before.
    pub peer_frame: u64,
    /// What is on the cable then still arrives.
    pub cable_back: u64,
}

impl Headroom {
    /// 2 MTU + 64 B + C (2 d + t): what a link can still bring after the pause was decided. Fractions of a byte are
    /// rounded up.
    pub fn of(link: &Link) -> Self {
        let cable = bytes_up(link.rate, link.delay);
        Self {
            own_frame: u64::from(link.max_frame_bytes),
            pfc_frame: PFC_FRAME_BYTES,
            cable_out: cable,
            response: bytes_up(link.rate, link.response),
            peer_frame: u64::from(link.max_frame_bytes),
            cable_back: cable,
        }
    }

    /// The same where so many classes are lossless: in the worst case the PFC frames of all others go first.
    pub const fn with_lossless_classes(mut self, classes: u32) -> Self {
        self.pfc_frame = PFC_FRAME_BYTES * if classes > 1 { classes as u64 } else { 1 };
        self
    }

    /// The sum.
    pub const fn total(&self) -> u64 {
        self.own_frame + self.pfc_frame + self.cable_out + self.response + self.peer_frame + self.cable_back
    }
}

impl fmt::Display for Headroom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} B own frame + {} B PFC frame + {} B cable out + {} B response + {} B peer's frame + {} B cable back = \
             {} B",
            self.own_frame,
            self.pfc_frame,
            self.cable_out,
            self.response,
            self.peer_frame,
            self.cable_back,
            self.total()
        )
    }
}

/// What the ns-3 HPCC simulator gives a port: three times what the line carries in its one-way delay (whole ns).
pub const fn hpcc_bytes(rate: Rate, delay: Span) -> u64 {
    (rate.as_bps() as u128 * delay.as_ns() as u128 / 8 / 1_000_000_000 * 3) as u64
}

/// What the ConWeave simulator gives a port: 2 C d + 2 MTU.
pub fn conweave_bytes(rate: Rate, delay: Span, max_frame_bytes: u32) -> u64 {
    2 * bytes_up(rate, delay) + 2 * u64::from(max_frame_bytes)
}

/// Bytes that pass in `span`, a part of one counted as one.
fn bytes_up(rate: Rate, span: Span) -> u64 {
    const PS_BITS: u128 = 8_000_000_000_000;
    let bytes = (u128::from(rate.as_bps()) * u128::from(span.as_ps())).div_ceil(PS_BITS);
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const C100: Rate = Rate::from_gbps(100);

    fn link() -> Link {
        Link { rate: C100, delay: Span::from_us(1), max_frame_bytes: 1048, response: Span::ZERO }
    }

    #[test]
    fn the_worked_values() {
        // T11: 100 Gb/s, 1 us, 1048 B frames: 27.2 KB; ConWeave 27.1 KB; HPCC 37.5 KB.
        let ours = Headroom::of(&link());
        assert_eq!(ours.total(), 2 * 1048 + 64 + 25_000);
        assert_eq!(conweave_bytes(C100, Span::from_us(1), 1048), 2 * 1048 + 25_000);
        assert_eq!(hpcc_bytes(C100, Span::from_us(1)), 37_500);
        assert_eq!(hpcc_bytes(Rate::from_gbps(400), Span::from_us(1)), 150_000);
    }

    #[test]
    fn every_term_is_in_the_sum_and_in_the_text() {
        let response = crate::pause::response_limit(C100);
        let headroom = Headroom::of(&Link { response, ..link() });
        assert_eq!(headroom.response, 394 * 64);
        assert_eq!(headroom.total(), 27_160 + 394 * 64);
        let text = headroom.to_string();
        for part in ["1048 B own frame", "64 B PFC", "12500 B cable out", "25216 B response", "= 52376 B"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn pfc_frames_of_other_classes_may_go_first() {
        let one = Headroom::of(&link());
        assert_eq!(one.with_lossless_classes(0), one);
        assert_eq!(one.with_lossless_classes(1), one);
        assert_eq!(one.with_lossless_classes(3).total(), one.total() + 128);
    }

    #[test]
    fn parts_of_bytes_count() {
        let headroom = Headroom::of(&Link { delay: Span::from_ps(81), ..link() });
        assert_eq!(headroom.cable_out, 2, "81 ps at 80 ps a byte");
        let headroom = Headroom::of(&Link { delay: Span::MAX, ..link() });
        assert!(headroom.cable_out > 1 << 57);
    }
}
