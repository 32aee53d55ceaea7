//! How long flows of unequal rates need (ECN or Delay, theorem 2): synchronous cuts shrink the difference by 1 - alpha/2
//! each, and alpha never falls under alpha*.

use super::Fluid;

/// The bound and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// Time until two flows differ by less than a tenth of the fair share, seconds.
    pub seconds: f64,
    /// The lower bound of alpha.
    pub alpha: f64,
    /// Alpha periods from a cut to the next.
    pub periods: f64,
}

impl Fluid {
    /// The time in which `flows` flows come within a tenth of their fair share of each other. `None` for no flows.
    ///
    /// alpha* = (1-g)^(dT-1) ((1-g) alpha* + g), where dT = 2 + (t/2 + C/(2 N R_AI)) alpha* periods pass between cuts
    /// and t = (-1 + sqrt(1 + 8 Kmax/(N R_AI tau')))/2 of them until the queue is at Kmax.
    pub fn convergence_bound(&self, flows: u32) -> Option<Convergence> {
        self.fair_rate(flows)?;
        let n = f64::from(flows);
        let step = n * self.r_ai;
        let until_marked = (-1.0 + (1.0 + 8.0 * self.kmax / (step * self.tau_alpha)).sqrt()) / 2.0;
        let growth = until_marked / 2.0 + self.capacity / (2.0 * step);
        let periods = |alpha: f64| 2.0 + growth * alpha;
        let next = |alpha: f64| (1.0 - self.g).powf(periods(alpha) - 1.0) * ((1.0 - self.g) * alpha + self.g);
        // next(alpha) - alpha falls from above zero at 0 to below zero at 1.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if next(middle) > middle {
                low = middle;
            } else {
                high = middle;
            }
        }
        let alpha = 0.5 * (low + high);
        let cuts = (0.1 / n).ln() / (1.0 - alpha / 2.0).ln();
        let seconds = cuts * self.tau_alpha * periods(alpha);
        seconds.is_finite().then_some(Convergence { seconds, alpha, periods: periods(alpha) })
    }
}
