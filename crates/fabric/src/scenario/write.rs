//! A resolved scenario as TOML that reads back to the same scenario.

use super::Scenario;
use crate::{
    AllReduce, Class, EcnRule, EcnThresholds, FaultKind, LinkId, NodeId, Pattern, RouteOverride, Scheduling,
    Shape, Topology,
};
use serde::Serialize;
use toml::{Table, Value};
use weir_units::Time;

/// Any value as TOML; what has no form in TOML, such as nothing, is left out.
fn value(of: &impl Serialize) -> Option<Value> {
    Value::try_from(of).ok()
}

fn table(of: &impl Serialize) -> Table {
    match value(of) {
        Some(Value::Table(table)) => table,
        _ => Table::new(),
    }
}

fn put(table: &mut Table, key: &str, of: impl Serialize) {
    if let Some(value) = value(&of) {
        table.insert(key.to_owned(), value);
    }
}

impl Scenario {
    /// The scenario with every default written out. A file that it refers to is referred to again, not included.
    pub fn to_toml(&self) -> String {
        let mut root = Table::new();
        for (key, text) in [("name", &self.name), ("description", &self.description)] {
            if !text.is_empty() {
                put(&mut root, key, text);
            }
        }
        put(&mut root, "topology", &self.topology_spec);
        let routes: Vec<Table> = self.route_overrides.iter().map(|route| self.route(route)).collect();
        let classes: Vec<Table> = self.qos.classes.iter().map(class).collect();
        let workloads: Vec<Table> = self.workloads.iter().map(|workload| self.workload(workload)).collect();
        let faults: Vec<Table> = self.faults.iter().map(|fault| self.fault(fault)).collect();
        for (key, tables) in
            [("route", routes), ("class", classes), ("workload", workloads), ("fault", faults)]
        {
            if !tables.is_empty() {
                put(&mut root, key, tables);
            }
        }
        put(&mut root, "qos", self.qos_table());
        let mut buffer = table(&self.buffer);
        if self.buffer.threshold.is_some() {
            buffer.remove("alpha");
        }
        put(&mut root, "buffer", buffer);
        put(&mut root, "pfc", &self.pfc);
        put(&mut root, "nic", &self.nic);
        put(&mut root, "control", &self.control);
        put(&mut root, "probes", &self.probes);
        put(&mut root, "run", &self.run);
        toml::to_string_pretty(&root).unwrap_or_default()
    }

    fn class_name(&self, class: u8) -> &str {
        self.qos.classes.get(usize::from(class)).map_or("", |class| class.name.as_str())
    }

    fn qos_table(&self) -> Table {
        let mut t = Table::new();
        put(&mut t, "ecn", self.qos.ecn);
        put(&mut t, "mark_at", self.qos.mark_at);
        put(&mut t, "default_class", self.class_name(self.qos.default_class));
        put(&mut t, "cnp_class", self.class_name(self.qos.cnp_class));
        if let Some(class) = self.qos.ack_class {
            put(&mut t, "ack_class", self.class_name(class));
        }
        t
    }

    fn route(&self, route: &RouteOverride) -> Table {
        let name = |node: NodeId| self.topology.node(node).name.as_str();
        let ports = self.topology.ports(route.at);
        let mut via: Vec<&str> =
            route.ports.iter().map(|port| name(ports[usize::from(*port)].peer.node)).collect();
        via.dedup();
        let mut t = Table::new();
        put(&mut t, "at", name(route.at));
        put(&mut t, "to", host_names(&self.topology, &route.to));
        put(&mut t, "via", via);
        t
    }

    fn workload(&self, workload: &crate::Workload) -> Table {
        let mut t = table(workload);
        put(&mut t, "class", self.class_name(workload.class));
        if workload.tag.is_empty() {
            t.remove("tag");
        }
        if workload.repeat.count == 1 {
            t.remove("repeat");
        } else if let (Some(_), Some(Value::Table(repeat))) = (workload.repeat.every, t.get_mut("repeat")) {
            repeat.remove("gap");
        }
        match &workload.pattern {
            Pattern::Storage { .. } => {
                t.remove("op");
            }
            Pattern::Incast { load: None, .. } => {
                t.remove("duration");
            }
            Pattern::AllReduce { algorithm, .. } if *algorithm != AllReduce::Tree => {
                t.remove("chunks");
            }
            _ => {}
        }
        // Numbers of hosts become their names.
        let lists: [(&str, &[NodeId]); 2] = match &workload.pattern {
            Pattern::Incast { senders, receivers, .. } | Pattern::Poisson { senders, receivers, .. } => {
                [("senders", senders), ("receivers", receivers)]
            }
            Pattern::Storage { clients, servers, .. } => [("clients", clients), ("servers", servers)],
            Pattern::Pairs { from, to, .. } => [("from", from), ("to", to)],
            Pattern::Permutation { hosts, .. }
            | Pattern::AllToAll { hosts, .. }
            | Pattern::AllReduce { hosts, .. }
            | Pattern::ReduceScatter { hosts, .. }
            | Pattern::AllGather { hosts, .. }
            | Pattern::Moe { hosts, .. }
            | Pattern::Pipeline { hosts, .. } => [("hosts", hosts), ("hosts", hosts)],
            Pattern::Csv { .. } => return t,
        };
        for (key, hosts) in lists {
            put(&mut t, key, host_names(&self.topology, hosts));
        }
        t
    }

