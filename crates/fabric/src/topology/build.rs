//! Putting a topology together and refusing an impossible one.

use super::{End, Link, LinkId, Node, NodeId, NodeKind, Port, Topology};
use std::collections::{BTreeMap, VecDeque};
use weir_units::{Rate, Span};

/// Slowest link that a fabric may have.
pub const MIN_LINK_RATE: Rate = Rate::from_gbps(10);
/// Fastest link that a fabric may have.
pub const MAX_LINK_RATE: Rate = Rate::from_gbps(1600);
/// Most ports that a node may have.
pub const MAX_PORTS: usize = 1024;
/// Most nodes that a fabric may have.
pub const MAX_NODES: usize = 1 << 20;
/// Most entries that the routes of a fabric may have: places on the way times groups of destinations.
const MAX_ROUTES: usize = 1 << 27;

/// Why nodes and links make no fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopologyError {
    /// Nothing sends.
    #[error("there are {hosts} hosts; a fabric needs at least 2")]
    TooFewHosts {
        /// How many there are.
        hosts: usize,
    },
    /// More than [`MAX_NODES`].
    #[error("{nodes} nodes are more than the {MAX_NODES} that can be simulated")]
    TooManyNodes {
        /// How many there are.
        nodes: usize,
    },
    /// More than fits a reasonable memory.
    #[error(
        "{places} switches (and hosts with several links) times {groups} destinations (leaf switches, and hosts with \
         several links) are more routes than can be held; put more hosts on a switch"
    )]
    TooManyRoutes {
        /// Places where a route is chosen.
        places: usize,
        /// Groups of destinations.
        groups: usize,
    },
    /// Two nodes of one name.
    #[error("there are two nodes called `{name}`")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A link to a node that is not there.
    #[error("a link names `{name}`, and no host or switch is called so")]
    UnknownNode {
        /// The link's number.
        link: usize,
        /// The name.
        name: String,
    },
    /// Two links between the same nodes, where parallel cables are written as one link with a count.
    #[error("the link {link_name} is given twice")]
    DuplicateLink {
        /// The second one's number.
        link: usize,
        /// The link, as `a--b`.
        link_name: String,
    },
    /// A link from a node to itself.
    #[error("a link joins `{node}` to itself")]
    SelfLoop {
        /// The node.
        node: String,
        /// The link's number.
        link: usize,
    },
    /// A rate that no Ethernet link has.
    #[error("the link {link_name} has a rate of {rate}; links run at 10 to 1600 Gb/s")]
    RateOutOfRange {
        /// The link's number.
        link: usize,
        /// The link, as `a--b`.
        link_name: String,
        /// Its rate.
        rate: Rate,
    },
    /// A cable longer than light goes in a second.
    #[error("the link {link_name} has a delay of {delay}, and 1 s is the longest")]
    DelayOutOfRange {
        /// The link's number.
        link: usize,
        /// The link, as `a--b`.
        link_name: String,
        /// Its delay.
        delay: Span,
    },
    /// A probability below 0 or not below 1.
    #[error("the link {link_name} has a bit error rate that is not a probability below 1")]
    BadBitErrorRate {
        /// The link's number.
        link: usize,
        /// The link, as `a--b`.
        link_name: String,
    },
    /// A host that hangs on nothing.
    #[error("host `{host}` has no link")]
    HostWithoutLink {
        /// The host.
        host: String,
    },
    /// A fabric in pieces.
    #[error("no path joins `{from}` and `{to}`")]
    Unconnected {
        /// A host.
        from: String,
        /// A host that it cannot reach.
        to: String,
    },
    /// A count that makes no sense, such as an odd k.
    #[error("`{key}` is {found}, and must be {expected}")]
    BadCount {
        /// The field.
        key: &'static str,
        /// Its value.
        found: u64,
        /// What it may be.
        expected: String,
    },
    /// More than [`MAX_PORTS`] links at a node.
    #[error("`{node}` has {ports} links, and {MAX_PORTS} are the most that a node can have")]
    TooManyPorts {
        /// The node.
        node: String,
        /// How many links it has.
        ports: usize,
    },
}

