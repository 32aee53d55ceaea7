//! Literature checks T1, T12, T13, scheduling shares, and lossy classes.

#![allow(clippy::unwrap_used, reason = "what tests share fails as tests do")]

mod common;

use common::{C100, P0, P3, P4, Pkt, Rng, alpha, at, no_draw, port, switch};
use weir_congestion::RedParams;
use weir_switch::ecmp::{FiveTuple, hpcc_hash, modulo, scale};
use weir_switch::{
    Admit, ClassConfig, DropReason, MarkAt, PortConfig, Priority, Scheduling, Switch, SwitchConfig, Threshold,
};

/// A switch whose queue at port 1 is marked by `red`.
fn marking(red: RedParams, mark_at: MarkAt) -> Switch<Pkt> {
    let ports = [PortConfig::new(C100).with_ecn(P3, red); 2];
    let classes = [ClassConfig { egress: Threshold::UNLIMITED, ..ClassConfig::lossy(P3, alpha(0)) }];
    Switch::new(&SwitchConfig { mark_at, ..switch(64_000_000, &classes, &ports) }).unwrap()
}

/// Marks among `rounds` frames that each leave `depth` bytes behind.
fn marks(red: RedParams, frame: u16, depth: u64, rounds: u32) -> u64 {
    let mut switch = marking(red, MarkAt::Dequeue);
    let mut rng = Rng(1);
    let mut draw = || rng.unit();
    for id in 0..depth / u64::from(frame) {
        switch.admit(at(0), port(0), port(1), P3, Pkt::new(id as u32, frame));
    }
    assert_eq!(switch.queue_bytes(port(1), P3), depth);
    for id in 0..rounds {
        switch.admit(at(0), port(0), port(1), P3, Pkt::new(id, frame));
        switch.dequeue(at(0), port(1), &mut draw).unwrap();
    }
    let counters = switch.counters(at(0), port(1), P3).unwrap();
    assert_eq!(counters.ecn_marked_bytes, counters.ecn_marked_packets * u64::from(frame));
    counters.ecn_marked_packets
}

#[test]
fn t1_the_marking_curve_through_the_switch() {
    let red = RedParams { kmin_bytes: 5_000, kmax_bytes: 200_000, pmax: 0.01 };
    let n = 1_000_000;
    // Four standard deviations of the binomial.
    for (depth, frame, p) in [(102_500, 500, 0.005), (200_000, 1000, 0.01), (20_000, 1000, 0.01 / 13.0)] {
        let marked = marks(red, frame, depth, n) as f64;
        let mean = f64::from(n) * p;
        let sd = (mean * (1.0 - p)).sqrt();
        assert!((marked - mean).abs() < 4.0 * sd, "{depth} B: {marked} marks, {mean} expected");
    }
    // 200001 = 489 × 409: just above Kmax everything, at Kmin nothing.
    assert_eq!(marks(red, 409, 200_001, 10_000), 10_000);
    assert_eq!(marks(red, 1000, 5_000, 10_000), 0);
}

#[test]
fn at_enqueue_the_depth_that_a_frame_finds_decides() {
    let red = RedParams { kmin_bytes: 3_000, kmax_bytes: 3_000, pmax: 1.0 };
    let run = |mark_at| {
        let mut switch = marking(red, mark_at);
        for id in 0..6 {
            switch.admit(at(0), port(0), port(1), P3, Pkt::new(id, 1000));
        }
        let out = std::iter::from_fn(|| switch.dequeue(at(1), port(1), &mut no_draw));
        out.map(|departure| departure.marked).collect::<Vec<bool>>()
    };
    assert_eq!(run(MarkAt::Enqueue), [false, false, false, false, true, true], "4000 and 5000 B were found");
    assert_eq!(run(MarkAt::Dequeue), [true, true, false, false, false, false], "5000 and 4000 B are left");
}

