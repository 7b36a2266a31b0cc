//! 90 % intervals: how far the suite's kernels of a kind were off, carried over to a program's loops.
//!
//! The error of a loop is the same wherever it is executed; errors of different loops are taken to be independent, so
//! their squares add up. Counts are taken to be exact and networks to be as described: intervals are of computation.

use crate::aggregate::Aggregate;
use crate::evaluation::Job;
use crate::pricing::Prices;
use chronos_activity::{ContextId, SegmentId, TaskId};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id as _;
use chronos_cost::{Shape, intervals};
use chronos_ir::{BlockId, FuncId};
use chronos_machine::Residuals;
use chronos_report::model::Block;
use std::collections::BTreeMap;

/// Time of computation, in seconds per task in the mean, by loop and shape.
pub struct Intervals {
    residuals: Option<Residuals>,
    parts: Vec<(ContextId, Option<BlockId>, Shape, f64)>,
}

impl Intervals {
    pub fn new(job: &Job, aggregate: &Aggregate<'_>, prices: &Prices<'_>, residuals: Option<&Residuals>) -> Self {
        let mut intervals = Self { residuals: residuals.cloned(), parts: Vec::new() };
        if residuals.is_none() {
            return intervals;
        }
        // A task of each kind of machine stands for all of them.
        let mut executed: BTreeMap<(usize, SegmentId), (TaskId, u64)> = BTreeMap::new();
        for (task, time) in aggregate.result.tasks.iter().enumerate() {
            let task = TaskId::new(task);
            for &(segment, times) in &time.segments {
                executed.entry((prices.kind(task), segment)).or_insert((task, 0)).1 += times;
            }
        }
        for ((_, segment), (task, times)) in executed {
            intervals.add(task, segment, times as f64 / job.tasks.max(1) as f64 / 1e9, aggregate, prices);
        }
        intervals
    }

    fn add(&mut self, task: TaskId, segment: SegmentId, seconds: f64, aggregate: &Aggregate<'_>, prices: &Prices<'_>) {
        let mut rest: BTreeMap<ContextId, f64> = BTreeMap::new();
        for entry in prices.parts(task, segment).iter().flat_map(|priced| &priced.entries) {
            *rest.entry(entry.context).or_default() += entry.time.0 * seconds;
        }
        for found in prices.loops(prices.kind(task), segment, aggregate.segments) {
            let shape = Shape::of_loop(found.kind, found.iterations / found.entries.max(1.0), found.lanes);
            self.parts.push((found.context, Some(found.header), shape, found.time.0 * seconds));
            *rest.entry(found.context).or_default() -= found.time.0 * seconds;
        }
        self.parts.extend(rest.into_iter().map(|(context, time)| (context, None, Shape::outside(), time.max(0.0))));
    }

    /// Around a time that holds what `function` and its callees compute; `None` without residuals.
    pub fn around(&self, seconds: f64, function: FuncId, aggregate: &Aggregate<'_>) -> Option<[f64; 2]> {
        let residuals = self.residuals.as_ref()?;
        let mut inside: FxHashMap<ContextId, bool> = FxHashMap::default();
        let mut errors = Errors::new();
        for &(context, header, shape, time) in &self.parts {
            let on_path = || aggregate.segments.path(context).any(|(_, on_path)| on_path.function == function);
            if *inside.entry(context).or_insert_with(on_path) {
                *errors.entry((header, shape)).or_default() += time;
            }
        }
        Some(around(seconds, residuals, &errors))
    }

    /// Gives blocks the interval of what they take with what is inside them, summed over the tasks.
    pub(crate) fn add_to_blocks(&self, blocks: &mut [Block], tasks: usize, aggregate: &Aggregate<'_>) {
        let Some(residuals) = self.residuals.as_ref() else { return };
        let mut errors: Vec<Errors> = vec![Errors::new(); blocks.len()];
        for own in 0..blocks.len() {
            let computed = blocks[own].time_s - blocks[own].classes.get("mpi").copied().unwrap_or(0.0);
            let header = outwards(blocks, own).find(|&at| blocks[at].kind == "loop").map(|at| BlockId(at as u32));
            let shape = header.and_then(|header| self.shape(header)).unwrap_or(Shape::outside());
            outwards(blocks, own).for_each(|at| *errors[at].entry((header, shape)).or_default() += computed);
        }
        for &(context, header, shape, seconds) in &self.parts {
            for call in aggregate.segments.path(context).filter_map(|(_, on_path)| on_path.call) {
                for at in outwards(blocks, call.index()) {
                    *errors[at].entry((header, shape)).or_default() += seconds * tasks as f64;
                }
            }
        }
        for (block, errors) in blocks.iter_mut().zip(&errors).filter(|(block, _)| block.inclusive_s > 0.0) {
            block.interval_s = Some(around(block.inclusive_s, residuals, errors));
        }
    }

    /// That of the execution with the most time.
    fn shape(&self, header: BlockId) -> Option<Shape> {
        let of_header = self.parts.iter().filter(|part| part.1 == Some(header));
        of_header.max_by(|a, b| a.3.total_cmp(&b.3)).map(|part| part.2)
    }
}

/// Time by loop and shape: errors of one entry are the same, those of different ones independent.
type Errors = BTreeMap<(Option<BlockId>, Shape), f64>;

fn around(seconds: f64, residuals: &Residuals, errors: &Errors) -> [f64; 2] {
    let (mut below, mut above) = (0.0, 0.0);
    for (&(_, shape), time) in errors {
        let (least, most) = intervals::factors(residuals, shape);
        below += (time * (1.0 - least)).powi(2);
        above += (time * (most - 1.0)).powi(2);
    }
    [(seconds - below.sqrt()).max(0.0), seconds + above.sqrt()]
}

/// A block and the loops and branches around it.
fn outwards(blocks: &[Block], from: usize) -> impl Iterator<Item = usize> {
    let parent = |at: &usize| blocks.get(*at).and_then(|block| block.parent).map(|parent| parent as usize);
    std::iter::successors(Some(from).filter(|&at| at < blocks.len()), parent)
}
