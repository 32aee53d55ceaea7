//! A RoCEv2 packet, from the IP header to the ICRC.

use crate::cnp::{CNP_DSCP, CNP_RESERVED_BYTES, cnp};
use crate::error::{Reader, SealError, WireError};
use crate::icrc::{ICRC_BYTES, icrc, of_packet};
use crate::ip::{Ecn, Ip, UDP};
use crate::{Bth, Extensions, Headers, Ipv6, Qpn, ROCE_PORT, Udp};
use std::borrow::Cow;
use std::fmt;

/// A RoCEv2 packet with its IP and UDP headers. Parsed ones borrow their payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roce<'a> {
    /// IP header.
    pub ip: Ip,
    /// UDP header.
    pub udp: Udp,
    /// Base transport header.
    pub bth: Bth,
    /// Extension headers.
    pub ext: Extensions,
    /// Payload without pad; for a CNP its 16 reserved bytes; after an unknown opcode everything up to the pad.
    pub payload: Cow<'a, [u8]>,
    /// Pad bytes as found: the first [`Bth::pad`] of these, the others are zero.
    pub pad: [u8; 3],
    /// ICRC as found, as a number of which the wire has the little-endian bytes.
    pub icrc: u32,
}

impl<'a> Roce<'a> {
    /// A packet, sealed: pad, lengths, checksum and ICRC are set as [`Roce::seal`] does.
    pub fn new(
        ip: Ip,
        src_port: u16,
        bth: Bth,
        ext: Extensions,
        payload: impl Into<Cow<'a, [u8]>>,
    ) -> Result<Self, SealError> {
        let (udp, payload) = (Udp::roce(src_port), payload.into());
        let mut packet = Self { ip, udp, bth, ext, payload, pad: [0; 3], icrc: 0 };
        packet.seal()?;
        Ok(packet)
    }

    /// A congestion notification packet to a flow's sender, sealed, with the customary DSCP and not ECN-capable, so that it
    /// is never itself marked.
    pub fn cnp(mut ip: Ip, src_port: u16, dest: Qpn) -> Result<Self, SealError> {
        ip.set_traffic_class(CNP_DSCP << 2 | Ecn::NotEct.bits());
        Self::new(ip, src_port, cnp(dest), Extensions::default(), &[0; CNP_RESERVED_BYTES][..])
    }

    /// Reads a packet that starts with an IP header and ends with the ICRC or later. `Ok(None)`: it is IP, and not RoCEv2
    /// (another protocol or port, or a fragment).
    pub fn parse(bytes: &'a [u8]) -> Result<Option<Self>, WireError> {
        let version = bytes.first().map_or(4, |first| first >> 4);
        Self::read(&mut Reader::new(bytes), version)
    }

    pub(crate) fn read(r: &mut Reader<'a>, version: u8) -> Result<Option<Self>, WireError> {
        let start = r.at();
        let ip = Ip::read(r, version)?;
        if ip.protocol() != UDP || ip.is_fragment() {
            return Ok(None);
        }
        let offset = r.at();
        let udp = Udp::read(r)?;
        if udp.dst_port != ROCE_PORT {
            return Ok(None);
        }
        // The ICRC ends the datagram, so the two lengths must agree on where that is.
        let said = match &ip {
            Ip::V4(ip) => usize::from(ip.total_len),
            Ip::V6(ip) => usize::from(ip.payload_len) + Ipv6::BYTES,
        };
        if said < offset - start + Udp::BYTES {
            let (field, place) = match &ip {
                Ip::V4(_) => ("IPv4 total length", start + 2),
                Ip::V6(_) => ("IPv6 payload length", start + 4),
            };
            let expected = "room for the UDP header";
            return Err(WireError::Value { field, offset: place, found: said as u32, expected });
        }
        if usize::from(udp.len) != ip.payload_len() {
            let (field, found) = ("UDP length", u32::from(udp.len));
            let expected = "the length of the IP payload";
            return Err(WireError::Value { field, offset: offset + 4, found, expected });
        }
        let mut body = r.part("RoCEv2 datagram", ip.payload_len() - Udp::BYTES)?;
        let bth = Bth::read(&mut body)?;
        let ext = Extensions::read(&mut body, bth.opcode.headers().unwrap_or(Headers::empty()))?;
        let (field, needed, left) = ("pad and ICRC", usize::from(bth.pad) + ICRC_BYTES, body.left());
        let Some(payload) = left.checked_sub(needed) else {
            return Err(WireError::Short { field, offset: body.at(), needed, left });
        };
        let payload = Cow::Borrowed(body.take("payload", payload)?);
        let mut pad = [0; 3];
        pad[..usize::from(bth.pad)].copy_from_slice(body.take("pad", usize::from(bth.pad))?);
        let icrc = u32::from_le_bytes(body.array("ICRC")?);
        Ok(Some(Self { ip, udp, bth, ext, payload, pad, icrc }))
    }

