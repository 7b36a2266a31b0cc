//! Derived datatypes, and data that goes through them.

use super::driver::*;
use chronos_ir::ScalarType;
use chronos_values::{ObjectId, Pointer, Value};

fn constructed(name: &str, args: &[Arg], memory: &[i64]) -> TestJob {
    let mut job = TestJob::new(2);
    job.set_all(100, memory);
    job.all(name, args);
    job.all("MPI_Type_commit", &[at(0)]);
    job.run();
    job
}

/// Size, lower bound and extent of the type whose handle stands at 0.
fn measures(job: &mut TestJob) -> [Option<i64>; 3] {
    job.call(0, "MPI_Type_size", &[load(0), at(8)]);
    job.call(0, "MPI_Type_get_extent", &[load(0), at(16), at(24)]);
    job.run();
    [8, 16, 24].map(|at| job.get(0, at))
}

#[test]
fn constructors() {
    let check = |name: &str, args: &[Arg], memory: &[i64]| measures(&mut constructed(name, args, memory));
    assert_eq!(check("MPI_Type_contiguous", &[int(3), INT, at(0)], &[]), [Some(12), Some(0), Some(12)]);
    let vector = check("MPI_Type_vector", &[int(3), int(2), int(5), INT, at(0)], &[]);
    assert_eq!(vector, [Some(24), Some(0), Some(48)]);
    let hvector = check("MPI_Type_create_hvector", &[int(2), int(1), int(100), DOUBLE, at(0)], &[]);
    assert_eq!(hvector, [Some(16), Some(0), Some(108)]);
    let indexed = check("MPI_Type_indexed", &[int(2), at(100), at(108), INT, at(0)], &[1, 2, 4, 0]);
    assert_eq!(indexed, [Some(12), Some(0), Some(20)]);
    let block = check("MPI_Type_create_indexed_block", &[int(2), int(2), at(100), INT, at(0)], &[5, 1]);
    assert_eq!(block, [Some(16), Some(4), Some(24)]);
    let resized = check("MPI_Type_create_resized", &[INT, int(0), int(40), at(0)], &[]);
    assert_eq!(resized, [Some(4), Some(0), Some(40)]);
    let args = [int(2), at(100), at(108), at(116), int(56), INT, at(0)];
    let subarray = check("MPI_Type_create_subarray", &args, &[4, 6, 2, 3, 1, 1]);
    assert_eq!(subarray, [Some(24), Some(0), Some(96)]);
    assert_eq!(check("MPI_Type_dup", &[DOUBLE, at(0)], &[]), [Some(8), Some(0), Some(8)]);
}

#[test]
fn a_struct_of_an_int_and_doubles() {
    let mut job = TestJob::new(2);
    job.set_all(100, &[1, 2, 8, 15]);
    for task in 0..2 {
        job.set_as(task, 120, ScalarType::I64, Value::Int(0));
        job.set_as(task, 128, ScalarType::I64, Value::Int(8));
    }
    job.all("MPI_Type_create_struct", &[int(2), at(100), at(120), at(108), at(0)]);
    job.all("MPI_Type_commit", &[at(0)]);
    job.run();
    assert_eq!(measures(&mut job), [Some(20), Some(0), Some(24)]);
    job.set(0, 200, &[5]);
    job.set_as(0, 208, ScalarType::F64, Value::Float(1.5));
    job.call(0, "MPI_Send", &[at(200), int(1), load(0), int(1), int(0), WORLD]);
    job.call(1, "MPI_Recv", &[at(300), int(1), load(0), int(0), int(0), WORLD, at(400)]);
    job.call(1, "MPI_Get_elements", &[at(400), load(0), at(500)]);
    job.run();
    assert_eq!((job.get(1, 300), job.value(1, 308)), (Some(5), Some(Value::Float(1.5))));
    assert_eq!((job.value(1, 316), job.get(1, 500)), (None, Some(3)));
}

#[test]
fn addresses_that_are_not_known_cost_the_payload_alone() {
    let mut job = TestJob::new(2);
    job.set_all(100, &[1, 1, 8, 8]);
    let pointer = Value::Pointer(Pointer { object: ObjectId(0), offset: 64 });
    for task in 0..2 {
        job.set_as(task, 120, ScalarType::I64, pointer);
        job.set_as(task, 128, ScalarType::I64, Value::Int(8));
    }
    job.all("MPI_Type_create_struct", &[int(2), at(100), at(120), at(108), at(0)]);
    job.all("MPI_Type_commit", &[at(0)]);
    job.call(0, "MPI_Send", &[NULL, int(1), load(0), int(1), int(0), WORLD]);
    job.call(1, "MPI_Recv", &[NULL, int(1), load(0), int(0), int(0), WORLD, at(400)]);
    job.run();
    assert_eq!(job.get(1, 416), Some(8));
}

#[test]
fn a_column_arrives_as_a_row() {
    let mut job = constructed("MPI_Type_vector", &[int(3), int(1), int(4), INT, at(0)], &[]);
    job.set(0, 200, &(0..12).collect::<Vec<_>>());
    job.call(0, "MPI_Send", &[at(204), int(1), load(0), int(1), int(0), WORLD]);
    job.call(1, "MPI_Recv", &[at(200), int(3), INT, int(0), int(0), WORLD, NULL]);
    job.run();
    assert_eq!(job.ints(1, 200, 3), [1, 5, 9]);
}

#[test]
fn a_row_arrives_as_a_column_and_leaves_the_gaps() {
    let mut job = constructed("MPI_Type_vector", &[int(3), int(1), int(2), INT, at(0)], &[]);
    job.set(0, 200, &[7, 8, 9]);
    job.set(1, 200, &[0; 6]);
    job.call(0, "MPI_Send", &[at(200), int(3), INT, int(1), int(0), WORLD]);
    job.call(1, "MPI_Recv", &[at(200), int(1), load(0), int(0), int(0), WORLD, NULL]);
    job.run();
    assert_eq!(job.ints(1, 200, 6), [7, 0, 8, 0, 9, 0]);
}

#[test]
fn names_addresses_and_freeing() {
    let mut job = constructed("MPI_Type_contiguous", &[int(3), INT, at(0)], &[]);
    job.call(0, "MPI_Type_get_name", &[DOUBLE, at(1000), at(4)]);
    job.call(0, "MPI_Type_set_name", &[load(0), at(1000)]);
    job.call(0, "MPI_Type_get_name", &[load(0), at(2000), at(4)]);
    job.call(0, "MPI_Get_address", &[at(64), at(16)]);
    job.call(0, "MPI_Address", &[at(72), at(24)]);
    job.call(0, "MPI_Type_free", &[at(0)]);
    job.call(0, "MPI_Type_contiguous", &[int(2), INT, at(32)]);
    job.run();
    assert_eq!([job.text(0, 1000), job.text(0, 2000)], ["MPI_DOUBLE", "MPI_DOUBLE"]);
    assert_eq!((job.get(0, 0), job.get(0, 32)), (Some(0), Some(43)));
    let difference = [Arg::Value(job.value(0, 24).expect("set")), Arg::Value(job.value(0, 16).expect("set"))];
    job.call(0, "MPI_Aint_diff", &difference);
    job.run();
    assert_eq!(job.returned(0), Some(Value::Int(8)));
}
