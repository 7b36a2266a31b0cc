//! Functions that compilers have without a header (`__builtin_*`), and those of chronos.h. The front end leaves the prefix
//! `__builtin_` out where it lowers a call.

use super::Rows;
use crate::params::{ADDRESS, INT, LONG, Param, READ, REAL, SIZE, Type, UNSIGNED, UNWRITTEN};
use crate::row::{Class, Ending, Function, Purity};

const fn bits(name: &'static str, params: &'static [Param]) -> Function {
    Function::new(name, Class::Arithmetic, Type::Int, params).purity(Purity::Arguments).keeps_errno()
}

const fn gives(name: &'static str, result: Type, params: &'static [Param]) -> Function {
    Function::new(name, Class::Arithmetic, result, params).purity(Purity::Arguments).keeps_errno()
}

/// The end of what a compiler takes to be reached.
const fn ends(name: &'static str) -> Function {
    Function::new(name, Class::Arithmetic, Type::Void, &[]).ending(Ending::Exits).keeps_errno().unmodelled()
}

const fn states(name: &'static str, result: Type, params: &'static [Param]) -> Function {
    Function::new(name, Class::Arithmetic, result, params).keeps_errno()
}

pub(super) const ROWS: &[Rows] = &[("", BUILTINS), ("chronos.h", ASSUMPTIONS)];

const BUILTINS: &[Function] = &[
    gives("__builtin_expect", Type::Long, &[LONG, LONG]),
    ends("__builtin_unreachable"),
    ends("__builtin_trap"),
    states("__builtin_prefetch", Type::Void, &[READ]).more(INT).unmodelled(),
    gives("constant_p", Type::Int, &[INT]),
    gives("isinf_sign", Type::Int, &[REAL]),
    gives("huge_val", Type::Double, &[]),
    gives("inf", Type::Double, &[]),
    Function::new("alloca", Class::Allocation, Type::Pointer, &[SIZE]).keeps_errno().returning(crate::Returns::Fresh),
    states("frame_address", Type::Pointer, &[UNSIGNED]).unmodelled(),
    states("return_address", Type::Pointer, &[UNSIGNED]).unmodelled(),
    states("assume_aligned", Type::Pointer, &[UNWRITTEN, SIZE])
        .returning(crate::Returns::Argument(0))
        .more(SIZE)
        .unmodelled(),
    states("object_size", Type::Size, &[ADDRESS, INT]).unmodelled(),
    bits("popcount", &[UNSIGNED]),
    bits("popcountl", &[LONG]),
    bits("popcountll", &[LONG]),
    bits("clz", &[UNSIGNED]),
    bits("clzl", &[LONG]),
    bits("clzll", &[LONG]),
    bits("ctz", &[UNSIGNED]),
    bits("ctzl", &[LONG]),
    bits("ctzll", &[LONG]),
    bits("parity", &[UNSIGNED]),
    bits("parityl", &[LONG]),
    bits("parityll", &[LONG]),
    bits("ffsl", &[LONG]),
    bits("ffsll", &[LONG]),
    bits("bswap16", &[UNSIGNED]),
    bits("bswap32", &[UNSIGNED]),
    gives("bswap64", Type::Long, &[LONG]),
];

const ASSUMPTIONS: &[Function] = &[
    states("PIC_proba", Type::Int, &[REAL]),
    states("chronos_probability", Type::Int, &[REAL]),
    states("chronos_iterations", Type::Void, &[REAL]),
];
