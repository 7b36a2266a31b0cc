//! Collective operations: what a member gives, and what it is to get.

use super::buffer::{Buffer, Data};
use super::call::{Call, Called, DONE, Refusal};
use super::codes;
use super::delivery::{Delivery, Joined, Rooms};
use super::instance::{Contribution, Parts, Signature};
use super::inter::Rooted;
use super::request::{Request, Work};
use super::status::Status;
use super::world::Pending;
use chronos_activity::{Collective, CollectiveKind, CommId, Operation, TaskId, Volume};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_base::units::Bytes;
use chronos_ir::ScalarType;
use std::ops::Range;
use std::sync::Arc;

/// A collective as one member calls it.
pub(super) struct Plan {
    pub kind: CollectiveKind,
    pub comm: CommId,
    pub root: Option<TaskId>,
    pub volume: Volume,
    pub commutative: bool,
    pub gives: Contribution,
    pub gets: Delivery,
}

pub(super) type Planner = fn(&mut Call<'_>) -> Result<Plan, Refusal>;

pub(super) fn blocking(call: &mut Call<'_>, plan: impl FnOnce(&mut Call<'_>) -> Result<Plan, Refusal>) -> Called {
    let plan = plan(call)?;
    let (collective, joined) = call.join(plan)?;
    call.then(vec![Operation::Collective(collective)], Pending::Collective(Box::new(joined)))
}

/// As `blocking`, with the request as argument `request`.
pub(super) fn immediate(call: &mut Call<'_>, plan: Planner, request: usize) -> Called {
    let plan = match plan(call) {
        Err(Refusal::Unconcerned) => {
            call.new_request(request, Request::new(Work::AtOnce(Status::EMPTY)));
            return DONE;
        }
        plan => plan?,
    };
    let (collective, joined) = call.join(plan)?;
    let id = call.new_request(request, Request::new(Work::Collective(Box::new(joined))));
    let collective = Collective { request: Some(id), ..collective };
    call.then(vec![Operation::Collective(collective)], Pending::Done)
}

impl Plan {
    /// Without data and without root.
    pub fn new(kind: CollectiveKind, comm: CommId, bytes: u64) -> Self {
        let volume = Volume::Each(Bytes(bytes));
        let (gives, gets) = (Contribution::default(), Delivery::Nothing);
        Self { kind, comm, root: None, volume, commutative: true, gives, gets }
    }
}

/// The ranks of the caller and of the root, and how many there are.
#[derive(Clone, Copy)]
pub(super) struct Places {
    pub own: usize,
    pub root: usize,
    pub size: usize,
    /// Rank of the first member that the caller hears of.
    pub first: usize,
    /// How many members it hears of: on intercommunicators those of the other side.
    pub(crate) givers: usize,
}

impl Places {
    pub fn is_root(self) -> bool {
        self.own == self.root
    }

    pub fn hears(self, rank: usize) -> bool {
        self.heard().contains(&rank)
    }

    /// The caller is the root of the other side of an intercommunicator: it has no block of its own.
    pub(crate) fn is_outside(self) -> bool {
        self.is_root() && self.givers < self.size
    }

    /// Members on the other side of an intercommunicator.
    pub fn others(self) -> usize {
        if self.givers < self.size { self.givers } else { 0 }
    }

    pub fn heard(self) -> Range<usize> {
        self.first..self.first + self.givers
    }
}

