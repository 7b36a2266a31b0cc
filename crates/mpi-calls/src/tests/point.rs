//! Messages from task to task.

use super::driver::*;
use crate::MpiCalls;
use chronos_activity::{Operation, SendMode};
use chronos_base::units::Bytes;
use chronos_ir::ScalarType;
use chronos_values::Value;

#[test]
fn a_known_integer_travels() {
    let mut job = TestJob::new(2);
    job.set(0, 100, &[42, 43]);
    job.call(0, "MPI_Send", &[at(100), int(2), INT, int(1), int(7), WORLD]);
    job.call(1, "MPI_Recv", &[at(200), int(4), INT, int(0), int(7), WORLD, at(300)]);
    job.run();
    assert_eq!(job.ints(1, 200, 4), [42, 43, -999, -999]);
    assert_eq!(job.ints(1, 300, 3), [0, 7, 0]);
    assert_eq!(job.get(1, 316), Some(8));
    assert!(job.calls.messages.is_empty());
}

#[test]
fn what_is_unknown_is_forgotten_at_the_receiver() {
    let mut job = TestJob::new(2);
    job.set(1, 200, &[1, 2, 3]);
    job.call(0, "MPI_Send", &[at(100), int(2), INT, int(1), int(7), WORLD]);
    job.call(1, "MPI_Recv", &[at(200), int(3), INT, int(0), int(7), WORLD, NULL]);
    job.run();
    assert_eq!(job.ints(1, 200, 3), [-999, -999, 3]);
}

#[test]
fn any_source_and_tag_stand_in_the_status() {
    let mut job = TestJob::new(3);
    job.call(2, "MPI_Ssend", &[at(0), int(1), DOUBLE, int(0), int(5), WORLD]);
    job.call(0, "MPI_Recv", &[at(0), int(1), DOUBLE, ANY, ANY_TAG, WORLD, at(300)]);
    job.call(0, "MPI_Get_count", &[at(300), DOUBLE, at(400)]);
    job.call(0, "MPI_Get_count", &[at(300), TWO_INT, at(404)]);
    job.call(0, "MPI_Get_elements", &[at(300), INT, at(408)]);
    job.run();
    assert_eq!(job.ints(0, 300, 2), [2, 5]);
    assert_eq!(job.ints(0, 400, 3), [1, 1, 2]);
    let mode = |operation: &Operation| matches!(operation, Operation::Send { mode: SendMode::Synchronous, .. });
    assert!(job.log.iter().any(|(_, operation)| mode(operation)));
}

#[test]
fn a_message_with_nobody_is_a_local_call() {
    let mut job = TestJob::new(1);
    job.call(0, "MPI_Send", &[at(0), int(1), INT, PROC_NULL, int(0), WORLD]);
    job.call(0, "MPI_Recv", &[at(0), int(1), INT, PROC_NULL, int(0), WORLD, at(300)]);
    job.call(0, "MPI_Probe", &[PROC_NULL, int(0), WORLD, at(300)]);
    let line = [at(0), int(1), INT, PROC_NULL, int(1), at(8), int(1), INT, PROC_NULL, int(1), WORLD, at(300)];
    job.call(0, "MPI_Sendrecv", &line);
    job.call(0, "MPI_Get_count", &[at(300), INT, at(400)]);
    job.run();
    assert_eq!(job.local_calls(0), ["MPI_Send", "MPI_Recv", "MPI_Probe", "MPI_Sendrecv"]);
    assert_eq!(job.ints(0, 300, 2), [-103, -102]);
}

#[test]
fn sendrecv_shifts_around_a_ring() {
    let mut job = TestJob::new(3);
    for task in 0..3 {
        let (right, left) = ((task + 1) % 3, (task + 2) % 3);
        job.set(task as usize, 0, &[10 + task]);
        let args = [at(0), int(1), INT, int(right), int(1), at(8), int(1), INT, int(left), int(1), WORLD, at(300)];
        job.call(task as usize, "MPI_Sendrecv", &args);
    }
    job.run();
    assert_eq!([job.get(0, 8), job.get(1, 8), job.get(2, 8)], [Some(12), Some(10), Some(11)]);
    assert_eq!(job.get(0, 300), Some(2));
    let kinds: Vec<&str> = job.log.iter().filter(|(task, _)| *task == 0).map(|(_, op)| kind(op)).collect();
    assert_eq!(kinds, ["recv", "send", "wait"]);
}

#[test]
fn sendrecv_at_the_border_of_a_line() {
    let mut job = TestJob::new(2);
    job.set_all(0, &[5]);
    let mut shift = |task: usize, to: Arg, from: Arg| {
        job.call(task, "MPI_Sendrecv_replace", &[at(0), int(1), INT, to, int(1), from, int(1), WORLD, at(300)]);
    };
    shift(0, int(1), PROC_NULL);
    shift(1, PROC_NULL, int(0));
    job.set(0, 0, &[77]);
    job.run();
    assert_eq!(job.get(1, 0), Some(77));
    assert_eq!([job.get(0, 300), job.get(1, 300)], [Some(-103), Some(0)]);
    let kinds = |own| job.log.iter().filter(|(task, _)| *task == own).map(|(_, op)| kind(op)).collect::<Vec<_>>();
    assert_eq!([kinds(0), kinds(1)], [["send", "wait"], ["recv", "wait"]]);
}

fn kind(operation: &Operation) -> &'static str {
    match operation {
        Operation::Send { .. } => "send",
        Operation::Recv { .. } => "recv",
        Operation::WaitAll { .. } => "wait",
        _ => "other",
    }
}

