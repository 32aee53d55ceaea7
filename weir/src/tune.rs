//! `weir tune`.

use crate::args::Tune;
use crate::exit::{Exit, Failure};

/// Search for parameters.
pub fn run(_args: &Tune) -> Result<Exit, Failure> {
    Err(Failure::System("error: being built".into()))
}
