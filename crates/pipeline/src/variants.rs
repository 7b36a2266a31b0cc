//! The programs of the options, read once for each combination of values that their text depends on.

use super::data_models;
use super::options::{PredictOptions, ProgramOptions};
use super::point::SweepPoint;
use super::prepared::{PreparedProgram, Refused, RequiredFunction};
use super::progress::Progress;
use super::sweeps::{split, with_values};
use super::systems::TargetSystem;
use chronos_base::diag::Diagnostic;
use chronos_ir::{CLibrary, DataModel};
use chronos_report::model::SweepValue;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::time::Instant;

/// What a program's text depends on.
#[derive(Clone, Debug, PartialEq)]
struct Variant {
    program: usize,
    settings: Vec<SweepValue>,
    model: DataModel,
    c_library: CLibrary,
}

/// The programs, and the sweep points that ask for them.
///
/// # Errors
/// A sweep that cannot be made, or a program that cannot be taken.
pub fn read(
    options: &PredictOptions,
    systems: &[TargetSystem],
    combinations: &[Vec<SweepValue>],
    progress: &dyn Progress,
) -> Result<(Vec<PreparedProgram>, Vec<SweepPoint>), Box<Refused>> {
    let begin = Instant::now();
    let (variants, points) = plan(options, systems, combinations)?;
    let read: Vec<_> = variants.par_iter().map(|variant| read_one(options, variant)).collect();
    progress.programs_read(begin.elapsed());
    let prepared: Vec<PreparedProgram> = read.into_iter().collect::<Result<_, _>>()?;
    for point in points.iter().filter(|point| !point.others.is_empty()) {
        let others: Vec<_> = point.others.iter().map(|&(_, other)| &prepared[other]).collect();
        data_models::check(&prepared[point.prepared], &others)?;
    }
    Ok((prepared, points))
}

fn plan(
    options: &PredictOptions,
    systems: &[TargetSystem],
    combinations: &[Vec<SweepValue>],
) -> Result<(Vec<Variant>, Vec<SweepPoint>), Diagnostic> {
    let (mut variants, mut points): (Vec<Variant>, Vec<SweepPoint>) = (Vec::new(), Vec::new());
    for (program, program_options) in options.programs.iter().enumerate() {
        for sweep in combinations {
            let (settings, arguments) = split(sweep, program_options)?;
            let mut read_for = |model: DataModel, c_library: CLibrary| {
                let variant = Variant { program, settings: settings.clone(), model, c_library };
                variants.iter().rposition(|known| *known == variant).unwrap_or_else(|| {
                    variants.push(variant);
                    variants.len() - 1
                })
            };
            for (number, system) in systems.iter().enumerate() {
                for &tasks in &options.tasks {
                    let models = data_models::used(system, tasks);
                    let (sweep, arguments) = (sweep.clone(), arguments.clone());
                    let library = program_options.c_library.unwrap_or_else(|| data_models::c_library(system));
                    let prepared = read_for(models[0], library);
                    let others = models[1..].iter().map(|&model| (model, read_for(model, library))).collect();
                    points.push(SweepPoint { program, sweep, system: number, tasks, prepared, others, arguments });
                }
            }
        }
    }
    Ok((variants, points))
}

fn read_one(options: &PredictOptions, variant: &Variant) -> Result<PreparedProgram, Box<Refused>> {
    let program = with_values(&options.programs[variant.program], &variant.settings);
    let program = ProgramOptions { c_library: Some(variant.c_library), ..program };
    let several = options.tasks.iter().any(|&tasks| tasks > 1);
    let required = options.run.explain.as_deref().map(|name| RequiredFunction { option: "--explain", name });
    PreparedProgram::read(program, variant.model, required, several)
}
