//! Figures for people: few digits, the right unit, never an exponent.

/// `value` with about three significant digits: `0.0123`, `1.23`, `12.3`, `123`, `12345`.
pub fn figure(value: f64) -> String {
    significant(value, 3)
}

/// `value` with `digits` significant digits, none of the whole part cut and no zeros at the end of a fraction.
pub fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return if value.is_nan() {
            "-".to_owned()
        } else if value > 0.0 {
            "∞".to_owned()
        } else {
            "-∞".to_owned()
        };
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let decimals = |v: f64| (digits as i32 - 1 - v.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let first = format!("{value:.*}", decimals(value));
    // 9.996 rounds up to 10.00, which has one digit too many.
    let rounded: f64 = first.parse().unwrap_or(value);
    let text = if rounded == 0.0 { first } else { format!("{value:.*}", decimals(rounded)) };
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A ratio such as a slowdown, always with two decimals below 100: `1.00`, `12.34`, `123`.
pub fn ratio(value: f64) -> String {
    match value {
        v if !v.is_finite() => significant(v, 3),
        v if v.abs() < 99.995 => format!("{v:.2}"),
        v if v.abs() < 999.95 => format!("{v:.1}"),
        v => count(v.round() as u64),
    }
}

/// A whole number with a comma for each thousand: `1,234,567`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things and their name, in the plural where it belongs: `1 flow`, `2 flows`.
pub fn counted(value: u64, thing: &str) -> String {
    let plural = if value == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", count(value))
}

/// A share from 0 to 1 as per cent: `0 %`, `0.004 %`, `12.3 %`.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p != 0.0 && p.abs() < 0.001 => "<0.001 %".to_owned(),
        p if p.abs() >= 10.0 => format!("{} %", significant(p, 3)),
        p => format!("{} %", significant(p, 2)),
    }
}

/// A change as per cent, with its sign: `+12.3 %`, `-0.5 %`, `same`; from elevenfold on as a factor: `×51.8`.
pub fn change(share: f64) -> String {
    match share * 100.0 {
        0.0 => "same".to_owned(),
        p if p.abs() < 0.005 => format!("{}0.01 %", if p > 0.0 { "<+" } else { ">-" }),
        p if p.abs() < 10.0 => format!("{p:+.2} %"),
        p if p.abs() < 1000.0 => format!("{p:+.1} %"),
        _ => format!("×{}", significant(share + 1.0, 3)),
    }
}

fn scaled(value: f64, digits: usize, units: &[(f64, &str)]) -> String {
    let mut pick = units.len() - 1;
    for (i, (scale, _)) in units.iter().enumerate() {
        // Half a unit of the last digit below the next unit is the next unit: 999.96 KB is 1 MB.
        let limit = scale * (1.0 - 0.5 / 10f64.powi(digits as i32));
        if value.abs() >= limit {
            pick = i;
            break;
        }
    }
    let (scale, unit) = units[pick];
    format!("{} {unit}", significant(value / scale, digits))
}

/// A size in decimal units, as queues are counted: `1.25 MB`, `64 B`.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [(f64, &str); 5] = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1.0, "B")];
    scaled(bytes as f64, 3, &UNITS)
}

/// A length of time given in picoseconds: `12.3 us`, `1.234 ms`.
pub fn span(ps: u64) -> String {
    const UNITS: [(f64, &str); 5] = [(1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns"), (1.0, "ps")];
    if ps == 0 { "0 s".to_owned() } else { scaled(ps as f64, 4, &UNITS) }
}

/// Seconds of a clock on the wall: `45 ms`, `1.23 s`, `2 min 5 s`.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() || s < 0.0 => "-".to_owned(),
        s if s < 0.0995 => format!("{} ms", significant(s * 1e3, 2)),
        s if s < 99.5 => format!("{} s", significant(s, 3)),
        s => {
            let whole = s.round() as u64;
            match whole / 3600 {
                0 => format!("{} min {} s", whole / 60, whole % 60),
                hours => format!("{hours} h {} min", whole % 3600 / 60),
            }
        }
    }
}

/// A rate in bits a second: `94.2 Gb/s`, `1.6 Tb/s`.
pub fn rate(bps: f64) -> String {
    const UNITS: [(f64, &str); 5] =
        [(1e12, "Tb/s"), (1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "Kb/s"), (1.0, "b/s")];
    if bps == 0.0 { "0 b/s".to_owned() } else { scaled(bps, 3, &UNITS) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_few_digits() {
        for (value, text) in [
            (0.0, "0"),
            (0.012345, "0.0123"),
            (1.0, "1"),
            (1.2345, "1.23"),
            (9.996, "10"),
            (12.345, "12.3"),
            (123.45, "123"),
            (12345.6, "12346"),
            (-1.5, "-1.5"),
            (f64::NAN, "-"),
            (f64::INFINITY, "∞"),
        ] {
            assert_eq!(figure(value), text, "{value}");
        }
    }

    #[test]
    fn units_change_where_the_digits_run_out() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_250_000), "1.25 MB");
        assert_eq!(bytes(999_960), "1 MB");
        assert_eq!(span(0), "0 s");
        assert_eq!(span(12_345_678), "12.35 us");
        assert_eq!(span(1_000_000_000_000), "1 s");
        assert_eq!(rate(94.234e9), "94.2 Gb/s");
        assert_eq!(rate(1.6e12), "1.6 Tb/s");
        assert_eq!(rate(0.0), "0 b/s");
    }

    #[test]
    fn shares_and_changes() {
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.000_000_1), "<0.001 %");
        assert_eq!(percent(0.1234), "12.3 %");
        assert_eq!(percent(0.2), "20 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(change(0.0), "same");
        assert_eq!(change(0.123), "+12.3 %");
        assert_eq!(change(-0.005), "-0.50 %");
        assert_eq!(change(0.000_01), "<+0.01 %");
        assert_eq!(change(50.8), "×51.8");
    }

    #[test]
    fn counts_ratios_seconds() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(12), "12");
        assert_eq!((counted(1, "flow"), counted(1200, "flow")), ("1 flow".into(), "1,200 flows".into()));
        assert_eq!(
            (ratio(1.0), ratio(12.345), ratio(123.45)),
            ("1.00".into(), "12.35".into(), "123.5".into())
        );
        assert_eq!(ratio(12_345.0), "12,345");
        assert_eq!(
            (seconds(0.0451), seconds(1.234), seconds(125.0)),
            ("45 ms".into(), "1.23 s".into(), "2 min 5 s".into())
        );
        assert_eq!(seconds(7300.0), "2 h 1 min");
    }
}
