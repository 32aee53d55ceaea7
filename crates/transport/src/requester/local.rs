//! What a send request needs before its first packet: keys checked, local operations carried out.

use super::Stage;
use crate::completion::Status;
use crate::env::Env;
use crate::keys::{Keys, Pd};
use crate::memory::Memory;
use crate::qp::Qp;
use crate::work::{RESERVED_LKEY, SendOp, SgList};

/// Checks the keys of a list and replaces addresses by where they lie.
pub(crate) fn resolve(list: &mut SgList, write: bool, pd: Pd, keys: &Keys) -> Result<(), ()> {
    for piece in list.iter_mut().filter(|piece| piece.lkey != RESERVED_LKEY && piece.len > 0) {
        let len = u64::from(piece.len);
        piece.addr = keys.check_local(piece.lkey, piece.addr, len, write, pd).map_err(|_| ())?;
        piece.lkey = RESERVED_LKEY;
    }
    Ok(())
}

impl<M: Memory> Qp<M> {
    /// Prepares the request that the next packet is of. A local operation is then done; one that cannot be prepared fails
    /// when all before it have completed.
    pub(super) fn prepare(&mut self, env: &mut Env<M>) {
        let (pd, qpn) = (self.config.pd, self.config.qpn);
        let Some(wqe) = self.req.sq.get_mut(self.req.cur) else { return };
        let outcome = match wqe.wr.op {
            SendOp::Bind(bind) => match env.keys.bind(&bind, pd, qpn) {
                Ok(_) => Stage::Done,
                Err(_) => Stage::Failed(Status::MwBind),
            },
            SendOp::LocalInvalidate { key } => match env.keys.invalidate(key, pd, qpn) {
                Ok(()) => Stage::Done,
                Err(_) => Stage::Failed(Status::MemoryManagement),
            },
            op => {
                let resolved = wqe.inline.is_some()
                    || resolve(&mut wqe.wr.local, op.needs_response(), pd, &env.keys).is_ok();
                if resolved { Stage::Ready } else { Stage::Failed(Status::LocalProtection) }
            }
        };
        wqe.stage = outcome;
        match outcome {
            Stage::Done => self.req.cur += 1,
            Stage::Failed(_) => wqe.plain = false,
            _ => return,
        }
        self.retire(env);
    }
}
