//! Reading a TOML table key by key: every value with its place, every key accounted for, all errors at once.

use super::error::{Notice, NoticeKind, ScenarioError, position, suggest};
use crate::Keyword;
use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use weir_units::{Bytes, Rate, Span, Time, UnitError};

/// The text that is read, and what was found out about it.
pub(super) struct Context<'a> {
    pub(super) origin: &'a str,
    pub(super) text: &'a str,
    pub(super) errors: RefCell<Vec<ScenarioError>>,
    pub(super) notices: RefCell<Vec<Notice>>,
}

impl<'a> Context<'a> {
    pub(super) fn new(origin: &'a str, text: &'a str) -> Self {
        Self { origin, text, errors: RefCell::default(), notices: RefCell::default() }
    }

    pub(super) fn error(&self, span: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        let (line, column) = position(self.text, span.start);
        self.errors.borrow_mut().push(ScenarioError {
            origin: self.origin.to_owned(),
            line,
            column,
            span,
            message: message.into(),
            help: help.into(),
        });
    }

    pub(super) fn notice(
        &self,
        kind: NoticeKind,
        span: Range<usize>,
        key: impl Into<String>,
        message: impl Into<String>,
    ) {
        let (line, column) = position(self.text, span.start);
        self.notices.borrow_mut().push(Notice {
            kind,
            origin: self.origin.to_owned(),
            line,
            column,
            span,
            key: key.into(),
            message: message.into(),
        });
    }

    pub(super) fn failed(&self) -> bool {
        !self.errors.borrow().is_empty()
    }
}

/// A value and its place.
#[derive(Clone)]
pub(super) struct Value<'a> {
    pub(super) cx: &'a Context<'a>,
    /// As `table.key`.
    pub(super) path: String,
    pub(super) key_span: Range<usize>,
    pub(super) span: Range<usize>,
    value: &'a DeValue<'a>,
}

impl<'a> Value<'a> {
    /// Refuses the value.
    pub(super) fn error(&self, message: impl Into<String>, help: impl Into<String>) {
        self.cx.error(self.span.clone(), message, help);
    }

    /// The last part of the path.
    pub(super) fn key(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }

    /// As it stands in the text.
    pub(super) fn source(&self) -> &'a str {
        self.cx.text.get(self.span.clone()).unwrap_or_default()
    }

    fn wrong(&self, wanted: &str, help: impl Into<String>) {
        let is = match self.value {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        self.error(format!("`{}` is {is}, and must be {wanted}", self.path), help);
    }

    pub(super) fn string(&self) -> Option<String> {
        match self.value {
            DeValue::String(text) => Some(text.to_string()),
            _ => {
                self.wrong("a string", format!("write {} = \"…\"", self.key()));
                None
            }
        }
    }

    pub(super) fn as_table(&self) -> Option<Table<'a>> {
        match self.value {
            DeValue::Table(table) => Some(Table::new(self.cx, self.path.clone(), self.span.clone(), table)),
            _ => {
                self.wrong("a table", format!("write {} = {{ … }}", self.key()));
                None
            }
        }
    }

    /// The elements of an array; a value that is none counts as its only element.
    pub(super) fn elements(&self) -> Vec<Value<'a>> {
        match self.value {
            DeValue::Array(array) => array
                .iter()
                .enumerate()
                .map(|(i, element)| Value {
                    cx: self.cx,
                    path: format!("{}[{i}]", self.path),
                    key_span: self.key_span.clone(),
                    span: element.span(),
                    value: element.get_ref(),
                })
                .collect(),
            _ => vec![self.clone()],
        }
    }

    pub(super) fn is_array(&self) -> bool {
        matches!(self.value, DeValue::Array(_))
    }

    pub(super) fn is_string(&self) -> bool {
        matches!(self.value, DeValue::String(_))
    }

    pub(super) fn strings(&self) -> Vec<String> {
        self.elements().iter().filter_map(Value::string).collect()
    }

    /// A whole number from a range.
    pub(super) fn int(&self, range: RangeInclusive<u64>) -> Option<u64> {
        let (low, high) = (*range.start(), *range.end());
        let wanted = match high {
            u64::MAX => format!("a whole number from {low} up"),
            _ => format!("a whole number from {low} to {high}"),
        };
        let help = || format!("write for example {} = {low}", self.key());
        match self.value {
            DeValue::Integer(integer) => {
                match i128::from_str_radix(integer.as_str(), integer.radix())
                    .ok()
                    .and_then(|n| u64::try_from(n).ok())
                {
                    Some(n) if range.contains(&n) => Some(n),
                    _ => {
                        self.error(
                            format!("`{}` is {}, and must be {wanted}", self.path, self.source()),
                            help(),
                        );
                        None
                    }
                }
            }
            _ => {
                self.wrong(&wanted, help());
                None
            }
        }
    }

    /// A number, where a fraction may be written as "1/8".
    pub(super) fn number(&self) -> Option<f64> {
        let number = match self.value {
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::String(text) => match text.split_once('/') {
                Some((above, below)) => match (above.trim().parse::<f64>(), below.trim().parse::<f64>()) {
                    (Ok(above), Ok(below)) => Some(above / below),
                    _ => None,
                },
                None => None,
            },
            _ => None,
        };
        let number = number.filter(|number: &f64| number.is_finite());
        if number.is_none() {
            self.wrong("a number", format!("write for example {0} = 0.5 or {0} = \"1/8\"", self.key()));
        }
        number
    }

    /// A number from a range that may leave out its ends; `wanted` says which.
    pub(super) fn number_in(&self, wanted: &str, holds: impl Fn(f64) -> bool) -> Option<f64> {
        let number = self.number()?;
        if holds(number) {
            return Some(number);
        }
        self.error(format!("`{}` is {}, and must be {wanted}", self.path, self.source()), "");
        None
    }
}

