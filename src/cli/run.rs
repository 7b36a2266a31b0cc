//! `chronos run`.

use super::args::{RunArgs, TimeChoice};
use super::codes;
use super::exit::Exit;
use super::instrument::write;
use super::output::Terminal;
use super::predict;
use super::trace::preprocessor_flags;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_base::temporary::Folder;
use chronos_direct_execution::{Counters, Timing, refused};
use chronos_instrument::run::{self, Build};
use chronos_instrument::{Output, instrument};
use chronos_ir::{DataModel, Program};
use chronos_pipeline::{self as pipeline, Execution, not_written};
use chronos_trace::identity::Identity;
use std::path::PathBuf;
use std::sync::Arc;

pub fn run(options: &RunArgs, terminal: &Terminal) -> Exit {
    if options.predict.slurm.is_some() || options.predict.work.resume.is_some() {
        let message =
            "runs in virtual time are not kept by --resume, so that jobs of --slurm or --shard could not share them";
        let error = Diagnostic::error(&codes::NO_JOB_ARRAY, message);
        return fail(
            error.help("leave out --resume; keep predictions (chronos predict), or share runs by a job for each"),
            terminal,
        );
    }
    let output = match instrumented(options, terminal) {
        Ok(output) => output,
        Err(exit) => return exit,
    };
    let place = match Folder::named("chronos-run-") {
        Ok(place) => place,
        Err(error) => return fail(not_written(&std::env::temp_dir(), &error), terminal),
    };
    if write(&output, place.path(), terminal) != Exit::Done {
        return Exit::Incomplete;
    }
    let program = match compiled(options, &output, &place, terminal) {
        Ok(program) => program,
        Err(error) => return fail(*error, terminal),
    };
    let front_end = &options.predict.front_end;
    let execution = Execution {
        program,
        counters: Arc::new(Counters { map: output.map }),
        timing: match options.time {
            TimeChoice::Cpu => Timing::Measured { slower: options.slower },
            TimeChoice::Predicted => Timing::Predicted,
        },
        turns: options.predict.work.options().jobs,
        stdin: front_end.stdin.clone(),
    };
    predict::predict(&options.predict, Some(execution), terminal)
}

fn fail(error: Diagnostic, terminal: &Terminal) -> Exit {
    terminal.report(&[error], &SourceFiles::default())
}

/// The program with what tells its calls, and with trace points where its time is predicted.
fn instrumented(options: &RunArgs, terminal: &Terminal) -> Result<Output, Exit> {
    let program_options = options.predict.front_end.program();
    let (program, files, diagnostics) = pipeline::program(&program_options, DataModel::default());
    let Some(program) = program else { return Err(terminal.report(&diagnostics, &files)) };
    if let Some(fault) = fault(&program) {
        return Err(terminal.report(&[fault], &files));
    }
    let (sources, _) =
        pipeline::source_options(&program_options, program.model).map_err(|errors| terminal.report(&errors, &files))?;
    let counts = options.time == TimeChoice::Predicted;
    let made = instrument(&program, &sources, &|_| counts, counts, &|_| 0.0)
        .map_err(|failure| terminal.report(&failure.diagnostics, &failure.files))?;
    if !made.mpi {
        return Err(terminal.report(&[without_mpi()], &files));
    }
    let tasks = options.predict.points.tasks().first().copied().unwrap_or(1);
    Ok(Output::live(&made, &Identity::of(&program), tasks))
}

/// Why the program cannot run in virtual time.
fn fault(program: &Program) -> Option<Diagnostic> {
    let wrong = || pipeline::before_evaluation(program).into_iter().find(Diagnostic::is_error);
    wrong().or_else(|| refused(program))
}

fn without_mpi() -> Diagnostic {
    Diagnostic::error(&chronos_direct_execution::codes::REFUSED, "the program calls no function of MPI")
        .help("`chronos validate` runs it and compares its time with the predicted one")
}

fn compiled(
    options: &RunArgs,
    output: &Output,
    place: &Folder,
    terminal: &Terminal,
) -> Result<PathBuf, Box<Diagnostic>> {
    let front_end = &options.predict.front_end;
    let cc = front_end.cc.clone().unwrap_or_else(|| "cc -O2".to_owned());
    let mut flags = preprocessor_flags(&front_end.preprocessor);
    flags.extend(["-DCHRONOS_WITH_MPI", "-DCHRONOS_LIVE"].map(str::to_owned));
    flags.extend(output.link_flags.map(str::to_owned));
    let build = Build { compiler: &cc, flags, link: &options.link, bundled_mpi: true };
    let begin = std::time::Instant::now();
    let program = run::compile(place.path(), &output.sources, &build)?;
    terminal.tell(|| format!("compiled in {:.3?}", begin.elapsed()));
    Ok(program)
}
