//! Which queue of a port goes next.

use crate::config::{ClassConfig, Scheduler, Scheduling};
use crate::queue::Queue;

/// The rule of a switch, the same at every port.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    scheduler: Scheduler,
    /// Slots that go first, the highest before the others.
    strict: u8,
    /// What each weighted slot may send in a round.
    quanta: [u32; 8],
}

/// Where a port is in its round.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Round {
    /// The slot whose turn it is (deficit round robin), or that was served last (packet round robin).
    slot: u8,
}

impl Rule {
    /// Weights are scaled so that the lightest class sends one longest frame a round: then every visit serves at least
    /// one frame, and choosing costs no more than one turn around the port's queues.
    pub fn new(classes: &[ClassConfig], scheduler: Scheduler, max_frame_bytes: u32) -> Self {
        let mut rule = Self { scheduler, strict: 0, quanta: [0; 8] };
        let weight = |class: &ClassConfig| match class.scheduling {
            Scheduling::Strict => None,
            Scheduling::Weighted(weight) => Some(weight.max(1)),
        };
        let lightest = classes.iter().filter_map(weight).min().unwrap_or(1);
        for (slot, class) in classes.iter().enumerate().take(8) {
            rule.strict |= u8::from(weight(class).is_none()) << slot;
            let weight = u64::from(weight(class).unwrap_or(lightest));
            let scaled = u64::from(max_frame_bytes.max(1)) * weight / u64::from(lightest);
            rule.quanta[slot] = scaled.min(1 << 30) as u32;
        }
        if scheduler == Scheduler::PacketRoundRobin {
            let first = classes.first().is_some_and(|class| class.priority.number() == 0);
            rule.strict = u8::from(first);
        }
        rule
    }

    /// Slots that no pause holds up.
    pub fn never_paused(&self) -> u8 {
        match self.scheduler {
            Scheduler::PacketRoundRobin => self.strict,
            Scheduler::Classes => 0,
        }
    }

    /// The slot to serve among those that are `ready` (at least one), and charges it for its head frame.
    #[inline]
    pub fn pick<F>(&self, round: &mut Round, ready: u8, queues: &mut [Queue<F>]) -> usize {
        let strict = ready & self.strict;
        if strict != 0 {
            return 7 - strict.leading_zeros() as usize;
        }
        // One class alone, the usual case, owes nobody anything.
        match self.scheduler {
            Scheduler::PacketRoundRobin => {
                let slot = next_after(ready, round.slot);
                round.slot = slot;
                usize::from(slot)
            }
            Scheduler::Classes => self.pick_weighted(round, ready, queues),
        }
    }

    /// Notes that `slot` sent its only frame while no other had one: what [`Rule::pick`] leaves behind then.
    #[inline]
    pub fn serve_alone(&self, round: &mut Round, slot: usize) {
        if self.strict & (1 << slot) == 0 {
            round.slot = slot as u8;
        }
    }

    #[inline]
    fn pick_weighted<F>(&self, round: &mut Round, ready: u8, queues: &mut [Queue<F>]) -> usize {
        loop {
            let slot = usize::from(round.slot);
            if ready & (1 << slot) != 0
                && let Some(queue) = queues.get_mut(slot)
                && let Some(head) = queue.head_bytes()
                && head <= queue.deficit
            {
                queue.deficit -= head;
                return slot;
            }
            round.slot = next_after(ready, round.slot);
            // A queue that is visited again with its deficit too small for one frame (longer than the longest frame
            // of the configuration) gets more each time, so the loop ends.
            if let Some(queue) = queues.get_mut(usize::from(round.slot)) {
                queue.deficit = queue.deficit.saturating_add(self.quanta[usize::from(round.slot)]);
            }
        }
    }
}

/// The next set bit above `slot`, around the end; `slot` itself last.
#[inline]
fn next_after(ready: u8, slot: u8) -> u8 {
    let above = ready & !(((2u16 << slot) - 1) as u8);
    let among = if above != 0 { above } else { ready };
    among.trailing_zeros() as u8
}
