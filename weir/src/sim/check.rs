//! `weir sim check`.

use super::run::write_flow_list;
use super::show::heading;
use crate::args::{CheckFormat, SimCheck};
use crate::exit::{Exit, Failure};
use crate::scenario::Source;
use crate::{files, screen};
use serde::Serialize;
use std::collections::BTreeSet;
use weir_fabric::{
    FlowSet, Framing, NodeId, NoticeKind, Scenario, Scheduling, base_rtt, bottleneck, hops_of,
};
use weir_report::{Column, Ink, Look, Table, number};
use weir_units::Rate;

/// A place in the text and what is to be said about it.
#[derive(Serialize)]
struct Finding {
    file: String,
    line: u32,
    column: u32,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

#[derive(Serialize)]
struct Report {
    valid: bool,
    errors: Vec<Finding>,
    notices: Vec<Finding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hosts: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    switches: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flows: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// Every key with its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved: Option<toml::Table>,
}

/// Read a scenario and say what it comes to.
pub fn run(args: &SimCheck) -> Result<Exit, Failure> {
    let source = Source::load(&args.scenario, &args.set)?;
    let scenario = match args.format {
        CheckFormat::Json => match source.parse() {
            Ok(scenario) => scenario,
            Err(errors) => {
                let errors = errors.into_iter().map(|e| Finding {
                    file: e.origin,
                    line: e.line,
                    column: e.column,
                    message: e.message,
                    help: Some(e.help).filter(|help| !help.is_empty()),
                    kind: None,
                    key: None,
                });
                let report = Report {
                    valid: false,
                    errors: errors.collect(),
                    notices: Vec::new(),
                    hosts: None,
                    switches: None,
                    flows: None,
                    bytes: None,
                    resolved: None,
                };
                files::print(&files::json(&report)?)?;
                return Err(Failure::Told(Exit::Usage));
            }
        },
        _ => source.scenario()?,
    };
    let seed = scenario.run.seeds.first().copied().unwrap_or(1);
    if let Some(path) = &args.flows_csv {
        write_flow_list(path, &args.scenario, &scenario, seed)?;
    }
    match args.format {
        CheckFormat::Toml => files::print(&scenario.to_toml())?,
        CheckFormat::Json => files::print(&files::json(&report(&scenario, &scenario.flows(seed)))?)?,
        CheckFormat::Human => files::print(&human(&screen::look(), &scenario, &scenario.flows(seed), seed))?,
    }
    Ok(Exit::Fine)
}

fn report(scenario: &Scenario, set: &FlowSet) -> Report {
    let notices = scenario.notices.iter().map(|n| Finding {
        file: n.origin.clone(),
        line: n.line,
        column: n.column,
        message: n.message.clone(),
        help: None,
        kind: Some(match n.kind {
            NoticeKind::NoEffect => "no_effect",
            NoticeKind::Risk => "risk",
        }),
        key: Some(n.key.clone()),
    });
    Report {
        valid: true,
        errors: Vec::new(),
        notices: notices.collect(),
        hosts: Some(scenario.topology.hosts()),
        switches: Some(scenario.topology.switches()),
        flows: Some(set.flows.len()),
        bytes: Some(set.flows.iter().map(|flow| flow.bytes).sum()),
        resolved: scenario.to_toml().parse().ok(),
    }
}

fn human(look: &Look, s: &Scenario, set: &FlowSet, seed: u64) -> String {
    let mut text = heading(look, s);
    if let Some(path) = longest_path(s) {
        text += &super::show::labelled(look, "path", &path);
    }
    let bytes = set.flows.iter().map(|flow| flow.bytes).sum::<u64>();
    let flows = format!(
        "{} of {} in all, on {}, with seed {seed}",
        number::counted(set.flows.len() as u64, "flow"),
        number::bytes(bytes),
        number::counted(u64::from(set.connections), "queue pair")
    );
    text += &super::show::labelled(look, "flows", &flows);
    text += &format!("\n{}\n{}", look.paint(Ink::Heading, "Classes"), classes(s).text(look));
    text += &format!("\n{}\n{}", look.paint(Ink::Heading, "Switch ports"), ports(s).text(look));
    if !s.notices.is_empty() {
        text += &format!("\n{}\n", look.paint(Ink::Heading, "Notes"));
        for notice in &s.notices {
            text += &super::show::bullet(look, &notice.to_string());
        }
    }
    text += &format!(
        "\n{} {}\n",
        look.paint(Ink::Good, "✓"),
        look.wrap("The scenario is right. `--format toml` prints every key with its value.", 2)
    );
    text
}

/// From the first host to the one that is furthest from it.
fn longest_path(s: &Scenario) -> Option<String> {
    let routes = s.routes(|_| true);
    let framing = Framing::rocev2_write(u32::try_from(s.nic.mtu.get()).ok()?);
    let from = NodeId(0);
    let paths = (1..s.topology.hosts()).filter_map(|to| {
        let path = routes.path(&s.topology, from, NodeId(to), |_, _| 0)?;
        let hops = hops_of(&s.topology, &path);
        Some((base_rtt(&hops, &framing, 84), bottleneck(&hops), hops.len(), to))
    });
    // Of equals the first.
    let (rtt, slowest, hops, to) = paths.max_by_key(|(rtt, _, _, to)| (*rtt, std::cmp::Reverse(*to)))?;
    let name = |node: NodeId| s.topology.node(node).name.as_str();
    Some(format!(
        "base round trip {} from {} to {} over {}, bandwidth-delay product {}",
        number::span(rtt.as_ps()),
        name(from),
        name(NodeId(to)),
        number::counted(hops as u64, "link"),
        number::bytes(slowest.bytes_in(rtt))
    ))
}

fn classes(s: &Scenario) -> Table {
    let mut table = Table::new([
        Column::words("class"),
        Column::numbers("priority"),
        Column::words("DSCP"),
        Column::words("kind"),
        Column::words("scheduling"),
        Column::words("carries").wrapping(20),
    ]);
    for (i, class) in (0u8..).zip(&s.qos.classes) {
        let dscp: Vec<String> = class.dscp.iter().map(u8::to_string).collect();
        let mut carries: Vec<String> = s
            .workloads
            .iter()
            .filter(|workload| workload.class == i)
            .map(|workload| workload.name.clone())
            .collect();
        if s.qos.cnp_class == i && s.sends_cnps() {
            carries.push("CNPs".to_owned());
        }
        if s.qos.ack_class == Some(i) {
            carries.push("acknowledgements".to_owned());
        }
        table.row([
            class.name.clone(),
            class.priority.to_string(),
            dscp.join(" "),
            if class.lossless && s.pfc.enabled { "lossless" } else { "lossy" }.to_owned(),
            match class.scheduling {
                Scheduling::Strict => "strict".to_owned(),
                Scheduling::Weighted(weight) => format!("weight {weight}"),
            },
            carries.join(", "),
        ]);
    }
    table
}

/// What differs from port to port: by speed, headroom and thresholds.
fn ports(s: &Scenario) -> Table {
    let mut table = Table::new([
        Column::numbers("ports"),
        Column::numbers("speed"),
        Column::numbers("headroom"),
        Column::words("class"),
        Column::words("ECN"),
    ]);
    let switches = (s.topology.hosts()..s.topology.nodes().len() as u32).map(NodeId);
    let mut kinds: BTreeSet<(Rate, u64)> = BTreeSet::new();
    let mut all: Vec<(Rate, u64)> = Vec::new();
    for switch in switches {
        for (number, port) in (0u16..).zip(s.topology.ports(switch)) {
            let kind = (s.topology.link(port.link).rate, s.headroom_bytes(switch, number));
            kinds.insert(kind);
            all.push(kind);
        }
    }
    for (rate, headroom) in kinds {
        let count = all.iter().filter(|kind| **kind == (rate, headroom)).count();
        for (i, class) in (0u8..).zip(&s.qos.classes) {
            let Some(thresholds) = s.qos.ecn_at(i, rate) else { continue };
            table.row([
                number::count(count as u64),
                rate.to_string(),
                number::bytes(headroom),
                class.name.clone(),
                super::show::ecn(&thresholds),
            ]);
        }
        if (0..s.qos.classes.len() as u8).all(|class| s.qos.ecn_at(class, rate).is_none()) {
            table.row([
                number::count(count as u64),
                rate.to_string(),
                number::bytes(headroom),
                String::new(),
                "none".into(),
            ]);
        }
    }
    table
}
