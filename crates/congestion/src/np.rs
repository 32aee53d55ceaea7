//! The notification point: when a receiver sends a CNP (DCQCN, section 3.2).

use std::collections::{BTreeMap, BTreeSet};
use weir_units::{Span, Time};

/// DSCP of a CNP by mlx5's default (`cnp_dscp`).
pub const CNP_DSCP: u8 = 48;
/// 802.1p priority of a CNP by mlx5's default (`cnp_802p_prio`).
pub const CNP_PRIORITY: u8 = 6;

/// For whom one CNP an interval is enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CnpScope {
    /// Each flow has its own interval.
    #[default]
    PerFlow,
    /// All flows from one address share an interval.
    PerIp,
}

/// When in an interval a CNP leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CnpStyle {
    /// At the first marked packet, then none for an interval.
    #[default]
    Immediate,
    /// At the end of each interval in which a marked packet came. Intervals follow on each other from the first marked
    /// packet on.
    WindowEnd,
}

/// Parameters of the notification point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NpParams {
    /// N in the paper, `min_time_between_cnps` in mlx5. Zero: each marked packet has its CNP.
    pub interval: Span,
    /// Whose packets share an interval.
    pub scope: CnpScope,
    /// When a CNP leaves.
    pub style: CnpStyle,
}

impl Default for NpParams {
    /// The paper's.
    fn default() -> Self {
        Self::paper()
    }
}

impl NpParams {
    /// The paper's 50 us, per flow.
    pub fn paper() -> Self {
        Self { interval: Span::from_us(50), scope: CnpScope::PerFlow, style: CnpStyle::Immediate }
    }

    /// The mlx5 firmware's 4 us; early ConnectX-4 firmware has 0, some has 2 us.
    pub fn firmware() -> Self {
        Self { interval: Span::from_us(4), ..Self::paper() }
    }

    /// Paraleon's expert baseline: 96 us.
    pub fn paraleon_expert() -> Self {
        Self { interval: Span::from_us(96), ..Self::paper() }
    }
}

/// CNP pacing of one flow or one address: keep one for each, as [`NpParams::scope`] says, or let
/// [`NotificationTable`] do that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotificationPoint {
    /// Immediate: no CNP before this time. Window end: the end of a window, from which others follow.
    edge: Option<Time>,
    /// A CNP is owed at this time (window-end style).
    owed_at: Option<Time>,
}

impl NotificationPoint {
    /// A marked packet arrived. True: send a CNP now.
    #[inline]
    pub fn on_ce(&mut self, now: Time, params: &NpParams) -> bool {
        if params.interval == Span::ZERO {
            return true;
        }
        match params.style {
            CnpStyle::Immediate => {
                if self.edge.is_some_and(|edge| now < edge) {
                    return false;
                }
                self.edge = Some(now.saturating_add(params.interval));
                true
            }
            CnpStyle::WindowEnd => {
                if self.owed_at.is_none() {
                    let end = match self.edge {
                        Some(edge) if edge > now => edge,
                        Some(edge) => {
                            let windows = (now - edge) / params.interval + 1;
                            let past = params.interval.as_ps().saturating_mul(windows);
                            edge.saturating_add(Span::from_ps(past))
                        }
                        None => now.saturating_add(params.interval),
                    };
                    self.edge = Some(end);
                    self.owed_at = Some(end);
                }
                false
            }
        }
    }

    /// When a CNP falls due (window-end style).
    #[inline]
    pub fn next_deadline(&self) -> Option<Time> {
        self.owed_at
    }

    /// True: send the CNP that was due.
    #[inline]
    pub fn handle_deadline(&mut self, now: Time, params: &NpParams) -> bool {
        match self.owed_at {
            Some(at) if at <= now => {
                self.owed_at = None;
                self.edge = Some(at.saturating_add(params.interval));
                true
            }
            _ => false,
        }
    }

    /// Whether it behaves as a new one would: nothing owed, no interval running.
    fn is_idle(&self, now: Time, style: CnpStyle) -> bool {
        self.owed_at.is_none() && style == CnpStyle::Immediate && self.edge.is_none_or(|edge| edge <= now)
    }
}

/// Notification points of many flows or addresses, by a key: a queue pair's number, or a source address.
#[derive(Clone, Debug)]
pub struct NotificationTable {
    params: NpParams,
    points: BTreeMap<u64, NotificationPoint>,
    /// CNPs owed (window-end style), in order of time and key.
    owed: BTreeSet<(Time, u64)>,
    /// Forget idle points when there are this many.
    tidy_at: usize,
}

