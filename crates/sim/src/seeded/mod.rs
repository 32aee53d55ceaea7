//! One seed draws a fabric, its policy, its faults and its load; a run of it must keep every promise.
//!
//! A bug report is a commit and a seed: [`draw`] gives the scenario as TOML, which `weir sim run` takes too.

mod check;
mod draw;

pub use check::{Broken, check};
pub use draw::draw;
