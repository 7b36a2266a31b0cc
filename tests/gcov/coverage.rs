//! What gcov says and what a prediction says, by line.

use crate::common;
use chronos::activity::Count;
use chronos::ir::{BlockKind, CounterId, FuncId, LoopForm, Program};
use chronos::predict::Job;
use chronos::predict::profile::lines;
use chronos::report::model::Prediction;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Line to count.
pub type Lines = BTreeMap<u32, f64>;

/// Lines on which the prediction and the run differ, in both directions, and everything in the
/// prediction that is not exact.
pub fn compare(job: &Job, executed: &Lines) -> Vec<String> {
    let prediction = common::predict(job);
    let mut found = doubts(&prediction);
    if found.is_empty() {
        found = different_lines(&job.program, &by_line(&job.program, &prediction), executed);
    }
    found
}

fn doubts(prediction: &Prediction) -> Vec<String> {
    let inexact = prediction.blocks.iter().filter(|block| block.source != "static");
    let mut found: Vec<String> =
        inexact.map(|block| format!("line {}: the count is {}", block.line_start, block.source)).collect();
    if found.is_empty() && prediction.total_s.is_none() {
        found.push("the prediction is incomplete".to_owned());
    }
    found
}

/// Lines on which counts of blocks and a run differ.
pub fn different_lines(program: &Program, predicted: &Lines, executed: &Lines) -> Vec<String> {
    let lines: BTreeSet<u32> = predicted.keys().chain(executed.keys()).copied().collect();
    let unsettled = unsettled(program);
    let mut found = Vec::new();
    for line in lines {
        match (predicted.get(&line), executed.get(&line)) {
            (Some(predicted), Some(executed)) if predicted != executed && !unsettled.contains(&line) => {
                found.push(format!("line {line}: predicted {predicted}, executed {executed}"));
            }
            (None, Some(executed)) if !is_bare(program, line) => {
                found.push(format!("line {line}: not predicted, executed {executed}"));
            }
            // gcc has no code where it folded a condition or saw that nothing gets there.
            _ => {}
        }
    }
    found
}

/// Nothing but a label, which is no operation, a condition that always holds, or the brace at which
/// gcc computes the sizes of variable-length parameters.
fn is_bare(program: &Program, number: u32) -> bool {
    let text = &program.files.get(chronos::base::span::FileId(0)).text.as_deref().unwrap_or_default();
    let line = text.lines().nth(number as usize - 1).unwrap_or_default().trim();
    line.ends_with(':') || line == "{" || line == "while (1) {"
}

/// Closing braces of functions that may end the program: not every call comes there. The line of
/// a function that begins with a do loop: gcc has no block of its own for the entry. A function
/// without statements: it has no block that counts its calls.
fn unsettled(program: &Program) -> BTreeSet<u32> {
    let open = program.functions.iter().filter(|(_, function)| function.effects.may_not_return);
    let entered = program.functions.iter().filter(|&(id, _)| begins_with_do(program, id));
    let empty = program.functions.iter().filter(|(_, function)| function.body.is_empty());
    open.map(|(_, function)| function.span.line_end)
        .chain(entered.map(|(_, f)| f.span.line_start))
        .chain(empty.flat_map(|(_, f)| [f.span.line_start, f.span.line_end]))
        .collect()
}

/// The sum over the tasks, which add to the same counters.
fn by_line(program: &Program, prediction: &Prediction) -> Lines {
    let sum = |term: &Vec<CounterId>| term.iter().map(|&counter| count(program, prediction, counter)).sum::<f64>();
    let of_file = lines::terms(program).into_iter().filter(|((file, _), _)| file.0 == 0);
    of_file.map(|((_, line), terms)| (line, terms.iter().map(sum).fold(0.0, f64::max))).collect()
}

fn count(program: &Program, prediction: &Prediction, counter: CounterId) -> f64 {
    let id = program.block_of(counter);
    let block = &prediction.blocks[id.0 as usize];
    let offset = (counter.0 - program.blocks[id].first_counter.0) as usize;
    let taken = || block.taken.as_ref().map(|taken| taken[offset - 1]);
    let count = if offset == 0 { Some(block.count) } else { block.entries.or_else(taken) };
    count.and_then(Count::as_f64).expect("known")
}

fn begins_with_do(program: &Program, function: FuncId) -> bool {
    let first = program.functions[function].body.first();
    matches!(first.map(|&block| &program.blocks[block].kind), Some(BlockKind::Loop(l)) if l.form == LoopForm::DoWhile)
}

/// How a program is compiled and run.
#[derive(Clone, Copy, Debug)]
pub enum Compiler {
    Sequential,
    Mpi { tasks: usize },
}

impl Compiler {
    pub fn tasks(self) -> usize {
        match self {
            Self::Sequential => 1,
            Self::Mpi { tasks } => tasks,
        }
    }

    pub fn command(self) -> Command {
        Command::new(if matches!(self, Self::Sequential) { "gcc" } else { "mpicc" })
    }

    pub fn runner(self) -> Command {
        match self {
            Self::Sequential => Command::new("./program"),
            Self::Mpi { tasks } => common::mpirun(tasks, "./program"),
        }
    }
}

/// Compiles with counters, runs, and reads what gcov says. All tasks of an MPI program add to the
/// same file of counters, which gcc's runtime locks.
///
/// # Errors
/// What the compiler says against the program.
pub fn executed(source: &Path, compiler: &Compiler, arguments: &[&str]) -> Result<Lines, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = std::fs::canonicalize(source).expect("the source");
    let mut compile = compiler.command();
    compile.args(["--coverage", "-O0", "-o", "program"]).arg(&path).arg("-lm").current_dir(folder.path());
    let compiled = compile.output().expect("a compiler");
    if !compiled.status.success() {
        return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
    }
    let ran = compiler.runner().args(arguments).current_dir(folder.path()).output().expect("it runs");
    assert!(ran.status.code().is_some(), "{}", String::from_utf8_lossy(&ran.stderr));
    Ok(read_gcov(folder.path()))
}

fn read_gcov(folder: &Path) -> Lines {
    read_gcov_of(folder, "")
}

/// What gcov says of the file with this name, or of the first one.
pub fn read_gcov_of(folder: &Path, name: &str) -> Lines {
    let is_data = |path: &PathBuf| path.extension().is_some_and(|e| e == "gcda");
    let data = std::fs::read_dir(folder).expect("the folder").map(|e| e.expect("an entry").path()).find(is_data);
    let output = Command::new("gcov")
        .args(["--json-format", "--stdout"])
        .arg(data.expect("counters were written"))
        .current_dir(folder)
        .output()
        .expect("gcov");
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let files = json["files"].as_array().expect("files");
    let is_asked = |file: &&Value| file["file"].as_str().is_some_and(|path| path.ends_with(name));
    let lines = files.iter().find(is_asked).expect("the file")["lines"].as_array().expect("lines");
    let mut counts = Lines::new();
    for line in lines {
        let number = line["line_number"].as_u64().expect("a number") as u32;
        let sum = counts.entry(number).or_insert(0.0);
        *sum = line["count"].as_f64().expect("a count").max(*sum);
    }
    counts
}
