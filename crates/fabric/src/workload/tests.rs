//! What patterns send: sums, orders and rates that follow from their definitions.

use super::*;
use crate::{FlowSet, Start, Topology, TopologySpec};
use std::collections::{BTreeMap, BTreeSet};
use weir_units::Rate;

fn star(hosts: u32) -> Topology {
    TopologySpec::star(hosts, Rate::from_gbps(100), Span::from_us(1)).build().unwrap()
}

fn all(topology: &Topology) -> Vec<NodeId> {
    (0..topology.hosts()).map(NodeId).collect()
}

fn workload(pattern: Pattern) -> Workload {
    Workload {
        name: "w".into(),
        tag: String::new(),
        class: 0,
        op: Op::Write,
        start: Time::ZERO,
        jitter: Span::ZERO,
        repeat: Repeat::default(),
        connections: Connections::PerFlow,
        pattern,
    }
}

fn flows(topology: &Topology, pattern: Pattern) -> FlowSet {
    generate(&[workload(pattern)], topology, 1)
}

/// Lets every flow take a time unit and gives the number of rounds until all are done; fails where some never start.
fn rounds(set: &FlowSet) -> u64 {
    let mut round_of: Vec<Option<u64>> = vec![None; set.flows.len()];
    let mut left = set.flows.len();
    let mut round = 0;
    while left > 0 {
        round += 1;
        let before = round_of.clone();
        for flow in set.flows.iter().filter(|flow| before[flow.id as usize].is_none()) {
            let ready = match flow.start {
                Start::At(_) => true,
                Start::After { gate, .. } => {
                    set.gates.flows_of(gate).iter().all(|on| before[*on as usize].is_some())
                }
            };
            if ready {
                round_of[flow.id as usize] = Some(round);
                left -= 1;
            }
        }
        assert!(round_of != before, "{left} flows wait for ever");
    }
    round
}

fn sent_by(set: &FlowSet) -> BTreeMap<NodeId, u64> {
    let mut sent = BTreeMap::new();
    for flow in &set.flows {
        *sent.entry(flow.src).or_default() += flow.bytes;
    }
    sent
}

/// Check T26 of the collected theory: with many messages the offered load is within 1% of what was asked, counting
/// payload alone. Sizes are heavy-tailed, so that it takes many: the standard error is sqrt(1 + C²)/sqrt(n).
#[test]
fn offered_load_is_what_was_asked() {
    let topology = star(64);
    for (name, load, duration, variation) in [
        ("web-search", 0.5, Span::from_s(13), 5.37),
        ("fb-hadoop", 0.3, Span::from_s(8), 30.9),
        ("ali-storage", 0.7, Span::from_ms(200), 10.0),
        ("google-rpc", 0.3, Span::from_ms(100), 1000.0),
    ] {
        let sizes = Sizes::Cdf(Cdf::built_in(name).unwrap());
        let set = flows(
            &topology,
            Pattern::Poisson { senders: all(&topology), receivers: all(&topology), sizes, load, duration },
        );
        let offered = 8.0 * set.total_bytes() as f64 / (64.0 * 100e9 * duration.as_secs_f64());
        let n = set.flows.len() as f64;
        if variation < 100.0 {
            assert!(4.0 * ((1.0 + variation) / n).sqrt() <= 0.013, "{name}: {n} flows are too few");
        }
        assert!((offered / load - 1.0).abs() < 0.01, "{name}: {offered} of {load}");
    }
}

