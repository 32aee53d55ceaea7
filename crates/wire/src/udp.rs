//! The UDP header (RFC 768).

use crate::header::{be16, fixed_header, join};
use crate::ip::{Ip, UDP, checksum};
use std::fmt;

/// UDP destination port of RoCEv2 (IBTA annex A17).
pub const ROCE_PORT: u16 = 4791;

/// A UDP header, 8 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Udp {
    /// Source port: entropy for ECMP, constant for a queue pair; 0xC000 to 0xFFFF by habit.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// Length in bytes, this header included.
    pub len: u16,
    /// Checksum as found. RoCEv2 senders leave it 0: the ICRC protects the packet.
    pub checksum: u16,
}

fixed_header!(Udp, 8, "UDP header");

impl Udp {
    /// A header to RoCEv2's port, length to come.
    pub const fn roce(src_port: u16) -> Self {
        Self { src_port, dst_port: ROCE_PORT, len: 0, checksum: 0 }
    }

    /// From its bytes.
    pub const fn from_bytes(bytes: &[u8; 8]) -> Self {
        Self {
            src_port: be16(bytes, 0),
            dst_port: be16(bytes, 2),
            len: be16(bytes, 4),
            checksum: be16(bytes, 6),
        }
    }

    /// The header's bytes.
    pub fn to_bytes(&self) -> [u8; 8] {
        join(&[
            &self.src_port.to_be_bytes(),
            &self.dst_port.to_be_bytes(),
            &self.len.to_be_bytes(),
            &self.checksum.to_be_bytes(),
        ])
    }

    /// The checksum that the datagram would have if its sender computed one, over the pseudo header (RFC 768; RFC 8200,
    /// section 8.1), this header and `payload`.
    pub fn computed_checksum(&self, ip: &Ip, payload: &[u8]) -> u16 {
        let header = Udp { checksum: 0, ..*self }.to_bytes();
        let tail = [0, UDP, self.len.to_be_bytes()[0], self.len.to_be_bytes()[1]];
        let sum = match ip {
            Ip::V4(ip) => checksum(&[&ip.src.octets(), &ip.dst.octets(), &tail, &header, payload]),
            Ip::V6(ip) => checksum(&[&ip.src.octets(), &ip.dst.octets(), &tail, &header, payload]),
        };
        // 0 would say that there is none.
        if sum == 0 { 0xffff } else { sum }
    }
}

impl fmt::Display for Udp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UDP {} > {} length {}", self.src_port, self.dst_port, self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ipv4;

    #[test]
    fn a_kernels_header() {
        let bytes = [0xc1, 0x21, 0x12, 0xb7, 0x04, 0x18, 0x00, 0x00];
        let udp = Udp::parse(&bytes).unwrap();
        assert_eq!(udp, Udp { src_port: 0xc121, dst_port: ROCE_PORT, len: 1048, checksum: 0 });
        assert_eq!(udp.to_bytes(), bytes);
        assert_eq!(udp.to_string(), "UDP 49441 > 4791 length 1048");
        assert!(Udp::parse(&bytes[..7]).is_err());
    }

    #[test]
    fn a_right_checksum_sums_to_zero() {
        let ip = Ip::V4(Ipv4::udp([192, 168, 0, 7].into(), [192, 168, 0, 7].into()));
        let mut udp = Udp { len: 11, ..Udp::roce(49152) };
        udp.checksum = udp.computed_checksum(&ip, b"abc");
        let pseudo = [192, 168, 0, 7, 192, 168, 0, 7, 0, 17, 0, 11];
        assert_eq!(checksum(&[&pseudo, &udp.to_bytes(), b"abc"]), 0);
    }
}
