//! Acknowledgements, NAKs and answers to atomics on their way out (IBTA volume 1, 9.7.5).

use super::{Ack, Answer, Responder};
use crate::memory::Memory;
use crate::packet::{Ext, Flags, Packet};
use crate::qp::Qp;
use weir_wire::{Opcode, Psn, Syndrome, opcode::op};

impl<P> Responder<P> {
    /// Acknowledges everything up to `psn`; replaces what waits, for which it stands.
    #[inline]
    pub(super) fn ack(&mut self, psn: Psn, ecn_echo: bool) {
        let marked = ecn_echo && std::mem::take(&mut self.ce_seen);
        let becn = marked || self.tail.is_some_and(|tail| tail.becn);
        self.tail = Some(Ack { psn, syndrome: Syndrome::ACK, msn: self.msn, becn, arrived: None });
    }

    /// Acknowledges everything executed, because a copy of it came. A NAK that waits says as much.
    pub(super) fn ack_again(&mut self, ecn_echo: bool) {
        if self.tail.is_none_or(|tail| tail.syndrome.is_ack()) {
            self.ack(self.expected.sub(1), ecn_echo);
        }
    }

    /// Refuses the expected packet. It stands for an acknowledgement that waits.
    pub(super) fn nak(&mut self, syndrome: Syndrome, arrived: Option<Psn>) {
        self.nak_sent = true;
        let becn = self.tail.is_some_and(|tail| tail.becn);
        self.tail = Some(Ack { psn: self.expected, syndrome, msn: self.msn, becn, arrived });
    }

    /// Adds an answer that an acknowledgement does not replace. One that waits goes before it.
    pub(super) fn answer(&mut self, answer: Answer) {
        if let Some(tail) = self.tail.take() {
            self.queue.push_back(Answer::Ack(tail));
        }
        self.queue.push_back(answer);
    }
}

impl<M: Memory> Qp<M> {
    #[inline]
    pub(crate) fn next_ack(&mut self) -> Option<Packet<M::Payload>> {
        let ack = match self.resp.queue.front() {
            None => self.resp.tail.take()?,
            Some(_) => return self.next_queued(),
        };
        Some(self.ack_packet(ack))
    }

    fn next_queued(&mut self) -> Option<Packet<M::Payload>> {
        let answer = self.resp.queue.pop_front()?;
        match answer {
            Answer::Ack(ack) => Some(self.ack_packet(ack)),
            Answer::Atomic { psn, msn, original } => Some(Packet {
                ext: Ext::AtomicAck { syndrome: Syndrome::ACK, msn, original },
                ..self.response(op::ATOMIC_ACKNOWLEDGE, psn)
            }),
            Answer::Read(_) => {
                self.resp.queue.push_front(answer);
                None
            }
        }
    }

    #[inline]
    fn ack_packet(&self, ack: Ack) -> Packet<M::Payload> {
        let mut packet = self.response(op::ACKNOWLEDGE, ack.psn);
        packet.ext = Ext::Aeth { syndrome: ack.syndrome, msn: ack.msn };
        if ack.becn {
            packet.flags = Flags::BECN;
        }
        if let (Some(arrived), Some(reorder)) = (ack.arrived, &self.resp.reorder) {
            packet.opcode = Packet::<()>::SELECTIVE_ACK;
            let (base, bitmap) = reorder.report(self.resp.expected, arrived);
            packet.psn = self.resp.expected;
            packet.ext = Ext::Sack { msn: self.resp.msn, base, bitmap };
        }
        packet
    }

    #[inline]
    pub(super) fn response(&self, operation: u8, psn: Psn) -> Packet<M::Payload> {
        Packet {
            dest: self.config.peer,
            opcode: Opcode(self.config.service.code() << 5 | operation),
            psn,
            ..Packet::default()
        }
    }
}
