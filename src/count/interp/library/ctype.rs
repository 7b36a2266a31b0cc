//! ctype.h, in the C locale.

use super::{Call, Model};
use crate::count::interp::machine::Flow;
use crate::count::value::Value;

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
        "toupper" => |c| mapped(c, |b| b.to_ascii_uppercase()),
        "tolower" => |c| mapped(c, |b| b.to_ascii_lowercase()),
        _ => return None,
    })
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
