//! Cyclic buffer dependencies: the condition without which a lossless network cannot deadlock (Hu et al., HotNets
//! 2016).
//!
//! A frame that waits in a switch holds buffer that the port behind it needs, so that the port a frame came out of
//! depends on the port that it goes to next. Pauses follow these dependencies; only where they close a circle can ports
//! wait for each other for ever. A frame keeps its class on its way, so that the circle is the same for every class.

use super::Routes;
use crate::{End, NodeId, Topology};

/// Egress ports of which each can be kept from sending by the next, and the last by the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferCycle {
    /// The ports; at least two.
    pub ports: Vec<End>,
}

impl BufferCycle {
    /// The ports by name, in order, with the first again at the end.
    pub fn describe(&self, topology: &Topology) -> String {
        let names = self.ports.iter().chain(self.ports.first());
        names.map(|end| topology.port_name(end.node, end.port)).collect::<Vec<_>>().join(" > ")
    }
}

/// For every egress port, as [`Topology::port_index`] counts, which ports of the node it leads to are taken next.
struct Turns {
    first_word: Vec<u32>,
    words: Vec<u64>,
}

impl Turns {
    fn new(topology: &Topology) -> Self {
        let mut first_word = vec![0u32];
        let mut total = 0;
        for node in (0..topology.nodes().len() as u32).map(NodeId) {
            for port in topology.ports(node) {
                total += topology.ports(port.peer.node).len().div_ceil(64) as u32;
                first_word.push(total);
            }
        }
        Self { words: vec![0; total as usize], first_word }
    }

    fn add(&mut self, port: usize, next: u16) {
        self.words[self.first_word[port] as usize + usize::from(next / 64)] |= 1 << (next % 64);
    }

    fn of(&self, port: usize) -> impl Iterator<Item = u16> + '_ {
        let words = &self.words[self.first_word[port] as usize..self.first_word[port + 1] as usize];
        words.iter().enumerate().flat_map(|(i, word)| {
            (0..64u16).filter(move |bit| word >> bit & 1 == 1).map(move |bit| i as u16 * 64 + bit)
        })
    }
}

impl Routes {
    /// A cyclic buffer dependency, if traffic from every host to every other can make one.
    pub fn buffer_cycle(&self, topology: &Topology) -> Option<BufferCycle> {
        find_cycle(topology, &self.all_turns(topology))
    }

    /// Two ports that follow each other on a way which does not go up and then down: it climbs a tier, or stays on one,
    /// after it has gone down or stayed. Routes without such a turn have no cyclic buffer dependency.
    pub fn up_down_violation(&self, topology: &Topology) -> Option<[End; 2]> {
        let turns = self.all_turns(topology);
        let tier = |node: NodeId| topology.node(node).tier;
        for node in (0..topology.nodes().len() as u32).map(NodeId) {
            for (port, number) in topology.ports(node).iter().zip(0u16..) {
                let middle = port.peer.node;
                let climbed = tier(middle) > tier(node);
                let climbs = |next: u16| {
                    let peer = topology.ports(middle)[usize::from(next)].peer.node;
                    tier(peer) >= tier(middle)
                };
                let found =
                    turns.of(topology.port_index(node, number)).find(|next| !climbed && climbs(*next));
                if let Some(next) = found {
                    return Some([End { node, port: number }, End { node: middle, port: next }]);
                }
            }
        }
        None
    }

    fn all_turns(&self, topology: &Topology) -> Turns {
        let mut turns = Turns::new(topology);
        let mut spread = Spread::new(topology);
        let all: Vec<NodeId> = (0..topology.hosts()).map(NodeId).collect();
        let mut done = vec![false; self.groups as usize];
        for dst in &all {
            // Hosts of a group are told apart only by the last port, which leads to a host and ends every dependency.
            if !std::mem::replace(&mut done[self.to[dst.index()].group as usize], true) {
                spread.run(self, topology, *dst, &all, &mut turns);
            }
        }
        turns
    }

    /// A cyclic buffer dependency, if traffic between these pairs (source, destination) can make one.
    pub fn buffer_cycle_of(&self, topology: &Topology, pairs: &[(NodeId, NodeId)]) -> Option<BufferCycle> {
        let mut turns = Turns::new(topology);
        let mut spread = Spread::new(topology);
        let mut by_dst: Vec<(NodeId, NodeId)> = pairs.iter().map(|(src, dst)| (*dst, *src)).collect();
        by_dst.sort_unstable();
        by_dst.dedup();
        for run in by_dst.chunk_by(|a, b| a.0 == b.0) {
            let sources: Vec<NodeId> = run.iter().map(|(_, src)| *src).collect();
            spread.run(self, topology, run[0].0, &sources, &mut turns);
        }
        find_cycle(topology, &turns)
    }

