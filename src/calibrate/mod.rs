//! Measures an instruction set: builds the microbenchmarks with the very compiler and flags, runs them
//! here, and makes a machine of what they say.
//!
//! It must not know programs under prediction. It writes no file: the caller replaces the machine file
//! whole, at the end.
//!
//! # Figures
//! `latency_cycles` and `throughput_cycles` are facts of the processor: chains of operations in registers
//! (microbench/chains.c). `effective_cycles` is what an occurrence in ordinary code adds with these flags: the
//! non-negative costs that together explain the times of a suite of short loops best (microbench/suite.c,
//! `fit.rs`). Library functions are timed one by one (microbench/library.c).

mod assemble;
mod build;
pub mod codes;
mod fit;
pub mod host;
mod library;
mod output;

#[cfg(test)]
mod tests;

use crate::diag::Diagnostic;
use crate::machine::Machine;
use build::Macros;
use output::Measurements;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// Compiler command with its flags, as words: `["gcc", "-O2"]`.
    pub compiler: Vec<String>,
    /// Name of the machine; made from processor, compiler and level where it is `None`.
    pub name: Option<String>,
    /// Fewer passes over the microbenchmarks: figures for a first look.
    pub quick: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { compiler: vec!["cc".to_owned()], name: None, quick: false }
    }
}

impl Options {
    /// How often every microbenchmark program runs; the least time of all runs counts.
    fn passes(&self) -> u32 {
        if self.quick { 2 } else { 5 }
    }
}

/// How far a calibration has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    pub done: u32,
    pub total: u32,
    /// What is being done now, in a few words.
    pub what: String,
}

/// The microbenchmark programs: name, source, flags behind the user's.
const PROGRAMS: [(&str, &str, &[&str]); 4] = [
    ("clock", include_str!("../../microbench/clock.c"), &["-O1"]),
    ("chains", include_str!("../../microbench/chains.c"), &["-O1"]),
    ("suite", include_str!("../../microbench/suite.c"), &[]),
    ("library", include_str!("../../microbench/library.c"), &[]),
];

/// Median above minimum from which on a run counts as noisy.
const NOISE_WARNING: f64 = 0.10;
/// ... and from which on it is refused.
const NOISE_REFUSAL: f64 = 0.60;

/// Measures this workstation with the compiler and flags of `options`; takes seconds to a minute.
///
/// `None` where there is no machine to show; the diagnostics then say why. Noise gives a warning.
pub fn run(options: &Options, progress: &mut dyn FnMut(Progress)) -> (Option<Machine>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let machine = measure(options, progress)
        .and_then(|(macros, measurements)| {
            diagnostics.extend(check_noise(&measurements)?);
            assemble::machine(options, &macros, &measurements)
        })
        .map_err(|error| diagnostics.push(error))
        .ok();
    if let Some(machine) = &machine {
        diagnostics.extend(machine.check(&machine.name));
    }
    (machine.filter(|_| !diagnostics.iter().any(Diagnostic::is_error)), diagnostics)
}

fn measure(options: &Options, progress: &mut dyn FnMut(Progress)) -> Result<(Macros, Measurements), Diagnostic> {
    let passes = options.passes();
    let programs = u32::try_from(PROGRAMS.len()).expect("a handful");
    let total = programs * (passes + 1);
    let mut done = 0;
    let mut report = |what: String| {
        progress(Progress { done, total, what });
        done += 1;
    };
    let workshop = build::Workshop::open(&options.compiler)?;
    let macros = workshop.macros()?;
    let mut built = Vec::new();
    for (name, source, flags) in PROGRAMS {
        report(format!("building {name}"));
        built.push(workshop.build(name, source, flags)?);
    }
    let mut measurements = Measurements::default();
    for pass in 1..=passes {
        for program in &built {
            report(format!("measuring {}, pass {pass} of {passes}", program.name));
            measurements.merge(output::parse(&program.name, &program.run()?)?);
        }
    }
    Ok((macros, measurements))
}

/// A warning where other load disturbed the run.
///
/// # Errors
/// So much noise that the figures would mean nothing.
fn check_noise(measurements: &Measurements) -> Result<Option<Diagnostic>, Diagnostic> {
    let noise = measurements.noise();
    let percent = (noise * 100.0).round();
    let message = format!("the medians of the timings lie {percent} % above their minima");
    if noise > NOISE_REFUSAL {
        return Err(Diagnostic::error(&codes::TOO_NOISY, message)
            .help("stop what else runs on this workstation, then calibrate again"));
    }
    let help = "minima are used; for figures to rely on, calibrate again while nothing else runs";
    Ok((noise > NOISE_WARNING).then(|| Diagnostic::warning(&codes::NOISY, message).help(help)))
}
