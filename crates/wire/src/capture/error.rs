//! Why a capture cannot be read, or not to its end.

/// Why a capture cannot be read (further). Offsets count from the start of the file.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The file system says no.
    #[error("reading failed: {0}")]
    Io(#[from] std::io::Error),
    /// Not a capture.
    #[error(
        "not a capture: the file starts with {found:02x?}; pcap starts with d4 c3 b2 a1 or 4d 3c b2 a1 in either byte \
         order, pcapng with 0a 0d 0d 0a"
    )]
    Magic {
        /// The first bytes.
        found: [u8; 4],
    },
    /// Nothing in the file, or next to nothing.
    #[error("not a capture: the file has {found} bytes, and its kind is told by the first 4")]
    Empty {
        /// Bytes in the file.
        found: usize,
    },
    /// The file ends inside a packet or block.
    #[error(
        "the file ends inside {field}: {expected} bytes expected at byte {offset}, {found} found; was the capture cut off?"
    )]
    Truncated {
        /// Where the part begins.
        offset: u64,
        /// What was read.
        field: &'static str,
        /// Its length.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// A value that cannot be.
    #[error("{field} at byte {offset} is {found}, expected {expected}")]
    Value {
        /// Where.
        offset: u64,
        /// What was read.
        field: &'static str,
        /// What is there.
        found: u64,
        /// What could be.
        expected: Expected,
    },
}

/// What a field of a capture could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// In words.
    Text(&'static str),
    /// This number.
    Exactly(u64),
    /// At most this number.
    AtMost(u64),
    /// At least this number.
    AtLeast(u64),
}

impl std::fmt::Display for Expected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Expected::Text(text) => f.write_str(text),
            Expected::Exactly(n) => write!(f, "{n}"),
            Expected::AtMost(n) => write!(f, "at most {n}"),
            Expected::AtLeast(n) => write!(f, "at least {n}"),
        }
    }
}
