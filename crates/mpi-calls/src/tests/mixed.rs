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

fn world() -> World {
    let options = Options { model: Lp64, models: vec![Ilp32, Lp64], ..Options::default() };
    let mut world = World::uninitialised(2, options);
    world.all("MPI_Init", &[NULL, NULL]);
    world.run();
    world.log.clear();
    world
}

/// `long`s in the memory of a task.
fn set_longs(world: &mut World, task: usize, offset: i64, values: &[i64]) {
    let (ty, bytes) = if task == 0 { (ScalarType::I32, 4) } else { (ScalarType::I64, 8) };
    for (at, &value) in (offset..).step_by(bytes).zip(values) {
        world.set_as(task, at, ty, Value::Int(value));
    }
}

fn longs(world: &World, task: usize, offset: i64, count: usize) -> Vec<i64> {
    let bytes = if task == 0 { 4 } else { 8 };
    (offset..).step_by(bytes).take(count).map(|at| world.get(task, at).unwrap_or(-999)).collect()
}

#[test]
fn longs_arrive_by_value_in_both_directions() {
    for from in 0..2 {
        let (mut world, to) = (world(), 1 - from);
        set_longs(&mut world, from, 800, &[5, -6, 7]);
        world.call(from, "MPI_Send", &[at(800), int(3), LONG, int(to as i64), int(7), WORLD]);
        world.call(to, "MPI_Recv", &[at(1600), int(4), LONG, int(from as i64), int(7), WORLD, at(300)]);
        world.call(to, "MPI_Get_count", &[at(300), LONG, at(400)]);
        world.call(to, "MPI_Get_elements", &[at(300), LONG, at(404)]);
        world.run();
        assert_eq!(longs(&world, to, 1600, 4), [5, -6, 7, -999]);
        assert_eq!(world.ints(to, 400, 2), [3, 3]);
        // The wire carries what the sender has in memory.
        let wire = Bytes(if from == 0 { 12 } else { 24 });
        let sent = |operation: &Operation| matches!(operation, Operation::Send { bytes, .. } if *bytes == wire);
        assert!(world.log.iter().any(|(_, operation)| sent(operation)));
        assert!(world.calls.take_reports().is_empty());
    }
}

#[test]
fn too_many_longs_are_refused_by_count_and_not_by_size() {
    let mut world = world();
    world.call(0, "MPI_Send", &[at(800), int(3), LONG, int(1), int(7), WORLD]);
    world.call(1, "MPI_Recv", &[at(1600), int(2), LONG, int(0), int(7), WORLD, NULL]);
    world.run_partly();
    assert!(
        matches!(world.failure(1), Some(Action::Fail(d)) if d.message.contains("room for 16 bytes, and 24 arrive"))
    );
}

#[test]
fn a_long_that_does_not_fit_loses_its_upper_bytes() {
    let mut world = world();
    set_longs(&mut world, 1, 800, &[(3 << 32) + 9, -1]);
    world.call(1, "MPI_Send", &[at(800), int(2), LONG, int(0), int(7), WORLD]);
    world.call(0, "MPI_Recv", &[at(1600), int(2), LONG, int(1), int(7), WORLD, NULL]);
    world.call(1, "MPI_Send", &[at(808), int(1), UNSIGNED_LONG, int(0), int(7), WORLD]);
    world.call(0, "MPI_Recv", &[at(1700), int(1), UNSIGNED_LONG, int(1), int(7), WORLD, NULL]);
    world.run();
    assert_eq!(longs(&world, 0, 1600, 2), [9, -1]);
    assert_eq!(world.get(0, 1700), Some(i64::from(u32::MAX)));
}

#[test]
fn bytes_are_copied() {
    let mut world = world();
    set_longs(&mut world, 0, 800, &[5, 6]);
    world.call(0, "MPI_Send", &[at(800), int(8), BYTE, int(1), int(7), WORLD]);
    world.call(1, "MPI_Recv", &[at(1600), int(16), BYTE, int(0), int(7), WORLD, at(300)]);
    world.run();
    assert_eq!(world.ints(1, 1600, 2), [5, 6]);
    assert_eq!(world.get(1, 316), Some(8));
}

