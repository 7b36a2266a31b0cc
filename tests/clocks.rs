//! Programs that ask the clock what to do: predicted on the simulated clock.

mod common;

use chronos::predict::profile;
use chronos::report::model::Prediction;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A program given as text, in a folder that lasts as long as it does.
struct Text(tempfile::TempDir);

impl Text {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("program.c"), text).expect("written");
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("program.c")
    }

    fn predicted(&self, tasks: usize) -> Prediction {
        common::predict(&common::job(&self.file(), tasks, &[]))
    }
}

fn of_file(name: &str, tasks: usize) -> Prediction {
    common::predict(&common::job(Path::new(name), tasks, &[]))
}

/// How often the loop at a line turns, in all tasks, and what is said of that number.
fn turns(prediction: &Prediction, line: u32) -> (f64, String) {
    let block = prediction.blocks.iter().find(|block| block.line_start == line && block.entries.is_some());
    let block = block.unwrap_or_else(|| panic!("no loop in line {line}"));
    (block.count.as_f64().expect("a number"), block.source.to_owned())
}

fn total(prediction: &Prediction) -> f64 {
    prediction.total_s.expect("the prediction is complete")
}

#[test]
fn repetitions_are_doubled_until_they_take_long_enough() {
    let prediction = of_file("testdata/clocks/doubling.c", 1);
    let (repetitions, source) = turns(&prediction, 19);
    assert_eq!(source, "timing");
    assert_eq!((repetitions + 1.0).log2().fract(), 0.0, "{repetitions}");
    // The last repetitions take a tenth of a second, or nearly twice as long; those before as long together.
    assert!((0.2..0.45).contains(&total(&prediction)), "{}", total(&prediction));
    let longest = prediction.wtime.iter().map(|wtime| wtime.max_s).fold(0.0, f64::max);
    assert!((0.1..0.21).contains(&longest), "{longest}");
}

#[test]
fn all_tasks_stop_when_the_first_one_says_so() {
    let prediction = of_file("testdata/clocks/deadline.c", 4);
    assert!((0.05..0.052).contains(&total(&prediction)), "{}", total(&prediction));
    let (steps, source) = turns(&prediction, 12);
    assert_eq!((steps % 4.0, source.as_str()), (0.0, "timing"));
    assert!(steps > 40.0, "{steps}");
}

/// Each clock, how it is computed with, and for how long the program goes on.
#[test]
fn clocks_are_followed_in_their_units() {
    let clocks = [
        ("static double now(void) { return MPI_Wtime(); }", 0.02),
        ("static double now(void) { return clock() / (double)CLOCKS_PER_SEC; }", 0.02),
        (
            "static double now(void) { struct timeval t; gettimeofday(&t, 0); return t.tv_sec + 1e-6 * t.tv_usec; }",
            0.02,
        ),
        (
            "static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }",
            0.02,
        ),
        (
            "static double now(void) { struct timeval t; gettimeofday(&t, 0); return (t.tv_sec * 1000000 + t.tv_usec) / 1e6; }",
            0.02,
        ),
        ("static double now(void) { return time(0); }", 1.0),
    ];
    let waits = [
        "double begin = now(); do work(); while (now() - begin < 0.02);",
        "double end = now() + 0.02; while (now() < end) work();",
        "double spent = -now(); for (;;) { work(); if (spent + now() >= 0.02) break; }",
        "double begin = now(), spent = 0; while (spent < 0.02) { work(); spent = now() - begin; }",
    ];
    for (clock, least) in clocks {
        for wait in waits {
            let text = format!(
                "#include <mpi.h>\n#include <time.h>\n#include <sys/time.h>\n{clock}\nstatic double x[100000];\n\
                 static void work(void) {{ for (int i = 0; i < 100000; i++) x[i] += 1.0; }}\n\
                 int main(int argc, char **argv) {{\n  MPI_Init(&argc, &argv);\n  {{ {wait} }}\n  MPI_Finalize();\n  return 0;\n}}\n"
            );
            let found = Text::new(&text).predicted(2).total_s;
            let found = found.unwrap_or_else(|| panic!("{text}"));
            assert!((least..1.05 * least).contains(&found), "{found}\n{text}");
        }
    }
}

