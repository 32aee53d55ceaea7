//! Which pause caused which: the log of pauses and the propagation trees that follow from it.

use crate::results::{PauseEdge, PauseEvent, PauseTree, Pauses};
use std::collections::{BTreeMap, BTreeSet};
use weir_units::Time;

/// No pause, no port.
const NONE: u32 = u32::MAX;
/// Edges that a tree lists.
const EDGES_KEPT: usize = 64;

/// A pause that is in force.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// Its number, or [`NONE`] where the log was full.
    id: u32,
    /// Number of its root among the roots.
    root: u32,
    depth: u32,
}

#[derive(Clone, Debug)]
struct Record {
    start: Time,
    end: Option<Time>,
    port: u32,
    parent: u32,
    toward: u32,
    prio: u8,
}

#[derive(Clone, Debug, Default)]
struct Tree {
    pauses: u64,
    depth: u32,
    edges: BTreeMap<(u32, u32), u64>,
    ports: BTreeSet<(u32, u8)>,
}

/// All pauses so far. Ports are global port numbers.
#[derive(Clone, Debug)]
pub(crate) struct PauseLog {
    records: Vec<Record>,
    limit: usize,
    not_kept: u64,
    /// By pausing port and priority.
    open: Vec<Option<Open>>,
    /// By place of the root: the congested egress port, or the pausing port of a host, and the priority.
    roots: BTreeMap<(u32, u8), u32>,
    trees: Vec<Tree>,
}

/// A pause that begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begin {
    /// The port that asks.
    pub(crate) port: u32,
    /// The port that is to stop: the one at the other end.
    pub(crate) paused: u32,
    pub(crate) prio: u8,
    /// The egress port that the frame which crossed the threshold wants; none for a host.
    pub(crate) toward: Option<u32>,
    /// The port at the other end of `toward`: if it pauses this priority, its pause is the cause of this one.
    pub(crate) beyond: Option<u32>,
}

impl PauseLog {
    pub(crate) fn new(ports: usize, limit: usize) -> Self {
        Self {
            records: Vec::new(),
            limit,
            not_kept: 0,
            open: vec![None; ports * 8],
            roots: BTreeMap::new(),
            trees: Vec::new(),
        }
    }

    fn slot(port: u32, prio: u8) -> usize {
        port as usize * 8 + usize::from(prio)
    }

    /// A pause frame was decided. Refreshes of a pause in force change nothing.
    pub(crate) fn begin(&mut self, now: Time, pause: Begin) {
        let slot = Self::slot(pause.port, pause.prio);
        if self.open[slot].is_some() {
            return;
        }
        let parent = pause.beyond.and_then(|port| self.open[Self::slot(port, pause.prio)]);
        let (root, depth) = match parent {
            Some(parent) => (parent.root, parent.depth + 1),
            None => {
                let place = (pause.toward.unwrap_or(pause.port), pause.prio);
                let next = self.trees.len() as u32;
                let root = *self.roots.entry(place).or_insert(next);
                if root == next {
                    self.trees.push(Tree::default());
                }
                (root, 1)
            }
        };
        let tree = &mut self.trees[root as usize];
        tree.pauses += 1;
        tree.depth = tree.depth.max(depth);
        *tree.edges.entry((pause.paused, pause.port)).or_insert(0) += 1;
        tree.ports.insert((pause.paused, pause.prio));
        let id = match self.records.len() < self.limit {
            true => {
                self.records.push(Record {
                    start: now,
                    end: None,
                    port: pause.port,
                    parent: parent.map_or(NONE, |parent| parent.id),
                    toward: pause.toward.unwrap_or(NONE),
                    prio: pause.prio,
                });
                self.records.len() as u32 - 1
            }
            false => {
                self.not_kept += 1;
                NONE
            }
        };
        self.open[slot] = Some(Open { id, root, depth });
    }

