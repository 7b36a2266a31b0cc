//! What a cost model is asked, and what it answers: prices of segments, with what bounds their loops.

use super::intervals::CodeKind;
use super::reuse::{Object, Reuse, Use};
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
    /// The instructions that the compiler made, simulated on the processor's core; else as `Source`.
    Compiled,
}

/// How much of what was executed of a block is priced from object code.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage {
    /// Of 1: some segments may run through code that is understood, and others through code that is not.
    pub share: f64,
    /// Why not all of it.
    pub reason: Option<String>,
}

/// Prices segments of one program on one machine.
pub trait CostModel {
    /// As `--cost-model` names it.
    fn name(&self) -> &'static str;
    /// The time of one execution of the segment, which finds in the caches what `reuse` leaves there. A count that is
    /// unknown contributes nothing to the time and is reported in `unknown`.
    fn price(&self, segment: &Segment, reuse: &Reuse) -> Priced;
    /// What bounds each loop of one execution of the segment; nothing where the model knows no bounds.
    fn loops(&self, _segment: &Segment, _reuse: &Reuse) -> Vec<LoopTime> {
        Vec::new()
    }
    /// The memory that each loop nest of a segment walks over, in the order of the nests; nothing where the model knows
    /// no caches.
    fn uses(&self, _segment: &Segment, _contexts: &Segments) -> Vec<Vec<Use>> {
        Vec::new()
    }
    /// How far a block was priced from object code; `None` for blocks that were not priced, and for models that
    /// know no object code.
    fn coverage(&self, _block: BlockId) -> Option<Coverage> {
        None
    }
    /// The memory that an argument (from 0) of a call points to.
    fn argument(&self, _context: ContextId, _call: BlockId, _position: usize, _contexts: &Segments) -> Option<Object> {
        None
    }
}

/// The time of a loop in one context, without the loops inside it: the greater of `recurrence` and `throughput +
/// memory`.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopTime {
    /// The calling context that the loop ran in.
    pub context: ContextId,
    /// The block of the loop.
    pub header: BlockId,
    /// Loops around it in its function.
    pub depth: u32,
    /// Iterations of all entries together, in one execution of the segment.
    pub iterations: f64,
    /// How often the loop was reached in one execution of the segment.
    pub entries: f64,
    /// The time of all iterations together.
    pub time: Nanoseconds,
    /// What each iteration waits for the one before.
    pub recurrence: Nanoseconds,
    /// What the busiest resource of the processor takes.
    pub throughput: Nanoseconds,
    /// What moving lines between levels of memory adds.
    pub memory: Nanoseconds,
    /// What wins: `latency`, `throughput of ...`, a level of memory, `operations`.
    pub bound: String,
    /// What its error is like.
    pub kind: CodeKind,
    /// What the time is to be multiplied with at the fastest and at the slowest place in lines of instructions that a linker may
    /// give to the loop: 1 where that is known, or does not matter.
    pub places: [f64; 2],
    /// Iterations side by side in a vector; 1 for scalar code.
    pub lanes: u32,
    /// In a sentence, with the remedy.
    pub why: String,
}

/// The time of a segment, split over its blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Priced {
    /// The blocks that take time, each in its context.
    pub entries: Vec<EntryCost>,
    /// Blocks whose count is unknown.
    pub unknown: Vec<BlockId>,
    /// Rows that are taken to lie one beside the other, where that decides the time, and where they are used.
    pub rows: Vec<(UnknownRows, Span)>,
}

/// Rows of a length that nobody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnknownRows {
    /// The array that the rows belong to; `None` where nobody knows which.
    pub array: Option<VarId>,
    /// The array is behind pointers that `array` holds or leads to.
    pub behind: bool,
    /// What gives the length, where that is a variable.
    pub length: Option<VarId>,
}

/// What one block contributes to a segment.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryCost {
    /// Calling context of the function that the block belongs to.
    pub context: ContextId,
    /// The block that takes the time.
    pub block: BlockId,
    /// Time of the block itself in one execution of the segment.
    pub time: Nanoseconds,
    /// Adds up to `time`.
    pub classes: Vec<(InstructionClass, Nanoseconds)>,
}

impl Priced {
    /// The time of one execution of the segment.
    pub fn total(&self) -> Nanoseconds {
        self.entries.iter().map(|entry| entry.time).sum()
    }
}