#[test]
fn what_cannot_carry_a_mark_is_never_asked_for_one() {
    let red = RedParams { kmin_bytes: 0, kmax_bytes: 1_000_000, pmax: 1.0 };
    let mut switch = marking(red, MarkAt::Dequeue);
    for id in 0..9 {
        switch.admit(at(0), port(0), port(1), P3, Pkt { ect: false, ..Pkt::new(id, 1000) });
    }
    while let Some(departure) = switch.dequeue(at(1), port(1), &mut no_draw) {
        assert!(!departure.marked && !departure.frame.ce);
    }
}

#[test]
fn t12_n_greedy_queues_each_get_alpha_b_over_1_plus_n_alpha() {
    // 12 MB, alpha 1/8: 1333, 1000 and 500 KB for 1, 4 and 16 queues.
    for (n, kb) in [(1usize, 1333.3), (4, 1000.0), (16, 500.0)] {
        let lossy = switch(12_000_000, &[ClassConfig::lossy(P3, alpha(-3))], &[PortConfig::new(C100); 17]);
        let mut lossy: Switch<Pkt> = Switch::new(&lossy).unwrap();
        // Lossless: the pause comes where a lossy queue would drop. No headroom: only the first frame beyond it.
        let skid = 17 * 1048;
        let classes = [ClassConfig::lossless(P3, alpha(-3))];
        let lossless = switch(12_000_000 + skid, &classes, &[PortConfig::new(C100); 17]);
        let mut lossless: Switch<Pkt> = Switch::new(&lossless).unwrap();
        for _ in 0..2000 {
            for queue in 0..n {
                let pkt = Pkt::new(0, 1000);
                lossy.admit(at(0), port(16), port(queue), P3, pkt);
                if !lossless.pausing(port(queue), P3) {
                    let admitted = lossless.admit(at(0), port(queue), port(16), P3, pkt);
                    assert_eq!(admitted, Admit::Queued);
                }
            }
        }
        for queue in 0..n {
            // A queue stops within one frame of the threshold; n of them move it by n alpha of that.
            let slack = 1.0 + n as f64 / 8.0;
            let got = lossy.queue_bytes(port(queue), P3) as f64 / 1000.0;
            assert!((got - kb).abs() <= slack, "{n} lossy queues: {got} KB");
            let got = lossless.ingress_bytes(port(queue), P3) as f64 / 1000.0;
            assert!((got - kb).abs() <= slack, "{n} lossless groups: {got} KB");
        }
    }
}

#[test]
fn a_static_threshold_does_not_move() {
    let class = ClassConfig { egress: Threshold::Static(10_000), ..ClassConfig::lossy(P3, alpha(0)) };
    let mut switch = Switch::new(&switch(1_000_000, &[class], &[PortConfig::new(C100); 3])).unwrap();
    for (out, frames) in [(1, 20), (2, 20)] {
        for id in 0..frames {
            let admitted = switch.admit(at(0), port(0), port(out), P3, Pkt::new(id, 1000));
            assert_eq!(matches!(admitted, Admit::Queued), id < 10, "frame {id}");
            if let Admit::Dropped { reason, .. } = admitted {
                assert_eq!(reason, DropReason::EgressThreshold);
            }
        }
    }
    let counters = switch.counters(at(0), port(2), P3).unwrap();
    assert_eq!((counters.queue_dropped_packets, counters.queue_dropped_bytes), (10, 10_000));
    assert_eq!(switch.counters(at(0), port(0), P3).unwrap().group_dropped_packets, 20);
    assert_eq!(counters.queue_watermark_bytes, 10_000);
}

