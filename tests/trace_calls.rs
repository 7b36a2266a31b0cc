//! MPI calls in traces: recorded runs are predicted as programs that are known statically, and predict those that are not.
//! Runs use the bundled MPI, so nothing need be installed.

mod common;

use chronos::predict::traced::predict_run;
use chronos::predict::{self as predict, Job};
use chronos::trace::Trace;
use common::job;
use std::path::{Path, PathBuf};
use std::process::Command;

fn chronos(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let arguments = common::without_random_numbers(arguments);
    let output = Command::new(env!("CARGO_BIN_EXE_chronos")).current_dir(folder).args(arguments).output();
    let output = output.expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

/// A copy of a program, traced whole, with the folder of its trace.
fn traced(file: &str, tasks: usize, options: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().expect("a folder");
    std::fs::copy(file, place.path().join("a.c")).expect("copied");
    std::fs::copy("testdata/mpi/expect.h", place.path().join("expect.h")).expect("copied");
    let tasks = tasks.to_string();
    let (code, _, errors) =
        chronos(place.path(), &[&["trace", "a.c", "-n", &tasks, "--mpi", "bundled", "-o", "t"], options].concat());
    assert_eq!((code, errors.as_str()), (0, ""), "{file}");
    let source = place.path().join("a.c");
    (place, source)
}

/// Predicted totals: of the program, and of its run.
fn totals(job: &Job, trace: &Trace) -> (Option<f64>, Option<f64>) {
    common::with_target(|target| {
        let run = predict_run(job, target, trace).expect("all calls are recorded");
        (predict::predict(job, target).prediction.total_s, run.prediction.total_s)
    })
}

#[test]
fn the_calls_of_a_run_take_the_time_of_those_that_are_known() {
    for name in ["cg", "gridmul", "heat2d", "intsort", "ring", "transpose"] {
        let order = name.starts_with('h').then_some(&["--all", "--order"][..]);
        for mode in std::iter::once(&["--all"][..]).chain(order) {
            let (place, source) = traced(&format!("testdata/programs/{name}.c"), 4, mode);
            let job = job(&source, 4, &[]);
            let (trace, _) = Trace::read(&place.path().join("t"), &job.program, 4).expect("a trace");
            let (known, run) = totals(&job, &trace);
            let (known, run) = (known.expect("known"), run.expect("recorded"));
            assert!((known - run).abs() < 1e-3 * known, "{name} {mode:?}: {known} {run}");
        }
    }
}

/// Open MPI gives messages that leave at once one request in common; the bundled MPI does not.
#[test]
fn messages_whose_requests_have_one_handle_are_waited_for_each() {
    if Command::new("mpicc").arg("--version").output().is_err() {
        return eprintln!("LEFT OUT: no MPI is installed");
    }
    let place = tempfile::tempdir().expect("a folder");
    std::fs::write(place.path().join("a.c"), SEVERAL_SENDS).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronos"));
    command.args(["trace", "a.c", "-n", "2", "--mpi", "installed", "--all", "-o", "t"]).current_dir(place.path());
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let task = std::fs::read_to_string(place.path().join("t/task-0.ctr")).expect("a trace");
    assert!(task.lines().any(|line| line.contains(" wait 0 1 2 3 4 5 ")), "{task}");
    let source = place.path().join("a.c");
    let job = job(&source, 2, &[]);
    let (trace, _) = Trace::read(&place.path().join("t"), &job.program, 2).expect("a trace");
    let (known, run) = totals(&job, &trace);
    let (known, run) = (known.expect("known"), run.expect("recorded"));
    assert!((known - run).abs() < 1e-3 * known, "{known} {run}");
}

const SEVERAL_SENDS: &str = "#include <mpi.h>
int main(int argc, char **argv) {
  int rank, i, out[3] = {1, 2, 3}, in[3];
  MPI_Request r[6];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < 3; i++) MPI_Irecv(&in[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &r[i]);
  for (i = 0; i < 3; i++) MPI_Isend(&out[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &r[3 + i]);
  MPI_Waitall(6, r, MPI_STATUSES_IGNORE);
  MPI_Finalize();
  return 0;
}
";

#[test]
fn accesses_to_windows_and_files_and_exchanges_with_neighbours_take_the_time_of_those_that_are_known() {
    for name in ["window_fence", "window_lock", "window_pscw", "window_dynamic", "files", "files_together", "graphs"] {
        let (place, source) = traced(&format!("testdata/mpi/{name}.c"), 4, &["--all"]);
        let job = job(&source, 4, &[]);
        let (trace, _) = Trace::read(&place.path().join("t"), &job.program, 4).expect("a trace");
        let (known, run) = totals(&job, &trace);
        let (known, run) = (known.expect("known"), run.expect("recorded"));
        // Who gets a lock first is settled by small differences of the work before it.
        assert!((known - run).abs() < 1e-2 * known, "{name}: {known} {run}");
    }
}

#[test]
fn a_program_whose_calls_data_decide_is_predicted_from_its_run() {
    for name in ["random_ring", "calls", "others", "neighbours"] {
        let file = format!("testdata/tracing/mpi/{name}.c");
        let (place, _) = traced(&file, 4, &[]);
        let folder = place.path();
        let command = ["predict", "a.c", "-n", "4", "--machine", "epyc-zen5-gcc12-O2", "--machine", "pentium2-350"];
        let (code, _, errors) = chronos(folder, &command);
        assert!(code > 0 && errors.contains("error"), "{name} is known without a run: {errors}");
        let with_trace = [&command[..], &["--trace", "t", "--format", "json"]].concat();
        let (code, report, errors) = chronos(folder, &with_trace);
        assert!(code == 0 && errors.contains("C1106"), "{code} {errors}");
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        let times = report["predictions"].as_array().expect("predictions").iter().map(|p| p["total_s"].as_f64());
        assert_eq!(times.filter(|time| time.is_some_and(|time| time > 0.0)).count(), 2);
        let (code, _, errors) = chronos(folder, &["count", "a.c", "-n", "4", "--trace", "t", "--strict"]);
        assert_eq!(code, 0, "{errors}");
    }
}

#[test]
fn what_arrival_decides_is_as_in_the_run() {
    let (place, _) = traced("testdata/programs/selfsched.c", 4, &[]);
    let arguments = ["count", "a.c", "-n", "4", "--trace", "t", "--strict", "--format", "json"];
    let (code, report, errors) = chronos(place.path(), &arguments);
    assert_eq!(code, 0, "{errors}");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let sources: Vec<&str> = report["blocks"]
        .as_array()
        .expect("blocks")
        .iter()
        .flat_map(|block| block["counts"].as_array().expect("counts"))
        .map(|counts| counts["source"].as_str().expect("a source"))
        .collect();
    assert!(sources.iter().all(|&source| source == "static" || source == "trace"), "{sources:?}");
    assert!(sources.contains(&"trace"));
    let (code, _, errors) =
        chronos(place.path(), &["predict", "a.c", "-n", "4", "--trace", "t", "--machine", "pentium2-350"]);
    assert_eq!(code, 0, "{errors}");
}

#[test]
fn a_call_that_is_not_recorded_is_named() {
    let place = tempfile::tempdir().expect("a folder");
    let text = "#include <mpi.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    MPI_Request r;
    MPI_Init(&argc, &argv);\n    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    while (rand() % 5) {\n        MPI_Start(&r);\n        MPI_Wait(&r, MPI_STATUS_IGNORE);\n    }
    MPI_Request_free(&r);\n    MPI_Finalize();\n    return 0;\n}\n";
    std::fs::write(place.path().join("a.c"), text).expect("written");
    let (code, _, errors) = chronos(place.path(), &["trace", "a.c", "-n", "2", "--mpi", "bundled", "-o", "t"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    let (code, _, errors) =
        chronos(place.path(), &["predict", "a.c", "-n", "2", "--trace", "t", "--machine", "pentium2-350"]);
    assert!(code > 0 && errors.contains("the trace does not say what MPI_Barrier_init asked for"), "{code} {errors}");
}