impl NotificationTable {
    /// Nothing heard yet.
    pub fn new(params: NpParams) -> Self {
        Self { params, points: BTreeMap::new(), owed: BTreeSet::new(), tidy_at: 64 }
    }

    /// A marked packet of `key` arrived. True: send a CNP now.
    pub fn on_ce(&mut self, now: Time, key: u64) -> bool {
        if self.points.len() >= self.tidy_at {
            let style = self.params.style;
            self.points.retain(|_, point| !point.is_idle(now, style));
            self.tidy_at = (2 * self.points.len()).max(64);
        }
        let point = self.points.entry(key).or_default();
        let send = point.on_ce(now, &self.params);
        if let Some(at) = point.next_deadline() {
            self.owed.insert((at, key));
        }
        send
    }

    /// When the next CNP falls due.
    pub fn next_deadline(&self) -> Option<Time> {
        self.owed.first().map(|(at, _)| *at)
    }

    /// The key of a CNP that is due at `now`; call until there is none.
    pub fn poll(&mut self, now: Time) -> Option<u64> {
        let (_, key) = self.owed.first().copied().filter(|(at, _)| *at <= now)?;
        self.owed.pop_first();
        if let Some(point) = self.points.get_mut(&key) {
            point.handle_deadline(now, &self.params);
        }
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Time {
        Time::from_us(us)
    }

    #[test]
    fn at_once_then_silence() {
        let params = NpParams::paper();
        let mut np = NotificationPoint::default();
        let sent: Vec<u64> = (0..200).filter(|&at| np.on_ce(us(at), &params)).collect();
        assert_eq!(sent, [0, 50, 100, 150]);
        assert!(np.on_ce(us(1000), &params));
        assert!(!np.on_ce(us(1049), &params));
        assert!(np.on_ce(us(1050), &params));
    }

    #[test]
    fn at_the_end_of_windows_that_follow_on_each_other() {
        let params = NpParams { style: CnpStyle::WindowEnd, ..NpParams::paper() };
        let mut np = NotificationPoint::default();
        let mut sent = Vec::new();
        // Marks at 3 us, twice in the second window, none in the third, one in the fourth and one at its end.
        for mark in [3, 54, 60, 170, 203, 204] {
            while let Some(at) = np.next_deadline().filter(|at| *at <= us(mark)) {
                assert!(np.handle_deadline(at, &params));
                sent.push(at);
            }
            assert!(!np.on_ce(us(mark), &params));
        }
        sent.extend(np.next_deadline());
        assert_eq!(sent, [us(53), us(103), us(203), us(253)]);
        assert!(!np.handle_deadline(us(252), &params), "not before its time");
    }

    #[test]
    fn every_mark_without_an_interval() {
        for style in [CnpStyle::Immediate, CnpStyle::WindowEnd] {
            let params = NpParams { interval: Span::ZERO, style, ..NpParams::paper() };
            let mut np = NotificationPoint::default();
            assert!((0..10).all(|_| np.on_ce(us(1), &params)));
        }
    }

    #[test]
    fn a_table_keeps_flows_apart_and_forgets() {
        let mut table = NotificationTable::new(NpParams::firmware());
        for round in 0..1000u64 {
            let now = us(round);
            assert!(table.on_ce(now, 10_000 + round), "a new key has its CNP at once");
            assert_eq!(table.on_ce(now, 1), round % 4 == 0, "an old one waits its 4 us");
        }
        assert!(table.points.len() < 130, "{} remembered", table.points.len());
    }

    #[test]
    fn a_table_polls_in_order_of_time_and_key() {
        let mut table = NotificationTable::new(NpParams { style: CnpStyle::WindowEnd, ..NpParams::paper() });
        for (at, key) in [(1, 9), (1, 3), (0, 7), (20, 7)] {
            assert!(!table.on_ce(us(at), key));
        }
        assert_eq!(table.next_deadline(), Some(us(50)));
        assert_eq!(table.poll(us(49)), None);
        let due: Vec<u64> = std::iter::from_fn(|| table.poll(us(60))).collect();
        assert_eq!(due, [7, 3, 9]);
        assert_eq!(table.next_deadline(), None);
    }
}
