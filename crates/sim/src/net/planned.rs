//! Planned faults: what the scenario says goes wrong, from when until when.

use super::engine::Engine;
use super::event::Event;
use super::line::{FaultRates, Faults};
use weir_fabric::{FaultKind, LinkId};
use weir_switch::{PfcFrame, Port, Priority};
use weir_units::{Span, Time};

/// Where a fault of the scenario is in its course.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stage {
    /// Whether it holds now.
    pub(crate) on: bool,
}

impl Engine<'_> {
    /// Schedules the begin of every fault.
    pub(super) fn schedule_faults(&mut self) {
        self.stages = vec![Stage::default(); self.scenario.faults.len()];
        for (i, fault) in self.scenario.faults.iter().enumerate() {
            self.wheel.push(fault.from.as_ps(), Event::Fault(i as u32));
        }
    }

    /// A fault begins, ends, or takes its next step.
    pub(super) fn fault(&mut self, index: u32) {
        let fault = &self.scenario.faults[index as usize];
        let over = self.now >= fault.until;
        let was = self.stages[index as usize].on;
        let again = |engine: &mut Self, after: Span| {
            let at = engine.now.saturating_add(after).as_ps().min(fault.until.as_ps());
            engine.wheel.push(at, Event::Fault(index));
        };
        match &fault.kind {
            FaultKind::Loss { links, .. }
            | FaultKind::DropEvery { links, .. }
            | FaultKind::Reorder { links, .. }
            | FaultKind::Duplicate { links, .. }
            | FaultKind::Corrupt { links, .. } => {
                self.stages[index as usize].on = !over;
                for link in links {
                    self.set_rates(*link);
                }
                if !over && fault.until != Time::MAX {
                    again(self, Span::MAX);
                }
            }
            FaultKind::LinkDown { links } => {
                if was == over {
                    self.stages[index as usize].on = !over;
                    self.set_links(links, !over);
                }
                if !over && fault.until != Time::MAX {
                    again(self, Span::MAX);
                }
            }
            FaultKind::Flap { links, down, up } => {
                let goes_down = !was && !over;
                if was || goes_down {
                    self.stages[index as usize].on = goes_down;
                    self.set_links(links, goes_down);
                }
                if !over {
                    again(self, if goes_down { *down } else { *up });
                }
            }
            FaultKind::PauseStorm { host, priorities } => {
                self.stages[index as usize].on = !over;
                let quanta = if over { 0 } else { self.scenario.pfc.quanta };
                let mut pfc = PfcFrame::default();
                for priority in Priority::ALL.into_iter().filter(|p| priorities & p.bit() != 0) {
                    pfc.set(priority, quanta);
                }
                let mut period = Span::MAX;
                for local in 0..self.topology.ports(*host).len() {
                    let port = self.topology.port_index(*host, local as u16) as u32;
                    self.nic_pause(port, pfc);
                    period = period.min(self.refresh_period(port));
                }
                if !over {
                    again(self, period);
                }
            }
            FaultKind::SlowReceiver { host, rate, buffer } => {
                self.stages[index as usize].on = !over;
                for local in 0..self.topology.ports(*host).len() {
                    let port = self.topology.port_index(*host, local as u16) as u32;
                    self.set_slow(port, (!over).then_some((*rate, buffer.get())));
                }
                if !over && fault.until != Time::MAX {
                    again(self, Span::MAX);
                }
            }
        }
    }

    /// What chance does on a link now: all faults that hold there, together.
    pub(super) fn rates_of(&self, link: LinkId) -> FaultRates {
        let mut rates =
            FaultRates { bit_error_rate: self.topology.link(link).bit_error_rate, ..FaultRates::default() };
        let either = |a: f64, b: f64| 1.0 - (1.0 - a) * (1.0 - b);
        for (fault, stage) in self.scenario.faults.iter().zip(&self.stages) {
            if !stage.on {
                continue;
            }
            match &fault.kind {
                FaultKind::Loss { links, probability } if links.contains(&link) => {
                    rates.loss = either(rates.loss, *probability);
                }
                FaultKind::DropEvery { links, every } if links.contains(&link) => rates.drop_every = *every,
                FaultKind::Reorder { links, probability, delay } if links.contains(&link) => {
                    rates.reorder = either(rates.reorder, *probability);
                    rates.reorder_by = rates.reorder_by.max(*delay);
                }
                FaultKind::Duplicate { links, probability } if links.contains(&link) => {
                    rates.duplicate = either(rates.duplicate, *probability);
                }
                FaultKind::Corrupt { links, probability } if links.contains(&link) => {
                    rates.corrupt = either(rates.corrupt, *probability);
                }
                _ => {}
            }
        }
        rates
    }

    /// Both global ports of a link.
    pub(super) fn ports_of(&self, link: LinkId) -> [u32; 2] {
        self.topology.link(link).ends.map(|end| self.topology.port_index(end.node, end.port) as u32)
    }

    /// Applies what chance does on a link to both directions.
    pub(super) fn set_rates(&mut self, link: LinkId) {
        let rates = self.rates_of(link);
        for port in self.ports_of(link) {
            match &mut self.faults[port as usize] {
                Some(faults) => faults.set(rates),
                none if rates.any() => {
                    *none = Some(Box::new(Faults::new(self.seed, u64::from(port), rates)));
                }
                _ => {}
            }
            self.set_special(port);
        }
    }

    /// Whether the line of a port needs the long way round.
    pub(super) fn set_special(&mut self, port: u32) {
        let peer = self.lines[port as usize].peer;
        let tapped = self.tap_of(port).is_some() || self.tap_of(peer).is_some();
        for (port, peer) in [(port, peer), (peer, port)] {
            let faulty = self.faults[port as usize].is_some() || self.faults[peer as usize].is_some();
            self.lines[port as usize].special = tapped || faulty || !self.up[port as usize];
        }
    }

    /// Links go down or come back; routes and the paths of all connections follow at once.
    fn set_links(&mut self, links: &[LinkId], down: bool) {
        for link in links {
            let count = &mut self.link_down[link.index()];
            *count = if down { *count + 1 } else { count.saturating_sub(1) };
            let up = *count == 0;
            for port in self.ports_of(*link) {
                let was = std::mem::replace(&mut self.up[port as usize], up);
                self.ports_down = self.ports_down + u32::from(was && !up) - u32::from(up && !was);
                self.set_special(port);
                if up {
                    self.port_up(port);
                } else {
                    self.port_down(port);
                }
            }
        }
        let down = &self.link_down;
        self.routes = self.scenario.routes(|link| down[link.index()] == 0);
        self.reroute_all();
    }

    /// What waits at the port of a cable that went out is thrown away by a switch; a NIC keeps it.
    fn port_down(&mut self, port: u32) {
        self.pfc_out[port as usize].clear();
        let (node, local, switch) = {
            let line = &self.lines[port as usize];
            (line.node, line.local, line.switch)
        };
        if switch {
            self.switches[node as usize].switch.handle_link_down(self.now, Port(local));
            self.after_switch(node);
        } else {
            // Pauses do not outlive a link.
            let mut all = PfcFrame::default();
            for priority in Priority::ALL {
                all.set(priority, 0);
            }
            self.nics[port as usize].pause.handle_pfc(self.now, &all);
        }
    }

    fn port_up(&mut self, port: u32) {
        let (node, local, switch) = {
            let line = &self.lines[port as usize];
            (line.node, line.local, line.switch)
        };
        if switch {
            self.switches[node as usize].switch.handle_link_up(self.now, Port(local));
            self.after_switch(node);
        } else {
            self.nic_kick(port);
        }
    }
}
