//! Statements: regions, loops, switches, jumps, and what is cleaned up at the end of a scope.

pub(crate) mod body;
pub(crate) mod cleanups;
pub(crate) mod dispatch;
pub(crate) mod loops;
pub(crate) mod switch;
