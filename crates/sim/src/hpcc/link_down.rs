//! LINK_DOWN: one link fails for good, and all routes are found anew at once.

use weir_units::Time;

use super::engine::Engine;
use super::error::Step;
use super::routes::{Routes, tuple};

impl Engine {
    /// Takes the link down: its ports drop what waits, frames under way on it are lost on arrival, and every host
    /// hands its queue pairs to its NICs anew.
    pub(crate) fn take_link_down(&mut self) -> Step {
        let Some(down) = self.link_down else { return Ok(()) };
        let link = self.topology.links[down as usize];
        let neighbours = self.topology.neighbours();
        self.routes = Routes::new(&self.topology, &neighbours, |link| link == down);
        self.paths.outdate();
        for end in 0..2 {
            let index = self.port_base[link.nodes[end] as usize] + link.interfaces[end] - 1;
            self.take_port_down(index);
        }
        for nic in &mut self.nics {
            nic.clear_flows();
        }
        for index in 0..self.flows.len() {
            self.hand_out(index);
        }
        Ok(())
    }

    fn take_port_down(&mut self, index: u32) {
        let port = &mut self.ports[index as usize];
        port.up = false;
        let owner = port.owner as usize;
        if !port.is_switch {
            while let Some(ack) = self.nics[owner].acks.pop_front() {
                self.summary.lost += 1;
                self.telemetry.free(ack.telemetry);
            }
            return;
        }
        let local = weir_switch::Port(port.local);
        let switch = &mut self.switches[owner];
        let now = Time::from_ns(self.now);
        for priority in weir_switch::Priority::ALL {
            switch.handle_pfc(now, local, &weir_switch::PfcFrame::resume(priority));
        }
        while switch.poll_ready().is_some() {}
        // No draw decides about a frame that is thrown away.
        while let Some(departure) = switch.dequeue(now, local, &mut || 1.0) {
            self.summary.lost += 1;
            self.telemetry.free(departure.frame.telemetry);
        }
        let base = self.port_base[self.ports[index as usize].node as usize];
        self.emit_pfc(owner, base);
    }

    /// Gives a running flow its NICs by the new routes.
    fn hand_out(&mut self, index: usize) {
        let flow = self.flows[index];
        let tuple = tuple(&flow);
        let nic = |routes: &Routes, from: u32, to: u32, tuple| {
            let interface = routes.nic(from, to, tuple)?;
            Some(self.ports[(self.port_base[from as usize] + u32::from(interface) - 1) as usize].owner)
        };
        let data = nic(&self.routes, flow.src, flow.dst, tuple);
        let ack = nic(&self.routes, flow.dst, flow.src, tuple.reversed());
        let (Some(data), Some(ack)) = (data, ack) else { return };
        self.paths.set_nics(index, [data, ack]);
        let sender = &mut self.senders[index];
        sender.nic = data;
        if sender.started && !sender.completed {
            let nic = &mut self.nics[data as usize];
            nic.add(index as u32, sender);
            let port = nic.port;
            self.try_send_host(port);
        }
    }
}