/// What a value can be read as.
pub(super) trait Read: Sized {
    /// A value of the kind, as it is written.
    const EXAMPLE: &'static str;
    fn read(value: &Value<'_>) -> Option<Self>;
}

impl Read for bool {
    const EXAMPLE: &'static str = "true";
    fn read(value: &Value<'_>) -> Option<Self> {
        match value.value {
            DeValue::Boolean(b) => Some(*b),
            _ => {
                value.wrong("true or false", format!("write {} = true", value.key()));
                None
            }
        }
    }
}

impl Read for String {
    const EXAMPLE: &'static str = "\"…\"";
    fn read(value: &Value<'_>) -> Option<Self> {
        value.string()
    }
}

fn unit<T: std::str::FromStr<Err = UnitError>>(
    value: &Value<'_>,
    what: &str,
    usual: &str,
    example: &str,
) -> Option<T> {
    let text = match value.value {
        DeValue::String(text) => text.as_ref(),
        DeValue::Integer(_) | DeValue::Float(_) => value.source(),
        _ => {
            value.wrong(what, format!("write for example {} = {example}", value.key()));
            return None;
        }
    };
    match text.parse() {
        Ok(parsed) if value.is_string() => Some(parsed),
        // A bare number never parses; other units say what is wrong with them.
        Ok(_) => None,
        Err(error) => {
            let (message, help) = match &error {
                UnitError::NoUnit { text, .. } => (
                    format!("`{}` is {text} without a unit", value.path),
                    format!("write {} = \"{text} {usual}\"", value.key()),
                ),
                UnitError::UnknownUnit { unit, known, .. } => {
                    let units = known.split(", ");
                    let meant = suggest(unit, units).map(|unit| format!("did you mean `{unit}`? "));
                    (
                        format!("`{}` has the unit `{unit}`, which is none of {what}", value.path),
                        format!("{}units are {known}", meant.unwrap_or_default()),
                    )
                }
                UnitError::NotANumber { text, .. } => (
                    format!("`{}` is `{text}`, which is not {what}", value.path),
                    format!("write for example {} = {example}", value.key()),
                ),
                UnitError::OutOfRange { text, .. } => {
                    (format!("`{}` is `{text}`, which is out of range for {what}", value.path), String::new())
                }
            };
            value.error(message, help);
            None
        }
    }
}

/// Longest time that a scenario may give: sums of a few of them still fit 64 bits of picoseconds.
const LONGEST: Span = Span::from_s(1_000_000);

fn not_too_long(value: &Value<'_>, ps: u64) -> Option<()> {
    if ps <= LONGEST.as_ps() {
        return Some(());
    }
    value
        .error(format!("`{}` is longer than 1000000 s", value.path), "leave it out where it means \"never\"");
    None
}

impl Read for Time {
    const EXAMPLE: &'static str = "\"10 us\"";
    fn read(value: &Value<'_>) -> Option<Self> {
        let time: Time = unit(value, "a time", "us", Self::EXAMPLE)?;
        not_too_long(value, time.as_ps()).map(|()| time)
    }
}

impl Read for Span {
    const EXAMPLE: &'static str = "\"10 us\"";
    fn read(value: &Value<'_>) -> Option<Self> {
        let span: Span = unit(value, "a time", "us", Self::EXAMPLE)?;
        not_too_long(value, span.as_ps()).map(|()| span)
    }
}

impl Read for Rate {
    const EXAMPLE: &'static str = "\"100 Gb/s\"";
    fn read(value: &Value<'_>) -> Option<Self> {
        unit(value, "a rate", "Gb/s", Self::EXAMPLE)
    }
}

impl Read for Bytes {
    const EXAMPLE: &'static str = "\"400 KB\"";
    fn read(value: &Value<'_>) -> Option<Self> {
        unit(value, "a size", "KB", Self::EXAMPLE)
    }
}

/// One of a few words.
pub(super) struct Word<T>(pub(super) T);

impl<T: Keyword> Read for Word<T> {
    const EXAMPLE: &'static str = "\"…\"";
    fn read(value: &Value<'_>) -> Option<Self> {
        let word = value.string()?;
        if let Some((_, found)) = T::ALL.iter().find(|(known, _)| *known == word) {
            return Some(Word(*found));
        }
        let known: Vec<&str> = T::ALL.iter().map(|(known, _)| *known).collect();
        unknown_word(value, &word, T::WHAT, &known);
        None
    }
}

/// Refuses a word that is none of those that are known.
pub(super) fn unknown_word(value: &Value<'_>, word: &str, what: &str, known: &[&str]) {
    let meant = suggest(word, known.iter().copied()).map(|meant| format!("did you mean \"{meant}\"? "));
    let shown = if known.len() <= 24 { known.join(", ") } else { format!("{}, …", known[..24].join(", ")) };
    value.error(
        format!("`{}` is \"{word}\", which is not {what}", value.path),
        format!("{}it can be: {shown}", meant.unwrap_or_default()),
    );
}

/// A table, with the keys that were asked for.
pub(super) struct Table<'a> {
    pub(super) cx: &'a Context<'a>,
    path: String,
    pub(super) span: Range<usize>,
    entries: &'a DeTable<'a>,
    asked: RefCell<Vec<&'static str>>,
    /// Keys that are missing, with what was said about them.
    missing: RefCell<Vec<(String, String)>>,
}

