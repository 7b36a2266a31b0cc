//! ctype.h, in the C locale.

use super::{Call, Model};
use crate::execute::machine::Flow;
use chronos_ir::ScalarType;
use chronos_values::Origin;
use chronos_values::storage::Fill;
use chronos_values::{Pointer, Value};

models! {
    pub fn lookup(name: &str) -> Option<Model> {
        "isdigit" => |c| class(c, DIGIT),
        "isalpha" => |c| class(c, ALPHA),
        "isalnum" => |c| class(c, ALNUM),
        "isspace" => |c| class(c, SPACE),
        "isupper" => |c| class(c, UPPER),
        "islower" => |c| class(c, LOWER),
        "isxdigit" => |c| class(c, XDIGIT),
        "ispunct" => |c| class(c, PUNCT),
        "isprint" => |c| class(c, PRINT),
        "isgraph" => |c| class(c, GRAPH),
        "iscntrl" => |c| class(c, CNTRL),
        "isblank" => |c| class(c, BLANK),
        "__ctype_b_loc" => |c| table(c, 0),
        "__ctype_tolower_loc" => |c| table(c, 1),
        "__ctype_toupper_loc" => |c| table(c, 2),
        "__ctype_get_mb_cur_max" => |_| Ok(Value::Int(1)),
        "toupper" => |c| mapped(c, |b| b.to_ascii_uppercase()),
        "tolower" => |c| mapped(c, |b| b.to_ascii_lowercase()),
    }
}

/// The bits of the classes in glibc's tables, on little-endian machines; the functions give the bit of theirs.
const UPPER: i64 = 0x100;
const LOWER: i64 = 0x200;
const ALPHA: i64 = 0x400;
const DIGIT: i64 = 0x800;
const XDIGIT: i64 = 0x1000;
const SPACE: i64 = 0x2000;
const PRINT: i64 = 0x4000;
const GRAPH: i64 = 0x8000;
const BLANK: i64 = 0x1;
const CNTRL: i64 = 0x2;
const PUNCT: i64 = 0x4;
const ALNUM: i64 = 0x8;

/// The classes of a character.
fn classes(byte: u8) -> i64 {
    let bits = [
        (byte.is_ascii_uppercase(), UPPER),
        (byte.is_ascii_lowercase(), LOWER),
        (byte.is_ascii_alphabetic(), ALPHA),
        (byte.is_ascii_digit(), DIGIT),
        (byte.is_ascii_hexdigit(), XDIGIT),
        (byte.is_ascii_whitespace() || byte == 11, SPACE),
        ((32..127).contains(&byte), PRINT),
        (byte.is_ascii_graphic(), GRAPH),
        (byte == b' ' || byte == b'\t', BLANK),
        (byte.is_ascii_control(), CNTRL),
        (byte.is_ascii_punctuation(), PUNCT),
        (byte.is_ascii_alphanumeric(), ALNUM),
    ];
    bits.into_iter().filter(|(holds, _)| *holds).map(|(_, bit)| bit).sum()
}

/// Where the pointer to a table stands whose entry 0 has 128 entries before it (for negative characters).
fn table(call: &mut Call, number: usize) -> Flow<Value> {
    call.depends_on_locale();
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

/// Locales agree on ASCII.
fn note_locale(call: &mut Call) {
    if call.integer(0).is_some_and(|n| (128..256).contains(&n)) {
        call.depends_on_locale();
    }
}

fn class(call: &mut Call, bit: i64) -> Flow<Value> {
    note_locale(call);
    Ok(match call.integer(0) {
        Some(n) => Value::Int(u8::try_from(n).map_or(0, classes) & bit),
        None => call.unknown(),
    })
}

fn mapped(call: &mut Call, map: fn(u8) -> u8) -> Flow<Value> {
    note_locale(call);
    Ok(match call.integer(0) {
        Some(n) => Value::Int(u8::try_from(n).map_or(n, |b| i64::from(map(b)))),
        None => call.unknown(),
    })
}
