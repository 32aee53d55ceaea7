//! Posting work.

use super::{Qp, QpState};
use crate::completion::{Completion, Status, WcOp};
use crate::config::Service;
use crate::env::Env;
use crate::memory::Memory;
use crate::requester::wc_op;
use crate::work::{PostError, RecvWr, SendOp, SendWr};

/// Longest message (IBTA volume 1, 9.7.7: 2^31 bytes); at an MTU of 256 a packet less, so that its PSNs stay
/// comparable.
const MOST_BYTES: u64 = 1 << 31;

impl<M: Memory> Qp<M> {
    /// Takes a send request. In error, or in send queue error, it is flushed at once.
    pub fn post_send(&mut self, wr: SendWr, env: &mut Env<M>) -> Result<(), PostError> {
        match self.state {
            QpState::Rts | QpState::Sqd | QpState::Sqe | QpState::Error => {}
            found => return Err(PostError::State { found }),
        }
        let bytes = self.check_send(&wr)?;
        if matches!(self.state, QpState::Sqe | QpState::Error) {
            let completion = Completion::new(self.config.qpn, wr.id, Status::Flushed, wc_op(&wr.op));
            self.report(completion, env);
            return Ok(());
        }
        let inline = wr.inline.then(|| {
            let mut payload = M::Payload::default();
            for piece in wr.local.iter() {
                env.memory.read(piece.addr, piece.len, &mut payload);
            }
            payload
        });
        self.req.post(wr, bytes as u32, inline, self.config.mtu);
        Ok(())
    }

    /// Takes a receive request. In error it is flushed at once.
    pub fn post_recv(&mut self, wr: RecvWr, env: &mut Env<M>) -> Result<(), PostError> {
        if self.config.srq.is_some() || self.config.service.is_xrc() {
            return Err(PostError::Shared);
        }
        if wr.local.bytes() > MOST_BYTES {
            return Err(PostError::TooLong { bytes: wr.local.bytes(), most: MOST_BYTES });
        }
        match self.state {
            QpState::Reset => return Err(PostError::State { found: self.state }),
            QpState::Error => {
                self.report(Completion::new(self.config.qpn, wr.id, Status::Flushed, WcOp::Recv), env);
                return Ok(());
            }
            _ => {}
        }
        if self.resp.rq.len() >= self.config.rq_depth as usize {
            return Err(PostError::Full { depth: self.config.rq_depth });
        }
        self.resp.rq.push_back(wr);
        Ok(())
    }

    /// The bytes of the request, if this queue pair can take it.
    fn check_send(&self, wr: &SendWr) -> Result<u64, PostError> {
        let config = &self.config;
        let service = config.service;
        // Operations by service: IBTA volume 1, 9.4; annex A14: a target has no send queue.
        let supported = match (service, wr.op) {
            (Service::Rc | Service::XrcInitiator, op) => !matches!(op, SendOp::Datagram { .. }),
            (Service::Uc, SendOp::Send { .. } | SendOp::Write { .. }) => true,
            (Service::Uc, op) => op.is_local(),
            (Service::Ud, op) => matches!(op, SendOp::Datagram { .. }),
            _ => false,
        };
        if !supported {
            return Err(PostError::Unsupported { service });
        }
        let bytes = wr.local.bytes();
        let most = match service {
            Service::Ud => u64::from(config.mtu),
            _ => MOST_BYTES.min(u64::from(config.mtu) * ((1 << 23) - 1)),
        };
        if bytes > most {
            return Err(PostError::TooLong { bytes, most });
        }
        if wr.op.is_atomic() && bytes != 8 {
            return Err(PostError::AtomicLength { bytes });
        }
        if wr.inline && bytes > u64::from(config.max_inline_bytes) {
            return Err(PostError::TooMuchInline { bytes, most: config.max_inline_bytes });
        }
        if wr.inline && (wr.op.needs_response() || wr.op.is_local()) {
            return Err(PostError::Unsupported { service });
        }
        if self.req.sq.len() >= config.sq_depth as usize {
            return Err(PostError::Full { depth: config.sq_depth });
        }
        Ok(bytes)
    }
}
