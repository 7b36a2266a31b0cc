//! One table of the functions that programs call and do not define: the C library, libm, POSIX, OpenMP, the BLAS and
//! MPI.
//!
//! # Purpose
//!
//! The evaluation, the slices, the cost model and the traces all need to know what a library function does. What is
//! known of a function stands in its row, and nowhere else. The crate is nothing but the table: it depends on no other
//! crate of chronos.
//!
//! # How it works
//!
//! A function is one row (`Function`). It says what a caller has to know without a model of it: the types of
//! parameters and result, what is read and written through pointers and how much, what the result depends on, whether
//! `errno` may change, whether the call returns, calls back or makes storage, what its cost is like, and whether
//! traces record it. The model of what it computes lies in `chronos_interpreter` (`library`) or `chronos_mpi_calls`
//! (`handlers`); a row without one says so. docs/add-a-function.md tells how to add one.
//!
//! Rows stand in files by header (`rows`). Variants are derived (`variants`): `sqrtf` and `sqrtl` from `sqrt`, `MPI_Iallreduce`
//! and `MPI_Allreduce_init` from `MPI_Allreduce`. So are the names that glibc's headers and the compiler put in the
//! place of standard ones (`__isoc99_sscanf`, `__builtin_memcpy`). `lookup` finds a row by any of these names.
//!
//! `queries` answers questions by name, and `mpi_queries` does so for MPI: the data that a call moves, the memory that it
//! hands out. The cost model asks `buffers` which arguments an MPI call writes, to know which pages it touches, and
//! the evaluation asks the same table.
//!
//! # Invariants
//!
//! - A name has at most one row.
//! - Of a function without a row, anything may be true: every question gets the safe answer.
//! - The rows of MPI agree with `runtime/mpi.h`, and those of the C library with its headers; tests compare them.
//!
//! # Limits
//!
//! - The BLAS is known by its C interface (`cblas_*`), for real numbers only.
//! - The extent of what a call reads or writes is one of the forms of `Extent`. What is none of these is
//!   `Extent::Other`: only the model knows it.
//! - OpenMP functions are those of a program that runs with one thread.
//!
//! # Literature
//!
//! - ISO/IEC 9899:2011 (C11), chapter 7; POSIX.1; MPI: A Message-Passing Interface Standard; the C interface of the
//!   BLAS (Basic Linear Algebra Subprograms Technical Forum Standard, 2001).

#![forbid(unsafe_code)]

mod abstract_model;
pub mod comparisons;
pub mod files;
mod mpi_queries;
mod params;
mod queries;
mod row;
mod rows;
mod variants;

#[cfg(test)]
mod tests;

pub use abstract_model::AbstractModel;
pub use mpi_queries::{
    Buffer, Buffers, buffers, exchange, exposed_memory, hands_out_memory, is_size, reads_clock, updates_windows,
    written_arguments,
};
pub use params::{Access, Extent, Object, Param, Role, Type};
pub use queries::{
    Effects, Writes, abstract_model, allocates, allocation, base, bytes_handled, effects, is_mathematical,
    may_set_errno, never_returns, priced_like, returns_again, sleeps,
};
pub use row::{
    Alignment, Allocation, Class, CollectiveOperation, DataFlow, Ending, Exchange, FileTransfer, Function, Generator,
    GeneratorUse, Knowable, Lifecycle, Mode, Positioning, Purity, Returns, Sleep, Synchronism, Traced, Variant,
};

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// All rows, variants included, by name; made once.
struct Table {
    functions: Vec<Function>,
    by_name: FxHashMap<&'static str, usize>,
}

static TABLE: LazyLock<Table> = LazyLock::new(Table::new);

impl Table {
    fn new() -> Self {
        let rows = rows::ALL.into_iter().flatten().copied();
        let with_header = rows.flat_map(|(header, rows)| rows.iter().map(move |&row| Function { header, ..row }));
        let functions: Vec<Function> = with_header.flat_map(|row| variants::of(&row)).collect();
        let by_name = functions.iter().enumerate().map(|(at, function)| (function.name, at)).collect();
        Self { functions, by_name }
    }
}

/// Variables that the C library defines.
pub const VARIABLES: &[&str] = &[
    "stdin",
    "stdout",
    "stderr",
    "optarg",
    "optind",
    "opterr",
    "optopt",
    "environ",
    "__environ",
    "errno",
    "h_errno",
    "signgam",
    "tzname",
    "timezone",
    "daylight",
    "program_invocation_name",
    "program_invocation_short_name",
    "__progname",
];

/// The function that is called `name`, also by a name that headers and compilers put in the place of its own.
pub fn lookup(name: &str) -> Option<&'static Function> {
    exact(name).or_else(|| plain_names(name).find_map(exact))
}

/// The function with exactly this name.
pub fn exact(name: &str) -> Option<&'static Function> {
    TABLE.by_name.get(name).map(|&at| &TABLE.functions[at])
}

/// Every function, in the order of the rows.
pub fn all() -> impl Iterator<Item = &'static Function> {
    TABLE.functions.iter()
}

/// What glibc's headers, compilers and the profiling interface of MPI put before a name.
const PREFIXES: [&str; 5] = ["__builtin_", "__isoc99_", "__isoc23_", "_IO_", "__"];

/// Standard names that `name` may stand for.
fn plain_names(name: &str) -> impl Iterator<Item = &str> {
    let profiled = name.strip_prefix('P').filter(|rest| rest.starts_with("MPI_"));
    let prefixed = PREFIXES.iter().filter_map(move |prefix| name.strip_prefix(prefix));
    profiled.into_iter().chain(prefixed).chain(name.strip_suffix("_unlocked"))
}
