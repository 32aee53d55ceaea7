//! The error state: every outstanding work request completes once (IBTA volume 1, 10.3.1 and 10.8.6).

use super::{Qp, QpState};
use crate::completion::{Completion, Status, WcOp};
use crate::env::{Env, Event};
use crate::memory::Memory;
use crate::requester::wc_op;
use weir_units::Time;

impl<M: Memory> Qp<M> {
    /// The oldest send request ends with `status`, the others are flushed, the queue pair is in error.
    #[cold]
    pub(crate) fn fail(&mut self, status: Status, env: &mut Env<M>) {
        self.enter_error(Some(status), false, env);
    }

    /// The oldest send request ends with a local error. An unreliable queue pair goes on receiving (IBTA volume 1,
    /// 10.3.1).
    #[cold]
    pub(crate) fn fail_locally(&mut self, status: Status, env: &mut Env<M>) {
        if self.config.service.is_reliable() {
            return self.fail(status, env);
        }
        self.state = QpState::Sqe;
        self.flush_sends(Some(status), env);
    }

    /// Flushes everything. `first`: status of the oldest send request. `keep_answers`: what has been answered before the
    /// error is still sent.
    #[cold]
    pub(crate) fn enter_error(&mut self, first: Option<Status>, keep_answers: bool, env: &mut Env<M>) {
        if self.state == QpState::Error {
            return;
        }
        self.state = QpState::Error;
        self.flush_sends(first, env);
        let (qpn, cq) = (self.config.qpn, self.config.recv_cq);
        for wr in self.resp.held.take().into_iter().chain(std::mem::take(&mut self.resp.rq)) {
            env.complete(cq, Completion::new(qpn, wr.id, Status::Flushed, WcOp::Recv));
        }
        self.resp.abandon(keep_answers);
        if self.config.srq.is_some() {
            env.events.push_back(Event::LastWqeReached(qpn));
        }
    }

    fn flush_sends(&mut self, first: Option<Status>, env: &mut Env<M>) {
        self.req.timeout_at = Time::MAX;
        self.req.forget_sent();
        let mut status = first.unwrap_or(Status::Flushed);
        for wqe in std::mem::take(&mut self.req.sq) {
            let op = wc_op(&wqe.wr.op);
            env.complete(self.config.send_cq, Completion::new(self.config.qpn, wqe.wr.id, status, op));
            status = Status::Flushed;
        }
    }

    /// Reports the completion of a send request (or, with `recv`, of a receive request).
    #[inline]
    pub(crate) fn report(&mut self, completion: Completion, env: &mut Env<M>) {
        let cq = if completion.is_recv() { self.config.recv_cq } else { self.config.send_cq };
        if !env.complete(cq, completion) && self.state != QpState::Error {
            env.events.push_back(Event::Fatal(self.config.qpn));
            self.enter_error(None, false, env);
        }
    }
}
