//! Selective repeat: answers (as IRN, SIGCOMM 2018, section 3.1).
//!
//! The responder says what arrived ([`Ext::Sack`]); of a read the requester sees itself which responses arrived. What is
//! missing before something that arrived is lost and is repeated once; if it is lost again, the timer finds it. Of a read
//! the missing run alone is asked for again, which the standard allows (IBTA volume 1, 9.7.5).

use super::{NONE, Requester};
use crate::env::Env;
use crate::memory::Memory;
use crate::packet::{Ext, Flags, Packet, RxMeta, SEQUENCE_NAK};
use crate::qp::Qp;
use weir_congestion::{Controller, Loss};
use weir_units::Time;
use weir_wire::Syndrome;

impl<P> Requester<P> {
    /// Looks for the next packet to repeat.
    fn find_lost(&mut self) {
        self.resend = NONE;
        let Some(board) = &self.board else { return };
        let from = board.scan.max(self.una);
        let to = board.lost_below.min(self.high);
        self.resend =
            (from..to).find(|seq| !board.covers(*seq, self.una) || !board.has(*seq)).unwrap_or(NONE);
    }

    /// How many packets from the lost one `seq` on one request repeats: of a read, the missing run.
    pub(super) fn missing_run(&self, seq: u64) -> u32 {
        let (Some(board), Some(wqe)) = (&self.board, self.sq.get(self.index_of(seq))) else { return 1 };
        if !wqe.wr.op.needs_response() {
            return 1;
        }
        let arrived =
            (seq + 1..wqe.end()).take_while(|at| board.covers(*at, self.una)).find(|at| board.has(*at));
        (arrived.unwrap_or(wqe.end()) - seq) as u32
    }

    /// Everything before `to` has been repeated.
    pub(super) fn repeated(&mut self, to: u64) {
        if let Some(board) = &mut self.board {
            board.scan = to;
        }
        self.find_lost();
    }

    /// Everything in flight is taken for lost, whatever the responder said: it may have said it of packets that it has
    /// since lost the means to deliver. Responses that arrived stay.
    pub(super) fn all_lost(&mut self) {
        if let Some(board) = &mut self.board {
            for wqe in self.sq.iter().filter(|wqe| !wqe.wr.op.needs_response()) {
                if wqe.first >= self.high {
                    break;
                }
                board.clear(wqe.first.max(self.una).max(board.acked), wqe.end().min(self.high));
            }
            board.scan = self.una;
            board.lost_below = self.high;
            board.recover = self.high;
        }
        self.find_lost();
    }

    /// The oldest packet is to be sent again.
    pub(super) fn lost_from_una(&mut self) {
        let una = self.una;
        if let Some(board) = &mut self.board {
            board.clear(una, una + 1);
            board.scan = una;
            board.lost_below = board.lost_below.max(una + 1);
        }
        self.find_lost();
    }

    /// The oldest that is not done, from what is known.
    fn done_up_to(&self) -> u64 {
        let mut una = self.una;
        let Some(board) = &self.board else { return una };
        for wqe in self.sq.iter().filter(|wqe| wqe.packets > 0) {
            if una >= self.high {
                break;
            }
            let end = wqe.end();
            if wqe.wr.op.needs_response() {
                // No more bits than the scoreboard has: further responses were not taken.
                while una < end && board.covers(una, self.una) && board.has(una) {
                    una += 1;
                }
            } else {
                una = una.max(board.acked.min(end));
            }
            if una < end {
                break;
            }
        }
        una
    }

    /// The responder has executed everything before `to`.
    fn executed(&mut self, to: u64) {
        let una = self.una;
        let Some(board) = &mut self.board else { return };
        if to <= board.acked {
            return;
        }
        board.acked = to;
        if self.rd_out == 0 {
            return;
        }
        // Behind a read that waits for responses, these are not lost.
        for wqe in self.sq.iter().filter(|wqe| wqe.packets > 0 && !wqe.wr.op.needs_response()) {
            if wqe.first >= to {
                break;
            }
            for seq in wqe.first.max(una)..wqe.end().min(to) {
                if !board.covers(seq, una) {
                    break;
                }
                board.set(seq);
            }
        }
    }
}

