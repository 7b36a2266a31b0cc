//! The rows of the table, by header.
//!
//! A file has the functions of one header, in words that `row` and `params` give. This room must not know who asks.

pub(crate) mod blas;
pub(crate) mod compiler;
pub(crate) mod ctype;
pub(crate) mod math;
pub(crate) mod mpi;
pub(crate) mod omp;
pub(crate) mod posix;
pub(crate) mod stdio;
pub(crate) mod stdlib;
pub(crate) mod string;
pub(crate) mod time;

pub(crate) use crate::row::Rows;

/// All of them.
pub(crate) const ALL: [&[Rows]; 11] = [
    math::ROWS,
    stdlib::ROWS,
    string::ROWS,
    ctype::ROWS,
    stdio::ROWS,
    posix::ROWS,
    time::ROWS,
    omp::ROWS,
    compiler::ROWS,
    blas::ROWS,
    mpi::ROWS,
];
