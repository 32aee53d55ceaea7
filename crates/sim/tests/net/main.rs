//! The own mode against theory, accounts and itself.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod accounts;
mod control;
mod faults;
mod same;
mod setup;
mod stuck;
mod times;
