//! What acknowledgements, NAKs and responses do (IBTA volume 1, 9.7.5, 9.7.6).

use super::NONE;
use crate::completion::Status;
use crate::config::Recovery;
use crate::env::Env;
use crate::memory::Memory;
use crate::packet::{Ext, Flags, Packet, RxMeta, SEQUENCE_NAK};
use crate::qp::Qp;
use crate::work::SendOp;
use weir_congestion::{AckEvent, Controller};
use weir_units::Time;
use weir_wire::{NakCode, Syndrome};

impl<M: Memory> Qp<M> {
    /// An acknowledgement or NAK. One of a PSN that was never sent (a ghost), or is acknowledged already, is dropped
    /// (IBTA volume 1, 9.7.5).
    #[inline]
    pub(crate) fn handle_ack(
        &mut self,
        now: Time,
        packet: &Packet<M::Payload>,
        rx: RxMeta<'_>,
        env: &mut Env<M>,
    ) {
        let Ext::Aeth { syndrome, .. } = packet.ext else { return };
        let mut seq = self.req.seq(packet.psn);
        if seq >= self.req.high {
            return;
        }
        if self.config.recovery == Recovery::GoBack0 {
            match self.back_to_begin(seq, syndrome) {
                Some(begin) => seq = begin,
                None => return,
            }
        }
        if seq < self.req.una {
            return;
        }
        let becn = packet.flags.contains(Flags::BECN);
        if self.req.board.is_some() {
            return self.handle_ack_selective(now, seq, syndrome, becn, rx, env);
        }
        if syndrome.is_ack() {
            if !self.acknowledge(now, seq + 1, becn, rx, env) {
                self.ask_again(now, env);
            }
            return;
        }
        // A NAK acknowledges everything before it.
        if !self.acknowledge(now, seq, becn, rx, env) {
            return self.ask_again(now, env);
        }
        self.refused(now, syndrome, env);
    }

    /// What a NAK of the oldest packet does.
    #[cold]
    pub(super) fn refused(&mut self, now: Time, syndrome: Syndrome, env: &mut Env<M>) {
        if !self.state.awaits_answers() {
            return;
        }
        let code = match syndrome {
            Syndrome::RnrNak { timer } => return self.wait_for_receiver(now, timer, env),
            Syndrome::Nak { code } => code,
            Syndrome::Ack { .. } | Syndrome::Reserved(_) => return,
        };
        match code {
            NakCode::PsnSequenceError => {
                self.counters.packet_seq_err += 1;
                if self.req.next > self.req.una {
                    self.retry(now, env);
                }
            }
            NakCode::InvalidRequest => self.fail(Status::RemoteInvalidRequest, env),
            NakCode::RemoteAccessError => self.fail(Status::RemoteAccess, env),
            NakCode::RemoteOperationalError => self.fail(Status::RemoteOperational, env),
            // Of RD, or reserved: as if it had been lost.
            NakCode::InvalidRdRequest | NakCode::Reserved(_) => {}
        }
    }

    /// Go-back-0: the responder has thrown the begun message away, so a NAK may be of a PSN that was acknowledged, and an
    /// acknowledgement of an earlier round means nothing.
    fn back_to_begin(&mut self, seq: u64, syndrome: Syndrome) -> Option<u64> {
        let req = &mut self.req;
        let nak = syndrome == SEQUENCE_NAK;
        if seq < req.una && nak && req.sq.front().is_some_and(|front| seq == front.first) {
            req.una = seq;
            req.update_una_pos(self.config.mtu);
        }
        (nak || seq < req.next).then_some(seq)
    }

    /// Everything before `to` has arrived. False: a read or atomic in between has not been answered.
    #[inline]
    pub(super) fn acknowledge(
        &mut self,
        now: Time,
        to: u64,
        ecn_echo: bool,
        rx: RxMeta<'_>,
        env: &mut Env<M>,
    ) -> bool {
        let mut una = self.req.una;
        let mut complete = true;
        for wqe in self.req.sq.iter().filter(|wqe| wqe.packets > 0) {
            if to <= una {
                break;
            }
            if wqe.wr.op.needs_response() {
                una = una.max(wqe.first);
                complete = to <= una;
                break;
            }
            una = to.min(wqe.end());
        }
        if una > self.req.una {
            self.progress(now, una, ecn_echo, rx, env);
        }
        complete
    }

