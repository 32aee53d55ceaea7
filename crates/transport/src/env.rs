//! What the queue pairs of one host share.

use crate::completion::{Completion, Cq, CqId, Pushed};
use crate::keys::Keys;
use crate::memory::Memory;
use crate::srq::{Srq, SrqId};
use crate::work::RecvWr;
use std::collections::VecDeque;
use weir_wire::Qpn;

/// An asynchronous event, or a completion notification (IBTA volume 1, 11.6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A completion queue that was armed has what it was armed for.
    Completion(CqId),
    /// A completion was lost: the queue was full. Queue pairs that complete into it go to the error state.
    CqOverflow(CqId),
    /// Fewer receive requests than the limit are left.
    SrqLimit(SrqId),
    /// A packet arrived at a queue pair that was ready to receive only.
    CommunicationEstablished(Qpn),
    /// Nothing is outstanding in the send queue of a queue pair in SQD.
    SendQueueDrained(Qpn),
    /// A queue pair in error takes no more from its shared receive queue.
    LastWqeReached(Qpn),
    /// A queue pair refused a request as invalid, and is in error.
    RequestError(Qpn),
    /// A queue pair refused an access, and is in error.
    AccessError(Qpn),
    /// A queue pair is in error for a local reason.
    Fatal(Qpn),
}

/// What the queue pairs of one host share: memory, keys, completion queues, shared receive queues.
#[derive(Clone, Debug)]
pub struct Env<M: Memory> {
    /// The memory.
    pub memory: M,
    /// Its regions and windows.
    pub keys: Keys,
    /// Completion queues; [`CqId`] is the index.
    pub cqs: Vec<Cq>,
    /// Shared receive queues; [`SrqId`] is the index.
    pub srqs: Vec<Srq>,
    /// Events, oldest first.
    pub events: VecDeque<Event>,
}

impl<M: Memory + Default> Default for Env<M> {
    fn default() -> Self {
        Self::new(M::default())
    }
}

impl<M: Memory> Env<M> {
    /// With one completion queue without limit, which is [`CqId`] 0.
    pub fn new(memory: M) -> Self {
        Self {
            memory,
            keys: Keys::default(),
            cqs: vec![Cq::default()],
            srqs: Vec::new(),
            events: VecDeque::new(),
        }
    }

    /// A new completion queue of `depth` entries.
    pub fn create_cq(&mut self, depth: u32) -> CqId {
        self.cqs.push(Cq::new(depth));
        CqId(self.cqs.len() as u32 - 1)
    }

    /// A new shared receive queue of `depth` requests.
    pub fn create_srq(&mut self, depth: u32) -> SrqId {
        self.srqs.push(Srq::new(depth));
        SrqId(self.srqs.len() as u32 - 1)
    }

    /// The oldest completion of a queue.
    #[inline]
    pub fn poll(&mut self, cq: CqId) -> Option<Completion> {
        self.cqs.get_mut(cq.0 as usize)?.poll()
    }

    /// Adds a completion. False: it is lost, and the queue pair must go to the error state.
    #[inline]
    pub(crate) fn complete(&mut self, cq: CqId, completion: Completion) -> bool {
        let Some(queue) = self.cqs.get_mut(cq.0 as usize) else { return false };
        match queue.push(completion) {
            Pushed::Quietly => true,
            Pushed::Notify => {
                self.events.push_back(Event::Completion(cq));
                true
            }
            Pushed::Overflow => {
                self.events.push_back(Event::CqOverflow(cq));
                false
            }
            Pushed::Lost => false,
        }
    }

    pub(crate) fn take_shared(&mut self, srq: SrqId) -> Option<RecvWr> {
        let (wr, passed) = self.srqs.get_mut(srq.0 as usize)?.take()?;
        if passed {
            self.events.push_back(Event::SrqLimit(srq));
        }
        Some(wr)
    }
}
