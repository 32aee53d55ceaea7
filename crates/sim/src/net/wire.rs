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
        let peer = line.peer;
        if line.special {
            return self.transmit_special(port, peer, frame, sent);
        }
        self.wheel.push(sent.arrives.as_ps(), Event::Arrive { port: peer, frame });
    }

    #[cold]
    fn transmit_special(&mut self, port: u32, peer: u32, mut frame: Handle, sent: Sent) {
        self.tap_frame(port, Direction::Out, frame);
        if !self.lines[port as usize].up {
            self.lines[port as usize].lost += 1;
            self.counts.drops += 1;
            return self.discard(frame);
        }
        let data = self.frames.get(frame.packet).packet.payload_bytes > 0;
        let Some(faults) = &mut self.faults[port as usize] else {
            return self.wheel.push(sent.arrives.as_ps(), Event::Arrive { port: peer, frame });
        };
        let fate = faults.fate(u32::from(frame.bytes), data);
        if fate.lost {
            self.lines[port as usize].lost += 1;
            self.counts.drops += 1;
            return self.discard(frame);
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
            self.counts.duplicates += 1;
            self.wheel.push(at.as_ps(), Event::Arrive { port: peer, frame: Handle { packet, ..frame } });
        }
    }

    /// A frame is at a port, whole.
    #[inline]
    pub(super) fn arrive(&mut self, port: u32, frame: Handle) {
        let line = &mut self.lines[port as usize];
        line.rx_frames += 1;
        line.rx_bytes += u64::from(frame.bytes);
        let (node, switch) = (line.node, line.switch);
        if line.special && !self.arrive_special(port, frame) {
            return;
        }
        match switch {
            true => self.switch_arrive(node, port, frame),
            false => self.host_arrive(node, port, frame),
        }
    }

    /// Whether the frame goes on.
    #[cold]
    fn arrive_special(&mut self, port: u32, frame: Handle) -> bool {
        if !self.lines[port as usize].up {
            // The cable went out while the frame was on it.
            let line = &mut self.lines[port as usize];
            line.rx_frames -= 1;
            line.rx_bytes -= u64::from(frame.bytes);
            let peer = line.peer;
            self.lines[peer as usize].lost += 1;
            self.counts.drops += 1;
            self.discard(frame);
            return false;
        }
        self.tap_frame(port, Direction::In, frame);
        true
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
            if lost || !self.lines[port as usize].up {
                self.lines[port as usize].lost += 1;
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
        let line = &mut self.lines[port as usize];
        line.rx_frames += 1;
        line.rx_bytes += u64::from(MIN_FRAME_BYTES);
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