#[test]
fn a_matched_probe_hands_out_the_message() {
    let mut job = TestJob::new(2);
    job.set(0, 0, &[5, 6]);
    job.call(0, "MPI_Send", &[at(0), int(1), INT, int(1), int(3), WORLD]);
    job.call(0, "MPI_Send", &[at(4), int(1), INT, int(1), int(4), WORLD]);
    job.call(1, "MPI_Mprobe", &[ANY, int(4), WORLD, at(100), NULL]);
    job.call(1, "MPI_Mrecv", &[at(0), int(1), INT, at(100), NULL]);
    job.call(1, "MPI_Mprobe", &[ANY, ANY_TAG, WORLD, at(104), NULL]);
    job.call(1, "MPI_Imrecv", &[at(4), int(1), INT, at(104), at(108)]);
    job.call(1, "MPI_Wait", &[at(108), NULL]);
    job.run();
    assert_eq!(job.ints(1, 0, 2), [6, 5]);
    assert_eq!((job.get(1, 100), job.get(1, 104)), (Some(0), Some(0)));
}

#[test]
fn probe_tells_the_size_before_the_receive() {
    let mut job = TestJob::new(2);
    job.call(1, "MPI_Iprobe", &[int(0), ANY_TAG, WORLD, at(400), at(300)]);
    job.run();
    assert_eq!(job.get(1, 400), Some(0));
    job.call(0, "MPI_Send", &[at(0), int(5), INT, int(1), int(9), WORLD]);
    job.call(1, "MPI_Probe", &[ANY, ANY_TAG, WORLD, at(300)]);
    job.call(1, "MPI_Iprobe", &[int(0), ANY_TAG, WORLD, at(400), NULL]);
    job.call(1, "MPI_Get_count", &[at(300), INT, at(404)]);
    job.call(1, "MPI_Recv", &[at(0), load(404), INT, int(0), int(9), WORLD, NULL]);
    job.run();
    assert_eq!(job.ints(1, 400, 2), [1, 5]);
}

#[test]
fn sizes_are_bytes_of_data() {
    let mut job = TestJob::new(2);
    job.call(0, "MPI_Bsend", &[at(0), int(10), DOUBLE, int(1), int(0), WORLD]);
    job.call(0, "MPI_Rsend", &[at(0), int(0), DOUBLE, int(1), int(0), WORLD]);
    job.run();
    let sizes: Vec<Bytes> = job.log.iter().filter_map(|(_, op)| bytes(op)).collect();
    assert_eq!(sizes, [Bytes(80), Bytes(0)]);
}

fn bytes(operation: &Operation) -> Option<Bytes> {
    match operation {
        Operation::Send { bytes, .. } => Some(*bytes),
        _ => None,
    }
}

#[test]
fn repeated_sends_keep_the_numbers_in_step() {
    use crate::{MpiCalls, Performed};
    use chronos_activity::TaskId;
    let mut job = TestJob::new(2);
    job.calls.repeated(TaskId(0), &Performed { sends: 10, ..Performed::default() }, 100);
    job.set(0, 0, &[1]);
    job.call(0, "MPI_Send", &[at(0), int(1), INT, int(1), int(0), WORLD]);
    job.run();
    let numbers: Vec<u64> = job.calls.messages.keys().map(|message| message.sequence).collect();
    assert_eq!(numbers, [1000]);
}

#[test]
fn packed_values_come_out_as_they_went_in() {
    let packed = int(34);
    let mut job = TestJob::new(2);
    job.set(0, 0, &[3]);
    job.set_as(0, 8, ScalarType::F64, Value::Float(2.5));
    job.set_all(500, &[0]);
    job.call(0, "MPI_Pack", &[at(0), int(1), INT, at(100), int(64), at(500), WORLD]);
    job.call(0, "MPI_Pack", &[at(8), int(1), DOUBLE, at(100), int(64), at(500), WORLD]);
    job.call(0, "MPI_Pack_size", &[int(2), DOUBLE, WORLD, at(504)]);
    job.call(0, "MPI_Send", &[at(100), load(500), packed, int(1), int(0), WORLD]);
    job.call(1, "MPI_Recv", &[at(100), int(64), packed, int(0), int(0), WORLD, NULL]);
    job.call(1, "MPI_Unpack", &[at(100), int(64), at(500), at(0), int(1), INT, WORLD]);
    job.call(1, "MPI_Unpack", &[at(100), int(64), at(500), at(8), int(1), DOUBLE, WORLD]);
    job.run();
    assert_eq!((job.get(1, 0), job.value(1, 8)), (Some(3), Some(Value::Float(2.5))));
    assert_eq!((job.get(1, 500), job.get(0, 504)), (Some(12), Some(16)));
}

#[test]
fn the_clock_is_a_value_of_its_own() {
    let mut job = TestJob::new(1);
    job.call(0, "MPI_Wtime", &[]);
    job.run();
    assert!(matches!(job.returned(0), Some(Value::Clock(_))));
    assert!(matches!(job.log[0].1, Operation::ReadClock { .. }));
}

#[test]
fn a_message_of_unknown_size_is_matched_and_its_size_stays_unknown() {
    let mut job = TestJob::new(2);
    for count in [int(3), int(5), Arg::Unknown] {
        job.call(0, "MPI_Send", &[at(0), count, INT, int(1), int(0), WORLD]);
        job.call(1, "MPI_Recv", &[at(100), int(5), INT, int(0), int(0), WORLD, at(300)]);
        job.call(1, "MPI_Get_count", &[at(300), INT, at(400)]);
        job.set(1, 100, &[7]);
        job.run();
    }
    assert_eq!((job.get(1, 400), job.get(1, 100)), (None, None));
    let told: Vec<String> = job.calls.take_reports().into_iter().map(|d| d.message).collect();
    assert_eq!(told, ["the size of a message is unknown: 5 elements are assumed, the mean of 4 earlier ones"]);
}
