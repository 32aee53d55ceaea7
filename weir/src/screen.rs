//! What the reader's screen can show: width, and colour or none.

use std::io::IsTerminal;
use weir_report::Look;

/// Lines longer than this are hard to read, however wide the screen is; tables may use all of it.
const LONGEST_LINE: usize = 200;

/// The look of standard output.
pub fn look() -> Look {
    let terminal = std::io::stdout().is_terminal();
    let width = match terminal_size::terminal_size_of(std::io::stdout()) {
        Some((width, _)) if terminal => usize::from(width.0),
        _ => std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(100),
    };
    Look { width: width.clamp(40, LONGEST_LINE), colour: terminal && colour_wanted() }
}

/// Whether standard error shows colour.
pub fn colour_on_stderr() -> bool {
    std::io::stderr().is_terminal() && colour_wanted()
}

/// NO_COLOR (no-color.org) with any value but the empty one, and terminals that call themselves dumb, get no colour.
fn colour_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// A line on standard error. If nobody reads it, it is not missed.
pub fn say(line: impl std::fmt::Display) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}
