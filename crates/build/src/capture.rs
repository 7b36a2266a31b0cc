//! Runs the build between preparation and reading.

use crate::executables::{self, Executable, Made};
use crate::names::{ALWAYS, Tool};
use crate::wrapper::{FOLDER, LIBRARY, LINKS};
use crate::{advice, codes, database, record};
use chronos_base::children::{self, Ending};
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::governor::{self, Phase};
use chronos_base::spelling::nearest;
use chronos_base::temporary::Folder;
use chronos_frontend::DATABASE_NAME;
use chronos_instrument::bundled;
use std::collections::BTreeSet;
use std::env::join_paths;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What is to be built.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// A command of the shell.
    pub command: &'a str,
    /// The executable that is meant, by its name; the only one by default.
    pub executable: Option<&'a str>,
    /// The program that runs as the wrappers: the running executable.
    pub wrapper: PathBuf,
    /// The user's search path.
    pub search_path: Vec<PathBuf>,
}

/// What a build was found to make. Its files are there until it is dropped.
#[derive(Debug)]
pub struct Captured {
    /// The program that is meant.
    pub executable: Executable,
    /// What the user should know of the build.
    pub notes: Vec<Diagnostic>,
    folder: Folder,
}

impl Captured {
    /// The compilation database of the executable.
    pub fn database(&self) -> PathBuf {
        self.folder.path().join(DATABASE_NAME)
    }
}

/// Lines of a failed build that are shown.
const SHOWN_LINES: usize = 12;
/// Lines that show how far a build came.
const LINES_OF_PROGRESS: usize = 3;
/// Names listed in a message, at most.
const SHOWN_NAMES: usize = 12;

/// Runs a build and finds the executable that is meant.
///
/// # Errors
/// The build fails, compiles nothing, or links several programs of which none is named.
pub fn capture(request: &Request<'_>) -> Result<Captured, Box<Diagnostic>> {
    let folder = Folder::new().map_err(unprepared)?;
    let bundles = is_without_mpi(&request.search_path);
    prepare(request, folder.path()).map_err(unprepared)?;
    if bundles {
        bundle(folder.path())?;
    }
    let written = run(request, folder.path())?;
    let calls = record::read(folder.path()).map_err(unprepared)?;
    let bundled = bundles && calls.iter().any(|call| call.bundled_mpi);
    let made = executables::of(&calls);
    let names: Vec<String> = made.programs.iter().map(Executable::name).collect();
    let executable = chosen(made, &written, request)?;
    std::fs::write(folder.path().join(DATABASE_NAME), database::text(&executable)).map_err(unprepared)?;
    let taken = (request.executable.is_none() && names.len() > 1).then(|| only_one_with_mpi(&executable, &names));
    let notes = bundled.then(built_with_bundled_mpi).into_iter().chain(taken);
    let notes = notes.chain(partly_built(&executable, request)).collect();
    Ok(Captured { executable, notes, folder })
}

fn unprepared(error: std::io::Error) -> Box<Diagnostic> {
    let message = format!("the build cannot be prepared: {}", system_cause(&error));
    Box::new(Diagnostic::error(&codes::BUILD_FAILED, message).help("is there room in the folder for temporary files?"))
}

fn is_without_mpi(search_path: &[PathBuf]) -> bool {
    !search_path.iter().any(|folder| folder.join("mpicc").is_file())
}

/// The folder with a link to the wrapper for each compiler and archiver of the search path.
fn prepare(request: &Request<'_>, folder: &Path) -> std::io::Result<()> {
    let links = folder.join(LINKS);
    std::fs::create_dir(&links)?;
    for name in tools(&request.search_path) {
        symlink(&request.wrapper, links.join(name))?;
    }
    Ok(())
}

fn tools(search_path: &[PathBuf]) -> BTreeSet<String> {
    let entries = search_path.iter().filter_map(|folder| folder.read_dir().ok()).flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| Tool::of(name).is_some()).chain(ALWAYS.map(str::to_owned)).collect()
}

