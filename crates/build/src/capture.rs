//! Runs the build between preparation and reading.

use crate::executables::{self, Executable};
use crate::names::{ALWAYS, Tool};
use crate::wrapper::{FOLDER, LIBRARY, LINKS};
use crate::{codes, database, record};
use chronos_base::children;
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::spelling::nearest;
use chronos_base::temporary::Folder;
use chronos_frontend::DATABASE_NAME;
use chronos_instrument::bundled;
use std::collections::BTreeSet;
use std::env::join_paths;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
    run(request, folder.path())?;
    let calls = record::read(folder.path()).map_err(unprepared)?;
    let bundled = bundles && calls.iter().any(|call| call.bundled_mpi);
    let executable = chosen(executables::of(&calls), request)?;
    std::fs::write(folder.path().join(DATABASE_NAME), database::text(&executable)).map_err(unprepared)?;
    let notes = bundled.then(built_with_bundled_mpi).into_iter().collect();
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

fn run(request: &Request<'_>, folder: &Path) -> Result<(), Box<Diagnostic>> {
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
    let output = children::output(&mut command).map_err(|error| no_path(system_cause(&error)))?;
    if output.status.success() { Ok(()) } else { Err(failed(request.command, &output.stdout)) }
}

fn failed(command: &str, output: &[u8]) -> Box<Diagnostic> {
    let text = String::from_utf8_lossy(output);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n");
    let message = if last.is_empty() { format!("`{command}` failed") } else { format!("`{command}` failed:\n{last}") };
    Box::new(Diagnostic::error(&codes::BUILD_FAILED, message).help("run it by hand until it ends without an error"))
}

fn built_with_bundled_mpi() -> Diagnostic {
    let message = "no MPI is installed (mpicc cannot be run): the program was built with the bundled one";
    Diagnostic::note(&codes::BUILT_WITH_BUNDLED_MPI, message).help("build anew before you run it with another MPI")
}

/// The executable that is meant.
fn chosen(mut all: Vec<Executable>, request: &Request<'_>) -> Result<Executable, Box<Diagnostic>> {
    let names: Vec<String> = all.iter().map(Executable::name).collect();
    let which = match request.executable {
        _ if all.is_empty() => return Err(nothing_compiled(request.command)),
        None if all.len() == 1 => Some(0),
        None => None,
        Some(name) => all.iter().position(|one| one.name() == name || one.path == Path::new(name)),
    };
    which.map(|index| all.swap_remove(index)).ok_or_else(|| which_executable(request, &names))
}

fn nothing_compiled(command: &str) -> Box<Diagnostic> {
    let message = format!("`{command}` compiled and linked no program from sources");
    let help = "have all built anew (make clean all, cmake --build DIR --clean-first), and name the compiler without its folder";
    Box::new(Diagnostic::error(&codes::NOTHING_COMPILED, message).help(help))
}

fn which_executable(request: &Request<'_>, names: &[String]) -> Box<Diagnostic> {
    let shown = match names.len().checked_sub(SHOWN_NAMES) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..SHOWN_NAMES].join(", ")),
    };
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