#[test]
fn tasks_that_wait_for_a_second_are_soon_predicted() {
    let text = "#include <mpi.h>\nint main(int argc, char **argv) {\n  int rank;\n  long looks = 0;\n\
                MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  double begin = MPI_Wtime();\n\
                while (MPI_Wtime() - begin < 0.5 * (rank + 1))\n    looks++;\n\
                MPI_Barrier(MPI_COMM_WORLD);\n\
                MPI_Finalize();\n  return looks > 1000;\n}\n";
    let begun = Instant::now();
    let prediction = Text::new(text).predicted(2);
    assert!((1.0..1.005).contains(&total(&prediction)), "{}", total(&prediction));
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    let waiting = prediction.tasks[1].compute_s / prediction.tasks[0].compute_s;
    assert!((waiting - 2.0).abs() < 0.01, "{waiting}");
}

/// What a clock decides belongs to one machine: the program is followed anew on each.
#[test]
fn another_machine_repeats_another_number_of_times() {
    let job = common::job(Path::new("testdata/clocks/doubling.c"), 1, &[]);
    let outcome = common::with_target(|target| chronos::predict::predict(&job, target));
    assert!(outcome.activity.is_none() && outcome.once.is_some());
    assert!(outcome.diagnostics.iter().any(|found| found.code.id == "C0351"));
}

#[test]
fn counts_without_a_machine_name_the_command_that_has_one() {
    for (file, tasks) in [("testdata/clocks/doubling.c", 1), ("testdata/clocks/deadline.c", 4)] {
        let network = chronos::machine::network::Network::load("ethernet-100").expect("it is shipped");
        let counted = profile::count(&common::job(Path::new(file), tasks, &[]), &network);
        let told = counted.diagnostics.iter().filter_map(|found| found.help.as_deref());
        let names = |help: &str| help.contains("chronos predict");
        assert!(told.clone().any(names), "{:?}", told.collect::<Vec<_>>());
        assert!(counted.summary.unknown > 0);
    }
}

/// A time that seeds random numbers is none that anybody knows, whatever else is asked of the clock.
#[test]
fn seeds_from_the_clock_stay_unknown() {
    let text = "#include <stdlib.h>\n#include <time.h>\nint main(void) {\n  int n = 0, hits = 0;\n  srand(time(NULL));\n\
                clock_t begin = clock();\n  do {\n    n++;\n    for (int i = 0; i < 100000; i++)\n      hits += i % 7;\n\
                } while (clock() - begin < 10000);\n  if (rand() % 3 == 0)\n    hits = 0;\n  return hits;\n}\n";
    let prediction = Text::new(text).predicted(1);
    let branch = prediction.blocks.iter().find(|block| block.line_start == 13).expect("a block");
    assert_eq!(
        (branch.source, branch.count.as_f64().map(|count| (100.0 * count).round() / 100.0)),
        ("assumed", Some(0.16))
    );
}

/// What a program sleeps passes on every clock, wherever it stands.
#[test]
fn sleeping_takes_its_time() {
    let text = "#include <mpi.h>\n#include <time.h>\n#include <unistd.h>\nint main(int argc, char **argv) {\n  int rank;\n\
                MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  double begin = MPI_Wtime();\n\
                if (rank == 1)\n    sleep(2);\n  for (int i = 0; i < 10; i++)\n    usleep(1000 * (rank + 1));\n\
                struct timespec t = {0, 500000};\n  for (int i = 0; i < 100; i++)\n    nanosleep(&t, 0);\n\
                while (MPI_Wtime() - begin < 3.0)\n    usleep(20000);\n\
                MPI_Finalize();\n  return 0;\n}\n";
    let prediction = Text::new(text).predicted(2);
    assert!((3.0..3.03).contains(&total(&prediction)), "{}", total(&prediction));
    // 10 ms and 50 ms are over before the first look, in the other task 2 s more and 20 ms in place of 10 ms.
    let (looks, source) = turns(&prediction, 16);
    assert_eq!((looks, source.as_str()), (147.0 + 47.0, "timing"));
}

#[test]
fn a_check_names_the_command_that_follows_the_clock() {
    let mut command = assert_cmd::Command::cargo_bin("chronos").expect("the binary");
    let output = command.args(["check", "testdata/clocks/doubling.c"]).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("The clock decides what it does") && text.contains("chronos predict testdata"), "{text}");
}
