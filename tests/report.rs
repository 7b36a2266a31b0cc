//! Reports of the test programs: they add up, follow the schema, and are the same twice.

mod common;

use chronos::activity::{Count, CountValue};
use chronos::report::Report;
use chronos::report::classes::{FEW, Ranks};
use chronos::report::code::CodeReport;
use chronos::report::compare::Comparison;
use chronos::report::model::{Block, Prediction};
use chronos::report::scaling::ScalingReport;
use chronos::report::whatif::WhatIfReport;
use rayon::prelude::*;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Numbers of tasks that every program takes.
const TASKS: [usize; 4] = [2, 4, 16, 64];

fn name(program: &Path) -> String {
    program.file_stem().expect("a name").to_string_lossy().into_owned()
}

#[test]
fn every_program_is_predicted_and_adds_up() {
    common::sources("testdata/programs").into_par_iter().for_each(|program| {
        for tasks in TASKS {
            let prediction = common::predict(&common::job(&program, tasks, &[]));
            assert!(prediction.total_s.is_some(), "{} -n {tasks}: incomplete", program.display());
            adds_up(&prediction, &format!("{} -n {tasks}", program.display()));
        }
    });
}

#[test]
fn sequential_programs_are_predicted_and_add_up() {
    for program in common::sources("testdata/sequential") {
        let prediction = common::predict(&common::job(&program, 1, &[]));
        assert!(prediction.total_s.is_some(), "{}: incomplete", program.display());
        adds_up(&prediction, &program.display().to_string());
    }
}

fn adds_up(p: &Prediction, what: &str) {
    parts_are_the_total(p, what);
    blocks_are_computation_and_calls(p, what);
    classes_are_the_time(p, what);
    main_holds_everything(p, what);
    tasks_are_the_sum(p, what);
}

/// Sums of rounded picoseconds and of unrounded nanoseconds differ by little.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs()) + 1e-9
}

fn parts_are_the_total(p: &Prediction, what: &str) {
    for t in &p.tasks {
        let parts = t.compute_s + t.send_s + t.recv_s + t.collective_s + t.idle_s + t.ready_s;
        assert!(close(parts, t.total_s), "{what}: task {}: {parts} of {}", t.rank, t.total_s);
    }
    let last = p.tasks.iter().map(|t| t.total_s).fold(0.0, f64::max);
    assert!(close(last, p.total_s.expect("complete")), "{what}: {last}");
}

fn blocks_are_computation_and_calls(p: &Prediction, what: &str) {
    let blocks: f64 = p.blocks.iter().map(|b| b.time_s).sum();
    let tasks: f64 = p.tasks.iter().map(|t| t.total_s).sum();
    assert!(close(blocks, tasks), "{what}: blocks {blocks}, tasks {tasks}");
}

fn classes_are_the_time(p: &Prediction, what: &str) {
    for b in &p.blocks {
        let classes: f64 = b.classes.values().sum();
        assert!(close(classes, b.time_s), "{what}: block {}: {classes} of {}", b.id, b.time_s);
    }
}

fn main_holds_everything(p: &Prediction, what: &str) {
    let main = p.functions.iter().find(|f| f.name == "main").expect("main");
    let mean = p.tasks.iter().map(|t| t.total_s).sum::<f64>() / p.tasks.len() as f64;
    assert!(close(main.inclusive_s, mean), "{what}: main {}, mean {mean}", main.inclusive_s);
    let exclusive: f64 = p.functions.iter().map(|f| f.exclusive_s).sum();
    assert!(close(exclusive, mean), "{what}: exclusive {exclusive}, mean {mean}");
}

fn tasks_are_the_sum(p: &Prediction, what: &str) {
    for b in &p.blocks {
        let per_task = b.per_task.as_ref().expect("up to 64 tasks");
        assert_eq!((per_task.counts.len(), per_task.time_s.len()), (p.tasks_count, p.tasks_count));
        let sum = per_task.counts.iter().fold(Count::ZERO, |sum, &count| sum + count);
        let same = match (sum.value, b.count.value) {
            (CountValue::Exact(a), CountValue::Exact(b)) => a == b,
            (a, b) => close(number(a), number(b)),
        };
        assert!(same, "{what}: block {}: {sum:?} of {:?}", b.id, b.count);
        assert!(close(per_task.time_s.iter().sum(), b.time_s), "{what}: block {}", b.id);
        counters_of_loops_and_branches(b, what);
    }
}

