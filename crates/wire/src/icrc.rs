//! The invariant CRC (IBTA volume 1, 7.8.1; annex A17.3.3 for what is masked over IP).

use crate::ip::{Ip, Udp};

/// The ICRC of a packet: `transport` is everything from the BTH to the last payload or pad byte.
///
/// CRC-32 of Ethernet over eight bytes of ones (in the place of the local route header), the IP and UDP headers and the
/// transport part, with the fields that change on the way replaced by ones: type of service, time to live and header
/// checksum (traffic class, flow label and hop limit in IPv6), the UDP checksum and the byte of FECN and BECN. Sent least
/// significant byte first.
pub fn icrc(ip: &Ip, udp: &Udp, transport: &[u8]) -> u32 {
    let mut head = Vec::with_capacity(8 + 60 + 8 + 12);
    head.extend_from_slice(&[0xff; 8]);
    ip.emit(&mut head);
    match ip {
        Ip::V4(_) => {
            head[8 + 1] = 0xff;
            head[8 + 8] = 0xff;
            head[8 + 10..8 + 12].fill(0xff);
        }
        Ip::V6(_) => {
            head[8] = 0x6f;
            head[8 + 1..8 + 4].fill(0xff);
            head[8 + 7] = 0xff;
        }
    }
    Udp { checksum: 0xffff, ..*udp }.emit(&mut head);
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&head);
    match transport {
        [a, b, c, d, _, rest @ ..] => {
            hasher.update(&[*a, *b, *c, *d, 0xff]);
            hasher.update(rest);
        }
        short => hasher.update(short),
    }
    hasher.finalize()
}
