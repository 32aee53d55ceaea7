//! `weir sim explain`.

use super::fields::{FIELDS, Field};
use crate::args::{Format, SimExplain};
use crate::exit::{Exit, Failure};
use crate::{files, screen};
use weir_report::{Column, Ink, Table};

/// Print what columns and fields mean.
pub fn run(args: &SimExplain) -> Result<Exit, Failure> {
    let wanted = |field: &&Field| {
        args.column.as_deref().is_none_or(|text| {
            let text = text.to_lowercase();
            field.name.to_lowercase().contains(&text) || field.place.split(", ").any(|place| place == text)
        })
    };
    let found: Vec<&Field> = FIELDS.iter().filter(wanted).collect();
    if found.is_empty() {
        let name = args.column.as_deref().unwrap_or_default();
        return Err(Failure::input(
            format!("no column or field has `{name}` in its name"),
            "`weir sim explain` lists them all",
        ));
    }
    match args.format {
        Format::Json => files::print(&files::json(&found)?)?,
        Format::Human => files::print(&human(&found))?,
    }
    Ok(Exit::Fine)
}

fn human(fields: &[&Field]) -> String {
    let look = screen::look();
    let mut text = String::new();
    let mut at = 0;
    while at < fields.len() {
        let place = fields[at].place;
        let end = fields[at..].iter().position(|field| field.place != place).map_or(fields.len(), |n| at + n);
        let mut table =
            Table::new([Column::words("name"), Column::words("unit"), Column::words("meaning").wrapping(30)]);
        for field in &fields[at..end] {
            table.row([field.name, field.unit, field.meaning]);
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text += &format!("{}\n{}", look.paint(Ink::Heading, place), table.text(&look));
        at = end;
    }
    text
}
