//! Collective operations: what a member gives, and what it is to get.

use crate::call::{Call, Refusal};
use crate::collectives::plan::{Participants, Plan};
use crate::collectives::roots_and_sides::Rooted;
use crate::data::blocks::Blocks;
use crate::data::buffer::{Buffer, Data};
use crate::interface::payload::Payload;
use crate::state::delivery::{Delivery, ReceiveBuffers};
use crate::state::instances::{Contribution, Parts};
use chronos_activity::{CollectiveKind, CommId, Volume};
use chronos_base::units::Bytes;
use chronos_ir::ScalarType;
use chronos_mpi::Predefined;
use std::sync::Arc;

impl Call<'_> {
    /// A root with rank 0 has copied its own part before any other gets its own: algorithms that go through large
    /// data one member after the other begin with rank 0. So its pages are given before the others go on.
    fn own_part_first(&mut self, at: Participants, room: Option<&Buffer>) {
        if at.is_root() && at.own == 0 && at.others() == 0 {
            room.iter().for_each(|room| room.tell_written(self.env, room.bytes()));
        }
    }

    /// All blocks as one contribution.
    fn gathered(&self, blocks: &Blocks, to: Participants) -> Contribution {
        if let Some(data) = self.known_at_once(blocks) {
            let ends = (0..blocks.len()).scan(0, |end, position| {
                let (begin, bytes) = (*end, blocks.bytes_at(position));
                *end += bytes;
                Some((begin, bytes))
            });
            return Contribution { parts: Parts::Blocks(ends.collect()), first: to.first, ..Contribution::of(data) };
        }
        let mut all = Payload::default();
        let mut parts = Vec::with_capacity(blocks.len());
        let mut begin = 0u64;
        let kind = uniform(blocks);
        let mut lost = None;
        for position in 0..blocks.len() {
            if blocks.is_empty_at(position) {
                parts.push((begin, 0));
                continue;
            }
            let Some(block) = blocks.get(position) else { continue };
            let data = self.data(&block);
            lost = lost.or(data.lost);
            if let Some(payload) = data.payload {
                all.append(&payload, begin);
            }
            parts.push((begin, block.bytes()));
            begin = begin.saturating_add(block.bytes());
        }
        Contribution {
            data: Data { bytes: begin, payload: all.non_empty(), kind, typed: None, lost, vague: None },
            parts: Parts::Blocks(parts),
            first: to.first,
            ..Contribution::default()
        }
    }

    /// Blocks that lie one behind the other in memory as one piece, if all of it is known.
    fn known_at_once(&self, blocks: &Blocks) -> Option<Data> {
        let all = self.data(&blocks.joined()?);
        let known = all.payload.as_ref().map_or(0, |payload| payload.known_bytes(self.form()));
        (known == all.bytes && all.lost.is_none()).then_some(Data { typed: None, ..all })
    }

    /// Blocks one behind the other as one contribution.
    fn uniform(&self, block: &Buffer, to: Participants) -> Contribution {
        let all = Buffer { count: block.count.saturating_mul(to.contributor_count as u64), ..block.clone() };
        let parts = Parts::Each(block.bytes());
        Contribution { data: self.data(&all), parts, first: to.first, ..Contribution::default() }
    }
}

impl Call<'_> {
    pub(crate) fn block_bytes(&mut self, comm: CommId, blocks: &Blocks) -> Arc<[Bytes]> {
        let wire = self.wire_size(comm);
        if let Some(known) = self.mpi.known_blocks.sizes(blocks, wire) {
            return known;
        }
        let sizes = self.mpi.sizes_of_blocks.shared(blocks.bytes(wire));
        self.mpi.known_blocks.add_sizes(blocks, wire, &sizes);
        sizes
    }
}

/// What the elements of all blocks are, if that is the same.
fn uniform(blocks: &Blocks) -> Option<Predefined> {
    match blocks {
        Blocks::Placed { bare, .. } => bare.datatype.uniform(),
        Blocks::Each(blocks) => {
            let mut kinds = blocks.iter().map(|block| block.datatype.uniform());
            let first = kinds.next()??;
            kinds.all(|other| other == Some(first)).then_some(first)
        }
    }
}

/// `MPI_Barrier(comm)`.
pub(crate) fn barrier(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    Ok(Plan::new(CollectiveKind::Barrier, call.comm(0)?, 0))
}

/// `MPI_Bcast(buf, count, datatype, root, comm)`.
pub(crate) fn bcast(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let Rooted { comm, root, at } = call.rooted(3, 4)?;
    let buffer = call.buffer(0)?;
    let mut plan = Plan { root: Some(root), ..Plan::new(CollectiveKind::Bcast, comm, call.wire_size(comm)(&buffer)) };
    if at.is_root() {
        plan.gives = Contribution::of(call.data(&buffer));
    } else {
        plan.gets = Delivery::FromRoot { root: at.root, into: buffer };
    }
    Ok(plan)
}