    /// Sets pad (of zeros), lengths, IPv4 checksum and ICRC to what the other fields ask for, and the UDP checksum to none.
    pub fn seal(&mut self) -> Result<(), SealError> {
        self.pad = [0; 3];
        self.bth.pad = (self.payload.len().next_multiple_of(4) - self.payload.len()) as u8;
        let udp_len = Udp::BYTES + self.transport_bytes() + ICRC_BYTES;
        let (field, bytes) = match &self.ip {
            Ip::V4(ip) => ("IPv4 total length", ip.bytes() + udp_len),
            Ip::V6(_) => ("IPv6 payload length", udp_len),
        };
        let limit = usize::from(u16::MAX);
        let len = u16::try_from(bytes).map_err(|_| SealError::TooLong { field, bytes, limit })?;
        self.udp.len = udp_len as u16;
        self.udp.checksum = 0;
        match &mut self.ip {
            Ip::V4(ip) => {
                ip.total_len = len;
                ip.checksum = ip.computed_checksum();
            }
            Ip::V6(ip) => ip.payload_len = len,
        }
        self.icrc = self.computed_icrc();
        Ok(())
    }

    /// Bytes from the BTH to the pad, without ICRC.
    pub fn transport_bytes(&self) -> usize {
        Bth::BYTES + self.ext.headers().bytes() + self.payload.len() + usize::from(self.bth.pad & 3)
    }

    /// Bytes from the IP header to the ICRC.
    pub fn bytes(&self) -> usize {
        self.ip.bytes() + Udp::BYTES + self.transport_bytes() + ICRC_BYTES
    }

    /// From the BTH on: headers, payload and pad, without ICRC.
    fn emit_transport(&self, out: &mut Vec<u8>) {
        self.bth.emit(out);
        self.ext.emit(out);
        out.extend_from_slice(&self.payload);
        out.extend_from_slice(&self.pad[..usize::from(self.bth.pad & 3)]);
    }

    /// The ICRC that the packet should have.
    pub fn computed_icrc(&self) -> u32 {
        let mut transport = Vec::with_capacity(self.transport_bytes());
        self.emit_transport(&mut transport);
        icrc(&self.ip, &self.udp, &transport)
    }

    /// Whether the ICRC is right.
    pub fn icrc_ok(&self) -> bool {
        self.icrc == self.computed_icrc()
    }

    /// Appends the packet from the IP header to the ICRC, every field as it is.
    pub fn emit(&self, out: &mut Vec<u8>) {
        self.ip.emit(out);
        self.udp.emit(out);
        self.emit_transport(out);
        out.extend_from_slice(&self.icrc.to_le_bytes());
    }

    /// Appends the packet with the ICRC computed over what was appended: for senders that build packets field by field and
    /// would otherwise copy the payload twice.
    pub fn emit_with_icrc(&self, out: &mut Vec<u8>) {
        let start = out.len();
        self.ip.emit(out);
        self.udp.emit(out);
        self.emit_transport(out);
        // What was just emitted has whole headers, so the fallback is not reached.
        let icrc = of_packet(&out[start..]).unwrap_or(self.icrc);
        out.extend_from_slice(&icrc.to_le_bytes());
    }

    /// Whether this is a congestion notification packet.
    pub fn is_cnp(&self) -> bool {
        self.bth.opcode.is_cnp()
    }

    /// The same packet with a payload of its own.
    pub fn into_owned(self) -> Roce<'static> {
        let Roce { ip, udp, bth, ext, payload, pad, icrc } = self;
        Roce { ip, udp, bth, ext, payload: Cow::Owned(payload.into_owned()), pad, icrc }
    }
}

