//! Compiles instrumented sources and runs them.

use super::{bundled, codes};
use chronos_base::children;
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_frontend::split_command;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How to compile.
#[derive(Clone, Debug)]
pub struct Build<'a> {
    /// The compiler with its flags.
    pub compiler: &'a str,
    /// Further flags, in front of the sources.
    pub flags: Vec<String>,
    /// Behind the sources.
    pub link: &'a str,
    /// Compile the bundled MPI beside them.
    pub bundled_mpi: bool,
}

/// Who starts the tasks of a program.
#[derive(Clone, Copy, Debug)]
pub enum Launcher<'a> {
    /// Nobody: it is one task.
    Alone,
    /// A command of an installed MPI, `{n}` for the number of tasks.
    Command(&'a str),
    /// The program itself, with the bundled MPI.
    Bundled,
}

/// How to run.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// Who starts the tasks.
    pub launcher: Launcher<'a>,
    /// Number of tasks.
    pub tasks: usize,
    /// Arguments of the program.
    pub arguments: &'a [String],
    /// The file that is its standard input.
    pub stdin: Option<&'a Path>,
    /// Where the trace goes.
    pub folder: &'a Path,
}

/// Compiles `sources` of `folder`; the path of the program.
///
/// # Errors
/// What the compiler said, or why it could not be run.
pub fn compile(folder: &Path, sources: &[String], build: &Build<'_>) -> Result<PathBuf, Box<Diagnostic>> {
    let program = folder.join("traced-program");
    let mut command = started(build.compiler)?;
    command.args(compiled(folder, sources, build)?);
    if build.bundled_mpi {
        command.args(bundled::compile(folder, build.compiler)?);
    }
    // A library of the project may hold functions that nobody calls, and that call what nobody has: its linker never takes them.
    command.args(&build.flags).arg("-Wl,--gc-sections");
    command.arg("-o").arg(&program).args(split_command(build.link).unwrap_or_default());
    let output = children::output(&mut command).map_err(|error| no_compiler(build.compiler, &error))?;
    if output.status.success() { Ok(program) } else { Err(refused_sources(folder, build, &output.stderr)) }
}

/// Compiles each source on its own, on all processors; the object files, in the order of the sources.
fn compiled(folder: &Path, sources: &[String], build: &Build<'_>) -> Result<Vec<PathBuf>, Box<Diagnostic>> {
    let next = AtomicUsize::new(0);
    let one_after_the_other = || {
        let mut taken = std::iter::from_fn(|| sources.get(next.fetch_add(1, Ordering::Relaxed)));
        taken.try_for_each(|source| object(folder, source, build))
    };
    let at_once = std::thread::available_parallelism().map_or(1, usize::from).min(sources.len());
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..at_once).map(|_| scope.spawn(one_after_the_other)).collect();
        let ended = running.into_iter().map(std::thread::ScopedJoinHandle::join);
        ended.filter_map(Result::ok).collect::<Result<(), _>>()
    })?;
    Ok(sources.iter().map(|source| object_path(folder, source)).collect())
}

fn object_path(folder: &Path, source: &str) -> PathBuf {
    folder.join(format!("{source}.o"))
}

fn object(folder: &Path, source: &str, build: &Build<'_>) -> Result<(), Box<Diagnostic>> {
    let mut command = started(build.compiler)?;
    if build.bundled_mpi {
        // In front of the user's folders: one of them may hold the mpi.h of an installed MPI.
        command.arg("-I").arg(folder.join(bundled::FOLDER));
    }
    command.args(&build.flags).args(vectors(build.compiler)).arg("-w").arg("-I").arg(folder);
    command.args(["-ffunction-sections", "-c", "-o"]).arg(object_path(folder, source)).arg(folder.join(source));
    let output = children::output(&mut command).map_err(|error| no_compiler(build.compiler, &error))?;
    if output.status.success() { Ok(()) } else { Err(refused_sources(folder, build, &output.stderr)) }
}

fn refused_sources(folder: &Path, build: &Build<'_>, said: &[u8]) -> Box<Diagnostic> {
    let said = String::from_utf8_lossy(said).replace(&format!("{}/", folder.display()), "");
    refused(build.compiler, "the instrumented sources", &said)
}

/// What tells the instrumented sources that GCC turns loops into vectors, which no macro of its own tells.
fn vectors(compiler: &str) -> Option<&'static str> {
    const FLAGS: [&str; 4] = ["-O3", "-Ofast", "-ftree-vectorize", "-ftree-loop-vectorize"];
    let words = split_command(compiler).unwrap_or_default();
    words.iter().any(|word| FLAGS.contains(&word.as_str())).then_some("-DCHRONOS_VECTORS")
}

pub(super) fn no_compiler(compiler: &str, error: &std::io::Error) -> Box<Diagnostic> {
    let message = format!("`{compiler}` cannot be run: {}", system_cause(error));
    let help = "install it, or name another compiler with its flags: --cc for sequential programs, --mpicc for MPI";
    Box::new(Diagnostic::error(&codes::COMPILATION, message).help(help))
}

