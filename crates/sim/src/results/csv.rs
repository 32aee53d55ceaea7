//! Results as CSV (RFC 4180): a header line that names every column with its unit, one line a record.

use super::Results;
use std::fmt::Write;

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

fn option<T: std::fmt::Display>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// One line a flow. A time or slowdown that does not exist is an empty field.
pub fn flows_csv(results: &Results) -> String {
    let mut text = String::from(
        "id,src,dst,bytes,class,job,status,start_ps,fct_ps,delivered_ps,ideal_ps,slowdown,delivered_bytes,\
         sent_packets,retransmitted_packets,marked_packets,cnps,timeouts\n",
    );
    for flow in &results.flows {
        let status = match &flow.status {
            super::FlowStatus::Completed => "completed".to_owned(),
            super::FlowStatus::Failed(why) => quoted(&format!("failed: {why}")),
            super::FlowStatus::Unfinished => "unfinished".to_owned(),
            super::FlowStatus::NotStarted => "not_started".to_owned(),
        };
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{status},{},{},{},{},{},{},{},{},{},{},{}",
            flow.id,
            flow.src,
            flow.dst,
            flow.bytes,
            flow.class,
            flow.job,
            flow.start_ps,
            option(flow.fct_ps),
            option(flow.delivered_ps),
            flow.ideal_ps,
            option(flow.slowdown),
            flow.delivered_bytes,
            flow.sent_packets,
            flow.retransmitted_packets,
            flow.marked_packets,
            flow.cnps,
            flow.timeouts
        );
    }
    text
}

/// One line a port.
pub fn ports_csv(results: &Results) -> String {
    let mut text = String::from(
        "node,switch,port,peer,peer_port,rate_bps,tx_frames,tx_bytes,rx_frames,rx_bytes,utilisation,link_drops,rx_errors\n",
    );
    for port in &results.ports {
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{},{},{},{}",
            quoted(&port.node),
            port.switch,
            port.port,
            quoted(&port.peer),
            port.peer_port,
            port.rate_bps,
            port.tx_frames,
            port.tx_bytes,
            port.rx_frames,
            port.rx_bytes,
            port.utilisation,
            port.link_drops,
            port.rx_errors
        );
    }
    text
}

/// One line for each priority of each port that saw anything.
pub fn queues_csv(results: &Results) -> String {
    let mut text = String::from(
        "node,port,priority,max_queue_bytes,max_ingress_bytes,max_headroom_bytes,ecn_marked,dropped,pfc_tx,\
         pfc_resume_tx,pfc_rx,paused_ps\n",
    );
    for port in &results.ports {
        for queue in &port.priorities {
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{},{},{},{},{}",
                quoted(&port.node),
                port.port,
                queue.priority,
                queue.max_queue_bytes,
                queue.max_ingress_bytes,
                queue.max_headroom_bytes,
                queue.ecn_marked,
                queue.dropped,
                queue.pfc_tx,
                queue.pfc_resume_tx,
                queue.pfc_rx,
                queue.paused_ps
            );
        }
    }
    text
}

/// One line a sample.
pub fn series_csv(results: &Results) -> String {
    let mut text = String::from("kind,of,time_ps,value\n");
    for series in &results.series {
        for (i, value) in series.values.iter().enumerate() {
            let at = series.start_ps + series.interval_ps * i as u64;
            let _ = writeln!(text, "{},{},{at},{value}", series.kind, quoted(&series.of));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::FlowStatus;
    use crate::results::tests::sample;

    fn columns_agree(text: &str) {
        let mut lines = text.lines();
        let columns = lines.next().unwrap().split(',').count();
        assert!(lines.clone().count() > 0);
        assert!(lines.all(|line| line.split(',').count() == columns), "{text}");
    }

    #[test]
    fn every_line_has_the_columns_of_the_header() {
        let results = sample();
        for text in [flows_csv(&results), ports_csv(&results), queues_csv(&results), series_csv(&results)] {
            columns_agree(&text);
        }
        assert!(series_csv(&results).contains("queue_bytes,tor:0/3,10,2"));
    }

    #[test]
    fn a_comma_or_quote_is_quoted() {
        let mut results = sample();
        results.flows[0].status = FlowStatus::Failed("a \"b\", c".into());
        assert!(flows_csv(&results).contains("\"failed: a \"\"b\"\", c\""));
    }
}
