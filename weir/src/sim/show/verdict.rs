//! What it comes down to.

use super::time;
use weir_fabric::Scenario;
use weir_report::{Ink, Look, number};
use weir_sim::results::{EndReason, FlowStatus, Results, Summary};

/// Drops beyond this many are counted.
const MOST_DROPS: usize = 3;

/// Whether every goal was met: nothing lossless lost, no deadlock, every flow completed. Flows that the scenario's own
/// time limit cut off are no miss: it says that the run ends there.
pub fn is_well(r: &Results) -> bool {
    let s = &r.summary;
    s.lossless_drops == 0
        && s.deadlocks == 0
        && s.failed == 0
        && (s.unfinished == 0 || r.end == EndReason::TimeLimit)
}

/// The verdict, line by line.
pub fn text(look: &Look, scenario: &Scenario, r: &Results) -> String {
    let s = &r.summary;
    let mut text = String::new();
    text += &marked(
        look,
        Some(s.completed == s.flows).filter(|all| *all || r.end != EndReason::TimeLimit),
        &completion(r),
    );
    let mut say = |good: bool, line: String| text += &marked(look, Some(good), &line);
    say(s.lossless_drops == 0, losses(scenario, s));
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
    for line in figures(s) {
        text += &format!("  {}\n", look.wrap(&line, 2));
    }
    text
}

/// A line with a mark: well, not well, or neither.
fn marked(look: &Look, good: Option<bool>, line: &str) -> String {
    let (mark, ink) = match good {
        Some(true) => ("✓", Ink::Good),
        Some(false) => ("✗", Ink::Bad),
        None => ("•", Ink::Warn),
    };
    format!("{} {}\n", look.paint(ink, mark), look.wrap(line, 2))
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
        let why = match r.end {
            EndReason::TimeLimit => "were not finished at the time limit",
            EndReason::Stuck => "are STUCK: nothing is left to happen, and they have not ended",
            _ => "did not finish",
        };
        line += &format!(", {} {why}", number::count(s.unfinished));
    }
    line
}

fn losses(scenario: &Scenario, s: &Summary) -> String {
    let elsewhere = s.drops.saturating_sub(s.lossless_drops);
    let mut line = match s.lossless_drops {
        0 if !scenario.pfc.enabled => "PFC is off: nothing is lossless".to_owned(),
        0 if scenario.qos.classes.iter().all(|class| !class.lossless) => "no class is lossless".to_owned(),
        0 => "lossless: no packet of a lossless class was dropped for want of buffer".to_owned(),
        n => format!("NOT lossless: {} of a lossless class dropped", number::counted(n, "packet")),
    };
    if elsewhere > 0 {
        line += &format!(
            "; {} lost to faults, links, or full queues of lossy classes",
            number::counted(elsewhere, "packet")
        );
    }
    line
}

fn figures(s: &Summary) -> [String; 2] {
    let mut first = format!("goodput {}", number::rate(s.goodput_bps));
    if s.completed > 1 {
        first += &format!(", Jain's index {:.3}", s.jain);
    }
    if s.max_queue_bytes > 0 {
        first += &format!(", deepest queue {} at {}", number::bytes(s.max_queue_bytes), s.max_queue_at);
    }
    let second = format!(
        "{} sent, {} of them again; {} and {}",
        number::counted(s.sent_packets, "packet"),
        number::count(s.retransmitted_packets),
        number::counted(s.ecn_marks, "ECN mark"),
        number::counted(s.cnps, "CNP")
    );
    [first, second]
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
    match (parts.is_empty(), is_well(r)) {
        (true, _) => (Ink::Good, "well".to_owned()),
        (false, well) => (if well { Ink::Warn } else { Ink::Bad }, parts.join(", ")),
    }
}
