//! The simulator as a testbed, and the whole job on it.

use crate::apply::{apply, host_speed};
use crate::candidate::{Candidate, ControlChoice};
use crate::measure::{Favour, Measurement};
use crate::presets::presets;
use crate::search::{Outcome, Plan, Testbed, search};
use crate::space::Space;
use weir_fabric::Scenario;
use weir_sim::net::{self, Quiet, RunOptions, SimError};
use weir_units::Bytes;

/// Runs candidates in simulated time.
#[derive(Debug)]
pub struct Simulated<'a> {
    base: &'a Scenario,
}

impl<'a> Simulated<'a> {
    /// On the fabric and the workload of a scenario.
    pub fn new(base: &'a Scenario) -> Self {
        Self { base }
    }
}

impl Testbed for Simulated<'_> {
    type Error = SimError;

    fn run(&self, candidate: &Candidate, seed: u64) -> Result<Measurement, SimError> {
        let scenario = apply(candidate, self.base);
        let options = RunOptions { seed: Some(seed), ..RunOptions::default() };
        net::run(&scenario, &options, &mut Quiet).map(|results| Measurement::of(&results))
    }
}

/// How much to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Seeds of the workload.
    pub seeds: usize,
    /// Points of the space-filling start.
    pub start_points: usize,
    /// Points around the best, in each of two rounds.
    pub refine_points: usize,
}

impl Effort {
    /// A dozen candidates besides the presets.
    pub const QUICK: Effort = Effort { seeds: 2, start_points: 6, refine_points: 2 };
    /// The usual.
    pub const NORMAL: Effort = Effort { seeds: 4, start_points: 9, refine_points: 3 };
    /// As many as a longer break allows.
    pub const THOROUGH: Effort = Effort { seeds: 5, start_points: 24, refine_points: 8 };

    /// At most this many candidates in all, `presets` of them presets, on four seeds. Half of those that are left are
    /// spread over the space, the others look around the best.
    pub fn of_trials(trials: usize, presets: usize) -> Self {
        let left = trials.saturating_sub(presets);
        let refine_points = left / 4;
        Effort { seeds: 4, start_points: left - 2 * refine_points, refine_points }
    }

    /// The most that at most this many runs can do, on two to four seeds. The presets are run in any case.
    pub fn of_runs(runs: usize, presets: usize) -> Self {
        let seeds = if runs >= 12 * presets.max(1) { 4 } else { 2 };
        // A candidate of the start costs a run, and the better third all seeds; one around the best costs all seeds.
        let most = |trials| {
            plan(Effort { seeds, ..Self::of_trials(trials, presets) }, Favour::Balance, 1).most_runs(presets)
        };
        let trials = (presets..presets + runs).rev().find(|&trials| most(trials) <= runs).unwrap_or(presets);
        Effort { seeds, ..Self::of_trials(trials, presets) }
    }
}

/// The plan for a scenario: `seed` is that of the search, and its successors are those of the workloads.
pub fn plan(effort: Effort, favour: Favour, seed: u64) -> Plan {
    Plan {
        seeds: (seed..).take(effort.seeds).collect(),
        start_points: effort.start_points,
        refine_points: effort.refine_points,
        favour,
        controls: vec![ControlChoice::Hpcc, ControlChoice::Firmware, ControlChoice::Paper],
        seed,
    }
}

/// The space for a scenario, below the depth at which PFC could pause before ECN has marked.
///
/// With a shared buffer of B, n ports that may all feed one queue and a dynamic threshold of ratio a, the worst case of an
/// ingress is a B / (1 + n a) while the egress queues hold n times Kmin: Kmin < a B / (n (1 + a)) (DCQCN paper, section 4,
/// for one lossless priority).
pub fn space(scenario: &Scenario) -> Space {
    let mut space = Space::published(host_speed(scenario));
    let t = &scenario.topology;
    let most_ports = (t.hosts()..t.nodes().len() as u32)
        .map(|node| t.ports(weir_fabric::NodeId(node)).len() as u64)
        .max()
        .unwrap_or(1)
        .max(1);
    if scenario.pfc.enabled {
        let (alpha, total) = (scenario.buffer.alpha, scenario.buffer.total.get() as f64);
        let limit = alpha * total / (most_ports as f64 * (1.0 + alpha));
        space.kmin_limit = Some(Bytes::new(limit as u64));
    }
    space
}

/// Presets and search on a scenario, in simulated time. The scenario as it is comes first among the presets.
pub fn tune(
    scenario: &Scenario,
    plan: &Plan,
    tell: &(dyn Fn(usize) -> bool + Sync),
) -> Result<Outcome, SimError> {
    search(&Simulated::new(scenario), presets(), &space(scenario), plan, tell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effort_keeps_within_what_was_allowed() {
        for (trials, presets) in [(0, 7), (7, 7), (8, 7), (30, 7), (200, 7)] {
            let effort = Effort::of_trials(trials, presets);
            let all = presets + effort.start_points + 2 * effort.refine_points;
            assert_eq!(all, trials.max(presets));
        }
        for runs in [0, 14, 30, 73, 84, 500] {
            let effort = Effort::of_runs(runs, 7);
            let most = plan(effort, Favour::Balance, 1).most_runs(7);
            assert!(most <= runs.max(14), "{runs}: {effort:?} {most}");
            assert!(most + 4 * effort.seeds >= runs, "{runs} could do more than {effort:?}: {most}");
        }
    }
}
