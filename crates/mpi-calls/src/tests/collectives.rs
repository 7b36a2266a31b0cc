//! What collectives bring to each member.

use super::driver::*;
use crate::{MpiCalls, Performed};
use chronos_activity::{Collective, CollectiveKind, CommId, Operation, TaskId, Volume};
use chronos_base::ids::Id;
use chronos_base::units::Bytes;
use chronos_ir::ScalarType;
use chronos_values::Value;

/// Tasks with ten times their rank, and the three numbers behind it, at 0.
fn numbered(tasks: usize) -> TestJob {
    let mut job = TestJob::new(tasks);
    for task in 0..tasks {
        let first = 10 * i64::try_from(task).expect("small");
        job.set(task, 0, &[first, first + 1, first + 2, first + 3]);
    }
    job
}

/// The first collective of task 0.
fn collective(job: &TestJob) -> Collective {
    let found = job.log.iter().find_map(|(task, op)| match op {
        Operation::Collective(collective) if *task == 0 => Some(collective.clone()),
        _ => None,
    });
    found.expect("a collective was performed")
}

fn closed(job: &TestJob) {
    assert_eq!(job.calls.comms[0].instances.open_count(), 0);
}

#[test]
fn bcast() {
    let mut job = numbered(3);
    job.all("MPI_Bcast", &[at(0), int(2), INT, int(1), WORLD]);
    job.run();
    assert_eq!([0, 1, 2].map(|task| job.ints(task, 0, 3)), [[10, 11, 2], [10, 11, 12], [10, 11, 22]].map(Vec::from));
    let event = collective(&job);
    assert_eq!((event.kind, event.root, event.volume), (CollectiveKind::Bcast, Some(TaskId(1)), each(8)));
    closed(&job);
}

fn each(bytes: u64) -> Volume {
    Volume::Each(Bytes(bytes))
}

#[test]
fn reduce_comes_to_the_root_alone() {
    let mut job = numbered(3);
    job.all("MPI_Reduce", &[at(0), at(100), int(2), INT, SUM, int(2), WORLD]);
    job.run();
    assert_eq!(job.ints(2, 100, 2), [30, 33]);
    assert_eq!(job.get(0, 100), None);
    closed(&job);
}

#[test]
fn reduce_in_place() {
    let mut job = numbered(2);
    job.call(0, "MPI_Reduce", &[IN_PLACE, at(0), int(1), INT, MAX, int(0), WORLD]);
    job.call(1, "MPI_Reduce", &[at(0), NULL, int(1), INT, MAX, int(0), WORLD]);
    job.run();
    assert_eq!(job.get(0, 0), Some(10));
}

#[test]
fn allreduce_knows_what_all_know() {
    let mut job = numbered(2);
    // No number, so nothing that others learn.
    job.set_as(1, 4, ScalarType::I32, Value::Library(0));
    job.all("MPI_Allreduce", &[at(0), at(100), int(3), INT, SUM, WORLD]);
    job.run();
    assert_eq!(job.ints(0, 100, 3), [10, -999, 14]);
    assert_eq!(job.ints(1, 100, 3), [10, -999, 14]);
}

#[test]
fn locations_travel_with_their_values() {
    let mut job = TestJob::new(3);
    for (task, pair) in [[4, 0], [9, 1], [9, 2]].iter().enumerate() {
        job.set(task, 0, pair);
    }
    job.all("MPI_Allreduce", &[IN_PLACE, at(0), int(1), TWO_INT, MAXLOC, WORLD]);
    job.run();
    assert_eq!(job.ints(2, 0, 2), [9, 1]);
}

#[test]
fn a_reduction_of_the_program_is_not_known() {
    let mut job = numbered(2);
    job.all("MPI_Op_create", &[NULL, int(0), at(200)]);
    job.all("MPI_Op_commutative", &[load(200), at(204)]);
    job.all("MPI_Allreduce", &[at(0), at(0), int(1), INT, load(200), WORLD]);
    job.all("MPI_Op_free", &[at(200)]);
    job.run();
    assert_eq!((job.get(0, 0), job.get(0, 4), job.ints(0, 200, 2)), (None, Some(1), vec![0, 0]));
    assert!(!collective(&job).commutative);
}

#[test]
fn scan_and_exscan() {
    let mut job = numbered(3);
    job.set_all(104, &[-1]);
    job.all("MPI_Scan", &[at(0), at(100), int(1), INT, SUM, WORLD]);
    job.all("MPI_Exscan", &[at(0), at(104), int(1), INT, SUM, WORLD]);
    job.run();
    assert_eq!([0, 1, 2].map(|task| job.ints(task, 100, 2)), [[0, -1], [10, 0], [30, 10]].map(Vec::from));
}

