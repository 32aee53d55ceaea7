//! `[control]`: parameters under the papers' names and mlx5's.

use super::table::Table;
use super::value::{Read, Word, unknown_word};
use crate::Keyword;
use crate::control::{
    Algorithm, Changes, Clamp, ControlSpec, DcqcnChanges, DcqcnVariant, DctcpChanges, HpccChanges, Preset,
    Segment, SwiftChanges, TimelyChanges,
};
use weir_congestion::{ControlParams, Variant};
use weir_units::{Bytes, Rate, Span};

/// A key under its own name and mlx5's.
type Pair = [&'static str; 2];

fn either<T: Read>(t: &Table<'_>, [own, mlx5]: Pair) -> Option<T> {
    t.only_one(&[own, mlx5]);
    t.opt(own).or(t.opt(mlx5))
}

const INTERVALS: [Pair; 3] = [
    ["alpha_interval", "dce_tcp_rtt"],
    ["decrease_interval", "rate_reduce_monitor_period"],
    ["increase_interval", "rpg_time_reset"],
];
const RATES: [Pair; 5] = [
    ["r_ai", "rpg_ai_rate"],
    ["r_hai", "rpg_hai_rate"],
    ["min_rate", "rpg_min_rate"],
    ["max_rate", "rpg_max_rate"],
    ["rate_on_first_cnp", "rate_to_set_on_first_cnp"],
];
/// The key under which a DCQCN parameter is written in a table: its own, or mlx5's.
pub(super) fn written_as(t: &Table<'_>, field: &'static str) -> &'static str {
    const OTHERS: [Pair; 5] = [
        ["g", "dce_tcp_g"],
        ["initial_alpha", "initial_alpha_value"],
        ["byte_counter", "rpg_byte_reset"],
        ["recovery_rounds", "rpg_threshold"],
        ["min_dec_fac", "rpg_min_dec_fac"],
    ];
    let mut pairs = INTERVALS.iter().chain(&RATES).chain(&OTHERS);
    match pairs.find(|[own, mlx5]| *own == field && !t.has(own) && t.has(mlx5)) {
        Some([_, mlx5]) => mlx5,
        None => field,
    }
}

/// The keys of an algorithm.
fn keys(algorithm: Algorithm) -> &'static [&'static str] {
    match algorithm {
        Algorithm::None => &[],
        Algorithm::Dcqcn => &[
            "alpha_interval",
            "dce_tcp_rtt",
            "decrease_interval",
            "rate_reduce_monitor_period",
            "increase_interval",
            "rpg_time_reset",
            "r_ai",
            "rpg_ai_rate",
            "r_hai",
            "rpg_hai_rate",
            "min_rate",
            "rpg_min_rate",
            "max_rate",
            "rpg_max_rate",
            "rate_on_first_cnp",
            "rate_to_set_on_first_cnp",
            "g",
            "dce_tcp_g",
            "initial_alpha",
            "initial_alpha_value",
            "byte_counter",
            "rpg_byte_reset",
            "recovery_rounds",
            "rpg_threshold",
            "min_dec_fac",
            "rpg_min_dec_fac",
            "variant",
            "clamp",
            "share_on_first_cnp",
        ],
        Algorithm::Dctcp => &["g", "initial_alpha", "mss", "initial_window", "rate_step", "min_rate"],
        Algorithm::Timely => &[
            "alpha",
            "beta",
            "t_low",
            "t_high",
            "min_rtt",
            "delta",
            "delta_hai",
            "hai_after",
            "hai_below_t_low",
            "segment",
            "rtt_ref",
            "min_rate",
        ],
        Algorithm::Hpcc => &[
            "eta",
            "max_stage",
            "rate_ai",
            "min_rate",
            "window",
            "variable_window",
            "fast_react",
            "rate_per_hop",
            "sample_feedback",
            "int_multi",
        ],
        Algorithm::Swift => &[
            "ai",
            "beta",
            "max_mdf",
            "base_target",
            "per_hop",
            "hops",
            "queueing",
            "fs_range",
            "fs_min_cwnd",
            "fs_max_cwnd",
            "min_cwnd",
            "max_cwnd",
            "retx_reset_threshold",
        ],
    }
}

