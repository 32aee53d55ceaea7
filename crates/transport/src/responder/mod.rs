//! The responder: executes requests in order and answers them (IBTA volume 1, 9.7.4, 9.7.5, 9.8).

mod answer;
mod atomic;
mod datagram;
mod execute;
mod read;
mod receive;
mod reorder;
mod request;
mod unreliable;

use crate::config::{QpConfig, Recovery};
use crate::work::RecvWr;
use read::ReadAnswer;
use reorder::Reorder;
use std::collections::VecDeque;
use weir_wire::{Psn, Syndrome};

/// An acknowledgement or NAK to be sent.
#[derive(Clone, Copy, Debug)]
struct Ack {
    psn: Psn,
    syndrome: Syndrome,
    msn: u32,
    becn: bool,
    /// Selective repeat: the packet that arrived out of order.
    arrived: Option<Psn>,
}

/// What goes before the acknowledgement that is to be sent last, in order.
#[derive(Clone, Copy, Debug)]
enum Answer {
    Ack(Ack),
    Atomic { psn: Psn, msn: u32, original: u64 },
    Read(ReadAnswer),
}

/// The message that is arriving.
#[derive(Clone, Copy, Debug)]
struct Incoming {
    write: bool,
    first: Psn,
    /// Where the first byte of a write lies.
    addr: u64,
    /// Of a write: key, address and length as the peer gave them, and when they were checked.
    va: u64,
    rkey: u32,
    len: u32,
    epoch: u32,
    left: u32,
    received: u32,
}

#[derive(Debug)]
pub(crate) struct Responder<P> {
    expected: Psn,
    /// Messages completed, 24 bits.
    msn: u32,
    /// A NAK was sent for the expected packet: none more until it comes (IBTA volume 1, 9.7.5).
    nak_sent: bool,
    /// A packet came marked since the last acknowledgement.
    ce_seen: bool,
    message: Option<Incoming>,
    /// The acknowledgement that is to be sent last. It stands for all before it.
    tail: Option<Ack>,
    queue: VecDeque<Answer>,
    pub rq: VecDeque<RecvWr>,
    /// The receive request of the SEND that is arriving.
    pub held: Option<RecvWr>,
    /// Results of the latest atomics, for copies of them.
    atomics: VecDeque<(Psn, u64)>,
    reorder: Option<Box<Reorder<P>>>,
    /// A packet arrived before the queue pair was ready to send.
    pub established: bool,
}

impl<P> Responder<P> {
    pub fn new(config: &QpConfig) -> Self {
        let selective = config.recovery == Recovery::SelectiveRepeat && config.service.is_reliable();
        Self {
            expected: config.rq_psn,
            msn: 0,
            nak_sent: false,
            ce_seen: false,
            message: None,
            tail: None,
            queue: VecDeque::new(),
            rq: VecDeque::new(),
            held: None,
            atomics: VecDeque::new(),
            reorder: selective.then(|| Box::new(Reorder::new(config.selective.cap_packets))),
            established: false,
        }
    }

    #[inline]
    pub fn has_ack(&self) -> bool {
        match self.queue.front() {
            None => self.tail.is_some(),
            Some(Answer::Read(_)) => false,
            Some(_) => true,
        }
    }

    #[inline]
    pub fn has_read(&self) -> bool {
        matches!(self.queue.front(), Some(Answer::Read(_)))
    }

    /// The queue pair is in error. `keep_answers`: what was answered before is still sent.
    pub fn abandon(&mut self, keep_answers: bool) {
        self.message = None;
        self.reorder = None;
        if !keep_answers {
            self.queue.clear();
            self.tail = None;
        }
    }

    fn count_message(&mut self) {
        self.msn = (self.msn + 1) & 0xff_ffff;
    }
}
