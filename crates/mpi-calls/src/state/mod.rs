//! What MPI keeps between calls, of all tasks: handles, communicators, requests, messages under way, windows, files, and
//! what is left to do of calls that wait.
//!
//! These are types with little behaviour, so that the rooms of functions can share them without knowing each other.
//! This room must not know calls in progress (`call`) nor what a function of MPI does.

pub(crate) mod attributes;
pub(crate) mod delivery;
pub(crate) mod files;
pub(crate) mod handle_table;
pub(crate) mod instances;
pub(crate) mod mpi_state;
pub(crate) mod options;
pub(crate) mod pending;
pub(crate) mod repeats;
pub(crate) mod requests;
pub(crate) mod size_history;
pub(crate) mod spawning;
pub(crate) mod status;
pub(crate) mod task;
pub(crate) mod windows;
