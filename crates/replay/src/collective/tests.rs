use super::patterns::CollectiveRound;
use super::plan::{AlgorithmChoice, Plan};
use crate::Placement;
use crate::tests::script::activity;
use crate::tests::{play, round_network};
use chronos_activity::{Activity, CollectiveKind, Operation, Step, Volume};
use chronos_base::hash::FxHashMap;
use chronos_base::units::Bytes;
use chronos_machine::network::{
    Algorithm, AlgorithmRule, CollectiveName, Curve, MeasuredCollective, Network, Point as CurvePoint,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The word of the script that makes the call.
fn word(collective: CollectiveName) -> &'static str {
    match collective {
        CollectiveName::Barrier => "barrier",
        CollectiveName::Bcast => "bcast",
        CollectiveName::Reduce => "reduce",
        CollectiveName::Allreduce => "allreduce",
        CollectiveName::Gather => "gather",
        CollectiveName::Scatter => "scatter",
        CollectiveName::Allgather => "allgather",
        CollectiveName::Allgatherv => "allgatherv",
        CollectiveName::Alltoall => "alltoall",
        CollectiveName::Alltoallv => "alltoallv",
        CollectiveName::ReduceScatter => "reduce_scatter",
        CollectiveName::Scan => "scan",
        CollectiveName::Exscan => "exscan",
        CollectiveName::Agreement => "agree",
    }
}

/// Every operation with every algorithm that can do it.
fn each_algorithm() -> impl Iterator<Item = (CollectiveName, Algorithm)> {
    let of = |collective: CollectiveName| collective.algorithms().iter().map(move |&algorithm| (collective, algorithm));
    CollectiveName::ALL.into_iter().flat_map(of)
}

fn network(collective: CollectiveName, algorithm: Algorithm, segment_bytes: Option<u64>) -> Network {
    let rule = AlgorithmRule { collective, tasks_below: None, bytes_below: None, algorithm, segment_bytes };
    Network { algorithms: vec![rule], ..round_network() }
}

fn calls(name: &str, root: &str, size: u32, bytes: u64) -> Activity {
    activity(&(0..size).map(|rank| format!("{rank}: {name} {root} {bytes}\n")).collect::<String>())
}

fn rounds(network: &Network, calls: &Activity, rank: u32, root: u32) -> Vec<CollectiveRound> {
    let Step::Event(event) = &calls.tasks[rank as usize][0] else { panic!("a call") };
    let Operation::Collective(collective) = &event.operation else { panic!("a collective") };
    let size = calls.tasks.len() as u32;
    let plan = Plan::new(collective, AlgorithmChoice::of(network, collective, size), rank, size, root);
    (0..).map_while(|index| plan.round(index)).collect()
}

fn rooted(name: &str) -> bool {
    matches!(name, "bcast" | "reduce" | "gather" | "scatter")
}

#[test]
fn every_message_has_its_receive() {
    for (collective, algorithm) in each_algorithm() {
        let name = word(collective);
        for (size, segment) in (2..=17).flat_map(|size| [(size, None), (size, Some(30))]) {
            let network = network(collective, algorithm, segment);
            let root = if rooted(name) { size / 2 } else { 0 };
            let calls = calls(name, if rooted(name) { "1" } else { "-" }, size, 100);
            let mut balance: BTreeMap<(u32, u32), i64> = BTreeMap::new();
            for rank in 0..size {
                for round in rounds(&network, &calls, rank, root) {
                    round.send.iter().for_each(|&(to, _)| *balance.entry((rank, to)).or_default() += 1);
                    round.recv.iter().for_each(|&from| *balance.entry((from, rank)).or_default() -= 1);
                }
            }
            assert!(balance.values().all(|&n| n == 0), "{name} {algorithm:?} {size}: {balance:?}");
            assert!(balance.keys().all(|(from, to)| from != to), "{name} {algorithm:?} {size} sends to itself");
            let result = play(&calls, &network, Placement::spread());
            assert!(result.complete, "{name} {algorithm:?} {size}: {:?}", result.diagnostics);
            assert!(result.matrix.is_empty(), "internal messages are nobody's");
        }
    }
}

