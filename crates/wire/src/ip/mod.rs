//! IP of either version.

mod ecn;
mod v4;
mod v6;

pub use ecn::Ecn;
pub use v4::Ipv4;
pub use v6::Ipv6;

pub use crate::udp::ROCE_PORT;

use crate::error::{Reader, WireError};
use std::fmt;
use std::net::IpAddr;

/// IP protocol number of UDP.
pub const UDP: u8 = 17;

/// An IP header of either version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ip {
    /// IPv4.
    V4(Ipv4),
    /// IPv6.
    V6(Ipv6),
}

impl Ip {
    /// Reads the header at the start of `bytes`, of the version that its first bits say.
    pub fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        let version = bytes.first().map_or(4, |first| first >> 4);
        Self::read(&mut Reader::new(bytes), version)
    }

    pub(crate) fn read(r: &mut Reader<'_>, version: u8) -> Result<Self, WireError> {
        if version == 6 { Ipv6::read(r).map(Ip::V6) } else { Ipv4::read(r).map(Ip::V4) }
    }

    /// A header for UDP between two addresses, with the fields that RoCEv2 senders use. `None` if the addresses are of
    /// different versions.
    pub fn between(src: IpAddr, dst: IpAddr) -> Option<Self> {
        match (src, dst) {
            (IpAddr::V4(src), IpAddr::V4(dst)) => Some(Ip::V4(Ipv4::udp(src, dst))),
            (IpAddr::V6(src), IpAddr::V6(dst)) => Some(Ip::V6(Ipv6::udp(src, dst))),
            _ => None,
        }
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
    /// Sets the DSCP and ECN byte; an IPv4 checksum is then to be computed again ([`crate::Roce::seal`] does).
    pub fn set_traffic_class(&mut self, byte: u8) {
        match self {
            Ip::V4(ip) => ip.tos = byte,
            Ip::V6(ip) => ip.traffic_class = byte,
        }
    }
    /// Differentiated services code point, 6 bits.
    pub fn dscp(&self) -> u8 {
        self.traffic_class() >> 2
    }
    /// ECN field.
    pub fn ecn(&self) -> Ecn {
        Ecn::from_bits(self.traffic_class())
    }
    /// Marks the packet with congestion experienced, as a switch does; false and unchanged if its sender is not
    /// ECN-capable (RFC 3168, section 5). The IPv4 checksum follows.
    pub fn mark_ce(&mut self) -> bool {
        if self.ecn() == Ecn::NotEct {
            return false;
        }
        self.set_traffic_class(self.traffic_class() | Ecn::Ce.bits());
        if let Ip::V4(ip) = self {
            ip.checksum = ip.computed_checksum();
        }
        true
    }
    /// Protocol of what follows.
    pub fn protocol(&self) -> u8 {
        match self {
            Ip::V4(ip) => ip.protocol,
            Ip::V6(ip) => ip.next_header,
        }
    }
    /// Length of the header in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Ip::V4(ip) => ip.bytes(),
            Ip::V6(_) => Ipv6::BYTES,
        }
    }
    /// Bytes after the header, as it says.
    pub fn payload_len(&self) -> usize {
        match self {
            Ip::V4(ip) => usize::from(ip.total_len).saturating_sub(ip.bytes()),
            Ip::V6(ip) => usize::from(ip.payload_len),
        }
    }
    /// Whether this is a part of a packet. (An IPv6 fragment shows in [`Ip::protocol`]: it has a header of its own.)
    pub fn is_fragment(&self) -> bool {
        matches!(self, Ip::V4(ip) if ip.is_fragment())
    }
    /// Appends the header.
    pub fn emit(&self, out: &mut Vec<u8>) {
        match self {
            Ip::V4(ip) => ip.emit(out),
            Ip::V6(ip) => ip.emit(out),
        }
    }
}

impl fmt::Display for Ip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ip::V4(ip) => ip.fmt(f),
            Ip::V6(ip) => ip.fmt(f),
        }
    }
}

/// The Internet checksum (RFC 1071) over pieces, each of which starts at an even byte.
pub(crate) fn checksum(pieces: &[&[u8]]) -> u16 {
    let mut sum = 0u64;
    for piece in pieces {
        let (pairs, odd) = piece.as_chunks::<2>();
        sum += pairs.iter().map(|pair| u64::from(u16::from_be_bytes(*pair))).sum::<u64>();
        sum += odd.first().map_or(0, |byte| u64::from(*byte) << 8);
    }
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marking() {
        let mut ip = Ip::between("10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap()).unwrap();
        assert!(!ip.mark_ce(), "a sender without ECN is not marked");
        assert_eq!(ip.ecn(), Ecn::NotEct);
        ip.set_traffic_class(26 << 2 | Ecn::Ect0.bits());
        assert!(ip.mark_ce());
        assert_eq!((ip.dscp(), ip.ecn()), (26, Ecn::Ce));
        assert!(matches!(&ip, Ip::V4(ip) if ip.checksum == ip.computed_checksum()));
    }

    #[test]
    fn addresses_of_two_versions_have_no_header_between_them() {
        assert_eq!(Ip::between("10.0.0.1".parse().unwrap(), "::1".parse().unwrap()), None);
    }

    #[test]
    fn checksum_example_of_rfc_1071() {
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(!checksum(&[&bytes]), 0xddf2);
        assert_eq!(checksum(&[&bytes[..4], &bytes[4..]]), checksum(&[&bytes]));
    }
}
