//! Programs that run in virtual time (`chronos run`), on the bundled MPI: what is predicted of their blocks equals what is
//! predicted without a run wherever all counts are exact, and what nobody can know without a run has a complete report.

use std::path::Path;
use std::process::Command;

const TARGET: [&str; 4] = ["--machine", "epyc-zen5-gcc12-O2", "--network", "ethernet-1000"];

fn chronos(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_chronos")).current_dir(folder).args(arguments).output();
    let output = output.expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

/// Times of the tasks and the total, in seconds, and what was said.
fn times(command: &str, file: &str, more: &[&str]) -> (Option<f64>, Vec<f64>, String) {
    let arguments = [&[command, file, "--format", "json", "--timeline", "0"], &TARGET[..], more].concat();
    let (_, report, said) = chronos(Path::new("."), &arguments);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap_or_else(|_| panic!("no JSON: {said}"));
    let prediction = &report["predictions"][0];
    let tasks = prediction["tasks"].as_array().expect("tasks");
    let tasks = tasks.iter().filter_map(|task| task["total_s"].as_f64()).collect();
    (prediction["total_s"].as_f64(), tasks, said)
}

/// A program of its own, with `main` around these statements.
fn program(statements: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!(
        "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\nint main(int argc, char **argv)\n{{\n    \
         int rank, size;\n    static double data[200000];\n    MPI_Init(&argc, &argv);\n    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n    \
         MPI_Comm_size(MPI_COMM_WORLD, &size);\n    {statements}\n    MPI_Finalize();\n    return 0;\n}}\n"
    );
    let path = folder.path().join("a.c");
    std::fs::write(&path, text).expect("written");
    (folder, path.to_string_lossy().into_owned())
}

#[test]
fn predicted_times_of_a_run_are_those_without_a_run() {
    // Arguments of the calls of window_dynamic are calls of MPI.
    for name in ["programs/selfsched", "programs/heat2d", "mpi/nonblocking", "mpi/window_lock", "mpi/window_dynamic"] {
        let file = format!("testdata/{name}.c");
        let (known, tasks, _) = times("predict", &file, &["-n", "4"]);
        let (run, run_tasks, said) = times("run", &file, &["-n", "4", "--time", "predicted"]);
        let (known, run) = (known.expect("known"), run.unwrap_or_else(|| panic!("{name}: {said}")));
        assert!((known - run).abs() <= 1e-9 * known, "{name}: {known} without a run, {run} with one");
        assert_eq!(tasks, run_tasks, "{name}");
    }
}

/// Functions of `MPI_Op_create` are executed as often as the library wants, which takes time in a run alone. All else is the same:
/// here also that the memory that a reduction writes to is found unmapped.
#[test]
fn what_a_reduction_executes_is_added_to_what_is_known() {
    let (_folder, file) = program(
        "enum { MANY = 40960 };
    double *mine = calloc(MANY, sizeof *mine), *most = malloc(MANY * sizeof *most);
    MPI_Op larger;
    MPI_Op_create(larger_of, 1, &larger);
    MPI_Allreduce(mine, most, MANY, MPI_DOUBLE, larger, MPI_COMM_WORLD);
    MPI_Op_free(&larger);
    for (int i = 0; i < 1000; i++) data[i] += rank;",
    );
    let larger = "static void larger_of(void *in, void *inout, int *count, MPI_Datatype *type)\n{\n    double *a = in, *b = inout;\n    \
                  for (int i = 0; i < *count; i++)\n        if (a[i] > b[i]) b[i] = a[i];\n}\n";
    let text = std::fs::read_to_string(&file).expect("read").replace("int main", &format!("{larger}int main"));
    std::fs::write(&file, text).expect("written");
    let (known, ..) = times("predict", &file, &["-n", "2"]);
    let (run, _, said) = times("run", &file, &["-n", "2", "--time", "predicted"]);
    let (known, run) = (known.expect("known"), run.unwrap_or_else(|| panic!("{said}")));
    // A pass over 40,960 elements: tens of microseconds.
    assert!(run > known && run - known < 1e-4, "{known} without a run, {run} with one");
    assert!(!said.contains("C1606"), "{said}");
}

/// How many bytes a call is for may be known in a run alone: trace points tell it, in virtual time and in a trace.
#[test]
fn bytes_that_data_decide_are_those_of_the_run() {
    let (folder, file) = program(
        "int n = 100000 + 50000 * (getenv(\"CHRONOS_TEST_NOWHERE\") == 0) + (int)(time(0) & 7);
    static char from[2000000];
    for (int i = 0; i < 100; i++) {
        memset(data, i, n);
        memcpy(from, data, n);
    }
    if (rank < 0) printf(\"%d\", from[7]);
    MPI_Barrier(MPI_COMM_WORLD);",
    );
    let text = std::fs::read_to_string(&file).expect("read");
    std::fs::write(&file, format!("#include <string.h>\n{text}")).expect("written");
    let trace = folder.path().join("trace").to_string_lossy().into_owned();
    let (code, _, said) = chronos(Path::new("."), &["trace", &file, "-n", "2", "--mpi", "bundled", "-o", &trace]);
    assert_eq!(code, 0, "{said}");
    let total = |command, more: &[&str]| {
        let (total, _, said) = times(command, &file, &[&["-n", "2"], more].concat());
        (total.expect("a total"), said.contains("C0335"))
    };
    let (alone, is_told) = total("predict", &[]);
    let (traced, is_told_with_trace) = total("predict", &["--trace", &trace]);
    let (run, is_told_in_run) = total("run", &["--time", "predicted"]);
    // 30 MB at some tens of GB/s.
    assert!(
        run > alone + 2e-4 && (run - traced).abs() < 0.01 * run,
        "{alone} alone, {traced} traced, {run} in virtual time"
    );
    assert_eq!((is_told, is_told_with_trace, is_told_in_run), (true, false, false));
}

/// More work than is followed statically: the trace points tell it, and a budget that is too small names the run.
#[test]
fn what_takes_too_long_to_evaluate_is_executed() {
    let (_folder, file) = program(
        "unsigned state = 12345 + rank;
    for (int i = 0; i < 3000000; i++) {
        state = state * 1103515245u + 12345u;
        data[state >> 16 & 1023] += state & 1;
    }
    MPI_Send(data, (int)data[7] % 100, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD);
    MPI_Recv(data, 100, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
    );
    let (run, ..) = times("run", &file, &["-n", "4", "--time", "predicted"]);
    let (known, _, said) = times("predict", &file, &["-n", "4", "--budget", "1000"]);
    assert!(run.is_some_and(|total| total > 1e-3), "{run:?}");
    assert!(known.is_none() && said.contains("note[C0969]"), "{known:?} {said}");
}

#[test]
fn bytes_that_a_run_does_not_tell_are_told() {
    let statements = |rounds: u32| {
        format!(
            "for (int i = 0; i < {rounds}; i++) if (rand() % 3) data[i % 100] += 1; if (rank == 0) printf(\"%f\\n\", data[7]);"
        )
    };
    let said = |rounds: u32| {
        let (_folder, file) = program(&statements(rounds));
        times("run", &file, &["-n", "2", "--time", "predicted", "--budget", "10000"]).2
    };
    let beyond = said(50_000);
    assert!(beyond.contains("note[C1606]") && beyond.contains("printf"), "{beyond}");
    assert!(!said(10).contains("C1606"));
}

/// Trace points tell how often a branch goes which way, not in which order: that is known from what was evaluated before the
/// budget ended.
#[test]
fn branches_of_a_regular_pattern_are_predicted_behind_the_budget() {
    let total = |condition: &str| {
        let (_folder, file) = program(&format!(
            "unsigned state = 12345;
    for (int r = 0; r < 300; r++)
        for (int i = 0; i < 1000; i++) {{
            state = state * 1103515245u + 12345u;
            if ({condition})
                data[i] *= 1.0001;
        }}"
        ));
        let (total, ..) = times("run", &file, &["-n", "2", "--time", "predicted", "--budget", "20000"]);
        total.expect("a total")
    };
    let (regular, random) = (total("(i >> 1 & 1) + (state == 7)"), total("state >> 30 & 1"));
    assert!(2.0 * regular < random, "{regular} {random}");
}

#[test]
fn what_data_decide_has_a_complete_report() {
    let file = "testdata/tracing/mpi/random_ring.c";
    let (first, ..) = times("run", file, &["-n", "4", "--time", "predicted"]);
    let (again, ..) = times("run", file, &["-n", "4", "--time", "predicted", "-j", "1"]);
    assert!(first.is_some_and(|total| total > 1e-4), "{first:?}");
    assert_eq!(first, again, "a predicted run does not depend on this machine");
    let (measured, ..) = times("run", file, &["-n", "4"]);
    assert!(measured.zip(first).is_some_and(|(measured, first)| measured > 0.5 * first), "{measured:?} {first:?}");
}

/// A message of 1.6 MB takes 12.8 ms and more on a network of 1000 Mbit/s, whatever this machine takes for it.
#[test]
fn clocks_of_the_program_are_virtual() {
    let (_folder, file) = program(
        "double begin = MPI_Wtime(); time_t day = time(0); clock_t here = clock();
    if (rank == 0) MPI_Send(data, 200000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Recv(data, 200000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fprintf(stderr, \"took %.1f ms, %ld s, %.1f ms\\n\", 1e3 * (MPI_Wtime() - begin), (long)(time(0) - day),
                1e3 * (clock() - here) / CLOCKS_PER_SEC);
    }",
    );
    let (total, _, said) = times("run", &file, &["-n", "2", "--time", "predicted"]);
    let took = said.lines().find(|line| line.starts_with("took ")).expect("a line").to_owned();
    let ms: f64 = took.split_whitespace().nth(1).and_then(|word| word.parse().ok()).expect("a number");
    assert!((12.8..100.0).contains(&ms) && total.is_some_and(|total| total > 1e-3 * ms), "{took} {total:?}");
    assert!(took.contains(", 0 s, ") && took.matches(&format!("{ms:.1}")).count() == 2, "{took}");
}

/// What the benchmark of networks finds on a network that is known. At 10 Mbit/s, 32 KiB are on their way for 28 ms: a benchmark that
/// does not wait as long takes them for a message that waits for its receive, and their way for work of the receiver.
#[test]
fn the_benchmark_of_networks_waits_for_slow_ones() {
    // It polls for milliseconds: on a slower processor it does so less often.
    let network = ["--network", "ethernet-100", "--scale", "network.bandwidth=0.1", "--slower", "20"];
    let benchmark = ["microbench/mpi/network.c", "-n", "2", "-q", "--", "0.0001", "32768", "p2p"];
    let (code, printed, said) = chronos(Path::new("."), &[&["run"], &network[..], &benchmark].concat());
    let points = printed.lines().chain(said.lines()).filter_map(|line| line.strip_prefix("point socket."));
    let points: Vec<Vec<&str>> = points.map(|point| point.split(' ').collect()).collect();
    let found = |quantity: &str, column: usize| {
        let own = points.iter().filter(|point| point[0] == quantity);
        own.map(|point| point[column].parse().expect("a number")).collect::<Vec<f64>>()
    };
    assert_eq!(found("eager-limit", 2), [32768.0], "no message of these sizes waits: {code} {printed} {said}");
    let overheads = found("recv-overhead", 3);
    assert_eq!(overheads.len(), 6, "0 and 64 bytes to 16 KiB: {printed} {said}");
    assert!(overheads.iter().all(|&ns| ns < 1e5), "a hundredth of the way of 16 KiB: {overheads:?}");
}

/// What `chronos run` exchanges with a task at a poll that finds nothing takes 7 us here and more, and is no time of the program.
#[test]
fn polls_in_vain_take_no_time_of_the_processor() {
    let (_folder, file) = program(
        "if (rank == 0) {
        MPI_Request request;
        int found;
        MPI_Irecv(data, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 1000; i++) {
            MPI_Iprobe(1, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
            MPI_Test(&request, &found, MPI_STATUS_IGNORE);
        }
        MPI_Send(data, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(data, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    }",
    );
    let (total, tasks, said) = times("run", &file, &["-n", "2"]);
    assert!(total.is_some(), "{said}");
    assert!(tasks[0] < 2000.0 * 3e-6, "{tasks:?}");
}

/// Two tasks send at once; what comes first is decided by the work before the sends, not by this machine.
#[test]
fn wildcards_take_what_is_first_in_virtual_time() {
    let (_folder, file) = program(
        "if (rank == 0) {
        for (int i = 1; i < size; i++) {
            MPI_Status status;
            MPI_Request request;
            int got;
            MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
            MPI_Waitany(1, &request, &got, &status);
            fprintf(stderr, \"from %d tag %d\\n\", status.MPI_SOURCE, status.MPI_TAG);
        }
    } else {
        for (int i = 0; i < (size - rank) * 100; i++)
            MPI_Sendrecv(data, 100, MPI_DOUBLE, rank, 0, data + 100, 100, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 0, 10 * rank, MPI_COMM_WORLD);
    }",
    );
    let (total, _, said) = times("run", &file, &["-n", "4", "--time", "predicted"]);
    assert!(total.is_some(), "{said}");
    let order: Vec<&str> = said.lines().filter(|line| line.starts_with("from ")).collect();
    assert_eq!(order, ["from 3 tag 30", "from 2 tag 20", "from 1 tag 10"]);
}

#[test]
fn a_task_that_dies_leaves_a_report_up_to_there() {
    let (_folder, file) = program("MPI_Barrier(MPI_COMM_WORLD); if (rank == 1) abort(); MPI_Barrier(MPI_COMM_WORLD);");
    let (total, tasks, said) = times("run", &file, &["-n", "2"]);
    assert!(total.is_none() && tasks.len() == 2, "{total:?} {tasks:?}");
    assert!(said.contains("C1603") && said.contains("ended before its program did"), "{said}");
}

/// With whatever exit code a task leaves, and whether others wait for it or end as well: the task that ended first is named.
#[test]
fn a_task_that_leaves_without_finalize_has_no_total() {
    let waiting = "MPI_Recv(data, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);";
    let cases = [
        ("exit(1);", String::new(), "it left with exit code 1, without MPI_Finalize"),
        ("exit(0);", String::new(), "it left with exit code 0, without MPI_Finalize"),
        ("return 2;", waiting.to_owned(), "task 1 ended before its program did: it left with exit code 2"),
        ("_Exit(0);", waiting.to_owned(), "task 1 ended before its program did: it left with exit code 0"),
        ("*(volatile int *)0 = 1;", waiting.to_owned(), "task 1 ended before its program did: signal 11 ended it"),
    ];
    for (leaving, others, expected) in cases {
        // Without others that go on, all tasks leave.
        let who = if others.is_empty() { "" } else { "if (rank == 1)" };
        let (_folder, file) = program(&format!("MPI_Barrier(MPI_COMM_WORLD); {who} {leaving} {others}"));
        let (total, tasks, said) = times("run", &file, &["-n", "2"]);
        assert!(total.is_none() && tasks.len() == 2, "{leaving}: {total:?} {tasks:?}");
        assert!(said.contains(expected), "{leaving}: {said}");
    }
}

/// `MPI_Abort` ends a program as its author wants it, whatever the code.
#[test]
fn a_program_that_aborts_has_its_total() {
    let waiting = "MPI_Recv(data, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);";
    let (_folder, file) = program(&format!("if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3); {waiting}"));
    let (total, tasks, said) = times("run", &file, &["-n", "2"]);
    assert!(total.is_some() && tasks.len() == 2, "{total:?} {tasks:?}");
    assert!(said.contains("task 1 aborts the program with code 3"), "{said}");
}

/// What comes after `MPI_Finalize` is the program's own; a failure before `MPI_Init` is warned of.
#[test]
fn a_task_that_leaves_outside_of_mpi_has_its_total() {
    let (_folder, file) = program("MPI_Finalize(); _Exit(1);");
    let (total, ..) = times("run", &file, &["-n", "2"]);
    assert!(total.is_some());
    let text =
        "#include <mpi.h>\nint main(int argc, char **argv)\n{\n    if (argc < 2) return 4;\n    MPI_Init(&argc, &argv);
    MPI_Finalize();\n    return 0;\n}\n";
    std::fs::write(&file, text).expect("written");
    let (.., said) = times("run", &file, &["-n", "1"]);
    assert!(said.contains("ended with exit code 4 before MPI_Init"), "{said}");
}

#[test]
fn tasks_that_wait_for_ever_are_named() {
    let (_folder, file) =
        program("MPI_Recv(data, 1, MPI_DOUBLE, (rank + 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);");
    let (total, _, said) = times("run", &file, &["-n", "2", "--time", "predicted"]);
    assert!(total.is_none() && said.contains("deadlock"), "{said}");
}

#[test]
fn what_would_have_no_time_is_refused_by_its_name() {
    let place = tempfile::tempdir().expect("a folder");
    let text = "#include <mpi.h>\n#include <unistd.h>\nint main(int argc, char **argv)\n{\n    MPI_Init(&argc, &argv);
    if (fork() == 0) _exit(0);\n    MPI_Finalize();\n    return 0;\n}\n";
    std::fs::write(place.path().join("a.c"), text).expect("written");
    let (code, _, said) = chronos(place.path(), &["run", "a.c", "-n", "2", "--machine", "pentium2-350"]);
    assert!(code > 0 && said.contains("C1601") && said.contains("fork"), "{code} {said}");
}

#[test]
fn jobs_of_a_cluster_cannot_share_runs() {
    let place = tempfile::tempdir().expect("a folder");
    let asked: [&[&str]; 3] = [&["--slurm", "2"], &["--shard", "1/2"], &[]];
    for more in asked {
        let arguments = [&["run", "a.c", "-n", "2", "--resume", "kept"], more].concat();
        let (code, out, said) = chronos(place.path(), &arguments);
        assert!(code > 0 && out.is_empty() && said.contains("C0968"), "{code} {out} {said}");
    }
}

/// Tasks that the program starts get the numbers behind those of `-n`, and begin where static evaluation has them begin.
#[test]
fn started_tasks_take_what_they_take_without_a_run() {
    let network = "amakata:alpha=3,D=2,C=3e8,W=30e6,tc=300e-6,ts=0.7";
    let cases: [(&str, &str, &[&str]); 2] = [("manager", "worker", &["3"]), ("mm_master", "mm_slave", &["60", "4"])];
    for (first, other, arguments) in cases {
        let (file, spawn) = (format!("testdata/spawn/{first}.c"), format!("{other}=testdata/spawn/{other}.c"));
        let report = |command: &str, more: &[&str]| {
            let options =
                [&file, "-n", "1", "--machine", "epyc-zen5-gcc12-O2", "--network", network, "--spawn", &spawn];
            let (_, report, said) = chronos(
                Path::new("."),
                &[&[command], &options[..], &["--format", "json"], more, &["--"], arguments].concat(),
            );
            let report: serde_json::Value = serde_json::from_str(&report).unwrap_or_else(|_| panic!("no JSON: {said}"));
            let prediction = report["predictions"][0].clone();
            let tasks = prediction["tasks"].as_array().expect("tasks").clone();
            let total = prediction["total_s"].as_f64().unwrap_or_else(|| panic!("{command} {first}: {said}"));
            (total, tasks.iter().map(|task| task["total_s"].as_f64().expect("a time")).collect::<Vec<_>>())
        };
        let (known, run) = (report("predict", &[]), report("run", &["--time", "predicted"]));
        assert_eq!(known, run, "{first}");
        assert!(known.0 > 0.7003 && known.1.len() > 3, "{first}: {known:?}");
    }
}

/// How many tasks are started is not known without a run; they do as the program does, and merge with those who started them.
#[test]
fn as_many_tasks_stand_by_as_the_program_starts() {
    let (_folder, file) = program(
        "MPI_Comm parent, others, all;
    int sum = 0;
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        int wanted = getenv(\"PATH\")[0] ? 3 : 2, codes[3];
        char *words[] = { \"a word\", NULL };
        MPI_Comm_spawn(argv[0], words, wanted, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &others, codes);
        MPI_Comm_remote_size(others, &sum);
        if (rank == 0) MPI_Send(&sum, 1, MPI_INT, 2, 5, others);
        MPI_Intercomm_merge(others, 0, &all);
    } else {
        if (rank == 2) MPI_Recv(&sum, 1, MPI_INT, MPI_ANY_SOURCE, 5, parent, MPI_STATUS_IGNORE);
        fprintf(stderr, \"task %d of %d: %s, got %d\\n\", rank, size, argv[1], sum);
        MPI_Intercomm_merge(parent, 1, &all);
    }
    MPI_Comm_rank(all, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
    MPI_Comm_size(all, &size);
    if (rank == size - 1) fprintf(stderr, \"last of %d, sum %d\\n\", size, sum);",
    );
    let (total, tasks, said) = times("run", &file, &["-n", "2", "--time", "predicted"]);
    assert!(total.is_some() && tasks.len() == 5, "{tasks:?} {said}");
    assert!(said.contains("task 2 of 3: a word, got 3") && said.contains("last of 5, sum 10"), "{said}");
}

#[test]
fn a_program_without_source_is_not_started() {
    let (_folder, file) = program(
        "MPI_Comm others;
    MPI_Comm_spawn(\"elsewhere\", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);",
    );
    let (total, _, said) = times("run", &file, &["-n", "1"]);
    assert!(total.is_none() && said.contains("`elsewhere`, whose source was not given"), "{said}");
}
