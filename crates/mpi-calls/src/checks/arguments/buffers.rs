//! Buffers that are null, too short, or share memory with another buffer of the same call.

use crate::call::Call;
use crate::checks::arguments::uses::{address, extent};
use crate::checks::codes;
use crate::checks::state::uses::BufferUse;
use crate::data::buffer::Buffer;
use chronos_base::diag::Diagnostic;
use chronos_values::Value;

/// Addresses that no object has; a datatype that begins behind them has absolute addresses.
pub(crate) const FIRST_PAGE: i64 = 4096;

pub fn check(call: &mut Call<'_>, uses: &[BufferUse]) {
    let mut found = Vec::new();
    for one in uses.iter().filter(|one| one.bytes() > 0) {
        found.extend(without_memory(call, one).or_else(|| too_short(call, one)));
        found.extend(own_overlap(call, one));
    }
    found.extend(aliased(call, uses));
    found.into_iter().for_each(|finding| call.mpi.tell(finding));
}

fn ordinal(one: &BufferUse) -> usize {
    one.argument + 1
}

/// The buffer is null although data is moved.
fn without_memory(call: &Call<'_>, one: &BufferUse) -> Option<Diagnostic> {
    let relative = |block: &Buffer| !block.datatype.scattered && block.datatype.true_lower.abs() < FIRST_PAGE;
    let moves = one.blocks.iter().any(|block| block.bytes() > 0 && relative(block));
    let dead = one.blocks.iter().filter_map(|block| block.address).any(|at| !call.env.is_live(at.object));
    let what = match address(call, one) {
        Value::Int(0) if moves => "a null pointer",
        Value::Pointer(_) if dead => "memory whose life has ended",
        Value::Unknown(reason) if call.env.was_never_set(reason) => "an address that was never set",
        _ => return None,
    };
    let message = format!("{} is given {what} as buffer (argument {})", call.name(), ordinal(one));
    let does = if one.writes { "written" } else { "read" };
    Some(
        Diagnostic::error(&codes::NULL_BUFFER, message)
            .label(call.span, format!("{} bytes are to be {does} there", one.bytes()))
            .help("allocate the buffer before the call, or give a count of 0"),
    )
}

/// A block reaches beyond its object.
fn too_short(call: &Call<'_>, one: &BufferUse) -> Option<Diagnostic> {
    let (need, room) = one.blocks.iter().filter(|block| block.bytes() > 0).find_map(|block| beyond(call, block))?;
    let does = if one.writes { "write" } else { "read" };
    let message =
        format!("{} may {does} {need} bytes of a buffer (argument {}) that has {room}", call.name(), ordinal(one));
    let new = if one.at_most { Diagnostic::warning } else { Diagnostic::error };
    let text = if one.at_most { "a message of this size overwrites what lies behind" } else { "beyond the buffer" };
    let finding = new(&codes::SHORT_BUFFER, message).label(call.span, text);
    Some(finding.help("make count, datatype and displacements those of the buffer"))
}

/// How many bytes a block needs from its address on, and how many there are.
fn beyond(call: &Call<'_>, block: &Buffer) -> Option<(i64, u64)> {
    let address = block.address?;
    let (begin, bytes) = extent(block)?;
    let room = call.env.room(address).unwrap_or(0);
    let end = begin.offset.checked_add_unsigned(bytes)? - address.offset;
    let inside = begin.offset >= 0 && end <= i64::try_from(room).unwrap_or(i64::MAX);
    (!inside).then_some((end, room))
}

/// Blocks of one buffer that are written and overlap.
fn own_overlap(call: &Call<'_>, one: &BufferUse) -> Option<Diagnostic> {
    if !one.writes || one.blocks.len() < 2 {
        return None;
    }
    let mut all = one.stretches.clone();
    all.sort_unstable_by_key(|stretch| (stretch.object, stretch.begin));
    let overlap = all.windows(2).any(|pair| pair[0].overlaps(&pair[1]));
    overlap.then(|| {
        let message =
            format!("blocks of the buffer that {} receives into (argument {}) overlap", call.name(), ordinal(one));
        Diagnostic::error(&codes::ALIASED, message)
            .label(call.span, "some bytes are written twice")
            .help("choose counts and displacements so that blocks do not overlap")
    })
}

/// Two buffers of the call overlap and one of them is written.
fn aliased(call: &Call<'_>, uses: &[BufferUse]) -> Option<Diagnostic> {
    let pairs = uses.iter().enumerate().flat_map(|(i, one)| uses[i + 1..].iter().map(move |two| (one, two)));
    let (one, two) = pairs.into_iter().find(|(one, two)| (one.writes || two.writes) && one.overlaps(two))?;
    let message =
        format!("the buffers of {} (arguments {} and {}) share memory", call.name(), ordinal(one), ordinal(two));
    Some(
        Diagnostic::error(&codes::ALIASED, message)
            .label(call.span, "one of them is written")
            .help("use MPI_IN_PLACE (MPI_Sendrecv_replace for MPI_Sendrecv), or separate buffers"),
    )
}
