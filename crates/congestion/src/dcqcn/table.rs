//! The parameters as data: names, units, ranges, defaults. For a command line, a report, a tuner, and for
//! [`DcqcnParams::check`].

use super::params::{ClampTarget, DcqcnParams, FirstCnp};
use std::fmt;
use weir_units::{Bytes, Rate, Span};

/// A value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A share, a gain or a count.
    Number(f64),
    /// A time.
    Time(Span),
    /// A rate.
    Rate(Rate),
    /// A size.
    Bytes(Bytes),
    /// Switched off, or left alone.
    Off,
    /// One of a few choices.
    Choice(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Time(span) => span.fmt(f),
            Value::Rate(rate) => rate.fmt(f),
            Value::Bytes(bytes) => bytes.fmt(f),
            Value::Off => f.pad("off"),
            Value::Choice(choice) => f.pad(choice),
        }
    }
}

impl Value {
    /// As a number in the base unit: picoseconds, bits a second, bytes. `None` for what has none.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Time(span) => Some(span.as_ps() as f64),
            Value::Rate(rate) => Some(rate.as_bps() as f64),
            Value::Bytes(bytes) => Some(bytes.get() as f64),
            Value::Off | Value::Choice(_) => None,
        }
    }
}

/// One parameter of the reaction point.
pub struct Parameter {
    /// Its field of [`DcqcnParams`].
    pub field: &'static str,
    /// Its symbol in the DCQCN paper, if it has one there.
    pub paper: Option<&'static str>,
    /// Its name among mlx5's `cc_params` (reaction point), if it has one there.
    pub mlx5: Option<&'static str>,
    /// The unit of mlx5's number.
    pub mlx5_unit: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// The smallest and the largest value that make sense; of what has a number.
    pub range: Option<(Value, Value)>,
    /// The value in a set of parameters.
    pub get: fn(&DcqcnParams) -> Value,
    /// mlx5's number for the value in a set of parameters.
    pub to_mlx5: Option<fn(&DcqcnParams) -> u64>,
}

impl fmt::Debug for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parameter")
            .field("field", &self.field)
            .field("mlx5", &self.mlx5)
            .finish_non_exhaustive()
    }
}

impl Parameter {
    /// The value in [`DcqcnParams::paper`].
    pub fn paper_default(&self) -> Value {
        (self.get)(&DcqcnParams::paper())
    }

    /// The value in [`DcqcnParams::firmware`].
    pub fn firmware_default(&self) -> Value {
        (self.get)(&DcqcnParams::firmware())
    }
}

const fn share(low: f64, high: f64) -> Option<(Value, Value)> {
    Some((Value::Number(low), Value::Number(high)))
}

const fn times(low: Span, high: Span) -> Option<(Value, Value)> {
    Some((Value::Time(low), Value::Time(high)))
}

const fn rates(high: Rate) -> Option<(Value, Value)> {
    Some((Value::Rate(Rate::ZERO), Value::Rate(high)))
}

fn of_1024(value: f64) -> u64 {
    (1024.0 * value).round() as u64
}

fn mbps(rate: Rate) -> u64 {
    rate.as_bps() / 1_000_000
}

/// 64 bytes, the unit of mlx5's byte counter by inference: documents differ on it.
const MLX5_BYTE_UNIT: u64 = 64;

