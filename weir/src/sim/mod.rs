//! `weir sim`.

mod check;
mod compare;
mod explain;
mod fields;
mod hpcc;
mod output;
mod run;
mod scenarios;
mod show;
mod tap;

use crate::args::SimCommand;
use crate::exit::{Exit, Failure};

/// Runs one of `weir sim`'s commands.
pub fn run(command: SimCommand) -> Result<Exit, Failure> {
    match command {
        SimCommand::Run(args) => run::run(&args),
        SimCommand::Check(args) => check::run(&args),
        SimCommand::Scenarios(args) => scenarios::run(&args),
        SimCommand::Hpcc(args) => hpcc::run(&args),
        SimCommand::Compare(args) => compare::run(&args),
        SimCommand::Explain(args) => explain::run(&args),
    }
}
