//! What Weir reads is what tshark reads, and what Weir writes tshark decodes with nothing malformed and the same values.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod common;

use common::{Scratch, every_opcode, fixture, fixture_path, tshark};
use std::collections::BTreeMap;
use weir_wire::capture::{CaptureReader, LinkType, PcapngWriter, summarise};
use weir_wire::opcode::Service;
use weir_wire::{Body, Frame, Ip, MacAddr, MacControl, Opcode, Pause, Pfc, Qpn, Roce};

/// A frame for every opcode but RD's: tshark takes those for the Dynamically Connected transport of one manufacturer, which
/// uses RD's opcodes and has 8 bytes more after the BTH. No part of Weir sends RD; reading it is tested in `robust.rs`.
fn written() -> Vec<Frame<'static>> {
    let is_rd = |frame: &Frame<'_>| matches!(&frame.body, Body::Roce(roce) if roce.bth.opcode.service() == Service::Rd);
    every_opcode().into_iter().filter(|frame| !is_rd(frame)).collect()
}

/// The two captures of Linux kernels: every field of every packet.
#[test]
fn kernel_captures_field_by_field() {
    for name in ["kernel-rxe.pcap", "kernel-rxe-loss.pcap"] {
        let bytes = fixture(name);
        let mut reader = CaptureReader::new(&bytes[..]).unwrap();
        let mut frames = Vec::new();
        while let Some(packet) = reader.next_packet().unwrap() {
            frames.push(Frame::parse(&packet.bytes).unwrap().into_owned());
        }
        same_fields(&fixture_path(name), &frames);
    }
}

#[test]
fn kernel_captures_in_figures() {
    for name in ["kernel-rxe.pcap", "kernel-rxe-loss.pcap"] {
        let summary = summarise(&fixture(name)[..]).unwrap();
        let fields =
            ["ip.src", "ip.dst", "infiniband.bth.destqp", "infiniband.bth.opcode", "frame.time_epoch"];
        let lines = tshark(&fixture_path(name), "infiniband", &fields);
        assert_eq!(summary.roce_packets, lines.len() as u64);
        let mut opcodes: BTreeMap<u8, u64> = BTreeMap::new();
        let mut flows: BTreeMap<(String, String, String), (u64, u64, u64)> = BTreeMap::new();
        for line in &lines {
            *opcodes.entry(line[3].parse().unwrap()).or_default() += 1;
            let (seconds, fraction) = line[4].split_once('.').unwrap();
            let at: u64 = format!("{seconds}{fraction:0<9}").parse().unwrap();
            let flow =
                flows.entry((line[0].clone(), line[1].clone(), line[2].clone())).or_insert((0, at, at));
            *flow = (flow.0 + 1, flow.1.min(at), flow.2.max(at));
        }
        let named = opcodes.iter().map(|(code, n)| (Opcode(*code).to_string(), *n)).collect();
        assert_eq!(summary.opcodes, named, "{name}");
        let ours: BTreeMap<_, _> = summary
            .flows
            .iter()
            .map(|flow| {
                let key = (flow.src.clone(), flow.dst.clone(), format!("0x{:06x}", flow.dest_qpn));
                (key, (flow.packets, flow.first_ns.unwrap(), flow.last_ns.unwrap()))
            })
            .collect();
        assert_eq!(ours, flows, "{name}");
        let of_kind = |syndrome: &str| tshark(&fixture_path(name), syndrome, &["frame.number"]).len() as u64;
        let sum = |of: fn(&weir_wire::capture::FlowSummary) -> u64| summary.flows.iter().map(of).sum::<u64>();
        assert_eq!(sum(|flow| flow.naks), of_kind("infiniband.aeth.syndrome.opcode == 3"));
        assert_eq!(sum(|flow| flow.rnr_naks), of_kind("infiniband.aeth.syndrome.opcode == 1"));
        assert_eq!(summary.ce, of_kind("infiniband && ip.dsfield.ecn == 3"));
        assert_eq!(summary.malformed, of_kind("_ws.malformed"));
    }
}

