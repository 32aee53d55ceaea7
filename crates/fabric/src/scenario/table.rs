//! Reading a TOML table key by key: every key accounted for, all errors at once.

use super::error::{Notice, NoticeKind, ScenarioError, position, suggest};
use super::value::{Read, Value, Word};
use crate::Keyword;
use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

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
