//! `chronos validate` on this machine: what is compared, never how long anything takes.

mod common;

use assert_cmd::Command;
use serde_json::Value;

const MACHINE: [&str; 2] = ["--machine", "epyc-zen5-gcc12-O2"];

fn validate(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("chronos").expect("the binary");
    command.arg("validate").args(MACHINE).args(["--runs", "2"]).args(arguments);
    for (name, value) in [("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")] {
        command.env(name, value);
    }
    command
}

fn report(arguments: &[&str]) -> Value {
    let output = validate(&[&["--format", "json"], arguments].concat()).output().expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

/// Name, calls predicted and measured of all functions, by name.
fn calls(report: &Value) -> Vec<(String, f64, f64)> {
    let of = |f: &Value, key: &str| f[key].as_f64().unwrap_or(-1.0);
    let functions = report["functions"].as_array().expect("an array");
    let one =
        |f: &Value| (f["name"].as_str().unwrap_or("?").to_owned(), of(f, "calls_predicted"), of(f, "calls_measured"));
    let mut all: Vec<_> = functions.iter().map(one).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

#[test]
fn calls_are_those_predicted_and_times_are_measured() {
    let report = report(&["testdata/validation/kernels.c", "--", "30"]);
    assert_eq!(report["schema"], "chronos-validation/1");
    let expected = [("factorial", 30.0), ("leave", 1.0), ("main", 1.0), ("smooth", 30.0), ("total", 30.0)];
    let expected: Vec<_> = expected.map(|(name, calls)| (name.to_owned(), calls, calls)).to_vec();
    assert_eq!(calls(&report), expected);
    for function in report["functions"].as_array().expect("an array") {
        assert!(function["measured_s"].as_f64() > Some(0.0), "{function}");
    }
    let named: Vec<&str> =
        report["untimed"].as_array().expect("an array").iter().filter_map(|f| f["name"].as_str()).collect();
    assert_eq!(named, ["tiny", "made"]);
}

#[test]
fn every_task_of_an_mpi_program_is_timed() {
    if !common::has_mpi() {
        return;
    }
    let report = report(&["testdata/programs/matmul.c", "-n", "2"]);
    let all = calls(&report);
    assert!(all.contains(&("main".to_owned(), 1.0, 1.0)), "{all:?}");
    assert!(report["total"]["measured_s"].as_f64() > Some(0.0));
}

#[test]
fn a_crash_is_told_with_what_the_program_said() {
    let output = validate(&["testdata/validation/crash.c"]).output().expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains("error[C1203]") && errors.contains("signal: 6") && errors.contains("no way out"),
        "{errors}"
    );
}

#[test]
fn a_run_that_takes_too_long_is_stopped() {
    let output = validate(&["testdata/validation/endless.c", "--timeout", "0.2"]).output().expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("it was stopped after 0.2 s"), "{errors}");
}

#[test]
fn predictions_are_corrected_for_the_clock_unless_that_is_not_wanted() {
    let report = report(&["testdata/validation/kernels.c", "--no-clock", "--", "30"]);
    assert!(report["measurement"]["clock"].is_null());
    // Another processor's clock says nothing here.
    let mut other = Command::cargo_bin("chronos").expect("the binary");
    other.args(["validate", "testdata/validation/kernels.c", "--machine", "pentium2-350", "--cc", "cc -O2"]);
    let output = other.args(["--runs", "1", "--format", "json", "--", "30"]).output().expect("it runs");
    let other: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert!(other["measurement"]["clock"].is_null(), "{other}");
}
