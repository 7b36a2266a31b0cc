//! What a call reads and writes, from its arguments alone.

use crate::call::{Call, Peer, Refusal};
use crate::checks::state::uses::BufferUse;
use crate::collectives::plan::Places;
use crate::data::buffer::{Buffer, moved};
use crate::data::several_objects;
use chronos_activity::CommId;
use chronos_ir::ScalarType;
use chronos_mpi::ReduceOp;
use chronos_values::{Pointer, Value};

/// What the call reads and writes; nothing where its arguments are wrong, which its own handler tells.
pub fn of(call: &mut Call<'_>) -> Vec<BufferUse> {
    let (vague, told) = (call.vague, call.world.vague);
    let uses = by_name(call).unwrap_or_default();
    (call.vague, call.world.vague) = (vague, told);
    uses
}

fn by_name(call: &mut Call<'_>) -> Result<Vec<BufferUse>, Refusal> {
    let name = call.name.strip_prefix("MPI_").unwrap_or(call.name);
    let name = name.strip_suffix("_init").unwrap_or(name);
    match name {
        "Send" | "Bsend" | "Ssend" | "Rsend" | "Isend" | "Ibsend" | "Issend" | "Irsend" => sent(call, 0, 5),
        "Recv" | "Irecv" => received(call, 0, 5),
        "Mrecv" | "Imrecv" => Ok(vec![BufferUse { at_most: true, ..BufferUse::new(0, true, vec![call.buffer(0)?]) }]),
        "Sendrecv" => Ok([sent(call, 0, 10)?, received(call, 5, 10)?].concat()),
        "Sendrecv_replace" => received(call, 0, 7),
        "Put" | "Rput" | "Accumulate" | "Raccumulate" => Ok(vec![BufferUse::new(0, false, vec![call.buffer(0)?])]),
        "Get" | "Rget" => Ok(vec![BufferUse::new(0, true, vec![call.buffer(0)?])]),
        "Get_accumulate" | "Rget_accumulate" => get_accumulate(call),
        "Fetch_and_op" => pair(call, (!no_op(call, 5)).then_some((0, 1)), Some((1, 1)), 2),
        "Compare_and_swap" => {
            let uses = pair(call, Some((0, 1)), Some((2, 1)), 3)?;
            Ok([uses, pair(call, Some((1, 1)), None, 3)?].concat())
        }
        name => {
            let plain = name.strip_prefix('I').map(capitalised).unwrap_or_else(|| name.to_owned());
            collective(call, &plain)
        }
    }
}

