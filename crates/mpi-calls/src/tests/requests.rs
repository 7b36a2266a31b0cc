//! Requests: waiting, testing, persistent ones, cancelling.

use super::driver::*;
use chronos_activity::Operation;

/// Task 1 posts `n` receives with tags 0.. into 100.., handles at 0..; task 0 holds 50, 51, ... at 100...
fn posted(n: i64) -> TestJob {
    let mut job = TestJob::new(2);
    let values: Vec<i64> = (0..n).map(|i| 50 + i).collect();
    job.set(0, 100, &values);
    for tag in 0..n {
        job.call(1, "MPI_Irecv", &[at(100 + 4 * tag), int(1), INT, int(0), int(tag), WORLD, at(4 * tag)]);
    }
    job.run();
    job
}

fn send(job: &mut TestJob, tag: i64) {
    job.call(0, "MPI_Send", &[at(100 + 4 * tag), int(1), INT, int(1), int(tag), WORLD]);
}

#[test]
fn wait_completes_and_nulls_the_handle() {
    let mut job = posted(1);
    assert_eq!(job.get(1, 0), Some(1));
    send(&mut job, 0);
    job.call(1, "MPI_Wait", &[at(0), at(300)]);
    job.call(1, "MPI_Wait", &[at(0), at(330)]);
    job.run();
    assert_eq!((job.get(1, 100), job.get(1, 0)), (Some(50), Some(0)));
    assert_eq!((job.get(1, 300), job.get(1, 330)), (Some(0), Some(-101)));
}

#[test]
fn the_status_of_a_request_can_be_asked_for_before_it_is_waited_for() {
    let mut job = posted(1);
    send(&mut job, 0);
    job.run();
    job.call(1, "MPI_Request_get_status", &[int(1), at(200), at(300)]);
    job.run();
    assert_eq!((job.get(1, 200), job.get(1, 300), job.get(1, 0)), (Some(1), Some(0), Some(1)));
    job.call(1, "MPI_Wait", &[at(0), at(330)]);
    job.call(1, "MPI_Request_get_status", &[int(0), at(204), at(360)]);
    job.run();
    assert_eq!((job.get(1, 100), job.get(1, 330), job.get(1, 0)), (Some(50), Some(0), Some(0)));
    assert_eq!((job.get(1, 204), job.get(1, 360)), (Some(1), Some(-101)));
}

#[test]
fn waitall_gives_each_its_status() {
    let mut job = posted(3);
    [2, 0, 1].into_iter().for_each(|tag| send(&mut job, tag));
    job.call(1, "MPI_Waitall", &[int(3), at(0), at(300)]);
    job.run();
    assert_eq!(job.ints(1, 100, 3), [50, 51, 52]);
    assert_eq!([304, 328, 352].map(|tag| job.get(1, tag)), [Some(0), Some(1), Some(2)]);
    assert_eq!(job.ints(1, 0, 3), [0, 0, 0]);
}

#[test]
fn waitany_names_the_one_that_came() {
    let mut job = posted(3);
    send(&mut job, 2);
    job.call(1, "MPI_Waitany", &[int(3), at(0), at(400), at(300)]);
    job.run();
    assert_eq!((job.get(1, 400), job.get(1, 304), job.get(1, 108)), (Some(2), Some(2), Some(52)));
    assert_eq!(job.ints(1, 0, 3), [1, 2, 0]);
    send(&mut job, 0);
    job.call(1, "MPI_Waitany", &[int(3), at(0), at(400), NULL]);
    send(&mut job, 1);
    job.call(1, "MPI_Waitany", &[int(3), at(0), at(404), NULL]);
    job.call(1, "MPI_Waitany", &[int(3), at(0), at(408), NULL]);
    job.run();
    assert_eq!(job.ints(1, 400, 3), [0, 1, UNDEFINED]);
}

#[test]
fn waitsome_takes_all_that_is_there() {
    let mut job = posted(4);
    [3, 1].into_iter().for_each(|tag| send(&mut job, tag));
    job.run();
    job.call(1, "MPI_Waitsome", &[int(4), at(0), at(400), at(404), at(500)]);
    job.run();
    assert_eq!(job.ints(1, 400, 3), [2, 1, 3]);
    assert_eq!([504, 528].map(|tag| job.get(1, tag)), [Some(1), Some(3)]);
    job.call(1, "MPI_Testsome", &[int(4), at(0), at(400), at(404), at(500)]);
    job.run();
    assert_eq!(job.get(1, 400), Some(0));
    [0, 2].into_iter().for_each(|tag| send(&mut job, tag));
    job.run();
    job.call(1, "MPI_Testsome", &[int(4), at(0), at(400), at(404), NULL]);
    job.call(1, "MPI_Waitsome", &[int(4), at(0), at(420), at(424), NULL]);
    job.run();
    assert_eq!(job.ints(1, 400, 3), [2, 0, 2]);
    assert_eq!(job.get(1, 420), Some(UNDEFINED));
}

#[test]
fn test_says_whether_it_is_there() {
    let mut job = posted(1);
    job.call(1, "MPI_Test", &[at(0), at(400), at(300)]);
    job.run();
    assert_eq!((job.get(1, 400), job.get(1, 0)), (Some(0), Some(1)));
    send(&mut job, 0);
    job.run();
    job.call(1, "MPI_Test", &[at(0), at(400), at(300)]);
    job.call(1, "MPI_Test", &[at(0), at(404), at(300)]);
    job.run();
    assert_eq!((job.ints(1, 400, 2), job.get(1, 0), job.get(1, 100)), (vec![1, 1], Some(0), Some(50)));
}

