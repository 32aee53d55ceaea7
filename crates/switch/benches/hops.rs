//! Nanoseconds for a frame to pass a switch: one `admit`, one `dequeue`, one `poll_pfc` each.

use std::hint::black_box;
use std::time::Instant;
use weir_congestion::RedParams;
use weir_switch::{
    Alpha, ClassConfig, Frame, MarkAt, MmuParams, PfcParams, Port, PortConfig, Priority, Scheduler, Switch,
    SwitchConfig,
};
use weir_units::{Rate, Span, Time};

/// 24 bytes, as a simulator's frame.
#[derive(Clone, Copy)]
struct Pkt {
    _flow: u64,
    _psn: u64,
    bytes: u32,
    ce: bool,
}

impl Frame for Pkt {
    fn bytes(&self) -> u32 {
        self.bytes
    }
    fn ecn_capable(&self) -> bool {
        true
    }
    fn mark_ce(&mut self) {
        self.ce = true;
    }
}

const P3: Priority = Priority::from_pcp(3);

fn config(ports: usize, hpcc: bool) -> SwitchConfig {
    let red = RedParams { kmin_bytes: 400_000, kmax_bytes: 1_600_000, pmax: 0.2 };
    let rate = Rate::from_gbps(100);
    let lossy =
        ClassConfig::lossy(Priority::from_pcp(0), Alpha::ratio(1.0).unwrap_or_else(|| unreachable!()));
    let lossless = ClassConfig::lossless(P3, Alpha::ratio(0.125).unwrap_or_else(|| unreachable!()));
    SwitchConfig {
        buffer_bytes: 32 << 20,
        mmu: if hpcc { MmuParams::Hpcc } else { MmuParams::Standard { max_frame_bytes: 1048 } },
        classes: if hpcc { vec![ClassConfig::hpcc(P3)] } else { vec![lossy, lossless] },
        ports: vec![PortConfig::hpcc(rate, Span::from_us(1), 3).with_ecn(P3, red); ports],
        pfc: if hpcc { PfcParams::on_off() } else { PfcParams::default() },
        watchdog: None,
        mark_at: MarkAt::Dequeue,
        scheduler: if hpcc { Scheduler::PacketRoundRobin } else { Scheduler::Classes },
    }
}

/// Frames from every port to every other in turn, `depth` of them waiting at each.
fn run(name: &str, config: &SwitchConfig, depth: usize) {
    let Ok(mut switch) = Switch::<Pkt>::new(config) else { return println!("{name}: no such switch") };
    let ports = config.ports.len();
    let pkt = Pkt { _flow: 1, _psn: 2, bytes: 1048, ce: false };
    let mut state = 1u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    for i in 0..ports * depth {
        switch.admit(Time::ZERO, Port((i / depth) as u16), Port((i % ports) as u16), P3, pkt);
    }
    let hops = 20_000_000u64;
    let (mut now, mut out, mut from, mut marked) = (Time::ZERO, 0usize, 1usize, 0u64);
    let start = Instant::now();
    for _ in 0..hops {
        now += Span::from_ns(83);
        black_box(switch.admit(now, Port(from as u16), Port(out as u16), P3, pkt));
        while let Some(frame) = switch.poll_pfc() {
            black_box(frame);
        }
        if let Some(departure) = switch.dequeue(now, Port(out as u16), &mut draw) {
            marked += u64::from(departure.marked);
            black_box(departure.frame);
        }
        while let Some(frame) = switch.poll_pfc() {
            black_box(frame);
        }
        out = if out + 1 == ports { 0 } else { out + 1 };
        from = if from + 3 >= ports { from + 3 - ports } else { from + 3 };
    }
    let ns = start.elapsed().as_secs_f64() * 1e9 / hops as f64;
    println!(
        "{name:40} {ns:6.1} ns a hop  {:6.1} M hops/s  {:8} B  {marked} marks",
        1e3 / ns,
        switch.memory_bytes()
    );
}

fn main() {
    run("hpcc rules, 17 ports, 10 deep", &config(17, true), 10);
    run("standard, 17 ports, 10 deep", &config(17, false), 10);
    run("standard, 17 ports, empty", &config(17, false), 0);
    run("standard, 64 ports, 100 deep", &config(64, false), 100);
    // 500 × 1048 B are on the marking ramp.
    run("standard, 32 ports, 500 deep (marking)", &config(32, false), 500);
    run("standard, 1024 ports, 4 deep", &SwitchConfig { buffer_bytes: 256 << 20, ..config(1024, false) }, 4);
}
