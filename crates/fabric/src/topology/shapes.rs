//! Nodes and links of each kind of topology.

use super::{LinkSpec, MAX_NODES, Shape, TopologyBuilder, TopologyError, Wiring};
use std::collections::{BTreeMap, BTreeSet};
use weir_units::{Rate, Span};

/// Adds links of one sort.
#[derive(Clone, Copy)]
struct Cable {
    rate: Rate,
    delay: Span,
    bit_error_rate: f64,
}

impl Cable {
    fn join(self, b: &mut TopologyBuilder, from: usize, to: usize) {
        b.link(from, to, self.rate, self.delay, self.bit_error_rate);
    }
}

fn bad(key: &'static str, found: u32, expected: impl Into<String>) -> TopologyError {
    TopologyError::BadCount { key, found: u64::from(found), expected: expected.into() }
}

fn at_least(key: &'static str, found: u32, least: u32) -> Result<(), TopologyError> {
    if found < least { Err(bad(key, found, format!("at least {least}"))) } else { Ok(()) }
}

/// Refuses what would only exhaust memory, before any of it is built.
fn not_too_many(nodes: &[u32]) -> Result<(), TopologyError> {
    let product = nodes.iter().fold(1u64, |product, count| product.saturating_mul(u64::from(*count)));
    match usize::try_from(product) {
        Ok(n) if n <= MAX_NODES => Ok(()),
        _ => Err(TopologyError::TooManyNodes { nodes: product.min(usize::MAX as u64) as usize }),
    }
}

impl Shape {
    /// Adds the nodes and links.
    pub(super) fn add_to(&self, b: &mut TopologyBuilder, bit_error_rate: f64) -> Result<(), TopologyError> {
        let cable = |rate: &Rate, delay: &Span| Cable { rate: *rate, delay: *delay, bit_error_rate };
        match self {
            Shape::Star { hosts, rate, delay } => {
                at_least("hosts", *hosts, 2)?;
                not_too_many(&[*hosts])?;
                let switch = b.switch("s0", 1);
                hang(b, "h", 0, *hosts, switch, cable(rate, delay));
            }
            Shape::Dumbbell { left, right, trunks, rate, delay, trunk_rate, trunk_delay } => {
                for (key, count) in [("left", left), ("right", right), ("trunks", trunks)] {
                    at_least(key, *count, 1)?;
                    not_too_many(&[*count])?;
                }
                let (s0, s1) = (b.switch("s0", 1), b.switch("s1", 1));
                hang(b, "l", 0, *left, s0, cable(rate, delay));
                hang(b, "r", 0, *right, s1, cable(rate, delay));
                for _ in 0..*trunks {
                    cable(trunk_rate, trunk_delay).join(b, s0, s1);
                }
            }
            Shape::ParkingLot { switches, hosts_per_switch, rate, delay, trunk_rate, trunk_delay } => {
                at_least("switches", *switches, 2)?;
                at_least("hosts_per_switch", *hosts_per_switch, 1)?;
                not_too_many(&[*switches, hosts_per_switch.saturating_add(1)])?;
                let mut last = None;
                for i in 0..*switches {
                    let switch = b.switch(format!("s{i}"), 1);
                    hang(b, "h", i * hosts_per_switch, *hosts_per_switch, switch, cable(rate, delay));
                    if let Some(last) = last.replace(switch) {
                        cable(trunk_rate, trunk_delay).join(b, last, switch);
                    }
                }
            }
            Shape::LeafSpine {
                leaves,
                spines,
                hosts_per_leaf,
                links_per_spine,
                rate,
                delay,
                fabric_rate,
                fabric_delay,
            } => {
                let least_spines = u32::from(*leaves > 1);
                for (key, count, least) in [
                    ("leaves", leaves, 1),
                    ("spines", spines, least_spines),
                    ("hosts_per_leaf", hosts_per_leaf, 1),
                    ("links_per_spine", links_per_spine, 1),
                ] {
                    at_least(key, *count, least)?;
                }
                not_too_many(&[*leaves, hosts_per_leaf.saturating_add(1)])?;
                not_too_many(&[*leaves, *spines, *links_per_spine])?;
                let leaf: Vec<usize> = (0..*leaves).map(|i| b.switch(format!("leaf{i}"), 1)).collect();
                let spine: Vec<usize> = (0..*spines).map(|i| b.switch(format!("spine{i}"), 2)).collect();
                for (i, leaf) in (0..).zip(&leaf) {
                    hang(b, "h", i * hosts_per_leaf, *hosts_per_leaf, *leaf, cable(rate, delay));
                }
                for leaf in &leaf {
                    for spine in &spine {
                        for _ in 0..*links_per_spine {
                            cable(fabric_rate, fabric_delay).join(b, *leaf, *spine);
                        }
                    }
                }
            }
            Shape::FatTree { rate, delay, fabric_rate, fabric_delay, core_rate, core_delay, .. } => {
                let cables =
                    [cable(rate, delay), cable(fabric_rate, fabric_delay), cable(core_rate, core_delay)];
                self.fat_tree(b, cables)?;
            }
            Shape::RailOptimised {
                servers,
                rails,
                servers_per_block,
                spines,
                rate,
                delay,
                fabric_rate,
                fabric_delay,
            } => {
                for (key, count) in [
                    ("servers", servers),
                    ("rails", rails),
                    ("servers_per_block", servers_per_block),
                    ("spines", spines),
                ] {
                    at_least(key, *count, 1)?;
                }
                if servers % servers_per_block != 0 {
                    let expected = format!("a divisor of `servers`, {servers}");
                    return Err(bad("servers_per_block", *servers_per_block, expected));
                }
                not_too_many(&[*servers, *rails, 2])?;
                not_too_many(&[servers / servers_per_block, *rails, *spines])?;
                let spine: Vec<usize> = (0..*spines).map(|i| b.switch(format!("spine{i}"), 2)).collect();
                for block in 0..servers / servers_per_block {
                    let leaf: Vec<usize> =
                        (0..*rails).map(|rail| b.switch(format!("leaf{block}_{rail}"), 1)).collect();
                    for server in block * servers_per_block..(block + 1) * servers_per_block {
                        for (rail, leaf) in leaf.iter().enumerate() {
                            let host = b.host(format!("g{server}_{rail}"));
                            cable(rate, delay).join(b, host, *leaf);
                        }
                    }
                    for leaf in &leaf {
                        for spine in &spine {
                            cable(fabric_rate, fabric_delay).join(b, *leaf, *spine);
                        }
                    }
                }
            }
            Shape::Dragonfly { rate, delay, local_rate, local_delay, global_rate, global_delay, .. } => {
                let cables =
                    [cable(rate, delay), cable(local_rate, local_delay), cable(global_rate, global_delay)];
                self.dragonfly(b, cables)?;
            }
            Shape::Explicit { hosts, switches, links } => explicit(b, hosts, switches, links)?,
        }
        Ok(())
    }

