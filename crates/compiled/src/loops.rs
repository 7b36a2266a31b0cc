//! Natural loops and their nesting.

use crate::dominators::Dominators;
use crate::graph::{ControlFlowGraph, MachineBlockId};
use chronos_base::ids::{Id as _, Table};
use std::collections::BTreeSet;

chronos_base::define_ids! {
    /// A natural loop of a machine function.
    LoopId = "loop";
}

/// A natural loop: all edges back to one header, and what reaches them without the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NaturalLoop {
    /// The block that every iteration begins with.
    pub header: MachineBlockId,
    /// Blocks that jump back to the header.
    pub(crate) latches: Vec<MachineBlockId>,
    /// All blocks, those of inner loops included.
    pub blocks: BTreeSet<MachineBlockId>,
    /// Edges that leave it.
    pub exits: Vec<(MachineBlockId, MachineBlockId)>,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// Loops in it, one level down.
    pub children: Vec<LoopId>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

/// All loops of a function, outer ones before inner ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopForest {
    /// The loops.
    pub loops: Table<LoopId, NaturalLoop>,
    /// Blocks of cycles with several entries, which are no natural loops: those between an edge back and its target where that does
    /// not dominate the source of the edge.
    pub irreducible: BTreeSet<MachineBlockId>,
}

impl LoopForest {
    /// Finds the loops of a graph.
    pub fn new(graph: &ControlFlowGraph, dominators: &Dominators) -> Self {
        let order = graph.reverse_postorder();
        let mut position = vec![usize::MAX; graph.blocks.len()];
        order.iter().enumerate().for_each(|(at, block)| position[block.index()] = at);
        let mut irreducible = BTreeSet::new();
        let mut loops = Vec::new();
        // Headers of outer loops come first in reverse postorder.
        for &header in &order {
            let back =
                graph.blocks[header].predecessors.iter().copied().filter(|from| {
                    dominators.is_reachable(*from) && position[from.index()] >= position[header.index()]
                });
            let (latches, strange): (Vec<_>, Vec<_>) = back.partition(|&from| dominators.dominates(header, from));
            if !strange.is_empty() {
                irreducible.insert(header);
            }
            if !latches.is_empty() {
                loops.push(natural_loop(graph, dominators, header, latches));
            }
        }
        let mut forest = Self { loops: loops.into_iter().collect(), irreducible: BTreeSet::new() };
        forest.nest();
        forest.irreducible = irreducible.into_iter().flat_map(|target| forest.cycle(graph, target)).collect();
        forest
    }

    fn nest(&mut self) {
        for id in self.loops.ids().collect::<Vec<_>>() {
            let header = self.loops[id].header;
            // The smallest of the loops that contain it.
            let around = self.loops.iter().filter(|(other, l)| *other != id && l.blocks.contains(&header));
            let parent = around.min_by_key(|(_, l)| l.blocks.len()).map(|(other, _)| other);
            let depth = parent.map_or(1, |parent| self.loops[parent].depth + 1);
            if let Some(parent) = parent {
                self.loops[parent].children.push(id);
            }
            self.loops[id].parent = parent;
            self.loops[id].depth = depth;
        }
    }

    /// All blocks on cycles through a block that do not pass the header of the loop around it.
    fn cycle(&self, graph: &ControlFlowGraph, block: MachineBlockId) -> BTreeSet<MachineBlockId> {
        let around = self.innermost(block).map(|id| &self.loops[id]);
        let is_inside = |to: &MachineBlockId| around.is_none_or(|l| *to != l.header && l.blocks.contains(to));
        let reached = |next: &dyn Fn(MachineBlockId) -> Vec<MachineBlockId>| {
            let (mut reached, mut open) = (BTreeSet::new(), next(block));
            while let Some(block) = open.pop() {
                if is_inside(&block) && reached.insert(block) {
                    open.extend(next(block));
                }
            }
            reached
        };
        let forth = reached(&|from| graph.blocks[from].successors.clone());
        let back = reached(&|to| graph.blocks[to].predecessors.clone());
        forth.intersection(&back).copied().collect()
    }

