//! How time changes with the number of tasks: closed models, their fits, and what follows beyond the points that are
//! known.
//!
//! # Purpose
//!
//! Times with several numbers of tasks come from predictions, saved reports or measurements; this crate must not know
//! which, nor how a result is shown. It answers three questions: which closed model explains the points, which class of
//! distributed applications the program resembles, and how long the program takes with a number of tasks that no point
//! has.
//!
//! # How it works
//!
//! [`study::Study`] joins the parts:
//!
//! - `model` has the closed models of the time on N tasks, and speedup and best number of tasks by their parameters.
//! - `fit` finds the parameters by relative least squares with no negative coefficient: each point weighs as its
//!   reciprocal total. Schwarz' criterion orders the models. The point of one task is left out, because it says nothing
//!   of communication. A hold-out error tells how far a fit is off at the two largest points that it was not shown.
//! - `class` says what stays the same when tasks are added (the whole work, or the work of each task), and names the
//!   class with its reason.
//! - `law` and `band` describe the parts of the time (compute, messages, collective, idle, end) by sums of powers and
//!   logarithms, and extrapolate them. What is known of a part a priori ([`Priors`]) is one of the terms, and comes first
//!   where it explains the points. The band is what other likely laws, and laws without one of the points each, say,
//!   and at least 3 % of each part for every two doublings of the tasks.
//! - `formula` finds a time in several parameters, the number of tasks among them, and `formula_text` writes it.
//! - `isoefficiency` says how the work must grow with the tasks.
//!
//! # Invariants
//!
//! - The five parts of a point add up to its total.
//! - Models whose parameters the points do not determine are not returned. Laws that were off by more than 15 % at the
//!   largest points before these were shown to them are refused.
//! - The crate reads no file and knows no program.
//!
//! # Limits
//!
//! - Models are continuous in the number of tasks. What begins beyond the points (tasks that run out of rows, a cache that
//!   begins to hold the data) is in none of them; another collective algorithm is where priors are given.
//! - A law has at most two terms beside the constant. Errors of parts are taken to be independent, so that their
//!   squares add up.
//! - Where each task keeps its work, nothing falls as 1/N; models that divide work are not fitted there.
//!
//! # Literature
//!
//! - Zuberek: Estimation of the Speedup of Distributed Applications, 2004 (flat, hierarchical, tree and state-space
//!   models; section II on groups, section IV on massively distributed programs).
//! - Amdahl 1967; Gustafson 1988; Gunther 1993 (universal scalability law).
//! - Calotoiu and others, SC13 and CLUSTER 2016 (Extra-P: the performance model normal form, of one and of several parameters).
//! - Allen 1974 (PRESS: each sample foretold by the others).
//! - Grama, Gupta, Kumar 1993 (isoefficiency).
//! - Schwarz 1978 (criterion); Quenouille 1956 (jackknife).

#![forbid(unsafe_code)]

pub mod band;
pub mod class;
pub mod fit;
pub mod formula;
pub mod formula_text;
pub mod isoefficiency;
pub mod law;
mod least_squares;
pub mod model;
pub mod study;
#[cfg(test)]
mod tests;

use chronos_base::units::Seconds;
use std::collections::BTreeMap;

/// A number of tasks. Models are continuous in it, so the best one need not be whole.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Tasks(pub f64);

/// Time with one number of tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The number of tasks.
    pub tasks: usize,
    /// When the last task ends.
    pub total: Seconds,
    /// What the total is made of; `None` where only the total is known.
    pub parts: Option<Parts>,
}

impl Point {
    /// The number of tasks as models take it.
    pub fn n(&self) -> Tasks {
        Tasks(self.tasks as f64)
    }
}

/// Means over the tasks; together with `end` they add up to the total.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    /// Between MPI calls.
    pub compute: Seconds,
    /// In calls that send or receive, without waiting for the partner.
    pub messages: Seconds,
    /// In collective operations, without waiting for members.
    pub collective: Seconds,
    /// Until an awaited partner arrived.
    pub idle: Seconds,
    /// From the end of the mean task to that of the last one.
    pub end: Seconds,
}

impl Parts {
    /// Names for tables and files.
    pub const NAMES: [&'static str; 5] = ["compute", "messages", "collective", "idle", "end"];

    /// The parts in the order of `NAMES`.
    pub fn all(&self) -> [Seconds; 5] {
        [self.compute, self.messages, self.collective, self.idle, self.end]
    }
}

/// What the parts are a priori, by number of tasks: from the calls and bytes of the program and the costs of the network,
/// without any fit. A part that is 0 is not known.
pub type Priors = BTreeMap<usize, Parts>;
