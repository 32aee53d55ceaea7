//! The search: presets, a space-filling start, successive halving over seeds, then a look around the best.

use crate::candidate::{Candidate, ControlChoice};
use crate::measure::{Favour, Measurement, score};
use crate::space::{Space, around, space_filling};
use rayon::prelude::*;

/// Where trials are run: the simulator today; a lab or real hosts could be others.
pub trait Testbed: Sync {
    /// Why a trial could not be run.
    type Error: Send;
    /// Apply the candidate, run the workload drawn from `seed`, and measure.
    fn run(&self, candidate: &Candidate, seed: u64) -> Result<Measurement, Self::Error>;
}

/// How much to search.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Seeds of the workload; every candidate that stays in the race is run on all of them.
    pub seeds: Vec<u64>,
    /// Points of the space-filling start.
    pub start_points: usize,
    /// Points around the best, in each of two rounds.
    pub refine_points: usize,
    /// What to optimise.
    pub favour: Favour,
    /// Reaction points that the search combines with its thresholds, by turns.
    pub controls: Vec<ControlChoice>,
    /// Seed of the search itself.
    pub seed: u64,
}

impl Plan {
    /// The number of runs that the plan makes at most, with `presets` presets.
    pub fn most_runs(&self, presets: usize) -> usize {
        let seeds = self.seeds.len();
        presets * seeds + self.start_points + (self.start_points.div_ceil(3) + 2 * self.refine_points) * seeds
    }
}

/// A candidate and what it gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// What was tried.
    pub candidate: Candidate,
    /// One measurement a seed, in the order of the plan's seeds; fewer where it left the race early.
    pub runs: Vec<Measurement>,
    /// Their mean.
    pub mean: Measurement,
    /// Mean score; lower is better.
    pub score: f64,
    /// Whether it is a published preset.
    pub preset: bool,
}

/// What the search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Every trial, presets first, then in the order of the search.
    pub trials: Vec<Trial>,
    /// Index of the best trial that ran on every seed.
    pub best: usize,
    /// Index of the best preset.
    pub best_preset: usize,
    /// Score of the best preset minus that of the best trial, averaged over seeds.
    pub gain: f64,
    /// Half the width of the 95 % confidence interval of `gain` over the seeds (paired); infinite with one seed.
    pub gain_half_width: f64,
}

impl Outcome {
    /// Whether the best trial beats the best preset beyond the noise between seeds.
    pub fn beats_presets(&self) -> bool {
        self.best != self.best_preset && self.gain > self.gain_half_width
    }
}

