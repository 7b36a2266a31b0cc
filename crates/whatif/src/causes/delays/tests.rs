//! Logs made by hand, in picoseconds.

use super::*;
use chronos_activity::{CommId, ContextId, Site};

const WORK: Part = Part::Function(FuncId(0), None);
const OTHER: Part = Part::Function(FuncId(1), None);

fn compute(segment: u32, begin: u64, end: u64) -> Stretch {
    Stretch { begin: Picoseconds(begin), end: Picoseconds(end), doing: Doing::Segment(SegmentId(segment)) }
}

fn call(block: u32, begin: u64, end: u64) -> Stretch {
    let site = Site { context: ContextId(0), block: BlockId(block) };
    Stretch { begin: Picoseconds(begin), end: Picoseconds(end), doing: Doing::Call(site) }
}

fn wait(task: u32, begin: u64, end: u64, late: u32) -> Wait {
    let late = Some(Late { task: TaskId(late), came: Picoseconds(end) });
    Wait { task: TaskId(task), begin: Picoseconds(begin), end: Picoseconds(end), site: None, late }
}

fn log(histories: Vec<Vec<Stretch>>, waits: Vec<Wait>) -> WaitingLog {
    let collectives = histories.iter().map(|_| Default::default()).collect();
    WaitingLog { histories, waits, collectives, ..WaitingLog::default() }
}

/// Segments 0 and 1 are of one function each; segment 2 is half of each.
fn found(log: &WaitingLog) -> Vec<(Part, u32, f64, f64)> {
    let mut shares = |_, id: SegmentId| match id.0 {
        0 => vec![(WORK, 1.0)],
        1 => vec![(OTHER, 1.0)],
        _ => vec![(WORK, 0.5), (OTHER, 0.5)],
    };
    let caused = delays(log, &mut shares);
    caused.into_iter().map(|((part, task), (direct, passed_on))| (part, task.0, direct, passed_on)).collect()
}

/// Task 0 works for 10, task 1 for 20, and both meet.
#[test]
fn a_task_that_works_twice_as_long_causes_all_waiting() {
    let log = log(vec![vec![compute(0, 0, 10)], vec![compute(0, 0, 20)]], vec![wait(0, 10, 20, 1)]);
    assert_eq!(found(&log), [(WORK, 1, 10.0, 0.0)]);
}

/// Task 1 does the same work, and something else for as long as task 0 waits.
#[test]
fn only_what_the_late_task_did_longer_counts() {
    let log = log(vec![vec![compute(0, 0, 10)], vec![compute(2, 0, 20), compute(1, 20, 24)]], vec![wait(0, 10, 24, 1)]);
    assert_eq!(found(&log), [(OTHER, 1, 14.0, 0.0)]);
}

/// What was done before both met last does not count, though it may have been longer.
#[test]
fn stretches_begin_where_both_met_last() {
    let mut log =
        log(vec![vec![compute(0, 0, 10), compute(1, 30, 40)], vec![compute(0, 0, 30), compute(1, 30, 50)]], vec![]);
    log.waits = vec![wait(0, 10, 30, 1), wait(0, 40, 50, 1)];
    let left = |time| [(CommId(0), vec![(0, Picoseconds(time))])].into_iter().collect();
    log.collectives = vec![left(30), left(30)];
    assert_eq!(found(&log), [(WORK, 1, 20.0, 0.0), (OTHER, 1, 10.0, 0.0)]);
}

/// A message that left task 0 at 10 was there for task 1 at 14: of the time that task 0 waits, 4 are the message's.
#[test]
fn a_message_on_its_way_is_a_part_of_its_own() {
    let mut log = log(vec![vec![call(1, 0, 10)], vec![compute(0, 0, 4), compute(1, 14, 20)]], vec![]);
    log.waits = vec![Wait { late: None, ..wait(1, 4, 14, 0) }, wait(0, 10, 20, 1)];
    log.meetings.insert((TaskId(0), TaskId(1)), vec![(Picoseconds(10), Picoseconds(14))]);
    assert_eq!(found(&log), [(OTHER, 1, 6.0, 0.0), (Part::Message, 1, 4.0, 0.0), (Part::NoTask(None), 1, 10.0, 0.0)]);
}

/// Task 2 works for 30; task 1 waits for it for 20, then works for 5 more, and task 0 waits for 25 of both.
#[test]
fn what_a_late_task_waited_for_is_passed_on() {
    let log = log(
        vec![vec![compute(0, 0, 10)], vec![compute(0, 0, 10), compute(1, 30, 35)], vec![compute(0, 0, 30)]],
        vec![wait(1, 10, 30, 2), wait(0, 10, 35, 1)],
    );
    assert_eq!(found(&log), [(WORK, 2, 20.0, 20.0), (OTHER, 1, 5.0, 0.0)]);
}

/// Both had waited for as long, so neither is late because of that.
#[test]
fn common_waiting_is_not_passed_on() {
    let log = log(
        vec![vec![compute(0, 0, 10)], vec![compute(0, 0, 10), compute(1, 30, 35)], vec![compute(0, 0, 30)]],
        vec![wait(0, 10, 30, 2), wait(1, 10, 30, 2), wait(0, 30, 35, 1)],
    );
    assert_eq!(found(&log), [(WORK, 2, 40.0, 0.0), (OTHER, 1, 5.0, 0.0)]);
}
