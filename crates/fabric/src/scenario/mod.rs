//! A whole experiment: fabric, policy, load, faults, what to record; read from TOML.
//!
//! The text is read key by key into one table of values with their places, so that every error says where it is and
//! what to write instead, all errors come at once, and a key that changes nothing is reported as such.

mod check;
mod error;
mod names;
mod read_control;
mod read_policy;
mod read_run;
mod read_topology;
mod read_workload;
mod switch;
mod table;
mod value;
mod write;

pub use error::{Notice, NoticeKind, ScenarioError};

use crate::{
    Buffer, ControlSpec, Fault, FlowSet, LinkId, Nic, Pfc, Probes, Qos, RouteOverride, Routes, Run, Topology,
    TopologySpec, Workload, generate,
};
use names::Names;
use read_workload::Around;
use table::{Context, Table};
use toml::de::DeTable;
use value::Value;

/// A resolved experiment: every value that the text leaves out has its default here.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// What `topology` was built from.
    pub topology_spec: TopologySpec,
    /// Nodes and links.
    pub topology: Topology,
    /// Next hops that are set by hand.
    pub route_overrides: Vec<RouteOverride>,
    /// Classes.
    pub qos: Qos,
    /// Switch buffers.
    pub buffer: Buffer,
    /// Flow control.
    pub pfc: Pfc,
    /// NICs.
    pub nic: Nic,
    /// Congestion control.
    pub control: ControlSpec,
    /// The load.
    pub workloads: Vec<Workload>,
    /// What goes wrong.
    pub faults: Vec<Fault>,
    /// What to record.
    pub probes: Probes,
    /// Seeds and time limit.
    pub run: Run,
    /// What its author should know: keys without effect, risks.
    pub notices: Vec<Notice>,
}

impl Scenario {
    /// Reads a scenario. `origin` is what errors call the text; `resolve` gives the text of a file that it refers to
    /// (a size distribution, a flow list), or says why it cannot.
    pub fn from_toml(
        text: &str,
        origin: &str,
        resolve: &mut dyn FnMut(&str) -> Result<String, String>,
    ) -> Result<Scenario, Vec<ScenarioError>> {
        let cx = Context::new(origin, text);
        let document = match DeTable::parse(text) {
            Ok(document) => document,
            Err(error) => {
                syntax(&cx, &error);
                return Err(cx.errors.into_inner());
            }
        };
        let root = Table::new(&cx, String::new(), 0..text.len(), document.get_ref());
        let scenario = read(&root, resolve);
        root.finish();
        let mut errors = cx.errors.into_inner();
        match scenario {
            Some(mut scenario) if errors.is_empty() => {
                let mut notices = cx.notices.into_inner();
                notices.sort_by_key(|notice| notice.span.start);
                scenario.notices = notices;
                Ok(scenario)
            }
            _ => {
                errors.sort_by_key(|error| (error.origin != origin, error.span.start));
                Err(errors)
            }
        }
    }

    /// The flows of all workloads; the same for the same seed.
    pub fn flows(&self, seed: u64) -> FlowSet {
        generate(&self.workloads, &self.topology, seed)
    }

    /// Next hops over the links for which `up` holds, with those that are set by hand.
    pub fn routes(&self, up: impl Fn(LinkId) -> bool) -> Routes {
        Routes::with_overrides(&self.topology, up, &self.route_overrides)
    }
}

/// What is wrong with the text before anything of it is understood.
fn syntax(cx: &Context<'_>, error: &toml::de::Error) {
    let span = error.span().unwrap_or(0..0);
    let at_end = span.end >= cx.text.trim_end().len();
    let mut lines = error.message().lines();
    let message = lines.next().unwrap_or("this is not TOML").to_owned();
    let mut help = lines.collect::<Vec<_>>().join(", ");
    if at_end && !cx.text.is_empty() {
        help = match help.is_empty() {
            true => "the text ends here; is the file cut short?".to_owned(),
            false => format!("{help}; the text ends here: is the file cut short?"),
        };
    }
    cx.error(span, format!("not valid TOML: {message}"), help);
}

fn read(root: &Table<'_>, resolve: &mut dyn FnMut(&str) -> Result<String, String>) -> Option<Scenario> {
    let name = root.opt("name").unwrap_or_default();
    let description = root.opt("description").unwrap_or_default();
    let section = |key: &'static str| root.get(key).and_then(|value| value.as_table());
    let many = |key: &'static str| -> Vec<Table<'_>> {
        let Some(value) = root.get(key) else { return Vec::new() };
        if !value.is_array() {
            value.error(
                format!("`{key}` is not a list"),
                format!("write [[{key}]] with two brackets: there can be several"),
            );
            return Vec::new();
        }
        value.elements().iter().filter_map(Value::as_table).collect()
    };

    // First, so that an error elsewhere does not keep it from being built: names of hosts are checked against it.
    let topology = match section("topology") {
        Some(t) => read_topology::topology(t),
        None => {
            if !root.has("topology") {
                root.missing("topology", "{ kind = \"star\", hosts = 8, rate = \"100 Gb/s\" }");
            }
            None
        }
    };
    let qos = read_policy::qos(section("qos"), many("class"));
    let buffer = read_policy::buffer(section("buffer"));
    let pfc = read_policy::pfc(section("pfc"));
    let nic = read_policy::nic(section("nic"));
    let control = read_control::control(section("control"));
    let run = read_run::run(section("run"));
    let (routes, workloads, faults, probes) =
        (many("route"), many("workload"), many("fault"), section("probes"));
    // Without nodes their names mean nothing, and errors about them would only mislead.
    let (topology_spec, topology) = topology?;
    let names = Names::new(&topology);
    let route_overrides =
        routes.into_iter().filter_map(|t| read_topology::route(t, &topology, &names)).collect();
    let faults = faults.into_iter().filter_map(|t| read_run::fault(t, &names, &qos)).collect();
    let probes = read_run::probes(probes, &names, &topology, &qos);
    let spans: Vec<_> = workloads.iter().map(Table::heading).collect();
    let mut around = Around { topology: &topology, qos: &qos, names: &names, resolve };
    let workloads: Vec<_> = workloads
        .into_iter()
        .enumerate()
        .filter_map(|(i, t)| read_workload::workload(t, i, &mut around))
        .collect();
    let scenario = Scenario {
        name,
        description,
        topology_spec,
        topology,
        route_overrides,
        qos,
        buffer,
        pfc,
        nic,
        control,
        workloads,
        faults,
        probes,
        run,
        notices: Vec::new(),
    };
    if !root.cx.failed() {
        check::check(root, &scenario, &spans);
    }
    Some(scenario)
}

#[cfg(test)]
mod tests;
