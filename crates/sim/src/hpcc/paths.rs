//! Where every flow's frames go: the port they leave each switch by, worked out once.

use super::flows::Flow;
use super::frame::{Frame, Kind};
use super::hash::{FiveTuple, NS3_HASH_SEED};
use super::port::Port;
use super::routes::{Pair, Search, pick, tuple};
use super::topology::{Neighbour, Topology};

/// More switches than any path has.
const MAX_SWITCHES: usize = 200;

/// The paths of all flows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    /// Ports (of the switch, from 0) hop by hop.
    hops: Vec<u16>,
    /// Start in `hops` of each flow's data path and acknowledgement path.
    starts: Vec<[u32; 2]>,
    /// NIC that each flow's data leaves by, and its acknowledgements.
    nics: Vec<[u32; 2]>,
    pairs: Vec<Pair>,
    /// A link has gone down: the paths no longer hold.
    outdated: bool,
}

/// What paths are found in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Network<'a> {
    pub topology: &'a Topology,
    pub neighbours: &'a [Vec<Neighbour>],
    pub ports: &'a [Port],
    /// First port of each node.
    pub port_base: &'a [u32],
    /// Added to a switch's node id for the seed of its hash.
    pub seed_offset: u32,
    pub payload_bytes: u32,
}

/// One way of a flow: its NIC and the ports it takes.
#[derive(Clone, Debug, Default)]
struct Way {
    nic: u32,
    hops: Vec<u16>,
}

impl Paths {
    /// The paths of `flows`, or the index of a flow that has none.
    pub fn new(flows: &[Flow], network: Network<'_>) -> Result<Self, usize> {
        let nodes = network.topology.is_switch.len();
        // One search from each host serves the data that goes to it and the acknowledgements that do.
        let mut ends: Vec<Vec<(u32, bool)>> = vec![Vec::new(); nodes];
        for (index, flow) in flows.iter().enumerate() {
            ends[flow.dst as usize].push((index as u32, true));
            ends[flow.src as usize].push((index as u32, false));
        }
        let mut ways: Vec<[Way; 2]> = vec![Default::default(); flows.len()];
        let mut pairs = vec![None; flows.len()];
        let mut search = Search::new(nodes);
        for (host, ends) in ends.iter().enumerate().filter(|(_, ends)| !ends.is_empty()) {
            search.run(host as u32, network.topology, network.neighbours, network.payload_bytes, |_| false);
            for (index, data) in ends.iter().map(|(index, data)| (*index as usize, *data)) {
                let flow = &flows[index];
                let way = if data {
                    pairs[index] = search.pair(flow.src);
                    network.way(&search, flow.src, flow.dst, tuple(flow))
                } else {
                    network.way(&search, flow.dst, flow.src, tuple(flow).reversed())
                };
                ways[index][usize::from(!data)] = way.ok_or(index)?;
            }
        }
        let mut paths = Paths::default();
        for (index, [data, ack]) in ways.into_iter().enumerate() {
            paths.pairs.push(pairs[index].ok_or(index)?);
            paths.nics.push([data.nic, ack.nic]);
            let start = paths.hops.len() as u32;
            paths.starts.push([start, start + data.hops.len() as u32]);
            paths.hops.extend(data.hops.into_iter().chain(ack.hops));
        }
        Ok(paths)
    }

    /// The port by which a frame leaves the switch it has reached; `now` works it out anew.
    #[inline]
    pub fn egress(&self, frame: Frame, now: impl FnOnce() -> Option<u16>) -> Option<u16> {
        if self.outdated {
            return now();
        }
        let way = usize::from(frame.kind() != Kind::Data);
        let start = self.starts[frame.flow as usize][way];
        self.hops.get(start as usize + usize::from(frame.hop)).copied()
    }

    /// The NIC of a flow's data.
    pub fn data_nic(&self, flow: usize) -> Option<u32> {
        self.nics.get(flow).map(|nics| nics[0])
    }

    /// The NIC of a flow's acknowledgements.
    #[inline]
    pub fn ack_nic(&self, flow: usize) -> Option<u32> {
        self.nics.get(flow).map(|nics| nics[1])
    }

    /// The pair of a flow's hosts, as it was at the start.
    pub fn pair(&self, flow: usize) -> Option<Pair> {
        self.pairs.get(flow).copied()
    }

    /// From now on every hop is worked out anew.
    pub fn outdate(&mut self) {
        self.outdated = true;
    }

    /// A flow's NICs have changed.
    pub fn set_nics(&mut self, flow: usize, nics: [u32; 2]) {
        if let Some(slot) = self.nics.get_mut(flow) {
            *slot = nics;
        }
    }
}

impl Network<'_> {
    /// The way of frames with `tuple` from host `from` to host `to`, which `search` began at.
    fn way(&self, search: &Search, from: u32, to: u32, tuple: FiveTuple) -> Option<Way> {
        let mut port = self.port(from, pick(search.next_hops(from), tuple, NS3_HASH_SEED)?);
        let mut way = Way { nic: port.owner, hops: Vec::new() };
        let mut node = self.ports[port.peer as usize].node;
        while node != to {
            let interface = pick(search.next_hops(node), tuple, node.wrapping_add(self.seed_offset))?;
            way.hops.push(interface - 1);
            if way.hops.len() > MAX_SWITCHES {
                return None;
            }
            port = self.port(node, interface);
            node = self.ports[port.peer as usize].node;
        }
        Some(way)
    }

    fn port(&self, node: u32, interface: u16) -> &Port {
        &self.ports[(self.port_base[node as usize] + u32::from(interface) - 1) as usize]
    }
}
