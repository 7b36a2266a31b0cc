//! Static counts against executed ones: every line of the sequential test programs is executed as
//! often as gcov says, and, where Open MPI is installed, of the MPI programs too.

mod common;

use chronos::predict::Job;
use chronos::program::{BlockKind, Program};
use chronos::report::model::Prediction;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Line to count.
type Lines = BTreeMap<u32, f64>;

#[test]
fn sequential_programs_execute_as_predicted() {
    for source in common::sources("testdata/sequential") {
        let job = common::job(&source, 1, &[]);
        compare(&source, &job, &executed(&source, &Compiler::sequential(), &[]));
    }
}

#[test]
fn mpi_programs_execute_as_predicted() {
    if Command::new("mpicc").arg("--version").output().is_err() {
        println!("no MPI is installed: only sequential programs are compared");
        return;
    }
    // Random numbers decide in pi_*, arrival in selfsched.
    let determined = |source: &PathBuf| {
        let name = source.file_stem().expect("a name").to_string_lossy().into_owned();
        !name.starts_with("pi_") && name != "selfsched"
    };
    for source in common::sources("testdata/programs").into_iter().filter(determined) {
        for tasks in [2, 4] {
            let job = common::job(&source, tasks, &[]);
            compare(&source, &job, &executed(&source, &Compiler::mpi(tasks), &[]));
        }
    }
}

/// Both directions: every line that gcov counts, with the count that the blocks on it have.
fn compare(source: &Path, job: &Job, executed: &Lines) {
    let prediction = common::predict(job);
    assert!(prediction.total_s.is_some(), "{}: incomplete", source.display());
    let predicted = by_line(&job.program, &prediction);
    let wrong: Vec<String> = predicted
        .iter()
        .filter_map(|(line, count)| {
            let real = executed.get(line)?;
            (real != count).then(|| format!("  line {line}: predicted {count}, executed {real}"))
        })
        .collect();
    let common = predicted.keys().filter(|line| executed.contains_key(line)).count();
    assert!(common * 10 >= executed.len() * 9, "{}: {common} of {} lines", source.display(), executed.len());
    assert!(wrong.is_empty(), "{} with {} tasks:\n{}", source.display(), job.tasks, wrong.join("\n"));
}

/// gcov counts a line as often as the block on it that is executed most.
fn by_line(program: &Program, prediction: &Prediction) -> Lines {
    let mut lines = Lines::new();
    for (id, block) in program.blocks.iter() {
        let BlockKind::Straight(straight) = &block.kind else { continue };
        let count = prediction.blocks[id.0 as usize].count.as_f64().expect("known");
        for op in straight.ops.iter().filter(|op| op.span.file == block.span.file && op.span.file.0 == 0) {
            let line = lines.entry(op.span.line_start).or_insert(0.0);
            *line = line.max(count);
        }
    }
    lines
}

struct Compiler {
    command: &'static str,
    tasks: usize,
}

impl Compiler {
    fn sequential() -> Self {
        Self { command: "gcc", tasks: 0 }
    }

    fn mpi(tasks: usize) -> Self {
        Self { command: "mpicc", tasks }
    }
}

/// Compiles with counters, runs, and reads what gcov says.
fn executed(source: &Path, compiler: &Compiler, arguments: &[&str]) -> Lines {
    let folder = tempfile::tempdir().expect("a folder");
    let path = std::fs::canonicalize(source).expect("the source");
    let compile = Command::new(compiler.command)
        .args(["--coverage", "-O0", "-o", "program"])
        .arg(&path)
        .arg("-lm")
        .current_dir(folder.path())
        .output()
        .expect("a compiler");
    assert!(compile.status.success(), "{}", String::from_utf8_lossy(&compile.stderr));
    let mut run = match compiler.tasks {
        0 => Command::new("./program"),
        tasks => common::mpirun(tasks, "./program"),
    };
    let ran = run.args(arguments).current_dir(folder.path()).output().expect("it runs");
    assert!(ran.status.code().is_some(), "{}", String::from_utf8_lossy(&ran.stderr));
    read_gcov(folder.path())
}

fn read_gcov(folder: &Path) -> Lines {
    let is_data = |path: &PathBuf| path.extension().is_some_and(|e| e == "gcda");
    let data = std::fs::read_dir(folder).expect("the folder").map(|e| e.expect("an entry").path()).find(is_data);
    let output = Command::new("gcov")
        .args(["--json-format", "--stdout"])
        .arg(data.expect("counters were written"))
        .current_dir(folder)
        .output()
        .expect("gcov");
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let lines = json["files"][0]["lines"].as_array().expect("lines");
    lines
        .iter()
        .map(|line| (line["line_number"].as_u64().expect("a number") as u32, line["count"].as_f64().expect("a count")))
        .collect()
}
