//! MPI calls of the interpreted program: arguments to events, outcomes to memory.
//!
//! It binds `chronos_mpi` to a task's memory: decodes arguments, keeps the tables of handles of all
//! tasks, carries known payload from sender to receiver, and works out what a collective brings
//! to each member. It must not know time, nor the order in which messages arrive: outcomes tell it.
//!
//! Everything that a task asks for at one call goes through [`Calls::begin`] and, where events are needed,
//! [`Calls::finish`](MpiCalls::finish). What is unknown and decides no structure (buffers,
//! displacements) loses payload; the size of a message that is unknown is assumed (`sizes`); what decides more (ranks,
//! tags, handles) makes an [`Action::Unknown`].

#![forbid(unsafe_code)]

mod apart;
mod attributes;
mod buffer;
mod call;
mod cart;
mod check;
mod checks;
mod codes;
mod collective;
mod communicator;
mod completion;
mod delivery;
mod file;
mod folding;
mod groups;
mod info;
mod inquiry;
mod instance;
mod inter;
mod keyvals;
mod kinds;
mod matched;
mod neighbours;
mod pack;
mod payload;
mod persistent;
mod point;
mod probe;
mod reduce;
mod reductions;
mod repeats;
mod request;
mod sizes;
mod slots;
mod spawn;
mod status;
mod table;
mod types;
mod window;
mod world;

#[cfg(test)]
mod tests;

pub use check::{own_operations, spawns, unsupported_calls};
pub use checks::{AccessKind, CODES as CHECK_CODES, CScalar, DISAGREE, MemoryAccess};
pub use codes::{ALL as CODES, DATATYPES, MATCHING, MISUSE, TRUNCATION, UNSUPPORTED};
pub use spawn::REQUEST;
pub use table::{moves_messages, supported};
pub use window::published_address;
pub use world::{Calls, Options};

use chronos_activity::{CommId, Event, Outcome, Site, TaskId};
use chronos_base::diag::{Diagnostic, Label};
use chronos_base::span::Span;
use chronos_ir::{BlockId, ScalarType};
use chronos_slicing::doubts::{Doubt, Subject};
use chronos_values::{ObjectId, Pointer, ReasonId, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What an MPI call may ask of the task that makes it.
pub trait CallEnvironment {
    /// Scalar arguments in order.
    fn argument(&self, index: usize) -> Value;
    fn load(&self, pointer: Pointer, ty: ScalarType) -> Value;
    fn store(&mut self, pointer: Pointer, ty: ScalarType, value: Value);
    /// What the `bytes` at `pointer` hold: values at offsets from `pointer`. `None` where nothing there is known,
    /// or it is too large to carry, or the object is not relevant.
    fn snapshot(&self, pointer: Pointer, bytes: u64) -> Option<Payload>;
    /// What an object holds has not changed as long as this stays the same and somebody has copied it; `None` where nobody can
    /// tell.
    fn version(&self, _object: ObjectId) -> Option<Version> {
        None
    }
    /// The version of an object of which the caller takes a snapshot; `None` where what happens to it is not followed.
    fn version_to_copy(&mut self, _object: ObjectId) -> Option<Version> {
        None
    }
    /// Stays the same as long as no object changes of which somebody has a copy.
    fn version_of_all(&self) -> Option<Version> {
        None
    }
    /// Bytes from the pointer to the end of its object.
    fn room(&self, _pointer: Pointer) -> Option<u64> {
        None
    }
    /// Whether there is such an object, and it is alive.
    fn is_live(&self, _object: ObjectId) -> bool {
        true
    }
    /// What the call gives is used although a run may have it otherwise.
    fn doubt(&mut self, _doubt: Doubt, _subject: Subject) {}
    /// Writes a payload; `bytes` from `pointer` on that the payload does not hold become unknown, for `reason`.
    fn deposit(&mut self, pointer: Pointer, bytes: u64, payload: Option<&Payload>, reason: ReasonId);
    /// The call at `site` writes data of MPI here. Where nobody wrote before, the system has to give the pages.
    fn written(&mut self, _pointer: Pointer, _bytes: u64, _site: Site) {}
    /// What the program's own types say of this place; `None` where they say nothing.
    fn c_type(&self, _pointer: Pointer) -> Option<CScalar> {
        None
    }
    /// Why the content of these bytes is not fully known: the cause at the beginning of its chain.
    fn unknown_in(&self, _pointer: Pointer, _bytes: u64) -> Option<ReasonId> {
        None
    }
    /// The value is unknown because it was never written.
    fn was_never_set(&self, _reason: ReasonId) -> bool {
        false
    }
    fn intern_reason(&mut self, reason: chronos_values::Reason) -> ReasonId;
    /// Where an unknown value came from, for messages.
    fn origins(&self, _reason: ReasonId) -> Vec<Label> {
        Vec::new()
    }
    /// A null-terminated string, where it is known.
    fn string(&self, pointer: Pointer) -> Option<String>;
    /// The call wrote to a place that is not known: whatever it may have hit is no longer known.
    fn lost_write(&mut self, _reason: ReasonId) {}
    /// Another execution of the call may do otherwise.
    fn unsettle(&mut self) {}
    /// The content of a file that the prediction was given.
    fn file(&self, _name: &str) -> Option<Arc<[u8]>> {
        None
    }
    /// New memory that the call at this block hands out; `None` where the task cannot be given any.
    fn allocate(&mut self, _bytes: u64, _call: BlockId) -> Option<Pointer> {
        None
    }
    /// Others may access this memory: from now on, its addresses travel as numbers.
    fn publish(&mut self, _object: ObjectId) {}
    /// Takes such memory back.
    fn release(&mut self, _memory: Pointer) {}
    /// From now on each access of the program to the object is told to [`MpiCalls::accessed`], until this was asked for
    /// as often with `false`.
    fn watch(&mut self, _object: ObjectId, _on: bool) {}
}

/// A state of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Of what it holds.
    pub content: u64,
    /// How many objects have addresses that travel as numbers.
    pub published: usize,
}

