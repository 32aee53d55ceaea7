//! `weir sim compare`.

use crate::args::{Format, SimCompare};
use crate::exit::{Exit, Failure};
use crate::files;
use comfy_table::{CellAlignment, Table, presets};
use std::path::Path;
use weir_sim::results::{Comparison, Results, compare};

/// Compare two results.
pub fn run(args: &SimCompare) -> Result<Exit, Failure> {
    let (a, b) = (read(&args.a)?, read(&args.b)?);
    let comparison = compare(&a, &b);
    match args.format {
        Format::Json => files::print(&files::json(&comparison)?)?,
        Format::Human => files::print(&human(&comparison, args))?,
    }
    Ok(if comparison.identical { Exit::Fine } else { Exit::Findings })
}

fn read(path: &Path) -> Result<Results, Failure> {
    let text = files::read_text(path)?;
    Results::from_json(&text).map_err(|error| {
        Failure::Input(format!(
            "error: {}: {error}\nhelp: give a result of `weir sim run --format json` or the results.json of `--out`",
            path.display()
        ))
    })
}

fn human(c: &Comparison, args: &SimCompare) -> String {
    let mut text = format!("A: {}\nB: {}\n", args.a.display(), args.b.display());
    if c.identical {
        text += "The runs are the same in everything.\n";
        return text;
    }
    if !c.same_config {
        text += "They ran different scenarios.\n";
    } else if !c.same_seed {
        text += "The same scenario with different seeds.\n";
    }
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["", "A", "B", "change"]);
    for m in &c.metrics {
        let change = match m.change {
            Some(change) if change.abs() < 0.00005 => String::new(),
            Some(change) => format!("{:+.2} %", change * 100.0),
            None => "new".into(),
        };
        table.add_row([m.name.clone(), figure(m.a), figure(m.b), change]);
    }
    for column in 1..4 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    text += &format!("{table}\n");
    text += &format!(
        "{} flows are in both, {} with another completion time; B/A: median {:.3}, 99th percentile {:.3}\n",
        c.matched_flows, c.changed_flows, c.fct_ratio.p50, c.fct_ratio.p99
    );
    if c.unmatched_flows > 0 {
        text += &format!("{} flows are in only one of them\n", c.unmatched_flows);
    }
    text
}

/// A number with as many digits as help.
pub fn figure(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    match value.abs() {
        1000.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}
