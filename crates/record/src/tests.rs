//! Records that are written by hand, as activities.

use crate::calls::CallProgram;
use crate::folder::{NamedPlace, Record, RecordInfo};
use crate::places::SourcePlace;
use crate::steps::{Reading, activity, totals};
use crate::stretches::{CallName, calls};
use crate::task::TaskRecord;
use chronos_activity::{Operation, Step, Work};
use chronos_base::units::Picoseconds;
use std::fmt::Write as _;

/// A place that tests name by its number: functions 0 to 4.
const PLACES: &str = "P 0 MPI_Init 10 a\nP 1 MPI_Recv 20 a\nP 2 MPI_Wait 30 a\nP 3 MPI_Test 40 a\nP 4 MPI_Send 50 a\n";

fn record(tasks: &[&str]) -> Record {
    let count = tasks.len() as u32;
    let text = |(rank, lines): (usize, &&str)| format!("chronos-record/1 task {rank} of {count}\n{PLACES}{lines}");
    let tasks = tasks.iter().enumerate().map(|task| TaskRecord::parse(&text(task)).expect("a first line"));
    Record { tasks: tasks.collect(), info: RecordInfo::new(vec!["a.c".to_owned()], Vec::new(), count) }
}

/// The steps of the first task.
fn check(lines: &str, reading: Reading<'_>) -> String {
    let record = record(&[lines, ""]);
    let calls = CallProgram::new(&record);
    let activity = activity(&record, &calls, reading).expect("its numbers mean something");
    let mut out = String::new();
    for step in &activity.tasks[0] {
        let _ = match step {
            Step::Work(Work::Time(time)) => writeln!(out, "compute {} ns", time.as_nanoseconds()),
            Step::Work(Work::Segment(_)) => write!(out, "call: "),
            Step::Event(event) => writeln!(out, "{}", told(&event.operation)),
            other => writeln!(out, "{other:?}"),
        };
    }
    out
}

fn told(operation: &Operation) -> String {
    match operation {
        Operation::Recv { from, tag, request, .. } => format!("recv from {from:?} tag {tag:?} as {request:?}"),
        Operation::Send { to, bytes, .. } => format!("send {} bytes to {to:?}", bytes.0),
        Operation::WaitAll { requests } => format!("wait for {}", requests.len()),
        Operation::Local { function } => function.to_string(),
        other => format!("{other:?}"),
    }
}

const WILD: &str = "E 0 none\nC 0 5 0 0 6 100 200 0 e0\nE 1 recv -1 -1 0 8 0\nE 2 wait 0\nE 3 recv -1 7 0 8 -1\n\
                    C 1 1000 0 0 1000 3 4 0 e1\nC 3 10 0 0 10 1 1 0 e0\nC 2 20 0 0 20 1 1 0 e2 m0:1:5\n\
                    C 1 30 0 0 30 1 1 0 e3 m-1:0:7\nEND 0 40 0 0 41\n";

