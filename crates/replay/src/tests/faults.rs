use super::*;

#[test]
fn a_deadlock_names_its_cycle() {
    insta::assert_snapshot!(faults(&run("0: recv 1 8; send 1 8\n1: recv 0 8 tag=7; send 0 8")), @"C0701 Error deadlock: task 0 waits for a message from task 1 (tag 0); task 1 waits for a message from task 0 (tag 7)");
    insta::assert_snapshot!(faults(&run("0: send 1 2000; recv 1 2000\n1: send 0 2000; recv 0 2000")), @"C0701 Error deadlock: task 0 waits for task 1 to receive 2000 bytes (tag 0); task 1 waits for task 0 to receive 2000 bytes (tag 0)");
}

#[test]
fn waiting_for_a_task_that_ended_is_no_deadlock() {
    insta::assert_snapshot!(faults(&run("0: calc 5\n1: recv 0 8")), @"C0702 Error task 1 waits for a message from task 0 (tag 0), but task 0 has ended");
}

#[test]
fn a_message_that_nobody_receives_is_reported() {
    insta::assert_snapshot!(faults(&run("0: send 1 8\n1: calc 1")), @"C0704 Warning nobody receives a message of 8 bytes from task 0 to task 1 (tag 0)");
}

#[test]
fn truncation_is_an_error() {
    insta::assert_snapshot!(faults(&run("0: send 1 16\n1: recv 0 8")), @"C0705 Error task 1 receives a message of 16 bytes from task 0 (tag 0) into room for 8");
}

#[test]
fn those_who_wait_for_a_stuck_task_are_not_in_a_deadlock() {
    let result = run("0: calc 5; stuck\n1: recv 0 8");
    assert_eq!(
        (result.complete, result.tasks[0].finish, result.tasks[1].finish),
        (false, Finish::Stuck, Finish::Blocked)
    );
    insta::assert_snapshot!(faults(&result), @"C0703 Note tasks wait for others that could not be followed to their end");
}

#[test]
fn an_abort_ends_all() {
    let result = run("0: calc 5; abort 3\n1: recv 0 8");
    assert_eq!((result.abort, result.complete, result.tasks[1].finish), (Some(3), true, Finish::Aborted));
    let end = run("0: calc 5; abort 0\n1: recv 0 8");
    assert_eq!((end.abort, end.complete, end.tasks[1].finish), (Some(0), true, Finish::Aborted));
    let result = run("0: calc 50; abort 3\n1: recv 0 8\n2: calc 30; recv 1 8\n3: calc 70; calc 10\n4: calc 20");
    insta::assert_snapshot!(table(&result), @r"
    0: 50 compute 50
    1: 50 idle 50
    2: 50 compute 30 idle 20
    3: 50 compute 50
    4: 20 compute 20
    C0710 Warning task 0 aborts the program with code 3
    ");
}

#[test]
fn different_collectives_are_a_mismatch() {
    insta::assert_snapshot!(faults(&run("0: bcast 0 8\n1: bcast 1 8")), @"C0706 Error task 0 calls MPI_Bcast with root 0 and task 1 calls MPI_Bcast with root 1 as operation 1 on MPI_COMM_WORLD");
    insta::assert_snapshot!(faults(&run("0: allreduce - 8\n1: allreduce - 16")), @"C0711 Error in MPI_Allreduce on MPI_COMM_WORLD, task 0 gives 8 bytes and task 1 gives 16");
    insta::assert_snapshot!(faults(&run("0: barrier\n1: calc 1")), @"C0702 Error task 0 waits for task 1 in MPI_Barrier (MPI_COMM_WORLD), but task 1 has ended");
}
