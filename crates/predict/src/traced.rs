//! Predictions with a trace: static counts where they are exact, those of the run elsewhere.
//!
//! The trace's means let the evaluation go on where it would have to guess or to stop; then the counts that are not
//! exact are scaled, task by task, to what the task did. So sums over a task are those of the run; how they spread over
//! the segments between MPI calls is the evaluation's. Where the evaluation cannot know which MPI calls are made, the
//! prediction is of the calls of the run and the counts between them.

use crate::evaluation::random_numbers;
use crate::evaluation::{Evaluation, Found, Job};
use crate::pricing::Prices;
use crate::profile::traced::is_exact;
use crate::target::Target;
use crate::{Evaluated, Outcome, evaluation, predict_again, with_options};
use chronos_activity::executed::executed_segments;
use chronos_activity::{
    Activity, ContextId, Count, CountSource, CountValue, Repeat, Segment, SegmentId, Segments, Step, Work,
};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_interpreter::codes as interp;
use chronos_ir::{ArmLabel, BlockId, BlockKind, BranchKind, Callee, CounterId, Program};
use chronos_replay::{self as replay, ReplayOptions};
use chronos_slicing::annotations::CONTRADICTED;
use chronos_trace::codes::{FROM_TRACE, OTHER_TASKS};
use chronos_trace::steps::{self, CallBytes};
use chronos_trace::{Trace, TracedCounts};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Predicts the time of the run that was traced, on this target.
pub fn predict_traced(job: &Job, target: Target<'_>, trace: &Trace) -> Outcome {
    let alone = evaluated(job, target);
    let mut refused = None;
    if trace.map.whole && (!has_structure(&alone) || rests_on_missing_files(&alone)) {
        match own_calls(job, &alone, trace) {
            Ok(known) => return of_run(job, target, trace, known),
            Err(error) => refused = Some(*error),
        }
    }
    let counts = trace.counts();
    let open = inexact(job, &alone, trace);
    let informed = informed(job, &counts, &open);
    let Evaluation { mut result, mut found, mut diagnostics, .. } = evaluated(&informed, target);
    let told = open.iter().map(|&id| job.program.blocks[id].span).chain(counted_calls(job, trace)).collect();
    diagnostics.retain(|diagnostic| !is_settled(diagnostic, &told));
    if trace.is_complete() {
        // The run came to its end, and so did each loop that the evaluation gave up.
        diagnostics.retain(|diagnostic| diagnostic.code != &interp::ENDLESS);
    }
    found.assumed.retain(|(block, _)| !open.contains(block));
    found.operated.retain(|block, _| !is_traced(job, trace, *block));
    let activity = result.activity.take().unwrap_or_default();
    let segments = activity.segments.clone();
    let scaling = Scaling { program: &job.program, traced: &counts, bytes: trace.bytes(), trace, segments };
    let known = Evaluated { activity: scaling.apply(activity), found, diagnostics };
    let mut outcome = predict_again(job, target, &known);
    outcome.diagnostics.extend(refused);
    // What the replay said while tasks could not be followed further is not said again.
    if !trace.is_complete() || !result.complete {
        outcome.prediction.total_s = None;
        outcome.diagnostics.extend(result.diagnostics);
        return outcome;
    }
    outcome.activity = (!known.found.arrival.structure).then_some(known);
    outcome
}

fn evaluated(job: &Job, target: Target<'_>) -> Evaluation {
    random_numbers::followed_if_few(job, |job| {
        let mut prices = Prices::new(job, target);
        with_options(job, target, &mut prices, |options| {
            evaluation::evaluate(job, ReplayOptions { record: true, ..options })
        })
    })
}

/// Whether the MPI calls of all tasks are known without a run.
fn has_structure(evaluation: &Evaluation) -> bool {
    let stuck = evaluation.result.tasks.iter().any(|task| task.finish == replay::Finish::Stuck);
    !stuck && !evaluation.diagnostics.iter().any(|diagnostic| diagnostic.code == &interp::UNKNOWN_MPI)
}

