//! Exit codes, and failures that carry one.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

/// How the command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All is well.
    Fine = 0,
    /// Findings, or a goal missed.
    Findings = 1,
    /// Bad usage or bad input.
    Usage = 2,
    /// It could not be done: files, permissions.
    CouldNot = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// What went wrong, in words for the user.
#[derive(Debug)]
pub enum Failure {
    /// The input is at fault; the message says how to mend it.
    Input(String),
    /// The system is.
    System(String),
    /// Whoever read our output has gone.
    BrokenPipe,
}

impl Failure {
    /// From an error of the file system.
    pub fn io(doing: &str, path: &Path, error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Failure::BrokenPipe;
        }
        let text = format!("error: can't {doing} {}: {error}", path.display());
        match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::IsADirectory => Failure::Input(text),
            _ => Failure::System(text),
        }
    }

    /// The exit code.
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Input(_) => Exit::Usage,
            Failure::System(_) => Exit::CouldNot,
            Failure::BrokenPipe => Exit::Fine,
        }
    }

    /// Whether there is nobody to tell.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Failure::BrokenPipe)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(text) | Failure::System(text) => f.write_str(text),
            Failure::BrokenPipe => f.write_str("error: the output was closed"),
        }
    }
}
