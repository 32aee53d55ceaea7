//! Encodings of the timers.

use weir_units::Span;

/// The local ACK timeout of a code: 4.096 us × 2^code, 0 for never (IBTA volume 1, 9.9.2).
pub fn ack_timeout(code: u8) -> Span {
    if code == 0 { Span::MAX } else { Span::from_ps(4_096_000 << u64::from(code.min(31))) }
}

/// The RNR NAK timer of a code (IBTA volume 1, table 45).
pub fn rnr_timer(code: u8) -> Span {
    Span::from_us(RNR_HUNDREDTHS_MS[usize::from(code & 31)] * 10)
}

/// In units of 0.01 ms, as the table has them.
const RNR_HUNDREDTHS_MS: [u64; 32] = [
    65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
    3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_the_standard() {
        assert_eq!(ack_timeout(0), Span::MAX);
        assert_eq!(ack_timeout(1), Span::from_ns(8_192));
        assert_eq!(ack_timeout(14), Span::from_ns(67_108_864), "the 67 ms of many applications");
        assert_eq!(ack_timeout(31), Span::from_ns(4_096 << 31));
        assert_eq!(rnr_timer(0), Span::from_us(655_360));
        assert_eq!(rnr_timer(1), Span::from_us(10));
        assert_eq!(rnr_timer(12), Span::from_us(640));
        assert_eq!(rnr_timer(31), Span::from_us(491_520));
        // From code 2 on, every second one doubles.
        for code in 2..30 {
            assert_eq!(rnr_timer(code + 2), rnr_timer(code) * 2, "{code}");
        }
    }
}
