//! Operations in which the neighbours of a topology exchange blocks.
//!
//! These are messages on a communicator beside the one with the topology, so that no receive of the program takes them.

use crate::call::{Call, Called, DONE, Refusal};
use crate::codes;
use crate::data::buffer::Buffer;
use crate::state::pending::Pending;
use crate::state::requests::{Exchange, Request, RequestKind};
use crate::state::status::Status;
use chronos_activity::{Arrival, CommId, Operation, Outcome, SendMode};
use chronos_base::units::Bytes;
use chronos_functions::Object;
use chronos_mpi::Topology;
use std::sync::Arc;

impl Call<'_> {
    fn connected(&mut self) -> Result<(CommId, Arc<Topology>), Refusal> {
        let argument = self.function.handle_of(Object::Communicator).unwrap_or(0);
        let comm = self.comm(argument)?;
        let topology = self.topology(comm).ok_or_else(|| {
            let message = format!("{} is given a communicator without topology", self.name());
            self.wrong(
                &codes::TOPOLOGY,
                message,
                "give it a communicator that MPI_Cart_create or MPI_Graph_create made",
            )
        })?;
        Ok((comm, topology))
    }

    /// The communicator for the blocks of neighbours.
    fn beside(&mut self, comm: CommId) -> CommId {
        if let Some(&beside) = self.mpi.beside.get(&comm) {
            return beside;
        }
        let group = self.mpi.members(comm).clone();
        let beside = self.mpi.add_comm(group, None);
        self.mpi.beside.insert(comm, beside);
        beside
    }

    /// Sends a block to each neighbour and receives one from each; `rooms` and `blocks` by position.
    fn exchange(&mut self, comm: CommId, topology: &Topology, blocks: &[Buffer], rooms: Vec<Buffer>) -> Called {
        let own = self.own_rank(comm);
        let beside = self.beside(comm);
        let (mut events, mut requests) = (Vec::new(), Vec::new());
        let mut exchange = Exchange { comm: beside, receives: Vec::new(), sends: Vec::new() };
        for ((peer, way), room) in topology.sources(own).into_iter().zip(rooms) {
            let Some(from) = peer.and_then(|rank| self.mpi.members(comm).task(rank as usize)) else { continue };
            let id = self.mpi.task(self.task).requests.insert(Request::hidden());
            let (request, bytes) = (Some(id), Bytes(room.bytes()));
            events.push(Operation::Recv { from: Some(from), tag: Some(way), comm: beside, bytes, request });
            requests.extend(request);
            exchange.receives.push((id, room));
        }
        for ((peer, tag), block) in topology.destinations(own).into_iter().zip(blocks) {
            let Some(to) = peer.and_then(|rank| self.mpi.members(comm).task(rank as usize)) else { continue };
            self.post(block);
            let id = self.mpi.task(self.task).requests.insert(Request::hidden());
            let (request, bytes, mode) = (Some(id), Bytes(block.own_bytes()), SendMode::Standard);
            events.push(Operation::Send { to, tag, comm: beside, bytes, mode, request });
            requests.extend(request);
            exchange.sends.push(id);
        }
        if let Some(argument) = self.function.made_request() {
            let work = if requests.is_empty() {
                RequestKind::AtOnce(Status::EMPTY)
            } else {
                RequestKind::Neighbours(Box::new(exchange))
            };
            self.new_request(argument, Request::new(work));
            return if events.is_empty() { DONE } else { self.then(events, Pending::Done) };
        }
        if requests.is_empty() {
            return DONE;
        }
        events.push(Operation::WaitAll { requests: requests.into() });
        self.then(events, Pending::Neighbours(Box::new(exchange)))
    }

    /// The blocks have come.
    pub fn exchanged(&mut self, exchange: Exchange, outcome: &Outcome) -> Called {
        let arrivals = if let Outcome::Arrived(arrivals) = outcome { arrivals.as_slice() } else { &[] };
        self.take_blocks(exchange, arrivals)
    }

    pub(crate) fn take_blocks(&mut self, exchange: Exchange, arrivals: &[Arrival]) -> Called {
        let Exchange { comm, receives, sends } = exchange;
        for id in receives.iter().map(|(id, _)| *id).chain(sends) {
            self.mpi.task(self.task).requests.remove(id);
        }
        for (id, room) in receives {
            let own = Some(id);
            let arrival = arrivals.iter().find(|arrival| arrival.request == own);
            self.deliver(&room, comm, arrival)?;
        }
        DONE
    }
}

/// Blocks one behind the other, of which the first is given.
fn row(first: &Buffer, count: usize) -> Vec<Buffer> {
    let copies = i64::try_from(first.count).unwrap_or(i64::MAX);
    let position = |index: usize| i64::try_from(index).unwrap_or(i64::MAX).saturating_mul(copies);
    (0..count).map(|index| first.part(position(index), first.count)).collect()
}

/// `MPI_Neighbor_allgather(send, count, type, recv, count, type, comm)`.
pub(crate) fn allgather(call: &mut Call<'_>) -> Called {
    let (comm, topology) = call.connected()?;
    let (sent, into) = (call.buffer(0)?, call.buffer(3)?.into_receive_buffer());
    let rank = call.own_rank(comm);
    let (blocks, rooms) = (vec![sent; topology.destinations(rank).len()], row(&into, topology.sources(rank).len()));
    call.exchange(comm, &topology, &blocks, rooms)
}

/// `MPI_Neighbor_allgatherv(send, count, type, recv, counts, displacements, type, comm)`.
pub(crate) fn allgatherv(call: &mut Call<'_>) -> Called {
    let (comm, topology) = call.connected()?;
    let rank = call.own_rank(comm);
    let sent = call.buffer(0)?;
    let rooms = call.listed_blocks((3, 6), (4, 5), topology.sources(rank).len())?;
    let blocks = vec![sent; topology.destinations(rank).len()];
    call.exchange(comm, &topology, &blocks, rooms)
}

/// `MPI_Neighbor_alltoall(send, count, type, recv, count, type, comm)`.
pub(crate) fn alltoall(call: &mut Call<'_>) -> Called {
    let (comm, topology) = call.connected()?;
    let (sent, into) = (call.buffer(0)?, call.buffer(3)?.into_receive_buffer());
    let rank = call.own_rank(comm);
    let (blocks, rooms) = (row(&sent, topology.destinations(rank).len()), row(&into, topology.sources(rank).len()));
    call.exchange(comm, &topology, &blocks, rooms)
}

/// `MPI_Neighbor_alltoallv(send, counts, displacements, type, recv, counts, displacements, type, comm)`.
pub(crate) fn alltoallv(call: &mut Call<'_>) -> Called {
    let (comm, topology) = call.connected()?;
    let rank = call.own_rank(comm);
    let blocks = call.listed_blocks((0, 3), (1, 2), topology.destinations(rank).len())?;
    let rooms = call.listed_blocks((4, 7), (5, 6), topology.sources(rank).len())?;
    call.exchange(comm, &topology, &blocks, rooms)
}

/// `MPI_Neighbor_alltoallw(send, counts, displacements, types, recv, counts, displacements, types, comm)`.
pub(crate) fn alltoallw(call: &mut Call<'_>) -> Called {
    let (comm, topology) = call.connected()?;
    let (rank, aint) = (call.own_rank(comm), call.aint());
    let blocks = call.typed_blocks(0, topology.destinations(rank).len(), aint)?;
    let rooms = call.typed_blocks(4, topology.sources(rank).len(), aint)?;
    call.exchange(comm, &topology, &blocks, rooms)
}
