//! string.h and strings.h.

use super::{Call, Model};
use crate::execute::access::AccessTarget;
use crate::execute::machine::Flow;
use chronos_ir::ScalarType;
use chronos_mpi_calls::AccessKind;
use chronos_values::arith::from_bytes;
use chronos_values::storage::Fill;
use chronos_values::{Pointer, Value};

models! {
    pub fn lookup(name: &str) -> Option<Model> {
        "strlen" => strlen,
        "strnlen" => strnlen,
        "strcmp" => |c| compare(c, false, false),
        "strncmp" => |c| compare(c, true, false),
        "strcasecmp" => |c| compare(c, false, true),
        "strncasecmp" => |c| compare(c, true, true),
        "strcoll" => |c| {
            c.depends_on_locale();
            compare(c, false, false)
        },
        "strcpy" => |c| copy(c, false, false),
        "stpcpy" => |c| copy(c, false, true),
        "strcat" => |c| copy(c, true, false),
        "strncpy" => strncpy,
        "strncat" => strncat,
        "strchr" | "index" => |c| find_byte(c, false),
        "strrchr" | "rindex" => |c| find_byte(c, true),
        "strstr" => strstr,
        "strspn" => |c| span(c, true),
        "strcspn" => |c| span(c, false),
        "strpbrk" => strpbrk,
        "strtok" => strtok,
        "strtok_r" => strtok_r,
        "memchr" => memchr,
        "strdup" => strdup,
        "strndup" => strdup,
        "memcpy" | "memmove" | "__builtin_memcpy" => |c| memcpy(c, 0, 1),
        "bcopy" => |c| memcpy(c, 1, 0),
        "memset" | "__builtin_memset" => memset,
        "bzero" => bzero,
        "memcmp" | "bcmp" => memcmp,
        "strerror" => |c| Ok(c.undefined("the text of an error number")),
    }
}

fn strlen(call: &mut Call) -> Flow<Value> {
    match call.text(0)? {
        Some(text) => {
            call.volume(text.len() as u64);
            Ok(Value::Int(text.len() as i64))
        }
        None => Ok(call.reason_at(0)),
    }
}

fn strnlen(call: &mut Call) -> Flow<Value> {
    let (text, limit) = (call.text(0)?, call.integer(1));
    Ok(match (text, limit) {
        (Some(text), Some(n)) => Value::Int((text.len() as i64).min(n)),
        _ => call.reason_at(0),
    })
}

fn compare(call: &mut Call, limited: bool, fold: bool) -> Flow<Value> {
    let (Some(mut a), Some(mut b)) = (call.text(0)?, call.text(1)?) else {
        return Ok(if call.text(0)?.is_none() { call.reason_at(0) } else { call.reason_at(1) });
    };
    if limited {
        let Some(n) = call.integer(2) else { return Ok(call.unknown()) };
        a.truncate(n.max(0) as usize);
        b.truncate(n.max(0) as usize);
    }
    if fold {
        a.make_ascii_lowercase();
        b.make_ascii_lowercase();
    }
    call.volume(a.len().min(b.len()) as u64);
    Ok(Value::Int(difference(&a, &b)))
}

/// The first two bytes that differ, subtracted, as glibc has it on most processors; the standard gives the sign alone.
fn difference(a: &[u8], b: &[u8]) -> i64 {
    let byte = |text: &[u8], at: usize| text.get(at).map_or(0, |&byte| i64::from(byte));
    let differences = (0..a.len().max(b.len())).map(|at| byte(a, at) - byte(b, at));
    differences.into_iter().find(|&difference| difference != 0).unwrap_or(0)
}

fn moved(pointer: Pointer, by: usize) -> Pointer {
    Pointer { object: pointer.object, offset: pointer.offset + by as i64 }
}

