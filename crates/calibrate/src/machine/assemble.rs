//! A machine made of measurements.

use super::{classes, effective, levels, library, pipeline, rules, threads};
use crate::host::Host;
use crate::options::{Measured, Options};
use crate::output::rounded;
use crate::output::{Measurement, Measurements, bad_output, median, quantile};
use crate::suite::is_of_suite;
use chronos_base::diag::Diagnostic;
use chronos_base::units::{Cycles, Nanoseconds};
use chronos_ir::InstructionClass;
use chronos_machine::workstation::SCHEMA;
use chronos_machine::{Compiler, Machine, Provenance, ProvenanceKind, Rules, Sample};

/// Calls that an MPI call without communication is taken to be worth: it checks its arguments and looks
/// up its communicator.
const CALLS_PER_LOCAL_MPI: f64 = 5.0;

/// # Errors
/// A result is missing from the measurements, or names no instruction class.
pub fn machine(options: &Options, measured: &Measured) -> Result<Machine, Diagnostic> {
    let Measured { host, macros, emitted, results, .. } = measured;
    let ns_per_cycle = cycle(results)?;
    if ns_per_cycle <= 0.0 {
        return Err(bad_output("a cycle takes no time"));
    }
    let (command, flags) = options.compiler.split_first().ok_or_else(|| bad_output("no compiler"))?;
    let rules = rules::rules(flags, macros, *emitted);
    let mut classes = classes::registers(results, ns_per_cycle, &rules)?;
    let widths = macros.vector_widths().collect::<Vec<_>>();
    classes::vectors(results, ns_per_cycle, &widths, &mut classes);
    let residuals = effective::effective(results, ns_per_cycle, &rules, &mut classes)?;
    let library = library::table(results, ns_per_cycle)?;
    let call = classes.get(&InstructionClass::Call).map_or(0.0, |cost| cost.latency_cycles.0);
    let name = options.name.clone().unwrap_or_else(|| default_name(host, &rules));
    Ok(Machine {
        schema: SCHEMA.to_owned(),
        description: format!("{}, {} {}: measured", host.cpu, host.compiler_version, flags.join(" ")),
        name,
        data_model: macros.data_model(),
        architecture: macros.architecture(),
        c_library: None,
        processor: host.cpu.clone(),
        cores: host.cores,
        ns_per_cycle: Nanoseconds(rounded(ns_per_cycle)),
        compiler: Compiler { command: command.clone(), version: host.compiler_version.clone(), flags: flags.to_vec() },
        library_default_cycles: Cycles(rounded(median(library.values().map(|cost| cost.cycles.0).collect()))),
        mpi_local_cycles: Cycles(rounded(CALLS_PER_LOCAL_MPI * call)),
        memory: levels::memory(&host.levels, results),
        threads: threads::costs(results),
        pipeline: Some(pipeline::pipeline(results, ns_per_cycle, &widths)?),
        rules,
        provenance: provenance(measured),
        samples: results.0.iter().map(|(name, measurement)| sample(name, measurement)).collect(),
        classes,
        library,
        residuals: Some(residuals),
        residuals_source: None,
    })
}

/// Dependent additions of integers take a cycle each; two programs measure them, so that one slow moment of the
/// clock counts less.
fn cycle(results: &Measurements) -> Result<f64, Diagnostic> {
    let mut rounds = Vec::new();
    for name in ["clock.clock", "chains.latency.int_add"] {
        let found = results.0.get(name).ok_or_else(|| bad_output(&format!("no result for {name}")))?;
        rounds.extend_from_slice(&found.rounds_ns);
    }
    Ok(quantile(rounds, 0.25))
}

const NOTES: [&str; 7] = [
    "latency and throughput: microbench/chains.c and vectors.c in registers; effective: least squares over \
     microbench/suite.c",
    "pipeline: microbench/pipeline.c; window and waiting: from how chains of products overlap",
    "memory: microbench/memory.c, one access per line; strided: another page each time; sizes as the system gives them, of \
     the last cache no more than walks over all words show to be kept",
    "malloc and free, fopen and fclose are timed together, half each; functions of one family share a timing",
    "mpi_local_cycles is taken to be five calls",
    "threads: microbench/threads.c, two threads on two processors",
    "fp_sqrt: the mean of latency and throughput, as the suite has no square roots",
];

fn provenance(measured: &Measured) -> Provenance {
    let host = &measured.host;
    let mut notes: Vec<String> = NOTES.iter().map(|note| (*note).to_owned()).collect();
    notes.push(format!(
        "{} rounds; typical timings {:.1} % above those that count{}",
        measured.rounds,
        measured.results.noise() * 100.0,
        host.load.map_or(String::new(), |load| format!("; load of the system before: {load}")),
    ));
    let cycles = measured.results.cycles_ns();
    if !cycles.is_empty() {
        let [slow, fast] = [0.9, 0.1].map(|share| quantile(cycles.clone(), share));
        notes.push(format!(
            "a cycle took {} to {} ns meanwhile: what takes cycles is given as at the median clock",
            rounded(fast),
            rounded(slow)
        ));
    }
    Provenance {
        kind: ProvenanceKind::Measured,
        cpu: host.cpu.clone(),
        os: host.os.clone(),
        compiler: host.compiler_version.clone(),
        date: crate::host::today(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        sources: Vec::new(),
        notes,
    }
}

fn default_name(host: &Host, rules: &Rules) -> String {
    let words = host.cpu.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let cpu = words.take(4).collect::<Vec<_>>().join("-").to_lowercase();
    format!("{cpu}-{}", rules.profile)
}

fn sample(name: &str, measurement: &Measurement) -> Sample {
    Sample {
        name: name.to_owned(),
        min_ns: Nanoseconds(rounded(measurement.least_ns())),
        median_ns: Nanoseconds(rounded(measurement.median_ns)),
        repetitions: measurement.repetitions,
        units: measurement.units(),
        kind: is_of_suite(name).then(|| effective::kind(measurement)),
        rounds_ns: measurement.rounds_ns.iter().map(|round| Nanoseconds(rounded(*round))).collect(),
    }
}
