//! `weir pcap`.

use crate::args::{Format, Pcap};
use crate::exit::{Exit, Failure};
use crate::files;
use comfy_table::{Table, presets};
use weir_wire::capture::{CaptureError, Summary, summarise};

/// Summarise a capture.
pub fn run(args: &Pcap) -> Result<Exit, Failure> {
    let summary = summarise(files::open(&args.file)?).map_err(|error| match error {
        CaptureError::Io(error) => Failure::io("read", &args.file, error),
        error => Failure::Input(format!("error: {}: {error}", args.file.display())),
    })?;
    match args.format {
        Format::Json => files::print(&files::json(&summary)?)?,
        Format::Human => files::print(&human(&summary))?,
    }
    let clean = summary.icrc_bad == 0 && summary.malformed == 0 && summary.ended_early.is_none();
    Ok(if clean { Exit::Fine } else { Exit::Findings })
}

fn human(s: &Summary) -> String {
    let mut text = format!(
        "{} packets, {} of them RoCEv2: ICRC right in {}, wrong in {}; {} malformed\n",
        s.packets, s.roce_packets, s.icrc_ok, s.icrc_bad, s.malformed
    );
    text += &format!(
        "{} marked with congestion, {} CNPs, {} PFC frames, {} pause frames\n",
        s.ce, s.cnp, s.pfc, s.pause
    );
    if s.cut > 0 {
        text += &format!(
            "{} packets were not captured whole, so that no ICRC of theirs was checked; capture with snap length 0\n",
            s.cut
        );
    }
    for bad in &s.first_malformed {
        text += &format!("packet {}: {}\n", bad.packet, bad.error);
    }
    if !s.flows.is_empty() {
        let mut table = Table::new();
        table.load_style(presets::UTF8_FULL_CONDENSED);
        table.set_header(["from", "to", "QP", "packets", "payload B", "again", "NAK", "RNR", "CNP", "CE"]);
        for f in &s.flows {
            table.add_row([
                f.src.clone(),
                f.dst.clone(),
                format!("0x{:06x}", f.dest_qpn),
                f.packets.to_string(),
                f.payload_bytes.to_string(),
                f.retransmitted.to_string(),
                f.naks.to_string(),
                f.rnr_naks.to_string(),
                f.cnps.to_string(),
                f.ce.to_string(),
            ]);
        }
        text += &format!("\n{table}\n");
    }
    if let Some(why) = &s.ended_early {
        text += &format!("\nReading ended early: {why}\n");
    }
    text
}
