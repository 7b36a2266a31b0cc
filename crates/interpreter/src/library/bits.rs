//! Counting and turning of bits, as the compiler's built-in functions do.

use super::{Call, Model};
use crate::execute::machine::Flow;
use chronos_ir::ScalarType;
use chronos_values::Value;

models! {
    pub fn lookup(name: &str) -> Option<Model> {
        "popcountl" => |c| sized(c, "popcount", "popcountll"),
        "clzl" => |c| sized(c, "clz", "clzll"),
        "ctzl" => |c| sized(c, "ctz", "ctzll"),
        "parityl" => |c| sized(c, "parity", "parityll"),
        "ffsl" => |c| sized(c, "ffs", "ffsll"),
        "popcount" => |c| word(c, |n| n.count_ones()),
        "popcountll" => |c| long(c, |n| n.count_ones()),
        "clz" => |c| zeros(c, 32, |n| n.leading_zeros() - 32),
        "clzll" => |c| zeros(c, 64, u64::leading_zeros),
        "ctz" => |c| zeros(c, 32, u64::trailing_zeros),
        "ctzll" => |c| zeros(c, 64, u64::trailing_zeros),
        "parity" => |c| word(c, |n| n.count_ones() & 1),
        "parityll" => |c| long(c, |n| n.count_ones() & 1),
        "ffs" => |c| word(c, |n| if n == 0 { 0 } else { n.trailing_zeros() + 1 }),
        "ffsll" => |c| long(c, |n| if n == 0 { 0 } else { n.trailing_zeros() + 1 }),
        "bswap16" => |c| known(c, |n| i64::from((n as u16).swap_bytes())),
        "bswap32" => |c| known(c, |n| i64::from((n as u32).swap_bytes())),
        "bswap64" => |c| known(c, i64::swap_bytes),
        "constant_p" => constant_p,
    }
}

/// Of what has a variable in it: without optimisation compilers know nothing of it.
fn constant_p(call: &mut Call) -> Flow<Value> {
    let text = "what `__builtin_constant_p` finds constant depends on optimisation: that of -O0 is taken";
    call.approximate(text.to_owned(), "");
    Ok(Value::Int(0))
}

/// The form for `long`, by its size.
fn sized(call: &mut Call, short: &str, long: &str) -> Flow<Value> {
    let is_short = ScalarType::Pointer.size(call.machine.task.memory.model) == 4;
    match lookup(if is_short { short } else { long }) {
        Some(model) => model(call),
        None => Ok(call.unknown()),
    }
}

/// The zeros before or behind the bits that are set; of zero they are what the processor says.
fn zeros(call: &mut Call, bits: u32, f: fn(u64) -> u32) -> Flow<Value> {
    let mask = u64::MAX >> (64 - bits);
    Ok(match call.integer(0).map(|n| n as u64 & mask) {
        Some(0) => call.undefined("the zeros around the bits of zero"),
        Some(n) => Value::Int(i64::from(f(n))),
        None => call.unknown(),
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
