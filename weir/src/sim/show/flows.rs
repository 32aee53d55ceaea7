//! Flows and jobs.

use super::time;
use weir_fabric::{Pattern, Scenario};
use weir_report::{Cell, Column, Look, Table, number};
use weir_sim::results::{FlowResult, JobResult, Percentiles, Results};

/// Jobs beyond this many are counted.
const MOST_JOBS: usize = 12;

/// Slowdown and completion time, of all flows and by size.
pub fn table(look: &Look, r: &Results) -> String {
    let s = &r.summary;
    let mut table = Table::new([
        Column::words("size"),
        Column::numbers("flows"),
        Column::numbers("mean").optional(3),
        Column::numbers("p50"),
        Column::numbers("p95"),
        Column::numbers("p99"),
        Column::numbers("p99.9").optional(1),
        Column::numbers("max").optional(1),
        Column::numbers("FCT p50").optional(2),
        Column::numbers("FCT p99").optional(2),
        Column::numbers("FCT max").optional(2),
    ]);
    let sizes = &s.slowdown_by_size;
    let one_size = sizes.len() < 2;
    if !one_size {
        for size in sizes {
            let of = |flow: &&FlowResult| (size.from_bytes..=size.to_bytes).contains(&flow.bytes);
            let fct =
                Percentiles::of(r.flows.iter().filter(of).filter_map(|flow| flow.fct_ps).map(|ps| ps as f64));
            table.row(row(range(size.from_bytes, size.to_bytes), &size.slowdown, &fct));
        }
    }
    let name = match sizes.first() {
        Some(size) if one_size => range(size.from_bytes, size.to_bytes),
        _ => "all".to_owned(),
    };
    let fct = Percentiles::of(r.flows.iter().filter_map(|flow| flow.fct_ps).map(|ps| ps as f64));
    table.row(row(name, &s.slowdown, &fct));
    match s.slowdown.count {
        0 => "  no flow completed\n".to_owned(),
        _ => table.text(look),
    }
}

fn range(from: u64, to: u64) -> String {
    match from == to {
        true => number::bytes(from),
        false => format!("{} to {}", number::bytes(from), number::bytes(to)),
    }
}

fn row(name: String, p: &Percentiles, fct: &Percentiles) -> Vec<Cell> {
    let mut cells = vec![Cell::from(name), Cell::from(number::count(p.count))];
    cells.extend([p.mean, p.p50, p.p95, p.p99, p.p999, p.max].map(|value| Cell::from(number::ratio(value))));
    cells.extend([fct.p50, fct.p99, fct.max].map(|ps| Cell::from(time(ps as u64))));
    cells
}

/// Jobs, where there are several or one whose end as a whole matters.
pub fn jobs(look: &Look, scenario: &Scenario, r: &Results) -> String {
    let whole = |job: &JobResult| pattern(scenario, job).is_some_and(Pattern::is_job);
    if r.jobs.len() < 2 && !r.jobs.iter().any(whole) {
        return String::new();
    }
    let mut table = Table::new([
        Column::words("job"),
        Column::numbers("flows"),
        Column::numbers("done").optional(3),
        Column::numbers("bytes").optional(2),
        Column::numbers("took"),
        Column::numbers("goodput"),
        Column::numbers("bus bandwidth").optional(1),
        Column::numbers("p50"),
        Column::numbers("p99"),
        Column::numbers("Jain").optional(2),
    ]);
    for job in r.jobs.iter().take(MOST_JOBS) {
        let done = if job.completed == job.flows { String::new() } else { number::count(job.completed) };
        let slowdown =
            |value: f64| if job.slowdown.count == 0 { String::new() } else { number::ratio(value) };
        let rate = |bits: f64| {
            job.completion_ps.filter(|ps| *ps > 0).map(|ps| number::rate(bits * 1e12 / ps as f64))
        };
        table.row([
            job.name.clone(),
            number::count(job.flows),
            done,
            number::bytes(job.bytes),
            job.completion_ps.map_or("not done".to_owned(), time),
            number::rate(goodput(r, job)),
            bus_bits(scenario, job).and_then(rate).unwrap_or_default(),
            slowdown(job.slowdown.p50),
            slowdown(job.slowdown.p99),
            if job.completed > 1 { format!("{:.3}", job.jain) } else { String::new() },
        ]);
    }
    let mut text = table.text(look);
    if r.jobs.len() > MOST_JOBS {
        text += &format!("  and {} more; --out DIR writes them all\n", r.jobs.len() - MOST_JOBS);
    }
    text
}

/// Payload bits a second of a job that were delivered, up to its completion or the end of the run.
pub fn goodput(r: &Results, job: &JobResult) -> f64 {
    let ps = job.completion_ps.unwrap_or(r.end_ps.saturating_sub(job.start_ps));
    let flows = r.flows.iter().filter(|flow| flow.job == job.job);
    let bytes: u64 = flows.map(|flow| flow.delivered_bytes).sum();
    if ps == 0 { 0.0 } else { bytes as f64 * 8e12 / ps as f64 }
}

/// The workload that a job is a run of: its name, with `#n` behind it where it repeats.
fn pattern<'a>(scenario: &'a Scenario, job: &JobResult) -> Option<&'a Pattern> {
    let named = |name: &str| scenario.workloads.iter().find(|workload| workload.name == name);
    let found = named(&job.name).or_else(|| named(job.name.rsplit_once('#')?.0));
    found.map(|workload| &workload.pattern)
}

/// Bits that every rank's link must carry each way, at least: what NCCL's bus bandwidth counts.
fn bus_bits(scenario: &Scenario, job: &JobResult) -> Option<f64> {
    let pattern = pattern(scenario, job)?;
    let (ranks, bytes) = pattern.ranks();
    if ranks < 2 {
        return None;
    }
    let (n, bits) = (f64::from(ranks), bytes as f64 * 8.0);
    match pattern {
        Pattern::AllReduce { .. } => Some(bits * 2.0 * (n - 1.0) / n),
        Pattern::AllToAll { .. } | Pattern::ReduceScatter { .. } | Pattern::AllGather { .. } => {
            Some(bits * (n - 1.0) / n)
        }
        _ => None,
    }
}
