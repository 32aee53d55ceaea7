//! A candidate: the parameters that one trial sets.

use serde::Serialize;
use weir_fabric::EcnRule;

/// Which reaction point the hosts run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ControlChoice {
    /// As the scenario says.
    Scenario,
    /// DCQCN with the paper's parameters (SIGCOMM 2015, 40 Gb/s).
    Paper,
    /// DCQCN with the mlx5 firmware's defaults.
    Firmware,
    /// DCQCN as the HPCC paper's artefact sets it (timers 1, 4 and 300 us, steps by speed).
    Hpcc,
    /// DCQCN as ConWeave sets it.
    ConWeave,
    /// DCQCN as SimAI's default configuration sets it.
    SimAi,
    /// DCQCN as Paraleon's expert baseline sets it.
    ParaleonExpert,
    /// None: PFC alone.
    Off,
}

/// One set of parameters to try.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// A short name, unique in a run.
    pub name: String,
    /// Where the values come from.
    pub source: String,
    /// Marking at the switches.
    pub ecn: EcnRule,
    /// Reaction at the hosts.
    pub control: ControlChoice,
}
