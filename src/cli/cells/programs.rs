//! The programs of a request, read once for each combination of values that their text depends on.

use super::places::Place;
use super::{Cell, Request};
use crate::cli::args::FrontEndArgs;
use crate::cli::exit::Exit;
use crate::cli::output::Terminal;
use crate::cli::values::{Setting, Sweep};
use crate::cli::{codes, front_end};
use crate::count::Assumptions;
use crate::count::interp::Inputs;
use crate::diag::Diagnostic;
use crate::program::{DataModel, Program};
use crate::report::model::SweepValue;
use crate::span::SourceFiles;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::sync::Arc;

/// A program with its macros and constants set.
pub struct Loaded {
    pub front_end: FrontEndArgs,
    pub program: Arc<Program>,
    pub files: Arc<SourceFiles>,
    pub assumptions: Assumptions,
    pub inputs: Inputs,
    /// Of reading it.
    pub diagnostics: Vec<Diagnostic>,
}

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

/// Values of macros and constants, and the program's arguments with those that are swept.
fn split(sweep: &[SweepValue], front_end: &FrontEndArgs) -> Result<(Vec<SweepValue>, Vec<String>), Diagnostic> {
    let mut arguments = front_end.arguments.clone();
    let mut settings = Vec::new();
    for value in sweep {
        let given = front_end.settings.iter().map(|setting| &setting.name).chain(&front_end.symbolic);
        if given.into_iter().any(|name| *name == value.name) {
            return Err(given_twice(&value.name));
        }
        match (Sweep { name: value.name.clone(), values: Vec::new() }).argument() {
            None => settings.push(value.clone()),
            Some(position) if position <= arguments.len() => arguments[position - 1].clone_from(&value.value),
            Some(position) if position == arguments.len() + 1 => arguments.push(value.value.clone()),
            Some(_) => return Err(no_argument(&value.name, arguments.len())),
        }
    }
    Ok((settings, arguments))
}

/// Why a program cannot be taken, and the files that places name.
type Refused = (Vec<Diagnostic>, Arc<SourceFiles>);

fn read(request: &Request<'_>, variant: &Variant) -> Result<Loaded, Box<Refused>> {
    let front_end = with_values(&request.programs[variant.program].front_end, &variant.settings);
    let (program, files, mut diagnostics) = front_end::program(&front_end, variant.model);
    let Some(program) = program else { return Err(Box::new((diagnostics, files))) };
    let mut faults = front_end::before_evaluation(&program);
    let function = request.function;
    faults.extend(function.and_then(|(flag, name)| front_end::unknown_function(flag, Some(name), &program)));
    let given = front_end::assumptions(&front_end, &program).and_then(|a| Ok((a, front_end::inputs(&front_end)?)));
    match given {
        Ok((assumptions, inputs)) if faults.is_empty() => {
            diagnostics.extend(front_end::without_mpi(&program, request.tasks.iter().any(|&tasks| tasks > 1)));
            Ok(Loaded { front_end, program: Arc::new(program), files, assumptions, inputs, diagnostics })
        }
        given => {
            diagnostics.extend(faults);
            diagnostics.extend(given.err().unwrap_or_default());
            Err(Box::new((diagnostics, files)))
        }
    }
}

/// A macro of the command line gets its value there, others as `--set` gives it.
fn with_values(front_end: &FrontEndArgs, values: &[SweepValue]) -> FrontEndArgs {
    let mut front_end = front_end.clone();
    for SweepValue { name, value } in values {
        let is_named = |define: &&mut String| define.split('=').next() == Some(name);
        match front_end.defines.iter_mut().find(is_named) {
            Some(define) => *define = format!("{name}={value}"),
            None => front_end.settings.push(Setting { name: name.clone(), value: value.clone() }),
        }
    }
    front_end
}

fn given_twice(name: &str) -> Diagnostic {
    Diagnostic::error(&codes::WRONG_SWEEP, format!("`{name}` is swept, and given by --set or --symbolic as well"))
        .help("leave one of the two out")
}

fn no_argument(name: &str, given: usize) -> Diagnostic {
    let message = format!("--sweep {name}: the program is given {given} argument{}", if given == 1 { "" } else { "s" });
    Diagnostic::error(&codes::WRONG_SWEEP, message).help(format!("give the arguments before {name} behind `--`"))
}
