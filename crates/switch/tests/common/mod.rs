//! Frames, switches and random numbers for the tests.
#![allow(dead_code, reason = "each test file uses its part")]

pub mod net;

use weir_switch::{
    Alpha, ClassConfig, Frame, MarkAt, MmuParams, PfcParams, Port, PortConfig, Priority, Scheduler,
    SwitchConfig,
};
use weir_units::{Rate, Time};

pub const P0: Priority = Priority::from_pcp(0);
pub const P3: Priority = Priority::from_pcp(3);
pub const P4: Priority = Priority::from_pcp(4);
pub const C100: Rate = Rate::from_gbps(100);

/// A frame that knows who sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pkt {
    pub id: u32,
    pub flow: u16,
    pub bytes: u16,
    pub hops: u8,
    pub ect: bool,
    pub ce: bool,
}

impl Pkt {
    pub fn new(id: u32, bytes: u16) -> Self {
        Self { id, flow: 0, bytes, hops: 0, ect: true, ce: false }
    }
}

impl Frame for Pkt {
    fn bytes(&self) -> u32 {
        u32::from(self.bytes)
    }
    fn ecn_capable(&self) -> bool {
        self.ect
    }
    fn mark_ce(&mut self) {
        self.ce = true;
    }
}

/// SplitMix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

pub fn no_draw() -> f64 {
    panic!("no random number is needed here")
}

pub fn at(ns: u64) -> Time {
    Time::from_ns(ns)
}

pub fn alpha(exponent: i32) -> Alpha {
    Alpha::power_of_two(exponent).unwrap()
}

/// A switch with Weir's accounting and the given classes and ports.
pub fn switch(buffer_bytes: u64, classes: &[ClassConfig], ports: &[PortConfig]) -> SwitchConfig {
    SwitchConfig {
        buffer_bytes,
        mmu: MmuParams::Standard { max_frame_bytes: 1048 },
        classes: classes.to_vec(),
        ports: ports.to_vec(),
        pfc: PfcParams::default(),
        watchdog: None,
        mark_at: MarkAt::Dequeue,
        scheduler: Scheduler::Classes,
    }
}

/// A switch of the ns-3 HPCC simulator with one data class, priority 3.
pub fn hpcc(buffer_bytes: u64, ports: &[PortConfig]) -> SwitchConfig {
    SwitchConfig {
        mmu: MmuParams::Hpcc,
        pfc: PfcParams::on_off(),
        scheduler: Scheduler::PacketRoundRobin,
        ..switch(buffer_bytes, &[ClassConfig::hpcc(P3)], ports)
    }
}

pub fn port(n: usize) -> Port {
    Port(n as u16)
}
