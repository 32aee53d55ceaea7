//! Flows that wait for flows, through gates: a gate opens when the last of its flows has been delivered.

use super::options::SimError;
use weir_fabric::{FlowSet, Start};

/// Lists of numbers by number, in two arrays.
#[derive(Clone, Debug, Default)]
struct Lists {
    first: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// `n` lists from pairs `(list, item)`; items keep the order of the pairs.
    fn new<I: Iterator<Item = (u32, u32)>>(n: usize, pairs: impl Fn() -> I) -> Self {
        let mut first = vec![0u32; n + 1];
        for (list, _) in pairs() {
            first[list as usize + 1] += 1;
        }
        for i in 0..n {
            first[i + 1] += first[i];
        }
        let mut next = first.clone();
        let mut items = vec![0u32; first[n] as usize];
        for (list, item) in pairs() {
            let slot = &mut next[list as usize];
            items[*slot as usize] = item;
            *slot += 1;
        }
        Self { first, items }
    }

    fn of(&self, list: u32) -> &[u32] {
        let i = list as usize;
        &self.items[self.first[i] as usize..self.first[i + 1] as usize]
    }
}

/// Which gates wait for which flows, and which flows for which gates.
#[derive(Clone, Debug)]
pub(crate) struct Dependencies {
    /// Flows that a gate still waits for.
    unmet: Vec<u32>,
    gates_of_flow: Lists,
    flows_of_gate: Lists,
}

impl Dependencies {
    pub(crate) fn new(set: &FlowSet) -> Result<Self, SimError> {
        let (flows, gates) = (set.flows.len(), set.gates.len());
        let waits = || {
            set.flows.iter().filter_map(|flow| match flow.start {
                Start::After { gate, .. } => Some((gate, flow.id)),
                Start::At(_) => None,
            })
        };
        let feeds = || {
            (0..gates as u32).flat_map(|gate| set.gates.flows_of(gate).iter().map(move |flow| (*flow, gate)))
        };
        if let Some((gate, flow)) = waits().find(|(gate, _)| *gate as usize >= gates) {
            return Err(SimError::BadDependency { flow, gate, why: "which does not exist" });
        }
        if let Some((flow, gate)) = feeds().find(|(flow, _)| *flow as usize >= flows) {
            return Err(SimError::BadDependency {
                flow,
                gate,
                why: "which waits for this flow, and it does not exist",
            });
        }
        let dependencies = Self {
            unmet: (0..gates as u32).map(|gate| set.gates.flows_of(gate).len() as u32).collect(),
            gates_of_flow: Lists::new(flows, feeds),
            flows_of_gate: Lists::new(gates, waits),
        };
        dependencies.check_order(set)?;
        Ok(dependencies)
    }

    /// Every flow must come to its turn if all before it end.
    fn check_order(&self, set: &FlowSet) -> Result<(), SimError> {
        let mut trial = self.clone();
        let mut started = vec![false; set.flows.len()];
        let mut ready: Vec<u32> =
            set.flows.iter().filter(|flow| matches!(flow.start, Start::At(_))).map(|flow| flow.id).collect();
        for gate in self.open_from_start() {
            ready.extend(self.flows_of_gate.of(gate));
        }
        while let Some(flow) = ready.pop() {
            started[flow as usize] = true;
            trial.delivered(flow, |waiting| ready.push(waiting));
        }
        let stuck = set.flows.iter().find_map(|flow| match flow.start {
            Start::After { gate, .. } if !started[flow.id as usize] => Some((flow.id, gate)),
            _ => None,
        });
        match stuck {
            Some((flow, gate)) => Err(SimError::BadDependency {
                flow,
                gate,
                why: "which waits for it in turn, so neither can begin",
            }),
            None => Ok(()),
        }
    }

    /// Gates that wait for nothing.
    pub(crate) fn open_from_start(&self) -> impl Iterator<Item = u32> {
        (0..self.unmet.len() as u32).filter(|gate| self.unmet[*gate as usize] == 0)
    }

    /// The flows that wait for a gate.
    pub(crate) fn flows_of_gate(&self, gate: u32) -> &[u32] {
        self.flows_of_gate.of(gate)
    }

    /// A flow has been delivered: calls `ready` for every flow whose gate that opens. To be called once a flow.
    pub(crate) fn delivered(&mut self, flow: u32, mut ready: impl FnMut(u32)) {
        for gate in self.gates_of_flow.of(flow) {
            let unmet = &mut self.unmet[*gate as usize];
            *unmet = unmet.saturating_sub(1);
            if *unmet == 0 {
                for flow in self.flows_of_gate.of(*gate) {
                    ready(*flow);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_fabric::{FlowSpec, Gates, NodeId, Op};
    use weir_units::{Span, Time};

    fn set(gate_of: &[Option<u32>], gates: &[&[u32]]) -> FlowSet {
        let flow = |(id, gate): (usize, &Option<u32>)| FlowSpec {
            id: id as u32,
            src: NodeId(0),
            dst: NodeId(1),
            bytes: 1,
            start: match gate {
                None => Start::At(Time::ZERO),
                Some(gate) => Start::After { gate: *gate, delay: Span::ZERO },
            },
            op: Op::Write,
            class: 0,
            connection: 0,
            job: 0,
        };
        let mut built = Gates::default();
        for flows in gates {
            built.push(flows.iter().copied());
        }
        FlowSet { flows: gate_of.iter().enumerate().map(flow).collect(), gates: built, ..FlowSet::default() }
    }

    #[test]
    fn a_gate_opens_with_the_last_of_its_flows() {
        let mut d =
            Dependencies::new(&set(&[None, None, Some(0), Some(0), Some(1)], &[&[0, 1], &[2], &[]])).unwrap();
        let mut opened = |flow| {
            let mut ready = Vec::new();
            d.delivered(flow, |flow| ready.push(flow));
            ready
        };
        assert!(opened(1).is_empty());
        assert_eq!(opened(0), [2, 3]);
        assert_eq!(opened(2), [4]);
        assert_eq!(d.open_from_start().collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn circles_and_strangers_are_refused() {
        let error =
            |gate_of: &[Option<u32>], gates: &[&[u32]]| Dependencies::new(&set(gate_of, gates)).unwrap_err();
        assert!(matches!(error(&[Some(0), Some(1)], &[&[1], &[0]]), SimError::BadDependency { .. }));
        assert!(matches!(error(&[Some(0)], &[&[0]]), SimError::BadDependency { flow: 0, gate: 0, .. }));
        assert!(matches!(error(&[Some(1)], &[&[]]), SimError::BadDependency { gate: 1, .. }));
        assert!(matches!(error(&[None], &[&[9]]), SimError::BadDependency { flow: 9, .. }));
    }
}
