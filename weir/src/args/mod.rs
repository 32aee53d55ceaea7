//! What the command line takes.

mod pcap;
mod sim;
mod tune;

pub use pcap::Pcap;
pub use sim::{
    CheckFormat, RunFormat, Sim, SimCheck, SimCommand, SimCompare, SimExplain, SimHpcc, SimRun, SimScenarios,
};
pub use tune::{Budget, Favour, Tune};

use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// A lossless RoCEv2 network as software: tune it, simulate it, look into its packets.
#[derive(Debug, Parser)]
#[command(name = "weir", version, propagate_version = true, arg_required_else_help = true)]
#[command(max_term_width = 100)]
#[command(after_help = "`weir --help` has examples; `weir COMMAND --help` explains a command.")]
#[command(after_long_help = "\
Exit codes:
  0  fine
  1  findings, or a goal missed: a drop in a lossless class, a deadlock, a wrong ICRC, a difference
  2  bad usage or bad input
  3  could not do it: a file that can't be written, no permission

Results go to standard output; progress and messages to standard error. A progress bar shows only on
a terminal and only for what takes longer than a second. NO_COLOR turns colour off.

Examples:
  weir tune                              find thresholds for the built-in 320-host fabric
  weir sim run scenarios/incast.toml     run a scenario
  weir sim run builtin:incast            the same, from the copy inside the program
  weir sim hpcc config.txt               run an ns-3 HPCC configuration as it is
  weir pcap trace.pcapng                 what a capture holds, and whether every ICRC is right")]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Search for the parameters that keep a fabric lossless and fast.
    Tune(Tune),
    /// Run a fabric in simulated time.
    Sim(Sim),
    /// Read a capture: RoCEv2, CNP, PFC; verify every ICRC.
    Pcap(Pcap),
    /// Print a completion script for a shell.
    #[command(after_long_help = "\
Examples:
  weir completion bash > /etc/bash_completion.d/weir
  weir completion zsh > ~/.zfunc/_weir
  weir completion fish > ~/.config/fish/completions/weir.fish")]
    Completion {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages, one for each command.
    #[command(after_long_help = "\
Examples:
  weir man --out /usr/local/share/man/man1
  weir man --out man && man ./man/weir-sim-run.1")]
    Man {
        /// Folder to write them to; made if it is not there.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

/// How to print a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Human,
    /// For programs.
    Json,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_commands_are_consistent() {
        Args::command().debug_assert();
    }
}