#[test]
fn poisson_arrivals_have_exponential_gaps_and_spread_over_receivers() {
    let topology = star(16);
    let set = flows(
        &topology,
        Pattern::Poisson {
            senders: vec![NodeId(0)],
            receivers: all(&topology),
            sizes: Sizes::Fixed(Bytes::from_kb(10)),
            load: 0.4,
            duration: Span::from_ms(100),
        },
    );
    let starts = set.by_start();
    let n = starts.len() as f64;
    // 100 Gb/s × 0.4 × 100 ms / 80 kb = 50,000, give or take four roots of it.
    assert!((n - 50_000.0).abs() < 4.0 * 50_000f64.sqrt(), "{n}");
    let mean_us = 2.0;
    let mut gaps: Vec<f64> =
        starts.windows(2).map(|pair| (pair[1].0 - pair[0].0).as_us_f64() / mean_us).collect();
    gaps.sort_unstable_by(f64::total_cmp);
    let worst = gaps
        .iter()
        .enumerate()
        .map(|(i, gap)| ((i as f64 + 0.5) / n - (1.0 - (-gap).exp())).abs())
        .fold(0.0, f64::max);
    assert!(worst < 1.628 / n.sqrt(), "Kolmogorov-Smirnov distance {worst}");
    let mut count = [0.0f64; 16];
    set.flows.iter().for_each(|flow| count[flow.dst.index()] += 1.0);
    assert_eq!(count[0], 0.0);
    let wanted = n / 15.0;
    let chi2: f64 = count[1..].iter().map(|c| (c - wanted) * (c - wanted) / wanted).sum();
    assert!(chi2 < 36.1, "chi-square of 14 degrees beyond the 0.1% point: {chi2}");
}

#[test]
fn the_same_seed_gives_the_same_flows_and_another_does_not() {
    let topology = star(8);
    let make = |seed| {
        let pattern = Pattern::Poisson {
            senders: all(&topology),
            receivers: all(&topology),
            sizes: Sizes::Cdf(Cdf::built_in("web-search").unwrap()),
            load: 0.5,
            duration: Span::from_ms(10),
        };
        generate(&[workload(pattern)], &topology, seed)
    };
    assert_eq!(make(1), make(1));
    assert_ne!(make(1), make(2));
}

#[test]
fn an_incast_is_many_to_one() {
    let topology = star(17);
    let set = flows(
        &topology,
        Pattern::Incast {
            senders: all(&topology),
            receivers: vec![NodeId(16)],
            fan_in: 0,
            bytes: Bytes::from_kb(500),
            load: None,
            duration: Span::ZERO,
        },
    );
    assert_eq!(set.flows.len(), 16);
    assert!(set.flows.iter().all(|flow| flow.dst == NodeId(16) && flow.src != flow.dst));
    let (load, duration) = (0.02, Span::from_s(1));
    let set = flows(
        &topology,
        Pattern::Incast {
            senders: all(&topology),
            receivers: all(&topology),
            fan_in: 10,
            bytes: Bytes::from_kb(500),
            load: Some(load),
            duration,
        },
    );
    // 17 × 100 Gb/s × 2% / (10 × 4 Mb) = 850 incasts of ten, give or take four roots.
    let n = set.flows.len() as f64 / 10.0;
    assert!((n - 850.0).abs() < 4.0 * 850f64.sqrt(), "{n}");
    for group in set.flows.chunks(10) {
        let senders: BTreeSet<NodeId> = group.iter().map(|flow| flow.src).collect();
        assert_eq!(senders.len(), 10);
        assert!(group.iter().all(|flow| flow.dst == group[0].dst && flow.start == group[0].start));
    }
}

#[test]
fn a_permutation_sends_and_receives_once() {
    let topology = star(50);
    for shift in [0, 7] {
        let set = flows(
            &topology,
            Pattern::Permutation { hosts: all(&topology), bytes: Bytes::from_mib(2), shift },
        );
        assert_eq!(set.flows.len(), 50);
        let receivers: BTreeSet<NodeId> = set.flows.iter().map(|flow| flow.dst).collect();
        assert_eq!(receivers.len(), 50);
        assert!(shift == 0 || set.flows.iter().all(|flow| (flow.src.0 + 7) % 50 == flow.dst.0));
    }
}

