//! Communicators, groups, topologies, and inquiries about the environment.

use super::driver::*;
use crate::{MpiCalls, Options};
use chronos_activity::{CommId, Operation, TaskId};

#[test]
fn rank_and_size_are_no_events() {
    let mut job = TestJob::new(3);
    job.all("MPI_Comm_rank", &[WORLD, at(0)]);
    job.all("MPI_Comm_size", &[WORLD, at(4)]);
    job.all("MPI_Comm_rank", &[int(2), at(8)]);
    job.all("MPI_Comm_size", &[int(2), at(12)]);
    job.run();
    assert_eq!(job.ints(2, 0, 4), [2, 3, 0, 1]);
    assert!(job.log.is_empty());
}

#[test]
fn split_orders_by_key() {
    let mut job = TestJob::new(4);
    for (task, (colour, key)) in [(0, 9), (1, 0), (0, 2), (UNDEFINED, 0)].into_iter().enumerate() {
        job.call(task, "MPI_Comm_split", &[WORLD, int(colour), int(key), at(0)]);
    }
    job.run();
    assert_eq!([0, 1, 2, 3].map(|task| job.get(task, 0)), [Some(3), Some(4), Some(3), Some(0)]);
    job.call(0, "MPI_Comm_rank", &[load(0), at(4)]);
    job.call(2, "MPI_Comm_size", &[load(0), at(4)]);
    job.run();
    assert_eq!((job.get(0, 4), job.get(2, 4)), (Some(1), Some(2)));
    // Behind MPI_COMM_WORLD and four MPI_COMM_SELF.
    assert_eq!(*job.calls.group(CommId(5)), [TaskId(2), TaskId(0)]);
}

#[test]
fn messages_stay_in_their_communicator() {
    let mut job = TestJob::new(2);
    job.all("MPI_Comm_dup", &[WORLD, at(0)]);
    job.run();
    job.set(0, 100, &[1, 2]);
    job.call(0, "MPI_Send", &[at(100), int(1), INT, int(1), int(0), WORLD]);
    job.call(0, "MPI_Send", &[at(104), int(1), INT, int(1), int(0), load(0)]);
    job.call(1, "MPI_Recv", &[at(100), int(1), INT, ANY, ANY_TAG, load(0), NULL]);
    job.call(1, "MPI_Recv", &[at(104), int(1), INT, ANY, ANY_TAG, WORLD, NULL]);
    job.all("MPI_Comm_compare", &[load(0), WORLD, at(8)]);
    job.all("MPI_Comm_free", &[at(0)]);
    job.run();
    assert_eq!((job.ints(1, 100, 2), job.get(0, 8), job.get(0, 0)), (vec![2, 1], Some(1), Some(0)));
}

#[test]
fn only_members_create_from_their_group() {
    let mut job = TestJob::new(3);
    job.set_all(100, &[2, 0]);
    job.all("MPI_Comm_group", &[WORLD, at(0)]);
    job.all("MPI_Group_incl", &[load(0), int(2), at(100), at(4)]);
    for task in [0, 2] {
        job.call(task, "MPI_Comm_create_group", &[WORLD, load(4), int(7), at(8)]);
        job.call(task, "MPI_Comm_rank", &[load(8), at(12)]);
    }
    job.call(1, "MPI_Comm_create_group", &[WORLD, load(4), int(7), at(8)]);
    job.run();
    assert_eq!((job.get(0, 12), job.get(2, 12), job.get(1, 8)), (Some(1), Some(0), Some(0)));
}

#[test]
fn create_from_a_group() {
    let mut job = TestJob::new(3);
    job.set_all(100, &[2, 0]);
    job.all("MPI_Comm_group", &[WORLD, at(0)]);
    job.all("MPI_Group_incl", &[load(0), int(2), at(100), at(4)]);
    job.all("MPI_Comm_create", &[WORLD, load(4), at(8)]);
    job.all("MPI_Group_rank", &[load(4), at(12)]);
    job.run();
    assert_eq!([0, 1, 2].map(|task| job.get(task, 8)), [Some(3), Some(0), Some(3)]);
    assert_eq!([0, 1, 2].map(|task| job.get(task, 12)), [Some(1), Some(UNDEFINED), Some(0)]);
    job.call(2, "MPI_Comm_rank", &[load(8), at(16)]);
    job.run();
    assert_eq!(job.get(2, 16), Some(0));
}

