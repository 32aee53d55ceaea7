//! Shared receive queues.

use crate::work::{PostError, RecvWr};
use std::collections::VecDeque;

/// Number of a shared receive queue in its [`Env`](crate::Env); on XRC packets, the number that they carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SrqId(pub u32);

/// A receive queue that several queue pairs take from.
#[derive(Clone, Debug, Default)]
pub struct Srq {
    queue: VecDeque<RecvWr>,
    depth: u32,
    /// 0: not armed.
    limit: u32,
}

impl Srq {
    /// A queue of `depth` requests.
    pub fn new(depth: u32) -> Self {
        Self { depth, ..Self::default() }
    }

    /// Take a receive request.
    pub fn post(&mut self, wr: RecvWr) -> Result<(), PostError> {
        if self.queue.len() >= self.depth as usize {
            return Err(PostError::Full { depth: self.depth });
        }
        self.queue.push_back(wr);
        Ok(())
    }

    /// Ask for one [`Event::SrqLimit`](crate::Event) when fewer than `limit` requests are left; 0 for none.
    pub fn arm_limit(&mut self, limit: u32) {
        self.limit = limit;
    }

    /// The limit that is armed; 0 for none.
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Requests that wait.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// The next request, and whether the limit has been passed.
    pub(crate) fn take(&mut self) -> Option<(RecvWr, bool)> {
        let wr = self.queue.pop_front()?;
        let passed = self.queue.len() < self.limit as usize;
        if passed {
            self.limit = 0;
        }
        Some((wr, passed))
    }
}
