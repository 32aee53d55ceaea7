//! A lossless shared-buffer switch as a sans-IO state machine: PFC, ECN, scheduling, ECMP, watchdog.
//!
//! [`Switch`] holds the buffer, the queues and the pauses of one switch. Its user owns the lines and the clock:
//!
//! 1. A frame has arrived whole: [`Switch::admit`] takes it in or gives it back with the reason.
//! 2. [`Switch::poll_pfc`] until `None`: PFC frames that must leave, each as soon as its port's line is free and
//!    before any data.
//! 3. A port's line is free: [`Switch::dequeue`] gives the next frame that may go; then step 2 again. A frame that
//!    arrives for a line that is free may take [`Switch::pass`] instead, steps 1 and 3 in one.
//! 4. A PFC frame has arrived: [`Switch::handle_pfc`]. [`Switch::poll_ready`] names ports that may send again.
//! 5. [`Switch::next_deadline`] is due: [`Switch::handle_deadline`], then steps 2 and 4's `poll_ready`.
//!
//! The switch reads no clock and draws no random number: `now` is an argument and never goes back, and the
//! probability of an ECN mark asks a closure.
//!
//! [`MmuParams`] chooses between Weir's own buffer accounting and that of the ns-3 HPCC simulator, which is one
//! parameter set of the same code. [`headroom`] reckons how much headroom a lossless port needs, [`pause`] is the
//! receiving side of PFC (hosts use it too), [`ecmp`] picks among next hops.

mod config;
pub mod counters;
pub mod ecmp;
mod event;
pub mod flowlet;
mod frame;
pub mod headroom;
mod id;
mod mmu;
pub mod pause;
mod queue;
mod schedule;
mod switch;
mod threshold;
mod watchdog;

pub use config::{
    ClassConfig, ClassKind, ConfigError, MarkAt, MmuParams, PfcParams, PortConfig, Scheduler, Scheduling,
    SwitchConfig,
};
pub use event::{Discarded, DropReason, Event, LosslessDrop};
pub use frame::Frame;
pub use id::{PRIORITIES, Port, Priority};
pub use pause::{PauseRx, PauseStyle, PfcFrame};
pub use switch::{Admit, Departure, Pass, Switch};
pub use threshold::{Alpha, Threshold};
pub use watchdog::{WatchdogAction, WatchdogParams, WatchdogState};
pub use weir_congestion::RedParams;
