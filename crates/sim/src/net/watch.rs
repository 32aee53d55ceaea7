//! Looking at the network while it runs: samples, series, deadlocks.

use super::deadlock::WaitFor;
use super::engine::Engine;
use super::event::Event;
use super::probe::Source;
use crate::results::{Deadlock, EndReason};
use std::collections::BTreeMap;
use weir_switch::{Port, Priority};
use weir_units::Span;

/// A port and priority that was stuck at the last look: how often it had sent by then, and since when.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stuck {
    by_place: BTreeMap<(u32, u8), (u64, u64)>,
}

impl Engine<'_> {
    /// Schedules the first sample of each kind.
    pub(super) fn schedule_probes(&mut self) {
        if let Some((interval, _)) = self.histograms {
            self.wheel.push(interval.as_ps(), Event::Sample);
        }
        if !self.series.is_empty() {
            self.wheel.push(self.series.interval().as_ps(), Event::Series);
        }
        if !self.rate_series.is_empty() {
            self.wheel.push(self.rate_series.interval().as_ps(), Event::RateSeries);
        }
    }

    /// Whether samples are of any further use.
    fn still_running(&self) -> bool {
        self.flows_over < self.results.len() as u64
    }

    /// One round of samples for histograms.
    pub(super) fn sample(&mut self) {
        let Some((interval, histograms)) = &mut self.histograms else { return };
        histograms.begin_round();
        for node in &self.switches {
            for local in 0..node.switch.ports() as u16 {
                if node.switch.is_empty(Port(local)) {
                    continue;
                }
                for priority in Priority::ALL {
                    let bytes = node.switch.queue_bytes(Port(local), priority);
                    if bytes > 0 {
                        histograms.record(node.first_port + u32::from(local), priority.number(), bytes);
                    }
                }
            }
        }
        let at = self.now + *interval;
        if self.still_running() {
            self.wheel.push(at.as_ps(), Event::Sample);
        }
    }

    /// One sample of each queue series.
    pub(super) fn sample_series(&mut self) {
        let mut series = std::mem::take(&mut self.series);
        series.sample(|source| self.read(source));
        if self.still_running() {
            self.wheel.push((self.now + series.interval()).as_ps(), Event::Series);
        }
        self.series = series;
    }

    /// One sample of each rate series.
    pub(super) fn sample_rates(&mut self) {
        let mut series = std::mem::take(&mut self.rate_series);
        series.sample(|source| self.read(source));
        if self.still_running() {
            self.wheel.push((self.now + series.interval()).as_ps(), Event::RateSeries);
        }
        self.rate_series = series;
    }

    fn read(&mut self, source: Source) -> u64 {
        match source {
            Source::Queue { port, prio } => {
                let line = &self.lines[port as usize];
                let switch = &self.switches[line.node as usize].switch;
                switch.queue_bytes(Port(line.local), Priority::from_pcp(prio))
            }
            Source::Shared { switch } => self.switches[switch as usize].switch.shared_used(),
            Source::Link { port } => self.lines[port as usize].tx_bytes,
            Source::Flow { flow } => self.flow_delivered(flow),
            Source::Allowed { flow } => self.flow_rate(flow),
        }
    }

    fn flow_delivered(&self, flow: u32) -> u64 {
        let result = &self.results[flow as usize];
        if result.delivered_ps.is_some() {
            return result.bytes;
        }
        let slot = self.conn_of[Self::conn_key(&self.set.flows[flow as usize]) as usize];
        self.conns.get(slot).map_or(0, |conn| conn.delivered_of(flow, result.bytes))
    }

    fn flow_rate(&mut self, flow: u32) -> u64 {
        let spec = &self.set.flows[flow as usize];
        let slot = self.conn_of[Self::conn_key(spec) as usize];
        let now = self.now;
        // The bytes of a read are paced by the end that answers, which is side 0 as well.
        match self.conns.get_mut(slot) {
            Some(conn) if conn.is_running(flow) => conn.ends[0].qp.rate(now).as_bps(),
            _ => 0,
        }
    }

    /// From now on, look for deadlocks: something is paused.
    #[inline]
    pub(super) fn watch_deadlocks(&mut self) {
        if !self.deadlock_watch && self.options.deadlock_interval != Span::ZERO {
            self.deadlock_watch = true;
            let at = self.now + self.options.deadlock_interval;
            self.wheel.push(at.as_ps(), Event::Deadlocks);
        }
    }

    /// Looks for ports that are paused, have not sent since the last look, and wait for each other in a circle.
    pub(super) fn look_for_deadlocks(&mut self) {
        self.deadlock_watch = false;
        let mut stuck: BTreeMap<(u32, u8), (u64, u64)> = BTreeMap::new();
        let mut any_paused = false;
        for port in 0..self.lines.len() as u32 {
            let line = &self.lines[port as usize];
            for priority in Priority::ALL {
                let (paused, waiting, sent) = match line.switch {
                    true => {
                        let switch = &self.switches[line.node as usize].switch;
                        let local = Port(line.local);
                        (
                            switch.paused(self.now, local, priority),
                            switch.queue_bytes(local, priority) > 0,
                            switch.counters(self.now, local, priority).map_or(0, |c| c.queue_packets),
                        )
                    }
                    false => (self.nics[port as usize].pause.is_paused(self.now, priority), false, 0),
                };
                any_paused |= paused;
                if paused && waiting {
                    let place = (port, priority.number());
                    let since = match self.stuck.by_place.get(&place) {
                        Some((before, since)) if *before == sent => *since,
                        _ => self.now.as_ps(),
                    };
                    stuck.insert(place, (sent, since));
                }
            }
        }
        self.find_knots(&stuck);
        self.stuck.by_place = stuck;
        if any_paused && self.still_running() {
            self.watch_deadlocks();
        }
    }

    fn find_knots(&mut self, stuck: &BTreeMap<(u32, u8), (u64, u64)>) {
        // Nodes that have not moved since the last look, and one more that stands for all that can move.
        let now = self.now.as_ps();
        let nodes: Vec<(u32, u8)> =
            stuck.iter().filter(|(_, (_, since))| *since < now).map(|(place, _)| *place).collect();
        if nodes.len() < 2 {
            return;
        }
        let index: BTreeMap<(u32, u8), u32> =
            nodes.iter().zip(0u32..).map(|(place, i)| (*place, i)).collect();
        let free = nodes.len() as u32;
        let mut graph = WaitFor::new(nodes.len() + 1);
        for (i, (port, prio)) in nodes.iter().enumerate() {
            let peer = &self.lines[self.lines[*port as usize].peer as usize];
            if !peer.switch {
                // A host pauses it: the host can let it go.
                graph.add(i as u32, free);
                continue;
            }
            let node = &self.switches[peer.node as usize];
            for out in 0..node.switch.ports() as u16 {
                let priority = Priority::from_pcp(*prio);
                if !node.switch.queued(Port(out), priority).any(|(from, _)| from == Port(peer.local)) {
                    continue;
                }
                let to = index.get(&(node.first_port + u32::from(out), *prio)).copied().unwrap_or(free);
                graph.add(i as u32, to);
            }
        }
        for cycle in graph.deadlocks() {
            let since_ps = cycle.iter().map(|i| stuck[&nodes[*i as usize]].1).max().unwrap_or(now);
            let name = |i: &u32| self.port_name(nodes[*i as usize].0);
            let deadlock = Deadlock {
                at_ps: now,
                since_ps,
                priority: nodes[cycle[0] as usize].1,
                cycle: cycle.iter().map(name).collect(),
            };
            if !self.deadlocks.iter().any(|known| known.cycle == deadlock.cycle) {
                self.deadlocks.push(deadlock);
                if self.options.stop_at_deadlock {
                    self.stop = Some(EndReason::Deadlock);
                }
            }
        }
    }

    /// `node:port` of a port.
    pub(super) fn port_name(&self, port: u32) -> String {
        let line = &self.lines[port as usize];
        self.topology.port_name(self.node_of(port), line.local)
    }

    /// The node that a port is on.
    pub(super) fn node_of(&self, port: u32) -> weir_fabric::NodeId {
        let line = &self.lines[port as usize];
        match line.switch {
            true => self.switches[line.node as usize].node,
            false => weir_fabric::NodeId(line.node),
        }
    }
}