/// Takes nodes in any order and links between them, and makes a [`Topology`] of them.
#[derive(Clone, Debug, Default)]
pub struct TopologyBuilder {
    nodes: Vec<Node>,
    /// Ends count nodes as they were added.
    links: Vec<(usize, usize, Rate, Span, f64)>,
}

impl TopologyBuilder {
    /// With nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a host; its number in the builder comes back.
    pub fn host(&mut self, name: impl Into<String>) -> usize {
        self.nodes.push(Node { name: name.into(), kind: NodeKind::Host, tier: 0 });
        self.nodes.len() - 1
    }

    /// Adds a switch of a tier (1 for those that hosts hang on; 0: to be found from the links); its number in the
    /// builder comes back.
    pub fn switch(&mut self, name: impl Into<String>, tier: u8) -> usize {
        self.nodes.push(Node { name: name.into(), kind: NodeKind::Switch, tier });
        self.nodes.len() - 1
    }

    /// Joins two nodes, given by their numbers in the builder.
    pub fn link(&mut self, a: usize, b: usize, rate: Rate, delay: Span, bit_error_rate: f64) {
        self.links.push((a, b, rate, delay, bit_error_rate));
    }

    /// The topology, or why there can be none.
    pub fn build(self) -> Result<Topology, TopologyError> {
        let Self { nodes: added, links } = self;
        if added.len() > MAX_NODES {
            return Err(TopologyError::TooManyNodes { nodes: added.len() });
        }
        let mut names = BTreeMap::new();
        for node in &added {
            if names.insert(node.name.as_str(), ()).is_some() {
                return Err(TopologyError::DuplicateName { name: node.name.clone() });
            }
        }
        check_links(&added, &links)?;

        // Hosts first, both kinds in the order in which they were added.
        let hosts = added.iter().filter(|node| node.kind == NodeKind::Host).count();
        if hosts < 2 {
            return Err(TopologyError::TooFewHosts { hosts });
        }
        let (mut next_host, mut next_switch) = (0, hosts);
        let number: Vec<usize> = added
            .iter()
            .map(|node| {
                let next = if node.kind == NodeKind::Host { &mut next_host } else { &mut next_switch };
                *next += 1;
                *next - 1
            })
            .collect();
        let mut order: Vec<(usize, Node)> = number.iter().copied().zip(added).collect();
        order.sort_by_key(|(number, _)| *number);
        let nodes: Vec<Node> = order.into_iter().map(|(_, node)| node).collect();

        let mut degree = vec![0usize; nodes.len()];
        let links: Vec<Link> = links
            .into_iter()
            .map(|(a, b, rate, delay, bit_error_rate)| {
                let ends = [number[a], number[b]].map(|node| {
                    let port = degree[node];
                    degree[node] += 1;
                    End { node: NodeId(node as u32), port: u16::try_from(port).unwrap_or(u16::MAX) }
                });
                Link { ends, rate, delay, bit_error_rate }
            })
            .collect();
        for (node, ports) in nodes.iter().zip(&degree) {
            if *ports > MAX_PORTS {
                return Err(TopologyError::TooManyPorts { node: node.name.clone(), ports: *ports });
            }
            if *ports == 0 && node.kind == NodeKind::Host {
                return Err(TopologyError::HostWithoutLink { host: node.name.clone() });
            }
        }

        let mut topology = with_ports(nodes, hosts as u32, links, &degree);
        topology.check_size()?;
        let found = topology.hops_from_hosts();
        for (node, hops) in topology.nodes.iter_mut().zip(found) {
            if node.kind == NodeKind::Switch && node.tier == 0 {
                node.tier = hops;
            }
        }
        topology.check_connected()?;
        Ok(topology)
    }
}

