//! What a frame costs on the line: the bytes that no capture shows.

use crate::bth::Bth;
use crate::icrc::ICRC_BYTES;
use crate::udp::Udp;
use crate::{Ethernet, Ipv4, Ipv6, Tag};

/// Preamble and start of frame delimiter, bytes (IEEE 802.3, 3.2.1 and 3.2.2).
pub const PREAMBLE_BYTES: u32 = 8;
/// Frame check sequence, bytes.
pub const FCS_BYTES: u32 = 4;
/// Smallest gap between frames, bytes (96 bit times).
pub const GAP_BYTES: u32 = 12;
/// What a frame costs on the line besides its bytes up to the FCS: preamble, FCS and gap.
pub const LINE_OVERHEAD_BYTES: u32 = PREAMBLE_BYTES + FCS_BYTES + GAP_BYTES;
/// The smallest frame without FCS, to which shorter ones are padded.
pub const MIN_FRAME_BYTES: u32 = 60;

/// Headers of a RoCEv2 packet over IPv4, from Ethernet to UDP: 42 bytes.
pub const ROCE_IPV4_HEADER_BYTES: u32 = (Ethernet::BYTES + Ipv4::BYTES + Udp::BYTES) as u32;
/// Headers of a RoCEv2 packet over IPv6, from Ethernet to UDP: 62 bytes.
pub const ROCE_IPV6_HEADER_BYTES: u32 = (Ethernet::BYTES + Ipv6::BYTES + Udp::BYTES) as u32;
/// BTH and ICRC, which every RoCEv2 packet has around its extension headers and payload: 16 bytes.
pub const ROCE_TRANSPORT_BYTES: u32 = Bth::BYTES as u32 + ICRC_BYTES as u32;

/// Bytes that a frame takes on the line, preamble, padding, FCS and gap included.
///
/// `frame_bytes` counts from the destination address to the last byte before the FCS, as a capture does.
pub const fn line_bytes(frame_bytes: u32) -> u32 {
    let padded = if frame_bytes < MIN_FRAME_BYTES { MIN_FRAME_BYTES } else { frame_bytes };
    padded.saturating_add(LINE_OVERHEAD_BYTES)
}

/// Bytes of a RoCEv2 frame over IPv4, without FCS: `transport_bytes` counts from the BTH to the ICRC, both included.
pub const fn roce_ipv4_frame_bytes(transport_bytes: u32, tags: u32) -> u32 {
    ROCE_IPV4_HEADER_BYTES + tags * Tag::BYTES as u32 + transport_bytes
}

/// Bytes of a RoCEv2 frame over IPv6, without FCS: `transport_bytes` counts from the BTH to the ICRC, both included.
pub const fn roce_ipv6_frame_bytes(transport_bytes: u32, tags: u32) -> u32 {
    ROCE_IPV6_HEADER_BYTES + tags * Tag::BYTES as u32 + transport_bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cnp_of_the_literature_is_98_bytes_on_the_line() {
        // 14 + 20 + 8 + 12 + 16 + 4 + 4 (FCS) + 20 (preamble and gap): the figure behind "at most 15.7 Mb/s of CNPs a flow".
        assert_eq!(line_bytes(roce_ipv4_frame_bytes(ROCE_TRANSPORT_BYTES + 16, 0)), 98);
        let per_flow_bps = 98 * 8 * 20_000;
        assert_eq!(per_flow_bps, 15_680_000);
    }

    #[test]
    fn full_packets() {
        let transport = ROCE_TRANSPORT_BYTES + 1024;
        assert_eq!(line_bytes(roce_ipv4_frame_bytes(transport, 0)), 1024 + 82);
        assert_eq!(line_bytes(roce_ipv4_frame_bytes(transport, 1)), 1024 + 86);
        assert_eq!(line_bytes(roce_ipv6_frame_bytes(transport, 0)), 1024 + 102);
    }

    #[test]
    fn the_smallest_frame_is_64_bytes_with_fcs() {
        assert_eq!(line_bytes(0), 84);
        assert_eq!(line_bytes(60), 84);
        assert_eq!(line_bytes(61), 85);
    }
}