#[test]
fn lossy_frames_cannot_take_what_lossless_ones_may_need() {
    // Two ports; alpha so large that only the buffer's end stops the lossy class.
    let headroom = 20_000;
    let ports = [PortConfig { headroom_bytes: headroom, ..PortConfig::new(C100) }; 2];
    let classes = [
        ClassConfig { reserve_bytes: 5_000, ..ClassConfig::lossless(P3, alpha(-1)) },
        ClassConfig::lossy(P0, alpha(15)),
    ];
    let mut switch = Switch::new(&switch(200_000, &classes, &ports)).unwrap();
    let mut refused = None;
    for id in 0..1000 {
        if let Admit::Dropped { reason, .. } = switch.admit(at(0), port(0), port(1), P0, Pkt::new(id, 1000)) {
            refused = refused.or(Some(reason));
        }
    }
    assert_eq!(refused, Some(DropReason::BufferFull));
    assert!(switch.shared_used() <= switch.shared_limit());
    // Reserve, one crossing frame, and all of headroom are still there for each port.
    for in_port in 0..2 {
        let mut taken = 0;
        while switch.admit(at(0), port(in_port), port(1), P3, Pkt::new(0, 1000)) == Admit::Queued {
            taken += 1000;
        }
        assert_eq!(taken, 5_000 + 1_000 + u64::from(headroom));
    }
    assert_eq!(switch.lossless_drops(), 2);
}

#[test]
fn t13_n_flows_on_n_paths_use_what_chance_says() {
    // 1 - (1 - 1/n)^n of the paths: 65.6%, 64.4%, 63.8%; and no collision among 8 in 0.24% of draws.
    let rounds = 40_000u32;
    type Hash = fn(u32, u32, u32, u32) -> u32;
    let ours: Hash = |src, dst, sport, seed| {
        FiveTuple { src, dst, sport: sport as u16, dport: 4791, protocol: 17 }.hash(seed)
    };
    let reference: Hash = |src, dst, sport, seed| hpcc_hash(src, dst, sport as u16, 100, seed);
    for (name, hash, pick) in [("ours", ours, scale as fn(u32, u32) -> u32), ("hpcc", reference, modulo)] {
        for (n, used, free) in [(8u32, 0.656, Some(0.0024)), (16, 0.644, None), (32, 0.638, None)] {
            let (mut paths, mut clean) = (0, 0);
            for round in 0..rounds {
                let mut seen = 0u32;
                for flow in 0..n {
                    // Addresses and ports as a fabric gives them: consecutive, not random.
                    let address = |id: u32| 0x0b00_0001 + ((id / 256) << 16) + ((id % 256) << 8);
                    let (src, dst) = (address(round % 320), address((round + 1 + flow) % 320));
                    seen |= 1 << pick(hash(src, dst, 10_000 + round / 320, 300 + round % 56), n);
                }
                paths += seen.count_ones();
                clean += u32::from(seen.count_ones() == n);
            }
            let share = f64::from(paths) / f64::from(rounds * n);
            assert!((share - used).abs() < 0.003, "{name}, {n} paths: {share} used");
            if let Some(free) = free {
                let got = f64::from(clean) / f64::from(rounds);
                // Four standard deviations of the binomial.
                let sd = (free * (1.0 - free) / f64::from(rounds)).sqrt();
                assert!((got - free).abs() < 4.0 * sd, "{name}, {n} paths: {got} without collision");
            }
        }
    }
}

#[test]
fn the_same_seed_at_two_tiers_polarises_and_two_seeds_do_not() {
    let flows: Vec<FiveTuple> = (0..4000)
        .map(|i| FiveTuple {
            src: 0x0a00_0000 + i,
            dst: 0x0a01_0000,
            sport: 49_152,
            dport: 4791,
            protocol: 17,
        })
        .collect();
    let second = |seed: u32| {
        // The flows that the first tier (seed 1) sends to hop 0 of 4, at the second tier.
        let mut use_of = [0u32; 4];
        for flow in flows.iter().filter(|flow| scale(flow.hash(1), 4) == 0) {
            use_of[scale(flow.hash(seed), 4) as usize] += 1;
        }
        use_of
    };
    assert_eq!(second(1)[1..], [0, 0, 0]);
    let spread = second(2);
    assert!(spread.iter().all(|n| (200..300).contains(n)), "{spread:?}");
}

