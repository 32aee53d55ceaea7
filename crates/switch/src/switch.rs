//! The switch.

use crate::config::{ClassKind, ConfigError, MarkAt, MmuParams, SwitchConfig};
use crate::event::{Discarded, DropReason, Event, LosslessDrop};
use crate::mmu::{Group, Layout, Pool, Refusal, is_lossless};
use crate::pause::{self, PauseTimer, PfcFrame};
use crate::queue::Queue;
use crate::schedule::{Round, Rule};
use crate::{
    Frame, PRIORITIES, PauseStyle, Port, Priority, RedParams, WatchdogAction, WatchdogParams, WatchdogState,
};
use std::collections::VecDeque;
use weir_units::{Span, Time};

/// What became of an arriving frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admit<F> {
    /// It waits at its egress port.
    Queued,
    /// It was not taken in.
    Dropped {
        /// Why.
        reason: DropReason,
        /// The frame.
        frame: F,
    },
}

/// A frame that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure<F> {
    /// The frame, marked if it was chosen to be.
    pub frame: F,
    /// Where it had come in.
    pub in_port: Port,
    /// Its priority.
    pub priority: Priority,
    /// Whether this switch marked it.
    pub marked: bool,
}

/// What a port knows about itself.
#[derive(Clone, Debug)]
struct Line {
    /// Slots with frames.
    waiting: u8,
    /// Slots that a pause was received for and that may not have expired.
    paused: u8,
    /// Slots in a storm whose pause is ignored.
    freed: u8,
    round: Round,
    /// Whether an 802.3x pause was received that may not have expired.
    line_paused: bool,
    line: PauseTimer,
    /// Time of one pause quantum.
    quantum: Span,
    /// Time after which a pause is repeated.
    refresh: Span,
    /// Bytes in all queues.
    bytes: u64,
}

/// A shared-buffer switch. See the [crate's](crate) documentation for the order of calls.
#[derive(Clone, Debug)]
pub struct Switch<F> {
    /// Slots in use: the stride of `groups` and `queues`.
    stride: usize,
    slots: [u8; PRIORITIES],
    priorities: [Priority; PRIORITIES],
    pool: Pool,
    rule: Rule,
    mark_at: MarkAt,
    style: PauseStyle,
    quanta: u16,
    response: Span,
    lossless: u8,
    lines: Vec<Line>,
    /// By ingress port and slot.
    groups: Vec<Group>,
    /// By egress port and slot.
    queues: Vec<Queue<F>>,
    reds: Vec<RedParams>,
    watchdog: Option<WatchdogParams>,
    /// By port and slot; empty without a watchdog.
    dogs: Vec<WatchdogState>,
    /// Queues in a storm now whose frames are dropped.
    dropping: u32,
    /// Nothing is due before.
    next: Time,
    outbox: VecDeque<(Port, PfcFrame)>,
    ready: VecDeque<Port>,
    events: VecDeque<Event>,
    discarded: VecDeque<Discarded<F>>,
    lossless_drops: u64,
    first_lossless_drop: Option<LosslessDrop>,
}

impl<F: Frame> Switch<F> {
    /// An empty switch.
    pub fn new(config: &SwitchConfig) -> Result<Self, ConfigError> {
        config.validate()?;
        let Layout { classes, slots, pool } = Layout::of(config)?;
        let mut priorities = [Priority::default(); PRIORITIES];
        let mut lossless = 0u8;
        for (slot, class) in classes.iter().enumerate() {
            priorities[slot] = class.priority;
            lossless |= u8::from(is_lossless(class, config)) << slot;
        }
        let max_frame = match config.mmu {
            MmuParams::Standard { max_frame_bytes } => max_frame_bytes,
            MmuParams::Hpcc => u32::from(u16::MAX),
        };
        let mut reds: Vec<RedParams> = Vec::new();
        let cells = config.ports.len() * classes.len();
        let (mut groups, mut queues) = (Vec::with_capacity(cells), Vec::with_capacity(cells));
        for port in &config.ports {
            for class in &classes {
                groups.push(Group::new(class, port, is_lossless(class, config)));
                let red = match port.ecn[class.priority.index()] {
                    Some(red) if class.kind != ClassKind::Control => {
                        let at = reds.iter().position(|known| *known == red).unwrap_or_else(|| {
                            reds.push(red);
                            reds.len() - 1
                        });
                        at as u16 + 1
                    }
                    _ => 0,
                };
                queues.push(Queue::new(class.egress.terms(), red));
            }
        }
        let lines = config.ports.iter().map(|port| {
            let pause = pause::quanta_span(config.pfc.quanta, port.rate);
            Line {
                waiting: 0,
                paused: 0,
                freed: 0,
                round: Round::default(),
                line_paused: false,
                line: PauseTimer::default(),
                quantum: pause::quanta_span(1, port.rate),
                refresh: Span::from_ps((pause.as_ps() as f64 * config.pfc.refresh) as u64),
                bytes: 0,
            }
        });
        let rule = Rule::new(&classes, config.scheduler, max_frame);
        Ok(Self {
            stride: classes.len(),
            slots,
            priorities,
            pool,
            rule,
            mark_at: config.mark_at,
            style: config.pfc.style,
            quanta: config.pfc.quanta,
            response: config.pfc.response_delay,
            lossless,
            lines: lines.collect(),
            groups,
            queues,
            reds,
            watchdog: config.watchdog,
            dogs: match config.watchdog {
                Some(_) => vec![WatchdogState::default(); cells],
                None => Vec::new(),
            },
            dropping: 0,
            next: Time::MAX,
            outbox: VecDeque::new(),
            ready: VecDeque::new(),
            events: VecDeque::new(),
            discarded: VecDeque::new(),
            lossless_drops: 0,
            first_lossless_drop: None,
        })
    }

