//! Activities from traces that are written by hand.

use super::*;
use crate::identity::Identity;
use crate::lines::checksum;
use crate::map::TraceMap;
use chronos_activity::{CountValue, Operation, Segments, Work};
use chronos_ir::CounterId;
use std::fmt::Write as _;
use std::path::PathBuf;

/// A program of one loop around two calls; its first counters are points 0 to 3.
fn program() -> Program {
    let text = "#include <mpi.h>\nint main(void) { int i; for (i = 0; i < 9; i++) { MPI_Barrier(MPI_COMM_WORLD); } return 0; }";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.c");
    std::fs::write(&file, text).expect("written");
    let options = chronos_frontend::SourceOptions { files: vec![file], ..Default::default() };
    chronos_frontend::program(&options).0.expect("it is C")
}

fn steps(lines: &[&str]) -> Result<String, String> {
    let program = program();
    let header = "chronos-trace/1 00 counts 4 task 0 of 2";
    let lines = std::iter::once(&header).chain(lines);
    let text: String = lines.map(|line| format!("{line} #{:08x}\n", checksum(line))).collect();
    let counters = (0..4).map(|n| (n, vec![(n, 1)])).collect();
    let identity = Identity::of(&program);
    let map = TraceMap {
        schema: String::new(),
        identity,
        tasks: 1,
        points: 4,
        whole: true,
        arguments: None,
        counters,
        volumes: BTreeMap::new(),
    };
    let tasks = vec![TaskTrace::parse(&text).expect("the first line is whole")];
    let trace = Trace { folder: PathBuf::new(), map, tasks, shared: None };
    let activity = activity(&trace, &program, &CallBytes::default()).map_err(|error| error.message.clone())?;
    let mut out = String::new();
    print(&activity.tasks[0], &activity.segments, 0, &mut out);
    Ok(out)
}

fn print(steps: &[Step], segments: &Segments, depth: usize, out: &mut String) {
    for step in steps {
        let _ = write!(out, "{:1$}", "", 2 * depth);
        match step {
            Step::Work(Work::Segment(id)) => {
                let counts = segments.get(*id).by_counter();
                let one = |(CounterId(counter), count): (CounterId, chronos_activity::Count)| match count.value {
                    CountValue::Exact(n) => format!(" {counter}:{n}"),
                    other => format!(" {counter}:{other:?}"),
                };
                let _ = writeln!(out, "work{}", counts.map(one).collect::<String>());
            }
            Step::Event(event) => {
                let text = match &event.operation {
                    Operation::Send { to, bytes, .. } => format!("send {} bytes to {}", bytes.0, to.0),
                    Operation::Recv { from, tag, .. } => format!("recv from {:?} tag {tag:?}", from.map(|from| from.0)),
                    Operation::WaitAll { requests } => format!("wait for {}", requests.len()),
                    Operation::Collective(collective) => format!("{:?} {:?}", collective.kind, collective.volume),
                    other => format!("{other:?}"),
                };
                let _ = writeln!(out, "{text}");
            }
            Step::Repeat(repeat) => {
                let _ = writeln!(out, "{} times", repeat.times);
                print(&repeat.steps, segments, depth + 1, out);
            }
            other => {
                let _ = writeln!(out, "{other:?}");
            }
        }
    }
}

#[test]
fn a_repetition_within_a_segment_begins_behind_its_first_event() {
    let lines = ["S 0 0:1", "S 1 1:2", "E 0 9 send 1 7 0 40 -1", "R 0 e0 s1", "T s0 r0*5 s0", "END 0"];
    insta::assert_snapshot!(steps(&lines).expect("recorded"), @r"
    work 0:1
    send 40 bytes to 1
    4 times
      work 1:2
      send 40 bytes to 1
    work 0:1 1:2
    ");
}

#[test]
fn rules_without_events_are_added_up() {
    let lines = ["S 0 0:1", "E 0 9 none", "R 0 s0*3 e0", "R 1 r0*2 s0", "T r1*10", "END 0"];
    insta::assert_snapshot!(steps(&lines).expect("recorded"), @"work 0:70");
}

#[test]
fn wildcards_waits_and_collectives_keep_what_was_asked() {
    let lines = [
        "E 0 9 recv -1 -1 0 8 0",
        "E 1 9 wait 0",
        "E 2 9 gatherv 0 1 -1 1 24",
        "E 3 9 alltoallv 0 -1 -1 1 4 4 12",
        "E 4 9 allreduce 0 -1 -1 1 16",
        "T e0 e1 e2 e3 e4",
        "CUT 9",
    ];
    insta::assert_snapshot!(steps(&lines).expect("recorded"), @r"
    recv from None tag None
    wait for 1
    Gather Blocks { own: Bytes(24), blocks: [] }
    Alltoall Blocks { own: Bytes(4), blocks: [Bytes(4), Bytes(12)] }
    Allreduce Each(Bytes(16))
    Stuck
    ");
}

#[test]
fn what_means_nothing_is_refused() {
    for bad in ["send 2 0 0 8 -1", "send -1 0 0 8 -1", "recv 0 0 5 8 -1", "recv 0 0 0", "teleport 1", "wait -1"] {
        let call = format!("E 0 9 {bad}");
        assert!(steps(&[&call, "T e0", "END 0"]).is_err(), "{bad}");
    }
}
