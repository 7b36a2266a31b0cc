//! A folder that awaits a run: what is known of a trace before, so that the program need not make files, which takes
//! longer than many a program.
//!
//! Nothing here is needed: the runtime makes what it does not find, and takes away what is not as it expects it.

use super::Trace;
use super::lines::signed;
use super::live;
use super::map::TraceMap;
use super::task::{Ending, Mode, TaskTrace};
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// Writes `trace.json`, the first line of each task's file and, for counts, the files that hold counters while the
/// tasks run.
pub fn prepare(folder: &Path, map: &TraceMap, mode: Mode, tasks: usize) {
    place(&folder.join("trace.json"), map.to_json().as_bytes());
    for rank in 0..tasks {
        let line = TaskTrace::first_line(&map.identity.numbering, mode, map.points, rank, tasks);
        place(&folder.join(format!("task-{rank}.ctr")), line.as_bytes());
        if mode == Mode::Counts && map.points > 0 {
            place(&folder.join(format!("task-{rank}.live")), &live::empty(map.points as usize));
        }
    }
}

/// Ends the traces of tasks that had nothing to record, as their runtime would have: by a signal, or not.
pub fn end(folder: &Path, tasks: usize, signal: Option<i32>) {
    let line = signed(&signal.map_or_else(|| "END 0".to_owned(), |signal| format!("CUT {signal}")));
    for rank in 0..tasks {
        let file = fs::OpenOptions::new().append(true).open(folder.join(format!("task-{rank}.ctr")));
        // A trace that cannot be ended is read as one that is torn, and said to be.
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

/// A file that cannot be written as a whole is none: the program then does without, or says so.
fn place(path: &Path, text: &[u8]) {
    if fs::write(path, text).is_err() {
        let _ = fs::remove_file(path);
    }
}

/// Takes away the counters of tasks whose trace has them all.
pub fn tidy(trace: &Trace) {
    for task in trace.tasks.iter().filter(|task| task.ending != Ending::Torn) {
        let _ = fs::remove_file(trace.folder.join(format!("task-{}.live", task.rank)));
    }
}
