//! Exit codes, and failures that carry one.

use std::fmt;
use std::io::ErrorKind;
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

/// What went wrong, in words for the user: a line that begins with `error: `, then what to do about it.
#[derive(Debug)]
pub enum Failure {
    /// The input is at fault; the message says how to mend it.
    Input(String),
    /// The system is.
    System(String),
    /// It has been said already, on standard output.
    Told(Exit),
    /// Whoever read our output has gone.
    BrokenPipe,
}

impl Failure {
    /// The input is at fault.
    pub fn input(problem: impl fmt::Display, help: impl fmt::Display) -> Self {
        Failure::Input(format!("error: {problem}\nhelp: {help}"))
    }

    /// From an error of the file system while `doing` (a verb) something with a path. A path that is not there or
    /// is a folder is the user's to mend when it is read; everything else is the system's.
    pub fn io(doing: &str, path: &Path, error: std::io::Error) -> Self {
        let what = format!("can't {doing} {}: {}", path.display(), reason(&error));
        match error.kind() {
            ErrorKind::BrokenPipe => Failure::BrokenPipe,
            ErrorKind::NotFound if doing == "read" => {
                Failure::input(what, "check the name; paths start from the working directory")
            }
            ErrorKind::IsADirectory if doing == "read" => Failure::input(what, "name a file in it"),
            kind => Failure::System(match remedy(kind) {
                Some(remedy) => format!("error: {what}\nhelp: {remedy}"),
                None => format!("error: {what}"),
            }),
        }
    }

    /// The exit code.
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Input(_) => Exit::Usage,
            Failure::System(_) => Exit::CouldNot,
            Failure::Told(exit) => *exit,
            // What was wanted of the output has been read.
            Failure::BrokenPipe => Exit::Fine,
        }
    }

    /// What there is left to say.
    pub fn message(&self) -> Option<&str> {
        match self {
            Failure::Input(text) | Failure::System(text) => Some(text),
            Failure::Told(_) | Failure::BrokenPipe => None,
        }
    }
}

/// What the system says, without the number that it adds.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}

fn remedy(kind: ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::NotFound => "the folder is not there; make it first, or name another place",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "name a place that you may write to, or ask for the right"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room, or name a place on another disk",
        ErrorKind::IsADirectory => "it is a folder; name a file",
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            "a part of the path is a file; name another place"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Error;

    #[test]
    fn a_missing_input_is_the_users_and_a_full_disk_is_not() {
        let path = Path::new("x.toml");
        let code = |doing, kind: ErrorKind| Failure::io(doing, path, Error::from(kind)).exit();
        assert_eq!(code("read", ErrorKind::NotFound), Exit::Usage);
        assert_eq!(code("write", ErrorKind::NotFound), Exit::CouldNot);
        assert_eq!(code("read", ErrorKind::PermissionDenied), Exit::CouldNot);
        assert_eq!(code("write", ErrorKind::StorageFull), Exit::CouldNot);
        let full = Failure::io("write", path, Error::from_raw_os_error(28));
        assert_eq!(
            full.message(),
            Some(
                "error: can't write x.toml: no space left on device\nhelp: make room, or name a place on another disk"
            )
        );
    }

    #[test]
    fn a_broken_pipe_is_quiet() {
        let gone = Failure::io("write", Path::new("-"), Error::from(ErrorKind::BrokenPipe));
        assert_eq!((gone.message(), gone.exit()), (None, Exit::Fine));
    }
}
