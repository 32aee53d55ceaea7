//! The IPv4 header (RFC 791).

use super::{Ecn, UDP, checksum};
use crate::error::{Reader, WireError};
use crate::header::{be16, field};
use std::fmt;
use std::net::Ipv4Addr;

/// An IPv4 header: 20 bytes and options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ipv4 {
    /// DSCP (6 bits) and ECN (2 bits).
    pub tos: u8,
    /// Length of the whole packet in bytes.
    pub total_len: u16,
    /// Identification.
    pub id: u16,
    /// Flags (3 bits) and fragment offset (13 bits).
    pub fragment: u16,
    /// Time to live.
    pub ttl: u8,
    /// Protocol.
    pub protocol: u8,
    /// Header checksum as found; [`Ipv4::computed_checksum`] is what it should be.
    pub checksum: u16,
    /// Source.
    pub src: Ipv4Addr,
    /// Destination.
    pub dst: Ipv4Addr,
    /// Options as found, a multiple of 4 bytes, at most 40.
    pub options: Vec<u8>,
}

impl Ipv4 {
    /// Length of a header without options in bytes.
    pub const BYTES: usize = 20;
    /// Most bytes of options.
    pub const MAX_OPTION_BYTES: usize = 40;
    /// The don't-fragment flag in [`Ipv4::fragment`]: RoCEv2 sets it (annex A17).
    pub const DONT_FRAGMENT: u16 = 0x4000;

    /// A header for UDP between two addresses: don't fragment, identification 0, TTL 64, lengths and checksum to come.
    pub const fn udp(src: Ipv4Addr, dst: Ipv4Addr) -> Self {
        Self {
            tos: 0,
            total_len: 0,
            id: 0,
            fragment: Self::DONT_FRAGMENT,
            ttl: 64,
            protocol: UDP,
            checksum: 0,
            src,
            dst,
            options: Vec::new(),
        }
    }

    /// Reads the header at the start of `bytes`.
    pub fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        Self::read(&mut Reader::new(bytes))
    }

    pub(crate) fn read(r: &mut Reader<'_>) -> Result<Self, WireError> {
        let offset = r.at();
        let head = r.array::<20>("IPv4 header")?;
        let words = head[0] & 15;
        if head[0] >> 4 != 4 || words < 5 {
            let (field, found) = ("IPv4 version and header length", u32::from(head[0]));
            return Err(WireError::Value { field, offset, found, expected: "0x45 to 0x4f" });
        }
        Ok(Self {
            tos: head[1],
            total_len: be16(&head, 2),
            id: be16(&head, 4),
            fragment: be16(&head, 6),
            ttl: head[8],
            protocol: head[9],
            checksum: be16(&head, 10),
            src: Ipv4Addr::from(field::<4, 20>(&head, 12)),
            dst: Ipv4Addr::from(field::<4, 20>(&head, 16)),
            options: r.take("IPv4 options", (usize::from(words) - 5) * 4)?.to_vec(),
        })
    }

    /// The first 20 bytes, with the header length that the options make. Options past 40 bytes are not counted.
    pub(crate) fn head_bytes(&self) -> [u8; 20] {
        let words = 5 + self.options_emitted().len() / 4;
        let [s0, s1, s2, s3] = self.src.octets();
        let [d0, d1, d2, d3] = self.dst.octets();
        let [len0, len1] = self.total_len.to_be_bytes();
        let [id0, id1] = self.id.to_be_bytes();
        let [fr0, fr1] = self.fragment.to_be_bytes();
        let [ck0, ck1] = self.checksum.to_be_bytes();
        let (first, ttl, protocol) = (0x40 | words as u8, self.ttl, self.protocol);
        [
            first, self.tos, len0, len1, id0, id1, fr0, fr1, ttl, protocol, ck0, ck1, s0, s1, s2, s3, d0, d1,
            d2, d3,
        ]
    }

    /// The options that a header can carry: whole words, 40 bytes at most.
    pub(crate) fn options_emitted(&self) -> &[u8] {
        let n = self.options.len().min(Self::MAX_OPTION_BYTES) & !3;
        &self.options[..n]
    }

    /// Length in bytes.
    pub fn bytes(&self) -> usize {
        Self::BYTES + self.options_emitted().len()
    }

    /// Whether the packet is a part of a fragmented one.
    pub const fn is_fragment(&self) -> bool {
        self.fragment & 0x3fff != 0
    }

    /// Appends the header with its checksum as the field says.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.head_bytes());
        out.extend_from_slice(self.options_emitted());
    }

    /// The checksum that the header should have.
    pub fn computed_checksum(&self) -> u16 {
        let mut head = self.head_bytes();
        head[10..12].fill(0);
        checksum(&[&head, self.options_emitted()])
    }
}

impl fmt::Display for Ipv4 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dscp, ecn) = (self.tos >> 2, Ecn::from_bits(self.tos));
        write!(f, "IPv4 {} > {} dscp {dscp} {ecn} id {} ttl {}", self.src, self.dst, self.id, self.ttl)?;
        write!(f, " protocol {} length {}", self.protocol, self.total_len)?;
        if self.is_fragment() { write!(f, " fragment 0x{:04x}", self.fragment) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From a packet of a Linux kernel (rxe).
    const KERNEL: [u8; 20] = [
        0x45, 0x00, 0x04, 0x2c, 0x52, 0x3d, 0x40, 0x00, 0x40, 0x11, 0xd0, 0x6f, 0x0a, 0x09, 0x00, 0x01, 0x0a,
        0x09, 0x00, 0x02,
    ];

    #[test]
    fn a_kernels_header() {
        let ip = Ipv4::parse(&KERNEL).unwrap();
        assert_eq!((ip.id, ip.total_len, ip.fragment), (0x523d, 1068, Ipv4::DONT_FRAGMENT));
        assert_eq!(ip.computed_checksum(), 0xd06f);
        let text = "IPv4 10.9.0.1 > 10.9.0.2 dscp 0 not-ECT id 21053 ttl 64 protocol 17 length 1068";
        assert_eq!(ip.to_string(), text);
        let mut out = Vec::new();
        ip.emit(&mut out);
        assert_eq!(out, KERNEL);
    }

    #[test]
    fn options_are_kept_and_in_the_checksum() {
        let mut bytes = KERNEL.to_vec();
        bytes[0] = 0x46;
        bytes.extend([0x94, 0x04, 0x00, 0x00]); // router alert, RFC 2113
        let ip = Ipv4::parse(&bytes).unwrap();
        assert_eq!((ip.bytes(), ip.options.as_slice()), (24, &[0x94, 4, 0, 0][..]));
        let mut out = Vec::new();
        ip.emit(&mut out);
        assert_eq!(out, bytes);
        // One's complement arithmetic: the header length grew by 0x0100 and the options add 0x9404.
        let plain = Ipv4::parse(&KERNEL).unwrap().computed_checksum();
        let sum = u32::from(!plain) + 0x0100 + 0x9404;
        assert_eq!(ip.computed_checksum(), !((sum & 0xffff) as u16 + (sum >> 16) as u16));
    }

    #[test]
    fn impossible_headers() {
        let mut bytes = KERNEL;
        bytes[0] = 0x44;
        assert!(matches!(Ipv4::parse(&bytes), Err(WireError::Value { offset: 0, found: 0x44, .. })));
        bytes[0] = 0x46;
        assert!(matches!(Ipv4::parse(&bytes), Err(WireError::Short { field: "IPv4 options", .. })));
    }
}
