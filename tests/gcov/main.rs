//! Static counts against executed ones: every line of the test programs and of generated ones is
//! executed as often as gcov says. MPI programs are compared where `mpicc` is installed.

#[path = "../common/mod.rs"]
mod common;
mod coverage;
mod generated;
mod generator;
mod meaning;
mod print;
mod random;
mod shrink;
mod symbolic;
mod traced;
mod tree;

use coverage::{Compiler, compare, executed};
use std::path::Path;

#[test]
fn sequential_programs_execute_as_predicted() {
    let mut wrong = Vec::new();
    for source in common::sources("testdata/sequential") {
        wrong.extend(differences(&source, &Compiler::Sequential, &[]));
    }
    for (name, arguments) in [("matrix", vec!["17"]), ("sieve", vec!["1001"]), ("stencil", vec!["33", "7"])] {
        let source = format!("testdata/sequential/{name}.c");
        wrong.extend(differences(Path::new(&source), &Compiler::Sequential, &arguments));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn mpi_programs_execute_as_predicted() {
    if !common::has_mpi() {
        println!("no MPI is installed: only sequential programs are compared");
        return;
    }
    let mut wrong = Vec::new();
    for source in common::sources("testdata/programs") {
        let name = source.file_stem().expect("a name").to_string_lossy().into_owned();
        // Random numbers decide in pi_*, arrival in selfsched.
        if name.starts_with("pi_") || name == "selfsched" {
            continue;
        }
        for (tasks, arguments) in runs(&name) {
            wrong.extend(differences(&source, &Compiler::Mpi { tasks }, &arguments));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Numbers of tasks and arguments to run a program with.
fn runs(program: &str) -> Vec<(usize, Vec<&'static str>)> {
    let mut runs = vec![(2, vec![]), (4, vec![])];
    runs.extend(match program {
        "cg" => vec![(3, vec!["45"]), (5, vec!["32", "7"])],
        "heat2d" => vec![(3, vec!["45", "7"]), (5, vec!["31", "5"])],
        "jacobi" => vec![(3, vec!["77", "13"]), (5, vec!["41", "23"])],
        "intsort" => vec![(3, vec!["999"]), (5, vec!["101"])],
        "matmul" => vec![(3, vec!["37"]), (5, vec!["11"])],
        "nbody" => vec![(3, vec!["33", "3"]), (5, vec!["20", "4"])],
        "transpose" => vec![(3, vec!["27"]), (5, vec!["35"])],
        "gridmul" => vec![(1, vec!["13"])],
        _ => vec![(3, vec![]), (5, vec![])],
    });
    runs
}

fn differences(source: &Path, compiler: &Compiler, arguments: &[&str]) -> Vec<String> {
    let job = common::job(source, compiler.tasks(), arguments);
    let found = compare(&job, &executed(source, compiler, arguments).expect("it compiles"));
    found.iter().map(|text| format!("{} {compiler:?} {arguments:?}: {text}", source.display())).collect()
}
