//! `weir tune`.

use crate::args::{self, Budget, Format, Tune};
use crate::exit::{Exit, Failure};
use crate::progress::Bar;
use crate::{files, scenario};
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use serde::Serialize;
use std::path::Path;
use std::time::Instant;
use weir_fabric::Scenario;
use weir_tune::{Effort, Favour, Measurement, Outcome, Trial, apply, plan, sonic_snippet, speeds, tune};
use weir_units::{Bytes, Rate};

/// The fabric that is tuned when none is given.
const BUILT_IN: &str = "builtin:fat320-tune";

/// Search for parameters.
pub fn run(args: &Tune) -> Result<Exit, Failure> {
    let base = scenario::read(args.fabric.as_deref().unwrap_or(Path::new(BUILT_IN)))?;
    let effort = match args.budget {
        Budget::Quick => Effort { seeds: 2, start_points: 6, refine_points: 2 },
        Budget::Normal => Effort { seeds: 4, start_points: 9, refine_points: 3 },
        Budget::Thorough => Effort { seeds: 5, start_points: 24, refine_points: 8 },
    };
    let favour = match args.favour {
        args::Favour::Latency => Favour::Latency,
        args::Favour::Throughput => Favour::Throughput,
        args::Favour::Balance => Favour::Balance,
    };
    let plan = plan(effort, favour, args.seed);
    let runs = plan.most_runs(weir_tune::presets().len());
    eprintln!("{}: {} hosts; up to {runs} runs", base.name, base.topology.hosts());
    let begun = Instant::now();
    let bar = Bar::new("runs");
    let tell = |done: usize| {
        bar.set(done as u64, runs as u64, &format!("{done} of {runs}"));
        true
    };
    let search = || tune(&base, &plan, &tell);
    let outcome = match args.threads {
        None => search(),
        Some(threads) => rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Failure::System(format!("error: can't start {threads} threads: {error}")))?
            .install(search),
    };
    bar.clear();
    let outcome = outcome.map_err(|error| Failure::Input(format!("error: {}: {error}", base.name)))?;
    eprintln!("{} candidates in {:.0} s", outcome.trials.len(), begun.elapsed().as_secs_f64());

    let best = &outcome.trials[outcome.best];
    let chosen = if outcome.beats_presets() { best } else { &outcome.trials[outcome.best_preset] };
    let report = Report::new(&base, &outcome, chosen, args);
    save(args, &base, chosen, &report)?;
    match args.format {
        Format::Json => files::print(&files::json(&report)?)?,
        Format::Human => files::print(&human(&base, &outcome, chosen, args))?,
    }
    Ok(Exit::Fine)
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    source: &'a str,
    preset: bool,
    control: weir_tune::ControlChoice,
    thresholds: Vec<ThresholdRow>,
    score: f64,
    mean: Measurement,
    runs: &'a [Measurement],
}

#[derive(Serialize)]
struct ThresholdRow {
    rate: Rate,
    kmin: Bytes,
    kmax: Bytes,
    pmax: f64,
}

#[derive(Serialize)]
struct Report<'a> {
    version: &'static str,
    fabric: &'a str,
    seed: u64,
    chosen: &'a str,
    best: &'a str,
    best_preset: &'a str,
    gain: f64,
    gain_half_width: f64,
    beats_presets: bool,
    trials: Vec<Row<'a>>,
}

impl<'a> Report<'a> {
    fn new(base: &'a Scenario, outcome: &'a Outcome, chosen: &'a Trial, args: &Tune) -> Self {
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
                    Some(ThresholdRow { rate, kmin: t.kmin, kmax: t.kmax, pmax: t.pmax })
                })
                .collect(),
            score: trial.score,
            mean: trial.mean,
            runs: &trial.runs,
        };
        Self {
            version: env!("CARGO_PKG_VERSION"),
            fabric: &base.name,
            seed: args.seed,
            chosen: &chosen.candidate.name,
            best: &outcome.trials[outcome.best].candidate.name,
            best_preset: &outcome.trials[outcome.best_preset].candidate.name,
            gain: outcome.gain,
            // One seed proves nothing; JSON has no infinity.
            gain_half_width: if outcome.gain_half_width.is_finite() {
                outcome.gain_half_width
            } else {
                f64::MAX
            },
            beats_presets: outcome.beats_presets(),
            trials: outcome.trials.iter().map(row).collect(),
        }
    }
}

