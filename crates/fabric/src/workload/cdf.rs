//! Distributions of message sizes, linear between points, as the field's traffic generators have them.

use crate::Stream;
use std::fmt;

/// A distribution of sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Cdf {
    /// Its name, or the file that it came from.
    pub name: String,
    /// Size in bytes and share of messages that are no larger, 0 to 1, both ascending; the last share is 1.
    points: Vec<(f64, f64)>,
}

/// Why a text is no distribution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct CdfError {
    /// Line, from 1.
    pub line: u32,
    /// What is wrong.
    pub problem: CdfProblem,
}

/// What is wrong with a line of a distribution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CdfProblem {
    /// Not two numbers.
    #[error("`{0}` is not a size in bytes and a percentage")]
    NotTwoNumbers(String),
    /// A size or percentage below that of the line before.
    #[error("sizes and percentages must not fall from line to line")]
    Falls,
    /// A percentage out of 0 to 100, or a size too large.
    #[error("the percentage must be from 0 to 100 and the size from 0 to 2^50 bytes")]
    OutOfRange,
    /// The last percentage is not 100.
    #[error("the last percentage is {0}, and must be 100; is the file cut short?")]
    NotComplete(String),
}

/// Distributions that are built in: word and text.
const BUILT_IN: [(&str, &str); 5] = [
    ("web-search", include_str!("../../data/web-search.txt")),
    ("fb-hadoop", include_str!("../../data/fb-hadoop.txt")),
    ("ali-storage", include_str!("../../data/ali-storage.txt")),
    ("google-rpc", include_str!("../../data/google-rpc.txt")),
    ("solar", include_str!("../../data/solar.txt")),
];

const MAX_SIZE: f64 = (1u64 << 50) as f64;

impl Cdf {
    /// Names of the distributions that are built in: WebSearch (DCTCP paper), FB Hadoop, AliStorage 2019, Google RPC
    /// 2008, Solar 2022.
    pub fn built_in_names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// A distribution that is built in.
    pub fn built_in(name: &str) -> Option<Cdf> {
        let (name, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        Cdf::parse(name, text).ok()
    }

    /// Reads lines of size in bytes and percentage, as the HPCC traffic generator does. Empty lines and what follows
    /// `#` are skipped.
    pub fn parse(name: &str, text: &str) -> Result<Cdf, CdfError> {
        let mut points: Vec<(f64, f64)> = Vec::new();
        let mut last = (0, "0".to_owned());
        for (line, text) in (1..).zip(text.lines()) {
            let error = |problem| CdfError { line, problem };
            let text = text.split('#').next().unwrap_or_default();
            let mut fields = text.split([' ', '\t', ',']).filter(|field| !field.is_empty());
            let Some(size) = fields.next() else { continue };
            let (size, percent): (f64, f64) =
                match (size.parse(), fields.next().map(str::parse), fields.next()) {
                    (Ok(size), Some(Ok(percent)), None) => (size, percent),
                    _ => return Err(error(CdfProblem::NotTwoNumbers(text.trim().to_owned()))),
                };
            if !(0.0..=MAX_SIZE).contains(&size) || !(0.0..=100.0).contains(&percent) {
                return Err(error(CdfProblem::OutOfRange));
            }
            let share = percent / 100.0;
            if points.last().is_some_and(|(last_size, last)| size < *last_size || share < *last) {
                return Err(error(CdfProblem::Falls));
            }
            points.push((size, share));
            last = (line, percent.to_string());
        }
        match points.last() {
            Some((_, 1.0)) => Ok(Cdf { name: name.to_owned(), points }),
            _ => Err(CdfError { line: last.0.max(1), problem: CdfProblem::NotComplete(last.1) }),
        }
    }

    /// Mean size in bytes.
    pub fn mean(&self) -> f64 {
        self.segments().map(|((x0, p0), (x1, p1))| (p1 - p0) * (x0 + x1) / 2.0).sum()
    }

    /// Squared coefficient of variation: variance over the square of the mean.
    pub fn squared_variation(&self) -> f64 {
        let mean = self.mean();
        let square: f64 =
            self.segments().map(|((x0, p0), (x1, p1))| (p1 - p0) * (x0 * x0 + x0 * x1 + x1 * x1) / 3.0).sum();
        square / (mean * mean) - 1.0
    }

    /// Share of messages of at most `size` bytes.
    pub fn share_up_to(&self, size: f64) -> f64 {
        match self.points.partition_point(|(x, _)| *x <= size) {
            0 => 0.0,
            i if i == self.points.len() => 1.0,
            i => {
                let ((x0, p0), (x1, p1)) = (self.points[i - 1], self.points[i]);
                p0 + (p1 - p0) * (size - x0) / (x1 - x0)
            }
        }
    }

    /// The size below which a share `u` of messages lies, in whole bytes and at least 1.
    pub fn quantile(&self, u: f64) -> u64 {
        let i = self.points.partition_point(|(_, p)| *p < u);
        let (x1, p1) = self.points.get(i).or(self.points.last()).copied().unwrap_or((1.0, 1.0));
        let size = match i.checked_sub(1).and_then(|i| self.points.get(i)) {
            Some((x0, p0)) if p1 > *p0 => x0 + (x1 - x0) * (u - p0) / (p1 - p0),
            _ => x1,
        };
        (size.round() as u64).max(1)
    }

    /// A size by chance.
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        self.quantile(stream.unit())
    }

