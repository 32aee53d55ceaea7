//! `[[workload]]`.

use super::error::ScenarioError;
use super::names::{self, Names};
use super::table::Table;
use super::value::{Value, unknown_word};
use crate::{
    AllReduce, Cdf, Connections, Demand, MAX_BYTES, NodeId, Op, Pattern, Qos, Repeat, Sizes, Topology,
    Workload, read_flows,
};
use weir_units::{Bytes, Span, Time};

/// Gives the text of a file that a scenario refers to.
pub(super) type Resolve<'r> = dyn FnMut(&str) -> Result<String, String> + 'r;

/// What a workload is read with.
pub(super) struct Around<'a, 'r> {
    pub(super) topology: &'a Topology,
    pub(super) qos: &'a Qos,
    pub(super) names: &'a Names<'a>,
    pub(super) resolve: &'a mut Resolve<'r>,
}

/// Patterns, for messages.
const KINDS: [&str; 12] = [
    "incast",
    "permutation",
    "all-to-all",
    "all-reduce",
    "reduce-scatter",
    "all-gather",
    "moe",
    "pipeline",
    "storage",
    "poisson",
    "pairs",
    "csv",
];

const SHARE: &str = "a share of bandwidth above 0, such as 0.5 for half";

pub(super) fn workload(t: Table<'_>, number: usize, around: &mut Around<'_, '_>) -> Option<Workload> {
    let kind = match t.get("kind") {
        Some(kind) => {
            let word = kind.string()?;
            if !KINDS.contains(&word.as_str()) {
                unknown_word(&kind, &word, "a kind of workload", &KINDS);
                return None;
            }
            word
        }
        None => {
            t.missing("kind", "\"incast\"");
            return None;
        }
    };
    let name = t.opt("name").unwrap_or_else(|| match number {
        0 => kind.clone(),
        _ => format!("{kind}-{number}"),
    });
    if name.is_empty() || name.contains([',', '#', '/', '\n', '"']) {
        t.error(
            "name",
            format!("`{name}` cannot be the name of a workload"),
            "leave out commas, `#`, `/` and quotes",
        );
    }
    let tag = t.opt("tag").unwrap_or_default();
    t.only_one(&["class", "dscp"]);
    let by_dscp =
        t.get("dscp").and_then(|value| value.int(0..=63)).map(|dscp| around.qos.class_of_dscp(dscp as u8));
    let by_name = t.get("class").and_then(|value| names::class(&value, around.qos));
    let class = by_name.or(by_dscp).unwrap_or(around.qos.default_class);
    let start = t.or("start", Time::ZERO);
    let jitter = t.or("jitter", Span::ZERO);
    let repeat = repeat(&t);
    let op = t.word_or("op", Op::Write);
    let is_ring = matches!(kind.as_str(), "all-reduce" | "reduce-scatter" | "all-gather");
    let usual = if is_ring { Connections::PerPair } else { Connections::PerFlow };
    let connections = t.word_or("connections", usual);
    if kind == "storage" {
        t.idle("op", "a storage workload reads and writes as `read_fraction` says");
    }
    let pattern = pattern(&t, &kind, around);
    t.finish();
    Some(Workload { name, tag, class, op, start, jitter, repeat, connections, pattern: pattern? })
}

fn repeat(t: &Table<'_>) -> Repeat {
    let Some(r) = t.get("repeat").and_then(|value| value.as_table()) else { return Repeat::default() };
    let count = r.need_int("count", 1..=1_000_000).unwrap_or(1) as u32;
    r.only_one(&["every", "gap"]);
    let repeat = Repeat { count, every: r.opt("every"), gap: r.or("gap", Span::ZERO) };
    if count == 1 {
        r.idle("every", "the workload runs once");
        r.idle("gap", "the workload runs once");
    }
    r.finish();
    repeat
}

fn hosts(t: &Table<'_>, key: &'static str, names: &Names<'_>) -> Option<Vec<NodeId>> {
    match t.get(key) {
        Some(value) => Some(names.hosts(&value)).filter(|hosts| !hosts.is_empty()),
        None => {
            t.missing(key, "\"all\"");
            None
        }
    }
}

fn hosts_or_all(t: &Table<'_>, key: &'static str, around: &Around<'_, '_>) -> Vec<NodeId> {
    match t.get(key) {
        Some(value) => around.names.hosts(&value),
        None => (0..around.topology.hosts()).map(NodeId).collect(),
    }
}

