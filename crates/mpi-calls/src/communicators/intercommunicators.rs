//! Intercommunicators: two groups that address each other.
//!
//! Messages name ranks of the other side. A collective with a root is one of the root and the side that it serves,
//! with the root behind the others, so ranks of blocks are those of the program; one without a root is a collective
//! of both sides.

use super::call::{Call, Called, DONE, Refusal};
use super::collective::{Places, Plan};
use super::delivery::{Delivery, Joined, Reach};
use super::inquiry::AGREEMENT_BYTES;
use super::instance::{Bridge, Choice, Contribution};
use super::status::Output;
use super::world::Pending;
use super::{buffer::Buffer, codes};
use chronos_activity::{Collective, CollectiveKind, CommId, Operation, TaskId, Volume};
use chronos_base::ids::Id;
use chronos_base::units::Bytes;
use chronos_mpi::{Comparison, Group, Sides, handles};
use std::sync::Arc;

/// What a collective with a root runs on.
pub(super) struct Rooted {
    pub comm: CommId,
    pub root: TaskId,
    pub at: Places,
}

impl Call<'_> {
    /// The communicator and root of a collective; of an intercommunicator those of the root with the side that it
    /// serves.
    pub fn rooted(&mut self, root: usize, comm: usize) -> Result<Rooted, Refusal> {
        let (argument, comm) = (comm, self.comm(comm)?);
        let rank = self.int(root)?;
        let Some(sides) = self.world.sides(comm).cloned() else {
            let root = self.task_of(rank, comm)?;
            return Ok(Rooted { comm, root, at: self.places(comm, Some(root)) });
        };
        let (root, served) = match rank {
            handles::PROC_NULL => return Err(Refusal::Unconcerned),
            handles::ROOT => (self.task, sides.far(self.task)),
            rank => (self.task_of(rank, comm)?, sides.near(self.task)),
        };
        self.only_data(argument)?;
        let comm = self.world.rooted_comm(comm, root, served);
        let at = self.places(comm, Some(root));
        Ok(Rooted { comm, root, at: Places { givers: at.size - 1, ..at } })
    }

    /// There is no data in place where the sides differ.
    fn only_data(&self, comm: usize) -> Result<(), Refusal> {
        match (0..comm).find(|&argument| self.is_in_place(argument)) {
            Some(argument) => Err(self.bad_argument(argument, "is MPI_IN_PLACE, which intercommunicators do not take")),
            None => Ok(()),
        }
    }

    /// The places of a collective without root.
    pub(crate) fn unrooted(&mut self, argument: usize) -> Result<(CommId, Places), Refusal> {
        let comm = self.comm(argument)?;
        let at = self.places(comm, None);
        let Some(sides) = self.world.sides(comm).cloned() else { return Ok((comm, at)) };
        self.only_data(argument)?;
        let far = sides.far_positions(self.task);
        Ok((comm, Places { first: far.start, givers: far.len(), ..at }))
    }

    /// What all members give who are on the caller's side, and what those give whom it hears of.
    pub fn volume(&self, at: Places, own: u64, others: &[Buffer]) -> Volume {
        let theirs = |position: usize| others.get(position).map_or(0, Buffer::bytes);
        let all = (0..at.size).map(|rank| if at.hears(rank) { theirs(rank - at.first) } else { own });
        Volume::Blocks { own: Bytes(own), blocks: all.map(Bytes).collect() }
    }

    /// What the caller sends to each member: nothing to those on its own side.
    pub(crate) fn sent_across(&self, at: Places, blocks: &[Buffer]) -> Volume {
        let to = |rank: usize| if at.hears(rank) { blocks.get(rank - at.first).map_or(0, Buffer::bytes) } else { 0 };
        let blocks: Arc<[Bytes]> = (0..at.size).map(|rank| Bytes(to(rank))).collect();
        Volume::Blocks { own: blocks.get(at.own).copied().unwrap_or_default(), blocks }
    }
}

