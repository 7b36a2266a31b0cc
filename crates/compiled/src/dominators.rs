//! Dominators, by K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm" (2001).

use crate::graph::{ControlFlowGraph, MachineBlockId};
use chronos_base::ids::Id as _;

/// The immediate dominator of each block that can be reached.
#[derive(Clone, Debug)]
pub struct Dominators {
    immediate: Vec<Option<MachineBlockId>>,
    /// Position in reverse postorder; `None` where a block cannot be reached.
    order: Vec<Option<usize>>,
}

impl Dominators {
    /// Iterates over the blocks in reverse postorder until nothing changes.
    pub fn new(graph: &ControlFlowGraph) -> Self {
        let blocks = graph.reverse_postorder();
        let mut order = vec![None; graph.blocks.len()];
        blocks.iter().enumerate().for_each(|(at, block)| order[block.index()] = Some(at));
        let mut dominators = Self { immediate: vec![None; graph.blocks.len()], order };
        let Some((&entry, others)) = blocks.split_first() else { return dominators };
        dominators.immediate[entry.index()] = Some(entry);
        while others.iter().fold(false, |changed, &block| dominators.update(graph, block) | changed) {}
        dominators
    }

    /// Whether the block's dominator changed.
    fn update(&mut self, graph: &ControlFlowGraph, block: MachineBlockId) -> bool {
        let done = graph.blocks[block].predecessors.iter().copied().filter(|p| self.immediate[p.index()].is_some());
        let new = done.reduce(|a, b| self.intersect(a, b));
        let changed = new != self.immediate[block.index()];
        self.immediate[block.index()] = new;
        changed
    }

    /// The nearest block that dominates both: the one that is further from the entry climbs.
    fn intersect(&self, mut a: MachineBlockId, mut b: MachineBlockId) -> MachineBlockId {
        while a != b {
            if self.order[a.index()] > self.order[b.index()] {
                a = self.immediate[a.index()].unwrap_or(b);
            } else {
                b = self.immediate[b.index()].unwrap_or(a);
            }
        }
        a
    }

    /// The immediate dominator; that of the entry is itself. `None` where a block cannot be reached.
    pub fn immediate(&self, block: MachineBlockId) -> Option<MachineBlockId> {
        self.immediate[block.index()]
    }

    /// Whether every way to `below` goes over `above`; a block dominates itself.
    pub(crate) fn dominates(&self, above: MachineBlockId, below: MachineBlockId) -> bool {
        let mut at = below;
        loop {
            if at == above {
                return self.order[at.index()].is_some();
            }
            match self.immediate[at.index()] {
                Some(next) if next != at => at = next,
                _ => return false,
            }
        }
    }

    /// Whether control can come to the block.
    pub(crate) fn is_reachable(&self, block: MachineBlockId) -> bool {
        self.order[block.index()].is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Blocks that can be reached from the entry without `removed`: the definition of dominance.
    fn reachable(graph: &ControlFlowGraph, removed: Option<usize>) -> BTreeSet<usize> {
        let mut seen = BTreeSet::new();
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            if Some(at) != removed && seen.insert(at) {
                stack.extend(graph.blocks[MachineBlockId::new(at)].successors.iter().map(|b| b.index()));
            }
        }
        seen
    }

    proptest! {
        #[test]
        fn a_block_dominates_what_cannot_be_reached_without_it(
            edges in prop::collection::vec((0usize..9, 0usize..9), 0..24)
        ) {
            let graph = ControlFlowGraph::of_edges(9, &edges);
            let dominators = Dominators::new(&graph);
            let all = reachable(&graph, None);
            for above in 0..9 {
                let without = reachable(&graph, Some(above));
                for &below in &all {
                    let expected = all.contains(&above) && !without.contains(&below);
                    let found = dominators.dominates(MachineBlockId::new(above), MachineBlockId::new(below));
                    prop_assert_eq!(found, expected, "{} over {}", above, below);
                }
            }
        }
    }

    #[test]
    fn the_example_of_the_paper_converges() {
        // Figure 4 of the paper, its node 6 being the entry: all others have it as immediate dominator.
        let edges = [(0, 1), (0, 2), (1, 5), (2, 4), (2, 3), (5, 4), (4, 5), (4, 3), (3, 4)];
        let graph = ControlFlowGraph::of_edges(6, &edges);
        let dominators = Dominators::new(&graph);
        let found: Vec<_> = graph.blocks.ids().map(|id| dominators.immediate(id).map(|b| b.0)).collect();
        assert_eq!(found, [Some(0); 6]);
    }
}
