//! Counts of a whole segment, for code that is inlined into other functions, and what was under way before it.
//!
//! A segment ends at each MPI call, so that it may begin in the middle of a function and of the loops around the call. Their
//! entries were counted in an earlier segment.

use super::code::CompiledCode;
use crate::source::model::Source;
use chronos_activity::Segment;
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_ir::{CounterId, FuncId};

/// The counts of a segment, all contexts together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    counts: FxHashMap<CounterId, f64>,
    /// Scopes of which something was executed, with those around them.
    ran: FxHashSet<usize>,
    functions: FxHashSet<FuncId>,
}

impl Totals {
    pub(crate) fn new(model: &Source, segment: &Segment) -> Self {
        let mut totals = Self::default();
        for (_, counter, count) in &segment.counts {
            *totals.counts.entry(*counter).or_default() += count.as_f64().unwrap_or(0.0);
        }
        if let Some(compiled) = &model.compiled {
            totals.note_scopes(model, compiled);
        }
        totals
    }

    fn note_scopes(&mut self, model: &Source, compiled: &CompiledCode) {
        let executed = self.counts.iter().filter(|(_, count)| **count > 0.0);
        let scopes = executed.filter_map(|(counter, _)| model.scope_of[counter.0 as usize]);
        for scope in scopes {
            self.functions.insert(compiled.function_of[scope as usize]);
            let around = std::iter::successors(Some(scope as usize), |&scope| model.scopes[scope].parent);
            self.ran.extend(around);
        }
    }

    /// All counts, in no order.
    pub(crate) fn counts(&self) -> &FxHashMap<CounterId, f64> {
        &self.counts
    }

    pub(crate) fn of(&self, counter: CounterId) -> f64 {
        self.counts.get(&counter).copied().unwrap_or(0.0)
    }

    /// Whether something of a scope was executed that is entered so often in the segment: never, if an earlier one entered it.
    pub(crate) fn is_under_way(&self, scope: usize, entries: f64) -> bool {
        entries == 0.0 && self.ran.contains(&scope)
    }

    /// Whether something of a function was executed.
    pub(crate) fn ran(&self, function: FuncId) -> bool {
        self.functions.contains(&function)
    }
}