impl super::world::Calls {
    /// The root behind those that it serves.
    fn rooted_comm(&mut self, comm: CommId, root: TaskId, served: &Group) -> CommId {
        if let Some(&made) = self.rooted.get(&(comm, root)) {
            return made;
        }
        let made = self.add_comm(served.union(&Group::new([root])), None);
        self.rooted.insert((comm, root), made);
        made
    }
}

/// Whole result of the members that the caller hears of; `None`: of everyone.
pub(super) fn heard(at: Places, begin: u64, bytes: u64) -> Option<Reach> {
    let to = at.first + at.givers;
    (at.givers < at.size).then_some(Reach::Among { from: at.first, to, begin, bytes })
}

/// How two communicators compare of which one has two sides.
pub(super) fn compare(call: &Call<'_>, a: CommId, b: CommId) -> Option<Comparison> {
    let near = |comm| call.world.own_side(comm, call.task);
    let far = |comm| call.world.addressed(comm, call.task);
    match (call.world.sides(a), call.world.sides(b)) {
        (None, None) => None,
        (Some(_), Some(_)) => Some(match (near(a).compare(near(b)), far(a).compare(far(b))) {
            (Comparison::Identical, Comparison::Identical) => Comparison::Identical,
            (Comparison::Unequal, _) | (_, Comparison::Unequal) => Comparison::Unequal,
            _ => Comparison::Similar,
        }),
        _ => Some(Comparison::Unequal),
    }
}

/// `MPI_Comm_test_inter(comm, flag)`.
pub(super) fn test(call: &mut Call<'_>) -> Called {
    let comm = call.comm(0)?;
    let inter = call.world.sides(comm).is_some();
    call.store_int(1, i64::from(inter));
    DONE
}

impl Call<'_> {
    fn far_group(&mut self, argument: usize) -> Result<Group, Refusal> {
        let comm = self.comm(argument)?;
        match self.world.sides(comm) {
            Some(sides) => Ok(sides.far(self.task).clone()),
            None => Err(self.bad_handle(argument, "no intercommunicator")),
        }
    }
}

/// `MPI_Comm_remote_size(comm, size)`.
pub(super) fn remote_size(call: &mut Call<'_>) -> Called {
    let size = call.far_group(0)?.size();
    call.store_int(1, i64::try_from(size).unwrap_or(i64::MAX));
    DONE
}

/// `MPI_Comm_remote_group(comm, group)`.
pub(super) fn remote_group(call: &mut Call<'_>) -> Called {
    let group = call.far_group(0)?;
    call.store_group(1, group)
}

/// `MPI_Intercomm_merge(comm, high, new)`: the side that is not high comes first.
pub(super) fn merge(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    call.far_group(0)?;
    let comm = call.comm(0)?;
    let high = call.int(1)? != 0;
    let choice = Choice { colour: Some(0), key: i64::from(high), topology: None, linked: None };
    let mut plan = call.making(comm, choice, 2)?;
    plan.gives.merges = true;
    Ok(plan)
}

/// `MPI_Intercomm_create(local, leader, peer, remoteleader, tag, new)`: the leaders agree, then each with its group.
pub(super) fn create(call: &mut Call<'_>) -> Called {
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
    let agreed = bridge.map(|(comm, number)| Bridge::Agreed { comm, number });
    let mut plan = Plan::new(CollectiveKind::Agreement, local, AGREEMENT_BYTES);
    plan.root = Some(leader);
    plan.gives = Contribution { bridge: agreed, ..Contribution::default() };
    let leader = call.world.members(local).rank(leader).unwrap_or(0);
    plan.gets = Delivery::Intercomm { place, leader, agreement: bridge };
    let (collective, joined) = call.join(plan)?;
    events.push(Operation::Collective(Collective { root: None, ..collective }));
    call.then(events, Pending::Collective(Box::new(joined)))
}

