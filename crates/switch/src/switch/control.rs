//! Pauses received and sent, deadlines, the watchdog, and links that go down.

use super::{Line, Switch};
use crate::event::{Discarded, DropReason, Event};
use crate::mmu::Group;
use crate::pause::{self, PfcFrame};
use crate::queue::Queue;
use crate::{Frame, Port, WatchdogAction, WatchdogParams, WatchdogState};
use weir_units::Time;

impl<F: Frame> Switch<F> {
    /// The next PFC frame that must leave, and its port. It goes before data.
    #[inline]
    pub fn poll_pfc(&mut self) -> Option<(Port, PfcFrame)> {
        self.outbox.pop_front()
    }

    /// A PFC frame has arrived at `port`. Priorities that PFC does not protect here ignore it. Ports that may send
    /// again are in [`poll_ready`](Self::poll_ready).
    pub fn handle_pfc(&mut self, now: Time, port: Port, frame: &PfcFrame) {
        let Some(line) = self.lines.get_mut(port.index()) else { return };
        let base = port.index() * self.stride;
        let mut freed = false;
        for (priority, quanta) in frame.iter() {
            let slot = usize::from(self.slots[priority.index()]);
            if slot >= self.stride {
                continue;
            }
            let (Some(group), Some(queue)) =
                (self.groups.get_mut(base + slot), self.queues.get_mut(base + slot))
            else {
                continue;
            };
            match quanta {
                0 => group.resumes_received += 1,
                _ => group.pauses_received += 1,
            }
            if self.lossless & (1 << slot) == 0 {
                continue;
            }
            if quanta == 0 {
                queue.pause.resume(now);
                line.paused &= !(1 << slot);
                freed = true;
            } else {
                let span = pause::span(self.style, line.quantum, quanta);
                queue.pause.pause(now, self.response, span);
                line.paused |= 1 << slot;
                if let Some(until) = queue.pause.until(now) {
                    self.next = self.next.min(until);
                }
            }
            if let (Some(params), Some(dog)) = (&self.watchdog, self.dogs.get(base + slot)) {
                self.next = self.next.min(watch(params, dog, queue, now));
            }
        }
        if freed {
            self.ready.push_back(port);
        }
    }

    /// An 802.3x pause frame has arrived at `port`: it stops every priority. The watchdog does not watch it.
    pub fn handle_pause(&mut self, now: Time, port: Port, quanta: u16) {
        let Some(line) = self.lines.get_mut(port.index()) else { return };
        if quanta == 0 {
            line.line.resume(now);
            line.line_paused = false;
            self.ready.push_back(port);
        } else {
            line.line.pause(now, self.response, pause::span(self.style, line.quantum, quanta));
            line.line_paused = true;
            if let Some(until) = line.line.until(now) {
                self.next = self.next.min(until);
            }
        }
    }

    /// A port that may be able to send again: a pause has ended, or the watchdog lets its frames go.
    pub fn poll_ready(&mut self) -> Option<Port> {
        self.ready.pop_front()
    }

    /// When [`handle_deadline`](Self::handle_deadline) is wanted next. May be earlier than needed, never later.
    #[inline]
    pub fn next_deadline(&self) -> Option<Time> {
        (self.next != Time::MAX).then_some(self.next)
    }

    /// Does what is due: pauses that expire, pauses to repeat, storms that begin and end.
    pub fn handle_deadline(&mut self, now: Time) {
        if now < self.next {
            return;
        }
        let mut next = Time::MAX;
        for (index, line) in (0u16..).zip(&mut self.lines) {
            let base = usize::from(index) * self.stride;
            let mut freed = expire_line(line, now, &mut next);
            let mut refresh = PfcFrame::default();
            for slot in 0..self.stride {
                let (Some(group), Some(queue)) =
                    (self.groups.get_mut(base + slot), self.queues.get_mut(base + slot))
                else {
                    continue;
                };
                freed |= expire(line, queue, slot, now, &mut next);
                if repeats(group, line, now) {
                    refresh.set(self.priorities[slot], self.quanta);
                }
                next = next.min(group.refresh_at);
            }
            if refresh.enable != 0 {
                self.outbox.push_back((Port(index), refresh));
            }
            if freed {
                self.ready.push_back(Port(index));
            }
        }
        self.next = next;
        if let Some(params) = self.watchdog {
            self.run_watchdog(now, &params);
        }
    }

    /// What the watchdog found.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// A frame that was thrown away after it had been queued.
    pub fn poll_discarded(&mut self) -> Option<Discarded<F>> {
        self.discarded.pop_front()
    }

    /// The link at `port` is down: what waits there is thrown away ([`poll_discarded`](Self::poll_discarded)), its
    /// room is given back, and the peer's pauses are forgotten.
    pub fn handle_link_down(&mut self, now: Time, port: Port) {
        let Some(line) = self.lines.get_mut(port.index()) else { return };
        line.line.resume(now);
        line.line_paused = false;
        line.paused = 0;
        for slot in 0..self.stride {
            self.queues[port.index() * self.stride + slot].pause.resume(now);
            self.flush(now, port, slot, DropReason::Flushed);
        }
    }

