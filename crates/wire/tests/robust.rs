//! No input panics, and what is read is written again to the byte: random bytes, damaged real packets and captures, and
//! arbitrary values of every header.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod common;

use common::{Numbers, every_opcode, extensions, fixture};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::LazyLock;
use weir_wire::capture::{CaptureReader, LinkType, PcapngWriter, summarise};
use weir_wire::icrc::{of_packet, recover_ipv4_id};
use weir_wire::{
    Bth, Ecn, Ethernet, Frame, Headers, Ip, Ipv4, Ipv6, MacAddr, MacControl, Opcode, Pfc, Psn, Qpn, Roce,
    Tag, Udp, ext,
};

/// Frames of real and written packets, to be damaged.
static FRAMES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let bytes = fixture("kernel-rxe-loss.pcap");
    let mut reader = CaptureReader::new(&bytes[..]).unwrap();
    let mut frames: Vec<Vec<u8>> = every_opcode().iter().map(Frame::to_bytes).collect();
    while let Some(packet) = reader.next_packet().unwrap() {
        frames.push(packet.bytes);
    }
    frames.push(MacControl::Pfc(Pfc::default().with(3, 7)).frame(MacAddr::local(1)));
    frames
});

/// Captures of both formats, short enough that damage meets headers often.
static CAPTURES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let classic = fixture("kernel-rxe.pcap")[..8000].to_vec();
    let mut writer = PcapngWriter::new(Vec::new()).unwrap();
    let one = writer.interface("one").unwrap();
    let two = writer.interface_of(LinkType::RAW_IP, "two", Some(1)).unwrap();
    for (i, frame) in FRAMES.iter().take(40).enumerate() {
        let (interface, skip) = if i % 2 == 0 { (one, 0) } else { (two, 14) };
        writer.frame(interface, i as u64, &frame[skip..]).unwrap();
    }
    vec![classic, writer.finish().unwrap()]
});

/// Everything that takes bytes.
fn take(bytes: &[u8]) {
    if let Ok(frame) = Frame::parse(bytes) {
        assert_eq!(frame.to_bytes(), bytes, "what is read is written again");
        assert_eq!(frame.clone().into_owned(), frame);
        let _ = frame.to_string();
    }
    if let Ok(Some(roce)) = Roce::parse(bytes) {
        let mut out = Vec::new();
        roce.emit(&mut out);
        assert_eq!(out, bytes[..out.len()]);
        let _ = (roce.icrc_ok(), roce.to_string());
        let mut sealed = roce.clone();
        assert!(sealed.seal().is_ok(), "no longer than what was read");
    }
    if let Ok(ip) = Ip::parse(bytes) {
        let mut out = Vec::new();
        ip.emit(&mut out);
        assert_eq!(out, bytes[..ip.bytes()]);
        let udp = Udp::parse(bytes).unwrap();
        let _ = (ip.to_string(), udp.computed_checksum(&ip, bytes));
        if let Ip::V4(ip) = &ip {
            let _ = (ip.computed_checksum(), recover_ipv4_id(ip, &udp, bytes, 1));
        }
    }
    let _ = of_packet(bytes);
    let _ = MacControl::parse(bytes);
    for link in [0, 1, 12, 101, 113, 228, 229, 276] {
        let _ = LinkType(link).body(bytes);
    }
    let headers = bytes.first_chunk().map_or(0, |bytes| u16::from_be_bytes(*bytes));
    let _ = ext::Extensions::parse(bytes, Headers::from_bits_truncate(headers)).map(|ext| ext.to_string());
}

/// Reads a capture to its end or to its damage.
fn take_capture(bytes: &[u8]) {
    let Ok(mut reader) = CaptureReader::new(bytes) else { return };
    let mut kept = 0;
    while let Ok(Some(packet)) = reader.next_packet() {
        kept += packet.bytes.len();
        assert!(packet.interface < reader.interfaces().len());
    }
    assert!(kept <= bytes.len() && reader.offset() <= bytes.len() as u64);
    assert!(matches!(reader.next_packet(), Ok(None)), "nothing comes after an end or an error");
    let summary = summarise(bytes).unwrap();
    assert_eq!(summary.roce_packets, summary.icrc_ok + summary.icrc_bad + summary.icrc_unchecked);
    let told = summary.roce_packets + summary.malformed + summary.other + summary.pfc + summary.pause;
    assert_eq!(summary.packets, told, "each packet is counted as one thing");
    assert_eq!(summary.roce_packets, summary.flows.iter().map(|flow| flow.packets).sum::<u64>());
}

