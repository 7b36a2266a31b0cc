//! What registers hold when a loop is entered, of those that it does not change.
//!
//! Two accesses of a loop by different registers can be told to meet only if both bases are known from before the loop:
//! `b[i] = b[i - 1] + ...` is often compiled with one register for `b` and one for `b - 4`. Values are propagated forward
//! over the control flow graph (constant propagation on sums of terms; G. A. Kildall, POPL 1973), once, as no register that a
//! loop changes is followed into it.

use crate::affine::{Affine, State, Term};
use crate::graph::{ControlFlowGraph, MachineBlockId};
use crate::guards::pass;
use crate::instruction::{Flow, Register};
use crate::loops::{LoopForest, LoopId};
use crate::object_code::MachineFunction;
use chronos_base::ids::Table;
use std::collections::{BTreeMap, BTreeSet};

/// Values of registers, as sums of terms from before the loop.
pub type EntryValues = BTreeMap<Register, Affine>;

/// The registers of each loop that it leaves as they are, with their values.
pub(crate) fn entry_values(
    function: &MachineFunction,
    graph: &ControlFlowGraph,
    forest: &LoopForest,
    states: &Table<LoopId, State>,
) -> Table<LoopId, EntryValues> {
    let of = |(id, state): (LoopId, &State)| kept(state, &changed(function, graph, forest, id));
    states.iter().map(of).collect()
}

/// All that is known of registers when each loop is entered.
pub(crate) fn entry_states(
    function: &MachineFunction,
    graph: &ControlFlowGraph,
    forest: &LoopForest,
) -> Table<LoopId, State> {
    let headers: BTreeMap<MachineBlockId, LoopId> =
        forest.loops.iter().map(|(id, natural)| (natural.header, id)).collect();
    let mut after: BTreeMap<MachineBlockId, State> = BTreeMap::new();
    let mut found: BTreeMap<LoopId, State> = BTreeMap::new();
    for block in graph.reverse_postorder() {
        let mut state = arriving(function, graph, &after, block);
        if let Some(&id) = headers.get(&block) {
            found.insert(id, state.clone());
            for register in changed(function, graph, forest, id) {
                state.set(register, Affine::term(Term::Joined(block.0, register)));
            }
        }
        for at in graph.blocks[block].instructions.clone() {
            state.execute(&function.instructions[at], at);
        }
        after.insert(block, state);
    }
    forest.loops.ids().map(|id| found.remove(&id).unwrap_or_default()).collect()
}

/// What the blocks leave that control comes from, and what their jumps tell; jumps back left out.
fn arriving(
    function: &MachineFunction,
    graph: &ControlFlowGraph,
    after: &BTreeMap<MachineBlockId, State>,
    block: MachineBlockId,
) -> State {
    let passed = |from: &MachineBlockId| {
        let mut state = after.get(from)?.clone();
        pass(&mut state, function, graph, [*from, block]);
        Some(state)
    };
    let mut known = graph.blocks[block].predecessors.iter().filter_map(passed);
    let Some(mut state) = known.next() else { return State::default() };
    known.for_each(|other| state.join(&other, block.0));
    state
}

/// Registers that some instruction of the loop may change.
fn changed(
    function: &MachineFunction,
    graph: &ControlFlowGraph,
    forest: &LoopForest,
    id: LoopId,
) -> BTreeSet<Register> {
    let blocks = forest.loops[id].blocks.iter();
    let mut changed = BTreeSet::new();
    for instruction in blocks.flat_map(|&block| &function.instructions[graph.blocks[block].instructions.clone()]) {
        changed.extend(&instruction.writes);
        if matches!(instruction.flow, Flow::Call(_)) {
            changed.extend(instruction.set.saved_by_callers());
        }
    }
    changed
}

/// Values that a loop keeps. Terms are marked as those from before it: within, registers of the same name are other terms.
fn kept(state: &State, changed: &BTreeSet<Register>) -> EntryValues {
    let kept = state.changed_registers().filter(|(register, _)| !changed.contains(register));
    kept.map(|(register, value)| (register, value.seen_later())).collect()
}