    /// Takes in a frame that has arrived whole at `in_port` and leaves by `out_port`, or gives it back.
    ///
    /// Afterwards a pause may be waiting in [`poll_pfc`](Self::poll_pfc).
    #[inline]
    pub fn admit(
        &mut self,
        now: Time,
        in_port: Port,
        out_port: Port,
        priority: Priority,
        frame: F,
    ) -> Admit<F> {
        let slot = usize::from(self.slots[priority.index()]);
        if slot >= self.stride {
            return Admit::Dropped { reason: DropReason::NoSuchPriority, frame };
        }
        let at_in = in_port.index() * self.stride + slot;
        let at_out = out_port.index() * self.stride + slot;
        let (Some(group), Some(queue), Some(line)) =
            (self.groups.get_mut(at_in), self.queues.get_mut(at_out), self.lines.get_mut(out_port.index()))
        else {
            return Admit::Dropped { reason: DropReason::NoSuchPort, frame };
        };
        let Ok(size) = u16::try_from(frame.bytes()) else {
            return Admit::Dropped { reason: DropReason::TooLong, frame };
        };
        let bytes = u32::from(size);
        if self.dropping > 0 {
            let reason = match (self.dogs.get(at_out), self.dogs.get(at_in)) {
                (Some(dog), _) if dog.stormed => Some(DropReason::StormEgress),
                (_, Some(dog)) if dog.stormed => Some(DropReason::StormIngress),
                _ => None,
            };
            if let Some(reason) = reason {
                match reason {
                    DropReason::StormEgress => {
                        self.dogs[at_out].tx_dropped_packets += 1;
                        queue.dropped += 1;
                        queue.dropped_octets += u64::from(bytes);
                    }
                    _ => {
                        self.dogs[at_in].rx_dropped_packets += 1;
                        group.dropped += 1;
                        group.dropped_octets += u64::from(bytes);
                    }
                }
                return Admit::Dropped { reason, frame };
            }
        }
        if group.kind() != ClassKind::Control
            && let Err(refusal) = group.admit(&mut self.pool, bytes, queue.bytes, queue.threshold)
        {
            queue.dropped += 1;
            queue.dropped_octets += u64::from(bytes);
            group.dropped += 1;
            group.dropped_octets += u64::from(bytes);
            let reason = match refusal {
                Refusal::Egress => DropReason::EgressThreshold,
                Refusal::Ingress => DropReason::IngressThreshold,
                Refusal::Full => DropReason::BufferFull,
                Refusal::Headroom => {
                    let drop = LosslessDrop {
                        at: now,
                        in_port,
                        out_port,
                        priority,
                        frame_bytes: bytes,
                        occupancy_bytes: group.held(),
                        headroom_bytes: group.headroom(),
                        headroom_limit_bytes: group.headroom_limit(),
                        shared_used_bytes: u64::from(self.pool.shared_used()),
                    };
                    self.lossless_drops += 1;
                    self.first_lossless_drop.get_or_insert(drop);
                    DropReason::Lossless(drop)
                }
            };
            return Admit::Dropped { reason, frame };
        }
        group.packets += 1;
        group.octets += u64::from(bytes);
        if group.crosses_xoff(&self.pool, now) {
            group.pauses += 1;
            if self.style == PauseStyle::Quanta {
                let refresh = self.lines[in_port.index()].refresh;
                group.refresh_at = now.saturating_add(refresh);
                self.next = self.next.min(group.refresh_at);
            }
            self.outbox.push_back((in_port, PfcFrame::pause(priority, self.quanta)));
        }
        let line = &mut self.lines[out_port.index()];
        line.waiting |= 1 << slot;
        line.bytes += u64::from(bytes);
        queue.push(frame, size, in_port.0);
        Admit::Queued
    }

