//! Direct execution: a feed whose tasks are processes of this machine, each with a virtual clock.
//!
//! # Purpose
//!
//! What static evaluation cannot know (random data, libraries, large inputs) a run knows. The crate lets processes run
//! and gives the replay what they do as they do it. The replay stays the only driver: it decides when a message arrives,
//! what a wildcard matches, which request completes, and what the clock shows. The crate must not know times of
//! messages, prices, sources or how programs are compiled and started.
//!
//! # How it works
//!
//! Each process connects to a Unix socket ([`Listener`]) and tells its MPI calls as frames ([`frames`],
//! `runtime/chronos_live.c`). [`LiveFeed`] reads the frames of a task when the replay asks for its next step, and sends
//! the outcome of a call back where the process waits for it. Payloads travel between the processes by the transport of the
//! bundled MPI, untimed; an outcome names messages by sender and number, and the process takes exactly these.
//!
//! A process waits only for outcomes that tell it something: a receive, a completion, a probe, a lock, the clock. After
//! other calls it goes on at once. So a process that waits for data of another one inside a collective operation never
//! waits for the replay's answer to that other one: a call completes only after the calls that it depends on have been told,
//! and who has told a call carries it out without asking.
//!
//! Tasks that others start (`MPI_Comm_spawn`) are processes from the beginning, which stand by: the replay has a fixed
//! number of tasks. Where the program starts more than stand by, [`LiveFeed::wanted`] says how many, and the run is to be
//! made again with so many.
//!
//! # Invariants
//!
//! - What a task is told depends on the replay alone, so a run whose computing times are predicted gives the same result
//!   whatever the speed and the load of this machine.
//! - Steps of a task end with `Step::End` where its program ended, `Step::Stuck` where it died or cannot be followed;
//!   [`LiveFeed::diagnostics`] and [`LiveFeed::ended_early`] say why.
//!
//! # Limits
//!
//! - Threads that call MPI, processes that a task forks, and memory shared between tasks are refused before the run.
//! - Reads and writes of windows happen when the processes get to them; locks alone are given in virtual order.
//!
//! # Literature
//!
//! - Amakata and others: message passing simulator by direct execution (the paper that this follows).
//! - Dickens, Heidelberger, Nicol: Parallelized direct execution simulation of message-passing parallel programs, IEEE TPDS
//!   7(10), 1996.

#![forbid(unsafe_code)]

pub mod codes;
mod communicators;
mod counted;
mod ended;
mod events;
mod feed;
pub mod frames;
mod known;
mod listener;
mod outcomes;
mod refused;
mod spawned;
#[cfg(test)]
mod tests;

pub use counted::Counters;
pub use ended::{Ended, How};
pub use feed::{LiveFeed, Timing};
pub use known::Evaluated;
pub use listener::{Connected, Listener};
pub use refused::refused;
