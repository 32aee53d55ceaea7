//! Capture files as other programs write them, and as nobody should.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod common;

use common::{Scratch, fixture, fixture_path};
use std::process::Command;
use weir_wire::capture::{
    CaptureError, CaptureReader, Captured, Expected, LinkType, PcapngWriter, summarise,
};

fn read(bytes: &[u8]) -> Vec<Captured> {
    let mut reader = CaptureReader::new(bytes).unwrap();
    let mut packets = Vec::new();
    while let Some(packet) = reader.next_packet().unwrap() {
        packets.push(packet);
    }
    packets
}

/// The first error of a file, with the packets before it.
fn failing(bytes: &[u8]) -> (usize, CaptureError) {
    let mut reader = match CaptureReader::new(bytes) {
        Ok(reader) => reader,
        Err(error) => return (0, error),
    };
    let mut packets = 0;
    loop {
        match reader.next_packet() {
            Ok(Some(_)) => packets += 1,
            Ok(None) => panic!("read to its end after {packets} packets"),
            Err(error) => return (packets, error),
        }
    }
}

/// tshark writes the kernels' capture in other formats: the same packets come out of each.
#[test]
fn formats_that_tshark_writes() {
    let expected = read(&fixture("kernel-rxe.pcap"));
    for format in ["pcap", "nsecpcap", "pcapng"] {
        let file = Scratch::new(&format!("converted.{format}"), b"");
        let status = Command::new("tshark")
            .args(["-F", format, "-r"])
            .arg(fixture_path("kernel-rxe.pcap"))
            .arg("-w")
            .arg(&file.0)
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap_or_else(|error| panic!("tshark can't be run ({error}); `cargo xtask test` installs it"));
        assert!(status.success(), "{format}");
        assert_eq!(read(&std::fs::read(&file.0).unwrap()), expected, "{format}");
    }
}

/// Numbers of a file in one byte order.
struct Out {
    big: bool,
    bytes: Vec<u8>,
}

impl Out {
    fn new(big: bool) -> Self {
        Self { big, bytes: Vec::new() }
    }
    fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }
    fn n16(&mut self, n: u16) -> &mut Self {
        let bytes = if self.big { n.to_be_bytes() } else { n.to_le_bytes() };
        self.raw(&bytes)
    }
    fn n32(&mut self, n: u32) -> &mut Self {
        let bytes = if self.big { n.to_be_bytes() } else { n.to_le_bytes() };
        self.raw(&bytes)
    }
    fn n64(&mut self, n: u64) -> &mut Self {
        let bytes = if self.big { n.to_be_bytes() } else { n.to_le_bytes() };
        self.raw(&bytes)
    }
    /// A pcapng block around what `fill` writes, which is padded.
    fn block(&mut self, kind: u32, fill: impl FnOnce(&mut Out)) -> &mut Self {
        let mut body = Out::new(self.big);
        fill(&mut body);
        body.bytes.resize(body.bytes.len().next_multiple_of(4), 0);
        let len = 12 + body.bytes.len() as u32;
        self.n32(kind).n32(len).raw(&body.bytes).n32(len)
    }
    fn section(&mut self) -> &mut Self {
        self.block(0x0a0d_0d0a, |b| {
            b.n32(0x1a2b_3c4d).n16(1).n16(0).n64(u64::MAX);
        })
    }
    fn interface(&mut self, link: u16, snap_len: u32, options: impl FnOnce(&mut Out)) -> &mut Self {
        self.block(1, |b| {
            options(b.n16(link).n16(0).n32(snap_len));
        })
    }
    fn packet(&mut self, interface: u32, units: u64, kept: u32, wire_len: u32, data: &[u8]) -> &mut Self {
        self.block(6, |b| {
            b.n32(interface).n32((units >> 32) as u32).n32(units as u32).n32(kept).n32(wire_len).raw(data);
        })
    }
}

fn classic(big: bool, magic: u32, fraction: u32) -> Vec<u8> {
    let mut out = Out::new(big);
    out.n32(magic).n16(2).n16(4).n32(0).n32(0).n32(65535).n32(1);
    out.n32(1_700_000_000).n32(fraction).n32(3).n32(9).raw(&[7, 8, 9]);
    out.bytes
}