/// An algorithm that `patterns` forgets is played as another one.
#[test]
fn each_algorithm_of_an_operation_has_messages_of_its_own() {
    let mut seen: FxHashMap<(CollectiveName, String), Algorithm> = FxHashMap::default();
    for (collective, algorithm) in each_algorithm() {
        let (name, size) = (word(collective), 16);
        let network = network(collective, algorithm, None);
        let calls = calls(name, if rooted(name) { "0" } else { "-" }, size, 64);
        let all: Vec<Vec<CollectiveRound>> = (0..size).map(|rank| rounds(&network, &calls, rank, 0)).collect();
        let other = seen.insert((collective, format!("{all:?}")), algorithm);
        assert_eq!(other, None, "{collective:?}: {algorithm:?} has the messages of another one");
    }
}

/// Bytes that each member receives.
fn received(name: &str, collective: CollectiveName, algorithm: Algorithm, size: u32, root: u32) -> Vec<u64> {
    let network = network(collective, algorithm, None);
    let calls = calls(name, "0", size, 64);
    let mut bytes = vec![0; size as usize];
    for rank in 0..size {
        for (to, sent) in rounds(&network, &calls, rank, root).into_iter().filter_map(|round| round.send) {
            bytes[to as usize] += sent;
        }
    }
    bytes
}

#[test]
fn everyone_gets_all_blocks_of_an_allgather_once() {
    for algorithm in [Algorithm::RecursiveDoubling, Algorithm::Ring, Algorithm::Bruck, Algorithm::Linear] {
        for size in 2..=17 {
            let bytes = received("allgather", CollectiveName::Allgather, algorithm, size, 0);
            assert_eq!(bytes, vec![64 * u64::from(size - 1); size as usize], "{algorithm:?}");
        }
    }
}

/// `MPI_Allgatherv` in which member r has 10 (r + 1) bytes.
fn blocks_of_all(size: u32) -> Activity {
    let mut calls = calls("allgatherv", "-", size, 0);
    let blocks: Arc<[Bytes]> = (1..=u64::from(size)).map(|rank| Bytes(10 * rank)).collect();
    for (rank, task) in calls.tasks.iter_mut().enumerate() {
        let Step::Event(event) = &mut task[0] else { panic!("a call") };
        let Operation::Collective(collective) = &mut Arc::make_mut(event).operation else { panic!("a collective") };
        collective.volume = Volume::Blocks { own: blocks[rank], blocks: Arc::clone(&blocks) };
    }
    calls
}

#[test]
fn blocks_of_several_sizes_reach_all_by_every_algorithm() {
    for &algorithm in CollectiveName::Allgatherv.algorithms() {
        for size in 2..=17 {
            let (network, calls) = (network(CollectiveName::Allgatherv, algorithm, None), blocks_of_all(size));
            let all: u64 = (1..=u64::from(size)).map(|rank| 10 * rank).sum();
            let mut received = vec![0; size as usize];
            for (to, bytes) in
                (0..size).flat_map(|rank| rounds(&network, &calls, rank, 0)).filter_map(|round| round.send)
            {
                received[to as usize] += bytes;
            }
            for (rank, received) in received.into_iter().enumerate() {
                let missing = all - 10 * (rank as u64 + 1);
                // Those who gather and then broadcast send everything to everybody else.
                let expected = if algorithm != Algorithm::GatherBcast || rank == 0 { missing } else { all };
                assert_eq!(received, expected, "{algorithm:?} {size} {rank}");
            }
        }
    }
}

