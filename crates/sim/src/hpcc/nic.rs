//! A host port's scheduler: acknowledgements first, then queue pairs round robin, each paced by itself.
//!
//! The reference walks over the port's queue pairs for every frame. The walk is kept, because what it does on
//! the way shows in the results (finished queue pairs vanish only if the walk meets one before it finds a
//! sender, and the round-robin position is not adjusted when they do). It runs over a dense array of the times
//! at which each may send next, so that the queue pairs themselves need not be touched.

use std::collections::VecDeque;

use super::frame::Frame;
use super::sender::Sender;

/// What a port sends next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The first acknowledgement.
    Ack,
    /// This flow's next packet.
    Flow(u32),
    /// Nothing; the earliest time at which a queue pair with bytes left may send (`u64::MAX`: there is none).
    Nothing(u64),
}

/// The transmit side of a host's port.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nic {
    /// The port.
    pub port: u32,
    /// Acknowledgements that wait.
    pub acks: VecDeque<Frame>,
    /// Classes that the peer has paused, one bit each.
    pub paused: u8,
    /// Flows, in the order of the walk.
    flows: Vec<u32>,
    /// For each of them: when it may send next; `u64::MAX` if it has no bytes left.
    available: Vec<u64>,
    /// Position served last.
    last: usize,
    /// How many of `flows` are finished.
    finished: u32,
    /// The wake-up that is scheduled, if one is.
    wake_at: Option<u64>,
    generation: u32,
}

impl Nic {
    /// The transmit side of `port`.
    pub fn new(port: u32) -> Self {
        Nic { port, ..Nic::default() }
    }

    /// Adds a flow that has started.
    pub fn add(&mut self, flow: u32, sender: &mut Sender) {
        sender.slot = self.flows.len() as u32;
        self.flows.push(flow);
        self.available.push(sender.available());
        // The reference asks a flow whether it is finished; one of 0 bytes is from the start.
        self.finished += u32::from(sender.is_finished());
    }

    /// Takes over what changed in a flow: bytes left, or when it may send.
    #[inline]
    pub fn refresh(&mut self, flow: u32, sender: &Sender) {
        if self.flows.get(sender.slot as usize) == Some(&flow) {
            self.available[sender.slot as usize] = sender.available();
        }
    }

    /// A flow has finished (it stays until a walk removes it).
    pub fn finish(&mut self, flow: u32, sender: &Sender) {
        self.finished += u32::from(self.flows.get(sender.slot as usize) == Some(&flow));
    }

