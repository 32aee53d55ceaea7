//! A candidate: the parameters that one trial sets.

use serde::{Deserialize, Serialize};
use weir_units::{Bytes, Rate};

/// RED marking thresholds of a switch egress queue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// Never marked up to this depth.
    pub kmin: Bytes,
    /// Always marked above this depth.
    pub kmax: Bytes,
    /// Marking probability at Kmax, 0 to 1.
    pub pmax: f64,
}

/// How thresholds follow from the speed of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum EcnRule {
    /// The same bytes at every speed, as a switch profile that knows no speed sets them.
    Fixed(Thresholds),
    /// In proportion to the link's rate: the thresholds are those at `at`.
    Proportional {
        /// The speed that the thresholds are meant for.
        at: Rate,
        /// Thresholds at that speed.
        thresholds: Thresholds,
    },
    /// A table by speed, ascending; a speed that is not in it takes the nearest one.
    Table(Vec<(Rate, Thresholds)>),
    /// No marking at all.
    Off,
}

impl EcnRule {
    /// The thresholds at a link of rate `rate`, or `None` where nothing is marked.
    pub fn at(&self, rate: Rate) -> Option<Thresholds> {
        match self {
            EcnRule::Off => None,
            EcnRule::Fixed(thresholds) => Some(*thresholds),
            EcnRule::Proportional { at, thresholds } => {
                let scale = |bytes: Bytes| {
                    let scaled =
                        u128::from(bytes.get()) * u128::from(rate.as_bps()) / u128::from(at.as_bps().max(1));
                    Bytes::new(scaled as u64)
                };
                Some(Thresholds { kmin: scale(thresholds.kmin), kmax: scale(thresholds.kmax), ..*thresholds })
            }
            EcnRule::Table(rows) => rows
                .iter()
                .min_by_key(|(speed, _)| speed.as_bps().abs_diff(rate.as_bps()))
                .map(|(_, thresholds)| *thresholds),
        }
    }
}

/// Which reaction point the hosts run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

#[cfg(test)]
mod tests {
    use super::*;

    const HPCC: Thresholds = Thresholds { kmin: Bytes::from_kb(400), kmax: Bytes::from_kb(1600), pmax: 0.2 };

    #[test]
    fn proportional_thresholds_follow_the_speed() {
        let rule = EcnRule::Proportional { at: Rate::from_gbps(100), thresholds: HPCC };
        let at_400 = rule.at(Rate::from_gbps(400)).unwrap();
        assert_eq!(
            (at_400.kmin, at_400.kmax, at_400.pmax),
            (Bytes::from_kb(1600), Bytes::from_kb(6400), 0.2)
        );
    }

    #[test]
    fn a_table_takes_the_nearest_speed() {
        let low = Thresholds { kmin: Bytes::from_kb(1), ..HPCC };
        let rule = EcnRule::Table(vec![(Rate::from_gbps(100), low), (Rate::from_gbps(400), HPCC)]);
        assert_eq!(rule.at(Rate::from_gbps(40)), Some(low));
        assert_eq!(rule.at(Rate::from_gbps(800)), Some(HPCC));
        assert_eq!(EcnRule::Off.at(Rate::from_gbps(100)), None);
    }
}
