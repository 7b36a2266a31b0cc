//! Traces of real runs: the format `chronos-trace/1`, its checks, and the counts and events that follow from it.
//!
//! # Purpose
//!
//! The crate reads what an instrumented program recorded. It does not know how programs are instrumented, run or
//! predicted.
//!
//! # How it works
//!
//! A trace is a folder. `trace.json` ([`map`]) says which program it is of and what its numbers mean. `task-R.ctr`
//! ([`task`], which has the grammar) is what task R did, in lines that stand for themselves. `task-R.live` ([`live`])
//! holds the counters of a task while it runs.
//!
//! **Counts.** A counter of the program is a sum of trace points ([`formula`]), so an `if` needs one point and a
//! `for` one. The runtime keeps counts between two MPI calls (or, with `-DCHRONOS_ORDER`, the order of points), names
//! equal segments and calls by numbers, and folds repetitions as they come.
//!
//! **Activity.** [`steps`] makes an activity of a trace alone: segments without calling contexts (each function has
//! the path of calls that was executed most), and MPI calls with what they asked for. Repetitions are turned so that
//! they begin behind an event. Where the evaluation gets stuck at an MPI call, `chronos trace` instruments all blocks.
//!
//! **Before a run.** [`prepared`] makes the files that the runtime would make otherwise.
//!
//! **Another number of tasks.** [`sharing`] divides the sums of a trace, or repeats its means, where the user says
//! so.
//!
//! # Invariants
//!
//! - Each line of a task's file has a checksum. The file of a task that was killed is read up to its first damaged
//!   line, is said to be partial, and is completed by the totals of `task-R.live`.
//! - A trace of other sources, or of another number of tasks without a rule for sharing, is refused ([`identity`]:
//!   hashes of the user's files and of the numbering of blocks).
//!
//! # Limits
//!
//! - What loops of a killed task had in local variables is lost.
//! - The hashes (FNV-1a) guard against mistakes and not against malice.
//! - A trace has no calling contexts. Persistent collective operations and spawned tasks are not recorded.
//!
//! # Literature
//!
//! Ball, Larus: Optimally profiling and tracing programs, TOPLAS 16(4), 1994, for counters that follow from others.
//! Points are not placed on a spanning tree here: `instrument` walks the block tree.

#![forbid(unsafe_code)]

pub mod codes;
pub mod formula;
pub mod identity;
mod lines;
pub mod live;
pub mod map;
pub mod prepared;
pub mod sharing;
pub mod steps;
pub mod task;
#[cfg(test)]
mod tests;

use chronos_activity::{Count, CountSource, CountValue};
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_ir::{BlockId, CounterId, Program};
use identity::Identity;
use map::TraceMap;
use sharing::Sharing;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use task::{Ending, TaskTrace};

/// All tasks of a run.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Folder that holds the files of the trace.
    pub folder: PathBuf,
    /// Blocks and calls of the instrumented program, which the numbers of a trace refer to.
    pub map: TraceMap,
    /// By rank, without gaps.
    pub tasks: Vec<TaskTrace>,
    /// The number of tasks that it is to stand for, where that is another one.
    pub shared: Option<(usize, Sharing)>,
}

/// Counts of the counters that were traced, for one task.
pub type TracedCounts = BTreeMap<CounterId, u128>;

impl Trace {
    /// Reads a folder for a job of `program` with `tasks` tasks; the diagnostics say where it is partial.
    ///
    /// # Errors
    /// Where it is no trace, of other sources or of another number of tasks.
    pub fn read(folder: &Path, program: &Program, tasks: usize) -> Result<(Self, Vec<Diagnostic>), Box<Diagnostic>> {
        Self::read_for(folder, program, tasks, None)
    }

