//! How time changes with the number of tasks: closed models, their fits, and what follows beyond the points that are known.
//!
//! The models are those of Zuberek (Estimation of the Speedup of Distributed Applications, 2004), of Amdahl (1967),
//! Gustafson (1988) and Gunther's universal scalability law (1993); the laws of parts have the performance model normal
//! form of Extra-P (Calotoiu and others, SC13). Points come from predictions or from measurements: this module must not
//! know which, nor how a result is shown.

#![forbid(unsafe_code)]

pub mod band;
pub mod class;
pub mod fit;
pub mod law;
mod least_squares;
pub mod model;
pub mod study;
#[cfg(test)]
mod tests;

use chronos_base::units::Seconds;

/// A number of tasks. Models are continuous in it, so the best one need not be whole.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Tasks(pub f64);

/// Time with one number of tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub tasks: usize,
    /// When the last task ends.
    pub total: Seconds,
    /// What the total is made of; `None` where only the total is known.
    pub parts: Option<Parts>,
}

impl Point {
    pub fn n(&self) -> Tasks {
        Tasks(self.tasks as f64)
    }
}

/// Means over the tasks; together with `end` they add up to the total.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    pub compute: Seconds,
    /// In calls that send or receive, without waiting for the partner.
    pub messages: Seconds,
    pub collective: Seconds,
    /// Until an awaited partner arrived.
    pub idle: Seconds,
    /// From the end of the mean task to that of the last one.
    pub end: Seconds,
}

impl Parts {
    /// Names for tables and files.
    pub const NAMES: [&'static str; 5] = ["compute", "messages", "collective", "idle", "end"];

    pub fn all(&self) -> [Seconds; 5] {
        [self.compute, self.messages, self.collective, self.idle, self.end]
    }
}