fn weighted(number: u8, weight: u32) -> ClassConfig {
    let class = ClassConfig::lossy(Priority::from_pcp(number), alpha(8));
    ClassConfig { scheduling: Scheduling::Weighted(weight), ..class }
}

#[test]
fn weighted_classes_share_by_weight_within_a_quantum() {
    let weights = [(1u8, 1u32), (2, 2), (5, 5)];
    let classes: Vec<ClassConfig> = weights.iter().map(|(p, w)| weighted(*p, *w)).collect();
    let mut switch = Switch::new(&switch(50_000_000, &classes, &[PortConfig::new(C100); 2])).unwrap();
    let mut rng = Rng(7);
    let mut sent = [0f64; 3];
    let feed = |switch: &mut Switch<Pkt>, class: usize, rng: &mut Rng| {
        let size = 64 + rng.below(985) as u16;
        switch.admit(
            at(0),
            port(0),
            port(1),
            Priority::from_pcp(weights[class].0),
            Pkt::new(class as u32, size),
        );
    };
    for class in 0..3 {
        for _ in 0..20 {
            feed(&mut switch, class, &mut rng);
        }
    }
    for step in 0..100_000 {
        let frame = switch.dequeue(at(0), port(1), &mut no_draw).unwrap().frame;
        let class = frame.id as usize;
        sent[class] += f64::from(frame.bytes);
        feed(&mut switch, class, &mut rng);
        let total: f64 = sent.iter().sum();
        for (class, (_, weight)) in weights.iter().enumerate() {
            // The quantum is one longest frame for the lightest class; a deficit adds less than a frame.
            let (ideal, quantum) = (total * f64::from(*weight) / 8.0, 1048.0 * f64::from(*weight));
            assert!((sent[class] - ideal).abs() <= quantum + 1048.0, "step {step} class {class}: {sent:?}");
        }
    }
}

#[test]
fn strict_classes_go_first_the_highest_before_the_others() {
    let strict = |class: ClassConfig| ClassConfig { scheduling: Scheduling::Strict, ..class };
    let classes = [strict(weighted(6, 1)), weighted(3, 1), strict(weighted(2, 1)), weighted(0, 3)];
    let mut switch = Switch::new(&switch(1_000_000, &classes, &[PortConfig::new(C100); 2])).unwrap();
    for number in [0, 2, 3, 6, 0, 2, 3, 6] {
        switch.admit(at(0), port(0), port(1), Priority::from_pcp(number), Pkt::new(0, 1048));
    }
    let order: Vec<u8> = std::iter::from_fn(|| switch.dequeue(at(0), port(1), &mut no_draw))
        .map(|departure| departure.priority.number())
        .collect();
    assert_eq!(order[..4], [6, 6, 2, 2]);
    assert_eq!(order.len(), 8);
}

#[test]
fn a_queue_that_was_idle_has_saved_nothing() {
    let classes = [weighted(3, 8), weighted(4, 1)];
    let mut switch = Switch::new(&switch(10_000_000, &classes, &[PortConfig::new(C100); 2])).unwrap();
    let offer = |switch: &mut Switch<Pkt>, priority, frames| {
        for id in 0..frames {
            assert_eq!(switch.admit(at(0), port(0), port(1), priority, Pkt::new(id, 1048)), Admit::Queued);
        }
    };
    // The heavy class gets a round's quantum each time and uses an eighth of it.
    for _ in 0..50 {
        offer(&mut switch, P3, 1);
        offer(&mut switch, P4, 1);
        while switch.dequeue(at(0), port(1), &mut no_draw).is_some() {}
    }
    offer(&mut switch, P3, 300);
    offer(&mut switch, P4, 300);
    let out = std::iter::from_fn(|| switch.dequeue(at(0), port(1), &mut no_draw));
    let light = out.take(27).filter(|departure| departure.priority == P4).count();
    assert!((2..=4).contains(&light), "3 of 27 by weight, not {light}");
}