#[test]
fn reduce_scatter() {
    let mut job = numbered(2);
    job.set_all(200, &[1, 3]);
    job.all("MPI_Reduce_scatter", &[at(0), at(100), at(200), INT, SUM, WORLD]);
    job.all("MPI_Reduce_scatter_block", &[at(0), at(120), int(2), INT, SUM, WORLD]);
    job.run();
    assert_eq!((job.ints(0, 100, 2), job.ints(1, 100, 3)), (vec![10, -999], vec![12, 14, 16]));
    assert_eq!((job.ints(0, 120, 2), job.ints(1, 120, 2)), (vec![10, 12], vec![14, 16]));
    assert_eq!(collective(&job).volume, each(16));
}

#[test]
fn gather_and_scatter() {
    let mut job = numbered(3);
    job.all("MPI_Gather", &[at(0), int(1), INT, at(100), int(1), INT, int(0), WORLD]);
    job.all("MPI_Scatter", &[at(100), int(1), INT, at(200), int(1), INT, int(0), WORLD]);
    job.run();
    assert_eq!(job.ints(0, 100, 3), [0, 10, 20]);
    assert_eq!([0, 1, 2].map(|task| job.get(task, 200)), [Some(0), Some(10), Some(20)]);
    assert_eq!(job.get(1, 100), None);
    assert_eq!(collective(&job).volume, each(4));
    closed(&job);
}

#[test]
fn gather_and_scatter_in_place() {
    let mut job = numbered(2);
    job.set(0, 100, &[7]);
    job.call(0, "MPI_Gather", &[IN_PLACE, int(1), INT, at(100), int(1), INT, int(0), WORLD]);
    job.call(1, "MPI_Gather", &[at(0), int(1), INT, NULL, int(0), INT, int(0), WORLD]);
    job.call(0, "MPI_Scatter", &[at(100), int(1), INT, IN_PLACE, int(1), INT, int(0), WORLD]);
    job.call(1, "MPI_Scatter", &[NULL, int(0), INT, at(0), int(1), INT, int(0), WORLD]);
    job.run();
    assert_eq!((job.ints(0, 100, 2), job.get(1, 0)), (vec![7, 10], Some(10)));
}

#[test]
fn blocks_of_different_size() {
    let mut job = numbered(2);
    job.set(0, 300, &[1, 2, 3, 0]);
    let counts = [1, 2];
    for (task, &count) in counts.iter().enumerate() {
        job.call(task, "MPI_Gatherv", &[at(0), int(count), INT, at(100), at(300), at(308), INT, int(0), WORLD]);
    }
    job.run();
    assert_eq!(job.ints(0, 100, 4), [10, 11, -999, 0]);
    let volume = Volume::Blocks { own: Bytes(4), blocks: [Bytes(4), Bytes(8)].into() };
    assert_eq!(collective(&job).volume, volume);
    for (task, &count) in counts.iter().enumerate() {
        job.call(task, "MPI_Scatterv", &[at(100), at(300), at(308), INT, at(200), int(count), INT, int(0), WORLD]);
    }
    job.run();
    assert_eq!((job.ints(0, 200, 2), job.ints(1, 200, 2)), (vec![0, -999], vec![10, 11]));
}

#[test]
fn allgather() {
    let mut job = numbered(3);
    job.all("MPI_Allgather", &[at(0), int(2), INT, at(100), int(2), INT, WORLD]);
    job.run();
    assert_eq!(job.ints(1, 100, 6), [0, 1, 10, 11, 20, 21]);
    (0..3).for_each(|task| job.set(task, 200 + 4 * i64::try_from(task).expect("small"), &[5]));
    job.all("MPI_Allgather", &[IN_PLACE, int(0), INT, at(200), int(1), INT, WORLD]);
    job.run();
    assert_eq!(job.ints(2, 200, 3), [5, 5, 5]);
}

#[test]
fn allgatherv() {
    let mut job = numbered(2);
    job.set_all(300, &[2, 1, 1, 0]);
    job.call(0, "MPI_Allgatherv", &[at(0), int(2), INT, at(100), at(300), at(308), INT, WORLD]);
    job.call(1, "MPI_Allgatherv", &[at(0), int(1), INT, at(100), at(300), at(308), INT, WORLD]);
    job.run();
    assert_eq!([job.ints(0, 100, 3), job.ints(1, 100, 3)], [vec![10, 0, 1], vec![10, 0, 1]]);
}

#[test]
fn alltoall() {
    let mut job = numbered(3);
    job.all("MPI_Alltoall", &[at(0), int(1), INT, at(100), int(1), INT, WORLD]);
    job.run();
    assert_eq!([0, 1, 2].map(|task| job.ints(task, 100, 3)), [[0, 10, 20], [1, 11, 21], [2, 12, 22]].map(Vec::from));
}

