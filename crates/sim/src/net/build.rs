//! From a scenario to an engine that is ready to run.

use super::conn::Conns;
use super::depend::Dependencies;
use super::engine::{Counts, Engine};
use super::forward::SwitchNode;
use super::frame::{ECT, FRAME_OVERHEAD_BYTES};
use super::host::Host;
use super::line::{GAP_BYTES, Line, Losses, PREAMBLE_BYTES, Place};
use super::nic::{ClassParams, Nic};
use super::options::{RunOptions, SimError, Tap};
use super::path::Paths;
use super::pauses::PauseLog;
use super::port::NicPort;
use super::probe::{Histograms, SeriesSet, Source};
use super::rng::{Purpose, Stream};
use super::slab::Slab;
use super::watch::Stuck;
use crate::results::{FlowResult, FlowStatus, HostResult};
use crate::wheel::Wheel;
use std::collections::VecDeque;
use weir_congestion::ControlParams;
use weir_fabric::{FlowSet, Framing, LinkId, NodeId, PauseStyle, Scenario, Start};
use weir_switch::{PauseRx, Switch};
use weir_transport::{Access, Env, NoMemory, Recovery};
use weir_units::{Rate, Span, Time};

/// Buckets of the event wheel: 2^9 ps wide and 2^13 of them, so that few events share one and a horizon of 4 us holds all but
/// timers and flow starts. Measured: half or twice of either is slower by some per cent.
const WHEEL: (u32, u32) = (9, 13);

impl<'a> Engine<'a> {
    /// An engine for this scenario and these flows, at time 0.
    pub(crate) fn build(
        scenario: &'a Scenario,
        set: &'a FlowSet,
        options: &'a RunOptions,
        seed: u64,
        tap: &'a mut dyn Tap,
    ) -> Result<Self, SimError> {
        let topology = &scenario.topology;
        check_flows(scenario, set)?;
        let lines = lines(scenario);
        let ports = lines.len();
        let control = scenario.control_params(lines.first().map_or(Rate::ZERO, |line| line.rate));
        let ect = matches!(control, ControlParams::Dcqcn(_) | ControlParams::Dctcp(_));
        let uses_int = matches!(control, ControlParams::Hpcc(_));
        let mtu = u32::try_from(scenario.nic.mtu.get()).ok().filter(|mtu| (1..=16_384).contains(mtu));
        let mtu = mtu.ok_or_else(|| SimError::BadValue {
            field: "nic.mtu".into(),
            found: scenario.nic.mtu.to_string(),
            expected: "from 1 B to 16384 B".into(),
        })?;
        let mut env = Env::<NoMemory>::default();
        let rkey = env.keys.register(0, u64::MAX, Access::REMOTE_READ | Access::REMOTE_WRITE);
        let host_ports = topology.port_index(NodeId(topology.hosts()), 0).min(ports);
        let classes = nic_classes(scenario);
        let on_off = scenario.pfc.style == PauseStyle::OnOff;
        let nics = (0..host_ports).map(|port| {
            let style = if on_off { weir_switch::PauseStyle::OnOff } else { weir_switch::PauseStyle::Quanta };
            NicPort::new(
                Nic::new(&classes),
                PauseRx::new(lines[port].rate, style, scenario.nic.pfc_response_delay),
            )
        });
        let nics = nics.collect();
        let hosts = (0..topology.hosts()).map(|host| Host {
            counters: HostResult { name: topology.node(NodeId(host)).name.clone(), ..HostResult::default() },
            np_by_source: Vec::new(),
        });
        let priority =
            |class: u8| scenario.qos.classes.get(usize::from(class)).map_or(0, |class| class.priority);
        let keys = set.flows.iter().map(|flow| Self::conn_key(flow) as usize + 1).max().unwrap_or(0);
        let mut conn_flows = vec![0; keys];
        for flow in &set.flows {
            conn_flows[Self::conn_key(flow) as usize] += 1;
        }
        let dependencies = Dependencies::new(set)?;
        let mut engine = Self {
            scenario,
            topology,
            set,
            options,
            tap,
            taps: Vec::new(),
            seed,
            now: Time::ZERO,
            wheel: Wheel::new(WHEEL.0, WHEEL.1, 0),
            faults: vec![None; ports],
            losses: vec![Losses::default(); ports],
            up: vec![true; ports],
            ports_down: 0,
            stages: Vec::new(),
            link_down: vec![0; topology.links().len()],
            pfc_out: vec![VecDeque::new(); ports],
            pfcs: Slab::default(),
            frames: Slab::default(),
            telemetry: Slab::default(),
            switches: switches(scenario)?,
            marks: (0..ports as u64).map(|port| Stream::new(seed, Purpose::Mark, port)).collect(),
            paths: Paths::default(),
            routes: scenario.routes(|_| true),
            per_packet_paths: false,
            sprayed: 0,
            hosts: hosts.collect(),
            nics,
            env,
            rkey,
            mtu,
            recovery: match scenario.nic.recovery {
                weir_fabric::Recovery::GoBackN => Recovery::GoBackN,
                weir_fabric::Recovery::GoBack0 => Recovery::GoBack0,
                weir_fabric::Recovery::SelectiveRepeat => Recovery::SelectiveRepeat,
            },
            framing: Framing::rocev2_write(mtu),
            wire_overhead: FRAME_OVERHEAD_BYTES + PREAMBLE_BYTES + GAP_BYTES,
            np_params: scenario.np_params(),
            notification_delay: scenario.nic.notification_delay,
            reaction_delay: scenario.nic.reaction_delay,
            sends_cnps: scenario.sends_cnps(),
            uses_int,
            ect: if ect { ECT } else { 0 },
            ack_prio: scenario.qos.ack_class.map(priority),
            cnp_prio: priority(scenario.qos.cnp_class),
            conns: Conns::default(),
            conn_of: vec![u32::MAX; keys],
            conn_flows,
            generation: 0,
            starts: starts(set, &dependencies),
            dependencies,
            started: 0,
            results: results(set, priority),
            flows_over: 0,
            running_flows: 0,
            peak_flows: 0,
            last_delivery: Time::ZERO,
            last_end: Time::ZERO,
            pauses: PauseLog::new(ports, options.max_pause_events),
            lossless_drops: Vec::new(),
            storms: Vec::new(),
            deadlocks: Vec::new(),
            deadlock_watch: false,
            stuck: Stuck::default(),
            histograms: None,
            series: SeriesSet::default(),
            rate_series: SeriesSet::default(),
            counts: Counts::default(),
            stop: None,
            lines,
        };
        for link in 0..topology.links().len() as u32 {
            engine.set_rates(LinkId(link));
        }
        engine.set_taps()?;
        engine.set_probes()?;
        Ok(engine)
    }

