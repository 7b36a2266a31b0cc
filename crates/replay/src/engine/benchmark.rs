//! The benchmark of a collective operation (microbench/mpi/network.c), replayed.

use super::Engine;
use crate::collective::correction::BenchmarkRun;
use crate::collective::plan::deciding_bytes;
use crate::options::{Placement, ReplayOptions};
use chronos_activity::{
    Activity, ActivityFeed, Collective, CollectiveKind, CommId, Event, Operation, Segments, Step, TaskId, Volume, Work,
};
use chronos_base::units::{Bytes, Picoseconds};
use chronos_ir::BlockId;
use std::sync::Arc;

/// How long the benchmark of the operation takes with this factor.
pub fn benchmark(run: BenchmarkRun<'_>) -> Picoseconds {
    let BenchmarkRun { network, kind, measured, bytes, vector, factor } = run;
    let activity = benchmark_program(kind, measured.tasks, bytes, vector);
    let mut feed = ActivityFeed::new(&activity);
    let mut pricing = |_: TaskId, _: Work, _: &Segments| Picoseconds::ZERO;
    let mut options = ReplayOptions::new(network, &mut pricing, &|_| None);
    if measured.within_node {
        options.placement = Placement::together(measured.tasks as usize);
    }
    let mut engine = Engine::new(&mut feed, options);
    engine.collectives.corrections.trial = Some((kind, factor));
    let elapsed = engine.run().tasks.into_iter().filter_map(|task| task.elapsed.first().map(|elapsed| elapsed.total));
    elapsed.max().unwrap_or_default()
}

/// Behind a barrier, the operation between two readings of the clock.
fn benchmark_program(kind: CollectiveKind, tasks: u32, bytes: u64, vector: bool) -> Activity {
    let event = |operation| Step::Event(Arc::new(Event { operation, site: None }));
    let (from, to) = (BlockId(0), BlockId(1));
    let rooted = matches!(
        kind,
        CollectiveKind::Bcast | CollectiveKind::Reduce | CollectiveKind::Gather | CollectiveKind::Scatter
    );
    let whole = if kind == CollectiveKind::ReduceScatter { bytes.saturating_mul(u64::from(tasks)) } else { bytes };
    let collective = |kind, bytes, root| Collective {
        kind,
        comm: CommId(0),
        root,
        volume: Volume::Each(Bytes(bytes)),
        commutative: true,
        request: None,
    };
    let mut operation = collective(kind, whole, rooted.then_some(TaskId(0)));
    if vector {
        let blocks = vec![Bytes(bytes); tasks as usize].into();
        operation.volume = Volume::Blocks { own: Bytes(bytes), blocks };
    }
    debug_assert_eq!(deciding_bytes(&operation, tasks), if kind == CollectiveKind::Agreement { 8 } else { bytes });
    let steps = vec![
        event(Operation::Collective(collective(CollectiveKind::Barrier, 0, None))),
        event(Operation::ReadClock { slot: from }),
        event(Operation::Collective(operation)),
        event(Operation::ReadClock { slot: to }),
        event(Operation::Elapsed { from, to }),
    ];
    Activity { tasks: vec![steps; tasks as usize], ..Activity::default() }
}
