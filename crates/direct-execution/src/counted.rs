//! Segments of what was counted between two calls.

use crate::known::{Counted, Evaluated, Executed};
use chronos_activity::{ContextId, Count, CountSource, CountValue, Mispredicted, Segment, SegmentId, Segments};
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, CounterId, Program};
use chronos_trace::map::TraceMap;
use chronos_trace::steps::Contexts;
use std::collections::{BTreeMap, BTreeSet};

/// Executions by trace point.
pub type Points = BTreeMap<u32, u128>;

/// What trace points mean, and what static evaluation knows of the segments that they count.
#[derive(Clone, Debug)]
pub struct Counters {
    /// The points of the program.
    pub map: TraceMap,
}

/// Segments by what was counted.
pub struct SegmentTable<'a> {
    program: &'a Program,
    counters: &'a Counters,
    of_reductions: BTreeSet<BlockId>,
    /// The counters that a point belongs to: few of the program's are executed between two calls.
    of_point: FxHashMap<u32, Vec<CounterId>>,
    /// How often branches were mispredicted where they were evaluated.
    mispredicted: FxHashMap<BlockId, f64>,
    contexts: Contexts,
    segments: Segments,
    known: FxHashMap<Points, Option<SegmentId>>,
}

impl<'a> SegmentTable<'a> {
    /// Behind the segments that are known already.
    pub fn new(program: &'a Program, counters: &'a Counters, evaluated: Evaluated<'_>) -> Self {
        let (mut segments, of_reductions) = (evaluated.activity.segments.clone(), evaluated.of_reductions.clone());
        let mispredicted = mispredicted(program, &segments);
        let contexts = Contexts::new(program, &BTreeMap::new(), &mut segments);
        let mut of_point: FxHashMap<u32, Vec<CounterId>> = FxHashMap::default();
        for (&counter, terms) in &counters.map.counters {
            for &(point, _) in terms {
                of_point.entry(point).or_default().push(CounterId(counter));
            }
        }
        Self {
            program,
            counters,
            of_reductions,
            of_point,
            mispredicted,
            contexts,
            segments,
            known: FxHashMap::default(),
        }
    }

    pub fn segments(&self) -> &Segments {
        &self.segments
    }

    pub fn contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// The segment of these executions; `None` where nothing was executed.
    pub fn segment(&mut self, points: &Points) -> Option<SegmentId> {
        if points.is_empty() {
            return None;
        }
        if let Some(&known) = self.known.get(points) {
            return known;
        }
        let id = self.new_segment(points);
        self.known.insert(points.clone(), id);
        id
    }

    /// How often each block was executed, of those that trace points tell.
    pub fn executed(&self, points: &Points) -> Executed {
        let executions = |point| points.get(&point).copied().unwrap_or(0);
        let counters = points.keys().filter_map(|point| self.of_point.get(point)).flatten();
        let counts = counters.map(|&counter| (counter, self.counters.map.executed_of(counter, &executions)));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// What an evaluation tells of a counter.
    pub fn counted(&self, counter: CounterId) -> Counted {
        match self.counters.map.counters.contains_key(&counter.0) {
            false => Counted::Nothing,
            true if self.of_reductions.contains(&self.program.block_of(counter)) => Counted::AtLeast,
            true => Counted::All,
        }
    }

    /// One execution of a call, for its count.
    pub fn call(&mut self, block: BlockId) -> Option<SegmentId> {
        let found = self.program.blocks.get(block)?;
        let one = Count { value: CountValue::Exact(1), source: CountSource::Trace };
        let counts = vec![(self.contexts.of(found.function), found.counter(0), one)];
        Some(self.segments.intern(Segment { counts, ..Segment::default() }))
    }

    fn new_segment(&mut self, points: &Points) -> Option<SegmentId> {
        let executed = self.executed(points);
        let volumes = self.volumes(points);
        self.interned(&executed, volumes)
    }

    /// The segment of these executions by counter; `None` where there are none.
    pub fn segment_of(&mut self, executed: &Executed) -> Option<SegmentId> {
        self.interned(executed, Vec::new())
    }

    /// The bytes that trace points tell, by call.
    fn volumes(&self, points: &Points) -> Vec<(ContextId, BlockId, f64)> {
        let bytes = self.counters.map.bytes(&|point| points.get(&point).copied().unwrap_or(0));
        let of_call = |(block, bytes)| (self.contexts.of(self.program.blocks[block].function), block, bytes);
        let mut volumes: Vec<_> = bytes.into_iter().map(of_call).collect();
        volumes.sort_by_key(|&(context, block, _)| (context, block));
        volumes
    }

    fn interned(&mut self, executed: &Executed, volumes: Vec<(ContextId, BlockId, f64)>) -> Option<SegmentId> {
        let counted = executed.iter().map(|(&counter, &count)| {
            let function = self.program.blocks[self.program.block_of(counter)].function;
            let count = Count { value: CountValue::Exact(count), source: CountSource::Trace };
            (self.contexts.of(function), counter, count)
        });
        let mut counts: Vec<_> = counted.collect();
        counts.sort_by_key(|&(context, counter, _)| (context, counter));
        let mispredicted = self.mispredicted_of(&counts);
        (!counts.is_empty())
            .then(|| self.segments.intern(Segment { counts, volumes, mispredicted, ..Segment::default() }))
    }

    /// What is known of the branches that are executed, in the order of the counts.
    fn mispredicted_of(&self, counts: &[(ContextId, CounterId, Count)]) -> Vec<Mispredicted> {
        let mut found: Vec<Mispredicted> = Vec::new();
        for &(context, counter, _) in counts {
            let block = self.program.block_of(counter);
            let is_new = found.last().is_none_or(|last| (last.context, last.block) != (context, block));
            if let (Some(&share), true) = (self.mispredicted.get(&block), is_new) {
                found.push(Mispredicted { context, block, share });
            }
        }
        found
    }
}

/// The share of mispredicted executions of each branch that was evaluated: trace points tell how often a branch goes which
/// way, and not in which order. What was evaluated before the budget ended shows the order.
fn mispredicted(program: &Program, segments: &Segments) -> FxHashMap<BlockId, f64> {
    let mut sums: FxHashMap<BlockId, (f64, f64)> = FxHashMap::default();
    for (_, segment) in segments.iter() {
        for seen in &segment.mispredicted {
            let of = |&&(context, counter, _): &&(ContextId, CounterId, Count)| {
                (context, program.block_of(counter)) == (seen.context, seen.block)
            };
            let executed = segment.counts.iter().find(of).and_then(|(_, _, count)| count.as_f64());
            let weight = executed.unwrap_or(0.0).max(1.0);
            let (missed, all) = sums.entry(seen.block).or_default();
            (*missed, *all) = (*missed + seen.share * weight, *all + weight);
        }
    }
    sums.into_iter().map(|(block, (missed, all))| (block, missed / all)).collect()
}