/// Whether a file that was not given is assumed not to exist: the run had it or not.
fn rests_on_missing_files(evaluation: &Evaluation) -> bool {
    !evaluation.found.absent.is_empty()
}

/// Predicts the time of the MPI calls that the run made and of what it executed between them, whatever is known
/// statically.
///
/// # Errors
/// The trace does not tell all of that.
pub fn predict_run(job: &Job, target: Target<'_>, trace: &Trace) -> Result<Outcome, Box<Diagnostic>> {
    let known = calls(job, &evaluated(job, target), trace)?;
    Ok(of_run(job, target, trace, known))
}

/// Those of a trace that was not shared out.
fn own_calls(job: &Job, alone: &Evaluation, trace: &Trace) -> Result<Evaluated, Box<Diagnostic>> {
    let Some((tasks, _)) = trace.shared else { return calls(job, alone, trace) };
    let traced = trace.tasks.len();
    let message = format!("which MPI calls {tasks} tasks make is not known, and a trace of {traced} does not tell");
    let help =
        format!("trace the program with -n {tasks}, or give what the calls depend on (--set, --prob, --iterations)");
    Err(Box::new(Diagnostic::error(&OTHER_TASKS, message).help(help)))
}

fn calls(job: &Job, alone: &Evaluation, trace: &Trace) -> Result<Evaluated, Box<Diagnostic>> {
    let activity = steps::activity(trace, &job.program, &bytes_of_calls(&job.program, alone))?;
    // A run tells all counts, and the bytes of some calls.
    let counted: FxHashSet<Span> = counted_calls(job, trace).collect();
    let holds = |diagnostic: &&Diagnostic| {
        !interp::ALL.contains(&diagnostic.code)
            || diagnostic.code == &interp::UNKNOWN_WORK && !is_settled(diagnostic, &counted)
    };
    let mut diagnostics: Vec<Diagnostic> = alone.diagnostics.iter().filter(holds).cloned().collect();
    diagnostics.push(of_the_run(rests_on_missing_files(alone)));
    Ok(Evaluated { activity, found: Found::default(), diagnostics })
}

fn of_the_run(decided_by_files: bool) -> Diagnostic {
    let why = if decided_by_files { "hangs on files that were not given" } else { "is not known statically" };
    let message = format!("which MPI calls the program makes {why}: they are those of the traced run");
    Diagnostic::note(&FROM_TRACE, message).help("a run with other data may make others: trace it as well")
}

fn of_run(job: &Job, target: Target<'_>, trace: &Trace, known: Evaluated) -> Outcome {
    let mut outcome = predict_again(job, target, &known);
    if trace.is_complete() {
        outcome.activity = Some(known);
    } else {
        outcome.prediction.total_s = None;
    }
    outcome
}

/// Bytes that an execution of a library call handles, as far as the evaluation came; a trace has none.
fn bytes_of_calls(program: &Program, evaluation: &Evaluation) -> CallBytes {
    let mut sums: FxHashMap<BlockId, (f64, f64)> = FxHashMap::default();
    for task in &evaluation.result.tasks {
        for &(id, times) in &task.segments {
            let segment = evaluation.segments.get(id);
            for &(context, block, bytes) in segment.volumes.iter().filter(|volume| is_library(program, volume.1)) {
                let counter = program.blocks[block].counter(0);
                let executed = |entry: &&(ContextId, CounterId, Count)| (entry.0, entry.1) == (context, counter);
                let calls = segment.counts.iter().find(executed).and_then(|entry| entry.2.as_f64());
                let sum = sums.entry(block).or_default();
                *sum = (sum.0 + bytes * times as f64, sum.1 + calls.unwrap_or(0.0) * times as f64);
            }
        }
    }
    sums.into_iter().map(|(block, (bytes, calls))| (block, share(bytes, calls))).collect()
}

fn is_library(program: &Program, block: BlockId) -> bool {
    program.call(block).is_some_and(|call| matches!(call.callee, Callee::Library(_)))
}

