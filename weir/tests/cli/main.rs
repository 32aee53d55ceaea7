//! The command from outside: what it prints, where, and how it ends.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod compare;
mod docs;
mod explain;
mod help;
mod hpcc;
mod inputs;
mod outputs;
mod pcap;
mod run;
mod terminal;
mod tune;

use assert_cmd::Command;
use std::path::{Path, PathBuf};
use std::process::Output;

/// The command, in an empty folder of its own where nothing of the caller's environment changes what it prints.
struct Weir {
    folder: tempfile::TempDir,
}

/// What a command gave.
struct Told {
    code: i32,
    out: String,
    err: String,
}

impl Weir {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a file into the folder.
    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), text).unwrap();
        self
    }

    /// Names of all that is in the folder, hidden files too.
    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_weir"));
        command.args(args).current_dir(self.folder.path());
        command.env_remove("COLUMNS").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command
    }

    fn run(&self, args: &[&str]) -> Told {
        let Output { status, stdout, stderr } = self.command(args).output().unwrap();
        let told = Told {
            code: status.code().unwrap_or(-1),
            out: String::from_utf8(stdout).unwrap(),
            err: String::from_utf8(stderr).unwrap(),
        };
        assert!(!told.err.contains("panicked"), "{args:?}\n{}", told.err);
        told
    }

    /// Runs a command that must end well, and gives its standard output.
    fn well(&self, args: &[&str]) -> String {
        let told = self.run(args);
        assert_eq!(told.code, 0, "{args:?}\n{}\n{}", told.out, told.err);
        told.out
    }

    /// Runs a command that must fail with this code, print nothing on standard output, and say these pieces on
    /// standard error.
    fn fails(&self, args: &[&str], code: i32, pieces: &[&str]) -> String {
        let told = self.run(args);
        assert_eq!(told.code, code, "{args:?}\n{}\n{}", told.out, told.err);
        assert!(told.out.is_empty(), "{args:?} printed\n{}", told.out);
        for piece in pieces {
            assert!(told.err.contains(piece), "{args:?}: no `{piece}` in\n{}", told.err);
        }
        told.err
    }
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A file of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(path)
}

/// A small scenario: four hosts on a switch send to one.
const SMALL: &str = "\
name = \"small\"

[topology]
kind = \"star\"
hosts = 5
rate = \"100 Gb/s\"
delay = \"1 us\"

[[workload]]
kind = \"incast\"
receivers = \"h4\"
bytes = \"200 KB\"
";
