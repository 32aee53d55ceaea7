//! The scheduler of one port of a NIC: which queue pair sends next, in constant time.
//!
//! Queue pairs that may send stand in a ring for each class and are served in turn. Those that the pacer holds back
//! wait in a heap keyed by the time at which they may go on. Acknowledgements and congestion notifications go before
//! data. Among classes the strict ones come first, in order of priority; the others share by weight, by start-time
//! fair queueing.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use weir_units::Time;

/// One end of a connection: `2 × connection + side`.
pub(crate) type End = u32;

/// Something that goes before data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgent {
    /// The end has acknowledgements to send.
    Ack(End),
    /// A congestion notification about data that the end received.
    Cnp(End),
}

/// How a class is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClassParams {
    /// The priority (0 to 7).
    pub(crate) prio: u8,
    /// Before all classes that are not strict.
    pub(crate) strict: bool,
    /// Share among the classes that are not strict.
    pub(crate) weight: u32,
}

#[derive(Clone, Debug)]
struct Class {
    params: ClassParams,
    /// Virtual time at which the next frame of this class starts: bytes over weight.
    start: u64,
    urgent: VecDeque<Urgent>,
    ready: VecDeque<End>,
}

/// What the port may send next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// This, and it has been taken off its queue.
    Urgent(Urgent),
    /// Data of this end, which has been taken off its ring; of the class with this index.
    Data(End, usize),
    /// Nothing is ready; the pacer lets someone go at this time.
    At(Time),
    /// Nothing is ready, or all that is ready is paused.
    Idle,
}

/// The queues of one port.
#[derive(Clone, Debug)]
pub(crate) struct Nic {
    /// In order of service: strict ones by falling priority, then the others.
    classes: Vec<Class>,
    by_prio: [u8; 8],
    paced: BinaryHeap<Reverse<(Time, u32, End, u8)>>,
    /// Makes equal times in the heap first come, first served.
    sequence: u32,
    virtual_now: u64,
    /// Bit `p`: priority `p` is paused by the peer.
    pub(crate) paused: u8,
    /// Time of the earliest wake-up event that is scheduled and still counts.
    pub(crate) wake_at: Time,
}

impl Nic {
    /// With these classes; the last is used for a priority that has none.
    pub(crate) fn new(classes: &[ClassParams]) -> Self {
        let mut classes: Vec<Class> = classes
            .iter()
            .map(|params| Class {
                params: *params,
                start: 0,
                urgent: VecDeque::new(),
                ready: VecDeque::new(),
            })
            .collect();
        classes.sort_by_key(|class| (!class.params.strict, Reverse(class.params.prio)));
        let mut by_prio = [classes.len().saturating_sub(1) as u8; 8];
        for (i, class) in classes.iter().enumerate() {
            by_prio[usize::from(class.params.prio & 7)] = i as u8;
        }
        Self {
            classes,
            by_prio,
            paced: BinaryHeap::new(),
            sequence: 0,
            virtual_now: 0,
            paused: 0,
            wake_at: Time::MAX,
        }
    }

    fn class(&mut self, prio: u8) -> &mut Class {
        &mut self.classes[usize::from(self.by_prio[usize::from(prio & 7)])]
    }

    pub(crate) fn push_urgent(&mut self, prio: u8, urgent: Urgent) {
        self.class(prio).urgent.push_back(urgent);
    }

    /// Puts something back that was taken but not all sent.
    pub(crate) fn push_urgent_front(&mut self, prio: u8, urgent: Urgent) {
        self.class(prio).urgent.push_front(urgent);
    }

    pub(crate) fn push_ready(&mut self, prio: u8, end: End) {
        let virtual_now = self.virtual_now;
        let class = self.class(prio);
        if class.ready.is_empty() {
            // A class that was away has no claim on what it did not use.
            class.start = class.start.max(virtual_now);
        }
        class.ready.push_back(end);
    }

    pub(crate) fn push_paced(&mut self, prio: u8, end: End, at: Time) {
        self.sequence = self.sequence.wrapping_add(1);
        self.paced.push(Reverse((at, self.sequence, end, prio)));
    }

    /// Moves those whose time has come from the pacer to their rings.
    fn release(&mut self, now: Time) {
        while let Some(Reverse((at, _, end, prio))) = self.paced.peek().copied() {
            if at > now {
                break;
            }
            self.paced.pop();
            self.push_ready(prio, end);
        }
    }

    fn is_paused(&self, class: &Class) -> bool {
        self.paused >> class.params.prio & 1 != 0
    }

    /// Takes what goes next at `now`.
    pub(crate) fn next(&mut self, now: Time) -> Turn {
        self.release(now);
        let urgent = (0..self.classes.len())
            .find(|i| !self.classes[*i].urgent.is_empty() && !self.is_paused(&self.classes[*i]));
        if let Some(urgent) = urgent.and_then(|i| self.classes[i].urgent.pop_front()) {
            return Turn::Urgent(urgent);
        }
        let mut best: Option<usize> = None;
        for (i, class) in self.classes.iter().enumerate() {
            if class.ready.is_empty() || self.is_paused(class) {
                continue;
            }
            if class.params.strict {
                best = Some(i);
                break;
            }
            if best.is_none_or(|best| class.start < self.classes[best].start) {
                best = Some(i);
            }
        }
        if let Some(i) = best
            && let Some(end) = self.classes[i].ready.pop_front()
        {
            return Turn::Data(end, i);
        }
        match self.paced.peek() {
            Some(Reverse((at, ..))) => Turn::At(*at),
            None => Turn::Idle,
        }
    }

