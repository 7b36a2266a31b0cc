//! Clusters of 32- and 64-bit machines: each task computes as it does where all machines are its own, and values arrive
//! whatever their sizes are on either side.

mod common;

use chronos::activity::{Count, CountValue};
use chronos::ir::DataModel;
use chronos::pipeline::{PredictOptions, ProgramOptions, Silent, SystemOptions, predict};
use chronos::report::model::{Prediction, Task};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const OLD: &str = "pentium2-350";
const NEW: &str = "epyc-zen5-gcc12-O2";
const MIXED: &str = "testdata/platforms/mixed-4.json";

/// On four tasks, of which the platform places the first two on the old machines.
fn predicted(file: &Path, arguments: &[&str], systems: SystemOptions) -> Prediction {
    let program = ProgramOptions {
        files: vec![file.to_owned()],
        arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        ..ProgramOptions::default()
    };
    let options = PredictOptions { programs: vec![program], systems, tasks: vec![4], ..PredictOptions::default() };
    let (mut predictions, _) =
        predict(options, &Silent).unwrap_or_else(|refused| panic!("{}: {:?}", file.display(), refused.diagnostics));
    assert_eq!(predictions.len(), 1);
    let prediction = predictions.remove(0);
    assert!(prediction.total_s.is_some(), "{}", file.display());
    prediction
}

fn on_mixed(file: &Path, arguments: &[&str]) -> Prediction {
    predicted(file, arguments, SystemOptions { platforms: vec![MIXED.to_owned()], ..SystemOptions::default() })
}

fn on(machine: &str, file: &Path, arguments: &[&str]) -> Prediction {
    predicted(file, arguments, SystemOptions { machines: vec![machine.to_owned()], ..SystemOptions::default() })
}

/// Compares seconds of each task with those of the predictions for machines of its own kind alone.
#[track_caller]
fn assert_same(file: &Path, [old, new]: [&str; 2], tolerance: f64, of: fn(&Task) -> f64) {
    let mixed = on_mixed(file, &[]);
    let [old, new] = [old, new].map(|machine| on(machine, file, &[]));
    let machines: Vec<&str> = mixed.tasks.iter().map(|task| task.machine.as_str()).collect();
    assert_eq!(machines, [OLD, OLD, NEW, NEW]);
    let alone = old.tasks[..2].iter().chain(&new.tasks[2..]);
    for (task, alone) in mixed.tasks.iter().zip(alone) {
        let (own, expected) = (of(task), of(alone));
        assert!(expected > 0.0, "{}", file.display());
        assert!(
            (own - expected).abs() <= tolerance,
            "{}, task {}: {own} and alone {expected}",
            file.display(),
            task.rank
        );
    }
}

#[test]
fn tasks_without_messages_take_the_time_of_their_own_machine() {
    for file in common::sources("testdata/sequential") {
        assert_same(&file, [OLD, NEW], 0.0, |task| task.total_s);
    }
}

/// In clusters of two pairs of machines: what a segment finds in the caches is that of the first task of each pair. Which
/// share of a branch is mispredicted is what the first task of all met, so that a few nanoseconds may differ.
#[test]
fn tasks_with_messages_compute_as_long_as_on_their_own_machine() {
    let pairs = [OLD, NEW].map(|machine| format!("{machine}:2,{machine}:2"));
    for name in ["jacobi", "heat2d", "pi_send", "cg", "matmul", "prefix"] {
        let file = PathBuf::from(format!("testdata/programs/{name}.c"));
        assert_same(&file, [&pairs[0], &pairs[1]], 2e-8, |task| task.compute_s);
    }
}

/// The number of executions of a line that is executed by one block alone, in all tasks.
fn executions(prediction: &Prediction, line: u32) -> Vec<Count> {
    prediction
        .blocks
        .iter()
        .filter(|block| block.line_start == line && block.kind == "straight")
        .map(|b| b.count)
        .collect()
}

/// The first two tasks are 32-bit: `long` and pointers have 4 bytes there and 8 in the other two. Each works 1000 steps
/// or 2000; the latter 31 more (the bytes of the record's members); all as many as the neighbour's key says (4000, 1000,
/// 2000, 3000), 12 times its size of `long` (96, 48, 48, 96), and the sum of all sizes of pointers times that of the last
/// task (24 * 8). Only where `unsigned long` does not wrap around to 0, 500 steps are added.
#[test]
fn sizes_of_types_decide_in_each_task_and_values_travel_between_them() {
    let file = Path::new("testdata/mixed/layouts.c");
    let prediction = on_mixed(file, &[]);
    let steps = 2 * 1000 + 2 * 2000 + 2 * 31 + 10_000 + 288 + 4 * 24 * 8;
    let exact = |n: u128| vec![CountValue::Exact(n)];
    let values = |line| executions(&prediction, line).into_iter().map(|count| count.value).collect::<Vec<_>>();
    let text = std::fs::read_to_string(file).expect("it is there");
    let line = |part: &str| text.lines().position(|line| line.contains(part)).map_or(0, |at| at as u32 + 1);
    assert_eq!(values(line("sum += 1.0 / (i + 1.0)")), exact(steps));
    assert_eq!(values(line("sum += i;")), exact(2 * 500));
}