/// Places and what to write there.
fn damage() -> impl Strategy<Value = Vec<(usize, u8)>> {
    vec((any::<usize>(), any::<u8>()), 0..6)
}

fn apply(bytes: &mut [u8], damage: &[(usize, u8)], within: usize) {
    let within = within.min(bytes.len());
    for (place, byte) in damage {
        if within > 0 {
            bytes[place % within] = *byte;
        }
    }
}

prop_compose! {
    fn any_ip()(
        v6: bool, class: u8, id: u16, fragment_top: u8, ttl: u8, checksum: u16, flow in 0u32..1 << 20,
        src: u128, dst: u128, options in vec(any::<[u8; 4]>(), 0..=10),
    ) -> Ip {
        if v6 {
            let (src, dst) = (src.into(), dst.into());
            let (traffic_class, flow_label, hop_limit) = (class, flow, ttl);
            Ip::V6(Ipv6 { traffic_class, flow_label, hop_limit, ..Ipv6::udp(src, dst) })
        } else {
            let (src, dst) = ((src as u32).into(), (dst as u32).into());
            // Reserved bit and don't fragment; another value would be a fragment.
            let fragment = u16::from(fragment_top >> 6) << 14;
            Ip::V4(Ipv4 { tos: class, id, fragment, ttl, checksum, options: options.concat(), ..Ipv4::udp(src, dst) })
        }
    }
}

prop_compose! {
    fn any_bth()(bytes: [u8; 12]) -> Bth {
        Bth::from_bytes(&bytes)
    }
}

