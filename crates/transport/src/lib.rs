//! RC, UC and UD queue pairs as sans-IO state machines.
//!
//! A [`Qp`] takes packets (`handle_packet`), time (`handle_deadline`) and work (`post_send`, `post_recv`) and gives
//! packets: [`Qp::poll_ack`] for acknowledgements, which are small and not paced, [`Qp::poll_data`] for requests and
//! read responses, which the congestion controller paces. [`Qp::want`] says when to ask.

mod config;
mod env;
mod memory;
mod packet;
mod qp;
mod requester;
mod responder;
mod work;

pub use config::{QpConfig, Recovery, Service, ack_timeout, rnr_timer};
pub use env::{Access, Env, KeyError, Keys};
pub use memory::{Memory, NoMemory, VecMemory};
pub use packet::{Ext, Packet, RxMeta, Syndrome};
pub use qp::{Counters, Qp, QpState, Want};
pub use work::{Completion, PostError, RecvWr, SendOp, SendWr, Status};
