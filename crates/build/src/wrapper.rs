//! The process that a build starts in place of a compiler or archiver.

use crate::names::Tool;
use crate::record::{self, Call};
use chronos_base::diag::system_cause;
use chronos_instrument::bundled;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// In the environment of a build: the folder of the capture.
pub const FOLDER: &str = "CHRONOS_BUILD_FOLDER";
/// The subfolder with the links to the wrapper; it stands first on the search path.
pub(crate) const LINKS: &str = "bin";
/// Exit code of a shell that finds no command.
const NOT_FOUND: u8 = 127;
/// Exit code where a process was ended by a signal, or its end is not known.
const ENDED: u8 = 1;

/// What a wrapper was called with.
#[derive(Clone, Debug)]
pub struct Wrapped {
    /// The folder of the capture.
    pub folder: PathBuf,
    /// The name that it was called by, without a folder.
    pub name: String,
    /// Its words.
    pub arguments: Vec<String>,
    /// The search path of the build.
    pub search_path: Vec<PathBuf>,
    /// Where it was called.
    pub directory: PathBuf,
}

/// Runs what the wrapper stands for and takes it down. The exit code, and a message where nothing could be run.
pub fn run(wrapped: &Wrapped) -> (u8, Option<String>) {
    let Some(real) = wrapped.real() else {
        return (NOT_FOUND, Some(format!("{}: there is no such program on the search path", wrapped.name)));
    };
    if let (Some(asked), true) = (shown(&wrapped.arguments), real.bundled) {
        println_words(&wrapped.shown(&real, asked));
        return (0, None);
    }
    let arguments = wrapped.with_responses();
    let mut command = Command::new(&real.program);
    if real.bundled {
        command.args(wrapped.compile_flags());
    }
    command.args(&wrapped.arguments);
    if real.bundled && links(&arguments) {
        command.args(wrapped.link_flags());
    }
    match command.status() {
        Err(error) => (NOT_FOUND, Some(format!("{}: {}", real.program.display(), system_cause(&error)))),
        Ok(status) if !status.success() => (code(status), None),
        Ok(_) => (0, wrapped.take_down(&real, arguments)),
    }
}

/// What stands behind a wrapper.
struct Real {
    program: PathBuf,
    /// The C compiler with the bundled MPI.
    bundled: bool,
}

impl Wrapped {
    fn real(&self) -> Option<Real> {
        if let Some(program) = self.found(&self.name) {
            return Some(Real { program, bundled: false });
        }
        let program = self.found(Tool::of(&self.name)?.without_mpi()?)?;
        Some(Real { program, bundled: true })
    }

    fn found(&self, name: &str) -> Option<PathBuf> {
        let links = self.folder.join(LINKS);
        let folders = self.search_path.iter().filter(|folder| **folder != links);
        folders.map(|folder| folder.join(name)).find(|path| path.is_file())
    }

    fn compile_flags(&self) -> [String; 1] {
        [format!("-I{}", self.folder.join(bundled::FOLDER).display())]
    }

    fn link_flags(&self) -> [String; 4] {
        let library = self.folder.join(bundled::FOLDER).join(LIBRARY);
        [library.display().to_string(), "-lm".to_owned(), "-lpthread".to_owned(), "-lrt".to_owned()]
    }

    /// Words with those of response files (`@FILE`) in place: the file may be gone when the build is read.
    fn with_responses(&self) -> Vec<String> {
        let words = |word: &String| -> Option<Vec<String>> {
            let text = std::fs::read_to_string(self.directory.join(word.strip_prefix('@')?)).ok()?;
            shlex::split(&text)
        };
        self.arguments.iter().flat_map(|word| words(word).unwrap_or_else(|| vec![word.clone()])).collect()
    }

    /// A message where it cannot be taken down.
    fn take_down(&self, real: &Real, arguments: Vec<String>) -> Option<String> {
        let program = if real.bundled { &real.program } else { Path::new(&self.name) };
        let call = Call {
            directory: self.directory.clone(),
            program: program.display().to_string(),
            arguments,
            bundled_mpi: real.bundled,
        };
        let failed = record::append(&self.folder, &call).err()?;
        Some(format!("{}: the call cannot be taken down: {}", self.name, system_cause(&failed)))
    }

    fn shown(&self, real: &Real, asked: Asked) -> Vec<String> {
        let program = [real.program.display().to_string()];
        match asked {
            Asked::Command => program.into_iter().chain(self.compile_flags()).chain(self.link_flags()).collect(),
            Asked::Compiling => self.compile_flags().into(),
            Asked::Linking => self.link_flags().into(),
        }
    }
}

/// The bundled MPI as a library, beside its sources.
pub(crate) const LIBRARY: &str = "libmpi.a";

/// What build systems ask of an MPI compiler, to find the MPI.
#[derive(Clone, Copy)]
enum Asked {
    Command,
    Compiling,
    Linking,
}

/// MPICH's and Open MPI's words for it.
fn shown(arguments: &[String]) -> Option<Asked> {
    arguments.iter().find_map(|word| match word.as_str() {
        "-show" | "-showme" | "--showme" | "--show" => Some(Asked::Command),
        "-showme:compile" | "--showme:compile" | "-compile_info" | "-compile-info" => Some(Asked::Compiling),
        "-showme:link" | "--showme:link" | "-link_info" | "-link-info" => Some(Asked::Linking),
        _ => None,
    })
}

/// Whether the words ask for a program or shared library.
fn links(arguments: &[String]) -> bool {
    let is_file = |word: &String| !word.starts_with('-');
    let stops = ["-c", "-E", "-S", "-M", "-MM", "-fsyntax-only", "-r"];
    arguments.iter().any(is_file) && !arguments.iter().any(|word| stops.contains(&word.as_str()))
}

fn code(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(ENDED)
}

/// The wrapper speaks for a compiler: what it is asked for goes to its standard output.
fn println_words(words: &[String]) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stdout(), "{}", words.join(" "));
}

/// Whether a build may start a wrapper by this name.
pub fn is_wrapped(name: &str) -> bool {
    Tool::of(name).is_some()
}

/// The name that a process was called by.
pub fn called_by(program: &OsStr) -> Option<String> {
    Some(Path::new(program).file_name()?.to_str()?.to_owned())
}
