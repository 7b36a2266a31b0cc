//! Collective operations (MPI 4.0, chapter 6): what each member gives, and what it gets once those have entered that it
//! depends on.
//!
//! Constructors of communicators, windows and files use this room, which must not know them.

pub(crate) mod at_once;
pub(crate) mod data_movement;
pub(crate) mod delivery;
pub(crate) mod neighbourhood;
pub(crate) mod plan;
pub(crate) mod planners;
pub(crate) mod reductions;
pub(crate) mod roots_and_sides;
pub(crate) mod user_operations;