    /// A host `dst` and nodes that pass what is for it round in a loop, if there are any: only routes set by hand can
    /// do that.
    pub fn loop_to(&self, topology: &Topology, dst: NodeId) -> Option<Vec<NodeId>> {
        // Depth first along next hops; a node met again on the way down closes a loop.
        let mut state = vec![0u8; topology.nodes().len()];
        for start in (0..topology.nodes().len() as u32).map(NodeId) {
            let mut way = vec![(start, 0usize)];
            while let Some((node, next)) = way.last_mut() {
                let (node, ports) = (*node, self.next_ports(*node, dst));
                if state[node.index()] == 2 || *next == ports.len() || node == dst {
                    state[node.index()] = 2;
                    way.pop();
                    continue;
                }
                state[node.index()] = 1;
                let peer = topology.ports(node)[usize::from(ports[*next])].peer.node;
                *next += 1;
                if state[peer.index()] == 1 {
                    let from = way.iter().position(|(node, _)| *node == peer).unwrap_or(0);
                    return Some(way[from..].iter().map(|(node, _)| *node).collect());
                }
                way.push((peer, 0));
            }
        }
        None
    }
}

/// Follows traffic to one destination through the network.
struct Spread {
    seen: Vec<bool>,
    queue: Vec<NodeId>,
}

impl Spread {
    fn new(topology: &Topology) -> Self {
        Self { seen: vec![false; topology.nodes().len()], queue: Vec::new() }
    }

    fn run(&mut self, routes: &Routes, topology: &Topology, dst: NodeId, from: &[NodeId], turns: &mut Turns) {
        self.seen.fill(false);
        self.queue.clear();
        for src in from.iter().filter(|src| **src != dst) {
            self.seen[src.index()] = true;
            self.queue.push(*src);
        }
        while let Some(node) = self.queue.pop() {
            for port in routes.next_ports(node, dst) {
                let peer = topology.ports(node)[usize::from(*port)].peer.node;
                if topology.is_host(peer) {
                    continue;
                }
                let channel = topology.port_index(node, *port);
                for next in routes.next_ports(peer, dst) {
                    turns.add(channel, *next);
                }
                if !std::mem::replace(&mut self.seen[peer.index()], true) {
                    self.queue.push(peer);
                }
            }
        }
    }
}

