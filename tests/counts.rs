//! Counts of the test programs: they follow the schema, are those of a prediction, and every inexact one has its reason.

mod common;

use chronos::activity::Count;
use chronos::machine::network::Network;
use chronos::predict::Job;
use chronos::predict::assumptions::AssumptionFile;
use chronos::predict::profile::{self, Counted};
use chronos::report::classes::Ranks;
use chronos::report::counts::{CountReport, CountSweep};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn counted(job: &Job) -> Counted {
    profile::count(job, &Network::load("ethernet-100").expect("it is shipped"))
}

/// Those in which arrival decides are counted for another timing than that of a prediction.
fn programs() -> Vec<PathBuf> {
    let mut all = common::sources("testdata/programs");
    all.retain(|program| !program.ends_with("selfsched.c"));
    all
}

#[test]
fn blocks_count_as_in_a_prediction() {
    programs().into_par_iter().for_each(|program| {
        for tasks in [2, 5] {
            let job = common::job(&program, tasks, &[]);
            let (counted, predicted) = (counted(&job), common::predict(&job));
            for (block, expected) in counted.blocks.iter().zip(&predicted.blocks) {
                let times = |tasks: usize| Count::exact(tasks as u128);
                let groups = block.counts.iter().map(|g| g.amount.count.times(times(g.tasks.len())));
                let sum = groups.fold(Count::ZERO, |sum, count| sum + count).as_f64().expect("known");
                let expected = expected.count.as_f64().expect("known");
                let close = (sum - expected).abs() <= 1e-9 * expected;
                assert!(close, "{} -n {tasks} block {}: {sum}, {expected}", program.display(), block.id);
            }
        }
    });
}

#[test]
fn every_task_is_in_one_group() {
    for program in programs() {
        for block in counted(&common::job(&program, 4, &[])).blocks {
            let mut tasks: Vec<u32> = block.counts.iter().flat_map(|group| group.tasks.clone()).collect();
            tasks.sort_unstable();
            assert_eq!(tasks, [0, 1, 2, 3], "{} block {}", program.display(), block.id);
        }
    }
}

#[test]
fn the_list_names_every_inexact_block_once() {
    let mut all = common::sources("testdata/programs");
    all.extend(common::sources("testdata/sequential"));
    for program in all {
        let counted = counted(&common::job(&program, 4, &[]));
        let listed: Vec<u32> = counted.inexact.iter().flat_map(|cause| cause.blocks.clone()).collect();
        let inexact = |block: &&chronos::report::counts::model::BlockCounts| {
            block.counts.iter().any(|group| group.reason.is_some())
        };
        let expected: BTreeSet<u32> = counted.blocks.iter().filter(inexact).map(|block| block.id).collect();
        assert_eq!(listed.iter().copied().collect::<BTreeSet<u32>>(), expected, "{}", program.display());
        assert_eq!(listed.len(), counted.summary.inexact(), "{}", program.display());
        assert!(counted.inexact.iter().all(|cause| cause.remedy.is_some()), "{}", program.display());
    }
}

/// Where every group lists its tasks.
fn first_version(schema: &Value) -> Value {
    let groups = ["TaskCounts", "LineTaskCounts"];
    common::first_version(schema, &groups.map(|name| (name, "ranks")), &groups.map(|name| (name, "tasks")))
}

fn schema() -> Value {
    serde_json::to_value(schemars::schema_for!(CountReport)).expect("schema is JSON")
}

/// The committed schema is what the types say; `UPDATE_SCHEMAS=1` rewrites it.
#[test]
fn the_committed_schema_is_current() {
    common::check_schema("chronos-count-2", &schema());
    common::check_schema("chronos-count-1", &first_version(&schema()));
}

fn sweep_schema() -> Value {
    serde_json::to_value(schemars::schema_for!(CountSweep)).expect("schema is JSON")
}

#[test]
fn the_committed_schema_of_several_counts_is_current() {
    common::check_schema("chronos-count-sweep-2", &sweep_schema());
    common::check_schema("chronos-count-sweep-1", &first_version(&sweep_schema()));
}

