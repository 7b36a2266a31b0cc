//! Calibration: measures this workstation or a network, and makes machine and network files of the results.
//!
//! # Purpose
//!
//! The crate builds the microbenchmarks of `microbench/` with the very compiler and flags, runs them here, and makes
//! a machine of what they say; [`network`] does the same with an MPI launcher. It does not know programs under
//! prediction, and it writes no file: the caller replaces the file whole, at the end.
//!
//! # How it works
//!
//! **Figures of the processor.** `latency_cycles` and `throughput_cycles` are facts of the processor: chains of
//! operations in registers (`microbench/chains.c`). `pipeline` and `levels` measure how execution hides latencies and
//! what lines of each level of memory cost. Library functions are timed one by one (`microbench/library.c`).
//!
//! **Figures of ordinary code.** `effective_cycles` is what an occurrence in ordinary code adds with these flags: the
//! non-negative costs that together explain the times of a suite of short loops best (`microbench/suite.c`). `fit`
//! finds them by bounded least squares on the logarithm of predicted over measured time: Gauss-Newton steps, each
//! solved by coordinate descent, drawn gently towards prior costs.
//!
//! **Rules of the compiler.** `rules` and `emitted` tell what the compiler does with its flags, from its predefined
//! macros and from the assembly that it emits.
//!
//! **Repetition.** Programs run in interleaved rounds until their results are certain or time is up (`rounds`).
//! `noise` decides whether the timings mean anything.
//!
//! **BLAS.** [`blas`] times the functions of the BLAS that a program is linked with, for a file of library costs.
//!
//! **Networks.** A one-way time is split into send overhead, latency, time on the wire and receive overhead, above
//! the eager limit with a request and a grant (`network::fit`). Measured times of collective operations go into the
//! file as they are; the crate `replay` scales the messages of the algorithm by them.
//!
//! # Invariants
//!
//! - All samples are kept in the file, so that `chronos machine refit` can make residuals and fitted figures anew.
//! - No rule of the cost model is made after `microbench/unseen.c`: its kernels judge the model. `microbench/nests.c`
//!   is the development set of regular nests, `microbench/kernels.c` and `irregular.c` that of other loops.
//! - Too noisy a measurement makes no file unless the user allows it.
//!
//! # Limits
//!
//! - The microbenchmarks need GNU C (gcc or clang). They have been timed on x86-64; on Arm they were run under
//!   emulation only.
//! - Where the system does not describe its caches, memory is not timed.
//! - More tasks than processors of a node are refused for networks, because tasks that wait keep processors busy.
//!
//! # Literature
//!
//! LogGP, whose parameters the curves of a network generalise: Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995.

#![forbid(unsafe_code)]

pub mod blas;
pub mod build;
pub mod codes;
mod emitted;
pub mod host;
mod machine;
pub mod message_times;
pub mod network;
mod noise;
mod options;
pub mod output;
mod plan;
mod rounds;
mod suite;

#[cfg(test)]
mod tests;

use chronos_base::diag::Diagnostic;
use chronos_machine::Machine;

pub use machine::effective::{Kernel, residuals};
pub use machine::pipeline::refit;
pub use options::{Options, Progress};
pub use plan::Effort;
pub use suite::{HARNESS, SUITE};

/// Measures this workstation with the compiler and flags of `options`; takes as long as [`Effort`] says.
///
/// `None` where there is no machine to show; the diagnostics then say why. Noise gives a warning, too much of it
/// is an error unless `options` allow it.
pub fn run(options: &Options, progress: &mut dyn FnMut(Progress)) -> (Option<Machine>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let machine = rounds::measure(options, progress)
        .and_then(|measured| {
            diagnostics.extend(noise::check(&measured.results, options)?);
            machine::assemble::machine(options, &measured)
        })
        .map_err(|error| diagnostics.push(error))
        .ok();
    if let Some(machine) = &machine {
        diagnostics.extend(machine.check(&machine.name));
    }
    (machine.filter(|_| !diagnostics.iter().any(Diagnostic::is_error)), diagnostics)
}
