//! Objects of MPI that a task makes: whether they are freed before MPI ends, and whether MPI is ended at all.
//!
//! As in MUST (T. Hilbrich et al., "MUST: A scalable approach to runtime error detection in MPI programs", Tools for
//! High Performance Computing 2009), objects are followed by their handles, from the calls that make them to those
//! that free them.

use crate::call::Call;
use crate::checks::remote_codes as codes;
use crate::checks::state::lifetimes::{ResourceKind, Resources};
use crate::state::mpi_state::MpiState;
use crate::state::task::Phase;
use chronos_activity::TaskId;
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_functions::{Function, Lifecycle, Object, Role};
use chronos_mpi::handles;
use std::collections::BTreeMap;

impl ResourceKind {
    /// What a handle that programs free names.
    fn of(object: Object) -> Option<Self> {
        Some(match object {
            Object::Communicator => Self::Communicator,
            Object::Group => Self::Group,
            Object::Datatype => Self::Datatype,
            Object::Operation => Self::Operation,
            Object::Window => Self::Window,
            Object::File => Self::File,
            Object::Info => Self::Info,
            Object::Key => Self::Key,
            Object::Request => Self::Request,
            Object::Message | Object::ErrorHandler => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Communicator => "communicator",
            Self::Group => "group",
            Self::Datatype => "datatype",
            Self::Operation => "operation",
            Self::Window => "window",
            Self::File => "file",
            Self::Info => "info object",
            Self::Key => "key",
            Self::Request => "persistent request",
        }
    }

    fn freed_by(self) -> &'static str {
        match self {
            Self::Communicator => "MPI_Comm_free",
            Self::Group => "MPI_Group_free",
            Self::Datatype => "MPI_Type_free",
            Self::Operation => "MPI_Op_free",
            Self::Window => "MPI_Win_free",
            Self::File => "MPI_File_close",
            Self::Info => "MPI_Info_free",
            Self::Key => "MPI_Comm_free_keyval or its kin",
            Self::Request => "MPI_Request_free",
        }
    }

    /// Handles below are predefined, or null.
    fn first(self) -> i64 {
        match self {
            Self::Communicator | Self::Window => handles::FIRST_COMM,
            Self::Group => handles::FIRST_GROUP,
            Self::Datatype => handles::FIRST_DATATYPE,
            Self::Operation => handles::FIRST_OP,
            Self::Key => handles::FIRST_KEY,
            Self::File | Self::Info | Self::Request => 1,
        }
    }
}

/// What a call makes, and the argument that its handle is stored through.
fn made(row: &Function) -> Option<(ResourceKind, usize)> {
    let (object, at) = row.makes()?;
    let kind = ResourceKind::of(object)?;
    // The request of an operation under way is completed, not freed; what it makes is there only then.
    let is_immediate = !row.is_persistent() && row.has(Role::Makes(Object::Request));
    (!is_immediate).then_some((kind, at))
}

/// What a call frees whose handle its first argument points to.
fn freed(row: &Function) -> Option<ResourceKind> {
    ResourceKind::of(row.frees()?)
}

fn of(mpi: &mut MpiState, task: TaskId) -> Option<&mut Resources> {
    mpi.checks.as_mut().map(|checks| &mut checks.resources[task.index()])
}

/// A call is about to be performed.
pub fn before(call: &mut Call<'_>) {
    if let Some(kind) = freed(call.function) {
        let Ok(handle) = call.element(0, 0) else { return };
        if let Some(resources) = of(call.mpi, call.task) {
            resources.objects.remove(&(kind, handle));
        }
    }
    match call.function.lifecycle {
        Lifecycle::Initializes => {
            let span = call.span;
            if let Some(resources) = of(call.mpi, call.task) {
                resources.initialised.get_or_insert(span);
            }
        }
        Lifecycle::Finalizes => tell_leaks(call),
        Lifecycle::None => {}
    }
}

/// A call has been performed.
pub fn after(call: &mut Call<'_>) {
    let Some((kind, argument)) = made(call.function) else { return };
    let vague = call.mpi.vague;
    let handle = call.element(argument, 0);
    call.mpi.vague = vague;
    let Some(handle) = handle.ok().filter(|&handle| handle >= kind.first()) else { return };
    let (name, span) = (call.name(), call.span);
    if let Some(resources) = of(call.mpi, call.task) {
        resources.objects.insert((kind, handle), (name, span));
    }
    if kind == ResourceKind::Window {
        window_made(call, handle);
    }
}

fn window_made(call: &mut Call<'_>, handle: i64) {
    let Some(window) = call.mpi.comm_of_handle(call.task, handle) else { return };
    let rank = call.own_rank(window);
    let member = call.mpi.windows.get(&window).and_then(|window| window.members.get(rank));
    let Some((base, bytes)) = member.map(|member| (member.exposed.base, member.exposed.bytes)) else { return };
    call.check_window_made(window, base, bytes);
}

fn tell_leaks(call: &mut Call<'_>) {
    let Some(resources) = of(call.mpi, call.task) else { return };
    let mut by_place: BTreeMap<(ResourceKind, Span), (&'static str, usize)> = BTreeMap::new();
    for (&(kind, _), &(name, span)) in &resources.objects {
        by_place.entry((kind, span)).or_insert((name, 0)).1 += 1;
    }
    for ((kind, span), (name, n)) in by_place {
        let what = kind.name();
        let message = match n {
            1 => format!("the {what} that {name} makes is never freed"),
            n => format!("{n} {what}s that {name} makes are never freed"),
        };
        let finding = Diagnostic::warning(&codes::LEAK, message)
            .label(span, "made here")
            .label(call.span, "not freed when MPI ends")
            .help(format!("call {} when it is used no more", kind.freed_by()));
        call.mpi.tell(finding);
    }
}

/// A task has come to its end, with this exit code.
pub fn ended(mpi: &mut MpiState, task: TaskId, code: Option<i64>) {
    // Who ends with an error leaves by a way that is not meant to be taken.
    if mpi.tasks[task.index()].phase != Phase::Active || code.is_some_and(|code| code != 0) {
        return;
    }
    let Some(span) = of(mpi, task).and_then(|resources| resources.initialised) else { return };
    let finding = Diagnostic::error(&codes::NO_FINALIZE, "the program ends without MPI_Finalize")
        .label(span, "MPI is initialised here")
        .help("call MPI_Finalize on every path that leads out of main");
    mpi.tell(finding);
}