impl Call<'_> {
    /// Enters the collective; the event, and what is to be done at its end.
    pub fn join(&mut self, plan: Plan) -> Result<(Collective, Joined), Refusal> {
        let Plan { kind, comm, root, volume, commutative, mut gives, mut gets } = plan;
        if self.vague.is_some() {
            gives.data.vague = self.vague;
            gets.blur(self.vague);
        }
        let (rank, size) = (self.own_rank(comm), self.world.members(comm).size());
        let signature = Signature { name: self.name, root, task: self.task, span: self.span };
        let instances = &mut self.world.comms[comm.index()].instances;
        let (number, first) = instances.enter(rank, size, signature.clone(), gives);
        let first = first.clone();
        if (first.name, first.root) != (signature.name, signature.root) {
            return Err(mismatch(&first, &signature));
        }
        self.check_entered(comm, number, root);
        self.check_agreement(comm, number, root);
        let collective = Collective { kind, comm, root, volume, commutative, request: None };
        Ok((collective, Joined { comm, number, rank, delivery: gets }))
    }

    /// The caller's rank in a communicator that it is a member of.
    pub fn own_rank(&self, comm: CommId) -> usize {
        self.world.members(comm).rank(self.task).unwrap_or(0)
    }

    pub fn places(&self, comm: CommId, root: Option<TaskId>) -> Places {
        let group = self.world.members(comm);
        let root = root.and_then(|root| group.rank(root)).unwrap_or(0);
        Places { own: self.own_rank(comm), root, size: group.size(), first: 0, givers: group.size() }
    }

    pub fn data(&self, buffer: &Buffer) -> Data {
        buffer.data(self.env, self.model())
    }

    /// A buffer of which the counts stand elsewhere: address and datatype alone.
    fn bare(&mut self, address: usize, datatype: usize) -> Result<Buffer, Refusal> {
        Ok(Buffer {
            address: self.address(address),
            count: 0,
            datatype: self.committed(datatype)?,
            form: self.form(),
            vague: self.vague,
            site: self.site,
        })
    }

    /// A root with rank 0 has copied its own part before any other gets its own: algorithms that go through large
    /// data one member after the other begin with rank 0. So its pages are given before the others go on.
    fn own_part_first(&mut self, at: Places, room: Option<&Buffer>) {
        if at.is_root() && at.own == 0 && at.others() == 0 {
            room.iter().for_each(|room| room.tell_written(self.env, room.bytes()));
        }
    }

    /// The buffers by rank that arrays of counts and displacements describe.
    fn blocks(
        &mut self,
        bare: &Buffer,
        counts: usize,
        displacements: usize,
        size: usize,
    ) -> Result<Vec<Buffer>, Refusal> {
        let mut blocks = Vec::with_capacity(size);
        for rank in 0..size {
            let n = self.element(counts, rank)?;
            let count = self.not_negative(counts, n)?;
            let at = self.element_value(displacements, rank, ScalarType::I32)?;
            let known = at.as_int().map(|at| bare.part(at, count));
            blocks.push(known.unwrap_or(Buffer { address: None, count, ..bare.clone() }));
        }
        Ok(blocks)
    }

    /// Room or data that a (address, datatype) and arrays of (counts, displacements) describe.
    pub(crate) fn listed_blocks(
        &mut self,
        address: usize,
        datatype: usize,
        counts: usize,
        displacements: usize,
        size: usize,
    ) -> Result<Vec<Buffer>, Refusal> {
        let bare = self.bare(address, datatype)?;
        self.blocks(&bare, counts, displacements, size)
    }

    /// As `blocks`, of which each has its own datatype and its displacement, of type `places`, is in bytes: address,
    /// counts, displacements and datatypes from argument `first` on.
    pub(crate) fn typed_blocks(
        &mut self,
        first: usize,
        size: usize,
        places: ScalarType,
    ) -> Result<Vec<Buffer>, Refusal> {
        let mut blocks = Vec::with_capacity(size);
        for rank in 0..size {
            let n = self.element(first + 1, rank)?;
            let count = self.not_negative(first + 1, n)?;
            let at = self.element_value(first + 2, rank, places)?.as_int();
            let handle = self.element(first + 3, rank)?;
            let datatype = self.committed_handle(first + 3, handle)?;
            let address = self.address(first).zip(at).map(|(base, at)| super::buffer::moved(base, at));
            let form = self.form();
            blocks.push(Buffer { address, count, datatype, form, vague: self.vague, site: self.site });
        }
        Ok(blocks)
    }

    /// All blocks as one contribution.
    fn gathered(&self, blocks: &[Buffer], to: Places) -> Contribution {
        let mut all = super::Payload::default();
        let mut parts = Vec::with_capacity(blocks.len());
        let mut begin = 0u64;
        let kinds: Vec<_> = blocks.iter().map(|block| block.datatype.uniform()).collect();
        let kind = kinds.first().copied().flatten().filter(|&kind| kinds.iter().all(|&other| other == Some(kind)));
        let mut lost = None;
        for block in blocks {
            let data = self.data(block);
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

    /// Blocks one behind the other as one contribution.
    fn uniform(&self, block: &Buffer, to: Places) -> Contribution {
        let all = Buffer { count: block.count.saturating_mul(to.givers as u64), ..block.clone() };
        let parts = Parts::Each(block.bytes());
        Contribution { data: self.data(&all), parts, first: to.first, ..Contribution::default() }
    }
}

fn mismatch(first: &Signature, second: &Signature) -> Refusal {
    let what = |s: &Signature| match s.root {
        Some(root) => format!("{} with root {root}", s.name, root = root.0),
        None => s.name.to_owned(),
    };
    let (one, other) = (what(second), what(first));
    let message = format!("task {} calls {one}, and task {} calls {other}", second.task.0, first.task.0);
    let diagnostic = Diagnostic::error(&codes::MISMATCH, message)
        .label(second.span, format!("task {} calls {one}", second.task.0))
        .label(first.span, format!("task {} calls {other}", first.task.0))
        .help("let all members of the communicator call the same collectives in the same order");
    Refusal::Wrong(Box::new(diagnostic))
}

fn block_bytes(blocks: &[Buffer]) -> Arc<[Bytes]> {
    blocks.iter().map(|block| Bytes(block.bytes())).collect()
}

/// `MPI_Barrier(comm)`.
pub(super) fn barrier(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    Ok(Plan::new(CollectiveKind::Barrier, call.comm(0)?, 0))
}

/// `MPI_Bcast(buf, count, datatype, root, comm)`.
pub(super) fn bcast(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let Rooted { comm, root, at } = call.rooted(3, 4)?;
    let buffer = call.buffer(0)?;
    let mut plan = Plan { root: Some(root), ..Plan::new(CollectiveKind::Bcast, comm, buffer.bytes()) };
    if at.is_root() {
        plan.gives = Contribution::of(call.data(&buffer));
    } else {
        plan.gets = Delivery::FromRoot { root: at.root, into: buffer };
    }
    Ok(plan)
}

/// `MPI_Gather(send, count, type, recv, count, type, root, comm)`.
pub(super) fn gather(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let Rooted { comm, root, at } = call.rooted(6, 7)?;
    let in_place = at.is_outside() || at.is_root() && call.is_in_place(0);
    let into = if at.is_root() { Some(call.buffer(3)?) } else { None };
    let sent = if in_place { None } else { Some(call.buffer(0)?) };
    let bytes = into.as_ref().or(sent.as_ref()).map_or(0, Buffer::bytes);
    let mut plan = Plan { root: Some(root), ..Plan::new(CollectiveKind::Gather, comm, bytes) };
    if let Some(sent) = sent {
        plan.gives = Contribution::of(call.data(&sent));
    }
    if let Some(into) = into {
        call.own_part_first(at, Some(&into).filter(|_| !in_place));
        plan.gets = Delivery::FromEach { into: Rooms::Uniform(into), from: at.heard(), own: !in_place };
    }
    Ok(plan)
}

/// `MPI_Gatherv(send, count, type, recv, counts, displacements, type, root, comm)`.
pub(super) fn gatherv(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let Rooted { comm, root, at } = call.rooted(7, 8)?;
    let in_place = at.is_outside() || at.is_root() && call.is_in_place(0);
    let mut rooms = Vec::new();
    if at.is_root() {
        let bare = call.bare(3, 6)?;
        rooms = call.blocks(&bare, 4, 5, at.givers)?;
    }
    let sent = if in_place { None } else { Some(call.buffer(0)?) };
    let own = Bytes(sent.as_ref().or(rooms.get(at.own)).map_or(0, Buffer::bytes));
    let volume = Volume::Blocks { own, blocks: block_bytes(&rooms) };
    let mut plan = Plan { root: Some(root), volume, ..Plan::new(CollectiveKind::Gather, comm, 0) };
    if let Some(sent) = sent {
        plan.gives = Contribution::of(call.data(&sent));
    }
    if at.is_root() {
        call.own_part_first(at, rooms.get(at.own).filter(|_| !in_place));
        plan.gets = Delivery::FromEach { into: Rooms::Each(rooms), from: at.heard(), own: !in_place };
    }
    Ok(plan)
}

/// `MPI_Scatter(send, count, type, recv, count, type, root, comm)`.
pub(super) fn scatter(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let Rooted { comm, root, at } = call.rooted(6, 7)?;
    let sent = if at.is_root() { Some(call.buffer(0)?) } else { None };
    let into = if at.is_outside() || at.is_root() && call.is_in_place(3) { None } else { Some(call.buffer(3)?) };
    let bytes = sent.as_ref().or(into.as_ref()).map_or(0, Buffer::bytes);
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
pub(super) fn scatterv(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let Rooted { comm, root, at } = call.rooted(7, 8)?;
    let mut sent = Vec::new();
    if at.is_root() {
        let bare = call.bare(0, 3)?;
        sent = call.blocks(&bare, 1, 2, at.givers)?;
    }
    let into = if at.is_outside() || at.is_root() && call.is_in_place(4) { None } else { Some(call.buffer(4)?) };
    let own = Bytes(into.as_ref().or(sent.get(at.own)).map_or(0, Buffer::bytes));
    let volume = Volume::Blocks { own, blocks: block_bytes(&sent) };
    let mut plan = Plan { root: Some(root), volume, ..Plan::new(CollectiveKind::Scatter, comm, 0) };
    plan.gives = call.gathered(&sent, at);
    if let Some(into) = into {
        call.own_part_first(at, Some(&into));
        plan.gets = Delivery::FromRoot { root: at.root, into };
    }
    Ok(plan)
}

/// `MPI_Allgather(send, count, type, recv, count, type, comm)`.
pub(super) fn allgather(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let (comm, at) = call.unrooted(6)?;
    let into = call.buffer(3)?;
    let in_place = call.is_in_place(0);
    let rooms = Rooms::Uniform(into.clone());
    let sent = if in_place { rooms.of(at.own).unwrap_or(into.clone()) } else { call.buffer(0)? };
    let mut plan = Plan::new(CollectiveKind::Allgather, comm, sent.bytes());
    if at.givers < at.size {
        plan.volume = call.volume(at, sent.bytes(), &vec![into; at.givers]);
    }
    plan.gives = Contribution::of(call.data(&sent));
    plan.gets = Delivery::FromEach { into: rooms, from: at.heard(), own: !in_place };
    Ok(plan)
}

/// `MPI_Allgatherv(send, count, type, recv, counts, displacements, type, comm)`.
pub(super) fn allgatherv(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let (comm, at) = call.unrooted(7)?;
    let bare = call.bare(3, 6)?;
    let rooms = call.blocks(&bare, 4, 5, at.givers)?;
    let in_place = call.is_in_place(0);
    let sent = if in_place { rooms[at.own].clone() } else { call.buffer(0)? };
    let mut plan = Plan::new(CollectiveKind::Allgather, comm, 0);
    plan.volume = Volume::Blocks { own: Bytes(sent.bytes()), blocks: block_bytes(&rooms) };
    if at.givers < at.size {
        // Nobody knows what the others of its own side give, so each block goes to each member of the other side.
        plan.kind = CollectiveKind::Alltoall;
        plan.volume = call.sent_across(at, &vec![sent.clone(); at.givers]);
    }
    plan.gives = Contribution::of(call.data(&sent));
    plan.gets = Delivery::FromEach { into: Rooms::Each(rooms), from: at.heard(), own: !in_place };
    Ok(plan)
}

/// `MPI_Alltoall(send, count, type, recv, count, type, comm)`.
pub(super) fn alltoall(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let (comm, at) = call.unrooted(6)?;
    let into = call.buffer(3)?;
    let sent = if call.is_in_place(0) { into.clone() } else { call.buffer(0)? };
    let mut plan = Plan::new(CollectiveKind::Alltoall, comm, sent.bytes());
    if at.givers < at.size {
        plan.volume = call.sent_across(at, &vec![sent.clone(); at.givers]);
    }
    plan.gives = call.uniform(&sent, at);
    plan.gets = Delivery::FromEach { into: Rooms::Uniform(into), from: at.heard(), own: true };
    Ok(plan)
}

/// `MPI_Alltoallv(send, counts, displacements, type, recv, counts, displacements, type, comm)`.
pub(super) fn alltoallv(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let (comm, at) = call.unrooted(8)?;
    let bare = call.bare(4, 7)?;
    let rooms = call.blocks(&bare, 5, 6, at.givers)?;
    let sent = if call.is_in_place(0) {
        rooms.clone()
    } else {
        let bare = call.bare(0, 3)?;
        call.blocks(&bare, 1, 2, at.givers)?
    };
    let volume = call.sent_across(at, &sent);
    let mut plan = Plan { volume, ..Plan::new(CollectiveKind::Alltoall, comm, 0) };
    plan.gives = call.gathered(&sent, at);
    plan.gets = Delivery::FromEach { into: Rooms::Each(rooms), from: at.heard(), own: true };
    Ok(plan)
}

/// `MPI_Alltoallw(send, counts, displacements, types, recv, counts, displacements, types, comm)`.
pub(super) fn alltoallw(call: &mut Call<'_>) -> Result<Plan, Refusal> {
    let (comm, at) = call.unrooted(8)?;
    let rooms = call.typed_blocks(4, at.givers, ScalarType::I32)?;
    let sent = if call.is_in_place(0) { rooms.clone() } else { call.typed_blocks(0, at.givers, ScalarType::I32)? };
    let volume = call.sent_across(at, &sent);
    let mut plan = Plan { volume, ..Plan::new(CollectiveKind::Alltoall, comm, 0) };
    plan.gives = call.gathered(&sent, at);
    plan.gets = Delivery::FromEach { into: Rooms::Each(rooms), from: at.heard(), own: true };
    Ok(plan)
}