/// `struct { int n; long l; double x; long after[2]; }` with the displacements of each machine.
fn structures(world: &mut World) {
    let places = [[0, 4, 8, 16], [0, 8, 16, 24]];
    for (task, places) in places.iter().enumerate() {
        world.set(task, 100, &[1, 1, 1, 2, 8, 10, 15, 10]);
        set_longs(world, task, 160, places);
    }
    world.all("MPI_Type_create_struct", &[int(4), at(100), at(160), at(116), at(0)]);
    world.all("MPI_Type_commit", &[at(0)]);
    world.all("MPI_Type_size", &[load(0), at(8)]);
    world.run();
    assert_eq!([world.get(0, 8), world.get(1, 8)], [Some(24), Some(36)]);
}

#[test]
fn members_of_structures_arrive_at_the_displacements_of_the_receiver() {
    let mut world = world();
    structures(&mut world);
    world.set(0, 800, &[1]);
    set_longs(&mut world, 0, 804, &[-2]);
    world.set_as(0, 808, ScalarType::F64, Value::Float(1.5));
    set_longs(&mut world, 0, 816, &[3, 4]);
    world.call(0, "MPI_Send", &[at(800), int(1), load(0), int(1), int(0), WORLD]);
    world.call(1, "MPI_Recv", &[at(1600), int(1), load(0), int(0), int(0), WORLD, at(300)]);
    world.call(1, "MPI_Get_count", &[at(300), load(0), at(400)]);
    world.call(1, "MPI_Get_elements", &[at(300), load(0), at(404)]);
    world.run();
    assert_eq!(world.get(1, 1600), Some(1));
    assert_eq!(longs(&world, 1, 1608, 1), [-2]);
    assert_eq!(world.value(1, 1616), Some(Value::Float(1.5)));
    assert_eq!(longs(&world, 1, 1624, 2), [3, 4]);
    assert_eq!(world.ints(1, 400, 2), [1, 5]);
    assert!(world.calls.take_reports().is_empty());
}

#[test]
fn packed_data_is_unpacked_on_the_other_machine() {
    let mut world = world();
    structures(&mut world);
    world.set(1, 800, &[1]);
    set_longs(&mut world, 1, 808, &[-2]);
    set_longs(&mut world, 1, 824, &[3, 4]);
    world.set_all(500, &[0]);
    world.all("MPI_Pack_size", &[int(1), load(0), WORLD, at(504)]);
    world.call(1, "MPI_Pack", &[at(800), int(1), load(0), at(2000), int(100), at(500), WORLD]);
    world.call(1, "MPI_Send", &[at(2000), load(500), PACKED, int(0), int(0), WORLD]);
    world.call(0, "MPI_Recv", &[at(2000), int(100), PACKED, int(1), int(0), WORLD, NULL]);
    world.call(0, "MPI_Unpack", &[at(2000), int(100), at(500), at(1600), int(1), load(0), WORLD]);
    world.run();
    assert_eq!([world.get(0, 504), world.get(0, 500), world.get(1, 500)], [Some(36); 3]);
    assert_eq!(world.get(0, 1600), Some(1));
    assert_eq!(longs(&world, 0, 1604, 1), [-2]);
    assert_eq!(longs(&world, 0, 1616, 2), [3, 4]);
}

#[test]
fn reductions_and_broadcasts_combine_values() {
    let mut world = world();
    for task in 0..2 {
        set_longs(&mut world, task, 800, &[10 + task as i64, -1]);
        // Pairs of `long` and `int`: 8 bytes on the one machine, 16 on the other.
        set_longs(&mut world, task, 900, &[5 - task as i64]);
        world.set(task, if task == 0 { 904 } else { 908 }, &[task as i64]);
    }
    world.all("MPI_Allreduce", &[at(800), at(1600), int(2), LONG, SUM, WORLD]);
    world.all("MPI_Allreduce", &[at(900), at(1700), int(1), LONG_INT, MAXLOC, WORLD]);
    world.all("MPI_Bcast", &[at(800), int(2), LONG, int(1), WORLD]);
    world.all("MPI_Gather", &[at(800), int(1), LONG, at(1800), int(1), LONG, int(0), WORLD]);
    world.run();
    for task in 0..2 {
        assert_eq!(longs(&world, task, 1600, 2), [21, -2]);
        assert_eq!(longs(&world, task, 800, 2), [11, -1]);
        assert_eq!(longs(&world, task, 1700, 1), [5]);
    }
    assert_eq!([world.get(0, 1704), world.get(1, 1708)], [Some(0), Some(0)]);
    assert_eq!(longs(&world, 0, 1800, 2), [11, 11]);
}

