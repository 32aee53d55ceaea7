//! Results for people.

mod each;
mod flows;
mod head;
mod pauses;
mod ports;
mod several;
mod verdict;

pub use head::{ecn, heading};
pub use verdict::is_well;

use weir_fabric::Scenario;
use weir_report::{Ink, Look, number};
use weir_sim::results::Results;

/// One run or several.
pub fn runs(look: &Look, scenario: &Scenario, results: &[Results]) -> String {
    let mut text = heading(look, scenario);
    match results {
        [result] => text += &one(look, scenario, result),
        _ => text += &several::text(look, scenario, results),
    }
    text
}

fn one(look: &Look, scenario: &Scenario, r: &Results) -> String {
    let mut text = head::run_line(look, r);
    let mut part = |title: &str, body: String| {
        if !body.is_empty() {
            text += &format!("\n{}\n{body}", look.paint(Ink::Heading, title));
        }
    };
    part("Slowdown of flows: 1 is the time on an idle fabric", flows::table(look, r));
    part("Flow by flow", each::table(look, scenario, r));
    part("Jobs", flows::jobs(look, scenario, r));
    part("Queues: node:port/priority", ports::table(look, r));
    part("Over time", ports::series(look, scenario, r));
    part("Pauses", pauses::text(look, r));
    part("Notes", notes(look, scenario, &r.notes));
    text.push('\n');
    text += &verdict::text(look, scenario, r);
    text += &look.paint(Ink::Dim, &format!("digest {}", r.digest));
    text.push('\n');
    text
}

/// Keys without effect and risks, and what the run adds.
fn notes(look: &Look, scenario: &Scenario, more: &[String]) -> String {
    let all = scenario.notices.iter().map(ToString::to_string).chain(more.iter().cloned());
    all.map(|note| bullet(look, &note)).collect()
}

/// A point of a list.
pub fn bullet(look: &Look, text: &str) -> String {
    format!("  - {}\n", look.wrap(text, 4))
}

/// A label and a value, as lines of a heading.
pub fn labelled(look: &Look, label: &str, value: &str) -> String {
    const INDENT: usize = 12;
    let wrapped = Look { width: look.width.saturating_sub(INDENT), ..*look }.wrap(value, 0);
    let mut text = String::new();
    for (i, line) in wrapped.lines().enumerate() {
        let label = if i == 0 { label } else { "" };
        text += &format!("  {}{line}\n", look.paint(Ink::Dim, &format!("{label:<10}")));
    }
    text
}

/// `node:port/priority`.
fn queue_name(node: &str, port: u32, priority: u8) -> String {
    format!("{node}:{port}/{priority}")
}

fn time(ps: u64) -> String {
    number::span(ps)
}
