//! Work requests.

use crate::keys::WindowBind;
use weir_wire::Qpn;

/// A local key that is not checked: for a consumer that owns the whole memory (the reserved L_Key of IBTA volume 1,
/// 10.6.2). The simulator uses nothing else.
pub const RESERVED_LKEY: u32 = 0;

/// A piece of local memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sge {
    /// Address.
    pub addr: u64,
    /// Bytes.
    pub len: u32,
    /// Local key, or [`RESERVED_LKEY`].
    pub lkey: u32,
}

/// A gather or scatter list. One piece, the common case, needs no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SgList {
    first: Sge,
    rest: Vec<Sge>,
}

impl From<Sge> for SgList {
    fn from(first: Sge) -> Self {
        Self { first, rest: Vec::new() }
    }
}

impl From<&[Sge]> for SgList {
    fn from(pieces: &[Sge]) -> Self {
        match pieces {
            [] => Self::default(),
            [first, rest @ ..] => Self { first: *first, rest: rest.to_vec() },
        }
    }
}

impl SgList {
    /// Bytes of all pieces.
    pub fn bytes(&self) -> u64 {
        self.iter().map(|piece| u64::from(piece.len)).sum()
    }

    /// The pieces.
    pub fn iter(&self) -> impl Iterator<Item = &Sge> {
        std::iter::once(&self.first).chain(&self.rest)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Sge> {
        std::iter::once(&mut self.first).chain(&mut self.rest)
    }

    /// Calls `each` with address, distance from `from` and length of the parts that hold bytes `from..from + len`.
    #[inline]
    pub(crate) fn parts(&self, from: u32, len: u32, mut each: impl FnMut(u64, u32, u32)) {
        if self.rest.is_empty() {
            return each(self.first.addr.wrapping_add(u64::from(from)), 0, len);
        }
        let (mut skip, mut done) = (from, 0);
        for piece in self.iter() {
            if skip >= piece.len {
                skip -= piece.len;
                continue;
            }
            let part = (piece.len - skip).min(len - done);
            if part > 0 {
                each(piece.addr.wrapping_add(u64::from(skip)), done, part);
            }
            done += part;
            skip = 0;
        }
    }
}

/// What a send request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendOp {
    /// SEND, with immediate data or without.
    Send {
        /// Immediate data.
        imm: Option<u32>,
    },
    /// SEND with invalidate: the peer's key becomes invalid when the message is there.
    SendInvalidate {
        /// The peer's key.
        rkey: u32,
    },
    /// RDMA WRITE, with immediate data or without.
    Write {
        /// Remote address.
        remote: u64,
        /// Remote key.
        rkey: u32,
        /// Immediate data.
        imm: Option<u32>,
    },
    /// RDMA READ.
    Read {
        /// Remote address.
        remote: u64,
        /// Remote key.
        rkey: u32,
    },
    /// Compare and swap of eight bytes; the value before comes to local memory.
    CompareSwap {
        /// Remote address, a multiple of 8.
        remote: u64,
        /// Remote key.
        rkey: u32,
        /// Value to compare with.
        compare: u64,
        /// Value to swap in.
        swap: u64,
    },
    /// Fetch and add of eight bytes; the value before comes to local memory.
    FetchAdd {
        /// Remote address, a multiple of 8.
        remote: u64,
        /// Remote key.
        rkey: u32,
        /// Value to add.
        add: u64,
    },
    /// A datagram; UD only.
    Datagram {
        /// Destination queue pair.
        dest: Qpn,
        /// Queue key; with its top bit set, the queue pair's own is used (IBTA volume 1, 10.2.5).
        qkey: u32,
        /// Immediate data.
        imm: Option<u32>,
    },
    /// Bind a memory window. No packet.
    Bind(WindowBind),
    /// Make an own type 2 window key invalid. No packet.
    LocalInvalidate {
        /// The key.
        key: u32,
    },
}

impl SendOp {
    /// Whether the peer's answer is more than an acknowledgement.
    pub(crate) fn needs_response(&self) -> bool {
        matches!(self, SendOp::Read { .. } | SendOp::CompareSwap { .. } | SendOp::FetchAdd { .. })
    }

    pub(crate) fn is_atomic(&self) -> bool {
        matches!(self, SendOp::CompareSwap { .. } | SendOp::FetchAdd { .. })
    }

    pub(crate) fn is_local(&self) -> bool {
        matches!(self, SendOp::Bind(_) | SendOp::LocalInvalidate { .. })
    }
}

/// A send request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendWr {
    /// The caller's number, returned in the completion.
    pub id: u64,
    /// What to do.
    pub op: SendOp,
    /// Local memory: what is sent, or where what is read goes to (eight bytes for an atomic).
    pub local: SgList,
    /// Whether a successful completion is reported.
    pub signaled: bool,
    /// Begin only when all earlier reads and atomics have completed.
    pub fence: bool,
    /// The receiver is to be notified (the packet that ends the message carries the solicited event bit).
    pub solicited: bool,
    /// Take the data now: the memory may be used again at once, and its keys are not checked.
    pub inline: bool,
    /// For XRC: number of the peer's shared receive queue.
    pub srqn: u32,
}

impl SendWr {
    /// A signalled request with one piece of memory whose key is not checked.
    pub fn new(id: u64, op: SendOp, local: u64, len: u32) -> Self {
        Self {
            id,
            op,
            local: Sge { addr: local, len, lkey: RESERVED_LKEY }.into(),
            signaled: true,
            fence: false,
            solicited: false,
            inline: false,
            srqn: 0,
        }
    }
}

/// A receive request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecvWr {
    /// The caller's number, returned in the completion.
    pub id: u64,
    /// Where to put what arrives.
    pub local: SgList,
}

impl RecvWr {
    /// A request with one piece of memory whose key is not checked.
    pub fn new(id: u64, local: u64, len: u32) -> Self {
        Self { id, local: Sge { addr: local, len, lkey: RESERVED_LKEY }.into() }
    }
}

/// Why a request was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PostError {
    /// The queue pair is in the wrong state.
    #[error("queue pair is in state {found:?}; sends need RTS or SQD, receives INIT or later")]
    State {
        /// State of the queue pair.
        found: crate::QpState,
    },
    /// The queue is full.
    #[error("queue is full with {depth} requests; wait for completions or make it deeper")]
    Full {
        /// Its depth.
        depth: u32,
    },
    /// Longer than a message may be.
    #[error("message of {bytes} bytes; at most {most} fit")]
    TooLong {
        /// Bytes of the message.
        bytes: u64,
        /// The most that this kind of queue pair takes.
        most: u64,
    },
    /// More inline data than agreed.
    #[error("{bytes} bytes inline; at most {most} were agreed")]
    TooMuchInline {
        /// Bytes of the message.
        bytes: u64,
        /// The most.
        most: u32,
    },
    /// The transport service does not have this operation.
    #[error("{service:?} queue pairs do not have this operation")]
    Unsupported {
        /// Service of the queue pair.
        service: crate::Service,
    },
    /// An atomic works on eight bytes.
    #[error("an atomic operation needs 8 bytes of local memory, got {bytes}")]
    AtomicLength {
        /// Bytes of the local memory.
        bytes: u64,
    },
    /// Receives of this queue pair come from a shared receive queue.
    #[error("this queue pair receives from a shared receive queue; post there")]
    Shared,
}
