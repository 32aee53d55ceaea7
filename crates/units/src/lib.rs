//! Time, rate and size with their units: the types every Weir crate counts in.
//!
//! * [`Time`] is an instant and [`Span`] a length of time, both `u64` picoseconds: a byte at 800 Gb/s is
//!   10 ps, and 2^64 ps are 213 days.
//! * [`Rate`] is `u64` bits a second, [`Bytes`] `u64` bytes.
//!
//! In text (TOML, command line) a value always has its unit: `"100 Gb/s"`, `"1 us"`, `"400 KiB"`,
//! `"400 KB"` (1000 bytes). A bare number is refused, with the remedy in the message.

mod bytes;
mod rate;
mod text;
mod time;

pub use bytes::Bytes;
pub use rate::Rate;
pub use text::UnitError;
pub use time::{Span, Time};
