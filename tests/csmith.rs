//! Random programs of csmith (Yang, Chen, Eide, Regehr: Finding and Understanding Bugs in C Compilers, PLDI 2011):
//! the checksum of all variables that a compiled program prints is what the evaluation comes to.
//!
//! Where csmith is not installed (Debian: `csmith`, `libcsmith-dev`) nothing is compared. `CSMITH=from..to` in the
//! environment gives other seeds, `CSMITH_OPTIONS` more options, such as `--float`.

use chronos::abstract_execution::ClosedForms;
use chronos::activity::{Feed, Outcome, Step, TaskId};
use chronos::frontend::lower::{Settings, lower_sources};
use chronos::frontend::{SourceOptions, read};
use chronos::interpreter::{Evaluator, EvaluatorOptions};
use chronos::mpi_calls::{MpiState, Options};
use chronos::slicing::Analysis;
use chronos::slicing::Assumptions;
use chronos::values::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

const SEEDS: &str = "0..50";
/// Keeps the programs of the standard run small.
const SMALL: &[&str] = &["--max-funcs", "4", "--max-block-depth", "3", "--max-array-len-per-dim", "5"];
const INCLUDE: &str = "/usr/include/csmith";
/// Where csmith hands the checksum on, and what the evaluated program does with it besides: a loop that it bounds makes it
/// relevant, so that it is evaluated.
const END: &str = "    return 0;\n}";
const CHECKSUM: &str = "    unsigned checksum = crc32_context ^ 0xFFFFFFFFUL, counted = 0;\n    \
                        for (unsigned i = 0; i < checksum % 256; i++) counted += checksum >> i % 8;\n    \
                        return (int)checksum;\n}";

#[test]
fn checksums_are_those_of_the_compiled_program() {
    if !Path::new(INCLUDE).exists() || Command::new("csmith").arg("--version").output().is_err() {
        println!("csmith is not installed: random programs of csmith are not compared");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let outcomes: Vec<(u64, Verdict)> = seeds().map(|seed| (seed, verdict(folder.path(), seed))).collect();
    let wrong: Vec<_> = outcomes.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Wrong { .. })).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let right = outcomes.iter().filter(|(_, verdict)| *verdict == Verdict::Right).count();
    println!("{right} of {} checksums are right, the rest: {:?}", outcomes.len(), others(&outcomes));
    assert!(2 * right >= outcomes.len(), "most programs are compared: {outcomes:?}");
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Right,
    /// csmith made none, or it does not end within some seconds.
    NoProgram,
    /// The evaluation knows that it does not know.
    Unknown,
    Wrong {
        expected: u32,
        found: u32,
    },
}

fn others(outcomes: &[(u64, Verdict)]) -> Vec<&(u64, Verdict)> {
    outcomes.iter().filter(|(_, verdict)| *verdict != Verdict::Right).collect()
}

fn seeds() -> std::ops::Range<u64> {
    let seeds = std::env::var("CSMITH").unwrap_or_else(|_| SEEDS.into());
    let (from, to) = seeds.split_once("..").expect("from..to");
    from.parse().expect("a number")..to.parse().expect("a number")
}

fn verdict(folder: &Path, seed: u64) -> Verdict {
    let Some((path, expected)) = generated(folder, seed) else { return Verdict::NoProgram };
    match evaluated(&path) {
        Some(found) if found == expected => Verdict::Right,
        Some(found) => Verdict::Wrong { expected, found },
        None => Verdict::Unknown,
    }
}

/// A program whose `main` returns the checksum, and what the original prints as such.
fn generated(folder: &Path, seed: u64) -> Option<(PathBuf, u32)> {
    let (path, binary) = (folder.join(format!("seed{seed}.c")), folder.join("program"));
    let more = std::env::var("CSMITH_OPTIONS").unwrap_or_default();
    let mut generate = Command::new("timeout");
    generate.args(["20", "csmith", "--seed", &seed.to_string()]).args(SMALL).args(more.split_whitespace());
    // csmith writes a file about the platform to where it runs.
    generate.current_dir(folder);
    let text = String::from_utf8(generate.output().ok()?.stdout).ok().filter(|text| text.contains(END))?;
    std::fs::write(&path, &text).ok()?;
    let mut compile = Command::new("gcc");
    compile.args(["-w", "-O0", "-I", INCLUDE, "-o"]).arg(&binary).arg(&path).arg("-lm");
    compile.status().ok().filter(std::process::ExitStatus::success)?;
    let run = Command::new("timeout").arg("5").arg(&binary).output().ok()?;
    let printed = String::from_utf8(run.stdout).ok()?;
    let checksum = printed.lines().find_map(|line| line.strip_prefix("checksum = "))?;
    let end = text.rfind(END)?;
    std::fs::write(&path, format!("{}{CHECKSUM}{}", &text[..end], &text[end + END.len()..])).ok()?;
    Some((path, u32::from_str_radix(checksum.trim(), 16).ok()?))
}

/// What the evaluation takes `main` to return, where it knows that.
fn evaluated(path: &Path) -> Option<u32> {
    let options = SourceOptions { files: vec![path.to_owned()], includes: vec![INCLUDE.into()], ..Default::default() };
    let (sources, _) = read(&options).expect("read");
    let (program, diagnostics) = lower_sources(&sources, &Settings::default());
    assert!(diagnostics.iter().all(|d| !d.is_error()), "{}: {diagnostics:?}", path.display());
    let program = Arc::new(program);
    let assumptions = Assumptions::default();
    let summaries = ClosedForms::new(program.clone(), Analysis::new(&program, &assumptions), assumptions);
    let options = EvaluatorOptions { tasks: 1, ..EvaluatorOptions::default() };
    let calls = MpiState::new(1, Options::default());
    let mut evaluator = Evaluator::new(program, options, Box::new(summaries), Box::new(calls));
    while !matches!(evaluator.next(TaskId(0), Outcome::None), Step::End | Step::Stuck) {}
    match evaluator.result(TaskId(0)) {
        Some(Value::Int(n)) => Some(n as u32),
        _ => None,
    }
}
