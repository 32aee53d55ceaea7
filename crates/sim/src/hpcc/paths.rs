//! Where every flow's frames go: the port they leave each switch by, worked out once.

use super::flows::Flow;
use super::frame::{Frame, Kind};
use super::port::Port;
use super::routes::{Pair, Routes, tuple};

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

impl Paths {
    /// The paths of `flows`, or the index of a flow that has none.
    pub fn new(
        flows: &[Flow],
        routes: &Routes,
        ports: &[Port],
        port_base: &[u32],
        seed_offset: u32,
    ) -> Result<Self, usize> {
        let mut paths = Paths::default();
        for (index, flow) in flows.iter().enumerate() {
            let tuple = tuple(flow);
            let pair = routes.pair(flow.src, flow.dst).ok_or(index)?;
            let mut starts = [0; 2];
            let mut nics = [0; 2];
            let ways = [(flow.src, flow.dst, tuple), (flow.dst, flow.src, tuple.reversed())];
            for (way, (from, to, tuple)) in ways.into_iter().enumerate() {
                starts[way] = paths.hops.len() as u32;
                let interface = routes.nic(from, to, tuple).ok_or(index)?;
                let mut port = &ports[(port_base[from as usize] + u32::from(interface) - 1) as usize];
                nics[way] = port.owner;
                let mut node = ports[port.peer as usize].node;
                while node != to {
                    let seed = node.wrapping_add(seed_offset);
                    let interface = routes.egress(node, to, tuple, seed).ok_or(index)?;
                    paths.hops.push(interface - 1);
                    if paths.hops.len() - starts[way] as usize > MAX_SWITCHES {
                        return Err(index);
                    }
                    port = &ports[(port_base[node as usize] + u32::from(interface) - 1) as usize];
                    node = ports[port.peer as usize].node;
                }
            }
            paths.starts.push(starts);
            paths.nics.push(nics);
            paths.pairs.push(pair);
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