/// Runs the plan. `tell` is called after each run with the runs done and the best mean score so far; returning false
/// ends the search with what there is once the presets are done. The same inputs give the same outcome on any number
/// of threads.
pub fn search<T: Testbed>(
    testbed: &T,
    presets: Vec<Candidate>,
    space: &Space,
    plan: &Plan,
    tell: &(dyn Fn(usize) -> bool + Sync),
) -> Result<Outcome, T::Error> {
    let done = std::sync::atomic::AtomicUsize::new(0);
    let go_on = std::sync::atomic::AtomicBool::new(true);
    use std::sync::atomic::Ordering::Relaxed;
    let run = |candidate: &Candidate, seed: u64| {
        let measurement = testbed.run(candidate, seed)?;
        if !tell(done.fetch_add(1, Relaxed) + 1) {
            go_on.store(false, Relaxed);
        }
        Ok(measurement)
    };
    // Every pair of candidate and seed is one job, so that all cores are busy to the end of a round.
    let batch = |candidates: &[Candidate], seeds: &[u64]| -> Result<Vec<Vec<Measurement>>, T::Error> {
        let jobs: Vec<(usize, u64)> = candidates
            .iter()
            .enumerate()
            .flat_map(|(i, _)| seeds.iter().map(move |&seed| (i, seed)))
            .collect();
        let flat: Vec<Measurement> =
            jobs.par_iter().map(|&(i, seed)| run(&candidates[i], seed)).collect::<Result<_, _>>()?;
        Ok(flat.chunks(seeds.len().max(1)).map(<[Measurement]>::to_vec).collect())
    };

    let seeds = plan.seeds.as_slice();
    let mut trials: Vec<Trial> = Vec::new();
    let measured = batch(&presets, seeds)?;
    trials.extend(presets.into_iter().zip(measured).map(|(c, runs)| trial(c, runs, plan.favour, true)));
    let best_preset = best_of(&trials, seeds.len()).unwrap_or(0);

    let control = |i: usize| plan.controls.get(i % plan.controls.len().max(1)).copied();
    let (first, rest) = seeds.split_at(seeds.len().min(1));
    let mut located: Vec<(usize, [f64; 3], ControlChoice)> = Vec::new();
    if go_on.load(Relaxed) && !first.is_empty() {
        let points = space_filling(plan.start_points, plan.seed);
        let candidates: Vec<(Candidate, [f64; 3], ControlChoice)> = points
            .iter()
            .enumerate()
            .map(|(i, &unit)| {
                let control = control(i).unwrap_or(ControlChoice::Scenario);
                (space.candidate(format!("start-{:02}", i + 1), unit, control), unit, control)
            })
            .collect();
        let list: Vec<Candidate> = candidates.iter().map(|(c, _, _)| c.clone()).collect();
        let measured = batch(&list, first)?;
        // Successive halving: the better third goes on to the other seeds.
        let mut ranked: Vec<(f64, usize)> =
            measured.iter().enumerate().map(|(i, runs)| (score(&runs[0], plan.favour), i)).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let keep: Vec<usize> = ranked.iter().take(plan.start_points.div_ceil(3)).map(|&(_, i)| i).collect();
        let kept: Vec<Candidate> = keep.iter().map(|&i| list[i].clone()).collect();
        let more = if rest.is_empty() || !go_on.load(Relaxed) { Vec::new() } else { batch(&kept, rest)? };
        for (i, runs) in measured.into_iter().enumerate() {
            let mut runs = runs;
            if let Some(extra) = keep.iter().position(|&kept| kept == i).and_then(|k| more.get(k)) {
                runs.extend(extra);
            }
            let (candidate, unit, control) = candidates[i].clone();
            located.push((trials.len(), unit, control));
            trials.push(trial(candidate, runs, plan.favour, false));
        }
    }
    for (round, radius) in [(1, 0.18), (2, 0.08)] {
        let centre = located
            .iter()
            .filter(|(i, _, _)| trials[*i].runs.len() == seeds.len())
            .min_by(|a, b| trials[a.0].score.total_cmp(&trials[b.0].score))
            .copied();
        let Some((_, centre, control)) = centre.filter(|_| go_on.load(Relaxed)) else { break };
        let points = around(centre, radius, plan.refine_points, plan.seed.wrapping_add(round));
        let list: Vec<Candidate> = points
            .iter()
            .enumerate()
            .map(|(i, &unit)| space.candidate(format!("near-{round}{:02}", i + 1), unit, control))
            .collect();
        let measured = batch(&list, seeds)?;
        for ((candidate, runs), unit) in list.into_iter().zip(measured).zip(points) {
            located.push((trials.len(), unit, control));
            trials.push(trial(candidate, runs, plan.favour, false));
        }
    }

    let best = best_of(&trials, seeds.len()).unwrap_or(best_preset);
    let differences: Vec<f64> = trials[best_preset]
        .runs
        .iter()
        .zip(&trials[best].runs)
        .map(|(preset, found)| score(preset, plan.favour) - score(found, plan.favour))
        .collect();
    let (gain, gain_half_width) = paired_interval(&differences);
    Ok(Outcome { trials, best, best_preset, gain, gain_half_width })
}

fn trial(candidate: Candidate, runs: Vec<Measurement>, favour: Favour, preset: bool) -> Trial {
    let mean = Measurement::mean(&runs);
    let total = runs.iter().map(|run| score(run, favour)).sum::<f64>() / runs.len().max(1) as f64;
    Trial { candidate, mean, score: total, runs, preset }
}

