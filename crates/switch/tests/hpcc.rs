//! The accounting of the ns-3 HPCC simulator: sequences worked out by hand from its rules.

#![allow(clippy::unwrap_used, reason = "what tests share fails as tests do")]

mod common;

use common::{C100, P0, P3, P4, Pkt, Rng, at, hpcc, no_draw, port};
use weir_congestion::RedParams;
use weir_switch::{Admit, ClassConfig, DropReason, PfcFrame, PortConfig, Switch, SwitchConfig};
use weir_units::{Rate, Span};

/// Three ports of 100 Gb/s and 1 us, alpha 1/8. With 1 MiB: 1048576 - 3 × 37500 - 3 × 4096 = 923788 B shared.
fn three_ports(buffer: u64) -> SwitchConfig {
    hpcc(buffer, &[PortConfig::hpcc(C100, Span::from_us(1), 3); 3])
}

fn offer(switch: &mut Switch<Pkt>, id: u32) -> bool {
    matches!(switch.admit(at(0), port(0), port(2), P3, Pkt::new(id, 1048)), Admit::Queued)
}

#[test]
fn pause_headroom_drop_and_resume_fall_on_the_frames_worked_out_by_hand() {
    let mut switch = Switch::new(&three_ports(1 << 20)).unwrap();
    assert_eq!(switch.ingress_threshold(port(0), P3), 923_788 / 8);
    for k in 1..=101 {
        assert!(offer(&mut switch, k));
        assert_eq!(switch.poll_pfc(), None, "frame {k}");
        // Three frames fit the reserve of 4096 B; the fourth ends 96 B beyond it.
        assert_eq!(switch.shared_used(), (1048 * u64::from(k)).saturating_sub(4096), "frame {k}");
    }
    // (923788 - 101752) >> 3 = 102754; frame 102 would end at 102800: headroom, and a pause.
    assert_eq!(switch.ingress_threshold(port(0), P3), 102_754);
    assert!(offer(&mut switch, 102));
    assert_eq!((switch.shared_used(), switch.headroom_used()), (101_752, 1048));
    assert_eq!(switch.poll_pfc(), Some((port(0), PfcFrame::pause(P3, u16::MAX))));
    // 35 frames fit headroom of 37500 B.
    for k in 103..=136 {
        assert!(offer(&mut switch, k), "frame {k}");
        assert_eq!(switch.poll_pfc(), None);
    }
    assert_eq!(switch.headroom_used(), 35 * 1048);
    let Admit::Dropped { reason: DropReason::Lossless(drop), frame } =
        switch.admit(at(5), port(0), port(2), P3, Pkt::new(137, 1048))
    else {
        panic!("frame 137 has no room")
    };
    assert_eq!(frame.id, 137);
    assert_eq!((drop.at, drop.in_port, drop.out_port, drop.priority), (at(5), port(0), port(2), P3));
    assert_eq!(
        (drop.occupancy_bytes, drop.headroom_bytes, drop.headroom_limit_bytes),
        (105_848, 36_680, 37_500)
    );
    assert_eq!((switch.lossless_drops(), switch.first_lossless_drop()), (1, Some(&drop)));
    assert!(drop.to_string().contains("port 0 priority 3"), "{drop}");

    // Headroom empties first; then 99656 + 3072 <= (923788 - 99656) >> 3 = 103016 on the 37th frame out.
    for k in 1..=36 {
        assert_eq!(switch.dequeue(at(9), port(2), &mut no_draw).unwrap().frame.id, k);
        assert_eq!(switch.poll_pfc(), None, "frame {k}");
    }
    assert_eq!((switch.shared_used(), switch.headroom_used()), (100_704, 0));
    assert_eq!(switch.dequeue(at(9), port(2), &mut no_draw).unwrap().frame.id, 37);
    assert_eq!((switch.shared_used(), switch.ingress_threshold(port(0), P3)), (99_656, 103_016));
    assert_eq!(switch.poll_pfc(), Some((port(0), PfcFrame::resume(P3))));
    assert_eq!(switch.next_deadline(), None, "on and off: nothing expires, nothing is repeated");
}

#[test]
fn a_budget_larger_than_the_buffer_wraps() {
    // 100000 - 112500 - 12288 = -24788, as 32 bits without sign 4294942508.
    let mut switch: Switch<Pkt> = Switch::new(&three_ports(100_000)).unwrap();
    assert_eq!(switch.ingress_threshold(port(0), P3), 4_294_942_508 >> 3);
    for k in 0..1000 {
        assert!(offer(&mut switch, k));
    }
    assert_eq!(switch.poll_pfc(), None);
}

