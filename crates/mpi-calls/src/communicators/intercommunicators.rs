//! Intercommunicators: two groups that address each other.
//!
//! Messages name ranks of the other side. A collective with a root is one of the root and the side that it serves,
//! with the root behind the others, so ranks of blocks are those of the program; one without a root is a collective
//! of both sides.

use crate::call::{Call, Called, DONE, Refusal};
use crate::codes;
use crate::collectives::plan::{AGREEMENT_BYTES, Plan};
use crate::state::delivery::{Delivery, EnteredCollective};
use crate::state::instances::{Contribution, IntercommAgreement, NewCommunicator};
use crate::state::pending::Pending;
use crate::state::status::Output;
use chronos_activity::{Collective, CollectiveKind, CommId, Operation};
use chronos_base::ids::Id;
use chronos_mpi::{Comparison, Group, Sides, handles};

/// How two communicators compare of which one has two sides.
pub(crate) fn compare(call: &Call<'_>, a: CommId, b: CommId) -> Option<Comparison> {
    let local = |comm| call.mpi.own_side(comm, call.task);
    let remote = |comm| call.mpi.addressed(comm, call.task);
    match (call.mpi.sides(a), call.mpi.sides(b)) {
        (None, None) => None,
        (Some(_), Some(_)) => Some(match (local(a).compare(local(b)), remote(a).compare(remote(b))) {
            (Comparison::Identical, Comparison::Identical) => Comparison::Identical,
            (Comparison::Unequal, _) | (_, Comparison::Unequal) => Comparison::Unequal,
            _ => Comparison::Similar,
        }),
        _ => Some(Comparison::Unequal),
    }
}

/// `MPI_Comm_test_inter(comm, flag)`.
pub(crate) fn test(call: &mut Call<'_>) -> Called {
    let comm = call.comm(0)?;
    let inter = call.mpi.sides(comm).is_some();
    call.store_int(1, i64::from(inter));
    DONE
}

impl Call<'_> {
    fn remote_group_of(&mut self, argument: usize) -> Result<Group, Refusal> {
        let comm = self.comm(argument)?;
        match self.mpi.sides(comm) {
            Some(sides) => Ok(sides.remote(self.task).clone()),
            None => Err(self.bad_handle(argument, "no intercommunicator")),
        }
    }
}

/// `MPI_Comm_remote_size(comm, size)`.
pub(crate) fn remote_size(call: &mut Call<'_>) -> Called {
    let size = call.remote_group_of(0)?.size();
    call.store_int(1, i64::try_from(size).unwrap_or(i64::MAX));
    DONE
}

/// `MPI_Comm_remote_group(comm, group)`.
pub(crate) fn remote_group(call: &mut Call<'_>) -> Called {
    let group = call.remote_group_of(0)?;
    call.store_group(1, group)
}

/// `MPI_Intercomm_merge(comm, high, new)`: the side that is not high comes first.
pub(crate) fn merge(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    call.remote_group_of(0)?;
    let comm = call.comm(0)?;
    let high = call.int(1)? != 0;
    let choice = NewCommunicator { colour: Some(0), key: i64::from(high), topology: None, linked: None };
    let mut plan = call.making(comm, choice, 2)?;
    plan.gives.merges = true;
    Ok(plan)
}

/// `MPI_Intercomm_create(local, leader, peer, remoteleader, tag, new)`: the leaders agree, then each with its group.
pub(crate) fn create(call: &mut Call<'_>) -> Called {
    let local = call.intracomm(0)?;
    let rank = call.int(1)?;
    let leader = call.task_of(rank, local)?;
    let place = call.output(5);
    let mut events = Vec::new();
    let mut bridge = None;
    if leader == call.task {
        let joined = bridged(call, local, &mut events)?;
        bridge = Some((joined.comm, joined.number));
    }
    let agreed = bridge.map(|(comm, number)| IntercommAgreement::Agreed { comm, number });
    let mut plan = Plan::new(CollectiveKind::Agreement, local, AGREEMENT_BYTES);
    plan.root = Some(leader);
    plan.gives = Contribution { bridge: agreed, ..Contribution::default() };
    let leader = call.mpi.members(local).rank(leader).unwrap_or(0);
    plan.gets = Delivery::Intercomm { place, leader, agreement: bridge };
    let (collective, joined) = call.join(plan)?;
    events.push(Operation::Collective(Collective { root: None, ..collective }));
    call.then(events, Pending::Collective(Box::new(joined)))
}

