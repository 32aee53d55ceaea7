//! Next hops: every shortest path, in dense arrays.

use crate::{NodeId, Topology};

/// For every node and destination the ports that lead there.
///
/// Destinations are grouped: hosts on one switch with one cable each share their entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Routes {
    /// Group of each host.
    group: Vec<u32>,
    groups: u32,
    /// For each node and group, an index into `sets`.
    table: Vec<u32>,
    /// Node where a grouped host is plugged in, and the port there; `u32::MAX` for a host with a group of its own.
    attach: Vec<(u32, u16)>,
    /// Set `i` is `ports[sets[i]..sets[i + 1]]`.
    sets: Vec<u32>,
    ports: Vec<u16>,
}

impl Routes {
    /// All shortest paths by hops over the links for which `up` holds; ports in ascending order.
    pub fn shortest(_topology: &Topology, _up: impl Fn(crate::LinkId) -> bool) -> Routes {
        Routes { group: vec![], groups: 0, table: vec![], attach: vec![], sets: vec![0], ports: vec![] }
    }

    /// The ports of `node` that lead to host `dst`, ascending; empty when none does. `node` may be the sending
    /// host.
    #[inline]
    pub fn next_ports(&self, node: NodeId, dst: NodeId) -> &[u16] {
        let (at, port) = &self.attach[dst.index()];
        if *at == node.0 {
            return std::slice::from_ref(port);
        }
        let set = self.table[node.index() * self.groups as usize + self.group[dst.index()] as usize] as usize;
        &self.ports[self.sets[set] as usize..self.sets[set + 1] as usize]
    }
}
