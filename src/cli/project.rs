//! What is meant where the files of a program are not C: a folder with a compilation database, a makefile, an executable.

use super::args::{Command, FrontEndArgs};
use super::build;
use super::exit::Exit;
use super::output::Terminal;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_build::{advice, codes};
use chronos_frontend::DATABASE_NAME;
use chronos_frontend::codes::UNREADABLE;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Puts the compilation database of a folder in its place, or of the current folder where nothing is named.
///
/// # Errors
/// What is named is no program, and another option makes one of it; it has been told.
pub fn named(command: &mut Command, terminal: &Terminal) -> Result<(), Exit> {
    let takes_current = takes_current_folder(command);
    let Some(program) = build::program(command) else { return Ok(()) };
    let is_database = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
    if program.compile_commands.is_some() || program.files.iter().any(is_database) {
        return Ok(());
    }
    let found = match &program.files[..] {
        [] if takes_current => in_current_folder(),
        [one] if one.is_dir() => in_folder(one),
        files => files.iter().find_map(|file| no_source(file)).map_or(Ok(None), Err),
    };
    let (said, exit) = match found {
        Ok(None) => return Ok(()),
        Ok(Some(database)) => (taken(program, database), None),
        Err(error) => (error, Some(Exit::Usage)),
    };
    terminal.report(&[*said], &SourceFiles::default());
    exit.map_or(Ok(()), Err)
}

type Found = Result<Option<PathBuf>, Box<Diagnostic>>;

/// Commands that need a program and have no other way to name one.
fn takes_current_folder(command: &Command) -> bool {
    match command {
        Command::Predict(options) => options.record.options().is_none(),
        Command::Run(_) | Command::Check(_) | Command::Count(_) | Command::Trace(_) | Command::Instrument(_) => true,
        _ => false,
    }
}

fn taken(program: &mut FrontEndArgs, database: PathBuf) -> Box<Diagnostic> {
    let message = format!("files and flags are those of {}", database.display());
    program.files.clear();
    program.compile_commands = Some(database);
    Box::new(Diagnostic::note(&codes::DATABASE_FOUND, message))
}

fn in_current_folder() -> Found {
    let database = database_of(Path::new(""));
    match advice::of_path(Path::new(".")) {
        Some(build) if database.is_none() => Err(unnamed(&build)),
        _ => Ok(database),
    }
}

fn unnamed(build: &str) -> Box<Diagnostic> {
    let help = format!("name its C files, or let chronos build it: {build}");
    Box::new(Diagnostic::error(&UNREADABLE, "no source file is given").help(help))
}

fn in_folder(folder: &Path) -> Found {
    if let Some(database) = database_of(folder) {
        return Ok(Some(database));
    }
    let shown = folder.display();
    let build = advice::of_path(folder).map_or_else(String::new, |build| format!(", or let chronos build it: {build}"));
    let help = format!("name C files ({shown}/*.c){build}");
    Err(Box::new(Diagnostic::error(&UNREADABLE, format!("{shown} cannot be read: is a directory")).help(help)))
}

fn database_of(folder: &Path) -> Option<PathBuf> {
    let places = [folder.join(DATABASE_NAME), folder.join("build").join(DATABASE_NAME)];
    places.into_iter().find(|path| path.is_file())
}

/// What is wrong with a file that builds a program, or is one.
fn no_source(file: &Path) -> Option<Box<Diagnostic>> {
    let error = |message: String, help: String| Box::new(Diagnostic::error(&UNREADABLE, message).help(help));
    if file.is_file()
        && let Some(build) = advice::of_path(file)
    {
        let help = format!("let chronos build what it describes: {build}");
        return Some(error(format!("{} is no source", file.display()), help));
    }
    is_executable(file).then(|| {
        let help =
            "name the C files that it was made of, or let chronos see how it is built: --build 'make clean; make'";
        error(format!("{} is an object or a program that was compiled already", file.display()), help.to_owned())
    })
}

/// As the linker knows its files.
fn is_executable(file: &Path) -> bool {
    let mut first = [0; 4];
    let read = std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut first));
    file.is_file() && read.is_ok() && first == *b"\x7fELF"
}
