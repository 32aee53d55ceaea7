//! The IPv6 header (RFC 8200, section 3).

use super::{Ecn, UDP};
use crate::error::{Reader, WireError};
use crate::header::{be16, be32, field, join};
use std::fmt;
use std::net::Ipv6Addr;

/// An IPv6 header, 40 bytes. Extension headers are not followed: a packet that has one is not RoCEv2 here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv6 {
    /// DSCP (6 bits) and ECN (2 bits).
    pub traffic_class: u8,
    /// Flow label, 20 bits.
    pub flow_label: u32,
    /// Bytes after this header.
    pub payload_len: u16,
    /// Next header.
    pub next_header: u8,
    /// Hop limit.
    pub hop_limit: u8,
    /// Source.
    pub src: Ipv6Addr,
    /// Destination.
    pub dst: Ipv6Addr,
}

impl Ipv6 {
    /// Length in bytes.
    pub const BYTES: usize = 40;

    /// A header for UDP between two addresses: hop limit 64, length to come.
    pub const fn udp(src: Ipv6Addr, dst: Ipv6Addr) -> Self {
        Self { traffic_class: 0, flow_label: 0, payload_len: 0, next_header: UDP, hop_limit: 64, src, dst }
    }

    /// Reads the header at the start of `bytes`.
    pub fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        Self::read(&mut Reader::new(bytes))
    }

    pub(crate) fn read(r: &mut Reader<'_>) -> Result<Self, WireError> {
        let offset = r.at();
        let head = r.array::<40>("IPv6 header")?;
        let first = be32(&head, 0);
        if first >> 28 != 6 {
            return Err(WireError::Value {
                field: "IPv6 version",
                offset,
                found: first >> 28,
                expected: "6",
            });
        }
        Ok(Self {
            traffic_class: (first >> 20) as u8,
            flow_label: first & 0xf_ffff,
            payload_len: be16(&head, 4),
            next_header: head[6],
            hop_limit: head[7],
            src: Ipv6Addr::from(field::<16, 40>(&head, 8)),
            dst: Ipv6Addr::from(field::<16, 40>(&head, 24)),
        })
    }

    /// The header's bytes.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let first = 6 << 28 | u32::from(self.traffic_class) << 20 | self.flow_label & 0xf_ffff;
        join(&[
            &first.to_be_bytes(),
            &self.payload_len.to_be_bytes(),
            &[self.next_header, self.hop_limit],
            &self.src.octets(),
            &self.dst.octets(),
        ])
    }

    /// Appends the header.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_bytes());
    }
}

impl fmt::Display for Ipv6 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dscp, ecn) = (self.traffic_class >> 2, Ecn::from_bits(self.traffic_class));
        write!(f, "IPv6 {} > {} dscp {dscp} {ecn} label 0x{:05x}", self.src, self.dst, self.flow_label)?;
        write!(f, " hops {} next {} length {}", self.hop_limit, self.next_header, self.payload_len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_in_their_places() {
        let mut bytes = [0u8; 40];
        bytes[..8].copy_from_slice(&[0x66, 0xab, 0x12, 0x34, 0x01, 0x00, 17, 63]);
        bytes[8..24].copy_from_slice(&"fe80::1".parse::<Ipv6Addr>().unwrap().octets());
        bytes[24..].copy_from_slice(&"fe80::2".parse::<Ipv6Addr>().unwrap().octets());
        let ip = Ipv6::parse(&bytes).unwrap();
        assert_eq!((ip.traffic_class, ip.flow_label, ip.payload_len), (0x6a, 0xb1234, 256));
        let text = "IPv6 fe80::1 > fe80::2 dscp 26 ECT(0) label 0xb1234 hops 63 next 17 length 256";
        assert_eq!(ip.to_string(), text);
        assert_eq!(ip.to_bytes(), bytes);
    }

    #[test]
    fn another_version_is_refused() {
        assert!(matches!(Ipv6::parse(&[0x45; 40]), Err(WireError::Value { found: 4, offset: 0, .. })));
        assert!(matches!(Ipv6::parse(&[0x60; 39]), Err(WireError::Short { needed: 40, left: 39, .. })));
    }
}
