//! One direction of a link: the transmitter of a port, the cable, and what the cable does to frames.

use super::rng::{Purpose, Stream};
use weir_units::{Rate, Span, Time};

/// Preamble and start-of-frame delimiter (IEEE 802.3, clause 3.1.1).
pub(crate) const PREAMBLE_BYTES: u32 = 8;
/// Smallest gap between frames (IEEE 802.3, clause 4.4.2).
pub(crate) const GAP_BYTES: u32 = 12;
/// Smallest frame, FCS included (IEEE 802.3, clause 4.4.2).
pub(crate) const MIN_FRAME_BYTES: u32 = 64;

/// The transmitter of a port and the cable behind it: one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Line {
    /// When the transmitter may begin the next frame.
    pub(crate) busy_until: Time,
    /// Propagation.
    pub(crate) delay: Span,
    pub(crate) rate: Rate,
    /// Frames put on the wire, PFC included.
    pub(crate) tx_frames: u64,
    /// Their bytes without preamble and gap.
    pub(crate) tx_bytes: u64,
    /// Picoseconds a byte, where that is whole; 0 otherwise.
    byte_ps: u32,
    /// The port at the other end (global number), and its node's index.
    pub(crate) peer: u32,
    pub(crate) peer_node: u32,
    /// The node of this port: index of the host or switch.
    pub(crate) node: u32,
    /// Number of this port on its node, and of the other end on its.
    pub(crate) local: u16,
    pub(crate) peer_local: u16,
    /// Whether the node is a switch, and that at the other end.
    pub(crate) switch: bool,
    pub(crate) peer_switch: bool,
    /// Whether an event will come when the transmitter is free.
    pub(crate) wake_pending: bool,
    /// Whether anything out of the ordinary holds at either end: faults, a tap, the link down.
    pub(crate) special: bool,
}

const _: () = assert!(size_of::<Line>() == 64);

/// What became of frames that a port sent, besides those that arrived.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Losses {
    /// Frames that never arrived, or arrived with a bad FCS.
    pub(crate) frames: u64,
    /// Frames sent less frames arrived: losses, less duplicates.
    pub(crate) missing_frames: i64,
    pub(crate) missing_bytes: i64,
}

impl Losses {
    /// A frame is lost.
    pub(crate) fn lose(&mut self, bytes: u32) {
        self.frames += 1;
        self.missing_frames += 1;
        self.missing_bytes += i64::from(bytes);
    }

    /// A frame arrives twice.
    pub(crate) fn double(&mut self, bytes: u32) {
        self.missing_frames -= 1;
        self.missing_bytes -= i64::from(bytes);
    }
}

/// The near and the far end of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Port counted over all nodes.
    pub(crate) port: u32,
    /// Index of the host or switch.
    pub(crate) node: u32,
    /// Number of the port on its node.
    pub(crate) local: u16,
    pub(crate) switch: bool,
}

/// When a frame that starts now will have been sent and will arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// The transmitter may begin the next frame: preamble, frame and gap have passed.
    pub(crate) free: Time,
    /// The last byte of the frame is at the other end.
    pub(crate) arrives: Time,
}

impl Line {
    pub(crate) fn new(rate: Rate, delay: Span, near: Place, far: Place) -> Self {
        const PS_BITS: u64 = 8_000_000_000_000;
        let bps = rate.as_bps();
        let whole = bps != 0 && PS_BITS.is_multiple_of(bps);
        Self {
            busy_until: Time::ZERO,
            delay,
            rate,
            tx_frames: 0,
            tx_bytes: 0,
            byte_ps: if whole { u32::try_from(PS_BITS / bps).unwrap_or(0) } else { 0 },
            peer: far.port,
            peer_node: far.node,
            node: near.node,
            local: near.local,
            peer_local: far.local,
            switch: near.switch,
            peer_switch: far.switch,
            wake_pending: false,
            special: false,
        }
    }

    /// How long `bytes` take on this line.
    #[inline]
    pub(crate) fn span_of(&self, bytes: u32) -> Span {
        match self.byte_ps {
            0 => self.rate.span_of(u64::from(bytes)),
            ps => Span::from_ps(u64::from(bytes) * u64::from(ps)),
        }
    }

    /// Puts a frame of `bytes` (FCS included) on the wire at `now`, which must not be before
    /// [`Line::busy_until`].
    #[inline]
    pub(crate) fn send(&mut self, now: Time, bytes: u32) -> Sent {
        debug_assert!(now >= self.busy_until, "a transmitter sends one frame at a time");
        self.tx_frames += 1;
        self.tx_bytes += u64::from(bytes);
        let arrives = now + self.span_of(PREAMBLE_BYTES + bytes) + self.delay;
        self.busy_until = now + self.span_of(PREAMBLE_BYTES + bytes + GAP_BYTES);
        Sent { free: self.busy_until, arrives }
    }

    /// Time for which the transmitter was busy so far.
    pub(crate) fn busy(&self) -> Span {
        self.rate.span_of(self.tx_bytes + self.tx_frames * u64::from(PREAMBLE_BYTES + GAP_BYTES))
    }
}

