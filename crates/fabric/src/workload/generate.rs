//! From workloads to flows.

use super::{AllReduce, Connections, Demand, Pattern, Workload};
use crate::{FlowSet, FlowSpec, Job, NodeId, Op, Start, Stream, Topology};
use std::collections::HashMap;
use weir_units::{Span, Time};

/// Most flows that a scenario may have.
pub const MAX_FLOWS: u64 = 1 << 24;

/// Most bytes that a message may have.
pub const MAX_BYTES: u64 = 1 << 50;

/// The flows of these workloads; the same for the same seed.
pub fn generate(workloads: &[Workload], topology: &Topology, seed: u64) -> FlowSet {
    let mut set = FlowSet::default();
    for (number, workload) in (0..).zip(workloads) {
        workload.generate(number, topology, seed, &mut set);
    }
    set
}

impl Workload {
    /// Adds the flows of this workload, all repetitions of it, to `set`. `number` is its index in the scenario.
    fn generate(&self, number: u32, topology: &Topology, seed: u64, set: &mut FlowSet) {
        let (ranks, rank_bytes) = self.pattern.ranks();
        let mut connections = HashMap::new();
        let mut before = None;
        for turn in 0..self.repeat.count {
            let name = match self.repeat.count {
                1 => self.name.clone(),
                _ => format!("{}#{turn}", self.name),
            };
            let stream = Stream::new(seed, &format!("workload/{}/{turn}", self.name));
            let start = match (self.repeat.every, before) {
                (Some(every), _) => Start::At(
                    self.start.saturating_add(Span::from_ps(every.as_ps().saturating_mul(u64::from(turn)))),
                ),
                (None, None) => Start::At(self.start),
                (None, Some(gate)) => Start::After { gate, delay: self.repeat.gap },
            };
            let first = set.flows.len();
            set.jobs.push(Job {
                name,
                tag: self.tag.clone(),
                workload: number,
                kind: self.pattern.kind(),
                collective: self.pattern.is_job(),
                ranks,
                rank_bytes,
            });
            Generator { workload: self, topology, set, connections: &mut connections, start, stream, seed }
                .run(turn);
            let flows = first as u32..set.flows.len() as u32;
            if self.repeat.every.is_none() && turn + 1 < self.repeat.count && !flows.is_empty() {
                before = Some(set.gates.push(flows));
            }
        }
    }

    /// About how many flows this workload makes.
    pub(crate) fn expected_flows(&self, topology: &Topology) -> f64 {
        let bandwidth =
            |hosts: &[NodeId]| hosts.iter().map(|host| topology.host_bandwidth(*host).as_bps() as f64).sum();
        let arrivals = |hosts: &[NodeId], load: f64, duration: Span, mean: f64| -> f64 {
            let bps: f64 = bandwidth(hosts);
            load * bps * duration.as_secs_f64() / (8.0 * mean)
        };
        let n = |hosts: &[NodeId]| hosts.len() as f64;
        let once = match &self.pattern {
            Pattern::Incast { senders, fan_in, bytes, load, duration, .. } => match load {
                Some(load) => arrivals(senders, *load, *duration, bytes.get() as f64),
                None if *fan_in == 0 => n(senders),
                None => f64::from(*fan_in),
            },
            Pattern::Permutation { hosts, .. } => n(hosts),
            Pattern::AllToAll { hosts, .. } => n(hosts) * n(hosts),
            Pattern::AllReduce { hosts, algorithm, chunks, .. } => match algorithm {
                AllReduce::Ring => 2.0 * n(hosts) * n(hosts),
                AllReduce::Tree => 4.0 * n(hosts) * f64::from(*chunks),
                AllReduce::HalvingDoubling => 2.0 * n(hosts) * n(hosts).max(1.0).log2(),
            },
            Pattern::ReduceScatter { hosts, .. } | Pattern::AllGather { hosts, .. } => n(hosts) * n(hosts),
            Pattern::Moe { hosts, tokens, top_k, layers, .. } => {
                let pairs = n(hosts).min(f64::from(*tokens) * f64::from(*top_k)) * n(hosts);
                2.0 * f64::from(*layers) * pairs
            }
            Pattern::Pipeline { hosts, microbatches, .. } => 2.0 * n(hosts) * f64::from(*microbatches),
            Pattern::Storage { clients, sizes, replicas, demand, .. } => {
                let requests = match demand {
                    Demand::Open { load, duration } => arrivals(clients, *load, *duration, sizes.mean()),
                    Demand::Closed { requests, .. } => n(clients) * f64::from(*requests),
                };
                requests * f64::from(*replicas)
            }
            Pattern::Poisson { senders, sizes, load, duration, .. } => {
                arrivals(senders, *load, *duration, sizes.mean())
            }
            Pattern::Pairs { from, to, .. } => n(from).max(n(to)),
            Pattern::Csv { flows, .. } => flows.len() as f64,
        };
        once * f64::from(self.repeat.count)
    }
}

