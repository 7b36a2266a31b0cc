//! Shared processors, by hand.

use super::super::tests::{activity, faults, play, round_network, table};
use super::super::{Placement, Share};
use insta::assert_snapshot;

fn check(text: &str, processors: u32, load_milli: u32) -> String {
    let tasks = text.lines().count();
    let shares = vec![Share { processors, load_milli }];
    let placement = Placement { nodes: vec![0; tasks], shares, ..Placement::default() };
    let result = play(&activity(text), &round_network(), placement);
    table(&result).lines().filter(|line| !line.starts_with('C')).map(|line| format!("{line}\n")).collect()
}

#[test]
fn short_jobs_leave_their_part_to_the_others() {
    // Three on two processors: 2/3 each until 150, then two with one each.
    assert_snapshot!(check("0: calc 100\n1: calc 200\n2: calc 300", 2, 0), @r"
        0: 150 compute 100 ready 50
        1: 250 compute 200 ready 50
        2: 350 compute 300 ready 50
        ");
}

#[test]
fn a_load_takes_its_part_all_the_time() {
    // One task and one other program on one processor.
    assert_snapshot!(check("0: calc 100", 1, 1000), @"0: 200 compute 100 ready 100");
    assert_snapshot!(check("0: calc 100", 2, 1000), @"0: 100 compute 100");
}

#[test]
fn one_that_waits_takes_nothing() {
    // Task 1 is alone until the message has arrived at 129; the 81 that it still has then take 162.
    assert_snapshot!(check("0: recv 1 8; calc 100\n1: calc 100; send 0 8; calc 100", 1, 0), @r"
    0: 310 compute 100 recv 29 idle 100 ready 81
    1: 291 compute 200 send 10 ready 81
    ");
}

#[test]
fn it_is_said() {
    let placement = Placement { nodes: vec![0, 0, 0], processors: Some(2), ..Placement::default() };
    let result = play(&activity("0: calc 1\n1: calc 1\n2: calc 1"), &round_network(), placement);
    assert!(faults(&result).starts_with("C0709 Note up to 3 tasks share 2 processors"), "{}", faults(&result));
}
