//! The equations in time: a delay differential equation, integrated with fixed steps.

use super::Fluid;
use std::collections::VecDeque;

/// The state of one flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowState {
    /// R_C, packets a second.
    pub rate: f64,
    /// R_T, packets a second.
    pub target: f64,
    /// alpha.
    pub alpha: f64,
}

/// The state at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Seconds since the start.
    pub seconds: f64,
    /// The queue, packets.
    pub queue: f64,
    /// The flows, one for each group.
    pub flows: Vec<FlowState>,
}

/// An integration in progress: flows in groups of equal ones.
#[derive(Clone, Debug)]
pub struct Trajectory {
    fluid: Fluid,
    step: f64,
    steps: u64,
    queue: f64,
    groups: Vec<(f64, FlowState)>,
    /// Marking probability and rates of the last `delay`, the oldest first.
    past: VecDeque<(f64, Vec<f64>)>,
    scratch: Vec<f64>,
}

impl Fluid {
    /// Rates of change of alpha, R_T and R_C; `p` and `rate_then` are a control delay old.
    pub(super) fn slopes(&self, alpha: f64, target: f64, rate: f64, p: f64, rate_then: f64) -> [f64; 3] {
        let t = self.terms(p, rate_then);
        [
            self.g / self.tau_alpha * (t.marked - alpha),
            -(target - rate) / self.tau * t.a + self.r_ai * rate_then * (t.c + t.e),
            -rate * alpha / (2.0 * self.tau) * t.a + (target - rate) / 2.0 * rate_then * (t.b + t.d),
        ]
    }

    /// Flows that start at line rate with alpha 1 and an empty queue.
    pub fn at_line_rate(&self) -> FlowState {
        FlowState { rate: self.capacity, target: self.capacity, alpha: 1.0 }
    }

    /// Integrate from `groups`, each a number of equal flows, with a control delay of `delay` seconds and steps of about
    /// `step` seconds (the delay is a whole number of steps, or one if it is shorter).
    pub fn trajectory(&self, groups: &[(u32, FlowState)], delay: f64, step: f64) -> Trajectory {
        let step = if step.is_finite() && step > 0.0 { step } else { 1e-6 };
        let steps = (delay / step).round().clamp(1.0, 1e6);
        let step = if delay >= step { delay / steps } else { step };
        let groups: Vec<_> = groups.iter().map(|(count, state)| (f64::from(*count), *state)).collect();
        let rates: Vec<f64> = groups.iter().map(|(_, state)| state.rate).collect();
        // Before the start nothing was marked.
        let past = (0..=steps as usize).map(|_| (0.0, rates.clone())).collect();
        Trajectory { fluid: *self, step, steps: 0, queue: 0.0, scratch: rates, groups, past }
    }
}

impl Trajectory {
    /// The state now.
    pub fn sample(&self) -> Sample {
        Sample {
            seconds: self.steps as f64 * self.step,
            queue: self.queue,
            flows: self.groups.iter().map(|(_, state)| *state).collect(),
        }
    }

    /// The queue now, packets.
    pub fn queue(&self) -> f64 {
        self.queue
    }

    /// Take the steps of `seconds`; `look` sees the state after each.
    pub fn run(&mut self, seconds: f64, mut look: impl FnMut(&Trajectory)) {
        let end = self.steps + (seconds / self.step).round() as u64;
        while self.steps < end {
            self.advance();
            look(self);
        }
    }

    /// One step by Heun's method, second order; values a delay ago are on the grid.
    fn advance(&mut self) {
        let (h, fluid) = (self.step, self.fluid);
        let capacity = fluid.capacity;
        let inflow: f64 = self.groups.iter().map(|(count, state)| count * state.rate).sum();
        let (Some((p0, rates0)), Some((p1, rates1))) = (self.past.front(), self.past.get(1)) else {
            return;
        };
        self.scratch.clear();
        let mut inflow_next = 0.0;
        for (i, (count, state)) in self.groups.iter_mut().enumerate() {
            let k0 = fluid.slopes(state.alpha, state.target, state.rate, *p0, rates0[i]);
            let guess = bounded(state, k0, h, capacity);
            let k1 = fluid.slopes(guess.alpha, guess.target, guess.rate, *p1, rates1[i]);
            let mean = [0, 1, 2].map(|j| 0.5 * (k0[j] + k1[j]));
            *state = bounded(state, mean, h, capacity);
            inflow_next += *count * state.rate;
            self.scratch.push(state.rate);
        }
        self.queue = (self.queue + h * (0.5 * (inflow + inflow_next) - capacity)).max(0.0);
        // The oldest entry's buffer takes the newest values.
        if let Some((_, mut rates)) = self.past.pop_front() {
            std::mem::swap(&mut rates, &mut self.scratch);
            self.past.push_back((fluid.marking(self.queue), rates));
        }
        self.steps += 1;
    }
}

/// A step along `slopes`, within the line's rate.
fn bounded(state: &FlowState, slopes: [f64; 3], h: f64, capacity: f64) -> FlowState {
    FlowState {
        alpha: (state.alpha + h * slopes[0]).clamp(0.0, 1.0),
        target: (state.target + h * slopes[1]).clamp(1.0, capacity.max(1.0)),
        rate: (state.rate + h * slopes[2]).clamp(1.0, capacity.max(1.0)),
    }
}
