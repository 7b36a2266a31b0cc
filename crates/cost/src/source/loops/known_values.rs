//! Values of variables that bound loops, per calling context, as far as loops told them.

use crate::source::address::affine::{Affine, Atom};
use crate::source::loops::scope::Scope;
use chronos_activity::ContextId;
use chronos_base::hash::FxHashMap;
use chronos_ir::VarId;
use std::cell::RefCell;

/// What variables held when a loop last ran that they bound, in each context.
#[derive(Clone, Debug)]
pub(crate) struct KnownValues {
    values: RefCell<FxHashMap<(ContextId, VarId), i64>>,
    /// Some address has a stride that depends on them.
    wanted: bool,
}

impl KnownValues {
    /// Nothing yet.
    pub fn new(scopes: &[Scope]) -> Self {
        let symbolic = |scope: &Scope| scope.accesses.iter().any(|access| is_symbolic(&access.address.offset));
        Self { values: RefCell::default(), wanted: scopes.iter().any(symbolic) }
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted
    }

    pub fn value(&self, context: ContextId, variable: VarId) -> Option<i64> {
        self.values.borrow().get(&(context, variable)).copied()
    }

    /// What loops told just now: a row may be filled in one segment and read in the next.
    pub fn learn(&self, context: ContextId, found: FxHashMap<VarId, i64>) {
        self.values.borrow_mut().extend(found.into_iter().map(|(variable, value)| ((context, variable), value)));
    }
}

fn is_symbolic(offset: &Affine) -> bool {
    offset.each_symbol().any(|atom| matches!(atom, Atom::Product(..)))
}
