//! The state of one task: its clock, what it waits for, and where it is in its repeats.
//!
//! `state` is laid out by cache lines; `wait_set` is what the task waits for; `repeats` and `packed_steps`
//! walk a folded activity without unfolding it; `spans` keeps what it did when. `processors` shares the processors of
//! a node as ideal processor sharing does: each of k jobs gets 1/k of what is there (Kleinrock: Queueing Systems,
//! vol. 2, 1976; for time-shared nodes Eom and Hollingsworth, LBF, 2000). This folder must not know other tasks,
//! networks, or the queue of events.

pub(crate) mod active_spin;
pub(crate) mod packed_steps;
pub mod processors;
pub(crate) mod read_clocks;
pub mod repeats;
pub mod spans;
pub mod state;
pub(crate) mod wait_set;
