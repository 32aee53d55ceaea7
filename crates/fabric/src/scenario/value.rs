//! Values of a TOML text with their places, and what they can be read as.

use super::error::suggest;
use super::table::{Context, Table};
use crate::Keyword;
use std::ops::{Range, RangeInclusive};
use toml::de::DeValue;
use weir_units::{Bytes, Rate, Span, Time, UnitError};

/// A value and its place.
#[derive(Clone)]
pub(super) struct Value<'a> {
    pub(super) cx: &'a Context<'a>,
    /// As `table.key`.
    pub(super) path: String,
    pub(super) key_span: Range<usize>,
    pub(super) span: Range<usize>,
    pub(super) value: &'a DeValue<'a>,
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
