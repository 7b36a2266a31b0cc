//! The resumable interpreter: it runs the tasks of a program, each until its next MPI call.
//!
//! # Purpose
//!
//! `Evaluator` is a `Feed` (crate `chronos_activity`). The replay asks it for the next step of a task. The interpreter
//! then executes that task up to its next MPI call, returns the counts of the blocks executed so far as a segment, and
//! returns the call as an event. When the replay knows the outcome of the call (which message arrived, which request
//! completed), it passes the outcome back, and the task goes on.
//!
//! The crate knows values, memory and the C library. It does not know time. It reaches the meaning of MPI calls
//! through the trait `MpiCalls` (crate `chronos_mpi_calls`) and closed forms of loops through the trait `Summariser`
//! (crate `chronos_abstract_execution`).
//!
//! # How it works
//!
//! **Code.** `compile` translates the block trees of all functions to flat code, once for each program. `hot_code` and
//! `hot` hold a second form of it for the common case: known numbers in registers, scalars in arrays, and loops and
//! branches whose conditions are known. The fast form stops in front of the first operation that is anything else.
//!
//! **Data models.** On clusters of 32- and 64-bit machines each task runs the program of its machine (`programs`): code,
//! closed forms and what is known of calls belong to a program; segments, contexts and assumptions are common, as blocks
//! have the same numbers.
//!
//! **Loops that reach MPI** are iterated. When the relevant state equals the state of one period ago, and the last two
//! periods made the same steps, the remaining periods become one repeat (`fold`). Variables to which the body only
//! adds constants are moved on by as much (`advances`). The counter of the loop may differ where the body reads it
//! only modulo the period, or only in blocks that the period did not execute (`fold_shape`). A period in which
//! relevant data was received, or in which the order of arrival decided something, does not count as equal.
//!
//! **Loops without MPI** are offered to the summariser first (`summaries`). A summary gives counts and the final
//! values that it could follow, and it marks every other place that the loop writes as not evaluated. The interpreter
//! takes the summary when its counts are exact and no lost value is relevant, as crate `chronos_slicing` defines it.
//! Otherwise the loop is interpreted operation by operation, and each nested loop gets a chance of its own at a
//! summary. A loop whose summaries take longer than interpreting it is offered ever more rarely.
//!
//! **Loops that poll** are not repeated but spin (`spin`). Where every test and probe of a period failed and nothing
//! relevant changed, the interpreter returns `Step::Spin`. The replay lets the task sleep until something arrives that
//! one of the polls looks for, and says how many whole periods went by. All other polls are replayed one by one.
//!
//! **Pure functions.** Equal calls of functions that depend only on scalar arguments and globals are executed once
//! (`pure`, `memo`).
//!
//! **Budget.** The interpreter has a budget of operations (`Assumptions::budget`, option `--budget`, 10^8 by default)
//! for each execution of a loop, and 80 times as many for all loops of all tasks together. When a task has spent a
//! quarter of its share, it accepts summaries that lose values on which only counts depend. When the share is used up,
//! the loops that took most of it are given up one by one (`effort`): their bodies are followed with unknown values
//! until no new place is written, every such place becomes unknown, and their loops and branches are assumed to go as
//! they went before. What does not depend on these places stays exact.
//!
//! **Branches on unknown values.** Each arm is executed with its share of the weight, and what the arms leave
//! different becomes unknown (`branches`). The share comes from the user (`--prob`), else from an annotation in the
//! source, else from measured heuristics (`chronos_slicing::heuristics`), and then it is reported as an assumption. An
//! arm that ends the program or reports an error gets 0. A trip count that nobody knows is asked for (`--iterations`).
//!
//! **Library functions** have models in `library`: what they do to values and memory, and how many bytes they handle.
//! Their arguments and effects stand in crate `chronos_functions`. `qsort` merges as glibc does where the data is
//! known; otherwise the mean number of comparisons is assumed. The BLAS is known by its C interface. A file that was
//! not given does not exist, unless the program cannot go on without it.
//!
//! **Checks of the use of MPI** (`chronos check --mpi`) watch objects, for instance buffers of open requests. A
//! watched object is excluded from the fast operations, so that programs without such checks pay nothing. While
//! objects are watched, loops are interpreted instead of summarised, for up to a tenth of the budget. The C type of a
//! buffer is that of its declaration, or that of the pointer into which an allocation is stored (`c_types`).
//!
//! **Branch prediction.** A small tagged predictor (`predictor`) watches branches that are executed operation by
//! operation, all of them at first and samples later. It yields `Segment::mispredicted`, which takes no part in the
//! comparison of segments: a segment keeps what was known when it was seen first.
//!
//! # Invariants
//!
//! - An unknown value carries a reason and a place (`chronos_values::Reason`); `messages` describes the chain of
//!   causes.
//! - Results depend neither on the number of threads nor on the order of a hash table.
//! - Whatever may be different in a real run is recorded as a doubt (`chronos_slicing::doubts`), never silently used.
//! - What is known exactly takes precedence over what the user says, and the command line over the source (`given`).
//! - No input makes the interpreter panic. Limits of time and memory are looked at in every loop and call
//!   (`chronos_base::governor`).
//!
//! # Limits
//!
//! - An MPI call whose structure (ranks, tags, handles) depends on an unknown value is refused with the chain of
//!   causes, and the task ends there. What the task cannot execute any more is found by `chronos_predict`
//!   (`profile/ahead.rs`).
//! - What only depends on how often `MPI_Iprobe` is repeated is not seen here; `chronos_predict` (`profile/polls.rs`)
//!   evaluates the job again with slower messages and with slower computation.
//! - The contents of a message are carried up to 2^20 scalars; what is longer has unknown contents.
//! - Calls may nest to a depth of 100,000.
//! - Elements that are sorted with the comparison of the program: 65,536. Beyond that, the mean number is assumed.
//! - The counter of a folded loop may have a period of at most 1,000 iterations, and an iteration at most 4,096 steps.
//! - The predictor has a shorter history than today's processors, so it overestimates mispredictions of long patterns.
//!   A branch that is never executed operation by operation (closed forms, unknown data) has no measurement.
//! - Of pages, only those that MPI calls write are followed (`pages`). First touches by the program itself are found
//!   from its text, in `chronos_cost` (`source/objects/first_touch.rs`).
//! - `va_arg` gives unknown values where a variadic function was called through a pointer, and so does complex
//!   arithmetic.
//!
//! # Literature
//!
//! - A. Seznec, P. Michaud, "A case for (partially) tagged geometric history length branch prediction", Journal of
//!   Instruction-Level Parallelism 8, 2006: the branch predictor.
//! - A. Aho, M. Lam, R. Sethi, J. Ullman, "Compilers", section 9.1: induction variables, which `advances` moves.
//! - R. Krichevsky, V. Trofimov, "The performance of universal encoding", IEEE Transactions on Information Theory 27,
//!   1981: the estimate of the probabilities of branches in loops that were given up (`effort`).
//! - M. Weiser, "Program slicing", IEEE Transactions on Software Engineering, 1984: only what MPI calls and counts
//!   depend on is worth executing.

