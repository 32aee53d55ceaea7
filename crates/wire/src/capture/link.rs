//! Link types: what the bytes of a captured packet begin with.

use crate::error::{Reader, WireError};
use crate::eth::{self, Ethernet, Tag};
use crate::frame::Body;

/// A link type of the registry that pcap and pcapng share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkType(pub u16);

impl LinkType {
    /// Ethernet.
    pub const ETHERNET: LinkType = LinkType(1);
    /// IPv4 or IPv6, told by the version.
    pub const RAW_IP: LinkType = LinkType(101);
    /// Linux cooked capture: what `tcpdump -i any` used to write.
    pub const LINUX_SLL: LinkType = LinkType(113);
    /// IPv4.
    pub const IPV4: LinkType = LinkType(228);
    /// IPv6.
    pub const IPV6: LinkType = LinkType(229);
    /// Linux cooked capture, version 2: what `tcpdump -i any` writes.
    pub const LINUX_SLL2: LinkType = LinkType(276);

    /// What a packet of this link type carries, and what comes after it; `None` for a link type not listed here.
    #[allow(clippy::type_complexity, reason = "body and trailer, as of Body::parse")]
    pub fn body(self, bytes: &[u8]) -> Option<Result<(Body<'_>, &[u8]), WireError>> {
        let mut r = Reader::new(bytes);
        let ethertype = match self {
            LinkType::ETHERNET => Ethernet::read(&mut r).map(|header| header.ethertype),
            // 12 and 14: raw IP as some systems numbered it in their files.
            LinkType::RAW_IP | LinkType(12) | LinkType(14) => {
                Ok(if bytes.first().is_some_and(|first| first >> 4 == 6) { eth::IPV6 } else { eth::IPV4 })
            }
            LinkType::IPV4 => Ok(eth::IPV4),
            LinkType::IPV6 => Ok(eth::IPV6),
            // Packet type, hardware type, address length, address (8), then the EtherType.
            LinkType::LINUX_SLL => r
                .take("Linux cooked header", 14)
                .and_then(|_| Tag::read_all(&mut r, "Linux cooked protocol"))
                .map(|(_, ethertype)| ethertype),
            LinkType::LINUX_SLL2 => sll2(&mut r),
            _ => return None,
        };
        Some(ethertype.and_then(|ethertype| Body::read(&mut r, ethertype)))
    }
}

/// The EtherType comes first, then reserved bytes, interface, hardware type, packet type, address length and address; tags
/// follow the header.
fn sll2(r: &mut Reader<'_>) -> Result<u16, WireError> {
    let ethertype = r.u16("Linux cooked protocol")?;
    r.take("Linux cooked header", 18)?;
    if !matches!(ethertype, eth::VLAN | eth::SERVICE_VLAN) {
        return Ok(ethertype);
    }
    r.take("802.1Q tag", 2)?;
    Tag::read_all(r, "EtherType").map(|(_, ethertype)| ethertype)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Extensions, Ip, Opcode, Psn, Qpn, Roce};

    fn packet(dst: &str, src: &str) -> Vec<u8> {
        let ip = Ip::between(src.parse().unwrap(), dst.parse().unwrap()).unwrap();
        let bth = crate::Bth::new(Opcode::RC_SEND_ONLY, Qpn::new(5), Psn::new(1));
        let mut out = Vec::new();
        Roce::new(ip, 1, bth, Extensions::default(), &b"data"[..]).unwrap().emit(&mut out);
        out
    }

    fn is_roce(link: LinkType, bytes: &[u8]) -> bool {
        let found = link.body(bytes).unwrap();
        matches!(found, Ok((Body::Roce(roce), [])) if roce.bth.dest == Qpn::new(5) && roce.icrc_ok())
    }

    #[test]
    fn the_same_packet_on_every_link() {
        let (v4, v6) = (packet("10.0.0.1", "10.0.0.2"), packet("::1", "::2"));
        for raw in [LinkType::RAW_IP, LinkType(12), LinkType(14)] {
            assert!(is_roce(raw, &v4) && is_roce(raw, &v6));
        }
        assert!(is_roce(LinkType::IPV4, &v4) && is_roce(LinkType::IPV6, &v6));
        let sll = |before: &[u8]| [&[0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0], before, &v4[..]].concat();
        assert!(is_roce(LinkType::LINUX_SLL, &sll(&[8, 0])));
        assert!(is_roce(LinkType::LINUX_SLL, &sll(&[0x81, 0, 0x60, 1, 8, 0])));
        let sll2 = |kind: [u8; 2], tag: &[u8]| [&kind[..], &[0; 18], tag, &v6[..]].concat();
        assert!(is_roce(LinkType::LINUX_SLL2, &sll2([0x86, 0xdd], &[])));
        assert!(is_roce(LinkType::LINUX_SLL2, &sll2([0x81, 0], &[0x60, 1, 0x86, 0xdd])));
        assert_eq!(LinkType(147).body(&v4), None);
    }

    #[test]
    fn cut_headers_are_errors() {
        assert!(LinkType::LINUX_SLL.body(&[0; 15]).unwrap().is_err());
        assert!(LinkType::LINUX_SLL2.body(&[0; 19]).unwrap().is_err());
        assert!(LinkType::RAW_IP.body(&[]).unwrap().is_err());
    }
}
