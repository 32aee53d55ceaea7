//! The command line: arguments, output, progress; no logic.

mod args;
mod exit;
mod files;
mod pcap;
mod progress;
mod scenario;
mod sim;
mod tune;

use clap::{CommandFactory, Parser};
use exit::{Exit, Failure};
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are answers, not errors.
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Fine };
            let _ = error.print();
            return code.into();
        }
    };
    match run(args) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            if !failure.is_broken_pipe() {
                let _ = writeln!(std::io::stderr(), "{failure}");
            }
            failure.exit().into()
        }
    }
}

fn run(args: args::Args) -> Result<Exit, Failure> {
    match args.command {
        args::Command::Tune(args) => tune::run(&args),
        args::Command::Sim(args::Sim { command }) => sim::run(command),
        args::Command::Pcap(args) => pcap::run(&args),
        args::Command::Completion { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut args::Args::command(), "weir", &mut script);
            files::print_bytes(&script)?;
            Ok(Exit::Fine)
        }
        args::Command::Man { out } => {
            std::fs::create_dir_all(&out).map_err(|e| Failure::io("make the folder", &out, e))?;
            clap_mangen::generate_to(args::Args::command(), &out)
                .map_err(|e| Failure::io("write man pages into", &out, e))?;
            Ok(Exit::Fine)
        }
    }
}
