//! Nodes and the cables between them.
//!
//! Hosts come first: node `i` is host `i` for every `i` below [`Topology::hosts`], so a host number is a node
//! number and per-host arrays need no map. Ports of a node are numbered from 0 in the order of the links that end
//! there.

mod build;
mod shapes;
mod spec;

pub use build::{MAX_LINK_RATE, MAX_NODES, MAX_PORTS, MIN_LINK_RATE, TopologyBuilder, TopologyError};
pub use spec::{CABLE_DELAY_PER_METRE, LinkSpec, Shape, TopologySpec, Wiring};

use std::fmt;
use weir_units::{Rate, Span};

/// Number of a node. Hosts come before switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct NodeId(pub u32);

/// Number of a link, in the order in which links were given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct LinkId(pub u32);

impl NodeId {
    /// As an array index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl LinkId {
    /// As an array index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node does with frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeKind {
    /// Sends and receives; never forwards.
    Host,
    /// Forwards.
    Switch,
}

/// A host or a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Unique name, without `:`, `/`, `..`, or spaces.
    pub name: String,
    /// Host or switch.
    pub kind: NodeKind,
    /// Distance from the hosts: 0 for a host, 1 for a switch that hosts hang on, 2 for the next layer and so on.
    /// Chosen by the builder of the topology; for an explicit one by hops to the nearest host.
    pub tier: u8,
}

/// One end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct End {
    /// The node.
    pub node: NodeId,
    /// Number of the port on that node.
    pub port: u16,
}

/// A full-duplex cable.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Both ends, in the order in which they were given.
    pub ends: [End; 2],
    /// Rate of each direction.
    pub rate: Rate,
    /// Propagation one way.
    pub delay: Span,
    /// Probability that a bit arrives wrong; the frame is then dropped at the far end for its FCS.
    pub bit_error_rate: f64,
}

impl Link {
    /// The end that is not at `node`, which must be one of the two.
    #[inline]
    pub fn peer_of(&self, node: NodeId) -> End {
        if self.ends[0].node == node { self.ends[1] } else { self.ends[0] }
    }

    /// The end at `node`, if there is one.
    pub fn end_at(&self, node: NodeId) -> Option<End> {
        self.ends.iter().copied().find(|end| end.node == node)
    }
}

/// A port seen from its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// The link that is plugged in.
    pub link: LinkId,
    /// The other end of that link.
    pub peer: End,
}

/// Every node and link of a fabric.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    nodes: Vec<Node>,
    hosts: u32,
    links: Vec<Link>,
    /// Ports of node `i` are `ports[first_port[i]..first_port[i + 1]]`.
    first_port: Vec<u32>,
    ports: Vec<Port>,
}

impl Topology {
    /// All nodes, hosts first.
    #[inline]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
    /// How many hosts there are: nodes `0..hosts()`.
    #[inline]
    pub fn hosts(&self) -> u32 {
        self.hosts
    }
    /// How many switches there are: nodes `hosts()..`.
    #[inline]
    pub fn switches(&self) -> u32 {
        self.nodes.len() as u32 - self.hosts
    }
    /// Whether a node is a host.
    #[inline]
    pub fn is_host(&self, node: NodeId) -> bool {
        node.0 < self.hosts
    }
    /// All links.
    #[inline]
    pub fn links(&self) -> &[Link] {
        &self.links
    }
    /// A node. Panics when there is none of that number, as indexing does.
    #[inline]
    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }
    /// A link. Panics when there is none of that number, as indexing does.
    #[inline]
    pub fn link(&self, link: LinkId) -> &Link {
        &self.links[link.index()]
    }
    /// The ports of a node, by number.
    #[inline]
    pub fn ports(&self, node: NodeId) -> &[Port] {
        let i = node.index();
        &self.ports[self.first_port[i] as usize..self.first_port[i + 1] as usize]
    }
    /// Number of a port counted over all nodes: ports of node 0, then of node 1 and so on. For dense arrays.
    #[inline]
    pub fn port_index(&self, node: NodeId, port: u16) -> usize {
        self.first_port[node.index()] as usize + usize::from(port)
    }
    /// How many ports there are on all nodes: twice the number of links.
    #[inline]
    pub fn port_count(&self) -> usize {
        self.ports.len()
    }
    /// The node of this name.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.nodes.iter().position(|node| node.name == name).map(|i| NodeId(i as u32))
    }
    /// `node:port`, as reports and options write a port.
    pub fn port_name(&self, node: NodeId, port: u16) -> String {
        format!("{}:{port}", self.node(node).name)
    }
    /// `left--right`, as reports and faults write a link; parallel links share a name.
    pub fn link_name(&self, link: LinkId) -> String {
        let [a, b] = self.link(link).ends;
        format!("{}--{}", self.node(a.node).name, self.node(b.node).name)
    }
    /// Rate of all links of a host together.
    pub fn host_bandwidth(&self, host: NodeId) -> Rate {
        Rate::from_bps(self.ports(host).iter().map(|port| self.link(port.link).rate.as_bps()).sum())
    }
    /// Rate of the link of a host's first port; zero where there is none.
    pub fn host_rate(&self, host: NodeId) -> Rate {
        self.ports(host).first().map_or(Rate::ZERO, |port| self.link(port.link).rate)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests;