    fn fat_tree(&self, b: &mut TopologyBuilder, cables: [Cable; 3]) -> Result<(), TopologyError> {
        let Shape::FatTree { pods, tors_per_pod, aggs_per_pod, cores, hosts_per_tor, wiring, .. } = self
        else {
            return Ok(());
        };
        for (key, count) in [
            ("pods", pods),
            ("tors_per_pod", tors_per_pod),
            ("aggs_per_pod", aggs_per_pod),
            ("cores", cores),
            ("hosts_per_tor", hosts_per_tor),
        ] {
            at_least(key, *count, 1)?;
        }
        if *wiring == Wiring::Planes && cores % aggs_per_pod != 0 {
            let expected = format!(
                "a multiple of `aggs_per_pod`, {aggs_per_pod}, so that every aggregation switch has its plane"
            );
            return Err(bad("cores", *cores, expected));
        }
        not_too_many(&[*pods, *tors_per_pod, hosts_per_tor.saturating_add(1)])?;
        not_too_many(&[*pods, *tors_per_pod, *aggs_per_pod])?;
        not_too_many(&[*pods, *aggs_per_pod, *cores])?;
        let [host_cable, fabric_cable, core_cable] = cables;
        let mut tier = |name: &str, count: u32, tier: u8| -> Vec<usize> {
            (0..count).map(|i| b.switch(format!("{name}{i}"), tier)).collect()
        };
        let tors = tier("tor", pods * tors_per_pod, 1);
        let aggs = tier("agg", pods * aggs_per_pod, 2);
        let core = tier("core", *cores, 3);
        for (i, tor) in (0..).zip(&tors) {
            hang(b, "h", i * hosts_per_tor, *hosts_per_tor, *tor, host_cable);
        }
        let (tors_per_pod, aggs_per_pod) = (*tors_per_pod as usize, *aggs_per_pod as usize);
        for (tors, aggs) in tors.chunks(tors_per_pod).zip(aggs.chunks(aggs_per_pod)) {
            for tor in tors {
                for agg in aggs {
                    fabric_cable.join(b, *tor, *agg);
                }
            }
        }
        let per_plane = (core.len() / aggs_per_pod).max(1);
        for (i, agg) in aggs.iter().enumerate() {
            let above = match wiring {
                Wiring::Planes => core.chunks(per_plane).nth(i % aggs_per_pod).unwrap_or_default(),
                Wiring::Full => &core[..],
            };
            for core in above {
                core_cable.join(b, *agg, *core);
            }
        }
        Ok(())
    }

