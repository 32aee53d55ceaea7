//! The topology file: `nodes switches links`, the switch ids, then `src dst rate delay error-rate` a link.
//!
//! Every node that is not a switch is a host. A node's interfaces are numbered from 1 in the order of the
//! links that name it.

use std::collections::HashMap;
use std::path::Path;

use super::error::HpccError;
use super::text::{Words, delay_ns, rate_bps};

/// Node ids share an address with the reference's 16 bits; interfaces share 8 bits of a trace record.
const MAX_NODES: u32 = 65_536;
/// Largest number of interfaces of a node.
const MAX_INTERFACES: usize = 1023;

/// One link, as its line says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub nodes: [u32; 2],
    /// The interface number (from 1) at each end.
    pub interfaces: [u32; 2],
    pub bps: u64,
    pub delay_ns: u64,
    pub error_rate: f64,
    pub line: u32,
}

/// What a topology file says.
#[derive(Clone, Debug)]
pub(crate) struct Topology {
    pub is_switch: Vec<bool>,
    pub links: Vec<Link>,
    /// Interfaces of each node.
    pub interfaces: Vec<u32>,
}

const COMPLETE: &str = "the file is cut short, or its first line states too many: correct either";
const WHOLE: &str = "a whole number that is not negative";

impl Topology {
    /// Reads `text`, the content of `file`.
    pub(crate) fn parse(file: &Path, text: &str) -> Result<Self, HpccError> {
        let mut words = Words::new(file, text);
        let (nodes, line) = words.value::<u32>("the number of nodes", WHOLE, COMPLETE)?;
        let (switches, _) = words.value::<u32>("the number of switches", WHOLE, COMPLETE)?;
        let (link_count, _) = words.value::<u32>("the number of links", WHOLE, COMPLETE)?;
        if nodes == 0 || nodes > MAX_NODES {
            let problem = format!("{nodes} nodes");
            return Err(words.invalid(line, problem, format!("write 1 to {MAX_NODES}")));
        }
        if switches > nodes {
            let problem = format!("{switches} switches among {nodes} nodes");
            return Err(words.invalid(line, problem, "write nodes, switches, links in this order"));
        }
        let mut is_switch = vec![false; nodes as usize];
        for _ in 0..switches {
            let (node, line) = node(&mut words, "a switch id", nodes)?;
            if std::mem::replace(&mut is_switch[node as usize], true) {
                let problem = format!("switch {node} is listed twice");
                return Err(words.invalid(line, problem, "list every switch once"));
            }
        }
        let mut topology = Topology { is_switch, links: Vec::new(), interfaces: vec![0; nodes as usize] };
        for _ in 0..link_count {
            topology.read_link(&mut words, nodes)?;
        }
        if let Some(word) = words.next() {
            let problem = format!("more follows after the {link_count} links of the first line");
            return Err(words.invalid(word.line, problem, "correct the number of links in the first line"));
        }
        Ok(topology)
    }

    fn read_link(&mut self, words: &mut Words<'_>, nodes: u32) -> Result<(), HpccError> {
        let (src, line) = node(words, "a link's first node", nodes)?;
        let (dst, _) = node(words, "a link's second node", nodes)?;
        let rate_word = words.expect("a link's rate", COMPLETE)?;
        let bps = rate_bps(rate_word.text).filter(|bps| *bps > 0);
        let bps = bps.ok_or_else(|| words.bad(rate_word, "rate", "a rate such as 100Gbps"))?;
        let delay_word = words.expect("a link's delay", COMPLETE)?;
        let delay_ns = delay_ns(delay_word.text).filter(|ns| *ns <= 1_000_000_000);
        let delay_ns =
            delay_ns.ok_or_else(|| words.bad(delay_word, "delay", "a delay such as 1000ns, at most 1 s"))?;
        let error_word = words.peek();
        let (error_rate, _) = words.number("a link's error rate", COMPLETE)?;
        if let Some(word) = error_word.filter(|_| !(0.0..=1.0).contains(&error_rate)) {
            return Err(words.bad(word, "error rate", "a probability from 0 to 1"));
        }
        if src == dst {
            let problem = format!("the link joins node {src} to itself");
            return Err(words.invalid(line, problem, "write two different nodes"));
        }
        let mut interfaces = [0; 2];
        for (end, node) in [src, dst].into_iter().enumerate() {
            let count = &mut self.interfaces[node as usize];
            if *count as usize >= MAX_INTERFACES {
                let problem = format!("node {node} has more than {MAX_INTERFACES} links");
                return Err(words.invalid(line, problem, "spread its links over more nodes"));
            }
            *count += 1;
            interfaces[end] = *count;
        }
        self.links.push(Link { nodes: [src, dst], interfaces, bps, delay_ns, error_rate, line });
        Ok(())
    }