#[test]
fn the_threshold_doubles_with_the_port_s_shift() {
    let ports = [
        PortConfig::hpcc(C100, Span::from_us(1), 3),
        PortConfig::hpcc(Rate::from_gbps(400), Span::from_us(1), 1),
    ];
    let switch: Switch<Pkt> = Switch::new(&hpcc(32 << 20, &ports)).unwrap();
    let shared = (32 << 20) - 37_500 - 150_000 - 2 * 4096;
    assert_eq!(switch.ingress_threshold(port(0), P3), shared >> 3);
    assert_eq!(switch.ingress_threshold(port(1), P3), shared >> 1);
}

#[test]
fn a_mark_depends_on_what_the_frame_leaves_behind() {
    // Step marking at 100 KB draws nothing. 97 frames: 96 × 1048 = 100608 are left by the first, 99560 by the second.
    let red = RedParams { kmin_bytes: 100_000, kmax_bytes: 100_000, pmax: 1.0 };
    let ports = [PortConfig::hpcc(C100, Span::from_us(1), 3).with_ecn(P3, red); 3];
    let mut switch = Switch::new(&hpcc(32 << 20, &ports)).unwrap();
    for k in 0..97 {
        assert!(offer(&mut switch, k));
    }
    let first = switch.dequeue(at(0), port(2), &mut no_draw).unwrap();
    assert!(first.marked && first.frame.ce);
    let second = switch.dequeue(at(0), port(2), &mut no_draw).unwrap();
    assert!(!second.marked && !second.frame.ce);

    // On the ramp one draw a frame, none at or below kmin and none above kmax.
    let red = RedParams { kmin_bytes: 10_480, kmax_bytes: 20_960, pmax: 0.2 };
    let ports = [PortConfig::hpcc(C100, Span::from_us(1), 3).with_ecn(P3, red); 3];
    let mut switch = Switch::new(&hpcc(32 << 20, &ports)).unwrap();
    for k in 0..30 {
        assert!(offer(&mut switch, k));
    }
    let (mut draws, mut marks) = (Vec::new(), Vec::new());
    for left in (0..30u64).rev() {
        let before = draws.len();
        // 0.1 is below 0.2 (left - 10) / 10 for left > 15.
        let departure = switch.dequeue(at(0), port(2), &mut || {
            draws.push(left);
            0.1
        });
        assert!(draws.len() - before <= 1);
        if departure.unwrap().marked {
            marks.push(left);
        }
    }
    assert_eq!(draws, (11..=20).rev().collect::<Vec<u64>>());
    assert_eq!(marks, (16..30).rev().collect::<Vec<u64>>());
}

#[test]
fn queue_0_goes_first_and_the_others_in_turn() {
    let mut config = three_ports(32 << 20);
    let p1 = weir_switch::Priority::from_pcp(1);
    config.classes =
        vec![ClassConfig::hpcc(P3), ClassConfig::hpcc(P4), ClassConfig::hpcc(p1), ClassConfig::control(P0)];
    let mut switch = Switch::new(&config).unwrap();
    for _ in 0..2 {
        for priority in [P4, P3, p1] {
            switch.admit(at(0), port(0), port(2), priority, Pkt::new(0, 1048));
        }
    }
    assert_eq!(switch.shared_used(), 0, "reserve alone");
    let next = |switch: &mut Switch<Pkt>| switch.dequeue(at(0), port(2), &mut no_draw).map(|d| d.priority);
    assert_eq!(next(&mut switch), Some(p1));
    switch.admit(at(0), port(0), port(2), P0, Pkt::new(0, 60));
    assert_eq!(switch.ingress_bytes(port(0), P0), 0, "outside the accounting");
    // A pause stops its priority alone, and queue 0 never.
    let mut pause = PfcFrame::pause(P3, 1);
    pause.set(P0, 1);
    switch.handle_pfc(at(0), port(2), &pause);
    assert!(switch.paused(at(0), port(2), P3) && !switch.paused(at(0), port(2), P0));
    assert_eq!(next(&mut switch), Some(P0));
    assert_eq!(next(&mut switch), Some(P4), "priority 0 is no one's turn, priority 3 is paused");
    assert_eq!(next(&mut switch), Some(p1));
    assert_eq!(next(&mut switch), Some(P4));
    assert_eq!(next(&mut switch), None);
    switch.handle_pfc(at(1), port(2), &PfcFrame::resume(P3));
    assert_eq!(switch.poll_ready(), Some(port(2)));
    assert_eq!(next(&mut switch), Some(P3));
}

/// The rules of the reference, written down a second time as plainly as they are stated.
struct Plain {
    buffer: u32,
    headroom: [u32; 3],
    shift: [u32; 3],
    ingress: [u32; 3],
    hdrm: [u32; 3],
    shared_used: u32,
    paused: [bool; 3],
}

