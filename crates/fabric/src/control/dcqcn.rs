//! DCQCN's parameters, as far as a scenario changes them.

use super::{Clamp, DcqcnVariant};
use serde::Serialize;
use weir_congestion::{ClampTarget, DcqcnParams, FirstCnp, Variant};
use weir_units::{Bytes, Rate, Span};

/// DCQCN parameters that differ from the preset's.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    pub(super) fn apply(&self, p: &mut DcqcnParams) {
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
