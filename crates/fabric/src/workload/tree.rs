//! All-reduce over two binary trees, each of which has the leaves of the other as inner nodes, so that every rank sends
//! and receives about twice its buffer (Sanders et al., 2009; NCCL's double tree).

use super::generate::{Generator, part};
use crate::NodeId;
use weir_units::Span;

/// Parent of `rank` in the in-order binary tree over 0..n whose root is 0; `None` at the root.
///
/// Ranks with k trailing zero bits stand k levels above the leaves; one that would have a parent beyond n takes the
/// next one below it.
fn parent(rank: usize, n: usize) -> Option<usize> {
    if rank == 0 {
        return None;
    }
    let bit = 1 << rank.trailing_zeros();
    let up = (rank ^ bit) | bit << 1;
    Some(if up < n { up } else { rank ^ bit })
}

/// The two trees: parents of all ranks. The second is the first with ranks mirrored, or shifted by one for an odd
/// number, which turns leaves into inner nodes.
fn two_trees(n: usize) -> [Vec<Option<usize>>; 2] {
    let first: Vec<_> = (0..n).map(|rank| parent(rank, n)).collect();
    let turned: Vec<usize> =
        (0..n).map(|rank| if n.is_multiple_of(2) { n - 1 - rank } else { (rank + n - 1) % n }).collect();
    let mut back = vec![0; n];
    for (rank, turned) in turned.iter().enumerate() {
        back[*turned] = rank;
    }
    let second = turned.iter().map(|rank| first[*rank].map(|parent| back[parent])).collect();
    [first, second]
}

impl Generator<'_> {
    /// Every half of the buffer goes in `chunks` pieces up one tree, summed on the way, and down again.
    pub(super) fn trees(&mut self, hosts: &[NodeId], bytes: u64, chunks: u32) {
        let n = hosts.len();
        for (half, parents) in (0..).zip(two_trees(n)) {
            let half = part(bytes, half, 2);
            let mut children = vec![Vec::new(); n];
            for (rank, parent) in parents.iter().enumerate() {
                if let Some(parent) = parent {
                    children[*parent].push(rank);
                }
            }
            let Some(root) = parents.iter().position(Option::is_none) else { continue };
            // From the root down; backwards, children come before their parents.
            let mut order = vec![root];
            let mut i = 0;
            while let Some(rank) = order.get(i) {
                order.extend(&children[*rank]);
                i += 1;
            }
            for chunk in 0..u64::from(chunks) {
                let size = part(half, chunk, u64::from(chunks));
                let mut up: Vec<Option<u32>> = vec![None; n];
                for rank in order.iter().rev() {
                    if let Some(parent) = parents[*rank] {
                        let waits: Vec<u32> = children[*rank].iter().filter_map(|child| up[*child]).collect();
                        let start = self.after(waits, Span::ZERO);
                        up[*rank] = self.flow(hosts[*rank], hosts[parent], size, start);
                    }
                }
                let mut down: Vec<Option<u32>> = vec![None; n];
                for rank in &order {
                    let waits: Vec<u32> = match down[*rank] {
                        Some(from_parent) => vec![from_parent],
                        None => children[*rank].iter().filter_map(|child| up[*child]).collect(),
                    };
                    for child in &children[*rank] {
                        let start = self.after(waits.iter().copied(), Span::ZERO);
                        down[*child] = self.flow(hosts[*rank], hosts[*child], size, start);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_trees_span_all_ranks_and_share_the_work() {
        for n in 2..70usize {
            let trees = two_trees(n);
            let mut inner = vec![0; n];
            for parents in &trees {
                assert_eq!(parents.iter().filter(|parent| parent.is_none()).count(), 1, "one root of {n}");
                for rank in 0..n {
                    let (mut at, mut depth) = (rank, 0);
                    while let Some(up) = parents[at] {
                        (at, depth) = (up, depth + 1);
                        assert!(depth <= usize::BITS - n.leading_zeros(), "depth of {rank} of {n}");
                    }
                }
                for (rank, inner) in inner.iter_mut().enumerate() {
                    let children = parents.iter().flatten().filter(|parent| **parent == rank).count();
                    assert!(children <= 2);
                    *inner += usize::from(children > 0);
                }
            }
            // No rank is a leaf twice but where the number does not come out even.
            assert!(inner.iter().filter(|inner| **inner == 0).count() <= 1, "{n}: {inner:?}");
        }
    }
}
