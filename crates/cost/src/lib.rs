//! From counts to time: cost models that price a segment on a machine.
//!
//! # Purpose
//!
//! A segment says how often each block of a program ran between two MPI calls. A machine file says what operations
//! cost. This crate joins them behind one trait, `CostModel`. A model prices a whole segment at once, because on a
//! modern machine the time of a loop is no sum over its blocks, and trip counts are an argument.
//!
//! There are two models. `instruction-sum` adds up the times of all instructions (ChronosMix, formula 1). `source`
//! takes each loop as the compiler leaves it, and the greater of its recurrence and of `throughput + memory`. A machine
//! file without pipeline and times of memory is priced by the first, others by the second (`Source::suits`).
//!
//! # How it works
//!
//! - **Operations** are counted by instruction class for every counter of a block (`classes`). What a compiler would
//!   fold takes no time (`constants`), so that expressions agree with numeric predictions.
//! - **`instruction_sum`** multiplies counts by the effective cost of each class. It knows no overlap, no vectorization
//!   and no caches.
//! - **`source`** builds the data flow of each loop once, by value numbering. It finds the recurrences and what scalar
//!   replacement leaves of them, decides whether the loop runs on vectors, alone or by outer-loop vectorization, and
//!   which loads are operands. Its parts are described in `source`.
//! - **Reuse** (`reuse`) is the vocabulary between a model, which knows which memory a segment walks over, and whoever
//!   knows the order of segments: `Use`s go out, a `Reuse` with the distances comes back.
//! - **Intervals** (`intervals`) makes 90 % intervals of the residuals of the calibration suite.
//!
//! ## What the model `source` takes from where
//!
//! What compilers do is data: `source/compiler/profiles/*.json`, each rule with its evidence, for gcc 12 and clang 14
//! at -O0 to -O3. A machine file that names none of them gets the one of its compiler's family that fits its rules;
//! what is not known to be clang counts as gcc. What processors do stands in the machine file.
//!
//! Without optimisation the model counts the instructions that gcc makes of each expression for x86-64
//! (`source/processor/instructions.rs`) where the machine file's `counts_instructions` says so. Else it adds up
//! effective costs.
//!
//! ## Branches
//!
//! Branches are tried both ways: executed on all arms, as vectors need it, and left as branches where the profile's
//! `converted_operations` says that the compiler finds the arms too dear (`source/dataflow/if_conversion.rs`).
//!
//! What a branch on data costs is what a small tagged predictor missed while the program was followed
//! (`Segment::mispredicted`, made in `crates/interpreter/src/state/remembered/predictor.rs`). It takes no part in whether segments are
//! equal; once the one task of a job was followed, it is what holds for its whole activity. A branch that nobody followed (closed forms, unknown
//! data, traces) is taken to go the rarer way against the prediction six times of ten; the end of a loop whose length data
//! gives each time, unless its mean length is whole.
//!
//! ## Memory
//!
//! A segment is priced with what it finds in the caches. `chronos_predict` walks over the recorded activity of a task
//! and finds for each nest how many different bytes were used since its memory was used before. Names of memory
//! (allocations and variables, through arguments in a calling context) are in `source/objects/names.rs`. A second or
//! third level loses by chance what is near its size, because pages fall into its sets by chance (`Store` in
//! `source/memory/footprint.rs`). `Memory::shared_by` of the machine gives each task of a node its part of what cores
//! share.
//!
//! Lines that share sets, pages that the processor does not know, and what execution hides of the time of lines are
//! what calibration measured; machine files from before have none of it. Loads and lines from the second level hide a
//! share of each other that was measured (`stencil`; `update` in older files). All else goes on beside them. What is
//! hidden of farther lines is so only for walks along lines, and lines that are stored to cost what writing one does
//! (`source/processor/traffic.rs`).
//!
//! What data chooses stays within its object. Its size comes from its type, or from what an allocator was asked for,
//! which segments tell as `volumes` of the call. Several objects behind one pointer count as the largest; one that did
//! not run counts as unknown, and what `--library-costs` states as the work of an allocator is taken for its bytes
//! (`source/objects/sizes.rs`).
//!
//! Strides that variables give are known where a loop tells in the same or an earlier segment what they hold
//! (`source/profile/row_lengths.rs`). Rows behind pointers lie anywhere; rows of a length that nobody knows are taken
//! to lie one beside the other, which is told where it decides a price (`source/price/unknown_rows.rs`).
//!
//! ## First touch
//!
//! Pages are charged to the first writer in the order of the text, from `main` on, never to what runs repeatedly
//! between MPI calls. What one arm of a branch writes, another one has not. MPI touches pages too, and two halves know
//! of it: the evaluation, which pages of a large object no MPI call has written before (told once, as volume of the
//! call's block, so that iterations stay equal), and the text, whether the program has
//! (`source/objects/first_touch.rs`). Therefore the model asks `chronos_functions::buffers` which arguments a call
//! writes. It knows nothing else of MPI.
//!
//! ## Loops and calls
//!
//! Copies of iterations (interleaved vectors, unrolling) are in `source/codegen/unrolling.rs`, loads that a register
//! keeps for the next iteration in `source/dependence/load_reuse.rs`. Entries of a loop overlap as far as the front end
//! outruns its recurrence (`overlap` in `source/price/loop_time.rs`). Functions of the library that a loop calls itself
//! run beside its recurrences and units, not beside its front end (`optimised` there). Calls of functions of the
//! program, and the code around loops, are added.
//!
//! # Invariants
//!
//! - The crate knows no MPI, except which arguments a call writes, and no order of segments.
//! - The parts of a block's time by class add up to its time, and the times of blocks to that of the segment.
//! - A count that is unknown contributes no time and is listed in `Priced::unknown`.
//! - Every `InstructionClass` is in `InstructionClass::ALL`; an operation of another one would panic.
//! - Rules are developed on `microbench/nests.c` (regular nests), `kernels.c` and `irregular.c`. No rule is fitted to a
//!   program under prediction, and none is made after `microbench/unseen.c`.
//! - The modules of `source` import one way; the list is in `source`.
//!
//! # Limits
//!
//! - No interchange or unroll-and-jam of loops, no attribute `noinline`, no loop around several others that is
//!   vectorized with those inside it, no groups of elements that one load brings and shuffles take apart (`take_apart`
//!   of `microbench/unseen.c` at -O3), no pair of stores that is merged and then loaded in part (swaps of neighbours at
//!   -O2).
//! - A loop that only adds up polynomials of its counters becomes a closed form where the profile says so
//!   (`closes_sums`); no other loop does.
//! - `restrict` counts on parameters alone.
//! - Vectors over memory from `malloc` cross lines as often as an unknown begin makes them. What an aligned allocator
//!   gave begins where it says (`source/whole_program/allocations.rs` follows memory through wrappers, variables and
//!   parameters, but not writes through a global pointer; `assignments.rs` has what variables are ever assigned).
//! - Row lengths that are computed and bound no loop are unknown.
//! - Indices of 32 bits under a condition stay computed and widened where the profile says so (`index` in
//!   `source/dataflow/arithmetic.rs`); what both arms compute would not.
//! - Square roots that may set `errno` keep in memory what pointers reach (`promoted` in
//!   `source/dependence/promotion.rs`).
//! - Where code lies is not known: a loop of a cycle takes two on a Zen 4 where it crosses a border of 64 bytes.
//! - The branch predictor of the evaluation has less history than processors of today, so long patterns come out too
//!   slow.
//! - Loops that are siblings within a loop without MPI do not drive out each other's lines. Buffers of MPI calls that
//!   are loaded from memory are not known, those of which more than half are gaps are taken to be there, and pages of
//!   one call are priced as if nothing had been touched before.
//! - Intervals are of computation with exact counts: assumed counts and networks are not in them.
//!
//! # Literature
//!
//! - ChronosMix: formula 1 (the instruction sum), section 2.1 (the instruction set), micro-time-cost.
//! - Williams, Waterman, Patterson: Roofline, CACM 2009. Stengel, Treibig, Hager, Wellein: the execution-cache-memory
//!   model, ICS 2015; Hammer, Eitzinger, Hager, Wellein: Kerncraft, 2017 (layer conditions).
//! - Rau: Iterative modulo scheduling, MICRO 1994 (RecMII and ResMII).
//! - Alpern, Wegman, Zadeck, POPL 1988, and Click, PLDI 1995 (value numbering); Muchnick 1997, sections 12.4, 13.2 and
//!   14.1; Wolfe 1992 (induction variables).
//! - Allen, Kennedy, Porterfield, Warren, POPL 1983 (if-conversion); Allen, Kennedy, TOPLAS 1987 (vectorization);
//!   Nuzman, Zaks 2008 (outer loops); Callahan, Carr, Kennedy, PLDI 1990 (scalar replacement).
//! - Wolf, Lam, PLDI 1991 (reuse); Mattson, Gecsei, Slutz, Traiger 1970 (reuse distance).
//! - Ball, Larus, PLDI 1993; Wu, Larus, MICRO 1994 (branches).

#![forbid(unsafe_code)]

pub mod classes;
pub mod codes;
mod constants;
pub(crate) mod instruction_sum;
pub mod intervals;
mod library;
mod pricing;
pub mod reuse;
pub mod roofline;
pub mod source;

#[cfg(test)]
mod tests;

pub use instruction_sum::InstructionSum;
pub use intervals::{CodeKind, Shape};
pub use library::{BARRIER_ALONE_NS, REGION_ALONE_NS, grows_with_its_work};
pub use pricing::{CostModel, Coverage, EntryCost, LoopTime, ModelName, Priced, UnknownRows};
pub use reuse::{Object, Reuse, Use};
pub use source::Source;
