//! `chronos record`.

use super::args::{MpiChoice, RecordArgs};
use super::exit::Exit;
use super::output::Terminal;
use super::trace::{MPIRUN, no_installed_mpi, preprocessor_flags};
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::span::SourceFiles;
use chronos_base::temporary::Folder;
use chronos_instrument::codes::RUN_FAILED;
use chronos_instrument::recorder::{self, Build, RecordedRun};
use chronos_instrument::run::{self, Launcher};
use chronos_pipeline::not_written;
use chronos_record::folder::{INFO, RecordInfo, file};
use chronos_record::{Record, codes, places, steps};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

pub fn run(options: &RecordArgs, terminal: &Terminal) -> Exit {
    let chosen = options.mpi.is_none() && options.exe.is_none() && !is_installed(options);
    let told: Vec<Diagnostic> = chosen.then(no_installed_mpi).into_iter().collect();
    let exit = terminal.report(&told, &SourceFiles::default());
    let recorded = recorded(options, terminal);
    exit.max(recorded.unwrap_or_else(|error| terminal.report(&[*error], &SourceFiles::default())))
}

/// Whether the tasks run on an installed MPI.
fn is_installed(options: &RecordArgs) -> bool {
    match options.mpi {
        _ if options.exe.is_some() => true,
        Some(choice) => choice == MpiChoice::Installed,
        None => options.mpirun.is_some() || run::can_run("mpicc"),
    }
}

fn recorded(options: &RecordArgs, terminal: &Terminal) -> Result<Exit, Box<Diagnostic>> {
    let temporary = std::env::temp_dir();
    let place = Folder::named("chronos-record-").map_err(|error| Box::new(not_written(&temporary, &error)))?;
    let begin = std::time::Instant::now();
    let prepared = prepared(options, place.path())?;
    terminal.tell(|| format!("compiled in {:.3?}", begin.elapsed()));
    // Not before: what does not compile leaves an earlier record as it is.
    let folder = emptied(&options.output).map_err(|error| Box::new(not_written(&options.output, &error)))?;
    let mut info = info(options);
    write(&folder, &info)?;
    let status = executed(options, &prepared, &folder)?;
    let (record, mut told) = match Record::read(&options.output) {
        Err(_) if !file(&folder, 0).exists() => return Err(Box::new(nothing(status))),
        read => read?,
    };
    let here = std::env::current_dir().unwrap_or_default();
    info.places = places::named(&record.code_places(), &here);
    write(&folder, &info)?;
    told.extend((!status.success()).then(|| failed(status)));
    terminal.report(&told, &SourceFiles::default());
    let exit = if record.is_complete() { Exit::Done } else { Exit::Incomplete };
    Ok(exit.max(terminal.print(&summary(&options.output, &record))))
}

/// What is started, and what is loaded before it.
struct Prepared {
    program: PathBuf,
    library: Option<PathBuf>,
}

fn prepared(options: &RecordArgs, place: &Path) -> Result<Prepared, Box<Diagnostic>> {
    let installed = is_installed(options);
    for (name, text) in recorder::files(!installed) {
        let path = place.join(name);
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::write(&path, text)).map_err(|error| Box::new(not_written(&path, &error)))?;
    }
    let default = if installed { "mpicc -O2" } else { "cc -O2" };
    let compiler = options.cc.as_deref().unwrap_or(default);
    if let Some(exe) = &options.exe {
        let program = exe.canonicalize().map_err(|error| Box::new(no_executable(exe, &error)))?;
        return Ok(Prepared { program, library: Some(recorder::library(place, compiler)?) });
    }
    let build = Build {
        compiler,
        flags: &preprocessor_flags(&options.preprocessor),
        sources: &options.files,
        link: &options.link,
        bundled_mpi: !installed,
    };
    Ok(Prepared { program: recorder::compile(place, &build)?, library: None })
}

fn executed(options: &RecordArgs, prepared: &Prepared, folder: &Path) -> Result<ExitStatus, Box<Diagnostic>> {
    let launcher = match is_installed(options) {
        true => Launcher::Command(options.mpirun.as_deref().unwrap_or(MPIRUN)),
        false => Launcher::Bundled,
    };
    let run = RecordedRun {
        launcher,
        tasks: options.tasks,
        arguments: &options.arguments,
        stdin: options.stdin.as_deref(),
        folder,
        library: prepared.library.as_deref(),
    };
    recorder::execute(&prepared.program, &run)
}

fn info(options: &RecordArgs) -> RecordInfo {
    let program = options.exe.iter().chain(&options.files).map(|path| path.display().to_string()).collect();
    let tasks = u32::try_from(options.tasks).unwrap_or(u32::MAX);
    RecordInfo {
        defines: options.preprocessor.defines.clone(),
        stdin: options.stdin.clone(),
        ..RecordInfo::new(program, options.arguments.clone(), tasks)
    }
}

fn write(folder: &Path, info: &RecordInfo) -> Result<(), Box<Diagnostic>> {
    let path = folder.join(INFO);
    std::fs::write(&path, info.to_json()).map_err(|error| Box::new(not_written(&path, &error)))
}

/// The folder by its absolute path, without an earlier record.
fn emptied(folder: &Path) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    for entry in std::fs::read_dir(folder)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == INFO || (name.starts_with("task-") && name.ends_with(".rec")) {
            std::fs::remove_file(entry.path())?;
        }
    }
    folder.canonicalize()
}

fn nothing(status: ExitStatus) -> Diagnostic {
    Diagnostic::error(&codes::NOTHING, format!("the program recorded nothing ({status})")).help(
        "what it said stands above; check that it runs by itself and calls MPI_Init, and see `chronos explain C1706`",
    )
}

fn failed(status: ExitStatus) -> Diagnostic {
    Diagnostic::warning(&RUN_FAILED, format!("the recorded program ended with an error ({status})"))
        .help("its record holds what it did; check that it runs by itself")
}

fn no_executable(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(&codes::NOTHING, format!("{} cannot be run: {}", path.display(), system_cause(error)))
        .help("name an executable that is linked with the installed MPI")
}

fn summary(folder: &Path, record: &Record) -> String {
    let calls: usize = record.tasks.iter().map(|task| task.calls.len()).sum();
    let totals = steps::totals(record);
    format!(
        "{}: {} of {} MPI calls; {:.3} s of processor time between them, {:.3} s passed\n",
        folder.display(),
        chronos_trace::number(record.tasks.len()),
        calls,
        totals.processor_s,
        totals.wall_s
    )
}
