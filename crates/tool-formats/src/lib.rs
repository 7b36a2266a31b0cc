//! Formats that other tools read and write: activities (GOAL, time-independent traces) and timelines (Chrome, Paraver).
//!
//! Text in, data out, and back. This module must not know files, flags nor the terminal, and decides nothing about times.

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
    }
}
