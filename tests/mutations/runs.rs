//! The binary itself, with mutated programs, files and options.
//!
//! `MUTATED_PROGRAMS` names further folders of C programs, separated by `:`; folders below them belong to them.

use crate::mutate::{Random, mutated};
use crate::number;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options, and programs' arguments; `{}` is a file that is mutated.
const LINES: &[&[&str]] = &[
    &["count", "{}.c", "-n", "4"],
    &["count", "{}.c", "-n", "2", "--format", "json", "--", "3", "100"],
    &["predict", "{}.c", "-n", "4", "--machine", "pentium2-350", "--network", "ethernet-100"],
    &[
        "predict",
        "{}.c",
        "-n",
        "1,3",
        "--machine",
        "epyc-zen4-gcc12-O2",
        "--network",
        "ethernet-100",
        "--format",
        "json",
    ],
    &["check", "{}.c"],
    &["check", "{}.c", "--mpi", "-n", "3"],
    &["instrument", "{}.c", "-n", "2", "-o", "{}.folder"],
    &["instrument", "{}.c", "-n", "2", "--all", "--mpi", "bundled", "-o", "{}.folder"],
    &["dump", "{}.c", "--phase", "program"],
    &["count", "{}.c", "--symbolic", "N"],
    &["predict", "testdata/programs/ring.c", "-n", "8", "--platform", "{}.platform"],
    &["replay", "{}.goal", "--network", "ethernet-100"],
    &["machine", "check", "{}.machine"],
    &["network", "check", "{}.network"],
    &["report", "{}.report"],
    &["compare", "{}.report", "{}.report"],
    &[
        "predict",
        "testdata/programs/ring.c",
        "-n",
        "2",
        "--machine",
        "pentium2-350",
        "--network",
        "ethernet-100",
        "--assume",
        "{}.assumptions",
    ],
];

/// Folder and ending of the seeds of each kind of file.
fn seeds(kind: &str) -> Vec<PathBuf> {
    let (folders, ending): (&[&str], &str) = match kind {
        "c" => return programs(),
        "platform" => (&["testdata/platforms"], ".json"),
        "goal" => (&["testdata/goal"], ".goal"),
        "machine" => (&["machines"], ".json"),
        "network" => (&["networks"], ".json"),
        _ => (&["testdata/assumptions"], ".json"),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(ending));
    paths.sort();
    paths
}

/// The C programs of testdata, and those that were asked for.
fn programs() -> Vec<PathBuf> {
    let others = std::env::var_os("MUTATED_PROGRAMS").unwrap_or_default();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")];
    folders.extend(std::env::split_paths(&others).filter(|folder| folder.is_dir()));
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "c") {
                found.push(path);
            }
        }
    }
    found.retain(|path| std::fs::read_to_string(path).is_ok());
    found.sort();
    found
}

fn report() -> String {
    let line = "predict testdata/programs/pi_send.c -n 2 --machine pentium2-350 --network ethernet-100 --format json";
    let out = command().args(line.split(' ')).output().unwrap();
    String::from_utf8(out.stdout).unwrap()
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronos"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// In seconds of processor time, which do not depend on what else the machine does; `--limit` should end a run long before.
const HANG: &str = "120";

/// The same with a bound: what does not end is ended by a signal.
fn bounded(arguments: &[String]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -t \"$0\"; exec \"$@\"", HANG, env!("CARGO_BIN_EXE_chronos")]).args(arguments);
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// One mutated run; what is wrong with its end.
fn run(random: &mut Random, folder: &Path, report: &str) -> Option<String> {
    let mut inputs = String::new();
    let mut arguments: Vec<String> = vec!["--limit".to_owned(), "time=5s,memory=2GiB".to_owned()];
    for part in *random.pick(LINES) {
        let Some(kind) = part.strip_prefix("{}.") else {
            arguments.push((*part).to_owned());
            continue;
        };
        if kind == "folder" {
            arguments.push(folder.join("written").display().to_string());
            continue;
        }
        let seeds = if kind == "report" {
            vec![report.to_owned()]
        } else {
            vec![std::fs::read_to_string(random.pick(&seeds(kind))).unwrap()]
        };
        let ending = if kind == "c" || kind == "goal" { kind } else { "json" };
        let path = folder.join(format!("input{}.{ending}", arguments.len()));
        let text = mutated(random, &seeds);
        std::fs::write(&path, &text).unwrap();
        arguments.push(path.display().to_string());
        inputs += &format!("--- {}\n{text}\n", path.display());
    }
    if random.below(3) == 0 {
        let at = 2 + random.below(arguments.len() - 2);
        let text = mutated(random, &[arguments[at].clone()]).replace('\0', "");
        // Neither writes a file nor runs a program of another name.
        if !text.contains('/') && !text.starts_with('-') {
            arguments[at] = text;
        }
    }
    let out = bounded(&arguments).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    let fine = matches!(out.status.code(), Some(0..=2))
        && !said.contains("panicked")
        && !said.contains("overflowed its stack");
    (!fine).then(|| format!("{:?}: chronos {}\n{said}\n{inputs}", out.status, arguments.join(" ")))
}

#[test]
fn the_binary_ends_with_an_exit_code_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(number("SEED", 1));
    let report = report();
    let runs = number("MUTATED_RUNS", 60);
    let faults: Vec<String> = (0..runs).filter_map(|_| run(&mut random, folder.path(), &report)).collect();
    assert!(faults.is_empty(), "{} faults in {runs} runs:\n{}", faults.len(), faults.join("\n=====\n"));
}