    /// The link at `port` is up again: the peer has forgotten pauses that still hold, so they are repeated.
    pub fn handle_link_up(&mut self, now: Time, port: Port) {
        let Some(line) = self.lines.get(port.index()) else { return };
        let mut frame = PfcFrame::default();
        for slot in 0..self.stride {
            let group = &mut self.groups[port.index() * self.stride + slot];
            if group.is_xoff() {
                frame.set(self.priorities[slot], self.quanta);
                group.pauses_sent += 1;
                if group.refresh_at != Time::MAX {
                    group.refresh_at = now.saturating_add(line.refresh);
                    self.next = self.next.min(group.refresh_at);
                }
            }
        }
        if frame.enable != 0 {
            self.outbox.push_back((port, frame));
        }
        self.ready.push_back(port);
    }

    /// Throws away what waits in a queue.
    fn flush(&mut self, now: Time, port: Port, slot: usize, reason: DropReason) {
        let at = port.index() * self.stride + slot;
        let priority = self.priorities[slot];
        while let Some(entry) = self.queues[at].pop() {
            let bytes = u32::from(entry.size);
            let queue = &mut self.queues[at];
            queue.dropped += 1;
            queue.dropped_octets += u64::from(bytes);
            self.lines[port.index()].bytes -= u64::from(bytes);
            let in_port = Port(entry.in_port);
            let group = &mut self.groups[in_port.index() * self.stride + slot];
            if group.kind() != crate::ClassKind::Control {
                group.release(&mut self.pool, bytes);
                if group.crosses_xon(&self.pool, now) {
                    group.resumes_sent += 1;
                    self.outbox.push_back((in_port, PfcFrame::resume(priority)));
                }
            }
            self.discarded.push_back(Discarded {
                frame: entry.frame,
                in_port,
                out_port: port,
                priority,
                reason,
            });
        }
        self.queues[at].deficit = 0;
        self.lines[port.index()].waiting &= !(1 << slot);
    }

    fn run_watchdog(&mut self, now: Time, params: &WatchdogParams) {
        for port in 0..self.lines.len() {
            let lossless = self.lossless;
            for slot in (0..self.stride).filter(|slot| lossless & (1 << slot) != 0) {
                let at = port * self.stride + slot;
                if watch(params, &self.dogs[at], &self.queues[at], now) <= now {
                    match self.dogs[at].stormed {
                        false => self.begin_storm(now, Port(port as u16), slot, params.action),
                        true => self.end_storm(now, Port(port as u16), slot),
                    }
                }
                self.next = self.next.min(watch(params, &self.dogs[at], &self.queues[at], now));
            }
        }
    }

    fn begin_storm(&mut self, now: Time, port: Port, slot: usize, action: WatchdogAction) {
        let at = port.index() * self.stride + slot;
        let dog = &mut self.dogs[at];
        dog.stormed = true;
        dog.detected += 1;
        self.storms += 1;
        let (priority, queued_bytes) = (self.priorities[slot], self.queues[at].bytes);
        self.events.push_back(Event::StormDetected { at: now, port, priority, queued_bytes });
        match action {
            WatchdogAction::Alert => {}
            WatchdogAction::Forward => {
                self.lines[port.index()].freed |= 1 << slot;
                self.ready.push_back(port);
            }
            WatchdogAction::Drop => {
                self.dogs[at].tx_dropped_packets += self.queues[at].entries.len() as u64;
                self.flush(now, port, slot, DropReason::StormEgress);
            }
        }
    }

    fn end_storm(&mut self, now: Time, port: Port, slot: usize) {
        let dog = &mut self.dogs[port.index() * self.stride + slot];
        dog.stormed = false;
        dog.restored += 1;
        self.storms -= 1;
        self.lines[port.index()].freed &= !(1 << slot);
        self.events.push_back(Event::StormRestored { at: now, port, priority: self.priorities[slot] });
        self.ready.push_back(port);
    }
}

/// When the watchdog must look at a queue again: when the time is up for a storm to be found, or to be over.
/// A time that has come means that it is.
fn watch<F>(params: &WatchdogParams, dog: &WatchdogState, queue: &Queue<F>, now: Time) -> Time {
    let until = queue.pause.until(now);
    match (dog.stormed, until) {
        (false, None) => Time::MAX,
        // Since the pause took effect the queue has sent nothing.
        (false, Some(_)) => queue.pause.from().saturating_add(params.detection),
        (true, Some(until)) => until.saturating_add(params.restoration),
        (true, None) => queue.pause.ended().saturating_add(params.restoration),
    }
}

/// Forgets an 802.3x pause that has run out; whether it did.
fn expire_line(line: &mut Line, now: Time, next: &mut Time) -> bool {
    if !line.line_paused {
        return false;
    }
    match line.line.until(now) {
        Some(until) => *next = (*next).min(until),
        None => line.line_paused = false,
    }
    !line.line_paused
}

/// Forgets a queue's pause that has run out; whether it did.
fn expire<F>(line: &mut Line, queue: &Queue<F>, slot: usize, now: Time, next: &mut Time) -> bool {
    if line.paused & (1 << slot) == 0 {
        return false;
    }
    match queue.pause.until(now) {
        Some(until) => *next = (*next).min(until),
        None => line.paused &= !(1 << slot),
    }
    line.paused & (1 << slot) == 0
}

/// Whether a group's pause is to be repeated now. Notes that it is.
fn repeats(group: &mut Group, line: &Line, now: Time) -> bool {
    if group.refresh_at > now {
        return false;
    }
    group.refresh_at = now.saturating_add(line.refresh);
    group.pauses_sent += 1;
    true
}