fn number(value: CountValue) -> f64 {
    Count { value, ..Count::ZERO }.as_f64().expect("known")
}

fn counters_of_loops_and_branches(b: &Block, what: &str) {
    assert_eq!(b.entries.is_some(), b.kind == "loop", "{what}: block {}", b.id);
    assert_eq!(b.taken.is_some(), b.kind == "branch", "{what}: block {}", b.id);
    let taken: f64 = b.taken.iter().flatten().map(|count| number(count.value)).sum();
    let evaluated = number(b.count.value);
    assert!(taken <= evaluated * (1.0 + 1e-9), "{what}: block {}: {taken} of {evaluated} taken", b.id);
}

#[test]
fn arrival_decides_in_the_self_scheduling_program_alone() {
    for program in common::sources("testdata/programs") {
        let prediction = common::predict(&common::job(&program, 4, &[]));
        let timing: Vec<&Block> = prediction.blocks.iter().filter(|b| b.source == "timing").collect();
        assert_eq!(name(&program) == "selfsched", !timing.is_empty(), "{}", program.display());
        assert!(timing.iter().all(|b| b.function == "worker" || b.function == "compute"));
    }
}

/// Of what is written: expressions are not read back.
fn schema<T: schemars::JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::default().for_serialize();
    serde_json::to_value(settings.into_generator().into_root_schema_for::<T>()).expect("schema is JSON")
}

/// The committed schemas are what the types say; `UPDATE_SCHEMAS=1` rewrites them.
#[test]
fn the_committed_schemas_are_current() {
    common::check_schema("chronos-report-2", &schema::<Report>());
    common::check_schema("chronos-report-1", &first_report());
    common::check_schema("chronos-compare-1", &schema::<Comparison>());
    common::check_schema("chronos-scale-1", &schema::<ScalingReport>());
    common::check_schema("chronos-whatif-1", &schema::<WhatIfReport>());
    common::check_schema("chronos-code-1", &schema::<CodeReport>());
}

/// Without what reports of classes of tasks have.
fn first_report() -> Value {
    let added = [
        ("Prediction", "critical_path_of"),
        ("Task", "class"),
        ("Wtime", "class"),
        ("Critical", "cut"),
        ("Coarse", "ranks"),
    ];
    common::first_version(&schema::<Report>(), &added, &[])
}

/// The JSON that the command writes, which follows the schema of `T`.
fn written<T: schemars::JsonSchema>(arguments: &[&str], more: &[&str]) -> Value {
    let mut command = assert_cmd::Command::cargo_bin("chronos").expect("the binary");
    command.args(arguments).args(["--format", "json", "-q"]).args(more);
    let value: Value = serde_json::from_slice(&command.output().expect("it runs").stdout).expect("JSON");
    let validator = jsonschema::validator_for(&schema::<T>()).expect("a schema");
    let faults: Vec<String> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
    assert_eq!(faults, Vec::<String>::new());
    value
}

fn length(list: &Value) -> Option<usize> {
    list.as_array().map(Vec::len)
}

/// One function has a loop that is timed, another one a loop with a call, whose cycles are unknown.
#[test]
fn object_code_follows_the_schema() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("loops.c");
    let text = "void g(int);\nvoid calls(int n) { for (int i = 0; i < n; i++) g(i); }\n\
                double sum(const double *a, long n) {\n  double s = 0;\n  for (long i = 0; i < n; i++) s += a[i];\n  return s;\n}\n";
    std::fs::write(&file, text).expect("written");
    let file = file.to_str().expect("a path in UTF-8");
    for (function, is_known) in [("sum", true), ("calls", false)] {
        let options = ["explain-code", file, "--function", function, "--cc", "gcc -O2", "--core", "zen5"];
        let value = written::<CodeReport>(&options, &[]);
        let way = &value["loops"][0]["ways"][0];
        assert_eq!((&value["schema"], way["cycles"].is_number()), (&CodeReport::SCHEMA.into(), is_known));
        assert_eq!(way["reason"].is_string(), !is_known);
    }
}

