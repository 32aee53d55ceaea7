//! What no single key shows: parts that contradict each other, keys without effect, risks.

use super::Scenario;
use super::error::NoticeKind;
use super::read_control;
use super::table::Table;
use crate::{Algorithm, EcnRule, Headroom, MAX_FLOWS, NodeId, Pattern, Shape};
use std::collections::BTreeSet;
use std::ops::Range;
use weir_congestion::{ControlParams, dcqcn::ParamError};
use weir_switch::ConfigError;
use weir_units::{Bytes, Rate, Time};

/// Checks a scenario whose parts are all right by themselves. `workloads` are the places of its workloads.
pub(super) fn check(root: &Table<'_>, scenario: &Scenario, workloads: &[Range<usize>]) {
    check_workloads(root, scenario, workloads);
    check_switches(root, scenario);
    check_control(root, scenario);
    check_ecn_tables(root, scenario);
    idle_marking(root, scenario);
    idle_buffers(root, scenario);
    idle_classes(root, scenario);
    idle_faults(root, scenario);
    risks(root, scenario);
}

fn section<'a>(root: &Table<'a>, key: &'static str) -> Option<Table<'a>> {
    root.get(key).and_then(|value| value.as_table())
}

fn elements<'a>(root: &Table<'a>, key: &'static str) -> Vec<Table<'a>> {
    let Some(value) = root.get(key) else { return Vec::new() };
    value.elements().iter().filter_map(|element| element.as_table()).collect()
}

fn check_workloads(root: &Table<'_>, scenario: &Scenario, spans: &[Range<usize>]) {
    if scenario.workloads.is_empty() {
        let message = "there is no [[workload]], and nothing will be sent";
        root.cx.notice(NoticeKind::NoEffect, 0..0, "workload", message);
    }
    let mut total = 0.0;
    for (i, workload) in scenario.workloads.iter().enumerate() {
        let span = spans.get(i).cloned().unwrap_or_default();
        if scenario.workloads[..i].iter().any(|other| other.name == workload.name) {
            root.cx.error(
                span.clone(),
                format!("two workloads are called `{}`", workload.name),
                "give each its own `name`",
            );
        }
        total += workload.expected_flows(&scenario.topology);
        if total > MAX_FLOWS as f64 {
            root.cx.error(
                span,
                format!(
                    "with `{}` there are about {total:.3e} flows, and {MAX_FLOWS} are the most",
                    workload.name
                ),
                "shorten `duration`, lower `count`, or name fewer hosts",
            );
            return;
        }
    }
}

/// Every different switch must be one that can be.
fn check_switches(root: &Table<'_>, scenario: &Scenario) {
    let topology = &scenario.topology;
    let mut seen = BTreeSet::new();
    for node in (topology.hosts()..topology.nodes().len() as u32).map(NodeId) {
        let shape: Vec<(u64, u64)> = (0..topology.ports(node).len() as u16)
            .map(|port| {
                let link = topology.link(topology.ports(node)[usize::from(port)].link);
                (link.rate.as_bps(), scenario.headroom_bytes(node, port))
            })
            .collect();
        if shape.is_empty() || !seen.insert(shape) {
            continue;
        }
        let Err(error) = scenario.switch_config(node).validate() else { continue };
        let name = &topology.node(node).name;
        let place = |table: &'static str, key: &str| {
            section(root, table).map_or(root.place("topology"), |table| table.place(key))
        };
        let (span, help) = match &error {
            ConfigError::Budget { headroom_bytes, reserve_bytes, skid_bytes, .. } => (
                place("buffer", "total"),
                format!(
                    "write a `total` in [buffer] well above {} B, or less `headroom`",
                    headroom_bytes + reserve_bytes + skid_bytes
                ),
            ),
            ConfigError::BufferTooLarge { .. } => (place("buffer", "total"), String::new()),
            ConfigError::Pfc { .. } | ConfigError::Watchdog => (place("pfc", "quanta"), String::new()),
            _ => (root.place("topology"), String::new()),
        };
        root.cx.error(span, format!("switch `{name}`: {error}"), help);
        return;
    }
}

