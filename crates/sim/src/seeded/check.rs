//! What every run must keep.

use crate::net::{self, Quiet, RunOptions};
use crate::results::{EndReason, FlowStatus, Results};
use weir_fabric::Scenario;

/// A promise that a run broke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("seed {seed}: {what}")]
pub struct Broken {
    /// The seed.
    pub seed: u64,
    /// Which promise, and where.
    pub what: String,
}

/// Runs what the seed draws and looks at every promise: each flow completes with every byte delivered once, or its work
/// request ends in error; nothing hangs; a lossless class loses nothing to a full buffer; nothing deadlocks on up-down
/// routes.
pub fn check(seed: u64) -> Result<Results, Broken> {
    let broken = |what: String| Broken { seed, what };
    let text = super::draw(seed);
    let mut none = |name: &str| Err(format!("no file {name}"));
    let scenario = Scenario::from_toml(&text, "drawn", &mut none)
        .map_err(|errors| broken(format!("the drawn scenario is refused: {errors:?}\n{text}")))?;
    let results = net::run(&scenario, &RunOptions::default(), &mut Quiet)
        .map_err(|error| broken(format!("it does not run: {error}")))?;
    promises(&scenario, &results).map_err(broken)?;
    Ok(results)
}

fn promises(scenario: &Scenario, r: &Results) -> Result<(), String> {
    // What waits for a failed flow never starts, and then nothing is left to happen.
    let waits = r.summary.failed > 0 && r.flows.iter().all(|flow| flow.status != FlowStatus::Unfinished);
    if r.end != EndReason::Completed && !(r.end == EndReason::Stuck && waits) {
        let stuck = r.flows.iter().find(|flow| flow.status == FlowStatus::Unfinished).map(|flow| flow.id);
        return Err(format!(
            "ended as {:?} with {} flows unfinished, first {stuck:?}",
            r.end, r.summary.unfinished
        ));
    }
    for flow in &r.flows {
        let (id, bytes, got) = (flow.id, flow.bytes, flow.delivered_bytes);
        match &flow.status {
            FlowStatus::Completed if got == bytes => {}
            FlowStatus::Completed => {
                return Err(format!("flow {id}: {got} of {bytes} bytes delivered, and complete"));
            }
            FlowStatus::Failed(_) if got <= bytes => {}
            FlowStatus::Failed(_) => return Err(format!("flow {id}: {got} bytes delivered of {bytes}")),
            // What it waits for failed.
            FlowStatus::NotStarted if r.summary.failed > 0 => {}
            other => return Err(format!("flow {id} ended as {other:?}")),
        }
    }
    // A fault that takes a PFC frame away, or doubles a frame, can overrun any headroom.
    if let Some(drop) = r.lossless_drops.first().filter(|_| scenario.faults.is_empty()) {
        return Err(format!("a lossless frame was dropped: {drop:?}"));
    }
    if let Some(deadlock) = r.deadlocks.first() {
        return Err(format!("deadlock: {deadlock:?}"));
    }
    let lossy_faults =
        scenario.faults.is_empty() && scenario.qos.classes.iter().all(|c| c.lossless || c.name == "cnp");
    if lossy_faults && r.summary.retransmitted_packets > 0 && r.summary.drops == 0 {
        let timeouts: u64 = r.flows.iter().map(|flow| flow.timeouts).sum();
        if timeouts == 0 {
            return Err(format!("{} packets repeated though none was lost", r.summary.retransmitted_packets));
        }
    }
    Ok(())
}
