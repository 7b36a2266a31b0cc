//! Dependences between entries of a loop, and loads that the stores of the same loop overtake.

use crate::source::address::affine::Atom;
use crate::source::address::place::ValueNumber;
use crate::source::dataflow::graph::{Access, Graph, NodeFlags, access_stride};
use crate::source::dataflow::opcode::Opcode;
use crate::source::dependence::recurrence::Recurrence;
use chronos_base::hash::FxHashMap;
use chronos_ir::VarId;
use std::collections::BTreeSet;

/// An iteration of the loop around, as the entries in it see it.
pub(crate) struct EnclosingIteration<'a> {
    /// Steps of its inductions.
    pub steps: &'a FxHashMap<VarId, i64>,
    /// Variables that it writes before the loop.
    pub(crate) set_before: &'a BTreeSet<VarId>,
}

/// Whether an entry begins its recurrence anew: a variable that was written before the loop, or another place in memory
/// than the entry before. Then entries overlap, even where one reads what the one before stored: it follows at a
/// distance (suite kernels `nine_in_place`, `sweep_divided` and backwards: the shorter the entries, the fewer cycles per
/// iteration).
pub fn independent(graph: &Graph, recurrence: &Recurrence, outer: &EnclosingIteration<'_>) -> bool {
    let Some(begin) = recurrence.begin else { return !graph.calls };
    // Whether the next entry accumulates at the same place decides.
    let next_entry = |variable: VarId| Some(outer.steps.get(&variable).copied().unwrap_or(0));
    let anew = match graph.nodes[begin].opcode {
        Opcode::Entry(variable) => outer.set_before.contains(&variable),
        _ => graph
            .accesses
            .iter()
            .find(|access| access.node == begin)
            .is_none_or(|load| !is_still(graph, load) || access_stride(load, &next_entry) != Some(0)),
    };
    anew && !graph.calls
}

/// A variable of a loop around: at the iteration of that number, a store goes to the element which each iteration loads
/// anew because of it (shortest paths among 60 to 180 integers, as nest kernel shortest, against the same loop with the
/// element in another array: 53 to 73 cycles per row; microbenchmark `load_behind_store`: 60).
pub(crate) fn overtaken_by_stores(graph: &Graph, live: &NodeFlags, removed: &[ValueNumber]) -> Option<VarId> {
    let loaded_anew = |access: &&Access| {
        let node = access.node;
        !access.store
            && is_still(graph, access)
            && live[node]
            && !graph.nodes[node].invariant
            && !removed.contains(&node)
    };
    let over = |load: &Access, store: &Access| {
        if !store.store || store.address.root != load.address.root || is_still(graph, store) {
            return None;
        }
        let apart = store.address.offset.sub(&load.address.offset)?;
        let [(Atom::Entry(a), one), (Atom::Entry(b), other)] = &apart.terms[..] else { return None };
        // The one that moves is the store, the one that stays the load.
        let still = if graph.steps.contains_key(a) { b } else { a };
        (one + other == 0 && !graph.steps.contains_key(still)).then_some(*still)
    };
    let loads = graph.accesses.iter().filter(loaded_anew);
    loads.flat_map(|load| graph.accesses.iter().map(move |store| (load, store))).find_map(|(l, s)| over(l, s))
}

/// An access that goes to the same place in every iteration.
fn is_still(graph: &Graph, access: &Access) -> bool {
    graph.stride(access) == Some(0)
}
