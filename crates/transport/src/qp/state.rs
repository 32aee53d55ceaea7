//! States of a queue pair and the changes between them (IBTA volume 1, 10.3.1).

use super::Qp;
use super::pace::Pace;
use crate::env::{Env, Event};
use crate::keys::Access;
use crate::memory::Memory;
use crate::requester::Requester;
use crate::responder::Responder;
use weir_units::{Span, Time};
use weir_wire::{Psn, Qpn};

/// State of a queue pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QpState {
    /// Just made: takes nothing.
    #[default]
    Reset,
    /// Takes receive requests; drops packets.
    Init,
    /// Ready to receive: answers requests.
    Rtr,
    /// Ready to send.
    Rts,
    /// Send queue drain: finishes the messages that it has begun, begins none.
    Sqd,
    /// Send queue error (unreliable services): receives, and flushes what is sent.
    Sqe,
    /// Error: everything is flushed.
    Error,
}

impl QpState {
    /// All states.
    pub const ALL: [QpState; 7] = {
        use QpState::*;
        [Reset, Init, Rtr, Rts, Sqd, Sqe, Error]
    };

    /// Whether packets are taken.
    #[inline]
    pub(crate) const fn receives(self) -> bool {
        matches!(self, QpState::Rtr | QpState::Rts | QpState::Sqd | QpState::Sqe)
    }

    /// Whether the requester works.
    #[inline]
    pub(crate) const fn awaits_answers(self) -> bool {
        matches!(self, QpState::Rts | QpState::Sqd)
    }

    /// Whether a consumer may change it to `to` (IBTA volume 1; as the Linux kernel has it).
    pub const fn may_become(self, to: QpState) -> bool {
        use QpState::*;
        matches!(
            (self, to),
            (_, Reset)
                | (Init | Rtr | Rts | Sqd | Sqe | Error, Error)
                | (Reset | Init, Init)
                | (Init, Rtr)
                | (Rtr | Rts | Sqd | Sqe, Rts)
                | (Rts | Sqd, Sqd)
        )
    }
}

/// Attributes to change with a state. `None`: as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of QpConfig")]
pub struct Modify {
    pub peer: Option<Qpn>,
    pub mtu: Option<u32>,
    pub rq_psn: Option<Psn>,
    pub sq_psn: Option<Psn>,
    pub access: Option<Access>,
    pub qkey: Option<u32>,
    pub min_rnr_timer: Option<u8>,
    pub max_dest_rd_atomic: Option<u8>,
    pub max_rd_atomic: Option<u8>,
    pub ack_timeout: Option<Span>,
    pub retry_count: Option<u8>,
    pub rnr_retry: Option<u8>,
}

/// Why a change of state is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModifyError {
    /// No such transition.
    #[error("a queue pair cannot go from {from:?} to {to:?}")]
    Transition {
        /// Where it is.
        from: QpState,
        /// Where it was to go.
        to: QpState,
    },
    /// The attribute cannot change with this transition.
    #[error("{attribute} cannot change from {from:?} to {to:?}")]
    Attribute {
        /// Which one.
        attribute: &'static str,
        /// Where the queue pair is.
        from: QpState,
        /// Where it was to go.
        to: QpState,
    },
    /// The value is not one that the attribute can have.
    #[error("{attribute} cannot be {found}; {expected}")]
    Value {
        /// Which one.
        attribute: &'static str,
        /// What was given.
        found: u32,
        /// What could be.
        expected: &'static str,
    },
}

impl<M: Memory> Qp<M> {
    /// Changes the state, and attributes with it. An error changes nothing.
    pub fn modify(
        &mut self,
        now: Time,
        to: QpState,
        with: &Modify,
        env: &mut Env<M>,
    ) -> Result<(), ModifyError> {
        use QpState::*;
        let from = self.state;
        if !from.may_become(to) {
            return Err(ModifyError::Transition { from, to });
        }
        self.check(from, to, with)?;
        self.apply(with);
        match (from, to) {
            (_, Reset) => {
                let fresh = Self::new_reset(self.config.clone(), now);
                *self = Self { counters: self.counters, ..fresh };
            }
            (_, Error) => self.enter_error(None, false, env),
            (Init, Rtr) => {
                let receives = std::mem::take(&mut self.resp.rq);
                self.resp = Responder::new(&self.config);
                self.resp.rq = receives;
            }
            (Rtr, Rts) => {
                self.req = Requester::new(&self.config);
                self.pace = Pace::new(now);
            }
            _ => {}
        }
        self.state = to;
        if to == Sqd {
            self.req.drain_reported = false;
            self.check_drained(env);
        }
        Ok(())
    }

    fn check(&self, from: QpState, to: QpState, with: &Modify) -> Result<(), ModifyError> {
        use QpState::*;
        // Paths and sequence numbers belong to the step that first uses them (IBTA volume 1, 10.3.1).
        let to_rtr = (from, to) == (Init, Rtr);
        let to_rts = (from, to) == (Rtr, Rts);
        let only = [
            ("peer", with.peer.is_some(), to_rtr),
            ("mtu", with.mtu.is_some(), to_rtr),
            ("rq_psn", with.rq_psn.is_some(), to_rtr),
            ("max_dest_rd_atomic", with.max_dest_rd_atomic.is_some(), to_rtr || from == Sqd),
            ("sq_psn", with.sq_psn.is_some(), to_rts),
            ("max_rd_atomic", with.max_rd_atomic.is_some(), to_rts || from == Sqd),
        ];
        for (attribute, given, allowed) in only {
            if given && !allowed {
                return Err(ModifyError::Attribute { attribute, from, to });
            }
        }
        if let Some(found) = with.mtu
            && ![256, 512, 1024, 2048, 4096].contains(&found)
        {
            let expected = "use 256, 512, 1024, 2048 or 4096";
            return Err(ModifyError::Value { attribute: "mtu", found, expected });
        }
        for (attribute, value) in [("retry_count", with.retry_count), ("rnr_retry", with.rnr_retry)] {
            if let Some(found) = value
                && found > 7
            {
                return Err(ModifyError::Value { attribute, found: found.into(), expected: "use 0 to 7" });
            }
        }
        Ok(())
    }

    fn apply(&mut self, with: &Modify) {
        let config = &mut self.config;
        macro_rules! set {
            ($($field:ident)*) => {
                $(if let Some(value) = with.$field {
                    config.$field = value;
                })*
            };
        }
        set!(peer mtu rq_psn sq_psn access qkey min_rnr_timer max_dest_rd_atomic max_rd_atomic ack_timeout);
        set!(retry_count rnr_retry);
    }

    /// In SQD: says so when the last message that had begun is done.
    pub(crate) fn check_drained(&mut self, env: &mut Env<M>) {
        if self.state == QpState::Sqd && !self.req.drain_reported && !self.req.has_begun() {
            self.req.drain_reported = true;
            env.events.push_back(Event::SendQueueDrained(self.config.qpn));
        }
    }
}
