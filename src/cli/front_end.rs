//! From the front-end flags to a program with what the user says about it.

use super::args::FrontEndArgs;
use super::values::Placed;
use super::{codes, places};
use crate::count::Assumptions;
use crate::count::interp::Inputs;
use crate::diag::{Diagnostic, system_cause};
use crate::library_costs::LibraryCosts;
use crate::program::places::Decision;
use crate::program::{BlockId, Callee, DataModel, Program};
use crate::report::model::ProgramInfo;
use crate::source::{self, Database, SourceOptions, Trust};
use crate::span::SourceFiles;
use crate::spelling::nearest;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads, parses and lowers the program. `None` where a diagnostic is an error; the files are there in any case.
pub fn program(options: &FrontEndArgs, model: DataModel) -> (Option<Program>, Arc<SourceFiles>, Vec<Diagnostic>) {
    match source_options(options, model) {
        Ok((source_options, mut notes)) => {
            let (program, files, diagnostics) = source::program(&source_options);
            notes.extend(diagnostics);
            (program, files, notes)
        }
        Err(errors) => (None, Arc::default(), errors),
    }
}

/// Flags of single files, by their names, that a compilation database has.
pub fn flags_of_files(options: &FrontEndArgs) -> Vec<(String, Vec<String>)> {
    let Ok((options, _)) = source_options(options, DataModel::default()) else { return Vec::new() };
    options.commands.into_iter().map(|(file, command)| (file.display().to_string(), command.flags)).collect()
}

/// The files of the program: those given, or those of the compilation database.
pub fn files(options: &FrontEndArgs) -> Vec<PathBuf> {
    source_options(options, DataModel::default()).map_or_else(|_| options.files.clone(), |(options, _)| options.files)
}

pub fn source_options(
    options: &FrontEndArgs,
    model: DataModel,
) -> Result<(SourceOptions, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut options_of_source = SourceOptions {
        files: options.files.clone(),
        cc: options.cc.clone().unwrap_or_default(),
        defines: options.defines.clone(),
        includes: options.includes.clone(),
        settings: options.settings.iter().map(|s| (s.name.clone(), s.value.clone())).collect(),
        symbolic: options.symbolic.clone(),
        model,
        ..SourceOptions::default()
    };
    let notes = match database(options)? {
        None => Vec::new(),
        Some((database, files)) => {
            options_of_source.files = database.select(&files)?;
            let runs = options.cc.is_none();
            let (commands, note) = database.allowed(&options_of_source.files, runs, &trust(options))?;
            options_of_source.commands = commands;
            database.notes.into_iter().chain(note).collect()
        }
    };
    for program in &options.spawn {
        let own = source::Command { program: "cc".to_owned(), flags: Vec::new(), model: None };
        let command = options_of_source.commands.entry(program.file.clone()).or_insert(own);
        command.flags.push(format!("-Dmain={}", crate::program::spawned_main(&program.name)));
        options_of_source.files.push(program.file.clone());
    }
    Ok((options_of_source, notes))
}

/// Whose word commands are that stand in files.
pub fn trust(options: &FrontEndArgs) -> Trust {
    if options.trust {
        return Trust::Full;
    }
    Trust::checked(std::env::var_os("PATH").iter().flat_map(std::env::split_paths))
}

/// The compilation database, by its flag or among the files, and the other files.
fn database(options: &FrontEndArgs) -> Result<Option<(Database, Vec<PathBuf>)>, Vec<Diagnostic>> {
    let is_json = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let (databases, files): (Vec<PathBuf>, Vec<PathBuf>) = options.files.iter().cloned().partition(is_json);
    let mut databases = options.compile_commands.iter().chain(&databases);
    let Some(path) = databases.next() else { return Ok(None) };
    if let Some(second) = databases.next() {
        let message = format!("{} and {} are two compilation databases", path.display(), second.display());
        let help = "name one; FILEs beside it are C files or folders that it has entries for";
        return Err(vec![Diagnostic::error(&source::codes::DATABASE, message).help(help)]);
    }
    let current = std::env::current_dir().unwrap_or_default();
    let database = Database::read(path, &current).map_err(|error| vec![*error])?;
    Ok(Some((database, files)))
}

/// What the user says about branches and loops, by block.
pub fn assumptions(options: &FrontEndArgs, program: &Program) -> Result<Assumptions, Vec<Diagnostic>> {
    let mut assumed = super::assume::read(options, program)?;
    let mut errors = Vec::new();
    let mut resolve = |named: &[Placed], decision: Decision| -> HashMap<BlockId, f64> {
        let mut found = HashMap::new();
        for place in named.iter().filter(|place| !places::is_elsewhere(options, program, place)) {
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
    assumed.budget = options.budget;
    match library_costs(options) {
        Ok(costs) => assumed.library_work = costs.work,
        Err(found) => errors.extend(found),
    }
    if errors.is_empty() { Ok(assumed) } else { Err(errors) }
}

/// What functions of external libraries cost.
pub fn library_costs(options: &FrontEndArgs) -> Result<LibraryCosts, Vec<Diagnostic>> {
    LibraryCosts::load(options.library_costs.iter().map(PathBuf::as_path))
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
    Ok(Inputs { stdin, files, ..Inputs::default() })
}

fn not_read(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(&codes::INPUT_NOT_READ, format!("cannot read {}: {}", path.display(), system_cause(error)))
        .help("name a file that exists and may be read")
}

/// The program as reports name it.
pub fn info(options: &FrontEndArgs) -> ProgramInfo {
    let settings = options.settings.iter().map(|s| format!("{}={}", s.name, s.value));
    ProgramInfo {
        files: files(options).iter().map(|file| file.display().to_string()).collect(),
        arguments: options.arguments.clone(),
        defines: options.defines.iter().cloned().chain(settings).collect(),
    }
}

/// Programs that start tasks are predicted, but not run with measurements: those that are started would write over the others.
pub fn not_run(program: &Program) -> Option<Diagnostic> {
    let places = crate::count::mpi::spawns(program);
    let message = "runs of programs that start tasks (MPI_Comm_spawn) are not recorded";
    let fault = Diagnostic::error(&crate::count::mpi::UNSUPPORTED, message)
        .help("predict it without a run, or start all tasks at once (mpirun) in the version that is run");
    (!places.is_empty()).then(|| places.into_iter().fold(fault, |fault, span| fault.label(span, "starts tasks")))
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
    let note = || Diagnostic::note(&codes::NO_MPI, "the program calls no MPI function: every task does the same");
    (several && !calls_mpi(program)).then(|| note().help("leave out -n to predict one run of it"))
}

pub fn calls_mpi(program: &Program) -> bool {
    program.blocks.ids().any(|id| program.call(id).is_some_and(|call| matches!(call.callee, Callee::Mpi(_))))
}

/// What is wrong with the name of a function that `flag` gives.
pub fn unknown_function(flag: &str, wanted: Option<&str>, program: &Program) -> Option<Diagnostic> {
    let wanted = wanted.filter(|name| program.function_named(name).is_none())?;
    let names = program.functions.values().map(|function| &*function.name);
    let help = match nearest(wanted, names.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the program defines {}", names.take(12).collect::<Vec<_>>().join(", ")),
    };
    let message = format!("{flag} {wanted}: no file given defines it");
    Some(Diagnostic::error(&codes::UNKNOWN_FUNCTION, message).help(help))
}