    /// Everything before `una` is done.
    #[inline]
    pub(super) fn progress(&mut self, now: Time, una: u64, ecn_echo: bool, rx: RxMeta<'_>, env: &mut Env<M>) {
        let before = self.req.una_pos;
        self.req.una = una;
        self.retire(env);
        if !self.state.awaits_answers() {
            // What came to the front had failed, or a completion was lost.
            return;
        }
        let (req, config) = (&mut self.req, &self.config);
        if req.next < una {
            // An answer to packets sent before going back: they need not be sent again.
            req.go_to(una, config.mtu);
        }
        req.retries = 0;
        req.rnr_retries = 0;
        req.rnr_until = Time::ZERO;
        req.asked_again = NONE;
        if req.next > una {
            req.start_timer(now, config);
        } else {
            req.timeout_at = Time::MAX;
        }
        let acked_bytes = req.una_pos.saturating_sub(before);
        let rtt = req.rtt.acknowledged(una, now);
        if acked_bytes > 0 || rtt.is_some() {
            let in_flight_bytes = req.next_pos - req.una_pos;
            let telemetry = rx.telemetry;
            self.control.on_ack(now, &AckEvent { acked_bytes, in_flight_bytes, ecn_echo, rtt, telemetry });
        }
    }

    /// The answer to an atomic: the value before.
    pub(crate) fn handle_atomic_ack(
        &mut self,
        now: Time,
        packet: &Packet<M::Payload>,
        rx: RxMeta<'_>,
        env: &mut Env<M>,
    ) {
        let Ext::AtomicAck { syndrome: Syndrome::Ack { .. }, original, .. } = packet.ext else { return };
        let seq = self.req.seq(packet.psn);
        if seq >= self.req.high || seq < self.req.una {
            return;
        }
        if self.req.board.is_some() {
            return self.answered_selectively(now, seq, rx, env, |qp, index, env| {
                qp.store_original(index, original, env)
            });
        }
        if !self.acknowledge(now, seq, false, rx, env) || self.req.una != seq {
            return self.ask_again(now, env);
        }
        if self.store_original(0, original, env) {
            self.progress(now, seq + 1, false, rx, env);
        }
    }

    /// Puts the value before an atomic where the request at `index` wants it. False: that is no atomic.
    fn store_original(&mut self, index: usize, original: u64, env: &mut Env<M>) -> bool {
        let Some(wqe) = self.req.sq.get(index).filter(|wqe| wqe.wr.op.is_atomic()) else { return false };
        let bytes = original.to_ne_bytes();
        wqe.wr.local.parts(0, 8, |va, from, len| {
            env.memory.write_bytes(va, &bytes[from as usize..][..len as usize]);
        });
        true
    }

    /// A read response.
    pub(crate) fn handle_read_response(
        &mut self,
        now: Time,
        packet: &Packet<M::Payload>,
        rx: RxMeta<'_>,
        env: &mut Env<M>,
    ) {
        let seq = self.req.seq(packet.psn);
        if seq >= self.req.high || seq < self.req.una {
            return;
        }
        if self.req.board.is_some() {
            return self
                .answered_selectively(now, seq, rx, env, |qp, index, env| qp.place(index, seq, packet, env));
        }
        // A response acknowledges every request before its own, and shows that a response in between is missing
        // (IBTA volume 1, 9.7.5).
        if !self.acknowledge(now, seq, false, rx, env) || self.req.una != seq {
            return self.ask_again(now, env);
        }
        if self.place(0, seq, packet, env) {
            self.progress(now, seq + 1, false, rx, env);
        }
    }

    /// Puts the payload of response `seq` where the request at `index` wants it. False: it is not the answer to a read, or
    /// not as long as it must be, and then the queue pair is in error (IBTA volume 1, 9.9.2: bad response).
    fn place(&mut self, index: usize, seq: u64, packet: &Packet<M::Payload>, env: &mut Env<M>) -> bool {
        let Some(wqe) = self.req.sq.get(index) else { return false };
        if !matches!(wqe.wr.op, SendOp::Read { .. }) || !(wqe.first..wqe.end()).contains(&seq) {
            return false;
        }
        let offset = (seq - wqe.first) as u32 * self.config.mtu;
        let bytes = (wqe.len - offset).min(self.config.mtu);
        if u32::from(packet.payload_bytes) != bytes {
            self.fail(Status::BadResponse, env);
            return false;
        }
        let memory = &mut env.memory;
        wqe.wr.local.parts(offset, bytes, |va, from, len| memory.write(va, &packet.payload, from, len));
        self.counters.delivered_bytes += u64::from(bytes);
        true
    }
}
