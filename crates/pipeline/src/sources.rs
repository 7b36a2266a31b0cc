//! From the options of a program to its sources as they are read.

use super::options::ProgramOptions;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_frontend::{self as source, Database, SourceOptions};
use chronos_ir::{DataModel, Program, spawned_main};
use chronos_predict::library_costs::LibraryCosts;
use chronos_report::model::ProgramInfo;
use std::path::PathBuf;
use std::sync::Arc;

/// Reads, parses and lowers the program. `None` where a diagnostic is an error; the files are there in any case.
pub fn program(options: &ProgramOptions, model: DataModel) -> (Option<Program>, Arc<SourceFiles>, Vec<Diagnostic>) {
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
pub fn flags_of_files(options: &ProgramOptions) -> Vec<(String, Vec<String>)> {
    let Ok((options, _)) = source_options(options, DataModel::default()) else { return Vec::new() };
    options.commands.into_iter().map(|(file, command)| (file.display().to_string(), command.flags)).collect()
}

/// The files of the program: those given, or those of the compilation database.
pub fn files(options: &ProgramOptions) -> Vec<PathBuf> {
    source_options(options, DataModel::default()).map_or_else(|_| options.files.clone(), |(options, _)| options.files)
}

/// What the frontend is to read: the files of the command line or the compilation database, and the program's options,
/// with notes on what was left out of the database. Errors: the database cannot be used, or a command of it is not
/// trusted.
pub fn source_options(
    options: &ProgramOptions,
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
        c_library: options.c_library.unwrap_or_default(),
        threads: options.threads,
        omp_schedule: options.omp_schedule,
        ..SourceOptions::default()
    };
    let notes = match database(options)? {
        None => Vec::new(),
        Some((database, files)) => {
            options_of_source.files = database.select(&files)?;
            let runs = options.cc.is_none();
            let (commands, note) = database.allowed(&options_of_source.files, runs, &options.trust)?;
            options_of_source.commands = commands;
            database.notes.into_iter().chain(note).collect()
        }
    };
    for program in &options.spawn {
        let own = source::Command { program: "cc".to_owned(), flags: Vec::new(), model: None };
        let command = options_of_source.commands.entry(program.file.clone()).or_insert(own);
        command.flags.push(format!("-Dmain={}", spawned_main(&program.name)));
        options_of_source.files.push(program.file.clone());
    }
    Ok((options_of_source, notes))
}

/// The compilation database, by its own option or among the files, and the other files.
fn database(options: &ProgramOptions) -> Result<Option<(Database, Vec<PathBuf>)>, Vec<Diagnostic>> {
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

/// What functions of external libraries cost.
pub fn library_costs(options: &ProgramOptions) -> Result<LibraryCosts, Vec<Diagnostic>> {
    LibraryCosts::load(options.library_cost_files.iter().map(PathBuf::as_path))
}

/// The program as reports name it.
pub fn info(options: &ProgramOptions) -> ProgramInfo {
    let settings = options.settings.iter().map(|s| format!("{}={}", s.name, s.value));
    ProgramInfo {
        executable: options.executable.clone(),
        files: files(options).iter().map(|file| file.display().to_string()).collect(),
        arguments: options.arguments.clone(),
        defines: options.defines.iter().cloned().chain(settings).collect(),
    }
}

/// Names of programs of one file each: stems of the files, or paths where two stems are the same.
pub fn program_names(files: &[PathBuf]) -> Vec<String> {
    let stem = |file: &PathBuf| file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let stems: Vec<String> = files.iter().map(stem).collect();
    let name = |(file, stem): (&PathBuf, &String)| match stems.iter().filter(|other| *other == stem).count() {
        1 => stem.clone(),
        _ => file.display().to_string(),
    };
    files.iter().zip(&stems).map(name).collect()
}
