//! Counters of the segment under construction: dense per context, drained at MPI events.

use chronos_activity::{ContextId, Count, CountSource, CountValue, Segment};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_ir::{BlockId, CounterId};

/// Counters that are passed over together where none of them has counted: of a large function few have, between two MPI calls.
const GROUP: usize = 64;

#[derive(Clone, Debug, Default)]
struct ContextCounts {
    first: u32,
    counts: Vec<u64>,
    touched: bool,
}

/// The counts of one task at a time: it is empty whenever the task is left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    contexts: Vec<ContextCounts>,
    touched: Vec<ContextId>,
    weighted: FxHashMap<(ContextId, CounterId), Count>,
    volumes: FxHashMap<(ContextId, BlockId), f64>,
    /// Counts of the last segment: the next one has about as many.
    last: usize,
}

impl Scratch {
    /// Makes room for a context of a function with its first counter and number of counters.
    pub fn open(&mut self, context: ContextId, first: u32, counters: u32) {
        if context.index() >= self.contexts.len() {
            self.contexts.resize_with(context.index() + 1, ContextCounts::default);
        }
        let entry = &mut self.contexts[context.index()];
        if entry.counts.is_empty() {
            entry.first = first;
            entry.counts = vec![0; counters as usize];
        }
    }

    /// Counts once more, at the current weight. The counter is relative to the function's first.
    #[inline]
    pub(crate) fn bump(&mut self, context: ContextId, counter: u32) {
        self.counts(context)[counter as usize] += 1;
    }

    /// What was counted in a context at the current weight, to be added to.
    #[inline]
    pub fn counts(&mut self, context: ContextId) -> &mut [u64] {
        let entry = &mut self.contexts[context.index()];
        if !entry.touched {
            entry.touched = true;
            self.touched.push(context);
        }
        &mut entry.counts
    }

    /// Takes the counters of a context out, to be given back by `give_back` before it is counted in again.
    pub(crate) fn lend(&mut self, context: ContextId) -> Vec<u64> {
        self.counts(context);
        std::mem::take(&mut self.contexts[context.index()].counts)
    }

    pub(crate) fn give_back(&mut self, context: ContextId, counts: Vec<u64>) {
        self.contexts[context.index()].counts = counts;
    }

    /// Adds a count that already has its weight.
    pub fn add(&mut self, context: ContextId, counter: CounterId, count: Count) {
        if !count.is_zero() {
            *self.weighted.entry((context, counter)).or_insert(Count::ZERO) += count;
        }
    }

    pub(crate) fn add_volume(&mut self, context: ContextId, block: BlockId, bytes: f64) {
        if bytes > 0.0 {
            *self.volumes.entry((context, block)).or_insert(0.0) += bytes;
        }
    }

    /// Moves what was counted at a weight to the weighted counts.
    pub fn settle(&mut self, weight: Count) {
        let Self { contexts, touched, weighted, .. } = self;
        drain(contexts, touched, |context, counter, n| {
            let count = Count::exact(n).times(weight);
            if !count.is_zero() {
                *weighted.entry((context, counter)).or_insert(Count::ZERO) += count;
            }
        });
    }

    /// Shows what was counted exactly and not yet handed out.
    pub fn pending(&self, weight: Count, see: &mut dyn FnMut(CounterId, u128)) {
        for (&(_, counter), count) in &self.weighted {
            if let Count { value: CountValue::Exact(n), source: CountSource::Static } = *count {
                see(counter, n);
            }
        }
        for context in self.touched.iter().filter(|_| weight == Count::ONE) {
            let entry = &self.contexts[context.index()];
            let counts = (entry.first..).zip(&entry.counts).filter(|(_, n)| **n != 0);
            counts.for_each(|(counter, &n)| see(CounterId(counter), n.into()));
        }
    }

