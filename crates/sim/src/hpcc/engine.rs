//! The run: one queue of events over ports, switches and hosts.
//!
//! The order of equal-time events decides many results, so events are scheduled in the reference's order and
//! come out in it. One thing is left out: the end of a transmission after which nothing waits. Its place in the
//! order is kept, and it is scheduled if somebody wants the line before.

use weir_switch::Switch;

use super::config::Config;
use super::control::Controls;
use super::error::{HpccError, Step};
use super::flows::Flow;
use super::frame::{Event, Frame, What};
use super::nic::Nic;
use super::output::Outputs;
use super::paths::Paths;
use super::port::{NO_LOSS, Port};
use super::probes::Histogram;
use super::rng::{Stream, StreamPerDraw};
use super::routes::Routes;
use super::sender::{AnswerRules, Receiver, Sender};
use super::telemetry::Telemetry;
use super::topology::Topology;
use super::{Progress, Summary};
use crate::wheel::Wheel;

/// Events between two reports of progress.
const PROGRESS_EVERY: u64 = 1 << 18;

/// Everything that changes during a run.
pub(crate) struct Engine {
    pub config: Config,
    pub topology: Topology,
    /// Made when a link goes down.
    pub routes: Routes,
    pub wheel: Wheel<Event>,
    pub now: u64,
    pub ports: Vec<Port>,
    /// First port of each node.
    pub port_base: Vec<u32>,
    pub switches: Vec<Switch<Frame>>,
    pub nics: Vec<Nic>,
    pub flows: Vec<Flow>,
    pub paths: Paths,
    pub senders: Vec<Sender>,
    pub receivers: Vec<Receiver>,
    pub controls: Controls,
    pub telemetry: Telemetry,
    pub answer_rules: AnswerRules,
    /// Bytes of headers before the payload, telemetry included.
    pub header_bytes: u16,
    pub ack_bytes: u16,
    /// Class whose pause holds up a host's acknowledgements.
    pub ack_class: u8,
    pub windows: bool,
    pub ecmp_seed_offset: u32,
    pub draws: StreamPerDraw,
    /// Error models: probability of a loss, and the numbers that decide.
    pub loss_models: Vec<(f64, Stream)>,
    pub outputs: Outputs,
    pub histogram: Histogram,
    /// The switch and port that QLEN_TS looks at.
    pub watched: Option<(u32, u16)>,
    pub link_down: Option<u32>,
    pub summary: Summary,
    pub running_flows: u32,
}

impl Engine {
    /// Runs to the end. `progress` hears from it now and then.
    pub(crate) fn run(mut self, progress: &mut dyn FnMut(Progress)) -> Result<Summary, HpccError> {
        let stop = self.config.stop_ns;
        if let Some(last) = stop.checked_sub(1) {
            let mut until_report = PROGRESS_EVERY;
            while let Some((now, event)) = self.wheel.pop_until(last) {
                self.now = now;
                self.look_ahead();
                self.summary.events += 1;
                self.handle(event)?;
                until_report -= 1;
                if until_report == 0 {
                    until_report = PROGRESS_EVERY;
                    progress(self.progress(now));
                }
            }
        }
        self.now = stop;
        progress(self.progress(stop));
        self.finish_probes()?;
        let mut summary = self.summary;
        summary.now_ns = stop;
        summary.random_draws = self.draws.draws();
        summary.scheduled = self.wheel.scheduled();
        summary.flows_running = u64::from(self.running_flows);
        summary.notices.append(&mut self.outputs.notices);
        self.outputs.finish()?;
        Ok(summary)
    }

    /// Reads what the next event will want, so that it is in the cache by then.
    #[inline]
    fn look_ahead(&self) {
        let Some(next) = self.wheel.upcoming() else { return };
        if next.what() != What::Arrival {
            return;
        }
        let Some(port) = self.ports.get(next.index() as usize) else { return };
        if port.is_switch {
            std::hint::black_box(self.paths.egress(next.frame, || None));
        } else {
            std::hint::black_box(self.senders.get(next.frame.flow as usize).map(|sender| sender.completed));
        }
    }

    fn progress(&self, now_ns: u64) -> Progress {
        Progress {
            now_ns,
            stop_ns: self.config.stop_ns,
            flows_completed: self.summary.flows_completed,
            flows: self.summary.flows,
            events: self.summary.events,
        }
    }

    #[inline]
    fn handle(&mut self, event: Event) -> Step {
        let index = event.index();
        match event.what() {
            What::Arrival => self.arrival(index, event.frame)?,
            What::Sent => {
                self.ports[index as usize].disarm();
                self.try_send(index);
            }
            What::Wake => {
                let nic = self.ports[index as usize].owner;
                if self.nics[nic as usize].woken(event.frame.seq) {
                    self.try_send_host(index);
                }
            }
            What::List => self.list_flows(index),
            What::Start => self.start_flow(index),
            What::Alpha | What::Decrease | What::Increase => self.timer(event.what(), index, event.frame.seq),
            What::Histogram => self.sample_histogram()?,
            What::QueueSeries => self.sample_queue()?,
            What::RateSeries => self.sample_rates()?,
            What::LinkDown => self.take_link_down()?,
        }
        Ok(())
    }

    /// A frame has arrived whole.
    #[inline]
    fn arrival(&mut self, index: u32, frame: Frame) -> Step {
        let port = &self.ports[index as usize];
        let is_switch = port.is_switch;
        if !port.up || port.loss != NO_LOSS && self.is_lost(index) {
            self.summary.lost += 1;
            self.telemetry.free(frame.telemetry);
            return Ok(());
        }
        if is_switch { self.arrive_at_switch(index, frame) } else { self.arrive_at_host(index, frame) }
    }

    #[cold]
    fn is_lost(&mut self, index: u32) -> bool {
        let model = self.ports[index as usize].loss as usize;
        self.loss_models.get_mut(model).is_some_and(|(rate, stream)| stream.next() < *rate)
    }

    /// Sends by a port if its line is free and something may go.
    #[inline]
    pub(crate) fn try_send(&mut self, index: u32) {
        if self.ports[index as usize].is_switch {
            self.try_send_switch(index);
        } else {
            self.try_send_host(index);
        }
    }

    /// Whether the line is busy. If it is, somebody waits now, so its end becomes an event.
    #[inline]
    pub(crate) fn busy(&mut self, index: u32) -> bool {
        let port = &mut self.ports[index as usize];
        if !port.is_busy(&self.wheel) {
            return false;
        }
        if let Some((until, ticket)) = port.arm() {
            self.wheel.push_reserved(until, ticket, Event::new(What::Sent, index));
        }
        true
    }

    /// Puts a frame on the line. The event of its end comes before that of its arrival; `more` tells whether that
    /// end can matter as things are.
    #[inline]
    pub(crate) fn transmit(&mut self, index: u32, frame: Frame, more: bool) {
        let port = &mut self.ports[index as usize];
        let sent_at = self.now + port.serialisation_ns(frame.bytes);
        let ticket = self.wheel.reserve();
        port.begin(sent_at, ticket, more);
        if more {
            self.wheel.push_reserved(sent_at, ticket, Event::new(What::Sent, index));
        }
        self.wheel.push(sent_at + port.delay_ns, Event::with(What::Arrival, port.peer, frame));
    }
}
