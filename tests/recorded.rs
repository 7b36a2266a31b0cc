//! Recorded runs (`chronos record`, `chronos predict --recorded`), on the bundled MPI, and networks of measured message times.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

fn chronos(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_chronos")).current_dir(folder).args(arguments).output();
    let output = output.expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

/// A program in a folder of its own, recorded there with so many tasks.
fn recorded(file: &str, tasks: usize) -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder");
    std::fs::copy(file, place.path().join("a.c")).expect("copied");
    std::fs::copy("testdata/mpi/expect.h", place.path().join("expect.h")).expect("copied");
    let (code, _, errors) = record(place.path(), tasks);
    assert_eq!((code, errors.as_str()), (0, ""), "{file}");
    place
}

fn record(folder: &Path, tasks: usize) -> (i32, String, String) {
    let tasks = tasks.to_string();
    chronos(folder, &["record", "a.c", "-n", &tasks, "--mpi", "bundled", "-o", "a.rec"])
}

/// A prediction of `a.rec`.
fn prediction(folder: &Path, options: &[&str]) -> Value {
    let arguments = [&["predict", "--recorded", "a.rec", "--format", "json"], options].concat();
    let (_, report, errors) = chronos(folder, &arguments);
    let report: Value = serde_json::from_str(&report).unwrap_or_else(|_| panic!("no JSON: {errors}"));
    report["predictions"][0].clone()
}

/// How often each MPI function is called on each line, of those that concern other tasks.
fn calls(prediction: &Value) -> BTreeMap<(String, u64), f64> {
    let all = prediction["calls"].as_array().expect("calls");
    let one = |call: &Value| {
        let name = call["function"].as_str().expect("a name").to_owned();
        ((name, call["line"].as_u64().expect("a line")), call["calls"].as_f64().expect("a count"))
    };
    all.iter()
        .map(one)
        .filter(|((name, _), _)| !matches!(&**name, "MPI_Init" | "MPI_Comm_free" | "MPI_Wtime" | "MPI_Test"))
        .collect()
}

#[test]
fn the_calls_of_a_record_are_those_that_are_evaluated() {
    // What polls find nothing is as often as the run has time for it.
    let programs =
        ["programs/cg", "programs/intsort", "programs/jacobi", "mpi/window_fence", "mpi/files", "mpi/graphs"];
    for name in programs {
        let file = format!("testdata/{name}.c");
        let place = recorded(&file, 4);
        let found = prediction(place.path(), &[]);
        assert!(found["total_s"].is_f64(), "{name}: {found}");
        let known = ["predict", "a.c", "-n", "4", "--machine", "epyc-zen5-gcc12-O2", "--format", "json"];
        let (_, report, errors) = chronos(place.path(), &known);
        let report: Value = serde_json::from_str(&report).unwrap_or_else(|_| panic!("no JSON: {errors}"));
        assert_eq!(calls(&found), calls(&report["predictions"][0]), "{name}");
    }
}

/// The applications of the paper: their tasks do what was asked of them, whatever the order in which they ask.
#[test]
fn applications_that_schedule_themselves_are_complete() {
    // Parts and workers are 20 and 3 each; on a mesh of 2 by 2, two tasks get both stripes from above or from task 0, and so on.
    for (name, received) in [("search", 20 + 3), ("julia", 20 + 3), ("stripes", 1 + 1)] {
        let place = recorded(&format!("testdata/recorded/{name}.c"), 4);
        let found = prediction(place.path(), &["--model", "paper", "--network", "ethernet-1000"]);
        let (total, run) = (found["total_s"].as_f64().expect("complete"), &found["recorded"]);
        let path = run["longest_path_s"].as_f64().expect("a path");
        let computed = found["tasks"].as_array().expect("tasks").iter().filter_map(|task| task["compute_s"].as_f64());
        let busiest = computed.fold(0.0, f64::max);
        assert!(busiest <= path && busiest <= total && path < 2.0 * total, "{name}: {busiest} {path} {total}");
        let of_master: f64 = calls(&found)
            .iter()
            .filter(|((call, _), _)| call == "MPI_Recv")
            .map(|(_, n)| n)
            .fold(0.0, |a, &b| a.max(b));
        assert!(of_master >= f64::from(received), "{name}: {of_master}");
        let again = prediction(place.path(), &["--re-match", "--network", "ethernet-1000"]);
        assert!(again["total_s"].is_f64() && again["recorded"]["matched_anew"] == true, "{name}");
    }
}