fn copy(call: &mut Call, append: bool, to_end: bool) -> Flow<Value> {
    let Some(to) = call.written_pointer()? else { return Ok(call.unknown()) };
    let skip = if append { call.text(0)?.map(|text| text.len()) } else { Some(0) };
    match (call.text(1)?, skip) {
        (Some(text), Some(skip)) => {
            call.volume(text.len() as u64 + 1);
            call.put_text(moved(to, skip), &text)?;
            Ok(Value::Pointer(if to_end { moved(to, text.len()) } else { to }))
        }
        _ => {
            let unknown = call.reason_at(1);
            call.blur(to, unknown);
            Ok(Value::Pointer(to))
        }
    }
}

fn strncpy(call: &mut Call) -> Flow<Value> {
    let Some(to) = call.written_pointer()? else { return Ok(call.unknown()) };
    match (call.text(1)?, call.integer(2)) {
        (Some(mut text), Some(n)) => {
            text.resize(n.max(0) as usize, 0);
            call.volume(text.len() as u64);
            call.put_bytes(to, &text)?;
        }
        _ => {
            let unknown = call.reason_at(1);
            call.blur(to, unknown);
        }
    }
    Ok(Value::Pointer(to))
}

fn strncat(call: &mut Call) -> Flow<Value> {
    let Some(to) = call.written_pointer()? else { return Ok(call.unknown()) };
    match (call.text(0)?, call.text(1)?, call.integer(2)) {
        (Some(old), Some(mut text), Some(n)) => {
            text.truncate(n.max(0) as usize);
            call.volume(text.len() as u64);
            call.put_text(moved(to, old.len()), &text)?;
        }
        _ => {
            let unknown = call.reason_at(1);
            call.blur(to, unknown);
        }
    }
    Ok(Value::Pointer(to))
}

fn find_byte(call: &mut Call, last: bool) -> Flow<Value> {
    let (Some(at), Some(mut text), Some(byte)) = (call.pointer(0)?, call.text(0)?, call.integer(1)) else {
        return Ok(call.reason_at(0));
    };
    text.push(0);
    call.volume(text.len() as u64);
    let byte = byte as u8;
    let found = if last { text.iter().rposition(|&b| b == byte) } else { text.iter().position(|&b| b == byte) };
    Ok(found.map_or(Value::NULL, |i| Value::Pointer(moved(at, i))))
}

fn strstr(call: &mut Call) -> Flow<Value> {
    let (Some(at), Some(text), Some(part)) = (call.pointer(0)?, call.text(0)?, call.text(1)?) else {
        return Ok(call.reason_at(0));
    };
    call.volume(text.len() as u64);
    if part.is_empty() {
        return Ok(Value::Pointer(at));
    }
    let found = text.windows(part.len()).position(|window| window == part);
    Ok(found.map_or(Value::NULL, |i| Value::Pointer(moved(at, i))))
}

fn span(call: &mut Call, accept: bool) -> Flow<Value> {
    let (Some(text), Some(set)) = (call.text(0)?, call.text(1)?) else { return Ok(call.reason_at(0)) };
    let length = text.iter().take_while(|byte| set.contains(byte) == accept).count();
    Ok(Value::Int(length as i64))
}

fn strpbrk(call: &mut Call) -> Flow<Value> {
    let (Some(at), Some(text), Some(set)) = (call.pointer(0)?, call.text(0)?, call.text(1)?) else {
        return Ok(call.reason_at(0));
    };
    let found = text.iter().position(|byte| set.contains(byte));
    Ok(found.map_or(Value::NULL, |i| Value::Pointer(moved(at, i))))
}

fn strtok(call: &mut Call) -> Flow<Value> {
    let from = match call.arg(0) {
        Value::Int(_) => call.machine.task.streams.token.unwrap_or(Value::NULL),
        given => given,
    };
    call.machine.task.epoch += 1;
    let (token, rest) = next_token(call, from)?;
    call.machine.task.streams.token = Some(rest);
    Ok(token)
}

fn strtok_r(call: &mut Call) -> Flow<Value> {
    let Some(state) = call.pointer(2)? else { return Ok(call.unknown()) };
    let from = match call.arg(0) {
        Value::Int(_) => call.machine.load_at(state, ScalarType::Pointer, "memory")?,
        given => given,
    };
    let (token, rest) = next_token(call, from)?;
    call.machine.store_at(state, ScalarType::Pointer, rest, "memory")?;
    Ok(token)
}

