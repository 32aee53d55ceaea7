//! Networks of switches under pauses alone: literature checks T9, T11, T24 and the unfairness of the DCQCN paper.

#![allow(clippy::unwrap_used, reason = "what tests share fails as tests do")]

mod common;

use common::net::{Net, Source};
use common::{C100, P3, alpha, hpcc, port, switch};
use weir_switch::headroom::{Headroom, Link};
use weir_switch::{
    ClassConfig, DropReason, MmuParams, PauseStyle, PfcParams, PortConfig, SwitchConfig, Threshold, pause,
};
use weir_units::{Rate, Span, Time};

const MTU: u16 = 1048;
const US: Span = Span::from_us(1);

fn source(flow: u16, start: Time) -> Source {
    Source { flow, bytes: MTU, start, interval: Span::ZERO, count: u64::MAX, hops: 32 }
}

fn lossless(xon_offset_bytes: u32, exponent: i32) -> ClassConfig {
    ClassConfig { xon_offset_bytes, ..ClassConfig::lossless(P3, alpha(exponent)) }
}

fn ports(n: usize, rate: Rate, headroom_bytes: u64) -> Vec<PortConfig> {
    vec![PortConfig { headroom_bytes: headroom_bytes as u32, ..PortConfig::new(rate) }; n]
}

/// N senders, one receiver behind one switch.
fn incast(config: &SwitchConfig, n: usize, rate: Rate, style: PauseStyle, response: Span) -> (Net, usize) {
    let mut net = Net::new(P3, style, response, n);
    let switch = net.switch(config, &vec![n; n]);
    for flow in 0..n {
        let start = Time::from_ns(13 * flow as u64);
        let host = net.host(rate, Some(source(flow as u16, start)));
        net.link(switch, host, rate, US);
    }
    let receiver = net.host(rate, None);
    net.link(switch, receiver, rate, US);
    net.start();
    (net, switch)
}

#[test]
fn t9_each_of_n_senders_is_paused_all_but_an_nth_of_the_time() {
    for (style, n) in [(PauseStyle::Quanta, 8), (PauseStyle::OnOff, 8), (PauseStyle::OnOff, 2)] {
        let mut config = switch(2_000_000, &[lossless(3072, -3)], &ports(n + 1, C100, 27_160));
        config.pfc.style = style;
        let (mut net, _) = incast(&config, n, C100, style, Span::ZERO);
        // The queue has filled after 1 ms.
        net.run_until(Time::from_ms(1));
        let before = net.delivered.clone();
        let paused: Vec<Span> = (1..=n).map(|host| net.paused_time(host)).collect();
        net.run_until(Time::from_ms(6));
        assert!(net.drops.is_empty(), "{:?}", net.drops.first());
        let got: Vec<f64> = net.delivered.iter().zip(&before).map(|(a, b)| (a - b) as f64).collect();
        let all: f64 = got.iter().sum();
        let line = C100.bytes_in(Span::from_ms(5)) as f64;
        assert!(all > 0.999 * line, "the receiver's link is never idle: {}", all / line);
        for (flow, bytes) in got.iter().enumerate() {
            assert!(
                (bytes / all * n as f64 - 1.0).abs() < 0.02,
                "{style:?} flow {flow} of {n}: {bytes} of {all}"
            );
            let share = (net.paused_time(flow + 1) - paused[flow]).as_secs_f64() / 5e-3;
            let want = 1.0 - 1.0 / n as f64;
            assert!((share - want).abs() < 0.01, "{style:?} flow {flow} of {n} paused for {share}");
        }
        let jain = all * all / (n as f64 * got.iter().map(|b| b * b).sum::<f64>());
        assert!(jain > 0.999, "{jain}");
    }
}

/// One sender at line rate into a port whose egress is stopped, while the way back to the sender carries frames of the
/// largest size, so that the pause has to wait; `phase` is when those begin. Returns headroom used at most, and drops.
fn worst_case(headroom: u64, response: Span, phase: Span) -> (u64, usize) {
    let config = switch(2_000_000, &[lossless(0, -3)], &ports(3, C100, headroom));
    let mut net = Net::new(P3, PauseStyle::Quanta, response, 2);
    let sw = net.switch(&config, &[1, 0]);
    let sender = net.host(C100, Some(source(0, Time::ZERO)));
    let stopped = net.host(C100, None);
    let reverse = net.host(C100, Some(source(1, Time::ZERO + phase)));
    for host in [sender, stopped, reverse] {
        net.link(sw, host, C100, US);
    }
    // A link pause of the longest time, again and again: nothing leaves toward the stopped host.
    net.start();
    for ms in 0..4 {
        let now = net.now;
        net.the_switch(sw).handle_pause(now, port(1), u16::MAX);
        net.run_until(Time::from_us(100 * (ms + 1)));
    }
    assert!(net.delivered[0] == 0 && net.delivered[1] > 1_000_000);
    let peak = net.the_switch(sw).pool_counters().xoff_room_watermark_bytes;
    let lossless = net.drops.iter().filter(|reason| matches!(reason, DropReason::Lossless(_))).count();
    assert_eq!(lossless, net.drops.len());
    assert_eq!(net.the_switch(sw).lossless_drops(), lossless as u64);
    (peak, lossless)
}

