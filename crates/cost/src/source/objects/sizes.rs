//! How large objects are: by their type, or told by the calls of allocators that ran. What data chooses an element of
//! stays within its object.

use crate::source::address::place::Root;
use crate::source::whole_program::allocations::Allocations;
use chronos_activity::Segment;
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, CounterId, Program, VarId};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Sizes of what addresses are found from.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// Bytes of variables.
    variables: FxHashMap<VarId, f64>,
    /// By pointer, the calls of allocators that made all it ever holds.
    made_by: FxHashMap<VarId, BTreeSet<BlockId>>,
    /// By such a call, the counter of its executions.
    counters: FxHashMap<BlockId, CounterId>,
    /// Bytes that a call gave at most, as far as it ran.
    given: RefCell<FxHashMap<BlockId, f64>>,
}

impl Sizes {
    /// Linear in the size of the program.
    pub fn new(program: &Program, allocations: &Allocations) -> Self {
        let made_by = allocations.calls();
        let bytes = |variable: &chronos_ir::Variable| program.types.size(variable.ty, program.model) as f64;
        Self {
            variables: program.variables.iter().map(|(id, variable)| (id, bytes(variable))).collect(),
            counters: made_by.values().flatten().map(|&call| (call, program.blocks[call].counter(0))).collect(),
            made_by,
            given: RefCell::default(),
        }
    }

    /// What the allocators of a segment gave: it may be used in another one.
    pub fn learn(&self, segment: &Segment) {
        for &(context, call, bytes) in &segment.volumes {
            let Some(&counter) = self.counters.get(&call) else { continue };
            let at =
                segment.counts.binary_search_by_key(&(context, counter), |&(context, counter, _)| (context, counter));
            let executed = at.ok().and_then(|at| segment.counts[at].2.as_f64());
            if let Some(executed) = executed.filter(|&executed| executed > 0.0) {
                let mut given = self.given.borrow_mut();
                // An allocation in a loop counts with its mean, several with the largest.
                let most = given.entry(call).or_insert(0.0);
                *most = most.max(bytes / executed);
            }
        }
    }

    /// Bytes of the largest object that a root may stand for; infinite where that is not known.
    pub fn of(&self, root: &Root) -> f64 {
        let known = match root {
            Root::Object(variable) => self.variables.get(variable).copied().filter(|&bytes| bytes > 0.0),
            Root::Pointer(pointer) => self.made_by.get(pointer).and_then(|calls| self.largest(calls)),
            Root::Value(_) => None,
        };
        known.unwrap_or(f64::INFINITY)
    }

    fn largest(&self, calls: &BTreeSet<BlockId>) -> Option<f64> {
        let given = self.given.borrow();
        let all: Option<Vec<f64>> = calls.iter().map(|call| given.get(call).copied()).collect();
        all?.into_iter().reduce(f64::max)
    }
}