    /// The innermost loop of a block.
    pub fn innermost(&self, block: MachineBlockId) -> Option<LoopId> {
        let around = self.loops.iter().filter(|(_, l)| l.blocks.contains(&block));
        around.max_by_key(|(_, l)| l.depth).map(|(id, _)| id)
    }
}

fn natural_loop(
    graph: &ControlFlowGraph,
    dominators: &Dominators,
    header: MachineBlockId,
    latches: Vec<MachineBlockId>,
) -> NaturalLoop {
    let mut blocks = BTreeSet::from([header]);
    let mut stack = latches.clone();
    while let Some(block) = stack.pop() {
        if blocks.insert(block) {
            stack.extend(graph.blocks[block].predecessors.iter().filter(|&&from| dominators.is_reachable(from)));
        }
    }
    let leaving = |&from: &MachineBlockId| graph.blocks[from].successors.iter().map(move |&to| (from, to));
    let exits = blocks.iter().flat_map(leaving).filter(|(_, to)| !blocks.contains(to)).collect();
    NaturalLoop { header, latches, exits, blocks, parent: None, children: Vec::new(), depth: 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn forest(count: usize, edges: &[(usize, usize)]) -> LoopForest {
        let graph = ControlFlowGraph::of_edges(count, edges);
        LoopForest::new(&graph, &Dominators::new(&graph))
    }

    fn shape(forest: &LoopForest) -> Vec<(u32, usize, u32)> {
        forest.loops.values().map(|l| (l.header.0, l.blocks.len(), l.depth)).collect()
    }

    #[test]
    fn loops_nest() {
        // 0 -> 1 { 2 { 2 } 3 { 4 } 5 } 6, and a loop of one block behind.
        let edges = [(0, 1), (1, 2), (2, 2), (2, 3), (3, 4), (4, 3), (3, 5), (5, 1), (5, 6), (6, 6)];
        let forest = forest(7, &edges);
        assert_eq!(shape(&forest), [(1, 5, 1), (2, 1, 2), (3, 2, 2), (6, 1, 1)]);
        let outer = &forest.loops[LoopId(0)];
        assert_eq!(outer.children, [LoopId(1), LoopId(2)]);
        assert_eq!(outer.exits, [(MachineBlockId(5), MachineBlockId(6))]);
    }

    #[test]
    fn a_cycle_with_two_entries_is_no_natural_loop() {
        let forest = forest(3, &[(0, 1), (0, 2), (1, 2), (2, 1)]);
        assert_eq!(shape(&forest), []);
        assert_eq!(forest.irreducible, BTreeSet::from([MachineBlockId(1), MachineBlockId(2)]));
    }

    #[test]
    fn a_cycle_with_two_entries_ends_at_the_header_of_the_loop_around_it() {
        // 0 -> 1 { 2 or 3; 2 -> 4 { 4 } -> 3 -> 2; 3 } -> 1, 5.
        let edges = [(0, 1), (1, 2), (1, 3), (2, 4), (4, 4), (4, 3), (3, 2), (3, 1), (1, 5)];
        let forest = forest(6, &edges);
        assert_eq!(shape(&forest), [(1, 4, 1), (4, 1, 2)]);
        assert_eq!(forest.irreducible, [2, 3, 4].map(MachineBlockId).into());
    }

    proptest! {
        #[test]
        fn loops_contain_each_other_or_share_nothing(edges in prop::collection::vec((0usize..10, 0usize..10), 0..25)) {
            let forest = forest(10, &edges);
            let sets: Vec<_> = forest.loops.values().map(|l| &l.blocks).collect();
            for a in &sets {
                for b in &sets {
                    prop_assert!(a.is_disjoint(b) || a.is_subset(b) || b.is_subset(a));
                }
            }
            for l in forest.loops.values() {
                let parent = l.parent.map(|parent| &forest.loops[parent]);
                prop_assert!(parent.is_none_or(|parent| parent.blocks.is_superset(&l.blocks)));
                prop_assert_eq!(l.depth, parent.map_or(1, |parent| parent.depth + 1));
            }
        }
    }
}