#[test]
fn alltoallv() {
    let mut job = numbered(2);
    job.set(0, 300, &[1, 2, 0, 1, 1, 1, 0, 1]);
    job.set(1, 300, &[1, 0, 0, 0, 2, 0, 0, 0]);
    let args = [at(0), at(300), at(308), INT, at(100), at(316), at(324), INT, WORLD];
    job.all("MPI_Alltoallv", &args);
    job.run();
    assert_eq!((job.ints(0, 100, 2), job.ints(1, 100, 2)), (vec![0, 10], vec![1, 2]));
    assert_eq!(collective(&job).volume, Volume::Blocks { own: Bytes(4), blocks: [Bytes(4), Bytes(8)].into() });
}

/// Blocks that lie next to one another are taken as one piece: they come to what they come to with a gap between them.
#[test]
fn blocks_next_to_one_another_bring_what_those_apart_do() {
    let brought = |apart: i64| {
        let mut job = numbered(2);
        // Counts and displacements of what is sent, then of what comes.
        job.set(0, 300, &[1, 2, 0, 1, 1, 1, 0, 1 + apart]);
        job.set(1, 300, &[1, 1, 0, 1, 2, 1, 0, 2 + apart]);
        let args = [at(0), at(300), at(308), INT, at(100), at(316), at(324), INT, WORLD];
        job.all("MPI_Alltoallv", &args);
        job.run();
        let blocks = |task, first: i64| {
            [job.ints(task, 100, first as usize), job.ints(task, 100 + 4 * (first + apart), 1)].concat()
        };
        [blocks(0, 1), blocks(1, 2)]
    };
    assert_eq!(brought(0), [vec![0, 10], vec![1, 2, 11]]);
    assert_eq!(brought(1), brought(0));
}

#[test]
fn non_blocking_collectives_deliver_at_the_wait() {
    let mut job = numbered(2);
    job.all("MPI_Ibcast", &[at(0), int(1), INT, int(1), WORLD, at(400)]);
    job.all("MPI_Iallreduce", &[at(4), at(100), int(1), INT, SUM, WORLD, at(404)]);
    job.all("MPI_Ibarrier", &[WORLD, at(408)]);
    job.run();
    assert_eq!(job.get(0, 0), Some(0));
    job.all("MPI_Waitall", &[int(3), at(400), NULL]);
    job.run();
    assert_eq!((job.get(0, 0), job.get(0, 100), job.ints(0, 400, 3)), (Some(10), Some(12), vec![0, 0, 0]));
    closed(&job);
}

fn repeated(job: &mut TestJob, task: usize, times: u64) {
    let collectives = std::iter::once((CommId(0), 1)).collect();
    let period = Performed { collectives, ..Performed::default() };
    job.calls.repeated(TaskId::new(task), &period, times);
}

#[test]
fn a_member_of_whose_repeat_nothing_is_known_gives_nothing() {
    let mut job = numbered(2);
    repeated(&mut job, 0, 1);
    job.call(1, "MPI_Allreduce", &[at(0), at(100), int(1), INT, SUM, WORLD]);
    job.run_partly();
    repeated(&mut job, 1, 5);
    assert_eq!(job.get(1, 100), None);
}

#[test]
fn finalize_is_agreed_by_all() {
    let mut job = TestJob::new(2);
    job.all("MPI_Finalize", &[]);
    job.all("MPI_Finalized", &[at(0)]);
    job.run();
    assert_eq!((collective(&job).kind, job.get(1, 0)), (CollectiveKind::Agreement, Some(1)));
    closed(&job);
}

#[test]
fn a_local_reduction_is_no_event() {
    let mut job = TestJob::new(1);
    job.set(0, 0, &[1, 2, 10, 20]);
    job.call(0, "MPI_Reduce_local", &[at(0), at(8), int(2), INT, SUM]);
    job.run();
    assert_eq!(job.ints(0, 8, 2), [11, 22]);
    assert!(job.log.is_empty());
}

#[test]
fn blocks_with_types_of_their_own() {
    let mut job = TestJob::new(2);
    for task in 0..2 {
        let base = 10 * i64::try_from(task).unwrap_or(0);
        job.set(task, 0, &[base, base + 1]);
        job.set(task, 100, &[1, 1, 0, 4, 8, 8]);
    }
    job.all("MPI_Alltoallw", &[at(0), at(100), at(108), at(116), at(40), at(100), at(108), at(116), WORLD]);
    job.run();
    assert_eq!((job.ints(0, 40, 2), job.ints(1, 40, 2)), (vec![0, 10], vec![1, 11]));
}