fn check_links(nodes: &[Node], links: &[(usize, usize, Rate, Span, f64)]) -> Result<(), TopologyError> {
    for (link, (a, b, rate, delay, errors)) in links.iter().enumerate() {
        let link_name = || format!("{}--{}", nodes[*a].name, nodes[*b].name);
        if a == b {
            return Err(TopologyError::SelfLoop { node: nodes[*a].name.clone(), link });
        }
        if !(MIN_LINK_RATE..=MAX_LINK_RATE).contains(rate) {
            return Err(TopologyError::RateOutOfRange { link, link_name: link_name(), rate: *rate });
        }
        if *delay > Span::from_s(1) {
            return Err(TopologyError::DelayOutOfRange { link, link_name: link_name(), delay: *delay });
        }
        if !(0.0..1.0).contains(errors) {
            return Err(TopologyError::BadBitErrorRate { link, link_name: link_name() });
        }
    }
    Ok(())
}

fn with_ports(nodes: Vec<Node>, hosts: u32, links: Vec<Link>, degree: &[usize]) -> Topology {
    let mut first_port = Vec::with_capacity(nodes.len() + 1);
    let mut total = 0u32;
    first_port.push(0);
    for ports in degree {
        total += *ports as u32;
        first_port.push(total);
    }
    let nowhere = Port { link: LinkId(0), peer: End { node: NodeId(0), port: 0 } };
    let mut ports = vec![nowhere; total as usize];
    for (i, link) in links.iter().enumerate() {
        for (here, there) in [(0, 1), (1, 0)] {
            let end = link.ends[here];
            ports[first_port[end.node.index()] as usize + usize::from(end.port)] =
                Port { link: LinkId(i as u32), peer: link.ends[there] };
        }
    }
    Topology { nodes, hosts, links, first_port, ports }
}

impl Topology {
    /// Hops from each node to its nearest host; 255 where there is none.
    fn hops_from_hosts(&self) -> Vec<u8> {
        let mut hops = vec![u8::MAX; self.nodes.len()];
        let mut queue: VecDeque<NodeId> = (0..self.hosts).map(NodeId).collect();
        for host in &queue {
            hops[host.index()] = 0;
        }
        while let Some(node) = queue.pop_front() {
            for port in self.ports(node) {
                let next = port.peer.node;
                if hops[next.index()] == u8::MAX {
                    hops[next.index()] = hops[node.index()].saturating_add(1);
                    queue.push_back(next);
                }
            }
        }
        hops
    }

    /// Routes are an array of places by groups of destinations.
    fn check_size(&self) -> Result<(), TopologyError> {
        let mut leaf = vec![false; self.nodes.len()];
        let mut several = 0;
        for host in (0..self.hosts).map(NodeId) {
            match self.ports(host) {
                [only] => leaf[only.peer.node.index()] = true,
                _ => several += 1,
            }
        }
        let places = self.switches() as usize + several;
        let groups = leaf.iter().filter(|leaf| **leaf).count() + several;
        match places.saturating_mul(groups) {
            ..=MAX_ROUTES => Ok(()),
            _ => Err(TopologyError::TooManyRoutes { places, groups }),
        }
    }

