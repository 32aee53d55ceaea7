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

/// What the network hashes of a flow's data packets.
pub(crate) fn tuple(flow: &Flow) -> FiveTuple {
    FiveTuple { sip: address(flow.src), dip: address(flow.dst), sport: flow.sport, dport: flow.dport }
}

/// A breadth-first search from one host: the next hops from every node to it.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    distance: Vec<u32>,
    delay_ns: Vec<u64>,
    transmit_ns: Vec<u64>,
    bps: Vec<u64>,
    next_hops: Vec<Vec<u16>>,
    queue: Vec<u32>,
}

impl Search {
    /// Room for the searches of a topology of `nodes`.
    pub(crate) fn new(nodes: usize) -> Self {
        Search {
            distance: vec![u32::MAX; nodes],
            delay_ns: vec![0; nodes],
            transmit_ns: vec![0; nodes],
            bps: vec![0; nodes],
            next_hops: vec![Vec::new(); nodes],
            queue: Vec::new(),
        }
    }

    /// Searches from `host`. `down` tells whether a link is out of use.
    pub(crate) fn run(
        &mut self,
        host: u32,
        topology: &Topology,
        neighbours: &[Vec<Neighbour>],
        payload_bytes: u32,
        down: impl Fn(u32) -> bool,
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

    /// The interfaces of `node` that lead to the host, in the reference's order.
    pub(crate) fn next_hops(&self, node: u32) -> &[u16] {
        &self.next_hops[node as usize]
    }

    /// The way from host `from`, if there is one.
    pub(crate) fn pair(&self, from: u32) -> Option<Pair> {
        let from = from as usize;
        (self.distance[from] != u32::MAX)
            .then(|| Pair { rtt_ns: self.delay_ns[from] * 2 + self.transmit_ns[from], bps: self.bps[from] })
    }
}

/// One of `next_hops` for a frame with `tuple`.
pub(crate) fn pick(next_hops: &[u16], tuple: FiveTuple, seed: u32) -> Option<u16> {
    match next_hops {
        [] => None,
        [only] => Some(*only),
        hops => Some(hops[tuple.hash(seed) as usize % hops.len()]),
    }
}

/// The largest base RTT (ns) and the largest bandwidth-delay product (bytes) of two hosts.
pub(crate) fn largest(topology: &Topology, neighbours: &[Vec<Neighbour>], payload_bytes: u32) -> (u64, u64) {
    let mut search = Search::new(topology.is_switch.len());
    let hosts = || (0..topology.nodes()).filter(|node| !topology.is_switch[*node as usize]);
    let (mut rtt, mut bdp) = (0, 0);
    for to in hosts() {
        search.run(to, topology, neighbours, payload_bytes, |_| false);
        for pair in hosts().filter(|from| *from != to).filter_map(|from| search.pair(from)) {
            rtt = rtt.max(pair.rtt_ns);
            bdp = bdp.max(pair.bdp_bytes());
        }
    }
    (rtt, bdp)
}

/// Next hops from every node to every host, kept for a run whose links can go down.
#[derive(Clone, Debug, Default)]
pub(crate) struct Routes {
    nodes: usize,
    /// Start in `hops` of the list of each host and node; one more than there are lists.
    starts: Vec<u32>,
    hops: Vec<u16>,
    /// Which host of the table a node is; `u32::MAX` for switches.
    column: Vec<u32>,
}

impl Routes {
    /// Searches from every host.
    pub(crate) fn new(
        topology: &Topology,
        neighbours: &[Vec<Neighbour>],
        down: impl Fn(u32) -> bool,
    ) -> Self {
        let nodes = topology.is_switch.len();
        let mut routes = Routes { nodes, starts: vec![0], hops: Vec::new(), column: vec![u32::MAX; nodes] };
        let mut search = Search::new(nodes);
        let hosts = (0..topology.nodes()).filter(|node| !topology.is_switch[*node as usize]);
        for (column, host) in (0..).zip(hosts) {
            routes.column[host as usize] = column;
            search.run(host, topology, neighbours, 0, &down);
            for hops in &search.next_hops {
                routes.hops.extend_from_slice(hops);
                routes.starts.push(routes.hops.len() as u32);
            }
        }
        routes
    }

    /// The interface of switch `node` that a frame with `tuple` leaves by towards host `to`.
    pub(crate) fn egress(&self, node: u32, to: u32, tuple: FiveTuple, seed: u32) -> Option<u16> {
        let list = *self.column.get(to as usize)? as usize * self.nodes + node as usize;
        let (from, until) = (*self.starts.get(list)?, *self.starts.get(list + 1)?);
        pick(&self.hops[from as usize..until as usize], tuple, seed)
    }

    /// The interface of host `node` that its frames with `tuple` leave by towards host `to`.
    pub(crate) fn nic(&self, node: u32, to: u32, tuple: FiveTuple) -> Option<u16> {
        self.egress(node, to, tuple, NS3_HASH_SEED)
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
        let mut search = Search::new(6);
        search.run(1, &topology, &neighbours, 1000, |_| false);
        // From host 1 the search dequeues switch 3, then core 5 before core 4; switch 2 has 5 on interface 3.
        assert_eq!(search.next_hops(2), [3, 2]);
        assert_eq!(search.next_hops(4), [2]);
        assert_eq!(search.next_hops(0), [1]);
        let pair = Pair { rtt_ns: 2 * 4000 + 80 + 20 + 20 + 80, bps: 100_000_000_000 };
        assert_eq!(search.pair(0), Some(pair));
    }

    #[test]
    fn a_link_out_of_use_is_gone_around() {
        let topology = Topology::parse(Path::new("t"), DIAMOND).unwrap();
        let neighbours = topology.neighbours();
        let tuple = FiveTuple { sip: 1, dip: 2, sport: 3, dport: 4 };
        let routes = Routes::new(&topology, &neighbours, |link| link == 3);
        assert_eq!(routes.egress(2, 1, tuple, 0), Some(2));
        assert_eq!(routes.nic(0, 1, tuple), Some(1));
        let cut = Routes::new(&topology, &neighbours, |link| link == 2 || link == 3);
        assert_eq!(cut.egress(2, 1, tuple, 0), None);
    }

    #[test]
    fn the_largest_rtt_and_bdp_are_the_references() {
        let star = "4 1 3\n3\n0 3 100Gbps 1000ns 0\n1 3 100Gbps 1000ns 0\n2 3 100Gbps 1000ns 0\n";
        let topology = Topology::parse(Path::new("t"), star).unwrap();
        assert_eq!(largest(&topology, &topology.neighbours(), 1000), (4160, 52_000));
    }
}