/// The best of those that ran on all seeds; the earlier one of equals.
fn best_of(trials: &[Trial], seeds: usize) -> Option<usize> {
    (0..trials.len())
        .filter(|&i| trials[i].runs.len() == seeds)
        .min_by(|&a, &b| trials[a].score.total_cmp(&trials[b].score).then(a.cmp(&b)))
}

/// Mean and half the width of its 95 % confidence interval (Student's t).
fn paired_interval(differences: &[f64]) -> (f64, f64) {
    /// Two-sided 97.5 % quantiles of Student's t for 1 to 10 degrees of freedom.
    const T: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    let n = differences.len();
    let mean = differences.iter().sum::<f64>() / n.max(1) as f64;
    if n < 2 {
        return (mean, f64::INFINITY);
    }
    let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1) as f64;
    let t = T.get(n - 2).copied().unwrap_or(2.1);
    (mean, t * (variance / n as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets;
    use std::convert::Infallible;
    use weir_units::Rate;

    /// A bowl in log Kmin and Pmax with its bottom inside the space, plus a little noise by seed.
    struct Bowl;

    impl Testbed for Bowl {
        type Error = Infallible;
        fn run(&self, candidate: &Candidate, seed: u64) -> Result<Measurement, Infallible> {
            let slowdown = match candidate.ecn.at(Rate::from_gbps(100)) {
                None => 50.0,
                Some(t) => {
                    let x = (t.kmin.get() as f64 / 60_000.0).ln();
                    let y = (t.pmax / 0.05).ln();
                    3.0 + x * x + 0.5 * y * y + 0.001 * (seed % 3) as f64
                }
            };
            Ok(Measurement {
                p50: 1.5,
                short_p99: slowdown,
                long_p99: slowdown,
                long_mean: slowdown,
                ..Default::default()
            })
        }
    }

    fn plan(seeds: Vec<u64>) -> Plan {
        Plan {
            seeds,
            start_points: 12,
            refine_points: 6,
            favour: Favour::Balance,
            controls: vec![ControlChoice::Hpcc],
            seed: 1,
        }
    }

    #[test]
    fn finds_the_bottom_of_a_bowl_and_beats_the_presets() {
        let space = Space::published(Rate::from_gbps(100));
        let plan = plan(vec![1, 2, 3]);
        let runs = std::sync::atomic::AtomicUsize::new(0);
        let count = |done: usize| {
            runs.fetch_max(done, std::sync::atomic::Ordering::Relaxed);
            true
        };
        let Ok(found) = search(&Bowl, presets(), &space, &plan, &count);
        assert!(found.trials[found.best].mean.short_p99 < 4.0, "{:?}", found.trials[found.best]);
        assert!(found.beats_presets(), "{} +- {}", found.gain, found.gain_half_width);
        assert!(runs.into_inner() <= plan.most_runs(presets().len()));
    }

    #[test]
    fn the_same_plan_gives_the_same_outcome() {
        let space = Space::published(Rate::from_gbps(100));
        let go = |_: usize| true;
        let Ok(a) = search(&Bowl, presets(), &space, &plan(vec![1, 2]), &go);
        let Ok(b) = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap()
            .install(|| search(&Bowl, presets(), &space, &plan(vec![1, 2]), &go));
        assert_eq!(a, b);
    }

    #[test]
    fn one_seed_proves_nothing() {
        let space = Space::published(Rate::from_gbps(100));
        let Ok(found) = search(&Bowl, presets(), &space, &plan(vec![1]), &|_| true);
        assert!(found.gain > 0.0 && !found.beats_presets());
    }

    #[test]
    fn stopped_early_it_still_ranks_the_presets() {
        let space = Space::published(Rate::from_gbps(100));
        let Ok(found) = search(&Bowl, presets(), &space, &plan(vec![1, 2]), &|_| false);
        assert_eq!(found.trials.len(), presets().len());
        assert_eq!(found.best, found.best_preset);
    }

    #[test]
    fn the_interval_is_students() {
        let (mean, half) = paired_interval(&[1.0, 2.0, 3.0]);
        assert!((mean - 2.0).abs() < 1e-12 && (half - 4.303 / 3f64.sqrt()).abs() < 1e-3, "{half}");
    }
}
