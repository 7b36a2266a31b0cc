//! Communicators: asking about them, making them, freeing them.

use crate::call::{Call, Called, DONE, Refusal};
use crate::collectives::plan::{AGREEMENT_BYTES, Plan, blocking};
use crate::state::attributes::AttributeOwner;
use crate::state::delivery::Delivery;
use crate::state::instances::{Contribution, NewCommunicator};
use chronos_activity::{CollectiveKind, CommId, Operation};
use chronos_base::ids::Id;
use chronos_mpi::{Comparison, Topology, handles};
use std::sync::Arc;

/// `MPI_COMM_TYPE_SHARED` of the bundled header.
const TYPE_SHARED: i64 = 1;

/// `MPI_Comm_rank(comm, rank)`.
pub(crate) fn rank(call: &mut Call<'_>) -> Called {
    let comm = call.comm(0)?;
    let rank = call.mpi.own_side(comm, call.task).rank(call.task).unwrap_or(0);
    call.store_int(1, i64::try_from(rank).unwrap_or(i64::MAX));
    DONE
}

/// `MPI_Comm_size(comm, size)`.
pub(crate) fn size(call: &mut Call<'_>) -> Called {
    let comm = call.comm(0)?;
    let size = call.mpi.own_side(comm, call.task).size();
    call.store_int(1, i64::try_from(size).unwrap_or(i64::MAX));
    DONE
}

impl Call<'_> {
    pub(crate) fn own_key(&self, comm: CommId) -> i64 {
        i64::try_from(self.own_rank(comm)).unwrap_or(i64::MAX)
    }

    /// The making of a communicator: this member's wish, and where its handle goes.
    pub(crate) fn making(&mut self, comm: CommId, choice: NewCommunicator, place: usize) -> Result<Plan, Refusal> {
        let place = self.output(place);
        let gives = Contribution { choice: Some(choice), ..Contribution::default() };
        let plan = Plan::new(CollectiveKind::Agreement, comm, AGREEMENT_BYTES);
        Ok(Plan { gives, gets: Delivery::Communicator { place }, ..plan })
    }

    pub fn topology(&self, comm: CommId) -> Option<Arc<Topology>> {
        self.mpi.comms[comm.index()].topology.clone()
    }
}

/// `MPI_Comm_split(comm, colour, key, new)`.
pub(crate) fn split(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let comm = call.comm(0)?;
    let (colour, key) = (call.int(1)?, call.int(2)?);
    let colour = coloured(call, colour)?;
    call.making(comm, NewCommunicator { colour, key, topology: None, linked: None }, 3)
}

fn coloured(call: &Call<'_>, colour: i64) -> Result<Option<i64>, Refusal> {
    match colour {
        handles::UNDEFINED => Ok(None),
        colour if colour < 0 => Err(call.bad_argument(1, "is a negative colour")),
        colour => Ok(Some(colour)),
    }
}

/// `MPI_Comm_split_type(comm, type, key, info, new)`: tasks on one node share memory.
pub(crate) fn split_type(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let comm = call.comm(0)?;
    let (kind, key) = (call.int(1)?, call.int(2)?);
    let colour = match kind {
        TYPE_SHARED => Some(i64::from(call.node(call.task.index()))),
        handles::UNDEFINED => None,
        _ => return Err(call.bad_argument(1, "is no kind of split that is modelled (MPI_COMM_TYPE_SHARED is)")),
    };
    call.making(comm, NewCommunicator { colour, key, topology: None, linked: None }, 4)
}

/// `MPI_Comm_dup(comm, new)`.
pub(crate) fn dup(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    duplicate(call, 1)
}

/// `MPI_Comm_dup_with_info(comm, info, new)`.
pub(crate) fn dup_with_info(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    duplicate(call, 2)
}

fn duplicate(call: &mut Call<'_>, place: usize) -> Result<Plan, Refusal> {
    let comm = call.comm(0)?;
    let choice =
        NewCommunicator { colour: Some(0), key: call.own_key(comm), topology: call.topology(comm), linked: None };
    call.making(comm, choice, place)
}

