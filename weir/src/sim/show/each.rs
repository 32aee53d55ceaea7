//! Small experiments flow by flow.

use super::time;
use weir_fabric::{NodeId, Scenario};
use weir_report::{Cell, Column, Ink, Look, Table, number};
use weir_sim::results::{FlowResult, FlowStatus, Results};

/// Of more flows than this a table by size says more.
const MOST_FLOWS: usize = 16;

/// Every flow, where there are few and they differ.
pub fn table(look: &Look, scenario: &Scenario, r: &Results) -> String {
    let alike = |flow: &FlowResult| {
        let first = &r.flows[0];
        let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a / b - 1.0).abs() < 0.05,
            (a, b) => a.is_none() && b.is_none() && flow.status == FlowStatus::Completed,
        };
        (flow.bytes, flow.job) == (first.bytes, first.job) && close(flow.slowdown, first.slowdown)
    };
    if r.flows.is_empty() || r.flows.len() > MOST_FLOWS || r.flows.iter().all(alike) {
        return String::new();
    }
    let mut table = Table::new([
        Column::words("job").optional(2),
        Column::words("from"),
        Column::words("to"),
        Column::numbers("bytes").optional(1),
        Column::numbers("start").optional(4),
        Column::words("took"),
        Column::numbers("goodput"),
        Column::numbers("slowdown"),
        Column::numbers("marked").optional(3),
        Column::numbers("CNPs").optional(3),
        Column::numbers("again"),
    ]);
    let name = |host: u32| match (host as usize) < scenario.topology.nodes().len() {
        true => scenario.topology.node(NodeId(host)).name.clone(),
        false => host.to_string(),
    };
    let some = |count: u64| if count == 0 { String::new() } else { number::count(count) };
    for flow in &r.flows {
        let job = r.jobs.iter().find(|job| job.job == flow.job).map_or("", |job| job.name.as_str());
        let (ink, took) = match (&flow.status, flow.fct_ps) {
            (FlowStatus::Completed, Some(ps)) => (Ink::Plain, time(ps)),
            (FlowStatus::Failed(why), _) => (Ink::Bad, format!("failed: {why}")),
            (FlowStatus::NotStarted, _) => (Ink::Warn, "not started".to_owned()),
            _ => (Ink::Warn, "unfinished".to_owned()),
        };
        table.row([
            Cell::from(job),
            Cell::from(name(flow.src)),
            Cell::from(name(flow.dst)),
            Cell::from(number::bytes(flow.bytes)),
            Cell::from(if flow.start_ps == 0 { String::new() } else { time(flow.start_ps) }),
            Cell::inked(ink, took),
            Cell::from(number::rate(goodput(r, flow))),
            Cell::from(flow.slowdown.map(number::ratio).unwrap_or_default()),
            Cell::from(some(flow.marked_packets)),
            Cell::from(some(flow.cnps)),
            Cell::from(some(flow.retransmitted_packets)),
        ]);
    }
    table.text(look)
}

/// Payload bits a second, up to the flow's completion or the end of the run.
fn goodput(r: &Results, flow: &FlowResult) -> f64 {
    let ps = flow.fct_ps.unwrap_or(r.end_ps.saturating_sub(flow.start_ps));
    if ps == 0 { 0.0 } else { flow.delivered_bytes as f64 * 8e12 / ps as f64 }
}
