//! From the files to a run: reads and checks everything, then creates the outputs.

use std::path::Path;

use weir_congestion::RedParams;
use weir_switch::{
    ClassConfig, MarkAt, MmuParams, PfcParams, PortConfig, Priority, Scheduler, Switch, SwitchConfig,
};
use weir_units::{Rate, Span};

use super::config::{CcMode, Config, LinkDown};
use super::control::Controls;
use super::engine::Engine;
use super::error::HpccError;
use super::flows::{Flow, Flows};
use super::frame::{Event, Frame, MAX_INDEX, What};
use super::nic::Nic;
use super::output::Outputs;
use super::paths::{Network, Paths};
use super::port::{NO_LOSS, Port, UsualBytes};
use super::probes::Histogram;
use super::rng::{Stream, StreamPerDraw};
use super::routes::{Routes, largest};
use super::sender::{AnswerRules, Receiver, Sender};
use super::telemetry::Telemetry;
use super::text::{self, Words};
use super::topology::Topology;
use super::{Options, Summary};
use crate::wheel::Wheel;

/// ns-3's default seed and run.
const SEED: u32 = 1;
const RUN: u64 = 1;
/// Streams that ns-3's IP stack takes a node, and the main program's error model.
const STREAMS_A_NODE: u64 = 6;
const STREAMS_OF_A_MODEL: u64 = 2;
/// The error models name stream 50; named streams begin in the middle of all streams.
const LOSS_STREAM: u64 = (1 << 63) + 50;
/// Buckets of the event wheel: 8 µs of 1 ns each.
const WHEEL_BUCKETS_LOG2: u32 = 13;
/// Bytes of Ethernet (the reference's padded PPP), IPv4, UDP, and sequence number and class.
const DATA_HEADERS: u32 = 14 + 20 + 8 + 6;
/// Bytes of Ethernet, IPv4, and the acknowledgement's own.
const ACK_HEADERS: u32 = 14 + 20 + 12;
const SHORTEST_ACK: u32 = 60;

/// Reads the configuration and what it names, and makes the run of it. Nothing is written before all is well.
pub(crate) fn prepare(config_path: &Path, options: &Options) -> Result<Engine, HpccError> {
    let base = &options.base_dir;
    let text = text::read(base, config_path, "configuration", "name an existing file")?;
    let mut config = Config::parse(config_path, &text)?;
    let read = |path: &Path, role, key: &str| {
        let remedy = format!("correct {key} in {} or supply the file", config_path.display());
        text::read(base, path, role, &remedy)
    };
    let topology_text = read(&config.topology, "topology", "TOPOLOGY_FILE")?;
    let topology = Topology::parse(&config.topology, &topology_text)?;
    let flow_text = read(&config.flows, "flow list", "FLOW_FILE")?;
    let Flows { flows, warnings } = Flows::parse(&config.flows, &flow_text, &topology, options.repeat_last)?;
    if let Some(trace) = &config.trace {
        check_trace(trace, &read(trace, "trace list", "TRACE_FILE")?)?;
    }
    let mut summary = Summary { flows: flows.len() as u64, warnings, ..Summary::default() };
    summary.notices.append(&mut config.notices);

    let invalid = |file: &Path, line: u32, problem: String, remedy: &str| HpccError::Invalid {
        file: file.into(),
        line,
        problem,
        remedy: remedy.to_owned(),
    };
    let Some(nic_bps) = topology.nic_bps() else {
        let problem = "no host has a link".to_owned();
        return Err(invalid(&config.topology, 1, problem, "join every host to a switch"));
    };
    let mut wheel = Wheel::new(0, WHEEL_BUCKETS_LOG2, 0);
    let telemetry_bytes = config.mode.telemetry_bytes();
    let header_bytes = (DATA_HEADERS + telemetry_bytes) as u16;
    let ack_bytes = (ACK_HEADERS + telemetry_bytes).max(SHORTEST_ACK) as u16;
    let usual = UsualBytes { full: config.payload_bytes as u16 + header_bytes, ack: ack_bytes };
    let Wiring { mut ports, port_base, nics, switch_nodes } = Wiring::new(&topology, usual, &mut wheel);
    let switches = switch_nodes
        .iter()
        .map(|node| build_switch(&config, &topology, *node, nic_bps, &flows))
        .collect::<Result<Vec<_>, _>>()?;
    let neighbours = topology.neighbours();
    let network = Network {
        topology: &topology,
        neighbours: &neighbours,
        ports: &ports,
        port_base: &port_base,
        seed_offset: options.ecmp_seed_offset,
        payload_bytes: config.payload_bytes,
    };
    let paths = Paths::new(&flows, network).map_err(|index| {
        let Flow { src, dst, line, .. } = flows[index];
        let problem = format!("no path leads from node {src} to node {dst} and back");
        invalid(&config.flows, line, problem, "add the links to the topology, or take the flow out")
    })?;
    if flows.len() > MAX_INDEX as usize {
        let problem = format!("{} flows", flows.len());
        return Err(invalid(&config.flows, 1, problem, "split the list"));
    }
    let link_down = config.link_down.map(|down| find_link(&config, &topology, down)).transpose()?;
    let watched = watched_port(&config, &topology, &port_base)?;
    let loss_models = loss_models(&config, &topology, &mut ports, &port_base);
    let lossy_links = topology.links.iter().filter(|link| link.error_rate > 0.0).count() as u64;
    let first_draw = STREAMS_A_NODE * u64::from(topology.nodes()) + STREAMS_OF_A_MODEL * (1 + lossy_links);
    summary.notices.extend(doubts(&config, &topology, &flows, lossy_links));

    let inputs = [config_path, &config.topology, &config.flows];
    let outputs = Outputs::create(&config, base, &inputs)?;
    schedule(&config, &flows, &mut wheel);
    let needs_rtt = config.global_rtt && (config.has_window || config.mode == CcMode::Hpcc);
    let global = needs_rtt.then(|| largest(&topology, &neighbours, config.payload_bytes));
    let senders = senders(&config, &flows, &paths, global, &nics, &ports);
    let switch_ports = (0..ports.len() as u32).filter(|port| ports[*port as usize].is_switch).collect();
    let at_end = options.final_histogram || config.queue_series.is_some() || config.rate_series.is_some();
    Ok(Engine {
        answer_rules: AnswerRules {
            ack_interval: config.ack_interval_bytes,
            chunk: config.chunk_bytes,
            back_to_zero: config.back_to_zero,
        },
        ack_class: if config.ack_high_priority { 0 } else { 3 },
        windows: config.has_window,
        controls: Controls::new(&config, flows.len()),
        telemetry: Telemetry::new(),
        receivers: vec![Receiver::default(); flows.len()],
        draws: StreamPerDraw::new(SEED, first_draw, RUN),
        histogram: Histogram::new(switch_ports, at_end),
        ecmp_seed_offset: options.ecmp_seed_offset,
        now: 0,
        running_flows: 0,
        header_bytes,
        ack_bytes,
        config,
        topology,
        routes: Routes::default(),
        wheel,
        ports,
        port_base,
        switches,
        nics,
        flows,
        paths,
        senders,
        loss_models,
        outputs,
        watched,
        link_down,
        summary,
    })
}

