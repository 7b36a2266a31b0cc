//! What a call reads and writes, from its arguments alone.

use crate::call::{Call, Peer, Refusal};
use crate::checks::state::uses::BufferUse;
use crate::collectives::plan::Participants;
use crate::data::buffer::{Buffer, moved};
use crate::data::cross_object;
use chronos_functions::{CollectiveOperation, DataFlow, Exchange, Extent, Object};
use chronos_ir::ScalarType;
use chronos_mpi::ReduceOp;
use chronos_values::{Pointer, Value};

/// What the call reads and writes; nothing where its arguments are wrong, which its own handler tells.
pub fn of(call: &mut Call<'_>) -> Vec<BufferUse> {
    let (vague, told) = (call.vague, call.mpi.vague);
    let uses = by_row(call).unwrap_or_default();
    (call.vague, call.mpi.vague) = (vague, told);
    uses
}

fn by_row(call: &mut Call<'_>) -> Result<Vec<BufferUse>, Refusal> {
    match call.function.exchange {
        Exchange::Message => messages(call),
        Exchange::Window => access(call),
        Exchange::Collective(operation) => collective(call, operation),
        Exchange::Nothing | Exchange::File => Ok(Vec::new()),
    }
}

/// Positions of buffers, of their counts where they have one, and of their datatypes.
fn buffers(call: &Call<'_>) -> impl Iterator<Item = (usize, Option<usize>, usize)> + use<> {
    call.function.params.iter().enumerate().filter_map(|(at, param)| match param.extent {
        Extent::Elements { count, datatype } => Some((at, count, datatype)),
        _ => None,
    })
}

/// Data that is sent or received point to point; the peer stands behind the datatype.
fn messages(call: &mut Call<'_>) -> Result<Vec<BufferUse>, Refusal> {
    let mut uses = Vec::new();
    let comm = call.function.handle_of(Object::Communicator);
    for (at, _, datatype) in buffers(call) {
        let receives = call.function.writes(at);
        if let Some(comm) = comm {
            let comm = call.comm(comm)?;
            if call.peer(datatype + 1, comm, receives)? == Peer::Null {
                continue;
            }
        }
        uses.push(BufferUse { at_most: receives, ..BufferUse::new(at, receives, vec![call.buffer(at)?]) });
    }
    Ok(uses)
}

/// The memory of an access to a window at its origin.
fn access(call: &mut Call<'_>) -> Result<Vec<BufferUse>, Refusal> {
    let reads_nothing = call.function.handle_of(Object::Operation).is_some_and(|operation| no_op(call, operation));
    let mut uses = Vec::new();
    for (at, count, datatype) in buffers(call) {
        let writes = call.function.writes(at);
        if !writes && reads_nothing {
            continue;
        }
        uses.push(match count {
            Some(_) => BufferUse::new(at, writes, vec![call.buffer(at)?]),
            None => elements(call, at, 1, datatype)?,
        });
    }
    Ok(uses)
}

/// Nothing is read where nothing is accumulated.
fn no_op(call: &Call<'_>, operation: usize) -> bool {
    let handle = call.env.argument(operation).as_int();
    handle.and_then(ReduceOp::from_handle) == Some(ReduceOp::NoOp)
}

fn collective(call: &mut Call<'_>, operation: CollectiveOperation) -> Result<Vec<BufferUse>, Refusal> {
    match operation {
        CollectiveOperation::Bcast => {
            let at = positions(call)?;
            Ok(vec![BufferUse::new(SEND, !at.is_root(), vec![call.buffer(SEND)?])])
        }
        CollectiveOperation::Gather | CollectiveOperation::Scatter => rooted(call, operation),
        CollectiveOperation::Allgather => {
            let at = positions(call)?;
            let sent = own(call, SEND)?;
            Ok(sent.into_iter().chain([of_members(call, receive(call), at.size)?]).collect())
        }
        CollectiveOperation::Alltoall => {
            let at = positions(call)?;
            let sent = if call.is_in_place(SEND) { None } else { Some(of_members(call, SEND, at.size)?) };
            Ok(sent.into_iter().chain([of_members(call, receive(call), at.size)?]).collect())
        }
        CollectiveOperation::Reduce
        | CollectiveOperation::Allreduce
        | CollectiveOperation::Scan
        | CollectiveOperation::Exscan
        | CollectiveOperation::ReduceScatter
        | CollectiveOperation::ReduceLocal => reduction(call, operation),
        CollectiveOperation::Barrier | CollectiveOperation::Neighbor => Ok(Vec::new()),
    }
}

/// The argument with the data that a member gives.
const SEND: usize = 0;

/// The argument with the room for what it gets.
fn receive(call: &Call<'_>) -> usize {
    buffers(call).last().map_or(SEND, |(at, ..)| at)
}

