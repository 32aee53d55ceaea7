//! Atomics: executed once, answered from stored results when they come again (IBTA volume 1, 9.4.5, 9.7.5).

use super::Answer;
use super::execute::Outcome;
use crate::env::Env;
use crate::keys::Access;
use crate::memory::{AtomicOp, Memory};
use crate::packet::{Ext, Packet};
use crate::qp::Qp;
use weir_wire::{NakCode, Psn, opcode::op};

impl<M: Memory> Qp<M> {
    /// An atomic request in order.
    pub(super) fn atomic(&mut self, packet: &Packet<M::Payload>, env: &mut Env<M>) -> Outcome {
        let Ext::Atomic { va, rkey, swap_or_add, compare } = packet.ext else {
            return self.refuse(NakCode::InvalidRequest, None, env);
        };
        let allowed = self.config.access.contains(Access::REMOTE_ATOMIC);
        // The address is a multiple of eight (IBTA volume 1, 9.4.5).
        if !allowed || va % 8 != 0 || self.resp.message.is_some() || !self.has_resource() {
            return self.refuse(NakCode::InvalidRequest, None, env);
        }
        let (pd, qpn) = (self.config.pd, self.config.qpn);
        let Ok(addr) = env.keys.check_remote(rkey, va, 8, Access::REMOTE_ATOMIC, pd, qpn) else {
            return self.refuse(NakCode::RemoteAccessError, None, env);
        };
        let operation = match packet.opcode.operation() {
            op::COMPARE_SWAP => AtomicOp::CompareSwap { compare, swap: swap_or_add },
            _ => AtomicOp::FetchAdd { add: swap_or_add },
        };
        let original = env.memory.atomic(addr, operation);
        if self.resp.atomics.len() >= usize::from(self.config.max_dest_rd_atomic) {
            self.resp.atomics.pop_front();
        }
        self.resp.atomics.push_back((packet.psn, original));
        self.resp.count_message();
        self.resp.expected = packet.psn.add(1);
        self.resp.answer(Answer::Atomic { psn: packet.psn, msn: self.resp.msn, original });
        Outcome::Done
    }

    /// An atomic that has been executed: its stored result is sent again. One whose result is gone is not answered.
    pub(super) fn atomic_again(&mut self, psn: Psn) {
        let waits = |answer: &Answer| matches!(answer, Answer::Atomic { psn: queued, .. } if *queued == psn);
        if self.resp.queue.iter().any(waits) {
            return;
        }
        if let Some((_, original)) = self.resp.atomics.iter().find(|(stored, _)| *stored == psn) {
            let answer = Answer::Atomic { psn, msn: self.resp.msn, original: *original };
            self.resp.answer(answer);
        }
    }
}
