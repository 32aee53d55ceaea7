//! `[topology]` and `[[route]]`.

use super::names::Names;
use super::table::Table;
use super::value::{Read, Value};
use crate::{
    CABLE_DELAY_PER_METRE, LinkSpec, MAX_NODES, NodeId, RouteOverride, Shape, Topology, TopologyError,
    TopologySpec, Wiring,
};
use weir_units::{Rate, Span};

/// A length of cable.
struct Metres(f64);

impl Read for Metres {
    const EXAMPLE: &'static str = "\"20 m\"";
    fn read(value: &Value<'_>) -> Option<Self> {
        let help = || format!("write for example {} = {}", value.key(), Self::EXAMPLE);
        if !value.is_string() {
            value.error(format!("`{}` has no unit", value.path), help());
            return None;
        }
        let text = value.string()?;
        let text = text.trim();
        let (digits, scale) = match (text.strip_suffix("km"), text.strip_suffix('m')) {
            (Some(digits), _) => (digits, 1000.0),
            (None, Some(digits)) => (digits, 1.0),
            (None, None) => (text, f64::NAN),
        };
        let metres = digits.trim().parse::<f64>().ok().map(|number| number * scale);
        match metres.filter(|metres| (0.0..=1e6).contains(metres)) {
            Some(metres) => Some(Metres(metres)),
            None => {
                let message =
                    format!("`{}` is \"{text}\", which is not a length from 0 m to 1000 km", value.path);
                value.error(message, help());
                None
            }
        }
    }
}