#[test]
fn a_rule_for_the_form_with_sizes_is_taken_before_that_of_the_plain_form() {
    let ends = |network: &Network, calls: &Activity| -> Vec<f64> {
        play(calls, network, Placement::spread()).tasks.iter().map(|task| task.end.as_nanoseconds()).collect()
    };
    let both = |rules: &[(CollectiveName, Algorithm)]| {
        let rules = rules.iter().map(|&(collective, algorithm)| network(collective, algorithm, None).algorithms);
        Network { algorithms: rules.flatten().collect(), ..round_network() }
    };
    let plain = both(&[(CollectiveName::Allgather, Algorithm::Bruck)]);
    // Without one the blocks go around: 30 bytes are at 0 at 150 and at 1 at 150 + 150, 20 at 2 at 140 and at 0 at 280.
    assert_eq!(ends(&plain, &blocks_of_all(3)), [280.0, 300.0, 260.0]);
    let own =
        both(&[(CollectiveName::Allgather, Algorithm::Ring), (CollectiveName::Allgatherv, Algorithm::GatherBcast)]);
    // 20 and 30 bytes come to 0 at 110, one behind the other; from 170 on 60 bytes leave for 2, and behind them for 1.
    assert_eq!(ends(&own, &blocks_of_all(3)), [190.0, 410.0, 350.0]);
}

#[test]
fn a_gather_tree_carries_every_block_to_the_root() {
    for size in 2..=17 {
        for root in 0..size {
            let bytes = received("gather", CollectiveName::Gather, Algorithm::Binomial, size, root);
            assert_eq!(bytes[root as usize], 64 * u64::from(size - 1));
        }
    }
}

#[test]
fn bruck_sends_each_block_once_per_bit() {
    let expected: u64 = (1..7u32).map(|block| 64 * u64::from(block.count_ones())).sum();
    assert_eq!(received("alltoall", CollectiveName::Alltoall, Algorithm::Bruck, 7, 0), vec![expected; 7]);
}

/// Ends of all tasks in nanoseconds.
fn ends(name: &str, collective: CollectiveName, algorithm: Algorithm, size: u32, bytes: u64) -> Vec<f64> {
    let root = if rooted(name) { "0" } else { "-" };
    let result = play(&calls(name, root, size, bytes), &network(collective, algorithm, None), Placement::spread());
    result.tasks.iter().map(|task| task.end.as_nanoseconds()).collect()
}

#[test]
fn schedules_computed_by_hand() {
    use Algorithm as A;
    use CollectiveName as C;
    // One message of 8 bytes: 10 + 100 + 8 + 10 = 128; of 0 bytes: 120.
    assert_eq!(ends("bcast", C::Bcast, A::Linear, 4, 8), [30.0, 128.0, 138.0, 148.0]);
    // To 2 first, then to 1; 2 goes on to 3.
    assert_eq!(ends("bcast", C::Bcast, A::Binomial, 4, 8), [20.0, 138.0, 138.0, 256.0]);
    assert_eq!(ends("bcast", C::Bcast, A::Chain, 4, 8), [10.0, 138.0, 266.0, 384.0]);
    assert_eq!(ends("bcast", C::Bcast, A::BinaryTree, 4, 8), [20.0, 138.0, 138.0, 256.0]);
    // Three arrive at 110, the port takes 8 each; overheads of 10 each, one after the other.
    assert_eq!(ends("reduce", C::Reduce, A::Linear, 4, 8), [148.0, 10.0, 10.0, 10.0]);
    // 1 and 3 send; 2 sends on at 128; received at 138 + 118 + 10.
    assert_eq!(ends("reduce", C::Reduce, A::Binomial, 4, 8), [256.0, 10.0, 138.0, 10.0]);
    assert_eq!(ends("allreduce", C::Allreduce, A::RecursiveDoubling, 4, 8), [256.0; 4]);
    // 0 folds into 1 (128); the message of 2 is there then: 138 + 10; back to 0 at 158 + 118.
    assert_eq!(ends("allreduce", C::Allreduce, A::RecursiveDoubling, 3, 8), [276.0, 158.0, 256.0]);
    assert_eq!(ends("allreduce", C::Allreduce, A::Ring, 4, 8), [6.0 * 122.0; 4]);
    assert_eq!(ends("allreduce", C::Allreduce, A::Rabenseifner, 4, 8), [2.0 * 124.0 + 2.0 * 122.0; 4]);
    assert_eq!(ends("allgather", C::Allgather, A::Ring, 4, 8), [384.0; 4]);
    assert_eq!(ends("allgather", C::Allgather, A::RecursiveDoubling, 4, 8), [128.0 + 136.0; 4]);
    assert_eq!(ends("allgather", C::Allgather, A::Bruck, 3, 8), [256.0; 3]);
    assert_eq!(ends("alltoall", C::Alltoall, A::Pairwise, 4, 8), [384.0; 4]);
    assert_eq!(ends("barrier", C::Barrier, A::Dissemination, 5, 0), [360.0; 5]);
    assert_eq!(ends("scan", C::Scan, A::Linear, 3, 8), [10.0, 138.0, 256.0]);
}

