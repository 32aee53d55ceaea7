//! What was run, in a few lines.

use super::labelled;
use weir_fabric::{Algorithm, EcnThresholds, LinkId, Scenario, Shape};
use weir_report::{Ink, Look, number};
use weir_sim::results::{EndReason, Results};
use weir_units::Rate;

/// Name, fabric, load, control.
pub fn heading(look: &Look, s: &Scenario) -> String {
    let name = if s.name.is_empty() { "a scenario without a name" } else { s.name.as_str() };
    let mut text = look.paint(Ink::Heading, name);
    if !s.description.is_empty() {
        text += &format!(": {}", s.description);
    }
    text.push('\n');
    text += &labelled(look, "fabric", &fabric(s));
    text += &labelled(look, "load", &load(s));
    text += &labelled(look, "control", &control(s));
    text
}

/// Seed, how it ended, what it cost.
pub fn run_line(look: &Look, r: &Results) -> String {
    let end = match r.end {
        EndReason::Completed => "all flows ended by",
        EndReason::TimeLimit => "stopped at the time limit of",
        EndReason::Stuck => "stuck at",
        EndReason::Deadlock => "ended at a deadlock at",
        EndReason::Cancelled => "cancelled at",
    };
    let hops = r.run.frame_hops as f64 / r.run.wall_s.max(1e-9);
    let value = format!(
        "seed {}, {end} {}; {} of run time, {} packet-hops ({} M/s)",
        r.seed,
        super::time(r.end_ps),
        number::seconds(r.run.wall_s + r.run.setup_s),
        number::count(r.run.frame_hops),
        number::figure(hops / 1e6)
    );
    labelled(look, "run", &value)
}

fn fabric(s: &Scenario) -> String {
    let t = &s.topology;
    let mut rates: Vec<Rate> = t.links().iter().map(|link| link.rate).collect();
    rates.sort();
    rates.dedup();
    let rates: Vec<String> = rates.iter().map(ToString::to_string).collect();
    let faults = match s.faults.len() {
        0 => String::new(),
        n => format!(", {}", number::counted(n as u64, "fault")),
    };
    let down = (0..t.links().len()).filter(|&i| t.link(LinkId(i as u32)).bit_error_rate > 0.0).count();
    let errors = if down > 0 { format!(", bit errors on {down} of them") } else { String::new() };
    let each = if t.switches() > 1 { " each" } else { "" };
    let switches = match t.switches() {
        1 => "1 switch".to_owned(),
        n => format!("{} switches", number::count(u64::from(n))),
    };
    format!(
        "{}, {}, {switches}, {} of {}{errors}{faults}; {} of buffer{each}",
        shape(&s.topology_spec.shape),
        number::counted(u64::from(t.hosts()), "host"),
        number::counted(t.links().len() as u64, "link"),
        rates.join(" and "),
        s.buffer.total,
    )
}

fn shape(shape: &Shape) -> &'static str {
    match shape {
        Shape::Star { .. } => "star",
        Shape::Dumbbell { .. } => "dumbbell",
        Shape::ParkingLot { .. } => "parking lot",
        Shape::LeafSpine { .. } => "leaf-spine",
        Shape::FatTree { .. } => "fat-tree",
        Shape::RailOptimised { .. } => "rail-optimised",
        Shape::Dragonfly { .. } => "dragonfly",
        Shape::Explicit { .. } => "explicit",
    }
}

fn load(s: &Scenario) -> String {
    if s.workloads.is_empty() {
        return "none".to_owned();
    }
    let each = s.workloads.iter().map(|w| match w.name == w.pattern.kind() {
        true => w.name.clone(),
        false => format!("{} ({})", w.name, w.pattern.kind()),
    });
    let mut each: Vec<String> = each.collect();
    if each.len() > 8 {
        let more = each.len() - 7;
        each.truncate(7);
        each.push(format!("and {more} more"));
    }
    each.join(", ")
}

fn control(s: &Scenario) -> String {
    let algorithm = match s.control.running() {
        Algorithm::None => "no rate control".to_owned(),
        Algorithm::Dcqcn => format!("DCQCN ({})", s.control.preset),
        Algorithm::Dctcp => format!("DCTCP ({})", s.control.preset),
        Algorithm::Timely => format!("TIMELY ({})", s.control.preset),
        Algorithm::Hpcc => format!("HPCC ({})", s.control.preset),
        Algorithm::Swift => format!("Swift ({})", s.control.preset),
    };
    let host = s.topology.links().iter().map(|link| link.rate).min().unwrap_or(Rate::from_gbps(100));
    let marking = match s.qos.ecn_at(s.qos.default_class, host) {
        // Without anyone who reacts nothing is marked.
        _ if s.control.running() == Algorithm::None => String::new(),
        Some(thresholds) => format!("; ECN {} at {host}", ecn(&thresholds)),
        None => "; no ECN".to_owned(),
    };
    let pfc = match s.pfc.enabled {
        false => "PFC off",
        true if s.qos.classes.iter().all(|class| !class.lossless) => "no lossless class",
        true => "PFC on",
    };
    format!("{algorithm}{marking}; {pfc}")
}

/// `from 100 KB to 400 KB with Pmax 20 %`.
pub fn ecn(t: &EcnThresholds) -> String {
    format!("from {} to {} with Pmax {}", t.kmin, t.kmax, number::percent(t.pmax))
}
