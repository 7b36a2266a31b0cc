//! What the reading functions give: lines, bytes, records, numbers in text.

use super::super::{Call, scan};
use super::streams::{advance, lose_stream, open, open_for};
use crate::execute::machine::Flow;
use crate::library::placeholders::Wanted;
use chronos_values::Value;
use chronos_values::storage::Fill;

pub(super) fn fgets(call: &mut Call) -> Flow<Value> {
    let Some(to) = call.pointer(0)? else { return Ok(call.unknown()) };
    match (open_for(call, Some(2), Wanted::Line)?, call.integer(1)) {
        (Ok((object, content, at)), Some(room)) => {
            let rest = &content[at.min(content.len())..];
            let line = rest.iter().position(|&b| b == b'\n').map_or(rest.len(), |i| i + 1);
            let count = line.min((room.max(1) - 1) as usize);
            advance(call, object, count, count == rest.len() && line == count && rest.last() != Some(&b'\n'));
            if count == 0 {
                advance(call, object, 0, true);
                return Ok(Value::NULL);
            }
            call.put_text(to, &rest[..count])?;
            Ok(Value::Pointer(to))
        }
        (Ok(_), None) => Ok(call.unknown()),
        (Err(unknown), _) => {
            call.blur(to, unknown);
            Ok(unknown)
        }
    }
}

pub(super) fn get_byte(call: &mut Call, index: Option<usize>) -> Flow<Value> {
    match open_for(call, index, Wanted::Line)? {
        Ok((object, content, at)) => {
            let byte = content.get(at).copied();
            advance(call, object, usize::from(byte.is_some()), byte.is_none());
            Ok(Value::Int(byte.map_or(-1, i64::from)))
        }
        Err(unknown) => Ok(unknown),
    }
}

pub(super) fn getline(call: &mut Call) -> Flow<Value> {
    use chronos_ir::ScalarType;
    let (Some(line), Some(size)) = (call.pointer(0)?, call.pointer(1)?) else { return Ok(call.unknown()) };
    match open_for(call, Some(2), Wanted::Line)? {
        Ok((object, content, at)) => {
            let rest = &content[at.min(content.len())..];
            let count = rest.iter().position(|&b| b == b'\n').map_or(rest.len(), |i| i + 1);
            advance(call, object, count, count == 0);
            if count == 0 {
                return Ok(Value::Int(-1));
            }
            let text = call.new_text(&rest[..count]);
            call.machine.store_at(line, ScalarType::Pointer, text, "memory")?;
            let word = call.model().unsigned_long();
            call.machine.store_at(size, word, Value::Int(count as i64 + 1), "memory")?;
            Ok(Value::Int(count as i64))
        }
        Err(unknown) => {
            call.machine.store_at(line, ScalarType::Pointer, unknown, "memory")?;
            let word = call.model().unsigned_long();
            call.machine.store_at(size, word, unknown, "memory")?;
            Ok(unknown)
        }
    }
}

pub(super) fn scan_stream(call: &mut Call, stream: Option<usize>, at: usize) -> Flow<Value> {
    let Some(format) = call.text(at)? else {
        let unknown = call.reason_at(at);
        lose_stream(call, stream)?;
        forget_targets(call, at + 1, &[], unknown);
        return Ok(unknown);
    };
    match open_for(call, stream, Wanted::Format(&format))? {
        Ok((object, content, position)) => {
            let done = scan::scan(call, &content[position.min(content.len())..], &format, at + 1)?;
            advance(call, object, done.used, done.ended);
            Ok(Value::Int(if done.stored == 0 && done.ended { -1 } else { done.stored }))
        }
        Err(unknown) => {
            forget_targets(call, at + 1, &scan::targets(&format, call.model()), unknown);
            Ok(unknown)
        }
    }
}

/// Values read from unknown input: as many bytes at each pointer as its conversion may write, and all behind it where that
/// is not known.
pub(super) fn forget_targets(call: &mut Call, first: usize, targets: &[Option<u64>], unknown: Value) {
    for index in first..call.args.len() {
        let bytes = targets.get(index - first).copied().flatten().unwrap_or(u64::MAX);
        if let Value::Pointer(pointer) = call.arg(index) {
            let size = call.machine.task.memory.object(pointer.object).size;
            let left = size.saturating_sub(pointer.offset.max(0) as u64);
            call.machine.fill(pointer, left.min(bytes), Fill::Value(unknown));
        }
    }
}

pub(super) fn sscanf(call: &mut Call) -> Flow<Value> {
    let (Some(text), Some(format)) = (call.text(0)?, call.text(1)?) else {
        let unknown = if call.text(0)?.is_none() { call.reason_at(0) } else { call.reason_at(1) };
        let targets = call.text(1)?.map_or(Vec::new(), |format| scan::targets(&format, call.model()));
        forget_targets(call, 2, &targets, unknown);
        return Ok(unknown);
    };
    call.volume(text.len() as u64);
    let done = scan::scan(call, &text, &format, 2)?;
    Ok(Value::Int(if done.stored == 0 && done.ended { -1 } else { done.stored }))
}

pub(super) fn fread(call: &mut Call) -> Flow<Value> {
    let Some(to) = call.pointer(0)? else { return Ok(call.unknown()) };
    match (open(call, Some(3))?, call.integer(1), call.integer(2)) {
        (Ok((object, content, at)), Some(size), Some(count)) if size > 0 && count >= 0 => {
            let rest = &content[at.min(content.len())..];
            let items = (rest.len() / size as usize).min(count as usize);
            let bytes = items * size as usize;
            call.put_bytes(to, &rest[..bytes])?;
            advance(call, object, bytes, items < count as usize);
            Ok(Value::Int(items as i64))
        }
        (Ok(_), ..) => Ok(Value::Int(0)),
        (Err(unknown), ..) => {
            call.blur(to, unknown);
            Ok(unknown)
        }
    }
}
