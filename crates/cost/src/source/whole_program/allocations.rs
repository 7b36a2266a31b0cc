//! Which allocations a pointer may hold: what the first touch of memory needs, through wrappers of `malloc`, globals
//! and parameters.
//!
//! This is no alias analysis of a compiler, which sees neither through other units nor through wrappers: facts.rs is.

use crate::source::whole_program::assignments::{Assigned, Assignments};
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, FuncId, Program, Storage, VarId};
use std::collections::BTreeSet;

/// What pointers hold.
#[derive(Clone, Debug, Default)]
pub struct Allocations {
    /// By pointer, the variables that stand for the allocations which it may hold: those that were given them first.
    pub holds: FxHashMap<VarId, BTreeSet<VarId>>,
    /// By such a variable, how the memory was made.
    pub made: FxHashMap<VarId, AllocationSites>,
}

/// How memory was made, where there are several ways what holds of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllocationSites {
    /// What the address is a multiple of.
    alignment: u64,
    /// The calls of allocators.
    calls: BTreeSet<BlockId>,
}

impl Allocations {
    /// By pointer, what all that it holds is aligned to.
    pub fn aligned(&self) -> FxHashMap<VarId, u64> {
        let least = |held: &BTreeSet<VarId>| held.iter().filter_map(|one| Some(self.made.get(one)?.alignment)).min();
        self.holds.iter().filter_map(|(&pointer, held)| Some((pointer, least(held)?))).collect()
    }

    /// By pointer, the calls of allocators that made what it holds.
    pub fn calls(&self) -> FxHashMap<VarId, BTreeSet<BlockId>> {
        let of = |held: &BTreeSet<VarId>| -> BTreeSet<BlockId> {
            held.iter().filter_map(|one| self.made.get(one)).flat_map(|made| &made.calls).copied().collect()
        };
        self.holds.iter().map(|(&pointer, held)| (pointer, of(held))).collect()
    }
}

/// Linear in the size of the program, times the depth of passing pointers on.
pub fn allocations(program: &Program, flow: &Assignments) -> Allocations {
    let mut search = Search { program, flow, found: Allocations::default(), allocators: FxHashMap::default() };
    while search.round() {}
    search.found
}

struct Search<'a> {
    program: &'a Program,
    flow: &'a Assignments,
    found: Allocations,
    /// Functions that return memory which they allocated.
    allocators: FxHashMap<FuncId, AllocationSites>,
}

impl Search<'_> {
    fn round(&mut self) -> bool {
        let before = self.found.holds.len() + self.allocators.len();
        let flow = self.flow;
        for (&variable, given) in &flow.variables {
            if !self.found.holds.contains_key(&variable)
                && self.closed(variable)
                && let Some(held) = self.held(variable, given)
            {
                if held.contains(&variable) {
                    self.found.made.insert(variable, self.made(given));
                }
                self.found.holds.insert(variable, held);
            }
        }
        for (&function, results) in &flow.results {
            if self.allocates(function, results) {
                let made = self.made(results);
                self.allocators.insert(function, made);
            }
        }
        self.found.holds.len() + self.allocators.len() > before
    }

    /// Whether all writes of a variable are known.
    fn closed(&self, variable: VarId) -> bool {
        let known = &self.program.variables[variable];
        // A function whose address is taken is called with anything.
        let passed = match (known.storage, known.function) {
            (Storage::Parameter(_), Some(function)) => {
                Some(function) != self.program.main && !self.program.functions[function].effects.address_taken
            }
            _ => true,
        };
        passed && (!known.address_taken || self.flow.by_address.contains(&variable))
    }

    fn held(&self, variable: VarId, given: &[Assigned]) -> Option<BTreeSet<VarId>> {
        let mut held = BTreeSet::new();
        for one in given.iter().filter(|one| !is_null(one)) {
            match one {
                Assigned::Fresh { .. } => drop(held.insert(variable)),
                Assigned::Returned(function) if self.allocators.contains_key(function) => drop(held.insert(variable)),
                Assigned::Variable(from) => held.extend(self.found.holds.get(from)?),
                _ => return None,
            }
        }
        (!held.is_empty()).then_some(held)
    }

    /// What holds of all allocations among these.
    fn made(&self, given: &[Assigned]) -> AllocationSites {
        let of = |one: &Assigned| match one {
            Assigned::Fresh { alignment, call } => {
                Some(AllocationSites { alignment: *alignment, calls: call.iter().copied().collect() })
            }
            Assigned::Returned(function) => self.allocators.get(function).cloned(),
            Assigned::Variable(v) => self.found.made.get(v).cloned(),
            _ => None,
        };
        // What several allocations have in common is the least alignment.
        let both = |a: AllocationSites, b: AllocationSites| AllocationSites {
            alignment: a.alignment.min(b.alignment),
            calls: &a.calls | &b.calls,
        };
        given.iter().filter_map(of).reduce(both).unwrap_or(AllocationSites { alignment: 1, calls: BTreeSet::new() })
    }

    fn allocates(&self, function: FuncId, results: &[Assigned]) -> bool {
        let own = |one: &Assigned| match one {
            Assigned::Fresh { .. } => true,
            Assigned::Returned(callee) => self.allocators.contains_key(callee),
            Assigned::Variable(v) => self.found.holds.get(v).is_some_and(|held| {
                held.iter().all(|v| {
                    let variable = &self.program.variables[*v];
                    variable.function == Some(function) && matches!(variable.storage, Storage::Local)
                })
            }),
            _ => false,
        };
        let mut real = results.iter().filter(|one| !is_null(one)).peekable();
        real.peek().is_some() && real.all(own)
    }
}

fn is_null(given: &Assigned) -> bool {
    *given == Assigned::Constant(0)
}
