//! Congestion control for RoCE: DCQCN and its rivals behind one trait, and the theory that predicts them.
//!
//! * [`red`] is the congestion point: a switch queue marks by its depth.
//! * [`np`] is the notification point: a receiver paces its CNPs.
//! * [`Control`] is the sender's side, one per queue pair: [`dcqcn`] or a rival ([`none`], [`dctcp`], [`timely`], [`hpcc`],
//!   [`swift`]) behind [`Controller`].
//! * [`fluid`] is what theory says of DCQCN before anything is simulated.
//!
//! No clock, no randomness, no I/O: time is an argument, a random draw a closure.

pub mod control;
pub mod dcqcn;
pub mod dctcp;
pub mod fluid;
pub mod hpcc;
pub mod none;
pub mod np;
pub mod red;
mod rounds;
pub mod swift;
pub mod timely;

pub use control::{AckEvent, Control, ControlParams, Controller, IntHop, Loss};
pub use dcqcn::{ClampTarget, Dcqcn, DcqcnParams, FirstCnp, RpTimer, Variant};
pub use dctcp::{Dctcp, DctcpParams};
pub use hpcc::{Hpcc, HpccParams, IntFormat};
pub use none::NoControl;
pub use np::{CnpScope, CnpStyle, NotificationPoint, NotificationTable, NpParams};
pub use red::RedParams;
pub use swift::{Swift, SwiftParams};
pub use timely::{Timely, TimelyParams};
