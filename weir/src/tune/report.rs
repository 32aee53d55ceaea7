//! What a search found, for programs.

use serde::Serialize;
use weir_fabric::Scenario;
use weir_tune::{ControlChoice, Measurement, Outcome, Trial, speeds};
use weir_units::{Bytes, Rate};

/// Everything that was tried. `weir sim explain` says what the figures are.
#[derive(Serialize)]
pub struct Report<'a> {
    version: &'static str,
    fabric: &'a str,
    seed: u64,
    /// Name of the trial that is recommended.
    chosen: &'a str,
    /// Name of the trial with the best score.
    best: &'a str,
    best_preset: &'a str,
    /// Score of the best preset minus that of the best trial.
    gain: f64,
    /// Half the width of its 95 % confidence interval; nothing with one seed, which proves nothing.
    gain_half_width: Option<f64>,
    beats_presets: bool,
    trials: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    source: &'a str,
    preset: bool,
    control: ControlChoice,
    thresholds: Vec<Thresholds>,
    score: f64,
    mean: Measurement,
    runs: &'a [Measurement],
}

#[derive(Serialize)]
struct Thresholds {
    rate: Rate,
    kmin: Bytes,
    kmax: Bytes,
    pmax: f64,
}

impl<'a> Report<'a> {
    /// Of a search on a fabric.
    pub fn new(base: &'a Scenario, outcome: &'a Outcome, chosen: &'a Trial, seed: u64) -> Self {
        let speeds = speeds(base);
        let row = |trial: &'a Trial| Row {
            name: &trial.candidate.name,
            source: &trial.candidate.source,
            preset: trial.preset,
            control: trial.candidate.control,
            thresholds: speeds
                .iter()
                .filter_map(|&rate| {
                    let t = trial.candidate.ecn.at(rate)?;
                    Some(Thresholds { rate, kmin: t.kmin, kmax: t.kmax, pmax: t.pmax })
                })
                .collect(),
            score: trial.score,
            mean: trial.mean,
            runs: &trial.runs,
        };
        Self {
            version: env!("CARGO_PKG_VERSION"),
            fabric: &base.name,
            seed,
            chosen: &chosen.candidate.name,
            best: &outcome.trials[outcome.best].candidate.name,
            best_preset: &outcome.trials[outcome.best_preset].candidate.name,
            gain: outcome.gain,
            gain_half_width: Some(outcome.gain_half_width).filter(|width| width.is_finite()),
            beats_presets: outcome.beats_presets(),
            trials: outcome.trials.iter().map(row).collect(),
        }
    }
}
