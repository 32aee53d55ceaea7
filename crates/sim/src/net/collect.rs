//! From an engine that has run to results.

use super::engine::Engine;
use super::event::Event;
use super::line::MIN_FRAME_BYTES;
use crate::results::{
    EndReason, FlowStatus, Fnv128, JobResult, Percentiles, PortResult, PriorityResult, Results, RunCost,
    SCHEMA, Summary, jain,
};
use std::fmt::Write;
use weir_switch::{Port, Priority};

impl Engine<'_> {
    /// Everything that the run found; `cost` is completed here.
    pub(crate) fn finish(mut self, end: EndReason, cost: RunCost) -> Results {
        let end_at = if end == EndReason::Completed { self.last_end } else { self.now };
        #[cfg(debug_assertions)]
        self.check_conservation(end);
        self.account_unfinished();
        let ports = self.port_results(end_at.as_ps());
        let mut summary = Summary::of_flows(&self.results, end_at.as_ps());
        self.summarise(&mut summary, &ports, end_at.as_ps());
        let names = |port: u32| {
            (self.topology.node(self.node_of(port)).name.clone(), u32::from(self.lines[port as usize].local))
        };
        let pauses = self.pauses.finish(&names);
        let jobs = self.job_results();
        let cost = RunCost {
            events: self.counts.events,
            frame_hops: self.lines.iter().map(|line| line.tx_frames).sum(),
            peak_frames: self.frames.peak() as u64,
            peak_flows: self.peak_flows,
            ..cost
        };
        let mut notes = Vec::new();
        if self.counts.lossless_drops > 0 {
            notes.push(format!(
                "{} frames of lossless classes were dropped: see lossless_drops; give their ports more headroom",
                self.counts.lossless_drops
            ));
        }
        for (node, event) in &self.storms {
            let node = &self.topology.node(self.switches[*node as usize].node).name;
            let mut text = String::new();
            // Writing into a string cannot fail.
            let _ = match event {
                weir_switch::Event::StormDetected { at, port, priority, queued_bytes } => write!(
                    text,
                    "PFC watchdog: storm at {node}:{port}/{priority} from {at}, {queued_bytes} B waiting"
                ),
                weir_switch::Event::StormRestored { at, port, priority } => {
                    write!(text, "PFC watchdog: {node}:{port}/{priority} restored at {at}")
                }
            };
            notes.push(text);
        }
        let mut series = std::mem::take(&mut self.series).finish();
        series.extend(std::mem::take(&mut self.rate_series).finish());
        let mut results = Results {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scenario: self.scenario.name.clone(),
            config_hash: config_hash(self.scenario),
            seed: self.seed,
            digest: String::new(),
            end,
            end_ps: end_at.as_ps(),
            summary,
            flows: self.results,
            jobs,
            hosts: self.hosts.into_iter().map(|host| host.counters).collect(),
            ports,
            pauses,
            deadlocks: self.deadlocks,
            lossless_drops: self.lossless_drops,
            series,
            notes,
            run: cost,
        };
        results.seal();
        results
    }

    /// Frames and bytes that are on the way to each port. Empties the queue of events.
    fn flying(&mut self) -> Vec<(u64, u64)> {
        let mut flying = vec![(0, 0); self.lines.len()];
        while let Some((_, event)) = self.wheel.pop() {
            let (port, bytes) = match event {
                Event::ToSwitch { node, local, frame } => {
                    (self.switches[node as usize].first_port + u32::from(local), u64::from(frame.bytes))
                }
                Event::ToHost { port, frame } | Event::Arrive { port, frame } => {
                    (port, u64::from(frame.bytes))
                }
                Event::Pfc { port, .. } => (port, u64::from(MIN_FRAME_BYTES)),
                _ => continue,
            };
            let of_port = &mut flying[port as usize];
            *of_port = (of_port.0 + 1, of_port.1 + bytes);
        }
        flying
    }

    fn port_results(&mut self, end_ps: u64) -> Vec<PortResult> {
        let flying = self.flying();
        (0..self.lines.len() as u32).map(|port| self.port_result(port, end_ps, &flying)).collect()
    }

    fn port_result(&self, port: u32, end_ps: u64, flying: &[(u64, u64)]) -> PortResult {
        let line = &self.lines[port as usize];
        let node = self.node_of(port);
        let mut priorities = Vec::new();
        for priority in Priority::ALL {
            let mut result = PriorityResult { priority: priority.number(), ..PriorityResult::default() };
            if line.switch {
                let switch = &self.switches[line.node as usize].switch;
                let Some(c) = switch.counters(self.now, Port(line.local), priority) else { continue };
                result.max_queue_bytes = c.queue_watermark_bytes;
                result.max_ingress_bytes = c.group_watermark_bytes;
                result.max_headroom_bytes = c.xoff_room_watermark_bytes;
                result.ecn_marked = c.ecn_marked_packets;
                result.dropped = c.queue_dropped_packets;
                result.pfc_tx = c.pfc_pauses_sent;
                result.pfc_resume_tx = c.pfc_resumes_sent;
                result.pfc_rx = c.pfc_pauses_received;
                result.paused_ps = c.rx_pause_duration.as_ps();
                if let Some((_, histograms)) = &self.histograms {
                    result.queue_histogram = histograms.finish(port, priority.number());
                }
            } else {
                let nic = &self.nics[port as usize];
                result.pfc_rx = nic.pause.pauses(priority);
                result.paused_ps = nic.pause.paused_time(self.now, priority).as_ps();
                (result.pfc_tx, result.pfc_resume_tx) = nic.pfc_sent[priority.index()];
            }
            let empty = PriorityResult { priority: priority.number(), ..PriorityResult::default() };
            if result != empty {
                priorities.push(result);
            }
        }
        let peer = &self.lines[line.peer as usize];
        let losses = &self.losses[line.peer as usize];
        let (flying_frames, flying_bytes) = flying[port as usize];
        let rx_frames = peer.tx_frames.saturating_add_signed(-losses.missing_frames) - flying_frames;
        let rx_bytes = peer.tx_bytes.saturating_add_signed(-losses.missing_bytes) - flying_bytes;
        PortResult {
            node: self.topology.node(node).name.clone(),
            switch: line.switch,
            port: u32::from(line.local),
            peer: self.topology.node(self.node_of(line.peer)).name.clone(),
            peer_port: u32::from(peer.local),
            rate_bps: line.rate.as_bps(),
            tx_frames: line.tx_frames,
            tx_bytes: line.tx_bytes,
            rx_frames,
            rx_bytes,
            utilisation: line.busy().as_ps() as f64 / end_ps.max(1) as f64,
            link_drops: self.losses[port as usize].frames,
            rx_errors: self.faults[line.peer as usize].as_ref().map_or(0, |faults| faults.bad_fcs),
            priorities,
        }
    }

    fn summarise(&self, summary: &mut Summary, ports: &[PortResult], end_ps: u64) {
        let counts = &self.counts;
        summary.cnps = counts.cnps;
        summary.pfc_pauses = counts.pfc_pauses;
        summary.pfc_resumes = counts.pfc_resumes;
        summary.drops = counts.drops;
        summary.lossless_drops = counts.lossless_drops;
        summary.deadlocks = self.deadlocks.len() as u64;
        let mut by_priority = [0u64; 8];
        for port in ports {
            for priority in &port.priorities {
                summary.ecn_marks += priority.ecn_marked;
                summary.paused_ps += priority.paused_ps;
                by_priority[usize::from(priority.priority & 7)] += priority.paused_ps;
                if priority.max_queue_bytes > summary.max_queue_bytes {
                    summary.max_queue_bytes = priority.max_queue_bytes;
                    summary.max_queue_at = format!("{}:{}/{}", port.node, port.port, priority.priority);
                }
            }
        }
        let worst = by_priority.into_iter().max().unwrap_or(0);
        summary.paused_fraction = worst as f64 / (end_ps.max(1) as f64 * ports.len().max(1) as f64);
    }

    fn job_results(&self) -> Vec<JobResult> {
        let mut jobs: Vec<JobResult> = self
            .set
            .jobs
            .iter()
            .zip(0u32..)
            .map(|(job, number)| JobResult {
                job: number,
                name: job.name.clone(),
                flows: 0,
                completed: 0,
                bytes: 0,
                start_ps: u64::MAX,
                completion_ps: None,
                jain: 1.0,
                slowdown: Percentiles::default(),
            })
            .collect();
        let mut ends = vec![0u64; jobs.len()];
        let mut of_job: Vec<Vec<u32>> = vec![Vec::new(); jobs.len()];
        for flow in &self.results {
            let Some(job) = jobs.get_mut(flow.job as usize) else { continue };
            of_job[flow.job as usize].push(flow.id);
            job.flows += 1;
            job.bytes += flow.bytes;
            if flow.status != FlowStatus::NotStarted {
                job.start_ps = job.start_ps.min(flow.start_ps);
            }
            if let (FlowStatus::Completed, Some(fct)) = (&flow.status, flow.fct_ps) {
                job.completed += 1;
                let end = &mut ends[flow.job as usize];
                *end = (*end).max(flow.start_ps + fct);
            }
        }
        for (i, job) in jobs.iter_mut().enumerate() {
            if job.start_ps == u64::MAX {
                job.start_ps = 0;
            }
            if job.completed == job.flows && job.flows > 0 {
                job.completion_ps = Some(ends[i] - job.start_ps);
            }
            let flows = || of_job[i].iter().map(|id| &self.results[*id as usize]);
            job.jain = jain(flows().filter_map(crate::results::FlowResult::goodput_bps));
            job.slowdown = Percentiles::of(flows().filter_map(|flow| flow.slowdown));
        }
        jobs
    }

    /// Nothing is lost without being counted, and nothing is left behind.
    #[cfg(debug_assertions)]
    fn check_conservation(&self, end: EndReason) {
        if end == EndReason::Completed {
            assert_eq!(self.frames.live(), 0, "frames are left although every flow has ended");
        }
        for node in &self.switches {
            let ports = node.first_port..node.first_port + node.switch.ports() as u32;
            let (mut taken, mut left, mut waiting, flushed) = (0, 0, 0, node.flushed_bytes);
            for port in ports {
                let local = Port((port - node.first_port) as u16);
                for priority in node.switch.priorities() {
                    let Some(c) = node.switch.counters(self.now, local, *priority) else { continue };
                    taken += c.group_bytes;
                    left += c.queue_bytes;
                    waiting += c.queue_occupancy_bytes;
                }
            }
            assert_eq!(taken, left + waiting + flushed, "a switch holds what it took in and did not send");
        }
    }
}

/// Hash of a scenario and the flows that it generated.
/// Of everything that a scenario says, wherever its text lay: without notices, which name the file, and without seeds,
/// which differ from run to run of one scenario.
fn config_hash(scenario: &weir_fabric::Scenario) -> String {
    let mut bare = scenario.clone();
    bare.notices.clear();
    bare.run.seeds.clear();
    let mut hash = Fnv128::new();
    // Debug output names every field and follows from the values alone; writing to the hash cannot fail.
    let _ = write!(Text(&mut hash), "{bare:?}");
    hash.to_string()
}

struct Text<'a>(&'a mut Fnv128);

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}