/// Ranks of a collective: all hosts unless said, at least two, none twice.
fn ranks(t: &Table<'_>, around: &Around<'_, '_>) -> Vec<NodeId> {
    let hosts = hosts_or_all(t, "hosts", around);
    let mut sorted = hosts.clone();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let name = &around.topology.node(twice[0]).name;
        t.error("hosts", format!("`{name}` is among the hosts twice"), "name each host once");
    } else if hosts.len() == 1 {
        t.error("hosts", "one host alone has nobody to send to", "name at least two hosts");
    }
    hosts
}

fn bytes(t: &Table<'_>, key: &'static str) -> Option<Bytes> {
    let bytes: Bytes = t.need(key)?;
    if !(1..=MAX_BYTES).contains(&bytes.get()) {
        t.error(key, format!("`{}` is {bytes}, and must be from 1 B to 1 PiB", t.path_of(key)), "");
    }
    Some(bytes)
}

/// A collective's buffer, which is cut into as many parts as there are ranks.
fn buffer(t: &Table<'_>, ranks: &[NodeId]) -> Option<Bytes> {
    let bytes = bytes(t, "bytes")?;
    if bytes.get() < ranks.len() as u64 {
        t.error(
            "bytes",
            format!("{bytes} cannot be divided among {} ranks", ranks.len()),
            "`bytes` is the buffer of a rank; give each part at least a byte",
        );
    }
    Some(bytes)
}

fn load(t: &Table<'_>) -> Option<f64> {
    let value = t.get("load")?;
    let load = value.number()?;
    if load > 0.0 && load <= 4.0 {
        return Some(load);
    }
    let help = if load > 4.0 { format!("for {load}% write load = {}", load / 100.0) } else { String::new() };
    value.error(format!("`{}` is {}, and must be {SHARE}", value.path, value.source()), help);
    None
}

fn duration(t: &Table<'_>) -> Option<Span> {
    let span: Span = t.need("duration")?;
    if span == Span::ZERO {
        t.error("duration", format!("`{}` is zero", t.path_of("duration")), "write for example \"2 ms\"");
    }
    Some(span)
}

/// A fixed size, a distribution that is built in, or one from a file.
fn sizes(t: &Table<'_>, around: &mut Around<'_, '_>) -> Option<Sizes> {
    let Some(value) = t.get("sizes") else {
        t.missing("sizes", "\"web-search\"");
        return None;
    };
    let built_in: Vec<&str> = Cdf::built_in_names().collect();
    let looks_like_size = !value.is_string() || value.string()?.starts_with(|c: char| c.is_ascii_digit());
    if looks_like_size {
        return bytes(t, "sizes").map(Sizes::Fixed);
    }
    let name = value.string()?;
    if let Some(cdf) = Cdf::built_in(&name) {
        return Some(Sizes::Cdf(cdf));
    }
    if !name.contains(['.', '/']) {
        unknown_word(&value, &name, "a size, a distribution that is built in, or a file", &built_in);
        return None;
    }
    let text = file(&value, &name, around)?;
    match Cdf::parse(&name, &text) {
        Ok(cdf) if cdf.mean() > 0.0 => Some(Sizes::Cdf(cdf)),
        Ok(_) => {
            value.error(format!("all sizes of {name} are zero"), "sizes are in bytes");
            None
        }
        Err(error) => {
            in_file(&value, &name, &text, error.line, error.problem.to_string());
            None
        }
    }
}

fn file(value: &Value<'_>, name: &str, around: &mut Around<'_, '_>) -> Option<String> {
    match (around.resolve)(name) {
        Ok(text) => Some(text),
        Err(why) => {
            value.error(format!("cannot read {name}: {why}"), "paths are relative to the scenario's folder");
            None
        }
    }
}

/// An error inside a file that the scenario refers to.
fn in_file(value: &Value<'_>, name: &str, text: &str, line: u32, message: String) {
    let start: usize = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
    let length = text[start..].lines().next().map_or(0, str::len);
    value.cx.errors.borrow_mut().push(ScenarioError {
        origin: name.to_owned(),
        line,
        column: 1,
        span: start..start + length,
        message,
        help: format!("`{}` in {} refers to this file", value.path, value.cx.origin),
    });
}

