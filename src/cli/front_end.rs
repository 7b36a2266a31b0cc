//! From the front-end flags to a program with what the user says about it.

use super::args::FrontEndArgs;
use super::values::Placed;
use super::{codes, places};
use crate::count::Assumptions;
use crate::count::interp::Inputs;
use crate::diag::{Diagnostic, system_cause};
use crate::program::places::Decision;
use crate::program::{BlockId, Callee, DataModel, Program};
use crate::report::model::ProgramInfo;
use crate::source::{self, SourceOptions};
use crate::span::SourceFiles;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Reads, parses and lowers the program. `None` where a diagnostic is an error; the files are there in any case.
pub fn program(options: &FrontEndArgs, model: DataModel) -> (Option<Program>, Arc<SourceFiles>, Vec<Diagnostic>) {
    source::program(&source_options(options, model))
}

fn source_options(options: &FrontEndArgs, model: DataModel) -> SourceOptions {
    SourceOptions {
        files: options.files.clone(),
        cc: options.cc.clone(),
        defines: options.defines.clone(),
        includes: options.includes.clone(),
        settings: options.settings.iter().map(|s| (s.name.clone(), s.value.clone())).collect(),
        symbolic: options.symbolic.clone(),
        model,
    }
}

/// What the user says about branches and loops, by block.
pub fn assumptions(options: &FrontEndArgs, program: &Program) -> Result<Assumptions, Vec<Diagnostic>> {
    let mut assumed = super::assume::read(&options.assume, program)?;
    let mut errors = Vec::new();
    let mut resolve = |named: &[Placed], decision: Decision| -> HashMap<BlockId, f64> {
        let mut found = HashMap::new();
        for place in named {
            match places::find(program, place, decision) {
                Ok(blocks) => found.extend(blocks.into_iter().map(|block| (block, place.number))),
                Err(error) => errors.push(error),
            }
        }
        found
    };
    let probability = resolve(&options.probabilities, Decision::Branch);
    let iterations = resolve(&options.iterations, Decision::Loop);
    for place in options.probabilities.iter().filter(|place| place.number > 1.0) {
        errors.push(places::no_probability(place));
    }
    assumed.probability.extend(probability);
    assumed.iterations.extend(iterations);
    if errors.is_empty() { Ok(Assumptions { budget: options.budget, ..assumed }) } else { Err(errors) }
}

/// The files that the program reads as its own input.
pub fn inputs(options: &FrontEndArgs) -> Result<Inputs, Vec<Diagnostic>> {
    let read = |path: &Path| match std::fs::read(path) {
        Ok(bytes) => Ok(Arc::<[u8]>::from(bytes)),
        Err(error) => Err(vec![not_read(path, &error)]),
    };
    let stdin = options.stdin.as_deref().map(read).transpose()?;
    let mut files = HashMap::new();
    for file in &options.input_files {
        files.insert(file.name.clone(), read(&file.path)?);
    }
    Ok(Inputs { stdin, files })
}

fn not_read(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(&codes::INPUT_NOT_READ, format!("cannot read {}: {}", path.display(), system_cause(error)))
        .help("name a file that exists and may be read")
}

/// The program as reports name it.
pub fn info(options: &FrontEndArgs) -> ProgramInfo {
    let settings = options.settings.iter().map(|s| format!("{}={}", s.name, s.value));
    ProgramInfo {
        files: options.files.iter().map(|file| file.display().to_string()).collect(),
        arguments: options.arguments.clone(),
        defines: options.defines.iter().cloned().chain(settings).collect(),
    }
}

/// What can be said before anything is evaluated: no `main`, unsupported MPI calls.
pub fn before_evaluation(program: &Program) -> Vec<Diagnostic> {
    if program.main.is_none() {
        let error = Diagnostic::error(&codes::NO_MAIN, "no file given defines `main`");
        return vec![error.help("name all source files of the program")];
    }
    crate::count::mpi::unsupported_calls(program)
}

/// A note where several tasks are asked for and none talks to another.
pub fn without_mpi(program: &Program, several: bool) -> Option<Diagnostic> {
    let calls = |(id, _): (BlockId, _)| program.call(id).is_some_and(|call| matches!(call.callee, Callee::Mpi(_)));
    let note = || Diagnostic::note(&codes::NO_MPI, "the program calls no MPI function: every task does the same");
    (several && !program.blocks.iter().any(calls)).then(|| note().help("leave out -n to predict one run of it"))
}