/// Every rank sends (n − 1)/n of its buffer in an all-to-all, an all-gather and a reduce-scatter, and twice that in an
/// all-reduce by ring or halving and doubling: the bandwidth-optimal amounts.
#[test]
fn collectives_send_their_share() {
    let topology = star(16);
    let bytes = Bytes::new(16 * 1_000_003);
    let share = 15 * 1_000_003;
    let all_reduce = |algorithm| Pattern::AllReduce { hosts: all(&topology), bytes, algorithm, chunks: 4 };
    for (pattern, sent, steps) in [
        (Pattern::AllToAll { hosts: all(&topology), bytes, parallel: 0 }, share, 1),
        (Pattern::AllToAll { hosts: all(&topology), bytes, parallel: 3 }, share, 5),
        (Pattern::AllGather { hosts: all(&topology), bytes }, share, 15),
        (Pattern::ReduceScatter { hosts: all(&topology), bytes }, share, 15),
        (all_reduce(AllReduce::Ring), 2 * share, 30),
        (all_reduce(AllReduce::HalvingDoubling), 2 * share, 8),
    ] {
        let set = flows(&topology, pattern.clone());
        assert_eq!(rounds(&set), steps, "{pattern:?}");
        let by_host = sent_by(&set);
        assert_eq!(by_host.len(), 16);
        for (host, bytes) in by_host {
            // Halves of odd sizes differ by a byte at each step.
            assert!(bytes.abs_diff(sent) <= 8, "{host} sends {bytes}, not {sent}: {pattern:?}");
        }
        assert!(set.jobs[0].collective && set.jobs[0].ranks == 16);
    }
}

/// A rank of a ring must have received a part before it passes it on, in every step; all parts meet all ranks.
#[test]
fn a_ring_passes_on_what_it_received() {
    let topology = star(5);
    let set = flows(
        &topology,
        Pattern::AllReduce {
            hosts: all(&topology),
            bytes: Bytes::new(5_000_003),
            algorithm: AllReduce::Ring,
            chunks: 1,
        },
    );
    for flow in &set.flows {
        if let Start::After { gate, .. } = flow.start {
            for on in set.gates.flows_of(gate) {
                let on = set.flows[*on as usize];
                assert_eq!((on.dst, on.bytes), (flow.src, flow.bytes), "the same part goes on");
            }
        }
    }
}

#[test]
fn trees_bring_every_sum_up_and_down() {
    for n in [2, 3, 8, 13, 16] {
        let topology = star(n);
        let set = flows(
            &topology,
            Pattern::AllReduce {
                hosts: all(&topology),
                bytes: Bytes::new(8_000_001),
                algorithm: AllReduce::Tree,
                chunks: 4,
            },
        );
        // n − 1 edges up and n − 1 down carry every byte.
        assert_eq!(set.total_bytes(), 2 * u128::from(n - 1) * 8_000_001);
        assert_eq!(set.flows.len() as u32, 2 * 4 * 2 * (n - 1));
        // Up and down two levels more than the depth of a balanced tree at most.
        assert!(rounds(&set) <= 2 * u64::from(n.ilog2() + 2), "{n}: {}", rounds(&set));
    }
}

#[test]
fn tokens_come_back_from_their_experts() {
    let topology = star(8);
    let pattern = Pattern::Moe {
        hosts: all(&topology),
        experts: 32,
        top_k: 8,
        tokens: 500,
        token_bytes: Bytes::new(1000),
        skew: 0.8,
        layers: 3,
        compute: Span::from_us(10),
    };
    let set = flows(&topology, pattern);
    assert_eq!(rounds(&set), 6, "dispatch and combine, three times");
    let mut balance: BTreeMap<(NodeId, NodeId), i64> = BTreeMap::new();
    for flow in &set.flows {
        *balance.entry((flow.src, flow.dst)).or_default() += flow.bytes as i64;
        *balance.entry((flow.dst, flow.src)).or_default() -= flow.bytes as i64;
    }
    assert!(balance.values().all(|bytes| *bytes == 0), "what goes out comes back");
    // Of 8 experts a token about one is at home: the rest travels, twice, through three layers.
    let travelled = set.total_bytes() as f64 / (8.0 * 500.0 * 8.0 * 1000.0 * 2.0 * 3.0);
    assert!((travelled - 7.0 / 8.0).abs() < 0.02, "{travelled}");
}

