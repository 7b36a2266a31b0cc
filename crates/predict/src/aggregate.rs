//! Sums over segments: counts by counter, times by block, class, context and task.

use crate::evaluation::Job;
use crate::functions::entry_counter;
use crate::pricing::Prices;
use chronos_activity::{ContextId, Count, SegmentId, Segments, TaskId};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id as _;
use chronos_base::units::Nanoseconds;
use chronos_ir::{BlockId, CounterId, InstructionClass};
use chronos_replay::{ReplayResult, TaskTime};
use std::collections::{BTreeMap, BTreeSet};

/// What all tasks executed, by block. Times are in nanoseconds.
pub(crate) struct Aggregate<'a> {
    /// All segments that tasks executed.
    pub segments: &'a Segments,
    /// How often each task executed them, and its times.
    pub result: &'a ReplayResult,
    /// Count of every counter, per task where there are few tasks, else their sum in one row.
    counts: Vec<FxHashMap<CounterId, Count>>,
    /// Time of every block, likewise.
    times: Vec<FxHashMap<BlockId, Nanoseconds>>,
    classes: FxHashMap<BlockId, BTreeMap<InstructionClass, Nanoseconds>>,
    /// Of the counters that say how often a function was called: the count of each task. Unlike the counts of all blocks
    /// these fit for any number of tasks, as the times of functions do.
    calls: FxHashMap<CounterId, Vec<Count>>,
    /// Computation by context and task.
    pub contexts: Vec<FxHashMap<ContextId, Nanoseconds>>,
    /// Blocks that were executed nobody knows how often.
    pub unknown: BTreeSet<BlockId>,
    per_task: bool,
}

/// Up to so many tasks, blocks carry arrays over the tasks.
const TASKS_IN_ARRAYS: usize = 64;

impl<'a> Aggregate<'a> {
    /// Adds up the segments of all tasks.
    pub fn new(job: &Job, segments: &'a Segments, result: &'a ReplayResult, prices: &Prices<'_>) -> Self {
        let per_task = job.tasks <= TASKS_IN_ARRAYS;
        let rows = if per_task { job.tasks } else { 1 };
        let mut aggregate = Self {
            segments,
            result,
            counts: vec![FxHashMap::default(); rows],
            times: vec![FxHashMap::default(); rows],
            classes: FxHashMap::default(),
            calls: entry_counters(job),
            contexts: vec![FxHashMap::default(); job.tasks],
            unknown: BTreeSet::new(),
            per_task,
        };
        for (task, time) in result.tasks.iter().enumerate() {
            aggregate.add_task(task, time, prices);
        }
        aggregate.add_calls(job);
        aggregate
    }

    fn add_task(&mut self, task: usize, time: &TaskTime, prices: &Prices<'_>) {
        for &(segment, times) in &time.segments {
            self.add_segment(task, segment, times, prices);
        }
    }

    fn add_segment(&mut self, task: usize, id: SegmentId, times: u64, prices: &Prices<'_>) {
        let row = self.row(task);
        let factor = Count::exact(times.into());
        for &(_, counter, count) in &self.segments.get(id).counts {
            let count = count.times(factor);
            *self.counts[row].entry(counter).or_insert(Count::ZERO) += count;
            if let Some(calls) = self.calls.get_mut(&counter) {
                calls[task] += count;
            }
        }
        let Some(priced) = prices.parts(TaskId::new(task), id) else { return };
        self.unknown.extend(&priced.unknown);
        for entry in &priced.entries {
            let time = entry.time * times as f64;
            *self.times[row].entry(entry.block).or_default() += time;
            *self.contexts[task].entry(entry.context).or_default() += time;
            let classes = self.classes.entry(entry.block).or_default();
            for &(class, part) in &entry.classes {
                *classes.entry(class).or_default() += part * times as f64;
            }
        }
    }

    /// Time in MPI calls belongs to their blocks.
    fn add_calls(&mut self, job: &Job) {
        for (task, time) in self.result.tasks.iter().enumerate() {
            let row = self.row(task);
            for (site, spent) in &time.sites {
                if job.program.blocks.get(site.block).is_some() {
                    *self.times[row].entry(site.block).or_default() += Nanoseconds(spent.time.as_nanoseconds());
                }
            }
        }
    }

    fn row(&self, task: usize) -> usize {
        if self.per_task { task } else { 0 }
    }

    /// Sum over the tasks.
    pub fn count(&self, counter: CounterId) -> Count {
        self.counts.iter().filter_map(|row| row.get(&counter)).fold(Count::ZERO, |sum, &count| sum + count)
    }

    /// Per task; `None` where there are too many tasks.
    pub(crate) fn count_per_task(&self, counter: CounterId) -> Option<Vec<Count>> {
        let of = |row: &FxHashMap<CounterId, Count>| row.get(&counter).copied().unwrap_or(Count::ZERO);
        self.per_task.then(|| self.counts.iter().map(of).collect())
    }

    /// How often each task called the function whose first block has this counter.
    pub(crate) fn calls_per_task(&self, entry: CounterId) -> Vec<Count> {
        self.calls.get(&entry).cloned().unwrap_or_default()
    }

    /// Sum over the tasks.
    pub fn time(&self, block: BlockId) -> Nanoseconds {
        self.times.iter().filter_map(|row| row.get(&block).copied()).sum()
    }

    /// Per task; `None` where there are too many tasks.
    pub(crate) fn time_per_task(&self, block: BlockId) -> Option<Vec<Nanoseconds>> {
        self.per_task.then(|| self.times.iter().map(|row| row.get(&block).copied().unwrap_or_default()).collect())
    }

    /// Computation of a block by instruction class.
    pub fn classes(&self, block: BlockId) -> impl Iterator<Item = (InstructionClass, Nanoseconds)> {
        self.classes.get(&block).into_iter().flatten().map(|(&class, &time)| (class, time))
    }

    /// Time of every context on a task: computation and MPI calls, callees excluded.
    pub fn contexts(&self, task: TaskId) -> FxHashMap<ContextId, Nanoseconds> {
        let mut all = self.contexts[task.index()].clone();
        for (site, spent) in &self.result.tasks[task.index()].sites {
            *all.entry(site.context).or_default() += Nanoseconds(spent.time.as_nanoseconds());
        }
        all
    }
}

/// The entry counters of all functions, each with a count of zero for every task.
fn entry_counters(job: &Job) -> FxHashMap<CounterId, Vec<Count>> {
    let counters = job.program.functions.ids().filter_map(|function| entry_counter(&job.program, function));
    counters.map(|counter| (counter, vec![Count::ZERO; job.tasks])).collect()
}