#[test]
fn wildcards_are_those_of_the_run() {
    insta::assert_snapshot!(check(WILD, Reading::AS_RECORDED), @r"
    compute 5 ns
    call: MPI_Init
    compute 1000 ns
    call: recv from Some(task1) tag Some(5) as Some(req0)
    compute 10 ns
    call: compute 20 ns
    call: wait for 1
    compute 30 ns
    call: recv from Some(task0) tag Some(7) as None
    compute 40 ns
    ");
}

#[test]
fn wildcards_stay_open_where_they_are_matched_anew_and_times_are_scaled() {
    let text = check(WILD, Reading { matched_anew: true, factor: 2.0, of_stretches: Some(&[vec![1.0, 1.0, 3.0]]) });
    assert!(text.contains("recv from None tag None as Some(req0)"), "{text}");
    assert!(
        text.contains("recv from None tag Some(7)")
            && text.contains("compute 2000 ns")
            && text.contains("compute 60 ns"),
        "{text}"
    );
}

#[test]
fn what_is_behind_the_last_whole_line_is_left_out() {
    let whole = "E 0 send 1 0 0 8 -1\nC 4 7 0 0 8 1 1 0 e0\n";
    for torn in ["C 4 7 0 0", "\0\0\0\0", "", "C 9 7 0 0 8 1 1 0 e0\nEND 0 1 1 1 1\n", "X\n"] {
        let text = check(&format!("{whole}{torn}"), Reading::AS_RECORDED);
        assert_eq!(text, "compute 7 ns\ncall: send 8 bytes to task1\nStuck\n", "{torn:?}");
    }
}

#[test]
fn files_that_are_no_records_are_told_apart() {
    for (text, why) in
        [("", "empty"), ("\0\0", "empty"), ("hello\n", "first line"), ("chronos-record/1 task 3 of 2\n", "first")]
    {
        assert!(TaskRecord::parse(text).expect_err("no record").contains(why), "{text:?}");
    }
}

#[test]
fn what_the_system_takes_is_seen_where_nobody_else_computes() {
    let lines = "E 0 none\nC 0 0 0 0 0 5 9000000000 0 e0\nE 1 send 1 0 0 8 -1\nC 4 900 0 0 1000 1 500 0 e1\n\
                 C 4 100 0 0 5000 1 1 3 e1\nEND 0 0 0 0 0\n";
    let found = totals(&record(&[lines]));
    assert!((found.system_share - 0.1).abs() < 1e-9, "{found:?}");
    assert!((found.wall_s - 6501e-9).abs() < 1e-12 && (found.processor_s - 1000e-9).abs() < 1e-12, "{found:?}");
}

mod damage {
    use super::*;
    use proptest::prelude::*;

    fn text() -> String {
        format!("chronos-record/1 task 0 of 2\n{PLACES}{WILD}")
    }

    /// Steps of what can be read of a text, if there is something.
    fn steps_of(text: &str) -> Option<usize> {
        let mut record = record(&["", ""]);
        record.tasks[0] = TaskRecord::parse(text).ok()?;
        let calls = CallProgram::new(&record);
        activity(&record, &calls, Reading::AS_RECORDED).ok().map(|activity| activity.tasks[0].len())
    }

    proptest! {
        #[test]
        fn the_begin_of_a_file_is_the_begin_of_what_was_done(length in 0..text().len()) {
            let (whole, cut) = (TaskRecord::parse(&text()).expect("whole"), TaskRecord::parse(&text()[..length]));
            if let Ok(cut) = cut {
                prop_assert!(whole.calls.starts_with(&cut.calls) && cut.end.is_none());
                prop_assert!(steps_of(&text()[..length]) <= steps_of(&text()));
            }
        }

        #[test]
        fn damaged_files_do_no_harm(at in 0..text().len(), byte in 0_u8..128) {
            let mut bytes = text().into_bytes();
            bytes[at] = byte;
            let damaged = String::from_utf8(bytes).expect("ASCII");
            let _ = steps_of(&damaged);
        }
    }
}

mod paths {
    use super::*;
    use crate::longest_path::longest_path;
    use chronos_activity::TaskId;
    use chronos_activity::schedule::{Action, Edge, Schedule, ScheduledOperation};

    /// Operations of each task, one after the other.
    fn schedule(tasks: &[&[Action]]) -> Schedule {
        let mut made = Schedule::new(tasks.len());
        for (task, actions) in tasks.iter().enumerate() {
            let task = TaskId(task as u32);
            for &action in *actions {
                let index = made.push(task, ScheduledOperation { action, cpu: 0, linked: false });
                if index > 0 {
                    made.depend(task, Edge { before: index - 1, after: index, begin: false });
                }
            }
            made.seal(task);
        }
        made
    }

    fn compute(ns: u64) -> Action {
        Action::Compute { ns }
    }

    fn send(to: u32, bytes: u64) -> Action {
        Action::Send { to, tag: 0, bytes }
    }

    fn recv(from: u32) -> Action {
        Action::Recv { from, tag: 0, bytes: 0 }
    }

    fn length(tasks: &[&[Action]]) -> Option<u64> {
        let time = |_: TaskId, _: TaskId, bytes: u64| Picoseconds(1000 * (100 + bytes));
        longest_path(&schedule(tasks), &time).map(|length| length.0 / 1000)
    }

    /// A master and two slaves, by hand: the master sends at 10 and 15; slave 1 has it at 10 + 150 and computes to 560, slave 2
    /// at 15 + 150 and computes to 265; answers of 20 bytes come at 680 and 385; then the master computes 7.
    #[test]
    fn a_master_waits_for_its_slowest_slave() {
        let master = [compute(10), send(1, 50), compute(5), send(2, 50), recv(2), recv(1), compute(7)];
        let slave = |ns| [recv(0), compute(ns), send(0, 20)];
        assert_eq!(length(&[&master, &slave(400), &slave(100)]), Some(687));
        // The sender's own work may be longer than all messages.
        assert_eq!(length(&[&[send(1, 0), compute(5000)], &[recv(0)]]), Some(5000));
    }

    /// Messages in rounds: sender, receiver, computing of both before it, bytes.
    fn rounds() -> impl proptest::strategy::Strategy<Value = Vec<(u32, u32, u64, u64, u64)>> {
        proptest::collection::vec((0..4_u32, 1..4_u32, 0..900_u64, 0..900_u64, 0..500_u64), 0..40)
    }

    proptest::proptest! {
        /// A clock for each task, set forth message by message, shows the same.
        #[test]
        fn it_is_the_last_clock_of_tasks_that_wait_for_their_messages(rounds in rounds()) {
            let (mut tasks, mut clocks) = (vec![Vec::new(); 4], [0_u64; 4]);
            for (from, by, first, second, bytes) in rounds {
                let to = (from + by) % 4;
                let (sender, receiver) = (from as usize, to as usize);
                tasks[sender].extend([compute(first), send(to, bytes)]);
                tasks[receiver].extend([compute(second), recv(from)]);
                clocks[sender] += first;
                clocks[receiver] = (clocks[receiver] + second).max(clocks[sender] + 100 + bytes);
            }
            let tasks: Vec<&[Action]> = tasks.iter().map(Vec::as_slice).collect();
            proptest::prop_assert_eq!(length(&tasks), clocks.into_iter().max());
        }
    }

    #[test]
    fn there_is_none_where_a_message_is_missing_or_tasks_wait_for_each_other() {
        assert_eq!(length(&[&[recv(1)], &[compute(1)]]), None);
        assert_eq!(length(&[&[recv(1), send(1, 0)], &[recv(0), send(0, 0)]]), None);
        assert_eq!(length(&[&[recv(chronos_activity::schedule::ANY)], &[send(0, 0)]]), None);
    }
}

/// Processor time by stretch between these calls, by function; what is before `MPI_Init` is none of the program's.
fn stretches(lines: &str, known: &[&str]) -> String {
    let mut record = record(&[lines]);
    for (offset, function) in [(10, "MPI_Init"), (20, "MPI_Recv"), (30, "MPI_Wait"), (50, "MPI_Send")] {
        let source = SourcePlace { function: "main".to_owned(), file: "/tmp/a.c".to_owned(), line: offset };
        record.info.places.push(NamedPlace { module: "a".to_owned(), offset: offset.into(), source });
        assert!(calls(&record).contains(&CallName::new(function, "a.c", offset)), "{function}");
    }
    let known = calls(&record).into_iter().filter(|name| known.contains(&&*name.function)).collect();
    let name = |end: &Option<CallName>| end.as_ref().map_or("-".to_owned(), |end| end.function.clone());
    let mut out = String::new();
    for ((from, to), sum) in &crate::stretches::stretches(&record, &known)[0] {
        let _ = writeln!(out, "{} to {}: {} ns", name(from), name(to), sum.first.cpu_ns);
        if sum.rest.executions > 0 {
            let _ = writeln!(out, "  {} more, {} ns", sum.rest.executions, sum.rest.cpu_ns);
        }
    }
    out
}

const ROUNDS: &str = "E 0 none\nC 0 999 0 0 0 0 0 0 e0\nC 1 10 0 0 0 0 0 0 e0\nC 2 1 0 0 0 0 0 0 e0\nC 4 2 0 0 0 0 0 0 e0\n\
                      C 1 20 0 0 0 0 0 0 e0\nC 4 3 0 0 0 0 0 0 e0\nEND 0 7 0 0 0\n";

#[test]
fn processor_time_is_added_up_by_stretch() {
    insta::assert_snapshot!(stretches(ROUNDS, &["MPI_Recv", "MPI_Send"]), @r"
    - to MPI_Recv: 10 ns
    MPI_Recv to MPI_Send: 3 ns
      1 more, 3 ns
    MPI_Send to -: 7 ns
    MPI_Send to MPI_Recv: 20 ns
    ");
    insta::assert_snapshot!(stretches(ROUNDS, &[]), @"- to -: 43 ns");
}
