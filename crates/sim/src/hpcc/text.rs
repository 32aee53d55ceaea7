//! Reading the reference's text files: words separated by white space, with the line of each for messages.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::clock::seconds_to_ns;
use super::error::HpccError;

/// A word of a file and its line (from 1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    pub text: &'a str,
    pub line: u32,
}

/// A file's words, one after another.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    file: &'a Path,
    rest: &'a str,
    /// The line that `rest` begins in.
    line: u32,
    /// The line of the last word given out.
    last_line: u32,
}

/// Reads a file as text. Bytes that are no UTF-8 are kept as replacement characters, so that the message about
/// them can show line and field.
pub(crate) fn read(base: &Path, path: &Path, role: &'static str, remedy: &str) -> Result<String, HpccError> {
    match fs::read(base.join(path)) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(source) => Err(HpccError::Read { path: path.into(), role, source, remedy: remedy.to_owned() }),
    }
}

impl<'a> Words<'a> {
    /// The words of `text`, which came from `file`.
    pub(crate) fn new(file: &'a Path, text: &'a str) -> Self {
        Words { file, rest: text, line: 1, last_line: 1 }
    }

    /// The next word, if there is one.
    pub(crate) fn next(&mut self) -> Option<Word<'a>> {
        let text = self.rest.trim_ascii_start();
        let skipped = &self.rest[..self.rest.len() - text.len()];
        self.line = self.line.saturating_add(skipped.bytes().filter(|byte| *byte == b'\n').count() as u32);
        let end = text.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        if word.is_empty() {
            return None;
        }
        self.last_line = self.line;
        Some(Word { text: word, line: self.line })
    }

    /// The next word, left where it is.
    pub(crate) fn peek(&self) -> Option<Word<'a>> {
        self.clone().next()
    }

    /// The next word; `field` says what it is, `remedy` what to do if the file ends here.
    pub(crate) fn expect(&mut self, field: &str, remedy: &'static str) -> Result<Word<'a>, HpccError> {
        let line = self.last_line;
        self.next().ok_or_else(|| HpccError::Truncated {
            file: self.file.into(),
            line,
            field: field.to_owned(),
            remedy,
        })
    }

    /// The next word as a value of type `T`.
    pub(crate) fn value<T: FromStr>(
        &mut self,
        field: &str,
        expected: &'static str,
        remedy: &'static str,
    ) -> Result<(T, u32), HpccError> {
        let word = self.expect(field, remedy)?;
        match word.text.parse() {
            Ok(value) => Ok((value, word.line)),
            Err(_) => Err(self.bad(word, field, expected)),
        }
    }

    /// The next word as a finite number.
    pub(crate) fn number(&mut self, field: &str, remedy: &'static str) -> Result<(f64, u32), HpccError> {
        let word = self.expect(field, remedy)?;
        match word.text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok((value, word.line)),
            _ => Err(self.bad(word, field, "a number")),
        }
    }

    /// The error for a word that does not fit its field.
    pub(crate) fn bad(&self, word: Word<'_>, field: &str, expected: &'static str) -> HpccError {
        HpccError::BadValue {
            file: self.file.into(),
            line: word.line,
            field: field.to_owned(),
            found: word.text.to_owned(),
            expected,
        }
    }

    /// An error about line `line` of this file.
    pub(crate) fn invalid(
        &self,
        line: u32,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> HpccError {
        HpccError::Invalid { file: self.file.into(), line, problem: problem.into(), remedy: remedy.into() }
    }

    /// The file.
    pub(crate) fn file(&self) -> PathBuf {
        self.file.into()
    }
}

/// A rate with its unit, as ns-3 writes it (`100Gbps`, `20Mb/s`, `25GB/s`; a bare number is bits a second), in
/// bits a second.
pub(crate) fn rate_bps(text: &str) -> Option<u64> {
    let (number, unit) = split_unit(text).or_else(|| Some((f64::from(text.parse::<u32>().ok()?), "bps")))?;
    let (scale, rest) = match unit.as_bytes().first()? {
        b'k' | b'K' if unit[1..].starts_with('i') => (1024.0, &unit[2..]),
        b'M' if unit[1..].starts_with('i') => (1_048_576.0, &unit[2..]),
        b'G' if unit[1..].starts_with('i') => (1_073_741_824.0, &unit[2..]),
        b'k' | b'K' => (1e3, &unit[1..]),
        b'M' => (1e6, &unit[1..]),
        b'G' => (1e9, &unit[1..]),
        _ => (1.0, unit),
    };
    let bits = match rest {
        "bps" | "b/s" => 1.0,
        "Bps" | "B/s" => 8.0,
        _ => return None,
    };
    Some((number * scale * bits) as u64)
}

/// A length of time with its unit, as ns-3 writes it (`1000ns`, `0.001ms`; a bare number is seconds), in
/// nanoseconds.
pub(crate) fn delay_ns(text: &str) -> Option<u64> {
    let (number, unit) = split_unit(text).or_else(|| Some((text.parse().ok()?, "s")))?;
    let scale = match unit {
        "s" => return Some(seconds_to_ns(number)),
        "ms" => 1e6,
        "us" => 1e3,
        "ns" => 1.0,
        "ps" => 1e-3,
        "fs" => 1e-6,
        _ => return None,
    };
    Some((number * scale) as u64)
}

/// The number before the first character that is no digit or point, and what follows.
fn split_unit(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let number: f64 = text[..end].parse().ok()?;
    number.is_finite().then_some((number, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_delays_are_read_as_ns3_writes_them() {
        assert_eq!(rate_bps("100Gbps"), Some(100_000_000_000));
        assert_eq!(rate_bps("20Mb/s"), Some(20_000_000));
        assert_eq!(rate_bps("1.5Gbps"), Some(1_500_000_000));
        assert_eq!(rate_bps("25GB/s"), Some(200_000_000_000));
        assert_eq!(rate_bps("64KiB/s"), Some(524_288));
        assert_eq!(rate_bps("100bps"), Some(100));
        assert_eq!(rate_bps("100"), Some(100));
        for bad in ["", "Gbps", "100 Gbps", "-1Gbps", "1..2Gbps", "100Tbps", "100Gbpsx", "é"] {
            assert_eq!(rate_bps(bad), None, "{bad}");
        }
        assert_eq!(delay_ns("1000ns"), Some(1000));
        assert_eq!(delay_ns("0.001ms"), Some(1000));
        assert_eq!(delay_ns("1us"), Some(1000));
        assert_eq!(delay_ns("2"), Some(2_000_000_000));
        assert_eq!(delay_ns("1500ps"), Some(1));
        for bad in ["", "ns", "1 ns", "1m", "-5ns", "1h"] {
            assert_eq!(delay_ns(bad), None, "{bad}");
        }
    }

    #[test]
    fn words_know_their_line() {
        let path = Path::new("f.txt");
        let mut words = Words::new(path, "a b\r\n\n c\n");
        let lines: Vec<_> = std::iter::from_fn(|| words.next()).map(|w| (w.text, w.line)).collect();
        assert_eq!(lines, [("a", 1), ("b", 1), ("c", 3)]);
        let message = words.expect("the rate", "add it").unwrap_err().to_string();
        assert_eq!(message, "f.txt:3: the file ends before the rate; add it");
    }
}
