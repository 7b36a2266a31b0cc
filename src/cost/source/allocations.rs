//! Which allocations a pointer may hold: what the first touch of memory needs, through wrappers of `malloc`, globals and
//! parameters.
//!
//! This is no alias analysis of a compiler, which sees neither through other units nor through wrappers: facts.rs is.

use super::given::{Flow, Given};
use crate::program::{FuncId, Program, Storage, VarId};
use std::collections::{BTreeSet, HashMap, HashSet};

/// By pointer, the variables that stand for the allocations which it may hold: those that were given them first.
pub type Allocations = HashMap<VarId, BTreeSet<VarId>>;

/// Linear in the size of the program, times the depth of passing pointers on.
pub fn allocations(program: &Program, flow: &Flow) -> Allocations {
    let mut search = Search { program, flow, holds: HashMap::new(), allocators: HashSet::new() };
    while search.round() {}
    search.holds
}

struct Search<'a> {
    program: &'a Program,
    flow: &'a Flow,
    holds: Allocations,
    /// Functions that return memory which they allocated.
    allocators: HashSet<FuncId>,
}

impl Search<'_> {
    fn round(&mut self) -> bool {
        let before = self.holds.len() + self.allocators.len();
        let flow = self.flow;
        for (&variable, given) in &flow.variables {
            if !self.holds.contains_key(&variable)
                && self.closed(variable)
                && let Some(held) = self.held(variable, given)
            {
                self.holds.insert(variable, held);
            }
        }
        for (&function, results) in &flow.results {
            if self.allocates(function, results) {
                self.allocators.insert(function);
            }
        }
        self.holds.len() + self.allocators.len() > before
    }

    /// Whether all writes of a variable are known.
    fn closed(&self, variable: VarId) -> bool {
        let known = &self.program.variables[variable];
        let passed = match (known.storage, known.function) {
            (Storage::Parameter(_), Some(function)) => {
                Some(function) != self.program.main && !self.program.functions[function].effects.address_taken
            }
            _ => true,
        };
        passed && (!known.address_taken || self.flow.by_address.contains_key(&variable))
    }

    fn held(&self, variable: VarId, given: &[Given]) -> Option<BTreeSet<VarId>> {
        let mut held = BTreeSet::new();
        for one in given.iter().filter(|one| !is_null(one)) {
            match one {
                Given::Fresh => drop(held.insert(variable)),
                Given::Returned(function) if self.allocators.contains(function) => drop(held.insert(variable)),
                Given::Variable(from) => held.extend(self.holds.get(from)?),
                _ => return None,
            }
        }
        (!held.is_empty()).then_some(held)
    }

    fn allocates(&self, function: FuncId, results: &[Given]) -> bool {
        let own = |one: &Given| match one {
            Given::Fresh => true,
            Given::Returned(callee) => self.allocators.contains(callee),
            Given::Variable(v) => self.holds.get(v).is_some_and(|held| {
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

fn is_null(given: &Given) -> bool {
    *given == Given::Constant(0)
}
