//! How many iterations a loop has, as a linear form of variables, and which variables its bounds depend on.

use crate::source::address::affine::IterationForm;
use crate::source::address::affine::{Affine, Atom};
use crate::source::address::place::ValueNumber;
use crate::source::dataflow::graph::{Access, Graph, Node};
use crate::source::dataflow::opcode::Opcode;
use crate::source::vectorize::legality::Starts;
use chronos_ir::{InstructionClass, VarId};
use std::collections::BTreeSet;

/// A loop's way from its begin to its limit, in values of the begin of an iteration of the loop around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Length {
    pub way: Affine,
    /// By how much an iteration shortens it.
    pub step: i64,
}

/// The length of the loop whose iteration is `graph`; its inductions begin at `starts`.
pub fn trip_count(graph: &Graph, starts: &Starts) -> Option<Length> {
    // A loop ends when the margin of its comparison is used up, by one step per iteration.
    let rest = graph.rests.get(&graph.condition?)?;
    let step = rest.stride(&|variable| graph.change(variable))?.checked_neg()?;
    let way = rest.replaced(starts)?;
    let begins = |atom: &Atom| match atom {
        Atom::Entry(variable) => !graph.steps.contains_key(variable) || starts.contains_key(variable),
        _ => true,
    };
    (step > 0 && rest.each_symbol().all(begins)).then_some(Length { way, step })
}

/// What the exit test of a loop depends on.
pub(crate) struct LoopBounds {
    /// Variables of loops around it.
    pub variables: BTreeSet<VarId>,
    /// A bound is loaded with variables of loops around it.
    pub is_loaded: bool,
}

/// Variables that its condition compares with: where a loop around it changes one, entries differ in length.
pub fn bounds(graph: &Graph) -> LoopBounds {
    // The operands of the exit test are the bounds.
    let compared = graph.roots.iter().flat_map(|&root| {
        let node = &graph.nodes[root];
        node.operands.iter().filter(|_| node.opcode.is_loop_comparison())
    });
    let mut found = BTreeSet::new();
    let mut loaded = false;
    let mut work: Vec<ValueNumber> = compared.copied().collect();
    while let Some(id) = work.pop() {
        let node = &graph.nodes[id];
        match node.opcode {
            Opcode::Entry(variable) if !graph.carried.contains_key(&variable) => drop(found.insert(variable)),
            Opcode::Entry(variable) => work.extend(graph.symbolic_step(variable).into_iter().flatten()),
            // Which element it is says nothing of how much longer it gets.
            _ if node.invariant && node.class == Some(InstructionClass::Load) => loaded |= moves(graph, id),
            _ if node.invariant => work.extend(&node.operands),
            _ => {}
        }
    }
    LoopBounds { variables: found, is_loaded: loaded }
}

/// Whether a load depends on variables.
fn moves(graph: &Graph, load: ValueNumber) -> bool {
    let of = |access: &Access| access.node == load && !access.address.offset.terms.is_empty();
    graph.invariant_loads.iter().any(of)
}

/// The condition compares an induction variable with a constant.
pub(crate) fn constant_bound(graph: &Graph) -> bool {
    let compares = |node: &Node| {
        // A bound known at compile time lets compilers unroll completely or without remainder.
        let constant = |id: &ValueNumber| graph.nodes[*id].opcode.is_constant();
        node.opcode.is_loop_comparison() && node.operands.iter().any(constant)
    };
    graph.roots.iter().any(|&root| compares(&graph.nodes[root]))
}
