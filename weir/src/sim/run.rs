//! `weir sim run`.

use super::output::{self, Target};
use super::show;
use super::tap::Recorder;
use crate::args::{RunFormat, SimRun};
use crate::exit::{Exit, Failure};
use crate::progress::Bar;
use crate::scenario::{self, Source};
use crate::{files, screen};
use rayon::prelude::*;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use weir_fabric::{Scenario, write_flows};
use weir_sim::net::{self, Progress, RunOptions, SimError};
use weir_sim::results::Results;
use weir_units::Time;

/// Run a scenario.
pub fn run(args: &SimRun) -> Result<Exit, Failure> {
    let source = Source::load(&args.scenario, &args.set)?;
    let scenario = source.scenario()?;
    let seeds = seeds(args, &scenario);
    if !args.pcap.is_empty() && seeds.len() > 1 {
        return Err(Failure::input(
            format!("--pcap records one run, and there are {} seeds", seeds.len()),
            format!("choose one with --seed {}", seeds[0]),
        ));
    }
    if args.format != RunFormat::Human {
        scenario::tell_notices(&scenario);
    }
    // Whatever can fail before the run does.
    let target = args.out.as_deref().map(Target::of);
    let _folder = match &target {
        Some(target) => target.prepare(&args.scenario)?,
        None => None,
    };
    if let Some(path) = &args.flows_csv {
        write_flow_list(path, &args.scenario, &scenario, seeds[0])?;
    }
    let mut recorder = match args.pcap.is_empty() {
        true => None,
        false => {
            files::not_the_input(&args.pcap_file, &args.scenario)?;
            Some(Recorder::begin(&args.pcap_file, &args.pcap)?)
        }
    };

    let mut results = simulate(&scenario, &seeds, args, recorder.as_mut())
        .map_err(|error| Failure::Input(format!("error: {}: {error}", source.origin)))?;
    if let Some(recorder) = recorder {
        let frames = recorder.keep()?;
        screen::say(format_args!(
            "{frames} frames of {} in {}",
            args.pcap.join(", "),
            args.pcap_file.display()
        ));
    }
    let exit = match results.iter().all(show::is_well) {
        true => Exit::Fine,
        false => Exit::Findings,
    };
    // People want to know how long it took; files stay the same from run to run unless asked.
    let text = match args.format {
        RunFormat::Human => show::runs(&screen::look(), &scenario, &results),
        _ => String::new(),
    };
    if !args.timing {
        for result in &mut results {
            (result.run.wall_s, result.run.setup_s) = (0.0, 0.0);
        }
    }
    if let Some(target) = &target {
        target.write(&results)?;
    }
    match args.format {
        RunFormat::Human => files::print(&text)?,
        RunFormat::Json => files::print(&output::json(&results))?,
        RunFormat::Csv => files::print(&output::csv(&results))?,
    }
    Ok(exit)
}

/// The flows of a seed as CSV.
pub fn write_flow_list(path: &Path, input: &Path, scenario: &Scenario, seed: u64) -> Result<(), Failure> {
    files::not_the_input(path, input)?;
    let set = scenario.flows(seed);
    files::write_whole(path, write_flows(&set, &scenario.topology, &scenario.qos).as_bytes())?;
    screen::say(format_args!("{} flows of seed {seed} in {}", set.flows.len(), path.display()));
    Ok(())
}

fn seeds(args: &SimRun, scenario: &Scenario) -> Vec<u64> {
    match (args.seed, &args.seeds) {
        (Some(seed), _) => vec![seed],
        (None, Some(range)) => range.clone().collect(),
        (None, None) if scenario.run.seeds.is_empty() => vec![1],
        (None, None) => scenario.run.seeds.clone(),
    }
}

fn simulate(
    scenario: &Scenario,
    seeds: &[u64],
    args: &SimRun,
    recorder: Option<&mut Recorder>,
) -> Result<Vec<Results>, SimError> {
    let bar = Bar::new("simulated");
    let options = |seed| RunOptions { seed: Some(seed), taps: args.pcap.clone(), ..RunOptions::default() };
    let done: Vec<AtomicU64> = seeds.iter().map(|_| AtomicU64::new(0)).collect();
    let each = |i: usize| Watch { bar: &bar, scenario, done: &done, run: i };
    let results = match (seeds, recorder) {
        ([seed], Some(recorder)) => {
            net::run_tapped(scenario, &options(*seed), &mut each(0), recorder).map(|result| vec![result])
        }
        ([seed], None) => net::run(scenario, &options(*seed), &mut each(0)).map(|result| vec![result]),
        _ => {
            let all = || {
                seeds
                    .par_iter()
                    .enumerate()
                    .map(|(i, seed)| net::run(scenario, &options(*seed), &mut each(i)))
                    .collect()
            };
            match rayon::ThreadPoolBuilder::new().num_threads(args.threads.unwrap_or(0).into()).build() {
                Ok(pool) => pool.install(all),
                // The system gives no more threads: this one does it.
                Err(_) => all(),
            }
        }
    };
    bar.clear();
    results
}

/// Tells the bar how far one of the runs is.
struct Watch<'a> {
    bar: &'a Bar,
    scenario: &'a Scenario,
    /// How far each run is, in thousandths.
    done: &'a [AtomicU64],
    run: usize,
}

impl Progress for Watch<'_> {
    fn update(&mut self, now: Time, ended: u64, flows: u64) -> bool {
        let by_flows = ended * 1000 / flows.max(1);
        let by_time = self.scenario.run.stop.map_or(0, |stop| now.as_ps() / (stop.as_ps() / 1000).max(1));
        self.done[self.run].store(by_flows.max(by_time).min(1000), Ordering::Relaxed);
        let sum = self.done.iter().map(|done| done.load(Ordering::Relaxed)).sum();
        let text = match self.done.len() {
            1 => format!("{now}, {ended} of {flows} flows"),
            runs => format!("{runs} runs"),
        };
        self.bar.set(sum, 1000 * self.done.len() as u64, &text);
        true
    }
}
