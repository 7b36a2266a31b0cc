//! Random MPI programs, recorded and evaluated: where computing takes no time, both predict the same times of all tasks.

use proptest::prelude::*;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What all tasks do together; `%` stands for a random number.
const PHASES: [&str; 18] = [
    "MPI_Sendrecv(a, %, MPI_INT, (rank + 1) % size, 1, b, 9999, MPI_INT, (rank + size - 1) % size, 1, W, S);",
    "MPI_Irecv(b, 9999, MPI_INT, (rank + size - 1) % size, 2, W, r); MPI_Isend(a, %, MPI_INT, (rank + 1) % size, 2, W, r + 1); \
     MPI_Waitall(2, r, MPI_STATUSES_IGNORE);",
    "if (rank == 0) for (int i = 1; i < size; i++) MPI_Send(a, % + i, MPI_INT, i, 3, W); else MPI_Recv(b, 9999, MPI_INT, 0, 3, W, S);",
    "if (rank == 0) for (int i = 1; i < size; i++) MPI_Recv(b, 9999, MPI_INT, i, 4, W, S); else MPI_Ssend(a, %, MPI_INT, 0, 4, W);",
    "MPI_Bcast(a, %, MPI_INT, % % size, W);",
    "MPI_Reduce(a, b, %, MPI_INT, MPI_SUM, % % size, W);",
    "MPI_Allreduce(a, b, %, MPI_INT, MPI_MAX, W);",
    "MPI_Gather(a, %, MPI_INT, all, %, MPI_INT, % % size, W);",
    "MPI_Alltoall(all, %, MPI_INT, more, %, MPI_INT, W);",
    "MPI_Comm_split(W, rank % 2, rank, &half); MPI_Allreduce(a, b, %, MPI_INT, MPI_SUM, half);",
    "MPI_Barrier(W); if (rank % 2) MPI_Send(a, %, MPI_INT, rank - 1, 5, W); else if (rank + 1 < size) MPI_Recv(b, 9999, MPI_INT, \
     rank + 1, 5, W, S);",
    "MPI_Comm_dup(W, &half); if (rank == 0) MPI_Send(a, %, MPI_INT, 1, 6, half); if (rank == 1) MPI_Recv(b, 9999, MPI_INT, 0, 6, half, S); \
     MPI_Comm_free(&half);",
    "MPI_Comm_group(W, &group); MPI_Group_incl(group, 1, &rank, &own); MPI_Comm_create(W, own, &half); MPI_Allreduce(a, b, %, MPI_INT, \
     MPI_SUM, half); MPI_Comm_free(&half); MPI_Group_free(&own); MPI_Group_free(&group);",
    "MPI_Type_contiguous(%, MPI_INT, &type); MPI_Type_commit(&type); MPI_Bcast(a, 1, type, 0, W); MPI_Type_free(&type);",
    "MPI_Recv_init(b, 9999, MPI_INT, (rank + size - 1) % size, 7, W, r); MPI_Start(r); MPI_Send(a, 9, MPI_INT, (rank + 1) % size, 7, W); \
     MPI_Wait(r, S); MPI_Request_free(r); double begin = MPI_Wtime(); MPI_Barrier(W); begin = MPI_Wtime() - begin;",
    "MPI_Irecv(b, 9999, MPI_INT, rank, 8, W, r); MPI_Cancel(r); MPI_Wait(r, S); MPI_Sendrecv(a, %, MPI_INT, rank, 8, b, 9999, MPI_INT, \
     rank, 8, W, S);",
    "MPI_Sendrecv(a, %, MPI_INT, rank ? rank - 1 : MPI_PROC_NULL, 9, b, 9999, MPI_INT, rank < size - 1 ? rank + 1 : MPI_PROC_NULL, 9, W, S); \
     MPI_Send(a, %, MPI_INT, MPI_PROC_NULL, 9, W);",
    "MPI_Ibcast(a, %, MPI_INT, 0, W, r); MPI_Ireduce(a, b, %, MPI_INT, MPI_SUM, 0, W, r + 1); MPI_Waitall(2, r, MPI_STATUSES_IGNORE);",
];

/// A phase with its number, which is the same in each place of one call, and how often it is repeated.
fn phase() -> impl Strategy<Value = String> {
    (0..PHASES.len(), 1..2000u32, 1..4u32).prop_map(|(phase, number, times)| {
        // The remainder keeps its sign.
        let text = PHASES[phase].replace("% size", "@").replace("% 2", "#").replace('%', &number.to_string());
        format!("for (int k = 0; k < {times}; k++) {{ {} }}", text.replace('@', "% size").replace('#', "% 2"))
    })
}

fn program(phases: &[String]) -> String {
    format!(
        "#include <mpi.h>\n#define W MPI_COMM_WORLD\n#define S MPI_STATUS_IGNORE\n\
         static int a[9999], b[9999], all[9999], more[9999];\nint main(int argc, char **argv)\n{{\n    int rank, size;\n    \
         MPI_Request r[2];\n    MPI_Comm half;\n    MPI_Group group, own;\n    MPI_Datatype type;\n    MPI_Init(&argc, &argv);\n    MPI_Comm_rank(W, &rank);\n    MPI_Comm_size(W, &size);\n    \
         {}\n    MPI_Finalize();\n    return 0;\n}}\n",
        phases.join("\n    ")
    )
}

fn chronos(folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_chronos")).current_dir(folder).args(arguments).output();
    let output = output.expect("it runs");
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Times of the tasks in microseconds, rounded to a hundredth.
fn times(folder: &Path, arguments: &[&str]) -> Vec<i64> {
    let (report, said) = chronos(folder, &[arguments, &["--network", "ethernet-1000", "--format", "json"]].concat());
    let report: Value = serde_json::from_str(&report).unwrap_or_else(|_| panic!("no JSON: {said}"));
    let prediction = &report["predictions"][0];
    assert!(prediction["total_s"].is_f64(), "{said}");
    let tasks = prediction["tasks"].as_array().expect("tasks").iter();
    tasks.map(|task| (task["total_s"].as_f64().expect("a time") * 1e8).round() as i64).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, max_shrink_iters: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_record_says_what_evaluation_does(phases in prop::collection::vec(phase(), 4..12), tasks in 2..6u32) {
        let place = tempfile::tempdir().expect("a folder");
        std::fs::write(place.path().join("a.c"), program(&phases)).expect("written");
        let tasks = tasks.to_string();
        chronos(place.path(), &["record", "a.c", "-n", &tasks, "--mpi", "bundled", "-o", "a.rec"]);
        let recorded = times(place.path(), &["predict", "--recorded", "a.rec", "--machine-ratio", "1e-9"]);
        let faster = ["--machine", "epyc-zen5-gcc12-O2", "--scale", "clock=1e9"];
        let evaluated = times(place.path(), &[&["predict", "a.c", "-n", &tasks], &faster[..]].concat());
        // What is computed takes a tenth of a nanosecond in all, which may lie about a border of rounding.
        let alike = recorded.len() == evaluated.len() && recorded.iter().zip(&evaluated).all(|(a, b)| a.abs_diff(*b) <= 1);
        prop_assert!(alike, "{recorded:?} {evaluated:?}: {}", program(&phases));
    }
}