/// The next token of a string, by the set of argument 1, and where the search goes on; where the token is unknown, so is
/// that.
fn next_token(call: &mut Call, from: Value) -> Flow<(Value, Value)> {
    match from {
        Value::Pointer(from) => {
            let (token, rest) = token(call, from)?;
            Ok((token, if token.is_unknown() { token } else { rest.map_or(Value::NULL, Value::Pointer) }))
        }
        Value::Int(_) => Ok((Value::NULL, Value::NULL)),
        unknown => Ok((unknown, unknown)),
    }
}

fn token(call: &mut Call, from: Pointer) -> Flow<(Value, Option<Pointer>)> {
    let (Some(text), Some(set)) = (call.text_at(from)?, call.text(1)?) else {
        let unknown = match super::bytes_until_zero(&call.machine.task.memory, from) {
            Some(Err(Some(reason))) => Value::Unknown(reason),
            _ => call.reason_at(1),
        };
        // Somewhere a zero ends the token.
        call.blur(from, unknown);
        return Ok((unknown, None));
    };
    let start = text.iter().take_while(|byte| set.contains(byte)).count();
    if start == text.len() {
        return Ok((Value::NULL, None));
    }
    let end = start + text[start..].iter().take_while(|byte| !set.contains(byte)).count();
    if end < text.len() {
        call.put_bytes(moved(from, end), &[0])?;
    }
    Ok((Value::Pointer(moved(from, start)), (end < text.len()).then(|| moved(from, end + 1))))
}

fn memchr(call: &mut Call) -> Flow<Value> {
    let (Some(from), Some(byte), Some(n)) = (call.pointer(0)?, call.integer(1), call.integer(2)) else {
        return Ok(call.unknown());
    };
    for i in 0..n.max(0) as usize {
        if call.machine.readable(moved(from, i), 1)? == 0 {
            return Ok(call.undefined("a read outside an object"));
        }
        match call.machine.task.memory.read(moved(from, i), ScalarType::U8) {
            Some(Value::Int(found)) if found == byte & 255 => return Ok(Value::Pointer(moved(from, i))),
            Some(Value::Int(_)) => {}
            Some(value @ Value::Unknown(_)) => return Ok(value),
            _ => return Ok(call.undefined("memchr")),
        }
    }
    Ok(Value::NULL)
}

fn strdup(call: &mut Call) -> Flow<Value> {
    let limit = call.args.get(1).and_then(|value| value.as_int());
    match call.text(0)? {
        Some(mut text) => {
            if let Some(n) = limit {
                text.truncate(n.max(0) as usize);
            }
            call.volume(text.len() as u64 + 1);
            Ok(call.new_text(&text))
        }
        None => Ok(call.reason_at(0)),
    }
}

fn target(value: Value, unknown: Value) -> AccessTarget {
    match (value, unknown) {
        (Value::Pointer(pointer), _) => AccessTarget::Known(pointer),
        (Value::Unknown(reason), _) | (_, Value::Unknown(reason)) => AccessTarget::Unknown(reason),
        _ => AccessTarget::Null(0),
    }
}

/// Copies from one argument to another.
fn memcpy(call: &mut Call, target_index: usize, source_index: usize) -> Flow<Value> {
    let (to, from) = (call.arg(target_index), call.arg(source_index));
    let Some(bytes) = call.integer(2) else {
        call.forget(target_index);
        return Ok(to);
    };
    if let Value::Unknown(reason) = to {
        call.machine.forget_argument(call.call, target_index, reason);
    }
    let unknown = if to.is_unknown() || from.is_unknown() { call.unknown() } else { Value::NULL };
    call.machine.copy_targets(target(to, unknown), target(from, unknown), bytes as u64)?;
    call.volume(bytes as u64);
    Ok(to)
}