fn find_cycle(topology: &Topology, turns: &Turns) -> Option<BufferCycle> {
    const NEW: u8 = 0;
    const ON_THE_WAY: u8 = 1;
    const DONE: u8 = 2;
    let mut ends = Vec::with_capacity(topology.port_count());
    for node in (0..topology.nodes().len() as u32).map(NodeId) {
        ends.extend((0..topology.ports(node).len() as u16).map(|port| End { node, port }));
    }
    let mut state = vec![NEW; ends.len()];
    for start in 0..ends.len() {
        if state[start] != NEW {
            continue;
        }
        state[start] = ON_THE_WAY;
        let next_of = |channel: usize| {
            let peer = topology.ports(ends[channel].node)[usize::from(ends[channel].port)].peer.node;
            turns.of(channel).map(move |port| topology.port_index(peer, port))
        };
        let mut way = vec![(start, next_of(start))];
        while let Some((channel, next)) = way.last_mut() {
            let Some(to) = next.next() else {
                state[*channel] = DONE;
                way.pop();
                continue;
            };
            match state[to] {
                NEW => {
                    state[to] = ON_THE_WAY;
                    way.push((to, next_of(to)));
                }
                ON_THE_WAY => {
                    let from = way.iter().position(|(channel, _)| *channel == to).unwrap_or(0);
                    return Some(BufferCycle {
                        ports: way[from..].iter().map(|(channel, _)| ends[*channel]).collect(),
                    });
                }
                _ => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RouteOverride, TopologyBuilder, TopologySpec};
    use weir_units::{Rate, Span};

    const RATE: Rate = Rate::from_gbps(100);
    const DELAY: Span = Span::from_us(1);

    /// `n` switches in a ring, a host on each: switch `i` has port 0 to its host.
    fn ring(n: usize) -> Topology {
        let mut b = TopologyBuilder::new();
        let switches: Vec<usize> = (0..n).map(|i| b.switch(format!("s{i}"), 1)).collect();
        for (i, switch) in switches.iter().enumerate() {
            let host = b.host(format!("h{i}"));
            b.link(host, *switch, RATE, DELAY, 0.0);
        }
        for i in 0..n {
            b.link(switches[i], switches[(i + 1) % n], RATE, DELAY, 0.0);
        }
        b.build().unwrap()
    }

    /// Everything goes round clockwise.
    fn clockwise(topology: &Topology) -> Vec<RouteOverride> {
        let n = topology.hosts();
        (0..n)
            .map(|i| {
                let (at, next) = (NodeId(n + i), NodeId(n + (i + 1) % n));
                let to_next = topology.ports(at).iter().position(|port| port.peer.node == next).unwrap();
                let to = (0..n).filter(|dst| *dst != i).map(NodeId).collect();
                RouteOverride { at, to, ports: vec![to_next as u16] }
            })
            .collect()
    }

    #[test]
    fn a_ring_that_is_used_one_way_has_a_cycle() {
        let topology = ring(4);
        let routes = Routes::with_overrides(&topology, |_| true, &clockwise(&topology));
        let cycle = routes.buffer_cycle(&topology).unwrap();
        assert_eq!(cycle.ports.len(), 4);
        for (end, next) in cycle.ports.iter().zip(cycle.ports.iter().cycle().skip(1)) {
            assert_eq!(topology.ports(end.node)[usize::from(end.port)].peer.node, next.node);
        }
        assert!(cycle.describe(&topology).starts_with("s"));
        // With traffic over one switch only no frame waits at two ports of the ring.
        let near: Vec<_> = (0..4).map(|i| (NodeId(i), NodeId((i + 1) % 4))).collect();
        assert_eq!(routes.buffer_cycle_of(&topology, &near), None);
        let far: Vec<_> = (0..4).map(|i| (NodeId(i), NodeId((i + 2) % 4))).collect();
        assert!(routes.buffer_cycle_of(&topology, &far).is_some());
        assert_eq!(routes.buffer_cycle_of(&topology, &far[..3]), None);
    }

    #[test]
    fn up_and_down_has_none() {
        for spec in [
            TopologySpec::fat320(),
            TopologySpec::fat_tree(4, RATE, DELAY),
            TopologySpec::star(4, RATE, DELAY),
        ] {
            let topology = spec.build().unwrap();
            assert_eq!(Routes::shortest(&topology, |_| true).buffer_cycle(&topology), None);
        }
    }

    #[test]
    fn up_and_down_is_told_from_round_and_round() {
        let tree = TopologySpec::fat_tree(4, RATE, DELAY).build().unwrap();
        assert_eq!(Routes::shortest(&tree, |_| true).up_down_violation(&tree), None);
        // Without a pod's links to one aggregation switch traffic between other pods is as before, but without
        // tor0's own link to agg0 and agg1's to the core it has to come down and climb again.
        let port = |a: &str, b: &str| {
            let (a, b) = (tree.find(a).unwrap(), tree.find(b).unwrap());
            tree.ports(a).iter().find(|port| port.peer.node == b).unwrap().link
        };
        let down = [port("tor0", "agg0"), port("agg1", "core2"), port("agg1", "core3")];
        let bent = Routes::shortest(&tree, |link| !down.contains(&link));
        let [_, at] = bent.up_down_violation(&tree).unwrap();
        assert_eq!(tree.node(at.node).name, "tor1", "from agg1 down to tor1 and up to agg0");
        let topology = ring(4);
        assert!(Routes::shortest(&topology, |_| true).up_down_violation(&topology).is_some());
    }

    #[test]
    fn routes_by_hand_can_loop() {
        let topology = ring(4);
        let [s0, s1] = [NodeId(4), NodeId(5)];
        let port = |at: NodeId, peer: NodeId| {
            topology.ports(at).iter().position(|port| port.peer.node == peer).unwrap() as u16
        };
        let overrides = [
            RouteOverride { at: s0, to: vec![NodeId(2)], ports: vec![port(s0, s1)] },
            RouteOverride { at: s1, to: vec![NodeId(2)], ports: vec![port(s1, s0)] },
        ];
        let routes = Routes::with_overrides(&topology, |_| true, &overrides);
        assert_eq!(
            routes.loop_to(&topology, NodeId(2)),
            Some(vec![NodeId(5), NodeId(4)]).map(|mut v| {
                v.sort();
                v
            })
        );
        assert_eq!(routes.loop_to(&topology, NodeId(3)), None);
        assert_eq!(routes.path(&topology, NodeId(0), NodeId(2), |_, _| 0), None);
    }
}
