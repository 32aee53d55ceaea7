//! Unreliable datagrams (IBTA volume 1, 9.8.3).

use super::execute::{IMM, SEND};
use crate::completion::{Completion, Status, WcOp};
use crate::env::{Env, Event};
use crate::memory::Memory;
use crate::packet::{Ext, Flags, Packet, RxMeta};
use crate::qp::Qp;
use weir_wire::opcode::op;

/// Bytes of a receive buffer that a GRH takes, or the place that it would have.
const GRH_BYTES: u32 = 40;

impl<M: Memory> Qp<M> {
    pub(super) fn handle_datagram(&mut self, packet: &Packet<M::Payload>, rx: RxMeta<'_>, env: &mut Env<M>) {
        let kind = match packet.opcode.operation() {
            op::SEND_ONLY => SEND,
            op::SEND_ONLY_IMM => SEND | IMM,
            _ => return,
        };
        let Ext::Deth { qkey, src } = packet.ext else { return };
        if qkey != self.config.qkey {
            self.counters.qkey_violations += 1;
            return;
        }
        if !self.hold_receive(packet, env) {
            self.counters.out_of_buffer += 1;
            return;
        }
        let Some(room) = self.resolve_held(env) else {
            env.events.push_back(Event::Fatal(self.config.qpn));
            self.fail_receive(Status::LocalProtection, env);
            return self.enter_error(None, false, env);
        };
        let bytes = u32::from(packet.payload_bytes);
        if bytes > self.config.mtu || bytes + GRH_BYTES > room {
            // Too long: dropped, and the receive request stays for the next one.
            self.counters.dropped_messages += 1;
            return;
        }
        let Some(held) = self.resp.held.take() else { return };
        let memory = &mut env.memory;
        if let Some(grh) = rx.grh {
            held.local.parts(0, GRH_BYTES, |va, from, len| {
                memory.write_bytes(va, &grh[from as usize..][..len as usize]);
            });
        }
        if bytes > 0 {
            held.local.parts(GRH_BYTES, bytes, |va, from, len| memory.write(va, &packet.payload, from, len));
        }
        self.counters.delivered_bytes += u64::from(bytes);
        let mut completion = Completion::new(self.config.qpn, held.id, Status::Success, WcOp::Recv);
        completion.bytes = bytes + GRH_BYTES;
        completion.imm = (kind & IMM != 0).then_some(packet.imm);
        completion.src = Some(src);
        completion.solicited = packet.flags.contains(Flags::SOLICITED);
        self.report(completion, env);
    }
}
