//! One-sided communication: windows, and who may access them when.
//!
//! A window is named by the communicator that its members share and nobody else uses. An access takes effect when it
//! is issued, in the order of simulated time; synchronisation waits until what was issued is complete. Programs that
//! depend on anything else are wrong in MPI.

mod access;
mod dynamic;
mod memory;
mod sync;

pub(super) use access::{
    Access, Place, accumulate, compare_and_swap, fetch_and_op, get, get_accumulate, put, raccumulate, rget,
    rget_accumulate, rput,
};
use dynamic::Stretch;
pub use dynamic::published_address;
pub(super) use dynamic::{Attached, attach, create_dynamic, detach};
pub(super) use sync::{
    Synchronised, complete, fence, flush, flush_all, lock, lock_all, post, start, sync, unlock, unlock_all, wait,
};

use super::call::{Call, Called, DONE, Refusal};
use super::collective::Plan;
use super::instance::{Choice, Contribution};
use super::keyvals::Object;
use super::world::Calls;
use super::{CallEnvironment, codes};
use chronos_activity::{CommId, TaskId};
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_ir::ScalarType;
use chronos_mpi::handles;
use chronos_values::{Pointer, Reason, ReasonKind, Value};
pub(super) use memory::Image;

/// Key values of the bundled header.
const WIN_BASE: i64 = 1011;
const WIN_SIZE: i64 = 1012;
const WIN_DISP_UNIT: i64 = 1013;
const WIN_CREATE_FLAVOR: i64 = 1014;
const FLAVOR_DYNAMIC: i64 = 3;

/// Memory that a member of a window exposes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Exposed {
    /// `None` where the address is not known.
    pub base: Option<Pointer>,
    pub bytes: u64,
    /// Bytes of one step of a displacement.
    pub unit: u64,
    /// Memory is attached later, and displacements are addresses.
    pub dynamic: bool,
}

/// A window, by rank.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub members: Vec<Member>,
}

#[derive(Clone, Debug)]
pub(super) struct Member {
    pub exposed: Exposed,
    pub(crate) image: Image,
    /// Memory that was attached to a dynamic window; `None` where the window is of another kind.
    pub attached: Option<Attached>,
    epoch: Epoch,
    /// Target and request of what this member has issued and not waited for.
    issued: Vec<(usize, usize)>,
    /// To whom it granted access, and to whom it was granted (MPI_Win_post and MPI_Win_start).
    posted: Vec<TaskId>,
    started: Vec<TaskId>,
}

/// What a member may access now.
#[derive(Clone, Debug, Default)]
struct Epoch {
    fenced: bool,
    all: bool,
    locked: Vec<usize>,
}

impl Window {
    pub fn new(exposed: impl IntoIterator<Item = Exposed>) -> Self {
        let member = |exposed: Exposed| Member {
            attached: exposed.dynamic.then(Attached::default),
            exposed,
            image: Image::default(),
            epoch: Epoch::default(),
            issued: Vec::new(),
            posted: Vec::new(),
            started: Vec::new(),
        };
        Self { members: exposed.into_iter().map(member).collect() }
    }
}

impl Member {
    /// It is in no epoch.
    pub fn is_idle(&self) -> bool {
        self.open().is_none() && !self.epoch.fenced
    }

    /// What keeps the window from being freed.
    fn open(&self) -> Option<&'static str> {
        match () {
            () if !self.epoch.locked.is_empty() || self.epoch.all => Some("it is locked"),
            () if !self.started.is_empty() => Some("accesses are started (MPI_Win_start)"),
            () if !self.posted.is_empty() => Some("it is posted (MPI_Win_post)"),
            () if !self.issued.is_empty() => Some("accesses to it are not complete"),
            () => None,
        }
    }
}

