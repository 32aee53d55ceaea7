//! Requests that arrive: in order, ahead, or again (IBTA volume 1, 9.7.4, 9.7.5).

use super::execute::Outcome;
use super::reorder::Taken;
use crate::config::{Recovery, Service};
use crate::env::Env;
use crate::memory::Memory;
use crate::packet::{Packet, RxMeta, SEQUENCE_NAK};
use crate::qp::Qp;
use weir_wire::opcode::op;

impl<M: Memory> Qp<M> {
    #[inline]
    pub(crate) fn handle_request(&mut self, packet: &Packet<M::Payload>, rx: RxMeta<'_>, env: &mut Env<M>) {
        match self.config.service {
            Service::Rc | Service::XrcTarget => {}
            Service::Uc => return self.handle_unreliable(packet, env),
            Service::Ud => return self.handle_datagram(packet, rx, env),
            Service::XrcInitiator => return,
        }
        let ahead = packet.psn.since(self.resp.expected);
        self.resp.ce_seen |= rx.ce;
        if ahead != 0 {
            return self.out_of_order(packet, ahead, env);
        }
        self.resp.nak_sent = false;
        let done = self.execute(packet, false, env) == Outcome::Done;
        if done && self.resp.reorder.is_some() {
            self.execute_waiting(env);
        }
    }

    #[cold]
    fn out_of_order(&mut self, packet: &Packet<M::Payload>, ahead: i32, env: &mut Env<M>) {
        if ahead < 0 {
            return self.arrived_again(packet, env);
        }
        self.counters.out_of_sequence += 1;
        match self.config.recovery {
            Recovery::SelectiveRepeat => return self.arrived_early(packet, ahead as u32, env),
            Recovery::GoBack0 if !self.resp.nak_sent => self.drop_begun_message(),
            _ => {}
        }
        if !self.resp.nak_sent {
            self.resp.nak(SEQUENCE_NAK, None);
        }
    }

    /// Go-back-0: the message begins anew.
    fn drop_begun_message(&mut self) {
        if let Some(message) = self.resp.message.take() {
            self.resp.expected = message.first;
            self.counters.delivered_bytes -= u64::from(message.received);
        }
    }

    /// A request that has been executed. Its answer may have been lost.
    fn arrived_again(&mut self, packet: &Packet<M::Payload>, env: &mut Env<M>) {
        self.counters.duplicate_request += 1;
        match packet.opcode.operation() {
            op::READ_REQUEST => self.read_again(packet, env),
            op::COMPARE_SWAP | op::FETCH_ADD => self.atomic_again(packet.psn),
            _ => {
                if self.config.recovery == Recovery::GoBack0
                    && self.resp.message.is_some_and(|message| message.first == packet.psn)
                {
                    self.drop_begun_message();
                    self.resp.nak_sent = false;
                    self.execute(packet, false, env);
                } else if packet.ack_req() {
                    self.resp.ack_again(self.config.ecn_echo);
                }
            }
        }
    }

    /// Selective repeat: a request that has to wait for one before it.
    fn arrived_early(&mut self, packet: &Packet<M::Payload>, ahead: u32, env: &mut Env<M>) {
        let placed = self.place_early(packet, env);
        let Some(reorder) = &mut self.resp.reorder else { return };
        match reorder.take(packet, ahead, placed) {
            Taken::New | Taken::Again => self.resp.nak(SEQUENCE_NAK, Some(packet.psn)),
            // Beyond what the peer may have in flight.
            Taken::Beyond => {}
        }
    }

    /// Selective repeat: executes what has been waiting for the packet that came.
    fn execute_waiting(&mut self, env: &mut Env<M>) {
        let mut any = false;
        loop {
            let expected = self.resp.expected;
            let Some((packet, placed)) = self.resp.reorder.as_mut().and_then(|r| r.next(expected)) else {
                break;
            };
            any = true;
            match self.execute(&packet, placed, env) {
                Outcome::Done => {}
                Outcome::NotReady => {
                    // It has been reported as arrived, so it is kept.
                    if let Some(reorder) = &mut self.resp.reorder {
                        reorder.put_back(packet, placed);
                    }
                    return;
                }
                Outcome::Refused => return,
            }
        }
        if any {
            // The peer is repeating: it waits for this.
            self.resp.ack(self.resp.expected.sub(1), self.config.ecn_echo);
        }
    }
}
