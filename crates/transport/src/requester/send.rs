//! Sending requests.

use super::build::build;
use super::{NONE, Stage};
use crate::env::Env;
use crate::memory::Memory;
use crate::packet::{Flags, Packet};
use crate::qp::Qp;
use weir_units::Time;

impl<M: Memory> Qp<M> {
    /// The next request packet. [`Qp::has_request`] has been asked.
    #[inline]
    pub(crate) fn next_request(&mut self, now: Time, env: &mut Env<M>) -> Option<Packet<M::Payload>> {
        if self.req.resend != NONE {
            return self.repeat(now, env);
        }
        loop {
            match self.req.sq.get(self.req.cur)?.stage {
                Stage::Ready => break,
                Stage::Posted => self.prepare(env),
                Stage::Done => self.req.cur += 1,
                Stage::Failed(_) => return None,
            }
            // What comes after a local operation may have to wait.
            if !self.has_request() {
                return None;
            }
        }
        let window = self.window_bytes();
        let (req, config) = (&mut self.req, &self.config);
        let wqe = req.sq.get(req.cur)?;
        let response = wqe.wr.op.needs_response();
        let seq = req.next;
        let run = if response { (wqe.end() - seq) as u32 } else { 1 };
        let mut packet = build(config, wqe, seq, run, &mut env.memory);
        req.next = seq + u64::from(run);
        req.next_pos += u64::from(packet.payload_bytes);
        let fresh = req.next > req.high;
        if fresh {
            req.high = req.next;
        } else {
            self.counters.retransmitted_packets += 1;
        }
        let last = req.next == wqe.end();
        req.cur += usize::from(last);
        req.rd_out += u32::from(response);
        if !config.service.is_reliable() {
            // Nothing answers: what has left is done (IBTA volume 1, 9.8.3).
            req.una = req.next;
            req.una_pos = req.next_pos;
            if last {
                self.retire(env);
            }
            return Some(packet);
        }
        if req.timeout_at == Time::MAX {
            req.start_timer(now, config);
        }
        req.since_ack_req += 1;
        if last
            || req.since_ack_req >= config.ack_every
            || req.next_pos - req.una_pos >= window
            || req.next - req.una >= req.most_in_flight
            || now >= req.ask_by
        {
            req.since_ack_req = 0;
            req.asked = req.next;
            if !response {
                packet.flags |= Flags::ACK_REQ;
                if fresh {
                    req.rtt.sent(seq, now);
                }
            }
        }
        Some(packet)
    }

    /// Selective repeat: the packet that is missing.
    #[cold]
    fn repeat(&mut self, now: Time, env: &mut Env<M>) -> Option<Packet<M::Payload>> {
        let (req, config) = (&mut self.req, &self.config);
        let seq = req.resend;
        let run = req.missing_run(seq);
        let wqe = req.sq.get(req.index_of(seq))?;
        let response = wqe.wr.op.needs_response();
        let mut packet = build(config, wqe, seq, run, &mut env.memory);
        if !response {
            packet.flags |= Flags::ACK_REQ;
        }
        req.repeated(seq + u64::from(run));
        req.rtt.clear();
        if req.timeout_at == Time::MAX {
            req.start_timer(now, config);
        }
        self.counters.retransmitted_packets += 1;
        Some(packet)
    }
}
