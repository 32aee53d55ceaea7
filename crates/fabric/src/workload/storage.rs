//! Reads and writes of blocks.

use super::generate::Generator;
use super::{Demand, Sizes};
use crate::{NodeId, Op, Start};
use weir_units::Span;

/// The service that clients use.
pub(super) struct Service<'a> {
    pub(super) servers: &'a [NodeId],
    pub(super) sizes: &'a Sizes,
    pub(super) read_fraction: f64,
    pub(super) replicas: u32,
}

impl Generator<'_> {
    pub(super) fn storage(&mut self, clients: &[NodeId], service: &Service<'_>, demand: &Demand) {
        match *demand {
            Demand::Open { load, duration } => {
                let mut all = Vec::new();
                for client in clients {
                    let bps = self.topology.host_bandwidth(*client).as_bps() as f64;
                    let mean = 8.0 * service.sizes.mean() / (load * bps);
                    all.extend(
                        Self::arrivals(&mut self.stream, mean, duration)
                            .into_iter()
                            .map(|time| (time, *client)),
                    );
                }
                all.sort_unstable();
                for (time, client) in all {
                    let start = self.begin_after(time);
                    self.request(client, service, start);
                }
            }
            Demand::Closed { outstanding, requests, think } => {
                for client in clients {
                    let mut slots: Vec<Start> = vec![self.begin(); outstanding.max(1) as usize];
                    for i in 0..requests as usize {
                        let slot = i % slots.len();
                        let done = self.request(*client, service, slots[slot]);
                        if !done.is_empty() {
                            slots[slot] = self.after(done, think);
                        }
                    }
                }
            }
        }
    }

    /// One request; the flows with whose delivery it is done.
    fn request(&mut self, client: NodeId, service: &Service<'_>, start: Start) -> Vec<u32> {
        let bytes = match service.sizes {
            Sizes::Fixed(bytes) => bytes.get(),
            Sizes::Cdf(cdf) => cdf.draw(&mut self.stream),
        };
        let reads = self.stream.unit() < service.read_fraction;
        let Some(server) = Self::other(&mut self.stream, service.servers, client) else {
            return Vec::new();
        };
        if reads {
            return self.flow_by(Op::Read, server, client, bytes, start).into_iter().collect();
        }
        let Some(first) = self.flow_by(Op::Write, client, server, bytes, start) else { return Vec::new() };
        let mut done = vec![first];
        let mut copies: Vec<NodeId> =
            service.servers.iter().copied().filter(|other| *other != server && *other != client).collect();
        self.stream.shuffle(&mut copies);
        for copy in copies.into_iter().take(service.replicas.saturating_sub(1) as usize) {
            let start = self.after([first], Span::ZERO);
            done.extend(self.flow_by(Op::Write, server, copy, bytes, start));
        }
        done
    }
}