fn save(args: &Tune, base: &Scenario, chosen: &Trial, report: &Report<'_>) -> Result<(), Failure> {
    std::fs::create_dir_all(&args.out).map_err(|error| Failure::io("make the folder", &args.out, error))?;
    let best = apply(&chosen.candidate, base);
    let head = format!(
        "# The fabric with the parameters that `weir tune` chose: {}.\n# {}\n",
        chosen.candidate.name, chosen.candidate.source
    );
    let thresholds: Vec<_> =
        speeds(base).into_iter().map(|rate| (rate, chosen.candidate.ecn.at(rate))).collect();
    let queues: Vec<u8> =
        base.qos.classes.iter().filter(|class| class.lossless).map(|class| class.priority).collect();
    let files = [
        ("best.toml", head + &best.to_toml()),
        ("sonic.json", sonic_snippet(&thresholds, &queues)),
        ("results.json", files::json(report)?),
    ];
    for (name, text) in files {
        files::write_whole(&args.out.join(name), text.as_bytes())?;
    }
    Ok(())
}

/// A slowdown; zero means that no flow was of the kind.
fn slowdown(value: f64) -> String {
    if value == 0.0 { "-".into() } else { format!("{value:.2}") }
}

fn human(base: &Scenario, outcome: &Outcome, chosen: &Trial, args: &Tune) -> String {
    let speeds = speeds(base);
    let mut order: Vec<usize> = (0..outcome.trials.len()).filter(|&i| outcome.trials[i].preset).collect();
    let mut found: Vec<usize> = (0..outcome.trials.len())
        .filter(|&i| {
            !outcome.trials[i].preset && outcome.trials[i].runs.len() == outcome.trials[0].runs.len()
        })
        .collect();
    let by_score =
        |a: &usize, b: &usize| outcome.trials[*a].score.total_cmp(&outcome.trials[*b].score).then(a.cmp(b));
    order.sort_by(by_score);
    found.sort_by(by_score);
    order.extend(found.into_iter().take(5));
    order.sort_by(by_score);

    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    let speed = speeds.first().copied().unwrap_or_default();
    table.set_header(vec![
        "candidate".to_owned(),
        format!("Kmin / Kmax / Pmax at {speed}"),
        "p50".into(),
        "p95".into(),
        "p99".into(),
        "short p99".into(),
        "long p99".into(),
        "paused".into(),
        "deepest".into(),
        "goodput".into(),
        "score".into(),
    ]);
    for i in order {
        let trial = &outcome.trials[i];
        let m = &trial.mean;
        let thresholds = trial.candidate.ecn.at(speed).map_or("no marking".into(), |t| {
            format!("{} / {} / {} %", t.kmin, t.kmax, (t.pmax * 1000.0).round() / 10.0)
        });
        let mark = if std::ptr::eq(trial, chosen) { "* " } else { "  " };
        let mut cells = vec![Cell::new(format!("{mark}{}", trial.candidate.name)), Cell::new(thresholds)];
        let figures = [
            format!("{:.2}", m.p50),
            format!("{:.2}", m.p95),
            format!("{:.2}", m.p99),
            slowdown(m.short_p99),
            slowdown(m.long_p99),
            format!("{:.3} %", m.paused * 100.0),
            Bytes::new(m.max_queue_bytes as u64).to_string(),
            Rate::from_bps(m.goodput_bps as u64).to_string(),
            format!("{:.3}", trial.score),
        ];
        cells.extend(figures.into_iter().map(|text| Cell::new(text).set_alignment(CellAlignment::Right)));
        table.add_row(cells);
    }
    let preset = &outcome.trials[outcome.best_preset].candidate.name;
    let verdict = if outcome.beats_presets() {
        format!(
            "{} beats the best preset, {preset}, by {:.3} +- {:.3} in score (95 % interval over {} seeds, paired).",
            chosen.candidate.name,
            outcome.gain,
            outcome.gain_half_width,
            chosen.runs.len()
        )
    } else if outcome.best == outcome.best_preset {
        format!(
            "Nothing that the search found is better than the preset {preset}: it is what is recommended."
        )
    } else {
        format!(
            "The search's best, {}, is ahead of the preset {preset} by {:.3} +- {:.3}: within the noise of {} seeds. \
             The preset is recommended.",
            outcome.trials[outcome.best].candidate.name,
            outcome.gain,
            outcome.gain_half_width,
            chosen.runs.len()
        )
    };
    let folder = args.out.display();
    format!(
        "Slowdown of flows (completion time over that on an idle fabric), means over seeds; short is up to 100 KB.\n\
         Score: lower is better; a difference of 0.05 is about 5 % in the weighted slowdowns.\n\n{table}\n\n{verdict}\n\
         Written: {folder}/best.toml (the fabric with the parameters), {folder}/sonic.json (switch configuration), \
         {folder}/results.json (every trial)\n"
    )
}
