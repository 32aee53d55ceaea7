//! `weir sim`.

mod compare;
mod explain;
mod hpcc;
mod run;
mod show;

use crate::args::SimCommand;
use crate::exit::{Exit, Failure};

/// Runs one of `weir sim`'s commands.
pub fn run(command: SimCommand) -> Result<Exit, Failure> {
    match command {
        SimCommand::Hpcc(args) => hpcc::run(&args),
        SimCommand::Compare(args) => compare::run(&args),
        SimCommand::Explain { name } => explain::run(name.as_deref()),
        SimCommand::Run(args) => run::run(&args),
        SimCommand::Check(args) => run::check(&args),
    }
}