pub(super) fn control(t: Option<Table<'_>>) -> ControlSpec {
    let Some(t) = t else { return ControlSpec::default() };
    let enabled = t.or("enabled", true);
    let algorithm = t.word_or("algorithm", Algorithm::default());
    let preset = t.word_or("preset", Preset::default());
    let changes = match algorithm {
        Algorithm::None => Changes::None {},
        Algorithm::Dcqcn => Changes::Dcqcn(dcqcn(&t)),
        Algorithm::Dctcp => Changes::Dctcp(dctcp(&t)),
        Algorithm::Timely => Changes::Timely(timely(&t)),
        Algorithm::Hpcc => Changes::Hpcc(hpcc(&t)),
        Algorithm::Swift => Changes::Swift(swift(&t)),
    };
    let spec = ControlSpec { enabled, algorithm, preset, changes };
    if let Some(value) = t.get("preset").filter(|_| !algorithm.presets().contains(&preset)) {
        let known: Vec<&str> = algorithm.presets().iter().map(|preset| preset.word()).collect();
        unknown_word(&value, preset.word(), &format!("a preset of \"{algorithm}\""), &known);
    }
    idle(&t, &spec);
    t.finish();
    spec
}

/// Tells of keys that another algorithm has, or that nothing has while control is off.
fn idle(t: &Table<'_>, spec: &ControlSpec) {
    let own = keys(spec.algorithm);
    for (_, other) in Algorithm::ALL.iter().filter(|(_, other)| *other != spec.algorithm) {
        for key in keys(*other).iter().copied().filter(|key| !own.contains(key)) {
            let first = Algorithm::ALL.iter().find(|(_, algorithm)| keys(*algorithm).contains(&key));
            // A key of several algorithms is told of once.
            if t.get(key).is_some()
                && first.is_some_and(|(_, first)| first == other || *first == spec.algorithm)
            {
                let whose = format!(
                    "it is a parameter of \"{other}\", and `control.algorithm` is \"{}\"",
                    spec.algorithm
                );
                t.idle(key, &whose);
            }
        }
    }
    if !spec.enabled {
        for key in own.iter().copied().chain(["algorithm", "preset"]) {
            t.idle(key, "`control.enabled` is false");
        }
        return;
    }
    match &spec.changes {
        Changes::None {} => t.idle("preset", "`control.algorithm` is \"none\""),
        Changes::Dcqcn(_) => {
            let params = spec.params(Rate::from_gbps(100), Bytes::from_kib(1));
            if let ControlParams::Dcqcn(params) = params
                && params.variant == Variant::Paper
            {
                for key in INTERVALS[1] {
                    t.idle(
                        key,
                        "the paper's state machine cuts at every CNP; `nic.cnp_interval` spaces them",
                    );
                }
            }
        }
        Changes::Dctcp(changes) => {
            let rate_form = changes.rate_step.is_some() || spec.preset == Preset::HpccSim;
            match rate_form {
                true => t.idle("initial_window", "the rate form has no window"),
                false => {
                    t.idle("min_rate", "the window form has no rate; write `rate_step` for the rate form")
                }
            }
        }
        Changes::Swift(changes) if changes.queueing.is_some() => {
            for key in ["base_target", "per_hop", "hops"] {
                if t.has(key) {
                    t.error(
                        key,
                        format!(
                            "`control.{key}` belongs to the paper's target delay, and `queueing` to another"
                        ),
                        "remove one of them",
                    );
                }
            }
        }
        _ => {}
    }
}

fn share(t: &Table<'_>, key: &'static str) -> Option<f64> {
    t.get(key)?.number_in("a number from 0 to 1", |share| (0.0..=1.0).contains(&share))
}

fn positive(t: &Table<'_>, key: &'static str) -> Option<f64> {
    t.get(key)?.number_in("a number above 0", |number| number > 0.0 && number <= 1e9)
}

fn count(t: &Table<'_>, key: &'static str) -> Option<u32> {
    t.get(key)?.int(0..=1_000_000).map(|n| n as u32)
}

/// A time that cannot be zero.
fn time(t: &Table<'_>, key: &'static str) -> Option<Span> {
    let span: Span = t.opt(key)?;
    if span == Span::ZERO {
        t.error(key, format!("`control.{key}` is zero"), "write for example \"55 us\"");
    }
    Some(span)
}

/// A size that cannot be zero.
fn size(t: &Table<'_>, key: &'static str) -> Option<Bytes> {
    let bytes: Bytes = t.opt(key)?;
    if bytes == Bytes::ZERO {
        t.error(key, format!("`control.{key}` is zero"), "write for example \"64 KB\"");
    }
    Some(bytes)
}

