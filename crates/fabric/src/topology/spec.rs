//! A topology by its kind and counts, as a scenario gives it.

use super::{Topology, TopologyBuilder, TopologyError};
use crate::text::keywords;
use serde::Serialize;
use weir_units::{Rate, Span};

/// Light in fibre and signals in copper both take about 5 ns a metre.
pub const CABLE_DELAY_PER_METRE: Span = Span::from_ns(5);

keywords! {
    /// How the aggregation switches of a pod share the core switches.
    pub enum Wiring: "a wiring" {
        /// The core is divided into as many planes as a pod has aggregation switches; switch `i` of every pod has
        /// one link to each core switch of plane `i` (Al-Fares et al., SIGCOMM 2008).
        #[default]
        Planes = "planes",
        /// Every aggregation switch has one link to every core switch.
        Full = "full",
    }
}

/// A link of an explicit topology.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkSpec {
    /// Names of the nodes that it joins.
    pub ends: [String; 2],
    /// Rate of each direction.
    pub rate: Rate,
    /// Propagation one way.
    pub delay: Span,
    /// Probability that a bit arrives wrong.
    pub bit_error_rate: f64,
    /// How many such cables lie side by side.
    pub count: u32,
}

/// What kind of fabric, and how large.
///
/// `rate` and `delay` are those of the links of hosts. Names of hosts and switches are said at each kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Shape {
    /// Hosts `h0`… on one switch `s0`.
    Star {
        /// How many hosts.
        hosts: u32,
        /// Of host links.
        rate: Rate,
        /// Of host links.
        delay: Span,
    },
    /// Hosts `l0`… on switch `s0`, hosts `r0`… on switch `s1`, and trunks between them.
    Dumbbell {
        /// Hosts on the left.
        left: u32,
        /// Hosts on the right.
        right: u32,
        /// Parallel links between the switches.
        trunks: u32,
        /// Of host links.
        rate: Rate,
        /// Of host links.
        delay: Span,
        /// Of each trunk.
        trunk_rate: Rate,
        /// Of each trunk.
        trunk_delay: Span,
    },
    /// Switches `s0`… in a row; hosts `h0`… hang on them in order, `hosts_per_switch` on each.
    ParkingLot {
        /// Length of the row.
        switches: u32,
        /// Hosts on each.
        hosts_per_switch: u32,
        /// Of host links.
        rate: Rate,
        /// Of host links.
        delay: Span,
        /// Of links between switches.
        trunk_rate: Rate,
        /// Of links between switches.
        trunk_delay: Span,
    },
    /// Hosts `h0`… on leaves `leaf0`…, each of which has links to every spine `spine0`….
    LeafSpine {
        /// Leaf switches.
        leaves: u32,
        /// Spine switches.
        spines: u32,
        /// Hosts on each leaf.
        hosts_per_leaf: u32,
        /// Parallel links from a leaf to a spine.
        links_per_spine: u32,
        /// Of host links.
        rate: Rate,
        /// Of host links.
        delay: Span,
        /// Of links between leaves and spines.
        fabric_rate: Rate,
        /// Of links between leaves and spines.
        fabric_delay: Span,
    },
    /// Three tiers: hosts `h0`… on `tor0`…, these on all `agg…` of their pod, these on `core…`.
    FatTree {
        /// Pods.
        pods: u32,
        /// Top-of-rack switches of a pod.
        tors_per_pod: u32,
        /// Aggregation switches of a pod.
        aggs_per_pod: u32,
        /// Core switches in all.
        cores: u32,
        /// Hosts on each top-of-rack switch.
        hosts_per_tor: u32,
        /// How aggregation and core are joined.
        wiring: Wiring,
        /// Of host links.
        rate: Rate,
        /// Of host links.
        delay: Span,
        /// Of links inside a pod.
        fabric_rate: Rate,
        /// Of links inside a pod.
        fabric_delay: Span,
        /// Of links to the core.
        core_rate: Rate,
        /// Of links to the core.
        core_delay: Span,
    },
    /// Servers with one NIC a rail; NIC `i` of every server of a block is on the block's leaf for rail `i`; leaves
    /// `leaf<block>_<rail>` have a link to every `spine…`. Each NIC is a host, `g<server>_<rail>`, numbered server by
    /// server.
    RailOptimised {
        /// Servers in all.
        servers: u32,
        /// NICs of a server.
        rails: u32,
        /// Servers that share a set of leaves; divides `servers`.
        servers_per_block: u32,
        /// Spine switches.
        spines: u32,
        /// Of host links.
        rate: Rate,
        /// Of host links.
        delay: Span,
        /// Of links between leaves and spines.
        fabric_rate: Rate,
        /// Of links between leaves and spines.
        fabric_delay: Span,
    },
    /// Groups of routers `r<group>_<router>`, all of a group joined to each other; global links spread evenly over the
    /// other groups (Kim et al., ISCA 2008). Hosts are `h0`….
    Dragonfly {
        /// Groups.
        groups: u32,
        /// Routers of a group.
        routers_per_group: u32,
        /// Hosts on each router.
        hosts_per_router: u32,
        /// Ports of a router for links to other groups.
        global_ports: u32,
        /// Of host links.
        rate: Rate,
        /// Of host links.
        delay: Span,
        /// Of links inside a group.
        local_rate: Rate,
        /// Of links inside a group.
        local_delay: Span,
        /// Of links between groups.
        global_rate: Rate,
        /// Of links between groups.
        global_delay: Span,
    },
    /// Node by node and link by link.
    Explicit {
        /// Names of hosts.
        hosts: Vec<String>,
        /// Names of switches.
        switches: Vec<String>,
        /// The links.
        links: Vec<LinkSpec>,
    },
}