#[test]
fn scaling_follows_the_schema() {
    let predicted = [
        "testdata/programs/pi_reduce.c",
        "--machine",
        "pentium2-350",
        "-n",
        "1..16x2",
        "--verify",
        "32",
        "--c-library",
        "other",
    ];
    for arguments in [&predicted[..], &["--from", "testdata/scaling/measured.csv"]] {
        let value = written::<ScalingReport>(&["scale"], arguments);
        assert_eq!((&value["schema"], length(&value["series"])), (&ScalingReport::SCHEMA.into(), Some(1)));
    }
}

#[test]
fn whatif_follows_the_schema() {
    let changes = ["zero=servBusy1", "move=servBusy1:0->1", "place=0,0,1,1", "balance + network=ethernet-1000"];
    let program = ["whatif", "testdata/whatif/spa.c", "-DROUNDS=5", "--machine", "pentium2-350", "-n", "4"];
    for more in [&changes[..], &[]] {
        let value = written::<WhatIfReport>(&program, more);
        let rows = length(&value["studies"][0]["rows"]);
        assert_eq!((&value["schema"], rows), (&WhatIfReport::SCHEMA.into(), Some(more.len())));
    }
}

#[test]
fn comparisons_follow_the_schema() {
    let programs = ["compare", "testdata/programs/pi_send.c", "testdata/programs/pi_reduce.c", "--c-library", "other"];
    for more in [["--machine", "pentium2-350", "-n", "2,4"], ["--machine", "pentium2-350", "--sweep", "argv1=10,20"]] {
        let value = written::<Comparison>(&programs, &more);
        assert_eq!((&value["schema"], length(&value["entries"])), (&Comparison::SCHEMA.into(), Some(4)));
        for entry in value["entries"].as_array().into_iter().flatten() {
            let part = |name: &str| entry["efficiencies"][name].as_f64().expect("it is known");
            let product = part("load_balance") * part("serialisation") * part("transfer");
            assert!((product - part("parallel")).abs() <= 1e-12, "{entry}");
        }
    }
}

/// Blocks have no arrays over so many tasks, functions do.
#[test]
fn functions_tell_the_calls_of_each_of_many_tasks() {
    let program =
        ["predict", "testdata/programs/pi_send.c", "--machine", "pentium2-350", "-n", "70", "--c-library", "other"];
    let value = written::<Report>(&program, &["--per-task"]);
    assert_eq!(value["schema"], Report::SCHEMA);
    let prediction = &value["predictions"][0];
    assert!(prediction["blocks"][0]["per_task"].is_null());
    let functions = prediction["functions"].as_array().expect("functions");
    for function in functions {
        let calls = &function["per_task"]["calls"];
        assert_eq!((length(calls), length(&function["per_task"]["exclusive_s"])), (Some(70), Some(70)));
        assert_eq!(
            sum(calls, |count| count.as_f64().expect("it is known")),
            function["calls"].as_f64().expect("it is known")
        );
    }
    let main = functions.iter().find(|function| function["name"] == "main").expect("main");
    assert_eq!(main["calls"], 70);
}

/// The rows of a report of many tasks stand for all of them, and say what the rows of the single tasks say: the sums are
/// the same, each rank is in one row, and no time of a task is farther from its row's than the row tells.
#[test]
fn classes_of_tasks_say_what_all_tasks_say() {
    for program in ["jacobi", "pi_reduce", "heat2d", "ring"] {
        let file = format!("testdata/programs/{program}.c");
        let arguments = ["predict", &file, "--machine", "pentium2-350", "-n", "100"];
        let [classes, single] = [&[][..], &["--per-task"]].map(|more| written::<Report>(&arguments, more));
        assert_eq!((&classes["schema"], &single["schema"]), (&"chronos-report/2".into(), &"chronos-report/1".into()));
        let [classes, single] = [&classes, &single].map(|report| &report["predictions"][0]);
        assert_eq!((&classes["total_s"], &classes["blocks"]), (&single["total_s"], &single["blocks"]));
        same_tasks(classes, single, program);
        for (joined, alone) in all(&classes["functions"]).zip(all(&single["functions"])) {
            let whole = |times: &Value| sum(times, |time| time.as_f64().expect("seconds"));
            let weighted = all(&joined["per_task"]["exclusive_s"]).zip(all(&classes["tasks"]));
            let weighted: f64 =
                weighted.map(|(time, row)| time.as_f64().expect("seconds") * members(row).len() as f64).sum();
            assert!(close(weighted, whole(&alone["per_task"]["exclusive_s"])), "{program}: {}", joined["name"]);
        }
        let shown: Vec<&Value> = all(&classes["replayed"]["timeline"]["tasks"]).map(|task| &task["rank"]).collect();
        assert_eq!(shown, all(&classes["tasks"]).map(|row| &row["rank"]).collect::<Vec<_>>(), "{program}");
    }
}