/// Writes a record by hand: what stands between the first line of each task's file and its end.
fn written(tasks: &[&str]) -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("a.rec");
    std::fs::create_dir(&folder).expect("made");
    let (count, places) = (tasks.len(), "P 0 MPI_Recv 10 a\nP 1 MPI_Send 20 a\n");
    let info = format!(
        r#"{{"schema": "chronos-record/1", "program": ["a"], "arguments": [], "tasks": {count}, "places": []}}"#
    );
    std::fs::write(folder.join("record.json"), info).expect("written");
    for (rank, lines) in tasks.iter().enumerate() {
        let text = format!("chronos-record/1 task {rank} of {count}\n{places}{lines}");
        std::fs::write(folder.join(format!("task-{rank}.rec")), text).expect("written");
    }
    place
}

/// A message takes 1 ms and 1 us for each byte.
const LINEAR: &str = "linear:a=1e-3,b=1e-6";

/// The master computes 2 ms, then sends 1000 bytes to both slaves, which have them at 4 ms; slave 1 computes 30 ms and slave 2
/// 10 ms; answers of 500 bytes take 1.5 ms. The master got the one of slave 1 first, all the same.
const MASTER: &str = "E 0 send 1 0 0 1000 -1\nC 1 2000000 0 0 9000000 0 0 0 e0\nE 1 send 2 0 0 1000 -1\nC 1 0 0 0 0 0 0 0 e1\n\
                      E 2 recv -1 -1 0 500 -1\nC 0 0 0 0 0 0 0 0 e2 m-1:1:7\nC 0 4000000 0 0 4000000 0 0 0 e2 m-1:2:7\n\
                      END 0 1000000 0 0 1000000\n";
const SLAVE: &str = "E 0 recv 0 0 0 1000 -1\nC 0 0 0 0 0 0 0 0 e0\nE 1 send 0 7 0 500 -1\nC 1 TIME 0 0 90000000 0 0 0 e1\nEND 0 0 0 0 0\n";

#[test]
fn the_longest_path_is_that_of_a_schedule_by_hand() {
    let (one, two) = (SLAVE.replace("TIME", "30000000"), SLAVE.replace("TIME", "10000000"));
    let place = written(&[MASTER, &one, &two]);
    let path = |options: &[&str]| {
        let found = prediction(place.path(), &[&["--model", "paper", "--network", LINEAR], options].concat());
        found["recorded"]["longest_path_s"].as_f64().expect("a path")
    };
    // 2 + 2 + 30 + 1.5, then 4 and 1 of the master.
    assert!((path(&[]) - 40.5e-3).abs() < 1e-9, "{}", path(&[]));
    // A probe in front of a receive waits for nothing of its own.
    let probed = "E 3 probe 1 7 0 0 -1\nC 0 0 0 0 0 0 0 0 e3\nC 0 0 0 0 0 0 0 0 e2 m-1:1:7";
    let master = MASTER.replace("C 0 0 0 0 0 0 0 0 e2 m-1:1:7", probed);
    let found = prediction(written(&[&master, &one, &two]).path(), &["--model", "paper", "--network", LINEAR]);
    assert_eq!(found["recorded"]["longest_path_s"].as_f64(), Some(path(&[])));
    // Computing takes twice as long, of processors of which the system takes a fifth.
    assert!((path(&["--machine-ratio", "2", "--os-share", "0.2"]) - (3.5e-3 + 37e-3 * 2.0 / 0.8)).abs() < 1e-9);
    // Computing is what was recorded, to the last digit: no machine is guessed for the calls.
    let master = prediction(place.path(), &["--network", LINEAR])["tasks"][0]["compute_s"].clone();
    assert_eq!(master, 7e-3);
    // Matched anew, the master takes the answer of slave 2 first, and computes while the other one is on its way.
    let anew = prediction(place.path(), &["--re-match", "--network", LINEAR]);
    let as_recorded = prediction(place.path(), &["--network", LINEAR]);
    let total = |found: &Value| found["total_s"].as_f64().expect("complete");
    assert!(total(&as_recorded) > total(&anew) + 3e-3, "{} {}", total(&as_recorded), total(&anew));
}

