//! Runs with several seeds.

use super::{flows, verdict};
use weir_fabric::Scenario;
use weir_report::{Cell, Column, Ink, Look, Table, number};
use weir_sim::results::Results;

/// One row a seed, and their mean and spread.
pub fn text(look: &Look, scenario: &Scenario, results: &[Results]) -> String {
    let mut table = Table::new([
        Column::words("seed"),
        Column::numbers("flows"),
        Column::numbers("p50"),
        Column::numbers("p95").optional(2),
        Column::numbers("p99"),
        Column::numbers("p99.9").optional(4),
        Column::numbers("last").optional(3),
        Column::numbers("goodput"),
        Column::numbers("deepest"),
        Column::numbers("paused").optional(1),
        Column::numbers("Jain").optional(2),
        Column::words("verdict"),
    ]);
    for r in results {
        let s = &r.summary;
        let (ink, verdict) = verdict::short(r);
        let slowdown = |value: f64| if s.completed == 0 { String::new() } else { number::ratio(value) };
        table.row([
            Cell::from(r.seed.to_string()),
            Cell::from(number::count(s.flows)),
            Cell::from(slowdown(s.slowdown.p50)),
            Cell::from(slowdown(s.slowdown.p95)),
            Cell::from(slowdown(s.slowdown.p99)),
            Cell::from(slowdown(s.slowdown.p999)),
            Cell::from(if s.completed > 0 {
                super::time((s.fct_us.max * 1e6) as u64)
            } else {
                String::new()
            }),
            Cell::from(number::rate(s.goodput_bps)),
            Cell::from(number::bytes(s.max_queue_bytes)),
            Cell::from(number::percent(s.paused_fraction)),
            Cell::from(if s.completed > 1 { format!("{:.3}", s.jain) } else { String::new() }),
            Cell::inked(ink, verdict),
        ]);
    }
    let means = |value: &dyn Fn(&Results) -> Option<f64>| -> Option<f64> {
        let values: Vec<f64> = results.iter().filter_map(value).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let mean = |value: fn(&Results) -> f64, text: fn(f64) -> String| {
        Cell::from(means(&|r| Some(value(r))).map(text).unwrap_or_default())
    };
    let done = |value: fn(&Results) -> f64, text: fn(f64) -> String| {
        Cell::from(means(&|r| (r.summary.completed > 0).then(|| value(r))).map(text).unwrap_or_default())
    };
    let share = |value: f64| format!("{value:.3}");
    table.row([
        Cell::inked(Ink::Heading, "mean"),
        mean(|r| r.summary.flows as f64, |n| number::count(n.round() as u64)),
        done(|r| r.summary.slowdown.p50, number::ratio),
        done(|r| r.summary.slowdown.p95, number::ratio),
        done(|r| r.summary.slowdown.p99, number::ratio),
        done(|r| r.summary.slowdown.p999, number::ratio),
        done(|r| r.summary.fct_us.max * 1e6, |ps| super::time(ps as u64)),
        mean(|r| r.summary.goodput_bps, number::rate),
        mean(|r| r.summary.max_queue_bytes as f64, |n| number::bytes(n.round() as u64)),
        mean(|r| r.summary.paused_fraction, number::percent),
        Cell::from(
            means(&|r| (r.summary.completed > 1).then_some(r.summary.jain)).map(share).unwrap_or_default(),
        ),
    ]);
    let bad = results.iter().filter(|r| !verdict::is_well(r)).count();
    let (mark, ink, line) = match bad {
        0 => ("✓", Ink::Good, format!("{} met their goals", number::counted(results.len() as u64, "run"))),
        bad => (
            "✗",
            Ink::Bad,
            format!("{bad} of {} runs missed a goal; --seed N shows one in full", results.len()),
        ),
    };
    let mut text = format!(
        "\n{}\n{}",
        look.paint(Ink::Heading, "Slowdown of flows by seed: 1 is the time on an idle fabric"),
        table.text(look)
    );
    let jobs = jobs(scenario, results);
    if !jobs.is_empty() {
        let title = look.paint(Ink::Heading, "Goodput by workload, over seeds");
        text += &format!("\n{title}\n{}", jobs.text(look));
    }
    let notes = super::notes(look, scenario, &[]);
    if !notes.is_empty() {
        text += &format!("\n{}\n{notes}", look.paint(Ink::Heading, "Notes"));
    }
    text + &format!("\n{} {line}\n", look.paint(ink, mark))
}

/// What each workload got, where there are several.
fn jobs(scenario: &Scenario, results: &[Results]) -> Table {
    let mut table = Table::new([
        Column::words("workload"),
        Column::numbers("mean"),
        Column::numbers("lowest"),
        Column::numbers("highest"),
    ]);
    if scenario.workloads.len() < 2 {
        return table;
    }
    for workload in &scenario.workloads {
        let of = |r: &Results| -> Option<f64> {
            let job = r.jobs.iter().find(|job| job.name == workload.name)?;
            Some(flows::goodput(r, job))
        };
        let values: Vec<f64> = results.iter().filter_map(of).collect();
        if values.is_empty() {
            continue;
        }
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = values.iter().copied().fold(0.0, f64::max);
        table.row([workload.name.clone(), number::rate(mean), number::rate(lowest), number::rate(highest)]);
    }
    table
}