/// Rate and delay of a sort of link; `names` are the keys of rate, delay and cable.
fn link(
    t: &Table<'_>,
    names: [&'static str; 3],
    default: (Option<Rate>, Option<Span>),
) -> (Option<Rate>, Option<Span>) {
    let [rate, delay, cable] = names;
    t.only_one(&[delay, cable]);
    let rate = match default.0 {
        None => t.need(rate),
        Some(default) => Some(t.or(rate, default)),
    };
    let length = t
        .opt::<Metres>(cable)
        .map(|Metres(m)| Span::from_ps((m * CABLE_DELAY_PER_METRE.as_ps() as f64).round() as u64));
    (rate, t.opt(delay).or(length).or(default.1))
}

const HOST_LINK: [&str; 3] = ["rate", "delay", "cable"];
/// What a link is that says nothing of its length.
const USUAL_DELAY: Option<Span> = Some(Span::from_us(1));

/// Kinds of topologies, for messages.
const KINDS: [&str; 8] =
    ["star", "dumbbell", "parking-lot", "leaf-spine", "fat-tree", "rail-optimised", "dragonfly", "explicit"];

/// Reads `[topology]`: what it says and what it means. `None` after an error.
pub(super) fn topology(t: Table<'_>) -> Option<(TopologySpec, Topology)> {
    let kind = t.get("kind");
    let word = match &kind {
        Some(kind) => kind.string()?,
        None => {
            t.missing("kind", "\"leaf-spine\"");
            return None;
        }
    };
    let shape = match word.as_str() {
        "explicit" => explicit(&t),
        _ => regular(&t, &word),
    };
    let known = KINDS.contains(&word.as_str());
    if let (false, Some(kind)) = (known, &kind) {
        super::value::unknown_word(kind, &word, "a kind of topology", &KINDS);
        return None;
    }
    let bit_error_rate = match word.as_str() {
        // There each link has its own.
        "explicit" => 0.0,
        _ => t.number_or("bit_error_rate", "from 0 to less than 1", |p| (0.0..1.0).contains(&p), 0.0),
    };
    let spec = shape.map(|shape| TopologySpec { shape, bit_error_rate });
    let built = spec.as_ref().filter(|_| !t.cx.failed()).map(TopologySpec::build);
    if let Some(Err(error)) = &built {
        refuse(&t, error);
    }
    t.finish();
    match (spec, built) {
        (Some(spec), Some(Ok(topology))) => Some((spec, topology)),
        _ => None,
    }
}

fn count(t: &Table<'_>, key: &'static str) -> Option<u32> {
    t.need_int(key, 1..=MAX_NODES as u64).map(|n| n as u32)
}

fn count_or(t: &Table<'_>, key: &'static str, default: u32) -> u32 {
    t.int_or(key, 1..=MAX_NODES as u64, u64::from(default)) as u32
}

fn regular(t: &Table<'_>, kind: &str) -> Option<Shape> {
    let host = || link(t, HOST_LINK, (None, USUAL_DELAY));
    let trunk = |host| link(t, ["trunk_rate", "trunk_delay", "trunk_cable"], host);
    let fabric = |host| link(t, ["fabric_rate", "fabric_delay", "fabric_cable"], host);
    // All keys are read before the first that is missing ends it, so that every error is seen at once.
    match kind {
        "star" => {
            let (hosts, (rate, delay)) = (count(t, "hosts"), host());
            Some(Shape::Star { hosts: hosts?, rate: rate?, delay: delay? })
        }
        "dumbbell" => {
            let (left, right, trunks) = (count(t, "left"), count(t, "right"), count_or(t, "trunks", 1));
            let near = host();
            let (far_rate, far_delay) = trunk(near);
            Some(Shape::Dumbbell {
                left: left?,
                right: right?,
                trunks,
                rate: near.0?,
                delay: near.1?,
                trunk_rate: far_rate?,
                trunk_delay: far_delay?,
            })
        }
        "parking-lot" => {
            let (switches, hosts) = (count(t, "switches"), count_or(t, "hosts_per_switch", 1));
            let near = host();
            let (far_rate, far_delay) = trunk(near);
            Some(Shape::ParkingLot {
                switches: switches?,
                hosts_per_switch: hosts,
                rate: near.0?,
                delay: near.1?,
                trunk_rate: far_rate?,
                trunk_delay: far_delay?,
            })
        }
        "leaf-spine" => {
            let (leaves, spines) = (count(t, "leaves"), count(t, "spines"));
            let (hosts, links) = (count(t, "hosts_per_leaf"), count_or(t, "links_per_spine", 1));
            let near = host();
            let (far_rate, far_delay) = fabric(near);
            Some(Shape::LeafSpine {
                leaves: leaves?,
                spines: spines?,
                hosts_per_leaf: hosts?,
                links_per_spine: links,
                rate: near.0?,
                delay: near.1?,
                fabric_rate: far_rate?,
                fabric_delay: far_delay?,
            })
        }
        "fat-tree" => fat_tree(t),
        "rail-optimised" => {
            let (servers, rails, spines) = (count(t, "servers"), count(t, "rails"), count(t, "spines"));
            let block = count_or(t, "servers_per_block", servers.unwrap_or(1));
            let near = host();
            let (far_rate, far_delay) = fabric(near);
            Some(Shape::RailOptimised {
                servers: servers?,
                rails: rails?,
                servers_per_block: block,
                spines: spines?,
                rate: near.0?,
                delay: near.1?,
                fabric_rate: far_rate?,
                fabric_delay: far_delay?,
            })
        }
        "dragonfly" => {
            let (groups, routers) = (count(t, "groups"), count(t, "routers_per_group"));
            let (hosts, ports) = (count(t, "hosts_per_router"), count(t, "global_ports"));
            let near = host();
            let local = link(t, ["local_rate", "local_delay", "local_cable"], near);
            let global = link(t, ["global_rate", "global_delay", "global_cable"], local);
            Some(Shape::Dragonfly {
                groups: groups?,
                routers_per_group: routers?,
                hosts_per_router: hosts?,
                global_ports: ports?,
                rate: near.0?,
                delay: near.1?,
                local_rate: local.0?,
                local_delay: local.1?,
                global_rate: global.0?,
                global_delay: global.1?,
            })
        }
        _ => None,
    }
}

fn fat_tree(t: &Table<'_>) -> Option<Shape> {
    const COUNTS: [&str; 5] = ["pods", "tors_per_pod", "aggs_per_pod", "cores", "hosts_per_tor"];
    let counts = if let Some(k) = t.get("k") {
        let k_value = k.int(2..=128);
        for key in COUNTS {
            if t.get(key).is_some() {
                t.error(key, format!("`topology.{key}` follows from `k`"), format!("remove `k` or `{key}`"));
            }
        }
        let half = k_value.map(|k| k as u32 / 2);
        if let Some(odd) = k_value.filter(|k| !k.is_multiple_of(2)) {
            k.error(
                format!(
                    "`topology.k` is {odd}, and must be even: half of a switch's ports go up and half go down"
                ),
                format!("write k = {} or k = {}", odd - 1, odd + 1),
            );
        }
        half.map(|half| [2 * half, half, half, half * half, half])
    } else {
        let counts = COUNTS.map(|key| count(t, key));
        match counts {
            [Some(a), Some(b), Some(c), Some(d), Some(e)] => Some([a, b, c, d, e]),
            _ => None,
        }
    };
    let wiring = t.word_or("wiring", Wiring::Planes);
    let near = link(t, HOST_LINK, (None, USUAL_DELAY));
    let fabric = link(t, ["fabric_rate", "fabric_delay", "fabric_cable"], near);
    let core = link(t, ["core_rate", "core_delay", "core_cable"], fabric);
    let [pods, tors_per_pod, aggs_per_pod, cores, hosts_per_tor] = counts?;
    Some(Shape::FatTree {
        pods,
        tors_per_pod,
        aggs_per_pod,
        cores,
        hosts_per_tor,
        wiring,
        rate: near.0?,
        delay: near.1?,
        fabric_rate: fabric.0?,
        fabric_delay: fabric.1?,
        core_rate: core.0?,
        core_delay: core.1?,
    })
}

fn explicit(t: &Table<'_>) -> Option<Shape> {
    let names = |key: &'static str| match t.get(key) {
        Some(value) => value.strings(),
        None => Vec::new(),
    };
    let (hosts, switches) = (names("hosts"), names("switches"));
    for (key, names) in [("hosts", &hosts), ("switches", &switches)] {
        for name in names.iter().filter(|name| !good_name(name)) {
            t.error(
                key,
                format!("`{name}` cannot be the name of a node"),
                "names have letters, digits, `_`, `.` and single `-`, and begin with a letter",
            );
        }
    }
    // What links have that say nothing else.
    let rate: Option<Rate> = t.opt("rate");
    let (_, delay) = link(t, HOST_LINK, (Some(Rate::ZERO), USUAL_DELAY));
    let links = match t.get("links") {
        Some(links) => links.elements().iter().filter_map(|element| one_link(element, rate, delay)).collect(),
        None => {
            t.missing("links", "[[\"h0\", \"s0\"], [\"h1\", \"s0\"]]");
            return None;
        }
    };
    Some(Shape::Explicit { hosts, switches, links })
}

