//! Work requests and their completions.

use weir_wire::Qpn;

/// What a send request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendOp {
    /// SEND, with immediate data or without.
    Send {
        /// Immediate data.
        imm: Option<u32>,
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
}

/// A send request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendWr {
    /// The caller's number, returned in the completion.
    pub id: u64,
    /// What to do.
    pub op: SendOp,
    /// Local address.
    pub local: u64,
    /// Bytes; below 2^31.
    pub len: u32,
    /// Whether a successful completion is reported.
    pub signaled: bool,
}

/// A receive request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecvWr {
    /// The caller's number, returned in the completion.
    pub id: u64,
    /// Local address.
    pub local: u64,
    /// Bytes.
    pub len: u32,
}

/// How a work request ended (IBTA volume 1, 10.8.6; names of verbs).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Success.
    Success,
    /// Local length error.
    LocalLength,
    /// Flushed: the queue pair was in error.
    Flushed,
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

/// A completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The queue pair.
    pub qpn: Qpn,
    /// The request's number.
    pub id: u64,
    /// How it ended.
    pub status: Status,
    /// Whether it was a receive request.
    pub recv: bool,
    /// Bytes received (receive requests and reads).
    pub bytes: u32,
    /// Immediate data received.
    pub imm: Option<u32>,
}

/// Why a request was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PostError {
    /// The queue pair is in the wrong state.
    #[error("queue pair is in state {0:?}; sends need RTS")]
    State(crate::QpState),
    /// Longer than 2^31 bytes.
    #[error("message of {0} bytes; at most 2^31 fit")]
    TooLong(u32),
}
