//! TODO

pub mod active_spin;
pub mod packed_steps;
pub mod processors;
pub mod repeats;
pub mod spans;
pub mod state;
pub mod wait_set;