    /// The pause by this port was lifted.
    pub(crate) fn end(&mut self, now: Time, port: u32, prio: u8) {
        let Some(open) = self.open[Self::slot(port, prio)].take() else { return };
        if let Some(record) = self.records.get_mut(open.id as usize) {
            record.end = Some(now);
        }
    }

    /// Whether this port now pauses its peer.
    #[cfg(test)]
    pub(crate) fn is_open(&self, port: u32, prio: u8) -> bool {
        self.open[Self::slot(port, prio)].is_some()
    }

    /// The log as results; `name` gives node name and local number of a port.
    pub(crate) fn finish(&self, name: &dyn Fn(u32) -> (String, u32)) -> Pauses {
        let text = |port: u32| {
            let (node, local) = name(port);
            format!("{node}:{local}")
        };
        let some = |value: u32| (value != NONE).then_some(value);
        let events = self.records.iter().enumerate().map(|(id, record)| {
            let (node, port) = name(record.port);
            PauseEvent {
                id: id as u32,
                node,
                port,
                priority: record.prio,
                start_ps: record.start.as_ps(),
                end_ps: record.end.map(Time::as_ps),
                parent: some(record.parent),
                toward_port: some(record.toward).map(|port| name(port).1),
            }
        });
        let mut trees: Vec<PauseTree> = self
            .roots
            .iter()
            .map(|((port, prio), tree)| {
                let tree = &self.trees[*tree as usize];
                let mut edges: Vec<_> = tree.edges.iter().collect();
                edges.sort_by_key(|(ports, times)| (std::cmp::Reverse(**times), **ports));
                PauseTree {
                    root: format!("{}/{prio}", text(*port)),
                    pauses: tree.pauses,
                    depth: tree.depth,
                    ports: tree.ports.len() as u64,
                    edges: edges
                        .into_iter()
                        .take(EDGES_KEPT)
                        .map(|((paused, by), times)| PauseEdge {
                            paused: text(*paused),
                            by: text(*by),
                            times: *times,
                        })
                        .collect(),
                }
            })
            .collect();
        // Stable, so equals stay in the order of their ports.
        trees.sort_by_key(|tree| std::cmp::Reverse(tree.pauses));
        Pauses { events: events.collect(), not_kept: self.not_kept, trees }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(port: u32, toward: Option<u32>, beyond: Option<u32>) -> Begin {
        Begin { port, paused: port + 100, prio: 3, toward, beyond }
    }

    #[test]
    fn a_pause_behind_a_paused_port_is_its_child() {
        let mut log = PauseLog::new(300, 2);
        // A host at port 1 pauses; the switch port 2 behind which its frames wait pauses upstream, and so on.
        log.begin(Time::from_us(1), begin(1, None, None));
        log.begin(Time::from_us(2), begin(2, Some(50), Some(1)));
        log.begin(Time::from_us(3), begin(2, Some(50), Some(1)));
        log.begin(Time::from_us(3), begin(3, Some(51), Some(2)));
        assert!(log.is_open(3, 3) && !log.is_open(3, 4));
        log.end(Time::from_us(4), 2, 3);
        log.end(Time::from_us(5), 1, 3);
        log.end(Time::from_us(5), 1, 3);
        // A congested egress 60 that nobody pauses is a root of its own.
        log.begin(Time::from_us(6), begin(2, Some(60), Some(1)));
        let pauses = log.finish(&|port| (format!("n{port}"), port));
        assert_eq!(pauses.events.len(), 2);
        assert_eq!(pauses.not_kept, 2);
        assert_eq!(pauses.events[1].parent, Some(0));
        assert_eq!(pauses.events[1].end_ps, Some(4_000_000));
        assert_eq!(pauses.trees.len(), 2);
        let tree = &pauses.trees[0];
        assert_eq!((tree.root.as_str(), tree.pauses, tree.depth, tree.ports), ("n1:1/3", 3, 3, 3));
        assert_eq!(pauses.trees[1].root, "n60:60/3");
        assert_eq!(tree.edges[0], PauseEdge { paused: "n101:101".into(), by: "n1:1".into(), times: 1 });
    }
}
