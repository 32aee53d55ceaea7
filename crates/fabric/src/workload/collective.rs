//! Ring and halving-doubling: collectives whose steps wait for what the step before brought.

use super::generate::{Generator, part};
use crate::{NodeId, Start};
use weir_units::Span;

impl Generator<'_> {
    /// `rounds` times n − 1 steps, in each of which every rank sends one n-th on to the next rank: once for a
    /// reduce-scatter or an all-gather, twice for an all-reduce.
    ///
    /// A rank sends in step s what it received in step s − 1, so that a flow waits for the one before it round the ring;
    /// that a rank sends one part after the other follows from its one connection to the next.
    pub(super) fn ring(&mut self, hosts: &[NodeId], bytes: u64, rounds: u64) {
        let n = hosts.len();
        let mut received: Vec<Option<u32>> = vec![None; n];
        for step in 0..rounds * (n as u64 - 1) {
            let mut next = vec![None; n];
            for (rank, src) in hosts.iter().enumerate() {
                let start = match step {
                    0 => self.begin(),
                    _ => self.after(received[rank], Span::ZERO),
                };
                // Rank r sends part r first, then those that come from behind it.
                let chunk = (rank as u64 + n as u64 * rounds - step) % n as u64;
                let to = (rank + 1) % n;
                next[to] = self.flow(*src, hosts[to], part(bytes, chunk, n as u64), start);
            }
            received = next;
        }
    }

    /// Recursive halving to scatter the sum, and doubling to gather it: the partner's rank differs in one bit, the
    /// highest first on the way down. `hosts` must be a power of two many; others are left out.
    pub(super) fn halving_doubling(&mut self, hosts: &[NodeId], bytes: u64) {
        let bits = hosts.len().checked_ilog2().unwrap_or(0);
        let n = 1usize << bits;
        // What of the buffer a rank still works on, as [low, high).
        let mut range = vec![(0u64, bytes); n];
        let mut last: Vec<Vec<u32>> = vec![Vec::new(); n];
        let halving = (0..bits).rev().map(|bit| (bit, true));
        for (bit, halves) in halving.chain((0..bits).map(|bit| (bit, false))) {
            let mut next: Vec<Vec<u32>> = vec![Vec::new(); n];
            let mut ranges = range.clone();
            for rank in 0..n {
                let partner = rank ^ 1 << bit;
                let (low, high) = range[rank];
                let middle = low + (high - low) / 2;
                let upper = rank >> bit & 1 == 1;
                let sent = match (halves, upper) {
                    (true, true) => {
                        ranges[rank] = (middle, high);
                        middle - low
                    }
                    (true, false) => {
                        ranges[rank] = (low, middle);
                        high - middle
                    }
                    (false, _) => {
                        let (other_low, other_high) = range[partner];
                        ranges[rank] = (low.min(other_low), high.max(other_high));
                        high - low
                    }
                };
                let start: Start = self.after(last[rank].iter().copied(), Span::ZERO);
                if let Some(flow) = self.flow(hosts[rank], hosts[partner], sent, start) {
                    // Both ends need it over before their next step: the buffer is in use.
                    next[rank].push(flow);
                    next[partner].push(flow);
                }
            }
            range = ranges;
            for (last, next) in last.iter_mut().zip(next) {
                if !next.is_empty() {
                    *last = next;
                }
            }
        }
    }
}
