//! Completions and the queues that hold them.

use std::collections::VecDeque;
use weir_wire::Qpn;

/// How a work request ended (IBTA volume 1, 10.8.6, 11.6.2; names of verbs).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Success.
    Success,
    /// Local length error: a message longer than the receive buffer.
    LocalLength,
    /// Local protection error: a local key, its bounds or its rights.
    LocalProtection,
    /// Flushed: the queue pair was in error.
    Flushed,
    /// Memory window bind error.
    MwBind,
    /// Memory management error: a key that cannot be invalidated.
    MemoryManagement,
    /// Bad response: an answer that does not fit the request.
    BadResponse,
    /// Remote invalid request.
    RemoteInvalidRequest,
    /// Remote access error.
    RemoteAccess,
    /// Remote operational error.
    RemoteOperational,
    /// Transport retries used up.
    RetryExceeded,
    /// RNR retries used up.
    RnrRetryExceeded,
}

/// What a completed request did (opcode of a work completion).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WcOp {
    /// SEND, also with immediate data or invalidate, or a datagram.
    Send,
    /// RDMA WRITE.
    Write,
    /// RDMA READ.
    Read,
    /// Compare and swap.
    CompareSwap,
    /// Fetch and add.
    FetchAdd,
    /// Window bind.
    Bind,
    /// Local invalidate.
    LocalInvalidate,
    /// A receive request that a SEND used.
    Recv,
    /// A receive request that an RDMA WRITE with immediate data used.
    RecvWriteImm,
}

/// A completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The queue pair.
    pub qpn: Qpn,
    /// The request's number.
    pub id: u64,
    /// How it ended.
    pub status: Status,
    /// What it did.
    pub op: WcOp,
    /// Bytes received or read. A datagram's include 40 for the GRH.
    pub bytes: u32,
    /// Immediate data received.
    pub imm: Option<u32>,
    /// Key that the message invalidated.
    pub invalidated: Option<u32>,
    /// Sender of a datagram.
    pub src: Option<Qpn>,
    /// The message asked for a solicited event.
    pub solicited: bool,
}

impl Completion {
    pub(crate) fn new(qpn: Qpn, id: u64, status: Status, op: WcOp) -> Self {
        Self { qpn, id, status, op, bytes: 0, imm: None, invalidated: None, src: None, solicited: false }
    }

    /// Whether it is of a receive request.
    pub fn is_recv(&self) -> bool {
        matches!(self.op, WcOp::Recv | WcOp::RecvWriteImm)
    }
}

/// Number of a completion queue in its [`Env`](crate::Env).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CqId(pub u32);

/// What a completion queue is to notify of, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notify {
    /// The next completion.
    Next,
    /// The next solicited one, or one in error (IBTA volume 1, 11.4.2).
    Solicited,
}

/// A completion queue.
#[derive(Clone, Debug, Default)]
pub struct Cq {
    entries: VecDeque<Completion>,
    /// 0: no limit.
    depth: u32,
    overflowed: bool,
    armed: Option<Notify>,
}

/// What came of a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pushed {
    Quietly,
    /// The consumer wants to know.
    Notify,
    /// It did not fit, for the first time.
    Overflow,
    /// The queue had overflowed before.
    Lost,
}

impl Cq {
    /// A queue of `depth` entries; 0 for no limit.
    pub fn new(depth: u32) -> Self {
        Self { depth, ..Self::default() }
    }

    /// The oldest completion.
    #[inline]
    pub fn poll(&mut self) -> Option<Completion> {
        self.entries.pop_front()
    }

    /// Completions that wait.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether none waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The completions that wait, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Completion> {
        self.entries.iter()
    }

    /// Whether a completion was lost because the queue was full. Such a queue is of no more use (IBTA volume 1, 11.6.3).
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// Asks for one [`Event::Completion`](crate::Event). A request for the next completion is not narrowed by a later one
    /// for the next solicited one.
    pub fn arm(&mut self, notify: Notify) {
        if self.armed != Some(Notify::Next) {
            self.armed = Some(notify);
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, completion: Completion) -> Pushed {
        if self.overflowed {
            return Pushed::Lost;
        }
        if self.depth != 0 && self.entries.len() >= self.depth as usize {
            self.overflowed = true;
            return Pushed::Overflow;
        }
        self.entries.push_back(completion);
        let notify = match self.armed {
            None => false,
            Some(Notify::Next) => true,
            Some(Notify::Solicited) => {
                completion.status != Status::Success || (completion.is_recv() && completion.solicited)
            }
        };
        if notify {
            self.armed = None;
            return Pushed::Notify;
        }
        Pushed::Quietly
    }
}