/// Of many tasks groups have ranges, which say what the lists say.
#[test]
fn ranges_of_ranks_are_the_lists_of_tasks() {
    let arguments = ["count", "testdata/programs/jacobi.c", "-n", "70", "--format", "json"];
    let [ranges, lists] = [&[][..], &["--per-task"]]
        .map(|more| -> Value { serde_json::from_str(&chronos(&[&arguments[..], more].concat()).1).expect("JSON") });
    assert_eq!((&ranges["schema"], &lists["schema"]), (&"chronos-count/2".into(), &"chronos-count/1".into()));
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    assert_eq!(validator.iter_errors(&ranges).map(|e| e.to_string()).collect::<Vec<_>>(), Vec::<String>::new());
    let groups = |report: &Value, kind: &str| -> Vec<Value> {
        report[kind]
            .as_array()
            .expect("a list")
            .iter()
            .flat_map(|one| one["counts"].as_array().expect("a list").clone())
            .collect()
    };
    for kind in ["blocks", "lines"] {
        for (short, long) in groups(&ranges, kind).iter().zip(groups(&lists, kind)) {
            let ranks: Ranks = short["ranks"].as_str().and_then(|text| text.parse().ok()).expect("ranks");
            assert_eq!(
                (ranks.iter().collect::<Vec<_>>().into(), &short["count"]),
                (long["tasks"].clone(), &long["count"])
            );
        }
    }
}

/// Counts side by side are those that are made alone.
#[test]
fn several_counts_are_those_of_each() {
    let program = "testdata/programs/pi_send.c";
    let several = ["count", program, "-n", "2,3", "--sweep", "argv1=5,70", "--format", "json", "--", "1", "2"];
    let all: Value = serde_json::from_str(&chronos(&several).1).expect("JSON");
    let validator = jsonschema::validator_for(&sweep_schema()).expect("a schema");
    assert_eq!(validator.iter_errors(&all).map(|e| e.to_string()).collect::<Vec<_>>(), Vec::<String>::new());
    let cases = all["cases"].as_array().expect("a list");
    let expected = [("5", "2"), ("5", "3"), ("70", "2"), ("70", "3")];
    assert_eq!(cases.len(), expected.len());
    for (case, (darts, tasks)) in cases.iter().zip(expected) {
        let alone = chronos(&["count", program, "-n", tasks, "--format", "json", "--", darts, "2"]).1;
        let alone: Value = serde_json::from_str(&alone).expect("JSON");
        assert_eq!(case["sweep"][0]["value"], darts);
        for key in ["tasks_count", "program", "blocks", "lines", "summary", "inexact"] {
            assert_eq!(case[key], alone[key], "{key} of {darts} darts, {tasks} tasks");
        }
    }
}

#[test]
fn the_committed_schema_of_assumptions_is_current() {
    let schema = serde_json::to_value(schemars::schema_for!(AssumptionFile)).expect("schema is JSON");
    common::check_schema("chronos-assumptions-1", &schema);
}

fn chronos(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = assert_cmd::Command::cargo_bin("chronos").expect("the binary");
    let output = command.args(arguments).arg("-q").output().expect("it runs");
    (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
}

#[test]
fn a_file_of_assumptions_is_written_filled_in_and_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("assumptions.json");
    let name = path.to_str().expect("UTF-8");
    let program = "testdata/wrong/unknown_trips.c";
    let (code, before) = chronos(&["count", program, "--write-assumptions", name]);
    assert_eq!(code, Some(1));
    let mut file = AssumptionFile::load(&path).expect("it is valid");
    assert_eq!((file.branches.len(), file.loops.len(), file.loops[0].line), (0, 1, 9));
    assert_eq!((file.loops[0].iterations, file.loops[0].assumed), (None, None));
    assert_eq!(file.loops[0].code, "while (x > error)");

    let unfilled = chronos(&["count", program, "--assume", name]);
    assert_eq!(unfilled, (Some(1), before));

    file.loops[0].iterations = Some(7.0);
    std::fs::write(&path, file.to_json()).expect("written");
    let (code, after) = chronos(&["count", program, "--assume", name]);
    assert_eq!(code, Some(0));
    assert!(after.contains("blocks: 4 exact, 3 probability, 0 assumed, 0 unknown"), "{after}");

    let (_, given) = chronos(&["count", program, "--assume", name, "--iterations", "unknown_trips.c:9=3"]);
    assert!(given.contains("the mean of 3 iterations was given"), "{given}");
    let (_, _) = chronos(&["count", program, "--assume", name, "--write-assumptions", name]);
    assert_eq!(AssumptionFile::load(&path).expect("it is valid").loops[0].iterations, Some(7.0));
}

#[test]
fn missing_input_is_made_with_placeholders() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("reads.c");
    let source = r#"#include <stdio.h>