/// Begins of the names of calls by which nothing that their caller has stored has to become visible to others: its
/// own accesses to windows, and what is done without others. Stores are visible from the next synchronisation on (MPI
/// 4.0, 12.7).
const SHOWING_NOTHING: [&str; 13] = [
    "MPI_Put",
    "MPI_Get",
    "MPI_Accumulate",
    "MPI_Rput",
    "MPI_Rget",
    "MPI_Raccumulate",
    "MPI_Fetch_and_op",
    "MPI_Compare_and_swap",
    "MPI_Type_",
    "MPI_Aint_",
    "MPI_Group_",
    "MPI_Comm_rank",
    "MPI_Comm_size",
];

impl Calls {
    /// Before a call of `task`: brings what others have written into its memory, then shows others what is there,
    /// where the call may make it visible.
    pub(super) fn expose(&mut self, task: TaskId, name: &str, env: &mut dyn CallEnvironment, span: Span) {
        self.settle(task, env, span);
        if SHOWING_NOTHING.iter().any(|begin| name.starts_with(begin)) {
            return;
        }
        let model = self.options.model_of(task);
        for comm in self.tasks[task.index()].windows.clone() {
            let Some(member) = self.member(comm, task).filter(|member| !member.image.is_complete(env)) else {
                continue;
            };
            let mut followed = true;
            for Stretch { base, bytes, at } in member.stretches() {
                if !member.image.is_current(at, env.version(base.object)) {
                    let content = env.snapshot(base, bytes);
                    let version = env.version_to_copy(base.object);
                    member.image.refresh(at, bytes, content.as_ref(), version, model);
                    followed &= version.is_some();
                }
            }
            member.image.complete(env.version_of_all().filter(|_| followed));
        }
    }

    /// Brings what others have written into the memory of `task`.
    pub(super) fn settle(&mut self, task: TaskId, env: &mut dyn CallEnvironment, span: Span) {
        let model = self.options.model_of(task);
        for comm in self.tasks[task.index()].windows.clone() {
            let Some(member) = self.member(comm, task) else { continue };
            let changes = member.image.take_changes(model);
            if changes.is_empty() {
                continue;
            }
            let stretches = member.stretches();
            let is_same = |one: &&Stretch| member.image.is_current(one.at, env.version(one.base.object));
            let same: Vec<Stretch> = stretches.iter().filter(is_same).copied().collect();
            let kind = ReasonKind::Received;
            let reason = env.intern_reason(Reason { kind, span: Some(span), origin: None });
            for change in changes {
                let Some(at) = dynamic::address(&stretches, change.begin) else { continue };
                env.deposit(at, change.bytes, change.payload.as_ref(), reason);
            }
            // With what was in the image, the owner has all of it.
            for stretch in same {
                member.image.agree(stretch.at, env.version_to_copy(stretch.base.object));
            }
        }
    }

    fn member(&mut self, comm: CommId, task: TaskId) -> Option<&mut Member> {
        let rank = self.members(comm).rank(task)?;
        self.windows.get_mut(&comm)?.members.get_mut(rank)
    }
}

impl Call<'_> {
    /// The window behind a handle.
    pub fn window(&mut self, argument: usize) -> Result<CommId, Refusal> {
        let handle = self.int(argument)?;
        let comm = self.world.comm_of_handle(self.task, handle);
        comm.filter(|comm| self.world.windows.contains_key(comm)).ok_or_else(|| {
            let what = if handle == handles::NULL { "MPI_WIN_NULL" } else { "no window of this task" };
            self.bad_handle(argument, what)
        })
    }

    /// The task's own part of a window that `window` has found.
    fn own_member(&mut self, comm: CommId) -> Result<&mut Member, Refusal> {
        let missing = self.bad_handle(0, "no window of this task");
        self.world.own(self.task, comm).ok_or(missing)
    }

    /// The making of a window over a communicator: what this member exposes, and where the handle goes.
    fn exposing(&mut self, comm: CommId, exposed: Exposed, place: usize) -> Result<Plan, Refusal> {
        let choice = Choice { colour: Some(0), key: self.own_key(comm), topology: None, linked: None };
        let plan = self.making(comm, choice, place)?;
        let gives = Contribution { exposed: Some(exposed), ..plan.gives };
        Ok(Plan { gives, ..plan })
    }
}

