//! From counts to time: cost models behind one trait.
//!
//! This module must not know MPI. A model prices a whole segment at once, because on a modern
//! machine the time of a loop is no sum over its blocks (trip counts are an argument).

#![forbid(unsafe_code)]

pub mod classes;
pub mod codes;
mod constants;
pub mod instruction_sum;
pub mod reuse;
pub mod source;
pub mod spread;

#[cfg(test)]
mod tests;

pub use instruction_sum::InstructionSum;
pub use reuse::{Object, Reuse, Use};
pub use source::Source;
pub use spread::{CodeKind, Shape};

use chronos_activity::{ContextId, Segment, Segments};
use chronos_base::span::Span;
use chronos_base::units::Nanoseconds;
use chronos_ir::{BlockId, InstructionClass, VarId};

/// The models there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ModelName {
    /// Every operation adds what its class costs.
    #[default]
    InstructionSum,
    /// The greater of recurrence and throughput of each loop, as the compiler leaves it.
    Source,
}

/// Prices segments of one program on one machine.
pub trait CostModel {
    /// As `--cost-model` names it.
    fn name(&self) -> &'static str;
    /// The time of one execution of the segment, which finds in the caches what `reuse` leaves there. A count that is unknown
    /// contributes nothing to the time and is reported in `unknown`.
    fn price(&self, segment: &Segment, reuse: &Reuse) -> Priced;
    /// What bounds each loop of one execution of the segment; nothing where the model knows no bounds.
    fn loops(&self, _segment: &Segment, _reuse: &Reuse) -> Vec<LoopTime> {
        Vec::new()
    }
    /// The memory that each loop nest of a segment walks over, in the order of the nests; nothing where the model knows no
    /// caches.
    fn uses(&self, _segment: &Segment, _contexts: &Segments) -> Vec<Vec<Use>> {
        Vec::new()
    }
    /// The memory that an argument (from 0) of a call points to.
    fn argument(&self, _context: ContextId, _call: BlockId, _position: usize, _contexts: &Segments) -> Option<Object> {
        None
    }
}

/// The time of a loop in one context, without the loops inside it: the greater of `recurrence` and `throughput + memory`.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopTime {
    pub context: ContextId,
    pub header: BlockId,
    /// Loops around it in its function.
    pub depth: u32,
    pub iterations: f64,
    pub entries: f64,
    pub time: Nanoseconds,
    /// What each iteration waits for the one before.
    pub recurrence: Nanoseconds,
    pub throughput: Nanoseconds,
    pub memory: Nanoseconds,
    /// What wins: `latency`, `throughput of ...`, a level of memory, `operations`.
    pub bound: String,
    /// What its error is like.
    pub kind: CodeKind,
    /// Iterations side by side in a vector; 1 for scalar code.
    pub lanes: u32,
    /// In a sentence, with the remedy.
    pub why: String,
}

/// The time of a segment, split over its blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Priced {
    pub entries: Vec<EntryCost>,
    /// Blocks whose count is unknown.
    pub unknown: Vec<BlockId>,
    /// Rows that are taken to lie one beside the other, where that decides the time, and where they are used.
    pub rows: Vec<(UnknownRows, Span)>,
}

/// Rows of a length that nobody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnknownRows {
    pub array: Option<VarId>,
    /// The array is behind pointers that `array` holds or leads to.
    pub behind: bool,
    /// What gives the length, where that is a variable.
    pub length: Option<VarId>,
}

/// What one block contributes to a segment.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryCost {
    pub context: ContextId,
    pub block: BlockId,
    pub time: Nanoseconds,
    /// Adds up to `time`.
    pub classes: Vec<(InstructionClass, Nanoseconds)>,
}

impl Priced {
    pub fn total(&self) -> Nanoseconds {
        self.entries.iter().map(|entry| entry.time).sum()
    }
}