    /// The next frame to send by `out_port`, if one may go now. `draw` gives a uniform number from 0 to 1 and is
    /// asked only where an ECN mark is open.
    ///
    /// Order, as a switch that marks at dequeue has it: the frame's room is given back, then the depth it leaves
    /// behind decides about the mark, then its ingress port may resume ([`poll_pfc`](Self::poll_pfc)).
    #[inline]
    pub fn dequeue(
        &mut self,
        now: Time,
        out_port: Port,
        draw: &mut impl FnMut() -> f64,
    ) -> Option<Departure<F>> {
        let line = self.lines.get_mut(out_port.index())?;
        let base = out_port.index() * self.stride;
        let queues = self.queues.get_mut(base..base + self.stride)?;
        let mut ready = line.waiting;
        if line.paused & ready != 0 || line.line_paused {
            ready &= !stopped(line, queues, now, self.rule.never_paused());
        }
        if ready == 0 {
            return None;
        }
        let slot = self.rule.pick(&mut line.round, ready, queues);
        let queue = queues.get_mut(slot)?;
        let entry = queue.pop()?;
        let bytes = u32::from(entry.size);
        if queue.entries.is_empty() {
            line.waiting &= !(1 << slot);
            queue.deficit = 0;
        }
        line.bytes -= u64::from(bytes);
        queue.packets += 1;
        queue.octets += u64::from(bytes);
        let priority = self.priorities[slot];
        let in_port = Port(entry.in_port);
        let group = self.groups.get_mut(in_port.index() * self.stride + slot)?;
        let accounted = group.kind() != ClassKind::Control;
        if accounted {
            group.release(&mut self.pool, bytes);
        }
        let mut frame = entry.frame;
        let mut marked = false;
        if queue.red != 0 && frame.ecn_capable() {
            let depth = match self.mark_at {
                MarkAt::Dequeue => queue.bytes,
                MarkAt::Enqueue => entry.found,
            };
            if self.reds[usize::from(queue.red) - 1].mark(u64::from(depth), draw) {
                frame.mark_ce();
                queue.marked += 1;
                queue.marked_octets += u64::from(bytes);
                marked = true;
            }
        }
        if accounted && group.crosses_xon(&self.pool, now) {
            group.resumes += 1;
            self.outbox.push_back((in_port, PfcFrame::resume(priority)));
        }
        if let Some(dog) = self.dogs.get_mut(base + slot) {
            dog.last_sent = now;
            dog.tx_packets += u64::from(dog.stormed);
        }
        Some(Departure { frame, in_port, priority, marked })
    }

    /// The next PFC frame that must leave, and its port. It takes precedence over data.
    #[inline]
    pub fn poll_pfc(&mut self) -> Option<(Port, PfcFrame)> {
        self.outbox.pop_front()
    }

    /// A PFC frame has arrived at `port`. Ports that may send again are in [`poll_ready`](Self::poll_ready).
    pub fn handle_pfc(&mut self, now: Time, port: Port, frame: &PfcFrame) {
        let Some(line) = self.lines.get_mut(port.index()) else { return };
        let base = port.index() * self.stride;
        let mut freed = false;
        for (priority, quanta) in frame.iter() {
            let slot = usize::from(self.slots[priority.index()]);
            if slot >= self.stride {
                continue;
            }
            let Some(queue) = self.queues.get_mut(base + slot) else { continue };
            if quanta == 0 {
                queue.resumes += 1;
                queue.pause.resume(now);
                line.paused &= !(1 << slot);
                freed = true;
            } else {
                queue.pauses += 1;
                let span = pause::span(self.style, line.quantum, quanta);
                queue.pause.pause(now, self.response, span);
                line.paused |= 1 << slot;
                if let Some(until) = queue.pause.until(now) {
                    self.next = self.next.min(until);
                }
            }
        }
        if freed {
            self.ready.push_back(port);
        }
    }

    /// An 802.3x pause frame has arrived at `port`: it stops every priority.
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