/// DCQCN's own opinion of its parameters, at the slowest and the fastest host.
fn check_control(root: &Table<'_>, scenario: &Scenario) {
    let rates = (0..scenario.topology.hosts()).map(|host| scenario.topology.host_rate(NodeId(host)));
    let rates: BTreeSet<Rate> = rates.collect();
    for rate in rates.first().into_iter().chain(rates.last()) {
        let ControlParams::Dcqcn(params) = scenario.control_params(*rate) else { return };
        let Err(error) = params.check() else { continue };
        let field = match &error {
            ParamError::OutOfRange { field, .. } => *field,
            ParamError::FloorAboveCeiling { .. } => "min_rate",
            ParamError::FirstCnpShare { .. } => "share_on_first_cnp",
        };
        let place = match section(root, "control") {
            Some(control) => control.place(read_control::written_as(&control, field)),
            None => 0..0,
        };
        root.cx.error(place, format!("DCQCN at hosts of {rate}: {error}"), "");
        return;
    }
}

/// A table of thresholds by speed must have every speed that a switch sends at.
fn check_ecn_tables(root: &Table<'_>, scenario: &Scenario) {
    let topology = &scenario.topology;
    let switch_end = |link: &&crate::Link| link.ends.iter().any(|end| !topology.is_host(end.node));
    let rates: BTreeSet<_> = topology.links().iter().filter(switch_end).map(|link| link.rate).collect();
    for (table, class) in elements(root, "class").iter().zip(&scenario.qos.classes) {
        let EcnRule::Table(rows) = &class.ecn else { continue };
        if let Some(rate) = rates.iter().find(|rate| !rows.iter().any(|(row, _)| row == *rate)) {
            table.error(
                "ecn",
                format!("class `{}` has no thresholds for links of {rate}", class.name),
                format!("add {{ rate = \"{rate}\", kmin = \"…\", kmax = \"…\", pmax = … }}"),
            );
        }
    }
}

fn idle_marking(root: &Table<'_>, scenario: &Scenario) {
    let running = scenario.control.running();
    let why = match running {
        _ if !scenario.qos.ecn => Some("`qos.ecn` is false".to_owned()),
        Algorithm::Dcqcn | Algorithm::Dctcp => None,
        Algorithm::None => Some("no congestion control runs that would react to marks".to_owned()),
        other => Some(format!("\"{other}\" does not react to marks")),
    };
    if let Some(why) = why {
        elements(root, "class").iter().for_each(|class| class.idle("ecn", &why));
    }
    if running != Algorithm::Dcqcn {
        let why = match running {
            Algorithm::None => "no congestion control runs".to_owned(),
            other => format!("\"{other}\" uses no CNPs"),
        };
        if let Some(nic) = section(root, "nic") {
            for key in ["notification_delay", "cnp_interval", "cnp_mode", "cnp_style"] {
                nic.idle(key, &why);
            }
            if running == Algorithm::None {
                nic.idle("reaction_delay", &why);
            }
        }
        if let Some(qos) = section(root, "qos") {
            qos.idle("cnp_class", &why);
        }
    }
    let marked = scenario.qos.ecn && scenario.qos.classes.iter().any(|class| !class.ecn.is_off());
    if matches!(running, Algorithm::Dcqcn | Algorithm::Dctcp) && !marked {
        let span = if root.has("control") { root.place("control") } else { 0..0 };
        let message = format!(
            "no class is marked with ECN, so that \"{running}\" never hears of congestion and senders stay at line rate"
        );
        root.cx.notice(NoticeKind::Risk, span, "control.algorithm", message);
    }
}

