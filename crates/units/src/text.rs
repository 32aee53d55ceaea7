//! Reading and writing values with their units.

use crate::{Bytes, Rate, Span, Time};
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// Text that is not a value with a unit of the wanted kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// No digits at the start.
    #[error("`{text}` is not {kind}; write for example \"{example}\"")]
    NotANumber {
        /// What was read.
        text: String,
        /// What was wanted, with its article.
        kind: &'static str,
        /// A value that would be right.
        example: &'static str,
    },
    /// A number and nothing behind it.
    #[error("`{text}` has no unit; {kind} needs one: \"{text} {unit}\"")]
    NoUnit {
        /// What was read.
        text: String,
        /// What was wanted, with its article.
        kind: &'static str,
        /// The commonest unit.
        unit: &'static str,
    },
    /// A unit of another kind, or none that exists.
    #[error("`{unit}` is not a unit of {kind}; use one of {known}")]
    UnknownUnit {
        /// The unit that was read.
        unit: String,
        /// What was wanted, with its article.
        kind: &'static str,
        /// Every unit that is known.
        known: String,
    },
    /// Below zero or above what 64 bits hold.
    #[error("`{text}` is out of range for {kind}")]
    OutOfRange {
        /// What was read.
        text: String,
        /// What was wanted, with its article.
        kind: &'static str,
    },
}

struct Kind {
    name: &'static str,
    example: &'static str,
    unit: &'static str,
    units: &'static [(&'static str, f64)],
}

const TIME: Kind = Kind {
    name: "a time",
    example: "1 us",
    unit: "us",
    units: &[("ps", 1.0), ("ns", 1e3), ("us", 1e6), ("µs", 1e6), ("ms", 1e9), ("s", 1e12)],
};

const RATE: Kind = Kind {
    name: "a rate",
    example: "100 Gb/s",
    unit: "Gb/s",
    units: &[
        ("b/s", 1.0),
        ("bps", 1.0),
        ("Kb/s", 1e3),
        ("Kbps", 1e3),
        ("Mb/s", 1e6),
        ("Mbps", 1e6),
        ("Gb/s", 1e9),
        ("Gbps", 1e9),
        ("Tb/s", 1e12),
        ("Tbps", 1e12),
    ],
};

const BYTES: Kind = Kind {
    name: "a size",
    example: "400 KiB",
    unit: "KiB",
    units: &[
        ("B", 1.0),
        ("KB", 1e3),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("KiB", 1024.0),
        ("MiB", 1048576.0),
        ("GiB", 1073741824.0),
        ("TiB", 1099511627776.0),
    ],
};

fn parse(text: &str, kind: &Kind) -> Result<u64, UnitError> {
    let trimmed = text.trim();
    let split = trimmed
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '_' | '-' | '+')))
        .unwrap_or(trimmed.len());
    let (digits, unit) = (trimmed[..split].replace('_', ""), trimmed[split..].trim());
    let number: f64 = digits.parse().map_err(|_| UnitError::NotANumber {
        text: trimmed.to_owned(),
        kind: kind.name,
        example: kind.example,
    })?;
    if unit.is_empty() {
        return Err(UnitError::NoUnit { text: trimmed.to_owned(), kind: kind.name, unit: kind.unit });
    }
    let Some((_, scale)) = kind.units.iter().find(|(name, _)| *name == unit) else {
        let known: Vec<&str> = kind.units.iter().map(|(name, _)| *name).collect();
        return Err(UnitError::UnknownUnit {
            unit: unit.to_owned(),
            kind: kind.name,
            known: known.join(", "),
        });
    };
    let value = number * scale;
    // 2^64 is the first float that does not fit.
    if !(0.0..18_446_744_073_709_551_616.0).contains(&value) {
        return Err(UnitError::OutOfRange { text: trimmed.to_owned(), kind: kind.name });
    }
    Ok(value.round() as u64)
}

/// A float with at most three decimals and no trailing zeros.
pub(crate) fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// The exact text of `value` in the largest unit that divides it, so that text and value invert.
fn exact(value: u64, units: &[(u64, &str)]) -> String {
    let (unit, name) = units
        .iter()
        .find(|(unit, _)| value != 0 && value.is_multiple_of(*unit))
        .unwrap_or(&units[units.len() - 1]);
    format!("{} {name}", value / unit)
}

