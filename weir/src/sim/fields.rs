//! What each column and field of a result means.

use serde::Serialize;

/// A column of a table, or a field of JSON.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Field {
    /// The files, or the part of results.json, that it is in; with commas between several.
    pub place: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its unit; `-` where there is none.
    pub unit: &'static str,
    /// What it is.
    pub meaning: &'static str,
}

macro_rules! fields {
    ($($place:literal { $($name:literal $unit:literal $meaning:literal)+ })+) => {
        /// All of them, place by place.
        pub const FIELDS: &[Field] =
            &[$($(Field { place: $place, name: $name, unit: $unit, meaning: $meaning }),+),+];
    };
}

fields! {
"results.json" {
    "schema" "-" "Version of the form of this file; raised when a field changes its meaning or goes away."
    "version" "-" "Version of Weir that wrote it."
    "scenario" "-" "Name of the scenario."
    "config_hash" "128 bits" "Fingerprint of the resolved scenario, seeds aside: the same for the same scenario, wherever its file lies."
    "seed" "-" "Seed of every random draw. Same scenario, same seed: same bytes."
    "digest" "128 bits" "Fingerprint of everything here but `run`: equal digests are equal runs."
    "end" "-" "Why the run ended: completed (every flow ended), time_limit, stuck (nothing left to happen, flows left), deadlock, cancelled."
    "end_ps" "ps" "Simulated time at the end."
    "notes" "-" "What a reader should know, in words: limits reached, watchdog alarms."
}
"summary" {
    "flows" "flows" "Flows in the scenario."
    "completed" "flows" "Flows whose every byte arrived and was acknowledged."
    "failed" "flows" "Flows whose work request completed in error, for example after too many retries."
    "unfinished" "flows" "Flows that had not ended, or not started, when the run did."
    "slowdown" "-" "Completion time over ideal time, over completed flows; 1 is perfect. With count, mean, min, max and percentiles."
    "slowdown_by_size" "-" "The same for ranges of flow size (from_bytes to to_bytes), up to ten with equally many flows."
    "count" "-" "How many values a percentile is over."
    "mean" "as the values" "Their mean."
    "min" "as the values" "The smallest."
    "p50" "as the values" "Median. Percentiles are by nearest rank: always one of the values."
    "p95" "as the values" "95th percentile."
    "p99" "as the values" "99th percentile."
    "p999" "as the values" "99.9th percentile; the largest value where there are fewer than 1000."
    "max" "as the values" "The largest."
    "from_bytes" "B" "Smallest flow of a range of sizes."
    "to_bytes" "B" "Largest flow of a range of sizes."
    "fct_us" "us" "Flow completion times of completed flows."
    "delivered_bytes" "B" "Payload delivered in order, all flows."
    "goodput_bps" "b/s" "Payload delivered in order over the time from the first start to the last delivery, all flows together."
    "jain" "0 to 1" "Jain's fairness index over the goodput of completed flows: 1 is equal, 1/n is a monopoly."
    "sent_packets" "packets" "Data packets that senders put on the line, repeated ones included."
    "retransmitted_packets" "packets" "Data packets sent again."
    "ecn_marks" "packets" "Packets that switches marked with congestion experienced."
    "cnps" "packets" "Congestion notification packets that hosts sent."
    "pfc_pauses" "frames" "PFC frames that ask for a pause, refreshes included, from switches and hosts."
    "pfc_resumes" "frames" "PFC frames that end a pause."
    "paused_ps" "ps" "Time that ports were paused, summed over ports and priorities."
    "paused_fraction" "0 to 1" "Paused time of all ports over number of ports and run time, for the worst priority."
    "drops" "packets" "Packets lost to anything: full buffers, faults, corruption, links down."
    "lossless_drops" "packets" "Packets of a lossless class that a full buffer dropped; anything but 0 is an error."
    "max_queue_bytes" "B" "Deepest egress queue of any switch."
    "max_queue_at" "-" "Where that was, as node:port/priority."
    "deadlocks" "-" "Deadlocks found."
}
"flows, flows.csv" {
    "id" "-" "Number of the flow."
    "src" "host number" "Host that the payload comes from (for a READ the responder)."
    "dst" "host number" "Host that it goes to."
    "bytes" "B" "Payload."
    "class" "-" "Index of its traffic class in the scenario."
    "job" "-" "The workload run or collective that it belongs to; see jobs."
    "status" "-" "completed, failed (with the work completion status as verbs name it), unfinished, or not_started."
    "start_ps" "ps" "When it started, since the start of the run."
    "fct_ps" "ps" "Flow completion time: from its start until the initiator has its completion, the acknowledgement of the last byte. Empty if it did not complete."
    "delivered_ps" "ps" "When the last byte had arrived, since the start of the run."
    "ideal_ps" "ps" "The time it would take alone: propagation, store and forward at each hop, serialisation at the slowest link."
    "slowdown" "-" "fct_ps over ideal_ps, never below 1; 1 is perfect."
    "delivered_bytes" "B" "Payload that arrived in order."
    "sent_packets" "packets" "Data packets sent, repeated ones included."
    "retransmitted_packets" "packets" "Data packets sent again."
    "marked_packets" "packets" "Data packets that arrived with congestion experienced."
    "cnps" "packets" "Congestion notifications that reached the flow's sender."
    "timeouts" "-" "Retransmission timeouts."
}
"flows.csv of --flows-csv" {
    "id" "-" "Number of the flow."
    "src" "-" "Name of the host that the payload comes from."
    "dst" "-" "Name of the host that it goes to."
    "bytes" "B" "Payload."
    "start_ps" "ps" "When it starts; empty where it waits for others."
    "after" "-" "Numbers of the flows that must have been delivered before it starts, with spaces between them."
    "delay_ps" "ps" "Time from then to its start."
    "op" "-" "write, send or read."
    "class" "-" "Name of its traffic class."
    "job" "-" "Name of the workload run or collective."
}
"jobs" {
    "job" "-" "Number of the job: one run of one workload."
    "name" "-" "Name of the workload, with #n for its n-th repetition."
    "flows" "flows" "Flows in it."
    "completed" "flows" "Flows of it that completed."
    "bytes" "B" "Payload of its flows."
    "start_ps" "ps" "Start of its first flow."
    "completion_ps" "ps" "From there to the completion of its last flow; none if a flow did not complete."
    "jain" "0 to 1" "Jain's fairness index over the goodput of its flows."
    "slowdown" "-" "Slowdown of its completed flows."
}
"ports, ports.csv" {
    "node" "-" "Name of the switch or host."
    "switch" "-" "Whether the node is a switch."
    "port" "-" "Number of the port on the node."
    "peer" "-" "The node at the other end of the cable."
    "peer_port" "-" "Number of the port there."
    "rate_bps" "b/s" "Line rate."
    "tx_frames" "frames" "Frames sent, PFC frames included."
    "tx_bytes" "B" "Their bytes, without preamble and gap."
    "rx_frames" "frames" "Frames that arrived whole."
    "rx_bytes" "B" "Their bytes."
    "utilisation" "0 to 1" "Share of the run in which the line was busy sending, preamble and gap included."
    "link_drops" "frames" "Frames lost on the way out of this port: by the link, by corruption beyond the FCS, or into a link that was down."
    "rx_errors" "frames" "Frames that arrived with a bad FCS or ICRC."
    "priorities" "-" "Each priority that saw anything."
}
"priorities, queues.csv" {
    "node" "-" "Name of the switch or host."
    "port" "-" "Number of the port on the node."
    "priority" "0 to 7" "802.1p priority, which is the PFC priority."
    "max_queue_bytes" "B" "Deepest egress queue (SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES)."
    "max_ingress_bytes" "B" "Deepest ingress occupancy, headroom included: what the pause threshold is compared with."
    "max_headroom_bytes" "B" "Most headroom in use (SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES)."
    "ecn_marked" "packets" "Packets that got congestion experienced here (SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS)."
    "dropped" "packets" "Packets that found no buffer, by the port that they wanted to leave by (SAI_QUEUE_STAT_DROPPED_PACKETS)."
    "pfc_tx" "frames" "Pause frames that this port sent, refreshes included."
    "pfc_resume_tx" "frames" "Resume frames that this port sent."
    "pfc_rx" "frames" "Pause frames that arrived at this port."
    "paused_ps" "ps" "Time for which this port was not allowed to send (SAI_PORT_STAT_PFC_n_RX_PAUSE_DURATION)."
    "queue_histogram" "samples" "Samples of the egress queue's depth by bucket: bucket 0 is empty, 1 is under 1 KB (1000 B), bucket i is from 2^(i-2) KB up to 2^(i-1) KB."
}
"hosts" {
    "name" "-" "The host."
    "np_ecn_marked_roce_packets" "packets" "Data packets that arrived with congestion experienced. Names of this table are those of mlx5's counters."
    "np_cnp_sent" "packets" "Congestion notifications sent."
    "rp_cnp_handled" "packets" "Congestion notifications obeyed."
    "rp_cnp_ignored" "packets" "Congestion notifications for queue pairs that were gone."
    "out_of_sequence" "packets" "Requests that arrived ahead of the expected sequence number."
    "duplicate_request" "packets" "Requests that arrived twice."
    "packet_seq_err" "packets" "Sequence-error NAKs that arrived."
    "local_ack_timeout_err" "-" "Retransmission timeouts."
    "rnr_nak_retry_err" "packets" "Receiver-not-ready NAKs that arrived."
    "rx_icrc_errors" "packets" "Packets whose ICRC was wrong."
    "rx_out_of_buffer" "packets" "Packets dropped because the host could not take them in."
}
"series, series.csv" {
    "kind" "-" "queue_bytes, shared_bytes (shared buffer in use), link_bps, flow_bps (goodput), flow_rate_bps (rate that congestion control allows)."
    "of" "-" "node:port/priority, node:port, node, or flow N."
    "start_ps" "ps" "Time of the first sample."
    "interval_ps" "ps" "Time between samples."
    "values" "by kind" "The samples: the value at that time, or for link_bps and flow_bps the mean since the sample before."
    "time_ps" "ps" "Time of the sample (CSV)."
    "value" "by kind" "The sample (CSV)."
}
"pauses" {
    "events" "-" "Every pause in order of start, up to a limit."
    "not_kept" "-" "Pauses beyond that limit."
    "trees" "-" "Pauses by root cause, largest first."
    "id" "-" "Number of the pause."
    "node" "-" "Who asked for it."
    "port" "-" "The port by which it asked: the peer behind it was paused."
    "priority" "0 to 7" "The priority paused."
    "start_ps" "ps" "When it was decided."
    "end_ps" "ps" "When it was lifted; none if it never was."
    "parent" "-" "The pause that caused this one; none at the root of a tree."
    "toward_port" "-" "The egress port that the packet which crossed the threshold wanted: at a root, the congestion point."
    "root" "-" "Of a tree: the congested egress port, or the host that paused, as node:port/priority."
    "pauses" "-" "Of a tree: pauses with this root cause."
    "depth" "-" "Of a tree: most pauses from root to leaf."
    "ports" "-" "Of a tree: distinct ports paused."
    "edges" "-" "Of a tree: its steps, at most 64."
    "paused" "-" "Of a step: the port that had to stop, as node:port."
    "by" "-" "Of a step: the port that asked."
    "times" "-" "Of a step: how often."
}
"deadlocks" {
    "at_ps" "ps" "When it was found."
    "since_ps" "ps" "Since when the cycle has made no progress, at least."
    "priority" "0 to 7" "The priority that is stuck."
    "cycle" "-" "Egress ports as node:port; each is paused by the node that owns the next one."
}
"lossless_drops" {
    "at_ps" "ps" "When."
    "node" "-" "The switch."
    "port" "-" "The port at which the packet had arrived."
    "priority" "0 to 7" "Its priority."
    "occupancy_bytes" "B" "What this port and priority held in the buffer."
    "headroom_bytes" "B" "Of it, in headroom."
    "headroom_limit_bytes" "B" "The headroom that is configured there."
}
"run" {
    "wall_s" "s" "Run time of the event loop; only with --timing."
    "setup_s" "s" "Run time before the first event; only with --timing."
    "events" "-" "Events handled."
    "frame_hops" "frames" "Frames put on a line by hosts and switches, data and control."
    "peak_frames" "frames" "Most frames alive at once."
    "peak_flows" "flows" "Most flows alive at once."
}
"fct.txt" {
    "1: sip" "hex address" "Of `weir sim hpcc`, one line a completed flow: sender, 0b000001 + node × 256."
    "2: dip" "hex address" "Receiver."
    "3: sport" "-" "Source port: 10000 and up, by sender and receiver."
    "4: dport" "-" "Destination port, as in the flow file."
    "5: size" "B" "Payload."
    "6: start" "ns" "When it started."
    "7: fct" "ns" "How long it took."
    "8: ideal" "ns" "How long it would take alone."
}
"pfc.txt" {
    "1: time" "ns" "Of `weir sim hpcc`, one line a PFC frame: when it was received."
    "2: node" "-" "By which node."
    "3: node type" "0 or 1" "0 host, 1 switch."
    "4: interface" "-" "On which interface, from 1."
    "5: kind" "0 or 1" "0 resume, 1 pause."
}
"qlen.txt" {
    "time:" "ns" "Of `weir sim hpcc`: begins a histogram of all queues up to this time."
    "1: node" "-" "A switch."
    "2: interface" "-" "Its port, from 1."
    "3 and on" "samples" "How often the queue had 0, 1, 2, … whole KB (1000 B), sampled every 100 ns."
}
"qlen_ts" {
    "1: time" "ns" "Of the key QLEN_TS: when."
    "2: queue" "B" "Bytes that wait at the watched port."
    "3: shared" "B" "Shared buffer in use at its switch."
}
"rate_ts" {
    "1: time" "ns" "Of the key RATE_TS: when."
    "2: node" "-" "The sender."
    "3: sport" "-" "Its source port."
    "4: rate" "b/s" "Rate that congestion control allows."
    "5: target" "b/s" "DCQCN's target rate."
    "6: alpha" "0 to 1" "DCQCN's alpha."
    "7: next" "B" "Next byte to send."
    "8: acknowledged" "B" "First byte that is not acknowledged."
}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_explained_once_and_in_a_sentence() {
        for (i, field) in FIELDS.iter().enumerate() {
            assert!(field.meaning.ends_with('.') && !field.unit.is_empty(), "{field:?}");
            let twice =
                FIELDS[..i].iter().any(|other| (other.place, other.name) == (field.place, field.name));
            assert!(!twice, "{field:?}");
        }
    }
}
