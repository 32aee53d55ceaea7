//! T4 and T5: what a notification point sends, against the formulas.

use weir_congestion::fluid::cnp;
use weir_congestion::np::CnpStyle;
use weir_congestion::{NotificationPoint, NpParams};
use weir_units::{Span, Time};

/// CNPs within `length` of a flow of `packets` a second, each marked independently with probability `p`.
fn count(params: &NpParams, packets: u64, p: f64, length: Span) -> u64 {
    let gap = Span::from_ps(1_000_000_000_000 / packets);
    let mut np = NotificationPoint::default();
    let (mut state, mut sent, mut now) = (99u64, 0, Time::ZERO);
    let least = (p * u64::MAX as f64) as u64;
    while now < Time::ZERO + length {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        if (z ^ (z >> 31)) <= least {
            if let Some(at) = np.next_deadline().filter(|at| *at <= now) {
                sent += u64::from(np.handle_deadline(at, params));
            }
            sent += u64::from(np.on_ce(now, params));
        }
        now += gap;
    }
    sent
}

#[test]
fn never_more_than_one_an_interval() {
    for style in [CnpStyle::Immediate, CnpStyle::WindowEnd] {
        let params = NpParams { style, ..NpParams::paper() };
        for us in [1, 49, 50, 51, 1000, 10_000] {
            let sent = count(&params, 2_500_000, 1.0, Span::from_us(us));
            let most = cnp::most_within(Span::from_us(us), params.interval);
            assert!(sent <= most && sent + 1 >= most, "{style:?}, {us} us: {sent} of {most}");
        }
    }
}

/// Within four standard deviations of the formula, for the two cases that T5 works out.
#[test]
fn rates_of_independent_marks() {
    let length = Span::from_s(8);
    for (packets, p, at_window_ends) in [(2_500_000, 0.000_704, 1686.0), (1_250_000, 0.001_802, 2132.0)] {
        for style in [CnpStyle::WindowEnd, CnpStyle::Immediate] {
            let params = NpParams { style, ..NpParams::paper() };
            let wanted = cnp::rate(style, p, packets as f64, params.interval) * length.as_secs_f64();
            let sent = count(&params, packets, p, length) as f64;
            assert!((sent - wanted).abs() <= 4.0 * wanted.sqrt(), "{style:?}: {sent}, wanted {wanted}");
            if style == CnpStyle::WindowEnd {
                assert!((wanted / length.as_secs_f64() - at_window_ends).abs() < 1.0);
            }
        }
    }
}
