//! Recorded runs: when tasks computed, for how long, and which MPI calls they made.
//!
//! # Purpose
//!
//! One run of an unmodified program tells what it computes between its MPI calls and with whom it communicates. The crate
//! reads what a recorder in front of MPI wrote (`runtime/chronos_record.c`) and makes an activity of it, which is replayed as
//! any other one. It must not know how programs are compiled and started, machines, networks, or how an activity is timed.
//!
//! # How it works
//!
//! - A record is a folder: `record.json` ([`folder`]) and a file `task-R.rec` of each task ([`task`]), which is whole line by
//!   line up to where the task ended.
//! - [`places`] finds the function, file and line of each call by the debugging information of the executable.
//! - [`calls`] makes a program of these calls alone, so that reports name them as those of any other program.
//! - [`steps`] makes the activity: a duration of processor time, then what the call asked for, in the terms of traces
//!   (`chronos_trace::steps`). A receive of any source has the source that it got in the run, or is left open.
//! - [`longest_path`] is the estimate of a run on machines of its own: the longest path of the graph of what was
//!   computed and sent, where each message takes the time that the idle network takes.
//! - [`stretches`] adds up processor time from call to call, for those who compare it with a prediction.
//!
//! # Invariants
//!
//! - The time of computation is processor time: other programs on the machine lengthen the run and not the record's stretches.
//! - Processor time inside MPI calls is none of the program's: a library that polls computes while it waits.
//! - Steps of a task end with `Step::Stuck` where its file ends before its program did.
//!
//! # Limits
//!
//! - Calls of one thread of each task are recorded; where others call MPI too, the record is refused.
//! - Which request `MPI_Waitany` or `MPI_Test` chose stays as in the run. Tests that found nothing take no time.
//! - Spawned tasks and persistent collective operations are not recorded: a record ends in front of them.
//!
//! # Literature
//!
//! - Drozdowski: Estimating execution time of distributed applications, PPAM 2001, LNCS 2328.

#![forbid(unsafe_code)]

pub mod calls;
pub mod codes;
pub mod folder;
pub mod longest_path;
pub mod places;
pub mod steps;
pub mod stretches;
pub mod task;
#[cfg(test)]
mod tests;

pub use folder::Record;