#[test]
fn pcap_in_every_order_and_unit() {
    for big in [false, true] {
        for (magic, fraction) in [(0xa1b2_c3d4, 123_456), (0xa1b2_3c4d, 123_456_000)] {
            let packets = read(&classic(big, magic, fraction));
            let expected = Captured {
                at_ns: Some(1_700_000_000_123_456_000),
                interface: 0,
                link_type: LinkType::ETHERNET,
                wire_len: 9,
                bytes: vec![7, 8, 9],
            };
            assert_eq!(packets, [expected]);
            assert!(packets[0].is_cut());
        }
    }
}

#[test]
fn pcapng_in_both_orders_with_blocks_of_every_kind() {
    for big in [false, true] {
        let mut out = Out::new(big);
        out.section();
        out.interface(1, 0, |b| {
            b.n16(2).n16(4).raw(b"eth0").n16(9).n16(1).raw(&[9, 0, 0, 0]).n16(0).n16(0);
        });
        out.interface(101, 2, |b| {
            b.n16(9).n16(1).raw(&[0x80 | 20, 0, 0, 0]).n16(14).n16(8).n64(100); // 2^-20 s, and 100 s more
        });
        out.packet(0, 5_000_000_123, 3, 4, &[1, 2, 3]);
        out.block(5, |b| {
            b.n32(0).n64(0).n16(4).n16(8).n64(1); // interface statistics
        });
        out.block(0x8000_0042, |b| {
            b.raw(b"a block of somebody's own");
        });
        out.packet(1, 3 << 19, 2, 2, &[5, 6]);
        out.block(2, |b| {
            b.n16(1).n16(77).n32(0).n32(1 << 20).n32(1).n32(1).raw(&[4]); // the old packet block
        });
        out.block(3, |b| {
            b.n32(3).raw(&[9, 9, 9]); // simple: interface 0, which has no limit
        });
        // A second section of its own order and interfaces.
        let mut second = Out::new(!big);
        second.section();
        second.interface(1, 2, |_| {}); // microseconds without an option
        second.packet(0, 7, 1, 1, &[1]);
        second.block(3, |b| {
            b.n32(10).raw(&[8, 8]); // simple: cut to the interface's limit
        });
        let mut bytes = out.bytes;
        bytes.extend(second.bytes);

        let mut reader = CaptureReader::new(&bytes[..]).unwrap();
        let mut found = Vec::new();
        while let Some(p) = reader.next_packet().unwrap() {
            found.push((p.at_ns, p.interface, p.link_type.0, p.wire_len, p.bytes));
        }
        let expected = [
            (Some(5_000_000_123), 0, 1, 4, vec![1, 2, 3]),
            (Some(101_500_000_000), 1, 101, 2, vec![5, 6]),
            (Some(101_000_000_000), 1, 101, 1, vec![4]),
            (None, 0, 1, 3, vec![9, 9, 9]),
            (Some(7_000), 2, 1, 1, vec![1]),
            (None, 2, 1, 10, vec![8, 8]),
        ];
        assert_eq!(found, expected);
        assert_eq!(reader.interfaces().len(), 3);
        assert_eq!(reader.interfaces()[0].name.as_deref(), Some("eth0"));
        assert_eq!(reader.offset(), bytes.len() as u64);
    }
}

fn value(error: CaptureError) -> (u64, &'static str, u64, Expected) {
    match error {
        CaptureError::Value { offset, field, found, expected } => (offset, field, found, expected),
        other => panic!("{other}"),
    }
}

#[test]
fn what_is_not_a_capture() {
    assert!(matches!(failing(b""), (0, CaptureError::Empty { found: 0 })));
    assert!(matches!(failing(b"abc"), (0, CaptureError::Empty { found: 3 })));
    let (_, error) = failing(b"GIF89a");
    assert!(matches!(error, CaptureError::Magic { found: [b'G', b'I', b'F', b'8'] }), "{error}");
    assert!(error.to_string().contains("[47, 49, 46, 38]"), "{error}");
    // The version of a format that nobody has defined.
    let mut bytes = classic(false, 0xa1b2_c3d4, 0);
    bytes[4] = 3;
    assert_eq!(value(failing(&bytes).1), (4, "pcap major version", 3, Expected::Exactly(2)));
}

