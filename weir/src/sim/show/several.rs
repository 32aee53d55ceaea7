//! Runs with several seeds.

use super::verdict;
use weir_report::{Cell, Column, Ink, Look, Table, number};
use weir_sim::results::Results;

/// One row a seed, and their mean and spread.
pub fn text(look: &Look, results: &[Results]) -> String {
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
        table.row([
            Cell::from(r.seed.to_string()),
            Cell::from(number::count(s.flows)),
            Cell::from(number::ratio(s.slowdown.p50)),
            Cell::from(number::ratio(s.slowdown.p95)),
            Cell::from(number::ratio(s.slowdown.p99)),
            Cell::from(number::ratio(s.slowdown.p999)),
            Cell::from(super::time((s.fct_us.max * 1e6) as u64)),
            Cell::from(number::rate(s.goodput_bps)),
            Cell::from(number::bytes(s.max_queue_bytes)),
            Cell::from(number::percent(s.paused_fraction)),
            Cell::from(format!("{:.3}", s.jain)),
            Cell::inked(ink, verdict),
        ]);
    }
    let n = results.len() as f64;
    let mean = |value: &dyn Fn(&Results) -> f64| results.iter().map(value).sum::<f64>() / n;
    table.row([
        Cell::inked(Ink::Heading, "mean"),
        Cell::from(number::count(mean(&|r| r.summary.flows as f64).round() as u64)),
        Cell::from(number::ratio(mean(&|r| r.summary.slowdown.p50))),
        Cell::from(number::ratio(mean(&|r| r.summary.slowdown.p95))),
        Cell::from(number::ratio(mean(&|r| r.summary.slowdown.p99))),
        Cell::from(number::ratio(mean(&|r| r.summary.slowdown.p999))),
        Cell::from(super::time((mean(&|r| r.summary.fct_us.max) * 1e6) as u64)),
        Cell::from(number::rate(mean(&|r| r.summary.goodput_bps))),
        Cell::from(number::bytes(mean(&|r| r.summary.max_queue_bytes as f64).round() as u64)),
        Cell::from(number::percent(mean(&|r| r.summary.paused_fraction))),
        Cell::from(format!("{:.3}", mean(&|r| r.summary.jain))),
    ]);
    let bad = results.iter().filter(|r| !verdict::is_well(r)).count();
    let (mark, ink, line) = match bad {
        0 => (
            "✓",
            Ink::Good,
            format!("all {} runs are lossless, without deadlock, and every flow completed", results.len()),
        ),
        bad => (
            "✗",
            Ink::Bad,
            format!("{bad} of {} runs missed a goal; --seed N shows one in full", results.len()),
        ),
    };
    format!(
        "\n{}\n{}\n{} {line}\n",
        look.paint(Ink::Heading, "Slowdown (completion time over the time alone), by seed"),
        table.text(look),
        look.paint(ink, mark)
    )
}