/// Everything that Weir can write: each opcode over IPv4 and IPv6, with and without tags, pause, PFC and CNP.
#[test]
fn what_weir_writes() {
    let mut frames = written();
    let src = MacAddr::local(1);
    let cnp_v6 = Ip::between("fd00::1".parse().unwrap(), "fd00::2".parse().unwrap()).unwrap();
    let ethernet = frames[0].ethernet.clone();
    frames.push(Frame::roce(ethernet, Roce::cnp(cnp_v6, 0xc000, Qpn::new(0x123)).unwrap()));
    let mut control =
        vec![MacControl::Pause(Pause { quanta: 0xffff }), MacControl::Pause(Pause { quanta: 0 })];
    for priority in 0..8 {
        control.push(MacControl::Pfc(Pfc::default().with(priority, 0x1234 + u16::from(priority))));
    }
    control.push(MacControl::Pfc((0..8).fold(Pfc::default(), |pfc, p| pfc.with(p, u16::from(p) * 1000))));
    let control_frames: Vec<Vec<u8>> = control.iter().map(|control| control.frame(src)).collect();
    frames.extend(control_frames.iter().map(|bytes| Frame::parse(bytes).unwrap().into_owned()));

    let mut writer = PcapngWriter::new(Vec::new()).unwrap();
    let interfaces = ["leaf1:p1", "leaf1:p2"].map(|name| writer.interface(name).unwrap());
    for (i, frame) in frames.iter().enumerate() {
        writer.frame(interfaces[i % 2], 1_000_000_007 * i as u64, &frame.to_bytes()).unwrap();
    }
    let file = Scratch::new("written.pcapng", &writer.finish().unwrap());
    let malformed = tshark(&file.0, "_ws.malformed", &["frame.number", "_ws.col.Info"]);
    assert!(malformed.is_empty(), "{malformed:?}");
    same_fields(&file.0, &frames);

    // The capture file itself: times to the nanosecond, interfaces by name.
    let lines = tshark(&file.0, "", &["frame.time_epoch", "frame.interface_name", "frame.len"]);
    for (i, (line, frame)) in lines.iter().zip(&frames).enumerate() {
        let at = 1_000_000_007 * i as u64;
        assert_eq!(line[0], format!("{}.{:09}", at / 1_000_000_000, at % 1_000_000_000));
        assert_eq!(line[1], ["leaf1:p1", "leaf1:p2"][i % 2]);
        assert_eq!(line[2], frame.to_bytes().len().to_string());
    }

    // And our own summary of it.
    let summary = summarise(&std::fs::read(&file.0).unwrap()[..]).unwrap();
    let roce = frames.len() as u64 - control.len() as u64;
    assert_eq!((summary.packets, summary.roce_packets), (frames.len() as u64, roce));
    assert_eq!((summary.icrc_ok, summary.icrc_bad, summary.malformed), (roce, 0, 0));
    assert_eq!((summary.cnp, summary.pfc, summary.pause, summary.other), (7, 9, 2, 0));
    let ce = tshark(&file.0, "ip.dsfield.ecn == 3 || ipv6.tclass.ecn == 3", &["frame.number"]);
    assert_eq!(summary.ce, ce.len() as u64);
}

/// The same packets without an Ethernet header: links that a live capture has.
#[test]
fn raw_ip_and_cooked_links() {
    for link in [LinkType::RAW_IP, LinkType::LINUX_SLL, LinkType::LINUX_SLL2] {
        let mut writer = PcapngWriter::new(Vec::new()).unwrap();
        let interface = writer.interface_of(link, "any", None).unwrap();
        let frames = written();
        for frame in &frames {
            let Body::Roce(roce) = &frame.body else { continue };
            let ethertype = frame.ethernet.ethertype.to_be_bytes();
            let mut bytes = match link {
                LinkType::LINUX_SLL => vec![0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0],
                LinkType::LINUX_SLL2 => {
                    [&ethertype[..], &[0, 0, 0, 0, 0, 2, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0]].concat()
                }
                _ => Vec::new(),
            };
            if link == LinkType::LINUX_SLL {
                bytes.extend(ethertype);
            }
            roce.emit(&mut bytes);
            writer.frame(interface, 0, &bytes).unwrap();
        }
        let bytes = writer.finish().unwrap();
        let file = Scratch::new(&format!("link-{}.pcapng", link.0), &bytes);
        let lines = tshark(&file.0, "infiniband && !_ws.malformed", &["infiniband.bth.psn"]);
        let summary = summarise(&bytes[..]).unwrap();
        assert_eq!((summary.icrc_ok, summary.malformed), (frames.len() as u64, 0), "{link:?}");
        assert_eq!(lines.len(), frames.len(), "{link:?}");
    }
}