    /// Sets up histograms and series.
    fn set_probes(&mut self) -> Result<(), SimError> {
        let probes = self.options.probes.as_ref().unwrap_or(&self.scenario.probes);
        let some = |interval: Option<Span>| interval.filter(|interval| *interval != Span::ZERO);
        self.histograms =
            some(probes.queue_histogram).map(|every| (every, Histograms::new(self.lines.len())));
        if let Some(interval) = some(probes.queue_series) {
            let mut series = SeriesSet::new(interval);
            let mut found = vec![false; probes.queues.len()];
            for (index, node) in self.switches.iter().enumerate() {
                let name = &self.topology.node(node.node).name;
                let wanted = |text: &str, found: &mut [bool]| {
                    let at = probes.queues.iter().position(|queue| queue == text);
                    if let Some(at) = at {
                        found[at] = true;
                    }
                    at.is_some()
                };
                let all = probes.queues.is_empty() || wanted(name, &mut found);
                if all {
                    series.add(Source::Shared { switch: index as u32 }, name.clone());
                }
                for local in 0..node.switch.ports() as u16 {
                    let port_name = self.topology.port_name(node.node, local);
                    let port = node.first_port + u32::from(local);
                    let of_port = all || wanted(&port_name, &mut found);
                    for priority in node.switch.priorities() {
                        let name = format!("{port_name}/{priority}");
                        if of_port || wanted(&name, &mut found) {
                            series.add(Source::Queue { port, prio: priority.number() }, name);
                        }
                    }
                }
            }
            self.series = series;
            if let Some(at) = found.iter().position(|found| !found) {
                return Err(self.no_such_port("probes.queues", &probes.queues[at], "queue of a switch"));
            }
        }
        if let Some(interval) = some(probes.rate_series) {
            let mut series = SeriesSet::new(interval);
            for port in 0..self.lines.len() as u32 {
                let name = self.port_name(port);
                if probes.links.is_empty() || probes.links.contains(&name) {
                    series.add(Source::Link { port }, name);
                }
            }
            for name in &probes.links {
                if self.port_named(name).is_none() {
                    return Err(self.no_such_port("probes.links", name, "port"));
                }
            }
            for flow in 0..self.set.flows.len() as u32 {
                if probes.flows.is_empty() || probes.flows.contains(&flow) {
                    series.add(Source::Flow { flow }, format!("flow {flow}"));
                    series.add(Source::Allowed { flow }, format!("flow {flow}"));
                }
            }
            self.rate_series = series;
        }
        Ok(())
    }

