//! What happens between ports: frames and PFC frames on lines, with faults and taps.

use super::engine::Engine;
use super::event::Event;
use super::frame::{CORRUPT, Handle};
use super::line::{MIN_FRAME_BYTES, Sent};
use super::options::Direction;
use weir_switch::PfcFrame;

impl Engine<'_> {
    /// Puts a frame on the line of a port, which is free.
    #[inline]
    pub(super) fn transmit(&mut self, port: u32, frame: Handle) {
        let line = &mut self.lines[port as usize];
        let sent = line.send(self.now, u32::from(frame.bytes));
        if line.special {
            return self.transmit_special(port, frame, sent);
        }
        let event = match line.peer_switch {
            true => Event::ToSwitch { node: line.peer_node, local: line.peer_local, frame },
            false => Event::ToHost { port: line.peer, frame },
        };
        self.wheel.push(sent.arrives.as_ps(), event);
    }

    #[cold]
    fn transmit_special(&mut self, port: u32, mut frame: Handle, sent: Sent) {
        let peer = self.lines[port as usize].peer;
        self.tap_frame(port, Direction::Out, frame);
        if !self.up[port as usize] {
            return self.lose(port, frame);
        }
        let data = self.frames.get(frame.packet).packet.payload_bytes > 0;
        let Some(faults) = &mut self.faults[port as usize] else {
            return self.wheel.push(sent.arrives.as_ps(), Event::Arrive { port: peer, frame });
        };
        let fate = faults.fate(u32::from(frame.bytes), data);
        if fate.lost {
            return self.lose(port, frame);
        }
        if fate.corrupted {
            frame.flags |= CORRUPT;
        }
        let at = sent.arrives + fate.held;
        self.wheel.push(at.as_ps(), Event::Arrive { port: peer, frame });
        if fate.duplicated {
            let copy = *self.frames.get(frame.packet);
            self.hold(copy.to);
            let packet = self.frames.insert(copy);
            self.losses[port as usize].double(u32::from(frame.bytes));
            self.counts.duplicates += 1;
            self.wheel.push(at.as_ps(), Event::Arrive { port: peer, frame: Handle { packet, ..frame } });
        }
    }

    /// A frame that a port sent does not arrive.
    #[cold]
    fn lose(&mut self, port: u32, frame: Handle) {
        self.losses[port as usize].lose(u32::from(frame.bytes));
        self.counts.drops += 1;
        self.discard(frame);
    }

    /// A frame is at a switch, whole.
    #[inline]
    pub(super) fn at_switch(&mut self, node: u32, local: u16, frame: Handle) {
        if self.ports_down > 0 {
            let port = self.switches[node as usize].first_port + u32::from(local);
            return self.arrive(port, frame);
        }
        self.switch_arrive(node, local, frame);
    }

    /// A frame is at a host, whole.
    #[inline]
    pub(super) fn at_host(&mut self, port: u32, frame: Handle) {
        if self.ports_down > 0 {
            return self.arrive(port, frame);
        }
        let host = self.lines[port as usize].node;
        self.host_arrive(host, port, frame);
    }

    /// A frame is at a port where something is, or may be, out of the ordinary.
    #[cold]
    pub(super) fn arrive(&mut self, port: u32, frame: Handle) {
        let line = &self.lines[port as usize];
        let (node, local, switch, peer) = (line.node, line.local, line.switch, line.peer);
        if !self.up[port as usize] {
            // The cable went out while the frame was on it.
            return self.lose(peer, frame);
        }
        self.tap_frame(port, Direction::In, frame);
        match switch {
            true => self.switch_arrive(node, local, frame),
            false => self.host_arrive(node, port, frame),
        }
    }

    /// Sends the next PFC frame that waits at a port, whose line is free. False if there is none.
    #[cold]
    pub(super) fn send_pfc(&mut self, port: u32) -> bool {
        let Some(pfc) = self.pfc_out[port as usize].pop_front() else { return false };
        let line = &mut self.lines[port as usize];
        let sent = line.send(self.now, MIN_FRAME_BYTES);
        let peer = line.peer;
        for (_, quanta) in pfc.iter() {
            match quanta {
                0 => self.counts.pfc_resumes += 1,
                _ => self.counts.pfc_pauses += 1,
            }
        }
        if line.special {
            self.tap_pfc(port, Direction::Out, &pfc);
            let lost = match &mut self.faults[port as usize] {
                Some(faults) => faults.fate(MIN_FRAME_BYTES, false).lost,
                None => false,
            };
            if lost || !self.up[port as usize] {
                self.losses[port as usize].lose(MIN_FRAME_BYTES);
                self.counts.drops += 1;
                return true;
            }
        }
        let frame = self.pfcs.insert(pfc);
        self.wheel.push(sent.arrives.as_ps(), Event::Pfc { port: peer, frame });
        true
    }

    /// A PFC frame is at a port.
    pub(super) fn pfc_arrive(&mut self, port: u32, frame: u32) {
        let pfc: PfcFrame = *self.pfcs.get(frame);
        self.pfcs.remove(frame);
        let line = &self.lines[port as usize];
        let peer = line.peer;
        if !self.up[port as usize] {
            self.losses[peer as usize].lose(MIN_FRAME_BYTES);
            self.counts.drops += 1;
            return;
        }
        let (node, local, switch) = (line.node, line.local, line.switch);
        if line.special {
            self.tap_pfc(port, Direction::In, &pfc);
        }
        match switch {
            true => self.switch_pfc(node, local, &pfc),
            false => self.nic_pfc(port, &pfc),
        }
    }
}
