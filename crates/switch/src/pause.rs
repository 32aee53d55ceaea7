//! Pauses: PFC frames (IEEE 802.1Qbb), 802.3x pause frames, and what a receiver of them may still send.

use crate::{PRIORITIES, Priority};
use weir_units::{Rate, Span, Time};

/// Bytes of one pause quantum on the line: 512 bit times (IEEE 802.3 annex 31B).
pub const QUANTUM_BYTES: u64 = 64;

/// The time of so many quanta at this rate.
pub const fn quanta_span(quanta: u16, rate: Rate) -> Span {
    rate.span_of(QUANTUM_BYTES * quanta as u64)
}

/// How long a port may take to obey a pause, by the line's rate: the delay limits of IEEE 802.3 annex 31B as switch
/// vendors tabulate them for headroom (67 quanta at 10 Gb/s, 80 at 25, 118 at 40, 147 at 50, 394 at 100, 453 at 200,
/// 905 at 400 and above). A rate between two has the limit of the faster.
pub fn response_limit(rate: Rate) -> Span {
    quanta_span(response_limit_quanta(rate), rate)
}

/// [`response_limit`] in quanta.
pub fn response_limit_quanta(rate: Rate) -> u16 {
    const LIMITS: [(u64, u16); 6] = [(10, 67), (25, 80), (40, 118), (50, 147), (100, 394), (200, 453)];
    let found = LIMITS.iter().find(|(gbps, _)| rate <= Rate::from_gbps(*gbps));
    found.map_or(905, |(_, quanta)| *quanta)
}

/// How long a pause holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PauseStyle {
    /// For its quanta, unless repeated before (IEEE 802.1Qbb).
    #[default]
    Quanta,
    /// Until a resume arrives, as in the ns-3 HPCC simulator.
    OnOff,
}

/// A PFC frame's content: for each enabled priority, a time to pause; zero resumes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PfcFrame {
    /// The priorities that the frame speaks about, one bit each.
    pub enable: u8,
    /// Pause time of each priority in quanta.
    pub quanta: [u16; PRIORITIES],
}

impl PfcFrame {
    /// Pauses one priority.
    pub fn pause(priority: Priority, quanta: u16) -> Self {
        let mut frame = Self::default();
        frame.set(priority, quanta);
        frame
    }

    /// Resumes one priority.
    pub fn resume(priority: Priority) -> Self {
        Self::pause(priority, 0)
    }

    /// Adds a priority to the frame.
    pub fn set(&mut self, priority: Priority, quanta: u16) {
        self.enable |= priority.bit();
        self.quanta[priority.index()] = quanta;
    }

    /// The enabled priorities with their times.
    pub fn iter(&self) -> impl Iterator<Item = (Priority, u16)> {
        let Self { enable, quanta } = *self;
        Priority::ALL.into_iter().filter(move |p| enable & p.bit() != 0).map(move |p| (p, quanta[p.index()]))
    }
}

impl From<&PfcFrame> for weir_wire::Pfc {
    fn from(frame: &PfcFrame) -> Self {
        Self { enabled: u16::from(frame.enable), quanta: frame.quanta }
    }
}

impl From<&weir_wire::Pfc> for PfcFrame {
    /// The upper half of the class-enable vector is reserved, and ignored.
    fn from(pfc: &weir_wire::Pfc) -> Self {
        Self { enable: pfc.enabled as u8, quanta: pfc.quanta }
    }
}

/// Whether one queue is paused, since when and until when, and for how long it was in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseTimer {
    from: Time,
    until: Time,
    total: Span,
}

impl PauseTimer {
    /// A pause arrived at `now` that takes effect after `response` and lasts for `span` since its arrival;
    /// [`Span::MAX`] is until resumed.
    #[inline]
    pub fn pause(&mut self, now: Time, response: Span, span: Span) {
        let until = now.saturating_add(span);
        if self.until <= now {
            self.total = self.total.saturating_add(self.until.saturating_since(self.from));
            self.from = now.saturating_add(response);
        }
        // A pause that is still on goes on; the new one replaces the time that is left, even by a shorter one.
        self.until = until;
    }

    /// A resume arrived.
    #[inline]
    pub fn resume(&mut self, now: Time) {
        if self.until > now {
            self.total = self.total.saturating_add(now.saturating_since(self.from));
            self.from = now;
            self.until = now;
        }
    }

    /// Whether nothing may be sent at `now`.
    #[inline]
    pub fn is_paused(&self, now: Time) -> bool {
        self.from <= now && now < self.until
    }

