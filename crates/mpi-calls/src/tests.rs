//! Calls of several tasks against hand-computed results.

mod collectives;
mod communicators;
mod datatypes;
mod driver;
mod misuse;
mod mixed;
mod point;
mod requests;
mod robustness;
