//! `chronos trace`.

use super::args::{MpiChoice, PreprocessorArgs, TraceArgs};
use super::exit::Exit;
use super::instrument::{Prepared, prepare, write};
use super::output::Terminal;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_base::temporary::Folder;
use chronos_instrument::codes::BUNDLED_MPI;
use chronos_instrument::run::{self, Build, Launcher, Run};
use chronos_pipeline::not_written;
use chronos_trace::task::Mode;
use chronos_trace::{Trace, prepared};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

pub fn run(options: &TraceArgs, terminal: &Terminal) -> Exit {
    let mut prepared = match prepare(&options.program, terminal) {
        Ok(prepared) => prepared,
        Err(exit) => return exit,
    };
    prepared.output = prepared.output.with_arguments(&options.program.front_end.arguments);
    let runtime = runtime(options, prepared.instrumented.mpi);
    if runtime == Runtime::Bundled {
        prepared.output = prepared.output.with_bundled_mpi();
        prepared.diagnostics.extend(options.mpi.is_none().then(no_installed_mpi));
    }
    let folder = match made(&options.output) {
        Ok(folder) => folder,
        Err(error) => return terminal.report(&[error], &SourceFiles::default()),
    };
    let status = match traced(options, &prepared, runtime, &folder, terminal) {
        Ok(status) => status,
        Err(errors) => return terminal.report(&errors, &prepared.files),
    };
    let mut diagnostics = prepared.diagnostics.clone();
    let complete = match Trace::read(&folder, &prepared.program, options.program.tasks) {
        Ok((trace, _)) if !status.success() && runtime == Runtime::Installed && trace.is_empty() => {
            diagnostics.push(run::not_begun(launcher(options), status));
            // A trace of nothing would be taken for one of a program that did nothing.
            diagnostics.extend(empty(&folder).err());
            false
        }
        Ok((trace, partial)) => {
            prepared::tidy(&trace);
            diagnostics.extend(run::failed(status));
            diagnostics.extend(partial);
            trace.is_complete()
        }
        Err(error) => {
            diagnostics.extend(run::failed(status));
            diagnostics.push(*error);
            false
        }
    };
    let told = terminal.report(&diagnostics, &prepared.files);
    told.max(if complete { Exit::Done } else { Exit::Incomplete })
}

const MPICC: &str = "mpicc -O2";
/// How an installed MPI starts programs where nobody says otherwise.
pub const MPIRUN: &str = "mpirun --oversubscribe -np {n}";

/// The MPI that a program is linked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runtime {
    None,
    Installed,
    Bundled,
}

fn runtime(options: &TraceArgs, mpi: bool) -> Runtime {
    let named = options.mpicc.is_some() || options.mpirun.is_some();
    match options.mpi {
        _ if !mpi => Runtime::None,
        Some(MpiChoice::Bundled) => Runtime::Bundled,
        Some(MpiChoice::Installed) => Runtime::Installed,
        None if named || run::can_run("mpicc") => Runtime::Installed,
        None => Runtime::Bundled,
    }
}

/// Told where the bundled MPI is taken for want of another.
pub fn no_installed_mpi() -> Diagnostic {
    Diagnostic::note(&BUNDLED_MPI, "no MPI is installed (mpicc cannot be run): the tasks run on the bundled one")
        .help("its speed says nothing; name an installed MPI by --mpicc and --mpirun")
}

fn launcher(options: &TraceArgs) -> &str {
    options.mpirun.as_deref().unwrap_or(MPIRUN)
}

/// The folder by its absolute path.
fn made(folder: &Path) -> Result<PathBuf, Diagnostic> {
    let problem = |error: std::io::Error| not_written(folder, &error);
    std::fs::create_dir_all(folder).map_err(problem)?;
    folder.canonicalize().map_err(problem)
}

/// Takes an earlier trace out of the folder.
fn empty(folder: &Path) -> Result<(), Diagnostic> {
    let problem = |error: std::io::Error| not_written(folder, &error);
    for entry in std::fs::read_dir(folder).map_err(problem)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == "trace.json" || (name.starts_with("task-") && (name.ends_with(".ctr") || name.ends_with(".live"))) {
            std::fs::remove_file(entry.path()).map_err(problem)?;
        }
    }
    Ok(())
}

fn traced(
    options: &TraceArgs,
    prepared: &Prepared,
    runtime: Runtime,
    folder: &Path,
    terminal: &Terminal,
) -> Result<ExitStatus, Vec<Diagnostic>> {
    let place = Folder::named("chronos-trace-");
    let place = place.map_err(|error| vec![not_written(&std::env::temp_dir(), &error)])?;
    if write(&prepared.output, place.path(), terminal) != Exit::Done {
        return Err(Vec::new());
    }
    let cc = options.program.front_end.cc.clone().unwrap_or_else(|| "cc -O2".to_owned());
    let mpicc = options.mpicc.as_deref().unwrap_or(MPICC);
    let build = Build {
        compiler: if runtime == Runtime::Installed { mpicc } else { &cc },
        flags: flags(options, runtime != Runtime::None),
        link: &options.link,
        bundled_mpi: runtime == Runtime::Bundled,
    };
    let begin = std::time::Instant::now();
    let program = run::compile(place.path(), &prepared.output.sources, &build).map_err(|error| vec![*error])?;
    terminal.tell(|| {
        format!("instrumented with {} trace points, compiled in {:.3?}", prepared.instrumented.points, begin.elapsed())
    });
    // Not before: what does not compile leaves an earlier trace as it is.
    empty(folder).map_err(|error| vec![error])?;
    let mode = if options.order { Mode::Order } else { Mode::Counts };
    prepared::prepare(folder, &prepared.output.map, mode, options.program.tasks);
    let run = Run {
        launcher: match runtime {
            Runtime::None => Launcher::Alone,
            Runtime::Installed => Launcher::Command(launcher(options)),
            Runtime::Bundled => Launcher::Bundled,
        },
        tasks: options.program.tasks,
        arguments: &options.program.front_end.arguments,
        stdin: options.program.front_end.stdin.as_deref(),
        folder,
    };
    let status = run::execute(&program, &run).map_err(|error| vec![*error])?;
    if !prepared.instrumented.records() {
        prepared::end(folder, options.program.tasks, run::signal(status));
    }
    Ok(status)
}

/// Macros and folders of headers, for a compiler.
pub fn preprocessor_flags(given: &PreprocessorArgs) -> Vec<String> {
    let PreprocessorArgs { defines, includes } = given;
    let defines = defines.iter().map(|define| format!("-D{define}"));
    defines.chain(includes.iter().map(|folder| format!("-I{}", folder.display()))).collect()
}

/// What the user's own system headers may ask for.
fn flags(options: &TraceArgs, mpi: bool) -> Vec<String> {
    let mut flags = preprocessor_flags(&options.program.front_end.preprocessor);
    if options.order {
        flags.push("-DCHRONOS_ORDER".to_owned());
    }
    if mpi {
        flags.push("-DCHRONOS_WITH_MPI".to_owned());
    }
    flags
}