impl Calls {
    fn own(&mut self, task: TaskId, comm: CommId) -> Option<&mut Member> {
        self.member(comm, task)
    }
}

/// `MPI_Win_create(base, size, unit, info, comm, window)`.
pub(super) fn create(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let comm = call.intracomm(4)?;
    let (bytes, unit) = (call.count(1)?, call.count(2)?);
    call.check_window_memory(0, bytes);
    let exposed = Exposed { base: call.address(0), bytes, unit, dynamic: false };
    call.exposing(comm, exposed, 5)
}

/// `MPI_Win_allocate(size, unit, info, comm, base, window)`, and the same with memory that a node shares.
pub(super) fn allocate(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let comm = call.intracomm(3)?;
    let (bytes, unit) = (call.count(0)?, call.count(1)?);
    let base = call.store_allocation(4, bytes);
    call.exposing(comm, Exposed { base, bytes, unit, dynamic: false }, 5)
}

/// `MPI_Win_shared_query(window, rank, size, unit, base)`: the memory of another task is not followed.
pub(super) fn shared_query(call: &mut Call<'_>) -> Called {
    let comm = call.window(0)?;
    let rank = match call.int(1)? {
        handles::PROC_NULL => 0,
        rank => usize::try_from(rank).unwrap_or(usize::MAX),
    };
    let own = call.own_rank(comm);
    let member = call.world.windows.get(&comm).and_then(|window| window.members.get(rank));
    let Some(exposed) = member.map(|member| member.exposed.clone()) else {
        return Err(call.wrong(&codes::RANK, format!("{} is given rank {rank}", call.name), "check the rank"));
    };
    let aint = call.aint();
    call.store(2, aint, Value::Int(i64::try_from(exposed.bytes).unwrap_or(i64::MAX)));
    call.store_int(3, i64::try_from(exposed.unit).unwrap_or(i64::MAX));
    let base = exposed.base.filter(|_| rank == own).map_or_else(|| call.unsupported(), Value::Pointer);
    call.store(4, ScalarType::Pointer, base);
    DONE
}

/// `MPI_Win_free(window)`.
pub(super) fn free(call: &mut Call<'_>) -> Called {
    let handle = call.element(0, 0)?;
    let comm = call.world.comm_of_handle(call.task, handle).filter(|comm| call.world.windows.contains_key(comm));
    let Some(comm) = comm else { return Err(call.bad_handle(0, "no window of this task")) };
    let open = call.own_member(comm)?.open();
    call.check_free(open);
    call.check_window_freed(comm);
    call.store_int(0, handles::NULL);
    call.world.task(call.task).windows.retain(|&other| other != comm);
    call.free_together(Object::Comm(comm), handle, comm)
}

/// `MPI_Win_get_attr(window, key, value, flag)`.
pub(super) fn get_attr(call: &mut Call<'_>) -> Called {
    let comm = call.window(0)?;
    let exposed = call.own_member(comm)?.exposed.clone();
    let number = |n: u64| Some(i64::try_from(n).unwrap_or(i64::MAX));
    let key = call.int(1)?;
    if key >= handles::FIRST_KEY {
        return super::keyvals::get(call);
    }
    let value = match key {
        WIN_SIZE => number(exposed.bytes),
        WIN_DISP_UNIT => number(exposed.unit),
        WIN_CREATE_FLAVOR if exposed.dynamic => Some(FLAVOR_DYNAMIC),
        _ => None,
    };
    call.store_int(3, i64::from(value.is_some() || key == WIN_BASE));
    if let Some(value) = value {
        let memory = call.store_allocation(2, 8);
        let ty = if key == WIN_SIZE { call.aint() } else { ScalarType::I32 };
        if let Some(memory) = memory {
            call.env.store(memory, ty, Value::Int(value));
        }
    } else if key == WIN_BASE && exposed.dynamic {
        call.store(2, ScalarType::Pointer, Value::Int(handles::BOTTOM));
    } else if key == WIN_BASE {
        let base = exposed.base.map_or_else(|| call.unsupported(), Value::Pointer);
        call.store(2, ScalarType::Pointer, base);
    }
    DONE
}
