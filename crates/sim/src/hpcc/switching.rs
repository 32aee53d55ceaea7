//! The switches' side of the run.

use weir_switch::{Admit, Departure, Pass, PfcFrame, Port as SwitchPort, Priority};
use weir_units::Time;

use super::config::CcMode;
use super::engine::Engine;
use super::error::Step;
use super::frame::{Frame, Kind};

/// Length of a PFC frame of the reference: Ethernet, IPv4, and nine bytes.
const PFC_BYTES: u16 = 43;

impl Engine {
    /// A frame has arrived at a switch.
    #[inline]
    pub(crate) fn arrive_at_switch(&mut self, index: u32, mut frame: Frame) -> Step {
        if frame.kind() == Kind::Pfc {
            return self.pfc_at_switch(index, frame);
        }
        let port = &self.ports[index as usize];
        let (owner, in_port) = (port.owner as usize, SwitchPort(port.local));
        let base = self.port_base[port.node as usize];
        let Some(out) = self.paths.egress(frame, || self.egress_now(index, frame)) else {
            self.summary.unroutable += 1;
            self.telemetry.free(frame.telemetry);
            return Ok(());
        };
        frame.hop += 1;
        let priority = Priority::from_pcp(frame.priority());
        let now = Time::from_ns(self.now);
        let (switch, out_port) = (&mut self.switches[owner], SwitchPort(out));
        let line = &self.ports[(base + u32::from(out)) as usize];
        let admitted = if line.up && !line.is_busy(&self.wheel) {
            match switch.pass(now, in_port, out_port, priority, frame) {
                Pass::Through(departure) => {
                    self.depart(base + u32::from(out), owner, base, departure);
                    return Ok(());
                }
                Pass::Admitted(admitted) => admitted,
            }
        } else {
            switch.admit(now, in_port, out_port, priority, frame)
        };
        if let Admit::Dropped { frame, .. } = admitted {
            self.summary.drops += 1;
            self.telemetry.free(frame.telemetry);
            return Ok(());
        }
        // A pause goes before the frame that caused it.
        self.emit_pfc(owner, base);
        self.try_send_switch(base + u32::from(out));
        Ok(())
    }

    /// Where a frame leaves a switch, from its addresses: after a link has gone down.
    #[cold]
    fn egress_now(&self, index: u32, frame: Frame) -> Option<u16> {
        let node = self.ports[index as usize].node;
        let flow = &self.flows[frame.flow as usize];
        let tuple = super::routes::tuple(flow);
        let (to, tuple) = match frame.kind() {
            Kind::Data => (flow.dst, tuple),
            _ => (flow.src, tuple.reversed()),
        };
        let seed = node.wrapping_add(self.ecmp_seed_offset);
        let interface = self.routes.egress(node, to, tuple, seed)?;
        Some(interface - 1)
    }

    fn pfc_at_switch(&mut self, index: u32, frame: Frame) -> Step {
        self.note_pfc(index, frame)?;
        let port = &self.ports[index as usize];
        let priority = Priority::from_pcp(frame.flow as u8);
        let pfc =
            if frame.seq == 0 { PfcFrame::resume(priority) } else { PfcFrame::pause(priority, u16::MAX) };
        let switch = &mut self.switches[port.owner as usize];
        switch.handle_pfc(Time::from_ns(self.now), SwitchPort(port.local), &pfc);
        while switch.poll_ready().is_some() {}
        if frame.seq == 0 {
            self.try_send_switch(index);
        }
        Ok(())
    }

    /// Counts and writes down a PFC frame that has arrived.
    pub(crate) fn note_pfc(&mut self, index: u32, frame: Frame) -> Step {
        let pause = frame.seq != 0;
        *(if pause { &mut self.summary.pauses } else { &mut self.summary.resumes }) += 1;
        let port = &self.ports[index as usize];
        self.outputs.pause(self.now, port.node, port.is_switch, u32::from(port.local) + 1, pause)
    }

    /// Sends what PFC frames the switch wants to send: they join the queue that goes first. Each takes a random
    /// number, for the identification in its IP header.
    #[inline]
    pub(crate) fn emit_pfc(&mut self, owner: usize, base: u32) {
        while let Some((port, pfc)) = self.switches[owner].poll_pfc() {
            for (class, quanta) in pfc.iter() {
                self.draws.skip();
                let (class, pause) = (u32::from(class.number()), u32::from(quanta > 0));
                let frame = Frame::new(Kind::Pfc, class, pause, PFC_BYTES, 0);
                let now = Time::from_ns(self.now);
                self.switches[owner].admit(now, port, port, Priority::from_pcp(0), frame);
                self.try_send_switch(base + u32::from(port.0));
            }
        }
    }

    /// Sends by a switch's port if its line is free and something may go.
    #[inline]
    pub(crate) fn try_send_switch(&mut self, index: u32) {
        if self.busy(index) || !self.ports[index as usize].up {
            return;
        }
        let port = &self.ports[index as usize];
        let (owner, local, base) =
            (port.owner as usize, SwitchPort(port.local), self.port_base[port.node as usize]);
        let switch = &mut self.switches[owner];
        let draws = &mut self.draws;
        let Some(departure) = switch.dequeue(Time::from_ns(self.now), local, &mut || draws.draw()) else {
            return;
        };
        self.depart(index, owner, base, departure);
    }

    /// Puts a frame that its switch has given out on the line of port `index`.
    #[inline]
    fn depart(&mut self, index: u32, owner: usize, base: u32, departure: Departure<Frame>) {
        self.summary.marks += u64::from(departure.marked);
        // A resume goes before the frame that made room.
        self.emit_pfc(owner, base);
        let frame = departure.frame;
        let port = &mut self.ports[index as usize];
        let local = SwitchPort(port.local);
        match frame.kind() {
            Kind::Pfc => self.summary.pfc_sent += 1,
            kind => {
                self.summary.switch_frames += 1;
                if kind == Kind::Data {
                    self.summary.switch_data_frames += 1;
                    if self.config.mode == CcMode::Hpcc {
                        let queued = self.switches[owner].port_bytes(local);
                        self.telemetry.push(frame.telemetry, self.now, port.sent_bytes, queued, port.bps);
                    }
                }
            }
        }
        port.sent_bytes += u64::from(frame.bytes);
        let more = !self.switches[owner].is_empty(local);
        self.transmit(index, frame, more);
    }
}
