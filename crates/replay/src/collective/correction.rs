//! Measured times of collective operations: by how much the messages of an algorithm must be slower or faster, so
//! that the operation takes as long as it was measured to take.
//!
//! The benchmark (microbench/mpi/network.c) lets all members begin behind a barrier and takes the time of the member
//! that needs longest; that very program is replayed here. Who waits for whom stays what the algorithm says, so
//! members that come at different times are handled as well as with calls.

use crate::network::cost::CostFactor;
use chronos_activity::{Collective, CollectiveKind, Volume};
use chronos_base::hash::FxHashMap;
use chronos_base::units::{Bytes, Picoseconds};
use chronos_machine::network::{MeasuredCollective, Network, Point};

/// One run of the benchmark of an operation.
#[derive(Clone, Copy)]
pub(crate) struct BenchmarkRun<'r> {
    pub network: &'r Network,
    pub kind: CollectiveKind,
    pub measured: &'r MeasuredCollective,
    pub bytes: u64,
    /// The form with a size for each member.
    pub vector: bool,
    /// By which the costs of its messages are multiplied.
    pub factor: CostFactor,
}

/// Replays the benchmark; how long it takes. A parameter, because this module must not know the engine.
pub type Benchmark<'b> = dyn Fn(BenchmarkRun<'_>) -> Picoseconds + 'b;

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
pub(crate) struct Corrections {
    known: FxHashMap<CorrectedOperation, CostFactor>,
    /// Of a replay that looks for the factor of an operation: which one, and the factor to try.
    pub trial: Option<(CollectiveKind, CostFactor)>,
}

impl Corrections {
    /// The factor for an operation of so many members on so many bytes.
    pub fn scale(
        &mut self,
        network: &Network,
        collective: &Collective,
        size: u32,
        bytes: u64,
        on_one_node: bool,
        benchmark: &Benchmark<'_>,
    ) -> CostFactor {
        if let Some((kind, scale)) = self.trial {
            return if kind == collective.kind { scale } else { CostFactor::NONE };
        }
        if network.measured_collectives.is_empty() || size < 2 || makes_nothing(collective) {
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
        *self.known.entry(key).or_insert_with(|| find_factor(network, key, benchmark))
    }
}

/// What was measured of agreements is the making of a communicator.
fn makes_nothing(collective: &Collective) -> bool {
    collective.kind == CollectiveKind::Agreement && collective.volume == Volume::Each(Bytes(0))
}

/// To three significant bits, so that many different sizes are few.
fn rounded_size(bytes: u64) -> u64 {
    let shift = (u64::BITS - bytes.leading_zeros()).saturating_sub(4);
    (bytes >> shift) << shift
}

/// Beyond the largest measured size the factor of that size holds. Forms with a size for each member take as long as
/// the others where all sizes are the same. Within a node that was found for all sizes; between nodes libraries treat
/// the two apart when they are large, so beyond what was measured these forms are left alone there.
fn find_factor(
    network: &Network,
    CorrectedOperation { kind, members, bytes, on_one_node, vector }: CorrectedOperation,
    benchmark: &Benchmark<'_>,
) -> CostFactor {
    let network = network.unscaled.as_deref().unwrap_or(network);
    let Some(measured) = network.measured(kind.into(), members, on_one_node) else { return CostFactor::NONE };
    let points = &measured.time_ns.points;
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return CostFactor::NONE };
    if vector && !on_one_node && bytes > last.bytes {
        return CostFactor::NONE;
    }
    // No extrapolation: nothing was measured there.
    let bytes = bytes.clamp(first.bytes, last.bytes);
    let bare = Network { measured_collectives: Vec::new(), samples: Vec::new(), ..network.clone() };
    // The forms that were measured have one size.
    let run = BenchmarkRun { network: &bare, kind, measured, bytes, vector, factor: CostFactor::NONE };
    let plain = |bytes| benchmark(BenchmarkRun { bytes, vector: false, ..run }).as_nanoseconds();
    let expected = measured.time_ns.at(bytes).as_nanoseconds() * interpolation_correction(points, bytes, plain);
    let mut factor = CostFactor::NONE;
    for _ in 0..STEPS {
        let found = benchmark(BenchmarkRun { factor, ..run }).as_nanoseconds();
        // Fixed point: what is not scaled (skew, arithmetic) leaves a part of the error, which shrinks with every step.
        if found <= 0.0 || expected <= 0.0 || (found / expected - 1.0).abs() < CLOSE {
            return factor;
        }
        factor = CostFactor::of_ratio(factor.ratio() * expected / found);
    }
    factor
}

/// By what the algorithm's own time at a size departs from the straight line between its times at the measured sizes
/// around it. So the step of a protocol, or to another algorithm, is where it belongs instead of spread over all
/// sizes in between.
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