    /// When the port has something to send, if that is known: `free` (when the line is free) if anything is ready
    /// that was not paused when last looked at, or the time at which the pacer lets the next go.
    pub(crate) fn look(&self, free: Time) -> Option<Time> {
        let ready = self
            .classes
            .iter()
            .any(|class| (!class.urgent.is_empty() || !class.ready.is_empty()) && !self.is_paused(class));
        if ready {
            return Some(free);
        }
        self.paced.peek().map(|Reverse((at, ..))| (*at).max(free))
    }

    /// Charges a class (index from [`Turn::Data`]) for a frame.
    pub(crate) fn charge(&mut self, class: usize, bytes: u32) {
        let class = &mut self.classes[class];
        if !class.params.strict {
            self.virtual_now = self.virtual_now.max(class.start);
            class.start += u64::from(bytes) * 1024 / u64::from(class.params.weight.max(1));
        }
    }

    /// Whether nobody waits here, in any state.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.paced.is_empty() && self.classes.iter().all(|c| c.urgent.is_empty() && c.ready.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(prio: u8, strict: bool, weight: u32) -> ClassParams {
        ClassParams { prio, strict, weight }
    }

    #[test]
    fn ready_pairs_are_served_in_turn_and_paced_ones_at_their_time() {
        let mut nic = Nic::new(&[class(3, false, 1)]);
        nic.push_ready(3, 10);
        nic.push_ready(3, 12);
        nic.push_paced(3, 14, Time::from_ns(5));
        nic.push_urgent(3, Urgent::Ack(11));
        assert_eq!(nic.next(Time::ZERO), Turn::Urgent(Urgent::Ack(11)));
        assert_eq!(nic.next(Time::ZERO), Turn::Data(10, 0));
        nic.push_ready(3, 10);
        assert_eq!(nic.next(Time::ZERO), Turn::Data(12, 0));
        assert_eq!(nic.next(Time::ZERO), Turn::Data(10, 0));
        assert_eq!(nic.next(Time::ZERO), Turn::At(Time::from_ns(5)));
        assert_eq!(nic.next(Time::from_ns(5)), Turn::Data(14, 0));
        assert_eq!(nic.next(Time::from_ns(5)), Turn::Idle);
        assert!(nic.is_empty());
    }

    #[test]
    fn a_paused_priority_waits_and_others_do_not() {
        let mut nic = Nic::new(&[class(3, false, 1), class(6, true, 1)]);
        nic.paused = 1 << 3;
        nic.push_ready(3, 1);
        nic.push_urgent(3, Urgent::Ack(5));
        nic.push_urgent(6, Urgent::Cnp(7));
        assert_eq!(nic.next(Time::ZERO), Turn::Urgent(Urgent::Cnp(7)));
        assert_eq!(nic.next(Time::ZERO), Turn::Idle);
        nic.paused = 0;
        assert_eq!(nic.next(Time::ZERO), Turn::Urgent(Urgent::Ack(5)));
        assert_eq!(nic.next(Time::ZERO), Turn::Data(1, 1));
    }

    #[test]
    fn classes_share_by_weight_after_the_strict_one() {
        let mut nic = Nic::new(&[class(0, false, 1), class(3, false, 3), class(5, true, 1)]);
        for end in [0, 3, 5] {
            nic.push_ready(end, u32::from(end));
        }
        let mut sent = [0; 6];
        for i in 0..4100 {
            let Turn::Data(end, index) = nic.next(Time::ZERO) else { panic!("idle") };
            sent[end as usize] += 1;
            nic.charge(index, 1000);
            // The strict class has a hundred frames, the others always one more.
            if end != 5 || i < 99 {
                nic.push_ready(end as u8, end);
            }
        }
        assert_eq!(sent[5], 100);
        assert!((2999..=3001).contains(&sent[3]), "{sent:?}");
    }

    #[test]
    fn a_class_that_was_away_catches_nothing_up() {
        let mut nic = Nic::new(&[class(0, false, 1), class(1, false, 1)]);
        nic.push_ready(0, 0);
        for _ in 0..1000 {
            let Turn::Data(end, index) = nic.next(Time::ZERO) else { panic!("idle") };
            nic.charge(index, 1000);
            nic.push_ready(0, end);
        }
        nic.push_ready(1, 1);
        let mut late = 0;
        for _ in 0..100 {
            let Turn::Data(end, index) = nic.next(Time::ZERO) else { panic!("idle") };
            late += end;
            nic.charge(index, 1000);
            nic.push_ready(end as u8, end);
        }
        assert!((49..=51).contains(&late), "{late}");
    }
}
