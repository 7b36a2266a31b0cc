//! The feed: all tasks of a program, each evaluated on demand.

use crate::execute::machine::Machine;
use crate::execute::mpi_environment;
use crate::programs::{Compiled, Programs, TaskProgram};
use crate::start;
use crate::state::changed_files::ChangedFiles;
use crate::state::open_counts::Scratch;
use crate::state::options::EvaluatorOptions;
use crate::state::overflows::Overflows;
use crate::state::random_numbers;
use crate::state::random_numbers::DrawnNumbers;
use crate::state::remembered::predictor::Evaluations;
use crate::state::reports::Reports;
use crate::state::shared::{Shared, whole_budget};
use crate::state::task::Task;
use crate::state::unwritten;
use chronos_abstract_execution::Summariser;
use chronos_activity::{CommId, Feed, Outcome, SegmentId, Segments, Step, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;
use chronos_ir::{BlockId, BlockKind, Program};
use chronos_mpi_calls::MpiCalls;
use chronos_slicing::doubts::Doubts;
use chronos_slicing::heuristics::Assumed;
use chronos_values::common_pages::CommonPages;
use chronos_values::{Reason, ReasonKind, Reasons, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Evaluates all tasks of a program, step by step.
pub struct Evaluator {
    pub(crate) shared: Shared,
    pub(crate) programs: Programs,
    pub(crate) tasks: Vec<Task>,
    pub(crate) calls: Box<dyn MpiCalls>,
    /// Of the tasks that others spawn, the last ones.
    pub(crate) spawned: Vec<SpawnStage>,
}

impl Evaluator {
    /// Compiles the program and prepares all tasks in front of `main`; nothing is executed yet.
    pub fn new(
        program: Arc<Program>,
        options: EvaluatorOptions,
        summariser: Box<dyn Summariser>,
        calls: Box<dyn MpiCalls>,
    ) -> Self {
        Self::of_programs(vec![TaskProgram { program, summariser }], Vec::new(), options, calls)
    }

    /// As `new`, of the same sources lowered for several data models: `of_task` has the position of each task's program,
    /// and is empty where there is only one.
    pub fn of_programs(
        programs: Vec<TaskProgram>,
        of_task: Vec<u32>,
        options: EvaluatorOptions,
        calls: Box<dyn MpiCalls>,
    ) -> Self {
        let programs = Programs::new(programs, of_task, &options);
        let mut reasons = Reasons::default();
        let uninitialised =
            Value::Unknown(reasons.intern(Reason { kind: ReasonKind::Uninitialised, span: None, origin: None }));
        let what = format!("a message of more than {} values", mpi_environment::LARGEST).into();
        let too_long = reasons.intern(Reason { kind: ReasonKind::Unsupported(what), span: None, origin: None });
        let tasks = options.tasks;
        let mut shared = Shared {
            budget: options.assumptions.budget,
            whole_budget: whole_budget(options.assumptions.budget, options.tasks),
            options,
            random_numbers: DrawnNumbers::default(),
            segments: Segments::default(),
            reasons,
            reports: Reports::default(),
            scratch: Scratch::default(),
            arguments: Vec::new(),
            pages: CommonPages::default(),
            uninitialised,
            unwritten_decides: None,
            too_long,
            assumed: BTreeMap::new(),
            absent: BTreeSet::new(),
            changed_files: ChangedFiles::default(),
            doubts: Doubts::default(),
            overflows: Overflows::default(),
            given_up: false,
            lacks_bytes: false,
            clock_decides: false,
            settled: BTreeMap::new(),
            last_contexts: Vec::new(),
            contexts: FxHashMap::default(),
        };
        unwritten::doubt_zeros(&mut shared, &programs.first().program);
        random_numbers::doubt_seed(&mut shared, &programs.first().program);
        let tasks = start::all_tasks(&mut shared, &programs, tasks);
        let spawned = vec![SpawnStage::default(); shared.options.spawned as usize];
        Self { shared, programs, tasks, calls, spawned }
    }

    /// What was found so far, each thing once for all tasks.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut found = self.annotation_diagnostics();
        found.extend(self.shared.reports.all(self.tasks.len()));
        found.extend(self.contradictions());
        found
    }

    /// What is wrong with what the source says to the evaluation.
    pub(crate) fn annotation_diagnostics(&self) -> Vec<Diagnostic> {
        let code = self.programs.first();
        code.annotations.diagnostics(&code.program)
    }

    /// As `diagnostics`, when the evaluation is over.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics()
    }

    /// Branches and loops whose behaviour was assumed, with what was assumed.
    pub fn uncertain(&self) -> Vec<(BlockId, Assumed)> {
        self.shared.assumed.iter().map(|(&block, text)| (block, text.clone())).collect()
    }

    /// Some library call takes a time that is not known: how many bytes it is for is not (C0335).
    pub fn lacks_bytes(&self) -> bool {
        self.shared.lacks_bytes
    }

    /// Branches on whether a file exists that was not given, and that the program can do without.
    pub fn absent(&self) -> &BTreeSet<BlockId> {
        &self.shared.absent
    }

    /// Whether the time decided about loops or calls of MPI, in a program whose clocks are not followed.
    pub fn clock_decides(&self) -> bool {
        self.shared.clock_decides
    }

    /// What all tasks were charged for operations that were executed one by one.
    pub fn operations(&self) -> u64 {
        self.tasks.iter().map(|task| task.spent).fold(0, u64::saturating_add)
    }

    /// Where an evaluation could not go on since a value decides that is read before it is written.
    pub fn unwritten_decides(&self) -> Option<Span> {
        self.shared.unwritten_decides
    }

    /// What was used although a run may have it otherwise.
    pub fn doubts(&self) -> &Doubts {
        &self.shared.doubts
    }

    /// Why values are unknown.
    pub fn reasons(&self) -> &Reasons {
        &self.shared.reasons
    }

    /// What `main` returned, or `exit` was given; `None` while the task runs or where it is stuck.
    pub fn result(&self, task: TaskId) -> Option<Value> {
        self.tasks.get(task.0 as usize)?.result
    }

    /// Where the state of a task is.
    fn position(&self, task: TaskId) -> usize {
        if self.shared.options.representative.is_some() { 0 } else { task.0 as usize }
    }

    /// Follows no more operations of a task than these, be it one loop or all of them.
    pub fn limit(&mut self, operations: u64) {
        self.shared.budget = self.shared.budget.min(operations);
        self.shared.whole_budget = self.shared.whole_budget.min(operations);
    }

    /// Whether some task has used up its budget, so that a loop of it is counted from then on instead of executed.
    pub fn has_given_up(&self) -> bool {
        self.shared.given_up
    }

    /// Tells segments how well branches are predicted over the whole activity, in which each segment is executed so often:
    /// when a segment was first seen, its branches may not have been learnt yet. Whether anything was told: only of one task is it
    /// known what its predictor has learnt.
    pub fn settle_mispredictions(&mut self, executions: &FxHashMap<SegmentId, f64>) -> bool {
        let Compiled { code, known, .. } = self.programs.of_mut(0);
        if !self.shared.tells_predictions_at_end() || !known.predictor.has_seen_any() {
            return false;
        }
        let (program, segments) = (&code.program, &mut self.shared.segments);
        let evaluations = evaluations(program, segments, executions);
        segments.complete_all(|segment| {
            segment.mispredicted = known.predictor.of_whole(&evaluations, segment, program);
            let intervals = segment.team.iter_mut().flat_map(|team| &mut Arc::make_mut(team).intervals);
            for thread in intervals.flat_map(|interval| &mut interval.threads) {
                thread.mispredicted = known.predictor.of_whole(&evaluations, thread, program);
            }
        });
        true
    }

    /// Segments, when the evaluation is over.
    pub fn into_segments(self) -> Segments {
        self.shared.segments
    }
}

