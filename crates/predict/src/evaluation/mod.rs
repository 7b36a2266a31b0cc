//! What counting and predicting share: a job, its feed, and one run of the replay over it.
//!
//! The replay is the only driver of an evaluation, whether its times matter or not, but where classes of tasks are put together
//! to be replayed later (`evaluate_to_replay`). This module must not know prices, reports, files or the terminal.

pub(crate) mod arrival;
pub(crate) mod clocks;
mod followed;
pub mod operations;
mod passive;
mod pinned;
mod prefix;
pub(crate) mod programs;
pub(crate) mod random_numbers;
mod seeds;
pub mod spawning;

use crate::object_code::ObjectCodes;
pub use arrival::Polls;
use arrival::{Noted, Watch};
use chronos_abstract_execution::ClosedForms;
use chronos_activity::numbering::renumbered;
use chronos_activity::{Activity, Feed, SegmentId, Segments, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::governor::{self, Phase};
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_base::span::Span;
use chronos_interpreter::codes::UNKNOWN_MPI;
use chronos_interpreter::{
    Evaluator, EvaluatorOptions, Inputs, Position, TaskProgram, least_bytes_of_a_task, program_name, started_programs,
};
use chronos_ir::{BlockId, BlockKind, Callee, CounterId, Program};
use chronos_mpi_calls::{self as mpi, MpiState};
use chronos_replay::{self as replay, ReplayOptions, ReplayResult, TaskTime};
use chronos_slicing::arrival::Arrival;
use chronos_slicing::doubts::{
    self, bounds, byte_order, compilation_time, critical, departures, mutexes, stack, unsequenced, waiting,
};
use chronos_slicing::heuristics::Assumed;
use chronos_slicing::{Analysis, Assumptions};
use clocks::Clocks;
use followed::Followed;
pub use followed::class_count;
use pinned::Pinning;
use prefix::ExactPrefix;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use programs::OtherPrograms;

/// What is evaluated, apart from machine and network.
#[derive(Clone, Debug)]
pub struct Job {
    /// The program that all tasks run, with blocks that reports name.
    pub program: Arc<Program>,
    /// The same for machines of further data models, where there are any.
    pub other_programs: OtherPrograms,
    /// All of them.
    pub tasks: usize,
    /// How many of them, the last ones, other tasks spawn (`MPI_Comm_spawn`); `spawning::complete` finds out.
    pub spawned: usize,
    /// Without the program's own name.
    pub arguments: Vec<String>,
    /// Standard input and the files that the program may read.
    pub inputs: Inputs,
    /// What the user says of branches and loops.
    pub assumptions: Assumptions,
    /// So many tasks after one another run on one node, where the prediction's target does not place them.
    pub tasks_per_node: u32,
    /// Whether the use of MPI is checked while the tasks are evaluated (`chronos check --mpi`).
    pub correctness: bool,
    /// What compilers made of it, for the cost model `compiled`.
    pub object_code: ObjectCodes,
}

impl Job {
    /// The same in the terms of the interpreter.
    pub fn options(&self) -> EvaluatorOptions {
        EvaluatorOptions {
            tasks: u32::try_from(self.tasks).unwrap_or(u32::MAX),
            spawned: u32::try_from(self.spawned).unwrap_or(u32::MAX),
            arguments: self.arguments.clone(),
            inputs: self.inputs.clone(),
            assumptions: self.assumptions.clone(),
            ..EvaluatorOptions::default()
        }
    }

    /// The node of each task; none where each has its own.
    fn nodes(&self) -> Vec<u32> {
        let tasks = u32::try_from(self.tasks).unwrap_or(u32::MAX);
        if self.tasks_per_node > 1 { (0..tasks).map(|task| task / self.tasks_per_node).collect() } else { Vec::new() }
    }
}

/// What an evaluation says about counts, besides the counts.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Branches and loops whose behaviour was assumed, and what was assumed.
    pub assumed: Vec<(BlockId, Assumed)>,
    /// Blocks whose counts depend on the order of arrival.
    pub arrival: Arrival,
    /// MPI calls that took what came first, or looked whether something had come.
    pub(crate) decided_by_arrival: BTreeSet<BlockId>,
    /// Those of them that only look whether the message of one sender is there.
    pub polls: BTreeSet<BlockId>,
    /// What depends on the other ones.
    pub(crate) without_polls: Arrival,
    /// Blocks whose counts follow from how often a loop looks at memory.
    pub(crate) looking: BTreeSet<BlockId>,
    /// Whether a clock decided that was not followed.
    pub(crate) clock_decides: bool,
    /// Whether one may have, as far as the source tells.
    pub(crate) clock_may_decide: bool,
    /// Readings of the simulated clock that decided something.
    pub clocks: Clocks,
    /// Branches on whether a file exists that was not given: it is assumed not to.
    pub absent: BTreeSet<BlockId>,
    /// Blocks whose counts are others if such files exist.
    pub doubtful: BTreeSet<BlockId>,
    /// Blocks that the MPI library may execute in reductions, and the calls that make these operations.
    pub(crate) operated: BTreeMap<BlockId, BlockId>,
    /// What was used and may be otherwise, with the blocks whose counts rest on it.
    pub(crate) doubted: Vec<doubts::Followed>,
    /// What all tasks were charged for operations that were executed one by one.
    pub(crate) operations: u64,
    /// In how many classes the tasks were followed, or why each was followed by itself; `None` where they were not evaluated.
    pub classes: Option<Result<usize, &'static str>>,
}

