//! One-sided communication: windows, and who may access them when.
//!
//! A window is named by the communicator that its members share and nobody else uses. An access takes effect when it
//! is issued, in the order of simulated time; synchronisation waits until what was issued is complete. Programs that
//! depend on anything else are wrong in MPI.

use crate::call::{Call, Called, DONE, Refusal};
use crate::codes;
use crate::collectives::plan::Plan;
use crate::environment::keyvals;
use crate::state::attributes::AttributeOwner;
use crate::state::instances::{Contribution, NewCommunicator};
use crate::state::windows::window::{Exposed, Member};
use chronos_activity::CommId;
use chronos_ir::{BlockId, ScalarType};
use chronos_mpi::handles;
use chronos_slicing::doubts::{Certainty, Doubt, Subject};
use chronos_values::Value;

/// Key values of the bundled header.
const WIN_BASE: i64 = 1011;
const WIN_SIZE: i64 = 1012;
const WIN_DISP_UNIT: i64 = 1013;
const WIN_CREATE_FLAVOR: i64 = 1014;
const FLAVOR_DYNAMIC: i64 = 3;

impl Call<'_> {
    /// The window behind a handle.
    pub fn window(&mut self, argument: usize) -> Result<CommId, Refusal> {
        let handle = self.int(argument)?;
        let comm = self.mpi.comm_of_handle(self.task, handle);
        comm.filter(|comm| self.mpi.windows.contains_key(comm)).ok_or_else(|| {
            let what = if handle == handles::NULL { "MPI_WIN_NULL" } else { "no window of this task" };
            self.bad_handle(argument, what)
        })
    }

    /// The task's own part of a window that `window` has found.
    pub(crate) fn own_member(&mut self, comm: CommId) -> Result<&mut Member, Refusal> {
        let missing = self.bad_handle(0, "no window of this task");
        self.mpi.own(self.task, comm).ok_or(missing)
    }

    /// The making of a window over a communicator: what this member exposes, and where the handle goes.
    pub(crate) fn exposing(&mut self, comm: CommId, exposed: Exposed, place: usize) -> Result<Plan, Refusal> {
        let choice = NewCommunicator { colour: Some(0), key: self.own_key(comm), topology: None, linked: None };
        let plan = self.making(comm, choice, place)?;
        let gives = Contribution { exposed: Some(exposed), ..plan.gives };
        Ok(Plan { gives, ..plan })
    }
}

/// `MPI_Win_create(base, size, unit, info, comm, window)`.
pub(crate) fn create(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let comm = call.intracomm(4)?;
    let (bytes, unit) = (call.count(1)?, call.count(2)?);
    call.check_window_memory(0, bytes);
    let exposed = Exposed { base: call.address(0), bytes, unit, dynamic: false, allocated_by: None };
    call.exposing(comm, exposed, 5)
}

/// `MPI_Win_allocate(size, unit, info, comm, base, window)`, and the same with memory that a node shares.
pub(crate) fn allocate(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let comm = call.intracomm(3)?;
    let (bytes, unit) = (call.count(0)?, call.count(1)?);
    let base = call.store_allocation(4, bytes);
    let allocated_by = Some(call.site.block);
    call.exposing(comm, Exposed { base, bytes, unit, dynamic: false, allocated_by }, 5)
}

impl Call<'_> {
    /// What the members of a window read in their own memory may come from a task that was given its address.
    fn doubt_shared_memory(&mut self, allocated_by: Option<BlockId>) {
        let Some(allocation) = allocated_by else { return };
        let text = "other tasks may store into this memory through the address that MPI_Win_shared_query gives them, \
                    which is not followed";
        let help = "use MPI_Put, or count it in a run: `chronos trace`, and its folder as --trace";
        let doubt =
            Doubt { span: self.span, certainty: Certainty::Unknown, text: text.into(), help: Some(help.into()) };
        self.env.doubt(doubt, Subject::Call(allocation));
    }
}

/// `MPI_Win_shared_query(window, rank, size, unit, base)`: the memory of another task is not followed.
pub(crate) fn shared_query(call: &mut Call<'_>) -> Called {
    let comm = call.window(0)?;
    let rank = match call.int(1)? {
        handles::PROC_NULL => 0,
        rank => usize::try_from(rank).unwrap_or(usize::MAX),
    };
    let own = call.own_rank(comm);
    let window = call.mpi.windows.get(&comm);
    let members = window.map_or(0, |window| window.members.len());
    let member = window.and_then(|window| window.members.get(rank));
    let Some(exposed) = member.map(|member| member.exposed.clone()) else {
        let message = format!("{} is given rank {rank}, and the window has {members}", call.name());
        let help = "check the rank; tasks share memory where they run on one node: --tasks-per-node says how many do";
        return Err(call.wrong(&codes::RANK, message, help));
    };
    let aint = call.aint();
    call.store(2, aint, Value::Int(i64::try_from(exposed.bytes).unwrap_or(i64::MAX)));
    call.store_int(3, i64::try_from(exposed.unit).unwrap_or(i64::MAX));
    if rank != own {
        call.doubt_shared_memory(exposed.allocated_by);
    }
    let base = exposed.base.filter(|_| rank == own).map_or_else(|| call.unsupported(), Value::Pointer);
    call.store(4, ScalarType::Pointer, base);
    DONE
}

/// `MPI_Win_free(window)`.
pub(crate) fn free(call: &mut Call<'_>) -> Called {
    let handle = call.element(0, 0)?;
    let comm = call.mpi.comm_of_handle(call.task, handle).filter(|comm| call.mpi.windows.contains_key(comm));
    let Some(comm) = comm else { return Err(call.bad_handle(0, "no window of this task")) };
    let open = call.own_member(comm)?.open();
    call.check_free(open);
    call.check_window_freed(comm);
    call.store_int(0, handles::NULL);
    call.mpi.task(call.task).windows.retain(|&other| other != comm);
    call.free_together(AttributeOwner::Comm(comm), handle, comm)
}

/// `MPI_Win_get_attr(window, key, value, flag)`.
pub(crate) fn get_attr(call: &mut Call<'_>) -> Called {
    let comm = call.window(0)?;
    let exposed = call.own_member(comm)?.exposed.clone();
    let number = |n: u64| Some(i64::try_from(n).unwrap_or(i64::MAX));
    let key = call.int(1)?;
    if key >= handles::FIRST_KEY {
        return keyvals::get(call);
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
