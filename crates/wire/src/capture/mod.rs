//! Capture files: reading pcap and pcapng, writing pcapng, and a summary of what is in one.

mod classic;
mod error;
mod flow;
mod input;
mod link;
mod ng;
mod psn;
mod reader;
mod summary;
mod write;

pub use error::{CaptureError, Expected};
pub use flow::{FlowSummary, NakCounts};
pub use link::LinkType;
pub use reader::{CaptureReader, Captured, Interface};
pub use summary::{Malformed, Summary, summarise};
pub use write::{Direction, PcapngWriter, WriteError};
