//! How often CNPs come: bounds, and the rate of a flow whose packets are marked independently with probability `p`.

use crate::np::CnpStyle;
use weir_units::{Rate, Span};

/// A CNP on the wire: Ethernet with preamble, gap and FCS, IPv4, UDP, BTH, 16 bytes of zeros, ICRC. Bytes.
pub const WIRE_BYTES: u64 = 98;

/// The most CNPs of one flow within `span`: one an interval, the first at once.
pub fn most_within(span: Span, interval: Span) -> u64 {
    if interval == Span::ZERO { u64::MAX } else { span.as_ps().div_ceil(interval.as_ps()) }
}

/// The most that CNPs of one flow take on the wire.
pub fn most_rate(interval: Span) -> Rate {
    if interval == Span::ZERO {
        return Rate::from_bps(u64::MAX);
    }
    Rate::from_bps((WIRE_BYTES as f64 * 8.0 / interval.as_secs_f64()) as u64)
}

/// CNPs a second of a flow of `packets` packets a second: at window ends (1 - (1-p)^(tau R))/tau, at once
/// 1/(tau + 1/(p R)).
pub fn rate(style: CnpStyle, p: f64, packets: f64, interval: Span) -> f64 {
    let tau = interval.as_secs_f64();
    match style {
        CnpStyle::WindowEnd if tau > 0.0 => -(tau * packets * (-p).ln_1p()).exp_m1() / tau,
        _ => 1.0 / (tau + 1.0 / (p * packets)),
    }
}
