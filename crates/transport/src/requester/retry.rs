//! Going back: after NAKs, missing responses and timeouts (IBTA volume 1, 9.7.5, 9.9.2).

use super::{NONE, Stage};
use crate::completion::Status;
use crate::config::Recovery;
use crate::env::Env;
use crate::memory::Memory;
use crate::qp::Qp;
use crate::timers::rnr_timer;
use weir_congestion::{Controller, Loss};
use weir_units::Time;

/// An RNR retry count that never runs out (IBTA volume 1, 9.7.5).
const FOR_EVER: u8 = 7;

impl<M: Memory> Qp<M> {
    /// The retransmission timer fired.
    #[cold]
    pub(crate) fn timed_out(&mut self, now: Time, env: &mut Env<M>) {
        self.counters.local_ack_timeout_err += 1;
        self.control.on_loss(now, Loss::Timeout);
        self.req.timeout_at = Time::MAX;
        self.req.asked_again = NONE;
        if self.count_retry(env) {
            match self.req.board.is_some() {
                true => self.req.all_lost(),
                false => self.go_back(),
            }
        }
    }

    /// What is missing before an answer is asked for again, once.
    #[cold]
    pub(super) fn ask_again(&mut self, now: Time, env: &mut Env<M>) {
        let una = self.req.una;
        if self.state.awaits_answers() && self.req.asked_again != una && self.req.next > una {
            self.req.asked_again = una;
            self.counters.implied_nak_seq_err += 1;
            self.retry(now, env);
        }
    }

    /// A NAK, or what amounts to one: back to the oldest that is not acknowledged.
    #[cold]
    pub(super) fn retry(&mut self, now: Time, env: &mut Env<M>) {
        self.control.on_loss(now, Loss::Nak);
        if self.count_retry(env) {
            self.req.timeout_at = Time::MAX;
            self.go_back();
        }
    }

    /// Whether there is a retry left; without one the queue pair fails.
    fn count_retry(&mut self, env: &mut Env<M>) -> bool {
        if self.req.retries >= self.config.retry_count {
            self.fail(Status::RetryExceeded, env);
            return false;
        }
        self.req.retries += 1;
        true
    }

    /// Go-back-N, or to the message's begin.
    fn go_back(&mut self) {
        let (req, mtu) = (&mut self.req, self.config.mtu);
        if self.config.recovery == Recovery::GoBack0
            && let Some(front) = req.sq.front()
            && front.stage != Stage::Done
        {
            req.una = front.first;
            req.update_una_pos(mtu);
        }
        req.rtt.clear();
        req.since_ack_req = 0;
        req.asked = 0;
        req.go_to(req.una, mtu);
    }

    /// The peer was not ready for the oldest packet.
    #[cold]
    pub(super) fn wait_for_receiver(&mut self, now: Time, code: u8, env: &mut Env<M>) {
        let req = &mut self.req;
        let waits = req.rnr_until > now;
        if waits && (req.next == req.una || req.resend == req.una) {
            return; // a copy of one that is being obeyed
        }
        self.counters.rnr_nak += 1;
        // The path works, and so does the peer.
        req.retries = 0;
        if self.config.rnr_retry != FOR_EVER {
            if req.rnr_retries >= self.config.rnr_retry {
                return self.fail(Status::RnrRetryExceeded, env);
            }
            req.rnr_retries += 1;
        }
        req.rnr_until = now.saturating_add(rnr_timer(code));
        req.timeout_at = Time::MAX;
        match req.board.is_some() {
            true => req.lost_from_una(),
            false => self.go_back(),
        }
    }
}
