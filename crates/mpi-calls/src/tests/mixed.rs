//! Task 0 on a 32-bit machine and task 1 on a 64-bit one: values arrive, whatever their sizes are on either side.

use super::driver::*;
use crate::{Action, MpiCalls, Options};
use chronos_activity::{Operation, Volume};
use chronos_base::units::Bytes;
use chronos_ir::DataModel::{Aarch64, Ilp32, Lp64};
use chronos_ir::{ScalarType, wide};
use chronos_values::{ObjectId, Pointer, Value};

const LONG: Arg = Arg::Value(Value::Int(10));
const UNSIGNED_LONG: Arg = Arg::Value(Value::Int(11));
const LONG_INT: Arg = Arg::Value(Value::Int(30));
const LONG_DOUBLE: Arg = Arg::Value(Value::Int(16));
const PACKED: Arg = Arg::Value(Value::Int(34));
const BYTE: Arg = Arg::Value(Value::Int(4));

fn job() -> TestJob {
    let options = Options { model: Lp64, models: vec![Ilp32, Lp64], ..Options::default() };
    let mut job = TestJob::uninitialised(2, options);
    job.all("MPI_Init", &[NULL, NULL]);
    job.run();
    job.log.clear();
    job
}

/// `long`s in the memory of a task.
fn set_longs(job: &mut TestJob, task: usize, offset: i64, values: &[i64]) {
    let (ty, bytes) = if task == 0 { (ScalarType::I32, 4) } else { (ScalarType::I64, 8) };
    for (at, &value) in (offset..).step_by(bytes).zip(values) {
        job.set_as(task, at, ty, Value::Int(value));
    }
}

fn longs(job: &TestJob, task: usize, offset: i64, count: usize) -> Vec<i64> {
    let bytes = if task == 0 { 4 } else { 8 };
    (offset..).step_by(bytes).take(count).map(|at| job.get(task, at).unwrap_or(-999)).collect()
}

#[test]
fn longs_arrive_by_value_in_both_directions() {
    for from in 0..2 {
        let (mut job, to) = (job(), 1 - from);
        set_longs(&mut job, from, 800, &[5, -6, 7]);
        job.call(from, "MPI_Send", &[at(800), int(3), LONG, int(to as i64), int(7), WORLD]);
        job.call(to, "MPI_Recv", &[at(1600), int(4), LONG, int(from as i64), int(7), WORLD, at(300)]);
        job.call(to, "MPI_Get_count", &[at(300), LONG, at(400)]);
        job.call(to, "MPI_Get_elements", &[at(300), LONG, at(404)]);
        job.run();
        assert_eq!(longs(&job, to, 1600, 4), [5, -6, 7, -999]);
        assert_eq!(job.ints(to, 400, 2), [3, 3]);
        // The wire carries what the sender has in memory.
        let wire = Bytes(if from == 0 { 12 } else { 24 });
        let sent = |operation: &Operation| matches!(operation, Operation::Send { bytes, .. } if *bytes == wire);
        assert!(job.log.iter().any(|(_, operation)| sent(operation)));
        assert!(job.calls.take_reports().is_empty());
    }
}

#[test]
fn too_many_longs_are_refused_by_count_and_not_by_size() {
    let mut job = job();
    job.call(0, "MPI_Send", &[at(800), int(3), LONG, int(1), int(7), WORLD]);
    job.call(1, "MPI_Recv", &[at(1600), int(2), LONG, int(0), int(7), WORLD, NULL]);
    job.run_partly();
    assert!(matches!(job.failure(1), Some(Action::Fail(d)) if d.message.contains("room for 16 bytes, and 24 arrive")));
}

#[test]
fn a_long_that_does_not_fit_loses_its_upper_bytes() {
    let mut job = job();
    set_longs(&mut job, 1, 800, &[(3 << 32) + 9, -1]);
    job.call(1, "MPI_Send", &[at(800), int(2), LONG, int(0), int(7), WORLD]);
    job.call(0, "MPI_Recv", &[at(1600), int(2), LONG, int(1), int(7), WORLD, NULL]);
    job.call(1, "MPI_Send", &[at(808), int(1), UNSIGNED_LONG, int(0), int(7), WORLD]);
    job.call(0, "MPI_Recv", &[at(1700), int(1), UNSIGNED_LONG, int(1), int(7), WORLD, NULL]);
    job.run();
    assert_eq!(longs(&job, 0, 1600, 2), [9, -1]);
    assert_eq!(job.get(0, 1700), Some(i64::from(u32::MAX)));
}

#[test]
fn bytes_are_copied() {
    let mut job = job();
    set_longs(&mut job, 0, 800, &[5, 6]);
    job.call(0, "MPI_Send", &[at(800), int(8), BYTE, int(1), int(7), WORLD]);
    job.call(1, "MPI_Recv", &[at(1600), int(16), BYTE, int(0), int(7), WORLD, at(300)]);
    job.run();
    assert_eq!(job.ints(1, 1600, 2), [5, 6]);
    assert_eq!(job.get(1, 316), Some(8));
}