/// The bundled MPI as header and library, for `mpicc` and for builds that name `-lmpi` themselves.
fn bundle(folder: &Path) -> Result<(), Box<Diagnostic>> {
    std::fs::create_dir(folder.join(bundled::FOLDER)).map_err(unprepared)?;
    for (name, text) in bundled::files() {
        std::fs::write(folder.join(name), text).map_err(unprepared)?;
    }
    let objects = bundled::compile(folder, "cc")?;
    let library = folder.join(bundled::FOLDER).join(LIBRARY);
    let output = children::output(Command::new("ar").arg("rcs").arg(library).args(objects)).map_err(unprepared)?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(Box::new(Diagnostic::error(&codes::BUILD_FAILED, format!("`ar` cannot join the bundled MPI: {said}"))))
}

/// Runs the build; what it wrote last.
fn run(request: &Request<'_>, folder: &Path) -> Result<String, Box<Diagnostic>> {
    let search_path = std::iter::once(folder.join(LINKS)).chain(request.search_path.iter().cloned());
    let no_path = |cause: String| {
        let message = format!("`{}` cannot be run: {cause}", request.command);
        Box::new(
            Diagnostic::error(&codes::BUILD_FAILED, message)
                .help("give a command of the shell: --build 'make CC=mpicc'"),
        )
    };
    let search_path = join_paths(search_path).map_err(|error| no_path(error.to_string()))?;
    let mut command = Command::new("sh");
    // Both streams in one, in the order in which they are written.
    command.arg("-c").arg(format!("exec 2>&1\n{}", request.command)).env("PATH", search_path);
    command.env(FOLDER, folder).stdin(Stdio::null());
    let _phase = governor::enter(Phase::Building, None);
    match children::output_within_limits(&mut command).map_err(|error| no_path(system_cause(&error)))? {
        Ending::Stopped(output) => Err(stopped(request.command, &output.stdout)),
        Ending::Ended(output) if output.status.success() => Ok(last_lines(&output.stdout, LINES_OF_PROGRESS)),
        Ending::Ended(output) => Err(failed(request.command, &output)),
    }
}

/// What a build wrote last.
fn last_lines(output: &[u8], number: usize) -> String {
    let text = String::from_utf8_lossy(output);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(number)..].join("\n")
}

/// A message with what the build wrote last behind it.
fn with_lines(message: String, lines: &str) -> String {
    if lines.is_empty() { message } else { format!("{message}:\n{lines}") }
}

fn failed(command: &str, output: &Output) -> Box<Diagnostic> {
    let message = with_lines(format!("`{command}` failed"), &last_lines(&output.stdout, SHOWN_LINES));
    let help = match output.status.code() {
        // The codes of a shell for what it cannot run.
        Some(126 | 127) => advice::of_no_command(command),
        _ => "run it by hand until it ends without an error".to_owned(),
    };
    Box::new(Diagnostic::error(&codes::BUILD_FAILED, message).help(help))
}

/// It has done nothing wrong: the command ran out of its time, or was told to end.
fn stopped(command: &str, output: &[u8]) -> Box<Diagnostic> {
    let why = match governor::exceeded() {
        Some(resource) => format!("the limit of {resource} was reached"),
        None => "chronos was told to end".to_owned(),
    };
    let message = format!("`{command}` was stopped before it ended, because {why}");
    let message = with_lines(message, &last_lines(output, LINES_OF_PROGRESS));
    let help = "allow more time (--limit 2h), or several compilers at a time (make -j4); or build the libraries it \
                needs beforehand, and only the program with --build";
    Box::new(Diagnostic::error(&codes::BUILD_STOPPED, message).help(help))
}

fn built_with_bundled_mpi() -> Diagnostic {
    let message = "no MPI is installed (mpicc cannot be run): the program was built with the bundled one";
    Diagnostic::note(&codes::BUILT_WITH_BUNDLED_MPI, message).help("build anew before you run it with another MPI")
}

