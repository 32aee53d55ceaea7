//! Which congestion control the hosts run, and with which parameters.

mod dcqcn;
mod rivals;

pub use dcqcn::DcqcnChanges;
pub use rivals::{DctcpChanges, HpccChanges, Segment, SwiftChanges, TimelyChanges};

use crate::text::keywords;
use serde::Serialize;
use weir_congestion::{ControlParams, DcqcnParams, DctcpParams, HpccParams, SwiftParams, TimelyParams};
use weir_units::{Bytes, Rate, Span};

keywords! {
    /// A congestion control algorithm.
    pub enum Algorithm: "a congestion control algorithm" {
        /// None: line rate, PFC alone.
        None = "none",
        /// DCQCN (Zhu et al., SIGCOMM 2015).
        #[default]
        Dcqcn = "dcqcn",
        /// A DCTCP-style window (Alizadeh et al., SIGCOMM 2010).
        Dctcp = "dctcp",
        /// TIMELY (Mittal et al., SIGCOMM 2015).
        Timely = "timely",
        /// HPCC (Li et al., SIGCOMM 2019).
        Hpcc = "hpcc",
        /// Swift (Kumar et al., SIGCOMM 2020).
        Swift = "swift",
    }
}

keywords! {
    /// Published parameter sets.
    pub enum Preset: "a preset" {
        /// The values of the algorithm's paper.
        #[default]
        Paper = "paper",
        /// DCQCN: the mlx5 firmware's defaults.
        Firmware = "firmware",
        /// As the HPCC paper's artefact sets the algorithm for the NIC's rate.
        HpccSim = "hpcc-sim",
        /// DCQCN: the HPCC paper's artefact with the DCQCN paper's periods (50, 50 and 55 us).
        HpccPaperTimers = "hpcc-paper-timers",
        /// DCQCN: ConWeave's artefact (SIGCOMM 2023).
        Conweave = "conweave",
        /// DCQCN: SimAI's default configuration.
        Simai = "simai",
        /// DCQCN: Paraleon's expert baseline (ICNP 2024).
        ParaleonExpert = "paraleon-expert",
        /// TIMELY: with the patch that gives it a fixed point (ECN or Delay, CoNEXT 2016).
        Patched = "patched",
        /// Swift: a target of the path's base round trip and 10 us of queueing, for fabrics far faster than the paper's.
        AboveBase = "above-base",
    }
}

keywords! {
    /// Which of DCQCN's state machines runs.
    pub enum DcqcnVariant: "a DCQCN variant" {
        /// A CNP cuts the rate and updates alpha at once.
        #[default]
        Paper = "paper",
        /// A CNP sets flags that periodic windows look at.
        Firmware = "firmware",
    }
}

keywords! {
    /// When a cut pulls DCQCN's target rate down to the current rate.
    pub enum Clamp: "a way to clamp the target rate" {
        /// At every cut.
        #[default]
        Always = "always",
        /// If the rate was increased since the last cut.
        AfterIncrease = "after-increase",
        /// If the byte counter increased the rate since the last cut.
        AfterByteIncrease = "after-byte-increase",
    }
}

/// Congestion control of every host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ControlSpec {
    /// Off: none, whatever else is said. The one switch for PFC alone.
    pub enabled: bool,
    /// Which algorithm.
    pub algorithm: Algorithm,
    /// The values to begin with.
    pub preset: Preset,
    /// What differs from the preset.
    #[serde(flatten)]
    pub changes: Changes,
}

/// Parameters of one algorithm that differ from the preset's.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant, reason = "there is one in a scenario")]
pub enum Changes {
    /// Nothing can differ.
    None {},
    /// DCQCN's.
    Dcqcn(DcqcnChanges),
    /// DCTCP's.
    Dctcp(DctcpChanges),
    /// TIMELY's.
    Timely(TimelyChanges),
    /// HPCC's.
    Hpcc(HpccChanges),
    /// Swift's.
    Swift(SwiftChanges),
}

impl Default for ControlSpec {
    /// DCQCN as in the paper.
    fn default() -> Self {
        Self::dcqcn(Preset::Paper, DcqcnChanges::default())
    }
}

impl ControlSpec {
    /// DCQCN with a published set of parameters and changes to it.
    pub fn dcqcn(preset: Preset, changes: DcqcnChanges) -> Self {
        Self { enabled: true, algorithm: Algorithm::Dcqcn, preset, changes: Changes::Dcqcn(changes) }
    }

    /// No congestion control.
    pub fn none() -> Self {
        Self {
            enabled: true,
            algorithm: Algorithm::None,
            preset: Preset::default(),
            changes: Changes::None {},
        }
    }

    /// The algorithm that runs: none where control is off.
    pub fn running(&self) -> Algorithm {
        if self.enabled { self.algorithm } else { Algorithm::None }
    }