impl fmt::Display for Roce<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}, {}", self.ip, self.udp, self.bth)?;
        if !self.ext.headers().is_empty() {
            write!(f, ", {}", self.ext)?;
        }
        write!(f, ", {} bytes, ICRC 0x{:08x}", self.payload.len(), self.icrc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ipv4, Opcode, Psn};

    fn between() -> Ip {
        Ip::V4(Ipv4::udp([10, 0, 17, 1].into(), [10, 0, 18, 1].into()))
    }

    /// The packet whose ICRC Scapy's tests publish: UC SEND only, 20 bytes of which 2 are pad.
    #[test]
    fn a_published_packet() {
        let mut ip = Ipv4::udp([192, 168, 0, 7].into(), [192, 168, 0, 7].into());
        (ip.id, ip.tos) = (1144, 1);
        let bth = Bth::new(Opcode::UC_SEND_ONLY, Qpn::new(211), Psn::new(13_571_856));
        let payload: &[u8] = &[
            0x46, 0x30, 0x81, 0x8b, 0xe2, 0x89, 0x35, 0xd9, 0x0e, 0x9a, 0x95, 0x50, 0x54, 0x01, 0xbe, 0x88,
            0x5e, 0x50,
        ];
        let packet = Roce::new(Ip::V4(ip), 49152, bth, Extensions::default(), payload).unwrap();
        assert_eq!(packet.bth.pad, 2);
        let mut bytes = Vec::new();
        packet.emit(&mut bytes);
        assert_eq!(bytes.len(), packet.bytes());
        assert_eq!(bytes[bytes.len() - 6..], [0, 0, 0x78, 0xf3, 0x53, 0xf3]);
        let mut fast = Vec::new();
        Roce { icrc: 0, ..packet.clone() }.emit_with_icrc(&mut fast);
        assert_eq!(fast, bytes);
        assert_eq!(Roce::parse(&bytes), Ok(Some(packet)));
    }

    #[test]
    fn the_cnp_of_a_connectx_4_lx() {
        let mut packet = Roce::cnp(between(), 0, Qpn::new(0x118)).unwrap();
        assert_eq!((packet.ip.dscp(), packet.ip.ecn(), packet.bytes()), (48, Ecn::NotEct, 60));
        // It does not set MigReq, and its identification is its own.
        packet.bth.mig_req = false;
        if let Ip::V4(ip) = &mut packet.ip {
            ip.id = 0x718c;
        }
        packet.seal().unwrap();
        assert_eq!(packet.icrc.to_le_bytes(), [0x82, 0xfd, 0x00, 0x2a]);
        assert!(packet.is_cnp() && packet.icrc_ok());
    }

    #[test]
    fn other_ip_is_not_roce_and_damaged_roce_is_an_error() {
        let packet = Roce::cnp(between(), 0, Qpn::new(1)).unwrap();
        let mut bytes = Vec::new();
        packet.emit(&mut bytes);
        let with = |at: usize, value: u8| {
            let mut changed = bytes.clone();
            changed[at] = value;
            Roce::parse(&changed).map(|found| found.is_some())
        };
        assert_eq!(with(9, 6), Ok(false), "TCP");
        assert_eq!(with(22, 0), Ok(false), "another port");
        assert_eq!(with(6, 0x20), Ok(false), "first fragment");
        let error = |field, offset, found, expected| Err(WireError::Value { field, offset, found, expected });
        assert_eq!(with(25, 39), error("UDP length", 24, 39, "the length of the IP payload"));
        assert_eq!(with(3, 27), error("IPv4 total length", 2, 27, "room for the UDP header"));
        for n in 0..bytes.len() {
            assert!(Roce::parse(&bytes[..n]).is_err(), "cut to {n} bytes");
        }
    }

    #[test]
    fn a_payload_too_long_for_ip_says_so() {
        let bth = Bth::new(Opcode::RC_SEND_ONLY, Qpn::new(1), Psn::new(0));
        let error = Roce::new(between(), 0, bth, Extensions::default(), vec![0; 65536]).unwrap_err();
        assert!(matches!(error, SealError::TooLong { bytes: 65580, limit: 65535, .. }), "{error}");
        let largest = 65532 - 44;
        assert!(Roce::new(between(), 0, bth, Extensions::default(), vec![0; largest]).is_ok());
    }

    #[test]
    fn unknown_opcodes_keep_what_follows_as_payload() {
        let bth = Bth::new(Opcode(0xe1), Qpn::new(1), Psn::new(0));
        let packet = Roce::new(between(), 0, bth, Extensions::default(), &[1u8, 2, 3][..]).unwrap();
        let mut bytes = Vec::new();
        packet.emit(&mut bytes);
        assert_eq!(Roce::parse(&bytes), Ok(Some(packet)));
    }
}