#[test]
fn t11_headroom_of_the_formula_is_enough_and_not_much_too_much() {
    for response in [Span::ZERO, pause::response_limit(C100)] {
        let link = Link { rate: C100, delay: US, max_frame_bytes: u32::from(MTU), response };
        let formula = Headroom::of(&link).total();
        let less = formula - 2 * u64::from(MTU) - 64;
        let frame = C100.span_of(u64::from(MTU));
        let (mut most, mut lossy_phases) = (0, 0);
        let phases = 24;
        for phase in 0..phases {
            let phase = frame * phase / phases;
            let (peak, drops) = worst_case(formula, response, phase);
            assert_eq!(drops, 0, "phase {phase}");
            most = most.max(peak);
            lossy_phases += u64::from(worst_case(less, response, phase).1 > 0);
        }
        assert!(most <= formula && most + u64::from(MTU) >= formula, "{most} of {formula} used at worst");
        assert_eq!(lossy_phases, phases, "2 MTU + 64 B less is too little in every phase");
    }
}

#[test]
fn no_port_loses_a_frame_even_when_all_cross_the_threshold_at_once() {
    // Eight senders, a receiver that stops; the smallest buffer there can be, and an alpha that gives each port more
    // than its share, so that thresholds fall under what ports already hold.
    let dynamic = |exponent| Threshold::Dynamic(alpha(exponent));
    // Static thresholds that promise more than there is.
    let thresholds =
        [dynamic(3), dynamic(0), dynamic(-3), Threshold::Static(15_000), Threshold::Static(1_000_000)];
    for (ingress, shared) in thresholds.into_iter().flat_map(|ingress| [(ingress, 1), (ingress, 20_000)]) {
        let class = ClassConfig { ingress, ..lossless(0, 0) };
        let link = Link { rate: C100, delay: US, max_frame_bytes: u32::from(MTU), response: Span::ZERO };
        let headroom = Headroom::of(&link).total();
        let buffer = 9 * (headroom + u64::from(MTU)) + shared;
        let config = switch(buffer, &[class], &ports(9, C100, headroom));
        for stop_us in [5, 50, 77] {
            let (mut net, sw) = incast(&config, 8, C100, PauseStyle::Quanta, Span::ZERO);
            net.run_until(Time::from_us(stop_us));
            let now = net.now;
            net.the_switch(sw).handle_pause(now, port(8), 20_000);
            net.run_until(Time::from_us(stop_us + 300));
            assert_eq!(net.drops, [], "{ingress:?}, {shared} B shared");
            assert!(net.delivered.iter().all(|bytes| *bytes > 0), "{:?}", net.delivered);
        }
        // One byte less is refused, with the sum.
        let less = switch(buffer - shared, &[class], &ports(9, C100, headroom));
        let error = weir_switch::Switch::<common::Pkt>::new(&less).unwrap_err().to_string();
        assert!(error.contains(&format!("= {} B", buffer - shared)), "{error}");
    }
}

#[test]
fn with_pfc_alone_ports_are_fair_and_flows_are_not() {
    // DCQCN paper: H1-H3 reach the receiver's switch by one, two or three uplinks, H4 has its own port.
    let rate = Rate::from_gbps(40);
    for (uplinks, want) in [(vec![0, 0, 0], 20.0), (vec![0, 1, 1], 40.0 / 3.0), (vec![0, 1, 2], 10.0)] {
        let n = uplinks.iter().max().unwrap() + 1;
        let headroom = 15_000;
        let near = switch(4_000_000, &[lossless(3072, -3)], &ports(3 + n, rate, headroom));
        let far = switch(4_000_000, &[lossless(3072, -3)], &ports(n + 2, rate, headroom));
        let mut net = Net::new(P3, PauseStyle::Quanta, Span::ZERO, 4);
        let near = net.switch(&near, &uplinks.iter().map(|up| 3 + up).chain([0]).collect::<Vec<_>>());
        let far = net.switch(&far, &[n + 1; 4]);
        let hosts: Vec<usize> = (0..4)
            .map(|flow| net.host(rate, Some(source(flow, Time::from_ns(17 * u64::from(flow))))))
            .collect();
        let receiver = net.host(rate, None);
        for host in &hosts[..3] {
            net.link(near, *host, rate, US);
        }
        for _ in 0..n {
            net.link(near, far, rate, US);
        }
        net.link(far, hosts[3], rate, US);
        net.link(far, receiver, rate, US);
        net.start();
        net.run_until(Time::from_ms(2));
        let before = net.delivered[3];
        net.run_until(Time::from_ms(12));
        assert!(net.drops.is_empty());
        let gbps = (net.delivered[3] - before) as f64 * 8.0 / 10e-3 / 1e9;
        assert!((gbps / want - 1.0).abs() < 0.03, "{uplinks:?}: {gbps} Gb/s, not {want}");
    }
}