fn all(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().expect("a list").iter()
}

/// Who reads reports finds the same in both versions.
#[test]
fn readers_of_reports_read_classes_of_tasks() {
    let folder = tempfile::tempdir().expect("a folder");
    let saved = ["classes", "single"].map(|name| folder.path().join(name).join("jacobi.json"));
    let [classes, single] = saved.each_ref().map(|path| path.to_str().expect("a path in UTF-8"));
    for (path, more) in [(classes, &[][..]), (single, &["--per-task"])] {
        std::fs::create_dir(Path::new(path).parent().expect("a folder")).expect("made");
        let arguments = ["predict", "testdata/programs/jacobi.c", "--machine", "pentium2-350", "-n", "65,100"];
        let mut command = assert_cmd::Command::cargo_bin("chronos").expect("the binary");
        command.args(arguments).args(["--format", "json", "-q", "-o", path]).args(more).assert().success();
        command = assert_cmd::Command::cargo_bin("chronos").expect("the binary");
        command.args(["report", path, "-o", &format!("{path}.html")]).assert().success();
    }
    let compared = written::<Comparison>(&["compare", classes, single], &[]);
    let (joined, alone) = compared["entries"].as_array().expect("a list").split_at(2);
    for (joined, alone) in joined.iter().zip(alone) {
        for name in ["total_s", "compute_share", "communication_share", "idle_share"] {
            let [joined, alone] = [joined, alone].map(|entry| entry[name].as_f64().expect("it is known"));
            assert!(close(joined, alone), "{name}: {joined} and {alone}");
        }
    }
    let points = |path: &str| written::<ScalingReport>(&["scale", "--from", path], &[])["series"][0]["points"].clone();
    let [joined, alone] = [points(classes), points(single)];
    assert_eq!(length(&joined), Some(2));
    for (joined, alone) in all(&joined).zip(all(&alone)) {
        for part in ["compute", "messages", "collective", "idle", "end"] {
            let [joined, alone] = [joined, alone].map(|point| point["parts"][part].as_f64().expect("it is known"));
            assert!(close(joined, alone), "{part}: {joined} and {alone}");
        }
    }
}

/// Of many late tasks those that cause the most are listed, with the number of the others.
#[test]
fn causes_of_waiting_list_few_of_many_tasks() {
    let arguments =
        ["whatif", "testdata/programs/ring.c", "--machine", "pentium2-350", "-n", "100", "--show", "causes"];
    let value = written::<WhatIfReport>(&arguments, &[]);
    let causes: Vec<&Value> = all(&value["studies"][0]["waiting"]["causes"]).collect();
    let listed = |cause: &Value| all(&cause["tasks"]).count();
    let late = |cause: &&Value| listed(cause) + cause["more_tasks"].as_u64().unwrap_or(0) as usize;
    assert!(causes.iter().all(|cause| listed(cause) == late(cause).min(FEW)), "{causes:?}");
    assert!(causes.iter().any(|cause| late(cause) > FEW), "{causes:?}");
}

/// The ranks of a row.
fn members(row: &Value) -> Vec<usize> {
    match row["class"]["ranks"].as_str() {
        Some(text) => text.parse::<Ranks>().expect("ranks").iter().map(|rank| rank as usize).collect(),
        None => vec![row["rank"].as_u64().expect("a rank") as usize],
    }
}

