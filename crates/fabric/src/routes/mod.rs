//! Next hops: every shortest path, in dense arrays that 8,192 hosts fit into a few megabytes.

mod build;
mod dependency;

pub use dependency::BufferCycle;

use crate::{End, NodeId, Topology};

/// Most hops that a frame makes before its time to live ends: IPv4's usual first TTL.
pub const MAX_HOPS: usize = 64;

/// Next hops that are set by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteOverride {
    /// At this node, a switch or a host with several ports,
    pub at: NodeId,
    /// what goes to these hosts
    pub to: Vec<NodeId>,
    /// leaves through these ports, at least one.
    pub ports: Vec<u16>,
}

/// For every node and destination the ports that lead there.
///
/// Destinations are grouped: hosts that have one link each, to the same switch, share their entries everywhere else.
/// Hosts with one link have no entries of their own either.
#[derive(Clone, Debug, PartialEq)]
pub struct Routes {
    /// For each host as a destination.
    to: Vec<Destination>,
    /// For each node as a place on the way.
    at: Vec<Place>,
    groups: u32,
    /// For each row and group, an index into `sets`.
    table: Vec<u32>,
    /// Set `i` is `ports[sets[i]..sets[i + 1]]`; set 0 is empty.
    sets: Vec<u32>,
    ports: Vec<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Destination {
    group: u32,
    /// The switch that the group hangs on; [`NOWHERE`] for a host with a group of its own.
    switch: u32,
    /// The port of that switch.
    port: u16,
}

const NOWHERE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Has a row in the table.
    Row(u32),
    /// A host whose only way is its port 0, to this node.
    Single(NodeId),
    /// A host without a working link.
    Cut,
}

impl Routes {
    /// The ports of `node` that lead to host `dst`, in ascending order unless set by hand; empty when none does, and
    /// at `dst` itself. `node` may be the sending host.
    #[inline]
    pub fn next_ports(&self, node: NodeId, dst: NodeId) -> &[u16] {
        let to = &self.to[dst.index()];
        if to.switch == node.0 {
            return std::slice::from_ref(&to.port);
        }
        match self.at[node.index()] {
            Place::Row(row) => self.set(row, to.group),
            Place::Single(up) => self.out_of_single(node, up, dst),
            Place::Cut => &[],
        }
    }

    fn set(&self, row: u32, group: u32) -> &[u16] {
        let set = self.table[row as usize * self.groups as usize + group as usize] as usize;
        &self.ports[self.sets[set] as usize..self.sets[set + 1] as usize]
    }

    #[cold]
    fn out_of_single(&self, node: NodeId, up: NodeId, dst: NodeId) -> &[u16] {
        let reaches = node != dst && (up == dst || !self.next_ports(up, dst).is_empty());
        if reaches { &[0] } else { &[] }
    }

    /// The egress ports from `src` to `dst`, where `choose` picks among several by index (taken modulo their number).
    /// `None` when there is no path, or none that ends within [`MAX_HOPS`].
    pub fn path(
        &self,
        topology: &Topology,
        src: NodeId,
        dst: NodeId,
        mut choose: impl FnMut(NodeId, &[u16]) -> usize,
    ) -> Option<Vec<End>> {
        let (mut node, mut path) = (src, Vec::new());
        while node != dst {
            let ports = self.next_ports(node, dst);
            if ports.is_empty() || path.len() == MAX_HOPS {
                return None;
            }
            let port = match ports {
                [only] => *only,
                _ => ports[choose(node, ports) % ports.len()],
            };
            path.push(End { node, port });
            node = topology.ports(node)[usize::from(port)].peer.node;
        }
        Some(path)
    }

    /// Heap memory in use, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.to.capacity() * size_of::<Destination>()
            + self.at.capacity() * size_of::<Place>()
            + (self.table.capacity() + self.sets.capacity()) * 4
            + self.ports.capacity() * 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LinkId, TopologySpec};
    use std::time::Instant;
    use weir_units::{Rate, Span};

    fn k_ary(k: u32) -> Topology {
        TopologySpec::fat_tree(k, Rate::from_gbps(100), Span::from_us(1)).build().unwrap()
    }

    #[test]
    fn every_shortest_path_of_a_fat_tree_is_there() {
        // k = 4: between pods (k/2)² = 4 paths of 6 links, inside a pod k/2 = 2 of 4, on one switch 1 of 2.
        let topology = k_ary(4);
        let routes = Routes::shortest(&topology, |_| true);
        for (dst, links, paths) in [(1, 2, 1), (2, 4, 2), (4, 6, 4), (15, 6, 4)] {
            let mut all = std::collections::BTreeSet::new();
            for choice in 0..64 {
                let mut c = choice;
                let path = routes.path(&topology, NodeId(0), NodeId(dst), |_, _| {
                    c /= 2;
                    c
                });
                let path = path.unwrap();
                assert_eq!(path.len(), links);
                all.insert(path);
            }
            assert_eq!(all.len(), paths, "to host {dst}");
        }
        assert!(routes.next_ports(NodeId(3), NodeId(3)).is_empty());
    }

    #[test]
    fn a_failed_link_is_avoided_and_a_cut_host_is_out() {
        let topology = k_ary(4);
        let tor = topology.find("tor0").unwrap();
        let up = topology.ports(tor)[2].link;
        let routes = Routes::shortest(&topology, |link| link != up);
        assert_eq!(routes.next_ports(tor, NodeId(4)), [3]);
        let host = topology.ports(NodeId(0))[0].link;
        let routes = Routes::shortest(&topology, |link| link != host);
        assert!(routes.next_ports(NodeId(5), NodeId(0)).is_empty());
        assert!(routes.next_ports(NodeId(0), NodeId(5)).is_empty());
        assert!(routes.next_ports(tor, NodeId(0)).is_empty());
        let none = Routes::shortest(&topology, |_: LinkId| false);
        assert!(none.next_ports(NodeId(0), NodeId(1)).is_empty());
    }

    #[test]
    fn a_host_with_two_links_uses_both() {
        let mut b = crate::TopologyBuilder::new();
        let (x, y) = (b.host("x"), b.host("y"));
        let s: Vec<usize> = (0..2).map(|i| b.switch(format!("s{i}"), 1)).collect();
        for host in [x, y] {
            for s in &s {
                b.link(host, *s, Rate::from_gbps(100), Span::from_us(1), 0.0);
            }
        }
        let topology = b.build().unwrap();
        let routes = Routes::shortest(&topology, |_| true);
        assert_eq!(routes.next_ports(NodeId(0), NodeId(1)), [0, 1]);
        assert_eq!(routes.next_ports(NodeId(2), NodeId(1)), [1]);
    }

    #[test]
    fn eight_thousand_hosts_are_quick_and_small() {
        let start = Instant::now();
        let topology = k_ary(32);
        let routes = Routes::shortest(&topology, |_| true);
        let took = start.elapsed();
        assert_eq!((topology.hosts(), topology.switches(), topology.links().len()), (8192, 1280, 24_576));
        let path = routes.path(&topology, NodeId(0), NodeId(8191), |_, ports| {
            assert_eq!(ports.len(), 16);
            0
        });
        assert_eq!(path.map(|path| path.len()), Some(6));
        assert!(routes.memory_bytes() < 10 << 20, "{} bytes", routes.memory_bytes());
        assert!(took.as_millis() < 1000, "{took:?}");
        eprintln!("k = 32: {took:?}, {} bytes of routes", routes.memory_bytes());
    }
}
