//! `weir sim scenarios`.

use crate::args::{Format, SimScenarios};
use crate::builtin::{self, BuiltIn};
use crate::exit::{Exit, Failure};
use crate::{files, scenario, screen};
use serde::Serialize;
use std::path::Path;
use weir_report::{Column, Table};

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    description: String,
    hosts: u32,
    switches: u32,
}

/// List what is built in, or print one.
pub fn run(args: &SimScenarios) -> Result<Exit, Failure> {
    if let Some(name) = &args.name {
        let name = name.strip_prefix("builtin:").unwrap_or(name);
        let source = scenario::Source::load(Path::new(&format!("builtin:{name}")), &[])?;
        files::print(&source.text)?;
        return Ok(Exit::Fine);
    }
    let entries = builtin::ALL.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
    match args.format {
        Format::Json => files::print(&files::json(&entries)?)?,
        Format::Human => files::print(&human(&entries))?,
    }
    Ok(Exit::Fine)
}

fn entry(built_in: &BuiltIn) -> Result<Entry, Failure> {
    let read = scenario::read(Path::new(&format!("builtin:{}", built_in.name)))?;
    let (hosts, switches) = (read.topology.hosts(), read.topology.switches());
    Ok(Entry { name: built_in.name, description: read.description, hosts, switches })
}

fn human(entries: &[Entry]) -> String {
    let mut table = Table::new([
        Column::words("scenario"),
        Column::numbers("hosts").optional(1),
        Column::numbers("switches").optional(2),
        Column::words("what it is about").wrapping(30),
    ]);
    for e in entries {
        table.row([e.name.to_owned(), e.hosts.to_string(), e.switches.to_string(), e.description.clone()]);
    }
    let look = screen::look();
    let hint =
        "Run one with `weir sim run builtin:NAME`; print it, to start from, with `weir sim scenarios NAME`.";
    format!("{}\n{}\n", table.text(&look), look.wrap(hint, 0))
}
