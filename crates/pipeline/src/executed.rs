//! Programs that run in virtual time: started, driven by the replay, ended.

use chronos_activity::Activity;
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::governor;
use chronos_base::temporary::Folder;
use chronos_cost::grows_with_its_work;
use chronos_direct_execution::codes::{NOT_CONNECTED, UNTOLD_BYTES};
use chronos_direct_execution::{Counters, Ended, Evaluated, Listener, LiveFeed, Timing};
use chronos_instrument::run::{self, LiveRun};
use chronos_ir::{BlockId, BlockKind, Call, Callee, Program};
use chronos_machine::Machine;
use chronos_predict::evaluation::spawning::ENDLESS;
use chronos_predict::executed::{known, of_reductions, predict_executed};
use chronos_predict::{Job, Outcome, Target};
use chronos_trace::map::TraceMap;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What the processes of a program get to end once their last call is over.
const GRACE: Duration = Duration::from_secs(5);

/// What the launcher gets to note how a task ended.
const NOTE: Duration = Duration::from_secs(1);

/// A program that was compiled to run in virtual time.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The file to start.
    pub program: PathBuf,
    /// What its trace points mean.
    pub counters: Arc<Counters>,
    /// What the time of computation is.
    pub timing: Timing,
    /// Tasks that compute at the same time; `None`: all.
    pub turns: Option<u32>,
    /// The file that is its standard input.
    pub stdin: Option<PathBuf>,
}

impl PartialEq for Execution {
    fn eq(&self, other: &Self) -> bool {
        self.program == other.program && self.timing == other.timing && self.stdin == other.stdin
    }
}

/// Runs that a program gets until as many tasks stand by as it starts.
const MOST_RUNS: usize = 8;

/// Runs the program on the target. Where it starts tasks (`MPI_Comm_spawn`) and how many is not known without a run, it runs
/// again with as many as the run before wanted, which the job then has.
///
/// # Errors
/// Its tasks do not begin, or it starts others each time.
pub(crate) fn executed(job: &mut Job, target: Target<'_>, execution: &Execution) -> Result<Outcome, Vec<Diagnostic>> {
    for _ in 0..MOST_RUNS {
        let (outcome, wanted) = executed_once(job, target, execution)?;
        if wanted == job.spawned || governor::exceeded().is_some() {
            return Ok(outcome);
        }
        (job.tasks, job.spawned) = (job.tasks - job.spawned + wanted, wanted);
    }
    let message = format!("the program starts another number of tasks in each of {MOST_RUNS} runs");
    let help = "let it not depend on time how many tasks are started (MPI_Comm_spawn), or run it with --time predicted";
    Err(vec![Diagnostic::error(&ENDLESS, message).help(help)])
}

/// One run, and how many tasks the program started, or would have, had so many stood by.
fn executed_once(job: &Job, target: Target<'_>, execution: &Execution) -> Result<(Outcome, usize), Vec<Diagnostic>> {
    let known = match execution.timing {
        Timing::Predicted => known(job, target),
        Timing::Measured { .. } => Activity::default(),
    };
    let folder = Folder::named("chronos-run-").map_err(|error| vec![no_folder(&error)])?;
    let listener = Listener::new(folder.path()).map_err(one)?;
    let note = listener.ended_path();
    let run = LiveRun {
        tasks: job.tasks,
        spawned: job.spawned,
        turns: execution.turns,
        arguments: &job.arguments,
        stdin: execution.stdin.as_deref(),
        driver: (Listener::VARIABLE, listener.path()),
        ended: (Ended::VARIABLE, &note),
    };
    let mut started = run::start_live(&execution.program, &run).map_err(one)?;
    let connected = listener.connected(job.tasks, &mut || started.has_ended()).map_err(one)?;
    let of_reductions = of_reductions(&job.program);
    let evaluated = Evaluated { activity: &known, of_reductions: &of_reductions };
    let mut feed =
        LiveFeed::new(&job.program, &execution.counters, execution.timing, evaluated, connected, job.spawned);
    let mut outcome = predict_executed(job, target, &mut feed);
    if outcome.prediction.total_s.is_some() {
        // What it still writes counts; how it ended is told by what it did.
        let _ = started.wait_for(GRACE);
    }
    outcome.diagnostics.extend(feed.diagnostics().iter().cloned());
    if execution.timing == Timing::Predicted && feed.beyond_known().next().is_some() {
        outcome.diagnostics.extend(untold_bytes(&job.program, target.machine, &execution.counters.map));
    }
    if let Some(noticed) = feed.ended_early() {
        let ended = listener.ended(NOTE).unwrap_or(noticed);
        outcome.diagnostics.push(feed.of_early_end(ended));
    }
    // Ended before the connections are: tasks that lose theirs would say so.
    drop(started);
    Ok((outcome, feed.wanted()))
}

/// Library functions of the program whose calls take longer the more they are for, which trace points do not tell.
fn untold_bytes(program: &Program, machine: &Machine, map: &TraceMap) -> Option<Diagnostic> {
    let mut calls: BTreeMap<&str, BlockId> = BTreeMap::new();
    for (id, block) in program.blocks.iter() {
        if let BlockKind::Call(Call { callee: Callee::Library(name), .. }) = &block.kind
            && grows_with_its_work(machine, name)
            && !map.volumes.contains_key(&id.0)
        {
            calls.entry(name).or_insert(id);
        }
    }
    let names: Vec<&str> = calls.keys().copied().collect();
    let message =
        format!("the run does not tell how many bytes or operations these calls are for: {}", names.join(", "));
    let help = "they cost what a call costs, which is too little where they do much: `chronos predict` counts them, --time cpu measures them";
    let first = calls.values().next()?;
    let note = Diagnostic::note(&UNTOLD_BYTES, message).label(program.blocks[*first].span, "the first of them");
    Some(note.help(help))
}

#[expect(clippy::boxed_local, reason = "errors of Results are boxed")]
fn one(diagnostic: Box<Diagnostic>) -> Vec<Diagnostic> {
    vec![*diagnostic]
}

fn no_folder(error: &std::io::Error) -> Diagnostic {
    let message = format!("no folder for temporary files can be made: {}", system_cause(error));
    Diagnostic::error(&NOT_CONNECTED, message).help("name one that may be written to (TMPDIR)")
}
