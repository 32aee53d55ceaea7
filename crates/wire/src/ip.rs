//! IPv4 (RFC 791) and IPv6 (RFC 8200) headers, and UDP's (RFC 768).

use crate::error::{Reader, WireError};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IP protocol number of UDP.
pub const UDP: u8 = 17;
/// UDP port of RoCEv2 (annex A17).
pub const ROCE_PORT: u16 = 4791;

/// Explicit congestion notification, the low two bits of the traffic class (RFC 3168).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ecn {
    /// Not ECN-capable.
    #[default]
    NotEct,
    /// ECT(1).
    Ect1,
    /// ECT(0).
    Ect0,
    /// Congestion experienced.
    Ce,
}

impl Ecn {
    /// From the low two bits.
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Ecn::NotEct,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }
}

/// An IPv4 header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ipv4 {
    /// DSCP and ECN.
    pub tos: u8,
    /// Length of the whole packet.
    pub total_len: u16,
    /// Identification.
    pub id: u16,
    /// Flags (3 bits) and fragment offset (13 bits).
    pub fragment: u16,
    /// Time to live.
    pub ttl: u8,
    /// Protocol.
    pub protocol: u8,
    /// Header checksum as found.
    pub checksum: u16,
    /// Source.
    pub src: Ipv4Addr,
    /// Destination.
    pub dst: Ipv4Addr,
    /// Options, a multiple of 4 bytes.
    pub options: Vec<u8>,
}

impl Ipv4 {
    pub(crate) fn read(r: &mut Reader<'_>) -> Result<Self, WireError> {
        let offset = r.at();
        let first = r.u8("IPv4 version")?;
        if first >> 4 != 4 || first & 15 < 5 {
            let (field, found) = ("IPv4 version and header length", u32::from(first));
            return Err(WireError::Value { field, offset, found, expected: "0x45 to 0x4f" });
        }
        Ok(Self {
            tos: r.u8("IPv4 TOS")?,
            total_len: r.u16("IPv4 total length")?,
            id: r.u16("IPv4 identification")?,
            fragment: r.u16("IPv4 fragment")?,
            ttl: r.u8("IPv4 TTL")?,
            protocol: r.u8("IPv4 protocol")?,
            checksum: r.u16("IPv4 checksum")?,
            src: Ipv4Addr::from(r.array::<4>("IPv4 source")?),
            dst: Ipv4Addr::from(r.array::<4>("IPv4 destination")?),
            options: r.take("IPv4 options", (usize::from(first & 15) - 5) * 4)?.to_vec(),
        })
    }

    /// Appends the header with its checksum as the field says.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[0x40 | (5 + self.options.len() / 4) as u8 & 15, self.tos]);
        for field in [self.total_len, self.id, self.fragment] {
            out.extend_from_slice(&field.to_be_bytes());
        }
        out.extend_from_slice(&[self.ttl, self.protocol]);
        out.extend_from_slice(&self.checksum.to_be_bytes());
        out.extend_from_slice(&self.src.octets());
        out.extend_from_slice(&self.dst.octets());
        out.extend_from_slice(&self.options);
    }

    /// The checksum that the header should have.
    pub fn computed_checksum(&self) -> u16 {
        let mut bytes = Vec::with_capacity(60);
        Ipv4 { checksum: 0, ..self.clone() }.emit(&mut bytes);
        let mut sum: u32 =
            bytes.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0))).sum();
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        !(sum as u16)
    }
}

/// An IPv6 header without extension headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ipv6 {
    /// DSCP and ECN.
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
    pub(crate) fn read(r: &mut Reader<'_>) -> Result<Self, WireError> {
        let offset = r.at();
        let first = r.u32("IPv6 version, class and label")?;
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
            payload_len: r.u16("IPv6 payload length")?,
            next_header: r.u8("IPv6 next header")?,
            hop_limit: r.u8("IPv6 hop limit")?,
            src: Ipv6Addr::from(r.array::<16>("IPv6 source")?),
            dst: Ipv6Addr::from(r.array::<16>("IPv6 destination")?),
        })
    }

    /// Appends the header.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let first = 6 << 28 | u32::from(self.traffic_class) << 20 | self.flow_label & 0xf_ffff;
        out.extend_from_slice(&first.to_be_bytes());
        out.extend_from_slice(&self.payload_len.to_be_bytes());
        out.extend_from_slice(&[self.next_header, self.hop_limit]);
        out.extend_from_slice(&self.src.octets());
        out.extend_from_slice(&self.dst.octets());
    }
}

/// An IP header of either version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ip {
    /// IPv4.
    V4(Ipv4),
    /// IPv6.
    V6(Ipv6),
}

impl Ip {
    pub(crate) fn read(r: &mut Reader<'_>, version: u8) -> Result<Self, WireError> {
        if version == 6 { Ipv6::read(r).map(Ip::V6) } else { Ipv4::read(r).map(Ip::V4) }
    }
    /// Source address.
    pub fn src(&self) -> IpAddr {
        match self {
            Ip::V4(ip) => ip.src.into(),
            Ip::V6(ip) => ip.src.into(),
        }
    }
    /// Destination address.
    pub fn dst(&self) -> IpAddr {
        match self {
            Ip::V4(ip) => ip.dst.into(),
            Ip::V6(ip) => ip.dst.into(),
        }
    }
    /// DSCP and ECN byte.
    pub fn traffic_class(&self) -> u8 {
        match self {
            Ip::V4(ip) => ip.tos,
            Ip::V6(ip) => ip.traffic_class,
        }
    }
    /// Code point.
    pub fn dscp(&self) -> u8 {
        self.traffic_class() >> 2
    }
    /// ECN field.
    pub fn ecn(&self) -> Ecn {
        Ecn::from_bits(self.traffic_class())
    }
    /// Protocol of what follows.
    pub fn protocol(&self) -> u8 {
        match self {
            Ip::V4(ip) => ip.protocol,
            Ip::V6(ip) => ip.next_header,
        }
    }
    /// Bytes after the header, as it says.
    pub fn payload_len(&self) -> usize {
        match self {
            Ip::V4(ip) => usize::from(ip.total_len).saturating_sub(20 + ip.options.len()),
            Ip::V6(ip) => usize::from(ip.payload_len),
        }
    }
    /// Whether this is a fragment other than a whole packet.
    pub fn is_fragment(&self) -> bool {
        matches!(self, Ip::V4(ip) if ip.fragment & 0x3fff != 0)
    }
    /// Appends the header.
    pub fn emit(&self, out: &mut Vec<u8>) {
        match self {
            Ip::V4(ip) => ip.emit(out),
            Ip::V6(ip) => ip.emit(out),
        }
    }
}

/// A UDP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Udp {
    /// Source port: RoCEv2's entropy.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// Length with this header.
    pub len: u16,
    /// Checksum as found; RoCEv2 over IPv4 may leave it zero.
    pub checksum: u16,
}

impl Udp {
    pub(crate) fn read(r: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self {
            src_port: r.u16("UDP source port")?,
            dst_port: r.u16("UDP destination port")?,
            len: r.u16("UDP length")?,
            checksum: r.u16("UDP checksum")?,
        })
    }

    /// Appends the header.
    pub fn emit(&self, out: &mut Vec<u8>) {
        for field in [self.src_port, self.dst_port, self.len, self.checksum] {
            out.extend_from_slice(&field.to_be_bytes());
        }
    }
}
