//! The invariant CRC (IBTA volume 1, 7.8.1; annex A17.3.3 for what is masked over IP).
//!
//! CRC-32 of Ethernet over eight bytes of ones (in the place of the local route header), the IP header, the UDP header and
//! everything from the BTH to the last payload or pad byte, with the fields that change on the way replaced by ones:
//!
//! * IPv4: type of service, time to live, header checksum; IPv6: traffic class, flow label, hop limit;
//! * the UDP checksum;
//! * the BTH's fifth byte: FECN, BECN and six reserved bits.
//!
//! It is sent least significant byte first, after the pad.

mod recover;

pub use recover::recover_ipv4_id;

use crate::bth::Bth;
use crate::ip::{Ip, Ipv4, Ipv6};
use crate::udp::Udp;

/// Length of the ICRC in bytes.
pub const ICRC_BYTES: usize = 4;

/// The ICRC of a packet: `transport` is everything from the BTH to the last payload or pad byte.
///
/// As a number of which the wire has the little-endian bytes.
pub fn icrc(ip: &Ip, udp: &Udp, transport: &[u8]) -> u32 {
    match ip {
        Ip::V4(ip) => {
            let mut head = ip.head_bytes();
            mask_v4(&mut head);
            of_pieces(&head, ip.options_emitted(), udp.to_bytes(), transport)
        }
        Ip::V6(ip) => {
            let mut head = ip.to_bytes();
            mask_v6(&mut head);
            of_pieces(&head, &[], udp.to_bytes(), transport)
        }
    }
}

/// The ICRC of a packet as bytes: `packet` begins with the IP header and ends before the ICRC. `None` if it is too short
/// to hold IP and UDP headers of the version that its first byte says.
pub fn of_packet(packet: &[u8]) -> Option<u32> {
    match packet.first()? >> 4 {
        4 => {
            let (head, rest) = packet.split_first_chunk::<{ Ipv4::BYTES }>()?;
            let options = usize::from(head[0] & 15).checked_sub(5)? * 4;
            let (options, rest) = rest.split_at_checked(options)?;
            let (udp, transport) = rest.split_first_chunk::<{ Udp::BYTES }>()?;
            let mut head = *head;
            mask_v4(&mut head);
            Some(of_pieces(&head, options, *udp, transport))
        }
        6 => {
            let (head, rest) = packet.split_first_chunk::<{ Ipv6::BYTES }>()?;
            let (udp, transport) = rest.split_first_chunk::<{ Udp::BYTES }>()?;
            let mut head = *head;
            mask_v6(&mut head);
            Some(of_pieces(&head, &[], *udp, transport))
        }
        _ => None,
    }
}

fn mask_v4(head: &mut [u8; Ipv4::BYTES]) {
    head[1] = 0xff; // type of service
    head[8] = 0xff; // time to live
    head[10] = 0xff; // checksum
    head[11] = 0xff;
}

fn mask_v6(head: &mut [u8; Ipv6::BYTES]) {
    head[0] = 0x6f; // version stays; traffic class and flow label
    head[1] = 0xff;
    head[2] = 0xff;
    head[3] = 0xff;
    head[7] = 0xff; // hop limit
}

/// Over a masked IP header, its options, a UDP header that is masked here, and the transport part.
fn of_pieces(ip: &[u8], options: &[u8], mut udp: [u8; Udp::BYTES], transport: &[u8]) -> u32 {
    udp[6] = 0xff; // checksum
    udp[7] = 0xff;
    let mut hasher = crc32fast::Hasher::new();
    // One piece for the common case: the CRC is faster over few long pieces than over many short ones.
    let mut head = [0xffu8; 8 + Ipv6::BYTES];
    let head = &mut head[..8 + ip.len()];
    head[8..].copy_from_slice(ip);
    hasher.update(head);
    hasher.update(options);
    hasher.update(&udp);
    match transport.split_first_chunk::<{ Bth::BYTES }>() {
        Some((bth, rest)) => {
            let mut bth = *bth;
            bth[4] = 0xff; // FECN, BECN, reserved
            hasher.update(&bth);
            hasher.update(rest);
        }
        None => hasher.update(transport),
    }
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        let hex: Vec<u8> = hex.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
        let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        hex.chunks(2).map(pair).collect()
    }

    /// A congestion notification packet of a ConnectX-4 Lx, published with its ICRC (Scapy's tests).
    #[test]
    fn hardware_cnp() {
        let packet = bytes(
            "45c2003c718c4000401191610a0011010a001201 000012b700280000 8100ffff4000011800000000
             00000000000000000000000000000000",
        );
        assert_eq!(of_packet(&packet).unwrap().to_le_bytes(), [0x82, 0xfd, 0x00, 0x2a]);
        let ip = Ip::parse(&packet).unwrap();
        let udp = Udp::parse(&packet[20..]).unwrap();
        assert_eq!(icrc(&ip, &udp, &packet[28..]).to_le_bytes(), [0x82, 0xfd, 0x00, 0x2a]);
    }

    /// What may change on the way does not count; anything else does.
    #[test]
    fn masked_bits_and_no_others() {
        let v4 = bytes(
            "46c2003c718c4000401191610a0011010a00120194040000 000012b700280000 8100ffff4000011800000000 00010203",
        );
        let mut v6 =
            bytes("6ab12345002011400000000000000000000000000000000100000000000000000000000000000002");
        v6.extend(&v4[24..]);
        let masked = |packet: &[u8], transport: usize, of_ip: &[usize]| {
            for bit in 0..packet.len() * 8 {
                let mut changed = packet.to_vec();
                changed[bit / 8] ^= 1 << (bit % 8);
                let byte = bit / 8;
                let version_or_length = byte == 0 && (packet[0] >> 4 == 4 || bit >= 4);
                if version_or_length {
                    continue; // makes it another kind of packet
                }
                let free = of_ip.contains(&byte)
                    || (transport - 2..transport).contains(&byte)
                    || byte == transport + 4;
                assert_eq!(of_packet(&changed) == of_packet(packet), free, "bit {bit}");
            }
        };
        masked(&v4, 32, &[1, 8, 10, 11]);
        masked(&v6, 48, &[0, 1, 2, 3, 7]);
    }

    #[test]
    fn too_short_for_headers() {
        for n in 0..28 {
            assert_eq!(of_packet(&[0x45; 28][..n]), None);
        }
        assert!(of_packet(&[0x45; 28]).is_some());
        assert_eq!(of_packet(&[0x4f; 60]), None, "options say 60 bytes, and then there is no UDP");
        assert_eq!(of_packet(&[0x60; 47]), None);
        assert_eq!(of_packet(&[0x10; 99]), None);
    }
}