/// `MPI_Comm_create(comm, group, new)`.
pub(crate) fn create(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let comm = call.comm(0)?;
    let group = call.group(1)?;
    // Groups that are given at once are equal or disjoint, so their first member names them.
    let member = group.rank(call.task).is_some();
    let named = if call.mpi.sides(comm).is_some() { Some(0) } else { group.task(0).map(|first| i64::from(first.0)) };
    let colour = named.filter(|_| member);
    let key = group.rank(call.task).and_then(|rank| i64::try_from(rank).ok()).unwrap_or(0);
    call.making(comm, NewCommunicator { colour, key, topology: None, linked: None }, 2)
}

/// `MPI_Comm_create_group(comm, group, tag, new)`: only the members of the group take part.
pub(crate) fn create_group(call: &mut Call<'_>) -> Called {
    let comm = call.intracomm(0)?;
    let group = call.group(1)?;
    call.int(2)?;
    if group.rank(call.task).is_none() {
        call.store_int(3, handles::NULL);
        return DONE;
    }
    let among = call.mpi.among(comm, group);
    blocking(call, move |call| {
        let choice = NewCommunicator { colour: Some(0), key: call.own_key(among), topology: None, linked: None };
        call.making(among, choice, 3)
    })
}

/// `MPI_Comm_disconnect(comm)`: the members wait for each other.
pub(crate) fn disconnect(call: &mut Call<'_>) -> Called {
    let (handle, comm) = call.freed_comm()?;
    call.free_together(AttributeOwner::Comm(comm), handle, comm)
}

impl Call<'_> {
    /// A communicator that the task uses no more, and its handle.
    fn freed_comm(&mut self) -> Result<(i64, CommId), Refusal> {
        let handle = self.element(0, 0)?;
        let comm = self.mpi.comm_of_handle(self.task, handle);
        let Some(comm) = comm.filter(|_| handle >= handles::FIRST_COMM) else {
            return Err(self.bad_handle(0, "no communicator that may be freed"));
        };
        self.mpi.task(self.task).freed_comms.insert(comm);
        self.store_int(0, handles::NULL);
        Ok((handle, comm))
    }
}

/// `MPI_Comm_free(comm)`.
pub(crate) fn free(call: &mut Call<'_>) -> Called {
    let (handle, comm) = call.freed_comm()?;
    let end = Operation::Local { function: call.name().into() };
    call.free_attributes(AttributeOwner::Comm(comm), handle, Some(end))
}

/// `MPI_Comm_compare(a, b, result)`.
pub(crate) fn compare(call: &mut Call<'_>) -> Called {
    let (a, b) = (call.comm(0)?, call.comm(1)?);
    let compared = call.mpi.members(a).compare(call.mpi.members(b));
    let result = match super::intercommunicators::compare(call, a, b).unwrap_or(compared) {
        _ if a == b => handles::IDENT,
        Comparison::Identical => handles::CONGRUENT,
        Comparison::Similar => handles::SIMILAR,
        Comparison::Unequal => handles::UNEQUAL,
    };
    call.store_int(2, result);
    DONE
}

/// `MPI_Comm_get_parent(comm)`.
pub(crate) fn get_parent(call: &mut Call<'_>) -> Called {
    let parent = call.mpi.spawning.child(call.task).map(|child| child.parent);
    let parent = parent.filter(|comm| !call.mpi.tasks[call.task.index()].freed_comms.contains(comm));
    call.store_int(0, parent.map_or(handles::NULL, |comm| call.mpi.handle_of_comm(comm)));
    DONE
}

/// `MPI_Comm_set_name(comm, name)`.
pub(crate) fn set_name(call: &mut Call<'_>) -> Called {
    let comm = call.comm(0)?;
    let name = call.address(1).and_then(|pointer| call.env.string(pointer)).unwrap_or_default();
    call.mpi.task(call.task).comm_names.insert(comm, name);
    DONE
}

/// `MPI_Comm_get_name(comm, name, length)`.
pub(crate) fn get_name(call: &mut Call<'_>) -> Called {
    let comm = call.comm(0)?;
    let given = call.mpi.task(call.task).comm_names.get(&comm).cloned();
    let name = given.unwrap_or_else(|| match call.mpi.handle_of_comm(comm) {
        handles::COMM_WORLD => "MPI_COMM_WORLD".to_owned(),
        handles::COMM_SELF => "MPI_COMM_SELF".to_owned(),
        _ => String::new(),
    });
    call.store_string(1, &name, handles::MAX_OBJECT_NAME);
    call.store_length(2, &name);
    DONE
}