    /// Number of nodes.
    pub(crate) fn nodes(&self) -> u32 {
        self.is_switch.len() as u32
    }

    /// The rate of the first interface of the first host: the reference's "NIC rate".
    pub(crate) fn nic_bps(&self) -> Option<u64> {
        let host = self.is_switch.iter().position(|s| !s)? as u32;
        let link = self.links.iter().find(|link| link.nodes.contains(&host))?;
        Some(link.bps)
    }

    /// For every node its neighbours, in the order in which the reference visits them, each with the link
    /// and the end of it that is the node's. A later link between the same two nodes replaces the earlier.
    ///
    /// The reference keeps neighbours in a map ordered by the address of the node object. Hosts are small
    /// and lie in the heap, one above the other; switches are over 2 MB each and are mapped one below the
    /// other. So: hosts by rising id, then switches by falling id.
    pub(crate) fn neighbours(&self) -> Vec<Vec<Neighbour>> {
        let mut by_node: Vec<HashMap<u32, Neighbour>> = vec![HashMap::new(); self.is_switch.len()];
        for (index, link) in self.links.iter().enumerate() {
            for end in 0..2 {
                let node = link.nodes[1 - end];
                let neighbour = Neighbour { node, link: index as u32, end: end as u8 };
                by_node[link.nodes[end] as usize].insert(node, neighbour);
            }
        }
        let order = |n: &Neighbour| {
            let switch = self.is_switch[n.node as usize];
            (switch, if switch { u32::MAX - n.node } else { n.node })
        };
        by_node
            .into_iter()
            .map(|map| {
                let mut list: Vec<Neighbour> = map.into_values().collect();
                list.sort_unstable_by_key(order);
                list
            })
            .collect()
    }
}

/// A neighbour of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neighbour {
    pub node: u32,
    pub link: u32,
    /// Which end of the link (0 or 1) is the node whose neighbour this is.
    pub end: u8,
}

fn node(words: &mut Words<'_>, field: &'static str, nodes: u32) -> Result<(u32, u32), HpccError> {
    let (node, line) = words.value::<u32>(field, WHOLE, COMPLETE)?;
    if node >= nodes {
        let (file, node) = (words.file(), u64::from(node));
        return Err(HpccError::NoSuchNode { file, line, field, node, last: nodes - 1 });
    }
    Ok((node, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAR: &str = "4 1 3\n3\n0 3 100Gbps 1000ns 0\n1 3 100Gbps 1000ns 0\n2 3 100Gbps 1000ns 0\n";

    fn message(text: &str) -> String {
        Topology::parse(Path::new("t"), text).unwrap_err().to_string()
    }

    #[test]
    fn interfaces_are_numbered_in_file_order() {
        let star = Topology::parse(Path::new("t"), STAR).unwrap();
        assert_eq!(star.links[2].interfaces, [1, 3]);
        assert_eq!(star.nic_bps(), Some(100_000_000_000));
        let order: Vec<u32> = star.neighbours()[3].iter().map(|n| n.node).collect();
        assert_eq!(order, [0, 1, 2]);
    }

    #[test]
    fn switches_are_visited_by_falling_id_after_the_hosts() {
        let text = "5 3 4\n2 3 4\n0 2 1Gbps 1ns 0\n2 3 1Gbps 1ns 0\n2 4 1Gbps 1ns 0\n2 1 1Gbps 1ns 0\n";
        let topology = Topology::parse(Path::new("t"), text).unwrap();
        let order: Vec<u32> = topology.neighbours()[2].iter().map(|n| n.node).collect();
        assert_eq!(order, [0, 1, 4, 3]);
    }

    #[test]
    fn a_broken_file_is_refused_with_its_line() {
        for cut in 0..STAR.len() - 2 {
            assert!(Topology::parse(Path::new("t"), &STAR[..cut]).is_err(), "{cut}");
        }
        assert!(message(&STAR.replace("0 3", "0 9")).starts_with("t:3: a link's second node is node 9"));
        assert!(message(&STAR.replace("100Gbps", "100Gb")).starts_with("t:3: rate: found `100Gb`"));
        assert!(
            message(&STAR.replace("2 3 100", "3 3 100")).starts_with("t:5: the link joins node 3 to itself")
        );
        assert!(message(&format!("{STAR}0 3 1Gbps 1ns 0\n")).starts_with("t:6: more follows"));
        assert!(message(&STAR.replace("ns 0\n1", "ns 2\n1")).contains("probability"));
        assert!(message("4 5 3").contains("5 switches among 4 nodes"));
        assert!(message("0 0 0").contains("0 nodes"));
    }
}