/// A topology by its kind and counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TopologySpec {
    /// Kind and counts.
    #[serde(flatten)]
    pub shape: Shape,
    /// Probability that a bit arrives wrong, on every link; an explicit topology has it at each link instead.
    #[serde(skip_serializing_if = "is_zero")]
    pub bit_error_rate: f64,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl TopologySpec {
    /// The 320 hosts of the HPCC paper: 5 pods of 4 top-of-rack and 4 aggregation switches, 16 core switches, 100 Gb/s
    /// to the hosts and 400 Gb/s between switches, 1 us a link.
    pub fn fat320() -> Self {
        let delay = Span::from_us(1);
        let fabric = Rate::from_gbps(400);
        Self {
            shape: Shape::FatTree {
                pods: 5,
                tors_per_pod: 4,
                aggs_per_pod: 4,
                cores: 16,
                hosts_per_tor: 16,
                wiring: Wiring::Planes,
                rate: Rate::from_gbps(100),
                delay,
                fabric_rate: fabric,
                fabric_delay: delay,
                core_rate: fabric,
                core_delay: delay,
            },
            bit_error_rate: 0.0,
        }
    }

    /// A fat-tree of `k`-port switches with k³/4 hosts, every link alike; `k` even, from 2 up.
    pub fn fat_tree(k: u32, rate: Rate, delay: Span) -> Self {
        let half = k / 2;
        Self {
            shape: Shape::FatTree {
                pods: k,
                tors_per_pod: half,
                aggs_per_pod: half,
                cores: half.saturating_mul(half),
                hosts_per_tor: half,
                wiring: Wiring::Planes,
                rate,
                delay,
                fabric_rate: rate,
                fabric_delay: delay,
                core_rate: rate,
                core_delay: delay,
            },
            bit_error_rate: 0.0,
        }
    }

    /// `hosts` hosts on one switch.
    pub fn star(hosts: u32, rate: Rate, delay: Span) -> Self {
        Self { shape: Shape::Star { hosts, rate, delay }, bit_error_rate: 0.0 }
    }

    /// Nodes and links.
    pub fn build(&self) -> Result<Topology, TopologyError> {
        let mut builder = TopologyBuilder::new();
        self.shape.add_to(&mut builder, self.bit_error_rate)?;
        builder.build()
    }
}