fn same_tasks(classes: &Value, single: &Value, program: &str) {
    let mut found = vec![0; 100];
    assert!(all(&classes["tasks"]).count() <= FEW, "{program}");
    for row in all(&classes["tasks"]) {
        let ranks = members(row);
        let spread = row["class"]["spread_s"].as_f64().unwrap_or(0.0);
        for name in ["total_s", "compute_s", "send_s", "recv_s", "collective_s", "idle_s"] {
            for &rank in &ranks {
                let [mean, own] = [row, &single["tasks"][rank]].map(|task| task[name].as_f64().expect("seconds"));
                assert!((mean - own).abs() <= spread * 1.000_001, "{program}: {name} of task {rank}");
            }
        }
        ranks.iter().for_each(|&rank| found[rank] += 1);
    }
    assert_eq!(found, vec![1; 100], "{program}");
}

#[test]
fn reports_follow_the_schema() {
    let validator = jsonschema::validator_for(&schema::<Report>()).expect("a schema");
    let wrong = "testdata/wrong/unknown_trips.c";
    for (program, tasks) in [
        ("testdata/programs/pi_send.c", "2"),
        ("testdata/programs/heat2d.c", "4"),
        ("testdata/programs/selfsched.c", "3"),
        ("testdata/programs/intsort.c", "2,4"),
        ("testdata/sequential/queens.c", "1"),
        (wrong, "2"),
    ] {
        let text = report(Path::new(program), tasks);
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let faults: Vec<String> =
            validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).take(5).collect();
        assert!(faults.is_empty(), "{program}: {faults:?}");
        assert_eq!(value["schema"], Report::SCHEMA);
        assert_eq!(value["predictions"][0]["total_s"].is_null(), program == wrong);
        assert!(value["sources"][program].as_str().is_some_and(|source| source.contains("int main")));
    }
}

/// With parameters left free, expressions take the place of numbers.
#[test]
fn expressions_follow_the_schema() {
    let validator = jsonschema::validator_for(&schema::<Report>()).expect("a schema");
    for (program, names, tasks) in [
        ("testdata/sequential/lu.c", "N", "1"),
        ("testdata/sequential/queens.c", "SIZE", "1"),
        ("testdata/programs/nbody.c", "argv1,argv2", "4"),
    ] {
        let run = |format: &str| {
            let mut command = assert_cmd::Command::cargo_bin("chronos").expect("built");
            command.args(["predict", program, "--machine", "pentium2-350", "--symbolic", names, "-n", tasks]);
            let output = command.args(["--quiet", "--format", format, "--", "8", "2"]).output().expect("run");
            String::from_utf8(output.stdout).expect("text")
        };
        let value: Value = serde_json::from_str(&run("json")).expect("JSON");
        let faults: Vec<String> =
            validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(faults.is_empty(), "{program}: {faults:?}");
        let symbolic = &value["predictions"][0]["symbolic"];
        let rows = |key: &str| symbolic[key].as_array().map_or(0, Vec::len);
        let total = usize::from(!symbolic["total"].is_null());
        let lines = 1 + total + rows("tasks") + rows("segments") + 2 * rows("functions") + rows("blocks");
        assert_eq!(rows("segments") > 0, program.contains("programs/"), "{program}");
        assert_eq!(run("csv").lines().count(), lines, "{program}");
    }
}

/// A prediction without a total says why.
#[test]
fn each_gap_is_a_diagnostic() {
    for program in common::sources("testdata/wrong") {
        let text = report(&program, "2");
        let Ok(value) = serde_json::from_str::<Value>(&text) else { continue };
        let prediction = &value["predictions"][0];
        let errors = value["diagnostics"].as_array().expect("a list").iter().filter(|d| d["severity"] == "error");
        assert!(!prediction["total_s"].is_null() || errors.count() > 0, "{}", program.display());
        assert!(prediction["known_s"].is_number());
    }
}

