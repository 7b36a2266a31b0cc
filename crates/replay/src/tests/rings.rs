//! Collective operations that are timed as a whole, against the replay of their messages.

use super::*;
use chronos_machine::network::{Algorithm, AlgorithmRule, CollectiveName};
use proptest::prelude::*;

/// Allgather, allreduce and reduce-scatter around a ring, alltoall at once; binomial trees for the rest.
fn ring_network(latency_ns: f64, stored: bool) -> Network {
    network_with(Curve::constant(latency_ns), stored)
}

fn network_with(latency: Curve, stored: bool) -> Network {
    let mut network = round_network();
    let rule = |(collective, algorithm)| AlgorithmRule {
        collective,
        tasks_below: None,
        bytes_below: None,
        algorithm,
        segment_bytes: None,
    };
    let algorithms = [
        (CollectiveName::Allgather, Algorithm::Ring),
        (CollectiveName::Allreduce, Algorithm::Ring),
        (CollectiveName::ReduceScatter, Algorithm::Ring),
        (CollectiveName::Alltoall, Algorithm::Linear),
    ];
    network.algorithms = algorithms.map(rule).to_vec();
    network.between_nodes.latency_ns = latency;
    network.between_nodes.store_and_forward_bytes = stored.then_some(300);
    network.reduction_ns_per_byte = 0.5;
    network
}

/// What all tasks do next.
#[derive(Clone, Debug)]
enum Phase {
    /// Each computes for a time of its own.
    Compute(Vec<u32>),
    /// Each sends to the one so far to its right, and receives later or at once.
    Shift {
        distance: u32,
        bytes: u32,
        late: bool,
    },
    Collective {
        kind: &'static str,
        bytes: u32,
    },
    /// A block of its own of each for all.
    Blocks(Vec<u32>),
    /// A block of its own of each for each: those of a member are these, from another place on.
    BlockOfEach(Vec<u32>),
}

const SIZE: std::ops::Range<u32> = 3..9;
const KINDS: [&str; 7] = ["allgather", "allreduce", "reduce_scatter", "alltoall", "bcast", "reduce", "barrier"];

fn any_phase() -> impl Strategy<Value = Phase> {
    let bytes = || prop_oneof![0u32..900, 990u32..1010, 1001u32..5000];
    let times = prop_oneof![Just(0u32..40), Just(0u32..3000), Just(0u32..100_000)];
    prop_oneof![
        3 => times.prop_flat_map(|times| prop::collection::vec(times, 9)).prop_map(Phase::Compute),
        1 => (1u32..3, bytes(), any::<bool>()).prop_map(|(distance, bytes, late)| Phase::Shift { distance, bytes, late }),
        4 => (prop::sample::select(KINDS.as_slice()), bytes()).prop_map(|(kind, bytes)| Phase::Collective { kind, bytes }),
        2 => prop::collection::vec(bytes(), 9).prop_map(Phase::Blocks),
        // Not so different that the algorithm depends on who comes first.
        2 => prop::collection::vec(0u32..900, 9).prop_map(Phase::BlockOfEach),
    ]
}

fn line(rank: u32, size: u32, phases: &[Phase]) -> String {
    let (mut steps, mut late) = (Vec::new(), Vec::new());
    for (number, phase) in phases.iter().enumerate() {
        match phase {
            Phase::Compute(times) => steps.push(format!("calc {}", times[rank as usize])),
            Phase::Collective { kind, bytes } => {
                let root = if ["bcast", "reduce"].contains(kind) { "1" } else { "-" };
                steps.push(format!("{kind} {root} {}", bytes * if *kind == "reduce_scatter" { size } else { 1 }));
            }
            Phase::Blocks(blocks) => steps.push(format!("allgatherv - {}", blocks[rank as usize])),
            Phase::BlockOfEach(blocks) => steps.push(format!("alltoallv - {}", blocks[0])),
            &Phase::Shift { distance, bytes, late: false } => {
                let (to, from) = ((rank + distance) % size, (rank + size - distance) % size);
                steps.push(format!("irecv {from} {bytes} tag={number} req={number}; send {to} {bytes} tag={number}"));
                steps.push(format!("wait {number}"));
            }
            &Phase::Shift { distance, bytes, late: true } => {
                let (to, from) = ((rank + distance) % size, (rank + size - distance) % size);
                steps.push(format!("isend {to} {bytes} tag={number} req={number}"));
                late.push(format!("recv {from} {bytes} tag={number}; wait {number}"));
            }
        }
    }
    format!("{rank}: {}\n", [steps, late].concat().join("; "))
}

