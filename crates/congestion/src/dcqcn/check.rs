//! Whether parameters make sense.

use super::params::{DcqcnParams, FirstCnp};
use super::table::{PARAMETERS, Value};
use weir_units::Rate;

/// A parameter that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// Below the smallest or above the largest value.
    #[error("{field} is {found}; it must be between {least} and {most} ({meaning})")]
    OutOfRange {
        /// The field of [`DcqcnParams`].
        field: &'static str,
        /// Its value.
        found: Value,
        /// The smallest value.
        least: Value,
        /// The largest value.
        most: Value,
        /// What the parameter does.
        meaning: &'static str,
    },
    /// The floor is above the ceiling.
    #[error(
        "min_rate {min} is above max_rate {max}; lower min_rate, or set max_rate to 0 for the line's rate"
    )]
    FloorAboveCeiling {
        /// The floor.
        min: Rate,
        /// The ceiling.
        max: Rate,
    },
    /// A share that is not between 0 and 1.
    #[error("rate_on_first_cnp is a share of {share}; it must be above 0 and at most 1")]
    FirstCnpShare {
        /// The share.
        share: f64,
    },
}

impl DcqcnParams {
    /// Whether every value makes sense.
    ///
    /// # Errors
    ///
    /// The first parameter, in the order of [`super::PARAMETERS`], that is out of its range, or two that contradict each other.
    pub fn check(&self) -> Result<(), ParamError> {
        for parameter in PARAMETERS {
            let found = (parameter.get)(self);
            let Some((least, most)) = parameter.range else { continue };
            let (Some(value), Some(low), Some(high)) = (found.number(), least.number(), most.number()) else {
                continue;
            };
            if !(low..=high).contains(&value) {
                return Err(ParamError::OutOfRange {
                    field: parameter.field,
                    found,
                    least,
                    most,
                    meaning: parameter.meaning,
                });
            }
        }
        if let FirstCnp::Share(share) = self.rate_on_first_cnp
            && !(share > 0.0 && share <= 1.0)
        {
            return Err(ParamError::FirstCnpShare { share });
        }
        if self.max_rate != Rate::ZERO && self.min_rate > self.max_rate {
            return Err(ParamError::FloorAboveCeiling { min: self.min_rate, max: self.max_rate });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_units::Span;

    #[test]
    fn presets_are_sound_and_faults_are_named() {
        let line = Rate::from_gbps(100);
        for preset in [
            DcqcnParams::paper(),
            DcqcnParams::firmware(),
            DcqcnParams::hpcc_sim(line),
            DcqcnParams::hpcc_paper_timers(line),
            DcqcnParams::conweave(line),
            DcqcnParams::simai(),
            DcqcnParams::paraleon_expert(),
        ] {
            assert_eq!(preset.check(), Ok(()));
        }
        let paper = DcqcnParams::paper;
        let error = DcqcnParams { g: 1.5, ..paper() }.check().unwrap_err().to_string();
        assert_eq!(error, "g is 1.5; it must be between 0 and 1 (gain of alpha)");
        let error =
            DcqcnParams { increase_interval: Span::from_ns(5), ..paper() }.check().unwrap_err().to_string();
        assert_eq!(error, "increase_interval is 5 ns; it must be between 1 us and 131 ms (increase timer)");
        assert!(DcqcnParams { g: f64::NAN, ..paper() }.check().is_err());
        let floor = DcqcnParams { min_rate: line, max_rate: Rate::from_gbps(50), ..paper() };
        assert!(matches!(floor.check(), Err(ParamError::FloorAboveCeiling { .. })));
        let first = DcqcnParams { rate_on_first_cnp: FirstCnp::Share(0.0), ..paper() };
        assert!(matches!(first.check(), Err(ParamError::FirstCnpShare { .. })));
    }
}