#[test]
fn groups() {
    let mut job = TestJob::new(6);
    job.set(0, 100, &[0, 2, 4, 1, 3, 1]);
    job.call(0, "MPI_Comm_group", &[WORLD, at(0)]);
    job.call(0, "MPI_Group_incl", &[load(0), int(3), at(100), at(4)]); // 0 2 4
    job.call(0, "MPI_Group_range_incl", &[load(0), int(1), at(112), at(8)]); // 1 2 3
    job.call(0, "MPI_Group_union", &[load(4), load(8), at(12)]); // 0 2 4 1 3
    job.call(0, "MPI_Group_intersection", &[load(4), load(8), at(16)]); // 2
    job.call(0, "MPI_Group_difference", &[load(4), load(8), at(20)]); // 0 4
    job.call(0, "MPI_Group_excl", &[load(0), int(3), at(100), at(24)]); // 1 3 5
    job.call(0, "MPI_Group_range_excl", &[load(0), int(1), at(112), at(28)]); // 0 4 5
    for (slot, to) in [(12, 200), (16, 204), (20, 208), (24, 212), (28, 216)] {
        job.call(0, "MPI_Group_size", &[load(slot), at(to)]);
    }
    job.call(0, "MPI_Group_translate_ranks", &[load(4), int(3), at(112), load(8), at(220)]);
    job.call(0, "MPI_Group_compare", &[load(4), load(8), at(240)]);
    job.call(0, "MPI_Group_free", &[at(12)]);
    job.run_partly();
    assert_eq!(job.ints(0, 200, 5), [5, 1, 2, 3, 3]);
    assert!(job.failure(0).is_some(), "rank 3 is outside of a group of three");
}

#[test]
fn ranks_translate() {
    let mut job = TestJob::new(4);
    job.set(0, 100, &[3, 1, 0, 1, -103]);
    job.call(0, "MPI_Comm_group", &[WORLD, at(0)]);
    job.call(0, "MPI_Group_incl", &[load(0), int(2), at(100), at(4)]); // 3 1
    job.call(0, "MPI_Group_translate_ranks", &[load(4), int(3), at(108), load(0), at(200)]);
    job.call(0, "MPI_Group_translate_ranks", &[load(0), int(2), at(100), load(4), at(212)]);
    job.call(0, "MPI_Group_compare", &[load(4), load(4), at(220)]);
    job.call(0, "MPI_Group_free", &[at(4)]);
    job.run();
    assert_eq!(job.ints(0, 200, 6), [3, 1, -103, 0, 1, 0]);
    assert_eq!(job.get(0, 4), Some(0));
}

fn grid() -> TestJob {
    let mut job = TestJob::new(7);
    job.set_all(100, &[2, 3, 0, 1]);
    job.all("MPI_Cart_create", &[WORLD, int(2), at(100), at(108), int(1), at(0)]);
    job.run();
    job
}

#[test]
fn cartesian_topology() {
    let mut job = grid();
    assert_eq!((job.get(5, 0), job.get(6, 0)), (Some(3), Some(0)));
    for task in 0..6 {
        job.call(task, "MPI_Cart_coords", &[load(0), int(i64::try_from(task).expect("small")), int(2), at(200)]);
        job.call(task, "MPI_Cart_shift", &[load(0), int(0), int(1), at(208), at(212)]);
        job.call(task, "MPI_Cart_shift", &[load(0), int(1), int(1), at(216), at(220)]);
    }
    job.call(0, "MPI_Cart_rank", &[load(0), at(300), at(308)]);
    job.set(0, 300, &[1, -1]);
    job.call(0, "MPI_Cart_get", &[load(0), int(2), at(320), at(328), at(336)]);
    job.call(0, "MPI_Cartdim_get", &[load(0), at(344)]);
    job.call(0, "MPI_Topo_test", &[load(0), at(348)]);
    job.call(0, "MPI_Topo_test", &[WORLD, at(352)]);
    job.run();
    assert_eq!(job.ints(5, 200, 6), [1, 2, 2, -103, 4, 3]);
    assert_eq!(job.ints(0, 200, 6), [0, 0, -103, 3, 2, 1]);
    assert_eq!(job.get(0, 308), Some(5));
    assert_eq!(job.ints(0, 320, 9), [2, 3, 0, 1, 0, 0, 2, 2, UNDEFINED]);
}