/// Branches and loops that were traced and that the evaluation alone does not know exactly on every task.
fn inexact(job: &Job, evaluation: &Evaluation, trace: &Trace) -> BTreeSet<BlockId> {
    let ended = evaluation
        .result
        .tasks
        .iter()
        .all(|task| matches!(task.finish, replay::Finish::Ended | replay::Finish::Aborted));
    let totals: Vec<_> =
        evaluation.result.tasks.iter().map(|task| totals(&task.segments, &evaluation.segments)).collect();
    let exact = |counter: CounterId| totals.iter().all(|counts| counts.get(&counter).copied().is_none_or(is_exact));
    let blocks = job.program.blocks.iter().filter(|(_, block)| {
        let counters = || (0..block.counters()).map(|offset| block.counter(offset));
        let decides = matches!(block.kind, BlockKind::Branch(_) | BlockKind::Loop(_));
        let traced = counters().all(|counter| trace.map.counters.contains_key(&counter.0));
        decides && traced && !(ended && counters().all(exact))
    });
    blocks.map(|(id, _)| id).collect()
}

fn is_traced(job: &Job, trace: &Trace, block: BlockId) -> bool {
    trace.map.counters.contains_key(&job.program.blocks[block].counter(0).0)
}

fn totals(executed: &[(SegmentId, u64)], segments: &Segments) -> FxHashMap<CounterId, Count> {
    let mut sums: FxHashMap<CounterId, Count> = FxHashMap::default();
    for &(segment, times) in executed {
        for (counter, count) in segments.get(segment).by_counter() {
            *sums.entry(counter).or_insert(Count::ZERO) += count.times(Count::exact(times.into()));
        }
    }
    sums
}

/// The job with the means of all tasks for what is not known.
fn informed(job: &Job, counts: &[TracedCounts], open: &BTreeSet<BlockId>) -> Job {
    let mut informed = job.clone();
    let sum = |counter: CounterId| counts.iter().filter_map(|task| task.get(&counter)).map(|&n| n as f64).sum::<f64>();
    for &id in open {
        let block = &job.program.blocks[id];
        let (first, second) = (sum(block.counter(0)), sum(block.counter(1)));
        match &block.kind {
            BlockKind::Loop(_) => {
                informed.assumptions.iterations.insert(id, share(first, second));
            }
            BlockKind::Branch(branch) => {
                let first_taken = share(second, first).min(1.0);
                let begins_with_false = branch.arms.first().is_some_and(|arm| arm.labels.contains(&ArmLabel::False));
                let inverted = begins_with_false && branch.kind == BranchKind::Or;
                informed.assumptions.probability.insert(id, if inverted { 1.0 - first_taken } else { first_taken });
            }
            BlockKind::Straight(_) | BlockKind::Call(_) => {}
        }
    }
    informed
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Calls whose bytes the trace tells.
fn counted_calls(job: &Job, trace: &Trace) -> impl Iterator<Item = Span> {
    trace.map.volumes.keys().map(|&id| job.program.blocks[BlockId(id)].span)
}

/// What the evaluation says of branches, loops and bytes of calls that the trace tells, which stand at these places.
fn is_settled(diagnostic: &Diagnostic, told: &FxHashSet<Span>) -> bool {
    let of_traced = || diagnostic.labels.first().is_some_and(|label| told.contains(&label.span));
    let about_counts = interp::ALL.contains(&diagnostic.code) || diagnostic.code == &CONTRADICTED;
    about_counts && !diagnostic.is_error() && of_traced()
}

/// Brings counts that are not exact to what the tasks did.
struct Scaling<'a> {
    program: &'a Program,
    traced: &'a [TracedCounts],
    /// Of each task in all, by library call.
    bytes: Vec<BTreeMap<BlockId, f64>>,
    trace: &'a Trace,
    segments: Segments,
}

/// Bytes that are further apart are others than those that were evaluated.
const SAME_BYTES: f64 = 1e-9;

/// What becomes of a count.
#[derive(Clone, Copy, Debug)]
enum Scale {
    /// The only one of its counter.
    Whole(u128),
    Times(f64),
    /// Of several that are not known.
    Each(f64),
}

