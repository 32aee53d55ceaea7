//! `[[fault]]`, `[probes]` and `[run]`.

use super::names::Names;
use super::table::Table;
use super::value::{Read, Value, unknown_word};
use crate::{Fault, FaultKind, LinkId, Probes, Qos, Run, Topology};
use weir_units::{Bytes, Rate, Span, Time};

/// Faults, for messages.
const KINDS: [&str; 9] = [
    "loss",
    "drop-every",
    "reorder",
    "duplicate",
    "corrupt",
    "link-down",
    "flap",
    "pause-storm",
    "slow-receiver",
];

pub(super) fn fault(t: Table<'_>, names: &Names<'_>, qos: &Qos) -> Option<Fault> {
    let kind = match t.get("kind") {
        Some(kind) => {
            let word = kind.string()?;
            if !KINDS.contains(&word.as_str()) {
                unknown_word(&kind, &word, "a kind of fault", &KINDS);
                return None;
            }
            word
        }
        None => {
            t.missing("kind", "\"loss\"");
            return None;
        }
    };
    let from = t.or("from", Time::ZERO);
    let until = t.or("until", Time::MAX);
    if until <= from {
        t.error(
            "until",
            format!("`{}` is {until}, and must be after `from`, {from}", t.path_of("until")),
            "",
        );
    }
    let kind = what(&t, &kind, names, qos);
    t.finish();
    Some(Fault { from, until, kind: kind? })
}

fn what(t: &Table<'_>, kind: &str, names: &Names<'_>, qos: &Qos) -> Option<FaultKind> {
    let links = || -> Option<Vec<LinkId>> {
        match t.get("links") {
            Some(value) => Some(names.links(&value)),
            None => {
                t.missing("links", "\"all\"");
                None
            }
        }
    };
    let probability = || match t.get("probability") {
        Some(value) => value.number_in("a probability from 0 to 1", |p| (0.0..=1.0).contains(&p)),
        None => {
            t.missing("probability", "0.001");
            None
        }
    };
    let host = || match t.get("host") {
        Some(value) => names.host(&value),
        None => {
            t.missing("host", "\"h0\"");
            None
        }
    };
    let positive = |key: &'static str| -> Option<Span> {
        let span: Span = t.need(key)?;
        if span == Span::ZERO {
            t.error(key, format!("`{}` is zero", t.path_of(key)), "write for example \"100 us\"");
        }
        Some(span)
    };
    Some(match kind {
        "loss" => {
            let (links, probability) = (links(), probability());
            FaultKind::Loss { links: links?, probability: probability? }
        }
        "drop-every" => {
            let (links, every) = (links(), t.need_int("every", 2..=u64::MAX));
            FaultKind::DropEvery { links: links?, every: every? }
        }
        "reorder" => {
            let (links, probability, delay) = (links(), probability(), positive("delay"));
            FaultKind::Reorder { links: links?, probability: probability?, delay: delay? }
        }
        "duplicate" => {
            let (links, probability) = (links(), probability());
            FaultKind::Duplicate { links: links?, probability: probability? }
        }
        "corrupt" => {
            let (links, probability) = (links(), probability());
            FaultKind::Corrupt { links: links?, probability: probability? }
        }
        "link-down" => FaultKind::LinkDown { links: links()? },
        "flap" => {
            let (links, down, up) = (links(), positive("down"), positive("up"));
            FaultKind::Flap { links: links?, down: down?, up: up? }
        }
        "pause-storm" => {
            let host = host();
            let priorities = match t.get("priorities") {
                Some(value) => {
                    let all = value.elements();
                    let bits = all.iter().filter_map(|priority| priority.int(0..=7));
                    bits.fold(0u8, |bits, priority| bits | 1 << priority)
                }
                None => qos
                    .classes
                    .iter()
                    .filter(|class| class.lossless)
                    .fold(0, |bits, class| bits | 1 << class.priority.min(7)),
            };
            if priorities == 0 {
                t.error("priorities", "the storm pauses no priority", "write for example priorities = [3]");
            }
            FaultKind::PauseStorm { host: host?, priorities }
        }
        _ => {
            let (host, rate) = (host(), t.need::<Rate>("rate"));
            if rate == Some(Rate::ZERO) {
                t.error(
                    "rate",
                    "a receiver of rate 0 never takes anything in",
                    "write for example \"10 Gb/s\"",
                );
            }
            FaultKind::SlowReceiver { host: host?, rate: rate?, buffer: t.or("buffer", Bytes::from_kib(256)) }
        }
    })
}

