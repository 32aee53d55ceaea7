//! Receive requests: taken, filled, completed.

use super::execute::{IMM, INVALIDATE, WRITE};
use crate::completion::{Completion, Status, WcOp};
use crate::config::Service;
use crate::env::Env;
use crate::memory::Memory;
use crate::packet::{Flags, Packet};
use crate::qp::Qp;
use crate::requester::resolve;
use crate::srq::SrqId;

impl<M: Memory> Qp<M> {
    /// Takes the next receive request, unless a message that did not end has left one. False: there is none.
    pub(super) fn hold_receive(&mut self, packet: &Packet<M::Payload>, env: &mut Env<M>) -> bool {
        if self.resp.held.is_none() {
            let shared = match self.config.service {
                // A target receives where the request says (annex A14).
                Service::XrcTarget => packet.srqn().map(SrqId),
                _ => self.config.srq,
            };
            self.resp.held = match shared {
                Some(srq) => env.take_shared(srq),
                None => self.resp.rq.pop_front(),
            };
        }
        self.resp.held.is_some()
    }

    /// Checks the local keys of the receive request; the bytes that it holds.
    pub(super) fn resolve_held(&mut self, env: &mut Env<M>) -> Option<u32> {
        let held = self.resp.held.as_mut()?;
        resolve(&mut held.local, true, self.config.pd, &env.keys).ok()?;
        Some(u32::try_from(held.local.bytes()).unwrap_or(u32::MAX))
    }

    /// Puts a payload into the receive request's buffer, `from` bytes after its begin.
    pub(super) fn scatter(&mut self, from: u32, payload: &M::Payload, bytes: u32, env: &mut Env<M>) {
        if let Some(held) = &self.resp.held
            && bytes > 0
        {
            held.local.parts(from, bytes, |va, skip, len| env.memory.write(va, payload, skip, len));
        }
    }

    /// The receive request of a message is complete.
    pub(super) fn received(&mut self, kind: u8, packet: &Packet<M::Payload>, bytes: u32, env: &mut Env<M>) {
        let Some(held) = self.resp.held.take() else { return };
        let op = if kind & WRITE != 0 { WcOp::RecvWriteImm } else { WcOp::Recv };
        let mut completion = Completion::new(self.config.qpn, held.id, Status::Success, op);
        completion.bytes = bytes;
        completion.imm = (kind & IMM != 0).then_some(packet.imm);
        completion.invalidated = (kind & INVALIDATE != 0).then_some(packet.imm);
        completion.solicited = packet.flags.contains(Flags::SOLICITED);
        self.report(completion, env);
    }

    /// The receive request of a message ends in error.
    pub(super) fn fail_receive(&mut self, status: Status, env: &mut Env<M>) {
        if let Some(held) = self.resp.held.take() {
            self.report(Completion::new(self.config.qpn, held.id, status, WcOp::Recv), env);
        }
    }
}