    /// The same where one of another number of tasks may be shared out.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_for(
        folder: &Path,
        program: &Program,
        tasks: usize,
        sharing: Option<Sharing>,
    ) -> Result<(Self, Vec<Diagnostic>), Box<Diagnostic>> {
        let mut trace = Self::load(folder)?;
        trace.check_sources(program)?;
        let traced = trace.tasks.len();
        sharing::check(folder, traced, tasks, sharing)?;
        let mut told: Vec<Diagnostic> = trace.tasks.iter().filter_map(Self::partial).collect();
        told.extend(trace.other_strings(program));
        trace.shared = sharing.filter(|_| traced != tasks).map(|sharing| (tasks, sharing));
        told.extend(trace.shared.map(|(_, sharing)| sharing::told(folder, traced, tasks, sharing)));
        Ok((trace, told))
    }

    /// Reads a folder, whatever program it is of.
    ///
    /// # Errors
    /// Where a file is missing or nothing of it can be read.
    pub fn load(folder: &Path) -> Result<Self, Box<Diagnostic>> {
        let map = TraceMap::parse(&text(&folder.join("trace.json"))?, &folder.join("trace.json").to_string_lossy())?;
        let first = Self::task(folder, 0, &map)?;
        let count = first.tasks.max(1);
        let mut tasks = vec![first];
        for rank in 1..count {
            tasks.push(Self::task(folder, rank, &map)?);
        }
        Ok(Self { folder: folder.to_path_buf(), map, tasks, shared: None })
    }

    fn task(folder: &Path, rank: u32, map: &TraceMap) -> Result<TaskTrace, Box<Diagnostic>> {
        let path = folder.join(format!("task-{rank}.ctr"));
        let bad = |why: &str| {
            let message = format!("{} cannot be used: {why}", path.display());
            Box::new(
                Diagnostic::error(&codes::UNREADABLE, message).help("trace the program again, into an empty folder"),
            )
        };
        let task = TaskTrace::parse(&text(&path)?).map_err(|why| bad(&why))?;
        if task.numbering != map.identity.numbering || task.points != map.points {
            return Err(bad("it is of another program than trace.json"));
        }
        if task.rank != rank {
            return Err(bad(&format!("it is the file of task {}", task.rank)));
        }
        Ok(Self::with_live(folder, task))
    }

    /// A task that was killed without warning left its counters in a mapped file: what its own file has not of them
    /// is one more segment, behind all others.
    fn with_live(folder: &Path, mut task: TaskTrace) -> TaskTrace {
        if task.ending == Ending::Torn
            && task.mode == task::Mode::Counts
            && let Ok(bytes) = std::fs::read(folder.join(format!("task-{}.live", task.rank)))
        {
            task.add_rest(&live::totals(&bytes, task.points as usize));
        }
        task
    }

    fn check_sources(&self, program: &Program) -> Result<(), Box<Diagnostic>> {
        let own = Identity::of(program);
        let traced = &self.map.identity;
        let why = match own.changed(traced) {
            Some(file) => format!("{file} was changed since, or was not part of it"),
            None if own.numbering != traced.numbering => "other macros (-D) make other blocks of them".to_owned(),
            None => return Ok(()),
        };
        let message = format!("{} is a trace of another version of the sources: {why}", self.folder.display());
        let error = Diagnostic::error(&codes::OTHER_SOURCE, message);
        Err(Box::new(
            error.help("trace the program again with the same files and options: chronos trace FILE... -o DIR"),
        ))
    }

    /// A header without code may be written anew by each build.
    fn other_strings(&self, program: &Program) -> Option<Diagnostic> {
        let own = Identity::of(program);
        let file = own.changed_in_strings(&self.map.identity)?;
        let message = format!("strings in {file} are others than when the program was traced");
        let help = "if they decide what the program does, as names of files may, trace it again";
        Some(Diagnostic::note(&codes::OTHER_SOURCE, message).help(help))
    }

    /// Counts of a run with other arguments say nothing of these.
    ///
    /// # Errors
    /// Where the run is known to have had others.
    pub fn check_arguments(&self, arguments: &[String]) -> Result<(), Box<Diagnostic>> {
        let Some(traced) = self.map.arguments.as_ref().filter(|&traced| traced != arguments) else { return Ok(()) };
        let text = |arguments: &[String]| match arguments {
            [] => "no arguments".to_owned(),
            some => format!("the arguments `{}`", some.join(" ")),
        };
        let folder = self.folder.display();
        let message = format!("{folder} is a trace of a run with {}, not with {}", text(traced), text(arguments));
        let help = "give the arguments of the run behind `--`, or trace the program with these";
        Err(Box::new(Diagnostic::error(&codes::OTHER_ARGUMENTS, message).help(help)))
    }

    fn partial(task: &TaskTrace) -> Option<Diagnostic> {
        let why = match task.ending {
            Ending::Complete => return None,
            Ending::Cut(0) => "it called MPI_Abort".to_owned(),
            Ending::Cut(signal) => format!("it was ended by signal {signal}"),
            Ending::Torn if task.items.is_empty() => "nothing that the program did is in it".to_owned(),
            Ending::Torn => "its file ends before the program did".to_owned(),
        };
        let message = format!("the trace of task {} is partial: {why}", task.rank);
        Some(
            Diagnostic::warning(&codes::PARTIAL, message)
                .help("counts are those up to there; trace a run that ends by itself"),
        )
    }

    /// Whether every task ended as the program did.
    pub fn is_complete(&self) -> bool {
        self.tasks.iter().all(|task| task.ending == Ending::Complete)
    }

    /// Whether no task recorded anything, not even its end.
    pub fn is_empty(&self) -> bool {
        self.tasks.iter().all(|task| task.ending == Ending::Torn && task.items.is_empty())
    }

    /// What each task executed in all, of the counters that were traced; of all tasks that it stands for.
    pub fn counts(&self) -> Vec<TracedCounts> {
        let counts: Vec<_> = self.tasks.iter().map(|task| self.evaluated(&task.totals())).collect();
        self.shared.map_or_else(|| counts.clone(), |(tasks, sharing)| sharing.shared(&counts, tasks))
    }

    /// Bytes that the library calls of each task moved or set in all, of the calls that tell it; nothing where counts are shared
    /// out to another number of tasks.
    pub fn bytes(&self) -> Vec<BTreeMap<BlockId, f64>> {
        let of_task = |task: &TaskTrace| {
            let totals = task.totals();
            self.map.bytes(&|point| totals.get(point as usize).copied().unwrap_or(0))
        };
        self.tasks.iter().filter(|_| self.shared.is_none()).map(of_task).collect()
    }

    /// A count of this trace: what was counted is exact, what was shared out is assumed.
    pub fn count(&self, executed: u128) -> Count {
        match self.shared {
            None => Count { value: CountValue::Exact(executed), source: CountSource::Trace },
            Some(_) => Count::expected(executed as f64, CountSource::Assumed),
        }
    }

    /// Counters from executions of points; what would be negative (a partial trace) is 0.
    pub fn evaluated(&self, totals: &[u128]) -> TracedCounts {
        self.map.executed(&|point| totals.get(point as usize).copied().unwrap_or(0))
    }
}

/// A number of tasks as messages say it: `1 task`, `4 tasks`.
pub fn number(tasks: usize) -> String {
    if tasks == 1 { "1 task".to_owned() } else { format!("{tasks} tasks") }
}

fn text(path: &Path) -> Result<String, Box<Diagnostic>> {
    // A torn last line may hold anything.
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(|error| {
        let message = format!("{} cannot be read: {}", path.display(), system_cause(&error));
        Box::new(
            Diagnostic::error(&codes::UNREADABLE, message).help("name the folder that `chronos trace -o DIR` wrote"),
        )
    })
}