#![forbid(unsafe_code)]

mod access;
mod advances;
mod branches;
mod c_types;
mod calls;
mod code;
pub mod codes;
mod comparisons;
mod compile;
mod compile_control;
mod counter_use;
mod effort;
mod env;
mod fold;
mod fold_shape;
mod forward;
mod given;
mod hot;
mod hot_code;
mod library;
mod log;
mod loops;
mod machine;
mod memo;
mod memory;
pub mod messages;
mod pages;
mod plain;
mod position;
mod predictor;
mod process;
mod programs;
mod punned;
mod pure;
mod regions;
mod report;
mod scratch;
mod spawned;
mod spin;
mod start;
mod summaries;
mod task;
#[cfg(test)]
mod tests;
mod uses;

use chronos_abstract_execution::Summariser;
use chronos_activity::{CommId, Feed, Outcome, Segments, Step, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;
use chronos_ir::{BlockId, Program};
use chronos_mpi_calls::MpiCalls;
use chronos_slicing::Assumptions;
use chronos_slicing::doubts::Doubts;
use chronos_values::{Reason, ReasonId, ReasonKind, Reasons, Value};
use machine::Machine;
pub use messages::describe;
pub use plain::NoSummaries;
pub use position::Position;
use programs::Programs;
pub use programs::TaskProgram;
use report::Reports;
use scratch::Scratch;
pub use start::{program_name, started_programs};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use task::Task;

/// Input that the user gives to the program.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// What the program reads from its standard input; `None` where it was not given.
    pub stdin: Option<Arc<[u8]>>,
    /// By the name that the program opens.
    pub files: HashMap<String, Arc<[u8]>>,
    /// What is assumed of files that were not given.
    pub missing: Missing,
}

/// What is assumed of a file that was not given, where the program could do with and without it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// It does not exist, and opening it fails.
    #[default]
    Absent,
    /// It could be opened; what stands in it is unknown.
    There,
}

/// What the program is run with.
#[derive(Clone, Debug, Default)]
pub struct EvaluatorOptions {
    /// Number of tasks, spawned ones included.
    pub tasks: u32,
    /// How many of them, the last ones, stand by until others spawn them.
    pub spawned: u32,
    /// `argv[1]` and on.
    pub arguments: Vec<String>,
    /// Standard input and files.
    pub inputs: Inputs,
    /// What `getenv` finds; other names are unset.
    pub environment: HashMap<String, String>,
    /// What the user says about branches, loops and library functions.
    pub assumptions: Assumptions,
}

