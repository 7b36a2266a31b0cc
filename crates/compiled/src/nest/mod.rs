//! The time of nests of machine loops, from how often the loops and blocks of the source run.
//!
//! A region is a machine loop, or a function outside its loops. One execution of a region is a way over its blocks, with
//! each loop inside taken as one step. Ways are chosen by what the source says: a way must bring all iterations of the
//! source loops inside (which decides about vector loops, remainders and copies for overlapping arrays), and where a
//! condition of the source is left, the counts of the blocks behind it weigh the ways. Counts of a part of a program may fit
//! no way, as it begins or ends in the middle of a region: loops that run, and that the ways leave out, then run as their own
//! counts say, on the way that fits these best.
//!
//! The instructions of a way are simulated one after the other, innermost loops written out for as long as the core sees
//! across their ends; several ways follow each other in a random order. What is left of their iterations takes what they take when they repeat.

mod anchors;
mod executions;
mod fitting;
mod frequencies;
mod groups;
mod judge;
mod mixture;
mod plan;
mod time;
mod versions;
mod ways;

pub use plan::{Execution, RegionPlan, Situation, Visit};
pub use time::{NestTimes, RegionTime, SimulatedPaths};

/// How often the source runs.
pub trait ExecutionProfile {
    /// Iterations of a source loop (position in [`crate::matching::SourceFunctions::loops`]) each time it is entered;
    /// `None` where it is not known.
    fn trips(&self, source_loop: usize) -> Option<f64>;
    /// Executions of a source block (position in [`crate::matching::SourceFunctions::blocks`]).
    fn count(&self, source_block: usize) -> Option<f64>;
    /// How often one iteration of the loop around, or one call of the function, comes to a source loop, of 1; `None` where it
    /// is not known.
    fn reached(&self, source_loop: usize) -> Option<f64>;
    /// The same of a loop of an inlined function, from one iteration of another loop that the call stands in, or from one call
    /// of the function that contains the copy (`None`).
    fn reached_from(&self, source_loop: usize, around: Option<usize>) -> Option<f64>;
    /// Whether the number of iterations differs from entry to entry.
    fn varies(&self, source_loop: usize) -> bool;
    /// Whether a store of the loop is to memory that its loads read: no check at run time finds them apart.
    fn overlaps(&self, source_loop: usize) -> bool;
    /// Whether they meet by the counter of another loop, so that it is a check at run time that finds it.
    fn meets_by_counter(&self, _source_loop: usize) -> bool {
        false
    }
    /// Whether data decides which way an iteration of the loop takes, so that ways alternate; what counters decide holds for
    /// many iterations in a row.
    fn chosen_by_data(&self, source_loop: usize) -> bool;
}