#[test]
fn halves_and_parts_computed_by_hand() {
    use Algorithm as A;
    use CollectiveName as C;
    // Halves of 4 bytes leave at 10 and 20; 1 has its own at 124 and 2 at 134, then each sends for 10 to the other.
    assert_eq!(ends("bcast", C::Bcast, A::SplitBinary, 2, 8), [20.0, 134.0]);
    assert_eq!(ends("bcast", C::Bcast, A::SplitBinary, 3, 8), [20.0, 258.0, 248.0]);
    // Two steps of halving a buffer of 32: 16 and 8 bytes.
    // Three rounds with a block of 8.
    assert_eq!(ends("reduce_scatter", C::ReduceScatter, A::Ring, 4, 32), [384.0; 4]);
    assert_eq!(ends("reduce_scatter", C::ReduceScatter, A::RecursiveHalving, 4, 32), [136.0 + 128.0; 4]);
    // Halving (4, 2 bytes), then 2 bytes up from 1 and 3, and 4 from 2.
    assert_eq!(ends("reduce", C::Reduce, A::Rabenseifner, 4, 8), [246.0 + 122.0 + 124.0, 256.0, 246.0 + 132.0, 256.0]);
}

/// What a pipeline gains: four segments of 2 down a chain of 4, one behind the other.
#[test]
fn segments_follow_one_another_down_a_chain() {
    let network = network(CollectiveName::Bcast, Algorithm::Chain, Some(2));
    let result = play(&calls("bcast", "0", 4, 8), &network, Placement::spread());
    let ends: Vec<f64> = result.tasks.iter().map(|task| task.end.as_nanoseconds()).collect();
    // The root sends every 10 ns. Each next one has the first segment 102 + 10 after it left, and takes 20 for each:
    // 122 + 70, 244 + 70; the last one only receives, 366 + 60.
    assert_eq!(ends, [40.0, 192.0, 314.0, 426.0]);
}

#[test]
fn idle_time_in_a_collective_ends_when_the_last_member_has_come() {
    let calls = activity("0: barrier\n1: barrier\n2: calc 1000; barrier\n3: barrier");
    let network = network(CollectiveName::Barrier, Algorithm::Linear, None);
    let result = play(&calls, &network, Placement::spread());
    let idle: Vec<_> = result.tasks.iter().map(|task| task.idle.as_nanoseconds()).collect();
    // Task 0 has the message of task 1 at 120 and waits for task 2 then; 1 and 3 sent for 10.
    assert_eq!(idle, [880.0, 990.0, 0.0, 990.0]);
}

fn measured(collective: CollectiveName, tasks: u32, time_ns: Curve) -> Network {
    let measured = MeasuredCollective { collective, tasks, within_node: false, time_ns };
    Network { measured_collectives: vec![measured], ..round_network() }
}

fn total(network: &Network, calls: &Activity) -> f64 {
    play(calls, network, Placement::spread()).total.as_nanoseconds()
}

#[test]
fn an_operation_takes_as_long_as_it_was_measured_to() {
    let network = measured(CollectiveName::Alltoall, 4, Curve::linear(800.0, 10.0));
    for bytes in [8, 64, 100] {
        let found = total(&network, &calls("alltoall", "-", 4, bytes));
        let expected = 800.0 + 10.0 * bytes as f64;
        assert!((found / expected - 1.0).abs() < 0.02, "{bytes}: {found}, not {expected}");
    }
}

