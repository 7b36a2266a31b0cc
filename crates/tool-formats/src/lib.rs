//! File formats of other tools: activities (GOAL, time-independent traces) and timelines (Chrome, Paraver).
//!
//! # Purpose
//!
//! The crate turns text into data and data into text. It decides nothing about times, and knows no flags and no
//! terminal.
//!
//! # How it works
//!
//! - [`goal`] reads and writes schedules in GOAL. A file is read piece by piece (`goal::read`), and a piece in parts
//!   on several threads (`goal::blocks`), each into a `chronos_activity::draft`, which is appended to the schedule
//!   while the next piece is parsed. What a part makes counts only if it is what reading in one go makes.
//! - `goal::ScheduleFeed` gives a schedule to the replay as a feed, for networks that know more than the LogGOPS
//!   model. It hands out operations as non-blocking calls, first ones first (`goal::graph`). The replay says which
//!   sends were over at once (`Feed::send_completed`); nothing is kept of these, and they end when nothing else may
//!   begin. Where nothing can begin before everything that is open has ended, the task waits for all, else for the
//!   first.
//! - [`ti`] reads and writes time-independent traces of SimGrid.
//! - [`chrome`] and [`paraver`] write the timeline of a replay.
//!
//! # Invariants
//!
//! - The schedule and the diagnostics that reading gives do not depend on the number of threads.
//! - Equal predictions give equal files: the header of a Paraver trace has a fixed date.
//! - GOAL durations are nanoseconds and sizes bytes; Chrome has microseconds, Paraver nanoseconds.
//!
//! # Limits
//!
//! - A schedule that is read has 16,777,216 tasks at most. A schedule that is written has 50,000,000 operations at
//!   most, a time-independent trace 20,000,000 actions.
//! - GOAL cannot express calls whose outcome depends on the order of arrival, nor an abort (C0713).
//! - Time-independent traces have blocking collective operations of `MPI_COMM_WORLD` alone (C0753). Computation is a
//!   number of floating-point operations, which a rate turns into time.
//! - `ScheduleFeed` takes all processors of a task as one.
//!
//! # Literature
//!
//! - GOAL: Hoefler, Siebert, Lumsdaine: Group Operation Assembly Language, ICPP 2009; Hoefler, Schneider, Lumsdaine:
//!   LogGOPSim, HPDC 2010.
//! - Time-independent traces: Casanova, Desprez, Markomanolis, Suter: Simulation of MPI applications with
//!   time-independent traces, Concurrency and Computation: Practice and Experience, 2015.

#![forbid(unsafe_code)]

pub mod chrome;
pub mod codes;
pub mod goal;
pub mod paraver;
#[cfg(test)]
mod tests;
pub mod ti;

use chronos_activity::Site;
use chronos_replay::{Part, ReplayResult};

/// What is to be written of a replay that kept its timeline and messages.
pub struct Timeline<'a> {
    /// The replay, with its timeline and messages.
    pub result: &'a ReplayResult,
    /// Node of each task; a task beyond the end has a node of its own.
    pub nodes: &'a [u32],
    /// What a call is to be named.
    pub name: &'a dyn Fn(Site) -> String,
}

impl Timeline<'_> {
    fn node(&self, task: usize) -> u32 {
        self.nodes.get(task).copied().unwrap_or(task as u32)
    }
}

fn part_name(part: Part) -> &'static str {
    match part {
        Part::Compute => "compute",
        Part::Send => "send",
        Part::Recv => "receive",
        Part::Collective => "collective",
        Part::Idle => "idle",
        Part::Ready => "ready",
    }
}
