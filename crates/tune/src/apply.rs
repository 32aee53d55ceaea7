//! From a candidate to a scenario that has its parameters.

use crate::candidate::{Candidate, ControlChoice};
use std::collections::BTreeSet;
use weir_fabric::{Algorithm, ControlSpec, Preset, Scenario};
use weir_units::{Rate, Span};

/// The scenario with the candidate's parameters in place of its own: thresholds of every lossless class at every speed of
/// link, the reaction point, and the CNP interval that goes with it.
pub fn apply(candidate: &Candidate, base: &Scenario) -> Scenario {
    let mut scenario = base.clone();
    scenario.qos.ecn = !candidate.ecn.is_off();
    for class in scenario.qos.classes.iter_mut().filter(|class| class.lossless) {
        class.ecn.clone_from(&candidate.ecn);
    }
    let (preset, cnp_interval) = match candidate.control {
        ControlChoice::Scenario => return scenario,
        ControlChoice::Off => {
            scenario.control = ControlSpec::none();
            return scenario;
        }
        ControlChoice::Paper => (Preset::Paper, Span::from_us(50)),
        ControlChoice::Firmware => (Preset::Firmware, Span::from_us(4)),
        // The artefacts echo every mark and cut at most every 4 us: a CNP each 4 us at most says the same.
        ControlChoice::Hpcc => (Preset::HpccSim, Span::from_us(4)),
        ControlChoice::ConWeave => (Preset::Conweave, Span::from_us(4)),
        ControlChoice::SimAi => (Preset::Simai, Span::from_us(4)),
        ControlChoice::ParaleonExpert => (Preset::ParaleonExpert, Span::from_us(96)),
    };
    scenario.control = ControlSpec { algorithm: Algorithm::Dcqcn, preset, ..ControlSpec::default() };
    scenario.nic.cnp_interval = cnp_interval;
    scenario
}

/// The speeds of the fabric's links, slowest first.
pub fn speeds(scenario: &Scenario) -> Vec<Rate> {
    let speeds: BTreeSet<Rate> = scenario.topology.links().iter().map(|link| link.rate).collect();
    speeds.into_iter().collect()
}

/// The speed of the hosts' links: the slowest that ends at a host.
pub fn host_speed(scenario: &Scenario) -> Rate {
    let t = &scenario.topology;
    let at_host = t.links().iter().filter(|link| link.ends.iter().any(|end| t.is_host(end.node)));
    at_host.map(|link| link.rate).min().unwrap_or(Rate::from_gbps(100))
}