fn pattern(t: &Table<'_>, kind: &str, around: &mut Around<'_, '_>) -> Option<Pattern> {
    let count = |key: &'static str, default: u64| t.int_or(key, 1..=1 << 24, default) as u32;
    match kind {
        "incast" => {
            let senders = hosts_or_all(t, "senders", around);
            let receivers = hosts(t, "receivers", around.names);
            let bytes = bytes(t, "bytes");
            let load = load(t);
            let duration = match load {
                Some(_) => duration(t),
                None => {
                    t.get("duration");
                    t.idle("duration", "without `load` there is one incast");
                    Some(Span::ZERO)
                }
            };
            let fan_in = t.int_or("fan_in", 0..=1 << 20, 0) as u32;
            let receivers = receivers?;
            let most = senders.iter().filter(|host| receivers.len() > 1 || **host != receivers[0]).count();
            if fan_in as usize > most {
                t.error(
                    "fan_in",
                    format!("`{}` is {fan_in}, and there are {most} senders", t.path_of("fan_in")),
                    "leave it out for all senders",
                );
            } else if most == 0 {
                t.error("senders", "nobody is left to send to the receiver", "name other hosts");
            }
            Some(Pattern::Incast { senders, receivers, fan_in, bytes: bytes?, load, duration: duration? })
        }
        "permutation" => {
            let hosts = ranks(t, around);
            let shift = t.int_or("shift", 0..=1 << 20, 0) as u32;
            if shift != 0 && (shift as usize).is_multiple_of(hosts.len().max(1)) {
                t.error(
                    "shift",
                    format!("with `{}` {shift} every host sends to itself", t.path_of("shift")),
                    format!("write a number from 1 to {}", hosts.len().saturating_sub(1)),
                );
            }
            Some(Pattern::Permutation { bytes: bytes(t, "bytes")?, hosts, shift })
        }
        "all-to-all" => {
            let hosts = ranks(t, around);
            let bytes = buffer(t, &hosts);
            let parallel = t.int_or("parallel", 0..=1 << 20, 0) as u32;
            Some(Pattern::AllToAll { hosts, bytes: bytes?, parallel })
        }
        "all-reduce" => all_reduce(t, around),
        "reduce-scatter" => {
            let hosts = ranks(t, around);
            Some(Pattern::ReduceScatter { bytes: buffer(t, &hosts)?, hosts })
        }
        "all-gather" => {
            let hosts = ranks(t, around);
            Some(Pattern::AllGather { bytes: buffer(t, &hosts)?, hosts })
        }
        "moe" => {
            let hosts = ranks(t, around);
            let experts = t.int_or("experts", 1..=1 << 16, hosts.len() as u64) as u32;
            let top_k = t.int_or("top_k", 1..=64, 8.min(u64::from(experts))) as u32;
            let tokens = t.need_int("tokens", 1..=1 << 24).map(|n| n as u32);
            let token_bytes = bytes(t, "token_bytes");
            let skew = t.number_or("skew", "from 0 to 10", |skew| (0.0..=10.0).contains(&skew), 0.0);
            let (layers, compute) = (count("layers", 1), t.or("compute", Span::ZERO));
            if top_k > experts {
                t.error(
                    "top_k",
                    format!("a token goes to {top_k} different experts, and there are {experts}"),
                    "lower `top_k`, or raise `experts`",
                );
            }
            Some(Pattern::Moe {
                hosts,
                experts,
                top_k,
                tokens: tokens?,
                token_bytes: token_bytes?,
                skew,
                layers,
                compute,
            })
        }
        "pipeline" => {
            let hosts = ranks(t, around);
            let stages = count("stages", hosts.len() as u64);
            let microbatches = count("microbatches", 1);
            let bytes = bytes(t, "bytes");
            let (forward, backward) = (t.or("forward", Span::ZERO), t.or("backward", Span::ZERO));
            if stages < 2 || !hosts.len().is_multiple_of(stages as usize) {
                t.error(
                    "stages",
                    format!("{} hosts cannot be cut into {stages} stages of equal size", hosts.len()),
                    "write a divisor of the number of hosts, at least 2",
                );
            }
            Some(Pattern::Pipeline { hosts, stages, microbatches, bytes: bytes?, forward, backward })
        }
        "storage" => storage(t, around),
        "poisson" => {
            let senders = hosts_or_all(t, "senders", around);
            let receivers = hosts_or_all(t, "receivers", around);
            let sizes = sizes(t, around);
            let load = need_load(t);
            let duration = duration(t);
            if let Some(lonely) = senders.iter().find(|src| receivers.iter().all(|dst| dst == *src)) {
                let name = &around.topology.node(*lonely).name;
                t.error(
                    "receivers",
                    format!("`{name}` has nobody to send to but itself"),
                    "name more receivers",
                );
            }
            Some(Pattern::Poisson { senders, receivers, sizes: sizes?, load: load?, duration: duration? })
        }
        "pairs" => {
            let (from, to) = (hosts(t, "from", around.names), hosts(t, "to", around.names));
            let bytes = bytes(t, "bytes");
            let (from, to) = (from?, to?);
            if from.len() != to.len() && from.len() != 1 && to.len() != 1 {
                t.error(
                    "to",
                    format!("`from` has {} hosts and `to` has {}", from.len(), to.len()),
                    "name one on one side, or as many on both",
                );
            } else {
                let n = from.len().max(to.len());
                if let Some(i) = (0..n).find(|i| from[i % from.len()] == to[i % to.len()]) {
                    let name = &around.topology.node(to[i % to.len()]).name;
                    t.error("to", format!("`{name}` would send to itself"), "name two different hosts");
                }
            }
            Some(Pattern::Pairs { from, to, bytes: bytes? })
        }
        _ => {
            let Some(value) = t.get("file") else {
                t.missing("file", "\"flows.csv\"");
                return None;
            };
            let name = value.string()?;
            let text = file(&value, &name, around)?;
            match read_flows(&text, around.topology, around.qos) {
                Ok(flows) => Some(Pattern::Csv { file: name, flows }),
                Err(error) => {
                    in_file(&value, &name, &text, error.line, error.problem.to_string());
                    None
                }
            }
        }
    }
}