    /// The parameters at a host whose line has this rate, for packets of `mtu` payload. Changes that are not the
    /// algorithm's count as none, and a preset that it does not have as the paper's.
    pub fn params(&self, line: Rate, mtu: Bytes) -> ControlParams {
        let mtu = u32::try_from(mtu.get()).unwrap_or(u32::MAX);
        match self.running() {
            Algorithm::None => ControlParams::None,
            Algorithm::Dcqcn => {
                let mut params = match self.preset {
                    Preset::Firmware => DcqcnParams::firmware(),
                    Preset::HpccSim => DcqcnParams::hpcc_sim(line),
                    Preset::HpccPaperTimers => DcqcnParams::hpcc_paper_timers(line),
                    Preset::Conweave => DcqcnParams::conweave(line),
                    Preset::Simai => DcqcnParams::simai(),
                    Preset::ParaleonExpert => DcqcnParams::paraleon_expert(),
                    Preset::Paper | Preset::Patched | Preset::AboveBase => DcqcnParams::paper(),
                };
                if let Changes::Dcqcn(changes) = &self.changes {
                    changes.apply(&mut params);
                }
                ControlParams::Dcqcn(params)
            }
            Algorithm::Dctcp => {
                let base = match self.preset {
                    Preset::HpccSim => DctcpParams::hpcc_sim(line),
                    _ => DctcpParams::paper(),
                };
                let mut params = DctcpParams { mss_bytes: u64::from(mtu), ..base };
                if let Changes::Dctcp(changes) = &self.changes {
                    changes.apply(&mut params);
                }
                ControlParams::Dctcp(params)
            }
            Algorithm::Timely => {
                let mut params = match self.preset {
                    Preset::HpccSim => TimelyParams::hpcc_sim(line),
                    Preset::Patched => TimelyParams::patched(),
                    _ => TimelyParams::paper(),
                };
                if let Changes::Timely(changes) = &self.changes {
                    changes.apply(&mut params);
                }
                ControlParams::Timely(params)
            }
            Algorithm::Hpcc => {
                let mut params = match self.preset {
                    Preset::HpccSim => HpccParams::hpcc_sim(line),
                    _ => HpccParams::paper(line),
                };
                if let Changes::Hpcc(changes) = &self.changes {
                    changes.apply(&mut params);
                }
                ControlParams::Hpcc(params)
            }
            Algorithm::Swift => {
                let base = match self.preset {
                    Preset::AboveBase => SwiftParams::above_base(Span::from_us(10)),
                    _ => SwiftParams::paper(),
                };
                let mut params = SwiftParams { mtu_bytes: mtu, ..base };
                if let Changes::Swift(changes) = &self.changes {
                    changes.apply(&mut params);
                }
                ControlParams::Swift(params)
            }
        }
    }
}

impl Algorithm {
    /// The presets that there are for this algorithm.
    pub fn presets(self) -> &'static [Preset] {
        match self {
            Algorithm::None => &[Preset::Paper],
            Algorithm::Dcqcn => &[
                Preset::Paper,
                Preset::Firmware,
                Preset::HpccSim,
                Preset::HpccPaperTimers,
                Preset::Conweave,
                Preset::Simai,
                Preset::ParaleonExpert,
            ],
            Algorithm::Dctcp | Algorithm::Hpcc => &[Preset::Paper, Preset::HpccSim],
            Algorithm::Timely => &[Preset::Paper, Preset::Patched, Preset::HpccSim],
            Algorithm::Swift => &[Preset::Paper, Preset::AboveBase],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_congestion::Variant;

    #[test]
    fn changes_go_over_the_preset() {
        let changes = DcqcnChanges { r_ai: Some(Rate::from_mbps(7)), ..DcqcnChanges::default() };
        let spec = ControlSpec::dcqcn(Preset::HpccSim, changes);
        let mut expected = DcqcnParams::hpcc_sim(Rate::from_gbps(400));
        expected.r_ai = Rate::from_mbps(7);
        let mtu = Bytes::from_kib(1);
        assert_eq!(spec.params(Rate::from_gbps(400), mtu), ControlParams::Dcqcn(expected));
        let off = ControlSpec { enabled: false, ..spec };
        assert_eq!(off.params(Rate::from_gbps(400), mtu), ControlParams::None);
    }

    #[test]
    fn every_preset_is_some_algorithms_and_no_two_of_one_are_alike() {
        let line = Rate::from_gbps(100);
        for (_, algorithm) in <Algorithm as crate::Keyword>::ALL {
            let params: Vec<ControlParams> = algorithm
                .presets()
                .iter()
                .map(|preset| {
                    let spec = ControlSpec {
                        enabled: true,
                        algorithm: *algorithm,
                        preset: *preset,
                        changes: Changes::None {},
                    };
                    spec.params(line, Bytes::from_kib(1))
                })
                .collect();
            for (i, one) in params.iter().enumerate() {
                assert!(params[..i].iter().all(|other| other != one), "{algorithm} {i}");
            }
        }
        let ControlParams::Dcqcn(params) = ControlSpec::default().params(line, Bytes::from_kib(1)) else {
            panic!("the default is DCQCN")
        };
        assert_eq!(params.variant, Variant::Paper);
    }
}