#include <unistd.h>
int main(void) {
    int n, k = 0;
    double x;
    char line[80], name[20];
    if (access("data/mesh.txt", R_OK) != 0) return 1;
    FILE *f = fopen("data/mesh.txt", "r");
    fscanf(f, "cells %d\n", &n);
    for (int i = 0; i < n; i++)
        if (fscanf(f, "%lf,%19s", &x, name) == 2 && x > 0.5)
            k++;
    while (fgets(line, 80, stdin))
        k++;
    return 0;
}
"#;
    std::fs::write(&program, source).expect("written");
    let program = program.to_str().expect("UTF-8");
    let made = folder.path().join("made");
    let made_name = made.to_str().expect("UTF-8");
    let (code, page) = chronos(&["check", program, "--make-input", made_name]);
    assert_eq!(code, Some(0), "{page}");
    let mesh = made.join("data_mesh.txt");
    let option = format!("--input-file data/mesh.txt={}", mesh.display());
    assert!(page.contains(&option) && page.contains("--stdin "), "{page}");
    assert_eq!(std::fs::read_to_string(&mesh).expect("made"), format!("cells 8\n{}", "1.0,word\n".repeat(8)));
    let lines = std::fs::read_to_string(made.join("stdin.txt")).expect("made");
    assert_eq!(lines, "8\n".repeat(16));

    let given = format!("data/mesh.txt={}", mesh.display());
    let stdin = format!("{made_name}/stdin.txt");
    let (code, counts) = chronos(&["count", program, "--input-file", &given, "--stdin", &stdin]);
    assert_eq!(code, Some(0));
    assert!(counts.contains("8:  12:") && counts.contains("16:  14:"), "{counts}");

    let (code, _) = chronos(&["check", program, "--make-input", made_name]);
    assert_eq!(code, Some(2), "files of the user's are not overwritten");
    let sieve = "testdata/sequential/sieve.c";
    let (_, page) = chronos(&["check", sieve, "--make-input", made_name]);
    assert!(page.contains("No input is missing"), "{page}");
}

#[test]
fn json_follows_the_schema() {
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    for (program, tasks) in [
        ("testdata/programs/pi_send.c", "4"),
        ("testdata/programs/heat2d.c", "4"),
        ("testdata/programs/selfsched.c", "3"),
        ("testdata/sequential/queens.c", "1"),
        ("testdata/wrong/unknown_trips.c", "2"),
        ("testdata/wrong/rank.c", "2"),
    ] {
        let text = json(Path::new(program), tasks);
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let faults: Vec<String> =
            validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).take(5).collect();
        assert!(faults.is_empty(), "{program}: {faults:?}");
        assert_eq!(value["schema"], CountReport::SCHEMA);
        assert_eq!(value["blocks"][0]["id"], 0);
    }
}

/// Standard output of `chronos count --format json`.
fn json(program: &Path, tasks: &str) -> String {
    let mut command = assert_cmd::Command::cargo_bin("chronos").expect("the binary");
    command.arg("count").arg(program).args(["-n", tasks, "--format", "json", "-q"]);
    String::from_utf8(command.output().expect("it runs").stdout).expect("UTF-8")
}

/// Whether the loops over `int full[10]`, `double flat[4][4]` are said to go beyond it.
fn goes_beyond(loops: &str) -> bool {
    let text = format!("int full[10]; double flat[4][4];\nint main(void) {{ int k = 0; {loops}\n return k; }}\n");
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("a.c");
    std::fs::write(&path, text).expect("written");
    let counted = counted(&common::job(&path, 1, &[]));
    counted.diagnostics.iter().any(|d| d.code.id == "C0336" && d.message.contains("comes to element"))
}

#[test]
fn loops_beyond_an_array_are_doubted() {
    for certain in [
        "for (int i = 0; i <= 10; i++) full[i] = i;",
        "for (int i = 0; i < 10; i++) full[i] = full[i + 1];",
        "for (int i = 1; i < 12; i += 2) full[i] = i;",
        "for (int i = 0; i < 100000000; i++) full[i] = i;",
        "for (int j = 0; j < 2; j++) for (int i = 0; i < 11; i++) full[i]++;",
    ] {
        assert!(goes_beyond(certain), "{certain}");
    }
    for sound in [
        "for (int i = 0; i < 10; i++) full[i] = i;",
        "for (int i = 0; i < 10; i++) full[9 - i] = i;",
        "for (int i = 1; i < 10; i++) full[i - 1] = full[i];",
        "for (int i = 0; i < 20; i += 2) full[i / 2] = i;",
        // In the memory of the array of arrays.
        "for (int j = 0; j < 16; j++) flat[0][j] = j;",
        "for (int i = 0; i < 20; i++) { if (i >= 10) break; full[i] = i; }",
        "for (int i = 0; i < 20; i++) { if (i < 10) full[i] = i; else k++; }",
        "for (int i = 0; i < 20; i++) { full[i] = i; if (i == 9) i = 20; }",
    ] {
        assert!(!goes_beyond(sound), "{sound}");
    }
}