    /// The port of this name, `node:port`.
    pub(super) fn port_named(&self, name: &str) -> Option<u32> {
        let (node, local) = name.rsplit_once(':')?;
        let node = self.topology.find(node)?;
        let local =
            local.parse::<u16>().ok().filter(|l| usize::from(*l) < self.topology.ports(node).len())?;
        Some(self.topology.port_index(node, local) as u32)
    }

    pub(super) fn no_such_port(&self, what: &'static str, name: &str, kind: &'static str) -> SimError {
        let example = match self.switches.first() {
            Some(switch) => self.topology.port_name(switch.node, 0),
            None => self.topology.port_name(NodeId(0), 0),
        };
        SimError::NoSuchPort { what, name: name.to_owned(), kind, example }
    }
}

fn check_flows(scenario: &Scenario, set: &FlowSet) -> Result<(), SimError> {
    let hosts = scenario.topology.hosts();
    for flow in &set.flows {
        for host in [flow.src, flow.dst] {
            if host.0 >= hosts {
                return Err(SimError::NoSuchHost { flow: flow.id, host: host.0, hosts: hosts as usize });
            }
        }
        if flow.src == flow.dst {
            return Err(SimError::ToItself {
                flow: flow.id,
                host: scenario.topology.node(flow.src).name.clone(),
            });
        }
    }
    Ok(())
}

fn lines(scenario: &Scenario) -> Vec<Line> {
    let topology = &scenario.topology;
    let mut lines = Vec::with_capacity(topology.port_count());
    for node in (0..topology.nodes().len() as u32).map(NodeId) {
        let place = |node: NodeId, local: u16| {
            let switch = !topology.is_host(node);
            Place {
                port: topology.port_index(node, local) as u32,
                node: if switch { node.0 - topology.hosts() } else { node.0 },
                local,
                switch,
            }
        };
        for (local, port) in topology.ports(node).iter().enumerate() {
            let link = topology.link(port.link);
            let (near, far) = (place(node, local as u16), place(port.peer.node, port.peer.port));
            lines.push(Line::new(link.rate, link.delay, near, far));
        }
    }
    lines
}

fn nic_classes(scenario: &Scenario) -> Vec<ClassParams> {
    let class = |class: &weir_fabric::Class| {
        let (strict, weight) = match class.scheduling {
            weir_fabric::Scheduling::Strict => (true, 1),
            weir_fabric::Scheduling::Weighted(weight) => (false, weight),
        };
        ClassParams { prio: class.priority, strict, weight }
    };
    scenario.qos.classes.iter().map(class).collect()
}

fn starts(set: &FlowSet, dependencies: &Dependencies) -> Vec<(Time, u32)> {
    let timed = set.flows.iter().filter_map(|flow| match flow.start {
        Start::At(at) => Some((at, flow.id)),
        Start::After { .. } => None,
    });
    let free =
        dependencies.open_from_start().flat_map(|gate| dependencies.flows_of_gate(gate)).map(
            |flow| match set.flows[*flow as usize].start {
                Start::After { delay, .. } => (Time::ZERO + delay, *flow),
                Start::At(at) => (at, *flow),
            },
        );
    let mut starts: Vec<(Time, u32)> = timed.chain(free).collect();
    starts.sort_unstable();
    starts
}

fn results(set: &FlowSet, priority: impl Fn(u8) -> u8) -> Vec<FlowResult> {
    let result = |flow: &weir_fabric::FlowSpec| FlowResult {
        id: flow.id,
        src: flow.src.0,
        dst: flow.dst.0,
        bytes: flow.bytes,
        class: priority(flow.class),
        job: flow.job,
        status: FlowStatus::NotStarted,
        start_ps: 0,
        fct_ps: None,
        delivered_ps: None,
        ideal_ps: 0,
        slowdown: None,
        delivered_bytes: 0,
        sent_packets: 0,
        retransmitted_packets: 0,
        marked_packets: 0,
        cnps: 0,
        timeouts: 0,
    };
    set.flows.iter().map(result).collect()
}

fn switches(scenario: &Scenario) -> Result<Vec<SwitchNode>, SimError> {
    let topology = &scenario.topology;
    let nodes = (topology.hosts()..topology.nodes().len() as u32).map(NodeId);
    let switch = |node: NodeId| {
        let named = |error| SimError::Switch { node: topology.node(node).name.clone(), error };
        let switch = Switch::new(&scenario.switch_config(node)).map_err(named)?;
        let first_port = topology.port_index(node, 0) as u32;
        Ok(SwitchNode { switch, node, first_port, deadline_at: Time::MAX, flushed_bytes: 0 })
    };
    nodes.map(switch).collect()
}
