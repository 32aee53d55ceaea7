//! What a search found, for people.

use std::path::Path;
use weir_fabric::Scenario;
use weir_report::{Cell, Column, Ink, Look, Table, number};
use weir_tune::{Outcome, Trial, speeds};

/// Candidates of the search that are shown beside the presets.
const MOST_FOUND: usize = 5;

/// The table, what it comes to, and where it was written.
pub fn text(look: &Look, base: &Scenario, outcome: &Outcome, chosen: &Trial, out: &Path) -> String {
    let speed = speeds(base).first().copied().unwrap_or_default();
    let title = format!("Slowdown of flows, means over {} seeds; thresholds at {speed}", chosen.runs.len());
    let mut text =
        format!("{}\n{}", look.paint(Ink::Heading, &title), table(base, outcome, chosen).text(look));
    let legend = "Slowdown is completion time over that on an idle fabric. Short flows are those of up to 100 KB. Score: \
                  lower is better; a difference of 0.05 is about 5 % in the weighted slowdowns.";
    text += &format!("{}\n\n", look.paint(Ink::Dim, &look.wrap(legend, 0)));
    let (good, line) = verdict(outcome, chosen);
    let (mark, ink) = if good { ("✓", Ink::Good) } else { ("•", Ink::Warn) };
    text += &format!("{} {}\n", look.paint(ink, mark), look.wrap(&line, 2));
    if chosen.mean.lossless_drops > 0.0 {
        let line = "NOT lossless: even what is recommended loses packets of a lossless class; give the switches more \
                    headroom or buffer";
        text += &format!("{} {}\n", look.paint(Ink::Bad, "✗"), look.wrap(line, 2));
    }
    text.push('\n');
    for (file, what) in [
        ("best.toml", "the fabric with these parameters"),
        ("sonic.json", "the thresholds for SONiC switches"),
        ("results.json", "every trial"),
    ] {
        text += &format!("{}: {what}\n", out.join(file).display());
    }
    text
}

fn table(base: &Scenario, outcome: &Outcome, chosen: &Trial) -> Table {
    let trials = &outcome.trials;
    // Those that left the race early have fewer runs, and no place in a ranking.
    let all = trials[outcome.best].runs.len();
    let mut order: Vec<usize> = (0..trials.len()).filter(|&i| trials[i].runs.len() == all).collect();
    order.sort_by(|a, b| trials[*a].score.total_cmp(&trials[*b].score).then(a.cmp(b)));
    let mut found = 0;
    order.retain(|&i| {
        found += usize::from(!trials[i].preset);
        trials[i].preset || found <= MOST_FOUND
    });
    let speed = speeds(base).first().copied().unwrap_or_default();
    let mut table = Table::new([
        Column::words("candidate"),
        Column::numbers("Kmin"),
        Column::numbers("Kmax"),
        Column::numbers("Pmax"),
        Column::numbers("p50").optional(4),
        Column::numbers("p95").optional(5),
        Column::numbers("p99").optional(2),
        Column::numbers("short p99"),
        Column::numbers("long p99"),
        Column::numbers("paused").optional(1),
        Column::numbers("deepest").optional(3),
        Column::numbers("goodput").optional(6),
        Column::numbers("score"),
        Column::words("").optional(1),
    ]);
    for i in order {
        let (trial, m) = (&trials[i], &trials[i].mean);
        let thresholds = match trial.candidate.ecn.at(speed) {
            Some(t) => [t.kmin.to_string(), t.kmax.to_string(), number::percent(t.pmax)],
            None => ["none".to_owned(), String::new(), String::new()],
        };
        let slowdown = |value: f64| if value == 0.0 { String::new() } else { number::ratio(value) };
        let is_chosen = std::ptr::eq(trial, chosen);
        let mut row =
            vec![Cell::inked(if is_chosen { Ink::Good } else { Ink::Plain }, trial.candidate.name.as_str())];
        row.extend(thresholds.map(Cell::from));
        row.extend([m.p50, m.p95, m.p99, m.short_p99, m.long_p99].map(|value| Cell::from(slowdown(value))));
        row.extend([
            Cell::inked(if m.paused > 0.0 { Ink::Warn } else { Ink::Plain }, number::percent(m.paused)),
            Cell::from(number::bytes(m.max_queue_bytes as u64)),
            Cell::from(number::rate(m.goodput_bps)),
            Cell::from(format!("{:.3}", trial.score)),
            match (is_chosen, trial.preset) {
                (true, _) => Cell::inked(Ink::Good, "chosen"),
                (false, true) => Cell::inked(Ink::Dim, "preset"),
                (false, false) => Cell::default(),
            },
        ]);
        table.row(row);
    }
    table
}

/// Whether something better than the presets was found, and how sure that is.
fn verdict(outcome: &Outcome, chosen: &Trial) -> (bool, String) {
    let preset = &outcome.trials[outcome.best_preset].candidate.name;
    let best = &outcome.trials[outcome.best].candidate.name;
    let seeds = chosen.runs.len();
    let gain = match outcome.gain_half_width.is_finite() {
        true => format!("{:.3} ± {:.3}", outcome.gain, outcome.gain_half_width),
        false => format!("{:.3}", outcome.gain),
    };
    if outcome.beats_presets() {
        return (
            true,
            format!(
                "{best} beats the best preset, {preset}, by {gain} in score (95 % interval, {seeds} paired seeds)."
            ),
        );
    }
    if outcome.best == outcome.best_preset {
        let line = format!(
            "Nothing that the search found is better than the preset {preset}, which is recommended."
        );
        return (false, line);
    }
    let line = format!(
        "The search's best, {best}, is ahead of the preset {preset} by {gain} in score: within the noise of {seeds} seeds. \
         The preset is recommended."
    );
    (false, line)
}