/// The ranks of a collective of one group; those between two groups are not looked at.
fn positions(call: &mut Call<'_>) -> Result<Participants, Refusal> {
    let argument = call.function.handle_of(Object::Communicator).unwrap_or(0);
    let comm = call.intracomm(argument)?;
    if !matches!(call.function.flow(), DataFlow::OneToAll | DataFlow::AllToOne) {
        return Ok(call.participants(comm, None));
    }
    // The root stands before the communicator.
    let rank = call.int(argument - 1)?;
    let root = call.task_of(rank, comm)?;
    Ok(call.participants(comm, Some(root)))
}

/// What a member gives or gets of its own, unless it is in place.
fn own(call: &mut Call<'_>, argument: usize) -> Result<Option<BufferUse>, Refusal> {
    if call.is_in_place(argument) {
        return Ok(None);
    }
    let writes = call.function.writes(argument);
    Ok(Some(BufferUse::new(argument, writes, vec![call.buffer(argument)?])))
}

/// One block for each member: with one count for all of them, one for each, or also a datatype for each.
fn of_members(call: &mut Call<'_>, at: usize, size: usize) -> Result<BufferUse, Refusal> {
    let row = call.function;
    let found = buffers(call).find(|buffer| buffer.0 == at);
    let blocks = match found {
        Some((_, _, datatype)) if row.params[datatype].extent == Extent::PerTask => {
            call.typed_blocks(at, size, ScalarType::I32)?
        }
        Some((_, Some(count), datatype)) if row.has_count_per_task(at) => {
            call.listed_blocks((at, datatype), (count, count + 1), size)?
        }
        _ => {
            let block = call.buffer(at)?;
            vec![Buffer { count: block.count.saturating_mul(size as u64), ..block }]
        }
    };
    Ok(BufferUse::new(at, row.writes(at), blocks))
}

/// The root has a block for each member, and each member has one.
fn rooted(call: &mut Call<'_>, operation: CollectiveOperation) -> Result<Vec<BufferUse>, Refusal> {
    let at = positions(call)?;
    let (many, one) = match operation {
        CollectiveOperation::Gather => (receive(call), SEND),
        _ => (SEND, receive(call)),
    };
    let of_root = if at.is_root() { Some(of_members(call, many, at.size)?) } else { None };
    let of_member = own(call, one)?;
    Ok(match operation {
        CollectiveOperation::Gather => of_member.into_iter().chain(of_root).collect(),
        _ => of_root.into_iter().chain(of_member).collect(),
    })
}

/// Elements that a reduction combines of a member, and those of the result that it gets.
fn reduction(call: &mut Call<'_>, operation: CollectiveOperation) -> Result<Vec<BufferUse>, Refusal> {
    const RESULT: usize = 1;
    const COUNT: usize = 2;
    const DATATYPE: usize = 3;
    let at = if operation == CollectiveOperation::ReduceLocal { None } else { Some(positions(call)?) };
    let (given, taken) = match (operation, at) {
        (CollectiveOperation::ReduceScatter, Some(at)) if call.function.has_count_per_task(SEND) => {
            let counts = call.elements(COUNT, at.size)?;
            let all: i64 = counts.iter().sum();
            (all.max(0).cast_unsigned(), counts[at.own].max(0).cast_unsigned())
        }
        (CollectiveOperation::ReduceScatter, Some(at)) => {
            let count = call.count(COUNT)?;
            (count.saturating_mul(at.size as u64), count)
        }
        _ => {
            let count = call.count(COUNT)?;
            (count, count)
        }
    };
    let gets = match (operation, at) {
        (CollectiveOperation::Reduce, Some(at)) => at.is_root(),
        // Nothing comes before the first member.
        (CollectiveOperation::Exscan, Some(at)) => at.own > 0,
        _ => true,
    };
    let mut uses = Vec::new();
    if !call.is_in_place(SEND) || at.is_none() {
        uses.push(elements(call, SEND, given, DATATYPE)?);
    }
    if gets {
        uses.push(BufferUse { writes: true, ..elements(call, RESULT, taken, DATATYPE)? });
    }
    Ok(uses)
}

/// So many elements at an address, of the datatype that another argument names.
fn elements(call: &mut Call<'_>, argument: usize, count: u64, datatype: usize) -> Result<BufferUse, Refusal> {
    let datatype = call.committed(datatype)?;
    let address = call.address(argument);
    let buffer = Buffer { address, count, datatype, form: call.form(), vague: call.vague, site: call.site };
    Ok(BufferUse::new(argument, call.function.writes(argument), vec![buffer]))
}

/// The value of the argument with the address.
pub fn address(call: &Call<'_>, one: &BufferUse) -> Value {
    call.env.argument(one.argument)
}

/// The first byte that the block touches, and how many from there.
pub fn extent(block: &Buffer) -> Option<(Pointer, u64)> {
    let (start, end) = block.datatype.span(block.count);
    let address = block.address.filter(|_| !block.datatype.scattered && !cross_object::leaves(start, end))?;
    Some((moved(address, start), u64::try_from(end.checked_sub(start)?).ok()?))
}