impl Plain {
    fn threshold(&self, p: usize) -> u32 {
        let total: u32 = self.headroom.iter().sum();
        self.buffer.wrapping_sub(total).wrapping_sub(3 * 4096).wrapping_sub(self.shared_used) >> self.shift[p]
    }
    fn shared(&self, p: usize) -> u32 {
        self.ingress[p].saturating_sub(4096)
    }
    /// `None`: dropped; else whether a pause is sent.
    fn arrive(&mut self, p: usize, size: u32) -> Option<bool> {
        if size + self.hdrm[p] > self.headroom[p] && size + self.shared(p) > self.threshold(p) {
            return None;
        }
        let new = self.ingress[p] + size;
        if new <= 4096 {
            self.ingress[p] += size;
        } else if new - 4096 > self.threshold(p) {
            self.hdrm[p] += size;
        } else {
            self.ingress[p] += size;
            self.shared_used += size.min(new - 4096);
        }
        let pause = !self.paused[p] && (self.hdrm[p] > 0 || self.shared(p) >= self.threshold(p));
        self.paused[p] |= pause;
        Some(pause)
    }
    /// Whether a resume is sent.
    fn leave(&mut self, p: usize, size: u32) -> bool {
        let from_hdrm = self.hdrm[p].min(size);
        let from_shared = (size - from_hdrm).min(self.shared(p));
        self.hdrm[p] -= from_hdrm;
        self.ingress[p] -= size - from_hdrm;
        self.shared_used -= from_shared;
        let shared = self.shared(p);
        let resume =
            self.paused[p] && self.hdrm[p] == 0 && (shared == 0 || shared + 3072 <= self.threshold(p));
        self.paused[p] &= !resume;
        resume
    }
}

#[test]
fn a_million_random_steps_agree_with_the_rules_written_plainly() {
    let rates = [C100, C100, Rate::from_gbps(400)];
    let shift = [3, 3, 1];
    for (seed, buffer) in [(1, 1u64 << 20), (2, 400_000), (3, 240_000), (4, 230_000)] {
        let ports: Vec<PortConfig> =
            rates.iter().zip(shift).map(|(rate, s)| PortConfig::hpcc(*rate, Span::from_us(1), s)).collect();
        let mut switch = Switch::new(&hpcc(buffer, &ports)).unwrap();
        let mut plain = Plain {
            buffer: buffer as u32,
            headroom: [37_500, 37_500, 150_000],
            shift: shift.map(u32::from),
            ingress: [0; 3],
            hdrm: [0; 3],
            shared_used: 0,
            paused: [false; 3],
        };
        let mut rng = Rng(seed);
        let (mut pauses, mut resumes, mut drops) = (0, 0, 0);
        for step in 0..300_000 {
            // Phases in which more comes in, and in which more goes out.
            let filling = (step / 500) % 2 == 0;
            if rng.below(10) < if filling { 7 } else { 3 } {
                let (p, size) = (rng.below(3) as usize, 60 + rng.below(1500) as u16);
                let out = rng.below(3) as usize;
                let admitted = switch.admit(at(0), port(p), port(out), P3, Pkt::new(p as u32, size));
                let want = plain.arrive(p, u32::from(size));
                assert_eq!(matches!(admitted, Admit::Queued), want.is_some(), "seed {seed} step {step}");
                drops += u32::from(want.is_none());
                pauses += u32::from(want == Some(true));
                let sent = (want == Some(true)).then(|| (port(p), PfcFrame::pause(P3, u16::MAX)));
                assert_eq!(switch.poll_pfc(), sent, "seed {seed} step {step}");
            } else if let Some(left) = switch.dequeue(at(0), port(rng.below(3) as usize), &mut no_draw) {
                let resume = plain.leave(left.in_port.index(), u32::from(left.frame.bytes));
                resumes += u32::from(resume);
                let sent = resume.then(|| (left.in_port, PfcFrame::resume(P3)));
                assert_eq!(switch.poll_pfc(), sent, "seed {seed} step {step}");
            }
            assert_eq!(switch.shared_used(), u64::from(plain.shared_used));
            for p in 0..3 {
                assert_eq!(switch.ingress_headroom_bytes(port(p), P3), u64::from(plain.hdrm[p]));
                assert_eq!(switch.ingress_bytes(port(p), P3), u64::from(plain.ingress[p] + plain.hdrm[p]));
            }
        }
        // 3 × 4096 + 225000 are more than the last buffer: it wraps and never pauses.
        let wraps = buffer < 237_288;
        assert_eq!(
            pauses > 100 && resumes > 100 && drops > 10,
            !wraps,
            "seed {seed}: {pauses} {resumes} {drops}"
        );
    }
}