/// Whether a name can be told from the notations that are built of names.
fn good_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        && !name.contains("--")
        && !name.contains("..")
        && !["all", "host-links", "fabric-links"].contains(&name)
}

fn one_link(element: &Value<'_>, rate: Option<Rate>, delay: Option<Span>) -> Option<LinkSpec> {
    if element.is_array() {
        let ends = two(element)?;
        let Some(rate) = rate else {
            element.error(
                format!("the link `{}` has no rate", element.source()),
                "write rate = \"100 Gb/s\" in [topology] for all links, or { ends = […], rate = \"…\" } for one",
            );
            return None;
        };
        return Some(LinkSpec { ends, rate, delay: delay?, bit_error_rate: 0.0, count: 1 });
    }
    let t = element.as_table()?;
    let ends = match t.get("ends") {
        Some(ends) => two(&ends),
        None => {
            t.missing("ends", "[\"h0\", \"s0\"]");
            None
        }
    };
    let (rate, delay) = link(&t, HOST_LINK, (rate, delay));
    let bit_error_rate =
        t.number_or("bit_error_rate", "from 0 to less than 1", |p| (0.0..1.0).contains(&p), 0.0);
    let count = count_or(&t, "count", 1);
    t.finish();
    Some(LinkSpec { ends: ends?, rate: rate?, delay: delay?, bit_error_rate, count })
}

fn two(value: &Value<'_>) -> Option<[String; 2]> {
    match value.strings().try_into() {
        Ok(ends) => Some(ends),
        Err(ends) => {
            value.error(
                format!("a link has two ends, and `{}` has {}", value.source(), ends.len()),
                "write [\"h0\", \"s0\"]",
            );
            None
        }
    }
}