/// The activity, with the blocks of all members in those operations that have one for each.
fn program(size: u32, phases: &[Phase]) -> Activity {
    use chronos_activity::{Operation, Step, Volume};
    use chronos_base::units::Bytes;
    let mut activity = activity(&(0..size).map(|rank| line(rank, size, phases)).collect::<String>());
    for (rank, task) in activity.tasks.iter_mut().enumerate() {
        let mut of_each = phases.iter().filter_map(|phase| match phase {
            Phase::Blocks(blocks) => Some(blocks.clone()),
            Phase::BlockOfEach(blocks) => Some([&blocks[rank..], &blocks[..rank]].concat()),
            _ => None,
        });
        for step in task {
            let Step::Event(event) = step else { continue };
            let mut changed = chronos_activity::Event::clone(event);
            if let Operation::Collective(collective) = &mut changed.operation
                && let Volume::Blocks { blocks, .. } = &mut collective.volume
                && let Some(sizes) = of_each.next()
            {
                *blocks = sizes.iter().take(size as usize).map(|&bytes| Bytes(u64::from(bytes))).collect();
                *event = std::sync::Arc::new(changed);
            }
        }
    }
    activity
}

fn replayed(activity: &Activity, network: &Network, as_a_whole: bool, jump_ahead: bool) -> ReplayResult {
    let mut pricing = given_time;
    let options = ReplayOptions {
        critical_path: true,
        collectives_as_a_whole: if as_a_whole { 0 } else { usize::MAX },
        jump_ahead,
        ..ReplayOptions::new(network, &mut pricing, &|_| None)
    };
    replay(&mut ActivityFeed::new(activity), options)
}

/// A program whose phases come again so often, with all its messages and as a whole with iterations left out.
fn repeated(size: u32, phases: &[Phase], times: u64) -> [ReplayResult; 2] {
    use chronos_activity::{Repeat, Step};
    let mut activity = program(size, phases);
    for task in &mut activity.tasks {
        let steps = std::mem::take(task);
        task.push(Step::Repeat(std::sync::Arc::new(Repeat { steps, times })));
    }
    let network = ring_network(100.0, false);
    [(false, false), (true, true)].map(|(as_a_whole, jump_ahead)| replayed(&activity, &network, as_a_whole, jump_ahead))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn rings_end_as_their_messages_do(
        size in SIZE,
        phases in prop::collection::vec(any_phase(), 1..9),
        latency in prop::sample::select(vec![0.0, 20.0, 100.0, 5000.0]),
        rising in prop::sample::select(vec![0.0, 0.05, 0.5, 3.0]),
        stored in any::<bool>(),
    ) {
        // A small message may overtake a large one.
        let network = network_with(Curve::linear(latency, rising), stored);
        let activity = program(size, &phases);
        let expected = replayed(&activity, &network, false, false);
        let found = replayed(&activity, &network, true, false);
        prop_assert!(expected.complete, "{}", faults(&expected));
        prop_assert_eq!(&found.tasks, &expected.tasks, "{:?}", phases);
        prop_assert_eq!(&found.critical_path, &expected.critical_path);
        prop_assert_eq!(&found.matrix, &expected.matrix);
        prop_assert_eq!(found.steps, expected.steps);
    }

    #[test]
    fn iterations_with_rings_repeat_as_those_with_messages(
        size in SIZE,
        phases in prop::collection::vec(any_phase(), 1..5),
        times in 20u64..200,
    ) {
        let [expected, found] = repeated(size, &phases, times);
        prop_assert_eq!(&found.tasks, &expected.tasks, "{:?}", phases);
        prop_assert_eq!(&found.critical_path, &expected.critical_path);
    }
}

/// Members that come when others have begun already must not wait for them.
#[test]
fn late_members_of_a_ring_that_has_begun_are_not_held() {
    let phases = [("reduce", 990), ("allreduce", 1129)].map(|(kind, bytes)| Phase::Collective { kind, bytes });
    let activity = program(8, &[&phases[..], &phases[..]].concat());
    let network = ring_network(100.0, false);
    assert_eq!(replayed(&activity, &network, true, false).tasks, replayed(&activity, &network, false, false).tasks);
}

/// Empty blocks come through a port at one time: which of them was waited for must not hang on when its window of events opened,
/// which differs from iteration to iteration.
#[test]
fn of_messages_that_complete_at_one_time_the_same_is_waited_for_in_each_iteration() {
    let phases = [
        Phase::Compute(vec![0, 0, 0, 8, 0, 0, 0, 0, 0]),
        Phase::BlockOfEach(vec![0, 0, 539, 10, 419, 128, 0, 0, 0]),
        Phase::Blocks(vec![0, 0, 998, 1006, 0, 0, 0, 0, 0]),
        Phase::Collective { kind: "reduce_scatter", bytes: 92 },
    ];
    let exchanges =
        [vec![0, 606, 276, 374, 506, 0, 308, 35, 0], vec![0, 49, 559, 0, 77, 354, 318, 595, 0]].map(Phase::BlockOfEach);
    for (size, phases) in [(4, &phases[..]), (5, &exchanges)] {
        let [expected, found] = repeated(size, phases, 20);
        assert_eq!(found.tasks, expected.tasks, "{phases:?}");
        assert_eq!(found.critical_path, expected.critical_path, "{phases:?}");
    }
}
