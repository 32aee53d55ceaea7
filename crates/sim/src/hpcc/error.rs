//! What can be wrong with an ns-3 HPCC configuration and the files it names.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// What a step of the run gives: the error is boxed, so that success costs one register.
pub(crate) type Step = Result<(), Box<HpccError>>;

/// Why a run was refused (nothing has been written) or could not be finished ([`HpccError::Write`]).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HpccError {
    /// An input could not be read.
    #[error("{}: cannot read the {role}: {source}; {remedy}", .path.display())]
    Read {
        /// The file, as the configuration names it.
        path: PathBuf,
        /// What the file is for.
        role: &'static str,
        /// What the system says.
        source: io::Error,
        /// What to do.
        remedy: String,
    },
    /// A value is not of the kind its field needs.
    #[error("{}:{line}: {field}: found `{found}`, expected {expected}", .file.display())]
    BadValue {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: u32,
        /// The key or column.
        field: String,
        /// The text found.
        found: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// A file ends before a value that must follow.
    #[error("{}:{line}: the file ends before {field}; {remedy}", .file.display())]
    Truncated {
        /// The file.
        file: PathBuf,
        /// The last line.
        line: u32,
        /// The key or column that is missing.
        field: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A flow file states one number of flows and lists another.
    #[error(
        "{}:1: the first line states {stated} flows, the file lists {listed}; write {listed} there (or \
         complete the file; the reference repeats the last flow, which an option can force)",
        .file.display()
    )]
    FlowCount {
        /// The flow file.
        file: PathBuf,
        /// The number in its first line.
        stated: u64,
        /// The number of flows that follow.
        listed: u64,
    },
    /// A CC_MODE that is none of 1, 3, 7, 8.
    #[error(
        "{}:{line}: CC_MODE {found} is not known here; write 1 (DCQCN), 3 (HPCC), 7 (TIMELY) or 8 (DCTCP)",
        .file.display()
    )]
    UnknownMode {
        /// The configuration.
        file: PathBuf,
        /// The line, from 1.
        line: u32,
        /// The mode found.
        found: u32,
    },
    /// A node id beyond the number of nodes.
    #[error("{}:{line}: {field} is node {node}, but the topology has nodes 0 to {last}; correct the id", .file.display())]
    NoSuchNode {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: u32,
        /// The column.
        field: &'static str,
        /// The id found.
        node: u64,
        /// The largest id.
        last: u32,
    },
    /// Anything else: the text says what, and what to do.
    #[error("{}:{line}: {problem}; {remedy}", .file.display())]
    Invalid {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: u32,
        /// What is wrong.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// An output could not be created or written.
    #[error("{}: cannot write {key}: {source}; name a path that can be written", .path.display())]
    Write {
        /// The file, as the configuration names it.
        path: PathBuf,
        /// The key that names it.
        key: &'static str,
        /// What the system says.
        source: io::Error,
    },
}

impl From<Box<HpccError>> for HpccError {
    fn from(error: Box<HpccError>) -> Self {
        *error
    }
}
