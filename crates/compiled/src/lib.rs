//! What a compiler made of a program: instructions, control flow, loops, and the time of loop bodies.
//!
//! # Purpose
//!
//! Cost models that start from the source must foresee what the compiler does. This crate asks the compiler instead: it
//! compiles the sources (nothing is run), decodes the instructions, finds loops, says which source lines they
//! come from, and simulates their bodies on a description of the processor's core. It knows object code, instructions
//! and graphs; it knows neither MPI nor replays nor terminals.
//!
//! # How it works
//!
//! - `compile` runs the compiler with `-g -c`. `object_code` reads the object (ELF), lays its sections out in an address
//!   space of their own, applies the relocations of the debugging information (DWARF), and gives every instruction the
//!   chain of inlined calls that it comes from.
//! - `instruction` is the type of instructions that everything else reads; the modules for x86-64 and aarch64 make them, with
//!   iced-x86 and yaxpeax-arm, and say what they mean (`semantics`): nobody else knows names of instructions.
//! - `graph`, `dominators`, `loops`: basic blocks, tables of jumps, dominators, natural loops with their nesting.
//! - `affine`, `induction`: symbolic values of registers and places of the frame in one iteration; from these the
//!   registers that each iteration moves by the same, addresses with their steps, reductions, vector lanes.
//! - `guards`: what conditional jumps tell of registers behind them.
//! - `listing`: a function with its loops, lines and times, as data.
//! - `core`: the schema `chronos-core/1`, families of instructions, and the simulation until iterations repeat.
//!
//! # Invariants
//!
//! - What is not known has a reason: a loop with an instruction without figures has no time.
//! - The same object gives the same times; nothing depends on this computer.
//! - Nothing panics on damaged objects.
//!
//! # Limits
//!
//! - Instructions are those of x86-64 and aarch64; objects are ELF.
//! - Data are in the first-level cache, branches are predicted.
//! - Where the linker puts a function decides how its loops lie in lines of decoded operations: `link` asks it. Where that
//!   is not possible, times are means over the places that a section may get.
//!
//! # Literature
//!
//! - K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
//! - A. Aho, M. Lam, R. Sethi, J. Ullman, "Compilers", section 9.6: natural loops; section 9.8: induction variables in
//!   symbolic analysis.
//! - A. Abel, J. Reineke, "uiCA", ICS 2022; J. Laukemann et al., OSACA, PMBS 2018: static models of cores.

#![forbid(unsafe_code)]

mod aarch64;
pub mod affine;
pub mod code;
pub mod codes;
pub mod compile;
mod constant_trips;
pub mod core;
pub(crate) mod dominators;
pub(crate) mod entry_values;
pub mod graph;
pub(crate) mod guards;
pub mod induction;
pub mod instruction;
mod jump_tables;
pub mod link;
pub mod listing;
pub mod loops;
pub mod matching;
pub mod nest;
mod no_return;
pub mod object_code;
pub(crate) mod semantics;
mod x86;

pub use compile::Compilation;
pub use object_code::CompiledUnit;
