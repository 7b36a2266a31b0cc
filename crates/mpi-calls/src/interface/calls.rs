//! What the crate does for an evaluation: calls that begin and end, and what they ask for.

use crate::interface::environment::CallEnvironment;
use crate::interface::memory_access::MemoryAccess;
use chronos_activity::{CommId, Event, Outcome, Site, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;
use chronos_values::{ReasonId, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a task does in one period of a folded loop that other tasks see.
#[derive(Clone, Debug, Default)]
pub struct Performed {
    /// Messages sent.
    pub sends: u64,
    /// Collective operations that the task has begun, by communicator.
    pub collectives: BTreeMap<CommId, u64>,
}

/// What a call does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Events to be performed one after the other; with the outcome of the last one, `finish` is asked.
    Events(Vec<Arc<Event>>),
    /// The program's function is called with these arguments, which may count as nothing; then `finish` is asked.
    CallBack {
        /// The function of the program, as a value that points to it.
        function: Value,
        /// Its arguments, in order.
        arguments: Vec<Value>,
        /// Whether the blocks that it executes count.
        counted: bool,
    },
    /// No event: the call is done and returns this.
    Return(Value),
    /// The call is wrong or cannot be followed.
    Fail(Box<Diagnostic>),
    /// What the call does depends on an argument (from 0) that is unknown, or on memory it points to.
    Unknown {
        /// Position of the argument, from 0.
        argument: usize,
        /// Why it is unknown.
        reason: ReasonId,
    },
}

/// The MPI calls of all tasks of a program.
pub trait MpiCalls {
    /// A call of `name` by `task`.
    fn begin(&mut self, task: TaskId, name: &str, site: Site, env: &mut dyn CallEnvironment, span: Span) -> Action;
    /// The outcome of the last event of the call that `task` is in.
    fn finish(&mut self, task: TaskId, outcome: Outcome, env: &mut dyn CallEnvironment) -> Action;
    /// What was found wrong since the last question, apart from what made a call fail.
    fn take_reports(&mut self) -> Vec<Diagnostic> {
        Vec::new()
    }
    /// An argument (from 0) of the last call that says how much data there is and is unknown: it counts as zero,
    /// the data as unknown.
    fn take_vague(&mut self) -> Option<(usize, ReasonId)> {
        None
    }
    /// Members of a communicator, in the order of their ranks in it.
    fn group(&self, comm: CommId) -> Arc<[TaskId]>;
    /// The communicator behind a task's handle.
    fn communicator(&self, _task: TaskId, _handle: i64) -> Option<CommId> {
        None
    }
    /// The one predefined type that a datatype consists of, by its number.
    fn uniform_type(&self, _task: TaskId, _handle: i64) -> Option<usize> {
        None
    }
    /// Lengths of the grid that a communicator has, and which of its dimensions wrap around.
    fn cartesian(&self, _task: TaskId, _handle: i64) -> Option<(Vec<i64>, Vec<bool>)> {
        None
    }
    /// The program itself reads, writes or frees memory of an object that is watched.
    fn accessed(&mut self, _task: TaskId, _access: MemoryAccess, _env: &mut dyn CallEnvironment) {}
    /// The task has come to the end of the program, with this exit code where it is known.
    fn ended(&mut self, _task: TaskId, _code: Option<i64>) {}
    /// Whether the task is a member of a window, so that others may access its memory.
    fn has_window(&self, _task: TaskId) -> bool {
        false
    }
    /// Whether the task itself has stored to its memory in a window, as others may see since its last call; asked once.
    fn take_stored(&mut self, _task: TaskId) -> bool {
        false
    }
    /// The task looks at its memory without a call: what others have written there is in it from now on.
    fn look(&mut self, _task: TaskId, _env: &mut dyn CallEnvironment, _span: Span) {}
    /// The number, from 1, of the window that the communicator stands for.
    fn window(&self, _comm: CommId) -> Option<usize> {
        None
    }
    /// The arguments of a task that others have spawned, its program's name first.
    fn arguments_of(&self, _task: TaskId) -> Option<Vec<String>> {
        None
    }
    /// How many tasks were spawned or would have been, had they been there.
    fn wanted(&self) -> usize {
        0
    }
    /// `task` does `times` times again what it has just done in one period, of which `begin` will not be told: sends
    /// and collectives are numbered on, and their contents are those of that period.
    fn repeated(&mut self, _task: TaskId, _period: &Performed, _times: u64) {}
}
