//! The notification point: when a receiver sends a CNP (DCQCN, section 3.2).

use weir_units::{Span, Time};

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
    /// At the end of each interval in which a marked packet came.
    WindowEnd,
}

/// Parameters of the notification point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NpParams {
    /// N in the paper, `min_time_between_cnps` in mlx5.
    pub interval: Span,
    /// Whose packets share an interval.
    pub scope: CnpScope,
    /// When a CNP leaves.
    pub style: CnpStyle,
}

impl Default for NpParams {
    /// The paper's 50 us, per flow.
    fn default() -> Self {
        Self { interval: Span::from_us(50), scope: CnpScope::PerFlow, style: CnpStyle::Immediate }
    }
}

/// CNP pacing of one flow or one address: keep one for each, as [`NpParams::scope`] says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotificationPoint {
    /// No CNP before this time.
    quiet_until: Time,
    /// A CNP is owed at this time (window-end style).
    owed_at: Option<Time>,
}

impl NotificationPoint {
    /// A marked packet arrived. True: send a CNP now.
    #[inline]
    pub fn on_ce(&mut self, now: Time, params: &NpParams) -> bool {
        match params.style {
            CnpStyle::Immediate => {
                if now < self.quiet_until {
                    return false;
                }
                self.quiet_until = now + params.interval;
                true
            }
            CnpStyle::WindowEnd => {
                if self.owed_at.is_none() {
                    // The window is the running one, or a new one from now on.
                    let end = if now < self.quiet_until { self.quiet_until } else { now + params.interval };
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
                self.quiet_until = at + params.interval;
                true
            }
            _ => false,
        }
    }
}
