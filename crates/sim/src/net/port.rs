//! The ports of NICs: when they send, when they are paused, and how they pause their switch.

use super::engine::Engine;
use super::event::Event;
use super::frame::Handle;
use super::nic::{Nic, Turn, Urgent};
use super::pauses::Begin;
use std::collections::VecDeque;
use weir_switch::{PauseRx, PfcFrame, Priority};
use weir_units::{Rate, Span, Time};

/// One port of a host.
#[derive(Debug)]
pub(crate) struct NicPort {
    pub(crate) nic: Nic,
    /// What the switch asked for.
    pub(crate) pause: PauseRx,
    /// Whether any pause may be on.
    maybe_paused: bool,
    /// Time of the event that looks whether a pause has run out.
    pause_end_at: Time,
    /// Priorities that this port pauses at its switch.
    pub(crate) pausing: u8,
    /// Pauses and resumes that it sent, by priority.
    pub(crate) pfc_sent: [(u64, u64); 8],
    refresh_pending: bool,
    /// Frames of a slow receiver.
    slow: Option<Box<Slow>>,
}

/// What a slow receiver holds.
#[derive(Debug)]
struct Slow {
    rate: Rate,
    /// Above this, a priority is paused; at half of it, resumed.
    xoff_bytes: u64,
    /// At this, frames are dropped.
    limit_bytes: u64,
    held_bytes: [u64; 8],
    waiting: VecDeque<Handle>,
}

impl NicPort {
    pub(crate) fn new(nic: Nic, pause: PauseRx) -> Self {
        Self {
            nic,
            pause,
            maybe_paused: false,
            pause_end_at: Time::MAX,
            pausing: 0,
            pfc_sent: [(0, 0); 8],
            refresh_pending: false,
            slow: None,
        }
    }

    /// Priorities that may not be sent now.
    #[inline]
    fn paused_mask(&mut self, now: Time) -> u8 {
        if !self.maybe_paused {
            return 0;
        }
        Priority::ALL.iter().filter(|p| self.pause.is_paused(now, **p)).fold(0, |mask, p| mask | p.bit())
    }
}