/// Standard output of `chronos predict --format json`.
fn report(program: &Path, tasks: &str) -> String {
    let mut command = assert_cmd::Command::cargo_bin("chronos").expect("the binary");
    command.arg("predict").arg(program).args(["-n", tasks, "--machine", "pentium2-350", "--format", "json", "-q"]);
    let output = command.output().expect("it runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Hash maps are seeded anew in each process.
#[test]
fn the_same_input_gives_the_same_bytes() {
    let programs = common::sources("testdata/programs");
    let wrong: Vec<PathBuf> = common::sources("testdata/wrong");
    for program in programs.iter().chain(&wrong) {
        let first = report(program, "5");
        assert!(first == report(program, "5"), "{}: two runs differ", program.display());
    }
}

/// The prediction of a program given as text.
fn predicted(text: &str, tasks: usize) -> Prediction {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, text).expect("written");
    common::predict(&common::job(&file, tasks, &[]))
}

#[test]
fn a_long_that_is_sent_as_int_arrives_as_its_low_half() {
    let text = "#include <mpi.h>\nint main(int argc, char **argv) {\n  int rank, m;\n  long n = 3;\n\
                MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
                if (rank == 0) MPI_Send(&n, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\n\
                else { MPI_Recv(&m, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); n = m; }\n\
                for (int i = 0; i < n; i++) MPI_Barrier(MPI_COMM_WORLD);\n  MPI_Finalize();\n  return 0;\n}\n";
    let prediction = predicted(text, 2);
    let barrier = prediction.calls.iter().find(|call| call.function == "MPI_Barrier").expect("it is called");
    assert_eq!(barrier.calls.as_f64(), Some(6.0));
}

#[test]
fn a_receive_to_an_unknown_place_leaves_no_stale_value() {
    let text = "#include <mpi.h>\n#include <stdlib.h>\nint a[4] = {5, 5, 5, 5};\n\
                int main(int argc, char **argv) {\n  int rank, *where = a;\n  MPI_Init(&argc, &argv);\n\
                MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  if (random() % 2) where = a + 1;\n\
                if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\n\
                else MPI_Recv(where, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
                for (int i = 0; i < a[0]; i++) MPI_Barrier(MPI_COMM_WORLD);\n  MPI_Finalize();\n  return 0;\n}\n";
    assert_eq!(predicted(text, 2).total_s, None);
}

