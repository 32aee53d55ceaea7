//! Unreliable connections: a message with a gap is dropped without a word, the next first packet begins anew (IBTA volume
//! 1, 9.8.2).

use super::execute::{KIND, START};
use crate::env::Env;
use crate::memory::Memory;
use crate::packet::Packet;
use crate::qp::Qp;

impl<M: Memory> Qp<M> {
    pub(super) fn handle_unreliable(&mut self, packet: &Packet<M::Payload>, env: &mut Env<M>) {
        let starts = KIND[usize::from(packet.opcode.operation())] & START != 0;
        let gap = packet.psn != self.resp.expected;
        if gap {
            self.counters.out_of_sequence += 1;
        }
        // Whatever begins takes the place of what did not end.
        if (gap || starts) && self.resp.message.is_some() {
            self.drop_message();
        }
        self.resp.expected = packet.psn.add(1);
        if self.resp.message.is_some() || starts {
            self.execute(packet, false, env);
            self.resp.expected = packet.psn.add(1);
        }
    }

    /// What has come of the message counts as not come; its receive request is for the next one.
    pub(super) fn drop_message(&mut self) {
        self.counters.dropped_messages += 1;
        if let Some(message) = self.resp.message.take() {
            self.counters.delivered_bytes -= u64::from(message.received);
        }
    }
}