/// `MPI_Gather(send, count, type, recv, count, type, root, comm)`.
pub(crate) fn gather(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let Rooted { comm, root, at } = call.rooted(6, 7)?;
    let in_place = at.is_outside() || at.is_root() && call.is_in_place(0);
    let into = if at.is_root() { Some(call.buffer(3)?) } else { None };
    let sent = if in_place { None } else { Some(call.buffer(0)?) };
    let bytes = into.as_ref().or(sent.as_ref()).map_or(0, call.wire_size(comm));
    let mut plan = Plan { root: Some(root), ..Plan::new(CollectiveKind::Gather, comm, bytes) };
    if let Some(sent) = sent {
        plan.gives = Contribution::of(call.data(&sent));
    }
    if let Some(into) = into {
        call.own_part_first(at, Some(&into).filter(|_| !in_place));
        plan.gets = Delivery::FromEach { into: ReceiveBuffers::Uniform(into), from: at.contributors(), own: !in_place };
    }
    Ok(plan)
}

/// `MPI_Gatherv(send, count, type, recv, counts, displacements, type, root, comm)`.
pub(crate) fn gatherv(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let Rooted { comm, root, at } = call.rooted(7, 8)?;
    let in_place = at.is_outside() || at.is_root() && call.is_in_place(0);
    let mut rooms = Blocks::default();
    if at.is_root() {
        let bare = call.bare(3, 6)?;
        rooms = call.blocks(&bare, 4, 5, at.contributor_count)?;
    }
    let sent = if in_place { None } else { Some(call.buffer(0)?) };
    let wire = call.wire_size(comm);
    let own = Bytes(sent.as_ref().map_or_else(|| rooms.sizes(wire)(at.own), wire));
    let volume = Volume::Blocks { own, blocks: call.block_bytes(comm, &rooms) };
    let mut plan = Plan { root: Some(root), volume, ..Plan::new(CollectiveKind::Gather, comm, 0) };
    if let Some(sent) = sent {
        plan.gives = Contribution::of(call.data(&sent));
    }
    if at.is_root() {
        call.own_part_first(at, rooms.get(at.own).filter(|_| !in_place).as_ref());
        plan.gets = Delivery::FromEach { into: ReceiveBuffers::Each(rooms), from: at.contributors(), own: !in_place };
    }
    Ok(plan)
}

/// `MPI_Scatter(send, count, type, recv, count, type, root, comm)`.
pub(crate) fn scatter(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let Rooted { comm, root, at } = call.rooted(6, 7)?;
    let sent = if at.is_root() { Some(call.buffer(0)?) } else { None };
    let into = if at.is_outside() || at.is_root() && call.is_in_place(3) { None } else { Some(call.buffer(3)?) };
    let bytes = sent.as_ref().or(into.as_ref()).map_or(0, call.wire_size(comm));
    let mut plan = Plan { root: Some(root), ..Plan::new(CollectiveKind::Scatter, comm, bytes) };
    if let Some(sent) = sent {
        plan.gives = call.uniform(&sent, at);
    }
    if let Some(into) = into {
        call.own_part_first(at, Some(&into));
        plan.gets = Delivery::FromRoot { root: at.root, into };
    }
    Ok(plan)
}

/// `MPI_Scatterv(send, counts, displacements, type, recv, count, type, root, comm)`.
pub(crate) fn scatterv(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let Rooted { comm, root, at } = call.rooted(7, 8)?;
    let mut sent = Blocks::default();
    if at.is_root() {
        let bare = call.bare(0, 3)?;
        sent = call.blocks(&bare, 1, 2, at.contributor_count)?;
    }
    let into = if at.is_outside() || at.is_root() && call.is_in_place(4) { None } else { Some(call.buffer(4)?) };
    let wire = call.wire_size(comm);
    let own = Bytes(into.as_ref().map_or_else(|| sent.sizes(wire)(at.own), wire));
    let volume = Volume::Blocks { own, blocks: call.block_bytes(comm, &sent) };
    let mut plan = Plan { root: Some(root), volume, ..Plan::new(CollectiveKind::Scatter, comm, 0) };
    plan.gives = call.gathered(&sent, at);
    if let Some(into) = into {
        call.own_part_first(at, Some(&into));
        plan.gets = Delivery::FromRoot { root: at.root, into };
    }
    Ok(plan)
}