prop_compose! {
    fn any_frame()(
        ip in any_ip(), bth in any_bth(), known: bool, choice: usize, seed: u64, port: u16,
        payload in vec(any::<u8>(), 0..80), tags in vec((any::<bool>(), any::<u16>()), 0..4),
        addresses: [[u8; 6]; 2], pad: [u8; 3], icrc: Option<u32>, udp_checksum: u16,
    ) -> Frame<'static> {
        let mut bth = bth;
        if known {
            bth.opcode = Opcode::ALL[choice % Opcode::ALL.len()];
        }
        let ext = extensions(bth.opcode.headers().unwrap_or(Headers::empty()), &mut Numbers(seed));
        let mut roce = Roce::new(ip, port, bth, ext, payload).unwrap();
        // What a sender need not do right: pad of zeros, checksum, ICRC.
        let n = usize::from(roce.bth.pad);
        roce.pad[..n].copy_from_slice(&pad[..n]);
        roce.udp.checksum = udp_checksum;
        roce.icrc = icrc.unwrap_or_else(|| roce.computed_icrc());
        let tag = |(service, tci): (bool, u16)| Tag {
            tpid: if service { weir_wire::eth::SERVICE_VLAN } else { weir_wire::eth::VLAN },
            pcp: (tci >> 13) as u8, dei: tci & 0x1000 != 0, vid: tci & 0xfff,
        };
        let tags = tags.into_iter().map(tag).collect();
        let [dst, src] = addresses.map(MacAddr);
        Frame::roce(Ethernet { dst, src, tags, ethertype: 0 }, roce)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(bytes in vec(any::<u8>(), 0..200)) {
        take(&bytes);
        take_capture(&bytes);
    }

    /// Random bytes behind headers that lead to the depths.
    #[test]
    fn random_bytes_behind_right_headers(bytes in vec(any::<u8>(), 0..120), v6: bool, opcode: u8) {
        let ip = if v6 {
            Ip::between([0u8; 16].into(), [1u8; 16].into())
        } else {
            Ip::between([0u8; 4].into(), [1u8; 4].into())
        };
        let mut packet = Vec::new();
        let bth = Bth::new(Opcode(opcode), Qpn::new(1), Psn::new(1));
        let roce = Roce::new(ip.unwrap(), 1, bth, Default::default(), &bytes[..]).unwrap();
        roce.emit(&mut packet);
        take(&packet);
        let mut frame = vec![0; 12];
        frame.extend(if v6 { [0x86, 0xdd] } else { [0x08, 0x00] });
        frame.extend(packet);
        take(&frame);
    }

    #[test]
    fn damaged_packets(which: usize, damage in damage(), keep: Option<usize>, within in 1usize..120) {
        let mut bytes = FRAMES[which % FRAMES.len()].clone();
        apply(&mut bytes, &damage, within);
        if let Some(keep) = keep {
            bytes.truncate(keep % (bytes.len() + 1));
        }
        take(&bytes);
        take(bytes.get(14..).unwrap_or(&[]));
    }

    #[test]
    fn damaged_captures(which: usize, damage in damage(), keep: Option<usize>, within in 24usize..9000) {
        let mut bytes = CAPTURES[which % CAPTURES.len()].clone();
        apply(&mut bytes, &damage, within);
        if let Some(keep) = keep {
            bytes.truncate(keep % (bytes.len() + 1));
        }
        take_capture(&bytes);
    }

    /// Any frame, right or wrong in what a sender may get wrong, comes back as it was; and its bytes too.
    #[test]
    fn any_frame_comes_back(frame in any_frame()) {
        let bytes = frame.to_bytes();
        let again = Frame::parse(&bytes).unwrap();
        prop_assert_eq!(&again, &frame);
        prop_assert_eq!(again.to_bytes(), bytes);
    }

    /// A right packet is no longer right with any bit changed that the ICRC covers, and still is with one that it does not;
    /// the identification comes back from the ICRC.
    #[test]
    fn the_icrc_covers_what_it_should(frame in any_frame(), place: usize) {
        let weir_wire::Body::Roce(mut roce) = frame.body else { unreachable!("made of RoCEv2") };
        roce.icrc = roce.computed_icrc();
        let mut bytes = Vec::new();
        roce.emit(&mut bytes);
        let (body, start) = (bytes.len() - 4, roce.ip.bytes() + 8);
        if let Ip::V4(ip) = &roce.ip {
            let id = recover_ipv4_id(ip, &roce.udp, &bytes[start..body], roce.icrc);
            prop_assert_eq!(id, Some(ip.id));
        }
        let bit = place % ((body - start) * 8) + start * 8;
        bytes[bit / 8] ^= 1 << (bit % 8);
        let still = of_packet(&bytes[..body]) == Some(roce.icrc);
        prop_assert_eq!(still, bit / 8 == start + 4, "bit {}", bit);
    }

    #[test]
    fn marking_keeps_the_packet_right(frame in any_frame()) {
        let weir_wire::Body::Roce(mut roce) = frame.body else { unreachable!("made of RoCEv2") };
        roce.seal().unwrap();
        let capable = roce.ip.ecn() != Ecn::NotEct;
        prop_assert_eq!(roce.ip.mark_ce(), capable);
        prop_assert!(roce.icrc_ok());
        prop_assert_eq!(roce.udp.checksum, 0, "a checksum of what it was before would be wrong");
        if let Ip::V4(ip) = &roce.ip {
            prop_assert_eq!(ip.checksum, ip.computed_checksum());
        }
    }

    #[test]
    fn any_mac_control_comes_back(bytes in vec(any::<u8>(), 0..50)) {
        let mut frame = MacAddr::MAC_CONTROL.0.to_vec();
        frame.extend([2, 0, 0, 0, 0, 1, 0x88, 0x08, bytes.first().copied().unwrap_or(0) & 1, 1]);
        frame.extend(&bytes);
        match Frame::parse(&frame) {
            Ok(read) => prop_assert_eq!(read.to_bytes(), frame),
            Err(error) => prop_assert!(bytes.len() < 18, "{}", error),
        }
    }
}
