//! DCQCN's reaction point (Zhu et al., SIGCOMM 2015, section 3.3), in the paper's form and in the mlx5 firmware's.

mod check;
mod params;
mod point;
mod table;

pub use check::ParamError;
pub use params::{ClampTarget, DcqcnParams, FirstCnp, Variant};
pub use point::{Dcqcn, RpTimer};
pub use table::{PARAMETERS, Parameter, Value};
