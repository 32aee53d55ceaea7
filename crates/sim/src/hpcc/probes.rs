//! What is sampled during a run: the queue histogram and the two series.

use std::fmt::Write as _;

use weir_switch::{Port as SwitchPort, Priority};

use super::engine::Engine;
use super::error::Step;
use super::frame::{Event, What};
use super::output::Output;

/// Time between two samples of the histogram; no key sets it.
const SAMPLE_NS: u64 = 100;
/// The reference writes the histogram when the time of a sample is a multiple of this.
const DUMP_NS: u64 = 100_000_000;

/// How often each switch port's queue was seen at each depth, in whole 1000 bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histogram {
    /// The switch ports by node and interface.
    ports: Vec<u32>,
    counts: Vec<Vec<u32>>,
    samples: u64,
    dumped: u64,
    /// Whether to write it at the end too.
    pub at_end: bool,
}

impl Histogram {
    /// Over `ports`, which are those of the switches by rising node and interface.
    pub fn new(ports: Vec<u32>, at_end: bool) -> Self {
        Histogram { counts: vec![Vec::new(); ports.len()], ports, samples: 0, dumped: 0, at_end }
    }
}

impl Engine {
    /// Bytes that wait at a switch port, PFC frames aside.
    fn queued_bytes(&self, port: u32) -> u64 {
        let port = &self.ports[port as usize];
        let (switch, local) = (&self.switches[port.owner as usize], SwitchPort(port.local));
        switch.port_bytes(local) - switch.queue_bytes(local, Priority::from_pcp(0))
    }

    /// A sample of the histogram.
    pub(crate) fn sample_histogram(&mut self) -> Step {
        let mut histogram = std::mem::take(&mut self.histogram);
        for (port, counts) in histogram.ports.iter().zip(&mut histogram.counts) {
            let depth = (self.queued_bytes(*port) / 1000) as usize;
            if counts.len() <= depth {
                counts.resize(depth + 1, 0);
            }
            counts[depth] += 1;
        }
        histogram.samples += 1;
        let dump = self.now.is_multiple_of(DUMP_NS);
        let written = if dump { self.dump_histogram(&mut histogram, "") } else { Ok(()) };
        self.histogram = histogram;
        if self.now < self.config.queue_end_ns {
            self.wheel.push(self.now + SAMPLE_NS, Event::new(What::Histogram, 0));
        }
        written
    }

    fn dump_histogram(&mut self, histogram: &mut Histogram, suffix: &str) -> Step {
        histogram.dumped = histogram.samples;
        let Some(file) = &mut self.outputs.histogram else { return Ok(()) };
        file.line(format_args!("time: {}{suffix}", self.now))?;
        for (port, counts) in histogram.ports.iter().zip(&histogram.counts) {
            let port = &self.ports[*port as usize];
            let mut line = format!("{} {}", port.node, port.local + 1);
            for count in counts {
                // Writing to a string cannot fail.
                let _ = write!(line, " {count}");
            }
            file.line(format_args!("{line}"))?;
        }
        Ok(())
    }

    /// A sample of QLEN_TS: the watched port's queue and the switch's shared buffer in use.
    pub(crate) fn sample_queue(&mut self) -> Step {
        let (Some((port, _)), Some(series)) = (self.watched, &self.config.queue_series) else {
            return Ok(());
        };
        let next = self.now.saturating_add(series.interval_ns);
        let queued = self.queued_bytes(port);
        let shared = self.switches[self.ports[port as usize].owner as usize].shared_used();
        self.wheel.push(next, Event::new(What::QueueSeries, 0));
        match &mut self.outputs.queue_series {
            Some(file) => file.line(format_args!("{} {queued} {shared}", self.now)),
            None => Ok(()),
        }
    }

    /// A sample of RATE_TS: every running flow, by node.
    pub(crate) fn sample_rates(&mut self) -> Step {
        let Some(series) = &self.config.rate_series else { return Ok(()) };
        self.wheel.push(self.now.saturating_add(series.interval_ns), Event::new(What::RateSeries, 0));
        let Some(file) = &mut self.outputs.rate_series else { return Ok(()) };
        for flow in self.nics.iter().flat_map(|nic| nic.flows()) {
            let sender = &self.senders[*flow as usize];
            if sender.completed {
                continue;
            }
            let reaction = self.controls.reaction(*flow);
            let target = reaction.map_or(sender.line_bps, |point| point.target().as_bps());
            let alpha = reaction.map_or(1.0, |point| point.alpha());
            let Flow { src, sport, .. } = self.flows[*flow as usize];
            write_rate(file, self.now, src, sport, sender, target, alpha)?;
        }
        Ok(())
    }

    /// Writes what is due at the end.
    pub(crate) fn finish_probes(&mut self) -> Step {
        let mut histogram = std::mem::take(&mut self.histogram);
        if histogram.at_end && self.config.queue_file.is_some() {
            return self.dump_histogram(&mut histogram, " (final)");
        }
        let unwritten = histogram.samples - histogram.dumped;
        if unwritten > 0 && self.outputs.histogram.is_some() {
            self.summary.notices.push(format!(
                "QLEN_MON_FILE: like the reference, the histogram is written at multiples of 100 ms only, so the last \
                 {unwritten} samples are not in it"
            ));
        }
        Ok(())
    }
}

use super::flows::Flow;
use super::sender::Sender;

fn write_rate(
    file: &mut Output,
    now: u64,
    node: u32,
    sport: u16,
    sender: &Sender,
    target: u64,
    alpha: f64,
) -> Step {
    let Sender { rate_bps, snd_nxt, snd_una, .. } = sender;
    file.line(format_args!("{now} {node} {sport} {rate_bps} {target} {alpha:.6} {snd_nxt} {snd_una}"))
}
