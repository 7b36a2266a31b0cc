//! What a call reads and writes, from its arguments alone.

use crate::apart;
use crate::buffer::{Buffer, moved};
use crate::call::{Call, Peer, Refusal};
use crate::collective::Places;
use chronos_activity::CommId;
use chronos_ir::ScalarType;
use chronos_mpi::ReduceOp;
use chronos_values::{ObjectId, Value};

/// Pieces of a buffer up to which it is looked at.
const PIECES: usize = 4096;

/// A buffer that a call is given, as one block or several.
#[derive(Clone, Debug)]
pub struct Use {
    /// The argument, from 0, that has the address.
    pub argument: usize,
    pub writes: bool,
    /// Its operation writes no more than what arrives, which may be less.
    pub at_most: bool,
    pub blocks: Vec<Buffer>,
    /// The memory of the blocks, as far as it is known.
    pub stretches: Vec<Stretch>,
}

/// Bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub object: ObjectId,
    pub begin: i64,
    pub end: i64,
}

impl Stretch {
    pub fn overlaps(&self, other: &Self) -> bool {
        self.object == other.object && self.begin < other.end && other.begin < self.end
    }
}

impl Use {
    fn new(argument: usize, writes: bool, blocks: Vec<Buffer>) -> Self {
        let stretches = blocks.iter().flat_map(stretches).collect();
        Self { argument, writes, at_most: false, blocks, stretches }
    }

    /// Bytes of all blocks.
    pub fn bytes(&self) -> u64 {
        self.blocks.iter().map(Buffer::bytes).fold(0, u64::saturating_add)
    }

    pub fn overlaps(&self, other: &Self) -> bool {
        self.stretches.iter().any(|one| other.stretches.iter().any(|two| one.overlaps(two)))
    }
}

/// The memory of a buffer; nothing where it is not known, or in too many pieces.
pub fn stretches(buffer: &Buffer) -> Vec<Stretch> {
    let Some(address) = buffer.address.filter(|_| buffer.vague.is_none() && buffer.bytes() > 0) else {
        return Vec::new();
    };
    let mut all: Vec<Stretch> = Vec::new();
    for piece in buffer.datatype.pieces(buffer.count, PIECES).unwrap_or_default() {
        let Some(at) = apart::reached(address, piece.memory) else { continue };
        let end = at.offset.saturating_add(i64::try_from(piece.bytes).unwrap_or(i64::MAX));
        match all.last_mut().filter(|last| last.object == at.object && last.end == at.offset) {
            Some(last) => last.end = end,
            None => all.push(Stretch { object: at.object, begin: at.offset, end }),
        }
    }
    all
}

/// What the call reads and writes; nothing where its arguments are wrong, which its own handler tells.
pub fn of(call: &mut Call<'_>) -> Vec<Use> {
    let (vague, told) = (call.vague, call.world.vague);
    let uses = by_name(call).unwrap_or_default();
    (call.vague, call.world.vague) = (vague, told);
    uses
}