/// `struct { int n; long l; double x; long after[2]; }` with the displacements of each machine.
fn structures(job: &mut TestJob) {
    let places = [[0, 4, 8, 16], [0, 8, 16, 24]];
    for (task, places) in places.iter().enumerate() {
        job.set(task, 100, &[1, 1, 1, 2, 8, 10, 15, 10]);
        set_longs(job, task, 160, places);
    }
    job.all("MPI_Type_create_struct", &[int(4), at(100), at(160), at(116), at(0)]);
    job.all("MPI_Type_commit", &[at(0)]);
    job.all("MPI_Type_size", &[load(0), at(8)]);
    job.run();
    assert_eq!([job.get(0, 8), job.get(1, 8)], [Some(24), Some(36)]);
}

#[test]
fn members_of_structures_arrive_at_the_displacements_of_the_receiver() {
    let mut job = job();
    structures(&mut job);
    job.set(0, 800, &[1]);
    set_longs(&mut job, 0, 804, &[-2]);
    job.set_as(0, 808, ScalarType::F64, Value::Float(1.5));
    set_longs(&mut job, 0, 816, &[3, 4]);
    job.call(0, "MPI_Send", &[at(800), int(1), load(0), int(1), int(0), WORLD]);
    job.call(1, "MPI_Recv", &[at(1600), int(1), load(0), int(0), int(0), WORLD, at(300)]);
    job.call(1, "MPI_Get_count", &[at(300), load(0), at(400)]);
    job.call(1, "MPI_Get_elements", &[at(300), load(0), at(404)]);
    job.run();
    assert_eq!(job.get(1, 1600), Some(1));
    assert_eq!(longs(&job, 1, 1608, 1), [-2]);
    assert_eq!(job.value(1, 1616), Some(Value::Float(1.5)));
    assert_eq!(longs(&job, 1, 1624, 2), [3, 4]);
    assert_eq!(job.ints(1, 400, 2), [1, 5]);
    assert!(job.calls.take_reports().is_empty());
}

#[test]
fn packed_data_is_unpacked_on_the_other_machine() {
    let mut job = job();
    structures(&mut job);
    job.set(1, 800, &[1]);
    set_longs(&mut job, 1, 808, &[-2]);
    set_longs(&mut job, 1, 824, &[3, 4]);
    job.set_all(500, &[0]);
    job.all("MPI_Pack_size", &[int(1), load(0), WORLD, at(504)]);
    job.call(1, "MPI_Pack", &[at(800), int(1), load(0), at(2000), int(100), at(500), WORLD]);
    job.call(1, "MPI_Send", &[at(2000), load(500), PACKED, int(0), int(0), WORLD]);
    job.call(0, "MPI_Recv", &[at(2000), int(100), PACKED, int(1), int(0), WORLD, NULL]);
    job.call(0, "MPI_Unpack", &[at(2000), int(100), at(500), at(1600), int(1), load(0), WORLD]);
    job.run();
    assert_eq!([job.get(0, 504), job.get(0, 500), job.get(1, 500)], [Some(36); 3]);
    assert_eq!(job.get(0, 1600), Some(1));
    assert_eq!(longs(&job, 0, 1604, 1), [-2]);
    assert_eq!(longs(&job, 0, 1616, 2), [3, 4]);
}

#[test]
fn reductions_and_broadcasts_combine_values() {
    let mut job = job();
    for task in 0..2 {
        set_longs(&mut job, task, 800, &[10 + task as i64, -1]);
        // Pairs of `long` and `int`: 8 bytes on the one machine, 16 on the other.
        set_longs(&mut job, task, 900, &[5 - task as i64]);
        job.set(task, if task == 0 { 904 } else { 908 }, &[task as i64]);
    }
    job.all("MPI_Allreduce", &[at(800), at(1600), int(2), LONG, SUM, WORLD]);
    job.all("MPI_Allreduce", &[at(900), at(1700), int(1), LONG_INT, MAXLOC, WORLD]);
    job.all("MPI_Bcast", &[at(800), int(2), LONG, int(1), WORLD]);
    job.all("MPI_Gather", &[at(800), int(1), LONG, at(1800), int(1), LONG, int(0), WORLD]);
    job.run();
    for task in 0..2 {
        assert_eq!(longs(&job, task, 1600, 2), [21, -2]);
        assert_eq!(longs(&job, task, 800, 2), [11, -1]);
        assert_eq!(longs(&job, task, 1700, 1), [5]);
    }
    assert_eq!([job.get(0, 1704), job.get(1, 1708)], [Some(0), Some(0)]);
    assert_eq!(longs(&job, 0, 1800, 2), [11, 11]);
}

