//! The engine: all state of a run, and the loop that serves events.

use super::conn::Conns;
use super::depend::Dependencies;
use super::event::Event;
use super::forward::SwitchNode;
use super::frame::{Flying, Telemetry};
use super::host::Host;
use super::line::{Faults, Line, Losses};
use super::options::{Progress, RunOptions, Tap};
use super::path::Paths;
use super::pauses::PauseLog;
use super::planned::Stage;
use super::port::NicPort;
use super::probe::{Histograms, SeriesSet};
use super::rng::Stream;
use super::slab::Slab;
use super::watch::Stuck;
use crate::results::{Deadlock, EndReason, FlowResult, LosslessDrop};
use crate::wheel::Wheel;
use std::collections::VecDeque;
use weir_congestion::NpParams;
use weir_fabric::{FlowSet, Framing, Routes, Scenario, Topology};
use weir_switch::PfcFrame;
use weir_transport::{Env, NoMemory, Recovery};
use weir_units::{Span, Time};

/// Totals that belong to no port.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) drops: u64,
    pub(crate) lossless_drops: u64,
    pub(crate) duplicates: u64,
    pub(crate) cnps: u64,
    pub(crate) pfc_pauses: u64,
    pub(crate) pfc_resumes: u64,
    pub(crate) events: u64,
}

/// All state of a run. Ports are numbered over all nodes, as [`Topology::port_index`] does; hosts come first, so the NICs
/// are the first of them.
pub(crate) struct Engine<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) topology: &'a Topology,
    pub(super) set: &'a FlowSet,
    pub(super) options: &'a RunOptions,
    pub(super) tap: &'a mut dyn Tap,
    /// Ports with a tap, by its number.
    pub(super) taps: Vec<u32>,
    pub(super) seed: u64,

    pub(super) now: Time,
    pub(super) wheel: Wheel<Event>,

    pub(super) lines: Vec<Line>,
    pub(super) faults: Vec<Option<Box<Faults>>>,
    pub(super) losses: Vec<Losses>,
    /// Whether the link of each port is up, and how many are not.
    pub(super) up: Vec<bool>,
    pub(super) ports_down: u32,
    pub(super) stages: Vec<Stage>,
    /// How many faults hold each link down.
    pub(super) link_down: Vec<u32>,
    /// PFC frames that wait for the line of their port.
    pub(super) pfc_out: Vec<VecDeque<PfcFrame>>,
    pub(super) pfcs: Slab<PfcFrame>,
    pub(super) frames: Slab<Flying>,
    pub(super) telemetry: Slab<Telemetry>,
    pub(super) switches: Vec<SwitchNode>,
    /// Draws for marking, by port.
    pub(super) marks: Vec<Stream>,
    pub(super) paths: Paths,
    pub(super) routes: Routes,
    pub(super) per_packet_paths: bool,
    /// Frames that were sprayed so far.
    pub(super) sprayed: u64,

    pub(super) hosts: Vec<Host>,
    pub(super) nics: Vec<NicPort>,
    pub(super) env: Env<NoMemory>,
    pub(super) rkey: u32,
    pub(super) mtu: u32,
    pub(super) recovery: Recovery,
    pub(super) framing: Framing,
    pub(super) wire_overhead: u32,
    pub(super) np_params: NpParams,
    pub(super) notification_delay: Span,
    pub(super) reaction_delay: Span,
    pub(super) sends_cnps: bool,
    pub(super) uses_int: bool,
    /// Flags of data frames: ECT or nothing.
    pub(super) ect: u8,
    /// Priority of acknowledgements; `None`: that of their data.
    pub(super) ack_prio: Option<u8>,
    pub(super) cnp_prio: u8,

    pub(super) conns: Conns,
    /// Slot of each connection that is open.
    pub(super) conn_of: Vec<u32>,
    /// Flows of each connection that have not ended.
    pub(super) conn_flows: Vec<u32>,
    pub(super) generation: u32,
    pub(super) dependencies: Dependencies,
    /// Flows with a start time, by time and number; and how many have started.
    pub(super) starts: Vec<(Time, u32)>,
    pub(super) started: usize,
    pub(super) results: Vec<FlowResult>,
    pub(super) flows_over: u64,
    pub(super) running_flows: u64,
    pub(super) peak_flows: u64,
    pub(super) last_delivery: Time,
    pub(super) last_end: Time,

    pub(super) pauses: PauseLog,
    pub(super) lossless_drops: Vec<LosslessDrop>,
    pub(super) storms: Vec<(u32, weir_switch::Event)>,
    pub(super) deadlocks: Vec<Deadlock>,
    pub(super) deadlock_watch: bool,
    pub(super) stuck: Stuck,
    pub(super) histograms: Option<(Span, Histograms)>,
    pub(super) series: SeriesSet,
    pub(super) rate_series: SeriesSet,
    pub(super) counts: Counts,
    pub(super) stop: Option<EndReason>,
}

