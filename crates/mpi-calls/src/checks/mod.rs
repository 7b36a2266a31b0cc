//! Correctness of the use of MPI (`chronos check --mpi`): what MPI forbids although it may run, and what runs only
//! because messages are small or because of how tasks happen to be timed.
//!
//! What makes a call fail is told by the calls themselves. This module looks at what no single call knows: buffers of
//! requests that are open, parts of objects that calls share, requests that are lost. [`MpiState`] has a
//! [`Checks`](state::Checks) where somebody asked for it, and nothing of this is done elsewhere. An analysis is a module
//! with state of its own in the room `state` that hears of
//!
//! - [`before`]: a call with what it reads and writes ([`state::uses::BufferUse`]), before it does anything;
//! - [`Call::check_opened`], [`Call::check_start`], [`Call::check_completed`], [`Call::check_freed`]: the life of
//!   requests;
//! - [`accessed`]: the program reads, writes or frees memory of an object that an analysis watches
//!   ([`CallEnvironment::watch`]);
//! - [`ended`]: a task has come to the end of the program.
//!
//! It reports what it finds with `MpiState::tell`: an error for what MPI forbids, a warning for what is unsafe. As long as
//! objects are watched, loops are interpreted and not summarised, up to a part of the budget, so that no access is
//! hidden. Techniques: the ranges of open requests are those of MUST and of Intel's trace collector, kept here over
//! interpreted memory in place of shadow memory (J. Protze et al., "MPI runtime error detection with MUST:
//! advanced error reports", Tools for High Performance Computing 2012).

use crate::call::Call;
use crate::interface::calls::Action;
use crate::interface::environment::CallEnvironment;
use crate::interface::memory_access::MemoryAccess;
use crate::state::mpi_state::MpiState;
use arguments::{buffered, buffers, c_types, operators, outputs, uses};
use chronos_activity::TaskId;
use chronos_base::ids::Id;
use chronos_functions::Lifecycle;
use lifetimes::{requests, resources};
use windows::{conflicts, origins};

mod arguments;
mod codes;
mod lifetimes;
mod ordering;
mod remote_codes;
pub(crate) mod state;
mod windows;

pub use codes::ALL as CODES;
pub use remote_codes::DISAGREE;

/// A call is about to be performed.
pub(crate) fn before(call: &mut Call<'_>) {
    if call.mpi.checks.is_none() {
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
    if call.function.lifecycle == Lifecycle::Finalizes {
        requests::check_finalize(call);
    }
    let task = call.task.index();
    if let Some(checks) = &mut call.mpi.checks {
        checks.uses[task] = uses;
    }
}

/// A call has done its part; it is over unless there are events to wait for.
pub(crate) fn after(call: &mut Call<'_>, action: &Action) {
    if call.mpi.checks.is_some() && matches!(action, Action::Return(_)) {
        resources::after(call);
    }
}

/// The program accesses an object that is watched.
pub(crate) fn accessed(mpi: &mut MpiState, task: TaskId, access: MemoryAccess, env: &mut dyn CallEnvironment) {
    requests::accessed(mpi, task, access, env);
    origins::accessed(mpi, task, &access);
    conflicts::accessed(mpi, task, &access);
}

/// A part of a loop is taken as many times what it did before.
pub(crate) fn repeated(mpi: &mut MpiState) {
    if let Some(checks) = &mut mpi.checks {
        checks.ready.give_up();
    }
}

/// A task has come to its end.
pub(crate) fn ended(mpi: &mut MpiState, task: TaskId, code: Option<i64>) {
    resources::ended(mpi, task, code);
}
