//! Parameters of the reaction point, under the paper's names and mlx5's, and the published sets of them.

use weir_units::{Rate, Span};

/// Which state machine runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The paper's: a CNP cuts the rate and updates alpha at once, and restarts timer and byte counter.
    Paper,
    /// The mlx5 firmware's: a CNP sets flags; independent periodic windows update alpha and cut the rate.
    Firmware,
}

/// When a cut pulls the target rate down to the current rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClampTarget {
    /// At every cut (the paper; mlx5 `clamp_tgt_rate` = 1).
    Always,
    /// Only if the rate has been increased since the last cut (mlx5 `clamp_tgt_rate_after_time_inc` = 1).
    AfterIncrease,
    /// Only if the byte counter has increased the rate since the last cut (QCN; mlx5 with both settings at 0).
    AfterByteIncrease,
}

/// The rate that the first CNP of a flow sets, before any cut.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum FirstCnp {
    /// The rate stays (mlx5 `rate_to_set_on_first_cnp` = 0).
    #[default]
    Keep,
    /// This rate (mlx5's setting is in Mb/s).
    Rate(Rate),
    /// This share of the current rate, 0 to 1 (the ns-3 simulators' form).
    Share(f64),
}

/// Parameters of DCQCN's reaction point.
///
/// [`super::PARAMETERS`] lists them with names, units, ranges and defaults, as data.
#[derive(Clone, Debug, PartialEq)]
pub struct DcqcnParams {
    /// Which state machine.
    pub variant: Variant,
    /// g: gain of alpha, 0 to 1. mlx5 `dce_tcp_g` is 1024 (1 − g).
    pub g: f64,
    /// First alpha, 0 to 1. mlx5 `initial_alpha_value`, of 1024.
    pub initial_alpha: f64,
    /// K: alpha's period without a CNP. mlx5 `dce_tcp_rtt`. Zero: alpha stays.
    pub alpha_interval: Span,
    /// Firmware: length of a cut window. mlx5 `rate_reduce_monitor_period`. Zero: each CNP cuts.
    pub decrease_interval: Span,
    /// Firmware: how much later than its interval the first cut window ends, so that alpha goes first where both are
    /// due (1 ns in the ns-3 simulators).
    pub decrease_offset: Span,
    /// T: increase timer. mlx5 `rpg_time_reset`. Zero: off.
    pub increase_interval: Span,
    /// B: byte counter, in wire bytes. mlx5 `rpg_byte_reset`. `None`: no byte counter.
    pub byte_counter: Option<u64>,
    /// F: rounds of fast recovery. mlx5 `rpg_threshold`.
    pub recovery_rounds: u32,
    /// R_AI: additive step. mlx5 `rpg_ai_rate`.
    pub r_ai: Rate,
    /// R_HAI: hyper step. mlx5 `rpg_hai_rate`.
    pub r_hai: Rate,
    /// Smallest share of the rate that one cut leaves, 0 to 1; 0 for no bound. mlx5 `rpg_min_dec_fac`, there in percent.
    pub min_dec_fac: f64,
    /// Floor of the rate. mlx5 `rpg_min_rate`.
    pub min_rate: Rate,
    /// Ceiling of the rate; zero for the line's. mlx5 `rpg_max_rate`.
    pub max_rate: Rate,
    /// Target rate at a cut. mlx5 `clamp_tgt_rate` and `clamp_tgt_rate_after_time_inc`.
    pub clamp: ClampTarget,
    /// What the first CNP sets. mlx5 `rate_to_set_on_first_cnp`.
    pub rate_on_first_cnp: FirstCnp,
}