/// The leaders' part.
fn bridged(call: &mut Call<'_>, local: CommId, events: &mut Vec<Operation>) -> Result<Joined, Refusal> {
    let peer = call.comm(2)?;
    let rank = call.int(3)?;
    let other = call.task_of(rank, peer)?;
    let tag = i64::from(call.tag(4, false)?.unwrap_or(0));
    let group = call.world.members(local).clone();
    if group.contains(other) {
        return Err(call.bad_argument(3, "is a task of the caller's own group"));
    }
    let pair = Group::new([call.task.min(other), call.task.max(other)]);
    let among = call.world.among(peer, pair);
    let mut plan = Plan::new(CollectiveKind::Agreement, among, AGREEMENT_BYTES);
    plan.gives = Contribution { bridge: Some(Bridge::Offer { group, tag }), ..Contribution::default() };
    let (collective, joined) = call.join(plan)?;
    events.push(Operation::Collective(collective));
    Ok(joined)
}

impl Call<'_> {
    /// The new intercommunicator of this member; the first member of both groups to ask makes it for all.
    pub(crate) fn take_intercomm(
        &mut self,
        joined: &Joined,
        place: Output,
        leader: usize,
        agreement: Option<(CommId, u64)>,
    ) -> Result<(), Refusal> {
        let comm = self.intercomm(joined, leader)?;
        if let Some((comm, number)) = agreement {
            self.world.comms[comm.index()].instances.finish(number);
        }
        let handle = comm.map_or(handles::NULL, |comm| self.world.handle_of_comm(comm));
        self.put_int(place, handle);
        Ok(())
    }

    fn intercomm(&mut self, joined: &Joined, leader: usize) -> Result<Option<CommId>, Refusal> {
        let size = self.world.members(joined.comm).size();
        let Some(instance) = self.world.comms[joined.comm.index()].instances.get_mut(joined.number) else {
            return Ok(None);
        };
        if let Some(agreed) = &instance.agreed {
            return Ok(agreed.first().copied().flatten());
        }
        let given = instance.given.get(leader).and_then(|given| given.as_ref()?.bridge.clone());
        let Some(Bridge::Agreed { comm, number }) = given else { return Ok(None) };
        let made = self.across(comm, number)?;
        if let Some(instance) = self.world.comms[joined.comm.index()].instances.get_mut(joined.number) {
            instance.agreed = Some(vec![made; size]);
        }
        Ok(made)
    }

    /// What two leaders make of their offers.
    fn across(&mut self, pair: CommId, number: u64) -> Result<Option<CommId>, Refusal> {
        let Some(instance) = self.world.comms[pair.index()].instances.get_mut(number) else { return Ok(None) };
        if let Some(agreed) = &instance.agreed {
            return Ok(agreed.first().copied().flatten());
        }
        let offers: Vec<(Group, i64)> = instance.given.iter().flatten().filter_map(offer).collect();
        let [(first, tag), (second, other)] = offers.as_slice() else { return Ok(None) };
        if tag != other {
            let message = format!("the leaders of an intercommunicator give tags {tag} and {other}");
            return Err(self.wrong(&codes::MISMATCH, message, "let both leaders give the same tag"));
        }
        let Some(sides) = Sides::new(first.clone(), second.clone()) else {
            let message = "the groups of an intercommunicator have a task in common";
            return Err(self.wrong(&codes::ARGUMENT, message, "make it of communicators without common members"));
        };
        let comm = self.world.add_intercomm(sides);
        if let Some(instance) = self.world.comms[pair.index()].instances.get_mut(number) {
            instance.agreed = Some(vec![Some(comm); 2]);
        }
        Ok(Some(comm))
    }
}

fn offer(given: &Contribution) -> Option<(Group, i64)> {
    match &given.bridge {
        Some(Bridge::Offer { group, tag }) => Some((group.clone(), *tag)),
        _ => None,
    }
}
