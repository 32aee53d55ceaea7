//! Ports: the deepest queues, and their course.

use super::{queue_name, time};
use weir_fabric::Scenario;
use weir_report::{Cell, Column, Ink, Look, Table, number, sparkline};
use weir_sim::results::{PortResult, PriorityResult, Results, Series};

/// Queues beyond this many are counted.
const MOST_QUEUES: usize = 8;

/// The queues that matter most: those that lost something, then the deepest.
pub fn table(look: &Look, r: &Results) -> String {
    let mut queues: Vec<(&PortResult, &PriorityResult)> = r
        .ports
        .iter()
        .flat_map(|port| port.priorities.iter().map(move |queue| (port, queue)))
        .filter(|(_, q)| {
            q.max_queue_bytes > 0 || q.paused_ps > 0 || q.pfc_tx > 0 || q.dropped > 0 || q.ecn_marked > 0
        })
        .collect();
    // A depth far below the deepest says nothing; then what else happened counts. What is left in order is in the order
    // of the topology.
    let deepest = queues.iter().map(|(_, q)| q.max_queue_bytes).max().unwrap_or(0);
    let deep = |q: &PriorityResult| if q.max_queue_bytes > deepest / 20 { q.max_queue_bytes } else { 0 };
    queues.sort_by_key(|(_, q)| {
        std::cmp::Reverse((q.dropped > 0, deep(q), q.paused_ps, q.pfc_tx, q.ecn_marked, q.max_queue_bytes))
    });
    let mut table = Table::new([
        Column::words("queue"),
        Column::words("to").optional(2),
        Column::numbers("speed").optional(4),
        Column::numbers("busy").optional(3),
        Column::numbers("deepest"),
        Column::numbers("marks"),
        Column::numbers("PFC sent").optional(1),
        Column::numbers("paused"),
        Column::numbers("drops"),
    ]);
    // Those in which hardly anything ever stood are only counted, if there are others.
    let matters = |q: &PriorityResult| {
        deep(q) > 0 || q.dropped > 0 || q.ecn_marked > 0 || q.pfc_tx > 0 || q.paused_ps > 0
    };
    let shown = queues.iter().take(MOST_QUEUES).take_while(|(_, q)| matters(q)).count();
    for (port, q) in queues.iter().take(shown) {
        let some = |count: u64, ink: Ink| match count {
            0 => Cell::default(),
            count => Cell::inked(ink, number::count(count)),
        };
        let bytes = |bytes: u64| if bytes == 0 { String::new() } else { number::bytes(bytes) };
        let paused = match q.paused_ps {
            0 => Cell::default(),
            ps => Cell::inked(Ink::Warn, number::percent(ps as f64 / r.end_ps.max(1) as f64)),
        };
        let drops = if r.summary.lossless_drops > 0 { Ink::Bad } else { Ink::Warn };
        table.row([
            Cell::from(queue_name(&port.node, port.port, q.priority)),
            Cell::from(port.peer.as_str()),
            Cell::from(number::rate(port.rate_bps as f64)),
            Cell::from(number::percent(port.utilisation)),
            Cell::from(bytes(q.max_queue_bytes)),
            some(q.ecn_marked, Ink::Plain),
            some(q.pfc_tx, Ink::Plain),
            paused,
            some(q.dropped, drops),
        ]);
    }
    if table.is_empty() {
        return String::new();
    }
    let mut text = table.text(look);
    if queues.len() > shown {
        let more = number::count((queues.len() - shown) as u64);
        text += &look.paint(Ink::Dim, &format!("and {more} more; --out DIR writes them all"));
        text.push('\n');
    }
    text
}

/// The course of the busiest series of each kind, and how deep the deepest queue mostly was.
pub fn series(look: &Look, scenario: &Scenario, r: &Results) -> String {
    let mut text = String::new();
    for (kind, what) in [
        ("queue_bytes", "queue"),
        ("shared_bytes", "shared buffer of"),
        ("link_bps", "link"),
        ("flow_bps", "goodput of"),
        ("flow_rate_bps", "allowed rate of"),
    ] {
        let top = |series: &&Series| series.values.iter().copied().max().unwrap_or(0);
        // Of equals the first.
        let busiest = r.series.iter().filter(|s| s.kind == kind).rev().max_by_key(top);
        let Some(series) = busiest.filter(|series| top(series) > 0) else { continue };
        let most = top(&series);
        let most_text = if kind.ends_with("bps") { number::rate(most as f64) } else { number::bytes(most) };
        let end = series.start_ps + series.interval_ps * (series.values.len() as u64).saturating_sub(1);
        let width = look.width.saturating_sub(4).min(96);
        let of = flow_ends(scenario, r, &series.of).unwrap_or_else(|| series.of.clone());
        let line =
            format!("{what} {of}: {most_text} at most, from {} to {}", time(series.start_ps), time(end));
        text += &format!("  {}\n", look.wrap(&line, 2));
        text += &format!("  {}\n", look.paint(Ink::Line, sparkline(&series.values, width, 0).trim_end()));
    }
    text + &depths(look, r)
}

/// `flow 7, h0 to h16`, of a series of a flow.
fn flow_ends(scenario: &Scenario, r: &Results, of: &str) -> Option<String> {
    let flow = r.flow(of.strip_prefix("flow ")?.parse().ok()?)?;
    let name = |host: u32| Some(scenario.topology.nodes().get(host as usize)?.name.as_str());
    Some(format!("{of}, {} to {}", name(flow.src)?, name(flow.dst)?))
}

/// From the histogram of the deepest queue that has one.
fn depths(look: &Look, r: &Results) -> String {
    let sampled = r.ports.iter().flat_map(|port| port.priorities.iter().map(move |queue| (port, queue)));
    let deepest =
        sampled.filter(|(_, queue)| !queue.queue_histogram.is_empty()).max_by_key(|(_, q)| q.max_queue_bytes);
    let Some((port, queue)) = deepest else { return String::new() };
    let counts = &queue.queue_histogram;
    let total: u64 = counts.iter().sum();
    let below = |share: f64| {
        let mut sum = 0;
        let bucket = counts.iter().position(|count| {
            sum += count;
            sum as f64 >= share * total as f64
        });
        match bucket.unwrap_or(counts.len() - 1) {
            0 => "empty".to_owned(),
            bucket => format!("below {}", number::bytes(1000 << (bucket - 1).min(50))),
        }
    };
    let line = format!(
        "depth of {}: {} half of the time, {} 90 % and {} 99 % of it",
        queue_name(&port.node, port.port, queue.priority),
        below(0.5),
        below(0.9),
        below(0.99)
    );
    format!("  {}\n", look.wrap(&line, 2))
}