/// What is to be done with the segments of a task.
struct TaskScaling {
    factors: BTreeMap<CounterId, Scale>,
    /// Counts that the evaluation has nowhere, to be spread over the executions of a segment.
    missing: Vec<(CounterId, u128)>,
    /// That segment, and how often it is executed.
    largest: Option<(SegmentId, u64)>,
    /// What a library call moved or set on the average, where the evaluation does not know it.
    bytes: BTreeMap<BlockId, f64>,
    done: FxHashMap<SegmentId, SegmentId>,
}

impl Scaling<'_> {
    fn apply(mut self, mut activity: Activity) -> Activity {
        for (task, steps) in activity.tasks.iter_mut().enumerate() {
            let executed = executed_segments(steps);
            let Some(traced) = self.traced.get(task) else { continue };
            let mut scaling = self.of_task(&executed, traced);
            scaling.bytes = self.bytes_of_calls(task, &executed);
            *steps = self.steps(steps, &mut scaling);
        }
        activity.segments = self.segments;
        activity
    }

    fn of_task(&self, executed: &BTreeMap<SegmentId, u64>, traced: &TracedCounts) -> TaskScaling {
        let mut sums: BTreeMap<CounterId, (Count, u64)> = BTreeMap::new();
        for (&segment, &times) in executed {
            for (counter, count) in self.segments.get(segment).by_counter() {
                let (sum, places) = sums.entry(counter).or_insert((Count::ZERO, 0));
                *sum += count.times(Count::exact(times.into()));
                *places += times;
            }
        }
        let mut factors = BTreeMap::new();
        let mut missing = Vec::new();
        for (&counter, &wanted) in traced {
            match sums.get(&counter) {
                Some(&(sum, _)) if is_exact(sum) => {}
                Some(&(sum, places)) => {
                    factors.insert(counter, Scale::new(sum, places, wanted));
                }
                None if wanted > 0 => missing.push((counter, wanted)),
                None => {}
            }
        }
        let weight = |id: SegmentId| self.segments.get(id).counts.len();
        let largest =
            executed.iter().map(|(&id, &times)| (id, times)).max_by_key(|&(id, _)| (weight(id), std::cmp::Reverse(id)));
        TaskScaling { factors, missing, largest, bytes: BTreeMap::new(), done: FxHashMap::default() }
    }

    /// By call that the trace tells more bytes of than the evaluation: how many each of its executions is for.
    fn bytes_of_calls(&self, task: usize, executed: &BTreeMap<SegmentId, u64>) -> BTreeMap<BlockId, f64> {
        let mut told = self.bytes.get(task).cloned().unwrap_or_default();
        told.retain(|&block, bytes| {
            let (mut calls, mut known) = (0.0, 0.0);
            for (&id, &times) in executed {
                let (segment, counter) = (self.segments.get(id), self.program.blocks[block].counter(0));
                let counts =
                    segment.by_counter().filter(|entry| entry.0 == counter).filter_map(|entry| entry.1.as_f64());
                calls += counts.sum::<f64>() * times as f64;
                known += segment.volumes.iter().filter(|entry| entry.1 == block).map(|entry| entry.2).sum::<f64>()
                    * times as f64;
            }
            let is_more = *bytes > known * (1.0 + SAME_BYTES) && calls > 0.0;
            *bytes /= calls.max(1.0);
            is_more
        });
        told
    }

    fn steps(&mut self, steps: &[Step], scaling: &mut TaskScaling) -> Vec<Step> {
        let one = |step: &Step| match step {
            Step::Work(Work::Segment(id)) => Step::Work(Work::Segment(self.segment(*id, scaling))),
            Step::Repeat(repeat) => {
                let steps = self.steps(&repeat.steps, scaling);
                Step::Repeat(Arc::new(Repeat { steps, times: repeat.times }))
            }
            other => other.clone(),
        };
        steps.iter().map(one).collect()
    }

    fn segment(&mut self, id: SegmentId, scaling: &mut TaskScaling) -> SegmentId {
        if let Some(&done) = scaling.done.get(&id) {
            return done;
        }
        let old = self.segments.get(id).clone();
        let mut counts: Vec<_> = old
            .counts
            .iter()
            .map(|&(context, counter, count)| {
                let scale = scaling.factors.get(&counter);
                (context, counter, scale.map_or(count, |scale| self.marked(scale.count(count))))
            })
            .collect();
        if let Some((_, times)) = scaling.largest.filter(|&(largest, _)| largest == id) {
            for &(counter, wanted) in &scaling.missing {
                counts.push((self.context(counter, &old), counter, self.marked(shared(wanted, times))));
            }
        }
        counts.retain(|(_, _, count)| !count.is_zero());
        counts.sort_by_key(|&(context, counter, _)| (context, counter));
        let volume = |&(context, block, bytes): &(ContextId, BlockId, f64)| {
            let counter = self.program.blocks[block].counter(0);
            let count = old.counts.iter().find(|entry| (entry.0, entry.1) == (context, counter));
            let scale = scaling.factors.get(&counter).zip(count);
            (context, block, scale.map_or(bytes, |(scale, &(_, _, count))| scale.bytes(bytes, count)))
        };
        let is_told = |block: BlockId| scaling.bytes.contains_key(&block);
        let mut volumes: Vec<_> = old.volumes.iter().filter(|entry| !is_told(entry.1)).map(volume).collect();
        volumes.extend(counts.iter().filter_map(|&(context, counter, count)| {
            let block = self.program.block_of(counter);
            let bytes = scaling.bytes.get(&block).filter(|_| is_library(self.program, block))?;
            Some((context, block, bytes * count.as_f64()?))
        }));
        volumes.sort_by_key(|&(context, block, _)| (context, block));
        let new = self.segments.intern(Segment { counts, volumes, mispredicted: old.mispredicted.clone(), team: None });
        scaling.done.insert(id, new);
        new
    }

    /// A count that was shared out is no number of a run.
    fn marked(&self, count: Count) -> Count {
        match (self.trace.shared, count.as_f64()) {
            (Some(_), Some(n)) => Count::expected(n, CountSource::Assumed),
            _ => count,
        }
    }

    /// A context of the counter's function: of this segment, of any, or that of `main`.
    fn context(&self, counter: CounterId, segment: &Segment) -> ContextId {
        let function = self.program.blocks[self.program.block_of(counter)].function;
        let here = segment.counts.iter().map(|&(context, ..)| context);
        let fits = |&context: &ContextId| self.segments.context(context).function == function;
        let all = self.segments.contexts().map(|(id, _)| id);
        here.clone()
            .find(fits)
            .or_else(|| all.into_iter().find(fits))
            .or_else(|| here.into_iter().next())
            .unwrap_or(ContextId::new(0))
    }
}

