//! Names of hosts, nodes, links, ports and classes in a scenario.

use super::value::{Value, unknown_word};
use crate::{End, LinkId, NodeId, Qos, Topology};
use std::collections::HashMap;

/// Looks names up.
pub(super) struct Names<'a> {
    topology: &'a Topology,
    nodes: HashMap<&'a str, NodeId>,
}

impl<'a> Names<'a> {
    pub(super) fn new(topology: &'a Topology) -> Self {
        let nodes =
            topology.nodes().iter().zip(0..).map(|(node, i)| (node.name.as_str(), NodeId(i))).collect();
        Self { topology, nodes }
    }

    fn all_names(&self, hosts: bool) -> Vec<&'a str> {
        let count = if hosts { self.topology.hosts() as usize } else { usize::MAX };
        self.topology.nodes().iter().take(count).map(|node| node.name.as_str()).collect()
    }

    /// A node by its name.
    pub(super) fn node(&self, value: &Value<'_>) -> Option<NodeId> {
        let name = value.string()?;
        let found = self.nodes.get(name.as_str()).copied();
        if found.is_none() {
            unknown_word(value, &name, "a host or switch", &self.all_names(false));
        }
        found
    }

    /// A host by its name.
    pub(super) fn host(&self, value: &Value<'_>) -> Option<NodeId> {
        let name = value.string()?;
        self.host_named(value, &name)
    }

    fn host_named(&self, value: &Value<'_>, name: &str) -> Option<NodeId> {
        let found = self.nodes.get(name).copied().filter(|node| self.topology.is_host(*node));
        if found.is_none() {
            unknown_word(value, name, "a host", &self.all_names(true));
        }
        found
    }

    /// Hosts: "all", a name, "first..last" (both included, in the topology's order), or an array of such.
    pub(super) fn hosts(&self, value: &Value<'_>) -> Vec<NodeId> {
        let mut hosts = Vec::new();
        for element in value.elements() {
            let Some(text) = element.string() else { continue };
            if text == "all" {
                hosts.extend((0..self.topology.hosts()).map(NodeId));
            } else if let Some((first, last)) = text.split_once("..") {
                let first = self.host_named(&element, first.trim());
                let last = self.host_named(&element, last.trim());
                if let (Some(first), Some(last)) = (first, last) {
                    if first > last {
                        element.error(
                            format!("`{text}` goes backwards"),
                            "write the host with the lower number first",
                        );
                    }
                    hosts.extend((first.0..=last.0).map(NodeId));
                }
            } else {
                hosts.extend(self.host_named(&element, &text));
            }
        }
        if hosts.is_empty() && value.elements().is_empty() {
            value.error(format!("`{}` names no host", value.path), "write \"all\", or names of hosts");
        }
        hosts
    }

    /// A port as `node:port`.
    pub(super) fn port(&self, value: &Value<'_>, text: &str) -> Option<End> {
        let (name, number) = text.split_once(':')?;
        let Some(node) = self.nodes.get(name).copied() else {
            unknown_word(value, name, "a host or switch", &self.all_names(false));
            return None;
        };
        let ports = self.topology.ports(node).len();
        let port = number.parse::<u16>().ok().filter(|port| usize::from(*port) < ports);
        if port.is_none() {
            value.error(
                format!("`{name}` has no port {number}"),
                format!("its ports are 0 to {}", ports.saturating_sub(1)),
            );
        }
        Some(End { node, port: port? })
    }

    /// Links: "all", "host-links", "fabric-links", "a--b" (all cables between two nodes), "node:port", or an array of
    /// such.
    pub(super) fn links(&self, value: &Value<'_>) -> Vec<LinkId> {
        let all = || self.topology.links().iter().zip(0..).map(|(link, i)| (link, LinkId(i)));
        let to_host = |link: &crate::Link| link.ends.iter().any(|end| self.topology.is_host(end.node));
        let mut found = Vec::new();
        for element in value.elements() {
            let Some(text) = element.string() else { continue };
            let before = found.len();
            match text.as_str() {
                "all" => found.extend(all().map(|(_, i)| i)),
                "host-links" => found.extend(all().filter(|(link, _)| to_host(link)).map(|(_, i)| i)),
                "fabric-links" => found.extend(all().filter(|(link, _)| !to_host(link)).map(|(_, i)| i)),
                _ if text.contains(':') => {
                    let Some(end) = self.port(&element, &text) else { continue };
                    found.push(self.topology.ports(end.node)[usize::from(end.port)].link);
                }
                _ => {
                    if let Some((a, b)) = text.split_once("--") {
                        let ends = (self.nodes.get(a.trim()), self.nodes.get(b.trim()));
                        if let (Some(a), Some(b)) = ends {
                            let ports = self.topology.ports(*a).iter();
                            found.extend(ports.filter(|port| port.peer.node == *b).map(|port| port.link));
                        }
                    }
                }
            }
            if found.len() == before {
                element.error(
                    format!("`{}` is \"{text}\", which names no link", element.path),
                    format!(
                        "write \"all\", \"host-links\", \"fabric-links\", two nodes as in \"{}\", or a port as in \"{}\"",
                        self.topology.link_name(LinkId(0)),
                        self.topology.port_name(self.topology.link(LinkId(0)).ends[1].node, 0),
                    ),
                );
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// A class by its name.
pub(super) fn class(value: &Value<'_>, qos: &Qos) -> Option<u8> {
    let name = value.string()?;
    let found = qos.class_named(&name);
    if found.is_none() {
        let known: Vec<&str> = qos.classes.iter().map(|class| class.name.as_str()).collect();
        unknown_word(value, &name, "a class", &known);
    }
    found
}
