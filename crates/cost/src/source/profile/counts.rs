//! How often the blocks and loops of a context were executed, and what else a segment tells of it.

use crate::Reuse;
use crate::reuse::Place;
use crate::source::compiled::{CompiledScope, CompiledTimes, Totals};
use crate::source::model::Source;
use chronos_activity::{ContextId, Segment};
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, CounterId, VarId};
use std::sync::Arc;

/// The counts of one context.
pub(crate) struct ExecutionCounts {
    counts: FxHashMap<CounterId, f64>,
    /// Shares of evaluations that go another way than predicted, where that was seen.
    mispredicted: FxHashMap<BlockId, f64>,
    context: ContextId,
    /// Reuse distances of places, in bytes.
    distances: FxHashMap<Place, f64>,
    /// Scopes that are timed by their object code.
    compiled: Arc<CompiledTimes>,
}

impl ExecutionCounts {
    /// Those of one context of a segment; unknown ones are left out.
    pub(crate) fn of_context(segment: &Segment, context: ContextId) -> Self {
        let entries = within(&segment.counts, context, |entry| entry.0);
        let seen = within(&segment.mispredicted, context, |seen| seen.context);
        Self {
            counts: entries.iter().filter_map(|&(_, counter, n)| Some((counter, n.as_f64()?))).collect(),
            mispredicted: seen.iter().map(|seen| (seen.block, seen.share)).collect(),
            context,
            distances: FxHashMap::default(),
            compiled: Arc::default(),
        }
    }

    /// With the times of object code, where the model has any; `totals` are counts of the whole segment.
    #[must_use]
    pub fn timed(mut self, model: &Source, totals: &Totals) -> Self {
        if let Some(compiled) = &model.compiled {
            let scopes = self.counts.keys().filter_map(|counter| model.scope_of[counter.0 as usize]).collect();
            let times = || CompiledTimes::new(model, compiled, &self, totals, &scopes);
            let times = compiled.timed.get(&self.counts, totals.counts(), times);
            times.note(model, compiled, &self);
            self.compiled = times;
        }
        self
    }

    /// What the object code of a scope takes.
    pub fn compiled(&self, index: usize) -> Option<CompiledScope> {
        self.compiled.priced.get(&index).copied()
    }

    /// With the reuse distances of this context.
    #[must_use]
    pub fn after(mut self, reuse: &Reuse) -> Self {
        let own = reuse.0.iter().filter(|(context, ..)| *context == self.context);
        self.distances = own.map(|&(_, place, bytes)| (place, bytes.0 as f64)).collect();
        self
    }

    /// Bytes used since the memory of a place was used before; 0 where nobody knows of any.
    pub fn distance(&self, place: Place) -> f64 {
        self.distances.get(&place).copied().unwrap_or(0.0)
    }

    /// What a variable holds that bounds a loop.
    pub fn value(&self, model: &Source, variable: VarId) -> Option<i64> {
        model.known_values.value(self.context, variable)
    }

    pub fn of(&self, counter: CounterId) -> f64 {
        self.counts.get(&counter).copied().unwrap_or(0.0)
    }

    /// The share of a branch's evaluations, or of those of a loop's condition, that a predictor gets wrong; `None`
    /// where it was not followed.
    pub fn mispredicted(&self, block: BlockId) -> Option<f64> {
        self.mispredicted.get(&block).copied()
    }
}

/// The part of a sorted table that belongs to a context.
pub fn within<T>(table: &[T], context: ContextId, of: impl Fn(&T) -> ContextId) -> &[T] {
    let first = table.partition_point(|entry| of(entry) < context);
    let behind = table.partition_point(|entry| of(entry) <= context);
    &table[first..behind]
}

/// The loop of a scope, its iterations and its entries.
pub fn trips(model: &Source, index: usize, counts: &ExecutionCounts) -> Option<(BlockId, f64, f64)> {
    let header = model.scopes[index].header?;
    let [iterations, entries] = model.loop_counters(header).map(|counter| counts.of(counter));
    Some((header, iterations, entries))
}
