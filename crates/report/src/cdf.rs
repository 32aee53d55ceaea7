//! Samples as points of a distribution.

/// The empirical distribution of samples as at most `points` points `(value, share of samples not above it)`, from
/// the smallest to the largest sample. Samples that are no numbers are left out.
pub fn cdf(samples: impl IntoIterator<Item = f64>, points: usize) -> Vec<(f64, f64)> {
    let sorted = sorted(samples);
    let n = sorted.len();
    let last_of_equals = |i: usize| i + 1 == n || sorted[i + 1] != sorted[i];
    let all: Vec<(f64, f64)> =
        (0..n).filter(|&i| last_of_equals(i)).map(|i| (sorted[i], (i + 1) as f64 / n as f64)).collect();
    thinned(all, points)
}

/// The tail of the distribution as at most `points` points `(value, share of samples above it)`: what a chart with a
/// logarithmic share shows 99.9 % on. The largest sample, above which there is nothing, is left out. Points are
/// evenly spread over the logarithm of the share.
pub fn tail(samples: impl IntoIterator<Item = f64>, points: usize) -> Vec<(f64, f64)> {
    let sorted = sorted(samples);
    let n = sorted.len();
    let mut out: Vec<(f64, f64)> = Vec::new();
    for k in 0..points {
        // Shares from 1 - 1/n down to 1/n.
        let share = (n as f64).powf(-(k as f64) / (points.max(2) - 1) as f64);
        let above = ((share * n as f64).round() as usize).min(n.saturating_sub(1));
        if above == 0 || n < 2 {
            break;
        }
        let value = sorted[n - above - 1];
        let truly_above = n - sorted.partition_point(|sample| *sample <= value);
        let point = (value, truly_above as f64 / n as f64);
        if truly_above > 0 && out.last().is_none_or(|last| *last != point) {
            out.push(point);
        }
    }
    out
}

fn sorted(samples: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut samples: Vec<f64> = samples.into_iter().filter(|sample| !sample.is_nan()).collect();
    samples.sort_by(f64::total_cmp);
    samples
}

/// At most `points` of them, first and last kept.
fn thinned(all: Vec<(f64, f64)>, points: usize) -> Vec<(f64, f64)> {
    if all.len() <= points || points < 2 {
        return all;
    }
    (0..points).map(|i| all[i * (all.len() - 1) / (points - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_samples_not_above() {
        assert_eq!(cdf([3.0, 1.0, 1.0, f64::NAN, 2.0], 10), [(1.0, 0.5), (2.0, 0.75), (3.0, 1.0)]);
        assert!(cdf([], 10).is_empty());
        let many = cdf((0..10_000).map(f64::from), 100);
        assert_eq!((many.len(), many[0].0, many[99]), (100, 0.0, (9_999.0, 1.0)));
    }

    #[test]
    fn the_tail_reaches_the_rare() {
        let points = tail((1..=1000).map(f64::from), 31);
        assert!(points.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 > w[1].1), "{points:?}");
        assert_eq!(points.last(), Some(&(999.0, 0.001)));
        let at = |share: f64| points.iter().find(|p| (p.1 / share - 1.0).abs() < 0.02).map(|p| p.0);
        assert!(at(0.1).is_some_and(|value| (value - 900.0).abs() <= 2.0), "{points:?}");
        assert!(tail([1.0], 10).is_empty() && tail([], 10).is_empty() && tail([1.0, 1.0], 10).is_empty());
    }
}
