//! Measured times of collective operations: by how much the messages of an algorithm must be slower or faster, so
//! that the operation takes as long as it was measured to take.
//!
//! The benchmark (microbench/mpi/network.c) lets all members begin behind a barrier and takes the time of the member that
//! needs longest; that very program is replayed here. Who waits for whom stays what the algorithm says, so members that
//! come at different times are handled as well as with calls.

use super::plan::deciding_bytes;
use crate::activity::{
    Activity, ActivityFeed, Collective, CollectiveKind, CommId, Event, Operation, Segments, Step, TaskId, Volume, Work,
};
use crate::hash::FastMap;
use crate::machine::network::{MeasuredCollective, Network, Point};
use crate::program::BlockId;
use crate::replay::engine::Engine;
use crate::replay::price::MessageCost;
use crate::replay::{Placement, ReplayOptions};
use crate::units::{Bytes, Picoseconds};
use std::sync::Arc;

/// A factor of message costs, in 65,536ths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replay) struct CostFactor(u32);

impl CostFactor {
    pub const NONE: Self = Self(1 << 16);

    fn of_ratio(ratio: f64) -> Self {
        const MOST: f64 = 1e4;
        Self((ratio.clamp(1.0 / 4096.0, MOST) * 65536.0).round() as u32)
    }

    /// For comparisons.
    pub fn word(self) -> u64 {
        u64::from(self.0)
    }

    fn ratio(self) -> f64 {
        f64::from(self.0) / 65536.0
    }

    fn time(self, time: Picoseconds) -> Picoseconds {
        Picoseconds(((u128::from(time.0) * u128::from(self.0)) >> 16).min(u128::from(u64::MAX)) as u64)
    }

    /// The cost of a message, scaled.
    #[inline]
    pub fn of(self, cost: MessageCost) -> MessageCost {
        if self == Self::NONE {
            return cost;
        }
        MessageCost {
            send_overhead: self.time(cost.send_overhead),
            recv_overhead: self.time(cost.recv_overhead),
            head: self.time(cost.head),
            transfer: self.time(cost.transfer),
            occupancy: self.time(cost.occupancy),
            request: self.time(cost.request),
            grant: self.time(cost.grant),
            // What was measured has it.
            two_way: Picoseconds::ZERO,
            ..cost
        }
    }
}

/// Operations that have one factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CorrectedOperation {
    kind: CollectiveKind,
    members: u32,
    /// Rounded; of the forms with a size for each member the mean.
    bytes: u64,
    /// All on one node.
    on_one_node: bool,
    /// A form with a size for each member.
    vector: bool,
}

/// What was computed so far; a program uses few operations and sizes.
#[derive(Debug, Default)]
pub(in crate::replay) struct Corrections {
    known: FastMap<CorrectedOperation, CostFactor>,
    /// Of a replay that looks for the factor of an operation: which one, and the factor to try.
    pub trial: Option<(CollectiveKind, CostFactor)>,
}

impl Corrections {
    /// The factor for an operation of so many members on so many bytes.
    pub fn scale(
        &mut self,
        network: &Network,
        collective: &Collective,
        (size, bytes): (u32, u64),
        on_one_node: bool,
    ) -> CostFactor {
        if let Some((kind, scale)) = self.trial {
            return if kind == collective.kind { scale } else { CostFactor::NONE };
        }
        if network.measured_collectives.is_empty() || size < 2 {
            return CostFactor::NONE;
        }
        let vector = matches!(collective.volume, Volume::Blocks { .. });
        let key = CorrectedOperation {
            kind: collective.kind,
            members: size,
            bytes: rounded_size(bytes),
            on_one_node,
            vector,
        };
        *self.known.entry(key).or_insert_with(|| find_factor(network, key))
    }
}

/// To three significant bits, so that many different sizes are few.
fn rounded_size(bytes: u64) -> u64 {
    let shift = (u64::BITS - bytes.leading_zeros()).saturating_sub(4);
    (bytes >> shift) << shift
}

/// Beyond the largest measured size the factor of that size holds. Forms with a size for each member take as long as the
/// others where all sizes are the same. Within a node that was found for all sizes; between nodes libraries treat the two
/// apart when they are large, so beyond what was measured these forms are left alone there.
fn find_factor(
    network: &Network,
    CorrectedOperation { kind, members, bytes, on_one_node, vector }: CorrectedOperation,
) -> CostFactor {
    let network = network.unscaled.as_deref().unwrap_or(network);
    let Some(measured) = network.measured(kind.into(), members, on_one_node) else { return CostFactor::NONE };
    let points = &measured.time_ns.points;
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return CostFactor::NONE };
    if vector && !on_one_node && bytes > last.bytes {
        return CostFactor::NONE;
    }
    let bytes = bytes.clamp(first.bytes, last.bytes);
    let bare = Network { measured_collectives: Vec::new(), samples: Vec::new(), ..network.clone() };
    // The forms that were measured have one size.
    let plain = |bytes| benchmark(&bare, kind, measured, (bytes, false), CostFactor::NONE).as_nanoseconds();
    let expected = measured.time_ns.at(bytes).as_nanoseconds() * interpolation_correction(points, bytes, plain);
    let mut scale = CostFactor::NONE;
    for _ in 0..STEPS {
        let found = benchmark(&bare, kind, measured, (bytes, vector), scale).as_nanoseconds();
        if found <= 0.0 || expected <= 0.0 || (found / expected - 1.0).abs() < CLOSE {
            return scale;
        }
        scale = CostFactor::of_ratio(scale.ratio() * expected / found);
    }
    scale
}

/// By what the algorithm's own time at a size departs from the straight line between its times at the measured sizes around
/// it. So the step of a protocol, or to another algorithm, is where it belongs instead of spread over all sizes in between.
fn interpolation_correction(points: &[Point], bytes: u64, plain: impl Fn(u64) -> f64) -> f64 {
    let above = points.partition_point(|point| point.bytes < bytes);
    let (Some(left), Some(right)) = (above.checked_sub(1).map(|left| points[left]), points.get(above)) else {
        return 1.0;
    };
    if right.bytes == bytes {
        return 1.0;
    }
    let share = (bytes - left.bytes) as f64 / (right.bytes - left.bytes) as f64;
    let straight = (1.0 - share) * plain(left.bytes) + share * plain(right.bytes);
    if straight > 0.0 { plain(bytes) / straight } else { 1.0 }
}

/// Steps towards the factor; each leaves a small part of the error, what is not scaled (skew, arithmetic).
const STEPS: u32 = 8;
const CLOSE: f64 = 0.003;

/// How long the benchmark of the operation takes with this factor.
fn benchmark(
    network: &Network,
    kind: CollectiveKind,
    measured: &MeasuredCollective,
    (bytes, vector): (u64, bool),
    scale: CostFactor,
) -> Picoseconds {
    let activity = benchmark_program(kind, measured.tasks, bytes, vector);
    let mut feed = ActivityFeed::new(&activity);
    let mut pricing = |_: TaskId, _: Work, _: &Segments| Picoseconds::ZERO;
    let mut options = ReplayOptions::new(network, &mut pricing, &|_| None);
    if measured.within_node {
        options.placement = Placement::together(measured.tasks as usize);
    }
    let mut engine = Engine::new(&mut feed, options);
    engine.collectives.corrections.trial = Some((kind, scale));
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