#[test]
fn a_pipeline_goes_forward_and_back() {
    let topology = star(8);
    let set = flows(
        &topology,
        Pattern::Pipeline {
            hosts: all(&topology),
            stages: 4,
            microbatches: 6,
            bytes: Bytes::from_mib(1),
            forward: Span::from_us(5),
            backward: Span::from_us(10),
        },
    );
    assert_eq!(set.flows.len(), 2 * 2 * 6 * 3);
    // The first micro-batch takes 2 (stages - 1) hops, and each later one follows a step behind.
    assert_eq!(rounds(&set), 2 * 3 + 5);
    assert!(
        set.flows.iter().all(|flow| flow.src.0.abs_diff(flow.dst.0) == 2),
        "from stage to stage of a lane"
    );
}

#[test]
fn storage_reads_and_writes() {
    let topology = star(12);
    let clients: Vec<NodeId> = (0..8).map(NodeId).collect();
    let servers: Vec<NodeId> = (8..12).map(NodeId).collect();
    let make = |demand| {
        flows(
            &topology,
            Pattern::Storage {
                clients: clients.clone(),
                servers: servers.clone(),
                sizes: Sizes::Fixed(Bytes::from_kib(128)),
                read_fraction: 0.7,
                replicas: 3,
                demand,
            },
        )
    };
    let set = make(Demand::Closed { outstanding: 4, requests: 400, think: Span::ZERO });
    let reads = set.flows.iter().filter(|flow| flow.op == Op::Read).count();
    assert!(
        set.flows.iter().all(|flow| flow.op != Op::Read || (servers.contains(&flow.src) && flow.dst.0 < 8))
    );
    let writes = set.flows.iter().filter(|flow| flow.src.0 < 8).count();
    assert_eq!(reads + writes, 3200);
    assert_eq!(set.flows.len(), reads + 3 * writes, "two more copies of each write");
    let share = reads as f64 / 3200.0;
    assert!((share - 0.7).abs() < 4.0 * (0.21f64 / 3200.0).sqrt());
    assert!(set.by_start().len() <= 8 * 4, "four requests at a time");
    let open = make(Demand::Open { load: 0.2, duration: Span::from_ms(100) });
    let asked: u64 =
        open.flows.iter().filter(|flow| flow.op == Op::Read || flow.src.0 < 8).map(|flow| flow.bytes).sum();
    let offered = 8.0 * asked as f64 / (8.0 * 100e9 * 0.1);
    assert!((offered / 0.2 - 1.0).abs() < 0.03, "{offered}");
}

#[test]
fn repetitions_follow_the_clock_or_each_other() {
    let topology = star(4);
    let pattern = Pattern::AllGather { hosts: all(&topology), bytes: Bytes::from_kib(64) };
    let mut w = workload(pattern);
    w.start = Time::from_us(5);
    w.repeat = Repeat { count: 3, every: Some(Span::from_us(100)), gap: Span::ZERO };
    let set = generate(std::slice::from_ref(&w), &topology, 1);
    let times: BTreeSet<Time> = set.by_start().into_iter().map(|(time, _)| time).collect();
    assert_eq!(times, [5, 105, 205].map(Time::from_us).into());
    assert_eq!(set.jobs.iter().map(|job| job.name.as_str()).collect::<Vec<_>>(), ["w#0", "w#1", "w#2"]);
    w.repeat = Repeat { count: 3, every: None, gap: Span::from_us(7) };
    let set = generate(&[w], &topology, 1);
    assert_eq!(set.by_start().len(), 4);
    assert_eq!(rounds(&set), 9);
}

