//! A machine made of measurements.

use super::fit::{self, Equation, Prior};
use super::output::{Measurement, Measurements, bad_output, median, quantile};
use super::{Options, build::Macros, host, library};
use crate::diag::Diagnostic;
use crate::machine::workstation::SCHEMA;
use crate::machine::{ClassCost, Compiler, Machine, Memory, Provenance, ProvenanceKind, Residuals, Rules, Sample};
use crate::program::InstructionClass;
use crate::units::{Cycles, Nanoseconds};
use std::collections::BTreeMap;

/// Calls that an MPI call without communication is taken to be worth: it checks its arguments and looks
/// up its communicator.
const CALLS_PER_LOCAL_MPI: f64 = 5.0;

/// Before the suite is looked at, this share of arithmetic is taken to wait for its operands.
const WAITING_SHARE: f64 = 0.25;

/// No occurrence costs less than this share of the reciprocal throughput: what a suite of tight loops lets
/// overlap completely, ordinary code does not.
const LEAST_SHARE: f64 = 0.5;
/// The same where loops are vectorised, with a few lanes to share a vector operation.
const LEAST_SHARE_VECTORISED: f64 = 0.25;

/// # Errors
/// A result is missing from the measurements, or names no instruction class.
pub fn machine(options: &Options, macros: &Macros, measurements: &Measurements) -> Result<Machine, Diagnostic> {
    let ns_per_cycle = measurements.min_ns("clock.clock")?;
    if ns_per_cycle <= 0.0 {
        return Err(bad_output("a cycle takes no time"));
    }
    let (command, flags) = options.compiler.split_first().ok_or_else(|| bad_output("no compiler"))?;
    let host = host::inspect(command);
    let rules = rules(command, flags, &host.compiler_version, macros);
    let mut classes = registers(measurements, ns_per_cycle, &rules)?;
    let residuals = effective(measurements, ns_per_cycle, &rules, &mut classes)?;
    let library = library::table(measurements, ns_per_cycle)?;
    let call = classes.get(&InstructionClass::Call).map_or(0.0, |cost| cost.latency_cycles.0);
    let name = options.name.clone().unwrap_or_else(|| default_name(&host, &rules));
    Ok(Machine {
        schema: SCHEMA.to_owned(),
        description: format!("{}, {} {}: measured", host.cpu, host.compiler_version, flags.join(" ")),
        name,
        data_model: macros.data_model(),
        processor: host.cpu.clone(),
        cores: host.cores,
        ns_per_cycle: Nanoseconds(rounded(ns_per_cycle)),
        compiler: Compiler { command: command.clone(), version: host.compiler_version.clone(), flags: flags.to_vec() },
        library_default_cycles: Cycles(rounded(median(library.values().map(|cost| cost.cycles.0).collect()))),
        mpi_local_cycles: Cycles(rounded(CALLS_PER_LOCAL_MPI * call)),
        memory: Memory { levels: host.levels.clone(), page_fault_ns: None },
        pipeline: None,
        rules,
        provenance: provenance(&host),
        samples: samples(measurements),
        classes,
        library,
        residuals: Some(residuals),
    })
}

/// Four significant digits: more would be noise.
pub fn rounded(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 0.0;
    }
    format!("{value:.3e}").parse().unwrap_or(value)
}

