//! Scenarios for the tests, and how to run them.

use weir_fabric::*;
use weir_sim::net::{Quiet, RunOptions, run};
use weir_sim::results::{EndReason, FlowStatus, Results};
use weir_units::{Bytes, Rate, Span, Time};

pub const US: Span = Span::from_us(1);

/// A quiet scenario on this topology: no control, no ECN, PFC on.
pub fn scenario(spec: TopologySpec) -> Scenario {
    Scenario {
        name: "test".into(),
        description: String::new(),
        topology: spec.build().unwrap(),
        topology_spec: spec,
        route_overrides: vec![],
        qos: Qos::default(),
        buffer: Buffer::default(),
        pfc: Pfc::default(),
        nic: Nic::default(),
        control: ControlSpec::none(),
        workloads: vec![],
        faults: vec![],
        probes: Probes::default(),
        run: Run::default(),
        notices: vec![],
    }
}

pub fn star(hosts: u32, gbps: u64) -> Scenario {
    scenario(TopologySpec::star(hosts, Rate::from_gbps(gbps), US))
}

/// A workload with the usual trimmings.
pub fn workload(name: &str, pattern: Pattern) -> Workload {
    Workload {
        name: name.into(),
        tag: "test".into(),
        class: 0,
        op: Op::Write,
        start: Time::ZERO,
        jitter: Span::ZERO,
        repeat: Repeat::default(),
        connections: Connections::PerFlow,
        pattern,
    }
}

/// One message from each of `from` to `to`.
pub fn to_one(from: std::ops::Range<u32>, to: u32, bytes: u64) -> Workload {
    let pattern =
        Pattern::Pairs { from: from.map(NodeId).collect(), to: vec![NodeId(to)], bytes: Bytes::new(bytes) };
    workload("to-one", pattern)
}

pub fn run_it(scenario: &Scenario) -> Results {
    run_with(scenario, &RunOptions::default())
}

pub fn run_with(scenario: &Scenario, options: &RunOptions) -> Results {
    run(scenario, options, &mut Quiet).unwrap()
}

/// Every flow completed, every byte arrived, nothing lossless was dropped.
pub fn assert_all_done(results: &Results) {
    assert_eq!(results.end, EndReason::Completed, "{:?}", results.summary);
    for flow in &results.flows {
        assert_eq!(flow.status, FlowStatus::Completed, "{flow:?}");
        assert_eq!(flow.delivered_bytes, flow.bytes, "{flow:?}");
    }
    assert!(results.lossless_drops.is_empty(), "{:?}", results.lossless_drops[0]);
}

/// A three-tier fat-tree of 16 hosts at 100 Gb/s.
pub fn fat_tree() -> Scenario {
    scenario(TopologySpec::fat_tree(4, Rate::from_gbps(100), US))
}

/// A scenario that needs no other file.
pub fn from_toml(text: &str) -> Scenario {
    Scenario::from_toml(text, "test.toml", &mut |file| Err(format!("no file {file}"))).unwrap()
}

/// `node:port` of the switch port that leads to a host.
pub fn results_port(s: &Scenario, host: u32) -> String {
    let peer = s.topology.ports(NodeId(host))[0].peer;
    s.topology.port_name(peer.node, peer.port)
}