fn idle_buffers(root: &Table<'_>, scenario: &Scenario) {
    let lossless = scenario.qos.classes.iter().any(|class| class.lossless);
    let lossy = scenario.qos.classes.iter().any(|class| !class.lossless);
    if let Some(buffer) = section(root, "buffer") {
        if !lossless {
            for key in ["threshold", "alpha", "alpha_at", "headroom"] {
                buffer.idle(key, "no class is lossless");
            }
        } else if !scenario.pfc.enabled {
            buffer.idle("headroom", "`pfc.enabled` is false");
        }
        if !lossy {
            buffer.idle("lossy_alpha", "every class is lossless");
        }
    }
    if !lossless && let Some(pfc) = section(root, "pfc") {
        for key in ["enabled", "style", "quanta", "refresh", "xon_offset", "watchdog"] {
            pfc.idle(key, "no class is lossless");
        }
    }
    if lossless && scenario.pfc.enabled && scenario.buffer.headroom == Headroom::Bytes(Bytes::ZERO) {
        let span = section(root, "buffer").map_or(0..0, |buffer| buffer.place("headroom"));
        let message = "without headroom a lossless class loses what arrives while a pause is on its way";
        root.cx.notice(NoticeKind::Risk, span, "buffer.headroom", message);
    }
}

/// Classes that nothing travels in.
fn idle_classes(root: &Table<'_>, scenario: &Scenario) {
    let mut used = [false; 256];
    for workload in &scenario.workloads {
        used[usize::from(workload.class)] = true;
        if let Pattern::Csv { flows, .. } = &workload.pattern {
            flows.iter().filter_map(|flow| flow.class).for_each(|class| used[usize::from(class)] = true);
        }
    }
    if let Some(class) = scenario.qos.ack_class {
        used[usize::from(class)] = true;
    }
    if scenario.sends_cnps() {
        used[usize::from(scenario.qos.cnp_class)] = true;
    }
    for (i, table) in elements(root, "class").iter().enumerate() {
        if !used[i] && !scenario.workloads.is_empty() {
            let name = &scenario.qos.classes[i].name;
            let message =
                format!("class `{name}` has no effect: no data, acknowledgement or CNP travels in it");
            root.cx.notice(NoticeKind::NoEffect, table.heading(), format!("class.{name}"), message);
        }
    }
}

fn idle_faults(root: &Table<'_>, scenario: &Scenario) {
    let Some(stop) = scenario.run.stop else { return };
    for (table, fault) in elements(root, "fault").iter().zip(&scenario.faults) {
        if fault.from >= stop {
            table.idle("kind", &format!("the fault begins when the run has ended, at {stop}"));
        }
    }
    for (table, workload) in elements(root, "workload").iter().zip(&scenario.workloads) {
        if workload.start >= stop && stop != Time::MAX {
            table.idle("kind", &format!("the workload starts when the run has ended, at {stop}"));
        }
    }
}

/// Deadlock and routing loops, where the topology or routes set by hand allow them.
fn risks(root: &Table<'_>, scenario: &Scenario) {
    let regular = !matches!(scenario.topology_spec.shape, Shape::Explicit { .. } | Shape::Dragonfly { .. });
    // Shortest paths of the other kinds go up and then down, or along a row: they close no circle.
    if regular && scenario.route_overrides.is_empty() {
        return;
    }
    let topology = &scenario.topology;
    let routes = scenario.routes(|_| true);
    let span = if root.has("route") { root.place("route") } else { root.place("topology") };
    let key = if root.has("route") { "route" } else { "topology" };
    let by_hand: BTreeSet<NodeId> =
        scenario.route_overrides.iter().flat_map(|route| route.to.iter().copied()).collect();
    for dst in by_hand.into_iter().take(1024) {
        if let Some(round) = routes.loop_to(topology, dst) {
            let names: Vec<&str> =
                round.iter().chain(round.first()).map(|node| topology.node(*node).name.as_str()).collect();
            let message = format!(
                "frames for `{}` can go round in a loop: {}",
                topology.node(dst).name,
                names.join(" > ")
            );
            root.cx.notice(NoticeKind::Risk, span.clone(), key, message);
            break;
        }
    }
    let lossless = scenario.pfc.enabled && scenario.qos.classes.iter().any(|class| class.lossless);
    if lossless && let Some(cycle) = routes.buffer_cycle(topology) {
        let message = format!(
            "the routes have a cyclic buffer dependency, so that PFC can deadlock: {}",
            cycle.describe(topology)
        );
        root.cx.notice(NoticeKind::Risk, span, key, message);
    }
}
