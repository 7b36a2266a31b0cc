//! The effects of MPI calls of interpreted programs: from arguments to events, and from outcomes to memory.
//!
//! # Purpose
//!
//! The crate joins `chronos_mpi` to the memory of tasks. It decodes arguments, keeps the tables of handles of all
//! tasks, carries known contents of messages from sender to receiver, and works out what a collective operation
//! brings to each member. It knows no time, and the order in which messages arrive is told to it by outcomes. It also
//! does not know how C is interpreted: a task is reached through the trait [`CallEnvironment`].
//!
//! # How it works
//!
//! A call of a task goes through `MpiCalls::begin`, which [`Calls`] implements, and, where events are needed, through
//! [`MpiCalls::finish`] with the outcome of the last event. `table` maps names of functions to handlers; which
//! arguments a function has stands in its row of the crate `functions`.
//!
//! **Unknown arguments.** What is unknown and decides no structure (buffers, displacements) loses contents only. A
//! message of unknown size is matched and takes the mean of the sizes that the same call had before (`sizes`);
//! without an earlier one it counts as empty, which is reported as an error. What decides more (ranks, tags, handles)
//! makes an [`Action::Unknown`].
//!
//! **Contents.** A payload is a list of known scalars at offsets into the packed data (`payload`). When the
//! evaluation folds a loop, it calls [`MpiCalls::repeated`]; the contents of the last period are kept, because the
//! repetitions give the same (`repeats`). A receiver that reads them follows its own loop.
//!
//! **Data models.** Tasks may run on machines of several data models (`Options::models`). Then all data in messages has
//! the form of the widest, 64-bit one, in which both ends agree on sizes; a buffer converts its elements as it reads and
//! writes memory (`payload`, `chronos_mpi::Resized`). Files and windows hold the bytes of their task.
//!
//! **Windows.** A window is named by a communicator of its own. Tasks are evaluated apart, so an access goes to an
//! image of the exposed memory, which is taken at each MPI call of its owner. What others wrote comes into the
//! owner's memory at its next call (`window`). An access takes effect when it is issued, in the order of simulated
//! time, which the replay keeps for `Operation::Access`, `Lock`, `Unlock` and `Storage`. A dynamic window has an
//! image with a stretch for each piece of attached memory; addresses of such memory travel as numbers
//! (`window::dynamic`).
//!
//! **Files.** A file is an image too, by name (`file`). What is written with known contents is read back.
//!
//! **Intercommunicators.** An intercommunicator is one communicator of both sides; ranks of messages count in the far
//! one. A collective operation with a root runs on a hidden communicator of the side that is served with the root
//! behind it; one without a root runs on both sides (`inter`).
//!
//! **Functions of the program that MPI calls.** Reduction operators and the functions of attributes are asked for by
//! [`Action::CallBack`], after which `finish` is asked again. Calls of operators are not counted (`folding`,
//! `keyvals`).
//!
//! **Spawned tasks.** Tasks that `MPI_Comm_spawn` starts are the last of the job and stand by from the beginning
//! (`spawn`). They wait for a message on their own `MPI_COMM_SELF`, start (`Operation::Start`), and meet those who
//! wanted them on the intercommunicator. The crate `predict` evaluates with more and more of them until there are
//! enough.
//!
//! **Correctness.** With `Options::correctness`, `checks` hears of each call with what it reads and writes, of the
//! life of requests, and of accesses of the program to objects that it watches. `checks::clocks` compares accesses to
//! windows by vector clocks over messages, collective operations and synchronisation; the clocks are kept while there
//! are windows.
//!
//! **Datatypes over several objects.** Addresses of two objects have a difference (`Value::Distance` in the crate
//! `values`), so that a datatype may hold parts of several (`apart`).
//!
//! # Invariants
//!
//! - Members of a communicator may be several collective operations apart. An instance lives from the first member
//!   that enters it to the last that has finished it (`instance`).
//! - A wrong call is reported with its place; it never panics.
//! - Nothing of the correctness analyses is done where nobody asked for them.
//! - What the crate says is known of contents is compared with runs: `tests/contents` brings known and unknown values
//!   to all readers of memory in random programs, which also run under the bundled MPI.
//!
//! # Limits
//!
//! - MPI functions without a model are reported before the evaluation ([`unsupported_calls`]): among them ports
//!   (`MPI_Open_port`, `MPI_Comm_accept`), partitioned communication, generalised requests, `MPI_Type_get_envelope`,
//!   and packing in the external representation.
//! - With free parameters, `MPI_Comm_spawn` is refused.
//! - User-defined reductions are combined from the last member to the first, one of the orders that MPI allows.
//! - Contents beyond the budgets of `world` and `repeats` are forgotten: they arrive as unknown values.
//! - The checks see the accesses of loops only while these are interpreted, up to a part of the budget.
//!
//! # Literature
//!
//! - Message Passing Interface Forum: MPI, version 4.0, 2021.
//! - J. Protze and others: MPI runtime error detection with MUST, Tools for High Performance Computing 2013; T.
//!   Hilbrich and others, SC 2013 (collective matching). See `checks`.
//! - A. Hück and others: Compiler-aided type tracking for correctness checking of MPI applications, Correctness 2018.
//! - L. Lamport, CACM 1978, and F. Mattern 1988: happened-before and vector clocks. Z. Chen and others: MC-Checker,
//!   SC 2014, and S. Schwitanski and others, Correctness 2022: races in windows.

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
    /// The scalar of a type that stands in memory; unknown where nothing known of this type does.
    fn load(&self, pointer: Pointer, ty: ScalarType) -> Value;
    /// Writes a scalar of a type to memory.
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
    /// The number of a reason, for unknown values that the call makes.
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
    /// Collective operations that the task has begun, by communicator.
    pub collectives: BTreeMap<CommId, u64>,
}

/// Known scalars of a buffer, sorted by offset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Payload {
    /// Values with their types, by offset in bytes from the begin of the buffer.
    pub items: Vec<(u64, ScalarType, Value)>,
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
    /// `task` does `times` times again what it has just done in one period, of which `begin` will not be told: sends
    /// and collectives are numbered on, and their contents are those of that period.
    fn repeated(&mut self, _task: TaskId, _period: &Performed, _times: u64) {}
}
