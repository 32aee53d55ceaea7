//! Patterns whose flows wait for nothing, or only for a predecessor.

use super::generate::{Generator, part};
use super::{CsvFlow, CsvStart, Sizes};
use crate::{NodeId, Start};
use weir_units::Span;

impl Generator<'_> {
    pub(super) fn incast(
        &mut self,
        senders: &[NodeId],
        receivers: &[NodeId],
        fan_in: u32,
        bytes: u64,
        load: Option<(f64, Span)>,
    ) {
        let times = match load {
            None => vec![Span::ZERO],
            Some((load, duration)) => {
                let bps: f64 =
                    senders.iter().map(|host| self.topology.host_bandwidth(*host).as_bps() as f64).sum();
                let fan_in = if fan_in == 0 { senders.len() as f64 } else { f64::from(fan_in) };
                let mean = 8.0 * fan_in * bytes as f64 / (load * bps);
                Self::arrivals(&mut self.stream, mean, duration)
            }
        };
        for time in times {
            let receiver = receivers[self.stream.below(receivers.len() as u64) as usize];
            let mut from: Vec<NodeId> = senders.iter().copied().filter(|host| *host != receiver).collect();
            if fan_in != 0 && (fan_in as usize) < from.len() {
                self.stream.shuffle(&mut from);
                from.truncate(fan_in as usize);
                from.sort_unstable();
            }
            let start = self.begin_after(time);
            for host in from {
                self.flow(host, receiver, bytes, start);
            }
        }
    }

    pub(super) fn permutation(&mut self, hosts: &[NodeId], bytes: u64, shift: u32) {
        let n = hosts.len();
        let mut to: Vec<usize> = (0..n).collect();
        if shift == 0 {
            // One circle through all in random order: nobody sends to itself.
            let mut circle = to.clone();
            self.stream.shuffle(&mut circle);
            for (i, host) in circle.iter().enumerate() {
                to[*host] = circle[(i + 1) % n];
            }
        } else {
            to.rotate_left(shift as usize % n.max(1));
        }
        for (i, to) in to.into_iter().enumerate() {
            self.flow(hosts[i], hosts[to], bytes, self.begin());
        }
    }

    pub(super) fn all_to_all(&mut self, hosts: &[NodeId], bytes: u64, parallel: u32) {
        let n = hosts.len();
        for (i, src) in hosts.iter().enumerate() {
            let mut sent: Vec<u32> = Vec::new();
            for step in 1..n {
                let j = (i + step) % n;
                let before = (parallel as usize != 0)
                    .then(|| sent.len().checked_sub(parallel as usize))
                    .flatten()
                    .map(|before| sent[before]);
                let start = match before {
                    None => self.begin(),
                    Some(before) => self.after([before], Span::ZERO),
                };
                sent.extend(self.flow(*src, hosts[j], part(bytes, j as u64, n as u64), start));
            }
        }
    }

    pub(super) fn pairs(&mut self, from: &[NodeId], to: &[NodeId], bytes: u64) {
        for i in 0..from.len().max(to.len()) {
            let (src, dst) = (from[i % from.len()], to[i % to.len()]);
            self.flow(src, dst, bytes, self.begin());
        }
    }

    pub(super) fn poisson(
        &mut self,
        senders: &[NodeId],
        receivers: &[NodeId],
        sizes: &Sizes,
        load: f64,
        duration: Span,
        turn: u32,
    ) {
        let mut all = Vec::new();
        for src in senders {
            let mut stream = self.stream_of(*src, turn);
            let bps = self.topology.host_bandwidth(*src).as_bps() as f64;
            let mean = 8.0 * sizes.mean() / (load * bps);
            for time in Self::arrivals(&mut stream, mean, duration) {
                let Some(dst) = Self::other(&mut stream, receivers, *src) else { break };
                let bytes = match sizes {
                    Sizes::Fixed(bytes) => bytes.get(),
                    Sizes::Cdf(cdf) => cdf.draw(&mut stream),
                };
                all.push((time, *src, dst, bytes));
            }
        }
        all.sort_by_key(|(time, src, ..)| (*time, *src));
        for (time, src, dst, bytes) in all {
            self.flow(src, dst, bytes, self.begin_after(time));
        }
    }

    pub(super) fn csv(&mut self, flows: &[CsvFlow]) {
        let first = self.set.flows.len() as u32;
        for flow in flows {
            let start = match &flow.start {
                CsvStart::At(time) => self.begin_after(Span::from_ps(time.as_ps())),
                CsvStart::After { flows, delay } => {
                    Start::After { gate: self.set.gates.push(flows.iter().map(|i| first + i)), delay: *delay }
                }
            };
            let (class, op) =
                (flow.class.unwrap_or(self.workload.class), flow.op.unwrap_or(self.workload.op));
            self.flow_in(class, op, flow.src, flow.dst, flow.bytes, start);
        }
    }
}
