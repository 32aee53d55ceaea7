//! `weir sim compare`.

use crate::args::{Format, SimCompare};
use crate::exit::{Exit, Failure};
use crate::{files, screen};
use serde::Serialize;
use std::path::Path;
use weir_report::{Cell, Column, Ink, Look, Table, number};
use weir_sim::results::{Comparison, Results, compare};

/// The comparison of one seed.
#[derive(Serialize)]
struct Pair {
    seed_a: u64,
    seed_b: u64,
    #[serde(flatten)]
    comparison: Comparison,
}

/// Compare two results.
pub fn run(args: &SimCompare) -> Result<Exit, Failure> {
    let (a, b) = (read(&args.a)?, read(&args.b)?);
    let pairs = pair(&a, &b).map_err(|problem| {
        Failure::input(
            format!("{} and {}: {problem}", args.a.display(), args.b.display()),
            "run both with the same --seeds",
        )
    })?;
    match (args.format, pairs.as_slice()) {
        (Format::Json, [one]) => files::print(&files::json(one)?)?,
        (Format::Json, all) => files::print(&files::json(&all)?)?,
        (Format::Human, all) => files::print(&human(&screen::look(), all, args))?,
    }
    let same = pairs.iter().all(|pair| pair.comparison.identical);
    Ok(if same { Exit::Fine } else { Exit::Findings })
}

/// One result, or a list of them.
fn read(path: &Path) -> Result<Vec<Results>, Failure> {
    let text = files::read_text(path)?;
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::input(
            format!("{}: {error}", path.display()),
            "give the output of `weir sim run --format json`, or a results.json of its `--out`",
        )
    };
    if !text.trim_start().starts_with('[') {
        return Results::from_json(&text).map(|result| vec![result]).map_err(|error| wrong(&error));
    }
    let list: Vec<&serde_json::value::RawValue> =
        serde_json::from_str(&text).map_err(|error| wrong(&error))?;
    let results = list.iter().map(|one| Results::from_json(one.get()));
    let results: Vec<Results> = results.collect::<Result<_, _>>().map_err(|error| wrong(&error))?;
    if results.is_empty() { Err(wrong(&"an empty list")) } else { Ok(results) }
}

/// Two single results whatever their seeds; lists by seed.
fn pair(a: &[Results], b: &[Results]) -> Result<Vec<Pair>, String> {
    let one = |a: &Results, b: &Results| Pair { seed_a: a.seed, seed_b: b.seed, comparison: compare(a, b) };
    if let ([a], [b]) = (a, b) {
        return Ok(vec![one(a, b)]);
    }
    if a.len() != b.len() {
        return Err(format!("{} runs against {}", a.len(), b.len()));
    }
    a.iter()
        .map(|a| match b.iter().find(|b| b.seed == a.seed) {
            Some(b) => Ok(one(a, b)),
            None => Err(format!("seed {} is only in the first", a.seed)),
        })
        .collect()
}

fn human(look: &Look, pairs: &[Pair], args: &SimCompare) -> String {
    let mut text = format!(
        "{} {}\n{} {}\n",
        look.paint(Ink::Heading, "A"),
        args.a.display(),
        look.paint(Ink::Heading, "B"),
        args.b.display()
    );
    if pairs.iter().all(|pair| pair.comparison.identical) {
        text +=
            &format!("{} The runs are the same in everything but run time.\n", look.paint(Ink::Good, "✓"));
        return text;
    }
    let first = &pairs[0].comparison;
    if !first.same_config {
        text += "They ran different scenarios.\n";
    } else if pairs.iter().any(|pair| !pair.comparison.same_seed) {
        text += &format!("The same scenario with seed {} and seed {}.\n", pairs[0].seed_a, pairs[0].seed_b);
    } else {
        text += "The same scenario and seed, and yet they differ: by different versions?\n";
    }
    if pairs.len() > 1 {
        text += &format!("Means over {} seeds.\n", pairs.len());
    }
    let mut table = Table::new([
        Column::words("figure"),
        Column::numbers("A"),
        Column::numbers("B"),
        Column::numbers("change"),
        Column::numbers("higher in").optional(1),
    ]);
    for (i, metric) in first.metrics.iter().enumerate() {
        let mean = |value: fn(&weir_sim::results::Metric) -> f64| {
            pairs.iter().map(|pair| value(&pair.comparison.metrics[i])).sum::<f64>() / pairs.len() as f64
        };
        let (a, b) = (mean(|m| m.a), mean(|m| m.b));
        let higher =
            pairs.iter().filter(|pair| pair.comparison.metrics[i].b > pair.comparison.metrics[i].a).count();
        table.row([
            Cell::from(name(&metric.name)),
            Cell::from(figure(&metric.name, a)),
            Cell::from(figure(&metric.name, b)),
            change(&metric.name, a, b),
            Cell::from(if pairs.len() > 1 { format!("{higher} of {}", pairs.len()) } else { String::new() }),
        ]);
    }
    text += &format!("\n{}\n", table.text(look));
    let sum = |value: fn(&Comparison) -> u64| pairs.iter().map(|pair| value(&pair.comparison)).sum::<u64>();
    if pairs.len() == 1 {
        text += &format!(
            "{} in both, {} of them with another completion time; B over A: median {}, 99th percentile {}\n",
            number::counted(first.matched_flows, "flow"),
            number::count(first.changed_flows),
            number::ratio(first.fct_ratio.p50),
            number::ratio(first.fct_ratio.p99)
        );
    } else {
        text += &format!(
            "{} in both, {} of them with another completion time\n",
            number::counted(sum(|c| c.matched_flows), "flow"),
            number::count(sum(|c| c.changed_flows)),
        );
    }
    if sum(|c| c.unmatched_flows) > 0 {
        text += &format!("{} in only one of them\n", number::counted(sum(|c| c.unmatched_flows), "flow"));
    }
    text
}

/// In words; the unit stands beside each figure.
fn name(name: &str) -> String {
    let bare = ["_bps", "_bytes", "_us"].iter().find_map(|unit| name.strip_suffix(unit)).unwrap_or(name);
    match bare {
        "jain" => "Jain's index".to_owned(),
        "ecn_marks" => "ECN marks".to_owned(),
        "cnps" => "CNPs".to_owned(),
        "pfc_pauses" => "PFC pauses".to_owned(),
        bare => bare.replace('_', " ").replace("fct", "FCT").replace("p999", "p99.9"),
    }
}

fn figure(name: &str, value: f64) -> String {
    match name {
        name if name.ends_with("_bps") => number::rate(value),
        name if name.ends_with("_bytes") => number::bytes(value.round() as u64),
        name if name.ends_with("_us") => number::span((value * 1e6).round() as u64),
        name if name.starts_with("slowdown") => number::ratio(value),
        "jain" => format!("{value:.3}"),
        _ if value.fract() == 0.0 && value.abs() < 1e15 => number::count(value as u64),
        _ => number::figure(value),
    }
}

/// Green where it got better, yellow where it got worse, by more than rounding.
fn change(name: &str, a: f64, b: f64) -> Cell {
    let text = match (a == 0.0, b == 0.0) {
        (true, true) => "same".to_owned(),
        (true, false) => "new".to_owned(),
        _ => number::change(b / a - 1.0),
    };
    let higher_is_better = matches!(name, "completed" | "goodput_bps" | "jain");
    let ink = match () {
        () if (b - a).abs() <= a.abs() * 0.001 => Ink::Plain,
        () if (b > a) == higher_is_better => Ink::Good,
        () => Ink::Warn,
    };
    Cell::inked(ink, text)
}
