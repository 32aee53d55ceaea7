//! DCTCP (Alizadeh et al., SIGCOMM 2010; RFC 8257) for a queue pair: as a window, or as the rate that the HPCC artefact
//! makes of it. Switches mark above a step, Kmin = Kmax.

use crate::control::{AckEvent, Controller, Loss};
use crate::rounds::{Round, Rounds};
use std::sync::Arc;
use weir_units::{Rate, Span, Time};

/// What is controlled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The bytes in flight, paced at line rate.
    Window {
        /// The first window; `None`: line rate times the base round trip, as RoCE starts at line rate.
        initial_bytes: Option<u64>,
    },
    /// The rate (the HPCC artefact): cut as the window would be, and one step a round trip.
    Rate {
        /// The step. `DCTCP_RATE_AI`.
        step: Rate,
    },
}

/// Parameters of DCTCP.
#[derive(Clone, Debug, PartialEq)]
pub struct DctcpParams {
    /// g: gain of alpha, 0 to 1.
    pub g: f64,
    /// First alpha, 0 to 1.
    pub initial_alpha: f64,
    /// A segment: the window's step a round trip, and the window's floor. Bytes.
    pub mss_bytes: u64,
    /// Window or rate.
    pub form: Form,
    /// Floor of the rate in the rate form.
    pub min_rate: Rate,
}

impl DctcpParams {
    /// The paper's gain (1/16) and RFC 8257's first alpha, segments of 1000 bytes.
    pub fn paper() -> Self {
        Self {
            g: 1.0 / 16.0,
            initial_alpha: 1.0,
            mss_bytes: 1000,
            form: Form::Window { initial_bytes: None },
            min_rate: Rate::from_mbps(100),
        }
    }

    /// HPCC's artefact (`run.py dctcp`): a step of 615 Mb/s (a packet a round trip of 13 us), floor 1 Gb/s. It has the
    /// switches mark above 30 KB for each 10 Gb/s.
    pub fn hpcc_sim(_line: Rate) -> Self {
        Self {
            form: Form::Rate { step: Rate::from_mbps(615) },
            min_rate: Rate::from_mbps(1000),
            ..Self::paper()
        }
    }
}

/// DCTCP of one queue pair.
#[derive(Clone, Debug)]
pub struct Dctcp {
    params: Arc<DctcpParams>,
    line: u64,
    rate: u64,
    window: f64,
    alpha: f64,
    rounds: Rounds,
    /// Acknowledged and marked since alpha's last update: bytes as a window, acknowledgements as a rate.
    acked: u64,
    marked: u64,
    /// The rate form's estimate of acknowledgements in this round.
    batch: u64,
    /// No second cut before this byte is acknowledged.
    reduced_until: Option<u64>,
}

impl Dctcp {
    /// At line rate, with the first window.
    pub fn new(params: DctcpParams, line: Rate, base_rtt: Span) -> Self {
        let window = match params.form {
            Form::Window { initial_bytes } => initial_bytes.unwrap_or_else(|| line.bytes_in(base_rtt)),
            Form::Rate { .. } => 0,
        };
        Self {
            window: window.max(params.mss_bytes) as f64,
            line: line.as_bps(),
            rate: line.as_bps(),
            alpha: params.initial_alpha,
            rounds: Rounds::default(),
            acked: 0,
            marked: 0,
            batch: 0,
            reduced_until: None,
            params: Arc::new(params),
        }
    }

    /// Alpha: the averaged share of marked bytes.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    fn average(&mut self, share: f64) {
        self.alpha = (1.0 - self.params.g) * self.alpha + self.params.g * share;
    }

    /// RFC 8257, section 3.3: alpha once a window, a cut at most once a window, else one segment a window.
    fn window_ack(&mut self, ack: &AckEvent<'_>) {
        self.acked = self.acked.saturating_add(ack.acked_bytes);
        if ack.ecn_echo {
            self.marked = self.marked.saturating_add(ack.acked_bytes);
        }
        if self.rounds.on_ack(ack) == Round::New {
            if self.acked > 0 {
                self.average(self.marked as f64 / self.acked as f64);
            }
            (self.acked, self.marked) = (0, 0);
        }
        let used = ack.in_flight_bytes as f64 + ack.acked_bytes as f64 + self.params.mss_bytes as f64;
        let limited = used >= self.window;
        let reduced = self.is_reduced();
        if ack.ecn_echo && !reduced {
            self.reduced_until = Some(self.rounds.next(ack));
            self.set_window(self.window * (1.0 - self.alpha / 2.0));
        } else if !reduced && limited {
            // A window that is not used up says nothing about the path (RFC 7661).
            self.set_window(
                self.window + self.params.mss_bytes as f64 * ack.acked_bytes as f64 / self.window,
            );
        }
    }

    /// The artefact's order: alpha, end of the reduced state, cut, step.
    fn rate_ack(&mut self, ack: &AckEvent<'_>, step: Rate) {
        self.marked = self.marked.saturating_add(u64::from(ack.ecn_echo));
        let round = self.rounds.on_ack(ack);
        let mss = self.params.mss_bytes.max(1);
        match round {
            Round::First => self.batch = (self.rounds.next(ack) / mss).saturating_add(1),
            Round::New => {
                self.average((self.marked as f64 / self.batch as f64).min(1.0));
                self.marked = 0;
                self.batch = (ack.in_flight_bytes / mss).saturating_add(1);
            }
            Round::Same => {}
        }
        let mut reduced = self.is_reduced();
        if ack.ecn_echo && !reduced {
            let cut = (self.rate as f64 * (1.0 - self.alpha / 2.0)) as u64;
            self.rate = cut.max(self.params.min_rate.as_bps()).min(self.line);
            self.reduced_until = Some(self.rounds.next(ack));
            reduced = true;
        }
        if !reduced && round != Round::Same {
            self.rate = self.rate.saturating_add(step.as_bps()).min(self.line);
        }
    }

    fn is_reduced(&mut self) -> bool {
        if self.reduced_until.is_some_and(|end| self.rounds.acked() > end) {
            self.reduced_until = None;
        }
        self.reduced_until.is_some()
    }

    fn set_window(&mut self, window: f64) {
        self.window = window.max(self.params.mss_bytes as f64);
    }
}

impl Controller for Dctcp {
    fn on_cnp(&mut self, _now: Time) {}

    fn on_ack(&mut self, _now: Time, ack: &AckEvent<'_>) {
        match self.params.form {
            Form::Window { .. } => self.window_ack(ack),
            Form::Rate { step } => self.rate_ack(ack, step),
        }
    }

    /// As TCP: half a window after a NAK, one segment after a timeout. The artefact's rate form does not react.
    fn on_loss(&mut self, _now: Time, loss: Loss) {
        if let Form::Window { .. } = self.params.form {
            match loss {
                Loss::Nak => self.set_window(self.window / 2.0),
                Loss::Timeout => self.set_window(0.0),
            }
        }
    }

    #[inline]
    fn on_sent(&mut self, _now: Time, _wire_bytes: u32) {}

    #[inline]
    fn advance(&mut self, _now: Time) {}

    #[inline]
    fn rate(&self) -> Rate {
        Rate::from_bps(self.rate)
    }

    #[inline]
    fn window_bytes(&self) -> u64 {
        match self.params.form {
            Form::Window { .. } => self.window as u64,
            Form::Rate { .. } => u64::MAX,
        }
    }

    #[inline]
    fn next_deadline(&self) -> Option<Time> {
        None
    }
}
