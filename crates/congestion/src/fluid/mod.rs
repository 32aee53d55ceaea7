//! DCQCN as a fluid: what theory says before anything is simulated.
//!
//! The model is that of Zhu et al., *ECN or Delay* (CoNEXT 2016, section 3), after section 5 of the DCQCN paper: N flows
//! share one link whose queue marks by RED; rates in packets a second, queues in packets, a packet being
//! [`Fluid::packet_bytes`]. With `p` and `R` the marking probability and the rate one control delay ago,
//!
//! ```text
//! dq/dt     = sum of R_C - C
//! dalpha/dt = g/tau' (1 - (1-p)^(tau' R) - alpha)
//! dR_T/dt   = -(R_T - R_C)/tau a + R_AI R (c + e)
//! dR_C/dt   = -R_C alpha/(2 tau) a + (R_T - R_C)/2 R (b + d)
//! a = 1 - (1-p)^(tau R)          b = p/((1-p)^-B - 1)       c = b (1-p)^(F B)
//! d = p/((1-p)^(-T R) - 1)       e = d (1-p)^(F T R)
//! ```
//!
//! There is no hyper increase in it, and a CNP interval `tau` cuts at most once.
//!
//! * [`Fluid::fixed_point`]: where rates and queue rest, exactly and by the papers' formula.
//! * [`Fluid::phase_margin`]: whether they stay there, given the control delay.
//! * [`Fluid::convergence_bound`]: how long unequal flows need.
//! * [`Fluid::trajectory`]: the equations integrated in time.
//! * [`Fluid::line_rate_start_peak`]: the queue when all flows start at line rate.
//! * [`cnp`]: how often CNPs come.

pub mod cnp;
mod complex;
mod convergence;
mod fixed_point;
mod margin;
mod peak;
mod trajectory;

pub use convergence::Convergence;
pub use fixed_point::FixedPoint;
pub use margin::Linearisation;
pub use trajectory::{FlowState, Sample, Trajectory};

use crate::dcqcn::DcqcnParams;
use crate::red::RedParams;
use weir_units::{Rate, Span};

/// A link and what marks and reacts at it, in the model's units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fluid {
    /// C: packets a second.
    pub capacity: f64,
    /// Bytes that the model calls a packet.
    pub packet_bytes: f64,
    /// Kmin, packets.
    pub kmin: f64,
    /// Kmax, packets.
    pub kmax: f64,
    /// Pmax.
    pub pmax: f64,
    /// g.
    pub g: f64,
    /// tau: CNP interval, seconds.
    pub tau: f64,
    /// tau': alpha's period, seconds.
    pub tau_alpha: f64,
    /// T: increase timer, seconds.
    pub timer: f64,
    /// B: byte counter, packets; infinite for none.
    pub byte_counter: f64,
    /// F: rounds of fast recovery.
    pub recovery_rounds: f64,
    /// R_AI: packets a second.
    pub r_ai: f64,
}

/// The terms a to e, and the share of alpha periods that see a mark.
#[derive(Clone, Copy, Debug)]
struct Terms {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    e: f64,
    marked: f64,
}

/// A rate that the terms are still defined at, packets a second.
const LEAST_RATE: f64 = 1e-3;

impl Fluid {
    /// The model of parameters for the paper's form of DCQCN, on a link of rate `capacity`.
    pub fn new(
        dcqcn: &DcqcnParams,
        red: &RedParams,
        cnp_interval: Span,
        capacity: Rate,
        packet_bytes: u32,
    ) -> Self {
        let bytes = f64::from(packet_bytes.max(1));
        let packets_a_second = |rate: Rate| rate.as_bps() as f64 / 8.0 / bytes;
        Self {
            capacity: packets_a_second(capacity),
            packet_bytes: bytes,
            kmin: red.kmin_bytes as f64 / bytes,
            kmax: red.kmax_bytes as f64 / bytes,
            pmax: red.pmax,
            g: dcqcn.g,
            tau: cnp_interval.as_secs_f64(),
            tau_alpha: dcqcn.alpha_interval.as_secs_f64(),
            timer: dcqcn.increase_interval.as_secs_f64(),
            byte_counter: dcqcn.byte_counter.map_or(f64::INFINITY, |b| b as f64 / bytes),
            recovery_rounds: f64::from(dcqcn.recovery_rounds),
            r_ai: packets_a_second(dcqcn.r_ai),
        }
    }

    /// The DCQCN paper's parameters at 40 Gb/s: marking 5 KB, 200 KB, 1 %, CNPs each 50 us, packets of 1000 bytes.
    pub fn paper_40g() -> Self {
        let red = RedParams { kmin_bytes: 5_000, kmax_bytes: 200_000, pmax: 0.01 };
        Self::new(&DcqcnParams::paper(), &red, Span::from_us(50), Rate::from_gbps(40), 1000)
    }

    /// The slope of the marking ramp, probability a packet.
    fn slope(&self) -> f64 {
        self.pmax / (self.kmax - self.kmin)
    }

    /// Marking probability at a queue of `queue` packets.
    fn marking(&self, queue: f64) -> f64 {
        if queue > self.kmax {
            1.0
        } else if queue > self.kmin {
            self.slope() * (queue - self.kmin)
        } else {
            0.0
        }
    }

    /// The terms at marking probability `p` and rate `rate`; their limits where p is 0.
    fn terms(&self, p: f64, rate: f64) -> Terms {
        let rate = rate.max(LEAST_RATE);
        let (timer, bytes) = (self.timer * rate, self.byte_counter);
        if p <= 0.0 {
            let (b, d) = (1.0 / bytes, 1.0 / timer);
            return Terms { a: 0.0, b, c: b, d, e: d, marked: 0.0 };
        }
        // ln(1-p), and expm1 below, keep the digits of small p.
        let kept = (-p.min(1.0 - 1e-15)).ln_1p();
        let some = |packets: f64| -(packets * kept).exp_m1();
        let every = |packets: f64| if packets.is_finite() { p / (-packets * kept).exp_m1() } else { 0.0 };
        let run = |packets: f64| {
            if packets.is_finite() { (self.recovery_rounds * packets * kept).exp() } else { 0.0 }
        };
        let (b, d) = (every(bytes), every(timer));
        Terms {
            a: some(self.tau * rate),
            b,
            c: b * run(bytes),
            d,
            e: d * run(timer),
            marked: some(self.tau_alpha * rate),
        }
    }
}