pub(super) fn refused(compiler: &str, what: &str, said: &str) -> Box<Diagnostic> {
    let said: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).take(8).collect();
    let message = format!("`{compiler}` refuses {what}:\n{}", said.join("\n"));
    Box::new(Diagnostic::error(&codes::COMPILATION, message).help("see `chronos explain C1003`"))
}

/// Runs the program to its end; its output is the user's.
///
/// # Errors
/// Where it cannot be started.
pub fn execute(program: &Path, run: &Run<'_>) -> Result<ExitStatus, Box<Diagnostic>> {
    let mut command = match run.launcher {
        Launcher::Command(launcher) => {
            let mut command = started(&launcher.replace("{n}", &run.tasks.to_string()))?;
            children::launcher(&mut command).arg(program);
            command
        }
        Launcher::Alone | Launcher::Bundled => Command::new(program),
    };
    if matches!(run.launcher, Launcher::Bundled) {
        command.env(bundled::TASKS, run.tasks.to_string());
    }
    command.args(run.arguments).env("CHRONOS_TRACE", run.folder);
    if let Some(stdin) = run.stdin {
        let file = std::fs::File::open(stdin).map_err(|error| not_started(&stdin.to_string_lossy(), &error))?;
        command.stdin(file);
    } else if std::io::stdin().is_terminal() {
        // A group of its own may not read from the terminal.
        command.stdin(Stdio::piped());
    }
    let what = match run.launcher {
        Launcher::Command(launcher) => launcher,
        Launcher::Alone | Launcher::Bundled => "the traced program",
    };
    children::status(&mut command).map_err(|error| not_started(what, &error))
}

/// How to run a program in virtual time.
#[derive(Clone, Debug)]
pub struct LiveRun<'a> {
    /// Number of tasks, those that others start included.
    pub tasks: usize,
    /// How many of them, the last ones, others start.
    pub spawned: usize,
    /// How many of them compute at the same time; `None`: all.
    pub turns: Option<u32>,
    /// Arguments of the program.
    pub arguments: &'a [String],
    /// The file that is its standard input.
    pub stdin: Option<&'a Path>,
    /// An environment variable that tells the tasks where their driver is, and its value.
    pub driver: (&'a str, &'a Path),
    /// The same for the file in which the launcher notes how a task ended before its program did.
    pub ended: (&'a str, &'a Path),
}

/// Starts a program on the bundled MPI, for a driver. What it writes to its standard output comes to that of errors: the
/// report has the other one.
///
/// # Errors
/// Where it cannot be started.
pub fn start_live(program: &Path, run: &LiveRun<'_>) -> Result<children::Started, Box<Diagnostic>> {
    let mut command = Command::new(program);
    command.args(run.arguments).env(bundled::TASKS, run.tasks.to_string()).envs([run.driver, run.ended]);
    if run.spawned > 0 {
        command.env(bundled::SPAWNED, run.spawned.to_string());
    }
    if let Some(turns) = run.turns {
        command.env(bundled::TURNS, turns.to_string());
    }
    let stdin = match run.stdin {
        Some(path) => std::fs::File::open(path).map(Stdio::from),
        None => Ok(Stdio::null()),
    };
    let stdin = stdin.map_err(|error| {
        let path = run.stdin.map_or_else(String::new, |path| path.display().to_string());
        not_started(&path, &error)
    })?;
    command.stdin(stdin).stdout(std::io::stderr());
    children::start(&mut command).map_err(|error| not_started("the instrumented program", &error))
}

/// The signal that ended a program.
pub fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

pub(super) fn not_started(what: &str, error: &std::io::Error) -> Box<Diagnostic> {
    let message = format!("the traced program cannot be started with `{what}`: {}", system_cause(error));
    let help = "name what starts the tasks of your MPI (--mpirun \"mpirun -np {n}\"), or use --mpi bundled";
    Box::new(Diagnostic::error(&codes::RUN_FAILED, message).help(help))
}

pub(super) fn started(command: &str) -> Result<Command, Box<Diagnostic>> {
    let words = split_command(command).filter(|words| !words.is_empty()).ok_or_else(|| {
        let message = format!("`{command}` is no command: it is empty or a quote stays open");
        Box::new(
            Diagnostic::error(&codes::COMPILATION, message).help("give a program and its flags, quoted as for a shell"),
        )
    })?;
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    Ok(command)
}

/// Whether a command is there.
pub fn can_run(command: &str) -> bool {
    let mut command = Command::new(command);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// The error for a launcher that ended before any task did something.
pub fn not_begun(launcher: &str, status: ExitStatus) -> Diagnostic {
    let message =
        format!("`{launcher}` ended with an error ({status}) before any task recorded something: there is no trace");
    Diagnostic::error(&codes::RUN_FAILED, message)
        .help("what it said stands above; say how your MPI starts programs (--mpirun \"mpirun -np {n}\"), or use --mpi bundled")
}

/// The warning for a program that ended with an error.
pub fn failed(status: ExitStatus) -> Option<Diagnostic> {
    if status.success() {
        return None;
    }
    let message = format!("the traced program ended with an error ({status})");
    Some(
        Diagnostic::warning(&codes::RUN_FAILED, message)
            .help("its trace holds what it did; check that the original runs"),
    )
}
