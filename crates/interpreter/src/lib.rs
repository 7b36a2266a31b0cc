//! The resumable interpreter: runs the tasks of a program until they call MPI.
//!
//! It knows values, memory and the C library; it must not know time, nor what MPI calls mean
//! (`count::mpi`), nor how loops are summarised (`count::summary`).

#![forbid(unsafe_code)]

mod access;
mod advances;
mod branches;
mod c_types;
mod calls;
mod code;
pub mod codes;
mod compile;
mod compile_control;
mod effort;
mod env;
mod fold;
mod fold_shape;
mod forward;
mod given;
mod hot;
mod hot_code;
mod known;
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
use code::Code;
use machine::Machine;
pub use messages::describe;
pub use plain::NoSummaries;
pub use position::Position;
use report::Reports;
use scratch::Scratch;
pub use start::{program_name, started_programs};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use task::Task;

/// Input that the user gives to the program.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    pub stdin: Option<Arc<[u8]>>,
    /// By the name that the program opens.
    pub files: HashMap<String, Arc<[u8]>>,
    pub missing: Missing,
}

/// What is assumed of a file that was not given, where the program could do with and without it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    #[default]
    Absent,
    /// It could be opened; what stands in it is unknown.
    There,
}

/// What the program is run with.
#[derive(Clone, Debug, Default)]
pub struct EvaluatorOptions {
    pub tasks: u32,
    /// How many of them, the last ones, stand by until others spawn them.
    pub spawned: u32,
    /// `argv[1]` and on.
    pub arguments: Vec<String>,
    pub inputs: Inputs,
    /// What `getenv` finds; other names are unset.
    pub environment: HashMap<String, String>,
    pub assumptions: Assumptions,
}

/// What all tasks share.
pub(crate) struct Shared {
    pub code: Arc<Code>,
    pub options: EvaluatorOptions,
    /// Operations of data-dependent slices that each task may take.
    pub budget: u64,
    pub segments: Segments,
    pub reasons: Reasons,
    pub reports: Reports,
    pub scratch: Scratch,
    /// What allocated memory holds, where somebody has asked.
    pub allocated: std::cell::OnceCell<c_types::Allocated>,
    pub models: Vec<Option<library::Model>>,
    pub uninitialised: Value,
    /// Why the content of a message is not known that holds too much.
    pub too_long: ReasonId,
    /// Branches and loops whose behaviour was assumed, with what was assumed.
    pub assumed: BTreeMap<BlockId, String>,
    /// Those of them that asked whether a file exists that was not given.
    pub absent: BTreeSet<BlockId>,
    /// What was used although a run may have it otherwise.
    pub doubts: Doubts,
    /// What was known although somebody spoke of it.
    pub settled: BTreeMap<BlockId, chronos_slicing::annotations::Settled>,
    /// What is known of the value that each `&&`, `||` and `?:` gave last, by block.
    pub outcomes: Vec<Option<chronos_slicing::heuristics::Outcome>>,
    pub refusals: summaries::Refusals,
    pub predictor: predictor::Predictor,
    /// Calls of pure functions so far.
    pub memos: memo::Memos,
    /// Per call block, the context it was last made in, whom it called, and the context of that.
    pub last_contexts: Vec<(chronos_activity::ContextId, chronos_ir::FuncId, chronos_activity::ContextId)>,
    /// Contexts of calls, by call of a function.
    pub contexts: HashMap<(chronos_activity::ContextId, BlockId, chronos_ir::FuncId), chronos_activity::ContextId>,
}

/// The budget holds for one execution of one loop; for all loops of all tasks it is so many times as large, and
/// for those of one task no less than once.
const ALL_LOOPS: u64 = 80;

impl Shared {
    /// Operations after which a loop is given up while it is being executed: where it can, it comes to its end first.
    pub fn hard_budget(&self) -> u64 {
        let whole = self.whole_budget();
        whole.saturating_add(whole / 4)
    }

    /// Operations that all loops of a task may take, and all its calls of recursive functions.
    pub fn whole_budget(&self) -> u64 {
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
    tasks: Vec<Task>,
    summariser: Box<dyn Summariser>,
    calls: Box<dyn MpiCalls>,
    /// Of the tasks that others spawn, the last ones.
    spawned: Vec<spawned::Stage>,
}

impl Evaluator {
    pub fn new(
        program: Arc<Program>,
        options: EvaluatorOptions,
        summariser: Box<dyn Summariser>,
        calls: Box<dyn MpiCalls>,
    ) -> Self {
        let mut code = compile::compile(program);
        code.heed(&options.assumptions);
        let code = Arc::new(code);
        let mut reasons = Reasons::default();
        let uninitialised =
            Value::Unknown(reasons.intern(Reason { kind: ReasonKind::Uninitialised, span: None, origin: None }));
        let what = format!("a message of more than {} values", env::LARGEST).into();
        let too_long = reasons.intern(Reason { kind: ReasonKind::Unsupported(what), span: None, origin: None });
        let models = code.library.iter().map(|name| library::lookup(name)).collect();
        let outcomes = vec![None; code.program.blocks.len()];
        let predictor = predictor::Predictor::new(code.program.blocks.len());
        let mut shared = Shared {
            code,
            budget: options.assumptions.budget,
            options,
            segments: Segments::default(),
            reasons,
            reports: Reports::default(),
            scratch: Scratch::default(),
            allocated: std::cell::OnceCell::new(),
            models,
            uninitialised,
            too_long,
            assumed: BTreeMap::new(),
            absent: BTreeSet::new(),
            doubts: Doubts::default(),
            settled: BTreeMap::new(),
            outcomes,
            refusals: summaries::Refusals::default(),
            predictor,
            memos: memo::Memos::default(),
            last_contexts: Vec::new(),
            contexts: HashMap::new(),
        };
        let tasks = (0..shared.options.tasks).map(|rank| start::task(&mut shared, TaskId(rank))).collect();
        let spawned = vec![spawned::Stage::default(); shared.options.spawned as usize];
        Self { shared, tasks, summariser, calls, spawned }
    }

    /// What was found so far, each thing once for all tasks.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut found = self.shared.code.annotations.diagnostics(&self.shared.code.program);
        found.extend(self.shared.reports.all(self.tasks.len()));
        found.extend(self.contradictions());
        found
    }

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
        let code = self.shared.code.clone();
        let mut machine = Machine {
            code: &code,
            shared: &mut self.shared,
            task: state,
            summariser: &mut *self.summariser,
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
