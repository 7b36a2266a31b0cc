//! Loops of the evaluation as code of this processor.
//!
//! # Purpose
//!
//! What cannot be counted in closed form has to be executed: iterations until a residual is small, sorting, sieves. The
//! interpreter takes 10 to 20 ns for an operation; what it executes millions of times is compiled instead, by cranelift, a
//! code generator that is made for code that is needed at once.
//!
//! The crate knows values and operations (`code::Body`). It must not know functions, contexts, blocks, MPI or time, nor
//! how the interpreter keeps memory: it asks a `Host`.
//!
//! # How it works
//!
//! - A body is a loop with all that lies in it: nested loops, and calls whose code was put in their place. Each of its
//!   operations is done as a whole or not at all. Where the common case ends (a value that is not known, a division by zero,
//!   an access outside an object), the code is left in front of the operation, and the interpreter goes on there.
//! - Slots are registers of the interpreter. Each holds one kind of value throughout (`kinds`), so that it becomes a variable of
//!   cranelift. What the program names is written to its home at once, temporary results only where the code is left and they are
//!   read later (`flow`).
//! - Memory is reached in pages of scalars of one type, which the host gives; each place keeps the last one.
//! - The code is left after a number of operations (fuel) and of branches, so that limits and the branch predictor of the interpreter
//!   are looked at.
//!
//! # Invariants
//!
//! - The code gives the same values, counts and iterations as the interpreter: nothing is rounded, reordered or left out.
//! - Compiling the same body for the same kinds gives code that does the same, on every processor.
//! - All uses of `unsafe` are in `run`, `helpers`, `generator` and the tests of `layout`. What a host has to hold to is said at [`Host`].
//!
//! # Limits
//!
//! - No wide numbers, no library functions but those of `math.h` with one or two numbers and those that draw random numbers, no
//!   recursion.
//!
//! # Literature
//!
//! - J. Aycock, "A brief history of just-in-time", ACM Computing Surveys 35, 2003.
//! - U. Hölzle, C. Chambers, D. Ungar, "Debugging optimized code with dynamic deoptimization", PLDI 1992: leaving code in
//!   front of an operation for an interpreter.

#![allow(unsafe_code, reason = "code that was just made is called, and reads and writes values where they stand")]

pub mod code;
mod flow;
mod generator;
mod helpers;
mod kinds;
mod layout;
mod lower;
mod run;
#[cfg(test)]
mod tests;

pub use generator::Generator;
pub use kinds::Refused;
pub use run::{Compiled, Host, Left, Page, Room, Scratch};