pub(super) fn probes(t: Option<Table<'_>>, names: &Names<'_>, topology: &Topology, qos: &Qos) -> Probes {
    let mut p = Probes::default();
    let Some(t) = t else { return p };
    let interval = |key: &'static str| -> Option<Span> {
        let span: Span = t.opt(key)?;
        if span == Span::ZERO {
            t.error(
                key,
                format!("`{}` is zero", t.path_of(key)),
                "write for example \"10 us\", or leave it out",
            );
        }
        Some(span)
    };
    p.queue_histogram = interval("queue_histogram");
    p.queue_series = interval("queue_series");
    p.rate_series = interval("rate_series");
    if let Some(value) = t.get("queues") {
        p.queues =
            value.elements().iter().filter_map(|element| queue(element, names, topology, qos)).collect();
    }
    if let Some(value) = t.get("links") {
        for element in value.elements() {
            let Some(text) = element.string() else { continue };
            match text.contains(':') {
                true => {
                    if names.port(&element, &text).is_some() {
                        p.links.push(text);
                    }
                }
                false => element.error(
                    format!("`{}` is \"{text}\", which is no port", element.path),
                    "write the sending end of a link, such as \"s0:3\"",
                ),
            }
        }
    }
    if let Some(value) = t.get("flows") {
        p.flows = value
            .elements()
            .iter()
            .filter_map(|id| id.int(0..=u64::from(u32::MAX)))
            .map(|id| id as u32)
            .collect();
    }
    if p.queue_series.is_none() {
        t.idle("queues", "`probes.queue_series` is not set");
    }
    if p.rate_series.is_none() {
        for key in ["links", "flows"] {
            t.idle(key, "`probes.rate_series` is not set");
        }
    }
    t.finish();
    p
}

/// `node`, `node:port` or `node:port/priority`, of a switch.
fn queue(value: &Value<'_>, names: &Names<'_>, topology: &Topology, qos: &Qos) -> Option<String> {
    let text = value.string()?;
    let (port, priority) = match text.split_once('/') {
        Some((port, priority)) => (port, Some(priority)),
        None => (text.as_str(), None),
    };
    let node = match port.contains(':') {
        true => names.port(value, port)?.node,
        false => topology.find(port).or_else(|| names.node(value))?,
    };
    if topology.is_host(node) {
        value.error(format!("`{port}` is a host, and queues are a switch's"), "");
        return None;
    }
    if let Some(priority) = priority {
        let known = priority.parse::<u8>().is_ok_and(|p| qos.classes.iter().any(|class| class.priority == p));
        if !known || !port.contains(':') {
            let known: Vec<String> = qos.classes.iter().map(|class| class.priority.to_string()).collect();
            value.error(
                format!("`{}` is \"{text}\", which names no queue", value.path),
                format!(
                    "write a port and the priority of a class ({}), such as \"s0:3/3\"",
                    known.join(", ")
                ),
            );
            return None;
        }
    }
    Some(text)
}

pub(super) fn run(t: Option<Table<'_>>) -> Run {
    let mut r = Run::default();
    let Some(t) = t else { return r };
    t.only_one(&["seed", "seeds"]);
    if let Some(seed) = t.get("seed").and_then(|value| value.int(0..=i64::MAX as u64)) {
        r.seeds = vec![seed];
    }
    if let Some(value) = t.get("seeds") {
        r.seeds = value.elements().iter().filter_map(|seed| seed.int(0..=i64::MAX as u64)).collect();
        if r.seeds.is_empty() && !t.cx.failed() {
            value.error("`run.seeds` is empty, and nothing would run", "write seeds = [1, 2, 3]");
        }
    }
    r.stop = t.get("stop").and_then(|value| Time::read(&value));
    if r.stop == Some(Time::ZERO) {
        t.error(
            "stop",
            "`run.stop` is zero, and nothing would run",
            "leave it out to run until the last flow ends",
        );
    }
    t.finish();
    r
}