    /// Every host must reach every other through switches alone: any two must share a part of the network of
    /// switches, or a cable.
    fn check_connected(&self) -> Result<(), TopologyError> {
        let mut part = vec![u32::MAX; self.nodes.len()];
        let mut parts = 0;
        for start in self.hosts..self.nodes.len() as u32 {
            if part[start as usize] != u32::MAX {
                continue;
            }
            let mut stack = vec![NodeId(start)];
            while let Some(node) = stack.pop() {
                if std::mem::replace(&mut part[node.index()], parts) == u32::MAX {
                    let peers = self.ports(node).iter().map(|port| port.peer.node);
                    stack.extend(peers.filter(|peer| !self.is_host(*peer) && part[peer.index()] == u32::MAX));
                }
            }
            parts += 1;
        }
        // A host is in every part that it has a cable to; a cable between hosts is a part of its own. Hosts of equal
        // parts reach each other, so that only different sets of parts need a look.
        let mut kinds: BTreeMap<Vec<u32>, NodeId> = BTreeMap::new();
        for host in (0..self.hosts).map(NodeId) {
            let of = |port: &Port| match self.is_host(port.peer.node) {
                true => parts + port.link.0,
                false => part[port.peer.node.index()],
            };
            let mut set: Vec<u32> = self.ports(host).iter().map(of).collect();
            set.sort_unstable();
            set.dedup();
            if let Some((_, other)) =
                kinds.iter().find(|(other, _)| !other.iter().any(|x| set.binary_search(x).is_ok()))
            {
                return Err(TopologyError::Unconnected {
                    from: self.node(*other).name.clone(),
                    to: self.node(host).name.clone(),
                });
            }
            kinds.entry(set).or_insert(host);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate::from_gbps(100);
    const DELAY: Span = Span::from_us(1);

    #[test]
    fn hosts_come_first_and_ports_follow_the_links() {
        let mut b = TopologyBuilder::new();
        let s = b.switch("s", 0);
        let x = b.host("x");
        let t = b.switch("t", 0);
        let y = b.host("y");
        b.link(s, t, RATE, DELAY, 0.0);
        b.link(s, x, RATE, DELAY, 0.0);
        b.link(y, t, RATE, DELAY, 0.0);
        let topology = b.build().unwrap();
        let names: Vec<&str> = topology.nodes().iter().map(|node| node.name.as_str()).collect();
        assert_eq!(names, ["x", "y", "s", "t"]);
        assert_eq!((topology.hosts(), topology.switches()), (2, 2));
        let s = topology.find("s").unwrap();
        assert_eq!(topology.ports(s)[0].peer, End { node: NodeId(3), port: 0 });
        assert_eq!(topology.ports(s)[1].peer, End { node: NodeId(0), port: 0 });
        assert_eq!(topology.node(s).tier, 1);
        assert_eq!(topology.port_count(), 6);
        assert_eq!(topology.port_name(s, 1), "s:1");
    }

    #[test]
    fn an_impossible_fabric_is_refused() {
        let pair = |rate: Rate, errors: f64| {
            let mut b = TopologyBuilder::new();
            let (x, y) = (b.host("x"), b.host("y"));
            b.link(x, y, rate, DELAY, errors);
            b
        };
        assert!(pair(RATE, 0.0).build().is_ok());
        assert!(matches!(pair(Rate::ZERO, 0.0).build(), Err(TopologyError::RateOutOfRange { link: 0, .. })));
        assert!(matches!(pair(RATE, 1.0).build(), Err(TopologyError::BadBitErrorRate { .. })));
        let mut b = pair(RATE, 0.0);
        b.host("z");
        assert_eq!(b.build(), Err(TopologyError::HostWithoutLink { host: "z".into() }));
        let mut b = pair(RATE, 0.0);
        b.link(1, 1, RATE, DELAY, 0.0);
        assert!(matches!(b.build(), Err(TopologyError::SelfLoop { .. })));
        let mut b = pair(RATE, 0.0);
        let (z, s) = (b.host("z"), b.switch("s", 0));
        b.link(z, s, RATE, DELAY, 0.0);
        assert_eq!(b.build(), Err(TopologyError::Unconnected { from: "x".into(), to: "z".into() }));
        let mut b = pair(RATE, 0.0);
        b.host("x");
        assert_eq!(b.build(), Err(TopologyError::DuplicateName { name: "x".into() }));
        assert_eq!(TopologyBuilder::new().build(), Err(TopologyError::TooFewHosts { hosts: 0 }));
    }

    #[test]
    fn a_host_is_no_way_through() {
        let mut b = TopologyBuilder::new();
        let (x, y, z) = (b.host("x"), b.host("y"), b.host("z"));
        b.link(x, y, RATE, DELAY, 0.0);
        b.link(y, z, RATE, DELAY, 0.0);
        assert!(matches!(b.build(), Err(TopologyError::Unconnected { .. })));
    }
}
