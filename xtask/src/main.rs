//! Project tasks. `cargo xtask test` runs every test, after installing what the tests need.

mod packages;
mod run;

use std::process::ExitCode;

const HELP: &str = "\
Weir's project tasks

Usage: cargo xtask <TASK>

  test     install what the tests need (Debian packages, as root), then format check,
           lints, and every test of the workspace
  quick    the tests alone, nothing installed
  help     this text
";

fn main() -> ExitCode {
    let task = std::env::args().nth(1).unwrap_or_else(|| "help".into());
    let outcome = match task.as_str() {
        "test" => packages::ensure().and_then(|()| run::full()),
        "quick" => run::tests(),
        "help" | "-h" | "--help" => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        other => {
            eprintln!("xtask: no task `{other}`\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