impl<'a> Table<'a> {
    pub(super) fn new(
        cx: &'a Context<'a>,
        path: String,
        span: Range<usize>,
        entries: &'a DeTable<'a>,
    ) -> Self {
        Self { cx, path, span, entries, asked: RefCell::default(), missing: RefCell::default() }
    }

    /// `[nic]`, or `the top level`, as messages name the table.
    pub(super) fn title(&self) -> String {
        match self.path.as_str() {
            "" => "the top level".to_owned(),
            path if path.contains('[') => format!("`{path}`"),
            path => format!("[{path}]"),
        }
    }

    /// `table.key`.
    pub(super) fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// The value of a key, if it is there.
    pub(super) fn get(&self, key: &'static str) -> Option<Value<'a>> {
        self.asked.borrow_mut().push(key);
        self.entry(key).map(|(key_span, value)| Value {
            cx: self.cx,
            path: self.path_of(key),
            key_span,
            span: value.span(),
            value: value.get_ref(),
        })
    }

    fn entry(&self, key: &str) -> Option<(Range<usize>, &'a Spanned<DeValue<'a>>)> {
        let (key, value) = self.entries.iter().find(|(name, _)| name.get_ref() == key)?;
        Some((key.span(), value))
    }

    /// Whether a key is there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// A value, if it is there and right.
    pub(super) fn opt<T: Read>(&self, key: &'static str) -> Option<T> {
        self.get(key).and_then(|value| T::read(&value))
    }

    /// A value or its default.
    pub(super) fn or<T: Read>(&self, key: &'static str, default: T) -> T {
        self.opt(key).unwrap_or(default)
    }

    /// One of a few words, or a default.
    pub(super) fn word_or<T: Keyword>(&self, key: &'static str, default: T) -> T {
        self.opt::<Word<T>>(key).map_or(default, |word| word.0)
    }

    /// A value that must be there.
    pub(super) fn need<T: Read>(&self, key: &'static str) -> Option<T> {
        match self.get(key) {
            Some(value) => T::read(&value),
            None => {
                self.missing(key, T::EXAMPLE);
                None
            }
        }
    }

    /// A whole number from a range, that must be there.
    pub(super) fn need_int(&self, key: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        match self.get(key) {
            Some(value) => value.int(range),
            None => {
                self.missing(key, &(*range.start()).max(8).min(*range.end()).to_string());
                None
            }
        }
    }

    /// A whole number from a range, or its default.
    pub(super) fn int_or(&self, key: &'static str, range: RangeInclusive<u64>, default: u64) -> u64 {
        self.get(key).and_then(|value| value.int(range)).unwrap_or(default)
    }

    /// A number for which a condition holds, or its default.
    pub(super) fn number_or(
        &self,
        key: &'static str,
        wanted: &str,
        holds: impl Fn(f64) -> bool,
        default: f64,
    ) -> f64 {
        self.get(key).and_then(|value| value.number_in(wanted, holds)).unwrap_or(default)
    }

    pub(super) fn missing(&self, key: &str, example: &str) {
        let message = format!("{} has no `{key}`", self.title());
        self.cx.error(self.heading(), message.clone(), format!("write for example {key} = {example}"));
        self.missing.borrow_mut().push((key.to_owned(), message));
    }

    /// The table's first line, for what is not about one key.
    pub(super) fn heading(&self) -> Range<usize> {
        let end = self.cx.text[self.span.start.min(self.cx.text.len())..]
            .find('\n')
            .map_or(self.cx.text.len(), |i| self.span.start + i);
        self.span.start..self.span.end.min(end).max(self.span.start)
    }

    /// The place of a key, or else of the table.
    pub(super) fn place(&self, key: &str) -> Range<usize> {
        self.entry(key).map_or_else(|| self.heading(), |(_, value)| value.span())
    }

    /// Refuses the value of a key, or the table where the key is missing.
    pub(super) fn error(&self, key: &str, message: impl Into<String>, help: impl Into<String>) {
        self.cx.error(self.place(key), message, help);
    }

    /// Tells the author that a key has no effect, if it is there.
    pub(super) fn idle(&self, key: &'static str, why: &str) {
        if let Some((span, _)) = self.entry(key) {
            let path = self.path_of(key);
            let message = format!("`{path}` has no effect: {why}");
            self.cx.notice(NoticeKind::NoEffect, span, path, message);
        }
    }

    /// Of keys that exclude each other at most one may be there.
    pub(super) fn only_one(&self, keys: &[&'static str]) {
        let mut there = keys.iter().filter(|key| self.has(key));
        if let (Some(first), Some(second)) = (there.next(), there.next()) {
            self.error(
                second,
                format!("{} has both `{first}` and `{second}`, which say the same thing", self.title()),
                "remove one of them",
            );
        }
    }

    /// Refuses every key that nobody asked for.
    pub(super) fn finish(self) {
        let asked = self.asked.borrow();
        for key in self.entries.keys().filter(|key| !asked.contains(&key.get_ref().as_ref())) {
            let mut known: Vec<&str> = asked.clone();
            known.sort_unstable();
            known.dedup();
            let meant = suggest(key.get_ref(), known.iter().copied());
            // One message for one slip: a key that is missing because it is misspelt here was said to be so already.
            let missing = self.missing.borrow();
            if let Some((_, said)) = missing.iter().find(|(missing, _)| meant == Some(missing.as_str())) {
                self.cx.errors.borrow_mut().retain(|error| error.message != *said);
            }
            let meant = meant.map(|meant| format!("did you mean `{meant}`? "));
            self.cx.error(
                key.span(),
                format!("`{}` is not a key of {}", key.get_ref(), self.title()),
                format!("{}Keys are: {}", meant.unwrap_or_default(), known.join(", ")),
            );
        }
    }
}