#[test]
fn testall_and_testany() {
    let mut job = posted(2);
    send(&mut job, 1);
    job.run();
    job.call(1, "MPI_Testall", &[int(2), at(0), at(400), NULL]);
    job.call(1, "MPI_Testany", &[int(2), at(0), at(404), at(408), NULL]);
    job.call(1, "MPI_Testany", &[int(2), at(0), at(412), at(416), NULL]);
    job.run();
    assert_eq!(job.ints(1, 400, 5), [0, 1, 1, UNDEFINED, 0]);
    send(&mut job, 0);
    job.run();
    job.call(1, "MPI_Testall", &[int(2), at(0), at(400), NULL]);
    job.call(1, "MPI_Testany", &[int(2), at(0), at(404), at(408), NULL]);
    job.run();
    assert_eq!(job.ints(1, 400, 3), [1, UNDEFINED, 1]);
}

#[test]
fn immediate_sends_use_numbers_again() {
    let mut job = TestJob::new(2);
    for name in ["MPI_Isend", "MPI_Issend", "MPI_Ibsend", "MPI_Irsend"] {
        job.call(0, name, &[at(100), int(1), INT, int(1), int(0), WORLD, at(0)]);
        job.call(0, "MPI_Wait", &[at(0), NULL]);
    }
    job.run();
    let requests: Vec<u32> = job.log.iter().filter_map(|(_, op)| request(op)).collect();
    assert_eq!(requests, [0, 0, 0, 0]);
}

fn request(operation: &Operation) -> Option<u32> {
    match operation {
        Operation::Send { request, .. } => request.map(|request| request.0),
        _ => None,
    }
}

#[test]
fn nobody_completes_at_once() {
    let mut job = TestJob::new(1);
    job.call(0, "MPI_Irecv", &[at(100), int(1), INT, PROC_NULL, int(0), WORLD, at(0)]);
    job.call(0, "MPI_Isend", &[at(100), int(1), INT, PROC_NULL, int(0), WORLD, at(4)]);
    job.call(0, "MPI_Waitall", &[int(2), at(0), at(300)]);
    job.run();
    assert_eq!(job.local_calls(0), ["MPI_Irecv", "MPI_Isend", "MPI_Waitall"]);
    assert_eq!((job.ints(0, 0, 2), job.get(0, 300)), (vec![0, 0], Some(-103)));
}

#[test]
fn persistent_requests_of_nobody_take_the_time_of_calls() {
    let mut job = TestJob::new(1);
    job.call(0, "MPI_Send_init", &[at(100), int(1), INT, PROC_NULL, int(0), WORLD, at(0)]);
    job.call(0, "MPI_Recv_init", &[at(100), int(1), INT, PROC_NULL, int(0), WORLD, at(4)]);
    job.call(0, "MPI_Startall", &[int(2), at(0)]);
    job.call(0, "MPI_Waitall", &[int(2), at(0), NULL]);
    job.call(0, "MPI_Start", &[at(4)]);
    job.call(0, "MPI_Wait", &[at(4), at(300)]);
    job.run();
    let calls = ["MPI_Send_init", "MPI_Recv_init", "MPI_Startall", "MPI_Waitall", "MPI_Start", "MPI_Wait"];
    assert_eq!((job.local_calls(0), job.get(0, 300)), (calls.map(str::to_owned).to_vec(), Some(-103)));
}

#[test]
fn persistent_requests_start_again() {
    let mut job = TestJob::new(2);
    job.call(0, "MPI_Send_init", &[at(100), int(1), INT, int(1), int(0), WORLD, at(0)]);
    job.call(1, "MPI_Recv_init", &[at(100), int(1), INT, int(0), int(0), WORLD, at(0)]);
    for value in [7, 8] {
        job.run();
        job.set(0, 100, &[value]);
        job.call(0, "MPI_Start", &[at(0)]);
        job.all("MPI_Waitall", &[int(1), at(0), NULL]);
        job.call(1, "MPI_Startall", &[int(1), at(0)]);
        job.call(1, "MPI_Wait", &[at(0), at(300)]);
        job.run();
        assert_eq!((job.get(1, 100), job.get(1, 0)), (Some(value), Some(1)));
    }
    job.all("MPI_Request_free", &[at(0)]);
    job.run();
    assert_eq!(job.get(1, 0), Some(0));
}

#[test]
fn a_cancelled_receive_waits_for_nothing() {
    let mut job = posted(1);
    job.call(1, "MPI_Cancel", &[at(0)]);
    job.call(1, "MPI_Wait", &[at(0), at(300)]);
    job.call(1, "MPI_Test_cancelled", &[at(300), at(400)]);
    job.call(1, "MPI_Irecv", &[at(100), int(1), INT, int(0), int(0), WORLD, at(0)]);
    job.run();
    assert_eq!((job.get(1, 400), job.get(1, 0)), (Some(1), Some(1)));
}

#[test]
fn a_freed_receive_leaves_its_buffer_unknown() {
    let mut job = posted(1);
    job.set(1, 100, &[3]);
    job.call(1, "MPI_Request_free", &[at(0)]);
    job.run();
    assert_eq!((job.get(1, 100), job.get(1, 0)), (None, Some(0)));
}
