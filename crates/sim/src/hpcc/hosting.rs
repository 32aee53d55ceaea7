//! The hosts' side of the run.

use super::config::CcMode;
use super::engine::Engine;
use super::error::Step;
use super::frame::{Event, Frame, Kind, What};
use super::nic::Choice;
use super::sender::{Answer, Receiver};

/// Bytes of headers that the reference counts in a flow's ideal time, whatever the telemetry.
pub(crate) const PLAIN_HEADER_BYTES: u64 = 48;

impl Engine {
    /// A frame has arrived at a host.
    #[inline]
    pub(crate) fn arrive_at_host(&mut self, index: u32, frame: Frame) -> Step {
        match frame.kind() {
            Kind::Data => self.receive_data(frame),
            Kind::Ack | Kind::Nack => self.receive_ack(frame)?,
            Kind::Pfc => {
                self.note_pfc(index, frame)?;
                let nic = &mut self.nics[self.ports[index as usize].owner as usize];
                let class = 1 << (frame.flow & 7);
                if frame.seq == 0 {
                    nic.paused &= !class;
                    self.try_send_host(index);
                } else {
                    nic.paused |= class;
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn receive_data(&mut self, frame: Frame) {
        let flow = frame.flow as usize;
        let payload = u32::from(frame.bytes - self.header_bytes);
        let receiver = &mut self.receivers[flow];
        let kind = match receiver.handle(self.now, frame.seq, payload, &self.answer_rules) {
            Answer::Ack => Kind::Ack,
            Answer::Nack => Kind::Nack,
            Answer::Nothing => {
                self.telemetry.free(frame.telemetry);
                return;
            }
        };
        let mut ack = Frame::new(kind, frame.flow, receiver.expected(), self.ack_bytes, frame.priority())
            .with_cnp(frame.is_ce());
        ack.telemetry = frame.telemetry;
        let Some(nic) = self.paths.ack_nic(flow) else { return };
        self.nics[nic as usize].acks.push_back(ack);
        self.try_send_host(self.nics[nic as usize].port);
    }

    #[inline]
    fn receive_ack(&mut self, frame: Frame) -> Step {
        let flow = frame.flow as usize;
        let nack = frame.kind() == Kind::Nack;
        *(if nack { &mut self.summary.nacks } else { &mut self.summary.acks }) += 1;
        if self.senders[flow].completed {
            // The reference has forgotten the queue pair, and does nothing.
            self.telemetry.free(frame.telemetry);
            return Ok(());
        }
        let rules = self.answer_rules;
        let sender = &mut self.senders[flow];
        let before = sender.snd_una;
        if rules.ack_interval != 0 {
            let mut acked = frame.seq;
            if rules.back_to_zero && rules.chunk != 0 {
                acked = acked / rules.chunk * rules.chunk;
            }
            sender.snd_una = sender.snd_una.max(u64::from(acked));
            if sender.is_finished() {
                self.complete(frame.flow)?;
            }
        }
        let sender = &mut self.senders[flow];
        let acked = sender.snd_una - before;
        let nic = sender.nic as usize;
        if nack {
            sender.snd_nxt = sender.snd_una;
            self.nics[nic].refresh(frame.flow, sender);
        }
        if frame.is_cnp() {
            self.summary.cnp_acks += 1;
        }
        self.control_ack(frame, acked);
        if self.senders[flow].completed {
            self.forget_control(frame.flow);
        }
        self.telemetry.free(frame.telemetry);
        self.try_send_host(self.nics[nic].port);
        Ok(())
    }

    /// The last byte of a flow has been acknowledged.
    fn complete(&mut self, index: u32) -> Step {
        let (flow, sender) = (&self.flows[index as usize], &mut self.senders[index as usize]);
        sender.completed = true;
        self.nics[sender.nic as usize].finish(index, sender);
        self.receivers[index as usize] = Receiver::default();
        self.summary.flows_completed += 1;
        self.running_flows -= 1;
        let ideal = self.paths.pair(index as usize).map_or(0, |pair| {
            // 32 and 64 bits that wrap, as in the reference.
            let packets =
                (sender.size.wrapping_sub(1) / u64::from(self.config.payload_bytes)).wrapping_add(1);
            let bytes = sender.size.wrapping_add(packets.wrapping_mul(PLAIN_HEADER_BYTES)) as u32;
            pair.rtt_ns.wrapping_add(u64::from(bytes).wrapping_mul(8_000_000_000) / pair.bps)
        });
        let duration = self.now - flow.start_ns;
        let tuple = super::routes::tuple(flow);
        self.outputs.completion(tuple, sender.size, flow.start_ns, duration, ideal)
    }

    /// The time of flow `index` in the list has come: it and all that start in the same nanosecond are set up, and
    /// the next of the list is scheduled.
    pub(crate) fn list_flows(&mut self, index: u32) {
        let mut next = index as usize;
        while self.flows.get(next).is_some_and(|flow| flow.start_ns == self.now) {
            self.wheel.push(self.now, Event::new(What::Start, next as u32));
            next += 1;
        }
        if let Some(flow) = self.flows.get(next) {
            self.wheel.push(flow.start_ns, Event::new(What::List, next as u32));
        }
    }

    /// A flow starts: at line rate, at once.
    pub(crate) fn start_flow(&mut self, index: u32) {
        let sender = &mut self.senders[index as usize];
        sender.started = true;
        sender.next_available = self.now;
        self.summary.flows_started += 1;
        self.running_flows += 1;
        let nic = &mut self.nics[sender.nic as usize];
        nic.add(index, sender);
        let port = nic.port;
        self.try_send_host(port);
    }

    /// Sends by a host's port if its line is free and something may go.
    #[inline]
    pub(crate) fn try_send_host(&mut self, index: u32) {
        let port = &self.ports[index as usize];
        if !port.up {
            return;
        }
        let nic = port.owner as usize;
        if port.is_busy(&self.wheel) {
            if !self.nics[nic].is_idle() {
                self.busy(index);
            }
            return;
        }
        match self.nics[nic].choose(self.now, self.ack_class, self.windows, &mut self.senders) {
            Choice::Ack => {
                if let Some(ack) = self.nics[nic].acks.pop_front() {
                    self.summary.host_frames += 1;
                    let more = !self.nics[nic].is_idle();
                    self.transmit(index, ack, more);
                }
            }
            Choice::Flow(flow) => self.send_data(index, nic, flow),
            Choice::Nothing(earliest) => {
                if earliest != u64::MAX
                    && earliest > self.now
                    && let Some(generation) = self.nics[nic].plan_wake(earliest)
                {
                    self.schedule_wake(index, earliest, generation);
                }
            }
        }
    }

    #[inline]
    pub(crate) fn schedule_wake(&mut self, port: u32, at: u64, generation: u32) {
        self.wheel.push(at, Event::numbered(What::Wake, port, generation));
    }

    #[inline]
    fn send_data(&mut self, port: u32, nic: usize, index: u32) {
        let sender = &mut self.senders[index as usize];
        let payload = sender.bytes_left().min(u64::from(self.config.payload_bytes)) as u16;
        let bytes = payload + self.header_bytes;
        let mut frame = Frame::new(Kind::Data, index, sender.snd_nxt as u32, bytes, sender.priority);
        sender.snd_nxt += u64::from(payload);
        sender.last_bytes = bytes;
        if self.config.mode.telemetry_bytes() > 0 {
            frame.telemetry = self.telemetry.begin(self.now);
        }
        self.summary.host_frames += 1;
        self.summary.host_data_frames += 1;
        self.transmit(port, frame, true);
        let sender = &mut self.senders[index as usize];
        let rate = if self.config.rate_bound { sender.rate_bps } else { sender.line_bps };
        let pace = if rate == sender.line_bps {
            self.ports[port as usize].serialisation_ns(bytes)
        } else {
            super::clock::serialisation_ns(u32::from(bytes), rate)
        };
        sender.next_available = self.now.saturating_add(pace);
        self.nics[nic].refresh(index, sender);
    }

    /// What congestion control makes of an acknowledgement.
    #[inline]
    fn control_ack(&mut self, frame: Frame, acked_bytes: u64) {
        match self.config.mode {
            CcMode::Dcqcn => {
                if frame.is_cnp() {
                    self.cnp(frame.flow);
                }
            }
            _ => self.control_ack_by_rate(frame, acked_bytes),
        }
    }
}
