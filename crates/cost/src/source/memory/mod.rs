//! Lines that loop nests move between levels of memory, by layer conditions over footprints.
//!
//! A footprint is what one entry of a loop touches (reuse analysis: Wolf and Lam, PLDI 1991; reuse distance: Mattson,
//! Gecsei, Slutz and Traiger 1970). It must not know the order of segments, nor what else an iteration executes.

pub(crate) mod footprint;
pub mod lines;
pub mod streams;
pub mod uses;