/// Ports, NICs and switches, numbered.
struct Wiring {
    ports: Vec<Port>,
    port_base: Vec<u32>,
    nics: Vec<Nic>,
    /// The nodes of the switches that have links.
    switch_nodes: Vec<u32>,
}

impl Wiring {
    fn new(topology: &Topology, usual: UsualBytes, wheel: &mut Wheel<Event>) -> Self {
        let mut wiring =
            Wiring { ports: Vec::new(), port_base: Vec::new(), nics: Vec::new(), switch_nodes: Vec::new() };
        let mut next = 0;
        for count in &topology.interfaces {
            wiring.port_base.push(next);
            next += count;
        }
        let unwired = Port::new(0, 0, 1, 0, usual, wheel.reserve());
        wiring.ports = vec![unwired.clone(); next as usize];
        for link in &topology.links {
            let index = |end: usize| wiring.port_base[link.nodes[end] as usize] + link.interfaces[end] - 1;
            let ends = [index(0), index(1)];
            for end in 0..2 {
                let local = (link.interfaces[end] - 1) as u16;
                let mut port =
                    Port::new(link.nodes[end], local, link.bps, link.delay_ns, usual, wheel.reserve());
                port.peer = ends[1 - end];
                wiring.ports[ends[end] as usize] = port;
            }
        }
        for (node, is_switch) in topology.is_switch.iter().enumerate() {
            let first = wiring.port_base[node];
            let own = first..first + topology.interfaces[node];
            if *is_switch && !own.is_empty() {
                for port in own {
                    wiring.ports[port as usize].owner = wiring.switch_nodes.len() as u32;
                    wiring.ports[port as usize].is_switch = true;
                }
                wiring.switch_nodes.push(node as u32);
            } else {
                for port in own {
                    wiring.ports[port as usize].owner = wiring.nics.len() as u32;
                    wiring.nics.push(Nic::new(port));
                }
            }
        }
        wiring
    }
}

