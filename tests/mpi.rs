//! What MPI functions do: every program under testdata/mpi compares what its calls bring with results that were worked
//! out by hand. It is evaluated here, and, where an MPI is installed, run. Coverage cannot shrink: the functions that the
//! programs studied call most are listed in testdata/mpi/functions.txt.

mod common;

use chronos::activity::{Count, CountValue};
use chronos::ir::DataModel;
use chronos::mpi_calls::supported;
use chronos::predict::Job;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Command;

const TASKS: usize = 4;

fn programs() -> Vec<PathBuf> {
    common::sources("testdata/mpi")
}

fn functions() -> Vec<String> {
    let list = std::fs::read_to_string("testdata/mpi/functions.txt").expect("the list is there");
    list.lines().map(str::to_owned).collect()
}

#[test]
fn the_functions_that_programs_call_most_are_covered_and_tested() {
    let header = std::fs::read_to_string("testdata/mpi/expect.h").expect("the header is there");
    let texts: Vec<String> = programs().iter().map(|file| std::fs::read_to_string(file).expect("text")).collect();
    let all = texts.concat() + &header;
    let called = |name: &str| all.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == name);
    assert_eq!(functions().len(), 150);
    let missing: Vec<String> = functions().into_iter().filter(|name| !supported(name) || !called(name)).collect();
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn calls_bring_what_was_worked_out_by_hand() {
    assert_no_faults(DataModel::Lp64);
}

/// On machines of 32 bits, such as the shipped pentium2-350.
#[test]
fn calls_bring_the_same_with_addresses_of_32_bits() {
    assert_no_faults(DataModel::Ilp32);
}

#[track_caller]
fn assert_no_faults(model: DataModel) {
    let job = |program: &Path| common::job_of_model(program, TASKS, &[], model);
    let faults: Vec<String> =
        programs().into_par_iter().filter_map(|program| fault(&program, &job(&program))).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Between machines of 32 and 64 bits. Addresses of 64 bits fit no `MPI_Aint` of 32 bits, so that dynamic windows cannot be
/// accessed so.
#[test]
fn calls_bring_the_same_between_data_models() {
    for first in [DataModel::Lp64, DataModel::Ilp32] {
        let programs = programs().into_par_iter().filter(|program| !program.ends_with("window_dynamic.c"));
        let job = |program: &Path| common::job_of_both_models(program, TASKS, &[], first);
        let faults: Vec<String> = programs.filter_map(|program| fault(&program, &job(&program))).collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}

/// What is wrong with the evaluation of a program.
fn fault(program: &Path, job: &Job) -> Option<String> {
    let prediction = common::predict(job);
    let calls = |name: &str| {
        let found = prediction.functions.iter().find(|function| function.name == name);
        found.map_or(Count::ZERO, |function| function.calls)
    };
    let name = program.display();
    if prediction.total_s.is_none() {
        return Some(format!("{name}: not followed to its end"));
    }
    if let Some(assumption) = prediction.assumptions.first() {
        return Some(format!("{name}:{}: assumed: {}", assumption.line, assumption.text));
    }
    match (calls("right").value, calls("wrong").value) {
        (CountValue::Exact(right), CountValue::Exact(0)) if right > 0 => None,
        (right, wrong) => Some(format!("{name}: {right:?} right, {wrong:?} wrong")),
    }
}

/// The results themselves: a real MPI agrees with them.
#[test]
fn a_real_mpi_agrees() {
    if !common::has_mpi() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for program in programs().iter().filter(|program| !program.ends_with("mpi1.c")) {
        let binary = folder.path().join(program.file_stem().expect("a name"));
        let compiled = Command::new("mpicc").args(["-w", "-o"]).arg(&binary).arg(program).status();
        assert!(compiled.expect("mpicc runs").success(), "{}", program.display());
        let mut run = common::mpirun(TASKS, &binary.display().to_string());
        let output = run.current_dir(folder.path()).output().expect("mpirun runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {text}", program.display());
    }
}
