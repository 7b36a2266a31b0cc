//! What is asked of abstract execution, and what it answers: the state before a region, and its summary.

use chronos_activity::{ContextId, Count, CountSource, Segments};
use chronos_ir::{BlockId, CounterId, FuncId, Region, ScalarType, ValueId, VarId};
use chronos_slicing::Loss;
use chronos_slicing::annotations::{AnnotationCheck, Kind};
use chronos_values::{ObjectId, Origin, Pointer, ReasonId, Value};

/// What a summary may ask of the task it is made for: the state at the begin of the region.
pub trait Environment {
    /// Value of a scalar variable (local of the current frame, parameter, static or global).
    fn variable(&self, variable: VarId) -> Value;
    /// The object that holds a variable, for variables whose address matters (aggregates, address taken).
    fn object(&self, variable: VarId) -> ObjectId;
    /// Value of an operation executed before the region in the current frame.
    fn value(&self, value: ValueId) -> Value;
    /// What a read of memory would give now.
    fn load(&self, pointer: Pointer, ty: ScalarType) -> Value;
    /// Where an object comes from.
    fn origin(&self, object: ObjectId) -> Origin;
    /// Bytes of an object.
    fn size(&self, object: ObjectId) -> u64;
    /// All bytes of the object are zero since it exists.
    fn is_cleared(&self, _object: ObjectId) -> bool {
        false
    }
}

/// What a region does, in closed form.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// To be added to the running segment.
    pub counts: Vec<(ContextId, CounterId, Count)>,
    /// Bytes handled by library calls, as in `Segment::volumes`.
    pub volumes: Vec<(ContextId, BlockId, f64)>,
    /// To be applied to the task's memory, in order.
    pub effects: Vec<Effect>,
    /// The jump that control takes out of the region, where it does not come to its end.
    pub exit: Option<Exit>,
    /// What makes counts inexact or unknown; empty where all are exact.
    pub uncertain: Vec<Uncertain>,
    /// The worst that is lost with values: the region should be interpreted if the budget allows.
    pub loses: Loss,
    /// Some uncertainty could be resolved by interpreting (its condition is not hopeless).
    pub resolvable: bool,
    /// Branches and loops that are known exactly although the user or the source speaks of them.
    pub annotation_checks: Vec<(BlockId, AnnotationCheck)>,
    /// A part of the executions that does not come out at the end of the region.
    pub early_return: Option<EarlyReturn>,
    /// What it took to find out, in iterations that are executed abstractly: each takes far longer than
    /// interpreting one. Zero where the same was asked before.
    pub effort: u32,
}

/// Executions that returned from the function, by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EarlyReturn {
    /// Of those that entered the region; above 0, at most 1.
    pub share: f64,
    /// How certain the share is.
    pub source: CountSource,
    /// What they returned; `None` in a function without result.
    pub value: Option<Value>,
}

/// A jump out of a region.
#[derive(Clone, Debug, PartialEq)]
pub struct Exit {
    /// The straight block that ends with it.
    pub block: BlockId,
    /// What is returned, where it is a return with a value.
    pub value: Option<Value>,
}

/// A change of the memory of a task.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// The scalar variable holds this value.
    SetVariable(VarId, Value),
    /// The integer variable holds so much more than before.
    Add(VarId, i64),
    /// The scalar of this type at the address holds this value.
    SetMemory(Pointer, ScalarType, Value),
    /// The object's content is no longer known.
    Forget(ObjectId, ReasonId),
    /// The contents of all objects of this origin are no longer known.
    ForgetAll(Origin, ReasonId),
}

/// A branch or loop whose counts are not exact, or a call whose bytes are unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncertain {
    /// The branch, loop or call.
    pub block: BlockId,
    /// What is not exact about it.
    pub kind: UncertainKind,
    /// Why its condition or number of iterations is unknown, where a value was the cause.
    pub reason: Option<ReasonId>,
}

/// Why counts of a branch or loop are not exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum UncertainKind {
    /// A branch taken with a probability nobody gave.
    AssumedProbability(f64),
    /// A trip count that nobody knows: counts inside are unknown.
    UnknownTrips,
    /// Iterations that are expected where branches in the loop are taken by assumed probabilities; fewest and most.
    AssumedTrips {
        /// Mean number of iterations, as the probabilities have it.
        mean: f64,
        /// The fewest that are expected.
        least: u32,
        /// The most that are expected.
        most: u32,
    },
    /// How many bytes a library call is for: what they take is left out of its volume.
    UnknownBytes,
    /// What the source says of a branch or loop is no number that it can be, or is no expression that counts can hold:
    /// it is not used. The number, where it is one.
    Unexpressed {
        /// Whether it is a probability or a number of iterations.
        kind: Kind,
        /// The number; `None` where it is none.
        number: Option<f64>,
    },
}

/// Why a region has no summary: it must be interpreted.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsummarisable {
    /// The block that could not be executed abstractly.
    pub block: BlockId,
    /// A few words: `recursion`, `a trip count that is no closed form`, `jump out of the region`.
    pub why: String,
}

/// Passed along with every request for a summary.
pub struct Request<'a> {
    /// The state before the region.
    pub environment: &'a dyn Environment,
    /// The calling context of the region.
    pub context: ContextId,
    /// The table of contexts, to which calls of the region add theirs.
    pub segments: &'a mut Segments,
    /// The table of reasons, to which the summary adds its own.
    pub reasons: &'a mut chronos_values::Reasons,
}

/// Finds out what MPI-free regions do without executing them iteration by iteration.
pub trait Summariser {
    /// The loop with its initialisation, from the state before that.
    fn summarise_loop(&mut self, block: BlockId, request: Request<'_>) -> Result<Summary, Unsummarisable>;
    /// Blocks of one function that stand side by side.
    fn summarise_region(&mut self, region: &Region, request: Request<'_>) -> Result<Summary, Unsummarisable>;
    /// The contents of storage of this origin matter to MPI calls or to counts.
    fn is_relevant(&self, origin: Origin) -> bool;
    /// The same for a scalar variable.
    fn relevant_variable(&self, variable: VarId) -> bool;
    /// Storage that a pointer computed in `function` may lead to; `None`: any.
    fn reached_by(&self, _function: FuncId, _pointer: ValueId) -> Option<&[Origin]> {
        None
    }
}

/// Summarises nothing: everything is interpreted, everything is relevant.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSummaries;

impl Summariser for NoSummaries {
    fn summarise_loop(&mut self, block: BlockId, _: Request<'_>) -> Result<Summary, Unsummarisable> {
        Err(Unsummarisable { block, why: "summaries are switched off".into() })
    }

    fn summarise_region(&mut self, region: &Region, _: Request<'_>) -> Result<Summary, Unsummarisable> {
        let block = region.first().copied().unwrap_or(BlockId(0));
        Err(Unsummarisable { block, why: "summaries are switched off".into() })
    }

    fn is_relevant(&self, _: Origin) -> bool {
        true
    }

    fn relevant_variable(&self, _: VarId) -> bool {
        true
    }
}