/// The name of a blocking collective from that of the non-blocking one behind its `I`.
fn capitalised(rest: &str) -> String {
    let mut letters = rest.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

fn sent(call: &mut Call<'_>, first: usize, comm: usize) -> Result<Vec<BufferUse>, Refusal> {
    let comm = call.comm(comm)?;
    if call.peer(first + 3, comm, false)? == Peer::Null {
        return Ok(Vec::new());
    }
    Ok(vec![BufferUse::new(first, false, vec![call.buffer(first)?])])
}

fn received(call: &mut Call<'_>, first: usize, comm: usize) -> Result<Vec<BufferUse>, Refusal> {
    let comm = call.comm(comm)?;
    if call.peer(first + 3, comm, true)? == Peer::Null {
        return Ok(Vec::new());
    }
    Ok(vec![BufferUse { at_most: true, ..BufferUse::new(first, true, vec![call.buffer(first)?]) }])
}

/// Nothing is read where nothing is accumulated.
fn no_op(call: &Call<'_>, operation: usize) -> bool {
    let handle = call.env.argument(operation).as_int();
    handle.and_then(ReduceOp::from_handle) == Some(ReduceOp::NoOp)
}

fn get_accumulate(call: &mut Call<'_>) -> Result<Vec<BufferUse>, Refusal> {
    let mut uses = vec![BufferUse::new(3, true, vec![call.buffer(3)?])];
    if !no_op(call, 10) {
        uses.push(BufferUse::new(0, false, vec![call.buffer(0)?]));
    }
    Ok(uses)
}

fn collective(call: &mut Call<'_>, name: &str) -> Result<Vec<BufferUse>, Refusal> {
    match name {
        "Bcast" => bcast(call),
        "Gather" | "Gatherv" => gather(call, name == "Gatherv"),
        "Scatter" | "Scatterv" => scatter(call, name == "Scatterv"),
        "Allgather" => all_to(call, 6, 1, true),
        "Allgatherv" => {
            let at = everyone(call, 7)?;
            let read = own(call, 0)?;
            let written = BufferUse::new(3, true, call.listed_blocks((3, 6), (4, 5), at.size)?);
            Ok(read.into_iter().chain([written]).collect())
        }
        "Alltoall" => all_to(call, 6, usize::MAX, true),
        "Alltoallv" => alltoallv(call),
        "Alltoallw" => alltoallw(call),
        "Reduce" => reduce(call),
        "Allreduce" | "Scan" | "Exscan" => reduction(call),
        "Reduce_scatter_block" => {
            let at = everyone(call, 5)?;
            let (count, datatype) = (call.count(2)?, 3);
            let read = if call.is_in_place(0) { None } else { Some((0, count.saturating_mul(at.size as u64))) };
            pair(call, read, Some((1, count)), datatype)
        }
        "Reduce_scatter" => {
            let at = everyone(call, 5)?;
            let counts = call.elements(2, at.size)?;
            let all: i64 = counts.iter().sum();
            let read = if call.is_in_place(0) { None } else { Some((0, all.max(0).cast_unsigned())) };
            pair(call, read, Some((1, counts[at.own].max(0).cast_unsigned())), 3)
        }
        "Reduce_local" => {
            let count = call.count(2)?;
            pair(call, Some((0, count)), Some((1, count)), 3)
        }
        _ => Ok(Vec::new()),
    }
}

/// The ranks of a collective of one group; those between two groups are not looked at.
fn everyone(call: &mut Call<'_>, comm: usize) -> Result<Places, Refusal> {
    let comm = call.intracomm(comm)?;
    Ok(call.places(comm, None))
}

fn with_root(call: &mut Call<'_>, root: usize, comm: usize) -> Result<Places, Refusal> {
    let comm: CommId = call.intracomm(comm)?;
    let rank = call.int(root)?;
    let root = call.task_of(rank, comm)?;
    Ok(call.places(comm, Some(root)))
}

/// What a member gives of its own, unless it is in place.
fn own(call: &mut Call<'_>, argument: usize) -> Result<Option<BufferUse>, Refusal> {
    if call.is_in_place(argument) {
        return Ok(None);
    }
    Ok(Some(BufferUse::new(argument, false, vec![call.buffer(argument)?])))
}

/// Equal blocks one behind the other.
fn blocks(call: &mut Call<'_>, argument: usize, times: usize, writes: bool) -> Result<BufferUse, Refusal> {
    let block = call.buffer(argument)?;
    let all = Buffer { count: block.count.saturating_mul(times as u64), ..block };
    Ok(BufferUse::new(argument, writes, vec![all]))
}

fn bcast(call: &mut Call<'_>) -> Result<Vec<BufferUse>, Refusal> {
    let at = with_root(call, 3, 4)?;
    Ok(vec![BufferUse::new(0, !at.is_root(), vec![call.buffer(0)?])])
}

fn gather(call: &mut Call<'_>, listed: bool) -> Result<Vec<BufferUse>, Refusal> {
    let at = with_root(call, if listed { 7 } else { 6 }, if listed { 8 } else { 7 })?;
    let mut uses: Vec<BufferUse> = own(call, 0)?.into_iter().collect();
    if at.is_root() {
        uses.push(match listed {
            true => BufferUse::new(3, true, call.listed_blocks((3, 6), (4, 5), at.size)?),
            false => blocks(call, 3, at.size, true)?,
        });
    }
    Ok(uses)
}

fn scatter(call: &mut Call<'_>, listed: bool) -> Result<Vec<BufferUse>, Refusal> {
    let at = with_root(call, if listed { 7 } else { 6 }, if listed { 8 } else { 7 })?;
    let into = if listed { 4 } else { 3 };
    let mut uses = Vec::new();
    if at.is_root() {
        uses.push(match listed {
            true => BufferUse::new(0, false, call.listed_blocks((0, 3), (1, 2), at.size)?),
            false => blocks(call, 0, at.size, false)?,
        });
    }
    if !call.is_in_place(into) {
        uses.push(BufferUse::new(into, true, vec![call.buffer(into)?]));
    }
    Ok(uses)
}

/// Blocks for all, and from all.
fn all_to(call: &mut Call<'_>, comm: usize, given: usize, written: bool) -> Result<Vec<BufferUse>, Refusal> {
    let at = everyone(call, comm)?;
    let mut uses = Vec::new();
    if !call.is_in_place(0) {
        uses.push(blocks(call, 0, given.min(at.size), false)?);
    }
    uses.push(blocks(call, 3, at.size, written)?);
    Ok(uses)
}

fn alltoallv(call: &mut Call<'_>) -> Result<Vec<BufferUse>, Refusal> {
    let at = everyone(call, 8)?;
    let mut uses = Vec::new();
    if !call.is_in_place(0) {
        uses.push(BufferUse::new(0, false, call.listed_blocks((0, 3), (1, 2), at.size)?));
    }
    uses.push(BufferUse::new(4, true, call.listed_blocks((4, 7), (5, 6), at.size)?));
    Ok(uses)
}

fn alltoallw(call: &mut Call<'_>) -> Result<Vec<BufferUse>, Refusal> {
    let at = everyone(call, 8)?;
    let mut uses = Vec::new();
    if !call.is_in_place(0) {
        uses.push(BufferUse::new(0, false, call.typed_blocks(0, at.size, ScalarType::I32)?));
    }
    uses.push(BufferUse::new(4, true, call.typed_blocks(4, at.size, ScalarType::I32)?));
    Ok(uses)
}

fn reduce(call: &mut Call<'_>) -> Result<Vec<BufferUse>, Refusal> {
    let at = with_root(call, 5, 6)?;
    let count = call.count(2)?;
    let read = if call.is_in_place(0) { None } else { Some((0, count)) };
    pair(call, read, at.is_root().then_some((1, count)), 3)
}

fn reduction(call: &mut Call<'_>) -> Result<Vec<BufferUse>, Refusal> {
    let at = everyone(call, 5)?;
    let count = call.count(2)?;
    let read = if call.is_in_place(0) { None } else { Some((0, count)) };
    // Nothing comes before the first member.
    let first = call.name.to_ascii_lowercase().contains("exscan") && at.own == 0;
    pair(call, read, (!first).then_some((1, count)), 3)
}

/// What is read and what is written, as argument and count, of one datatype.
fn pair(
    call: &mut Call<'_>,
    read: Option<(usize, u64)>,
    written: Option<(usize, u64)>,
    datatype: usize,
) -> Result<Vec<BufferUse>, Refusal> {
    let datatype = call.committed(datatype)?;
    let buffer = |call: &Call<'_>, (argument, count)| Buffer {
        address: call.address(argument),
        count,
        datatype: datatype.clone(),
        form: call.form(),
        vague: call.vague,
        site: call.site,
    };
    let mut uses = Vec::new();
    uses.extend(read.map(|read| BufferUse::new(read.0, false, vec![buffer(call, read)])));
    uses.extend(written.map(|written| BufferUse::new(written.0, true, vec![buffer(call, written)])));
    Ok(uses)
}

/// The value of the argument with the address.
pub fn address(call: &Call<'_>, one: &BufferUse) -> Value {
    call.env.argument(one.argument)
}

/// The first byte that the block touches, and how many from there.
pub fn extent(block: &Buffer) -> Option<(Pointer, u64)> {
    let (start, end) = block.datatype.span(block.count);
    let address = block.address.filter(|_| !block.datatype.scattered && !several_objects::leaves(start, end))?;
    Some((moved(address, start), u64::try_from(end.checked_sub(start)?).ok()?))
}