/// `MPI_Allgather(send, count, type, recv, count, type, comm)`.
pub(crate) fn allgather(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let (comm, at) = call.unrooted(6)?;
    let into = call.buffer(3)?;
    let in_place = call.is_in_place(0);
    let rooms = ReceiveBuffers::Uniform(into.clone());
    let sent = if in_place { rooms.of(at.own).unwrap_or(into.clone()) } else { call.buffer(0)? };
    let mut plan = Plan::new(CollectiveKind::Allgather, comm, call.wire_size(comm)(&sent));
    if at.contributor_count < at.size {
        plan.volume = call.volume(comm, at, &sent, &vec![into; at.contributor_count]);
    }
    plan.gives = Contribution::of(call.data(&sent));
    plan.gets = Delivery::FromEach { into: rooms, from: at.contributors(), own: !in_place };
    Ok(plan)
}

/// `MPI_Allgatherv(send, count, type, recv, counts, displacements, type, comm)`.
pub(crate) fn allgatherv(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let (comm, at) = call.unrooted(7)?;
    let bare = call.bare(3, 6)?;
    let rooms = call.blocks(&bare, 4, 5, at.contributor_count)?;
    let in_place = call.is_in_place(0);
    let own = if in_place { rooms.get(at.own) } else { None };
    let sent = own.map_or_else(|| call.buffer(0), Ok)?;
    let mut plan = Plan::new(CollectiveKind::Allgather, comm, 0);
    let own_bytes = Bytes(call.wire_size(comm)(&sent));
    plan.volume = Volume::Blocks { own: own_bytes, blocks: call.block_bytes(comm, &rooms) };
    if at.contributor_count < at.size {
        // Nobody knows what the others of its own side give, so each block goes to each member of the other side.
        plan.kind = CollectiveKind::Alltoall;
        plan.volume = call.sent_across(comm, at, &Blocks::Each(vec![sent.clone(); at.contributor_count]));
    }
    plan.gives = Contribution::of(call.data(&sent));
    plan.gets = Delivery::FromEach { into: ReceiveBuffers::Each(rooms), from: at.contributors(), own: !in_place };
    Ok(plan)
}

/// `MPI_Alltoall(send, count, type, recv, count, type, comm)`.
pub(crate) fn alltoall(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let (comm, at) = call.unrooted(6)?;
    let into = call.buffer(3)?;
    let sent = if call.is_in_place(0) { into.clone() } else { call.buffer(0)? };
    let mut plan = Plan::new(CollectiveKind::Alltoall, comm, call.wire_size(comm)(&sent));
    if at.contributor_count < at.size {
        plan.volume = call.sent_across(comm, at, &Blocks::Each(vec![sent.clone(); at.contributor_count]));
    }
    plan.gives = call.uniform(&sent, at);
    plan.gets = Delivery::FromEach { into: ReceiveBuffers::Uniform(into), from: at.contributors(), own: true };
    Ok(plan)
}

/// `MPI_Alltoallv(send, counts, displacements, type, recv, counts, displacements, type, comm)`.
pub(crate) fn alltoallv(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let (comm, at) = call.unrooted(8)?;
    let bare = call.bare(4, 7)?;
    let rooms = call.blocks(&bare, 5, 6, at.contributor_count)?;
    let sent = if call.is_in_place(0) {
        rooms.clone()
    } else {
        let bare = call.bare(0, 3)?;
        call.blocks(&bare, 1, 2, at.contributor_count)?
    };
    let volume = call.sent_across(comm, at, &sent);
    let mut plan = Plan { volume, ..Plan::new(CollectiveKind::Alltoall, comm, 0) };
    plan.gives = call.gathered(&sent, at);
    plan.gets = Delivery::FromEach { into: ReceiveBuffers::Each(rooms), from: at.contributors(), own: true };
    Ok(plan)
}

/// `MPI_Alltoallw(send, counts, displacements, types, recv, counts, displacements, types, comm)`.
pub(crate) fn alltoallw(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let (comm, at) = call.unrooted(8)?;
    let rooms = Blocks::Each(call.typed_blocks(4, at.contributor_count, ScalarType::I32)?);
    let sent = if call.is_in_place(0) {
        rooms.clone()
    } else {
        Blocks::Each(call.typed_blocks(0, at.contributor_count, ScalarType::I32)?)
    };
    let volume = call.sent_across(comm, at, &sent);
    let mut plan = Plan { volume, ..Plan::new(CollectiveKind::Alltoall, comm, 0) };
    plan.gives = call.gathered(&sent, at);
    plan.gets = Delivery::FromEach { into: ReceiveBuffers::Each(rooms), from: at.contributors(), own: true };
    Ok(plan)
}
