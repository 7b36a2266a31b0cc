//! Tasks in classes do what each of them does by itself: predictions and counts are the same to the byte.

#[path = "classes/generator.rs"]
mod generator;
#[path = "gcov/random.rs"]
mod random;

mod common;

use chronos::predict::evaluation::class_count;
use chronos::predict::{Job, predict, profile};
use std::path::{Path, PathBuf};

/// Prediction, diagnostics and counts, as text.
fn all_of(job: &Job) -> String {
    let outcome = common::with_target(|target| {
        let outcome = predict(job, target);
        let counted = profile::count(job, target.network);
        (outcome, counted)
    });
    let (predicted, counted) = outcome;
    let prediction = serde_json::to_string_pretty(&predicted.prediction).expect("it is data");
    let activity = predicted.activity.map(|evaluated| {
        let activity = evaluated.activity();
        let segments: Vec<String> = activity.segments.iter().map(|segment| format!("{segment:?}")).collect();
        format!("{}\n{:?}", segments.join("\n"), activity.tasks)
    });
    let counts = serde_json::to_string_pretty(&counted.blocks).expect("they are data");
    let (said, said_of_counts) = (predicted.diagnostics, counted.diagnostics);
    format!("{}\n{prediction}\n{said:?}\n{counts}\n{said_of_counts:?}", activity.unwrap_or_default())
}

fn separately(job: &Job) -> Job {
    let mut job = job.clone();
    job.assumptions.separate_ranks = true;
    job
}

#[track_caller]
fn same_both_ways(file: &Path, tasks: usize) {
    let job = common::job(file, tasks, &[]);
    let (in_classes, separate) = (all_of(&job), all_of(&separately(&job)));
    if in_classes != separate {
        let (a, b) = in_classes.lines().zip(separate.lines()).find(|(a, b)| a != b).unwrap_or(("less", "more"));
        let at = a.bytes().zip(b.bytes()).position(|(a, b)| a != b).unwrap_or(0).saturating_sub(60);
        let shown = |line: &str| line.chars().skip(at).take(200).collect::<String>();
        panic!("{} on {tasks} tasks: {}\n{}", file.display(), shown(a), shown(b));
    }
}

fn program(name: &str) -> PathBuf {
    Path::new("testdata/programs").join(format!("{name}.c"))
}

#[test]
fn programs_are_the_same_in_classes() {
    for file in common::sources("testdata/programs") {
        same_both_ways(&file, 64);
    }
    for name in ["jacobi", "heat2d", "ring", "transpose", "pingpong", "prefix", "cg", "pi_send"] {
        same_both_ways(&program(name), 97);
    }
}

#[test]
fn calls_of_mpi_are_the_same_in_classes() {
    for file in common::sources("testdata/mpi") {
        same_both_ways(&file, 64);
    }
}

/// Ends and inner tasks of chains and grids, with as many rows and columns as they have.
#[test]
fn tasks_that_do_the_same_are_followed_once() {
    let classes = |name: &str, tasks| class_count(&common::job(&program(name), tasks, &[]));
    assert_eq!(classes("ring", 1000), Ok(2));
    assert_eq!(classes("jacobi", 256), Ok(3));
    assert_eq!(classes("jacobi", 1000), Ok(4));
    assert_eq!(classes("heat2d", 256), Ok(9));
    assert_eq!(classes("transpose", 128), Ok(2));
    assert_eq!(classes("nbody", 128), Ok(2));
    assert_eq!(classes("pingpong", 128), Ok(3));
    assert_eq!(classes("prefix", 128), Ok(3));
    assert_eq!(classes("cg", 128), Ok(49));
    assert_eq!(classes("pi_send", 5000), Ok(2));
    assert_eq!(classes("ring", 8), Err("there are few tasks"));
    assert_eq!(classes("selfsched", 100), Err("a message is received that may be any of several"));
}

/// Of the last task comes less than the others expect.
#[test]
fn blocks_of_other_sizes_are_followed_one_by_one() {
    let text = r"
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *counts = malloc(size * sizeof(int)), *starts = malloc(size * sizeof(int));
    for (int p = 0, at = 0; p < size; at += counts[p], p++) {
        starts[p] = at;
        counts[p] = 2 + p % 2;
    }
    double *all = malloc(3 * size * sizeof(double)), own[4] = {0};
    MPI_Allgatherv(own, counts[rank] - LESS, MPI_DOUBLE, all, counts, starts, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
";
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let classes = |less: &str| {
        let file = folder.path().join("blocks.c");
        std::fs::write(&file, text.replace("LESS", less)).expect("the directory is writable");
        same_both_ways(&file, 64);
        class_count(&common::job(&file, 64, &[]))
    };
    assert_eq!(classes("0"), Ok(2));
    assert_eq!(classes("(rank == size - 1)"), Err("blocks have other sizes than those that are expected"));
}

/// Programs of this generator.
const PROGRAMS: u64 = 60;

#[test]
fn random_programs_are_the_same_in_classes() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let mut classes = Vec::new();
    for seed in 0..PROGRAMS {
        let file = folder.path().join(format!("program{seed}.c"));
        std::fs::write(&file, generator::program(seed)).expect("the directory is writable");
        let tasks = 64 + (seed % 5) as usize;
        same_both_ways(&file, tasks);
        classes.extend(class_count(&common::job(&file, tasks, &[])));
    }
    assert!(classes.len() as u64 > PROGRAMS / 4, "too few have classes: {classes:?}");
}

/// Messages that leave room in their receives are not what classes take them to be.
#[test]
fn messages_that_leave_room_are_followed_one_by_one() {
    let text = r"
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size;
    double data[8] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 10; i++) {
        if (rank > 0)
            MPI_Send(data, SENT, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD);
        if (rank < size - 1)
            MPI_Recv(data, 8, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
";
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    for (sent, in_classes) in [("8", true), ("5", false), ("(i % 2 ? 8 : 7)", false)] {
        let file = folder.path().join("room.c");
        std::fs::write(&file, text.replace("SENT", sent)).expect("the directory is writable");
        same_both_ways(&file, 130);
        let job = common::job(&file, 130, &[]);
        let found = common::with_target(|target| predict(&job, target).classes);
        assert_eq!(found.is_some_and(|found| found.is_ok()), in_classes, "{sent}");
    }
}
