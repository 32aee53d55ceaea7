//! `[control]`: parameters under the papers' names and mlx5's.

use super::table::{Read, Table, Word};
use crate::control::{Algorithm, Clamp, ControlSpec, DcqcnVariant, Preset};
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
const OTHERS: [Pair; 8] = [
    ["g", "dce_tcp_g"],
    ["initial_alpha", "initial_alpha_value"],
    ["byte_counter", "rpg_byte_reset"],
    ["recovery_rounds", "rpg_threshold"],
    ["min_dec_fac", "rpg_min_dec_fac"],
    ["variant", "variant"],
    ["clamp", "clamp"],
    ["share_on_first_cnp", "share_on_first_cnp"],
];

fn dcqcn_keys() -> impl Iterator<Item = &'static str> {
    INTERVALS.iter().chain(&RATES).chain(&OTHERS).flatten().copied()
}

pub(super) fn control(t: Option<Table<'_>>) -> ControlSpec {
    let mut spec = ControlSpec::default();
    let Some(t) = t else { return spec };
    spec.enabled = t.or("enabled", true);
    spec.algorithm = t.word_or("algorithm", Algorithm::default());
    spec.preset = t.word_or("preset", Preset::default());
    dcqcn(&t, &mut spec);
    let (why, all) = match (spec.enabled, spec.algorithm) {
        (false, _) => ("`control.enabled` is false".to_owned(), true),
        (true, Algorithm::None) => ("`control.algorithm` is \"none\"".to_owned(), true),
        (true, Algorithm::Dcqcn) => (String::new(), false),
        (true, other) => (format!("`control.algorithm` is \"{other}\", and this is DCQCN's"), true),
    };
    if all {
        dcqcn_keys().for_each(|key| t.idle(key, &why));
    }
    match spec.running() {
        Algorithm::None => {
            t.idle("preset", &why);
            if !spec.enabled {
                t.idle("algorithm", &why);
            }
        }
        Algorithm::Dcqcn => dcqcn_idle(&t, &spec),
        _ => {
            if !matches!(spec.preset, Preset::Paper | Preset::HpccSim) {
                t.error(
                    "preset",
                    format!(
                        "\"{}\" is a preset of DCQCN, and `control.algorithm` is \"{}\"",
                        spec.preset, spec.algorithm
                    ),
                    "write preset = \"paper\" or \"hpcc-sim\"",
                );
            }
        }
    }
    t.finish();
    spec
}

fn dcqcn(t: &Table<'_>, spec: &mut ControlSpec) {
    let c = &mut spec.dcqcn;
    c.variant = t.opt::<Word<DcqcnVariant>>("variant").map(|word| word.0);
    c.clamp = t.opt::<Word<Clamp>>("clamp").map(|word| word.0);
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

    let share = |key: &'static str| {
        t.get(key)
            .and_then(|value| value.number_in("a number from 0 to 1", |share| (0.0..=1.0).contains(&share)))
    };
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
    let rounds = |key: &'static str| t.get(key).and_then(|value| value.int(0..=1000)).map(|n| n as u32);
    c.recovery_rounds = rounds("recovery_rounds").or(rounds("rpg_threshold"));
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
}

/// DCQCN parameters that the chosen state machine does not have.
fn dcqcn_idle(t: &Table<'_>, spec: &ControlSpec) {
    let weir_congestion::ControlParams::Dcqcn(params) = spec.params(Rate::from_gbps(100)) else { return };
    if params.variant == weir_congestion::Variant::Paper {
        for key in INTERVALS[1] {
            t.idle(key, "the paper's state machine cuts at every CNP; `nic.cnp_interval` spaces them");
        }
    }
}
