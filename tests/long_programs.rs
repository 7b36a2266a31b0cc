//! Programs that are long rather than deep, as generators write them: the time that they take grows with their length, not with
//! its square.

use std::fmt::Write as _;
use std::process::{Command, Output};

/// In seconds of processor time, which do not depend on what else the machine does.
const MOST: &str = "120";

/// Counts and checks a program within a bound.
#[track_caller]
fn is_followed(statements: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.c");
    std::fs::write(&path, format!("int main(int argc, char **argv) {{ int c = argc;\n{statements}return c; }}"))
        .unwrap();
    for command in ["count", "check"] {
        let mut chronos = Command::new("sh");
        chronos.args(["-c", "ulimit -t \"$0\"; exec \"$@\"", MOST, env!("CARGO_BIN_EXE_chronos"), command]);
        let Output { status, stderr, .. } = chronos.arg(&path).args(["-n", "2"]).output().unwrap();
        let said = String::from_utf8_lossy(&stderr);
        assert!(status.code() == Some(0) && !said.contains("C0950"), "{command}: {status} {said}");
    }
}

#[test]
fn a_long_chain_of_else_if() {
    let mut text = "if (c == 0) c = 1;\n".to_owned();
    (1..5000).for_each(|n| {
        let _ = writeln!(text, "else if (c == {n}) c = {};", n + 1);
    });
    is_followed(&text);
}

#[test]
fn a_switch_of_many_labels() {
    let mut text = "switch (c) {\n".to_owned();
    (0..10_000).for_each(|n| {
        let _ = writeln!(text, "case {n}: c = {}; break;", n + 1);
    });
    is_followed(&(text + "}\n"));
}
