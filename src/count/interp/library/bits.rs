//! Counting and turning of bits, as the compiler's built-in functions do.

use super::{Call, Model};
use crate::count::interp::machine::Flow;
use crate::count::value::Value;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "popcount" => |c| word(c, |n| n.count_ones()),
        "popcountl" | "popcountll" => |c| long(c, |n| n.count_ones()),
        "clz" => |c| word(c, |n| n.leading_zeros()),
        "clzl" | "clzll" => |c| long(c, |n| n.leading_zeros()),
        "ctz" => |c| word(c, |n| n.trailing_zeros()),
        "ctzl" | "ctzll" => |c| long(c, |n| n.trailing_zeros()),
        "parity" => |c| word(c, |n| n.count_ones() & 1),
        "parityl" | "parityll" => |c| long(c, |n| n.count_ones() & 1),
        "ffs" => |c| word(c, |n| if n == 0 { 0 } else { n.trailing_zeros() + 1 }),
        "ffsl" | "ffsll" => |c| long(c, |n| if n == 0 { 0 } else { n.trailing_zeros() + 1 }),
        "bswap16" => |c| known(c, |n| i64::from((n as u16).swap_bytes())),
        "bswap32" => |c| known(c, |n| i64::from((n as u32).swap_bytes())),
        "bswap64" => |c| known(c, i64::swap_bytes),
        "constant_p" => |_| Ok(Value::Int(0)),
        _ => return None,
    })
}

fn known(call: &mut Call, f: fn(i64) -> i64) -> Flow<Value> {
    Ok(call.integer(0).map_or_else(|| call.unknown(), |n| Value::Int(f(n))))
}

fn word(call: &mut Call, f: fn(u32) -> u32) -> Flow<Value> {
    Ok(call.integer(0).map_or_else(|| call.unknown(), |n| Value::Int(i64::from(f(n as u32)))))
}

fn long(call: &mut Call, f: fn(u64) -> u32) -> Flow<Value> {
    Ok(call.integer(0).map_or_else(|| call.unknown(), |n| Value::Int(i64::from(f(n as u64)))))
}