    /// The segment so far, if it holds anything; begins a new one.
    pub fn take(&mut self, weight: Count) -> Option<Segment> {
        let Self { contexts, touched, weighted, volumes, last } = self;
        let mut counts = Vec::with_capacity((*last).max(weighted.len()));
        counts.extend(weighted.drain().map(|((context, counter), n)| (context, counter, n)));
        // What is counted at the weight alone is in order by itself, and needs no table.
        let is_mixed = !counts.is_empty();
        touched.sort_unstable();
        drain(contexts, touched, |context, counter, n| {
            let count = Count::exact(n).times(weight);
            if !count.is_zero() {
                counts.push((context, counter, count));
            }
        });
        if is_mixed {
            merge(&mut counts);
        }
        *last = counts.len();
        let mut volumes: Vec<_> = volumes.drain().map(|((context, block), n)| (context, block, n)).collect();
        volumes.sort_unstable_by_key(|&(context, block, _)| (context, block));
        let is_empty = counts.is_empty() && volumes.is_empty();
        (!is_empty).then(|| Segment { counts, volumes, ..Segment::default() })
    }
}

/// Hands out what was counted in the contexts that were touched, in their order and that of their counters, and begins anew.
fn drain(
    contexts: &mut [ContextCounts],
    touched: &mut Vec<ContextId>,
    mut see: impl FnMut(ContextId, CounterId, u128),
) {
    for context in touched.drain(..) {
        let entry = &mut contexts[context.index()];
        entry.touched = false;
        for (group, counts) in (0..).zip(entry.counts.chunks_mut(GROUP)).filter(|(_, counts)| has_counted(counts)) {
            let first = entry.first + group * GROUP as u32;
            for (counter, count) in (first..).zip(counts).filter(|(_, count)| **count != 0) {
                see(context, CounterId(counter), std::mem::take(count).into());
            }
        }
    }
}

/// Sorts counts, and adds up those of one counter in one context.
fn merge(counts: &mut Vec<(ContextId, CounterId, Count)>) {
    counts.sort_unstable_by_key(|&(context, counter, _)| (context, counter));
    counts.dedup_by(|later, first| {
        let is_same = (later.0, later.1) == (first.0, first.1);
        if is_same {
            first.2 += later.2;
        }
        is_same
    });
}

/// Looks at all of them without a branch, which processors do for several at once.
fn has_counted(counts: &[u64]) -> bool {
    counts.iter().fold(0, |all, count| all | count) != 0
}

/// What was counted apart from the rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layer {
    counts: Vec<(ContextId, CounterId, Count)>,
    volumes: Vec<(ContextId, BlockId, f64)>,
}

impl Scratch {
    /// Takes aside what was counted so far, at a weight.
    pub(crate) fn begin_layer(&mut self, weight: Count) -> Layer {
        self.settle(weight);
        let counts = self.weighted.drain().map(|((context, counter), n)| (context, counter, n)).collect();
        let volumes = self.volumes.drain().map(|((context, block), n)| (context, block, n)).collect();
        Layer { counts, volumes }
    }

    /// What was counted since the layer began; goes on from what stood before.
    pub(crate) fn end_layer(&mut self, weight: Count, outside: Layer) -> Layer {
        let inside = self.begin_layer(weight);
        self.weighted.extend(outside.counts.into_iter().map(|(context, counter, n)| ((context, counter), n)));
        self.volumes.extend(outside.volumes.into_iter().map(|(context, block, n)| ((context, block), n)));
        inside
    }

    /// Adds all of a layer, `weight` times.
    pub(crate) fn add_layer(&mut self, layer: &Layer, weight: Count) {
        for &(context, counter, count) in &layer.counts {
            self.add(context, counter, count.times(weight));
        }
        for &(context, block, bytes) in &layer.volumes {
            self.add_volume(context, block, bytes * factor(weight));
        }
    }
}

/// A share of a weight: `weight` times a probability.
pub fn share(weight: Count, probability: f64, source: CountSource) -> Count {
    if probability == 1.0 {
        return weight;
    }
    weight.times(Count::expected(probability, source))
}

/// As a factor on volumes; unknown counts as one.
pub fn factor(weight: Count) -> f64 {
    match weight.value {
        CountValue::Exact(n) => n as f64,
        CountValue::Expected(x) => x,
        CountValue::Unknown => 1.0,
    }
}
