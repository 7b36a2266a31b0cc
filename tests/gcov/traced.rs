//! Traced counts against gcov's: of the original, which runs beside it; and of the same run, where arrival decides: then
//! instrumented sources are compiled with gcov's counters as well, and lines are compared that no trace point stands on.

use crate::common;
use crate::coverage::{Compiler, Lines, different_lines, executed, read_gcov_of};
use chronos::ir::{CounterId, Program};
use chronos::predict::Job;
use chronos::predict::profile::lines;
use chronos::trace::Trace;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

#[test]
fn sequential_programs_are_traced_as_gcov_counts() {
    let mut files = common::sources("testdata/sequential");
    files.extend(common::sources("testdata/tracing"));
    let wrong: Vec<String> = files.iter().flat_map(|file| differences(file, Compiler::Sequential)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn mpi_programs_are_traced_as_gcov_counts() {
    if !common::has_mpi() {
        println!("no MPI is installed: only sequential programs are compared");
        return;
    }
    let mut files = common::sources("testdata/programs");
    files.retain(|file| !file.ends_with("selfsched.c"));
    let wrong: Vec<String> = files.iter().flat_map(|file| differences(file, Compiler::Mpi { tasks: 4 })).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_arrival_decides_is_traced_as_gcov_counts_in_the_same_run() {
    if common::has_mpi() {
        let (job, found, executed) = traced(Path::new("testdata/programs/selfsched.c"), Compiler::Mpi { tasks: 4 });
        let place = |line: &u32| !found.1.contains(line);
        let same_run: Lines = executed.into_iter().filter(|(line, _)| place(line)).collect();
        assert!(same_run.len() > 10, "{same_run:?}");
        assert_eq!(different_lines(&job.program, &found.0, &same_run), [""; 0]);
    }
}

fn differences(source: &Path, compiler: Compiler) -> Vec<String> {
    let (job, (traced, _), _) = traced(source, compiler);
    let gcov = executed(source, &compiler, &[]).expect("it compiles");
    let found = different_lines(&job.program, &traced, &gcov);
    found.iter().map(|text| format!("{}: {text}", source.display())).collect()
}

/// Counts by line of the trace, lines that trace points were put on, and what gcov says of the same run.
fn traced(source: &Path, compiler: Compiler) -> (Job, (Lines, BTreeSet<u32>), Lines) {
    let job = common::job(source, compiler.tasks(), &[]);
    let folder = tempfile::tempdir().expect("a folder");
    let gcov = run(source, compiler, folder.path());
    let (trace, partial) = Trace::read(&folder.path().join("trace"), &job.program, job.tasks).expect("a trace");
    assert!(partial.is_empty(), "{partial:?}");
    let text = std::fs::read_to_string(folder.path().join(source.file_name().expect("a name"))).expect("written");
    let lines = (by_line(&job.program, &trace), with_points(&text));
    (job, lines, gcov)
}

/// Lines of the original that something was put on.
fn with_points(instrumented: &str) -> BTreeSet<u32> {
    let mut line = 0;
    let mut found = BTreeSet::new();
    for text in instrumented.lines() {
        if let Some(directive) = text.strip_prefix("#line ") {
            line = directive.split(' ').next().and_then(|number| number.parse().ok()).expect("a number");
            continue;
        }
        if text.contains("CHRONOS") || text.contains("chronos_") {
            found.insert(line);
        }
        line += 1;
    }
    found
}

/// Instruments, compiles with both counters, runs; what gcov says.
fn run(source: &Path, compiler: Compiler, folder: &Path) -> Lines {
    let instrumented = Command::new(env!("CARGO_BIN_EXE_chronos"))
        .args(["instrument", "--all", "-n", &compiler.tasks().to_string(), "-o"])
        .arg(folder)
        .arg(source)
        .output()
        .expect("it runs");
    assert!(instrumented.status.success(), "{}", String::from_utf8_lossy(&instrumented.stderr));
    let name = source.file_name().expect("a name");
    let c_files = |user: bool| {
        let files = common::sources(folder.to_str().expect("UTF-8")).into_iter();
        files.filter(move |file| (file.file_name() == Some(name)) == user)
    };
    for (user, flag) in [(true, "--coverage"), (false, "-w")] {
        let mut compile = compiler.command();
        compile.args(["-O0", "-w", "-c", flag, "-DCHRONOS_WITH_MPI"]).args(c_files(user)).current_dir(folder);
        if matches!(compiler, Compiler::Sequential) {
            compile.arg("-UCHRONOS_WITH_MPI");
        }
        assert!(compile.status().expect("a compiler").success(), "{}", source.display());
    }
    let objects = std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let mut link = compiler.command();
    link.args(["--coverage", "-o", "program"]).args(objects.filter(|path| path.extension().is_some_and(|e| e == "o")));
    assert!(link.arg("-lm").current_dir(folder).status().expect("a compiler").success());
    let mut program = compiler.runner();
    let ran = program.current_dir(folder).env("CHRONOS_TRACE", folder.join("trace")).output().expect("it runs");
    assert!(ran.status.code().is_some(), "{}", String::from_utf8_lossy(&ran.stderr));
    read_gcov_of(folder, name.to_str().expect("UTF-8"))
}

/// The sum over the tasks, which add to the same counters of gcov.
fn by_line(program: &Program, trace: &Trace) -> Lines {
    let counts = trace.counts();
    let count = |counter: CounterId| counts.iter().filter_map(|task| task.get(&counter)).sum::<u128>() as f64;
    let sum = |term: &Vec<CounterId>| term.iter().map(|&counter| count(counter)).sum::<f64>();
    let of_file = lines::terms(program).into_iter().filter(|((file, _), _)| file.0 == 0);
    of_file.map(|((_, line), terms)| (line, terms.iter().map(sum).fold(0.0, f64::max))).collect()
}
