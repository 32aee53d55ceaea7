//! Search over a testbed for the parameters that keep a fabric lossless and fast.
//!
//! A [`Candidate`] is a set of parameters: marking thresholds at the switches and a reaction point at the hosts. The
//! [`presets`] are the published ones; [`Space`] is where the search looks. Every candidate is run on the same
//! seeds (common random numbers), so that differences are those of the parameters.

mod apply;
mod candidate;
mod measure;
mod presets;
mod search;
mod simulated;
mod sonic;
mod space;

pub use apply::{apply, host_speed, speeds};
pub use candidate::{Candidate, ControlChoice};
pub use measure::{Favour, Measurement, SHORT_BYTES, score};
pub use presets::presets;
pub use search::{Outcome, Plan, Testbed, Trial, search};
pub use simulated::{Effort, Simulated, plan, space, tune};
pub use sonic::sonic_snippet;
pub use space::{Space, around, space_filling};