    /// When the pause is over by itself, if one is on or about to take effect: [`Time::MAX`] if it needs a resume.
    #[inline]
    pub fn until(&self, now: Time) -> Option<Time> {
        (self.until > now).then_some(self.until)
    }

    /// When the last pause took effect, or will; without a break since then, if one is on.
    #[inline]
    pub fn from(&self) -> Time {
        self.from
    }

    /// When the last pause ended or, if one is on, will end by itself.
    #[inline]
    pub fn ended(&self) -> Time {
        self.until
    }

    /// All time spent paused until `now`.
    pub fn paused_time(&self, now: Time) -> Span {
        let end = if now < self.until { now } else { self.until };
        self.total.saturating_add(end.saturating_since(self.from))
    }
}

/// What a port received in pauses: per priority (802.1Qbb) and for the whole line (802.3x). A host's NIC keeps one.
#[derive(Clone, Debug)]
pub struct PauseRx {
    quantum: Span,
    style: PauseStyle,
    response: Span,
    classes: [PauseTimer; PRIORITIES],
    line: PauseTimer,
    pauses: [u64; PRIORITIES],
    resumes: [u64; PRIORITIES],
}

impl PauseRx {
    /// Of a port of this rate that obeys within `response_delay`.
    pub fn new(rate: Rate, style: PauseStyle, response_delay: Span) -> Self {
        Self {
            quantum: quanta_span(1, rate),
            style,
            response: response_delay,
            classes: [PauseTimer::default(); PRIORITIES],
            line: PauseTimer::default(),
            pauses: [0; PRIORITIES],
            resumes: [0; PRIORITIES],
        }
    }

    /// A PFC frame arrived.
    pub fn handle_pfc(&mut self, now: Time, frame: &PfcFrame) {
        for (priority, quanta) in frame.iter() {
            let timer = &mut self.classes[priority.index()];
            if quanta == 0 {
                self.resumes[priority.index()] += 1;
                timer.resume(now);
            } else {
                self.pauses[priority.index()] += 1;
                timer.pause(now, self.response, span(self.style, self.quantum, quanta));
            }
        }
    }

    /// An 802.3x pause frame arrived: for every priority.
    pub fn handle_pause(&mut self, now: Time, quanta: u16) {
        match quanta {
            0 => self.line.resume(now),
            _ => self.line.pause(now, self.response, span(self.style, self.quantum, quanta)),
        }
    }

    /// Whether no frame of this priority may start now.
    #[inline]
    pub fn is_paused(&self, now: Time, priority: Priority) -> bool {
        self.classes[priority.index()].is_paused(now) || self.line.is_paused(now)
    }

    /// The soonest time after `now` at which a pause is over by itself.
    pub fn next_deadline(&self, now: Time) -> Option<Time> {
        let timers = self.classes.iter().chain([&self.line]);
        timers.filter_map(|timer| timer.until(now)).filter(|until| *until != Time::MAX).min()
    }

    /// When this priority may send again: `now` if it may already, [`Time::MAX`] if only a resume helps.
    pub fn free_at(&self, now: Time, priority: Priority) -> Time {
        if !self.is_paused(now, priority) {
            return now;
        }
        let class = self.classes[priority.index()].until(now);
        class.max(self.line.until(now)).unwrap_or(now)
    }

    /// All time for which this priority was paused until `now`, by PFC.
    pub fn paused_time(&self, now: Time, priority: Priority) -> Span {
        self.classes[priority.index()].paused_time(now)
    }

    /// Frames that paused this priority (`SAI_PORT_STAT_PFC_n_RX_PKTS` without resumes).
    pub fn pauses(&self, priority: Priority) -> u64 {
        self.pauses[priority.index()]
    }

    /// Frames that resumed it.
    pub fn resumes(&self, priority: Priority) -> u64 {
        self.resumes[priority.index()]
    }
}