#[test]
fn pairs_share_connections_when_asked() {
    let topology = star(4);
    let mut w = workload(Pattern::Pairs {
        from: vec![NodeId(0)],
        to: vec![NodeId(1), NodeId(2)],
        bytes: Bytes::new(1),
    });
    w.repeat.count = 5;
    let own = generate(std::slice::from_ref(&w), &topology, 1);
    assert_eq!((own.flows.len(), own.connections), (10, 10));
    w.connections = Connections::PerPair;
    let shared = generate(&[w], &topology, 1);
    assert_eq!((shared.flows.len(), shared.connections), (10, 2));
    assert!(shared.flows.iter().all(|flow| flow.connection == u32::from(flow.dst == NodeId(2))));
}

#[test]
fn a_written_list_reads_back_to_the_same_flows() {
    let topology = star(8);
    let qos = crate::Qos::default();
    let set = flows(
        &topology,
        Pattern::AllReduce {
            hosts: all(&topology),
            bytes: Bytes::from_kib(64),
            algorithm: AllReduce::Tree,
            chunks: 2,
        },
    );
    let text = write_flows(&set, &topology, &qos);
    let list = read_flows(&text, &topology, &qos).unwrap();
    let again = flows(&topology, Pattern::Csv { file: "x".into(), flows: list });
    assert_eq!(again.flows, set.flows);
    let waits = |set: &FlowSet| -> Vec<Vec<u32>> {
        let of = |flow: &crate::FlowSpec| match flow.start {
            Start::At(_) => Vec::new(),
            Start::After { gate, .. } => set.gates.flows_of(gate).to_vec(),
        };
        set.flows.iter().map(of).collect()
    };
    assert_eq!(waits(&again), waits(&set));
    let cut: String = text.lines().take(10).map(|line| format!("{line}\n")).collect();
    let error = read_flows(&cut, &topology, &qos).unwrap_err();
    assert!(matches!(error.problem, CsvProblem::WrongCount { found: 8, .. }), "{error}");
}

#[test]
fn a_broken_list_is_refused_with_its_line() {
    let topology = star(4);
    let qos = crate::Qos::default();
    let error = |text: &str| {
        let error = read_flows(text, &topology, &qos).unwrap_err();
        (error.line, error.to_string())
    };
    for (text, line, part) in [
        ("", 1, "`src`"),
        ("src,dst,size\n", 1, "no column `size`"),
        ("src,dst\n", 1, "`bytes`"),
        ("src,dst,bytes,start_ns,start\n", 1, "`start` is there twice"),
        ("src,dst,bytes\nh0,h1\n", 2, "2 fields"),
        ("src,dst,bytes\nh0,h9,1\n", 2, "name of a host"),
        ("src,dst,bytes\nh0,h1,0\n", 2, "whole number of bytes"),
        ("src,dst,bytes\nh0,h0,1\n", 2, "to itself"),
        ("src,dst,bytes,start\nh0,h1,1,5\n", 2, "no unit"),
        ("src,dst,bytes,class\nh0,h1,1,gold\n", 2, "name of a class"),
        ("src,dst,bytes,op\nh0,h1,1,push\n", 2, "write, send or read"),
        ("src,dst,bytes,after\nh0,h1,1,7\n", 2, "id of a flow"),
        ("src,dst,bytes,after\n\nh0,h1,1,1\nh1,h0,1,0\n", 3, "waits for itself"),
        ("# flows = 2\nsrc,dst,bytes\nh0,h1,1\n", 1, "2 flows, and has 1"),
    ] {
        let (at, message) = error(text);
        assert!(at == line && message.contains(part), "{text:?}: line {at}, {message}");
    }
    let list = read_flows("src,dst,bytes,start_us\nh0,h1,10,1.5\n", &topology, &qos).unwrap();
    assert_eq!(list[0].start, CsvStart::At(Time::from_ns(1500)));
}
