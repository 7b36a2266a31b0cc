//! The folder of a record: what was run, and the files of all tasks.

use crate::codes;
use crate::places::SourcePlace;
use crate::task::{CodePlace, SCHEMA, TaskRecord};
use chronos_base::diag::{Diagnostic, system_cause};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The file that says what was run.
pub const INFO: &str = "record.json";

/// What was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordInfo {
    /// `chronos-record/1`.
    pub schema: String,
    /// The sources, or the executable.
    pub program: Vec<String>,
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// Macros that the sources were compiled with, as `NAME` or `NAME=VALUE`.
    #[serde(default)]
    pub defines: Vec<String>,
    /// The file that was the standard input.
    #[serde(default)]
    pub stdin: Option<PathBuf>,
    /// Number of tasks.
    pub tasks: u32,
    /// Where the calls of all tasks stand in the sources, as far as it is known; written when the run has ended.
    pub places: Vec<NamedPlace>,
}

/// A place in the code and in the sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedPlace {
    /// The executable or library.
    pub module: String,
    /// The address behind the call.
    pub offset: u64,
    /// The same in the sources.
    pub source: SourcePlace,
}

/// A recorded run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What was run.
    pub info: RecordInfo,
    /// The tasks by rank.
    pub tasks: Vec<TaskRecord>,
}

impl RecordInfo {
    /// Of a run that has not begun.
    pub fn new(program: Vec<String>, arguments: Vec<String>, tasks: u32) -> Self {
        let schema = SCHEMA.to_owned();
        Self { schema, program, arguments, defines: Vec::new(), stdin: None, tasks, places: Vec::new() }
    }

    /// As text of its file.
    pub fn to_json(&self) -> String {
        // Plain data can always be written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

impl Record {
    /// Reads a folder; with what is to be said of tasks whose record is partial.
    ///
    /// # Errors
    /// A file is missing, or nothing of it can be read, or it is of another run.
    pub fn read(folder: &Path) -> Result<(Self, Vec<Diagnostic>), Box<Diagnostic>> {
        let info = info(folder)?;
        let tasks = (0..info.tasks).map(|rank| task(folder, rank, info.tasks)).collect::<Result<Vec<_>, _>>()?;
        if let Some(task) = tasks.iter().find(|task| task.has_threads) {
            let message = format!("in task {} of {} several threads call MPI", task.rank, folder.display());
            let help = "run the program with one thread that communicates (MPI_THREAD_FUNNELED), and record it again";
            return Err(Box::new(Diagnostic::error(&codes::THREADS, message).help(help)));
        }
        let partial = tasks.iter().filter(|task| task.end.is_none()).map(|task| partial(folder, task)).collect();
        Ok((Self { info, tasks }, partial))
    }

    /// All different places of its calls.
    pub fn code_places(&self) -> Vec<&CodePlace> {
        let mut all: Vec<&CodePlace> = self.tasks.iter().flat_map(|task| task.places.values()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether every task ended as its program did.
    pub fn is_complete(&self) -> bool {
        self.tasks.iter().all(|task| task.end.is_some())
    }
}

fn info(folder: &Path) -> Result<RecordInfo, Box<Diagnostic>> {
    let path = folder.join(INFO);
    let text = std::fs::read_to_string(&path).map_err(|error| bad(&path, &system_cause(&error)))?;
    let info: RecordInfo = serde_json::from_str(&text).map_err(|error| bad(&path, &error.to_string()))?;
    match info.schema == SCHEMA && info.tasks > 0 {
        true => Ok(info),
        false => Err(bad(&path, &format!("it is not of the format {SCHEMA}"))),
    }
}

fn task(folder: &Path, rank: u32, tasks: u32) -> Result<TaskRecord, Box<Diagnostic>> {
    let path = file(folder, rank);
    // A torn last line may hold anything.
    let bytes = std::fs::read(&path).map_err(|error| bad(&path, &system_cause(&error)))?;
    let record = TaskRecord::parse(&String::from_utf8_lossy(&bytes)).map_err(|why| bad(&path, &why))?;
    match (record.rank, record.tasks) == (rank, tasks) {
        true => Ok(record),
        false => {
            let why = format!("it is that of task {} of {}, not of {rank} of {tasks}", record.rank, record.tasks);
            Err(bad(&path, &why))
        }
    }
}

/// The file of a task.
pub fn file(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("task-{rank}.rec"))
}

fn bad(path: &Path, why: &str) -> Box<Diagnostic> {
    let message = format!("{} cannot be used: {why}", path.display());
    let help = "name the folder that `chronos record -o FOLDER` wrote, or record the program again";
    Box::new(Diagnostic::error(&codes::UNREADABLE, message).help(help))
}

fn partial(folder: &Path, task: &TaskRecord) -> Diagnostic {
    let calls = task.calls.len();
    if let Some(function) = &task.unrecorded {
        return unrecorded(folder, task, function);
    }
    let message =
        format!("{} ends before its program did, behind {calls} MPI calls", file(folder, task.rank).display());
    Diagnostic::error(&codes::PARTIAL, message)
        .help("what is predicted is what the tasks did up to there; record a run that ends by itself")
}

/// What is said of a call that no record holds.
fn unrecorded(folder: &Path, task: &TaskRecord, function: &str) -> Diagnostic {
    let (path, calls) = (file(folder, task.rank), task.calls.len());
    let message = format!("{} ends in front of a call of {function}, behind {calls} MPI calls", path.display());
    let help = match function {
        "MPI_Start" => {
            "predict the program without a run (chronos predict FILE), or let it call the collective function itself"
        }
        _ => {
            "run the program in virtual time (chronos run FILE --spawn NAME=FILE), or predict it without a run; a record needs all \
             tasks from the beginning (-n)"
        }
    };
    Diagnostic::error(&codes::NOT_HELD, message).help(help)
}