impl Engine<'_> {
    /// Something may be ready at a NIC: send it if the line is free, or come back when it is.
    #[inline]
    pub(super) fn nic_kick(&mut self, port: u32) {
        let busy_until = self.lines[port as usize].busy_until;
        match busy_until > self.now {
            true => self.nic_wake_at(port, busy_until),
            false => self.nic_send(port),
        }
    }

    /// Sees to it that the NIC is looked at no later than `at`.
    #[inline]
    fn nic_wake_at(&mut self, port: u32, at: Time) {
        let nic = &mut self.nics[port as usize].nic;
        if at < nic.wake_at {
            nic.wake_at = at;
            self.wheel.push(at.as_ps(), Event::NicWake(port));
        }
    }

    /// A wake-up of a NIC; one that has been overtaken by an earlier one does nothing.
    #[inline]
    pub(super) fn nic_wake(&mut self, port: u32) {
        let nic = &mut self.nics[port as usize].nic;
        if nic.wake_at != self.now {
            return;
        }
        nic.wake_at = Time::MAX;
        self.nic_kick(port);
    }

    /// The line of a NIC is free: the next frame, and the time of the one after it.
    fn nic_send(&mut self, port: u32) {
        if self.lines[port as usize].special && !self.up[port as usize] {
            return;
        }
        let sent_pfc = !self.pfc_out[port as usize].is_empty() && self.send_pfc(port);
        if !sent_pfc && !self.nic_send_frame(port) {
            return;
        }
        let busy_until = self.lines[port as usize].busy_until;
        let node = &mut self.nics[port as usize];
        let waiting = !self.pfc_out[port as usize].is_empty();
        match node.nic.look(busy_until) {
            _ if waiting => self.nic_wake_at(port, busy_until),
            Some(at) => self.nic_wake_at(port, at),
            None => {}
        }
    }

    /// Sends one frame if any may go; otherwise arranges for the time when one may.
    fn nic_send_frame(&mut self, port: u32) -> bool {
        let node = &mut self.nics[port as usize];
        node.nic.paused = node.paused_mask(self.now);
        loop {
            match self.nics[port as usize].nic.next(self.now) {
                Turn::Urgent(Urgent::Ack(end)) => {
                    if self.send_ack(port, end) {
                        return true;
                    }
                }
                Turn::Urgent(Urgent::Cnp(end)) => {
                    if self.send_cnp(port, end) {
                        return true;
                    }
                }
                Turn::Data(end, class) => {
                    if self.send_data(port, end, class) {
                        return true;
                    }
                }
                Turn::At(at) => {
                    self.nic_wake_at(port, at);
                    return false;
                }
                Turn::Idle => return false,
            }
        }
    }

    /// A PFC frame is at a NIC.
    pub(super) fn nic_pfc(&mut self, port: u32, pfc: &PfcFrame) {
        let node = &mut self.nics[port as usize];
        node.pause.handle_pfc(self.now, pfc);
        node.maybe_paused = true;
        self.nic_pause_end(port);
    }

    /// A pause of a NIC may have run out or been lifted: go on, and look again when the next one runs out.
    pub(super) fn nic_pause_end(&mut self, port: u32) {
        let node = &mut self.nics[port as usize];
        if node.pause_end_at <= self.now {
            node.pause_end_at = Time::MAX;
        }
        match node.pause.next_deadline(self.now) {
            Some(at) if at < node.pause_end_at => {
                node.pause_end_at = at;
                self.wheel.push(at.as_ps(), Event::NicPauseEnd(port));
            }
            Some(_) => {}
            None => {
                // A pause without an end has no deadline either.
                node.maybe_paused = self.scenario.pfc.style == weir_fabric::PauseStyle::OnOff;
            }
        }
        self.nic_kick(port);
    }

    /// Time between the frames of a NIC that keeps a pause up.
    pub(super) fn refresh_period(&self, port: u32) -> Span {
        let pfc = &self.scenario.pfc;
        let full = weir_switch::pause::quanta_span(pfc.quanta, self.lines[port as usize].rate);
        Span::from_ps(((full.as_ps() as f64 * pfc.refresh) as u64).max(1))
    }

    /// A NIC pauses its switch, or lets it go on.
    pub(super) fn nic_pause(&mut self, port: u32, pfc: PfcFrame) {
        let paused = self.lines[port as usize].peer;
        for (priority, quanta) in pfc.iter() {
            let node = &mut self.nics[port as usize];
            let prio = priority.number();
            if quanta == 0 {
                node.pausing &= !priority.bit();
                node.pfc_sent[priority.index()].1 += 1;
                self.pauses.end(self.now, port, prio);
            } else {
                node.pausing |= priority.bit();
                node.pfc_sent[priority.index()].0 += 1;
                self.pauses.begin(self.now, Begin { port, paused, prio, toward: None, beyond: None });
            }
        }
        self.pfc_out[port as usize].push_back(pfc);
        self.watch_deadlocks();
        self.nic_kick(port);
    }

    /// A NIC takes in no more than `rate` from now on, and pauses above `buffer` bytes; or is quick again.
    pub(super) fn set_slow(&mut self, port: u32, slow: Option<(Rate, u64)>) {
        match (slow, &mut self.nics[port as usize].slow) {
            (Some((rate, xoff_bytes)), none @ None) => {
                let line = &self.lines[port as usize];
                // What can still arrive after a pause was decided: the round trip, two frames each way, and the
                // switch's response; twice, to be generous.
                let way = line.delay * 2 + self.scenario.pfc.response_delay;
                let skid = 2 * (line.rate.bytes_in(way) + 4 * 10_000);
                *none = Some(Box::new(Slow {
                    rate,
                    xoff_bytes,
                    limit_bytes: xoff_bytes + skid,
                    held_bytes: [0; 8],
                    waiting: VecDeque::new(),
                }));
            }
            (Some((rate, xoff_bytes)), Some(old)) => {
                old.rate = rate;
                old.xoff_bytes = xoff_bytes;
            }
            // What is held drains at line rate; the buffer goes when it is empty.
            (None, Some(old)) => old.rate = self.lines[port as usize].rate,
            (None, None) => {}
        }
    }

    /// A frame is at a host, whole.
    #[inline]
    pub(super) fn host_arrive(&mut self, host: u32, port: u32, frame: Handle) {
        if self.nics[port as usize].slow.is_some() {
            return self.slow_arrive(port, frame);
        }
        self.host_take(host, frame);
    }

    #[cold]
    fn slow_arrive(&mut self, port: u32, frame: Handle) {
        let Some(slow) = &mut self.nics[port as usize].slow else { return };
        let held = &mut slow.held_bytes[usize::from(frame.prio & 7)];
        if *held + u64::from(frame.bytes) > slow.limit_bytes {
            let host = self.lines[port as usize].node;
            self.hosts[host as usize].counters.rx_out_of_buffer += 1;
            self.counts.drops += 1;
            return self.discard(frame);
        }
        *held += u64::from(frame.bytes);
        let over = *held > slow.xoff_bytes;
        slow.waiting.push_back(frame);
        if slow.waiting.len() == 1 {
            let at = self.now + slow.rate.span_of(u64::from(frame.bytes));
            self.wheel.push(at.as_ps(), Event::Drained(port));
        }
        let priority = Priority::from_pcp(frame.prio);
        if over && self.nics[port as usize].pausing & priority.bit() == 0 {
            self.nic_pause(port, PfcFrame::pause(priority, self.scenario.pfc.quanta));
            let node = &mut self.nics[port as usize];
            if !node.refresh_pending {
                node.refresh_pending = true;
                let at = self.now + self.refresh_period(port);
                self.wheel.push(at.as_ps(), Event::NicRefresh(port));
            }
        }
    }

    /// A slow receiver has taken in its oldest frame.
    pub(super) fn drained(&mut self, port: u32) {
        let Some(slow) = &mut self.nics[port as usize].slow else { return };
        let Some(frame) = slow.waiting.pop_front() else { return };
        let held = &mut slow.held_bytes[usize::from(frame.prio & 7)];
        *held -= u64::from(frame.bytes);
        let low = *held <= slow.xoff_bytes / 2;
        if let Some(next) = slow.waiting.front() {
            let at = self.now + slow.rate.span_of(u64::from(next.bytes));
            self.wheel.push(at.as_ps(), Event::Drained(port));
        }
        let host = self.lines[port as usize].node;
        self.host_take(host, frame);
        let priority = Priority::from_pcp(frame.prio);
        if low && self.nics[port as usize].pausing & priority.bit() != 0 {
            self.nic_pause(port, PfcFrame::resume(priority));
        }
    }

    /// A slow receiver that still pauses says so again.
    pub(super) fn nic_refresh(&mut self, port: u32) {
        let quanta = self.scenario.pfc.quanta;
        let node = &mut self.nics[port as usize];
        node.refresh_pending = node.pausing != 0 && node.slow.is_some();
        if !node.refresh_pending {
            return;
        }
        let mut pfc = PfcFrame::default();
        for priority in Priority::ALL.into_iter().filter(|p| node.pausing & p.bit() != 0) {
            pfc.set(priority, quanta);
        }
        let at = self.now + self.refresh_period(port);
        self.wheel.push(at.as_ps(), Event::NicRefresh(port));
        self.nic_pause(port, pfc);
    }
}
