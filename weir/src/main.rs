//! The command line: arguments, output, progress; no logic.

mod args;
mod builtin;
mod exit;
mod files;
mod overrides;
mod pcap;
mod progress;
mod scenario;
mod screen;
mod shell;
mod sim;
mod tune;

use clap::Parser;
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
            if let Some(message) = failure.message() {
                let _ = writeln!(std::io::stderr(), "{}", coloured(message));
            }
            failure.exit().into()
        }
    }
}

/// The words `error` and `help` in colour, where there is any. What is coloured already stays as it is.
fn coloured(message: &str) -> String {
    if !screen::colour_on_stderr() {
        return message.to_owned();
    }
    let mut text = message.replacen("\nhelp: ", "\n\u{1b}[1;96mhelp\u{1b}[0m: ", 1);
    if let Some(rest) = text.strip_prefix("error: ") {
        text = format!("\u{1b}[1;91merror\u{1b}[0m: {rest}");
    }
    text
}

fn run(args: args::Args) -> Result<Exit, Failure> {
    match args.command {
        args::Command::Tune(args) => tune::run(&args),
        args::Command::Sim(args::Sim { command }) => sim::run(command),
        args::Command::Pcap(args) => pcap::run(&args),
        args::Command::Completion { shell } => shell::completion(shell),
        args::Command::Man { out } => shell::man(&out),
    }
}
