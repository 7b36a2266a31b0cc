//! What a member gets out of a collective, once those it depends on have entered.

use crate::call::{Call, Called, DONE, Refusal};
use crate::data::buffer::{Buffer, Data};
use crate::data::reduce::combine;
use crate::state::delivery::{Delivery, EnteredCollective, ReceiveBuffers, ReductionRange};
use crate::state::instances::{Contribution, GraphPart, NewCommunicator, distributed};
use crate::state::windows::window::Window;
use chronos_activity::CommId;
use chronos_base::ids::Id;
use chronos_mpi::{Group, ReduceOp, Topology, group, handles};
use chronos_values::{Reason, ReasonId, ReasonKind};
use std::ops::Range;
use std::sync::Arc;

impl Call<'_> {
    pub fn joined(&mut self, joined: EnteredCollective) -> Called {
        let result = self.take_share(&joined);
        self.check_left(&joined);
        self.mpi.comms[joined.comm.index()].instances.finish(joined.number);
        result.and(DONE)
    }

    fn take_share(&mut self, joined: &EnteredCollective) -> Result<(), Refusal> {
        if matches!(joined.delivery, Delivery::FromRoot { .. } | Delivery::FromEach { .. } | Delivery::Reduced { .. }) {
            self.mpi.comms[joined.comm.index()].instances.recall(joined.number);
        }
        match &joined.delivery {
            Delivery::Nothing => Ok(()),
            Delivery::FromRoot { root, into } => {
                let data = self.contribution_of(joined, *root, into.bytes());
                self.check_shares(&data, into);
                self.take(into, &data)
            }
            Delivery::FromEach { into, from, own } => self.take_each(joined, into, from.clone(), *own),
            Delivery::Reduced { into, op, range, .. } => {
                let data = self.reduced(joined, into, *op, *range);
                self.take(into, &data)
            }
            Delivery::Communicator { place } => {
                let comm = self.agreed(joined);
                let handle = comm.map_or(handles::NULL, |comm| self.mpi.handle_of_comm(comm));
                self.put_int(*place, handle);
                Ok(())
            }
            Delivery::Intercomm { place, leader, agreement } => {
                self.take_intercomm(joined, *place, *leader, *agreement)
            }
        }
    }

    pub fn take(&mut self, into: &Buffer, data: &Data) -> Result<(), Refusal> {
        if data.vague.is_none() {
            self.check_room(data.bytes, into)?;
            self.check_kind(data, into);
        }
        self.write(into, data);
        Ok(())
    }

    /// What a member gave to this one; unknown where it performed the collective in a repeat of which nothing is
    /// remembered.
    fn contribution_of(&mut self, joined: &EnteredCollective, from: usize, room: u64) -> Data {
        let model = self.form();
        let part = |given: &Contribution| given.part(joined.rank, model);
        let instance = self.mpi.comms[joined.comm.index()].instances.get_mut(joined.number);
        let given = instance.and_then(|instance| instance.contributions.get(from)?.as_deref().map(part));
        given.unwrap_or(Data::unknown(room))
    }

    /// Whether a member has given this one an empty part.
    fn gives_nothing(&mut self, joined: &EnteredCollective, from: usize) -> bool {
        let instance = self.mpi.comms[joined.comm.index()].instances.get_mut(joined.number);
        let given = instance.and_then(|instance| instance.contributions.get(from)?.as_ref());
        given.is_some_and(|given| given.data.vague.is_none() && given.has_no_part(joined.rank))
    }

    fn take_each(
        &mut self,
        joined: &EnteredCollective,
        into: &ReceiveBuffers,
        from: Range<usize>,
        own: bool,
    ) -> Result<(), Refusal> {
        if let ReceiveBuffers::Uniform(first) = into
            && own
            && self.mpi.checks.is_none()
            && !self.anything_known(joined)
        {
            let all = Buffer { count: first.count.saturating_mul(from.len() as u64), ..first.clone() };
            let data = Data { lost: self.lost(joined), ..Data::unknown(all.bytes()) };
            return self.take(&all, &data);
        }
        if own && let Some((all, data)) = self.taken_at_once(joined, into, from.clone()) {
            return self.take(&all, &data);
        }
        for (position, rank) in from.enumerate().filter(|&(_, rank)| own || rank != joined.rank) {
            if self.mpi.checks.is_none() && into.is_empty_at(position) && self.gives_nothing(joined, rank) {
                continue;
            }
            let Some(room) = into.of(position) else { continue };
            let data = self.contribution_of(joined, rank, room.bytes());
            self.check_shares(&data, &room);
            self.take(&room, &data)?;
        }
        Ok(())
    }

    /// Why what some member gave is unknown.
    fn lost(&mut self, joined: &EnteredCollective) -> Option<ReasonId> {
        let instance = self.mpi.comms[joined.comm.index()].instances.get_mut(joined.number)?;
        instance.contributions.iter().flatten().find_map(|given| given.data.lost)
    }

    pub(crate) fn anything_known(&mut self, joined: &EnteredCollective) -> bool {
        let instance = self.mpi.comms[joined.comm.index()].instances.get_mut(joined.number);
        instance.is_some_and(|instance| instance.is_known)
    }

    fn own_operation(&mut self) -> ReasonId {
        let kind = ReasonKind::Unsupported("a reduction by a function of the program (MPI_Op_create)".into());
        self.env.intern_reason(Reason { kind, span: None, origin: None })
    }

    /// What is reduced by nobody knows what, or of which nobody remembers what was given.
    fn unreduced(&mut self, joined: &EnteredCollective, into: &Buffer, op: Option<ReduceOp>) -> Data {
        let lost = self.lost(joined).or_else(|| op.is_none().then(|| self.own_operation()));
        Data { lost, ..Data::unknown(into.bytes()) }
    }

    fn reduced(
        &mut self,
        joined: &EnteredCollective,
        into: &Buffer,
        op: Option<ReduceOp>,
        range: ReductionRange,
    ) -> Data {
        let model = self.form();
        if matches!(range, ReductionRange::Below(0)) {
            return Data::default();
        }
        let Some(instance) = self.mpi.comms[joined.comm.index()].instances.get_mut(joined.number) else {
            return self.unreduced(joined, into, op);
        };
        if let Some(whole) = instance.reduced.as_ref().filter(|_| range.is_whole()) {
            return range.part(whole, model);
        }
        let (Some(op), Some(kind)) = (op, into.datatype.uniform()) else { return self.unreduced(joined, into, op) };
        let combined = |given: &[Option<Box<Contribution>>]| combine(op, kind, given, model);
        let prefix = match range {
            ReductionRange::UpTo(last) => instance.prefix(last + 1, (op, kind), combined),
            ReductionRange::Below(behind) => instance.prefix(behind, (op, kind), combined),
            _ => None,
        };
        if let Some(prefix) = prefix {
            return prefix;
        }
        let ranks = range.ranks(instance.contributions.len());
        let whole = combined(&instance.contributions[ranks]);
        let part = range.part(&whole, model);
        if range.is_whole() {
            instance.reduced = Some(whole);
        }
        part
    }

    /// The new communicator of this member; the first member to finish makes them for all.
    fn agreed(&mut self, joined: &EnteredCollective) -> Option<CommId> {
        let instance = self.mpi.comms[joined.comm.index()].instances.get_mut(joined.number)?;
        if let Some(agreed) = &instance.agreed {
            return agreed.get(joined.rank).copied().flatten();
        }
        let given = instance.contributions.iter().map(|given| given.as_ref().and_then(|given| given.choice.clone()));
        let mut choices: Vec<_> = given.collect();
        if self.mpi.options.by_representatives {
            like_own(&mut choices, joined.rank);
        }
        let exposed: Vec<_> =
            instance.contributions.iter().map(|given| given.as_ref().and_then(|g| g.exposed.clone())).collect();
        let merges = instance.contributions.iter().flatten().any(|given| given.merges);
        let old = self.mpi.members(joined.comm).clone();
        let wishes: Vec<_> =
            choices.iter().map(|choice| choice.as_ref().map_or((None, 0), |c| (c.colour, c.key))).collect();
        let mut agreed = vec![None; old.size()];
        for (_, new) in group::split(&old, &wishes) {
            let ranks: Vec<usize> = new.members().iter().filter_map(|&task| old.rank(task)).collect();
            let topology = ranks.first().and_then(|&rank| choices[rank].as_ref()?.topology.clone());
            let linked: Option<Vec<GraphPart>> =
                ranks.iter().map(|&rank| choices[rank].as_ref()?.linked.clone()).collect();
            let topology = linked.map(|linked| Arc::new(distributed(&linked))).or(topology);
            let Some(comm) = self.made(joined.comm, merges, new, topology) else { continue };
            ranks.iter().for_each(|&rank| agreed[rank] = Some(comm));
            let members: Option<Vec<_>> = ranks.iter().map(|&rank| exposed[rank].clone()).collect();
            if let Some(members) = members {
                ranks.iter().filter_map(|&rank| old.task(rank)).for_each(|task| self.mpi.task(task).windows.push(comm));
                self.mpi.windows.insert(comm, Window::new(members));
            }
        }
        let mine = agreed[joined.rank];
        if let Some(instance) = self.mpi.comms[joined.comm.index()].instances.get_mut(joined.number) {
            instance.agreed = Some(agreed);
        }
        mine
    }

    /// A new communicator of these members: one with two sides where the old one has two, unless they `merge`.
    fn made(&mut self, old: CommId, merge: bool, new: Group, topology: Option<Arc<Topology>>) -> Option<CommId> {
        match self.mpi.sides(old).filter(|_| !merge) {
            None => Some(self.mpi.add_comm(new, topology)),
            Some(sides) => Some(self.mpi.add_intercomm(sides.restricted(&new)?)),
        }
    }
}

/// Members that were not followed wish the same as this one, at their own places.
fn like_own(choices: &mut [Option<NewCommunicator>], own: usize) {
    let Some(wish) = choices.get(own).cloned().flatten() else { return };
    for (rank, choice) in choices.iter_mut().enumerate().filter(|(_, choice)| choice.is_none()) {
        *choice = Some(NewCommunicator { key: i64::try_from(rank).unwrap_or(i64::MAX), ..wish.clone() });
    }
}
