//! Pictures one line high.

const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// At most `width` values: the largest of each stretch, so that no peak is lost.
pub fn peaks(values: &[u64], width: usize) -> Vec<u64> {
    let width = width.min(values.len());
    (0..width)
        .map(|i| {
            let (from, to) = (i * values.len() / width, (i + 1) * values.len() / width);
            values[from..to].iter().copied().max().unwrap_or(0)
        })
        .collect()
}

/// The course of values in at most `width` characters. Zero is a space, anything above it at least the lowest block;
/// the full block is `top`, or the largest value where that is above it.
pub fn sparkline(values: &[u64], width: usize, top: u64) -> String {
    let values = peaks(values, width);
    let top = values.iter().copied().max().unwrap_or(0).max(top).max(1);
    let level = |value: u64| match value {
        0 => ' ',
        _ => LEVELS[(u128::from(value) * 8).div_ceil(u128::from(top)).clamp(1, 8) as usize - 1],
    };
    values.into_iter().map(level).collect()
}

/// A share from 0 to 1 as a bar of exactly `width` characters, exact to an eighth of one.
pub fn bar(share: f64, width: usize) -> String {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let eighths = (share * width as f64 * 8.0).round() as usize;
    let mut text: String = std::iter::repeat_n('█', eighths / 8).collect();
    if eighths / 8 < width {
        text.push(EIGHTHS[eighths % 8]);
        text.extend(std::iter::repeat_n(' ', width - eighths / 8 - 1));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_from_nothing_to_full() {
        assert_eq!(sparkline(&[0, 1, 50, 100], 10, 0), " ▁▄█");
        assert_eq!(sparkline(&[0, 0], 10, 0), "  ");
        assert_eq!(sparkline(&[], 10, 0), "");
        assert_eq!(sparkline(&[50], 10, 100), "▄");
        assert_eq!(sparkline(&[u64::MAX], 1, 0), "█");
    }

    #[test]
    fn no_peak_is_lost() {
        let mut values = vec![1; 1000];
        values[777] = 9;
        let few = peaks(&values, 10);
        assert_eq!((few.len(), few[7], few[6]), (10, 9, 1));
        assert!(peaks(&[], 10).is_empty() && peaks(&[1], 0).is_empty());
    }

    #[test]
    fn a_bar_has_its_width() {
        for (share, text) in
            [(0.0, "    "), (0.5, "██  "), (1.0, "████"), (0.53, "██▏ "), (7.0, "████"), (f64::NAN, "    ")]
        {
            assert_eq!(bar(share, 4), text, "{share}");
        }
        assert_eq!(bar(0.5, 0), "");
    }
}
