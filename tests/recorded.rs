//! Predictions with recorded computing times: which calls a record has a time for.

use std::path::Path;
use std::process::Command;

/// Predicts the program for two tasks with `calls` recorded stretches of a millisecond each; what it says on standard
/// error, and how long the prediction is in seconds.
fn predict(text: &str, calls: [usize; 2]) -> (String, Option<f64>) {
    let place = tempfile::tempdir().expect("a folder");
    let file = |name: &str| place.path().join(name);
    std::fs::write(file("a.c"), text).expect("written");
    for (rank, calls) in calls.into_iter().enumerate() {
        std::fs::write(file(&format!("r.{rank}")), 1e-3_f64.to_ne_bytes().repeat(calls)).expect("written");
    }
    let fixed = ["predict", "a.c", "-n", "2", "--recorded", "r", "--format", "json", "--machine", "pentium2-350"];
    let fixed = [&fixed[..], &["--c-library", "other"]].concat();
    run(place.path(), &fixed)
}

fn run(folder: &Path, arguments: &[&str]) -> (String, Option<f64>) {
    let output = Command::new(env!("CARGO_BIN_EXE_chronos")).current_dir(folder).args(arguments).output();
    let output = output.expect("it runs");
    let report = serde_json::from_slice::<serde_json::Value>(&output.stdout).ok();
    let total = report.and_then(|report| report["predictions"][0]["total_s"].as_f64());
    (String::from_utf8_lossy(&output.stderr).into_owned(), total)
}

/// A line of two tasks with `MPI_PROC_NULL` at its ends: 3 exchanges, 4 calls of requests of both kinds, and an end.
const LINE: &str = "
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, out = 1, in = 0;
  MPI_Request request[2], again[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int up = rank == 0 ? MPI_PROC_NULL : 0, down = rank == 1 ? MPI_PROC_NULL : 1, nobody = MPI_PROC_NULL;
  for (int i = 0; i < 10; i++) {
    MPI_Sendrecv(&out, 1, MPI_INT, up, 0, &in, 1, MPI_INT, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, down, 0, &in, 1, MPI_INT, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, nobody, 0, &in, 1, MPI_INT, nobody, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&in, 1, MPI_INT, nobody, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(&out, 1, MPI_INT, nobody, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Send(&out, 1, MPI_INT, nobody, 0, MPI_COMM_WORLD);
  }
  MPI_Recv_init(&in, 1, MPI_INT, up, 0, MPI_COMM_WORLD, &again[0]);
  MPI_Send_init(&out, 1, MPI_INT, down, 0, MPI_COMM_WORLD, &again[1]);
  for (int i = 0; i < 5; i++) {
    MPI_Startall(2, again);
    MPI_Waitall(2, again, MPI_STATUSES_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
";

#[test]
fn calls_that_name_nobody_have_recorded_times() {
    let stretches = 10 * 7 + 2 + 5 * 2 + 1;
    let (said, total) = predict(LINE, [stretches; 2]);
    let total = total.unwrap_or_else(|| panic!("{said}"));
    assert!((0.083..0.093).contains(&total), "{total}: {said}");
    let (said, total) = predict(LINE, [stretches + 1, stretches]);
    assert!(total.is_none() && said.contains("task 0 has 83 stretches of computation, and 84 were recorded"), "{said}");
}

/// How often the loop runs, the data say; the calls are known.
const COMPUTING: &str = "
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  double sum = 0, all;
  MPI_Init(&argc, &argv);
  for (int i = rand() % 100; i > 0; i--)
    sum += 1.0 / i;
  MPI_Allreduce(&sum, &all, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
";

#[test]
fn how_much_is_computed_need_not_be_known() {
    let (said, total) = predict(&COMPUTING.replace("COUNT", "1"), [2, 2]);
    let total = total.unwrap_or_else(|| panic!("{said}"));
    assert!((0.002..0.004).contains(&total) && said.is_empty(), "{total}: {said}");
}

#[test]
fn sizes_that_are_not_known_are_told() {
    let (said, total) = predict(&COMPUTING.replace("COUNT", "rand() % 2"), [2, 2]);
    assert!(total.is_none() && said.contains("C0305") && said.contains("error[C0713]: recorded times need"), "{said}");
}

/// Message times that were measured on an idle network make a network file, and each is told how far it is off.
#[test]
fn measured_message_times_make_a_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_chronos"))
            .current_dir(folder.path())
            .args(arguments)
            .output()
            .expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    std::fs::write(folder.path().join("pings.txt"), "# bytes seconds\n0 5e-5\n1000 6e-5\n100000 1.05e-3\n")
        .expect("written");
    let (code, told, errors) = run(&["network", "fit", "pings.txt", "--form", "linear", "-o", "cluster.json"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    assert!(
        told.contains("1000") && told.contains("60.00 us") && told.ends_with("Greatest difference: 0.0 %\n"),
        "{told}"
    );
    assert_eq!(run(&["network", "check", "cluster.json"]).0, Some(0));
    let (code, _, errors) = run(&["network", "fit", "cluster.json", "-o", "other.json"]);
    assert!(code != Some(0) && errors.contains("C0611") && errors.contains("line 1"), "{errors}");
}
