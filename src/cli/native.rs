//! The machine at hand, for commands that are not told another one: what it is, and the brief calibration that is offered
//! where nobody knows it.

use super::args::{Command, FrontEndArgs, SystemArgs};
use super::exit::Exit;
use super::output::Terminal;
use super::{calibrate, codes, folders};
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::span::SourceFiles;
use chronos_calibrate::host;
use chronos_machine::choice::{Build, NATIVE, Processor, Surroundings};
use chronos_machine::embedded_names;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

/// Puts names of machine files and their paths where the command line has none, or parts of them.
///
/// # Errors
/// A name that stands for nothing; it has been told.
pub fn name_machines(command: &mut Command, terminal: &Terminal) -> Result<(), Exit> {
    let Some((systems, program)) = systems_and_program(command) else { return Ok(()) };
    if !systems.machines.is_empty() || systems.platforms.is_empty() {
        systems.machines = resolved(&systems.machines, program, terminal)?;
    }
    Ok(())
}

/// Those of a command that predicts a program.
fn systems_and_program(command: &mut Command) -> Option<(&mut SystemArgs, &FrontEndArgs)> {
    match command {
        // A record has its own times.
        Command::Predict(options) if options.record.recorded.is_some() => None,
        Command::Predict(options) => Some((&mut options.systems, &options.front_end)),
        Command::Run(options) => Some((&mut options.predict.systems, &options.predict.front_end)),
        Command::WhatIf(options) if options.record.recorded.is_some() => None,
        Command::WhatIf(options) => Some((&mut options.systems, &options.front_end)),
        Command::Compare(options) if options.has_programs() => Some((&mut options.systems, &options.front_end)),
        Command::Scale(options) if options.predicts() => Some((&mut options.systems, &options.front_end)),
        _ => None,
    }
}

/// What `--machine` options stand for: names of shipped machines and paths, clusters of them included. Nothing named
/// stands for the processor at hand. What was chosen is told.
///
/// # Errors
/// A name that stands for nothing; it has been told.
fn resolved(names: &[String], program: &FrontEndArgs, terminal: &Terminal) -> Result<Vec<String>, Exit> {
    let names = if names.is_empty() { vec![NATIVE.to_owned()] } else { names.to_vec() };
    let compiler = compiler(program);
    if compiler.is_none() && names.iter().all(|name| stands_for_itself(name)) {
        return Ok(names);
    }
    let mut surroundings = of_compiler(compiler);
    if names.iter().any(|name| name == NATIVE) && !surroundings.knows_native() {
        surroundings.kept.extend(calibrated(&surroundings, terminal));
    }
    let mut told: Vec<Diagnostic> = Vec::new();
    let mut one = |name: &str| {
        let chosen = surroundings.machine(name)?;
        told.extend(chosen.diagnostics);
        Ok(chosen.reference)
    };
    let found: Result<Vec<String>, Diagnostic> = names.iter().map(|name| kinds(name, &mut one)).collect();
    match found {
        Ok(found) => {
            terminal.report(&told, &SourceFiles::default());
            Ok(found)
        }
        Err(error) => Err(terminal.report(&[error], &SourceFiles::default()).max(Exit::Usage)),
    }
}

/// Whether no compiler and no processor has to be asked which machine is meant.
fn stands_for_itself(name: &str) -> bool {
    embedded_names().any(|shipped| shipped == name) || Path::new(name).is_file()
}

/// A machine, or each of the kinds of a cluster (`A:3,B:1`).
fn kinds(name: &str, one: &mut impl FnMut(&str) -> Result<String, Diagnostic>) -> Result<String, Diagnostic> {
    if !chronos_pipeline::is_cluster(name) {
        return one(name);
    }
    let parts = name.split(',').map(|part| match part.rsplit_once(':') {
        // What is no number of nodes is said where the cluster is made.
        Some((kind, nodes)) => Ok(format!("{}:{nodes}", one(kind)?)),
        None => Ok(part.to_owned()),
    });
    Ok(parts.collect::<Result<Vec<_>, Diagnostic>>()?.join(","))
}

/// The surroundings of a program that this compiler builds, or the usual one.
pub fn of_compiler(named: Option<Vec<String>>) -> Surroundings {
    let words = named.clone().unwrap_or_else(|| vec![USUAL_COMPILER.to_owned()]);
    let version = words.first().map(|command| host::inspect(command).compiler_version).unwrap_or_default();
    Surroundings {
        processor: Processor::here(),
        build: Build::of(&words, &version),
        named_compiler: named.is_some(),
        kept: kept(),
    }
}

/// What compiles a program where nobody says otherwise.
const USUAL_COMPILER: &str = "cc";

/// The compiler command that was named, as words: of `--cc`, else of the first file of a compilation database, which
/// stands for all files.
fn compiler(program: &FrontEndArgs) -> Option<Vec<String>> {
    if let Some(command) = &program.cc {
        return chronos_frontend::split_command(command).filter(|words| !words.is_empty());
    }
    let (_, flags) = chronos_pipeline::flags_of_files(&program.program()).into_iter().next()?;
    Some(std::iter::once(USUAL_COMPILER.to_owned()).chain(flags).collect())
}

fn kept() -> Vec<PathBuf> {
    let entries = folders::machines().and_then(|folder| folder.read_dir().ok());
    let paths = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    // The same choice every time.
    paths.sort();
    paths
}

/// A file for the machine called `name` in the folder of kept ones, which is made where it is missing.
///
/// # Errors
/// There is no such folder and none can be made.
pub fn place(name: &str) -> Result<PathBuf, Diagnostic> {
    let missing = |cause: String| {
        Diagnostic::error(&codes::NOT_KEPT, format!("there is no folder to keep a machine file in: {cause}"))
            .help("name the file with -o FILE, and predict with --machine FILE")
    };
    let folder = folders::machines().ok_or_else(|| missing("neither XDG_CACHE_HOME nor HOME is set".to_owned()))?;
    std::fs::create_dir_all(&folder)
        .map_err(|error| missing(format!("{}: {}", folder.display(), system_cause(&error))))?;
    Ok(folder.join(format!("{name}.json")))
}

/// The file of a brief calibration, where somebody at a terminal wants one.
fn calibrated(surroundings: &Surroundings, terminal: &Terminal) -> Option<PathBuf> {
    if !(terminal.shows_progress() && std::io::stdin().is_terminal()) {
        return None;
    }
    let processor = &surroundings.processor.name;
    let question = format!("No machine file is of this processor ({processor}). Measure it now, in about 15 s? [Y/n] ");
    agreed(&question).then(|| calibrate::brief(surroundings, terminal)).flatten()
}

/// Whether the answer is yes, or nothing but a new line.
fn agreed(question: &str) -> bool {
    let mut error = std::io::stderr();
    let mut answer = String::new();
    let asked = error.write_all(question.as_bytes()).and_then(|()| error.flush());
    let answered = asked.and_then(|()| std::io::stdin().read_line(&mut answer));
    answered.is_ok_and(|bytes| bytes > 0) && matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes")
}