/// Events between two calls of [`Progress::update`].
const EVENTS_PER_UPDATE: u64 = 1 << 17;

impl Engine<'_> {
    /// Serves events until every flow has ended and every frame has arrived, or something else ends the run.
    pub(crate) fn run(&mut self, limit: Time, progress: &mut dyn Progress) -> EndReason {
        let flows = self.results.len() as u64;
        self.schedule_faults();
        self.schedule_starts();
        self.schedule_probes();
        loop {
            if self.flows_over == flows && self.frames.live() == 0 {
                return EndReason::Completed;
            }
            let Some((at, event)) = self.wheel.pop_until(limit.as_ps()) else {
                let left = !self.wheel.is_empty();
                if left {
                    self.now = limit;
                }
                return match self.flows_over == flows {
                    true => EndReason::Completed,
                    false if left => EndReason::TimeLimit,
                    false => EndReason::Stuck,
                };
            };
            self.now = Time::from_ps(at);
            self.counts.events += 1;
            self.look_ahead();
            self.serve(event);
            if self.counts.events.is_multiple_of(EVENTS_PER_UPDATE)
                && !progress.update(self.now, self.flows_over, flows)
            {
                return EndReason::Cancelled;
            }
            if let Some(reason) = self.stop {
                return reason;
            }
        }
    }

    /// Reads what the next event will want, so that it is on its way from memory while this one is served.
    #[inline]
    fn look_ahead(&self) {
        match self.wheel.upcoming() {
            Some(Event::ToSwitch { node, local, frame }) => self.look_at_switch(*node, *local, *frame),
            Some(Event::ToHost { frame, .. }) => self.look_at_host(*frame),
            Some(Event::SwitchFree(port)) => {
                std::hint::black_box(self.lines[*port as usize].node);
            }
            _ => {}
        }
    }

    #[inline]
    fn serve(&mut self, event: Event) {
        match event {
            Event::ToSwitch { node, local, frame } => self.at_switch(node, local, frame),
            Event::ToHost { port, frame } => self.at_host(port, frame),
            Event::Arrive { port, frame } => self.arrive(port, frame),
            Event::SwitchFree(port) => {
                self.lines[port as usize].wake_pending = false;
                self.switch_send(port);
            }
            Event::NicWake(port) => self.nic_wake(port),
            Event::FlowStart => self.start_due(),
            Event::FlowReady(flow) => self.start_flow(flow),
            Event::QpTimer { end, generation } => self.qp_timer(end, generation),
            Event::CnpReady { end } => self.cnp_ready(end),
            Event::NpWindow { end } => self.np_window(end),
            Event::CnpHandled { end } => self.cnp_handled(end),
            Event::Pfc { port, frame } => self.pfc_arrive(port, frame),
            Event::SwitchDeadline(node) => self.switch_deadline(node),
            Event::NicPauseEnd(port) => self.nic_pause_end(port),
            Event::Drained(port) => self.drained(port),
            Event::NicRefresh(port) => self.nic_refresh(port),
            Event::Fault(index) => self.fault(index),
            Event::Sample => self.sample(),
            Event::Series => self.sample_series(),
            Event::RateSeries => self.sample_rates(),
            Event::Deadlocks => self.look_for_deadlocks(),
        }
    }

    /// Schedules the first of the flows that start by the clock, and those that wait for nothing.
    fn schedule_starts(&mut self) {
        if let Some((at, _)) = self.starts.first() {
            self.wheel.push(at.as_ps(), Event::FlowStart);
        }
    }

    /// Starts every flow whose time has come, and schedules the next.
    fn start_due(&mut self) {
        while let Some((at, flow)) = self.starts.get(self.started).copied() {
            if at > self.now {
                self.wheel.push(at.as_ps(), Event::FlowStart);
                return;
            }
            self.started += 1;
            self.start_flow(flow);
        }
    }

    /// The priority of a traffic class.
    pub(super) fn prio_of_class(&self, class: u8) -> u8 {
        self.scenario.qos.classes.get(usize::from(class)).map_or(0, |class| class.priority)
    }
}
