//! Capture files: reading pcap and pcapng, writing pcapng, and a summary of what is in one.

mod read;
mod summary;
mod write;

pub use read::{CaptureError, CaptureReader, Captured};
pub use summary::{FlowSummary, Summary, summarise};
pub use write::PcapngWriter;