/// How often branches and conditions of loops are evaluated: counters tell it first, those of loops with two numbers.
fn evaluations(program: &Program, segments: &Segments, executions: &FxHashMap<SegmentId, f64>) -> Evaluations {
    let mut evaluations = Evaluations::default();
    for (id, segment) in segments.iter() {
        let times = executions.get(&id).copied().unwrap_or(0.0);
        for &(context, counter, count) in &segment.counts {
            let block = program.block_of(counter);
            let number = counter.0 - program.blocks[block].counter(0).0;
            let is_loop = matches!(program.blocks[block].kind, BlockKind::Loop(_));
            if number == 0 || (is_loop && number == 1) {
                *evaluations.entry((context, block)).or_default() += times * count.as_f64().unwrap_or(0.0);
            }
        }
    }
    evaluations
}

impl Feed for Evaluator {
    fn tasks(&self) -> usize {
        self.tasks.len()
    }

    fn next(&mut self, task: TaskId, outcome: Outcome) -> Step {
        if let Some(step) = self.before_start(task) {
            return step;
        }
        let position = self.position(task);
        let Some(state) = self.tasks.get_mut(position) else { return Step::Stuck };
        let program = self.programs.of_mut(task.0 as usize);
        let code = program.code.clone();
        let mut machine = Machine {
            code: &code,
            shared: &mut self.shared,
            task: state,
            summariser: &mut *program.summariser,
            known: &mut program.known,
            calls: &mut *self.calls,
        };
        machine.next(outcome)
    }

    fn group(&self, comm: CommId) -> Arc<[TaskId]> {
        self.calls.group(comm)
    }

    fn take_stored(&mut self, task: TaskId) -> bool {
        self.calls.take_stored(task)
    }

    fn window(&self, comm: CommId) -> Option<usize> {
        self.calls.window(comm)
    }

    fn segments(&self) -> &Segments {
        &self.shared.segments
    }
}

/// How far a spawned task has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SpawnStage {
    /// Nothing has asked for it.
    #[default]
    StandsBy,
    /// It waits for the message.
    Asked,
    Started,
}
