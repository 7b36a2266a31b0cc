//! The calibration suite, predicted: how well the cost model `source` explains what a machine file's samples say
//! was measured.
//!
//! It joins the front end, prediction and the samples of a machine. It must not fit any figure: what it finds are the
//! residuals, from which intervals are made, and which of two models of unoptimised code they speak for.

#[cfg(test)]
mod tests;

use crate::evaluation::Job;
use crate::evaluation::programs::OtherPrograms;
use crate::predict;
use crate::target::{ModelOptions, Target};
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::hash::FxHashMap;
use chronos_calibrate::{self as calibrate, Kernel};
use chronos_cost::ModelName;
use chronos_frontend::{self as source, SourceOptions};
use chronos_interpreter::Inputs;
use chronos_ir::Program;
use chronos_machine::network::Network;
use chronos_machine::{KernelShape, Machine, Residuals, Sample};
use chronos_slicing::Assumptions;
use std::path::Path;
use std::sync::Arc;

/// Residuals of the model `source` on the suite's kernels that `machine` has samples of. The suite's text is
/// preprocessed with the machine's compiler.
///
/// # Errors
/// The suite cannot be written to a temporary directory, preprocessed or predicted: the reasons.
pub fn residuals(machine: &Machine) -> Result<Residuals, Vec<Diagnostic>> {
    // Kernels were measured again and again on the same data: no page is touched for the first time.
    let mut warm = machine.clone();
    warm.memory.page_fault_ns = None;
    warm.memory.page_faults.clear();
    let mut kernels = Vec::new();
    for (name, text) in calibrate::SUITE {
        let prefix = format!("{name}.");
        if machine.samples.iter().any(|sample| sample.name.starts_with(&prefix)) {
            let times = kernel_times(&warm, Arc::new(program(machine, name, text)?))?;
            kernels.extend(machine.samples.iter().filter_map(|sample| kernel(sample, &prefix, &times)));
        }
    }
    Ok(calibrate::residuals(kernels))
}

/// `machine` with its residuals. Of code that is not optimised, either the front end begins one instruction after the
/// other, or operations wait for each other in memory and their classes add up: which of them explains the suite better
/// is the processor's affair, and what the machine file says from then on.
///
/// # Errors
/// As of [`residuals`].
pub fn with_residuals(mut machine: Machine) -> Result<Machine, Vec<Diagnostic>> {
    let mut found = residuals(&machine)?;
    if machine.rules.counts_instructions {
        machine.rules.counts_instructions = false;
        let added_up = residuals(&machine)?;
        machine.rules.counts_instructions = found.median_relative <= added_up.median_relative;
        found = if machine.rules.counts_instructions { found } else { added_up };
    }
    machine.residuals_source = Some(found);
    Ok(machine)
}

/// What is predicted of a function of the suite.
struct Predicted {
    /// Per call.
    ns: f64,
    /// Of the loop that takes most time; `None` without loops.
    shape: Option<KernelShape>,
}

/// A kernel, measured and predicted; `None` of other samples.
fn kernel(sample: &Sample, prefix: &str, predicted: &FxHashMap<String, Predicted>) -> Option<Kernel> {
    let name = sample.name.strip_prefix(prefix)?;
    let measured_ns = sample.ns().0 * sample.units?;
    let predicted = predicted.get(name)?;
    let ratio = predicted.ns / measured_ns;
    let kind = sample.kind.clone()?;
    (measured_ns > 0.0).then(|| Kernel { name: name.to_owned(), kind, ratio, shape: predicted.shape })
}

fn program(machine: &Machine, name: &str, text: &str) -> Result<Program, Vec<Diagnostic>> {
    let directory = chronos_base::temporary::Folder::new().map_err(|error| vec![not_written(&error)])?;
    let file = format!("{name}.c");
    for (name, text) in [(&*file, text), calibrate::HARNESS] {
        std::fs::write(directory.path().join(name), text).map_err(|error| vec![not_written(&error)])?;
    }
    let options = SourceOptions {
        files: vec![directory.path().join(Path::new(&file))],
        cc: machine.compiler.command.clone(),
        defines: vec!["CHRONOS_PREDICT".to_owned()],
        model: machine.model(),
        ..SourceOptions::default()
    };
    let (program, _, diagnostics) = source::program(&options);
    program.ok_or_else(|| diagnostics.into_iter().filter(Diagnostic::is_error).collect())
}

/// Each function of the suite.
fn kernel_times(machine: &Machine, program: Arc<Program>) -> Result<FxHashMap<String, Predicted>, Vec<Diagnostic>> {
    let network = Network::load("shared-memory")?;
    let job = Job {
        program,
        other_programs: OtherPrograms::default(),
        tasks: 1,
        spawned: 0,
        arguments: Vec::new(),
        assumptions: Assumptions::default(),
        inputs: Inputs::default(),
        tasks_per_node: 1,
        correctness: false,
        object_code: crate::object_code::ObjectCodes::default(),
    };
    let target = Target {
        machine,
        platform: None,
        network: &network,
        options: &ModelOptions { cost_model: Some(ModelName::Source), ..ModelOptions::default() },
        calibration: None,
        timeline: false,
    };
    let prediction = predict(&job, target).prediction;
    let per_call = prediction.functions.into_iter().filter_map(|function| {
        let calls = function.calls.as_f64().filter(|calls| *calls > 0.0)?;
        let loops = prediction.loops.iter().filter(|found| found.function == function.name);
        let shape = loops.max_by(|a, b| a.time_s.total_cmp(&b.time_s)).map(|found| KernelShape {
            kind: found.kind,
            trips: (found.iterations / found.entries.max(1.0) * 10.0).round() / 10.0,
            vectorised: found.lanes > 1,
        });
        Some((function.name, Predicted { ns: function.inclusive_s * 1e9 / calls, shape }))
    });
    Ok(per_call.collect())
}

fn not_written(error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(
        &calibrate::codes::NO_TEMPORARY,
        format!("cannot write to the temporary directory: {}", system_cause(error)),
    )
    .help("free some space there, or set TMPDIR")
}
