//! Switches in the network: what arrives, what leaves, who pauses whom.

use super::engine::Engine;
use super::event::Event;
use super::frame::{Handle, INT, NO_TELEMETRY};
use super::path::DYNAMIC;
use super::pauses::Begin;
use super::rng::{Purpose, hash};
use crate::results::LosslessDrop;
use weir_congestion::IntHop;
use weir_fabric::NodeId;
use weir_switch::{Admit, DropReason, Pass, PfcFrame, Port, Priority, Switch};
use weir_units::Time;

/// A switch and where its ports stand among all ports.
#[derive(Debug)]
pub(crate) struct SwitchNode {
    pub(crate) switch: Switch<Handle>,
    pub(crate) node: NodeId,
    pub(crate) first_port: u32,
    /// Time of the earliest deadline event that is scheduled and still counts.
    pub(crate) deadline_at: Time,
    /// Bytes that were queued and then thrown away.
    pub(crate) flushed_bytes: u64,
}

/// Lossless drops that are kept one by one.
const LOSSLESS_DROPS_KEPT: usize = 1000;

impl Engine<'_> {
    /// A frame is at a switch, whole.
    #[inline]
    pub(super) fn switch_arrive(&mut self, node: u32, local: u16, mut frame: Handle) {
        let out = match frame.path {
            DYNAMIC => DYNAMIC,
            at => u32::from(self.paths.port(at)),
        };
        let out = if out == DYNAMIC || self.ports_down > 0 {
            match self.way_round(node, out, &mut frame) {
                Some(out) => out,
                None => return self.discard(frame),
            }
        } else {
            frame.path += 1;
            out as u16
        };
        let now = self.now;
        let switch = &mut self.switches[node as usize];
        let (in_port, priority) = (Port(local), Priority::from_pcp(frame.prio));
        let port = switch.first_port + u32::from(out);
        let line = &mut self.lines[port as usize];
        let idle = !line.wake_pending && line.busy_until <= now;
        let admitted = match idle && self.pfc_out[port as usize].is_empty() {
            true => match switch.switch.pass(now, in_port, Port(out), priority, frame) {
                Pass::Through(departure) => {
                    self.depart(port, departure.frame);
                    return self.send_pauses(node, None);
                }
                Pass::Admitted(admitted) => admitted,
            },
            false => switch.switch.admit(now, in_port, Port(out), priority, frame),
        };
        if let Admit::Dropped { reason, frame } = admitted {
            self.dropped(node, reason);
            return self.discard(frame);
        }
        self.send_pauses(node, Some(port));
        self.switch_kick(port);
    }

    /// Reads what [`Engine::switch_arrive`] will want.
    #[inline]
    pub(super) fn look_at_switch(&self, node: u32, local: u16, frame: Handle) {
        if frame.path == DYNAMIC {
            return;
        }
        let (out, priority) = (self.paths.port(frame.path), Priority::from_pcp(frame.prio));
        let switch = &self.switches[node as usize];
        std::hint::black_box(self.lines[(switch.first_port + u32::from(out)) as usize].busy_until);
        std::hint::black_box(switch.switch.ingress_shared_bytes(Port(local), priority));
        std::hint::black_box(switch.switch.queue_bytes(Port(out), priority));
        std::hint::black_box(switch.switch.is_empty(Port(out)));
    }

    /// A frame leaves a switch.
    #[inline]
    fn depart(&mut self, port: u32, frame: Handle) {
        if frame.flags & INT != 0 {
            self.write_telemetry(port, frame);
        }
        self.transmit(port, frame);
    }

    /// In-band telemetry, as the frame begins to leave: what the port has sent before it and what waits behind it.
    #[cold]
    fn write_telemetry(&mut self, port: u32, frame: Handle) {
        let slot = self.frames.get(frame.packet).telemetry;
        if slot == NO_TELEMETRY {
            return;
        }
        let line = &self.lines[port as usize];
        let switch = &self.switches[line.node as usize].switch;
        let queue_bytes = switch.queue_bytes(Port(line.local), Priority::from_pcp(frame.prio));
        let hop = IntHop { at: self.now, tx_bytes: line.tx_bytes, queue_bytes, rate: line.rate };
        self.telemetry.get_mut(slot).push(hop);
    }

    /// The output port of a frame that has none, or whose own may be down.
    #[cold]
    fn way_round(&mut self, node: u32, out: u32, frame: &mut Handle) -> Option<u16> {
        if out != DYNAMIC {
            let port = self.switches[node as usize].first_port + out;
            if self.up[port as usize] {
                frame.path += 1;
                return Some(out as u16);
            }
            frame.path = DYNAMIC;
        }
        self.next_port(node, *frame)
    }

    /// The output port of a frame that carries no path.
    #[cold]
    fn next_port(&mut self, node: u32, frame: Handle) -> Option<u16> {
        let end = self.frames.get(frame.packet).to;
        let conn = self.conns.get(end >> 1)?;
        let dst = NodeId(self.lines[conn.ends[(end & 1) as usize].port as usize].node);
        let ports = self.routes.next_ports(self.switches[node as usize].node, dst);
        match ports {
            [] => None,
            [only] => Some(*only),
            _ => {
                self.sprayed += 1;
                let draw = hash(self.seed, Purpose::Spray, u64::from(node), self.sprayed);
                Some(ports[(draw % ports.len() as u64) as usize])
            }
        }
    }

    /// Something waits at a switch port: send it if the line is free, or come back when it is.
    #[inline]
    pub(super) fn switch_kick(&mut self, port: u32) {
        let line = &mut self.lines[port as usize];
        if line.wake_pending {
            return;
        }
        if line.busy_until > self.now {
            line.wake_pending = true;
            self.wheel.push(line.busy_until.as_ps(), Event::SwitchFree(port));
            return;
        }
        self.switch_send(port);
    }

    /// The line of a switch port is free: the next frame, PFC first.
    #[inline]
    pub(super) fn switch_send(&mut self, port: u32) {
        let line = &self.lines[port as usize];
        let (node, local) = (line.node, line.local);
        if self.pfc_out[port as usize].is_empty() || !self.send_pfc(port) {
            let switch = &mut self.switches[node as usize];
            let marks = &mut self.marks[port as usize];
            let Some(departure) = switch.switch.dequeue(self.now, Port(local), &mut || marks.unit()) else {
                return;
            };
            self.depart(port, departure.frame);
            self.send_pauses(node, None);
        }
        let more = !self.switches[node as usize].switch.is_empty(Port(local))
            || !self.pfc_out[port as usize].is_empty();
        let line = &mut self.lines[port as usize];
        if more && !line.wake_pending {
            line.wake_pending = true;
            self.wheel.push(line.busy_until.as_ps(), Event::SwitchFree(port));
        }
    }

    /// Sends what PFC frames a switch has decided. `toward` is the egress port of the frame that was just taken in.
    #[inline]
    pub(super) fn send_pauses(&mut self, node: u32, toward: Option<u32>) {
        while let Some((in_port, pfc)) = self.switches[node as usize].switch.poll_pfc() {
            self.decided(node, in_port, pfc, toward);
        }
    }

    #[cold]
    fn decided(&mut self, node: u32, in_port: Port, pfc: PfcFrame, toward: Option<u32>) {
        let port = self.switches[node as usize].first_port + u32::from(in_port.0);
        let peer = self.lines[port as usize].peer;
        for (priority, quanta) in pfc.iter() {
            let prio = priority.number();
            if quanta == 0 {
                self.pauses.end(self.now, port, prio);
            } else {
                let beyond = toward.map(|port| self.lines[port as usize].peer);
                self.pauses.begin(self.now, Begin { port, paused: peer, prio, toward, beyond });
                self.watch_deadlocks();
            }
        }
        self.pfc_out[port as usize].push_back(pfc);
        self.switch_kick(port);
        self.schedule_switch_deadline(node);
    }

    /// Keeps one event for the earliest deadline of a switch.
    pub(super) fn schedule_switch_deadline(&mut self, node: u32) {
        let switch = &mut self.switches[node as usize];
        if let Some(at) = switch.switch.next_deadline()
            && at < switch.deadline_at
        {
            switch.deadline_at = at;
            self.wheel.push(at.as_ps(), Event::SwitchDeadline(node));
        }
    }

    /// A deadline of a switch may be due.
    pub(super) fn switch_deadline(&mut self, node: u32) {
        let switch = &mut self.switches[node as usize];
        if switch.deadline_at > self.now {
            return;
        }
        switch.deadline_at = Time::MAX;
        switch.switch.handle_deadline(self.now);
        self.after_switch(node);
    }

    /// A PFC frame is at a switch.
    pub(super) fn switch_pfc(&mut self, node: u32, local: u16, pfc: &PfcFrame) {
        self.switches[node as usize].switch.handle_pfc(self.now, Port(local), pfc);
        self.after_switch(node);
    }

    /// What may follow from a deadline or a pause: frames thrown away, pauses to send, ports that go on.
    pub(super) fn after_switch(&mut self, node: u32) {
        while let Some(gone) = self.switches[node as usize].switch.poll_discarded() {
            self.switches[node as usize].flushed_bytes += u64::from(gone.frame.bytes);
            self.dropped(node, gone.reason);
            self.discard(gone.frame);
        }
        self.send_pauses(node, None);
        while let Some(port) = self.switches[node as usize].switch.poll_ready() {
            let port = self.switches[node as usize].first_port + u32::from(port.0);
            self.switch_kick(port);
        }
        while let Some(event) = self.switches[node as usize].switch.poll_event() {
            self.storms.push((node, event));
        }
        self.schedule_switch_deadline(node);
    }

    /// A frame was dropped by a switch.
    #[cold]
    pub(super) fn dropped(&mut self, node: u32, reason: DropReason) {
        self.counts.drops += 1;
        let DropReason::Lossless(drop) = reason else { return };
        self.counts.lossless_drops += 1;
        if self.lossless_drops.len() < LOSSLESS_DROPS_KEPT {
            let node = self.switches[node as usize].node;
            self.lossless_drops.push(LosslessDrop {
                at_ps: drop.at.as_ps(),
                node: self.topology.node(node).name.clone(),
                port: u32::from(drop.in_port.0),
                priority: drop.priority.number(),
                occupancy_bytes: u64::from(drop.occupancy_bytes),
                headroom_bytes: u64::from(drop.headroom_bytes),
                headroom_limit_bytes: u64::from(drop.headroom_limit_bytes),
            });
        }
    }
}
