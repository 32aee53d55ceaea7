//! How much headroom a lossless port and priority needs.

use weir_units::{Rate, Span};

/// What the ns-3 HPCC simulator gives a port: three times what the line carries in its one-way delay (whole ns).
pub const fn hpcc_bytes(rate: Rate, delay: Span) -> u64 {
    (rate.as_bps() as u128 * delay.as_ns() as u128 / 8 / 1_000_000_000 * 3) as u64
}
