//! ctype.h, in the C locale.

use super::{Call, Model};
use crate::count::interp::machine::Flow;
use crate::count::interp::storage::Fill;
use crate::count::summary::Origin;
use crate::count::value::{Pointer, Value};
use crate::program::ScalarType;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "isdigit" => |c| class(c, |b| b.is_ascii_digit()),
        "isalpha" => |c| class(c, |b| b.is_ascii_alphabetic()),
        "isalnum" => |c| class(c, |b| b.is_ascii_alphanumeric()),
        "isspace" => |c| class(c, |b| b.is_ascii_whitespace() || b == 11),
        "isupper" => |c| class(c, |b| b.is_ascii_uppercase()),
        "islower" => |c| class(c, |b| b.is_ascii_lowercase()),
        "isxdigit" => |c| class(c, |b| b.is_ascii_hexdigit()),
        "ispunct" => |c| class(c, |b| b.is_ascii_punctuation()),
        "isprint" => |c| class(c, |b| (32..127).contains(&b)),
        "isgraph" => |c| class(c, |b| (33..127).contains(&b)),
        "iscntrl" => |c| class(c, |b| b.is_ascii_control()),
        "isblank" => |c| class(c, |b| b == b' ' || b == b'\t'),
        "__ctype_b_loc" => |c| table(c, 0),
        "__ctype_tolower_loc" => |c| table(c, 1),
        "__ctype_toupper_loc" => |c| table(c, 2),
        "__ctype_get_mb_cur_max" => |_| Ok(Value::Int(1)),
        "toupper" => |c| mapped(c, |b| b.to_ascii_uppercase()),
        "tolower" => |c| mapped(c, |b| b.to_ascii_lowercase()),
        _ => return None,
    })
}

/// The classes of a character, as glibc's tables have them on little-endian machines.
fn classes(byte: u8) -> i64 {
    let blank = byte == b' ' || byte == b'\t';
    let bits = [
        (byte.is_ascii_uppercase(), 0x100),
        (byte.is_ascii_lowercase(), 0x200),
        (byte.is_ascii_alphabetic(), 0x400),
        (byte.is_ascii_digit(), 0x800),
        (byte.is_ascii_hexdigit(), 0x1000),
        (byte.is_ascii_whitespace() || byte == 11, 0x2000),
        ((32..127).contains(&byte), 0x4000),
        (byte.is_ascii_graphic(), 0x8000),
        (blank, 0x1),
        (byte.is_ascii_control(), 0x2),
        (byte.is_ascii_punctuation(), 0x4),
        (byte.is_ascii_alphanumeric(), 0x8),
    ];
    bits.into_iter().filter(|(holds, _)| *holds).map(|(_, bit)| bit).sum()
}

/// Where the pointer to a table stands whose entry 0 has 128 entries before it (for negative characters).
fn table(call: &mut Call, number: usize) -> Flow<Value> {
    if let Some(object) = call.machine.task.streams.tables[number] {
        return Ok(Value::Pointer(Pointer { object, offset: 0 }));
    }
    let memory = &mut call.machine.task.memory;
    let ty = if number == 0 { ScalarType::U16 } else { ScalarType::I32 };
    let size = ty.size(memory.model);
    let entries = memory.allocate(384 * size, Origin::Environment, Fill::Zero);
    for at in 0..384i64 {
        let index = at - 128;
        let byte = index.rem_euclid(256) as u8;
        let value = match number {
            0 if index < 0 => 0,
            0 => classes(byte),
            _ if index == -1 => -1,
            1 => i64::from(byte.to_ascii_lowercase()),
            _ => i64::from(byte.to_ascii_uppercase()),
        };
        memory.write(Pointer { object: entries, offset: at * size as i64 }, ty, Value::Int(value));
    }
    let object = memory.allocate(ScalarType::Pointer.size(memory.model), Origin::Environment, Fill::Zero);
    let middle = Value::Pointer(Pointer { object: entries, offset: 128 * size as i64 });
    memory.write(Pointer { object, offset: 0 }, ScalarType::Pointer, middle);
    call.machine.task.streams.tables[number] = Some(object);
    Ok(Value::Pointer(Pointer { object, offset: 0 }))
}

fn class(call: &mut Call, holds: fn(u8) -> bool) -> Flow<Value> {
    Ok(match call.integer(0) {
        Some(n) => Value::Int(i64::from(u8::try_from(n).is_ok_and(holds))),
        None => call.unknown(),
    })
}

fn mapped(call: &mut Call, map: fn(u8) -> u8) -> Flow<Value> {
    Ok(match call.integer(0) {
        Some(n) => Value::Int(u8::try_from(n).map_or(n, |b| i64::from(map(b)))),
        None => call.unknown(),
    })
}
