//! The IPv4 identification of a packet whose IP header was not seen.
//!
//! A UDP socket does not show the identification, which the ICRC covers and which kernels and hardware set. But the CRC is
//! linear: two packets that differ in the identification alone have CRCs that differ by the CRC polynomial's remainder of
//! that difference, shifted by all the bits that follow. So the identification can be computed from the ICRC, and the
//! packet is right if and only if what comes out fits into 16 bits. A damaged packet passes with probability 2^-16 instead
//! of 2^-32.

use super::icrc;
use crate::Ip;
use crate::ip::Ipv4;
use crate::udp::Udp;

/// The identification with which the packet's ICRC is right; `None` if there is none, so that the packet is damaged.
///
/// `ip.id` is not looked at, everything else of `ip` must be right but for what the ICRC masks: length, flags (RoCEv2 sets
/// don't fragment), protocol and addresses. `transport` is everything from the BTH to the last payload or pad byte, `found`
/// the ICRC as [`icrc`] gives it.
pub fn recover_ipv4_id(ip: &Ipv4, udp: &Udp, transport: &[u8], found: u32) -> Option<u16> {
    let zero = Ipv4 { id: 0, ..ip.clone() };
    let after = zero.bytes() - 6 + Udp::BYTES + transport.len();
    let difference = icrc(&Ip::V4(zero), udp, transport) ^ found;
    let id = unshift(difference, after + 4);
    // Bit 31 stands for x^0: an identification, 16 bits, is the high half, its first byte in the low bits.
    (id & 0xffff == 0).then_some(((id >> 16) as u16).swap_bytes())
}

/// Ethernet's CRC-32 polynomial without x^32, bit 31 standing for x^0.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// `value · x^(-8 · bytes)` modulo the polynomial.
fn unshift(mut value: u32, bytes: usize) -> u32 {
    for (i, power) in UNSHIFT.iter().enumerate() {
        if bytes >> i & 1 != 0 {
            value = multiply(value, *power);
        }
    }
    value
}

/// `x^(-8 · 2^i)`, enough for any length of a datagram.
const UNSHIFT: [u32; 18] = {
    // x^-1 is what x gives 1 when multiplied: one step of the CRC backwards from 1, eight of them for a byte.
    let mut power = 0x8000_0000;
    let mut i = 0;
    while i < 8 {
        power = divide_by_x(power);
        i += 1;
    }
    let mut table = [power; 18];
    let mut i = 1;
    while i < table.len() {
        table[i] = multiply(table[i - 1], table[i - 1]);
        i += 1;
    }
    table
};

/// `value · x`.
const fn multiply_by_x(value: u32) -> u32 {
    if value & 1 != 0 { value >> 1 ^ POLYNOMIAL } else { value >> 1 }
}

/// `value · x^-1`. The polynomial's lowest term is 1 (bit 31), so a value with that bit came from a subtraction.
const fn divide_by_x(value: u32) -> u32 {
    if value >> 31 != 0 { (value ^ POLYNOMIAL) << 1 | 1 } else { value << 1 }
}

/// `a · b`.
const fn multiply(mut a: u32, mut b: u32) -> u32 {
    let mut product = 0;
    while a != 0 {
        if a >> 31 != 0 {
            product ^= b;
        }
        a <<= 1;
        b = multiply_by_x(b);
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dividing_undoes_multiplying() {
        for value in [1, 0x8000_0000, 0xdead_beef, POLYNOMIAL, u32::MAX] {
            assert_eq!(divide_by_x(multiply_by_x(value)), value);
            assert_eq!(multiply_by_x(divide_by_x(value)), value);
            assert_eq!(multiply(value, 0x8000_0000), value, "1 is neutral");
            let shifted = (0..24).fold(value, |value, _| multiply_by_x(value));
            assert_eq!(unshift(shifted, 3), value);
        }
    }

    #[test]
    fn the_identification_of_a_hardware_cnp() {
        let ip = Ipv4 {
            tos: 0xc2,
            total_len: 60,
            id: 0,
            ..Ipv4::udp([10, 0, 17, 1].into(), [10, 0, 18, 1].into())
        };
        let udp = Udp { len: 40, ..Udp::roce(0) };
        let mut transport = vec![0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0, 0, 0, 0];
        transport.resize(28, 0);
        let found = u32::from_le_bytes([0x82, 0xfd, 0x00, 0x2a]);
        assert_eq!(recover_ipv4_id(&ip, &udp, &transport, found), Some(0x718c));
        // One bit wrong anywhere else, and no identification explains it.
        for bit in 0..32 {
            assert_eq!(recover_ipv4_id(&ip, &udp, &transport, found ^ 1 << bit), None);
        }
        transport[7] ^= 1;
        assert_eq!(recover_ipv4_id(&ip, &udp, &transport, found), None);
    }
}
