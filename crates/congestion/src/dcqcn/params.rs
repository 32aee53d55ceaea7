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
}

/// Parameters of DCQCN's reaction point.
#[derive(Clone, Debug, PartialEq)]
pub struct DcqcnParams {
    /// Which state machine.
    pub variant: Variant,
    /// g: gain of alpha, 0 to 1. mlx5 `dce_tcp_g` is 1024 (1 − g).
    pub g: f64,
    /// First alpha. mlx5 `initial_alpha_value` of 1024.
    pub initial_alpha: f64,
    /// K: alpha period. mlx5 `dce_tcp_rtt`.
    pub alpha_interval: Span,
    /// Firmware: shortest time between cuts. mlx5 `rate_reduce_monitor_period`.
    pub decrease_interval: Span,
    /// Firmware: how much later than its interval the first cut window ends, so that alpha goes first.
    pub decrease_offset: Span,
    /// T: increase timer. mlx5 `rpg_time_reset`.
    pub increase_interval: Span,
    /// B: byte counter, wire bytes. mlx5 `rpg_byte_reset`. `None`: no byte counter.
    pub byte_counter: Option<u64>,
    /// F: rounds of fast recovery. mlx5 `rpg_threshold`.
    pub recovery_rounds: u32,
    /// R_AI: additive step. mlx5 `rpg_ai_rate`.
    pub r_ai: Rate,
    /// R_HAI: hyper step. mlx5 `rpg_hai_rate`.
    pub r_hai: Rate,
    /// Largest share of the rate that one cut may take, 0 to 1. mlx5 `rpg_min_dec_fac` in percent is what must stay.
    pub largest_cut: f64,
    /// Floor. mlx5 `rpg_min_rate`.
    pub min_rate: Rate,
    /// Ceiling; zero for the line's rate. mlx5 `rpg_max_rate`.
    pub max_rate: Rate,
    /// Target rate at a cut.
    pub clamp: ClampTarget,
    /// Share of the rate to go to at the first CNP. mlx5 `rate_to_set_on_first_cnp`; `None`: keep.
    pub rate_on_first_cnp: Option<f64>,
}

impl DcqcnParams {
    /// The paper's values (sections 4 and 5).
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
            largest_cut: 0.5,
            min_rate: Rate::from_mbps(1),
            max_rate: Rate::ZERO,
            clamp: ClampTarget::Always,
            rate_on_first_cnp: None,
        }
    }

    /// The mlx5 firmware's defaults, as three public `mlxconfig` dumps show them.
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
            largest_cut: 0.5,
            min_rate: Rate::from_mbps(1),
            max_rate: Rate::ZERO,
            clamp: ClampTarget::AfterIncrease,
            rate_on_first_cnp: None,
        }
    }

    /// The HPCC paper's artefact (`run.py dcqcn`): firmware form, steps in proportion to the NIC's rate, no byte counter.
    pub fn hpcc_sim(line: Rate) -> Self {
        let scaled = |mbps: u64| Rate::from_bps(mbps * 1_000_000 * line.as_bps() / 25_000_000_000);
        Self {
            g: 1.0 / 256.0,
            initial_alpha: 1.0,
            byte_counter: None,
            r_ai: scaled(5),
            r_hai: scaled(50),
            largest_cut: 1.0,
            min_rate: Rate::from_mbps(1000),
            ..Self::firmware()
        }
    }
}