/// Every parameter of the reaction point.
pub static PARAMETERS: &[Parameter] = &[
    Parameter {
        field: "g",
        paper: Some("g"),
        mlx5: Some("dce_tcp_g"),
        mlx5_unit: "1024 (1 - g)",
        meaning: "gain of alpha",
        range: share(0.0, 1.0),
        get: |p| Value::Number(p.g),
        to_mlx5: Some(|p| of_1024(1.0 - p.g)),
    },
    Parameter {
        field: "initial_alpha",
        paper: Some("alpha_0"),
        mlx5: Some("initial_alpha_value"),
        mlx5_unit: "of 1024, at most 1023",
        meaning: "alpha at a flow's first CNP",
        range: share(0.0, 1.0),
        get: |p| Value::Number(p.initial_alpha),
        to_mlx5: Some(|p| of_1024(p.initial_alpha).min(1023)),
    },
    Parameter {
        field: "alpha_interval",
        paper: Some("K"),
        mlx5: Some("dce_tcp_rtt"),
        mlx5_unit: "us",
        meaning: "alpha's period: how often it decays without a CNP",
        range: times(Span::from_ns(100), Span::from_ms(131)),
        get: |p| Value::Time(p.alpha_interval),
        to_mlx5: Some(|p| p.alpha_interval / Span::from_us(1)),
    },
    Parameter {
        field: "decrease_interval",
        paper: None,
        mlx5: Some("rate_reduce_monitor_period"),
        mlx5_unit: "us",
        meaning: "shortest time between decreases (firmware's form; the paper's is the CNP interval)",
        range: times(Span::ZERO, Span::from_ms(65)),
        get: |p| Value::Time(p.decrease_interval),
        to_mlx5: Some(|p| p.decrease_interval / Span::from_us(1)),
    },
    Parameter {
        field: "decrease_offset",
        paper: None,
        mlx5: None,
        mlx5_unit: "",
        meaning: "how much later the first cut window ends (1 ns in the ns-3 simulators)",
        range: times(Span::ZERO, Span::from_us(1)),
        get: |p| Value::Time(p.decrease_offset),
        to_mlx5: None,
    },
    Parameter {
        field: "increase_interval",
        paper: Some("T"),
        mlx5: Some("rpg_time_reset"),
        mlx5_unit: "us",
        meaning: "increase timer",
        range: times(Span::from_us(1), Span::from_ms(131)),
        get: |p| Value::Time(p.increase_interval),
        to_mlx5: Some(|p| p.increase_interval / Span::from_us(1)),
    },
    Parameter {
        field: "byte_counter",
        paper: Some("B"),
        mlx5: Some("rpg_byte_reset"),
        mlx5_unit: "64 bytes (inferred)",
        meaning: "bytes sent between increases by the byte counter",
        range: Some((Value::Bytes(Bytes::new(64)), Value::Bytes(Bytes::from_mib(1024)))),
        get: |p| p.byte_counter.map_or(Value::Off, |bytes| Value::Bytes(Bytes::new(bytes))),
        to_mlx5: Some(|p| p.byte_counter.unwrap_or(0) / MLX5_BYTE_UNIT),
    },
    Parameter {
        field: "recovery_rounds",
        paper: Some("F"),
        mlx5: Some("rpg_threshold"),
        mlx5_unit: "rounds",
        meaning: "rounds of fast recovery before the target rises",
        range: share(1.0, 31.0),
        get: |p| Value::Number(f64::from(p.recovery_rounds)),
        to_mlx5: Some(|p| u64::from(p.recovery_rounds)),
    },
    Parameter {
        field: "r_ai",
        paper: Some("R_AI"),
        mlx5: Some("rpg_ai_rate"),
        mlx5_unit: "Mb/s",
        meaning: "step of the target in additive increase",
        range: rates(Rate::from_gbps(100)),
        get: |p| Value::Rate(p.r_ai),
        to_mlx5: Some(|p| mbps(p.r_ai)),
    },
    Parameter {
        field: "r_hai",
        paper: Some("R_HAI"),
        mlx5: Some("rpg_hai_rate"),
        mlx5_unit: "Mb/s",
        meaning: "step of the target in hyper increase",
        range: rates(Rate::from_gbps(100)),
        get: |p| Value::Rate(p.r_hai),
        to_mlx5: Some(|p| mbps(p.r_hai)),
    },
    Parameter {
        field: "min_dec_fac",
        paper: None,
        mlx5: Some("rpg_min_dec_fac"),
        mlx5_unit: "%",
        meaning: "smallest share of the rate that one decrease leaves",
        range: share(0.0, 1.0),
        get: |p| Value::Number(p.min_dec_fac),
        to_mlx5: Some(|p| (100.0 * p.min_dec_fac).round() as u64),
    },
    Parameter {
        field: "min_rate",
        paper: None,
        mlx5: Some("rpg_min_rate"),
        mlx5_unit: "Mb/s",
        meaning: "floor of the rate; times the number of flows into one port it must stay under the port's rate",
        range: Some((Value::Rate(Rate::from_bps(1)), Value::Rate(Rate::from_gbps(1600)))),
        get: |p| Value::Rate(p.min_rate),
        to_mlx5: Some(|p| mbps(p.min_rate)),
    },
    Parameter {
        field: "max_rate",
        paper: None,
        mlx5: Some("rpg_max_rate"),
        mlx5_unit: "Mb/s, 0 for the line's",
        meaning: "ceiling of the rate; off for the line's",
        range: Some((Value::Rate(Rate::from_bps(1)), Value::Rate(Rate::from_gbps(1600)))),
        get: |p| if p.max_rate == Rate::ZERO { Value::Off } else { Value::Rate(p.max_rate) },
        to_mlx5: Some(|p| mbps(p.max_rate)),
    },
    Parameter {
        field: "clamp",
        paper: None,
        mlx5: Some("clamp_tgt_rate"),
        mlx5_unit: "0 or 1",
        meaning: "at which decreases the target falls to the rate before them",
        range: None,
        get: |p| Value::Choice(clamp_name(p.clamp)),
        to_mlx5: Some(|p| u64::from(p.clamp == ClampTarget::Always)),
    },
    Parameter {
        field: "clamp",
        paper: None,
        mlx5: Some("clamp_tgt_rate_after_time_inc"),
        mlx5_unit: "0 or 1",
        meaning: "the same, after an increase by the timer",
        range: None,
        get: |p| Value::Choice(clamp_name(p.clamp)),
        to_mlx5: Some(|p| u64::from(p.clamp != ClampTarget::AfterByteIncrease)),
    },
    Parameter {
        field: "rate_on_first_cnp",
        paper: None,
        mlx5: Some("rate_to_set_on_first_cnp"),
        mlx5_unit: "Mb/s, 0 to keep",
        meaning: "rate to go to at a flow's first CNP, before it decreases",
        range: None,
        get: |p| match p.rate_on_first_cnp {
            FirstCnp::Keep => Value::Off,
            FirstCnp::Rate(rate) => Value::Rate(rate),
            FirstCnp::Share(share) => Value::Number(share),
        },
        to_mlx5: Some(|p| match p.rate_on_first_cnp {
            FirstCnp::Rate(rate) => mbps(rate),
            FirstCnp::Keep | FirstCnp::Share(_) => 0,
        }),
    },
];

