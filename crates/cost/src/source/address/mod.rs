//! Addresses as linear forms: the vocabulary in which data flow, dependences and memory speak of places.
//!
//! It must not know operations, machines or counts.

pub mod affine;
pub mod place;
