//! Files by their descriptors (fcntl.h, unistd.h): what was given of them is read as that of streams is, without a buffer between.

use super::super::Call;
use super::streams::{OpenMode, Opened, advance, go_to, lose_opened, open_file, opened};
use crate::execute::machine::Flow;
use chronos_values::{Pointer, Value};

/// `O_ACCMODE`, `O_RDONLY`, `O_WRONLY`, `O_CREAT` of Linux, on all its processors that have machine files.
const ACCESS: i64 = 3;
const READ_ONLY: i64 = 0;
const WRITE_ONLY: i64 = 1;
const CREATE: i64 = 0o100;

/// Descriptors up to here are the standard streams.
pub(super) const STANDARD: i64 = 2;

pub(super) fn open_descriptor(call: &mut Call) -> Flow<Value> {
    let (Some(name), Some(flags)) = (call.text(0)?, call.integer(1)) else { return Ok(call.reason_at(0)) };
    let access = flags & ACCESS;
    let mode = OpenMode { reads: access != WRITE_ONLY, writes: access != READ_ONLY, must_exist: flags & CREATE == 0 };
    let opened = open_file(call, &String::from_utf8_lossy(&name), mode)?;
    Ok(opened.map_or_else(|unknown| unknown, |object| Value::Int(call.machine.task.streams.describe(object))))
}

pub(super) fn close(call: &mut Call) -> Flow<Value> {
    lose_standard_input(call, 0);
    if let Some(descriptor) = call.integer(0) {
        call.machine.task.streams.close_descriptor(descriptor);
        call.machine.task.epoch += 1;
    }
    Ok(Value::Int(0))
}

/// The stream behind the descriptor that is an argument.
fn stream(call: &mut Call, index: usize) -> Value {
    let Some(descriptor) = call.integer(index) else { return call.arg(index) };
    match call.machine.task.streams.described(descriptor) {
        Some(object) => Value::Pointer(Pointer { object, offset: 0 }),
        None if (0..=STANDARD).contains(&descriptor) => call.undefined("a standard stream by its descriptor"),
        None => call.undefined("a descriptor that is not open"),
    }
}

/// Where an argument may be the descriptor of standard input, nobody knows how far that is read: its stream
/// reads ahead.
fn lose_standard_input(call: &mut Call, index: usize) {
    let descriptor = call.integer(index);
    if descriptor.is_some_and(|descriptor| descriptor > STANDARD) {
        return;
    }
    let task = &mut *call.machine.task;
    if descriptor.is_none() {
        // It may be that of any stream.
        let reading = task.streams.files.iter_mut().filter(|(_, stream)| stream.reads);
        reading.for_each(|(_, stream)| stream.lose("a call by a descriptor"));
    }
    if let Value::Pointer(input) = task.streams.standard(&mut task.memory, 0) {
        lose_opened(call, input.object, "a call by its descriptor");
        call.machine.task.epoch += 1;
    }
}

/// The file behind the descriptor that is an argument and where it stands, or the unknown value that reading it gives.
pub(super) fn file(call: &mut Call, index: usize) -> Flow<Result<Opened, Value>> {
    let stream = stream(call, index);
    lose_standard_input(call, index);
    opened(call, stream)
}

pub(super) fn read(call: &mut Call) -> Flow<Value> {
    match file(call, 0)? {
        Ok((object, content, at)) => {
            let taken = take(call, content.get(at..).unwrap_or_default())?;
            if let Value::Int(bytes) = taken {
                advance(call, object, bytes as usize, false);
            }
            Ok(taken)
        }
        Err(unknown) => lose_buffer(call, unknown),
    }
}

/// As `read`, from a place of its own.
pub(super) fn pread(call: &mut Call) -> Flow<Value> {
    let at = call.integer(3).and_then(|at| usize::try_from(at).ok());
    match (file(call, 0)?, at) {
        (Ok((_, content, _)), Some(at)) => {
            let taken = take(call, content.get(at..).unwrap_or_default())?;
            if let Value::Int(bytes) = taken {
                call.volume(bytes as u64);
            }
            Ok(taken)
        }
        (Ok(_), None) => {
            let unknown = call.reason_at(3);
            lose_buffer(call, unknown)
        }
        (Err(unknown), _) => lose_buffer(call, unknown),
    }
}

/// Brings as many bytes as are asked for and there to the buffer, and tells how many.
fn take(call: &mut Call, rest: &[u8]) -> Flow<Value> {
    let Some(wanted) = call.integer(2) else {
        let unknown = call.reason_at(2);
        return lose_buffer(call, unknown);
    };
    let bytes = rest.len().min(wanted.max(0) as usize);
    if let Some(to) = call.pointer(1)? {
        call.put_bytes(to, &rest[..bytes])?;
    }
    Ok(Value::Int(bytes as i64))
}

fn lose_buffer(call: &mut Call, unknown: Value) -> Flow<Value> {
    if let Some(to) = call.pointer(1)? {
        call.blur(to, unknown);
    }
    Ok(unknown)
}

/// All is written: that a disk is full is not followed.
pub(super) fn write(call: &mut Call) -> Flow<Value> {
    if let Some(bytes) = call.integer(2) {
        call.volume(bytes.max(0) as u64);
    }
    Ok(call.arg(2))
}

pub(super) fn lseek(call: &mut Call) -> Flow<Value> {
    let (offset, origin) = (call.integer(1), call.integer(2));
    let (object, content, at) = match file(call, 0)? {
        Ok(opened) => opened,
        Err(unknown) => return Ok(unknown),
    };
    let base = match origin {
        Some(0) => Some(0),
        Some(1) => Some(at),
        Some(2) => Some(content.len()),
        _ => None,
    };
    let (Some(base), Some(offset)) = (base, offset) else {
        lose_opened(call, object, "`lseek`");
        return Ok(call.undefined("a position in a file"));
    };
    let to = (base as i64).saturating_add(offset);
    match usize::try_from(to) {
        Ok(place) => {
            go_to(call, object, place);
            Ok(Value::Int(to))
        }
        Err(_) => Ok(Value::Int(-1)),
    }
}