/// Compares each frame with what tshark says of the packet of the same place.
fn same_fields(file: &std::path::Path, frames: &[Frame<'_>]) {
    const FIELDS: &[&str] = &[
        "eth.dst",
        "eth.src",
        "vlan.id",
        "vlan.priority",
        "ip.src",
        "ip.dst",
        "ip.id",
        "ip.ttl",
        "ip.len",
        "ip.dsfield.dscp",
        "ip.dsfield.ecn",
        "ip.checksum.status",
        "ipv6.src",
        "ipv6.dst",
        "ipv6.tclass.dscp",
        "ipv6.tclass.ecn",
        "ipv6.flow",
        "ipv6.plen",
        "ipv6.hlim",
        "udp.srcport",
        "udp.dstport",
        "udp.length",
        "infiniband.bth.opcode",
        "infiniband.bth.se",
        "infiniband.bth.m",
        "infiniband.bth.padcnt",
        "infiniband.bth.tver",
        "infiniband.bth.p_key",
        "infiniband.bth.destqp",
        "infiniband.bth.a",
        "infiniband.bth.psn",
        "infiniband.rdeth.eecnxt",
        "infiniband.deth.q_key",
        "infiniband.deth.srcqp",
        "infiniband.reth.va",
        "infiniband.reth.r_key",
        "infiniband.reth.dmalen",
        "infiniband.atomiceth.swapdt",
        "infiniband.atomiceth.cmpdt",
        "infiniband.aeth.syndrome",
        "infiniband.aeth.msn",
        "infiniband.atomicacketh.origremdt",
        "infiniband.immdt",
        "infiniband.ieth",
        "infiniband.invariant.crc",
        "macc.opcode",
        "macc.pause_time",
        "macc.cbfc.enbv",
        "macc.cbfc.pause_time.c0",
        "macc.cbfc.pause_time.c1",
        "macc.cbfc.pause_time.c2",
        "macc.cbfc.pause_time.c3",
        "macc.cbfc.pause_time.c4",
        "macc.cbfc.pause_time.c5",
        "macc.cbfc.pause_time.c6",
        "macc.cbfc.pause_time.c7",
    ];
    let lines = tshark(file, "", FIELDS);
    assert_eq!(lines.len(), frames.len());
    for (number, (line, frame)) in lines.iter().zip(frames).enumerate() {
        let theirs: BTreeMap<&str, String> = FIELDS
            .iter()
            .zip(line)
            .filter(|(_, value)| !value.is_empty())
            .map(|(field, value)| (*field, value.clone()))
            .collect();
        assert_eq!(theirs, our_fields(frame), "packet {}: {frame}", number + 1);
    }
}

/// The values of a frame's fields as tshark writes them. Of XRC packets and CNPs only up to the BTH: this tshark does not
/// know those opcodes, and shows what follows as data.
fn our_fields(frame: &Frame<'_>) -> BTreeMap<&'static str, String> {
    let mut ours = BTreeMap::new();
    let mut put = |field: &'static str, value: String| {
        if !value.is_empty() {
            ours.insert(field, value);
        }
    };
    let list = |of: fn(&weir_wire::Tag) -> u16| {
        let tags: Vec<String> = frame.ethernet.tags.iter().map(|tag| of(tag).to_string()).collect();
        tags.join(",")
    };
    let flag = |set: bool| String::from(if set { "1" } else { "0" });
    put("eth.dst", frame.ethernet.dst.to_string());
    put("eth.src", frame.ethernet.src.to_string());
    put("vlan.id", list(|tag| tag.vid));
    put("vlan.priority", list(|tag| tag.pcp.into()));
    let roce = match &frame.body {
        Body::Roce(roce) => roce,
        Body::MacControl(control) => {
            put("macc.opcode", format!("0x{:04x}", control.opcode()));
            match control {
                MacControl::Pause(pause) => put("macc.pause_time", pause.quanta.to_string()),
                MacControl::Pfc(pfc) => {
                    put("macc.cbfc.enbv", format!("0x{:04x}", pfc.enabled));
                    let names = [
                        "macc.cbfc.pause_time.c0",
                        "macc.cbfc.pause_time.c1",
                        "macc.cbfc.pause_time.c2",
                        "macc.cbfc.pause_time.c3",
                        "macc.cbfc.pause_time.c4",
                        "macc.cbfc.pause_time.c5",
                        "macc.cbfc.pause_time.c6",
                        "macc.cbfc.pause_time.c7",
                    ];
                    for (name, quanta) in names.into_iter().zip(pfc.quanta) {
                        put(name, quanta.to_string());
                    }
                }
                MacControl::Other { .. } => {}
            }
            return ours;
        }
        Body::Other(_) => return ours,
    };
    match &roce.ip {
        Ip::V4(ip) => {
            put("ip.src", ip.src.to_string());
            put("ip.dst", ip.dst.to_string());
            put("ip.id", format!("0x{:04x}", ip.id));
            put("ip.ttl", ip.ttl.to_string());
            put("ip.len", ip.total_len.to_string());
            put("ip.dsfield.dscp", roce.ip.dscp().to_string());
            put("ip.dsfield.ecn", roce.ip.ecn().bits().to_string());
            put("ip.checksum.status", "1".into()); // good
        }
        Ip::V6(ip) => {
            put("ipv6.src", ip.src.to_string());
            put("ipv6.dst", ip.dst.to_string());
            put("ipv6.tclass.dscp", roce.ip.dscp().to_string());
            put("ipv6.tclass.ecn", roce.ip.ecn().bits().to_string());
            put("ipv6.flow", format!("0x{:06x}", ip.flow_label));
            put("ipv6.plen", ip.payload_len.to_string());
            put("ipv6.hlim", ip.hop_limit.to_string());
        }
    }
    put("udp.srcport", roce.udp.src_port.to_string());
    put("udp.dstport", roce.udp.dst_port.to_string());
    put("udp.length", roce.udp.len.to_string());
    let bth = &roce.bth;
    put("infiniband.bth.opcode", bth.opcode.0.to_string());
    put("infiniband.bth.se", flag(bth.solicited));
    put("infiniband.bth.m", flag(bth.mig_req));
    put("infiniband.bth.padcnt", bth.pad.to_string());
    put("infiniband.bth.tver", bth.version.to_string());
    put("infiniband.bth.p_key", bth.pkey.to_string());
    put("infiniband.bth.destqp", format!("0x{:06x}", bth.dest.get()));
    put("infiniband.bth.a", flag(bth.ack_req));
    put("infiniband.bth.psn", bth.psn.get().to_string());
    if matches!(bth.opcode.service(), Service::Xrc | Service::Cnp) {
        return ours;
    }
    put("infiniband.invariant.crc", format!("0x{:08x}", roce.icrc.swap_bytes()));
    let ext = &roce.ext;
    if let Some(header) = ext.rdeth {
        put("infiniband.rdeth.eecnxt", format!("0x{:06x}", header.ee_context));
    }
    if let Some(header) = ext.deth {
        put("infiniband.deth.q_key", format!("0x{:016x}", header.qkey));
        put("infiniband.deth.srcqp", format!("0x{:08x}", header.src.get()));
    }
    if let Some(header) = ext.reth {
        put("infiniband.reth.va", format!("0x{:016x}", header.va));
        put("infiniband.reth.r_key", format!("0x{:08x}", header.rkey));
        put("infiniband.reth.dmalen", header.len.to_string());
    }
    if let Some(header) = ext.atomic {
        put("infiniband.reth.va", format!("0x{:016x}", header.va));
        put("infiniband.reth.r_key", format!("0x{:08x}", header.rkey));
        put("infiniband.atomiceth.swapdt", header.swap_or_add.to_string());
        put("infiniband.atomiceth.cmpdt", header.compare.to_string());
    }
    if let Some(header) = ext.aeth {
        put("infiniband.aeth.syndrome", header.syndrome.byte().to_string());
        put("infiniband.aeth.msn", header.msn.to_string());
    }
    if let Some(header) = ext.atomic_ack {
        put("infiniband.atomicacketh.origremdt", header.original.to_string());
    }
    if let Some(header) = ext.imm {
        put("infiniband.immdt", twice(&header.to_bytes()));
    }
    if let Some(header) = ext.ieth {
        put("infiniband.ieth", twice(&header.to_bytes()));
    }
    ours
}

/// In hexadecimal, twice: tshark gives these headers and their only field the same name.
fn twice(bytes: &[u8]) -> String {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{hex},{hex}")
}