fn by_name(call: &mut Call<'_>) -> Result<Vec<Use>, Refusal> {
    let name = call.name.strip_prefix("MPI_").unwrap_or(call.name);
    let name = name.strip_suffix("_init").unwrap_or(name);
    match name {
        "Send" | "Bsend" | "Ssend" | "Rsend" | "Isend" | "Ibsend" | "Issend" | "Irsend" => sent(call, 0, 5),
        "Recv" | "Irecv" => received(call, 0, 5),
        "Mrecv" | "Imrecv" => Ok(vec![Use { at_most: true, ..Use::new(0, true, vec![call.buffer(0)?]) }]),
        "Sendrecv" => Ok([sent(call, 0, 10)?, received(call, 5, 10)?].concat()),
        "Sendrecv_replace" => received(call, 0, 7),
        "Put" | "Rput" | "Accumulate" | "Raccumulate" => Ok(vec![Use::new(0, false, vec![call.buffer(0)?])]),
        "Get" | "Rget" => Ok(vec![Use::new(0, true, vec![call.buffer(0)?])]),
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

fn sent(call: &mut Call<'_>, first: usize, comm: usize) -> Result<Vec<Use>, Refusal> {
    let comm = call.comm(comm)?;
    if call.peer(first + 3, comm, false)? == Peer::Null {
        return Ok(Vec::new());
    }
    Ok(vec![Use::new(first, false, vec![call.buffer(first)?])])
}

fn received(call: &mut Call<'_>, first: usize, comm: usize) -> Result<Vec<Use>, Refusal> {
    let comm = call.comm(comm)?;
    if call.peer(first + 3, comm, true)? == Peer::Null {
        return Ok(Vec::new());
    }
    Ok(vec![Use { at_most: true, ..Use::new(first, true, vec![call.buffer(first)?]) }])
}

/// Nothing is read where nothing is accumulated.
fn no_op(call: &Call<'_>, operation: usize) -> bool {
    let handle = call.env.argument(operation).as_int();
    handle.and_then(ReduceOp::from_handle) == Some(ReduceOp::NoOp)
}

fn get_accumulate(call: &mut Call<'_>) -> Result<Vec<Use>, Refusal> {
    let mut uses = vec![Use::new(3, true, vec![call.buffer(3)?])];
    if !no_op(call, 10) {
        uses.push(Use::new(0, false, vec![call.buffer(0)?]));
    }
    Ok(uses)
}

fn collective(call: &mut Call<'_>, name: &str) -> Result<Vec<Use>, Refusal> {
    match name {
        "Bcast" => bcast(call),
        "Gather" | "Gatherv" => gather(call, name == "Gatherv"),
        "Scatter" | "Scatterv" => scatter(call, name == "Scatterv"),
        "Allgather" => all_to(call, 6, 1, true),
        "Allgatherv" => {
            let at = everyone(call, 7)?;
            let read = own(call, 0)?;
            let written = Use::new(3, true, call.listed_blocks(3, 6, 4, 5, at.size)?);
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
fn own(call: &mut Call<'_>, argument: usize) -> Result<Option<Use>, Refusal> {
    if call.is_in_place(argument) {
        return Ok(None);
    }
    Ok(Some(Use::new(argument, false, vec![call.buffer(argument)?])))
}

/// Equal blocks one behind the other.
fn blocks(call: &mut Call<'_>, argument: usize, times: usize, writes: bool) -> Result<Use, Refusal> {
    let block = call.buffer(argument)?;
    let all = Buffer { count: block.count.saturating_mul(times as u64), ..block };
    Ok(Use::new(argument, writes, vec![all]))
}

fn bcast(call: &mut Call<'_>) -> Result<Vec<Use>, Refusal> {
    let at = with_root(call, 3, 4)?;
    Ok(vec![Use::new(0, !at.is_root(), vec![call.buffer(0)?])])
}

fn gather(call: &mut Call<'_>, listed: bool) -> Result<Vec<Use>, Refusal> {
    let at = with_root(call, if listed { 7 } else { 6 }, if listed { 8 } else { 7 })?;
    let mut uses: Vec<Use> = own(call, 0)?.into_iter().collect();
    if at.is_root() {
        uses.push(match listed {
            true => Use::new(3, true, call.listed_blocks(3, 6, 4, 5, at.size)?),
            false => blocks(call, 3, at.size, true)?,
        });
    }
    Ok(uses)
}

fn scatter(call: &mut Call<'_>, listed: bool) -> Result<Vec<Use>, Refusal> {
    let at = with_root(call, if listed { 7 } else { 6 }, if listed { 8 } else { 7 })?;
    let into = if listed { 4 } else { 3 };
    let mut uses = Vec::new();
    if at.is_root() {
        uses.push(match listed {
            true => Use::new(0, false, call.listed_blocks(0, 3, 1, 2, at.size)?),
            false => blocks(call, 0, at.size, false)?,
        });
    }
    if !call.is_in_place(into) {
        uses.push(Use::new(into, true, vec![call.buffer(into)?]));
    }
    Ok(uses)
}

/// Blocks for all, and from all.
fn all_to(call: &mut Call<'_>, comm: usize, given: usize, written: bool) -> Result<Vec<Use>, Refusal> {
    let at = everyone(call, comm)?;
    let mut uses = Vec::new();
    if !call.is_in_place(0) {
        uses.push(blocks(call, 0, given.min(at.size), false)?);
    }
    uses.push(blocks(call, 3, at.size, written)?);
    Ok(uses)
}

fn alltoallv(call: &mut Call<'_>) -> Result<Vec<Use>, Refusal> {
    let at = everyone(call, 8)?;
    let mut uses = Vec::new();
    if !call.is_in_place(0) {
        uses.push(Use::new(0, false, call.listed_blocks(0, 3, 1, 2, at.size)?));
    }
    uses.push(Use::new(4, true, call.listed_blocks(4, 7, 5, 6, at.size)?));
    Ok(uses)
}

fn alltoallw(call: &mut Call<'_>) -> Result<Vec<Use>, Refusal> {
    let at = everyone(call, 8)?;
    let mut uses = Vec::new();
    if !call.is_in_place(0) {
        uses.push(Use::new(0, false, call.typed_blocks(0, at.size, ScalarType::I32)?));
    }
    uses.push(Use::new(4, true, call.typed_blocks(4, at.size, ScalarType::I32)?));
    Ok(uses)
}

fn reduce(call: &mut Call<'_>) -> Result<Vec<Use>, Refusal> {
    let at = with_root(call, 5, 6)?;
    let count = call.count(2)?;
    let read = if call.is_in_place(0) { None } else { Some((0, count)) };
    pair(call, read, at.is_root().then_some((1, count)), 3)
}

fn reduction(call: &mut Call<'_>) -> Result<Vec<Use>, Refusal> {
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
) -> Result<Vec<Use>, Refusal> {
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
    uses.extend(read.map(|read| Use::new(read.0, false, vec![buffer(call, read)])));
    uses.extend(written.map(|written| Use::new(written.0, true, vec![buffer(call, written)])));
    Ok(uses)
}

/// The value of the argument with the address.
pub fn address(call: &Call<'_>, one: &Use) -> Value {
    call.env.argument(one.argument)
}

/// The first byte that the block touches, and how many from there.
pub fn extent(block: &Buffer) -> Option<(chronos_values::Pointer, u64)> {
    let (start, end) = block.datatype.span(block.count);
    let address = block.address.filter(|_| !block.datatype.scattered && !apart::leaves(start, end))?;
    Some((moved(address, start), u64::try_from(end.checked_sub(start)?).ok()?))
}