impl<M: Memory> Qp<M> {
    pub(super) fn handle_ack_selective(
        &mut self,
        now: Time,
        seq: u64,
        syndrome: Syndrome,
        becn: bool,
        rx: RxMeta<'_>,
        env: &mut Env<M>,
    ) {
        match syndrome {
            Syndrome::Ack { .. } => {
                self.req.executed(seq + 1);
                self.settle(now, seq + 1, becn, rx, env);
            }
            syndrome => {
                self.req.executed(seq);
                self.settle(now, seq, becn, rx, env);
                if self.req.una == seq {
                    match syndrome {
                        SEQUENCE_NAK => self.lost(now, seq + 1),
                        refusal => self.refused(now, refusal, env),
                    }
                }
            }
        }
    }

    /// The responder says what arrived.
    #[cold]
    pub(crate) fn handle_selective_ack(
        &mut self,
        now: Time,
        packet: &Packet<M::Payload>,
        rx: RxMeta<'_>,
        env: &mut Env<M>,
    ) {
        let Ext::Sack { base, bitmap, .. } = packet.ext else { return };
        let seq = self.req.seq(packet.psn);
        if self.req.board.is_none() || seq > self.req.high || seq < self.req.una {
            return;
        }
        self.req.executed(seq);
        let first = self.req.seq(base);
        let mut top = seq;
        for at in (0..64).filter(|bit| bitmap >> bit & 1 == 1).map(|bit| first.wrapping_add(bit)) {
            if at < self.req.una || at >= self.req.high {
                continue;
            }
            top = top.max(at);
            // Of a read it means that the request arrived, not the responses.
            let index = self.req.index_of(at);
            let request = self.req.sq.get(index).is_some_and(|wqe| !wqe.wr.op.needs_response());
            let una = self.req.una;
            if let Some(board) = self.req.board.as_mut().filter(|board| request && board.covers(at, una)) {
                board.set(at);
            }
        }
        let becn = packet.flags.contains(Flags::BECN);
        self.settle(now, top, becn, rx, env);
    }

    /// An answer to `seq` arrived, which `place` puts where it belongs.
    pub(super) fn answered_selectively(
        &mut self,
        now: Time,
        seq: u64,
        rx: RxMeta<'_>,
        env: &mut Env<M>,
        place: impl FnOnce(&mut Self, usize, &mut Env<M>) -> bool,
    ) {
        let una = self.req.una;
        let seen = match &self.req.board {
            Some(board) => !board.covers(seq, una) || board.has(seq),
            None => true,
        };
        let index = self.req.index_of(seq);
        if seen || !place(self, index, env) {
            return;
        }
        let first = self.req.sq.get(index).map_or(seq, |wqe| wqe.first);
        if let Some(board) = &mut self.req.board {
            board.set(seq);
        }
        // Requests are executed in order: those before have been.
        self.req.executed(first);
        self.settle(now, seq, false, rx, env);
    }

    /// After news: completes what is done; what is missing before `top` is lost.
    fn settle(&mut self, now: Time, top: u64, becn: bool, rx: RxMeta<'_>, env: &mut Env<M>) {
        let before = self.req.una;
        let una = self.req.done_up_to();
        if una > before {
            if let Some(board) = &mut self.req.board {
                board.clear(before, una);
            }
            self.progress(now, una, becn, rx, env);
        }
        if self.state.awaits_answers() {
            self.lost(now, top);
        }
    }

    /// What is before `below` and has not arrived is lost.
    fn lost(&mut self, now: Time, below: u64) {
        let Some(board) = &mut self.req.board else { return };
        board.lost_below = board.lost_below.max(below);
        self.req.find_lost();
        let Some(board) = &mut self.req.board else { return };
        if self.req.resend != NONE && self.req.una >= board.recover {
            // A new loss, as far as the congestion controller is concerned.
            board.recover = self.req.high;
            self.counters.packet_seq_err += 1;
            self.control.on_loss(now, Loss::Nak);
        }
    }
}
