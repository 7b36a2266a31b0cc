//! A machine function with everything that is found out about it once.

use crate::affine::{Affine, Term};
use crate::constant_trips::constant_trips;
use crate::dominators::Dominators;
use crate::entry_values::{EntryValues, entry_states, entry_values};
use crate::graph::{ControlFlowGraph, MachineBlockId};
use crate::induction::{LoopFacts, facts};
use crate::instruction::Register;
use crate::loops::{LoopForest, LoopId};
use crate::object_code::{CompiledUnit, MachineFunction};
use chronos_base::ids::{Id as _, Table};
use std::collections::BTreeSet;

/// A machine function with its control flow graph, its loops, and what each iteration of them does.
#[derive(Clone, Debug)]
pub struct FunctionCode {
    /// The function.
    pub function: MachineFunction,
    /// Its control flow graph.
    pub graph: ControlFlowGraph,
    /// Its loops.
    pub forest: LoopForest,
    /// What each iteration of each loop does.
    pub facts: Table<LoopId, LoopFacts>,
    /// What registers hold that a loop does not change.
    pub entries: Table<LoopId, EntryValues>,
    /// What is known of registers when the function is called: arguments that are the same in each call of a loop.
    pub(crate) kept_arguments: EntryValues,
    /// Iterations each time a loop is entered, where they stand in the code.
    pub trips: Table<LoopId, Option<u64>>,
    innermost: Vec<Option<LoopId>>,
}

impl FunctionCode {
    /// Analyses one function of a unit.
    pub fn new(unit: &CompiledUnit, function: &MachineFunction) -> Self {
        let graph = ControlFlowGraph::new(function, unit);
        let forest = LoopForest::new(&graph, &Dominators::new(&graph));
        let states = entry_states(function, &graph, &forest);
        let facts: Table<LoopId, LoopFacts> =
            states.iter().map(|(id, entry)| facts(function, &graph, &forest, id, entry)).collect();
        let trips = states
            .iter()
            .map(|(id, state)| constant_trips(function, &graph, &forest.loops[id], &facts[id], state))
            .collect();
        let entries = entry_values(function, &graph, &forest, &states);
        let innermost = graph.blocks.ids().map(|block| forest.innermost(block)).collect();
        Self {
            function: function.clone(),
            graph,
            forest,
            facts,
            entries,
            kept_arguments: EntryValues::new(),
            trips,
            innermost,
        }
    }

    /// With arguments in these registers that are the same in each call.
    #[must_use]
    pub fn with_kept_arguments(mut self, registers: &BTreeSet<Register>) -> Self {
        let value = |register: &Register| Affine::term(Term::Register(*register)).seen_later();
        self.kept_arguments = registers.iter().map(|register| (*register, value(register))).collect();
        self
    }

    /// The innermost loop of a block.
    pub fn innermost(&self, block: MachineBlockId) -> Option<LoopId> {
        self.innermost.get(block.index()).copied().flatten()
    }

    /// Blocks of a loop, or of the function outside its loops, that are in no loop further inside.
    pub(crate) fn own_blocks(&self, region: Option<LoopId>) -> impl Iterator<Item = MachineBlockId> + '_ {
        self.graph.blocks.ids().filter(move |block| self.innermost(*block) == region)
    }

    /// Positions of the instructions in cycles with several entries.
    pub fn irreducible_instructions(&self) -> impl Iterator<Item = usize> + '_ {
        self.forest.irreducible.iter().flat_map(|&block| self.graph.blocks[block].instructions.clone())
    }

    /// Positions of the instructions of a loop, or of the function outside its loops, that are in no loop further inside.
    pub fn own_instructions(&self, region: Option<LoopId>) -> impl Iterator<Item = usize> + '_ {
        self.own_blocks(region).flat_map(|block| self.graph.blocks[block].instructions.clone())
    }
}