/// Objects that the program is linked with and that were there before: what is in them is not known.
fn partly_built(executable: &Executable, request: &Request<'_>) -> Option<Diagnostic> {
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<String> = executable.older_objects.iter().map(name).collect();
    let shown = listed(&names)?;
    let message =
        format!("`{}` was linked with objects that this build did not compile from C: {shown}", executable.name());
    let help = format!("functions in them are not known; have all built anew: {}", advice::anew(request.command));
    Some(Diagnostic::warning(&codes::PARTLY_BUILT, message).help(help))
}

/// The executable that is meant.
fn chosen(made: Made, written: &str, request: &Request<'_>) -> Result<Executable, Box<Diagnostic>> {
    let mut all = made.programs;
    let names: Vec<String> = all.iter().map(Executable::name).collect();
    let which = match request.executable {
        _ if all.is_empty() => return Err(nothing_compiled(made.sources, made.linked_only, written, request.command)),
        None if all.len() == 1 => Some(0),
        None => with_mpi_alone(&all),
        Some(name) => all.iter().position(|one| one.name() == name || one.path == Path::new(name)),
    };
    which.map(|index| all.swap_remove(index)).ok_or_else(|| which_executable(request, &names))
}

/// Which of several programs is the only one with an MPI: others beside it are tools of the build, as the one by which NPB
/// writes its parameters.
fn with_mpi_alone(all: &[Executable]) -> Option<usize> {
    let mut with_mpi = (0..all.len()).filter(|&index| all[index].mpi);
    with_mpi.next().filter(|_| with_mpi.next().is_none())
}

fn only_one_with_mpi(taken: &Executable, names: &[String]) -> Diagnostic {
    let shown = listed(names).unwrap_or_default();
    let message =
        format!("of the programs that the build links ({shown}), `{}` alone uses MPI and is taken", taken.name());
    Diagnostic::note(&codes::ONLY_ONE_WITH_MPI, message).help("--exe NAME names another one")
}

fn nothing_compiled(sources: usize, linked: Option<PathBuf>, written: &str, command: &str) -> Box<Diagnostic> {
    let anew = format!("have all built anew: {}", advice::anew(command));
    let (what, help) = match (sources, linked) {
        (0, Some(program)) => (format!("linked {} from objects that were there before", program.display()), anew),
        (0, None) => {
            let named = "and let it call compilers by their names without a folder (make CC=gcc)";
            ("compiled nothing".to_owned(), format!("{anew}, {named}"))
        }
        (number, _) => {
            let sources = if number == 1 { "1 source".to_owned() } else { format!("{number} sources") };
            let help = "name a command that links the program too, by a C compiler (not by ld itself)";
            (format!("compiled {sources} and linked no program"), help.to_owned())
        }
    };
    let message = with_lines(format!("`{command}` {what}"), written);
    Box::new(Diagnostic::error(&codes::NOTHING_COMPILED, message).help(help))
}

/// Names as a message has them; `None` where there are none.
fn listed(names: &[String]) -> Option<String> {
    match names.len().checked_sub(SHOWN_NAMES) {
        _ if names.is_empty() => None,
        None | Some(0) => Some(names.join(", ")),
        Some(more) => Some(format!("{} and {more} more", names[..SHOWN_NAMES].join(", "))),
    }
}

fn which_executable(request: &Request<'_>, names: &[String]) -> Box<Diagnostic> {
    let shown = listed(names).unwrap_or_default();
    let (message, help) = match request.executable {
        None => {
            let first = names.first().map_or("NAME", String::as_str);
            (format!("`{}` links several programs: {shown}", request.command), format!("name one: --exe {first}"))
        }
        Some(name) => {
            let near = nearest(name, names.iter().map(String::as_str));
            let help = near.map_or_else(|| format!("it links {shown}"), |near| format!("did you mean `{near}`?"));
            (format!("`{}` links no program `{name}`", request.command), help)
        }
    };
    Box::new(Diagnostic::error(&codes::WHICH_EXECUTABLE, message).help(help))
}
