//! Results for people.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use weir_fabric::Scenario;
use weir_sim::results::{Percentiles, Results};
use weir_units::{Bytes, Rate, Span};

/// What a scenario is, in a line or two.
pub fn heading(scenario: &Scenario) -> String {
    let t = &scenario.topology;
    let rates: std::collections::BTreeSet<u64> = t.links().iter().map(|link| link.rate.as_bps()).collect();
    let rates: Vec<String> = rates.into_iter().map(|bps| Rate::from_bps(bps).to_string()).collect();
    format!(
        "{}: {} hosts, {} switches, {} links of {}; PFC {}, ECN {}\n",
        scenario.name,
        t.hosts(),
        t.switches(),
        t.links().len(),
        rates.join(" and "),
        if scenario.pfc.enabled { "on" } else { "off" },
        if scenario.qos.ecn { "on" } else { "off" },
    )
}

/// One run or several.
pub fn runs(scenario: &Scenario, results: &[Results]) -> String {
    let mut text = heading(scenario);
    match results {
        [result] => text += &one(result),
        _ => text += &several(results),
    }
    text
}

fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header);
    for column in 1..N {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn x(value: f64) -> String {
    format!("{value:.2}")
}

fn percentiles(name: String, p: &Percentiles) -> [String; 7] {
    [name, p.count.to_string(), x(p.p50), x(p.p95), x(p.p99), x(p.p999), x(p.max)]
}

fn one(r: &Results) -> String {
    let s = &r.summary;
    let mut text = format!(
        "seed {}, {} simulated, {:.2} s of run time, {:.1} M packet-hops/s\n\n",
        r.seed,
        Span::from_ps(r.end_ps),
        r.run.wall_s,
        r.run.frame_hops as f64 / r.run.wall_s.max(1e-9) / 1e6
    );
    let mut flows = table(["slowdown", "flows", "p50", "p95", "p99", "p99.9", "max"]);
    flows.add_row(percentiles("all flows".into(), &s.slowdown));
    if s.slowdown_by_size.len() > 1 {
        for bucket in &s.slowdown_by_size {
            let name = format!("{} to {}", Bytes::new(bucket.from_bytes), Bytes::new(bucket.to_bytes));
            flows.add_row(percentiles(name, &bucket.slowdown));
        }
    }
    text += &format!("{flows}\n");
    text += &format!(
        "completion time: median {}, last {}; goodput {}; Jain's index {:.3}\n",
        Span::from_ps((s.fct_us.p50 * 1e6) as u64),
        Span::from_ps((s.fct_us.max * 1e6) as u64),
        Rate::from_bps(s.goodput_bps as u64),
        s.jain
    );
    text += &jobs(r);
    text += &ports(r);
    text += &format!(
        "{} packets sent, {} again; {} ECN marks, {} CNPs; {} PFC pauses, paused {:.3} % of the time\n",
        s.sent_packets,
        s.retransmitted_packets,
        s.ecn_marks,
        s.cnps,
        s.pfc_pauses,
        s.paused_fraction * 100.0
    );
    text += &series(r);
    text += &verdict(r);
    text += &format!("digest {}\n", r.digest);
    text
}

fn jobs(r: &Results) -> String {
    if r.jobs.len() < 2 && r.jobs.iter().all(|job| job.completion_ps.is_none()) {
        return String::new();
    }
    let mut jobs = table(["job", "flows", "done", "bytes", "completion", "p99 slowdown", "Jain"]);
    for job in r.jobs.iter().take(20) {
        jobs.add_row([
            job.name.clone(),
            job.flows.to_string(),
            job.completed.to_string(),
            Bytes::new(job.bytes).to_string(),
            job.completion_ps.map_or("-".into(), |ps| Span::from_ps(ps).to_string()),
            x(job.slowdown.p99),
            format!("{:.3}", job.jain),
        ]);
    }
    let more = r.jobs.len().saturating_sub(20);
    let more = if more > 0 { format!("and {more} more jobs\n") } else { String::new() };
    format!("\n{jobs}\n{more}")
}

fn ports(r: &Results) -> String {
    let mut rows: Vec<_> = r
        .ports
        .iter()
        .flat_map(|port| port.priorities.iter().map(move |p| (port, p)))
        .filter(|(_, p)| p.max_queue_bytes > 0 || p.paused_ps > 0 || p.pfc_tx > 0 || p.dropped > 0)
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let shown = 8;
    rows.sort_by(|(pa, a), (pb, b)| {
        let key = |p: &weir_sim::results::PriorityResult| {
            (p.dropped > 0, p.max_queue_bytes.max(p.max_ingress_bytes))
        };
        key(b).cmp(&key(a)).then(pa.node.cmp(&pb.node)).then(pa.port.cmp(&pb.port))
    });
    let mut ports =
        table(["port / priority", "to", "speed", "used", "deepest", "marks", "paused", "PFC out", "drops"]);
    for (port, p) in rows.iter().take(shown) {
        ports.add_row([
            format!("{}:{}/{}", port.node, port.port, p.priority),
            port.peer.clone(),
            Rate::from_bps(port.rate_bps).to_string(),
            format!("{:.1} %", port.utilisation * 100.0),
            Bytes::new(p.max_queue_bytes).to_string(),
            p.ecn_marked.to_string(),
            format!("{:.2} %", p.paused_ps as f64 * 100.0 / r.end_ps.max(1) as f64),
            p.pfc_tx.to_string(),
            p.dropped.to_string(),
        ]);
    }
    let more = rows.len().saturating_sub(shown);
    let more = if more > 0 {
        format!("and {more} more queues that were used; --out DIR writes them all\n")
    } else {
        String::new()
    };
    format!("\n{ports}\n{more}")
}

/// The busiest queue series as a sparkline, where one was recorded.
fn series(r: &Results) -> String {
    let Some(series) = r
        .series
        .iter()
        .filter(|series| series.kind.contains("queue"))
        .max_by_key(|series| series.values.iter().max().copied().unwrap_or(0))
    else {
        return String::new();
    };
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = series.values.iter().max().copied().unwrap_or(0).max(1);
    let width = 64.min(series.values.len()).max(1);
    let line: String = (0..width)
        .map(|i| {
            let part =
                &series.values[i * series.values.len() / width..((i + 1) * series.values.len() / width)];
            let top = part.iter().max().copied().unwrap_or(0);
            BARS[(top * 7 / most) as usize]
        })
        .collect();
    format!("queue {} over time, top {}:\n{line}\n", series.of, Bytes::new(most))
}

fn verdict(r: &Results) -> String {
    let s = &r.summary;
    let mut text = String::new();
    for drop in r.lossless_drops.iter().take(3) {
        text += &format!(
            "LOST: a lossless frame at {}:{}/{} after {}, {} queued, {} of {} headroom used\n",
            drop.node,
            drop.port,
            drop.priority,
            Span::from_ps(drop.at_ps),
            Bytes::new(drop.occupancy_bytes),
            Bytes::new(drop.headroom_bytes),
            Bytes::new(drop.headroom_limit_bytes)
        );
    }
    for deadlock in &r.deadlocks {
        text += &format!(
            "DEADLOCK: priority {} since {}: {}\n",
            deadlock.priority,
            Span::from_ps(deadlock.since_ps),
            deadlock.cycle.join(" -> ")
        );
    }
    if s.failed > 0 || s.unfinished > 0 {
        text += &format!("{} flows failed, {} did not finish\n", s.failed, s.unfinished);
    }
    if s.lossless_drops == 0 && s.deadlocks == 0 {
        let lost = if s.drops > 0 {
            format!(" ({} frames lost elsewhere: faults, lossy classes)", s.drops)
        } else {
            String::new()
        };
        text += &format!("Lossless: no frame of a lossless class was dropped{lost}; no deadlock.\n");
    }
    text
}

fn several(results: &[Results]) -> String {
    let mut runs =
        table(["seed", "flows", "p50", "p95", "p99", "goodput", "deepest", "pauses", "drops", "Jain"]);
    for r in results {
        let s = &r.summary;
        runs.add_row([
            r.seed.to_string(),
            format!("{}/{}", s.completed, s.flows),
            x(s.slowdown.p50),
            x(s.slowdown.p95),
            x(s.slowdown.p99),
            Rate::from_bps(s.goodput_bps as u64).to_string(),
            Bytes::new(s.max_queue_bytes).to_string(),
            s.pfc_pauses.to_string(),
            s.drops.to_string(),
            format!("{:.3}", s.jain),
        ]);
    }
    let mut text = format!("\n{runs}\n");
    for r in results {
        if r.summary.lossless_drops > 0 || r.summary.deadlocks > 0 {
            text += &format!("seed {}: ", r.seed);
            text += &verdict(r);
        }
    }
    text
}