impl Scale {
    /// From what the evaluation says of a counter, at so many places, to what was traced.
    fn new(evaluated: Count, places: u64, traced: u128) -> Self {
        match evaluated.as_f64().filter(|&sum| sum > 0.0) {
            _ if places <= 1 => Self::Whole(traced),
            Some(sum) => Self::Times(traced as f64 / sum),
            None => Self::Each(traced as f64 / places as f64),
        }
    }

    fn count(self, count: Count) -> Count {
        match self {
            Self::Whole(n) => Count { value: CountValue::Exact(n), source: CountSource::Trace },
            Self::Times(factor) => Count::expected(count.as_f64().unwrap_or(0.0) * factor, CountSource::Trace),
            Self::Each(n) => Count::expected(n, CountSource::Trace),
        }
    }

    /// The same for bytes that a call handles.
    fn bytes(self, bytes: f64, count: Count) -> f64 {
        match (self.count(count).as_f64(), count.as_f64().filter(|&n| n > 0.0)) {
            (Some(new), Some(old)) => bytes * new / old,
            _ => bytes,
        }
    }
}

fn shared(whole: u128, times: u64) -> Count {
    match times {
        0 | 1 => Count { value: CountValue::Exact(whole), source: CountSource::Trace },
        times => Count::expected(whole as f64 / times as f64, CountSource::Trace),
    }
}
