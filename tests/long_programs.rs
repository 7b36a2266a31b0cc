//! Programs that are long rather than deep, as generators write them: the time that they take grows with their length, not with
//! its square. Nor does the memory of programs that run for long grow with all that they do.

use std::fmt::Write as _;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// In seconds of processor time, which do not depend on what else the machine does.
const MOST: &str = "120";

/// Of a message whose order of arrival decides what happens: its waits on the critical path, and what the tasks do.
const MOST_BYTES: u64 = 300;

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

/// A master gives items to whoever asks first.
const SELF_SCHEDULED: &str = r"
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, size, items = atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int worker = 1; worker < size; worker++)
            MPI_Send(&worker, 1, MPI_INT, worker, 1, MPI_COMM_WORLD);
        for (int left = items; left > 0; left--) {
            int result, tag = left >= size ? 1 : 2;
            MPI_Status status;
            MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            MPI_Send(&result, 1, MPI_INT, status.MPI_SOURCE, tag, MPI_COMM_WORLD);
        }
    } else {
        int item, n = 1000 * rank;
        MPI_Status status;
        for (;;) {
            MPI_Recv(&item, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            if (status.MPI_TAG == 2)
                break;
            volatile double sum = 0.0;
            for (int i = 0; i < n; i++)
                sum += i;
            MPI_Send(&item, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
";

/// The most kilobytes that a prediction took at once.
fn most_memory(items: &str) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scheduled.c");
    std::fs::write(&path, SELF_SCHEDULED).unwrap();
    let mut chronos = Command::new(env!("CARGO_BIN_EXE_chronos"));
    chronos.arg("predict").arg(&path).args(["-n", "5", "--machine", "epyc-zen5-gcc12-O2", "-q", "--", items]);
    let mut child = chronos.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB")?.trim().parse().ok());
        most = most.max(peak.unwrap_or(0));
        if let Some(ended) = child.try_wait().unwrap() {
            assert!(ended.success(), "{ended}");
            return most;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_order_of_arrival_takes_little_memory() {
    let (few, many) = (most_memory("2000"), most_memory("42000"));
    let bytes = many.saturating_sub(few) * 1024 / 80_000;
    assert!(bytes <= MOST_BYTES, "{bytes} bytes for each message: {few} kB, then {many} kB");
}
