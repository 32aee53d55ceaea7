//! `weir sim explain`.

use crate::exit::{Exit, Failure};
use crate::files;
use comfy_table::{ContentArrangement, Table, presets};

/// Field, unit, meaning.
const FIELDS: &[(&str, &str, &str)] = &[
    (
        "fct_ps",
        "ps",
        "Flow completion time: from the flow's start to the arrival of the last acknowledgement at the sender",
    ),
    ("delivered_ps", "ps", "When the last byte had arrived at the receiver, since the start of the run"),
    (
        "ideal_ps",
        "ps",
        "Completion time on an idle fabric: propagation, store and forward at each hop, serialisation at the slowest link",
    ),
    ("slowdown", "-", "fct_ps over ideal_ps; 1 is perfect"),
    ("slowdown.p50 … p999", "-", "Percentiles of slowdown over completed flows, by nearest rank"),
    ("sent_packets", "packets", "Data packets that the sender put on the line, repeated ones included"),
    ("retransmitted_packets", "packets", "Data packets sent again"),
    ("marked_packets", "packets", "Data packets that arrived with congestion experienced"),
    ("cnps", "packets", "Congestion notification packets sent to the flow's sender"),
    ("timeouts", "-", "Retransmission timeouts"),
    (
        "goodput_bps",
        "bit/s",
        "Payload delivered in order, over the time from the first start to the last delivery",
    ),
    ("jain", "-", "Jain's fairness index over the goodput of flows: 1 is equal, 1/n is a monopoly"),
    ("ecn_marks", "packets", "Packets that switches marked with congestion experienced"),
    ("pfc_pauses", "frames", "PFC frames that ask for a pause, refreshes included"),
    ("pfc_resumes", "frames", "PFC frames that end a pause"),
    ("paused_ps", "ps", "Time that a port's priority was paused, summed"),
    ("paused_fraction", "0 to 1", "Paused time over ports and run time, for the worst priority"),
    ("max_queue_bytes", "B", "Deepest egress queue"),
    (
        "max_ingress_bytes",
        "B",
        "Deepest ingress accounting of a port and priority: what XOFF is compared with",
    ),
    ("max_headroom_bytes", "B", "Most headroom in use at a port and priority"),
    (
        "lossless_drops",
        "packets",
        "Packets of a lossless class that a full buffer dropped; anything but 0 is an error",
    ),
    ("drops", "packets", "Packets lost to anything: full buffers, faults, corruption, links down"),
    ("utilisation", "0 to 1", "Bytes sent, with preamble and gap, over what the line could carry in the run"),
    (
        "queue_histogram",
        "samples",
        "Samples of queue depth by bucket; bucket 0 is empty, bucket n from 2^(n-1) to 2^n - 1 KiB",
    ),
    (
        "np_ecn_marked_roce_packets",
        "packets",
        "RoCE packets that a host received with congestion experienced (mlx5's name)",
    ),
    ("np_cnp_sent", "packets", "CNPs that a host sent (mlx5's name)"),
    ("rp_cnp_handled", "packets", "CNPs that made a host's queue pair slow down (mlx5's name)"),
    ("out_of_sequence", "packets", "Requests that arrived ahead of the expected PSN"),
    ("packet_seq_err", "packets", "Sequence NAKs received"),
    ("local_ack_timeout_err", "-", "Retransmission timeouts"),
    ("rnr_nak_retry_err", "-", "Receiver-not-ready NAKs received"),
    (
        "digest",
        "128 bits",
        "Fingerprint of everything in the result but run time: equal digests are equal runs",
    ),
    ("config_hash", "128 bits", "Fingerprint of the resolved scenario"),
];

/// Print what fields mean.
pub fn run(name: Option<&str>) -> Result<Exit, Failure> {
    let found: Vec<_> =
        FIELDS.iter().filter(|(field, _, _)| name.is_none_or(|name| field.contains(name))).collect();
    if found.is_empty() {
        let name = name.unwrap_or_default();
        return Err(Failure::Input(format!(
            "error: no field's name holds `{name}`\nhelp: `weir sim explain` lists them all"
        )));
    }
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["field", "unit", "meaning"]);
    for (field, unit, meaning) in found {
        table.add_row([*field, *unit, *meaning]);
    }
    files::print(&format!("{table}\n"))?;
    Ok(Exit::Fine)
}
