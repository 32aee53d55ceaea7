//! Routes: all shortest paths by hops, the reference's order of next hops, and its base RTT of every pair.

use super::flows::Flow;
use super::hash::{FiveTuple, NS3_HASH_SEED, address};
use super::topology::{Neighbour, Topology};

/// The way between two hosts as the reference sees it, along the first path its search finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    /// Twice the propagation, plus one payload's serialisation at every hop.
    pub rtt_ns: u64,
    /// The slowest link.
    pub bps: u64,
}

impl Pair {
    /// Bytes in flight over the base RTT at the slowest link's rate.
    pub(crate) fn bdp_bytes(self) -> u64 {
        self.rtt_ns.wrapping_mul(self.bps) / 1_000_000_000 / 8
    }
}

/// Next hops from every node to every host, as interface numbers.
#[derive(Clone, Debug)]
pub(crate) struct Routes {
    nodes: usize,
    /// Start of each (host column, node) list in `hops`; one more than there are lists.
    starts: Vec<u32>,
    hops: Vec<u16>,
    /// Column of each node; `u32::MAX` for switches.
    column: Vec<u32>,
    /// Base RTT and slowest link, by (source node, destination column); only hosts' rows mean something.
    pairs: Vec<Option<Pair>>,
    hosts: usize,
}

impl Routes {
    /// Searches from every host. `down` tells whether a link is out of use.
    pub(crate) fn new(
        topology: &Topology,
        neighbours: &[Vec<Neighbour>],
        payload_bytes: u32,
        down: impl Fn(u32) -> bool,
    ) -> Self {
        let nodes = topology.is_switch.len();
        let mut column = vec![u32::MAX; nodes];
        let mut hosts = 0;
        for (node, _) in topology.is_switch.iter().enumerate().filter(|(_, switch)| !**switch) {
            column[node] = hosts;
            hosts += 1;
        }
        let hosts = hosts as usize;
        let mut routes = Routes {
            nodes,
            starts: vec![0],
            hops: Vec::new(),
            column: column.clone(),
            pairs: vec![None; hosts * hosts],
            hosts,
        };
        let mut search = Search::new(nodes);
        for (host, _) in column.iter().enumerate().filter(|(_, c)| **c != u32::MAX) {
            search.run(host as u32, topology, neighbours, payload_bytes, &down);
            for node in 0..nodes {
                routes.hops.extend_from_slice(&search.next_hops[node]);
                routes.starts.push(routes.hops.len() as u32);
                if let (true, from) = (search.distance[node] != u32::MAX, column[node] as usize)
                    && from < hosts
                {
                    let pair = Pair {
                        rtt_ns: search.delay_ns[node] * 2 + search.transmit_ns[node],
                        bps: search.bps[node],
                    };
                    routes.pairs[from * hosts + column[host] as usize] = Some(pair);
                }
            }
        }
        routes
    }

    /// The interfaces of `node` that lead to host `to`, in the reference's order.
    pub(crate) fn next_hops(&self, node: u32, to: u32) -> &[u16] {
        let list = self.column[to as usize] as usize * self.nodes + node as usize;
        &self.hops[self.starts[list] as usize..self.starts[list + 1] as usize]
    }

    /// The pair of hosts `from`, `to`, if one reaches the other.
    pub(crate) fn pair(&self, from: u32, to: u32) -> Option<Pair> {
        let (from, to) = (self.column[from as usize] as usize, self.column[to as usize] as usize);
        self.pairs[from * self.hosts + to]
    }

    /// The largest base RTT (ns) and the largest bandwidth-delay product (bytes) of two hosts.
    pub(crate) fn largest(&self) -> (u64, u64) {
        let different = |index: &usize| index / self.hosts != index % self.hosts;
        let pairs = || (0..self.pairs.len()).filter(different).filter_map(|index| self.pairs[index]);
        let rtt = pairs().map(|pair| pair.rtt_ns).max().unwrap_or(0);
        (rtt, pairs().map(Pair::bdp_bytes).max().unwrap_or(0))
    }

    /// The interface of switch `node` that a frame with `tuple` leaves by towards host `to`.
    pub(crate) fn egress(&self, node: u32, to: u32, tuple: FiveTuple, seed: u32) -> Option<u16> {
        match self.next_hops(node, to) {
            [] => None,
            [only] => Some(*only),
            hops => Some(hops[tuple.hash(seed) as usize % hops.len()]),
        }
    }