fn fill(call: &mut Call, to: Value, byte: Value, bytes: Value) -> Flow<Value> {
    if let Value::Unknown(reason) = to {
        call.machine.forget_argument(call.call, 0, reason);
        call.volume(bytes.as_int().map_or(0, |bytes| bytes.max(0) as u64));
    }
    let Value::Pointer(pointer) = to else {
        return if matches!((to, bytes), (Value::Int(_), Value::Int(1..))) { Err(call.null(0)) } else { Ok(to) };
    };
    let Value::Int(bytes) = bytes else {
        call.forget(0);
        return Ok(to);
    };
    let bytes = call.machine.writable(pointer, bytes as u64)?;
    call.volume(bytes);
    match byte {
        Value::Int(n) if n & 255 == 0 => call.machine.fill(pointer, bytes, Fill::Zero),
        Value::Int(n) if bytes <= 1 << 20 => {
            let unknown = call.machine.shared.uninitialised;
            call.machine.fill(pointer, bytes, Fill::Value(unknown));
            call.put_equal_bytes(pointer, n as u8, bytes)?;
        }
        _ => call.blur_all(pointer),
    }
    Ok(to)
}

impl Call<'_, '_> {
    /// Where the first argument leads, which the function writes to; where that is unknown, whatever it may lead to is lost.
    fn written_pointer(&mut self) -> Flow<Option<Pointer>> {
        let to = self.pointer(0)?;
        if let (None, Value::Unknown(reason)) = (to, self.arg(0)) {
            self.machine.forget_argument(self.call, 0, reason);
        }
        Ok(to)
    }

    /// Integers whose bytes are all the same, as large as what the object holds: bytes one by one take more room.
    fn put_equal_bytes(&mut self, to: Pointer, byte: u8, bytes: u64) -> Flow<()> {
        let model = self.machine.task.memory.model;
        let held = self.machine.task.memory.object(to.object).content.element();
        let ty = held.filter(|ty| ty.is_integer()).unwrap_or(ScalarType::I32);
        let size = ty.size(model);
        let words = bytes / size;
        let word = from_bytes(&vec![byte; size as usize], ty);
        let Some(word) = word.filter(|_| to.offset.cast_unsigned().is_multiple_of(size) && bytes.is_multiple_of(size))
        else {
            return self.put_bytes(to, &vec![byte; bytes as usize]);
        };
        self.machine.tell_access(to, bytes, AccessKind::Write);
        for at in 0..words {
            self.machine.task.store(moved(to, (at * size) as usize), ty, word);
        }
        Ok(())
    }

    fn blur_all(&mut self, pointer: Pointer) {
        let unknown = self.undefined("memset");
        self.forget_as(pointer, unknown);
    }
}

fn memset(call: &mut Call) -> Flow<Value> {
    let (to, byte, bytes) = (call.arg(0), call.arg(1), call.arg(2));
    fill(call, to, byte, bytes)
}

fn bzero(call: &mut Call) -> Flow<Value> {
    let (to, bytes) = (call.arg(0), call.arg(1));
    fill(call, to, Value::Int(0), bytes)
}

fn memcmp(call: &mut Call) -> Flow<Value> {
    let Some(n) = call.integer(2) else { return Ok(call.unknown()) };
    let n = n.max(0) as u64;
    call.volume(n);
    let (Some(a), Some(b)) = (call.pointer(0)?, call.pointer(1)?) else { return Ok(call.unknown()) };
    let inside = call.machine.readable(a, n)?.min(call.machine.readable(b, n)?);
    for i in 0..inside as usize {
        let byte = |p| call.machine.task.memory.read(moved(p, i), ScalarType::U8);
        match (byte(a), byte(b)) {
            (Some(Value::Int(x)), Some(Value::Int(y))) if x == y => {}
            (Some(Value::Int(x)), Some(Value::Int(y))) => return Ok(Value::Int(x - y)),
            (Some(value @ Value::Unknown(_)), _) | (_, Some(value @ Value::Unknown(_))) => return Ok(value),
            _ => return Ok(call.undefined("memcmp")),
        }
    }
    Ok(if inside < n { call.undefined("a read outside an object") } else { Value::Int(0) })
}