/// The measured time is that of a communicator that is made; members that only wait for each other (`MPI_Finalize`) exchange less.
#[test]
fn agreements_take_the_measured_time_where_something_is_made() {
    let points = vec![CurvePoint { bytes: 8, ns: 5000.0 }];
    let network = measured(CollectiveName::Agreement, 4, Curve { points });
    let time = |network: &Network, bytes| total(network, &calls("agree", "-", 4, bytes));
    let made = time(&network, 8);
    assert!((made / 5000.0 - 1.0).abs() < 0.02, "{made}");
    let waits = time(&network, 0);
    assert_eq!(waits, time(&round_network(), 0));
    assert!(waits < 2500.0, "{waits}");
}

/// Large messages wait for their receives, which the times at the two measured sizes do not tell.
#[test]
fn between_measured_sizes_the_step_of_a_protocol_is_where_it_belongs() {
    let mut bare = round_network();
    (bare.between_nodes.eager_limit_bytes, bare.between_nodes.request_ns) = (700, 50_000.0);
    let time = |network: &Network, bytes| total(network, &calls("alltoall", "-", 2, bytes));
    let points = [512, 1024].map(|bytes| CurvePoint { bytes, ns: 1.5 * time(&bare, bytes) });
    let measured = MeasuredCollective {
        collective: CollectiveName::Alltoall,
        tasks: 2,
        within_node: false,
        time_ns: Curve { points: points.to_vec() },
    };
    let network = Network { measured_collectives: vec![measured], ..bare.clone() };
    for bytes in [512, 640, 768, 960, 1024] {
        let (found, expected) = (time(&network, bytes), 1.5 * time(&bare, bytes));
        assert!((found / expected - 1.0).abs() < 0.03, "{bytes}: {found}, not {expected}");
    }
}

#[test]
fn who_waits_for_whom_stays_what_the_algorithm_says() {
    let network = measured(CollectiveName::Bcast, 2, Curve::linear(500.0, 1.0));
    let result = play(&activity("0: bcast 0 100\n1: calc 50; bcast 0 100"), &network, Placement::spread());
    let ends: Vec<f64> = result.tasks.iter().map(|task| task.end.as_nanoseconds()).collect();
    // The root goes on once it has sent; the message takes its time whether or not it is expected.
    assert!(ends[0] < 50.0 && (ends[1] - 600.0).abs() < 15.0, "{ends:?}");
}

#[test]
fn other_numbers_of_tasks_get_the_factor_of_the_nearest() {
    // Twice what three messages of a barrier by dissemination among 8 take.
    let network = measured(CollectiveName::Barrier, 8, Curve::constant(720.0));
    let found = total(&network, &calls("barrier", "-", 16, 0));
    assert!((found / 960.0 - 1.0).abs() < 0.02, "{found}");
    let together = play(&calls("barrier", "-", 8, 0), &network, Placement::together(8)).total;
    assert_eq!(together, play(&calls("barrier", "-", 8, 0), &round_network(), Placement::together(8)).total);
}

#[test]
fn a_better_network_makes_measured_operations_faster() {
    let network = measured(CollectiveName::Alltoall, 4, Curve::constant(5000.0));
    let better = network.scaled(&["network.latency=10".parse().unwrap()]).unwrap();
    let calls = calls("alltoall", "-", 4, 8);
    assert!(total(&better, &calls) < 0.5 * total(&network, &calls));
}

#[test]
fn a_non_blocking_collective_overlaps_with_computing() {
    let text = "0: allreduce - 8 req=0; calc 1000; wait 0\n1: allreduce - 8 req=0; calc 1000; wait 0";
    let result = play(&activity(text), &round_network(), Placement::spread());
    assert_eq!(result.total.as_nanoseconds(), 1000.0);
    assert!(result.complete);
}