    fn dragonfly(&self, b: &mut TopologyBuilder, cables: [Cable; 3]) -> Result<(), TopologyError> {
        let Shape::Dragonfly { groups, routers_per_group, hosts_per_router, global_ports, .. } = self else {
            return Ok(());
        };
        for (key, count, least) in [
            ("groups", groups, 2),
            ("routers_per_group", routers_per_group, 1),
            ("hosts_per_router", hosts_per_router, 1),
            ("global_ports", global_ports, 1),
        ] {
            at_least(key, *count, least)?;
        }
        not_too_many(&[*groups, *routers_per_group, hosts_per_router.saturating_add(1)])?;
        not_too_many(&[*groups, *routers_per_group, *global_ports])?;
        not_too_many(&[*groups, *routers_per_group, *routers_per_group])?;
        let (others, ports) = (groups - 1, routers_per_group * global_ports);
        if ports < others {
            let expected = format!(
                "at most {}: a group's {routers_per_group} routers have {ports} global ports in all",
                ports + 1
            );
            return Err(bad("groups", *groups, expected));
        }
        let [host_cable, local_cable, global_cable] = cables;
        let mut routers = Vec::new();
        for group in 0..*groups {
            for i in 0..*routers_per_group {
                let router = b.switch(format!("r{group}_{i}"), 1);
                let first = (group * routers_per_group + i) * hosts_per_router;
                hang(b, "h", first, *hosts_per_router, router, host_cable);
                routers.push(router);
            }
            let group = &routers[(group * routers_per_group) as usize..];
            for (i, router) in group.iter().enumerate() {
                for other in &group[i + 1..] {
                    local_cable.join(b, *router, *other);
                }
            }
        }
        // Global port `p` of group `g`, counted over its routers, goes to group g + p + 1 (mod groups) in the first
        // round over the other groups, and so on in further rounds; what is left over stays unused.
        for group in 0..*groups {
            for port in 0..ports / others * others {
                let (round, step) = (port / others, port % others);
                let peer = (group + step + 1) % groups;
                if group < peer {
                    let peer_port = round * others + others - 1 - step;
                    let router = |group: u32, port: u32| {
                        routers[(group * routers_per_group + port / global_ports) as usize]
                    };
                    global_cable.join(b, router(group, port), router(peer, peer_port));
                }
            }
        }
        Ok(())
    }
}

/// Hosts `<prefix><first>`… on one switch.
fn hang(b: &mut TopologyBuilder, prefix: &str, first: u32, count: u32, switch: usize, cable: Cable) {
    for i in first..first + count {
        let host = b.host(format!("{prefix}{i}"));
        cable.join(b, host, switch);
    }
}

fn explicit(
    b: &mut TopologyBuilder,
    hosts: &[String],
    switches: &[String],
    links: &[LinkSpec],
) -> Result<(), TopologyError> {
    let mut number = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for name in hosts {
        number.insert(name.as_str(), b.host(name.clone()));
    }
    for name in switches {
        number.insert(name.as_str(), b.switch(name.clone(), 0));
    }
    for (i, link) in links.iter().enumerate() {
        let mut ends = [0; 2];
        for (end, name) in ends.iter_mut().zip(&link.ends) {
            *end = *number
                .get(name.as_str())
                .ok_or_else(|| TopologyError::UnknownNode { link: i, name: name.clone() })?;
        }
        if !seen.insert((ends[0].min(ends[1]), ends[0].max(ends[1]))) {
            let [a, b] = &link.ends;
            return Err(TopologyError::DuplicateLink { link: i, link_name: format!("{a}--{b}") });
        }
        not_too_many(&[link.count])?;
        for _ in 0..link.count {
            b.link(ends[0], ends[1], link.rate, link.delay, link.bit_error_rate);
        }
    }
    Ok(())
}