    fn fault(&self, fault: &crate::Fault) -> Table {
        let mut t = Table::new();
        put(&mut t, "from", fault.from);
        if fault.until != Time::MAX {
            put(&mut t, "until", fault.until);
        }
        // The fields of each kind have the names of the keys; numbers of links and hosts become their names.
        if let Some(Value::Table(kinds)) = value(&fault.kind) {
            for (kind, fields) in kinds {
                put(&mut t, "kind", kind);
                if let Value::Table(fields) = fields {
                    t.extend(fields);
                }
            }
        }
        match &fault.kind {
            FaultKind::Loss { links, .. }
            | FaultKind::DropEvery { links, .. }
            | FaultKind::Reorder { links, .. }
            | FaultKind::Duplicate { links, .. }
            | FaultKind::Corrupt { links, .. }
            | FaultKind::LinkDown { links }
            | FaultKind::Flap { links, .. } => put(&mut t, "links", link_names(&self.topology, links)),
            FaultKind::PauseStorm { host, priorities } => {
                put(&mut t, "host", &self.topology.node(*host).name);
                let list: Vec<u8> = (0..8).filter(|priority| priorities >> priority & 1 == 1).collect();
                put(&mut t, "priorities", list);
            }
            FaultKind::SlowReceiver { host, .. } => put(&mut t, "host", &self.topology.node(*host).name),
        }
        t
    }
}

fn class(class: &Class) -> Table {
    let mut t = Table::new();
    put(&mut t, "name", &class.name);
    put(&mut t, "priority", class.priority);
    put(&mut t, "dscp", &class.dscp);
    put(&mut t, "lossless", class.lossless);
    match class.scheduling {
        Scheduling::Strict => put(&mut t, "strict", true),
        Scheduling::Weighted(weight) => put(&mut t, "weight", weight),
    }
    let row = |key: &str, rate: Option<weir_units::Rate>, thresholds: &EcnThresholds| {
        let mut t = table(thresholds);
        if let Some(rate) = rate {
            put(&mut t, key, rate);
        }
        t
    };
    match &class.ecn {
        EcnRule::Off => {}
        EcnRule::Fixed(thresholds) => put(&mut t, "ecn", row("at", None, thresholds)),
        EcnRule::Proportional { at, thresholds } => put(&mut t, "ecn", row("at", Some(*at), thresholds)),
        EcnRule::Table(rows) => {
            let rows: Vec<Table> = rows.iter().map(|(rate, t)| row("rate", Some(*rate), t)).collect();
            put(&mut t, "ecn", rows);
        }
    }
    t
}

/// Names of hosts, with runs as `first..last`.
fn host_names(topology: &Topology, hosts: &[NodeId]) -> Vec<String> {
    let name = |host: &NodeId| topology.node(*host).name.as_str();
    hosts
        .chunk_by(|a, b| b.0 == a.0 + 1)
        .flat_map(|run| match run {
            [first, _, .., last] => vec![format!("{}..{}", name(first), name(last))],
            few => few.iter().map(|host| name(host).to_owned()).collect(),
        })
        .collect()
}

fn link_names(topology: &Topology, links: &[LinkId]) -> Vec<String> {
    if links.len() == topology.links().len() {
        return vec!["all".to_owned()];
    }
    let port = |link: &LinkId| {
        let end = topology.link(*link).ends[0];
        topology.port_name(end.node, end.port)
    };
    links.iter().map(port).collect()
}

/// Kinds of topologies keep their name as a word.
impl Shape {
    /// The word that a scenario has for this kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Shape::Star { .. } => "star",
            Shape::Dumbbell { .. } => "dumbbell",
            Shape::ParkingLot { .. } => "parking-lot",
            Shape::LeafSpine { .. } => "leaf-spine",
            Shape::FatTree { .. } => "fat-tree",
            Shape::RailOptimised { .. } => "rail-optimised",
            Shape::Dragonfly { .. } => "dragonfly",
            Shape::Explicit { .. } => "explicit",
        }
    }
}
