//! Abstract execution: regions without MPI calls are executed once, with symbols for induction variables.
//!
//! # Purpose
//!
//! A loop nest whose bounds are affine in its counters need not be iterated to be counted. This crate executes each
//! block of a region once. Induction variables are symbols, loop bounds and conditions become linear constraints, and
//! the count of a block is the number of integer points of a set, which crate `chronos_math` gives as a number or as a
//! quasi-polynomial. The crate knows no time.
//!
//! It has two users. The interpreter asks for summaries of loops and regions through the trait `Summariser`
//! (`ClosedForms`). Crate `chronos_symbolic` executes whole programs with parameters left free (`program::Programs`).
//!
//! # How it works
//!
//! **A summary** (`Summary`) holds counts, bytes handled by library calls, effects on memory, the jump that leaves the
//! region where there is one, and what is not exact. Every place that the region writes and that could not be followed
//! is set to an unknown value with its reason. `Summary::loses` says how bad that is. The caller decides whether to
//! take the summary.
//!
//! **Iteration spaces.** `induction` finds scalars to which a loop adds a constant once per iteration. `space` finds
//! the iteration space by trial executions of the condition and of the body; `trips` turns "the condition holds in
//! iteration k" into the iterations that there are. `branches` splits the space by conditions (`formula`), and weighs
//! it by probabilities where a condition is unknown.
//!
//! **Counting.** Counters that no constraint ties together are counted apart, so a rectangular nest is a product
//! (`cardinality`). What is tied together goes to the integer sets (`nest`). Bounds that are products or ratios of
//! outer counters are summed value by value, with the innermost counter in closed form (`enumerate`, `strides`).
//!
//! **Loops without an affine form.** `shape` recognises logarithms and square roots. `reals` follows floor and ceiling
//! of a real bound such as `N / 2.0` or `sqrt(N)`. `recurrence` gives searches over unknown data the mean of the
//! recurrence of their lengths. `unroll` executes loops that soon end one iteration after the other.
//!
//! **Functions with loops** are executed once for all arguments (`functions`). The integers that a function finds are
//! free symbols, and a call sums the polynomials over its executions. This is done only where everything about the
//! function is exact and whatever matters afterwards is known; otherwise the function is executed in its place.
//!
//! **Remembering.** Execution is deterministic, so what a summary asked of its environment forms a tree of questions
//! and answers. `recorder` and `memo` find an earlier summary for the same answers by one walk down this tree.
//!
//! ## Whole programs with free parameters
//!
//! - Parameters are symbols over which no path ranges. Products, ratios and integer functions of them are symbols of
//!   their own (`derived`).
//! - A counter times a parameter, compared with free expressions, is bounded by a ratio. The counter inside a tile is
//!   joined with the counter of the tiles (`tiles`).
//! - Products of counters are summed in closed form. Steps, divisors, powers and logarithms that counters give become
//!   sums over an index (`sums`), which crate `chronos_symbolic` evaluates at given values.
//! - Loops with a range of known length that data ends are geometric sums (`searches`).
//! - What the source says of a branch or loop may be a quotient, as in `PIC_proba(1.0 / N)` (`fractions`). Its
//!   dividend becomes one more counter. Its divisor is a reciprocal of the count (`Derived::Reciprocal`), the only
//!   symbol that is no integer.
//! - A loop of few iterations that is not exact as a whole is executed one iteration after the other (`closely`).
//! - MPI calls lose what they may write (`chronos_functions::written_arguments`). Ranks, sizes, Cartesian grids of all
//!   tasks and what a root that was followed before broadcasts are known (`mpi_calls`, `mpi_grids`, `broadcasts`).
//! - Which MPI call came last is a value of the state, by cases where conditions tell (`last_calls`). The first
//!   iteration of a loop follows what came before the loop; the others follow the end of the body, which is known only
//!   when the body has been executed. So counts are divided by the call that they follow, and add up to the whole
//!   (`stretches`).
//! - What cannot be followed (a `goto` upwards, recursion, an unknown pointer, a space too complex) is unknown with
//!   its reason, loses what it may write, and execution goes on behind it (`whole`).
//!
//! # Invariants
//!
//! - A count is exact, or the summary names the block and the reason why it is not (`Uncertain`).
//! - A summary never claims a final value that it did not follow.
//! - The same questions with the same answers give the same summary.
//! - One `ClosedForms` is used with one table of contexts and one of reasons, since their ids stand in remembered
//!   summaries.
//!
//! # Limits
//!
//! - Work is bounded: 2,000 steps of the counting engine for one count and 6,000 for one summary; 20,000 and 400,000
//!   with free parameters (`nest`). What would take more has no summary and is interpreted, or is unknown in a
//!   symbolic count.
//! - Calls nest to 32 levels. At most 64 iterations are unrolled where the end of a loop is not foreseen, 256 in whole
//!   programs, and 4,096 where it is (`unroll`).
//! - A value has at most 16 cases. Sums nest to 4 levels.
//! - `reals` follows integers up to 2^40, far enough from 2^52 that no rounding reaches the next integer.
//! - A parameter that becomes `unsigned int` may wrap around. Otherwise parameters are taken to fit the types that
//!   they are converted to.
//!
//! # Literature
//!
//! - P. Cousot, R. Cousot, "Abstract interpretation: a unified lattice model for static analysis of programs by
//!   construction or approximation of fixpoints", POPL 1977: execution with abstract values.
//! - S. Muchnick, "Advanced Compiler Design and Implementation", chapter 14: induction variables.
//! - P. Clauss, "Counting solutions to linear and nonlinear constraints through Ehrhart polynomials", ICS 1996: counts
//!   of loop nests as numbers of integer points.
//! - W. Pugh, "Counting solutions to Presburger formulas: how and why", PLDI 1994: the same by symbolic summation,
//!   which is how `chronos_math` counts.

#![forbid(unsafe_code)]

mod calls;
mod closed_forms;
mod control_flow;
mod counts;
mod expressions;
mod function_summaries;
mod iteration_space;
mod loops;
mod memory;
mod mpi;
mod nonaffine_loops;
#[cfg(any(test, feature = "testing"))]
pub mod random_programs;
mod state;
#[cfg(test)]
mod tests;
mod whole_programs;

pub use closed_forms::{BEGINNING, ClosedForms};
#[cfg(any(test, feature = "testing"))]
pub use counts::amount::rational;
pub use expressions::derived::IntegerFunction;
#[cfg(any(test, feature = "testing"))]
pub use function_summaries::observed;
pub use nonaffine_loops::trip_form::TripForm;
pub use whole_programs::program;

use chronos_activity::{ContextId, Count, CountSource, Segments};
use chronos_ir::{BlockId, CounterId, FuncId, Region, ScalarType, ValueId, VarId};
use chronos_slicing::Loss;
use chronos_slicing::annotations::{Kind, Settled};
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
    pub settled: Vec<(BlockId, Settled)>,
    /// A part of the executions that does not come out at the end of the region.
    pub left: Option<Left>,
    /// What it took to find out, in iterations that are executed abstractly: each takes far longer than
    /// interpreting one. Zero where the same was asked before.
    pub effort: u32,
}

/// Executions that returned from the function, by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Left {
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
    /// The scalar of this type at the address holds this value.
    SetMemory(Pointer, ScalarType, Value),
    /// The object's content is no longer known.
    Forget(ObjectId, ReasonId),
    /// The contents of all objects of this origin are no longer known.
    ForgetAll(Origin, ReasonId),
}

/// A branch or loop whose counts are not exact.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncertain {
    /// The branch or loop.
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