macro_rules! text {
    ($type:ident, $kind:ident, $make:expr, $get:expr, $units:expr) => {
        impl FromStr for $type {
            type Err = UnitError;
            fn from_str(text: &str) -> Result<Self, UnitError> {
                parse(text, &$kind).map($make)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl Visitor<'_> for Text {
                    type Value = $type;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        write!(f, "{} with its unit, as in \"{}\"", $kind.name, $kind.example)
                    }
                    fn visit_str<E: Error>(self, text: &str) -> Result<$type, E> {
                        text.parse().map_err(E::custom)
                    }
                    fn visit_i64<E: Error>(self, number: i64) -> Result<$type, E> {
                        Err(E::custom(UnitError::NoUnit {
                            text: number.to_string(),
                            kind: $kind.name,
                            unit: $kind.unit,
                        }))
                    }
                    fn visit_u64<E: Error>(self, number: u64) -> Result<$type, E> {
                        Err(E::custom(UnitError::NoUnit {
                            text: number.to_string(),
                            kind: $kind.name,
                            unit: $kind.unit,
                        }))
                    }
                    fn visit_f64<E: Error>(self, number: f64) -> Result<$type, E> {
                        Err(E::custom(UnitError::NoUnit {
                            text: number.to_string(),
                            kind: $kind.name,
                            unit: $kind.unit,
                        }))
                    }
                }
                deserializer.deserialize_any(Text)
            }
        }

        impl Serialize for $type {
            /// As text that reads back to the same value.
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&exact(($get)(*self), $units))
            }
        }
    };
}

const TIME_UNITS: &[(u64, &str)] =
    &[(1_000_000_000_000, "s"), (1_000_000_000, "ms"), (1_000_000, "us"), (1_000, "ns"), (1, "ps")];
const RATE_UNITS: &[(u64, &str)] =
    &[(1_000_000_000, "Gb/s"), (1_000_000, "Mb/s"), (1_000, "Kb/s"), (1, "b/s")];
const BYTES_UNITS: &[(u64, &str)] = &[
    (1 << 30, "GiB"),
    (1_000_000_000, "GB"),
    (1 << 20, "MiB"),
    (1_000_000, "MB"),
    (1 << 10, "KiB"),
    (1_000, "KB"),
    (1, "B"),
];

text!(Time, TIME, Time::from_ps, Time::as_ps, TIME_UNITS);
text!(Span, TIME, Span::from_ps, Span::as_ps, TIME_UNITS);
text!(Rate, RATE, Rate::from_bps, Rate::as_bps, RATE_UNITS);
text!(Bytes, BYTES, Bytes::new, Bytes::get, BYTES_UNITS);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_people_write() {
        assert_eq!("100 Gb/s".parse(), Ok(Rate::from_gbps(100)));
        assert_eq!("2.5Gbps".parse(), Ok(Rate::from_mbps(2500)));
        assert_eq!("1 us".parse(), Ok(Span::from_us(1)));
        assert_eq!("83.84 ns".parse(), Ok(Span::from_ps(83_840)));
        assert_eq!("400 KiB".parse(), Ok(Bytes::from_kib(400)));
        assert_eq!("1_000 B".parse(), Ok(Bytes::new(1000)));
    }

    #[test]
    fn says_what_is_wrong_and_what_to_write() {
        let error = "100".parse::<Rate>().unwrap_err().to_string();
        assert_eq!(error, "`100` has no unit; a rate needs one: \"100 Gb/s\"");
        let error = "5 furlongs".parse::<Span>().unwrap_err().to_string();
        assert!(error.contains("`furlongs` is not a unit of a time") && error.contains("us"), "{error}");
        assert!("".parse::<Bytes>().is_err());
        assert!("-1 B".parse::<Bytes>().is_err());
        assert!("1e9 B".parse::<Bytes>().is_err());
        assert!("99999999999 s".parse::<Span>().is_err());
    }

    #[test]
    fn a_bare_number_in_toml_is_an_error() {
        #[derive(Debug, Deserialize)]
        struct Config {
            #[allow(dead_code, reason = "only its parsing matters")]
            rate: Rate,
        }
        let error = toml::from_str::<Config>("rate = 100").unwrap_err().to_string();
        assert!(error.contains("`100` has no unit"), "{error}");
        toml::from_str::<Config>("rate = \"100 Gb/s\"").unwrap();
    }

    proptest! {
        #[test]
        fn written_text_reads_back(value in 0u64..(1 << 53)) {
            let json = serde_json::to_string(&Span::from_ps(value)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Span>(&json).unwrap(), Span::from_ps(value));
            let json = serde_json::to_string(&Bytes::new(value)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Bytes>(&json).unwrap(), Bytes::new(value));
        }

        #[test]
        fn no_text_panics(text in ".*") {
            let _ = text.parse::<Rate>();
            let _ = text.parse::<Span>();
            let _ = text.parse::<Bytes>();
        }
    }
}
