//! docs/cli.md is what the commands say of themselves.

use super::help::COMMANDS;
use super::{Weir, repository};

const HEAD: &str = "\
# The command line

What `weir COMMAND --help` prints, command by command. This page is checked against the program by its tests; to write
it anew, run them with `UPDATE_DOCS=1` (`UPDATE_DOCS=1 cargo test -p weir docs`).

Conventions that hold everywhere:

- The result goes to standard output; progress, notes and errors to standard error. `--format json` gives the result for
  programs, and the same inputs always give the same bytes.
- Exit codes: 0 fine; 1 findings, or a goal missed; 2 bad usage or bad input; 3 could not do it.
- An error in a file is told with file, line, column, the text itself, and what to write instead. All errors of a
  scenario come at once.
- A file that is written appears whole or not at all; one that was there before stays until then.
- Colour and progress bars only on a terminal; `NO_COLOR=1` turns colour off. Tables fit the terminal's width: columns
  that matter less give way first.
- A reader that goes away (`| head`) is no error.
";

#[test]
fn the_page_of_commands_is_current() {
    let weir = Weir::new();
    let mut page = HEAD.to_owned();
    for command in [&[] as &[&str]].iter().chain(&COMMANDS) {
        let name = [&["weir"], *command].concat().join(" ");
        let help = weir.well(&[*command, &["--help"]].concat());
        let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
        page += &format!("\n## {name}\n\n```text\n{}\n```\n", lines.join("\n"));
    }
    let path = repository("docs/cli.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "docs/cli.md is not what the commands say; run UPDATE_DOCS=1 cargo test -p weir docs"
    );
}
