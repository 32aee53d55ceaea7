//! Deadlocks of PFC: cycles of ports each of which waits for the next.
//!
//! The wait-for graph has a node for each egress port and priority. A node that is paused waits for the egress
//! queues in which the pausing neighbour holds the frames that came from it. A frame leaves the ingress of the
//! neighbour by any of these queues, so a set of ports is stuck for ever only if nothing that they wait for,
//! directly or not, can move: a *knot*, a strongly connected set with no edge out of it. A cycle with a way out (towards a
//! port that a pausing host may release) is a long wait and no deadlock.

/// The wait-for graph over `n` nodes: `edges[i]` lists whom node `i` waits for. A node that can move has none and is
/// not `stuck`.
#[derive(Clone, Debug, Default)]
pub(crate) struct WaitFor {
    edges: Vec<Vec<u32>>,
}

impl WaitFor {
    pub(crate) fn new(n: usize) -> Self {
        Self { edges: vec![Vec::new(); n] }
    }

    pub(crate) fn add(&mut self, waiter: u32, waits_for: u32) {
        let edges = &mut self.edges[waiter as usize];
        if !edges.contains(&waits_for) {
            edges.push(waits_for);
        }
    }

    /// Every knot with at least one edge, as a simple cycle through it, smallest node first. Knots come in the order
    /// of their smallest node.
    pub(crate) fn deadlocks(&self) -> Vec<Vec<u32>> {
        let component = self.components();
        let n = self.edges.len();
        let mut leaves = vec![false; n];
        for (node, edges) in self.edges.iter().enumerate() {
            if edges.iter().any(|to| component[*to as usize] != component[node]) {
                leaves[component[node] as usize] = true;
            }
        }
        let mut seen = vec![false; n];
        let mut found = Vec::new();
        for (node, edges) in self.edges.iter().enumerate() {
            let c = component[node] as usize;
            if edges.is_empty() || leaves[c] || seen[c] {
                continue;
            }
            seen[c] = true;
            // A node of a knot has an edge inside it, so the walk below ends where it has been before.
            found.push(self.cycle_from(node as u32));
        }
        found
    }

    /// Follows first edges from `start` until a node comes twice; the cycle, smallest node first.
    fn cycle_from(&self, start: u32) -> Vec<u32> {
        let mut path = vec![start];
        loop {
            let last = path[path.len() - 1];
            let Some(next) = self.edges[last as usize].first() else { return path };
            if let Some(at) = path.iter().position(|node| node == next) {
                let mut cycle = path.split_off(at);
                let smallest = (0..cycle.len()).min_by_key(|i| cycle[*i]).unwrap_or(0);
                cycle.rotate_left(smallest);
                return cycle;
            }
            path.push(*next);
        }
    }

    /// The strongly connected component of every node (Tarjan's algorithm, with its own stack).
    fn components(&self) -> Vec<u32> {
        const NONE: u32 = u32::MAX;
        let n = self.edges.len();
        let (mut index, mut low, mut component) = (vec![NONE; n], vec![0; n], vec![NONE; n]);
        let (mut stack, mut work) = (Vec::new(), Vec::new());
        let (mut next_index, mut next_component) = (0, 0);
        for root in 0..n {
            if index[root] != NONE {
                continue;
            }
            work.push((root, 0));
            while let Some((node, edge)) = work.pop() {
                if edge == 0 {
                    index[node] = next_index;
                    low[node] = next_index;
                    next_index += 1;
                    stack.push(node);
                }
                if let Some(to) = self.edges[node].get(edge).map(|to| *to as usize) {
                    work.push((node, edge + 1));
                    if index[to] == NONE {
                        work.push((to, 0));
                    } else if component[to] == NONE {
                        low[node] = low[node].min(index[to]);
                    }
                    continue;
                }
                if low[node] == index[node] {
                    while let Some(member) = stack.pop() {
                        component[member] = next_component;
                        if member == node {
                            break;
                        }
                    }
                    next_component += 1;
                }
                if let Some((parent, _)) = work.last() {
                    low[*parent] = low[*parent].min(low[node]);
                }
            }
        }
        component
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(n: usize, edges: &[(u32, u32)]) -> WaitFor {
        let mut graph = WaitFor::new(n);
        for (from, to) in edges {
            graph.add(*from, *to);
        }
        graph
    }

    #[test]
    fn a_ring_is_a_deadlock_and_a_chain_is_none() {
        assert_eq!(graph(4, &[(2, 3), (3, 1), (1, 2), (0, 1)]).deadlocks(), [vec![1, 2, 3]]);
        assert!(graph(4, &[(0, 1), (1, 2), (2, 3)]).deadlocks().is_empty());
        assert!(WaitFor::new(0).deadlocks().is_empty());
    }

    #[test]
    fn a_ring_with_a_way_out_is_none() {
        // Node 1 also waits for 3, which waits for nothing: it can move.
        assert!(graph(4, &[(0, 1), (1, 0), (1, 3)]).deadlocks().is_empty());
        // The way out leads into another ring: that one is the deadlock.
        assert_eq!(graph(4, &[(0, 1), (1, 0), (1, 3), (3, 2), (2, 3)]).deadlocks(), [vec![2, 3]]);
    }

    #[test]
    fn two_rings_are_two_deadlocks() {
        let two = graph(5, &[(0, 4), (4, 0), (1, 2), (2, 1), (3, 1)]).deadlocks();
        assert_eq!(two, [vec![0, 4], vec![1, 2]]);
    }
}
