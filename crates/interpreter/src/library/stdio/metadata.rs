//! Files beside their streams: what the system says of them (sys/stat.h), and their content as memory (sys/mman.h).
//!
//! A size is known of a file that was given and that the program does not change. Owners, rights and times are of the run.

use super::super::Call;
use super::descriptors::{STANDARD, file};
use super::streams::{access, content_given};
use crate::execute::machine::Flow;
use chronos_ir::{DataModel, ScalarType};
use chronos_values::storage::Fill;
use chronos_values::{Pointer, Value};

/// Where `st_size` stands in the `struct stat` of Linux on x86-64 and aarch64, 8 bytes long.
const SIZE_AT: i64 = 48;
/// `MAP_ANONYMOUS` of Linux: memory without a file behind it, which is zero.
const ANONYMOUS: i64 = 0x20;
/// What `fstat` and `mmap` (`MAP_FAILED`) give where they fail.
const FAILED: Value = Value::Int(-1);
/// Bytes of the addresses that a process has on x86-64 and aarch64.
const MOST: u64 = 1 << 47;
/// Behind the end of a file, the rest of its last page is zero.
const PAGE: u64 = 4096;

/// `stat` and `lstat`: by the name that is argument 0.
pub(super) fn stat(call: &mut Call) -> Flow<Value> {
    let found = access(call)?;
    let name = call.text(0)?.map(|name| String::from_utf8_lossy(&name).into_owned());
    let size = name.and_then(|name| content_given(call, &name)).map(|content| content.len());
    describe(call, size)?;
    Ok(found)
}

/// By the descriptor that is argument 0.
pub(super) fn fstat(call: &mut Call) -> Flow<Value> {
    let Some(descriptor) = call.integer(0) else {
        describe(call, None)?;
        return Ok(call.reason_at(0));
    };
    if !is_open(call, descriptor) {
        return Ok(FAILED);
    }
    let size = file(call, 0)?.ok().map(|(_, content, _)| content.len());
    describe(call, size)?;
    Ok(Value::Int(0))
}

fn is_open(call: &Call, descriptor: i64) -> bool {
    let is_standard = (0..=STANDARD).contains(&descriptor);
    is_standard || call.machine.task.streams.described(descriptor).is_some()
}

/// Fills the structure that is argument 1.
fn describe(call: &mut Call, size: Option<usize>) -> Flow<()> {
    let Some(to) = call.pointer(1)? else { return Ok(()) };
    let unknown = call.random("what the system says of a file");
    call.blur(to, unknown);
    match size.filter(|_| call.model() == DataModel::Lp64) {
        Some(size) => {
            let at = Pointer { offset: to.offset + SIZE_AT, ..to };
            call.machine.store_at(at, ScalarType::I64, Value::Int(size as i64), "memory")
        }
        None => Ok(()),
    }
}

/// A part of the file behind argument 4 as memory, from the offset that is argument 5 on; or memory alone.
pub(super) fn mmap(call: &mut Call) -> Flow<Value> {
    let Some(length) = call.integer(1).and_then(|length| u64::try_from(length).ok()) else {
        return Ok(call.reason_at(1));
    };
    if !(1..=MOST).contains(&length) {
        return Ok(FAILED);
    }
    let size = length.next_multiple_of(PAGE);
    match call.integer(3) {
        Some(flags) if flags & ANONYMOUS != 0 => Ok(call.machine.allocation(size, call.call, Fill::Zero)),
        _ => mapped(call, length, size),
    }
}

fn mapped(call: &mut Call, length: u64, size: u64) -> Flow<Value> {
    let Some(descriptor) = call.integer(4) else { return Ok(call.reason_at(4)) };
    if !is_open(call, descriptor) {
        return Ok(FAILED);
    }
    let begin = call.integer(5).and_then(|offset| usize::try_from(offset).ok());
    let (content, begin) = match (file(call, 4)?, begin) {
        (Ok((_, content, _)), Some(begin)) => (content, begin),
        (Ok(_), None) => return Ok(call.reason_at(5)),
        (Err(unknown), _) => return Ok(call.machine.allocation(size, call.call, Fill::Value(unknown))),
    };
    let memory = call.machine.allocation(size, call.call, Fill::Zero);
    if let Value::Pointer(to) = memory {
        let rest = content.get(begin..).unwrap_or_default();
        call.put_bytes(to, &rest[..rest.len().min(length as usize)])?;
    }
    Ok(memory)
}
