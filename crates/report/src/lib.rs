//! Tables, numbers, sparklines and charts for people. Text in, text out: no files, no clock, and the same input gives
//! the same bytes on every machine.
//!
//! * [`number`]: figures with as many digits as help, and their units.
//! * [`Look`] says how wide the reader's screen is and whether it has colour; [`Table`], [`sparkline`] and [`bar`] obey it.
//! * [`LineChart`] is an SVG picture that needs nothing else; [`cdf`] and [`tail`] turn samples into its points.

mod cdf;
mod chart;
mod look;
mod markdown;
pub mod number;
mod scale;
mod spark;
mod svg;
mod table;

pub use cdf::{cdf, tail};
pub use chart::{LineChart, Series};
pub use look::{Ink, Look};
pub use scale::{Axis, Scale};
pub use spark::{bar, peaks, sparkline};
pub use table::{Align, Cell, Column, Table};
