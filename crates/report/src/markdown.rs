//! Tables as Markdown and CSV.

use crate::table::{Align, Table};
use std::fmt::Write;

impl Table {
    /// As a table of GitHub-flavoured Markdown; every column, whatever its rank.
    pub fn markdown(&self) -> String {
        let mut text = String::from("|");
        for column in &self.columns {
            let _ = write!(text, " {} |", escaped(&column.head));
        }
        text.push_str("\n|");
        for column in &self.columns {
            text.push_str(match column.align {
                Align::Left => " --- |",
                Align::Right => " ---: |",
            });
        }
        text.push('\n');
        for row in &self.rows {
            text.push('|');
            for cell in row {
                let _ = write!(text, " {} |", escaped(&cell.text));
            }
            text.push('\n');
        }
        text
    }

    /// As CSV (RFC 4180 with line feeds): the heads, then the rows.
    pub fn csv(&self) -> String {
        let heads = self.columns.iter().map(|column| column.head.as_str()).collect::<Vec<_>>();
        let rows = self.rows.iter().map(|row| row.iter().map(|cell| cell.text.as_str()).collect());
        let mut text = String::new();
        for line in std::iter::once(heads).chain(rows) {
            let fields: Vec<String> = line.into_iter().map(quoted).collect();
            text.push_str(&fields.join(","));
            text.push('\n');
        }
        text
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace(['\n', '\r'], " ")
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::table::{Column, Table};

    fn sample() -> Table {
        let mut table = Table::new([Column::words("key"), Column::numbers("value").optional(9)]);
        table.row(["a|b", "1,2"]);
        table.row(["say \"x\""]);
        table
    }

    #[test]
    fn markdown_keeps_bars_in_their_cells() {
        assert_eq!(
            sample().markdown(),
            "| key | value |\n| --- | ---: |\n| a\\|b | 1,2 |\n| say \"x\" |  |\n"
        );
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        assert_eq!(sample().csv(), "key,value\na|b,\"1,2\"\n\"say \"\"x\"\"\",\n");
    }
}