    /// Whether the end of a transmission could lead to anything.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.flows.is_empty() && self.acks.is_empty()
    }

    /// The flows of this port, in order.
    pub fn flows(&self) -> &[u32] {
        &self.flows
    }

    /// Forgets every flow, to hand them out anew.
    pub fn clear_flows(&mut self) {
        self.flows.clear();
        self.available.clear();
        self.finished = 0;
    }

    /// What to send at `now`; acknowledgements wait while class `ack_class` is paused.
    #[inline]
    pub fn choose(&mut self, now: u64, ack_class: u8, windows: bool, senders: &mut [Sender]) -> Choice {
        if !self.acks.is_empty() && self.paused & 1 << ack_class == 0 {
            return Choice::Ack;
        }
        if self.flows.is_empty() {
            return Choice::Nothing(u64::MAX);
        }
        if self.paused == 0 && !windows && self.finished == 0 {
            return self.choose_plainly(now);
        }
        self.choose_carefully(now, windows, senders)
    }

    /// The walk when only bytes left and pacing decide.
    #[inline]
    fn choose_plainly(&mut self, now: u64) -> Choice {
        let count = self.flows.len();
        let first = (self.last + 1) % count;
        let mut earliest = u64::MAX;
        for (offset, at) in self.available[first..].iter().enumerate() {
            if *at <= now {
                return self.serve(first + offset);
            }
            earliest = earliest.min(*at);
        }
        for (index, at) in self.available[..first].iter().enumerate() {
            if *at <= now {
                return self.serve(index);
            }
            earliest = earliest.min(*at);
        }
        Choice::Nothing(earliest)
    }

    /// The walk with pauses, windows and finished flows.
    fn choose_carefully(&mut self, now: u64, windows: bool, senders: &mut [Sender]) -> Choice {
        let count = self.flows.len();
        let mut found = None;
        let mut lowest_finished = None;
        for step in 1..=count {
            let index = (self.last + step) % count;
            let sender = &senders[self.flows[index] as usize];
            let blocked = self.paused & 1 << sender.priority != 0
                || self.available[index] == u64::MAX
                || windows && sender.is_window_bound();
            if !blocked {
                if self.available[index] <= now {
                    found = Some(index);
                    break;
                }
            } else if sender.is_finished() {
                lowest_finished = Some(lowest_finished.map_or(index, |low: usize| low.min(index)));
            }
        }
        if let Some(from) = lowest_finished {
            found = self.compact(from, found, senders);
        }
        match found {
            Some(index) => self.serve(index),
            None => Choice::Nothing(self.available.iter().copied().min().unwrap_or(u64::MAX)),
        }
    }

    /// Removes the finished flows from position `from` on; gives the new position of `found`.
    fn compact(&mut self, from: usize, found: Option<usize>, senders: &mut [Sender]) -> Option<usize> {
        let mut moved = found;
        let mut to = from;
        // Position `from` itself is finished.
        self.finished = self.finished.saturating_sub(1);
        for index in from + 1..self.flows.len() {
            let flow = self.flows[index];
            if senders[flow as usize].is_finished() {
                self.finished = self.finished.saturating_sub(1);
                continue;
            }
            if found == Some(index) {
                moved = Some(to);
            }
            self.flows[to] = flow;
            self.available[to] = self.available[index];
            senders[flow as usize].slot = to as u32;
            to += 1;
        }
        self.flows.truncate(to);
        self.available.truncate(to);
        moved.filter(|index| *index < to)
    }

    #[inline]
    fn serve(&mut self, index: usize) -> Choice {
        self.last = index;
        Choice::Flow(self.flows[index])
    }

    /// Plans a wake-up at `at`, unless one is planned; gives its generation.
    #[inline]
    pub fn plan_wake(&mut self, at: u64) -> Option<u32> {
        if self.wake_at.is_some() {
            return None;
        }
        self.wake_at = Some(at);
        Some(self.generation)
    }

    /// A flow may send at `at` after a change of its rate: an earlier wake-up replaces the planned one. Gives the
    /// generation of the new one.
    pub fn advance_wake(&mut self, at: u64) -> Option<u32> {
        match self.wake_at {
            Some(planned) if at < planned => {
                self.generation = self.generation.wrapping_add(1);
                self.wake_at = Some(at);
                Some(self.generation)
            }
            _ => None,
        }
    }

    /// A wake-up has come; false if it was replaced meanwhile.
    #[inline]
    pub fn woken(&mut self, generation: u32) -> bool {
        let valid = self.generation == generation && self.wake_at.is_some();
        if valid {
            self.wake_at = None;
        }
        valid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nic(sizes: &[u64]) -> (Nic, Vec<Sender>) {
        let mut nic = Nic::default();
        let mut senders: Vec<Sender> = sizes.iter().map(|size| Sender::new(*size, 3, 0, 1)).collect();
        for (flow, sender) in senders.iter_mut().enumerate() {
            nic.add(flow as u32, sender);
        }
        (nic, senders)
    }

    #[test]
    fn queue_pairs_take_turns_and_wait_for_their_pace() {
        let (mut nic, mut senders) = nic(&[10, 10, 10]);
        assert_eq!(nic.choose(5, 0, false, &mut senders), Choice::Flow(1), "after the one served last");
        assert_eq!(nic.choose(5, 0, false, &mut senders), Choice::Flow(2));
        for (flow, at) in [(0, 30), (1, 20), (2, 25)] {
            senders[flow].next_available = at;
            nic.refresh(flow as u32, &senders[flow]);
        }
        assert_eq!(nic.choose(5, 0, false, &mut senders), Choice::Nothing(20));
        assert_eq!(nic.choose(25, 0, false, &mut senders), Choice::Flow(1));
        nic.acks.push_back(Frame::default());
        assert_eq!(nic.choose(25, 0, false, &mut senders), Choice::Ack);
        nic.paused = 1 << 3;
        assert_eq!(
            nic.choose(25, 3, false, &mut senders),
            Choice::Nothing(20),
            "a paused class counts in the wake-up"
        );
    }

    #[test]
    fn finished_queue_pairs_vanish_when_the_walk_meets_them() {
        let (mut nic, mut senders) = nic(&[10, 10, 10, 10]);
        for flow in [1, 3] {
            senders[flow].snd_nxt = 10;
            senders[flow].snd_una = 10;
            nic.refresh(flow as u32, &senders[flow]);
            nic.finish(flow as u32, &senders[flow]);
        }
        // The walk begins at 1, finds it finished, and serves 2, which has become the second of two.
        assert_eq!(nic.choose(0, 0, false, &mut senders), Choice::Flow(2));
        assert_eq!((nic.flows(), nic.last), (&[0, 2][..], 1));
        assert_eq!(nic.choose(0, 0, false, &mut senders), Choice::Flow(0));
    }

    #[test]
    fn one_wake_up_at_a_time() {
        let mut nic = Nic::default();
        let first = nic.plan_wake(50).unwrap();
        assert_eq!(nic.plan_wake(40), None);
        let second = nic.advance_wake(40).unwrap();
        assert!(!nic.woken(first) && nic.woken(second) && !nic.woken(second));
    }
}
