//! Whether the equilibrium is stable: the phase margin of the loop from queue to marks to rates to queue.

use super::complex::Complex;
use super::{Fluid, fixed_point::FixedPoint};

/// How the model is linearised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linearisation {
    /// As in the appendix of *ECN or Delay* and its published curves: about the approximate p*, with the exponentials
    /// replaced by their first terms in p, and alpha following with the pole g R_C.
    #[default]
    Published,
    /// The model's own derivatives about its exact fixed point. Margins are smaller for few flows.
    Exact,
}

/// The loop's transfer function L at one frequency: the loop closes where 1 + L = 0.
trait Loop {
    fn at(&self, omega: f64, delay: f64) -> Complex;
}

/// The linearised equations of the appendix; delayed parts are taken times e^(-s t*).
struct Published {
    flows: f64,
    rate: f64,
    p: f64,
    g: f64,
    /// d p / d q.
    slope: f64,
    /// R_C's rate of change by: delayed p, delayed R_C, R_C, alpha, R_T.
    rc_by: [f64; 5],
    /// R_T's rate of change by: delayed p, delayed R_C, R_C; its own pole is p R_C.
    rt_by: [f64; 3],
}

impl Published {
    fn new(fluid: &Fluid, flows: u32, rate: f64) -> Self {
        let p = fluid.approximate_p(flows);
        let FixedPoint { target, alpha, .. } = fluid.rest_at(p, rate);
        // The increase terms to first order in p: b + d = A - (1/2 + A/4) p and so on.
        let a = 1.0 / fluid.byte_counter + 1.0 / (fluid.timer * rate);
        let half = 0.5 + a / 4.0;
        let recovery = 1.0 + 2.0 * fluid.recovery_rounds + a / 2.0;
        Self {
            flows: f64::from(flows),
            rate,
            p,
            g: fluid.g,
            slope: fluid.slope(),
            rc_by: [
                -0.5 * rate * rate * alpha - half * rate * target + half * rate * rate,
                -0.5 * p * rate * alpha - a / 2.0 * rate + half * p * rate,
                -0.5 * p * rate * alpha - a / 2.0 * rate + a / 2.0 * target + half * p * rate
                    - half * p * target,
                -0.5 * p * rate * rate,
                a / 2.0 * rate - half * p * rate,
            ],
            rt_by: [
                -rate * target + rate * rate - recovery * fluid.r_ai * rate,
                -p * target + p * rate + a * fluid.r_ai - recovery * fluid.r_ai * p,
                p * rate + a * fluid.r_ai,
            ],
        }
    }
}

impl Loop for Published {
    fn at(&self, omega: f64, delay: f64) -> Complex {
        let s = Complex::imaginary(omega);
        let real = Complex::from;
        // p(s) = N slope R_C(s)/s; alpha(s) = g R_C* p(s)/(s + g R_C*).
        let p_by_rc = real(self.flows * self.slope) / s;
        let alpha_pole = self.g * self.rate;
        let alpha_by_p = real(alpha_pole) / (s + real(alpha_pole));
        let rt_pole = s + real(self.p * self.rate);
        let rt_delayed = (p_by_rc * self.rt_by[0] + real(self.rt_by[1])) / rt_pole;
        let rt_now = real(self.rt_by[2]) / rt_pole;
        let [p, rc_delayed, rc_now, alpha, rt] = self.rc_by;
        let delayed = p_by_rc * p + real(rc_delayed) + alpha_by_p * p_by_rc * alpha + rt_delayed * rt;
        let now = real(rc_now) + rt_now * rt - s;
        delayed / now * Complex::turn(-omega * delay)
    }
}

/// The model's derivatives about its fixed point.
struct Exact {
    gain: f64,
    /// Rates of change of alpha, R_T, R_C by: alpha, R_T, R_C, delayed p, delayed R_C.
    by: [[f64; 5]; 3],
}

impl Exact {
    fn new(fluid: &Fluid, flows: u32, rest: &FixedPoint) -> Self {
        let point = [rest.alpha, rest.target, rest.rate, rest.p, rest.rate];
        let mut by = [[0.0; 5]; 3];
        for (column, value) in point.into_iter().enumerate() {
            // Central differences: the terms are smooth and every value is above zero.
            let step = value * 1e-5;
            let at = |value: f64| {
                let mut moved = point;
                moved[column] = value;
                fluid.slopes(moved[0], moved[1], moved[2], moved[3], moved[4])
            };
            let (up, down) = (at(value + step), at(value - step));
            for row in 0..3 {
                by[row][column] = (up[row] - down[row]) / (2.0 * step);
            }
        }
        Self { gain: f64::from(flows) * fluid.slope(), by }
    }
}

impl Loop for Exact {
    fn at(&self, omega: f64, delay: f64) -> Complex {
        let s = Complex::imaginary(omega);
        let late = Complex::turn(-omega * delay);
        let real = Complex::from;
        let [alpha, rt, rc] = self.by;
        // alpha and R_T by R_C and p, then R_C by p alone.
        let alpha_by = |column: usize| (real(alpha[column])) / (s - real(alpha[0]));
        let alpha_rc = alpha_by(2) + alpha_by(4) * late;
        let alpha_p = alpha_by(3) * late;
        let rt_pole = s - real(rt[1]);
        let rt_rc = (real(rt[2]) + late * rt[4] + alpha_rc * rt[0]) / rt_pole;
        let rt_p = (late * rt[3] + alpha_p * rt[0]) / rt_pole;
        let own = s - real(rc[2]) - late * rc[4] - alpha_rc * rc[0] - rt_rc * rc[1];
        let rc_p = (late * rc[3] + alpha_p * rc[0] + rt_p * rc[1]) / own;
        -rc_p * self.gain / s
    }
}

impl Fluid {
    /// The phase margin of `flows` flows whose control signal is `delay` seconds old, in degrees: above zero the
    /// equilibrium is stable. `None` where there is no equilibrium or the gain never crosses one.
    pub fn phase_margin(&self, flows: u32, delay: f64, linearisation: Linearisation) -> Option<f64> {
        let rate = self.fair_rate(flows)?;
        match linearisation {
            Linearisation::Published => smallest_margin(&Published::new(self, flows, rate), delay),
            Linearisation::Exact => {
                smallest_margin(&Exact::new(self, flows, &self.fixed_point(flows)?), delay)
            }
        }
    }
}

/// The smallest margin over all frequencies at which the gain is one.
fn smallest_margin(path: &impl Loop, delay: f64) -> Option<f64> {
    const STEPS: u32 = 1400;
    let gain = |omega: f64| path.at(omega, delay).abs();
    let (mut low, mut was_above) = (1.0, gain(1.0) >= 1.0);
    let mut smallest: Option<f64> = None;
    for step in 1..=STEPS {
        // 1 to 10^7 radians a second.
        let high = 10f64.powf(7.0 * f64::from(step) / f64::from(STEPS));
        let above = gain(high) >= 1.0;
        if above != was_above {
            let (mut from, mut to) = (low, high);
            for _ in 0..60 {
                let middle = (from * to).sqrt();
                if (gain(middle) >= 1.0) == was_above {
                    from = middle;
                } else {
                    to = middle;
                }
            }
            // 180 degrees and the phase: the angle of the negated value.
            let margin = (-path.at(from, delay)).arg().to_degrees();
            smallest =
                Some(smallest.map_or(margin, |old: f64| if margin.abs() < old.abs() { margin } else { old }));
        }
        (low, was_above) = (high, above);
    }
    smallest
}
