//! Correctness of the use of MPI (`chronos check --mpi`): what MPI forbids although it may run, and what runs only
//! because messages are small or because of how tasks happen to be timed.
//!
//! What makes a call fail is told by the calls themselves. This module looks at what no single call knows: buffers of
//! requests that are open, parts of objects that calls share, requests that are lost. [`Calls`](super::Calls) has a
//! [`Checks`] where somebody asked for it, and nothing of this is done elsewhere. An analysis is a module with state
//! of its own in [`Checks`] that hears of
//!
//! - [`before`]: a call with what it reads and writes ([`uses::Use`]), before it does anything;
//! - [`Call::check_opened`], [`Call::check_start`], [`Call::check_completed`], [`Call::check_freed`]: the life of
//!   requests;
//! - [`accessed`]: the program reads, writes or frees memory of an object that an analysis watches
//!   ([`CallEnvironment::watch`](super::CallEnvironment::watch));
//! - [`ended`]: a task has come to the end of the program.
//!
//! It tells what it finds with [`tell`]: an error for what MPI forbids, a warning for what is unsafe. As long as
//! objects are watched, loops are interpreted and not summarised, up to a part of the budget, so that no access is
//! hidden. Techniques: the ranges of open requests are those of MUST and of Intel's trace collector, kept here over
//! interpreted memory in place of shadow memory (J. Protze et al., "MPI runtime error detection with MUST", Tools for
//! High Performance Computing 2013).

mod agreement;
mod buffered;
mod buffers;
mod c_types;
mod clocks;
mod codes;
mod epochs;
mod operators;
mod origins;
mod outputs;
mod ready;
mod remote_codes;
mod requests;
mod resources;
mod uses;
mod windows;

pub use c_types::CScalar;
pub use codes::ALL as CODES;
pub use remote_codes::DISAGREE;
pub(crate) use windows::How;

use super::call::Call;
use super::world::Calls;
use super::{Action, CallEnvironment};
use chronos_activity::TaskId;
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_values::Pointer;
use requests::Requests;
use uses::Use;

/// What the program does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// The program loads from memory.
    Read,
    /// The program stores to memory.
    Write,
    /// The object's life ends.
    Free,
}

/// An access of the program to an object that is watched.
#[derive(Clone, Copy, Debug)]
pub struct MemoryAccess {
    /// First byte.
    pub pointer: Pointer,
    /// Length in bytes.
    pub bytes: u64,
    /// Whether memory is read, written or freed.
    pub kind: AccessKind,
    /// Place of the access in the sources.
    pub span: Span,
    /// It is executed once, for certain; not under an unknown condition.
    pub certain: bool,
}

/// What the analyses know, by task.
#[derive(Clone, Debug)]
pub(crate) struct Checks {
    /// What the call that a task is in reads and writes.
    uses: Vec<Vec<Use>>,
    requests: Vec<Requests>,
    resources: Vec<resources::Resources>,
    /// Collectives in which members are compared.
    entered: agreement::Entered,
    clocks: clocks::Clocks,
    ready: ready::Ready,
    shared: windows::Shared,
    origins: Vec<origins::Origins>,
    mixed: Vec<epochs::Mixed>,
    fences: epochs::Fences,
}

impl Checks {
    pub fn new(tasks: usize) -> Self {
        Self {
            uses: vec![Vec::new(); tasks],
            requests: vec![Requests::default(); tasks],
            resources: vec![resources::Resources::default(); tasks],
            entered: agreement::Entered::default(),
            clocks: clocks::Clocks::new(tasks),
            ready: ready::Ready::default(),
            shared: windows::Shared::default(),
            origins: vec![origins::Origins::default(); tasks],
            mixed: vec![epochs::Mixed::default(); tasks],
            fences: epochs::Fences::default(),
        }
    }
}

/// A call is about to be performed.
pub(crate) fn before(call: &mut Call<'_>) {
    if call.world.checks.is_none() {
        return;
    }
    let uses = uses::of(call);
    buffers::check(call, &uses);
    buffered::check(call, &uses);
    outputs::check(call);
    c_types::check(call, &uses);
    operators::check(call);
    requests::check_call(call, &uses);
    origins::check_call(call, &uses);
    resources::before(call);
    if call.name == "MPI_Finalize" {
        requests::check_finalize(call);
    }
    let task = call.task.index();
    if let Some(checks) = &mut call.world.checks {
        checks.uses[task] = uses;
    }
}

/// A call has done its part; it is over unless there are events to wait for.
pub(crate) fn after(call: &mut Call<'_>, action: &Action) {
    if call.world.checks.is_some() && matches!(action, Action::Return(_)) {
        resources::after(call);
    }
}

/// The program accesses an object that is watched.
pub(crate) fn accessed(world: &mut Calls, task: TaskId, access: MemoryAccess, env: &mut dyn CallEnvironment) {
    requests::accessed(world, task, access, env);
    origins::accessed(world, task, &access);
    windows::accessed(world, task, &access);
}

/// A part of a loop is taken as many times what it did before.
pub(crate) fn repeated(world: &mut Calls) {
    if let Some(checks) = &mut world.checks {
        checks.ready.give_up();
    }
}

/// A task has come to its end.
pub(crate) fn ended(world: &mut Calls, task: TaskId, code: Option<i64>) {
    resources::ended(world, task, code);
}

/// Reports a finding; the evaluation goes on.
fn tell(world: &mut Calls, finding: Diagnostic) {
    world.reports.push(finding);
}