#[test]
fn rows_of_a_grid() {
    let mut job = grid();
    job.set_all(400, &[0, 1]);
    for task in 0..6 {
        job.call(task, "MPI_Cart_sub", &[load(0), at(400), at(4)]);
        job.call(task, "MPI_Comm_rank", &[load(4), at(8)]);
        job.call(task, "MPI_Cart_get", &[load(4), int(1), at(12), at(16), at(20)]);
    }
    job.run();
    assert_eq!((job.ints(4, 4, 5), job.get(2, 4)), (vec![5, 1, 3, 1, 1], Some(4)));
}

#[test]
fn dimensions_are_filled_in() {
    let mut job = TestJob::new(1);
    job.set(0, 0, &[0, 0, 3]);
    job.call(0, "MPI_Dims_create", &[int(12), int(3), at(0)]);
    job.run();
    assert_eq!(job.ints(0, 0, 3), [2, 2, 3]);
}

#[test]
fn names() {
    let options = Options { nodes: vec![0, 0, 4], ..Options::default() };
    let mut job = TestJob::uninitialised(3, options);
    job.all("MPI_Initialized", &[at(8)]);
    job.all("MPI_Init_thread", &[NULL, NULL, int(2), at(0)]);
    job.all("MPI_Get_processor_name", &[at(1000), at(4)]);
    job.all("MPI_Comm_get_name", &[WORLD, at(2000), at(12)]);
    job.all("MPI_Comm_set_name", &[int(2), at(1000)]);
    job.all("MPI_Comm_get_name", &[int(2), at(3000), at(16)]);
    job.all("MPI_Error_string", &[int(0), at(4000), at(20)]);
    job.all("MPI_Comm_split_type", &[WORLD, int(1), int(0), NULL, at(24)]);
    job.run();
    assert_eq!(job.ints(2, 0, 3), [2, 5, 0]);
    assert_eq!([1000, 2000, 3000, 4000].map(|at| job.text(2, at)), ["node4", "MPI_COMM_WORLD", "node4", "no error"]);
    assert_eq!([0, 1, 2].map(|task| job.get(task, 24)), [Some(3), Some(3), Some(4)]);
    assert!(matches!(&job.log[0].1, Operation::Local { function } if &**function == "MPI_Init_thread"));
}

#[test]
fn small_inquiries() {
    let mut job = TestJob::new(2);
    job.call(0, "MPI_Get_version", &[at(0), at(4)]);
    job.call(0, "MPI_Query_thread", &[at(8)]);
    job.call(0, "MPI_Comm_get_attr", &[WORLD, int(-1001), at(16), at(12)]);
    job.call(0, "MPI_Comm_get_attr", &[WORLD, int(5), at(24), at(32)]);
    job.call(0, "MPI_Comm_set_errhandler", &[WORLD, int(2)]);
    job.call(0, "MPI_Pcontrol", &[int(0)]);
    job.call(0, "MPI_Buffer_attach", &[at(500), int(100)]);
    job.call(0, "PMPI_Comm_rank", &[WORLD, at(36)]);
    job.call(0, "MPI_Abort", &[WORLD, int(3)]);
    job.run();
    assert_eq!(job.ints(0, 0, 4), [3, 1, 0, 1]);
    assert_eq!((job.ints(0, 32, 2), job.get(0, 1 << 40)), (vec![0, 0], Some(i64::from(i32::MAX))));
    assert!(matches!(job.log[0].1, Operation::Abort { code: 3 }));
}
