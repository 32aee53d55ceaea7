//! What the reader's screen can show.

/// How wide, and with colour or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Columns of text; lines are not made longer where that can be helped.
    pub width: usize,
    /// Whether escape sequences for colour are wanted.
    pub colour: bool,
}

impl Default for Look {
    /// 100 columns without colour: what a file or a pipe gets.
    fn default() -> Self {
        Self { width: 100, colour: false }
    }
}

/// What a piece of text means; each has a colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ink {
    /// Nothing special.
    #[default]
    Plain,
    /// A heading.
    Heading,
    /// As it should be.
    Good,
    /// Worth a look.
    Warn,
    /// Wrong.
    Bad,
    /// Less important than what is around it.
    Dim,
    /// A line of a picture.
    Line,
}

impl Ink {
    /// The parameters of the select-graphic-rendition sequence (ECMA-48, 8.3.117).
    pub(crate) fn code(self) -> Option<&'static str> {
        match self {
            Ink::Plain => None,
            Ink::Heading => Some("1"),
            Ink::Good => Some("32"),
            Ink::Warn => Some("33"),
            Ink::Bad => Some("1;31"),
            Ink::Dim => Some("2"),
            Ink::Line => Some("36"),
        }
    }
}

impl Look {
    /// Text in the colour of its meaning, or as it is where there is no colour.
    pub fn paint(&self, ink: Ink, text: &str) -> String {
        match ink.code().filter(|_| self.colour && !text.is_empty()) {
            Some(code) => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            None => text.to_owned(),
        }
    }

    /// Text broken at spaces into lines that fit. The first line begins behind `indent` columns that the caller has
    /// filled, the others are indented by as many. A word longer than the width stays whole, and so do a number and
    /// the word behind it: its unit, or what it counts.
    pub fn wrap(&self, text: &str, indent: usize) -> String {
        let mut words: Vec<String> = Vec::new();
        for word in text.split(' ') {
            match words.last_mut().filter(|last| last.ends_with(|c: char| c.is_ascii_digit())) {
                Some(last) => *last += &format!(" {word}"),
                None => words.push(word.to_owned()),
            }
        }
        let mut out = String::new();
        let mut column = indent;
        for (i, word) in words.iter().enumerate() {
            let length = word.chars().count();
            if i > 0 && column + 1 + length > self.width && column > indent {
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', indent));
                column = indent;
            } else if i > 0 {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += length;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_only_where_wanted() {
        let with = Look { colour: true, ..Look::default() };
        assert_eq!(Look::default().paint(Ink::Bad, "lost"), "lost");
        assert_eq!(with.paint(Ink::Good, "kept"), "\u{1b}[32mkept\u{1b}[0m");
        assert_eq!(with.paint(Ink::Plain, "kept"), "kept");
        assert_eq!(with.paint(Ink::Bad, ""), "");
    }

    #[test]
    fn long_lines_are_broken_at_spaces() {
        let look = Look { width: 10, colour: false };
        assert_eq!(look.wrap("one two three four", 2), "one two\n  three\n  four");
        assert_eq!(look.wrap("unbreakable-word", 2), "unbreakable-word");
        assert_eq!(look.wrap("", 2), "");
        assert_eq!(look.wrap("rate is 12 Gb/s", 0), "rate is\n12 Gb/s");
    }
}