fn need_load(t: &Table<'_>) -> Option<f64> {
    if !t.has("load") {
        t.missing("load", "0.5");
    }
    load(t)
}

fn all_reduce(t: &Table<'_>, around: &Around<'_, '_>) -> Option<Pattern> {
    let hosts = ranks(t, around);
    let bytes = buffer(t, &hosts);
    let algorithm = t.word_or("algorithm", AllReduce::Ring);
    let chunks = t.int_or("chunks", 1..=1 << 16, 8) as u32;
    if algorithm != AllReduce::Tree {
        t.idle("chunks", "a tree alone passes its buffer on in chunks");
    }
    if algorithm == AllReduce::HalvingDoubling && !hosts.len().is_power_of_two() {
        let near = hosts.len().checked_ilog2().map_or(2, |bits| 1 << bits);
        t.error(
            if t.has("hosts") { "hosts" } else { "algorithm" },
            format!("halving and doubling needs a power of two of hosts, and there are {}", hosts.len()),
            format!("name {near} hosts, or write algorithm = \"ring\""),
        );
    }
    if let Some(bytes) =
        bytes.filter(|bytes| algorithm == AllReduce::Tree && bytes.get() < 2 * u64::from(chunks))
    {
        t.error(
            "chunks",
            format!("{bytes} cannot be cut into two halves of {chunks} chunks"),
            "write fewer chunks",
        );
    }
    Some(Pattern::AllReduce { hosts, bytes: bytes?, algorithm, chunks })
}

fn storage(t: &Table<'_>, around: &mut Around<'_, '_>) -> Option<Pattern> {
    let (clients, servers) = (hosts(t, "clients", around.names), hosts(t, "servers", around.names));
    let sizes = sizes(t, around);
    let read_fraction =
        t.number_or("read_fraction", "from 0 to 1", |share| (0.0..=1.0).contains(&share), 0.5);
    let replicas = t.int_or("replicas", 1..=64, 1) as u32;
    if read_fraction == 1.0 {
        t.idle("replicas", "nothing is written");
    }
    let closed = t.has("outstanding") || t.has("requests");
    for key in ["load", "duration", "outstanding", "requests", "think"] {
        t.get(key);
    }
    let demand = if closed {
        for key in ["load", "duration"] {
            if t.has(key) {
                t.error(
                    key,
                    format!("{} has `outstanding` or `requests`, and `{key}` too", t.title()),
                    "write `load` and `duration` for requests by chance, or `outstanding` and `requests` for a loop",
                );
            }
        }
        let outstanding = t.int_or("outstanding", 1..=1 << 16, 1) as u32;
        let requests = t.need_int("requests", 1..=1 << 24).map(|n| n as u32);
        requests.map(|requests| Demand::Closed { outstanding, requests, think: t.or("think", Span::ZERO) })
    } else {
        t.idle("think", "requests come by chance");
        match (need_load(t), duration(t)) {
            (Some(load), Some(duration)) => Some(Demand::Open { load, duration }),
            _ => None,
        }
    };
    let (clients, servers) = (clients?, servers?);
    if let Some(lonely) = clients.iter().find(|client| servers.iter().all(|server| server == *client)) {
        let name = &around.topology.node(*lonely).name;
        t.error("servers", format!("`{name}` has no server but itself"), "name more servers");
    }
    if replicas as usize > servers.len() {
        t.error(
            "replicas",
            format!("{replicas} copies need as many servers, and there are {}", servers.len()),
            "lower `replicas`, or name more servers",
        );
    }
    Some(Pattern::Storage { clients, servers, sizes: sizes?, read_fraction, replicas, demand: demand? })
}
