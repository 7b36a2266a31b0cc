//! What a collective runs on: its root, and the two sides of an intercommunicator.
//!
//! A collective with a root is one of the root and the side that it serves, with the root behind the others, so ranks
//! of blocks are those of the program; one without a root is a collective of both sides.

use crate::call::{Call, Refusal};
use crate::collectives::plan::Participants;
use crate::data::blocks::Blocks;
use crate::data::buffer::Buffer;
use crate::state::delivery::ReductionRange;
use crate::state::mpi_state::MpiState;
use chronos_activity::{CommId, TaskId, Volume};
use chronos_base::units::Bytes;
use chronos_mpi::{Group, handles};

/// What a collective with a root runs on.
pub(crate) struct Rooted {
    pub comm: CommId,
    pub root: TaskId,
    pub at: Participants,
}

impl Call<'_> {
    /// The communicator and root of a collective; of an intercommunicator those of the root with the side that it
    /// serves.
    pub fn rooted(&mut self, root: usize, comm: usize) -> Result<Rooted, Refusal> {
        let (argument, comm) = (comm, self.comm(comm)?);
        let rank = self.int(root)?;
        let Some(sides) = self.mpi.sides(comm).cloned() else {
            let root = self.task_of(rank, comm)?;
            return Ok(Rooted { comm, root, at: self.participants(comm, Some(root)) });
        };
        let (root, served) = match rank {
            handles::PROC_NULL => return Err(Refusal::Unconcerned),
            handles::ROOT => (self.task, sides.remote(self.task)),
            rank => (self.task_of(rank, comm)?, sides.local(self.task)),
        };
        self.only_data(argument)?;
        let comm = self.mpi.rooted_comm(comm, root, served);
        let at = self.participants(comm, Some(root));
        Ok(Rooted { comm, root, at: Participants { contributor_count: at.size - 1, ..at } })
    }

    /// There is no data in place where the sides differ.
    fn only_data(&self, comm: usize) -> Result<(), Refusal> {
        match (0..comm).find(|&argument| self.is_in_place(argument)) {
            Some(argument) => Err(self.bad_argument(argument, "is MPI_IN_PLACE, which intercommunicators do not take")),
            None => Ok(()),
        }
    }

    /// The places of a collective without root.
    pub(crate) fn unrooted(&mut self, argument: usize) -> Result<(CommId, Participants), Refusal> {
        let comm = self.comm(argument)?;
        let at = self.participants(comm, None);
        let Some(sides) = self.mpi.sides(comm).cloned() else { return Ok((comm, at)) };
        self.only_data(argument)?;
        let remote = sides.remote_positions(self.task);
        Ok((comm, Participants { first: remote.start, contributor_count: remote.len(), ..at }))
    }

    /// How many bytes a buffer has on the wire of a collective: in the members' own form where all have one, else in that
    /// of messages, which all can agree on.
    pub(crate) fn wire_size(&self, comm: CommId) -> fn(&Buffer) -> u64 {
        if self.mpi.has_one_form(comm) { Buffer::own_bytes } else { Buffer::bytes }
    }

    /// What all members give who are on the caller's side, and what those give whom it hears of.
    pub fn volume(&self, comm: CommId, at: Participants, own: &Buffer, others: &[Buffer]) -> Volume {
        let wire = self.wire_size(comm);
        let own = wire(own);
        let theirs = |position: usize| others.get(position).map_or(0, wire);
        let all = (0..at.size).map(|rank| if at.receives_from(rank) { theirs(rank - at.first) } else { own });
        Volume::Blocks { own: Bytes(own), blocks: all.map(Bytes).collect() }
    }

    /// What the caller sends to each member: nothing to those on its own side.
    pub(crate) fn sent_across(&mut self, comm: CommId, at: Participants, blocks: &Blocks) -> Volume {
        if at.contributor_count == at.size && blocks.len() == at.size {
            let blocks = self.block_bytes(comm, blocks);
            return Volume::Blocks { own: blocks.get(at.own).copied().unwrap_or_default(), blocks };
        }
        let size = blocks.sizes(self.wire_size(comm));
        let to = |rank: usize| if at.receives_from(rank) { size(rank - at.first) } else { 0 };
        let blocks = (0..at.size).map(|rank| Bytes(to(rank))).collect();
        let blocks = self.mpi.sizes_of_blocks.shared(blocks);
        Volume::Blocks { own: blocks.get(at.own).copied().unwrap_or_default(), blocks }
    }
}

impl MpiState {
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
pub(crate) fn range_of_contributors(at: Participants, begin: u64, bytes: u64) -> Option<ReductionRange> {
    let to = at.first + at.contributor_count;
    (at.contributor_count < at.size).then_some(ReductionRange::Among { from: at.first, to, begin, bytes })
}
