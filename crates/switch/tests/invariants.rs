//! Whatever happens to a switch, its accounts agree with each other, with what went in and out, and with what it told
//! its peers.

#![allow(clippy::unwrap_used, reason = "what tests share fails as tests do")]

mod common;

use common::{C100, P0, P3, P4, Pkt, alpha, hpcc, port, switch};
use proptest::prelude::*;
use std::collections::VecDeque;
use weir_congestion::RedParams;
use weir_switch::{
    Admit, ClassConfig, DropReason, Frame, PauseStyle, PfcFrame, Port, PortConfig, Priority, Scheduler,
    Scheduling, Switch, SwitchConfig, Threshold, WatchdogAction, WatchdogParams,
};
use weir_units::{Rate, Span, Time};

const PORTS: usize = 4;
const ALL: [Priority; 3] = [P0, P3, P4];

#[derive(Clone, Debug)]
enum Op {
    Admit { from: usize, to: usize, class: usize, bytes: u16 },
    Dequeue { from: usize, times: u8 },
    Pfc { port: usize, class: usize, quanta: u16 },
    Pause { port: usize, quanta: u16 },
    Wait { ns: u64 },
    Down { port: usize },
    Up { port: usize },
}

fn op() -> impl Strategy<Value = Op> {
    let port = 0..PORTS;
    prop_oneof![
        12 => (port.clone(), port.clone(), 0..3usize, 40..1048u16)
            .prop_map(|(from, to, class, bytes)| Op::Admit { from, to, class, bytes }),
        6 => (port.clone(), 1..4u8).prop_map(|(from, times)| Op::Dequeue { from, times }),
        2 => (port.clone(), 0..3usize, prop_oneof![Just(0u16), 1..2000u16])
            .prop_map(|(port, class, quanta)| Op::Pfc { port, class, quanta }),
        1 => (port.clone(), prop_oneof![Just(0u16), 1..500u16]).prop_map(|(port, quanta)| Op::Pause { port, quanta }),
        2 => (1..20_000u64).prop_map(|ns| Op::Wait { ns }),
        1 => port.clone().prop_map(|port| Op::Down { port }),
        1 => port.prop_map(|port| Op::Up { port }),
    ]
}

/// Small buffers and thresholds, so that every limit is met.
fn configs() -> Vec<SwitchConfig> {
    let red = RedParams { kmin_bytes: 2_000, kmax_bytes: 8_000, pmax: 0.5 };
    let port = PortConfig { headroom_bytes: 3_000, ..PortConfig::new(C100) };
    let ports = [
        port.with_ecn(P3, red),
        port,
        PortConfig { rate: Rate::from_gbps(400), ..port },
        PortConfig { threshold: Some(Threshold::Static(2_500)), ..port },
    ];
    let classes = [
        ClassConfig { reserve_bytes: 1_500, ..ClassConfig::lossy(P0, alpha(-1)) },
        ClassConfig { reserve_bytes: 2_000, xon_offset_bytes: 500, ..ClassConfig::lossless(P3, alpha(-2)) },
        ClassConfig { scheduling: Scheduling::Weighted(3), ..ClassConfig::lossless(P4, alpha(3)) },
    ];
    let standard = switch(62_000, &classes, &ports);
    let mut watched = standard.clone();
    watched.watchdog = Some(WatchdogParams {
        detection: Span::from_us(30),
        restoration: Span::from_us(20),
        action: WatchdogAction::Drop,
    });
    watched.pfc.style = PauseStyle::OnOff;
    let mut forward = standard.clone();
    forward.watchdog = Some(WatchdogParams {
        detection: Span::from_us(10),
        restoration: Span::from_us(10),
        action: WatchdogAction::Forward,
    });
    forward.pfc.response_delay = Span::from_us(2);
    let mut off = standard.clone();
    off.pfc.enabled = false;
    // 75000 - 4 × (3000 + 4096): all of one port's worth of frames.
    let mut reference = hpcc(75_000, &ports);
    reference.classes = vec![ClassConfig::control(P0), ClassConfig::hpcc(P3), ClassConfig::hpcc(P4)];
    for port in &mut reference.ports {
        port.threshold = Some(Threshold::Dynamic(alpha(-3)));
    }
    assert_eq!(reference.scheduler, Scheduler::PacketRoundRobin);
    vec![standard, watched, forward, off, reference]
}

/// What the test knows about the switch.
struct Model {
    /// Frames by egress port and class.
    queues: Vec<VecDeque<(usize, Pkt)>>,
    /// What peers were told, by port and class.
    told: Vec<bool>,
    entered: u64,
    left: u64,
    discarded: u64,
    next_id: u32,
    now: Time,
}

