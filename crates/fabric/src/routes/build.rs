//! Computing next hops by a breadth-first search from every destination.

use super::{Destination, NOWHERE, Place, RouteOverride, Routes};
use crate::{LinkId, NodeId, Topology};
use indexmap::IndexMap;
use std::collections::BTreeSet;

const FAR: u16 = u16::MAX;

/// What a group of destinations hangs on: a switch, or the host itself.
type Root = NodeId;

impl Routes {
    /// All shortest paths by hops over the links for which `up` holds. Hosts do not forward.
    pub fn shortest(topology: &Topology, up: impl Fn(LinkId) -> bool) -> Routes {
        Self::with_overrides(topology, up, &[])
    }

    /// All shortest paths, but for what `overrides` say; of several for the same place and host the last counts. An
    /// override whose links are all down has no effect.
    pub fn with_overrides(
        topology: &Topology,
        up: impl Fn(LinkId) -> bool,
        overrides: &[RouteOverride],
    ) -> Routes {
        let set_by_hand: BTreeSet<NodeId> = overrides.iter().flat_map(|o| o.to.iter().copied()).collect();
        let (mut to, mut at) = (Vec::new(), Vec::new());
        let mut groups: IndexMap<Root, u32> = IndexMap::new();
        let mut rows = 0;
        for host in (0..topology.hosts()).map(NodeId) {
            let ports = topology.ports(host);
            let (place, shared) = match ports {
                [only] if !up(only.link) => (Place::Cut, None),
                [only] => (Place::Single(only.peer.node), Some(only.peer)),
                _ => {
                    rows += 1;
                    (Place::Row(rows - 1), None)
                }
            };
            at.push(place);
            let shared = shared.filter(|end| !topology.is_host(end.node) && !set_by_hand.contains(&host));
            let next = groups.len() as u32;
            to.push(match shared {
                Some(end) => Destination {
                    group: *groups.entry(end.node).or_insert(next),
                    switch: end.node.0,
                    port: end.port,
                },
                None => Destination { group: *groups.entry(host).or_insert(next), switch: NOWHERE, port: 0 },
            });
        }
        for _ in 0..topology.switches() {
            at.push(Place::Row(rows));
            rows += 1;
        }

        let mut sets = Sets::default();
        let mut table = vec![0u32; rows as usize * groups.len()];
        let mut search = Search::new(topology);
        for (root, group) in &groups {
            search.run(topology, *root, &up, |node, ports| {
                if let Place::Row(row) = at[node.index()] {
                    table[row as usize * groups.len() + *group as usize] = sets.of(ports);
                }
            });
        }
        for o in overrides {
            let ports: Vec<u16> =
                o.ports.iter().copied().filter(|p| usable(topology, o.at, *p, &up)).collect();
            let Place::Row(row) = at[o.at.index()] else { continue };
            for dst in o.to.iter().filter(|dst| **dst != o.at && !ports.is_empty()) {
                table[row as usize * groups.len() + to[dst.index()].group as usize] = sets.of(&ports);
            }
        }
        let groups = groups.len() as u32;
        let (sets, ports) = sets.flat();
        Routes { to, at, groups, table, sets, ports }
    }
}

fn usable(topology: &Topology, node: NodeId, port: u16, up: &impl Fn(LinkId) -> bool) -> bool {
    topology.ports(node).get(usize::from(port)).is_some_and(|port| up(port.link))
}

/// Every set of ports once.
struct Sets {
    index: IndexMap<Box<[u16]>, ()>,
}

impl Default for Sets {
    fn default() -> Self {
        Self { index: IndexMap::from([(Box::default(), ())]) }
    }
}

impl Sets {
    fn of(&mut self, ports: &[u16]) -> u32 {
        match self.index.get_index_of(ports) {
            Some(i) => i as u32,
            None => self.index.insert_full(ports.into(), ()).0 as u32,
        }
    }

    fn flat(self) -> (Vec<u32>, Vec<u16>) {
        let (mut sets, mut ports) = (vec![0], Vec::new());
        for set in self.index.keys() {
            ports.extend_from_slice(set);
            sets.push(ports.len() as u32);
        }
        (sets, ports)
    }
}

/// The breadth-first search, with its arrays kept from run to run.
struct Search {
    hops: Vec<u16>,
    queue: Vec<NodeId>,
    ports: Vec<u16>,
}

impl Search {
    fn new(topology: &Topology) -> Self {
        Self { hops: vec![FAR; topology.nodes().len()], queue: Vec::new(), ports: Vec::new() }
    }

    /// Gives every switch and host with several ports that reaches `root` the ports that lie on shortest paths.
    fn run(
        &mut self,
        topology: &Topology,
        root: Root,
        up: &impl Fn(LinkId) -> bool,
        mut found: impl FnMut(NodeId, &[u16]),
    ) {
        self.hops.fill(FAR);
        self.queue.clear();
        self.queue.push(root);
        self.hops[root.index()] = 0;
        let mut head = 0;
        while let Some(node) = self.queue.get(head).copied() {
            head += 1;
            let here = self.hops[node.index()];
            let is_host = topology.is_host(node);
            // Hosts end paths. Those with one port are told apart from `Routes` by their switch.
            let forwards = !is_host || node == root;
            self.ports.clear();
            for (number, port) in topology.ports(node).iter().enumerate() {
                let peer = port.peer.node;
                let hops = self.hops[peer.index()];
                let passable = peer == root || !topology.is_host(peer);
                if hops < here && passable && up(port.link) {
                    self.ports.push(number as u16);
                } else if forwards && hops == FAR && up(port.link) {
                    if topology.is_host(peer) && topology.ports(peer).len() == 1 {
                        continue;
                    }
                    self.hops[peer.index()] = here + 1;
                    self.queue.push(peer);
                }
            }
            if node != root {
                found(node, &self.ports);
            }
        }
    }
}
