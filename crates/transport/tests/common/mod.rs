//! Two queue pairs and what lies between them.
#![allow(dead_code, missing_docs, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use weir_transport::*;
use weir_units::{Span, Time};
use weir_wire::{Psn, Qpn};

/// A small generator; the tests need no better one.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xd1b5_4a32_d192_ed03)
    }
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.0 ^ (self.0 >> 33);
        x.wrapping_mul(0xff51_afd7_ed55_8ccd) >> 16
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    pub fn chance(&mut self, permille: u64) -> bool {
        self.below(1000) < permille
    }
}

/// Two configurations that name each other.
pub fn connected(base: &QpConfig) -> [QpConfig; 2] {
    let end = |qpn, peer| QpConfig { qpn: Qpn::new(qpn), peer: Qpn::new(peer), ..base.clone() };
    let mut ends = [end(0x11, 0x12), end(0x12, 0x11)];
    let [a, b] = &mut ends;
    (a.rq_psn, b.rq_psn) = (b.sq_psn, a.sq_psn);
    if base.service == Service::XrcInitiator {
        b.service = Service::XrcTarget;
    }
    ends
}

/// What happens to a packet: how long each copy of it takes. None: it is lost.
pub type Fate<'a> = dyn FnMut(usize, &Packet<Vec<u8>>) -> Vec<Span> + 'a;

type Flying = (usize, Packet<Vec<u8>>);

/// Two queue pairs, each with its own memory, and the packets between them.
pub struct Pair {
    pub qps: [Qp<VecMemory>; 2],
    pub envs: [Env<VecMemory>; 2],
    pub now: Time,
    /// Marked with congestion on arrival.
    pub ce: bool,
    /// Every packet that was sent, by whom.
    pub log: Vec<(Time, usize, Packet<Vec<u8>>)>,
    /// By time of arrival and order of departure: for whom, and what.
    wire: BTreeMap<(Time, u64), Flying>,
    serial: u64,
}

impl Pair {
    pub fn new(configs: [QpConfig; 2], memory_bytes: usize) -> Self {
        let env = || Env::new(VecMemory(vec![0; memory_bytes]));
        Self {
            qps: configs.map(|config| Qp::new(config, Time::ZERO)),
            envs: [env(), env()],
            now: Time::ZERO,
            ce: false,
            log: Vec::new(),
            wire: BTreeMap::new(),
            serial: 0,
        }
    }

    /// Packets under way.
    pub fn in_flight(&self) -> usize {
        self.wire.len()
    }

    /// Everything that can be sent now is sent.
    pub fn send(&mut self, fate: &mut Fate<'_>) {
        for side in 0..2 {
            loop {
                let packet = match self.qps[side].poll_ack() {
                    Some(packet) => packet,
                    None => match self.qps[side].poll_data(self.now, &mut self.envs[side]) {
                        Some(packet) => packet,
                        // Work without a packet: ask again.
                        None if self.qps[side].want(self.now) == Want::Now => continue,
                        None => break,
                    },
                };
                for delay in fate(side, &packet) {
                    self.serial += 1;
                    self.wire.insert((self.now + delay, self.serial), (1 - side, packet.clone()));
                }
                self.log.push((self.now, side, packet));
            }
        }
    }

    /// When something happens next, if ever.
    pub fn next_at(&self) -> Option<Time> {
        let mut next = self.wire.keys().next().map(|(at, _)| *at);
        for qp in &self.qps {
            let want = match qp.want(self.now) {
                Want::At(at) => Some(at),
                Want::Now => Some(self.now),
                Want::Nothing => None,
            };
            for at in [qp.next_deadline(), want].into_iter().flatten() {
                next = Some(next.map_or(at, |n| n.min(at)));
            }
        }
        next.filter(|at| *at != Time::MAX)
    }

    /// Goes to the next thing that happens. False: nothing will.
    pub fn step(&mut self, fate: &mut Fate<'_>) -> bool {
        self.send(fate);
        let Some(at) = self.next_at() else { return false };
        self.now = at.max(self.now);
        while let Some(entry) = self.wire.first_entry().filter(|entry| entry.key().0 <= self.now) {
            let (side, packet) = entry.remove();
            let rx = RxMeta { ce: self.ce, ..RxMeta::default() };
            self.qps[side].handle_packet(self.now, &packet, rx, &mut self.envs[side]);
        }
        for side in 0..2 {
            self.qps[side].handle_deadline(self.now, &mut self.envs[side]);
        }
        true
    }

    /// Until nothing more happens. Panics if that takes longer than `most`: something hangs.
    pub fn run(&mut self, most: Span, fate: &mut Fate<'_>) {
        let end = self.now + most;
        while self.step(fate) {
            assert!(self.now <= end, "hangs: {:?}", self.qps);
        }
    }

    /// Over a channel that loses nothing.
    pub fn run_clean(&mut self) {
        self.run(Span::from_s(1), &mut |_, _| vec![Span::from_us(1)]);
    }

    /// Completions of one side, taken.
    pub fn completions(&mut self, side: usize) -> Vec<Completion> {
        std::iter::from_fn(|| self.envs[side].poll(CqId(0))).collect()
    }

    pub fn bytes(&mut self, side: usize, va: u64, len: usize) -> &mut [u8] {
        &mut self.envs[side].memory.0[va as usize..][..len]
    }
}

/// A configuration for tests: timeouts short, PSNs about to wrap.
pub fn config() -> QpConfig {
    QpConfig {
        sq_psn: Psn::new(0xff_fff0),
        ack_every: 4,
        ack_timeout: Span::from_us(67),
        min_rnr_timer: 1,
        max_rd_atomic: 2,
        max_dest_rd_atomic: 2,
        wire_overhead_bytes: 66,
        ..QpConfig::default()
    }
}
