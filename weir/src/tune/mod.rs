//! `weir tune`.

mod report;
mod show;

use crate::args::{self, Budget, Format, Tune};
use crate::exit::{Exit, Failure};
use crate::progress::Bar;
use crate::{files, scenario, screen};
use report::Report;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use weir_fabric::Scenario;
use weir_sim::net::{self, Quiet, RunOptions};
use weir_tune::{Effort, Favour, Outcome, Trial, apply, plan, presets, sonic_snippet, speeds, tune};

/// The fabric that is tuned when none is given.
const BUILT_IN: &str = "builtin:fat320-tune";

/// Search for parameters.
pub fn run(args: &Tune) -> Result<Exit, Failure> {
    let path = args.fabric.as_deref().unwrap_or(Path::new(BUILT_IN));
    let base = scenario::read(path)?;
    scenario::tell_notices(&base);
    let _folder = files::Folder::make(&args.out)?;
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.unwrap_or(0).into())
        .build()
        .map_err(|error| Failure::System(format!("error: can't start threads: {error}")))?;
    let wrong = |error| Failure::Input(format!("error: {}: {error}", path.display()));

    let begun = Instant::now();
    let (effort, time) = match args.budget {
        Budget::Quick => (Effort::QUICK, None),
        Budget::Normal => (Effort::NORMAL, None),
        Budget::Thorough => (Effort::THOROUGH, None),
        Budget::Trials(trials) => (Effort::of_trials(trials as usize, presets().len()), None),
        Budget::Time(time) => {
            let runs = affordable(&base, args.seed, time, threads.current_num_threads()).map_err(wrong)?;
            (Effort::of_runs(runs, presets().len()), Some(time))
        }
    };
    let favour = match args.favour {
        args::Favour::Latency => Favour::Latency,
        args::Favour::Throughput => Favour::Throughput,
        args::Favour::Balance => Favour::Balance,
    };
    let plan = plan(effort, favour, args.seed);
    let runs = plan.most_runs(presets().len());
    screen::say(format_args!(
        "{}: {} hosts; at most {runs} runs on {} seeds",
        base.name,
        base.topology.hosts(),
        plan.seeds.len()
    ));
    let bar = Bar::new("searched");
    let tell = |done: usize| {
        bar.set(done as u64, runs as u64, &format!("{done} of {runs} runs"));
        time.is_none_or(|time| begun.elapsed() < time)
    };
    let outcome = threads.install(|| tune(&base, &plan, &tell));
    bar.clear();
    let outcome = outcome.map_err(wrong)?;
    let took = begun.elapsed().as_secs_f64();
    screen::say(format_args!(
        "{} candidates in {}",
        outcome.trials.len(),
        weir_report::number::seconds(took)
    ));

    let chosen = chosen(&outcome);
    let report = Report::new(&base, &outcome, chosen, args.seed);
    save(args, &base, chosen, &report)?;
    match args.format {
        Format::Json => files::print(&files::json(&report)?)?,
        Format::Human => files::print(&show::text(&screen::look(), &base, &outcome, chosen, &args.out))?,
    }
    Ok(if chosen.mean.lossless_drops == 0.0 { Exit::Fine } else { Exit::Findings })
}

/// How many runs fit into a time: from how long the scenario takes as it is.
fn affordable(base: &Scenario, seed: u64, time: Duration, threads: usize) -> Result<usize, net::SimError> {
    let begun = Instant::now();
    net::run(base, &RunOptions { seed: Some(seed), ..RunOptions::default() }, &mut Quiet)?;
    let one = begun.elapsed().as_secs_f64().max(1e-6);
    let left = (time.as_secs_f64() - one).max(0.0);
    // Not every candidate is as quick as this one, and the last round does not fill every core.
    Ok((left / one * threads as f64 * 0.9).min(1e5) as usize)
}

/// What is recommended: the best, unless the presets are as good as far as can be told.
fn chosen(outcome: &Outcome) -> &Trial {
    &outcome.trials[if outcome.beats_presets() { outcome.best } else { outcome.best_preset }]
}

fn save(args: &Tune, base: &Scenario, chosen: &Trial, report: &Report<'_>) -> Result<(), Failure> {
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
    let files: Vec<(PathBuf, Vec<u8>)> =
        files.into_iter().map(|(name, text)| (args.out.join(name), text.into_bytes())).collect();
    files::write_all(&files)
}