/// Three switches in a ring with a host each; every host sends to the one two hops on, clockwise.
fn ring(clockwise: bool) -> Net {
    let config = switch(400_000, &[lossless(3072, -3)], &ports(if clockwise { 3 } else { 2 }, C100, 27_160));
    let mut net = Net::new(P3, PauseStyle::OnOff, Span::ZERO, 3);
    // Ports of a ring switch: 0 its host, 1 the one before, 2 the next. Flow i goes i, i + 1, i + 2.
    for me in 0..3usize {
        let toward = |flow: usize| match (clockwise, (me + 3 - flow) % 3) {
            (_, 2) => 0,
            (true, _) => 2,
            (false, _) => 1,
        };
        net.switch(
            &SwitchConfig { pfc: PfcParams::on_off(), ..config.clone() },
            &(0..3).map(toward).collect::<Vec<_>>(),
        );
    }
    for flow in 0..3u16 {
        net.host(C100, Some(source(flow, Time::from_ns(29 * u64::from(flow)))));
    }
    for me in 0..3 {
        net.link(me, 3 + me, C100, US);
    }
    if clockwise {
        // In the order that makes port 1 the way back and port 2 the way on.
        let pairs = [(0, 1), (1, 2), (2, 0)];
        for (from, to) in pairs {
            net.link_ports(from, 2, to, 1, C100, US);
        }
    } else {
        // Up to a spine and down again.
        let spine = switch(400_000, &[lossless(3072, -3)], &ports(3, C100, 27_160));
        let spine = net.switch(&SwitchConfig { pfc: PfcParams::on_off(), ..spine }, &[2, 0, 1]);
        for me in 0..3 {
            net.link(me, spine, C100, US);
        }
    }
    net.start();
    net
}

#[test]
fn t24_a_cyclic_dependency_deadlocks_and_up_down_routing_does_not() {
    let mut net = ring(true);
    net.run_until(Time::from_ms(20));
    assert!(net.drops.is_empty());
    assert!(net.queued() > 100_000, "{} B wait", net.queued());
    let idle = net.now - net.last_progress;
    assert!(idle > Span::from_ms(10), "the ring still moves: last at {}", net.last_progress);

    let mut net = ring(false);
    net.run_until(Time::from_ms(20));
    assert!(net.drops.is_empty());
    assert!(net.now - net.last_progress < Span::from_us(5));
    assert!(net.delivered.iter().all(|bytes| *bytes > 200_000_000), "{:?}", net.delivered);
}

#[test]
fn t24_a_routing_loop_deadlocks_above_n_b_over_ttl() {
    // Two switches of 40 Gb/s send a flow to each other, TTL 16: 2 × 40 / 16 = 5 Gb/s.
    let rate = Rate::from_gbps(40);
    for (gbps, deadlocks) in [(4.0, false), (4.9, false), (5.2, true), (6.0, true)] {
        let config = switch(1_000_000, &[lossless(3072, -3)], &ports(2, rate, 15_000));
        let mut net = Net::new(P3, PauseStyle::OnOff, Span::ZERO, 1);
        let pfc = PfcParams::on_off();
        let a = net.switch(&SwitchConfig { pfc, ..config.clone() }, &[1]);
        let b = net.switch(&SwitchConfig { pfc, ..config }, &[0]);
        let interval = Span::from_ps((f64::from(MTU) * 8.0 / gbps * 1000.0) as u64);
        let host = net.host(rate, Some(Source { interval, hops: 16, ..source(0, Time::ZERO) }));
        net.link(a, host, rate, US);
        net.link(a, b, rate, US);
        net.start();
        net.run_until(Time::from_ms(50));
        assert!(net.drops.is_empty());
        assert!(net.expired > 100);
        let idle = net.now - net.last_progress;
        assert_eq!(
            idle > Span::from_ms(5),
            deadlocks,
            "{gbps} Gb/s: last frame out at {}",
            net.last_progress
        );
    }
}

#[test]
fn a_lossless_class_without_pfc_loses_frames() {
    let mut config = switch(2_000_000, &[lossless(3072, -3)], &ports(3, C100, 27_160));
    config.pfc.enabled = false;
    let (mut net, sw) = incast(&config, 2, C100, PauseStyle::Quanta, Span::ZERO);
    net.run_until(Time::from_ms(1));
    assert!(!net.drops.is_empty());
    assert!(net.drops.iter().all(|reason| *reason == DropReason::IngressThreshold));
    assert_eq!(net.the_switch(sw).lossless_drops(), 0, "nobody promised anything");
    assert_eq!((net.paused_time(1), net.the_switch(sw).headroom_used()), (Span::ZERO, 0));
}

#[test]
fn the_reference_s_parameters_lose_nothing_in_an_incast() {
    let ports = vec![PortConfig::hpcc(C100, US, 3); 9];
    let config = hpcc(2 << 20, &ports);
    assert_eq!(config.mmu, MmuParams::Hpcc);
    let (mut net, _) = incast(&config, 8, C100, PauseStyle::OnOff, Span::ZERO);
    net.run_until(Time::from_ms(3));
    assert_eq!(net.drops, []);
    assert!((1..=8).all(|host| net.paused_time(host) > Span::from_ms(2)));
}