#[test]
fn tasks_of_one_data_model_exchange_longs_too() {
    let options = Options { model: Lp64, models: vec![Ilp32, Ilp32, Lp64], ..Options::default() };
    let mut world = World::uninitialised(3, options);
    world.all("MPI_Init", &[NULL, NULL]);
    world.set(0, 800, &[5, -6]);
    world.call(0, "MPI_Send", &[at(800), int(2), LONG, int(1), int(7), WORLD]);
    world.call(1, "MPI_Recv", &[at(1600), int(2), LONG, int(0), int(7), WORLD, NULL]);
    world.run();
    assert_eq!(world.ints(1, 1600, 2), [5, -6]);
    let sent = |operation: &Operation| matches!(operation, Operation::Send { bytes: Bytes(8), .. });
    assert!(world.log.iter().any(|(_, operation)| sent(operation)));
}

#[test]
fn collectives_carry_the_members_own_form_where_all_have_one() {
    const SELF: Arg = Arg::Value(Value::Int(2));
    for (comm, expected) in [(SELF, [12, 24]), (WORLD, [24, 24])] {
        let mut world = world();
        world.all("MPI_Bcast", &[at(800), int(3), LONG, int(0), comm]);
        world.all("MPI_Allreduce", &[at(800), at(1600), int(3), LONG, int(3), comm]);
        world.run();
        for (task, bytes) in expected.into_iter().enumerate() {
            let volumes = world.log.iter().filter(|(of, _)| *of == task).filter_map(|(_, operation)| match operation {
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
        let mut world = World::uninitialised(2, options.clone());
        world.all("MPI_Init", &[NULL, NULL]);
        world.run();
        let (to, formats) = (1 - from, [ScalarType::F80, ScalarType::F128]);
        let third = wide::parse(formats[from], "0.333333333333333333333333333333333333333").and_then(Value::of_number);
        world.set_as(from, 800, formats[from], third.expect("it is a number"));
        world.call(from, "MPI_Send", &[at(800), int(1), LONG_DOUBLE, int(to as i64), int(7), WORLD]);
        world.call(to, "MPI_Recv", &[at(1600), int(1), LONG_DOUBLE, int(from as i64), int(7), WORLD, NULL]);
        world.run();
        let number = third.and_then(Value::number).expect("it is a number");
        let expected = wide::convert(formats[from], formats[to], number).ok().and_then(Value::of_number);
        assert_eq!(world.value(to, 1600), expected);
    }
}

/// A window of the whole memory from 4000 on.
fn window(world: &mut World) {
    let base = Arg::Value(Value::Pointer(Pointer { object: ObjectId(0), offset: 4000 }));
    world.all("MPI_Win_create", &[base, int(64), int(4), NULL, WORLD, at(20)]);
    world.all("MPI_Win_fence", &[int(0), load(20)]);
    world.run();
}

#[test]
fn windows_take_types_of_one_layout_alone() {
    let mut world = world();
    window(&mut world);
    world.set(0, 800, &[5, 6]);
    world.call(0, "MPI_Put", &[at(800), int(2), INT, int(1), int(2), int(2), INT, load(20)]);
    world.all("MPI_Win_fence", &[int(0), load(20)]);
    world.run();
    assert_eq!(world.ints(1, 4008, 2), [5, 6]);
    world.call(0, "MPI_Put", &[at(800), int(1), LONG, int(1), int(0), int(1), LONG, load(20)]);
    world.run_partly();
    let told = "MPI_Put accesses the window of rank 1 with MPI_LONG, which the machines of the two lay out differently";
    assert!(matches!(world.failure(0), Some(Action::Fail(d)) if d.message == told), "{:?}", world.failure(0));
}

#[test]
fn a_window_of_the_own_machine_takes_longs() {
    let mut world = world();
    window(&mut world);
    set_longs(&mut world, 0, 800, &[5, 6]);
    world.call(0, "MPI_Put", &[at(800), int(2), LONG, int(0), int(2), int(2), LONG, load(20)]);
    world.all("MPI_Win_fence", &[int(0), load(20)]);
    world.run();
    assert_eq!(world.ints(0, 4008, 2), [5, 6]);
}
