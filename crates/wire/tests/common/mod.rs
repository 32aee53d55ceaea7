//! What several of the tests need.

#![allow(dead_code, reason = "each test file uses a part")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;
use weir_wire::{
    Aeth, AtomicAckEth, AtomicEth, Bth, Deth, Ecn, Ethernet, Extensions, Frame, Headers, Ieth, ImmDt, Ip,
    MacAddr, Opcode, Psn, Qpn, Rdeth, Reth, Roce, Syndrome, Tag, Xrceth,
};

/// Where a fixture is.
pub fn fixture_path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../../fixtures", name].iter().collect()
}

/// A fixture's bytes.
pub fn fixture(name: &str) -> Vec<u8> {
    let path = fixture_path(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Lines that tshark prints about a capture, one a packet that passes `filter`, with the values of `fields` in each. A field
/// that a packet has several times gives its values with a comma between.
pub fn tshark(file: &Path, filter: &str, fields: &[&str]) -> Vec<Vec<String>> {
    let mut command = Command::new("tshark");
    command.args(["-n", "-T", "fields", "-o", "ip.check_checksum:TRUE", "-r"]).arg(file);
    if !filter.is_empty() {
        command.args(["-Y", filter]);
    }
    command.args(fields.iter().flat_map(|field| ["-e", field]));
    let output = command.output().unwrap_or_else(|error| {
        panic!("tshark can't be run ({error}); `cargo xtask test` installs it (Debian package tshark)")
    });
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "tshark {filter} {fields:?}: {errors}");
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// A file in the folder that cargo has for tests, removed when dropped.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str, bytes: &[u8]) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Numbers that look arbitrary and are the same each time (SplitMix64).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Extension headers of a kind, each field with a number of its own.
pub fn extensions(headers: Headers, numbers: &mut Numbers) -> Extensions {
    let mut n = || numbers.next();
    let has = |header| headers.contains(header);
    Extensions {
        rdeth: has(Headers::RDETH).then(|| Rdeth { reserved: 0, ee_context: n() as u32 & 0xff_ffff }),
        deth: has(Headers::DETH).then(|| Deth { qkey: n() as u32, reserved: 0, src: Qpn::new(n() as u32) }),
        xrceth: has(Headers::XRCETH).then(|| Xrceth { reserved: 0, srqn: n() as u32 & 0xff_ffff }),
        reth: has(Headers::RETH).then(|| Reth { va: n(), rkey: n() as u32, len: n() as u32 }),
        atomic: has(Headers::ATOMIC_ETH).then(|| AtomicEth {
            va: n(),
            rkey: n() as u32,
            swap_or_add: n(),
            compare: n(),
        }),
        aeth: has(Headers::AETH).then(|| Aeth {
            syndrome: Syndrome::from_byte([0x1f, 0x05, 0x2c, 0x60, 0x61, 0x62, 0x63][n() as usize % 7]),
            msn: n() as u32 & 0xff_ffff,
        }),
        atomic_ack: has(Headers::ATOMIC_ACK_ETH).then(|| AtomicAckEth { original: n() }),
        imm: has(Headers::IMM_DT).then(|| ImmDt(n() as u32)),
        ieth: has(Headers::IETH).then(|| Ieth { rkey: n() as u32 }),
    }
}

/// A frame for every opcode, over IPv4 and IPv6, with no tag, one and two, and payloads with every length of pad.
pub fn every_opcode() -> Vec<Frame<'static>> {
    let (mut frames, mut numbers) = (Vec::new(), Numbers(4791));
    for &opcode in Opcode::ALL {
        for v6 in [false, true] {
            for tags in 0..3u16 {
                let n = numbers.next();
                let mut ip = if v6 {
                    Ip::between("fd00::1".parse().unwrap(), "fd00::2".parse().unwrap()).unwrap()
                } else {
                    Ip::between([10, 1, 0, 1].into(), [10, 1, 0, 2].into()).unwrap()
                };
                match &mut ip {
                    Ip::V4(ip) => ip.id = n as u16,
                    Ip::V6(ip) => ip.flow_label = n as u32 & 0xf_ffff,
                }
                ip.set_traffic_class(26 << 2 | Ecn::from_bits(n as u8).bits());
                let mut bth = Bth::new(opcode, Qpn::new(n as u32), Psn::new((n >> 24) as u32));
                bth.solicited = n & 1 << 50 != 0;
                bth.ack_req = n & 1 << 51 != 0;
                bth.mig_req = n & 1 << 52 != 0;
                bth.pkey = (n >> 48) as u16 | 1;
                let payload = if opcode.is_cnp() {
                    16
                } else if opcode.has_payload() {
                    // UD never has none: tshark takes an empty UD packet for another protocol's, and calls it malformed.
                    64 + (n % 64) as usize
                } else {
                    0
                };
                let payload: Vec<u8> =
                    if opcode.is_cnp() { vec![0; 16] } else { (1..=payload as u8).collect() };
                let ext = extensions(opcode.headers().unwrap(), &mut numbers);
                let roce = Roce::new(ip, 0xc000 | n as u16, bth, ext, payload).unwrap();
                let tags = (0..tags).map(|i| Tag::new(3 + i as u8, 100 + i)).collect();
                let (dst, src) = (MacAddr::local(2), MacAddr::local(1));
                frames.push(Frame::roce(Ethernet { dst, src, tags, ethertype: 0 }, roce));
            }
        }
    }
    frames
}
