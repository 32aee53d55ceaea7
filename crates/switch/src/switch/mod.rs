//! The switch: frames in, frames out. Its parts: `control` for pauses and deadlines, `look` for what can be read.

mod control;
mod look;
mod pass;

pub use pass::Pass;

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

/// What a port knows about itself, besides its groups and queues.
#[derive(Clone, Debug)]
struct Line {
    /// Slots with frames.
    waiting: u8,
    /// Slots that a pause was received for and that may not have expired.
    paused: u8,
    /// Slots in a storm whose pause is ignored.
    freed: u8,
    /// Whether an 802.3x pause was received that may not have expired.
    line_paused: bool,
    round: Round,
    /// Bytes in all queues.
    bytes: u64,
    line: PauseTimer,
    /// Time of one pause quantum.
    quantum: Span,
    /// Time after which a pause is repeated.
    refresh: Span,
}

/// A shared-buffer switch. See the [crate's](crate) documentation for the order of calls.
#[derive(Clone, Debug)]
pub struct Switch<F> {
    /// Classes, so the stride of `groups` and `queues`. A class's slot is its rank by priority.
    stride: usize,
    slots: [u8; PRIORITIES],
    priorities: [Priority; PRIORITIES],
    /// Slots that PFC protects.
    lossless: u8,
    mark_at: MarkAt,
    style: PauseStyle,
    quanta: u16,
    response: Span,
    pool: Pool,
    rule: Rule,
    lines: Vec<Line>,
    /// By ingress port and slot.
    groups: Vec<Group>,
    /// By egress port and slot.
    queues: Vec<Queue<F>>,
    reds: Vec<RedParams>,
    watchdog: Option<WatchdogParams>,
    /// By port and slot; empty without a watchdog.
    dogs: Vec<WatchdogState>,
    /// Queues in a storm now.
    storms: u32,
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
                let red = port.ecn[class.priority.index()].filter(|_| class.kind != ClassKind::Control);
                queues.push(Queue::new(class.egress.terms(), red.map_or(0, |red| curve(&mut reds, red))));
            }
        }
        let lines = config.ports.iter().map(|port| {
            let pause = pause::quanta_span(config.pfc.quanta, port.rate);
            Line {
                waiting: 0,
                paused: 0,
                freed: 0,
                line_paused: false,
                round: Round::default(),
                bytes: 0,
                line: PauseTimer::default(),
                quantum: pause::quanta_span(1, port.rate),
                refresh: Span::from_ps((pause.as_ps() as f64 * config.pfc.refresh) as u64),
            }
        });
        Ok(Self {
            stride: classes.len(),
            slots,
            priorities,
            lossless,
            mark_at: config.mark_at,
            style: config.pfc.style,
            quanta: config.pfc.quanta,
            response: config.pfc.response_delay,
            pool,
            rule: Rule::new(&classes, config.scheduler, max_frame),
            lines: lines.collect(),
            groups,
            queues,
            reds,
            watchdog: config.watchdog,
            dogs: match config.watchdog {
                Some(_) => vec![WatchdogState::default(); cells],
                None => Vec::new(),
            },
            storms: 0,
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
        let Ok(size) = u16::try_from(frame.bytes()) else {
            return Admit::Dropped { reason: DropReason::TooLong, frame };
        };
        let bytes = u32::from(size);
        if self.storms > 0
            && let Some(reason) = self.refused_by_watchdog(at_in, at_out, bytes)
        {
            return Admit::Dropped { reason, frame };
        }
        let (Some(group), Some(queue)) = (self.groups.get_mut(at_in), self.queues.get_mut(at_out)) else {
            return Admit::Dropped { reason: DropReason::NoSuchPort, frame };
        };
        if group.kind() != ClassKind::Control {
            if let Err(refusal) = group.admit(&mut self.pool, bytes, queue.bytes, queue.threshold) {
                let reason = self.refused(refusal, now, in_port, out_port, priority, bytes);
                return Admit::Dropped { reason, frame };
            }
            if group.crosses_xoff(&self.pool, now) {
                group.pauses_sent += 1;
                if self.style == PauseStyle::Quanta {
                    group.refresh_at = now.saturating_add(self.lines[in_port.index()].refresh);
                    self.next = self.next.min(group.refresh_at);
                }
                self.outbox.push_back((in_port, PfcFrame::pause(priority, self.quanta)));
            }
        }
        group.packets += 1;
        group.octets += u64::from(bytes);
        // A port that has a group or a queue has a line.
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
            group.resumes_sent += 1;
            self.outbox.push_back((in_port, PfcFrame::resume(priority)));
        }
        if self.storms > 0
            && let Some(dog) = self.dogs.get_mut(base + slot)
        {
            dog.tx_packets += u64::from(dog.stormed);
        }
        Some(Departure { frame, in_port, priority, marked })
    }
}

/// Refusals: off the path of frames that are taken in.
impl<F> Switch<F> {
    #[cold]
    fn refused(
        &mut self,
        refusal: Refusal,
        now: Time,
        in_port: Port,
        out_port: Port,
        priority: Priority,
        bytes: u32,
    ) -> DropReason {
        let slot = usize::from(self.slots[priority.index()]);
        let group = &mut self.groups[in_port.index() * self.stride + slot];
        let queue = &mut self.queues[out_port.index() * self.stride + slot];
        queue.dropped += 1;
        queue.dropped_octets += u64::from(bytes);
        group.dropped += 1;
        group.dropped_octets += u64::from(bytes);
        match refusal {
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
        }
    }

    /// Whether a storm keeps the frame out: both what wants to join a queue in a storm and what the port of that
    /// queue receives in its priority, so that the storm's effect does not spread as pauses of this switch.
    #[cold]
    fn refused_by_watchdog(&mut self, at_in: usize, at_out: usize, bytes: u32) -> Option<DropReason> {
        let drops = self.watchdog.is_some_and(|dog| dog.action == WatchdogAction::Drop);
        if let Some(dog) = self.dogs.get_mut(at_out).filter(|dog| dog.stormed && drops) {
            dog.tx_dropped_packets += 1;
            let queue = &mut self.queues[at_out];
            queue.dropped += 1;
            queue.dropped_octets += u64::from(bytes);
            return Some(DropReason::StormEgress);
        }
        let dog = self.dogs.get_mut(at_in).filter(|dog| dog.stormed)?;
        if !drops {
            dog.rx_packets += 1;
            return None;
        }
        dog.rx_dropped_packets += 1;
        let group = &mut self.groups[at_in];
        group.dropped += 1;
        group.dropped_octets += u64::from(bytes);
        Some(DropReason::StormIngress)
    }
}

/// One above the index of a marking curve among those in use.
fn curve(reds: &mut Vec<RedParams>, red: RedParams) -> u16 {
    let at = reds.iter().position(|known| *known == red).unwrap_or_else(|| {
        reds.push(red);
        reds.len() - 1
    });
    // Ports times priorities, 8192, are the most there can be.
    at as u16 + 1
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