/// What all tasks share.
pub(crate) struct Shared {
    pub options: EvaluatorOptions,
    /// Operations of data-dependent slices that each task may take.
    pub budget: u64,
    pub segments: Segments,
    pub reasons: Reasons,
    pub reports: Reports,
    pub scratch: Scratch,
    pub uninitialised: Value,
    /// Why the content of a message is not known that holds too much.
    pub(crate) too_long: ReasonId,
    /// Branches and loops whose behaviour was assumed, with what was assumed.
    pub assumed: BTreeMap<BlockId, String>,
    /// Those of them that asked whether a file exists that was not given.
    pub absent: BTreeSet<BlockId>,
    /// Files that tasks have written or removed, by name.
    pub(crate) changed_files: HashMap<String, library::Change>,
    /// What was used although a run may have it otherwise.
    pub doubts: Doubts,
    /// What was known although somebody spoke of it.
    pub settled: BTreeMap<BlockId, chronos_slicing::annotations::Settled>,
    /// Per call block, the context it was last made in, whom it called, and the context of that.
    pub(crate) last_contexts: Vec<(chronos_activity::ContextId, chronos_ir::FuncId, chronos_activity::ContextId)>,
    /// Contexts of calls, by call of a function.
    pub contexts: HashMap<(chronos_activity::ContextId, BlockId, chronos_ir::FuncId), chronos_activity::ContextId>,
}

/// The budget holds for one execution of one loop; for all loops of all tasks it is so many times as large, and
/// for those of one task no less than once.
const ALL_LOOPS: u64 = 80;

impl Shared {
    /// Operations after which a loop is given up while it is being executed: where it can, it comes to its end first.
    pub(crate) fn hard_budget(&self) -> u64 {
        let whole = self.whole_budget();
        whole.saturating_add(whole / 4)
    }

    /// Operations that all loops of a task may take, and all its calls of recursive functions.
    pub(crate) fn whole_budget(&self) -> u64 {
        let share = ALL_LOOPS / u64::from(self.options.tasks.max(1));
        self.budget.saturating_mul(share.max(1))
    }

    pub fn reason(&mut self, kind: ReasonKind, span: Option<Span>, origin: Option<ReasonId>) -> ReasonId {
        self.reasons.intern(Reason { kind, span, origin })
    }
}

/// Evaluates all tasks of a program, step by step.
pub struct Evaluator {
    shared: Shared,
    programs: Programs,
    tasks: Vec<Task>,
    calls: Box<dyn MpiCalls>,
    /// Of the tasks that others spawn, the last ones.
    spawned: Vec<spawned::Stage>,
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
        let programs = Programs::new(programs, of_task, &options.assumptions);
        let mut reasons = Reasons::default();
        let uninitialised =
            Value::Unknown(reasons.intern(Reason { kind: ReasonKind::Uninitialised, span: None, origin: None }));
        let what = format!("a message of more than {} values", env::LARGEST).into();
        let too_long = reasons.intern(Reason { kind: ReasonKind::Unsupported(what), span: None, origin: None });
        let tasks = options.tasks;
        let mut shared = Shared {
            budget: options.assumptions.budget,
            options,
            segments: Segments::default(),
            reasons,
            reports: Reports::default(),
            scratch: Scratch::default(),
            uninitialised,
            too_long,
            assumed: BTreeMap::new(),
            absent: BTreeSet::new(),
            changed_files: HashMap::new(),
            doubts: Doubts::default(),
            settled: BTreeMap::new(),
            last_contexts: Vec::new(),
            contexts: HashMap::new(),
        };
        let begin = |rank: u32| start::task(&mut shared, &programs.of(rank as usize).code, TaskId(rank));
        let tasks = (0..tasks).map(begin).collect();
        let spawned = vec![spawned::Stage::default(); shared.options.spawned as usize];
        Self { shared, programs, tasks, calls, spawned }
    }

    /// What was found so far, each thing once for all tasks.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let code = self.programs.first();
        let mut found = code.annotations.diagnostics(&code.program);
        found.extend(self.shared.reports.all(self.tasks.len()));
        found.extend(self.contradictions());
        found
    }

    /// As `diagnostics`, when the evaluation is over.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics()
    }

    /// Branches and loops whose behaviour was assumed, with what was assumed.
    pub fn uncertain(&self) -> Vec<(BlockId, String)> {
        self.shared.assumed.iter().map(|(&block, text)| (block, text.clone())).collect()
    }

    /// Branches on whether a file exists that was not given, and that the program can do without.
    pub fn absent(&self) -> &BTreeSet<BlockId> {
        &self.shared.absent
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

    /// Segments, when the evaluation is over.
    pub fn into_segments(self) -> Segments {
        self.shared.segments
    }
}

impl Feed for Evaluator {
    fn tasks(&self) -> usize {
        self.tasks.len()
    }

    fn next(&mut self, task: TaskId, outcome: Outcome) -> Step {
        if let Some(step) = self.before_start(task) {
            return step;
        }
        let Some(state) = self.tasks.get_mut(task.0 as usize) else { return Step::Stuck };
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

    fn window(&self, comm: CommId) -> Option<usize> {
        self.calls.window(comm)
    }

    fn segments(&self) -> &Segments {
        &self.shared.segments
    }
}