/// Puts an impossible topology's error where its cause is written.
fn refuse(t: &Table<'_>, error: &TopologyError) {
    let link_place = |link: usize| {
        let links = t.get("links").map(|links| links.elements());
        links.and_then(|links| links.get(link).map(|link| link.span.clone()))
    };
    let (place, help) = match error {
        TopologyError::BadCount { key, .. } => (Some(t.place(key)), String::new()),
        TopologyError::UnknownNode { link, .. } => {
            (link_place(*link), "name it in `hosts` or `switches`, or correct the link".to_owned())
        }
        TopologyError::DuplicateLink { link, link_name } => {
            let ends: Vec<String> = link_name.split("--").map(|end| format!("\"{end}\"")).collect();
            (
                link_place(*link),
                format!(
                    "remove one; for parallel cables write {{ ends = [{}], count = 2 }}",
                    ends.join(", ")
                ),
            )
        }
        TopologyError::SelfLoop { link, .. } => (link_place(*link), "name two nodes".to_owned()),
        TopologyError::RateOutOfRange { link, .. } => {
            let place = link_place(*link).or_else(|| {
                let rates = ["rate", "trunk_rate", "fabric_rate", "core_rate", "local_rate", "global_rate"];
                let wrong = rates.iter().find(|key| {
                    let rate =
                        t.get(key).and_then(|value| value.source().trim_matches('"').parse::<Rate>().ok());
                    rate.is_some_and(|rate| !(crate::MIN_LINK_RATE..=crate::MAX_LINK_RATE).contains(&rate))
                });
                wrong.map(|key| t.place(key))
            });
            (place, "write for example rate = \"100 Gb/s\"".to_owned())
        }
        TopologyError::HostWithoutLink { host } => {
            (Some(t.place("hosts")), format!("add [\"{host}\", \"…\"] to `links`, or remove the host"))
        }
        TopologyError::Unconnected { .. } => {
            (Some(t.place("links")), "add a link between their parts; hosts do not forward".to_owned())
        }
        TopologyError::DuplicateName { .. } => {
            (Some(t.place("switches")), "give each its own name".to_owned())
        }
        TopologyError::TooFewHosts { .. } => (Some(t.place("hosts")), String::new()),
        _ => (None, String::new()),
    };
    t.cx.error(place.unwrap_or_else(|| t.heading()), error.to_string(), help);
}

/// One `[[route]]`.
pub(super) fn route(t: Table<'_>, topology: &Topology, names: &Names<'_>) -> Option<RouteOverride> {
    let at = t.get("at").and_then(|value| names.node(&value));
    if !t.has("at") {
        t.missing("at", "\"s0\"");
    }
    let to = match t.get("to") {
        Some(value) => Some(names.hosts(&value)),
        None => {
            t.missing("to", "\"h0\"");
            None
        }
    };
    let mut ports = Vec::new();
    match (t.get("via"), at) {
        (None, _) => t.missing("via", "\"s1\""),
        (Some(via), Some(at)) => {
            for next in via.elements() {
                let Some(peer) = names.node(&next) else { continue };
                let before = ports.len();
                ports.extend(
                    topology
                        .ports(at)
                        .iter()
                        .zip(0u16..)
                        .filter(|(port, _)| port.peer.node == peer)
                        .map(|(_, number)| number),
                );
                if ports.len() == before {
                    let near: Vec<&str> = topology
                        .ports(at)
                        .iter()
                        .map(|port| topology.node(port.peer.node).name.as_str())
                        .collect();
                    let (at, peer) = (&topology.node(at).name, &topology.node(peer).name);
                    next.error(
                        format!("no link joins `{at}` and `{peer}`"),
                        format!("neighbours of `{at}` are {}", near.join(", ")),
                    );
                }
            }
        }
        (Some(_), None) => {}
    }
    if let Some(at) = at.filter(|at| topology.is_host(*at) && topology.ports(*at).len() == 1) {
        t.idle("at", &format!("`{}` has one link, and all it sends goes there", topology.node(at).name));
    }
    t.finish();
    let to: Vec<NodeId> = to?.into_iter().filter(|dst| Some(*dst) != at).collect();
    if ports.is_empty() { None } else { Some(RouteOverride { at: at?, to, ports }) }
}
