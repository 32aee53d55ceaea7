//! Pauses and where they came from.

use weir_report::{Look, number};
use weir_sim::results::Results;

/// Root causes beyond this many are counted.
const MOST_ROOTS: usize = 3;

/// How many pauses, what they cost, and their root causes.
pub fn text(look: &Look, r: &Results) -> String {
    let s = &r.summary;
    if s.pfc_pauses == 0 && s.paused_ps == 0 {
        return String::new();
    }
    let worst = r
        .ports
        .iter()
        .flat_map(|port| port.priorities.iter().map(move |queue| (port, queue)))
        .rev()
        .max_by_key(|(_, queue)| queue.paused_ps);
    let mut line = format!(
        "{} and {}; ports were paused {} of the time",
        number::counted(s.pfc_pauses, "pause frame"),
        number::counted(s.pfc_resumes, "resume"),
        number::percent(s.paused_fraction)
    );
    if let Some((port, queue)) = worst.filter(|(_, queue)| queue.paused_ps > 0) {
        line += &format!(
            ", {} most: {}",
            super::queue_name(&port.node, port.port, queue.priority),
            number::percent(queue.paused_ps as f64 / r.end_ps.max(1) as f64)
        );
    }
    let mut text = format!("  {}\n", look.wrap(&line, 2));
    for tree in r.pauses.trees.iter().take(MOST_ROOTS) {
        let line = format!(
            "root {}: {} of {}, {} deep",
            tree.root,
            number::counted(tree.pauses, "pause"),
            number::counted(tree.ports, "port"),
            number::counted(u64::from(tree.depth), "step"),
        );
        text += &super::bullet(look, &line);
    }
    match r.pauses.trees.len().saturating_sub(MOST_ROOTS) {
        0 => {}
        more => text += &format!("  - and {}\n", number::counted(more as u64, "more root")),
    }
    text
}