/// Whether or not the members go on meanwhile.
#[test]
fn a_non_blocking_collective_takes_as_long_as_it_was_measured_to() {
    let network = measured(CollectiveName::Allreduce, 2, Curve::constant(3000.0));
    let waiting = |calc: &str| total(&network, &activity(&calc.replace('C', "allreduce - 8 req=0")));
    let alone = waiting("0: C; wait 0\n1: C; wait 0");
    assert_eq!(alone, total(&network, &calls("allreduce", "-", 2, 8)));
    assert_eq!(waiting("0: C; calc 2000; wait 0\n1: C; calc 2000; wait 0"), alone);
}

#[test]
fn a_sub_communicator_has_its_own_members() {
    let mut calls = activity("0: barrier comm=1\n1: calc 1\n2: barrier comm=1");
    calls.groups.insert(chronos_activity::CommId(1), [0, 2].map(chronos_activity::TaskId).into());
    let result = play(&calls, &round_network(), Placement::spread());
    assert_eq!(result.tasks.iter().map(|task| task.end.as_nanoseconds()).collect::<Vec<_>>(), [120.0, 1.0, 120.0]);
    assert_eq!(crate::engine::names::name(CollectiveKind::Barrier), "MPI_Barrier");
}

fn allgatherv(size: usize, bytes: u64) -> Activity {
    let mut calls = calls("allgather", "-", size as u32, bytes);
    for steps in &mut calls.tasks {
        let Step::Event(event) = &steps[0] else { panic!("a call") };
        let mut event = (**event).clone();
        let Operation::Collective(collective) = &mut event.operation else { panic!("a collective") };
        collective.volume = Volume::Blocks { own: Bytes(bytes), blocks: vec![Bytes(bytes); size].into() };
        steps[0] = Step::Event(Arc::new(event));
    }
    calls
}

#[test]
fn forms_with_a_size_for_each_member_take_as_long_as_the_others() {
    let points = [8, 100].map(|bytes| CurvePoint { bytes, ns: 900.0 + 20.0 * bytes as f64 });
    let network = measured(CollectiveName::Allgather, 4, Curve { points: points.to_vec() });
    let found = total(&network, &allgatherv(4, 50));
    assert!((found / 1900.0 - 1.0).abs() < 0.02, "{found}");
    // Nothing was measured there.
    let beyond = allgatherv(4, 1000);
    assert_eq!(total(&network, &beyond), total(&round_network(), &beyond));
}

/// Ring among 2 within a node: 10 + 1 + bytes + 10, so 121 for 100 bytes; measured as three times that. The factor of
/// the largest measured size holds for 1000 bytes, whose messages take 1021 by themselves.
#[test]
fn within_a_node_the_factor_of_the_largest_size_holds_for_both_forms() {
    let points = vec![CurvePoint { bytes: 100, ns: 363.0 }];
    let measured = MeasuredCollective {
        collective: CollectiveName::Allgather,
        tasks: 2,
        within_node: true,
        time_ns: Curve { points },
    };
    let ring = network(CollectiveName::Allgather, Algorithm::Ring, None);
    let network = Network { measured_collectives: vec![measured], ..ring };
    for calls in [allgatherv(2, 1000), calls("allgather", "-", 2, 1000)] {
        let found = play(&calls, &network, Placement::together(2)).total.as_nanoseconds();
        assert!((found / 3063.0 - 1.0).abs() < 0.01, "{found}");
    }
}

/// The bytes of a member that comes late are all that is left to move.
#[test]
fn a_late_member_does_not_leave_ports_empty() {
    let network = measured(CollectiveName::Alltoall, 4, Curve::linear(12_000.0, 10.0));
    for late in [100, 1000, 4000] {
        let text =
            format!("0: calc {late}; alltoall - 800\n1: alltoall - 800\n2: calc 70; alltoall - 800\n3: alltoall - 800");
        let found = total(&network, &activity(&text));
        assert!(found <= 1.02 * (20_000.0 + f64::from(late)), "{late} ns late: {found}");
    }
}