fn provenance(host: &host::Host) -> Provenance {
    let notes = [
        "latency and throughput: microbench/chains.c in registers; effective: least squares over microbench/suite.c",
        "malloc and free, fopen and fclose are timed together, half each; functions of one family share a timing",
        "mpi_local_cycles is taken to be five calls; caches are as the system describes them, without timings",
        "fp_sqrt: the mean of latency and throughput, as the suite has no square roots",
    ];
    Provenance {
        kind: ProvenanceKind::Measured,
        cpu: host.cpu.clone(),
        os: host.os.clone(),
        compiler: host.compiler_version.clone(),
        date: host::today(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        sources: Vec::new(),
        notes: notes.map(str::to_owned).to_vec(),
    }
}

fn default_name(host: &host::Host, rules: &Rules) -> String {
    let words = host.cpu.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let cpu = words.take(4).collect::<Vec<_>>().join("-").to_lowercase();
    format!("{cpu}-{}", rules.profile)
}

fn samples(measurements: &Measurements) -> Vec<Sample> {
    let sample = |(name, m): (&String, &Measurement)| Sample {
        name: name.clone(),
        min_ns: Nanoseconds(rounded(m.min_ns)),
        median_ns: Nanoseconds(rounded(m.median_ns)),
        repetitions: m.repetitions,
    };
    measurements.0.iter().map(sample).collect()
}

/// Latency and throughput of each class; the effective cost is still the throughput.
fn registers(
    measurements: &Measurements,
    ns_per_cycle: f64,
    rules: &Rules,
) -> Result<BTreeMap<InstructionClass, ClassCost>, Diagnostic> {
    use InstructionClass as C;
    let cycles = |name: String| Ok::<_, Diagnostic>(measurements.min_ns(&name)? / ns_per_cycle);
    let mut classes = BTreeMap::new();
    for class in C::ALL {
        let (latency, throughput) = match class {
            C::Library => continue,
            C::LocalLoad | C::LocalStore if rules.locals_in_registers => (0.0, 0.0),
            C::LocalLoad => (cycles("chains.latency.load".into())?, cycles("chains.throughput.load".into())?),
            C::LocalStore | C::Store => {
                // The chain holds a load; a processor that renames memory forwards in less than its time.
                let throughput = cycles("chains.throughput.store".into())?;
                let round_trip = cycles("chains.latency.store".into())?;
                ((round_trip - cycles("chains.latency.load".into())?).max(throughput), throughput)
            }
            C::Branch => [cycles("chains.throughput.branch".into())?; 2].into(),
            C::Call => [cycles("chains.latency.call".into())?; 2].into(),
            C::CopyWord => (cycles("chains.latency.load".into())?, cycles("chains.throughput.copy_word".into())?),
            C::FpSqrt => {
                let sum = cycles("chains.latency.fp_sqrt".into())?;
                (sum - cycles("chains.latency.fp_add".into())?, cycles("chains.throughput.fp_sqrt".into())?)
            }
            _ => {
                let name = class.name();
                (cycles(format!("chains.latency.{name}"))?, cycles(format!("chains.throughput.{name}"))?)
            }
        };
        let effective = if class == C::FpSqrt { f64::midpoint(latency, throughput) } else { throughput };
        classes.insert(class, class_cost(latency, throughput, effective));
    }
    Ok(classes)
}

fn class_cost(latency: f64, throughput: f64, effective: f64) -> ClassCost {
    ClassCost {
        latency_cycles: Cycles(rounded(latency)),
        throughput_cycles: Cycles(rounded(throughput)),
        effective_cycles: Cycles(rounded(effective)),
        vector: BTreeMap::new(),
    }
}

/// Fits the effective costs to the suite and says how well they explain it.
fn effective(
    measurements: &Measurements,
    ns_per_cycle: f64,
    rules: &Rules,
    classes: &mut BTreeMap<InstructionClass, ClassCost>,
) -> Result<Residuals, Diagnostic> {
    let mut names = Vec::new();
    let mut equations = Vec::new();
    for (name, measurement) in &measurements.0 {
        if let Some(kernel) = name.strip_prefix("suite.").filter(|_| measurement.min_ns > 0.0) {
            names.push(kernel.to_owned());
            equations.push(equation(measurement, ns_per_cycle)?);
        }
    }
    let priors: Vec<Prior> = InstructionClass::ALL.iter().map(|class| prior(*class, rules, classes)).collect();
    let costs = fit::fit(&equations, &priors);
    for (class, cost) in InstructionClass::ALL.iter().zip(&costs) {
        if let Some(known) = classes.get_mut(class).filter(|_| *class != InstructionClass::FpSqrt) {
            known.effective_cycles = Cycles(rounded(*cost));
        }
    }
    let errors = equations.iter().map(|equation| fit::predict(equation, &costs) - 1.0);
    Ok(residuals(names.into_iter().zip(errors).collect()))
}

fn equation(measurement: &Measurement, ns_per_cycle: f64) -> Result<Equation, Diagnostic> {
    let mut occurrences = vec![0.0; InstructionClass::ALL.len()];
    for token in &measurement.tokens {
        let position = InstructionClass::ALL.iter().position(|class| class.name() == token);
        occurrences[position.ok_or_else(|| bad_output(&format!("`{token}` is no instruction class")))?] += 1.0;
    }
    Ok(Equation { occurrences, time: measurement.min_ns / ns_per_cycle })
}

fn prior(class: InstructionClass, rules: &Rules, classes: &BTreeMap<InstructionClass, ClassCost>) -> Prior {
    use InstructionClass as C;
    let free = match class {
        C::LocalLoad | C::LocalStore => rules.locals_in_registers,
        C::Address | C::IntConvert => rules.index_arithmetic_folded,
        _ => false,
    };
    if free {
        return Prior { cost: 0.0, scale: 0.02, least: 0.0 };
    }
    let Some(known) = classes.get(&class) else { return Prior { cost: 0.0, scale: 1.0, least: 0.0 } };
    let (latency, throughput) = (known.latency_cycles.0, known.throughput_cycles.0);
    let waits = if matches!(class, C::Load | C::Store | C::LocalLoad | C::LocalStore | C::CopyWord) {
        0.0
    } else {
        WAITING_SHARE
    };
    let cost = throughput + waits * (latency - throughput);
    let share = if rules.vectorise { LEAST_SHARE_VECTORISED } else { LEAST_SHARE };
    Prior { cost, scale: 0.1 + cost / 2.0, least: share * throughput }
}

fn residuals(by_kernel: BTreeMap<String, f64>) -> Residuals {
    let sizes: Vec<f64> = by_kernel.values().map(|error| error.abs()).collect();
    let digits = |value: f64| (value * 1e4).round() / 1e4;
    Residuals {
        kernels: u32::try_from(sizes.len()).unwrap_or(u32::MAX),
        median_relative: digits(median(sizes.clone())),
        p90_relative: digits(quantile(sizes.clone(), 0.9)),
        max_relative: digits(quantile(sizes, 1.0)),
        by_kernel: by_kernel.into_iter().map(|(name, error)| (name, digits(error))).collect(),
    }
}

/// What compilers of the gcc family do at a level, the last `-O` that counts.
fn rules(command: &str, flags: &[String], version: &str, macros: &Macros) -> Rules {
    let level = flags.iter().rev().find_map(|flag| flag.strip_prefix("-O")).unwrap_or("0");
    let rank = match level {
        "0" => 0,
        "" | "1" | "g" => 1,
        "2" | "s" | "z" => 2,
        _ => 3,
    };
    let family = if version.contains("clang") || command.contains("clang") { "clang" } else { "gcc" };
    // clang vectorises from -O2 on, gcc since its version 12.
    let vectorise = rank >= 3 || (rank == 2 && (family == "clang" || macros.number("__GNUC__") >= 12));
    Rules {
        profile: format!("{family}-O{level}"),
        locals_in_registers: rank >= 1,
        index_arithmetic_folded: rank >= 1,
        strength_reduction: rank >= 1,
        scalar_replacement: rank >= 2,
        vectorise,
        vector_bits: vectorise.then(|| macros.vector_bits()).flatten(),
        contract_fma: rank >= 1 && macros.has_fma(),
        reassociate: macros.defined("__FAST_MATH__") || macros.defined("__ASSOCIATIVE_MATH__"),
    }
}