impl DcqcnParams {
    /// The paper's values at 40 Gb/s (Zhu et al., SIGCOMM 2015, sections 3 to 5; R_AI and R_HAI in its evaluation).
    pub fn paper() -> Self {
        Self {
            variant: Variant::Paper,
            g: 1.0 / 256.0,
            initial_alpha: 1.0,
            alpha_interval: Span::from_us(55),
            decrease_interval: Span::from_us(50),
            decrease_offset: Span::ZERO,
            increase_interval: Span::from_us(55),
            byte_counter: Some(10_000_000),
            recovery_rounds: 5,
            r_ai: Rate::from_mbps(40),
            r_hai: Rate::from_mbps(400),
            min_dec_fac: 0.5,
            min_rate: Rate::from_mbps(1),
            max_rate: Rate::ZERO,
            clamp: ClampTarget::Always,
            rate_on_first_cnp: FirstCnp::Keep,
        }
    }

    /// The mlx5 firmware's defaults, as three public `mlxconfig` dumps show them. The byte counter's unit of 64 bytes is
    /// an inference: documents differ on it.
    pub fn firmware() -> Self {
        Self {
            variant: Variant::Firmware,
            g: 5.0 / 1024.0,
            initial_alpha: 1023.0 / 1024.0,
            alpha_interval: Span::from_us(1),
            decrease_interval: Span::from_us(4),
            decrease_offset: Span::from_ns(1),
            increase_interval: Span::from_us(300),
            byte_counter: Some(32767 * 64),
            recovery_rounds: 1,
            r_ai: Rate::from_mbps(5),
            r_hai: Rate::from_mbps(50),
            min_dec_fac: 0.5,
            min_rate: Rate::from_mbps(1),
            max_rate: Rate::ZERO,
            clamp: ClampTarget::AfterIncrease,
            rate_on_first_cnp: FirstCnp::Keep,
        }
    }

    /// The HPCC paper's artefact (SIGCOMM 2019, `run.py dcqcn`): the firmware's form, steps in proportion to the NIC's
    /// rate, no byte counter, floor 1 Gb/s.
    pub fn hpcc_sim(line: Rate) -> Self {
        Self {
            g: 1.0 / 256.0,
            initial_alpha: 1.0,
            byte_counter: None,
            r_ai: Rate::from_bps(line.as_bps() / 5000),
            r_hai: Rate::from_bps(line.as_bps() / 500),
            min_dec_fac: 0.0,
            min_rate: Rate::from_mbps(1000),
            ..Self::firmware()
        }
    }

    /// As [`DcqcnParams::hpcc_sim`] with periods near the paper's (`run.py dcqcn_paper`): 50, 50 and 55 us.
    pub fn hpcc_paper_timers(line: Rate) -> Self {
        Self {
            alpha_interval: Span::from_us(50),
            decrease_interval: Span::from_us(50),
            increase_interval: Span::from_us(55),
            ..Self::hpcc_sim(line)
        }
    }

    /// ConWeave's artefact (SIGCOMM 2023): steps of 10 and 25 Mb/s for each 25 Gb/s, floor 100 Mb/s.
    pub fn conweave(line: Rate) -> Self {
        Self {
            r_ai: Rate::from_bps(line.as_bps() / 2500),
            r_hai: Rate::from_bps(line.as_bps() / 1000),
            min_rate: Rate::from_mbps(100),
            ..Self::hpcc_sim(line)
        }
    }

    /// SimAI's default configuration file.
    pub fn simai() -> Self {
        Self {
            increase_interval: Span::from_us(900),
            r_ai: Rate::from_mbps(50),
            r_hai: Rate::from_mbps(100),
            min_rate: Rate::from_mbps(100),
            ..Self::hpcc_sim(Rate::from_gbps(100))
        }
    }

    /// Paraleon's expert baseline (ICNP 2024): the firmware's defaults with steps of 50 and 150 Mb/s and 80 us between
    /// cuts; its CNP interval is 96 us.
    pub fn paraleon_expert() -> Self {
        Self {
            decrease_interval: Span::from_us(80),
            r_ai: Rate::from_mbps(50),
            r_hai: Rate::from_mbps(150),
            ..Self::firmware()
        }
    }
}
