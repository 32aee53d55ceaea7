//! RC, UC, UD and XRC queue pairs as sans-IO state machines.
//!
//! A [`Qp`] takes packets ([`Qp::handle_packet`]), time ([`Qp::handle_deadline`]) and work ([`Qp::post_send`],
//! [`Qp::post_recv`]) and gives packets: [`Qp::poll_ack`] acknowledgements, which are small and not paced,
//! [`Qp::poll_data`] requests and read responses, which the congestion controller paces. [`Qp::want`] says when to ask.
//! What queue pairs share is in an [`Env`]: memory, keys, completion queues, shared receive queues, events.
//!
//! The payload is generic: with [`NoMemory`] it has no size, and a queue pair is what the simulator runs; with
//! [`VecMemory`], or a device's own memory, it carries bytes.
//!
//! No clock, no randomness, no I/O, no threads. No packet and no work request panics.

mod completion;
mod config;
mod counters;
mod env;
pub mod keys;
mod memory;
mod packet;
mod qp;
mod requester;
mod responder;
mod srq;
mod timers;
mod wire;
mod work;

pub use completion::{Completion, Cq, CqId, Notify, Status, WcOp};
pub use config::{QpConfig, Recovery, Selective, Service};
pub use counters::Counters;
pub use env::{Env, Event};
pub use keys::{Access, KeyError, Keys, Pd};
pub use memory::{AtomicOp, Memory, NoMemory, VecMemory};
pub use packet::{Ext, Flags, Packet, RxMeta};
pub use qp::{Modify, ModifyError, Qp, QpState, Want};
pub use srq::{Srq, SrqId};
pub use timers::{ack_timeout, rnr_timer};
pub use weir_wire::{NakCode, Syndrome};
pub use wire::FromWireError;
pub use work::{PostError, RESERVED_LKEY, RecvWr, SendOp, SendWr, SgList, Sge};
