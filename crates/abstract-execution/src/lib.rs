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
//! (`ClosedForms`). Crate `chronos_symbolic` executes whole programs with parameters left free (`whole_programs::ProgramExecutor`).
//!
//! # Rooms
//!
//! A room may use rooms above it in this list, never below.
//!
//! | room | knows |
//! | --- | --- |
//! | `expressions` | affine expressions, formulas, symbols, values |
//! | `arithmetic` | what C operators give for such values |
//! | `counts` | numbers of integer points, executions of a place |
//! | `state` | `Execution` and the types of its fields |
//! | `memory` | reads, writes, operations |
//! | `control_flow` | blocks, branches, states that come together |
//! | `iteration_space` | loops that are integer sets |
//! | `nonaffine_loops` | loops with other closed forms, or with an expected number of iterations |
//! | `loops` | how a loop is executed |
//! | `calls`, `mpi`, `function_summaries` | what calls do |
//! | `regions` | summaries for the interpreter |
//! | `whole_programs` | programs with free parameters |
//!
//! All but the first three add methods to `Execution`, by which they call each other: executing a branch executes
//! blocks, which may be loops.
//!
//! # How it works
//!
//! **A summary** (`Summary`) holds counts, bytes handled by library calls, effects on memory, the jump that leaves the
//! region where there is one, and what is not exact. Every place that the region writes and that could not be followed
//! is set to an unknown value with its reason. `Summary::loses` says how bad that is. The caller decides whether to
//! take the summary.
//!
//! **Iteration spaces.** `iteration_space::induction` finds scalars to which a loop adds a constant once per iteration. `space` finds
//! the iteration space by trial executions of the condition and of the body; `trips` turns "the condition holds in
//! iteration k" into the iterations that there are. `control_flow` splits the space by conditions, and weighs
//! it by probabilities where a condition is unknown.
//!
//! **Counting.** Counters that no constraint ties together are counted apart, so a rectangular nest is a product
//! (`counts::cardinality`). What is tied together goes to the integer sets (`coupled`). Bounds that are products or ratios of
//! outer counters are summed value by value, with the innermost counter in closed form (`enumerate`).
//!
//! **Loops without an affine form.** `nonaffine_loops` recognises logarithms and square roots. `arithmetic::reals` follows floor and ceiling
//! of a real bound such as `N / 2.0` or `sqrt(N)`. `recurrence` gives searches over unknown data the mean of the
//! recurrence of their lengths. `unroll` executes loops that soon end one iteration after the other.
//!
//! **Functions with loops** are executed once for all arguments (`function_summaries`). The integers that a function finds are
//! free symbols, and a call sums the polynomials over its executions. This is done only where everything about the
//! function is exact and whatever matters afterwards is known; otherwise the function is executed in its place.
//!
//! **Remembering.** Execution is deterministic, so what a summary asked of its environment forms a tree of questions
//! and answers. `state::recorder` and `regions::memo` find an earlier summary for the same answers by one walk down this tree.
//!
//! ## Whole programs with free parameters
//!
//! - Parameters are symbols over which no path ranges. Products, ratios and integer functions of them are symbols of
//!   their own (`expressions::derived`).
//! - A counter times a parameter, compared with free expressions, is bounded by a ratio. The counter inside a tile is
//!   joined with the counter of the tiles (`counts::tiles`).
//! - Products of counters are summed in closed form. Steps, divisors, powers and logarithms that counters give become
//!   sums over an index (`counts::sums`), which crate `chronos_symbolic` evaluates at given values.
//! - Loops with a range of known length that data ends are geometric sums (`nonaffine_loops::searches`).
//! - What the source says of a branch or loop may be a quotient, as in `PIC_proba(1.0 / N)` (`arithmetic::fractions`). Its
//!   dividend becomes one more counter. Its divisor is a reciprocal of the count (`Derived::Reciprocal`), the only
//!   symbol that is no integer.
//! - A loop of few iterations that is not exact as a whole is executed one iteration after the other (`loops::one_by_one`).
//! - MPI calls lose what they may write (`chronos_functions::written_arguments`). Ranks, sizes, Cartesian grids of all
//!   tasks and what a root that was followed before broadcasts are known (`mpi`).
//! - Which MPI call came last is a value of the state, by cases where conditions tell (`mpi::last_calls`). The first
//!   iteration of a loop follows what came before the loop; the others follow the end of the body, which is known only
//!   when the body has been executed. So counts are divided by the call that they follow, and add up to the whole
//!   (`counts::by_last_call`).
//! - What cannot be followed (a `goto` upwards, recursion, an unknown pointer, a space too complex) is unknown with
//!   its reason, loses what it may write, and execution goes on behind it (`whole_programs`).
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
//!   with free parameters (`counts::coupled`). What would take more has no summary and is interpreted, or is unknown in a
//!   symbolic count.
//! - Calls nest to 32 levels. At most 64 iterations are unrolled where the end of a loop is not foreseen, 256 in whole
//!   programs, and 4,096 where it is (`loops::unroll`).
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

mod arithmetic;
mod calls;
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
pub mod observed;
#[cfg(any(test, feature = "testing"))]
pub mod random_programs;
mod regions;
mod state;
mod summary;
#[cfg(test)]
mod tests;
pub mod whole_programs;

pub use expressions::derived::IntegerFunction;
#[cfg(any(test, feature = "testing"))]
pub use expressions::rational::rational;
pub use nonaffine_loops::trip_form::TripForm;
pub use regions::closed_forms::{BEGINNING, ClosedForms};
pub use summary::{
    EarlyReturn, Effect, Environment, Exit, NoSummaries, Request, Summariser, Summary, Uncertain, UncertainKind,
    Unsummarisable,
};