#[test]
fn tasks_of_one_data_model_exchange_longs_too() {
    let options = Options { model: Lp64, models: vec![Ilp32, Ilp32, Lp64], ..Options::default() };
    let mut job = TestJob::uninitialised(3, options);
    job.all("MPI_Init", &[NULL, NULL]);
    job.set(0, 800, &[5, -6]);
    job.call(0, "MPI_Send", &[at(800), int(2), LONG, int(1), int(7), WORLD]);
    job.call(1, "MPI_Recv", &[at(1600), int(2), LONG, int(0), int(7), WORLD, NULL]);
    job.run();
    assert_eq!(job.ints(1, 1600, 2), [5, -6]);
    let sent = |operation: &Operation| matches!(operation, Operation::Send { bytes: Bytes(8), .. });
    assert!(job.log.iter().any(|(_, operation)| sent(operation)));
}

#[test]
fn collectives_carry_the_members_own_form_where_all_have_one() {
    const SELF: Arg = Arg::Value(Value::Int(2));
    for (comm, expected) in [(SELF, [12, 24]), (WORLD, [24, 24])] {
        let mut job = job();
        job.all("MPI_Bcast", &[at(800), int(3), LONG, int(0), comm]);
        job.all("MPI_Allreduce", &[at(800), at(1600), int(3), LONG, int(3), comm]);
        job.run();
        for (task, bytes) in expected.into_iter().enumerate() {
            let volumes = job.log.iter().filter(|(of, _)| *of == task).filter_map(|(_, operation)| match operation {
                Operation::Collective(collective) => Some(collective.volume.clone()),
                _ => None,
            });
            assert_eq!(volumes.collect::<Vec<_>>(), vec![Volume::Each(Bytes(bytes)); 2]);
        }
    }
}

/// `long double` has 64 bits of mantissa on x86-64 and 113 on aarch64, and 16 bytes on both.
#[test]
fn long_doubles_arrive_by_value_on_machines_of_another_format() {
    let options = Options { model: Aarch64, models: vec![Lp64, Aarch64], ..Options::default() };
    for from in 0..2 {
        let mut job = TestJob::uninitialised(2, options.clone());
        job.all("MPI_Init", &[NULL, NULL]);
        job.run();
        let (to, formats) = (1 - from, [ScalarType::F80, ScalarType::F128]);
        let third = wide::parse(formats[from], "0.333333333333333333333333333333333333333").and_then(Value::of_number);
        job.set_as(from, 800, formats[from], third.expect("it is a number"));
        job.call(from, "MPI_Send", &[at(800), int(1), LONG_DOUBLE, int(to as i64), int(7), WORLD]);
        job.call(to, "MPI_Recv", &[at(1600), int(1), LONG_DOUBLE, int(from as i64), int(7), WORLD, NULL]);
        job.run();
        let number = third.and_then(Value::number).expect("it is a number");
        let expected = wide::convert(formats[from], formats[to], number).ok().and_then(Value::of_number);
        assert_eq!(job.value(to, 1600), expected);
    }
}

/// A window of the whole memory from 4000 on.
fn window(job: &mut TestJob) {
    let base = Arg::Value(Value::Pointer(Pointer { object: ObjectId(0), offset: 4000 }));
    job.all("MPI_Win_create", &[base, int(64), int(4), NULL, WORLD, at(20)]);
    job.all("MPI_Win_fence", &[int(0), load(20)]);
    job.run();
}

#[test]
fn windows_take_types_of_one_layout_alone() {
    let mut job = job();
    window(&mut job);
    job.set(0, 800, &[5, 6]);
    job.call(0, "MPI_Put", &[at(800), int(2), INT, int(1), int(2), int(2), INT, load(20)]);
    job.all("MPI_Win_fence", &[int(0), load(20)]);
    job.run();
    assert_eq!(job.ints(1, 4008, 2), [5, 6]);
    job.call(0, "MPI_Put", &[at(800), int(1), LONG, int(1), int(0), int(1), LONG, load(20)]);
    job.run_partly();
    let told = "MPI_Put accesses the window of rank 1 with MPI_LONG, which the machines of the two lay out differently";
    assert!(matches!(job.failure(0), Some(Action::Fail(d)) if d.message == told), "{:?}", job.failure(0));
}

#[test]
fn a_window_of_the_own_machine_takes_longs() {
    let mut job = job();
    window(&mut job);
    set_longs(&mut job, 0, 800, &[5, 6]);
    job.call(0, "MPI_Put", &[at(800), int(2), LONG, int(0), int(2), int(2), LONG, load(20)]);
    job.all("MPI_Win_fence", &[int(0), load(20)]);
    job.run();
    assert_eq!(job.ints(0, 4008, 2), [5, 6]);
}