const PING_PONG: &str = "#include <mpi.h>\nint main(int argc, char **argv) {\n  int rank, i;\n  double x[10];\n\
    MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
    for (i = 0; i < 100; i++) {\n    if (rank == 0) {\n      MPI_Send(x, 10, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);\n\
          MPI_Recv(x, 10, MPI_DOUBLE, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n    } else {\n\
          MPI_Recv(x, 10, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
          MPI_Send(x, 10, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD);\n    }\n  }\n  MPI_Finalize();\n  return 0;\n}\n";

/// The first prediction in JSON of a program given as text, on two tasks.
fn predicted_json(text: &str, more: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    std::fs::write(&file, text).expect("written");
    let mut command = assert_cmd::Command::cargo_bin("chronos").expect("the binary");
    command.arg("predict").arg(&file).args(["-n", "2", "--machine", "pentium2-350", "--format", "json", "-q"]);
    let output = command.args(more).output().expect("it runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    report["predictions"][0].clone()
}

fn sum(list: &Value, value: impl Fn(&Value) -> f64) -> f64 {
    list.as_array().expect("a list").iter().map(value).sum()
}

#[test]
fn the_timeline_is_the_time_of_each_task() {
    let prediction = predicted_json(PING_PONG, &[]);
    let timeline = &prediction["replayed"]["timeline"];
    assert!(timeline["cut"].is_null());
    let length = |span: &Value| span["end_s"].as_f64().expect("a time") - span["begin_s"].as_f64().expect("a time");
    for (rank, task) in prediction["tasks"].as_array().expect("tasks").iter().enumerate() {
        let spans = &timeline["tasks"][rank]["spans"];
        let spent = sum(spans, length);
        assert!((spent - task["total_s"].as_f64().expect("a time")).abs() < 1e-9, "task {rank}: {spent}");
        let of = |kind: &str| sum(spans, |span| if span["kind"] == kind { length(span) } else { 0.0 });
        for (kind, part) in [("send", "send_s"), ("receive", "recv_s"), ("wait", "idle_s"), ("compute", "compute_s")] {
            assert!((of(kind) - task[part].as_f64().expect("a time")).abs() < 1e-9, "task {rank}, {kind}");
        }
    }
    let receive = timeline["tasks"][1]["spans"].as_array().expect("spans").iter().find(|s| s["kind"] == "receive");
    let receive = receive.expect("task 1 receives");
    assert_eq!(
        (receive["partner"].as_u64(), receive["bytes"].as_u64(), receive["tag"].as_i64()),
        (Some(0), Some(80), Some(7))
    );
    assert_eq!((receive["place"]["call"].as_str(), receive["place"]["line"].as_u64()), (Some("MPI_Recv"), Some(12)));
}

#[test]
fn messages_name_both_calls_and_the_matrix_counts_them() {
    let prediction = predicted_json(PING_PONG, &[]);
    let messages = &prediction["replayed"]["messages"];
    assert_eq!((messages["count"].as_u64(), messages["bytes"].as_u64()), (Some(200), Some(16_000)));
    assert_eq!(messages["list"].as_array().map(Vec::len), Some(200));
    let first = &messages["list"][0];
    assert_eq!((first["send"]["line"].as_u64(), first["receive"]["line"].as_u64()), (Some(9), Some(12)));
    let pairs = prediction["replayed"]["matrix"]["pairs"].as_array().expect("pairs");
    let traffic: Vec<_> =
        pairs.iter().map(|p| (p["from"].as_u64(), p["to"].as_u64(), p["messages"].as_u64())).collect();
    assert_eq!(traffic, [(Some(0), Some(1), Some(100)), (Some(1), Some(0), Some(100))]);
}

#[test]
fn functions_and_links_share_the_critical_path() {
    let prediction = predicted_json(PING_PONG, &[]);
    let critical = &prediction["replayed"]["critical"];
    let share = |entry: &Value| entry["share"].as_f64().expect("a share");
    let whole = sum(&critical["functions"], share) + sum(&critical["links"], share);
    assert!((whole - 1.0).abs() < 1e-6, "{whole}");
    let links = critical["links"].as_array().expect("links");
    let messages: u64 = links.iter().filter_map(|link| link["messages"].as_u64()).sum();
    // Two messages of each of the hundred rounds, perhaps one of MPI_Finalize.
    assert!((200..=201).contains(&messages), "{messages}");
}

#[test]
fn a_microsecond_of_latency_is_paid_by_every_message_in_turn() {
    let prediction = predicted_json(PING_PONG, &["--sensitivity"]);
    let sensitivity = prediction["sensitivity"].as_array().expect("a list");
    let slope = sensitivity.iter().find_map(|s| s["ms_per_us"].as_f64()).expect("of the latency");
    // 200 messages one after the other, and one of MPI_Finalize.
    assert!((slope - 0.201).abs() < 1e-6, "{slope}");
}

#[test]
fn a_timeline_with_less_room_says_what_it_leaves_out() {
    let timeline = predicted_json(PING_PONG, &["--timeline", "128"])["replayed"].clone();
    assert_eq!(timeline["timeline"]["tasks"][0]["spans"].as_array().map(Vec::len), Some(64));
    assert!(timeline["timeline"]["cut"].as_str().expect("cut").starts_with("2 tasks are cut short"));
    assert_eq!(timeline["messages"]["cut"], "the first 128 of 200 messages are listed");
}

/// Step by step, a hundred million of them would take minutes.
#[test]
fn a_timeline_of_very_many_steps_is_left_out_with_its_reason() {
    let long = PING_PONG.replace("i < 100;", "i < 20000000;");
    let replayed = predicted_json(&long, &[])["replayed"].clone();
    for part in ["timeline", "critical"] {
        let cut = replayed[part]["cut"].as_str().expect("cut");
        assert!(cut.starts_with("left out: ") && cut.ends_with("more than 33554432"), "{part}: {cut}");
    }
    assert_eq!(replayed["messages"]["count"], 40_000_000);
}

/// Files whose time nobody knows are not silently free.
#[test]
fn free_files_are_told() {
    let told = |program: &str| {
        let value: Value = serde_json::from_str(&report(std::path::Path::new(program), "2")).expect("JSON");
        value["diagnostics"].as_array().map_or(0, |all| all.iter().filter(|found| found["code"] == "C0714").count())
    };
    assert_eq!(told("testdata/mpi/files.c"), 1);
    assert_eq!(told("testdata/mpi/window_fence.c"), 0);
}