/// The time of a received pause.
#[inline]
pub(crate) fn span(style: PauseStyle, quantum: Span, quanta: u16) -> Span {
    match style {
        PauseStyle::Quanta => quantum * u64::from(quanta),
        PauseStyle::OnOff => Span::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const P3: Priority = Priority::from_pcp(3);

    #[test]
    fn the_longest_pause_is_as_long_as_the_standard_says() {
        // T10: 65535 quanta are 838.9 us at 40 Gb/s, 335.5 at 100, 83.9 at 400.
        for (gbps, us) in [(40, 838.9), (100, 335.5), (400, 83.9)] {
            let span = quanta_span(u16::MAX, Rate::from_gbps(gbps));
            assert!((span.as_us_f64() - us).abs() < 0.06, "{gbps} Gb/s: {span}");
        }
        assert_eq!(quanta_span(1, Rate::from_gbps(100)), Span::from_ps(5120));
    }

    #[test]
    fn a_pause_expires_unless_repeated() {
        let mut rx = PauseRx::new(Rate::from_gbps(100), PauseStyle::Quanta, Span::ZERO);
        let start = Time::from_us(10);
        let end = start + quanta_span(100, Rate::from_gbps(100));
        rx.handle_pfc(start, &PfcFrame::pause(P3, 100));
        assert!(rx.is_paused(start, P3));
        assert!(!rx.is_paused(start, Priority::from_pcp(4)), "each priority by itself");
        assert_eq!(rx.next_deadline(start), Some(end));
        assert!(rx.is_paused(end - Span::from_ps(1), P3));
        assert!(!rx.is_paused(end, P3));

        let again = end - Span::from_ns(1);
        rx.handle_pfc(again, &PfcFrame::pause(P3, 100));
        assert!(rx.is_paused(end, P3));
        let end = again + quanta_span(100, Rate::from_gbps(100));
        assert_eq!(rx.free_at(again, P3), end);
        assert_eq!(rx.paused_time(end + Span::from_us(5), P3), end - start);
        assert_eq!((rx.pauses(P3), rx.resumes(P3)), (2, 0));
    }

    #[test]
    fn a_resume_ends_it() {
        let mut rx = PauseRx::new(Rate::from_gbps(100), PauseStyle::OnOff, Span::ZERO);
        rx.handle_pfc(Time::from_us(1), &PfcFrame::pause(P3, 1));
        assert_eq!(rx.next_deadline(Time::from_us(1)), None);
        assert_eq!(rx.free_at(Time::from_s(1), P3), Time::MAX);
        assert!(rx.is_paused(Time::from_s(1), P3));
        rx.handle_pfc(Time::from_us(3), &PfcFrame::resume(P3));
        assert!(!rx.is_paused(Time::from_us(3), P3));
        assert_eq!(rx.paused_time(Time::from_us(9), P3), Span::from_us(2));
    }

    #[test]
    fn it_is_obeyed_after_the_response_delay() {
        let mut rx = PauseRx::new(Rate::from_gbps(100), PauseStyle::Quanta, Span::from_ns(500));
        let start = Time::from_us(1);
        rx.handle_pfc(start, &PfcFrame::pause(P3, 1000));
        assert!(!rx.is_paused(start + Span::from_ns(499), P3));
        assert!(rx.is_paused(start + Span::from_ns(500), P3));
        // The time runs from the frame's arrival.
        assert!(!rx.is_paused(start + quanta_span(1000, Rate::from_gbps(100)), P3));
        // A resume that overtakes the delay leaves no pause and no paused time.
        let mut rx = PauseRx::new(Rate::from_gbps(100), PauseStyle::OnOff, Span::from_ns(500));
        rx.handle_pfc(start, &PfcFrame::pause(P3, 1000));
        rx.handle_pfc(start + Span::from_ns(100), &PfcFrame::resume(P3));
        assert!(!rx.is_paused(start + Span::from_us(1), P3));
        assert_eq!(rx.paused_time(start + Span::from_us(1), P3), Span::ZERO);
    }

    #[test]
    fn a_pause_of_the_line_stops_every_priority() {
        let mut rx = PauseRx::new(Rate::from_gbps(40), PauseStyle::Quanta, Span::ZERO);
        rx.handle_pause(Time::ZERO, 10);
        assert!(Priority::ALL.iter().all(|p| rx.is_paused(Time::from_ns(1), *p)));
        rx.handle_pause(Time::from_ns(2), 0);
        assert!(!Priority::ALL.iter().any(|p| rx.is_paused(Time::from_ns(2), *p)));
    }

    #[test]
    fn a_frame_survives_the_wire() {
        let mut frame = PfcFrame::pause(P3, 77);
        frame.set(Priority::from_pcp(6), 0);
        let pfc = weir_wire::Pfc::from(&frame);
        assert_eq!((pfc.quanta_of(3), pfc.quanta_of(6), pfc.quanta_of(0)), (Some(77), Some(0), None));
        assert_eq!(PfcFrame::from(&pfc), frame);
    }

    #[test]
    fn limits_by_rate() {
        let quanta = |gbps| response_limit_quanta(Rate::from_gbps(gbps));
        assert_eq!([10, 25, 40, 50, 100, 200, 400, 800].map(quanta), [67, 80, 118, 147, 394, 453, 905, 905]);
        assert_eq!(response_limit(Rate::from_gbps(100)), Span::from_ps(394 * 5120));
    }
}
