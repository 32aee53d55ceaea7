//! Where rates and queue rest (ECN or Delay, theorem 1).

use super::Fluid;

/// The equilibrium of N flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedPoint {
    /// p*: marking probability.
    pub p: f64,
    /// R_C*: rate of each flow, packets a second.
    pub rate: f64,
    /// R_T*: target of each flow, packets a second.
    pub target: f64,
    /// alpha*.
    pub alpha: f64,
    /// q*: the queue that marks with p*, on the ramp or its continuation; packets.
    pub queue: f64,
    /// Whether p* is at most Pmax. If not there is no equilibrium on the ramp, and the queue chatters about Kmax.
    pub is_on_ramp: bool,
}

impl Fluid {
    /// The unique fixed point of `flows` flows: a^2 alpha*/((b + d)(c + e)) = tau^2 R_AI R_C*, whose left side grows
    /// with p. `None` for no flows or parameters that have none.
    pub fn fixed_point(&self, flows: u32) -> Option<FixedPoint> {
        let rate = self.fair_rate(flows)?;
        let wanted = self.tau * self.tau * self.r_ai * rate;
        let excess = |p: f64| {
            let t = self.terms(p, rate);
            // Where the increase terms have underflowed to nothing, p is far too large.
            let increase = (t.b + t.d) * (t.c + t.e);
            if increase == 0.0 { f64::INFINITY } else { t.a * t.a * t.marked / increase - wanted }
        };
        let (mut low, mut high) = (1e-15f64, 1.0 - 1e-12);
        if !(excess(low) < 0.0 && excess(high) > 0.0) {
            return None;
        }
        // Bisection in the logarithm: p spans decades.
        for _ in 0..200 {
            let middle = (low * high).sqrt();
            if excess(middle) > 0.0 {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(self.rest_at((low * high).sqrt(), rate))
    }

    /// The papers' formula for p*, from the first term of its series in p:
    /// p* ~ cube root of R_AI N^2/(tau' C^2) (1/B + N/(T C))^2. It overestimates, more so with more flows.
    pub fn approximate_p(&self, flows: u32) -> f64 {
        let n = f64::from(flows);
        let increase = 1.0 / self.byte_counter + n / (self.timer * self.capacity);
        (self.r_ai * n * n / (self.tau_alpha * self.capacity * self.capacity) * increase * increase).cbrt()
    }

    /// The fixed point's other values, given p.
    pub(super) fn rest_at(&self, p: f64, rate: f64) -> FixedPoint {
        let t = self.terms(p, rate);
        FixedPoint {
            p,
            rate,
            target: rate * (1.0 + (t.c + t.e) * self.tau * self.r_ai / t.a),
            alpha: t.marked,
            queue: self.kmin + p / self.slope(),
            is_on_ramp: p <= self.pmax,
        }
    }

    pub(super) fn fair_rate(&self, flows: u32) -> Option<f64> {
        let rate = self.capacity / f64::from(flows);
        (flows > 0 && rate.is_finite() && rate > 0.0).then_some(rate)
    }
}
