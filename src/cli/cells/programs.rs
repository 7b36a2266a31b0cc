//! The programs of a request, read once for each combination of values that their text depends on.

use super::places::Place;
use super::{Cell, Request};
use crate::cli::exit::Exit;
use crate::cli::loaded::{Loaded, Refused};
use crate::cli::output::Terminal;
use crate::cli::sweeps::{split, with_values};
use crate::diag::Diagnostic;
use crate::program::DataModel;
use crate::report::model::SweepValue;
use crate::span::SourceFiles;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

/// What a program's text depends on.
#[derive(Clone, Debug, PartialEq)]
struct Variant {
    program: usize,
    settings: Vec<SweepValue>,
    model: DataModel,
}

/// The programs, and the cells that ask for them.
///
/// # Errors
/// What is wrong was reported; the exit code.
pub fn load(
    request: &Request<'_>,
    places: &[Place],
    combinations: &[Vec<SweepValue>],
    terminal: &Terminal,
) -> Result<(Vec<Loaded>, Vec<Cell>), Exit> {
    let begin = std::time::Instant::now();
    let told = |error| terminal.report(&[error], &SourceFiles::default());
    let (variants, cells) = plan(request, places, combinations).map_err(told)?;
    let read: Vec<_> = variants.par_iter().map(|variant| read(request, variant)).collect();
    terminal.tell(|| format!("preprocessed, parsed and lowered in {:.3?}", begin.elapsed()));
    let loaded: Result<Vec<Loaded>, _> = read.into_iter().collect();
    loaded.map(|loaded| (loaded, cells)).map_err(|failure| {
        let (errors, files) = *failure;
        terminal.report(&errors, &files).max(Exit::Usage)
    })
}

fn plan(
    request: &Request<'_>,
    places: &[Place],
    combinations: &[Vec<SweepValue>],
) -> Result<(Vec<Variant>, Vec<Cell>), Diagnostic> {
    let (mut variants, mut cells): (Vec<Variant>, Vec<Cell>) = (Vec::new(), Vec::new());
    for (program, wanted) in request.programs.iter().enumerate() {
        for sweep in combinations {
            let (settings, arguments) = split(sweep, &wanted.front_end)?;
            for (place, model) in places.iter().map(|place| place.machine().data_model).enumerate() {
                let variant = Variant { program, settings: settings.clone(), model };
                let loaded = variants.iter().rposition(|known| *known == variant).unwrap_or_else(|| {
                    variants.push(variant);
                    variants.len() - 1
                });
                let cell = |&tasks: &usize| {
                    let (sweep, arguments) = (sweep.clone(), arguments.clone());
                    Cell { program, sweep, place, tasks, loaded, arguments }
                };
                cells.extend(request.tasks.iter().map(cell));
            }
        }
    }
    Ok((variants, cells))
}

fn read(request: &Request<'_>, variant: &Variant) -> Result<Loaded, Box<Refused>> {
    let front_end = with_values(&request.programs[variant.program].front_end, &variant.settings);
    let several = request.tasks.iter().any(|&tasks| tasks > 1);
    Loaded::read(front_end, variant.model, request.function, several)
}
