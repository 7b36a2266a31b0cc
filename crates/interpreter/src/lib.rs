//! The resumable interpreter: it runs the tasks of a program, each until its next MPI call.
//!
//! # Purpose
//!
//! `Evaluator` is a `Feed` (crate `chronos_activity`). The replay asks it for the next step of a task. The interpreter
//! then executes that task up to its next MPI call, returns the counts of the blocks executed so far as a segment, and
//! returns the call as an event. When the replay knows the outcome of the call (which message arrived, which request
//! completed), it passes the outcome back, and the task goes on.
//!
//! The crate knows values, memory and the C library. It does not know time. It reaches the meaning of MPI calls
//! through the trait `MpiCalls` (crate `chronos_mpi_calls`) and closed forms of loops through the trait `Summariser`
//! (crate `chronos_abstract_execution`).
//!
//! # How it works
//!
//! **Rooms.** Each may use those before it: `code` (what block trees are compiled to), `state` (what a task holds),
//! `compile`, `execute` (one task, operation by operation), `folding` (loops that reach MPI), `library` (models of
//! library functions); `programs`, `start`, `spawned` and `evaluator` join them to a job of many tasks.
//!
//! **Code.** `compile` translates the block trees of all functions to flat code, once for each program. `code::fast` is
//! a second form of it for the common case, which `execute::fast` runs: known numbers in registers, scalars in arrays,
//! and loops and branches whose conditions are known. The fast form stops in front of the first operation that is
//! anything else.
//!
//! **Hot loops** become code of this processor (`compile::native`, `execute::native`, crate `chronos_native`), with the short functions
//! that they call in the place of the calls. The code does what the fast form does, under the same conditions, and is left in
//! front of what it does not do; the frames and loops that it is left in are made then. 20 of its operations take as much of the
//! budget as one of the interpreter. Results are those of the interpreter (`EvaluatorOptions::native` compares them).
//!
//! **Data models.** On clusters of 32- and 64-bit machines each task runs the program of its machine (`programs`): code,
//! closed forms and what is known of calls belong to a program; segments, contexts and assumptions are common, as blocks
//! have the same numbers.
//!
//! **Loops that reach MPI** are iterated. When the relevant state equals the state of one period ago, and the last two
//! periods made the same steps, the remaining periods become one repeat (`folding`). Variables to which the body only
//! adds constants are moved on by as much (`folding::moving`). The counter of the loop may differ where the body reads it
//! only modulo the period, or only in blocks that the period did not execute (`compile::fold_shape`); what prints it
//! does the same up to its next digit (`compile::printed`). A period in which relevant data was received, or in which the order of arrival decided something, does not count as equal.
//!
//! **Classes of tasks.** Of many tasks that do the same but for their partners, one is followed for all (`classes`). It computes
//! with its own values; beside those that depend on its rank stands a formula (`state::formulas`), and each outcome that
//! decides something is kept (`state::by_rank`, `execute::by_rank`): other ranks for which all of them are the same belong to the
//! class. Who does not keep track of a formula gets the number, which is then the same for all of the class. Its events name
//! partners by formulas, and the feed puts in those of each task. It is followed without the others, so that nothing may
//! depend on what it receives but broadcasts, and MPI functions that are not known to do the same for all end the attempt.
//! An element at the task's rank of an array that is the same for all is a formula too (`execute::by_rank_tables`), and where
//! members give blocks of their own size, each has to have the size that the others take it to have (`classes::agreement`).
//! A representative that no other task goes along with, a master say, is soon followed as any task, without formulas.
//!
//! **Loops without MPI** are offered to the summariser first (`execute::summaries`). A summary gives counts and the final
//! values that it could follow, and it marks every other place that the loop writes as not evaluated. The interpreter
//! takes the summary when its counts are exact and no lost value is relevant, as crate `chronos_slicing` defines it.
//! Otherwise the loop is interpreted operation by operation, and each nested loop gets a chance of its own at a
//! summary. A loop whose summaries take longer than interpreting it is offered ever more rarely.
//!
//! **Loops that poll** are not repeated but spin (`folding::spin`). Where every test and probe of a period failed and nothing
//! relevant changed, the interpreter returns `Step::Spin`. The replay lets the task sleep until something arrives that
//! one of the polls looks for, and says how many whole periods went by. Jumps back to a label make such a loop as well
//! (`folding::jumps`). Where the text of the loop does not show how what it counts moves, because a called function does it, say,
//! one more period is followed with these places as linear functions of the number of periods (`folding::trial`,
//! `execute::linear`). All other polls are replayed one by one.
//!
//! **Pure functions.** Equal calls of functions that depend only on scalar arguments and globals are executed once
//! (`compile::purity`, `execute::remembered_calls`).
//!
//! **Budget.** The interpreter has a budget of operations (`Assumptions::budget`, option `--budget`, 10^8 by default)
//! for each execution of a loop, and 80 times as many for all loops of all tasks together. When a task has spent a
//! quarter of its share, it accepts summaries that lose values on which only counts depend. When the share is used up,
//! the loops that took most of it are given up one by one (`execute::effort`): their bodies are followed with unknown values
//! until no new place is written, every such place becomes unknown, and their loops and branches are assumed to go as
//! they went before. What does not depend on these places stays exact.
//!
//! **Branches on unknown values.** Each arm is executed with its share of the weight, and what the arms leave
//! different becomes unknown (`execute::branches`). The share comes from the user (`--prob`), else from an annotation in the
//! source, else from measured heuristics (`chronos_slicing::heuristics`), and then it is reported as an assumption. An
//! arm that ends the program or reports an error gets 0. A trip count that nobody knows is asked for (`--iterations`).
//!
//! **Library functions** have models in `library`: what they do to values and memory, and how many bytes they handle.
//! Their arguments and effects stand in crate `chronos_functions`. `qsort` merges as glibc does where the data is
//! known; otherwise the mean number of comparisons is assumed. The BLAS is known by its C interface. A file that was
//! not given does not exist, unless the program cannot go on without it.
//!
//! **Checks of the use of MPI** (`chronos check --mpi`) watch objects, for instance buffers of open requests. A
//! watched object is excluded from the fast operations, so that programs without such checks pay nothing. While
//! objects are watched, loops are interpreted instead of summarised, for up to a tenth of the budget. The C type of a
//! buffer is that of its declaration, or that of the pointer into which an allocation is stored (`execute::c_types`).
//!
//! **Branch prediction.** A small tagged predictor (`state::remembered::predictor`) watches branches that are executed
//! operation by operation, all of them at first and samples later. It yields `Segment::mispredicted`, which takes no
//! part in the comparison of segments: a segment has what was known when it was seen first. Of a job of one task it has
//! afterwards what holds for the whole activity (`Evaluator::settle_mispredictions`): what was not followed goes on as what was
//! followed last, when the predictor had learnt, and pure calls and iterations that repeat are followed for some time, because only
//! what is followed teaches it. Several tasks are followed with one predictor, so that theirs is not known.
//!
//! # Invariants
//!
//! - An unknown value carries a reason and a place (`chronos_values::Reason`); `messages` describes the chain of
//!   causes.
//! - Results depend neither on the number of threads nor on the order of a hash table.
//! - Whatever may be different in a real run is recorded as a doubt (`chronos_slicing::doubts`), never silently used.
//! - What is known exactly takes precedence over what the user says, and the command line over the source (`execute::user_assumptions`).
//! - Unsafe code is in `execute::native` alone: it gives hot loops the memory of the task, which stays where it is meanwhile.
//! - No input makes the interpreter panic. Limits of time and memory are looked at in every loop and call
//!   (`chronos_base::governor`).
//!
//! # Limits
//!
//! - An MPI call whose structure (ranks, tags, handles) depends on an unknown value is refused with the chain of
//!   causes, and the task ends there. What the task cannot execute any more is found by `chronos_predict`
//!   (`profile/ahead.rs`).
//! - What only depends on how often `MPI_Iprobe` is repeated is not seen here; `chronos_predict` (`profile/polls.rs`)
//!   evaluates the job again with slower messages and with slower computation.
//! - There are no classes where something depends on received data, on random numbers or on the order of arrival, where windows, files,
//!   probes, other communicators or exchanges of blocks of different sizes (`MPI_Alltoallv`) are used, or where loops without MPI have bounds that
//!   differ from task to task, as their summaries are asked for with numbers. How well branches are predicted is not told of classes, so
//!   that many branches followed one by one prevent them.
//! - The contents of a message are carried up to 2^20 scalars; what is longer has unknown contents.
//! - Calls may nest to a depth of 100,000.
//! - Elements that are sorted with the comparison of the program: 65,536. Beyond that, the mean number is assumed.
//! - The counter of a folded loop may have a period of at most 1,000 iterations, and an iteration at most 4,096 steps.
//! - The predictor has a shorter history than today's processors, so it overestimates mispredictions of long patterns.
//!   A branch that is never executed operation by operation (closed forms, unknown data) has no measurement.
//! - Of pages, only those that MPI calls write are followed (`state::pages`). First touches by the program itself are found
//!   from its text, in `chronos_cost` (`source/objects/first_touch.rs`).
//! - `va_arg` gives unknown values where a variadic function was called through a pointer, and so does complex
//!   arithmetic.
//!
//! # Literature
//!
//! - A. Seznec, P. Michaud, "A case for (partially) tagged geometric history length branch prediction", Journal of
//!   Instruction-Level Parallelism 8, 2006: the branch predictor.
//! - A. Aho, M. Lam, R. Sethi, J. Ullman, "Compilers", section 9.1: induction variables, which `folding::moving` moves.
//! - R. Krichevsky, V. Trofimov, "The performance of universal encoding", IEEE Transactions on Information Theory 27,
//!   1981: the estimate of the probabilities of branches in loops that were given up (`execute::effort`).
//! - K. Sen, D. Marinov, G. Agha, "CUTE: a concolic unit testing engine for C", ESEC/FSE 2005: values beside formulas, conditions
//!   kept along one path; here the rank is the only input.
//! - U. Hölzle, C. Chambers, D. Ungar, "Debugging optimized code with dynamic deoptimization", PLDI 1992: `execute::native`.
//! - M. Weiser, "Program slicing", IEEE Transactions on Software Engineering, 1984: only what MPI calls and counts
//!   depend on is worth executing.

#![deny(unsafe_code)]

pub mod classes;
mod code;
pub mod codes;
mod compile;
mod contradictions;
mod evaluator;
mod execute;
mod folding;
mod library;
pub mod messages;
mod no_summaries;
mod position;
mod programs;
mod spawned;
mod start;
mod state;
#[cfg(test)]
mod tests;

pub use evaluator::Evaluator;
pub use messages::describe;
pub use no_summaries::NoSummaries;
pub use position::Position;
pub use programs::TaskProgram;
pub use start::{least_bytes_of_a_task, program_name, started_programs};
pub use state::files_at_hand::FilesAtHand;
pub use state::options::{EvaluatorOptions, Inputs, Missing, NativeCode};
pub use state::templates::{InputTemplates, STANDARD_INPUT};
