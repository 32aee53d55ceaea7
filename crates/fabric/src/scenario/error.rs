//! What is wrong with a scenario, or without effect in it, and where.

use std::fmt;
use std::ops::Range;

/// What is wrong, where, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The file, as the caller called it.
    pub origin: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Bytes of the text that it is about; may be empty.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, line, column, message, help, .. } = self;
        write!(f, "{origin}:{line}:{column}: {message}")?;
        if help.is_empty() { Ok(()) } else { write!(f, "; {help}") }
    }
}

impl std::error::Error for ScenarioError {}

/// Of what sort a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// A key that changes nothing in this combination.
    NoEffect,
    /// The scenario can do what its author may not expect, such as deadlock.
    Risk,
}

/// Something that a scenario's author should know, though nothing is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Of what sort.
    pub kind: NoticeKind,
    /// The file, as the caller called it.
    pub origin: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Bytes of the text that it is about.
    pub span: Range<usize>,
    /// The key, with its table: `pfc.quanta`.
    pub key: String,
    /// What is to be known.
    pub message: String,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.origin, self.line, self.column, self.message)
    }
}

/// Line and column, both from 1, of a byte of a text; the column counts characters.
pub(super) fn position(text: &str, byte: usize) -> (u32, u32) {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    let before = &text[..byte];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let line = before.matches('\n').count() as u32 + 1;
    (line, before[line_start..].chars().count() as u32 + 1)
}

/// Of these words the one that was probably meant.
pub(super) fn suggest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase().replace('_', "-");
    let score = |other: &str| distance(&word, &other.to_lowercase().replace('_', "-"));
    // One slip in three characters, or one in a short word.
    let limit = (word.chars().count() / 3).max(1);
    let scored = known.into_iter().map(|other| (score(other), other));
    let close = scored.filter(|(score, other)| *score <= limit && *score < other.chars().count());
    close.min_by_key(|(score, _)| *score).map(|(_, other)| other)
}

/// Edit distance where swapping neighbours is one edit (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (last[j - 1] + same).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let text = "a\nµs = 1\n";
        assert_eq!(position(text, 0), (1, 1));
        assert_eq!(position(text, 2), (2, 1));
        assert_eq!(position(text, 4), (2, 2));
        assert_eq!(position(text, 3), (2, 1), "inside a character");
        assert_eq!(position(text, 999), (3, 1));
    }

    #[test]
    fn slips_are_forgiven_and_other_words_are_not() {
        let known = ["rate", "delay", "fabric_rate", "hosts_per_leaf", "k"];
        for (word, meant) in [
            ("raet", Some("rate")),
            ("dealy", Some("delay")),
            ("fabric-rate", Some("fabric_rate")),
            ("hosts_per_leafs", Some("hosts_per_leaf")),
            ("speed", None),
            ("x", None),
        ] {
            assert_eq!(suggest(word, known), meant, "{word}");
        }
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ab", "ba"), 1);
    }
}