    /// A port that may be able to send again: a pause has ended.
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
        for port in 0..self.lines.len() {
            let line = &mut self.lines[port];
            let base = port * self.stride;
            let mut freed = false;
            let mut refresh = PfcFrame::default();
            if line.line_paused {
                match line.line.until(now) {
                    Some(until) => next = next.min(until),
                    None => {
                        line.line_paused = false;
                        freed = true;
                    }
                }
            }
            for slot in 0..self.stride {
                let queue = &mut self.queues[base + slot];
                if line.paused & (1 << slot) != 0 {
                    match queue.pause.until(now) {
                        Some(until) => next = next.min(until),
                        None => {
                            line.paused &= !(1 << slot);
                            freed = true;
                        }
                    }
                }
                let group = &mut self.groups[base + slot];
                if group.refresh_at <= now {
                    refresh.set(self.priorities[slot], self.quanta);
                    group.refresh_at = now.saturating_add(line.refresh);
                    group.pauses += 1;
                }
                next = next.min(group.refresh_at);
            }
            if refresh.enable != 0 {
                self.outbox.push_back((Port(port as u16), refresh));
            }
            if freed {
                self.ready.push_back(Port(port as u16));
            }
        }
        self.next = next;
    }

    /// What the watchdog found.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// A frame that was thrown away after it had been queued.
    pub fn poll_discarded(&mut self) -> Option<Discarded<F>> {
        self.discarded.pop_front()
    }
}

/// Slots of a port that a pause holds up now; forgets pauses that have expired.
fn stopped<F>(line: &mut Line, queues: &[Queue<F>], now: Time, never: u8) -> u8 {
    if line.line_paused {
        if line.line.is_paused(now) {
            return !never;
        }
        line.line_paused = line.line.until(now).is_some();
    }
    let mut stopped = 0;
    for (slot, queue) in queues.iter().enumerate() {
        if line.paused & (1 << slot) == 0 {
            continue;
        }
        if queue.pause.is_paused(now) {
            stopped |= 1 << slot;
        } else if queue.pause.until(now).is_none() {
            line.paused &= !(1 << slot);
        }
    }
    stopped & !never & !line.freed
}

/// Looking.
impl<F> Switch<F> {
    fn cell(&self, port: Port, priority: Priority) -> Option<usize> {
        let slot = usize::from(self.slots[priority.index()]);
        (slot < self.stride && port.index() < self.lines.len()).then(|| port.index() * self.stride + slot)
    }

    /// How many ports there are.
    pub fn ports(&self) -> usize {
        self.lines.len()
    }

    /// Whether nothing waits at this egress port, paused or not.
    #[inline]
    pub fn is_empty(&self, port: Port) -> bool {
        self.lines.get(port.index()).is_none_or(|line| line.waiting == 0)
    }

    /// Bytes that wait at an egress port in one priority.
    #[inline]
    pub fn queue_bytes(&self, port: Port, priority: Priority) -> u64 {
        self.cell(port, priority).map_or(0, |at| u64::from(self.queues[at].bytes))
    }

    /// Bytes that wait at an egress port in all priorities.
    #[inline]
    pub fn port_bytes(&self, port: Port) -> u64 {
        self.lines.get(port.index()).map_or(0, |line| line.bytes)
    }

    /// Bytes of the shared buffer in use.
    #[inline]
    pub fn shared_used(&self) -> u64 {
        u64::from(self.pool.shared_used())
    }

    /// Bytes of headroom in use.
    #[inline]
    pub fn headroom_used(&self) -> u64 {
        u64::from(self.pool.headroom_used())
    }

    /// Bytes that an ingress port holds in one priority: reserve, shared and headroom.
    pub fn ingress_bytes(&self, port: Port, priority: Priority) -> u64 {
        let cell = self.cell(port, priority);
        cell.map_or(0, |at| u64::from(self.groups[at].held()) + u64::from(self.groups[at].headroom()))
    }

    /// Bytes of headroom that an ingress port holds in one priority.
    pub fn ingress_headroom_bytes(&self, port: Port, priority: Priority) -> u64 {
        self.cell(port, priority).map_or(0, |at| u64::from(self.groups[at].headroom()))
    }

    /// Whether this egress queue may not send now because its peer asked for a pause.
    #[inline]
    pub fn paused(&self, now: Time, port: Port, priority: Priority) -> bool {
        let Some(at) = self.cell(port, priority) else { return false };
        self.queues[at].pause.is_paused(now) || self.lines[port.index()].line.is_paused(now)
    }

    /// Whether this switch has asked the peer at this port to pause the priority.
    #[inline]
    pub fn pausing(&self, port: Port, priority: Priority) -> bool {
        self.cell(port, priority).is_some_and(|at| self.groups[at].is_xoff())
    }

    /// Frames of lossless classes that were dropped for want of headroom.
    pub fn lossless_drops(&self) -> u64 {
        self.lossless_drops
    }

    /// The first of them.
    pub fn first_lossless_drop(&self) -> Option<&LosslessDrop> {
        self.first_lossless_drop.as_ref()
    }
}