/// What a task does in one period of a folded loop that other tasks see.
#[derive(Clone, Debug, Default)]
pub struct Performed {
    /// Messages sent.
    pub sends: u64,
    pub collectives: BTreeMap<CommId, u64>,
}

/// Known scalars of a buffer, sorted by offset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Payload {
    pub items: Vec<(u64, ScalarType, Value)>,
}

/// What a call does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Events to be performed one after the other; with the outcome of the last one, `finish` is asked.
    Events(Vec<Arc<Event>>),
    /// The program's function is called with these arguments, which may count as nothing; then `finish` is asked.
    CallBack { function: Value, arguments: Vec<Value>, counted: bool },
    /// No event: the call is done and returns this.
    Return(Value),
    /// The call is wrong or cannot be followed.
    Fail(Box<Diagnostic>),
    /// What the call does depends on an argument (from 0) that is unknown, or on memory it points to.
    Unknown { argument: usize, reason: ReasonId },
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
    /// The program itself reads, writes or frees memory of an object that is watched.
    fn accessed(&mut self, _task: TaskId, _access: MemoryAccess, _env: &mut dyn CallEnvironment) {}
    /// The task has come to the end of the program, with this exit code where it is known.
    fn ended(&mut self, _task: TaskId, _code: Option<i64>) {}
    /// The number, from 1, of the window that the communicator stands for.
    fn window(&self, _comm: CommId) -> Option<usize> {
        None
    }
    /// Whether others may write to the memory of a task without a call of its own.
    fn is_exposed(&self, _task: TaskId) -> bool {
        false
    }
    /// The arguments of a task that others have spawned, its program's name first.
    fn arguments_of(&self, _task: TaskId) -> Option<Vec<String>> {
        None
    }
    /// How many tasks were spawned or would have been, had they been there.
    fn wanted(&self) -> usize {
        0
    }
    /// `task` does `times` times again what it has just done in one period, of which `begin` will not be told: sends and
    /// collectives are numbered on, and their contents are those of that period.
    fn repeated(&mut self, _task: TaskId, _period: &Performed, _times: u64) {}
}
