//! `--cube`: the profile says what the report says, read by a reader that we did not write: pycubexr, by which Extra-P reads profiles. A Python
//! with it is named by `ORACLE_PYTHON` (`pip install pycubexr`); without one this says so and passes.

use assert_cmd::Command;
use serde_json::Value;

/// Prints a JSON array: the time of each task, callees of `main` included, and how often each call path is executed by each.
const READ: &str = r"
import json, sys
from pycubexr import CubexParser
with CubexParser(sys.argv[1]) as cube:
    values = {metric.name: cube.get_metric_values(metric) for metric in cube.all_metrics()}
    [main] = cube.get_root_cnodes()
    calls = {}
    for node in cube.all_cnodes():
        name = cube.get_region(node).name
        calls[name] = [a + b for a, b in zip(calls.get(name, [0] * 4), values['visits'].cnode_values(node).tolist())]
    whole = lambda metric: values[metric].cnode_values(main, convert_to_inclusive=True).tolist()
    print(json.dumps([whole('time'), whole('mpi_waiting'), calls]))
";

fn has_reader(python: &str) -> bool {
    std::process::Command::new(python).args(["-c", "import pycubexr"]).output().is_ok_and(|ran| ran.status.success())
}

fn chronos(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("chronos").expect("the binary");
    command.args(arguments);
    command
}

#[test]
fn a_profile_has_the_times_of_the_report() {
    let python = std::env::var("ORACLE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if !has_reader(&python) {
        return eprintln!("left out: {python} has no pycubexr");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let [profile, json] = ["jacobi.cubex", "jacobi.json"].map(|name| folder.path().join(name).display().to_string());
    let program = ["predict", "testdata/programs/jacobi.c", "-n", "4", "--machine", "pentium2-350", "-q"];
    let written = [&program[..], &["--cube", &profile, "--format", "json", "-o", &json]].concat();
    chronos(&written).assert().success();
    let report: Value = serde_json::from_str(&std::fs::read_to_string(&json).expect("written")).expect("a report");
    let read = std::process::Command::new(&python).args(["-c", READ, &profile]).output().expect("it runs");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let read: Value = serde_json::from_slice(&read.stdout).expect("JSON");
    for (rank, task) in report["predictions"][0]["tasks"].as_array().expect("tasks").iter().enumerate() {
        for (told, field) in [(&read[0][rank], "total_s"), (&read[1][rank], "idle_s")] {
            let (told, expected) = (told.as_f64().expect("a time"), task[field].as_f64().expect("a time"));
            assert!(
                (told - expected).abs() <= 1e-9 * expected.max(1e-3),
                "task {rank}: {field} {expected}, {told} read"
            );
        }
    }
    assert_eq!(read[2]["relax"], serde_json::json!([100.0, 100.0, 100.0, 100.0]));
}

#[test]
fn what_is_no_profile_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let profile = folder.path().join("p.cubex").display().to_string();
    let tasks =
        ["predict", "testdata/programs/pi_reduce.c", "--machine", "pentium2-350", "-q", "--cube", &profile, "-n"];
    let refused = chronos(&[&tasks[..], &["2,4"]].concat()).assert().code(2);
    let told = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(told.contains("error[C0971]") && told.contains("is of one prediction, and there are 2"), "{told}");
    assert!(!std::path::Path::new(&profile).exists());
}
