//! `weir pcap`.

use crate::args::{Format, Pcap};
use crate::exit::{Exit, Failure};
use crate::{files, screen};
use std::path::Path;
use weir_report::{Cell, Column, Ink, Look, Table, number};
use weir_wire::capture::{CaptureError, Summary, summarise};

/// Flows beyond this many are counted.
const MOST_FLOWS: usize = 40;

/// Summarise a capture.
pub fn run(args: &Pcap) -> Result<Exit, Failure> {
    let summary = summarise(files::open(&args.file)?).map_err(|error| match error {
        CaptureError::Io(error) => Failure::io("read", &args.file, error),
        error => Failure::input(
            format!("{}: {error}", name(&args.file)),
            "give a pcap or pcapng file, as tcpdump, tshark and dumpcap write them",
        ),
    })?;
    if let Some(why) = &summary.ended_early {
        screen::say(format_args!(
            "warning: {}: {why}; what came before it is counted. Is the file cut short?",
            name(&args.file)
        ));
    }
    match args.format {
        Format::Json => files::print(&files::json(&summary)?)?,
        Format::Human => files::print(&human(&screen::look(), &summary, &name(&args.file)))?,
    }
    let clean = summary.icrc_bad == 0 && summary.malformed == 0 && summary.ended_early.is_none();
    Ok(if clean { Exit::Fine } else { Exit::Findings })
}

fn name(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

fn human(look: &Look, s: &Summary, name: &str) -> String {
    let n = number::count;
    let mut text = format!("{}\n", look.paint(Ink::Heading, name));
    let mut line = |label: &str, value: String| text += &format!("  {label:<10}{}\n", look.wrap(&value, 12));
    let span = match (s.first_ns, s.last_ns) {
        (Some(first), Some(last)) => {
            format!(" over {}", number::span(last.saturating_sub(first).saturating_mul(1000)))
        }
        _ => String::new(),
    };
    line("packets", format!("{} ({}){span}", n(s.packets), number::bytes(s.wire_bytes)));
    let mut parts = vec![format!("{} RoCEv2", n(s.roce_packets))];
    for (count, what) in
        [(s.cnp, "of them CNPs"), (s.pfc, "PFC"), (s.pause, "802.3x pause"), (s.other, "other")]
    {
        if count > 0 {
            parts.push(format!("{} {what}", n(count)));
        }
    }
    line("kinds", parts.join(", "));
    if s.ce > 0 {
        line(
            "ECN",
            format!(
                "{} marked with congestion experienced ({})",
                n(s.ce),
                number::percent(s.ce as f64 / s.roce_packets.max(1) as f64)
            ),
        );
    }
    if !s.opcodes.is_empty() {
        let opcodes: Vec<String> =
            s.opcodes.iter().map(|(opcode, count)| format!("{opcode} {}", n(*count))).collect();
        line("opcodes", opcodes.join(", "));
    }
    if !s.flows.is_empty() {
        text += &format!("\n{}", flows(s).text(look));
        if s.flows.len() > MOST_FLOWS {
            let more = n((s.flows.len() - MOST_FLOWS) as u64);
            text += &format!(
                "{}\n",
                look.paint(Ink::Dim, &format!("and {more} more; --format json has them all"))
            );
        }
    }
    text.push('\n');
    for (good, verdict) in verdicts(s) {
        let (mark, ink) = if good { ("✓", Ink::Good) } else { ("✗", Ink::Bad) };
        text += &format!("{} {}\n", look.paint(ink, mark), look.wrap(&verdict, 2));
    }
    text
}

fn flows(s: &Summary) -> Table {
    let mut table = Table::new([
        Column::words("from"),
        Column::words("to"),
        Column::words("queue pair"),
        Column::words("service").optional(6),
        Column::numbers("packets"),
        Column::numbers("payload").optional(1),
        Column::numbers("again"),
        Column::numbers("missing").optional(4),
        Column::numbers("NAK").optional(2),
        Column::numbers("RNR").optional(5),
        Column::numbers("CNP").optional(3),
        Column::numbers("marked").optional(3),
        Column::numbers("bad ICRC"),
    ]);
    // What did not happen in a flow is left empty, so that what did stands out, and a column of nothing goes.
    let some = |count: u64, ink: Ink| match count {
        0 => Cell::default(),
        count => Cell::inked(ink, number::count(count)),
    };
    for f in s.flows.iter().take(MOST_FLOWS) {
        table.row([
            Cell::from(f.src.as_str()),
            Cell::from(f.dst.as_str()),
            Cell::from(format!("0x{:06x}", f.dest_qpn)),
            Cell::from(f.service.clone().unwrap_or_default()),
            Cell::from(number::count(f.packets)),
            Cell::from(number::bytes(f.payload_bytes)),
            some(f.retransmitted, Ink::Warn),
            some(f.missing, Ink::Warn),
            some(f.naks, Ink::Warn),
            some(f.rnr_naks, Ink::Warn),
            some(f.cnps, Ink::Plain),
            some(f.ce, Ink::Plain),
            some(f.icrc_bad, Ink::Bad),
        ]);
    }
    table
}

fn verdicts(s: &Summary) -> Vec<(bool, String)> {
    let n = number::count;
    let unchecked = match s.icrc_unchecked {
        0 => String::new(),
        count => format!(", {} not captured whole and not checked", n(count)),
    };
    let mut all = vec![match s.icrc_bad {
        0 => (true, format!("ICRC right in all {} RoCEv2 packets{unchecked}", n(s.icrc_ok))),
        bad => {
            (false, format!("ICRC wrong in {} of {} RoCEv2 packets{unchecked}", n(bad), n(bad + s.icrc_ok)))
        }
    }];
    if s.roce_packets == 0 {
        all = vec![(true, "No RoCEv2 packet, and so no ICRC to check".to_owned())];
    }
    all.push(match s.malformed {
        0 => (true, "No malformed packet".to_owned()),
        count => (false, format!("{} malformed", number::counted(count, "packet"))),
    });
    all.extend(s.first_malformed.iter().map(|m| (false, format!("packet {}: {}", m.packet, m.error))));
    if let Some(why) = &s.ended_early {
        all.push((false, format!("Reading ended early: {why}")));
    }
    all
}
