//! Tables that fit the screen: where there is no room, columns that matter less give way before anything is broken.

use crate::look::{Ink, Look};
use comfy_table::{
    Attribute, CellAlignment, Color, ContentArrangement, ContentLineStyle, LineStyle, TableStyle,
};

/// Where the text of a column stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// Words.
    #[default]
    Left,
    /// Numbers.
    Right,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub(crate) head: String,
    pub(crate) align: Align,
    rank: u8,
    /// Columns of the screen that it can do with.
    least: usize,
}

impl Column {
    /// Words, never left out.
    pub fn words(head: impl Into<String>) -> Self {
        Self { head: head.into(), align: Align::Left, rank: 0, least: usize::MAX }
    }

    /// Numbers, never left out.
    pub fn numbers(head: impl Into<String>) -> Self {
        Self { head: head.into(), align: Align::Right, rank: 0, least: usize::MAX }
    }

    /// Gives way where there is no room; the higher the rank, the earlier.
    pub fn optional(mut self, rank: u8) -> Self {
        self.rank = rank;
        self
    }

    /// Its text may be broken into lines of this many columns and more before other columns give way.
    pub fn wrapping(mut self, least: usize) -> Self {
        self.least = least;
        self
    }
}

/// A field of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    pub(crate) text: String,
    ink: Ink,
}

impl Cell {
    /// A field with a meaning.
    pub fn inked(ink: Ink, text: impl Into<String>) -> Self {
        Self { text: text.into(), ink }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), ink: Ink::Plain }
    }
}

/// A table: columns with heads, and rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// Blank columns between two columns.
const GAP: usize = 2;

impl Table {
    /// An empty table with these columns.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row: a field for each column. Missing ones are empty, more are dropped.
    pub fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        let mut row: Vec<Cell> = cells.into_iter().take(self.columns.len()).map(Into::into).collect();
        row.resize(self.columns.len(), Cell::default());
        self.rows.push(row);
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// As text with a line end after each line. Columns that hold nothing in any row are left out, and optional ones
    /// where the width does not suffice.
    pub fn text(&self, look: &Look) -> String {
        let shown = self.shown(look.width);
        let mut table = comfy_table::Table::new();
        table.load_style(STYLE).set_content_arrangement(ContentArrangement::Dynamic).force_no_tty();
        table.set_width(u16::try_from(look.width).unwrap_or(u16::MAX));
        if look.colour {
            table.enforce_styling();
            table.style_text_only();
        }
        table.set_header(
            shown
                .iter()
                .map(|&c| comfy_table::Cell::new(&self.columns[c].head).add_attribute(Attribute::Bold)),
        );
        for row in &self.rows {
            table.add_row(shown.iter().map(|&c| styled(&row[c])));
        }
        for (at, &c) in shown.iter().enumerate() {
            if let Some(column) = table.column_mut(at) {
                column.set_padding((0, if at + 1 == shown.len() { 0 } else { GAP as u16 }));
                if self.columns[c].align == Align::Right {
                    column.set_cell_alignment(CellAlignment::Right);
                }
            }
        }
        let mut text = String::new();
        for line in table.lines() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// The columns to show.
    fn shown(&self, width: usize) -> Vec<usize> {
        let holds = |c: usize| self.rows.is_empty() || self.rows.iter().any(|row| !row[c].text.is_empty());
        let mut shown: Vec<usize> = (0..self.columns.len()).filter(|&c| holds(c)).collect();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|c| {
                let cells = self.rows.iter().map(|row| row[c].text.as_str());
                let widest = cells.chain([self.columns[c].head.as_str()]).map(columns_of).max();
                widest.unwrap_or(0).min(self.columns[c].least)
            })
            .collect();
        loop {
            let needed: usize = shown.iter().map(|&c| widths[c] + GAP).sum::<usize>().saturating_sub(GAP);
            if needed <= width {
                return shown;
            }
            // Of equals the one further right gives way.
            let gone = shown.iter().copied().filter(|&c| self.columns[c].rank > 0);
            let Some(gone) = gone.max_by_key(|&c| (self.columns[c].rank, c)) else { return shown };
            shown.retain(|&c| c != gone);
        }
    }
}

/// Columns of the screen that text takes: East Asian characters take two.
fn columns_of(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none())
    .header_separator(LineStyle::none().fill('─'))
    .content_lines(ContentLineStyle::none());

fn styled(cell: &Cell) -> comfy_table::Cell {
    let plain = comfy_table::Cell::new(&cell.text);
    match cell.ink {
        Ink::Plain => plain,
        Ink::Heading => plain.add_attribute(Attribute::Bold),
        Ink::Good => plain.fg(Color::DarkGreen),
        Ink::Warn => plain.fg(Color::DarkYellow),
        Ink::Bad => plain.fg(Color::DarkRed).add_attribute(Attribute::Bold),
        Ink::Dim => plain.add_attribute(Attribute::Dim),
        Ink::Line => plain.fg(Color::DarkCyan),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        let mut table = Table::new([
            Column::words("port"),
            Column::numbers("deepest"),
            Column::numbers("marks").optional(1),
            Column::numbers("nothing"),
            Column::words("to").optional(2),
        ]);
        table.row(["s0:16", "409 KB", "1,234", "", "h16"]);
        table.row(["s0:1", "0 B"]);
        table
    }

    #[test]
    fn numbers_stand_right_and_empty_columns_go() {
        let text = sample().text(&Look::default());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "port   deepest  marks  to");
        assert_eq!(lines[2], "s0:16   409 KB  1,234  h16");
        assert_eq!(lines[3], "s0:1       0 B");
        assert!(lines[1].chars().all(|c| c == '─'), "{}", lines[1]);
    }

    #[test]
    fn where_there_is_no_room_the_least_important_goes_first() {
        let text = sample().text(&Look { width: 22, colour: false });
        assert!(text.starts_with("port   deepest  marks\n"), "{text}");
        let text = sample().text(&Look { width: 20, colour: false });
        assert!(text.starts_with("port   deepest\n"), "{text}");
    }

    #[test]
    fn no_line_is_wider_than_the_screen() {
        let mut table = Table::new([Column::words("name"), Column::words("meaning")]);
        table.row(["x", "a long explanation that has to be broken over several lines to fit"]);
        for width in [20, 30, 40] {
            let text = table.text(&Look { width, colour: false });
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}\n{text}");
        }
    }

    #[test]
    fn colour_leaves_the_layout_alone() {
        let mut table = sample();
        table.row([Cell::inked(Ink::Bad, "s0:2"), Cell::from("1 B")]);
        let plain = table.text(&Look::default());
        let colour = table.text(&Look { colour: true, ..Look::default() });
        assert!(colour.contains("\u{1b}["));
        let mut bare = String::new();
        let mut inside = false;
        for c in colour.chars() {
            match c {
                '\u{1b}' => inside = true,
                'm' if inside => inside = false,
                c if !inside => bare.push(c),
                _ => {}
            }
        }
        let trimmed: Vec<&str> = bare.lines().map(str::trim_end).collect();
        assert_eq!(trimmed.join("\n"), plain.trim_end());
    }
}