/// Other networks and places are replayed; which code computes is not known.
#[test]
fn changes_of_a_recorded_run_are_those_of_its_messages() {
    let (one, two) = (SLAVE.replace("TIME", "30000000"), SLAVE.replace("TIME", "10000000"));
    let place = written(&[MASTER, &one, &two]);
    let asked = |changes: &[&str]| {
        let fixed = ["whatif", "--recorded", "a.rec", "--network", LINEAR, "--format", "json"];
        chronos(place.path(), &[&fixed, changes].concat())
    };
    let (code, report, errors) = asked(&["network=linear:a=1e-4,b=0", "place=0,0,1", "--show", "efficiency"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let study = &report["studies"][0];
    let other = prediction(place.path(), &["--network", "linear:a=1e-4,b=0"]);
    let (changed, total) = (study["rows"][0]["total_s"].as_f64(), other["total_s"].as_f64());
    assert!((changed.expect("a total") - total.expect("a total")).abs() < 1e-9, "{study}");
    // Tasks 0 and 1 compute 37 ms on a node.
    let nodes = study["rows"][1]["placement"].as_array().expect("nodes");
    let busy: f64 = nodes.iter().filter_map(|node| node["busy_share"].as_f64()).sum();
    assert!(busy > 0.5, "{study}");
    let greatest = study["efficiency"]["greatest_compute_s"].as_f64().expect("computed");
    assert!((greatest - 30e-3).abs() < 1e-6, "{greatest}");
    for refused in ["speed=main:2", "node=1:2", "zero=main"] {
        let (code, _, errors) = asked(&[refused]);
        assert!(code == 2 && errors.contains("C0963") && errors.contains(refused), "{errors}");
    }
    assert!(asked(&["--show", "rank"]).2.contains("--show rank and causes name code"));
}

#[test]
fn what_is_no_record_is_told_in_one_error() {
    let (one, two) = (SLAVE.replace("TIME", "30"), SLAVE.replace("TIME", "10"));
    let said = |change: &dyn Fn(&Path), options: &[&str]| {
        let place = written(&[MASTER, &one, &two]);
        change(&place.path().join("a.rec"));
        let (code, _, errors) = chronos(place.path(), &[&["predict", "--recorded", "a.rec"], options].concat());
        assert_eq!(errors.matches("error[").count(), 1, "{errors}");
        (code, errors)
    };
    let write = |name: &'static str, text: &'static str| {
        move |folder: &Path| std::fs::write(folder.join(name), text).expect("written")
    };
    let (code, errors) = said(&write("task-1.rec", ""), &[]);
    assert!(code == 2 && errors.contains("C1701") && errors.contains("it is empty"), "{errors}");
    let (_, errors) = said(&write("task-1.rec", "num_ranks 2\n"), &[]);
    assert!(errors.contains("its first line is not that of a record"), "{errors}");
    let (_, errors) = said(&write("task-1.rec", "chronos-record/1 task 1 of 2\n"), &[]);
    assert!(errors.contains("it is that of task 1 of 2, not of 1 of 3"), "{errors}");
    let (_, errors) = said(&write("record.json", "{}"), &[]);
    assert!(errors.contains("record.json cannot be used: missing field"), "{errors}");
    let (_, errors) = said(&|folder| std::fs::remove_dir_all(folder).expect("removed"), &[]);
    assert!(errors.contains("no such file"), "{errors}");
    for asked in ["7", "1"] {
        let (code, errors) = said(&|_| {}, &["-n", asked]);
        let other = format!("a.rec is a record of 3 tasks, not of {asked}");
        assert!(code == 2 && errors.contains("C1702") && errors.contains(&other), "{errors}");
    }
    let (code, errors) = said(&write("task-1.rec", "chronos-record/1 task 1 of 3\nP 0 MPI_Re"), &[]);
    assert!(code == 1 && errors.contains("C1703") && errors.contains("behind 0 MPI calls"), "{errors}");
    let (_, errors) = said(&write("task-1.rec", "chronos-record/1 task 1 of 3\nT\nEND 0 0 0 0 0\n"), &[]);
    assert!(errors.contains("C1704"), "{errors}");
}

/// A program that is recorded; what was said.
fn recorded_text(text: &str, tasks: usize) -> (tempfile::TempDir, i32, String) {
    let place = tempfile::tempdir().expect("a folder");
    std::fs::write(place.path().join("a.c"), text).expect("written");
    let (code, _, errors) = record(place.path(), tasks);
    (place, code, errors)
}

#[test]
fn programs_that_cannot_be_recorded_are_told_apart() {
    let (_, code, errors) =
        recorded_text("#include <mpi.h>\nint nowhere(void);\nint main(void) { return nowhere(); }", 2);
    assert!(code == 2 && errors.contains("C1005") && errors.contains("nowhere"), "{errors}");
    let (_, code, errors) = recorded_text("int main(void) { return 0; }", 2);
    assert!(code != 0 && errors.contains("C1706"), "{errors}");
}

/// A task that is started has no file; its own would be that of another task.
#[test]
fn a_record_ends_in_front_of_tasks_that_are_started() {
    let text = std::fs::read_to_string("testdata/spawn/manager.c").expect("read");
    // A task that is aborted before it has begun leaves no file.
    let begun = text.replacen("MPI_Init(&argc, &argv);", "MPI_Init(&argc, &argv); MPI_Barrier(MPI_COMM_WORLD);", 1);
    assert_ne!(text, begun);
    let (place, code, said) = recorded_text(&begun, 2);
    assert!(
        code == 1 && said.contains("C1712") && said.contains("MPI_Comm_spawn, behind 2 MPI calls"),
        "{code} {said}"
    );
    let (code, report, said) = chronos(place.path(), &["predict", "--recorded", "a.rec"]);
    assert!(code == 1 && report.contains("Incomplete") && said.contains("chronos run"), "{code} {report} {said}");
}

#[test]
fn what_changes_a_record_is_refused_for_a_program() {
    for flag in [["--os-share", "0.1"], ["--machine-ratio", "2"], ["--model", "paper"]] {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.c"), "int main(void) { return 0; }").expect("written");
        let (code, _, errors) =
            chronos(folder.path(), &["predict", "a.c", "--machine", "epyc-zen5-gcc12-O2", flag[0], flag[1]]);
        assert!(code == 2 && errors.contains("C0965") && errors.contains(flag[0]), "{flag:?}: {errors}");
    }
}

#[test]
fn a_task_that_is_killed_leaves_what_it_did() {
    let text = "#include <mpi.h>\n#include <signal.h>\nint main(int c, char **v) {\nint r, x = 0; MPI_Init(&c, &v);\n\
                MPI_Comm_rank(MPI_COMM_WORLD, &r);\nfor (int i = 0; i < 9; i++) MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);\n\
                if (r == 1) raise(SIGKILL);\nMPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }";
    let (place, code, errors) = recorded_text(text, 2);
    assert!(code == 1 && errors.contains("task-1.rec ends before its program did, behind 10 MPI calls"), "{errors}");
    let found = prediction(place.path(), &[]);
    assert!(found["total_s"].is_null() && found["known_s"].as_f64() > Some(0.0), "{found}");
    assert_eq!(calls(&found).get(&("MPI_Bcast".to_owned(), 6)), Some(&18.0));
}

/// Message times that were measured on an idle network make a network file, and each is told how far it is off.
#[test]
fn measured_message_times_make_a_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| chronos(folder.path(), arguments);
    std::fs::write(folder.path().join("pings.txt"), "# bytes seconds\n0 5e-5\n1000 6e-5\n100000 1.05e-3\n")
        .expect("written");
    let (code, told, errors) = run(&["network", "fit", "pings.txt", "--form", "linear", "-o", "cluster.json"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(
        told.contains("1000") && told.contains("60.00 us") && told.ends_with("Greatest difference: 0.0 %\n"),
        "{told}"
    );
    assert_eq!(run(&["network", "check", "cluster.json"]).0, 0);
    let (code, _, errors) = run(&["network", "fit", "cluster.json", "-o", "other.json"]);
    assert!(code != 0 && errors.contains("C0611") && errors.contains("line 1"), "{errors}");
}

#[test]
fn a_function_that_does_not_suit_message_times_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let fit = |times: &str, form: &str| {
        std::fs::write(folder.path().join("pings.txt"), times).expect("written");
        let (_, told, errors) =
            chronos(folder.path(), &["network", "fit", "pings.txt", "--form", form, "-o", "made.json"]);
        told + &errors
    };
    assert!(fit("8 1e-4\n", "linear").contains("times of 1 size of messages"));
    assert!(
        fit("8 1e-4\n1000 2e-4\n", "linear")
            .contains("Greatest difference: 0.0 %; the function goes through all times")
    );
    let falling = fit("8 1e-4\n1000 5e-5\n", "linear");
    assert!(falling.contains("longer messages take less time") && !falling.contains("--form"), "{falling}");
    let wild = "0 1e-4\n1000 2e-4\n10000 3e-3\n100000 1e-3\n1000000 9e-2\n";
    assert!(fit(wild, "linear").contains("for messages of 100000 bytes: times of messages do not have this form"));
    assert!(fit(wild, "lagrange").contains("(Runge)") && fit(wild, "piecewise").contains("or take --form linear"));
}

#[test]
fn options_that_do_not_suit_a_record_are_told() {
    let place = recorded("testdata/programs/jacobi.c", 2);
    std::fs::copy("testdata/recorded/julia.c", place.path().join("other.c")).expect("copied");
    let machine = "epyc-zen5-gcc12-O2";
    let (same, two) = (format!("{machine}:{machine}"), format!("{machine}:pentium2-350"));
    let cases: [(&[&str], &str); 6] = [
        (&["a.c", "--recorded", "a.rec", "--machine-ratio", &same], "C1714"),
        (
            &["other.c", "--recorded", "a.rec", "--machine-ratio", &two],
            "error[C1707]: the record is of another program",
        ),
        (
            &["other.c", "-n", "2", "--machine", machine, "--calibrated-by", "a.rec"],
            "error[C1707]: the record is of another program",
        ),
        (&["--recorded", "a.rec", "--iterations", "a.c:3=4"], "error[C0965]: --iterations is for a program"),
        (&["--recorded", "a.rec", "--os-share", "-0.1"], "`-0.1` is no share from 0 to below 1"),
        (&["--recorded", "a.rec", "--machine-ratio", "-1"], "`-1` is no factor such as 1.5"),
    ];
    for (options, expected) in cases {
        let (_, _, said) = chronos(place.path(), &[&["predict"], options].concat());
        assert!(said.contains(expected), "{options:?}: {said}");
    }
}

/// Half of the work in a call that only the arguments of the long run reach.
const CALIBRATED: &str = "#include <mpi.h>
#include <stdlib.h>
static double a[2048];
static void sweep(int n) { for (int r = 0; r < n; r++) for (int i = 1; i < N; i++) a[i] = a[i] * 0.5 + a[i - 1]; }
static void late(int n) { for (int r = 0; r < n; r++) for (int i = 1; i < N; i++) a[i] *= 1.5; }
int main(int argc, char **argv)
{
    int n = atoi(argv[1]), all = 0;
    MPI_Init(&argc, &argv);
    for (int k = 0; k < 4; k++) {
        sweep(n);
        MPI_Allreduce(&k, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (n > 1000) late(n);
    MPI_Finalize();
    return a[1] > 1e30;
}
";

#[test]
fn a_short_run_calibrates_the_prediction_of_a_long_one() {
    let place = tempfile::tempdir().expect("a folder");
    std::fs::write(place.path().join("a.c"), CALIBRATED).expect("written");
    let short = ["record", "a.c", "-n", "2", "--mpi", "bundled", "-DN=200", "-o", "a.rec", "--", "300"];
    assert_eq!(chronos(place.path(), &short).0, 0);
    let predicted = |more: &[&str], arguments: &[&str]| {
        let options =
            ["predict", "a.c", "-n", "4", "-DN=400", "--machine", "xeon-emerald-gcc12-O2", "--format", "json"];
        let (_, report, errors) = chronos(place.path(), &[&options, more, &["--"], arguments].concat());
        serde_json::from_str::<Value>(&report).unwrap_or_else(|_| panic!("no JSON: {errors}"))
    };
    let compute = |report: &Value, name: &str| {
        let functions = report["predictions"][0]["functions"].as_array().expect("functions");
        functions
            .iter()
            .find(|found| found["name"] == name)
            .and_then(|found| found["exclusive_s"].as_f64())
            .expect(name)
    };
    let (plain, found) = (predicted(&[], &["3000"]), predicted(&["--calibrated-by", "a.rec"], &["3000"]));
    // The processor here is whatever it is: some ratio that is not 1 holds for all tasks.
    assert_ne!(compute(&found, "sweep"), compute(&plain, "sweep"));
    assert_eq!(compute(&found, "late"), compute(&plain, "late"));
    let diagnostics = found["diagnostics"].as_array().expect("diagnostics");
    let late = diagnostics.iter().find(|told| told["code"] == "C1708").expect("it is told").clone();
    assert!(late["message"].as_str().is_some_and(|text| text.contains("`late`")), "{late}");
    let other = ["--calibrated-by", "a.rec", "--calibrated-on", "epyc-zen5-gcc12-O2"];
    assert_ne!(compute(&predicted(&other, &["3000"]), "sweep"), compute(&found, "sweep"));
    let (code, _, errors) = chronos(
        place.path(),
        &["predict", "a.c", "-DN=400", "--machine", "pentium2-350", "--calibrated-by", "none.rec"],
    );
    assert!(code == 2 && errors.contains("C1701"), "{code} {errors}");
}

#[test]
fn a_record_is_scaled_stretch_by_stretch_by_the_ratio_of_two_machines() {
    let place = recorded("testdata/programs/jacobi.c", 2);
    let compute = |found: &Value| -> Vec<f64> {
        let tasks = found["tasks"].as_array().expect("tasks");
        tasks.iter().map(|task| task["compute_s"].as_f64().expect("a time")).collect()
    };
    let with = |ratio: &str| prediction(place.path(), &["a.c", "--machine-ratio", ratio]);
    let plain = prediction(place.path(), &[]);
    let same = with("xeon-emerald-gcc12-O2:xeon-emerald-gcc12-O2");
    assert_eq!(compute(&same), compute(&plain));
    // From 350 MHz to a processor of today and the other way: the product of both ratios is 1 for each stretch.
    let (slower, faster) = (with("xeon-emerald-gcc12-O2:pentium2-350"), with("pentium2-350:xeon-emerald-gcc12-O2"));
    let factor = |found: &Value| found["recorded"]["factor"].as_f64().expect("a factor");
    assert!((factor(&slower) * factor(&faster) - 1.0).abs() < 1e-9);
    assert!(compute(&slower).iter().zip(compute(&plain)).all(|(slow, here)| *slow > 10.0 * here));
    // What is kept serves until the machine is another one.
    let machine = place.path().join("m.json");
    std::fs::copy("machines/pentium2-350.json", &machine).expect("copied");
    let kept = || {
        let options = ["a.c", "--machine-ratio", "xeon-emerald-gcc12-O2:m.json", "--resume", "kept"];
        prediction(place.path(), &options)
    };
    let first = compute(&kept());
    assert_eq!((&compute(&kept()), &first), (&first, &compute(&slower)));
    let text = std::fs::read_to_string(&machine).expect("read");
    std::fs::write(&machine, text.replace("\"ns_per_cycle\": 2.8571", "\"ns_per_cycle\": 1.4")).expect("written");
    assert!(compute(&kept()).iter().zip(&first).all(|(now, before)| now < before));
    let without = ["predict", "--recorded", "a.rec", "--machine-ratio", "pentium2-350:xeon-emerald-gcc12-O2"];
    let (code, _, errors) = chronos(place.path(), &without);
    assert!(code == 2 && errors.contains("C1711"), "{code} {errors}");
    let (code, _, errors) = chronos(place.path(), &["predict", "a.c", "--recorded", "a.rec"]);
    assert!(code == 2 && errors.contains("C0965"), "{code} {errors}");
}