/// Makes the flows of one repetition.
pub(super) struct Generator<'a> {
    pub(super) workload: &'a Workload,
    pub(super) topology: &'a Topology,
    pub(super) set: &'a mut FlowSet,
    connections: &'a mut HashMap<(NodeId, NodeId, bool), u32>,
    /// When this repetition starts.
    start: Start,
    pub(super) stream: Stream,
    seed: u64,
}

impl Generator<'_> {
    fn run(&mut self, turn: u32) {
        let workload = self.workload;
        match &workload.pattern {
            Pattern::Incast { senders, receivers, fan_in, bytes, load, duration } => {
                self.incast(senders, receivers, *fan_in, bytes.get(), load.map(|load| (load, *duration)));
            }
            Pattern::Permutation { hosts, bytes, shift } => self.permutation(hosts, bytes.get(), *shift),
            Pattern::AllToAll { hosts, bytes, parallel } => self.all_to_all(hosts, bytes.get(), *parallel),
            Pattern::AllReduce { hosts, bytes, algorithm, chunks } => match algorithm {
                AllReduce::Ring => self.ring(hosts, bytes.get(), 2),
                AllReduce::Tree => self.trees(hosts, bytes.get(), *chunks),
                AllReduce::HalvingDoubling => self.halving_doubling(hosts, bytes.get()),
            },
            Pattern::ReduceScatter { hosts, bytes } | Pattern::AllGather { hosts, bytes } => {
                self.ring(hosts, bytes.get(), 1);
            }
            Pattern::Moe { hosts, experts, top_k, tokens, token_bytes, skew, layers, compute } => {
                let router = super::moe::Router { experts: *experts, top_k: *top_k, skew: *skew };
                self.moe(hosts, &router, (*tokens, token_bytes.get()), (*layers, *compute));
            }
            Pattern::Pipeline { hosts, stages, microbatches, bytes, forward, backward } => {
                self.pipeline(hosts, *stages, *microbatches, bytes.get(), [*forward, *backward]);
            }
            Pattern::Storage { clients, servers, sizes, read_fraction, replicas, demand } => {
                let service = super::storage::Service {
                    servers,
                    sizes,
                    read_fraction: *read_fraction,
                    replicas: *replicas,
                };
                self.storage(clients, &service, demand);
            }
            Pattern::Poisson { senders, receivers, sizes, load, duration } => {
                self.poisson(senders, receivers, sizes, *load, *duration, turn);
            }
            Pattern::Pairs { from, to, bytes } => self.pairs(from, to, bytes.get()),
            Pattern::Csv { flows, .. } => self.csv(flows),
        }
    }

    /// A stream for one host of this repetition, so that what one host does never depends on what hosts there are.
    pub(super) fn stream_of(&self, host: NodeId, turn: u32) -> Stream {
        Stream::new(self.seed, &format!("workload/{}/{turn}/{}", self.workload.name, host.0))
    }

    /// The start of this repetition.
    pub(super) fn begin(&self) -> Start {
        self.start
    }

    /// Some time after the start of this repetition.
    pub(super) fn begin_after(&self, span: Span) -> Start {
        match self.start {
            Start::At(time) => Start::At(time.saturating_add(span)),
            Start::After { gate, delay } => Start::After { gate, delay: delay.saturating_add(span) },
        }
    }

    /// Once all of these have been delivered, and `delay` later; without any, `delay` after the start.
    pub(super) fn after(&mut self, flows: impl IntoIterator<Item = u32>, delay: Span) -> Start {
        let mut flows = flows.into_iter().peekable();
        match flows.peek() {
            None => self.begin_after(delay),
            Some(_) => Start::After { gate: self.set.gates.push(flows), delay },
        }
    }

    /// A flow of the workload's operation; its id. Nothing is sent from a host to itself, or of no length.
    pub(super) fn flow(&mut self, src: NodeId, dst: NodeId, bytes: u64, start: Start) -> Option<u32> {
        self.flow_by(self.workload.op, src, dst, bytes, start)
    }

    /// A flow of any operation.
    pub(super) fn flow_by(
        &mut self,
        op: Op,
        src: NodeId,
        dst: NodeId,
        bytes: u64,
        start: Start,
    ) -> Option<u32> {
        self.flow_in(self.workload.class, op, src, dst, bytes, start)
    }

    /// A flow of any class and operation.
    pub(super) fn flow_in(
        &mut self,
        class: u8,
        op: Op,
        src: NodeId,
        dst: NodeId,
        bytes: u64,
        start: Start,
    ) -> Option<u32> {
        if src == dst || bytes == 0 || self.set.flows.len() as u64 >= 2 * MAX_FLOWS {
            return None;
        }
        let jitter = self.workload.jitter.as_ps();
        let start = match start {
            Start::At(time) if jitter != 0 => {
                Start::At(time.saturating_add(Span::from_ps(self.stream.below(jitter.saturating_add(1)))))
            }
            start => start,
        };
        let fresh = self.set.connections;
        let connection = match self.workload.connections {
            Connections::PerFlow => fresh,
            Connections::PerPair => *self.connections.entry((src, dst, op == Op::Read)).or_insert(fresh),
        };
        self.set.connections += u32::from(connection == fresh);
        let id = self.set.flows.len() as u32;
        let job = self.set.jobs.len() as u32 - 1;
        self.set.flows.push(FlowSpec { id, src, dst, bytes, start, op, class, connection, job });
        Some(id)
    }

    /// Another host than `not` of `hosts`, all alike; `None` if there is none.
    pub(super) fn other(stream: &mut Stream, hosts: &[NodeId], not: NodeId) -> Option<NodeId> {
        // Lists may hold a host twice; only a list of nothing else has no other.
        hosts.iter().any(|host| *host != not).then(|| {
            loop {
                let host = hosts[stream.below(hosts.len() as u64) as usize];
                if host != not {
                    break host;
                }
            }
        })
    }

    /// Times of a Poisson process of mean distance `mean_s` (seconds) within `duration`.
    pub(super) fn arrivals(stream: &mut Stream, mean_s: f64, duration: Span) -> Vec<Span> {
        let (mut at, mut times) = (0.0, Vec::new());
        if !(mean_s > 0.0 && mean_s.is_finite()) {
            return times;
        }
        loop {
            at += stream.exponential() * mean_s;
            let span = Span::from_secs_f64(at);
            if span >= duration || times.len() as u64 >= 2 * MAX_FLOWS {
                return times;
            }
            times.push(span);
        }
    }
}

/// Part `i` of `n` nearly equal parts of `bytes`: they differ by at most one byte and sum up.
pub(super) fn part(bytes: u64, i: u64, n: u64) -> u64 {
    bytes / n + u64::from(i < bytes % n)
}

/// Start times in order, for those who want to look at a set.
impl FlowSet {
    /// The flows that start by the clock, in order of time and then of id.
    pub fn by_start(&self) -> Vec<(Time, u32)> {
        let timed = self.flows.iter().filter_map(|flow| match flow.start {
            Start::At(time) => Some((time, flow.id)),
            Start::After { .. } => None,
        });
        let mut timed: Vec<_> = timed.collect();
        timed.sort_unstable();
        timed
    }

    /// Payload of all flows, in bytes.
    pub fn total_bytes(&self) -> u128 {
        self.flows.iter().map(|flow| u128::from(flow.bytes)).sum()
    }
}
