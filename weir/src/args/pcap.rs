//! Arguments of `weir pcap`.

use super::Format;
use std::path::PathBuf;

/// Arguments of `weir pcap`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Ends with 1 where an ICRC is wrong, a packet is malformed, or the file is cut off.

Examples:
  weir pcap trace.pcapng
  weir pcap --format json trace.pcap | jq .icrc_bad
  tcpdump -i eth0 -w - udp port 4791 | weir pcap -")]
pub struct Pcap {
    /// The capture, pcap or pcapng; `-` for standard input.
    pub file: PathBuf,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