#[test]
fn damage_is_told_with_its_place() {
    let good = classic(false, 0xa1b2_c3d4, 0);
    let mut bytes = good.clone();
    bytes[32..36].fill(0xff);
    assert_eq!(
        value(failing(&bytes).1),
        (32, "captured length", 0xffff_ffff, Expected::AtMost(262_144)),
        "and no memory is taken for it"
    );
    let (packets, error) = failing(&good[..good.len() - 1]);
    assert_eq!(packets, 0);
    assert_eq!(
        error.to_string(),
        "the file ends inside a packet: 3 bytes expected at byte 40, 2 found; was the capture cut off?"
    );

    let mut out = Out::new(false);
    out.section().interface(1, 0, |_| {}).packet(0, 1, 4, 4, &[1, 2, 3, 4]);
    let good = out.bytes; // section at 0, interface at 28, packet at 48
    assert_eq!(good.len(), 48 + 36);
    let twice = [&good[..], &good[48..]].concat();
    let broken = |at: usize, byte: u8| {
        let mut bytes = twice.clone();
        bytes[at] = byte;
        let (packets, error) = failing(&bytes);
        (packets, value(error))
    };
    assert_eq!(broken(8, 0), (0, (8, "byte-order magic", 0x1a2b_3c00, Expected::Exactly(0x1a2b_3c4d))));
    assert_eq!(broken(88, 10), (1, (88, "block length", 10, Expected::AtLeast(12))));
    assert_eq!(broken(88, 38), (1, (88, "block length", 38, Expected::Text("a multiple of 4"))));
    let interface = "the number of an interface block before it";
    assert_eq!(broken(92, 1), (1, (92, "interface of a packet", 1, Expected::Text(interface))));
    assert_eq!(broken(104, 5), (1, (104, "captured length", 5, Expected::AtMost(4))));
    assert_eq!(broken(116, 40), (1, (116, "block length at the block's end", 40, Expected::Exactly(36))));
    assert_eq!(broken(52, 0), (0, (52, "block length", 0, Expected::AtLeast(12))));
    assert_eq!(broken(91, 0xf0).1.1, "a packet block", "4 GB of packet");

    // The same for the summary: what came before counts, and the reason is told.
    let mut bytes = twice;
    bytes[116] = 40;
    let summary = summarise(&bytes[..]).unwrap();
    assert_eq!(summary.packets, 1);
    let why = "block length at the block's end at byte 116 is 40, expected 36";
    assert_eq!(summary.ended_early.as_deref(), Some(why));
}

/// A reader that fails is the disk's fault, not the capture's.
#[test]
fn io_errors_are_passed_on() {
    struct Failing(usize);
    impl std::io::Read for Failing {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let good = fixture("kernel-rxe.pcap");
            let left = 5000usize.saturating_sub(self.0).min(into.len());
            if left == 0 {
                return Err(std::io::Error::other("disk on fire"));
            }
            into[..left].copy_from_slice(&good[self.0..self.0 + left]);
            self.0 += left;
            Ok(left)
        }
    }
    let error = summarise(Failing(0)).unwrap_err();
    assert_eq!(error.to_string(), "reading failed: disk on fire");
}

/// Packets of which the capture kept the first bytes: looked into as far as they go.
#[test]
fn cut_packets() {
    let packets = read(&fixture("kernel-rxe.pcap"));
    let whole = summarise(&fixture("kernel-rxe.pcap")[..]).unwrap();
    for snap in [0, 20, 54, 70, 82, 96, 200] {
        let mut writer = PcapngWriter::new(Vec::new()).unwrap();
        let interface = writer.interface("eth0").unwrap();
        for packet in &packets {
            let kept = &packet.bytes[..snap.min(packet.bytes.len())];
            let at = packet.at_ns.unwrap();
            writer.frame_of(interface, at, kept, packet.bytes.len(), None).unwrap();
        }
        let summary = summarise(&writer.finish().unwrap()[..]).unwrap();
        assert_eq!((summary.packets, summary.malformed, summary.icrc_bad), (265, 0, 0), "snap {snap}");
        assert_eq!(summary.cut, packets.iter().filter(|p| p.bytes.len() > snap).count() as u64);
        assert_eq!(summary.wire_bytes, whole.wire_bytes);
        assert_eq!(summary.icrc_ok, 265 - summary.cut, "those that are whole are checked");
        match snap {
            // No headers up to the BTH's end in any.
            0 | 20 => assert_eq!((summary.roce_packets, summary.other), (0, 265)),
            // BTH and extension headers of all (the longest, AtomicETH, ends at byte 82): everything is as in the whole
            // capture but for the ICRCs.
            82.. => {
                assert_eq!((summary.roce_packets, summary.icrc_unchecked), (265, summary.cut));
                assert_eq!((&summary.opcodes, &summary.flows), (&whole.opcodes, &whole.flows));
            }
            _ => assert!(summary.roce_packets > 0 && summary.roce_packets < 265, "snap {snap}"),
        }
    }
}