/// The reference's switch at `node`.
fn build_switch(
    config: &Config,
    topology: &Topology,
    node: u32,
    nic_bps: u64,
    flows: &[Flow],
) -> Result<Switch<Frame>, HpccError> {
    let mut used = flows.iter().fold(0u8, |used, flow| used | 1 << flow.priority);
    if used & !1 == 0 {
        used |= 1 << 3;
    }
    let classes: Vec<Priority> =
        Priority::ALL.into_iter().filter(|p| p.number() > 0 && used & p.bit() != 0).collect();
    let mut ports = Vec::new();
    for link in topology.links.iter().filter(|link| link.nodes.contains(&node)) {
        // A port faster than the hosts' has its share of the buffer doubled as often as its rate is halved to theirs.
        let (mut shift, mut bps) = (3, link.bps);
        while bps > nic_bps && shift > 0 {
            shift -= 1;
            bps /= 2;
        }
        let mut port = PortConfig::hpcc(Rate::from_bps(link.bps), Span::from_ns(link.delay_ns), shift);
        if config.ecn {
            let red = red_params(config, link.bps, link.line)?;
            port = classes.iter().fold(port, |port, class| port.with_ecn(*class, red));
        }
        ports.push(port);
    }
    let mut class_configs = vec![ClassConfig::control(Priority::from_pcp(0))];
    class_configs.extend(classes.iter().map(|class| ClassConfig::hpcc(*class)));
    let switch = SwitchConfig {
        buffer_bytes: u64::from(config.buffer_mib) << 20,
        mmu: MmuParams::Hpcc,
        classes: class_configs,
        ports,
        pfc: PfcParams::on_off(),
        watchdog: None,
        mark_at: MarkAt::Dequeue,
        scheduler: Scheduler::PacketRoundRobin,
    };
    Switch::new(&switch).map_err(|error| HpccError::Invalid {
        file: config.topology.clone(),
        line: 1,
        problem: format!("the switch at node {node} cannot be: {error}"),
        remedy: "correct its links, or BUFFER_SIZE in the configuration".to_owned(),
    })
}

fn red_params(config: &Config, bps: u64, line: u32) -> Result<RedParams, HpccError> {
    let missing = |key: &str| HpccError::Invalid {
        file: config.topology.clone(),
        line,
        problem: format!("a switch's link has {bps} b/s, for which {key} has no value"),
        remedy: format!("add `{bps} <value>` to {key} in {} and count it", config.file.display()),
    };
    let kmin = *config.kmin_kb.get(&bps).ok_or_else(|| missing("KMIN_MAP"))?;
    let kmax = *config.kmax_kb.get(&bps).ok_or_else(|| missing("KMAX_MAP"))?;
    let pmax = *config.pmax.get(&bps).ok_or_else(|| missing("PMAX_MAP"))?;
    if kmin > kmax {
        return Err(HpccError::Invalid {
            file: config.file.clone(),
            line: 1,
            problem: format!("for {bps} b/s KMIN_MAP has {kmin} and KMAX_MAP {kmax} (in 1000 bytes)"),
            remedy: "write a Kmin that is not above Kmax".to_owned(),
        });
    }
    // 32 bits, as there.
    let bytes = |kb: u32| u64::from(kb.wrapping_mul(1000));
    Ok(RedParams { kmin_bytes: bytes(kmin), kmax_bytes: bytes(kmax), pmax })
}

/// The models that lose packets: one that all links without a rate of their own share, one for each of the others.
fn loss_models(
    config: &Config,
    topology: &Topology,
    ports: &mut [Port],
    port_base: &[u32],
) -> Vec<(f64, Stream)> {
    let stream = Stream::new(SEED, LOSS_STREAM, RUN);
    let mut models = Vec::new();
    if config.error_rate > 0.0 {
        models.push((config.error_rate, stream.clone()));
    }
    for link in &topology.links {
        let model = if link.error_rate > 0.0 {
            models.push((link.error_rate, stream.clone()));
            models.len() as u32 - 1
        } else if config.error_rate > 0.0 {
            0
        } else {
            NO_LOSS
        };
        for end in 0..2 {
            ports[(port_base[link.nodes[end] as usize] + link.interfaces[end] - 1) as usize].loss = model;
        }
    }
    models
}

fn check_trace(file: &Path, text: &str) -> Result<(), HpccError> {
    const REMEDY: &str = "write the number of nodes and then their ids, or 0";
    let mut words = Words::new(file, text);
    let (count, _) = words.value::<u32>("the number of nodes", "a whole number", REMEDY)?;
    for _ in 0..count {
        words.value::<u32>("a node to trace", "a node id", REMEDY)?;
    }
    Ok(())
}

fn find_link(config: &Config, topology: &Topology, down: LinkDown) -> Result<u32, HpccError> {
    let [a, b] = down.nodes;
    // The later of two links between the same nodes is the one that routes use.
    let found = topology.links.iter().rposition(|link| link.nodes == [a, b] || link.nodes == [b, a]);
    found.map(|index| index as u32).ok_or_else(|| HpccError::Invalid {
        file: config.file.clone(),
        line: down.line,
        problem: format!("LINK_DOWN: no link joins node {a} and node {b}"),
        remedy: "write two nodes that have a link, or LINK_DOWN 0 0 0".to_owned(),
    })
}