/// The leaders' part.
fn bridged(call: &mut Call<'_>, local: CommId, events: &mut Vec<Operation>) -> Result<EnteredCollective, Refusal> {
    let peer = call.comm(2)?;
    let rank = call.int(3)?;
    let other = call.task_of(rank, peer)?;
    let tag = i64::from(call.tag(4, false)?.unwrap_or(0));
    let group = call.mpi.members(local).clone();
    if group.contains(other) {
        return Err(call.bad_argument(3, "is a task of the caller's own group"));
    }
    let pair = Group::new([call.task.min(other), call.task.max(other)]);
    let among = call.mpi.among(peer, pair);
    let mut plan = Plan::new(CollectiveKind::Agreement, among, AGREEMENT_BYTES);
    plan.gives = Contribution { bridge: Some(IntercommAgreement::Offer { group, tag }), ..Contribution::default() };
    let (collective, joined) = call.join(plan)?;
    events.push(Operation::Collective(collective));
    Ok(joined)
}

impl Call<'_> {
    /// The new intercommunicator of this member; the first member of both groups to ask makes it for all.
    pub(crate) fn take_intercomm(
        &mut self,
        joined: &EnteredCollective,
        place: Output,
        leader: usize,
        agreement: Option<(CommId, u64)>,
    ) -> Result<(), Refusal> {
        let comm = self.intercomm(joined, leader)?;
        if let Some((comm, number)) = agreement {
            self.mpi.comms[comm.index()].instances.finish(number);
        }
        let handle = comm.map_or(handles::NULL, |comm| self.mpi.handle_of_comm(comm));
        self.put_int(place, handle);
        Ok(())
    }

    fn intercomm(&mut self, joined: &EnteredCollective, leader: usize) -> Result<Option<CommId>, Refusal> {
        let size = self.mpi.members(joined.comm).size();
        let Some(instance) = self.mpi.comms[joined.comm.index()].instances.get_mut(joined.number) else {
            return Ok(None);
        };
        if let Some(agreed) = &instance.agreed {
            return Ok(agreed.first().copied().flatten());
        }
        let given = instance.contributions.get(leader).and_then(|given| given.as_ref()?.bridge.clone());
        let Some(IntercommAgreement::Agreed { comm, number }) = given else { return Ok(None) };
        let made = self.across(comm, number)?;
        if let Some(instance) = self.mpi.comms[joined.comm.index()].instances.get_mut(joined.number) {
            instance.agreed = Some(vec![made; size]);
        }
        Ok(made)
    }

    /// What two leaders make of their offers.
    fn across(&mut self, pair: CommId, number: u64) -> Result<Option<CommId>, Refusal> {
        let Some(instance) = self.mpi.comms[pair.index()].instances.get_mut(number) else { return Ok(None) };
        if let Some(agreed) = &instance.agreed {
            return Ok(agreed.first().copied().flatten());
        }
        let offers: Vec<(Group, i64)> =
            instance.contributions.iter().flatten().filter_map(|given| offer(given)).collect();
        let [(first, tag), (second, other)] = offers.as_slice() else { return Ok(None) };
        if tag != other {
            let message = format!("the leaders of an intercommunicator give tags {tag} and {other}");
            return Err(self.wrong(&codes::MISMATCH, message, "let both leaders give the same tag"));
        }
        let Some(sides) = Sides::new(first.clone(), second.clone()) else {
            let message = "the groups of an intercommunicator have a task in common";
            return Err(self.wrong(&codes::ARGUMENT, message, "make it of communicators without common members"));
        };
        let comm = self.mpi.add_intercomm(sides);
        if let Some(instance) = self.mpi.comms[pair.index()].instances.get_mut(number) {
            instance.agreed = Some(vec![Some(comm); 2]);
        }
        Ok(Some(comm))
    }
}

fn offer(given: &Contribution) -> Option<(Group, i64)> {
    match &given.bridge {
        Some(IntercommAgreement::Offer { group, tag }) => Some((group.clone(), *tag)),
        _ => None,
    }
}