    /// Neighbouring points; what lies below the first point has its size.
    fn segments(&self) -> impl Iterator<Item = ((f64, f64), (f64, f64))> + '_ {
        let first = self.points.first().map(|(x, _)| (*x, 0.0));
        let before = first.into_iter().chain(self.points.iter().copied());
        before.zip(self.points.iter().copied())
    }
}

impl fmt::Display for Cdf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means, variations and quantiles that were computed from the published tables by others.
    #[test]
    fn published_distributions_have_their_published_means() {
        for (name, mean, variation) in [
            ("web-search", 1_711_250.0, Some(5.37)),
            ("fb-hadoop", 120_421.0, Some(30.9)),
            ("ali-storage", 40_870.0, None),
            ("google-rpc", 2_892.0, None),
            ("solar", 39_424.0, None),
        ] {
            let cdf = Cdf::built_in(name).unwrap();
            assert!((cdf.mean() - mean).abs() <= 0.5, "{name}: {}", cdf.mean());
            if let Some(variation) = variation {
                assert!(
                    (cdf.squared_variation() / variation - 1.0).abs() < 2e-3,
                    "{}",
                    cdf.squared_variation()
                );
            }
        }
        let web = Cdf::built_in("web-search").unwrap();
        assert_eq!(web.quantile(0.5), 73_077);
        assert!((web.quantile(0.99) as f64 / 23.3e6 - 1.0).abs() < 2e-3);
        let google = Cdf::built_in("google-rpc").unwrap();
        for (size, percent) in [(3.0, 6.49), (256.0, 49.79), (1024.0, 86.32), (8192.0, 96.43)] {
            assert!((google.share_up_to(size) * 100.0 - percent).abs() < 0.01);
        }
    }

    /// Kolmogorov-Smirnov: the largest gap between drawn and wanted distribution, against the 1% critical value.
    #[test]
    fn drawn_sizes_follow_the_distribution() {
        for name in Cdf::built_in_names() {
            let cdf = Cdf::built_in(name).unwrap();
            let mut stream = Stream::new(11, name);
            let n = 100_000;
            let mut sizes: Vec<u64> = (0..n).map(|_| cdf.draw(&mut stream)).collect();
            sizes.sort_unstable();
            let mut gap = 0.0f64;
            let mut i = 0;
            while i < sizes.len() {
                let size = sizes[i];
                let up_to = sizes.partition_point(|x| *x <= size);
                // Sizes are rounded to whole bytes, so that all mass up to half a byte more counts.
                let wanted = cdf.share_up_to(size as f64 + 0.5);
                gap = gap.max((up_to as f64 / n as f64 - wanted).abs());
                i = up_to;
            }
            assert!(gap < 1.628 / (n as f64).sqrt(), "{name}: {gap}");
        }
    }

    #[test]
    fn a_broken_table_is_refused_with_its_line() {
        let error = |text| Cdf::parse("x", text).unwrap_err();
        assert_eq!(
            error("0 0\n10 x\n"),
            CdfError { line: 2, problem: CdfProblem::NotTwoNumbers("10 x".into()) }
        );
        assert_eq!(error("0 0\n\n10 50\n9 100").problem, CdfProblem::Falls);
        assert_eq!(
            error("0 0\n10 50\n"),
            CdfError { line: 2, problem: CdfProblem::NotComplete("50".into()) }
        );
        assert_eq!(error("10 101").problem, CdfProblem::OutOfRange);
        assert!(matches!(error("").problem, CdfProblem::NotComplete(_)));
        assert!(Cdf::parse("x", "# a step\n1000 100").is_ok_and(|cdf| cdf.mean() == 1000.0));
    }
}
