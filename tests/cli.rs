//! The real binary: what it prints, on both streams, and its exit code.
//!
//! `TRYCMD=overwrite cargo test --test cli` writes what it prints now; read the difference before it is committed.

use assert_cmd::Command;
use std::io::Read as _;
use std::process::Stdio;

#[test]
fn golden_runs() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}

fn chronos() -> Command {
    Command::cargo_bin("chronos").expect("the binary")
}

const SMALL: [&str; 4] = ["predict", "testdata/programs/prefix.c", "--machine", "pentium2-350"];

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("chronos"))
        .args(SMALL)
        .args(["-n", "2", "--top", "9"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut first = [0];
    child.stdout.take().expect("a pipe").read_exact(&mut first).expect("a byte");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    let mut errors = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut errors).expect("text");
    assert_eq!(errors, "");
}

#[test]
fn an_output_file_is_replaced_whole_or_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.json");
    std::fs::write(&path, "before").expect("written");
    let output = ["-o", path.to_str().expect("UTF-8"), "--format", "json"];
    chronos().args(SMALL).args(output).args(["-n", "0"]).assert().code(2);
    chronos().args(["predict", "testdata/wrong/syntax.c", "--machine", "pentium2-350"]).args(output).assert().code(2);
    assert_eq!(std::fs::read_to_string(&path).expect("there"), "before");
    chronos().args(SMALL).args(output).assert().code(0).stdout("");
    assert!(std::fs::read_to_string(&path).expect("there").ends_with("}\n"));
    assert_eq!(std::fs::read_dir(folder.path()).expect("there").count(), 1);
}

#[test]
fn colour_is_for_terminals_and_for_those_who_ask() {
    let wrong = ["predict", "testdata/wrong/bounds.c", "--machine", "pentium2-350"];
    let errors = |flags: &[&str], variable: Option<&str>| {
        let mut command = chronos();
        command.args(wrong).args(flags);
        command.envs(variable.map(|name| (name, "1")));
        let output = command.output().expect("it runs");
        String::from_utf8(output.stderr).expect("UTF-8").contains('\u{1b}')
    };
    assert!(!errors(&[], None));
    assert!(errors(&["--color", "always"], None));
    assert!(!errors(&["--color", "never"], None));
    assert!(!errors(&[], Some("NO_COLOR")));
}

#[test]
fn quiet_keeps_errors_and_verbose_says_more() {
    let run = |flags: &[&str], file: &str| {
        let output = chronos()
            .args(["predict", file, "--machine", "pentium2-350", "--c-library", "other"])
            .args(flags)
            .output()
            .expect("it runs");
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    assert!(run(&[], "testdata/programs/pi_send.c").contains("C0307"));
    assert_eq!(run(&["-q"], "testdata/programs/pi_send.c"), "");
    assert!(run(&["-q"], "testdata/wrong/bounds.c").contains("C0305"));
    assert!(run(&["-v"], "testdata/programs/ring.c").contains("evaluated in"));
    assert!(run(&["-v", "-n", "64"], "testdata/programs/ring.c").contains("one task each of 2 classes was followed"));
    assert!(run(&["-v", "-n", "8"], "testdata/programs/ring.c").contains("followed by itself: there are few tasks"));
}

#[test]
fn every_command_has_an_example() {
    for command in [
        "check",
        "predict",
        "count",
        "calibrate",
        "machine",
        "network",
        "dump",
        "explain",
        "header",
        "completions",
        "man",
    ] {
        let output = chronos().args([command, "--help"]).output().expect("it runs");
        let help = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(help.contains("Example") && help.contains(&format!("chronos {command}")), "{command}: {help}");
        assert!(help.lines().all(|line| line.chars().count() <= 120), "{command}");
    }
}

#[test]
fn exceeding_a_limit_is_told() {
    let limit = |seconds: &str| chronos().args(SMALL).args(["-n", "4", "--fail-over", seconds]).assert();
    limit("1000").code(0);
    limit("1e-9").code(1);
}
