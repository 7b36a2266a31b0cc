//! The data flow of one iteration: what an optimiser leaves of it after common subexpressions, invariants,
//! dead code and addressing are gone.

use crate::source::address::affine::{Affine, IterationForm};
use crate::source::address::place::{Address, Root, ValueNumber};
use crate::source::dataflow::opcode::Opcode;
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Table;
use chronos_base::span::Span;
use chronos_ir::{BinaryOp, BlockId, InstructionClass, VarId};
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
pub struct Node {
    /// `None` where it costs nothing.
    pub class: Option<InstructionClass>,
    /// Cycles from operands to result.
    pub latency: f64,
    pub operands: Vec<ValueNumber>,
    /// The same in every iteration.
    pub invariant: bool,
    /// Whose executions it shares.
    pub block: BlockId,
    /// Where it is computed first.
    pub line: u32,
    /// A load of a floating-point number.
    pub float: bool,
    pub opcode: Opcode,
}

/// A load or store that is left after the optimiser's work.
#[derive(Clone, Debug)]
pub struct Access {
    pub address: Address,
    pub node: ValueNumber,
    pub store: bool,
    /// Of a floating type.
    pub float: bool,
    /// Its index is computed for itself: no address advances with it.
    pub widened: bool,
    /// The block in an arm of a branch that makes it; `None` where every iteration does, whichever arm is taken.
    pub block: Option<BlockId>,
    pub span: Span,
}

/// A value: its node and what is known of it.
#[derive(Clone, Debug)]
pub struct Value {
    pub node: ValueNumber,
    pub affine: Option<Affine>,
    pub pointer: Option<(Root, Affine)>,
}

impl Access {
    pub fn class(&self) -> InstructionClass {
        if self.store { InstructionClass::Store } else { InstructionClass::Load }
    }
}

/// A flag for each node.
pub type NodeFlags = Table<ValueNumber, bool>;

/// A loop-carried dependence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CarriedDependence {
    /// The value that one iteration computes, or stores.
    pub from: ValueNumber,
    /// Where it enters a later iteration: the variable at its begin, or the load.
    pub to: ValueNumber,
    /// From one to the other, such as those of store-to-load forwarding.
    pub cycles: f64,
    /// In iterations.
    pub distance: f64,
}

#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub nodes: Table<ValueNumber, Node>,
    index: FxHashMap<(Opcode, Vec<ValueNumber>), ValueNumber>,
    /// What must be computed: stored values, conditions, arguments.
    pub roots: Vec<ValueNumber>,
    pub accesses: Vec<Access>,
    /// Loads of the same place in every iteration.
    pub(crate) invariant_loads: Vec<Access>,
    /// Value at the end of the iteration of each variable that it changes.
    pub carried: FxHashMap<VarId, ValueNumber>,
    /// Step of each induction variable, in units of its value (bytes for pointers).
    pub steps: FxHashMap<VarId, i64>,
    /// Where inductions of the loops inside begin, in values of the begin of this iteration.
    pub starts: FxHashMap<BlockId, FxHashMap<VarId, Affine>>,
    /// Variables that this iteration has written when a loop inside begins.
    pub(crate) set_before: FxHashMap<BlockId, BTreeSet<VarId>>,
    /// Variables that end an iteration as a loop inside it leaves them.
    pub(crate) left_by: FxHashMap<VarId, BlockId>,
    /// Cycles that a floating-point sum waits longer for a result of another unit.
    pub bypass: f64,
    /// Branches that stay branches, with their conditions.
    pub choices: Vec<(BlockId, ValueNumber)>,
    /// Conditions of branches that are taken to become selections.
    pub converted: Vec<ValueNumber>,
    /// It is of a function's body, not of a loop.
    pub whole: bool,
    /// The loop's condition.
    pub condition: Option<ValueNumber>,
    /// By how much comparisons of integers fall short of their opposites.
    pub rests: FxHashMap<ValueNumber, Affine>,
    /// Indices that every iteration computes, but for their constants.
    pub indices: BTreeSet<Affine>,
    /// It holds what no vector can: calls, jumps, branches, other loops.
    pub irregular: bool,
    /// It holds calls that may touch memory.
    pub calls: bool,
    /// It holds calls after which floating-point registers hold something else.
    pub(crate) clobbers: bool,
    /// Dependences through memory to the next iterations.
    pub(crate) through_memory: Vec<CarriedDependence>,
}