fn clamp_name(clamp: ClampTarget) -> &'static str {
    match clamp {
        ClampTarget::Always => "always",
        ClampTarget::AfterIncrease => "after an increase",
        ClampTarget::AfterByteIncrease => "after an increase by bytes",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The firmware's numbers, as public `mlxconfig` dumps show them.
    #[test]
    fn firmware_defaults_are_those_of_the_dumps() {
        let dump = [
            ("clamp_tgt_rate_after_time_inc", 1),
            ("clamp_tgt_rate", 0),
            ("rpg_time_reset", 300),
            ("rpg_byte_reset", 32767),
            ("rpg_threshold", 1),
            ("rpg_max_rate", 0),
            ("rpg_ai_rate", 5),
            ("rpg_hai_rate", 50),
            ("rpg_min_dec_fac", 50),
            ("rpg_min_rate", 1),
            ("rate_to_set_on_first_cnp", 0),
            ("dce_tcp_g", 1019),
            ("dce_tcp_rtt", 1),
            ("rate_reduce_monitor_period", 4),
            ("initial_alpha_value", 1023),
        ];
        let firmware = DcqcnParams::firmware();
        for (name, wanted) in dump {
            let parameter = PARAMETERS.iter().find(|parameter| parameter.mlx5 == Some(name));
            let found = parameter.and_then(|parameter| parameter.to_mlx5).map(|to| to(&firmware));
            assert_eq!(found, Some(wanted), "{name}");
        }
        assert_eq!(PARAMETERS.iter().filter(|parameter| parameter.mlx5.is_some()).count(), dump.len());
    }

    #[test]
    fn the_papers_names_and_values() {
        let shown: Vec<String> = PARAMETERS
            .iter()
            .filter_map(|parameter| Some(format!("{} {}", parameter.paper?, parameter.paper_default())))
            .collect();
        assert_eq!(
            shown,
            [
                "g 0.00390625",
                "alpha_0 1",
                "K 55 us",
                "T 55 us",
                "B 10 MB",
                "F 5",
                "R_AI 40 Mb/s",
                "R_HAI 400 Mb/s"
            ]
        );
    }

    /// Steps in proportion to the line, as the artefacts' scripts compute them.
    #[test]
    fn presets_by_line_rate() {
        let mbps = |rate: Rate| rate.as_bps() / 1_000_000;
        for (gbps, ai, hai) in [(25, 5, 50), (100, 20, 200), (400, 80, 800)] {
            let params = DcqcnParams::hpcc_sim(Rate::from_gbps(gbps));
            assert_eq!((mbps(params.r_ai), mbps(params.r_hai)), (ai, hai));
        }
        let conweave = DcqcnParams::conweave(Rate::from_gbps(100));
        assert_eq!((mbps(conweave.r_ai), mbps(conweave.r_hai), mbps(conweave.min_rate)), (40, 100, 100));
        let simai = DcqcnParams::simai();
        assert_eq!(
            (mbps(simai.r_ai), mbps(simai.r_hai), simai.increase_interval),
            (50, 100, Span::from_us(900))
        );
        let timers = DcqcnParams::hpcc_paper_timers(Rate::from_gbps(100));
        assert_eq!((timers.alpha_interval, timers.decrease_interval), (Span::from_us(50), Span::from_us(50)));
    }
}