fn dcqcn(t: &Table<'_>) -> DcqcnChanges {
    let mut c = DcqcnChanges {
        variant: t.opt::<Word<DcqcnVariant>>("variant").map(|word| word.0),
        clamp: t.opt::<Word<Clamp>>("clamp").map(|word| word.0),
        ..DcqcnChanges::default()
    };
    [c.alpha_interval, c.decrease_interval, c.increase_interval] = INTERVALS.map(|pair| {
        let span: Option<Span> = either(t, pair);
        if span == Some(Span::ZERO) {
            let key = if t.has(pair[0]) { pair[0] } else { pair[1] };
            t.error(key, format!("`control.{key}` is zero"), "write for example \"55 us\"");
        }
        span
    });
    [c.r_ai, c.r_hai, c.min_rate, c.max_rate, c.rate_on_first_cnp] =
        RATES.map(|pair| either::<Rate>(t, pair));

    let share = |key| share(t, key);
    let of_1024 =
        |key: &'static str| t.get(key).and_then(|value| value.int(0..=1024)).map(|n| n as f64 / 1024.0);
    t.only_one(&["g", "dce_tcp_g"]);
    // The firmware's is what remains of alpha, of 1024.
    c.g = share("g").or(of_1024("dce_tcp_g").map(|kept| 1.0 - kept));
    t.only_one(&["initial_alpha", "initial_alpha_value"]);
    c.initial_alpha = share("initial_alpha").or(of_1024("initial_alpha_value"));
    t.only_one(&["min_dec_fac", "rpg_min_dec_fac"]);
    let percent =
        t.get("rpg_min_dec_fac").and_then(|value| value.int(0..=100)).map(|percent| percent as f64 / 100.0);
    c.min_dec_fac = share("min_dec_fac").or(percent);
    t.only_one(&["recovery_rounds", "rpg_threshold"]);
    c.recovery_rounds = count(t, "recovery_rounds").or(count(t, "rpg_threshold"));
    t.only_one(&["byte_counter", "rpg_byte_reset"]);
    for key in ["byte_counter", "rpg_byte_reset"] {
        let Some(value) = t.get(key) else { continue };
        c.byte_counter = match value.source().trim_matches(['"', '\'']) {
            "none" => Some(None),
            _ => Bytes::read(&value).map(Some),
        };
        if c.byte_counter == Some(Some(Bytes::ZERO)) {
            value.error(
                format!("`control.{key}` is zero"),
                "write \"none\" for no byte counter, or for example \"10 MB\"",
            );
        }
    }
    t.only_one(&["rate_on_first_cnp", "share_on_first_cnp"]);
    c.share_on_first_cnp = share("share_on_first_cnp");
    c
}

fn dctcp(t: &Table<'_>) -> DctcpChanges {
    DctcpChanges {
        g: share(t, "g"),
        initial_alpha: share(t, "initial_alpha"),
        mss: size(t, "mss"),
        initial_window: size(t, "initial_window"),
        rate_step: t.opt("rate_step"),
        min_rate: t.opt("min_rate"),
    }
}

fn timely(t: &Table<'_>) -> TimelyChanges {
    TimelyChanges {
        alpha: share(t, "alpha"),
        beta: share(t, "beta"),
        t_low: time(t, "t_low"),
        t_high: time(t, "t_high"),
        min_rtt: time(t, "min_rtt"),
        delta: t.opt("delta"),
        delta_hai: t.opt("delta_hai"),
        hai_after: count(t, "hai_after"),
        hai_below_t_low: t.opt("hai_below_t_low"),
        segment: segment(t),
        rtt_ref: time(t, "rtt_ref"),
        min_rate: t.opt("min_rate"),
    }
}

fn hpcc(t: &Table<'_>) -> HpccChanges {
    HpccChanges {
        eta: t.get("eta").and_then(|value| value.number_in("above 0 to 1", |eta| eta > 0.0 && eta <= 1.0)),
        max_stage: count(t, "max_stage"),
        rate_ai: t.opt("rate_ai"),
        min_rate: t.opt("min_rate"),
        window: size(t, "window"),
        variable_window: t.opt("variable_window"),
        fast_react: t.opt("fast_react"),
        rate_per_hop: t.opt("rate_per_hop"),
        sample_feedback: t.opt("sample_feedback"),
        int_multi: count(t, "int_multi"),
    }
}

fn swift(t: &Table<'_>) -> SwiftChanges {
    SwiftChanges {
        ai: positive(t, "ai"),
        beta: share(t, "beta"),
        max_mdf: share(t, "max_mdf"),
        base_target: time(t, "base_target"),
        per_hop: t.opt("per_hop"),
        hops: count(t, "hops"),
        queueing: t.opt("queueing"),
        fs_range: t.opt("fs_range"),
        fs_min_cwnd: positive(t, "fs_min_cwnd"),
        fs_max_cwnd: positive(t, "fs_max_cwnd"),
        min_cwnd: positive(t, "min_cwnd"),
        max_cwnd: positive(t, "max_cwnd"),
        retx_reset_threshold: count(t, "retx_reset_threshold"),
    }
}

/// "round", or a size.
fn segment(t: &Table<'_>) -> Option<Segment> {
    let value = t.get("segment")?;
    match value.source().trim_matches(['"', '\'']) {
        "round" => Some(Segment::Round),
        _ => size(t, "segment").map(Segment::Bytes),
    }
}
