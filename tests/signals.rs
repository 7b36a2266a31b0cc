//! Commands that run programs end with all that they started, whichever way they end.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Starts a child of its own, which starts another, and waits for them; all hold the file `marker` of their folder open.
const PROGRAM: &str = "#include <stdlib.h>\n#include <unistd.h>\n\
    int main(void) { (void)!system(\"exec 9>marker; sleep 1000 & trap '' TERM INT HUP; wait; sleep 1000; sleep 1000\"); return 0; }\n";

/// For what happens at once; the busiest machine has done it by then.
const FAR: Duration = Duration::from_mins(15);

const VALIDATE: [&str; 8] =
    ["validate", "a.c", "--machine", "epyc-zen5-gcc12-O2", "--no-clock", "--runs", "1", "--timeout=3000"];

fn chronos(words: &[&str], folder: &Path) -> Child {
    fs::write(folder.join("a.c"), PROGRAM).unwrap();
    fs::create_dir_all(folder.join("tmp")).unwrap();
    // A shell's background jobs and `nohup` ignore signals, and so does what they start.
    let mut command = Command::new("env");
    command.args(["--default-signal", env!("CARGO_BIN_EXE_chronos")]);
    command.args(words).current_dir(folder).env("TMPDIR", folder.join("tmp"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Whether a process has the marker open.
fn is_held(folder: &Path) -> bool {
    let marker = folder.join("marker").canonicalize().unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|process| fs::read_dir(process.path().join("fd")).ok())
        .flatten()
        .flatten()
        .any(|open| fs::read_link(open.path()).is_ok_and(|file| file == marker))
}

#[track_caller]
fn waits_for(what: &str, condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < FAR, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[track_caller]
fn leaves_nothing(folder: &Path) {
    waits_for("a process is left", || !is_held(folder));
    let left: Vec<_> = fs::read_dir(folder.join("tmp")).unwrap().flatten().map(|entry| entry.path()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn signals_end_what_runs() {
    let trace = ["trace", "a.c", "--all", "-o", "trace"];
    for (words, signal, number) in
        [(&VALIDATE[..], "TERM", 15), (&VALIDATE, "INT", 2), (&trace, "TERM", 15), (&trace, "HUP", 1)]
    {
        let folder = tempfile::tempdir().unwrap();
        let mut child = chronos(words, folder.path());
        waits_for("the program starts", || folder.path().join("marker").exists());
        assert!(Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(128 + number), "{words:?}");
        leaves_nothing(folder.path());
    }
}

#[test]
fn timeouts_end_what_runs() {
    let folder = tempfile::tempdir().unwrap();
    // A busy machine may not have started the shell of the program after two seconds.
    for timeout in ["--timeout=2", "--timeout=20", "--timeout=200"] {
        let words = [&VALIDATE[..7], &[timeout]].concat();
        let output = chronos(&words, folder.path()).wait_with_output().unwrap();
        assert!(String::from_utf8_lossy(&output.stderr).contains("--timeout"), "{output:?}");
        if folder.path().join("marker").exists() {
            return leaves_nothing(folder.path());
        }
    }
    panic!("the program never started");
}