/// Which worker gets which item depends on the machines: the fast one gets more, all of them together all.
#[test]
fn a_master_gives_more_work_to_faster_machines() {
    let prediction = on_mixed(Path::new("testdata/programs/selfsched.c"), &["60"]);
    let compute: Vec<f64> = prediction.tasks.iter().map(|task| task.compute_s).collect();
    let calls = |name: &str| prediction.functions.iter().find(|function| function.name == name).map(|f| f.calls.value);
    assert_eq!(calls("compute"), Some(CountValue::Exact(60)));
    assert!(compute[1..].iter().all(|&seconds| seconds > 0.0), "{compute:?}");
}

/// Every program of the test data is the same tree of blocks in both data models.
#[test]
fn blocks_do_not_depend_on_the_data_model() {
    for folder in ["testdata/programs", "testdata/sequential"] {
        for file in common::sources(folder) {
            common::job_of_both_models(&file, 2, &[], DataModel::Lp64);
        }
    }
}

fn chronos(arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_chronos")).args(arguments).output().expect("it runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

const RECORDS: &str = "testdata/mixed/layouts.c";

/// The pages and files that a report becomes name each task's machine.
#[test]
fn reports_of_mixed_clusters_have_a_page_and_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    let page_name = page.to_str().expect("a name");
    chronos(&["predict", RECORDS, "-n", "4", "--platform", MIXED, "--html", page_name, "-q"]);
    let page = std::fs::read_to_string(page).expect("it is written");
    assert!(page.contains(OLD) && page.contains(NEW));
    let output = chronos(&["predict", RECORDS, "-n", "4", "--platform", MIXED, "--format", "json", "-q"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let tasks = report["predictions"][0]["tasks"].as_array().expect("tasks");
    let machines: Vec<&str> = tasks.iter().filter_map(|task| task["machine"].as_str()).collect();
    assert_eq!(machines, [OLD, OLD, NEW, NEW]);
}

/// Counts of a run here stand for all machines: the run's own data model decided them.
#[test]
fn counts_of_a_run_are_priced_on_mixed_clusters() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let run_name = run.to_str().expect("a name");
    let program = "testdata/programs/jacobi.c";
    chronos(&["trace", program, "-n", "4", "-o", run_name, "--mpi", "bundled", "-q"]);
    let json = ["--format", "json", "-q"];
    let total = |more: &[&str]| {
        let arguments = [&["predict", program, "-n", "4", "--platform", MIXED], more, &json].concat();
        let report: serde_json::Value = serde_json::from_slice(&chronos(&arguments).stdout).expect("it is JSON");
        report["predictions"][0]["total_s"].as_f64().expect("a time")
    };
    let (traced, evaluated) = (total(&["--trace", run_name]), total(&[]));
    assert!((traced - evaluated).abs() <= 1e-6 * evaluated, "{traced} and {evaluated}");
}

/// A message between two 32-bit machines of a mixed cluster takes as long as where there are no others.
#[test]
fn longs_between_32_bit_machines_are_short_on_the_wire() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("longs.c");
    let text = "#include <mpi.h>\nlong data[100000];\nint main(int argc, char **argv) {\n  int rank;\n  MPI_Init(&argc, &argv);\n  \
                MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  if (rank == 0) MPI_Send(data, 100000, MPI_LONG, 1, 0, MPI_COMM_WORLD);\n  \
                if (rank == 1) MPI_Recv(data, 100000, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n  \
                return MPI_Finalize();\n}\n";
    std::fs::write(&file, text).expect("written");
    let received = |prediction: &Prediction| prediction.tasks[1].recv_s;
    let (mixed, alone) = (received(&on_mixed(&file, &[])), received(&on(OLD, &file, &[])));
    assert!((mixed - alone).abs() < 1e-4 * alone, "{mixed} and {alone}");
}

/// x86 and Arm: each task has the characters and long doubles of its own machine, and values travel between them.
#[test]
fn x86_and_arm_have_their_own_types() {
    let systems = SystemOptions {
        machines: vec![format!("{NEW}:2,raspberry-pi4-cortex-a72-gcc12-O2:2")],
        ..SystemOptions::default()
    };
    let file = Path::new("testdata/mixed/architectures.c");
    let prediction = predicted(file, &[], systems);
    let text = std::fs::read_to_string(file).expect("it is there");
    let line = |part: &str| text.lines().position(|line| line.contains(part)).map_or(0, |at| at as u32 + 1);
    let values = |part| executions(&prediction, line(part)).into_iter().map(|count| count.value).collect::<Vec<_>>();
    let exact = |n: u128| vec![CountValue::Exact(n)];
    // 200 as a plain character is -56 on x86.
    assert_eq!(values("of_char++;"), exact(2 * 200));
    assert_eq!(values("of_mantissa++;"), exact(2 * 64 + 2 * 113));
    // A third from the other side has the precision of the coarser of both.
    assert_eq!(values("of_third++;"), exact(4));
}
