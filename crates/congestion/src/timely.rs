//! TIMELY (Mittal et al., SIGCOMM 2015).

use crate::control::{AckEvent, Controller, Loss};
use weir_units::{Rate, Time};

/// Parameters of TIMELY (Mittal et al., SIGCOMM 2015).
#[derive(Clone, Debug, PartialEq)]
pub struct TimelyParams {
    /// Floor of the rate.
    pub min_rate: Rate,
}

impl TimelyParams {
    /// The paper's values.
    pub fn paper() -> Self {
        Self { min_rate: Rate::from_mbps(1) }
    }

    /// As the HPCC paper's artefact sets it for a NIC of rate `line`.
    pub fn hpcc_sim(line: Rate) -> Self {
        let _ = line;
        Self { min_rate: Rate::from_mbps(1000) }
    }
}

/// The controller of one queue pair.
#[derive(Clone, Debug)]
pub struct Timely {
    rate: Rate,
}

impl Timely {
    /// At line rate, nothing measured.
    pub fn new(params: TimelyParams, line: Rate) -> Self {
        Self { rate: line.max(params.min_rate) }
    }
}

impl Controller for Timely {
    fn on_cnp(&mut self, _now: Time) {}
    fn on_ack(&mut self, _now: Time, _ack: &AckEvent<'_>) {}
    fn on_loss(&mut self, _now: Time, _loss: Loss) {}
    fn on_sent(&mut self, _now: Time, _wire_bytes: u32) {}
    fn advance(&mut self, _now: Time) {}
    fn rate(&self) -> Rate {
        self.rate
    }
    fn window_bytes(&self) -> u64 {
        u64::MAX
    }
    fn next_deadline(&self) -> Option<Time> {
        None
    }
}
