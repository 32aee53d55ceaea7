//! Which congestion control the hosts run, and with which parameters.

use crate::text::keywords;
use serde::Serialize;
use weir_congestion as cc;
use weir_congestion::ControlParams;
use weir_congestion::dcqcn::{ClampTarget, DcqcnParams, FirstCnp, Variant};
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

/// DCQCN parameters that differ from the preset's.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(default)]
pub struct DcqcnChanges {
    /// Which state machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<DcqcnVariant>,
    /// Gain of alpha.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub g: Option<f64>,
    /// First alpha.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_alpha: Option<f64>,
    /// Alpha period.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha_interval: Option<Span>,
    /// Firmware: shortest time between cuts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decrease_interval: Option<Span>,
    /// Increase timer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increase_interval: Option<Span>,
    /// Byte counter; `Some(None)` for none.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "or_none")]
    pub byte_counter: Option<Option<Bytes>>,
    /// Rounds of fast recovery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery_rounds: Option<u32>,
    /// Additive step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r_ai: Option<Rate>,
    /// Hyper step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r_hai: Option<Rate>,
    /// Smallest share of the rate that one cut leaves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_dec_fac: Option<f64>,
    /// Floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rate: Option<Rate>,
    /// Ceiling; zero for the line's rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rate: Option<Rate>,
    /// Target rate at a cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clamp: Option<Clamp>,
    /// What the first CNP sets the rate to; zero keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_on_first_cnp: Option<Rate>,
    /// What share of the rate the first CNP leaves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share_on_first_cnp: Option<f64>,
}

fn or_none<S: serde::Serializer>(value: &Option<Option<Bytes>>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(Some(bytes)) => bytes.serialize(serializer),
        _ => serializer.serialize_str("none"),
    }
}

impl DcqcnChanges {
    fn apply(&self, p: &mut DcqcnParams) {
        fn set<T: Copy>(to: &mut T, from: Option<T>) {
            if let Some(from) = from {
                *to = from;
            }
        }
        set(
            &mut p.variant,
            self.variant.map(|variant| match variant {
                DcqcnVariant::Paper => Variant::Paper,
                DcqcnVariant::Firmware => Variant::Firmware,
            }),
        );
        set(
            &mut p.clamp,
            self.clamp.map(|clamp| match clamp {
                Clamp::Always => ClampTarget::Always,
                Clamp::AfterIncrease => ClampTarget::AfterIncrease,
                Clamp::AfterByteIncrease => ClampTarget::AfterByteIncrease,
            }),
        );
        set(&mut p.g, self.g);
        set(&mut p.initial_alpha, self.initial_alpha);
        set(&mut p.alpha_interval, self.alpha_interval);
        set(&mut p.decrease_interval, self.decrease_interval);
        set(&mut p.increase_interval, self.increase_interval);
        set(&mut p.byte_counter, self.byte_counter.map(|bytes| bytes.map(Bytes::get)));
        set(&mut p.recovery_rounds, self.recovery_rounds);
        set(&mut p.r_ai, self.r_ai);
        set(&mut p.r_hai, self.r_hai);
        set(&mut p.min_dec_fac, self.min_dec_fac);
        set(&mut p.min_rate, self.min_rate);
        set(&mut p.max_rate, self.max_rate);
        let first = self.rate_on_first_cnp.map(|rate| match rate {
            Rate::ZERO => FirstCnp::Keep,
            rate => FirstCnp::Rate(rate),
        });
        set(&mut p.rate_on_first_cnp, self.share_on_first_cnp.map(FirstCnp::Share).or(first));
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
    /// What differs from the preset, for DCQCN.
    #[serde(flatten)]
    pub dcqcn: DcqcnChanges,
}

impl Default for ControlSpec {
    /// DCQCN as in the paper.
    fn default() -> Self {
        Self {
            enabled: true,
            algorithm: Algorithm::Dcqcn,
            preset: Preset::Paper,
            dcqcn: DcqcnChanges::default(),
        }
    }
}

impl ControlSpec {
    /// No congestion control.
    pub fn none() -> Self {
        Self { algorithm: Algorithm::None, ..Self::default() }
    }

    /// The algorithm that runs: none where control is off.
    pub fn running(&self) -> Algorithm {
        if self.enabled { self.algorithm } else { Algorithm::None }
    }

    /// The parameters at a host whose line has this rate.
    pub fn params(&self, line: Rate) -> ControlParams {
        let hpcc_sim = self.preset == Preset::HpccSim;
        match self.running() {
            Algorithm::None => ControlParams::None,
            Algorithm::Dcqcn => {
                let mut params = match self.preset {
                    Preset::Paper => DcqcnParams::paper(),
                    Preset::Firmware => DcqcnParams::firmware(),
                    Preset::HpccSim => DcqcnParams::hpcc_sim(line),
                    Preset::HpccPaperTimers => DcqcnParams::hpcc_paper_timers(line),
                    Preset::Conweave => DcqcnParams::conweave(line),
                    Preset::Simai => DcqcnParams::simai(),
                    Preset::ParaleonExpert => DcqcnParams::paraleon_expert(),
                };
                self.dcqcn.apply(&mut params);
                ControlParams::Dcqcn(params)
            }
            Algorithm::Dctcp if hpcc_sim => ControlParams::Dctcp(cc::DctcpParams::hpcc_sim(line)),
            Algorithm::Dctcp => ControlParams::Dctcp(cc::DctcpParams::paper()),
            Algorithm::Timely if hpcc_sim => ControlParams::Timely(cc::TimelyParams::hpcc_sim(line)),
            Algorithm::Timely => ControlParams::Timely(cc::TimelyParams::paper()),
            Algorithm::Hpcc if hpcc_sim => ControlParams::Hpcc(cc::HpccParams::hpcc_sim(line)),
            Algorithm::Hpcc => ControlParams::Hpcc(cc::HpccParams::paper(line)),
            Algorithm::Swift => ControlParams::Swift(cc::SwiftParams::paper()),
        }
    }
}