/// What one direction of a cable does to frames, by chance.
#[derive(Clone, Debug)]
pub(crate) struct Faults {
    stream: Stream,
    rates: FaultRates,
    /// ln(1 - bit error rate) × 8, so that a frame of n bytes survives with exp(n × this).
    ln_byte_ok: f64,
    seen: u64,
    /// Frames that arrived with a bad FCS.
    pub(crate) bad_fcs: u64,
}

/// Parameters of [`Faults`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FaultRates {
    /// Share of frames that vanish.
    pub(crate) loss: f64,
    /// Share of bits that arrive wrong.
    pub(crate) bit_error_rate: f64,
    /// Share of frames whose payload is changed behind the FCS, so that only the ICRC notices.
    pub(crate) corrupt: f64,
    /// Share of frames that arrive twice.
    pub(crate) duplicate: f64,
    /// Share of frames that are held back.
    pub(crate) reorder: f64,
    /// For how long, at most.
    pub(crate) reorder_by: Span,
    /// Every n-th data frame vanishes, if not zero: the deterministic loss of the livelock experiment.
    pub(crate) drop_every: u64,
}

impl FaultRates {
    /// Whether any of them can ever happen.
    pub(crate) fn any(&self) -> bool {
        self.drop_every != 0
            || [self.loss, self.bit_error_rate, self.corrupt, self.duplicate, self.reorder]
                .iter()
                .any(|p| *p > 0.0)
    }
}

/// What happens to one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fate {
    /// It does not arrive, or arrives with a bad FCS and is dropped there.
    pub(crate) lost: bool,
    /// Its ICRC will not verify.
    pub(crate) corrupted: bool,
    /// It arrives twice.
    pub(crate) duplicated: bool,
    /// It arrives this much later.
    pub(crate) held: Span,
}

impl Faults {
    pub(crate) fn new(seed: u64, place: u64, rates: FaultRates) -> Self {
        let mut faults = Self {
            stream: Stream::new(seed, Purpose::Fault, place),
            rates: FaultRates::default(),
            ln_byte_ok: 0.0,
            seen: 0,
            bad_fcs: 0,
        };
        faults.set(rates);
        faults
    }

    /// From now on with these rates; counters and draws go on.
    pub(crate) fn set(&mut self, rates: FaultRates) {
        self.ln_byte_ok = 8.0 * (-rates.bit_error_rate).ln_1p();
        self.rates = rates;
    }

    /// Draws what happens to a frame of `bytes`; `data` if it carries payload. A frame always costs the same number of draws, so that what
    /// happens to one does not shift what happens to the next.
    pub(crate) fn fate(&mut self, bytes: u32, data: bool) -> Fate {
        let draws: [f64; 6] = std::array::from_fn(|_| self.stream.unit());
        let rates = &self.rates;
        self.seen += u64::from(data && rates.drop_every != 0);
        let counted = data && rates.drop_every != 0 && self.seen.is_multiple_of(rates.drop_every);
        let bit_error = draws[1] < -(self.ln_byte_ok * f64::from(bytes)).exp_m1();
        let lost = draws[0] < rates.loss || counted;
        self.bad_fcs += u64::from(bit_error && !lost);
        let held = match draws[4] < rates.reorder {
            true => Span::from_ps((rates.reorder_by.as_ps() as f64 * draws[5]) as u64),
            false => Span::ZERO,
        };
        Fate {
            lost: lost || bit_error,
            corrupted: draws[2] < rates.corrupt,
            duplicated: draws[3] < rates.duplicate,
            held,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_occupies_preamble_frame_and_gap_and_arrives_before_the_gap() {
        let end = |port| Place { port, node: port, local: 0, switch: false };
        let mut line = Line::new(Rate::from_gbps(100), Span::from_us(1), end(0), end(1));
        // 1024 B of payload in a RoCEv2 write: 14 + 20 + 8 + 12 + 1024 + 4 + 4 = 1086 B of frame.
        let sent = line.send(Time::from_us(5), 1086);
        assert_eq!(sent.free, Time::from_us(5) + Span::from_ps((1086 + 20) * 80));
        assert_eq!(sent.arrives, Time::from_us(6) + Span::from_ps((1086 + 8) * 80));
        assert_eq!(line.busy(), Span::from_ps(1106 * 80));
    }

    #[test]
    fn bit_errors_hit_long_frames_more_often() {
        let rates = FaultRates { bit_error_rate: 1e-5, ..FaultRates::default() };
        assert!(rates.any() && !FaultRates::default().any());
        let mut faults = Faults::new(1, 0, rates);
        let n = 20_000;
        let share = |faults: &mut Faults, bytes: u32| {
            (0..n).filter(|_| faults.fate(bytes, true).lost).count() as f64 / f64::from(n)
        };
        for bytes in [64, 1086, 9000] {
            let want = 1.0 - (1.0 - 1e-5f64).powi(bytes * 8);
            let sd = (want * (1.0 - want) / f64::from(n)).sqrt();
            let got = share(&mut faults, bytes as u32);
            assert!((got - want).abs() < 5.0 * sd, "{bytes}: {got} {want}");
        }
    }

    #[test]
    fn every_nth_frame_is_dropped_on_demand() {
        let mut faults = Faults::new(1, 0, FaultRates { drop_every: 256, ..FaultRates::default() });
        let lost: Vec<usize> = (1..=1024).filter(|_| faults.fate(100, true).lost).collect();
        assert_eq!(lost, [256, 512, 768, 1024]);
    }
}