    /// The interface of host `node` that its frames with `tuple` leave by towards host `to`.
    pub(crate) fn nic(&self, node: u32, to: u32, tuple: FiveTuple) -> Option<u16> {
        self.egress(node, to, tuple, NS3_HASH_SEED)
    }
}

/// What the network hashes of a flow's data packets.
pub(crate) fn tuple(flow: &Flow) -> FiveTuple {
    FiveTuple { sip: address(flow.src), dip: address(flow.dst), sport: flow.sport, dport: flow.dport }
}

/// Breadth-first search from one host, kept to reuse its memory.
struct Search {
    distance: Vec<u32>,
    delay_ns: Vec<u64>,
    transmit_ns: Vec<u64>,
    bps: Vec<u64>,
    next_hops: Vec<Vec<u16>>,
    queue: Vec<u32>,
}

impl Search {
    fn new(nodes: usize) -> Self {
        Search {
            distance: vec![u32::MAX; nodes],
            delay_ns: vec![0; nodes],
            transmit_ns: vec![0; nodes],
            bps: vec![0; nodes],
            next_hops: vec![Vec::new(); nodes],
            queue: Vec::new(),
        }
    }

    fn run(
        &mut self,
        host: u32,
        topology: &Topology,
        neighbours: &[Vec<Neighbour>],
        payload_bytes: u32,
        down: &impl Fn(u32) -> bool,
    ) {
        self.distance.fill(u32::MAX);
        self.next_hops.iter_mut().for_each(Vec::clear);
        self.queue.clear();
        self.queue.push(host);
        self.distance[host as usize] = 0;
        self.delay_ns[host as usize] = 0;
        self.transmit_ns[host as usize] = 0;
        self.bps[host as usize] = u64::MAX;
        let mut head = 0;
        while let Some(&now) = self.queue.get(head) {
            head += 1;
            let now = now as usize;
            for neighbour in neighbours[now].iter().filter(|n| !down(n.link)) {
                let next = neighbour.node as usize;
                let link = &topology.links[neighbour.link as usize];
                if self.distance[next] == u32::MAX {
                    self.distance[next] = self.distance[now] + 1;
                    self.delay_ns[next] = self.delay_ns[now] + link.delay_ns;
                    let transmit = u64::from(payload_bytes) * 8_000_000_000 / link.bps;
                    self.transmit_ns[next] = self.transmit_ns[now] + transmit;
                    self.bps[next] = self.bps[now].min(link.bps);
                    // Hosts relay nothing.
                    if topology.is_switch[next] {
                        self.queue.push(neighbour.node);
                    }
                }
                if self.distance[next] == self.distance[now] + 1 {
                    let interface = link.interfaces[1 - usize::from(neighbour.end)];
                    self.next_hops[next].push(interface as u16);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Two hosts on edge switches 2 and 3, joined by cores 4 and 5.
    const DIAMOND: &str = "6 4 6\n2 3 4 5\n0 2 100Gbps 1000ns 0\n1 3 100Gbps 1000ns 0\n2 4 400Gbps 1000ns 0\n\
                           2 5 400Gbps 1000ns 0\n3 4 400Gbps 1000ns 0\n3 5 400Gbps 1000ns 0\n";

    #[test]
    fn next_hops_come_in_the_order_of_the_search() {
        let topology = Topology::parse(Path::new("t"), DIAMOND).unwrap();
        let neighbours = topology.neighbours();
        let routes = Routes::new(&topology, &neighbours, 1000, |_| false);
        // From host 1 the search dequeues switch 3, then core 5 before core 4; switch 2 has 5 on interface 3.
        assert_eq!(routes.next_hops(2, 1), [3, 2]);
        assert_eq!(routes.next_hops(4, 1), [2]);
        assert_eq!(routes.next_hops(0, 1), [1]);
        let pair = routes.pair(0, 1).unwrap();
        assert_eq!(pair, Pair { rtt_ns: 2 * 4000 + 80 + 20 + 20 + 80, bps: 100_000_000_000 });
        let without_5 = Routes::new(&topology, &neighbours, 1000, |link| link == 3);
        assert_eq!(without_5.next_hops(2, 1), [2]);
    }

    #[test]
    fn the_largest_rtt_and_bdp_are_the_references() {
        let star = "4 1 3\n3\n0 3 100Gbps 1000ns 0\n1 3 100Gbps 1000ns 0\n2 3 100Gbps 1000ns 0\n";
        let topology = Topology::parse(Path::new("t"), star).unwrap();
        let routes = Routes::new(&topology, &topology.neighbours(), 1000, |_| false);
        assert_eq!(routes.largest(), (4160, 52_000));
    }
}
