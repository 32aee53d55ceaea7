//! Weir's own simulator: hosts with real queue pairs, lossless switches, cables with faults; a clock of picoseconds.

mod build;
mod collect;
mod conn;
mod deadlock;
mod depend;
mod engine;
mod event;
mod forward;
mod frame;
mod host;
mod line;
mod nic;
mod options;
mod path;
mod pauses;
mod planned;
mod port;
mod probe;
mod rng;
mod slab;
mod tap;
mod watch;
mod wire;

pub use options::{Direction, NoTap, Progress, Quiet, RunOptions, SimError, Tap};

use crate::results::{Results, RunCost};
use engine::Engine;
use rayon::prelude::*;
use std::time::Instant;
use weir_fabric::Scenario;
use weir_units::Time;

/// Runs a scenario once, with the seed of the options or the first of the scenario.
pub fn run(
    scenario: &Scenario,
    options: &RunOptions,
    progress: &mut dyn Progress,
) -> Result<Results, SimError> {
    run_tapped(scenario, options, progress, &mut NoTap)
}

/// [`run`], and shows `tap` what passes the ports that the options name.
pub fn run_tapped(
    scenario: &Scenario,
    options: &RunOptions,
    progress: &mut dyn Progress,
    tap: &mut dyn Tap,
) -> Result<Results, SimError> {
    let begin = Instant::now();
    let seed = options.seed.or_else(|| scenario.run.seeds.first().copied()).unwrap_or(1);
    let set = scenario.flows(seed);
    let mut engine = Engine::build(scenario, &set, options, seed, tap)?;
    let built = Instant::now();
    let limit = match options.time_limit {
        Some(limit) => Time::ZERO + limit,
        None => scenario.run.stop.unwrap_or(Time::MAX),
    };
    let end = engine.run(limit, progress);
    let cost = RunCost {
        wall_s: built.elapsed().as_secs_f64(),
        setup_s: (built - begin).as_secs_f64(),
        ..RunCost::default()
    };
    Ok(engine.finish(end, cost))
}

/// Runs many scenarios on as many threads as there are, and gives their results in the order of the jobs. What comes
/// out does not depend on the number of threads.
pub fn run_many(jobs: &[(&Scenario, RunOptions)]) -> Vec<Result<Results, SimError>> {
    jobs.par_iter().map(|(scenario, options)| run(scenario, options, &mut Quiet)).collect()
}