/// A job that was evaluated and replayed.
#[derive(Debug)]
pub struct Evaluation {
    /// What the replay found, its recorded activity included where that was asked for.
    pub result: ReplayResult,
    /// All segments that tasks executed.
    pub segments: Segments,
    /// Where each task stands that did not end.
    pub positions: Vec<Vec<Position>>,
    /// What is said of the counts.
    pub found: Found,
    /// Those of the evaluation; the replay's own are in its result.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether it holds; else the job is to be evaluated again, each task by itself (`separately`).
    pub(crate) holds: bool,
    /// Whether times are those of a replay of the activity alone: where tasks may be followed in classes, segments are numbered
    /// as `chronos_activity::numbering` says, so that both ways give the same.
    pub(crate) is_to_replay: bool,
    /// Whether tasks were followed in classes, so that messages are still to show whether they are what classes expect.
    pub(crate) is_in_classes: bool,
    /// Where it ended early since a value decides that is read before it is written.
    pub(crate) unwritten_decides: Option<Span>,
}

impl Evaluation {
    /// It came to the end of the program, or to where the program ends itself, and knows or assumes all counts.
    fn is_whole(&self) -> bool {
        let is_at_end = self.result.complete || self.result.abort.is_some();
        is_at_end && !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Evaluates a job, and once more where what tasks were taken to have in common was wrong, or where it does not end because
/// values decide that are read before they are written, or random numbers whose seed is unknown.
pub(crate) fn evaluated(job: &Job, mut evaluate: impl FnMut(&Job) -> Evaluation) -> Evaluation {
    let evaluation = held(job, &mut evaluate);
    let mut job = job.clone();
    let mut last = None;
    while take_more(&mut job, last.as_ref().unwrap_or(&evaluation)) {
        let again = held(&job, &mut evaluate);
        if again.is_whole() {
            return again;
        }
        last = Some(again);
    }
    evaluation
}

/// Assumes something more of what kept an evaluation from its end; whether there is anything.
fn take_more(job: &mut Job, evaluation: &Evaluation) -> bool {
    if let Some(place) = evaluation.unwritten_decides.filter(|_| job.assumptions.unwritten_is_zero.is_none()) {
        job.assumptions.unwritten_is_zero = Some(place);
        return true;
    }
    let may_be_random = !evaluation.is_whole() && job.assumptions.seed_taken.is_none();
    let seeds = if may_be_random { random_numbers::unknown_seed(&job.program) } else { None };
    job.assumptions.seed_taken = job.assumptions.seed_taken.or(seeds);
    if seeds.is_some() && seeds::by_rank(&job.program) {
        (job.assumptions.seeds_by_rank, job.assumptions.separate_ranks) = (true, true);
    }
    seeds.is_some()
}

fn held(job: &Job, evaluate: &mut impl FnMut(&Job) -> Evaluation) -> Evaluation {
    let evaluation = evaluate(job);
    if evaluation.holds {
        return evaluation;
    }
    let mut job = job.clone();
    job.assumptions.separate_ranks = true;
    evaluate(&job)
}

/// Evaluates all tasks of the job, driven by a replay with these options.
pub fn evaluate(job: &Job, options: ReplayOptions<'_>) -> Evaluation {
    evaluate_with(job, options, Polls::AsReplayed)
}

/// The same without any replay where tasks are followed in classes: what they execute is replayed later.
pub(crate) fn evaluate_to_replay(job: &Job, options: ReplayOptions<'_>) -> Evaluation {
    evaluate_as(job, options, Polls::AsReplayed, true)
}

/// As `evaluate`, where polls may be told something else than the replay says.
pub(crate) fn evaluate_with(job: &Job, options: ReplayOptions<'_>, polls: Polls) -> Evaluation {
    evaluate_as(job, options, polls, false)
}

fn evaluate_as(job: &Job, mut options: ReplayOptions<'_>, polls: Polls, is_replayed_again: bool) -> Evaluation {
    governor::files(&job.program.files);
    if options.placement.nodes.is_empty() {
        options.placement.nodes = job.nodes();
    }
    let analyses = {
        let _phase = governor::enter(Phase::Relevance, None);
        analyses(job)
    };
    let _phase = governor::enter(Phase::Evaluation, None);
    let may_be_in_classes = polls == Polls::AsReplayed;
    let mut followed = Followed::new(job, &options.placement.nodes, &analyses, may_be_in_classes);
    let made = if is_replayed_again { followed.activity() } else { None };
    let is_made = made.is_some();
    let (mut result, noted) = match made {
        // Of classes the order of arrival decides nothing.
        Some(activity) => (not_replayed(activity), Noted::default()),
        None => {
            let mut feed = followed.feed();
            let mut watch = Watch::new(&mut feed, polls);
            let result = replay::replay_dyn(&mut watch, options);
            (result, watch.finish())
        }
    };
    let is_to_replay = is_made || is_replayed_again && result.complete && followed.may_be_in_classes();
    if let Some(activity) = result.activity.as_mut().filter(|_| is_to_replay && !is_made) {
        *activity = renumbered(activity);
    }
    let Noted { calls: decided_by_arrival, polls, looks, clocks } = noted;
    let looks = looking(job, &analyses, &looks);
    let clocks = Clocks::deciding(job, &analyses, &clocks);
    let mut arrival = arrival_of(job, &analyses, &decided_by_arrival).and(&looks);
    arrival.blocks.extend(&clocks.blocks);
    // On another machine it is another program.
    arrival.structure |= job.program.follows_clocks;
    let without_polls = match polls.is_empty() {
        true => arrival.clone(),
        false => arrival_of(job, &analyses, &decided_by_arrival.difference(&polls).copied().collect()).and(&looks),
    };
    let found = Found {
        assumed: followed.uncertain(),
        arrival,
        decided_by_arrival,
        polls,
        without_polls,
        looking: looks.blocks,
        clock_decides: followed.clock_decides(),
        clock_may_decide: clocks::may_decide(job, &analyses, &followed.uncertain()),
        clocks,
        absent: followed.absent(),
        doubtful: BTreeSet::new(),
        operated: operations::by_operations(&job.program),
        doubted: doubted(job, &analyses, &followed),
        operations: followed.operations(),
        classes: Some(followed.classes()),
    };
    // What depends on arrival keeps the prices that it was followed with. So do several tasks: each of them has a
    // predictor of its own that has learnt nothing, and all are followed with one.
    let is_settled =
        job.tasks == 1 && !found.arrival.structure && followed.settle_mispredictions(&executions(&result.tasks));
    if let Some(activity) = result.activity.as_mut().filter(|_| is_settled) {
        activity.segments = followed.segments().clone();
    }
    let holds = followed.is_right() && (result.complete || !followed.is_in_classes());
    let mut diagnostics = followed.diagnostics();
    if is_to_replay {
        diagnostics.sort_by_key(|told| told.labels.first().map(|label| label.span));
    }
    diagnostics.extend(found.doubted.iter().map(doubts::Followed::diagnostic));
    diagnostics.extend(found.clocks.note(&job.program));
    // Calls went on without a size: what was replayed is too short.
    result.complete &= !diagnostics.iter().any(|d| d.code == &UNKNOWN_MPI);
    let positions = (0..).map(TaskId).take(result.tasks.len()).map(|task| followed.positions(task)).collect();
    let (is_in_classes, unwritten_decides) = (followed.is_in_classes(), followed.unwritten_decides());
    let segments = followed.into_segments();
    Evaluation {
        result,
        segments,
        positions,
        found,
        diagnostics,
        holds,
        is_to_replay,
        is_in_classes,
        unwritten_decides,
    }
}

/// An activity whose times are not known yet.
fn not_replayed(activity: Activity) -> ReplayResult {
    let tasks = vec![TaskTime::default(); activity.tasks.len()];
    ReplayResult { tasks, complete: true, activity: Some(activity), ..ReplayResult::default() }
}

/// Drives a feed that is no evaluation of the job: processes that run meanwhile.
pub(crate) fn followed(job: &Job, mut feed: &mut dyn Feed, options: ReplayOptions<'_>) -> Evaluation {
    governor::files(&job.program.files);
    let _phase = governor::enter(Phase::Evaluation, None);
    let mut watch = Watch::new(&mut feed, Polls::AsReplayed);
    let result = replay::replay_dyn(&mut watch, options);
    let Noted { calls: decided_by_arrival, polls, .. } = watch.finish();
    let arrival = match decided_by_arrival.is_empty() {
        true => Arrival::default(),
        false => arrival_of(job, &analyses(job), &decided_by_arrival),
    };
    let found = Found { arrival, decided_by_arrival, polls, ..Found::default() };
    let positions = vec![Vec::new(); result.tasks.len()];
    let (segments, diagnostics) = (feed.segments().clone(), Vec::new());
    Evaluation {
        result,
        segments,
        positions,
        found,
        diagnostics,
        holds: true,
        is_to_replay: false,
        is_in_classes: false,
        unwritten_decides: None,
    }
}

/// Steps of each task that are kept with the matching of a run.
const MOST_PINNED: usize = 10_000_000;

/// What the job executes under these options, where each call takes what it takes then; `None` where a task does not end
/// or does too much.
pub(crate) fn pinned(job: &Job, options: ReplayOptions<'_>) -> Option<Activity> {
    let _phase = governor::enter(Phase::Evaluation, None);
    let mut evaluator = evaluator(job, options.placement.nodes.clone(), &analyses(job));
    let mut pinning = Pinning::new(&mut evaluator, MOST_PINNED);
    let result = replay::replay_dyn(&mut pinning, options);
    pinning.finish().filter(|_| result.complete)
}

/// What the job executes under these options, up to where the first task takes more operations than these; all of it where
/// none does.
pub(crate) fn exact_prefix(job: &Job, options: ReplayOptions<'_>, operations: u64) -> Activity {
    governor::files(&job.program.files);
    let _phase = governor::enter(Phase::Evaluation, None);
    let analyses = analyses(job);
    let mut evaluator = evaluator(job, options.placement.nodes.clone(), &analyses);
    evaluator.limit(operations);
    let mut prefix = ExactPrefix::new(&mut evaluator);
    let mut feed: &mut dyn Feed = &mut prefix;
    let mut watch = Watch::new(&mut feed, Polls::AsReplayed);
    let result = replay::replay_dyn(&mut watch, options);
    let Noted { calls, looks, .. } = watch.finish();
    let arrival = arrival_of(job, &analyses, &calls).and(&looking(job, &analyses, &looks));
    let mut activity = result.activity.unwrap_or_default();
    if !arrival.structure && evaluator.settle_mispredictions(&executions(&result.tasks)) {
        activity.segments = evaluator.segments().clone();
    }
    activity
}

/// How often all tasks together execute each segment.
fn executions(tasks: &[TaskTime]) -> FxHashMap<SegmentId, f64> {
    let mut executions = FxHashMap::default();
    for &(id, times) in tasks.iter().flat_map(|task| &task.segments) {
        *executions.entry(id).or_default() += times as f64;
    }
    executions
}

/// The feed of a job whose tasks run on these nodes (none: each on its own), for those who replay it otherwise.
pub fn feed(job: &Job, nodes: Vec<u32>) -> Evaluator {
    evaluator(job, nodes, &analyses(job))
}

/// Bytes that a job of so many tasks takes at least, before any of them does anything.
pub fn least_memory(job: &Job) -> u64 {
    let program = job.programs().map(|program| least_bytes_of_a_task(program)).min().unwrap_or(0);
    (program + replay::LEAST_BYTES_OF_A_TASK).saturating_mul(job.tasks as u64)
}

/// What matters in each program of the job.
fn analyses(job: &Job) -> Vec<Analysis> {
    job.programs().map(|program| Analysis::new(program, &job.assumptions)).collect()
}

/// What follows from the order of arrival, in any of the programs.
fn arrival_of(job: &Job, analyses: &[Analysis], calls: &BTreeSet<BlockId>) -> Arrival {
    let mut all = Arrival::default();
    for (program, analysis) in job.programs().zip(analyses) {
        let found = analysis.arrival(program, calls);
        all.structure |= found.structure;
        all.blocks.extend(found.blocks);
    }
    all
}

/// What depends on how often loops with these counters look at memory.
fn looking(job: &Job, analyses: &[Analysis], counters: &BTreeSet<CounterId>) -> Arrival {
    let mut all = Arrival::default();
    for (program, analysis) in job.programs().zip(analyses) {
        let blocks = counters.iter().map(|&counter| program.block_of(counter)).collect();
        all = all.and(&analysis.repeated_otherwise(program, &blocks));
    }
    all
}

/// What was used and may be otherwise, in any of the programs.
fn doubted(job: &Job, analyses: &[Analysis], tasks: &Followed) -> Vec<doubts::Followed> {
    let mut all: Vec<doubts::Followed> = Vec::new();
    for (program, analysis) in job.programs().zip(analyses) {
        for followed in doubted_in(program, analysis, tasks) {
            match all.iter_mut().find(|known| known.doubt == followed.doubt) {
                Some(known) => known.blocks.extend(followed.blocks),
                None => all.push(followed),
            }
        }
    }
    all
}

/// The same in one program, by the evaluation or by what stands in the source.
fn doubted_in(program: &Program, analysis: &Analysis, tasks: &Followed) -> Vec<doubts::Followed> {
    let mut doubts = tasks.doubts().clone();
    let segments = tasks.segments();
    let counters = segments.iter().flat_map(|(_, segment)| segment.counts.iter().map(|&(_, counter, _)| counter));
    let executed: FxHashSet<BlockId> = counters.map(|counter| program.block_of(counter)).collect();
    unsequenced::add(program, analysis, &executed, &mut doubts);
    // One thread comes to critical sections in its own order.
    if segments.iter().any(|(_, segment)| segment.team.is_some()) {
        critical::add(program, analysis, &executed, &mut doubts);
        waiting::add(program, &executed, &mut doubts);
        mutexes::add(program, analysis, &executed, &mut doubts);
    }
    stack::add(program, &executed, &mut doubts);
    departures::add(program, &executed, &mut doubts);
    byte_order::add(program, &mut doubts);
    compilation_time::add(program, analysis, &mut doubts);
    let met = tasks.diagnostics().iter().flat_map(|d| d.labels.iter().map(|label| label.span)).collect();
    let executed = segments.iter().map(|(_, segment)| segment.as_ref());
    bounds::add(program, analysis, executed, &met, &mut doubts);
    doubts::follow(program, analysis, &doubts)
}

/// The feed of a job: interpreter, summaries and MPI calls joined.
fn evaluator(job: &Job, nodes: Vec<u32>, analyses: &[Analysis]) -> Evaluator {
    evaluator_with(job, nodes, analyses, false)
}

/// The same; it may not be told how well branches are predicted.
fn evaluator_with(job: &Job, nodes: Vec<u32>, analyses: &[Analysis], ignores_prediction: bool) -> Evaluator {
    let calls = MpiState::new(job.tasks, message_options(job, nodes));
    let with_forms = |(program, analysis): (&Arc<Program>, &Analysis)| {
        let summariser = ClosedForms::new(program.clone(), analysis.clone(), job.assumptions.clone());
        TaskProgram { program: program.clone(), summariser: Box::new(summariser) }
    };
    let programs = job.programs().zip(analyses).map(with_forms).collect();
    let options = EvaluatorOptions { ignores_prediction, ..job.options() };
    Evaluator::of_programs(programs, job.other_programs.of_task.clone(), options, Box::new(calls))
}

/// What calls of MPI depend on besides the program; `nodes`: those of the tasks, where they are not the job's own.
fn message_options(job: &Job, nodes: Vec<u32>) -> mpi::Options {
    let nodes = if nodes.is_empty() { job.nodes() } else { nodes };
    mpi::Options {
        model: job.message_model(),
        models: job.models(),
        nodes,
        spawned: job.spawned,
        library: job.assumptions.mpi_library,
        program: program_name(&job.program),
        others: started_programs(&job.program).collect(),
        correctness: job.correctness,
        ready_sends: job.correctness && has_ready_sends(&job.program),
        by_representatives: false,
    }
}

fn has_ready_sends(program: &Program) -> bool {
    let is_ready = |name: &str| name.contains("MPI_Rsend") || name.contains("MPI_Irsend");
    program.blocks.values().any(|block| match &block.kind {
        BlockKind::Call(call) => matches!(&call.callee, Callee::Mpi(name) if is_ready(name)),
        _ => false,
    })
}

/// All diagnostics. A truncated message is seen by the replay, which knows both sides, and by the call that gets it.
pub fn joined(evaluation: &[Diagnostic], replay: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let place = |d: &Diagnostic| d.labels.first().map(|label| label.span);
    let truncated = |d: &&Diagnostic| d.code == &replay::codes::TRUNCATION;
    let twice = |d: &&Diagnostic| {
        d.code == &mpi::TRUNCATION && replay.iter().filter(truncated).any(|other| place(other) == place(d))
    };
    let mut all: Vec<Diagnostic> = evaluation.iter().filter(|d| !twice(d)).cloned().collect();
    all.extend(replay);
    all
}
