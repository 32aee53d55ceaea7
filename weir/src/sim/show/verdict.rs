//! What it comes down to.

use super::time;
use weir_report::{Ink, Look, number};
use weir_sim::results::{FlowStatus, Results, Summary};

/// Drops beyond this many are counted.
const MOST_DROPS: usize = 3;

/// Whether every goal was met: nothing lossless lost, no deadlock, every flow completed.
pub fn is_well(r: &Results) -> bool {
    let s = &r.summary;
    s.lossless_drops == 0 && s.deadlocks == 0 && s.failed == 0 && s.unfinished == 0
}

/// The verdict, line by line.
pub fn text(look: &Look, r: &Results) -> String {
    let s = &r.summary;
    let mut text = String::new();
    let mut say = |good: bool, line: String| {
        let (mark, ink) = if good { ("✓", Ink::Good) } else { ("✗", Ink::Bad) };
        text += &format!("{} {}\n", look.paint(ink, mark), look.wrap(&line, 2));
    };
    say(s.completed == s.flows, completion(r));
    say(s.lossless_drops == 0, losses(s));
    for drop in r.lossless_drops.iter().take(MOST_DROPS) {
        say(
            false,
            format!(
                "lost at {}, from port {} priority {}, at {}: {} held, {} of {} headroom used",
                drop.node,
                drop.port,
                drop.priority,
                time(drop.at_ps),
                number::bytes(drop.occupancy_bytes),
                number::bytes(drop.headroom_bytes),
                number::bytes(drop.headroom_limit_bytes)
            ),
        );
    }
    if r.deadlocks.is_empty() {
        say(s.deadlocks == 0, "no deadlock".to_owned());
    }
    for deadlock in &r.deadlocks {
        let mut cycle = deadlock.cycle.clone();
        cycle.extend(deadlock.cycle.first().cloned());
        say(
            false,
            format!(
                "DEADLOCK of priority {} since {}, found at {}: {}",
                deadlock.priority,
                time(deadlock.since_ps),
                time(deadlock.at_ps),
                cycle.join(" → ")
            ),
        );
    }
    text += &look.wrap(&figures(s), 2);
    text.push('\n');
    text
}

fn completion(r: &Results) -> String {
    let s = &r.summary;
    let mut line = match s.completed == s.flows {
        true => format!("{} completed", number::counted(s.flows, "flow")),
        false => format!("{} of {} completed", number::count(s.completed), number::counted(s.flows, "flow")),
    };
    if s.failed > 0 {
        line += &format!(", {} failed", number::count(s.failed));
        let why = r.flows.iter().find_map(|flow| match &flow.status {
            FlowStatus::Failed(why) => Some((flow.id, why)),
            _ => None,
        });
        if let Some((id, why)) = why {
            line += &format!(" (flow {id}: {why})");
        }
    }
    if s.unfinished > 0 {
        line += &format!(", {} did not end in time", number::count(s.unfinished));
    }
    line
}

fn losses(s: &Summary) -> String {
    let elsewhere = s.drops.saturating_sub(s.lossless_drops);
    let mut line = match s.lossless_drops {
        0 => "lossless: no packet of a lossless class was dropped for want of buffer".to_owned(),
        n => format!("NOT lossless: {} of a lossless class dropped", number::counted(n, "packet")),
    };
    if elsewhere > 0 {
        line += &format!("; {} lost to faults, lossy classes or links", number::count(elsewhere));
    }
    line
}

fn figures(s: &Summary) -> String {
    let mut parts = vec![
        format!("goodput {}", number::rate(s.goodput_bps)),
        format!("Jain {:.3}", s.jain),
        format!("{} ECN marks", number::count(s.ecn_marks)),
        format!("{} CNPs", number::count(s.cnps)),
        format!("{} sent again", number::counted(s.retransmitted_packets, "packet")),
    ];
    if s.max_queue_bytes > 0 {
        parts.push(format!("deepest queue {} at {}", number::bytes(s.max_queue_bytes), s.max_queue_at));
    }
    format!("  {}", parts.join(", "))
}

/// The same in a few words, for a table.
pub fn short(r: &Results) -> (Ink, String) {
    let s = &r.summary;
    let mut parts = Vec::new();
    if s.lossless_drops > 0 {
        parts.push(format!("{} lost", number::count(s.lossless_drops)));
    }
    if s.deadlocks > 0 {
        let at = r.deadlocks.first().and_then(|d| d.cycle.first());
        parts.push(format!("deadlock{}", at.map(|at| format!(" at {at}")).unwrap_or_default()));
    }
    if s.failed > 0 {
        parts.push(format!("{} failed", number::count(s.failed)));
    }
    if s.unfinished > 0 {
        parts.push(format!("{} unfinished", number::count(s.unfinished)));
    }
    match parts.is_empty() {
        true => (Ink::Good, "well".to_owned()),
        false => (Ink::Bad, parts.join(", ")),
    }
}
