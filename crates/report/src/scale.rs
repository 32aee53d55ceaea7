//! Axes: where a value lies, and which values get a line and a number.

use crate::number;

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithm; only values above zero have a place.
    Log,
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    pub(crate) label: String,
    pub(crate) scale: Scale,
    pub(crate) from: Option<f64>,
    pub(crate) to: Option<f64>,
    pub(crate) format: fn(f64) -> String,
}

impl Axis {
    /// With a label that names the unit.
    pub fn new(label: impl Into<String>, scale: Scale) -> Self {
        Self { label: label.into(), scale, from: None, to: None, format: number::figure }
    }

    /// Begins here rather than at the smallest value.
    pub fn from(mut self, from: f64) -> Self {
        self.from = Some(from);
        self
    }

    /// Ends here rather than at the largest value.
    pub fn to(mut self, to: f64) -> Self {
        self.to = Some(to);
        self
    }

    /// Writes its numbers so.
    pub fn format(mut self, format: fn(f64) -> String) -> Self {
        self.format = format;
        self
    }

    /// The range for these values: round at both ends, never empty.
    pub(crate) fn range(&self, values: impl Iterator<Item = f64>) -> Range {
        let holds = |v: &f64| v.is_finite() && (self.scale == Scale::Linear || *v > 0.0);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(holds) {
            (low, high) = (low.min(value), high.max(value));
        }
        let default = if self.scale == Scale::Log { (1.0, 10.0) } else { (0.0, 1.0) };
        if low > high {
            (low, high) = default;
        }
        let (from, to) = (self.from.filter(holds), self.to.filter(holds));
        let (low, high) = (from.unwrap_or(low), to.unwrap_or(high));
        let (mut low, mut high) = if low < high { (low, high) } else { widened(low, self.scale) };
        if self.scale == Scale::Linear {
            let step = step(high - low, 5.0);
            low = from.unwrap_or((low / step).floor() * step);
            high = to.unwrap_or((high / step).ceil() * step);
        }
        Range { scale: self.scale, low, high }
    }
}

fn widened(value: f64, scale: Scale) -> (f64, f64) {
    match scale {
        Scale::Log => (value / 2.0, value * 2.0),
        Scale::Linear if value == 0.0 => (0.0, 1.0),
        Scale::Linear => (value - value.abs() * 0.5, value + value.abs() * 0.5),
    }
}

/// The round step (1, 2 or 5 times a power of ten) that divides a width into about `parts`.
fn step(width: f64, parts: f64) -> f64 {
    let raw = width / parts;
    let power = 10f64.powf(raw.log10().floor());
    let step = match raw / power {
        f if f < 1.5 => 1.0,
        f if f < 3.5 => 2.0,
        f if f < 7.5 => 5.0,
        _ => 10.0,
    };
    step * power
}

/// What an axis covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    scale: Scale,
    low: f64,
    high: f64,
}

impl Range {
    /// Where a value lies, 0 at the start and 1 at the end; none for a value without a place.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        let place = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        Some(place).filter(|place| place.is_finite())
    }

    /// The values that get a number, in order.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let mut ticks = Vec::new();
        match self.scale {
            Scale::Linear => {
                let step = step(self.high - self.low, 5.0);
                let first = (self.low / step).ceil() as i64;
                let last = (self.high / step + 1e-9).floor() as i64;
                // A step is at least a tenth of the width, so that there are few.
                ticks.extend((first..=last.min(first + 20)).map(|i| i as f64 * step));
            }
            Scale::Log => {
                let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
                let decades = (self.high / self.low).log10();
                let every = ((decades / 7.0).ceil() as i32).max(1);
                let within: &[f64] = match decades {
                    d if d < 1.2 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0],
                    d if d < 3.2 => &[1.0, 2.0, 5.0],
                    _ => &[1.0],
                };
                for power in (first..=last).filter(|power| power.rem_euclid(every) == 0) {
                    ticks.extend(within.iter().map(|f| f * 10f64.powi(power)));
                }
                ticks.retain(|t| *t >= self.low * (1.0 - 1e-9) && *t <= self.high * (1.0 + 1e-9));
            }
        }
        ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_axis_has_round_ends_and_steps() {
        let range = Axis::new("", Scale::Linear).range([3.0, 97.0].into_iter());
        assert_eq!(range.ticks(), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!((range.place(0.0), range.place(50.0)), (Some(0.0), Some(0.5)));
    }

    #[test]
    fn a_logarithmic_axis_has_decades() {
        let range = Axis::new("", Scale::Log).range([1.0, 1e6].into_iter());
        assert_eq!(range.ticks(), [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6]);
        assert!((range.place(1e3).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(range.place(0.0), None);
        let narrow = Axis::new("", Scale::Log).range([1.0, 8.0].into_iter());
        assert!(narrow.ticks().len() >= 4, "{:?}", narrow.ticks());
    }

    #[test]
    fn nothing_and_one_value_have_a_range_too() {
        for scale in [Scale::Linear, Scale::Log] {
            for values in
                [vec![], vec![f64::NAN], vec![5.0], vec![0.0], vec![-1.0, -1.0], vec![1e300, 1e-300]]
            {
                let range = Axis::new("", scale).range(values.clone().into_iter());
                assert!(range.high > range.low, "{scale:?} {values:?} {range:?}");
                let ticks = range.ticks();
                assert!(ticks.len() <= 30 && ticks.windows(2).all(|w| w[0] < w[1]), "{values:?} {ticks:?}");
            }
        }
    }
}