fn watched_port(
    config: &Config,
    topology: &Topology,
    port_base: &[u32],
) -> Result<Option<(u32, u16)>, HpccError> {
    let Some(series) = &config.queue_series else { return Ok(None) };
    let interfaces = match topology.is_switch.get(series.node as usize) {
        Some(true) => topology.interfaces[series.node as usize],
        _ => 0,
    };
    if series.port == 0 || series.port > interfaces {
        return Err(HpccError::Invalid {
            file: config.file.clone(),
            line: series.line,
            problem: format!("QLEN_TS: node {} is no switch with an interface {}", series.node, series.port),
            remedy: "write a switch id and one of its interfaces, counted from 1".to_owned(),
        });
    }
    Ok(Some((port_base[series.node as usize] + series.port - 1, series.port as u16)))
}

/// Schedules what the reference schedules before it runs, in its order.
fn schedule(config: &Config, flows: &[Flow], wheel: &mut Wheel<Event>) {
    if let Some(first) = flows.first() {
        wheel.push(first.start_ns, Event::new(What::List, 0));
    }
    if let Some(down) = config.link_down {
        wheel.push(down.at_ns, Event::new(What::LinkDown, 0));
    }
    if config.queue_file.is_some() {
        wheel.push(config.queue_start_ns, Event::new(What::Histogram, 0));
    }
    if config.queue_series.is_some() {
        wheel.push(config.queue_start_ns, Event::new(What::QueueSeries, 0));
    }
    if config.rate_series.is_some() {
        wheel.push(config.queue_start_ns, Event::new(What::RateSeries, 0));
    }
}

fn senders(
    config: &Config,
    flows: &[Flow],
    paths: &Paths,
    global: Option<(u64, u64)>,
    nics: &[Nic],
    ports: &[Port],
) -> Vec<Sender> {
    let make = |(index, flow): (usize, &Flow)| {
        let nic = paths.data_nic(index).unwrap_or(0);
        let line_bps = ports[nics[nic as usize].port as usize].bps;
        let mut sender = Sender::new(u64::from(flow.bytes), flow.priority, nic, line_bps);
        let own = || paths.pair(index).map(|pair| (pair.rtt_ns, pair.bdp_bytes()));
        let (rtt, bdp) = global.or_else(own).unwrap_or_default();
        sender.base_rtt_ns = rtt;
        sender.window = if config.has_window { bdp as u32 } else { 0 };
        sender.variable_window = config.variable_window;
        sender
    };
    flows.iter().enumerate().map(make).collect()
}

/// What this mode cannot promise to do exactly as the reference does.
fn doubts(config: &Config, topology: &Topology, flows: &[Flow], lossy_links: u64) -> Vec<String> {
    let mut doubts = Vec::new();
    if config.link_down.is_some() {
        doubts.push(
            "LINK_DOWN: honoured; the order in which a host's queue pairs are redistributed follows the flow list, in \
             the reference a hash table, and the frames dropped with the link give their buffer back"
                .to_owned(),
        );
    }
    if lossy_links > 0 || config.error_rate > 0.0 {
        doubts.push(
            "ERROR_RATE_PER_LINK or a link's error rate: honoured with the reference's generator, but not checked \
             against its output; a lost last packet or NACK hangs its flow for ever, as there"
                .to_owned(),
        );
    }
    let multi_homed = flows
        .iter()
        .any(|flow| [flow.src, flow.dst].iter().any(|host| topology.interfaces[*host as usize] > 1));
    if multi_homed {
        doubts.push(
            "hosts with several links spread their queue pairs by ns-3's default hash, not checked against its output"
                .to_owned(),
        );
    }
    if config.mode == CcMode::Hpcc {
        if !config.has_window {
            doubts.push(
                "HAS_WIN 0 with CC_MODE 3: the reference then divides by a window of 0; here queues are weighed by line \
                 rate times base RTT instead"
                    .to_owned(),
            );
        }
        let known = |bps: u64| [25, 50, 100, 200, 400].iter().any(|gbps| bps == gbps * 1_000_000_000);
        if let Some(link) = topology.links.iter().find(|link| !known(link.bps)) {
            doubts.push(format!(
                "CC_MODE 3: the reference's telemetry knows lines of 25, 50, 100, 200 and 400 Gb/s, not the {} b/s of {}:{}; \
                 here it reports the true rate",
                link.bps,
                config.topology.display(),
                link.line
            ));
        }
    }
    if config.mode != CcMode::Dcqcn {
        doubts.push(format!(
            "CC_MODE {}: follows the reference's rules, but no output of it was at hand to check against",
            config.mode.number()
        ));
    }
    doubts
}