impl Graph {
    /// What an iteration adds to a variable, where that is no constant but stays the same: `i += n`.
    pub(crate) fn symbolic_step(&self, variable: VarId) -> Option<Vec<ValueNumber>> {
        let end = &self.nodes[*self.carried.get(&variable).filter(|_| !self.steps.contains_key(&variable))?];
        let is_own = |id: &ValueNumber| self.nodes[*id].opcode == Opcode::Entry(variable);
        let (own, others): (Vec<ValueNumber>, Vec<ValueNumber>) = end.operands.iter().partition(|id| is_own(id));
        let adds = end.opcode.is_binary(BinaryOp::Add) && !end.float && own.len() == 1;
        (adds && others.iter().all(|id| self.nodes[*id].invariant)).then_some(others)
    }

    /// An empty one; `bypass`: see there.
    pub fn new(bypass: f64) -> Self {
        Self { bypass, ..Self::default() }
    }

    pub fn add(&mut self, node: Node) -> ValueNumber {
        // Equal operator and operands: the value is there already.
        let slot = (node.opcode.clone(), node.operands.clone());
        if let Some(&known) = self.index.get(&slot) {
            return known;
        }
        let id = self.nodes.push(node);
        self.index.insert(slot, id);
        id
    }

    pub fn unique(&self) -> Opcode {
        Opcode::Unique(u32::try_from(self.nodes.len()).expect("nodes fit"))
    }

    pub(crate) fn all_invariant(&self, operands: &[ValueNumber]) -> bool {
        operands.iter().all(|&operand| self.nodes[operand].invariant)
    }

    /// By how much a variable advances per iteration; `None` where it changes in another way.
    pub fn change(&self, variable: VarId) -> Option<i64> {
        // A variable that nothing writes advances by 0.
        let still = (!self.carried.contains_key(&variable)).then_some(0);
        self.steps.get(&variable).copied().or(still)
    }

    /// Bytes by which an access advances per iteration; a pointer that was loaded before the loop stays where it is.
    pub fn stride(&self, access: &Access) -> Option<i64> {
        let change = |variable| self.change(variable);
        match access.address.root {
            Root::Value(node) if self.nodes[node].invariant => access.address.offset.stride(&change),
            _ => access_stride(access, &change),
        }
    }

    /// No node's flag is set.
    pub(crate) fn no_flags(&self) -> NodeFlags {
        self.nodes.ids().map(|_| false).collect()
    }

    /// Nodes that must be computed, roots and what they need; carried values only where something needs
    /// the variable.
    pub fn live(&self) -> NodeFlags {
        let mut live = self.no_flags();
        // Dead code elimination from what must be computed, backwards.
        let mut work = self.roots.clone();
        while let Some(id) = work.pop() {
            if std::mem::replace(&mut live[id], true) {
                continue;
            }
            let node = &self.nodes[id];
            work.extend(&node.operands);
            // Who needs the value of the iteration before keeps its computation alive.
            if let Opcode::Entry(variable) = node.opcode {
                work.extend(self.carried.get(&variable));
            }
        }
        live
    }
}

/// Bytes by which an access advances per iteration.
pub(crate) fn access_stride(access: &Access, change: &impl Fn(VarId) -> Option<i64>) -> Option<i64> {
    let root = match access.address.root {
        Root::Object(_) => 0,
        Root::Pointer(variable) => change(variable)?,
        Root::Value(_) => return None,
    };
    access.address.offset.stride(change)?.checked_add(root)
}