impl Model {
    fn listen(&mut self, switch: &mut Switch<Pkt>) {
        while let Some((port, frame)) = switch.poll_pfc() {
            for (priority, quanta) in frame.iter() {
                let class = ALL.iter().position(|p| *p == priority).unwrap();
                self.told[port.index() * 3 + class] = quanta > 0;
            }
        }
        while let Some(lost) = switch.poll_discarded() {
            let class = ALL.iter().position(|p| *p == lost.priority).unwrap();
            let queued = self.queues[lost.out_port.index() * 3 + class].pop_front();
            assert_eq!(queued, Some((lost.in_port.index(), lost.frame)));
            self.discarded += 1;
        }
        while switch.poll_ready().is_some() {}
        while switch.poll_event().is_some() {}
    }

    fn take(&mut self, switch: &mut Switch<Pkt>, from: usize, unit: f64) -> bool {
        let Some(departure) = switch.dequeue(self.now, port(from), &mut || unit) else { return false };
        let class = ALL.iter().position(|p| *p == departure.priority).unwrap();
        let (in_port, mut pkt) = self.queues[from * 3 + class].pop_front().unwrap();
        pkt.ce = departure.marked;
        assert_eq!((port(in_port), pkt), (departure.in_port, departure.frame), "in order, and unharmed");
        self.left += 1;
        true
    }

    /// Every account against every other.
    fn check(&self, switch: &Switch<Pkt>, config: &SwitchConfig) {
        let hpcc = config.mmu == weir_switch::MmuParams::Hpcc;
        let (mut shared, mut headroom, mut held) = (0, 0, 0);
        for p in 0..PORTS {
            let mut at_port = 0;
            for (class, priority) in ALL.into_iter().enumerate() {
                let queue = &self.queues[p * 3 + class];
                let queued: u64 = queue.iter().map(|(_, pkt)| u64::from(pkt.bytes())).sum();
                assert_eq!(switch.queue_bytes(port(p), priority), queued);
                assert!(
                    switch.queued(port(p), priority).map(|(_, pkt)| pkt.id).eq(queue.iter().map(|q| q.1.id))
                );
                at_port += queued;
                let came_in =
                    self.queues.iter().skip(class).step_by(3).flatten().filter(|(from, _)| *from == p);
                let came_in: u64 = came_in.map(|(_, pkt)| u64::from(pkt.bytes())).sum();
                let (all, room) = (
                    switch.ingress_bytes(port(p), priority),
                    switch.ingress_headroom_bytes(port(p), priority),
                );
                let control = hpcc && priority == P0;
                assert_eq!(all, if control { 0 } else { came_in }, "port {p} priority {priority}");
                let kind = config.classes.iter().find(|c| c.priority == priority).unwrap();
                let beyond = switch.ingress_shared_bytes(port(p), priority);
                assert_eq!(beyond, (all - room).saturating_sub(u64::from(kind.reserve_bytes)));
                assert!(room <= u64::from(config.ports[p].headroom_bytes));
                assert!(room == 0 || switch.pausing(port(p), priority), "headroom without a pause");
                assert_eq!(
                    switch.pausing(port(p), priority),
                    self.told[p * 3 + class],
                    "what the peer believes"
                );
                shared += beyond;
                headroom += room;
                held += all;
            }
            assert_eq!(switch.port_bytes(port(p)), at_port);
            assert_eq!(switch.is_empty(port(p)), at_port == 0);
        }
        assert_eq!((switch.shared_used(), switch.headroom_used()), (shared, headroom));
        if !hpcc {
            assert!(held <= config.buffer_bytes, "{held} B in a buffer of {} B", config.buffer_bytes);
            let lossless = if config.pfc.enabled { 2 } else { 0 };
            assert!(shared <= switch.shared_limit() + lossless * PORTS as u64 * 1048);
        }
        let waiting = self.queues.iter().map(VecDeque::len).sum::<usize>() as u64;
        assert_eq!(self.entered, self.left + self.discarded + waiting);
        let count = |f: fn(&weir_switch::counters::PriorityCounters) -> u64| -> u64 {
            let cells = (0..PORTS).flat_map(|p| ALL.map(|priority| (p, priority)));
            cells.map(|(p, priority)| f(&switch.counters(self.now, port(p), priority).unwrap())).sum()
        };
        assert_eq!(count(|c| c.group_packets), self.entered);
        assert_eq!(count(|c| c.queue_packets), self.left);
        assert_eq!(count(|c| c.queue_occupancy_bytes), held_or_queued(&self.queues));
    }

    fn step(&mut self, switch: &mut Switch<Pkt>, config: &SwitchConfig, op: &Op, unit: f64) {
        match *op {
            Op::Admit { from, to, class, bytes } => {
                let pkt = Pkt::new(self.next_id, bytes);
                self.next_id += 1;
                match switch.admit(self.now, port(from), port(to), ALL[class], pkt) {
                    Admit::Queued => {
                        self.queues[to * 3 + class].push_back((from, pkt));
                        self.entered += 1;
                    }
                    Admit::Dropped { reason, frame } => {
                        assert_eq!(frame, pkt);
                        let lossless = class > 0 && config.pfc.enabled;
                        let storm = matches!(reason, DropReason::StormEgress | DropReason::StormIngress);
                        assert_eq!(
                            matches!(reason, DropReason::Lossless(_)),
                            lossless && !storm,
                            "{reason:?}"
                        );
                        if let DropReason::Lossless(drop) = reason {
                            assert!(
                                drop.headroom_bytes + drop.frame_bytes > drop.headroom_limit_bytes,
                                "dropped with room left: {drop}"
                            );
                        }
                    }
                }
            }
            Op::Dequeue { from, times } => {
                for _ in 0..times {
                    if !self.take(switch, from, unit) {
                        break;
                    }
                    self.listen(switch);
                }
            }
            Op::Pfc { port: p, class, quanta } => {
                switch.handle_pfc(self.now, port(p), &PfcFrame::pause(ALL[class], quanta));
            }
            Op::Pause { port: p, quanta } => switch.handle_pause(self.now, port(p), quanta),
            Op::Wait { ns } => {
                let end = self.now + Span::from_ns(ns);
                while let Some(due) = switch.next_deadline().filter(|due| *due <= end) {
                    self.now = due.max(self.now);
                    switch.handle_deadline(self.now);
                    assert!(
                        switch.next_deadline().is_none_or(|next| next > due),
                        "a deadline that stands still"
                    );
                    self.listen(switch);
                }
                self.now = end;
            }
            Op::Down { port: p } => switch.handle_link_down(self.now, port(p)),
            Op::Up { port: p } => switch.handle_link_up(self.now, port(p)),
        }
        self.listen(switch);
    }
}

fn held_or_queued(queues: &[VecDeque<(usize, Pkt)>]) -> u64 {
    queues.iter().flatten().map(|(_, pkt)| u64::from(pkt.bytes)).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn accounts_agree_after_every_step(
        which in 0..5usize,
        ops in prop::collection::vec((op(), 0.0..1.0f64), 1..600),
    ) {
        let config = &configs()[which];
        let mut switch = Switch::new(config).unwrap();
        let mut model = Model {
            queues: vec![VecDeque::new(); PORTS * 3],
            told: vec![false; PORTS * 3],
            entered: 0,
            left: 0,
            discarded: 0,
            next_id: 0,
            now: Time::ZERO,
        };
        for (op, unit) in &ops {
            model.step(&mut switch, config, op, *unit);
            model.check(&switch, config);
        }
        // In the end peers lift their pauses, everything leaves, and no peer stays paused.
        for p in 0..PORTS {
            switch.handle_pause(model.now, port(p), 0);
            for priority in ALL {
                switch.handle_pfc(model.now, port(p), &PfcFrame::resume(priority));
            }
        }
        for p in 0..PORTS {
            while model.take(&mut switch, p, 0.5) {
                model.listen(&mut switch);
            }
        }
        model.check(&switch, config);
        prop_assert_eq!(model.entered, model.left + model.discarded);
        prop_assert_eq!((switch.shared_used(), switch.headroom_used()), (0, 0));
        prop_assert!(!model.told.contains(&true));
    }
}

#[test]
fn a_switch_is_small() {
    // 64 ports with one lossless class, one lossy and one for control: under 100 KB with what a busy port needs.
    let classes =
        [ClassConfig::lossless(P3, alpha(0)), ClassConfig::lossy(P0, alpha(0)), ClassConfig::control(P4)];
    let config = switch(64_000_000, &classes, &[PortConfig::new(C100); 64]);
    let switch: Switch<Pkt> = Switch::new(&config).unwrap();
    assert!(switch.memory_bytes() < 60_000, "{} B", switch.memory_bytes());
    let classes: Vec<ClassConfig> =
        (0..5).map(|p| ClassConfig::lossless(Priority::from_pcp(p), alpha(0))).collect();
    let switch: Switch<Pkt> = Switch::new(&weir_switch::SwitchConfig { classes, ..config }).unwrap();
    assert!(switch.memory_bytes() < 100_000, "{} B", switch.memory_bytes());
    assert_eq!(switch.ports(), 64);
    assert_eq!(switch.queued(Port(0), P3).count(), 0);
}
