use super::*;
use proptest::prelude::*;

/// Steps in which everybody exchanges with both neighbours in a ring, `times` times.
fn ring(size: u32, bytes: &[u64], times: u32, summary: bool) -> String {
    let line = |rank: u32| {
        let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
        let step =
            |&n: &u64| format!("calc {}; isend {right} {n} req=0; recv {left} {n}; wait 0", (rank * 37 + 11) % 101);
        let body = bytes.iter().map(step).collect::<Vec<_>>().join("; ");
        if summary {
            format!("{rank}: loop {times} [ {body} ]; barrier\n")
        } else {
            format!("{rank}: {}; barrier\n", vec![body; times as usize].join("; "))
        }
    };
    (0..size).map(line).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn folded_and_unfolded_take_the_same_time(size in 2u32..9, bytes in prop::collection::vec(0u64..3000, 1..4), times in 1u32..6) {
        let summary = run(&ring(size, &bytes, times, true));
        let unfolded = run(&ring(size, &bytes, times, false));
        prop_assert!(summary.complete);
        prop_assert_eq!(&summary.tasks, &unfolded.tasks);
        prop_assert_eq!(&summary.matrix, &unfolded.matrix);
    }

    #[test]
    fn renaming_tasks_renames_the_result(order in Just((0u32..6).collect::<Vec<_>>()).prop_shuffle()) {
        let line = |rank: usize| {
            let (left, right) = (order[(rank + 5) % 6], order[(rank + 1) % 6]);
            format!("calc {}; isend {right} 700 req=0; recv {left} 700; wait 0", (rank * 37 + 11) % 101)
        };
        let mut lines = vec![String::new(); 6];
        (0..6).for_each(|rank| lines[order[rank] as usize] = line(rank));
        let text: String = lines.iter().enumerate().map(|(rank, line)| format!("{rank}: {line}\n")).collect();
        let renamed = run(&text);
        let identity: String = (0..6)
            .map(|rank| {
                let (left, right) = ((rank + 5) % 6, (rank + 1) % 6);
                format!("{rank}: calc {}; isend {right} 700 req=0; recv {left} 700; wait 0\n", (rank * 37 + 11) % 101)
            })
            .collect();
        let plain = run(&identity);
        for (rank, &renamed_rank) in order.iter().enumerate() {
            prop_assert_eq!(&renamed.tasks[renamed_rank as usize], &plain.tasks[rank]);
        }
    }
}

#[test]
fn an_idle_task_is_small() {
    // With its node, its place in a feed, its port and its result.
    let ports = size_of::<crate::network::ports::Port>();
    let bytes = size_of::<crate::task::state::Task>() + 4 + 4 + ports + size_of::<crate::TaskTime>();
    assert!(bytes <= 512, "{bytes}");
}

#[test]
fn the_same_input_gives_the_same_result() {
    let text = "0: recv * 8; recv * 8; recv * 8\n1: send 0 8\n2: send 0 8\n3: send 0 8";
    assert_eq!(run(text).messages, run(text).messages);
}

#[test]
fn a_recorded_activity_replays_to_the_same_times() {
    let activity = activity(&ring(4, &[10, 2000], 3, true));
    let network = round_network();
    let mut pricing = given_time;
    let options = ReplayOptions { record: true, ..ReplayOptions::new(&network, &mut pricing, &|_| None) };
    let first = replay(&mut ActivityFeed::new(&activity), options);
    let again = play(first.activity.as_ref().unwrap(), &network, Placement::spread());
    assert_eq!(first.tasks, again.tasks);
}

#[test]
fn a_linear_exchange_of_many_tasks_matches_in_constant_time() {
    // 65,280 messages, all receives posted before all sends.
    const SIZE: u32 = 256;
    let others = |rank: u32| (1..SIZE).map(move |distance| (rank + distance) % SIZE);
    let line = |rank: u32| {
        let receives: String = others(rank).map(|other| format!("irecv {other} 8 req={other}; ")).collect();
        let sends: String = others(rank).map(|other| format!("send {other} 8; ")).collect();
        let requests: String = others(rank).map(|other| format!(" {other}")).collect();
        format!("{rank}: {receives}{sends}wait{requests}\n")
    };
    let result = run(&(0..SIZE).map(line).collect::<String>());
    assert!(result.complete);
    assert_eq!(result.matrix.len() as u32, SIZE * (SIZE - 1));
}

/// One operation of a random sequence: kind, communicator (0: all; 1: even, 2: odd tasks), root by position, bytes.
type Operation = (&'static str, u32, u32, u64, bool);

fn any_operation() -> impl Strategy<Value = Operation> {
    const KINDS: [&str; 18] = [
        "barrier",
        "bcast",
        "reduce",
        "allreduce",
        "gather",
        "scatter",
        "allgather",
        "alltoall",
        "reduce_scatter",
        "scan",
        "exscan",
        "agree",
        "gatherv",
        "scatterv",
        "allgatherv",
        "alltoallv",
        "bcast",
        "allreduce",
    ];
    let bytes = prop_oneof![Just(0u64), 1u64..200, 1000u64..100_000, Just(1 << 20)];
    (prop::sample::select(KINDS.as_slice()), 0u32..3, any::<u32>(), bytes, any::<bool>())
}

/// The line of one task: non-blocking operations are waited for at the end.
fn collective_line(rank: u32, size: u32, operations: &[Operation]) -> String {
    let mut requests = String::new();
    let mut line = format!("{rank}: calc {}; ", (rank * 37 + 11) % 101);
    for (index, &(kind, comm, root, bytes, waits)) in operations.iter().enumerate() {
        let members = members(comm, size);
        if !members.contains(&rank) {
            continue;
        }
        let root_task = members[root as usize % members.len()];
        let rooted = ROOTED.iter().any(|rooted| kind.trim_end_matches('v') == *rooted);
        let root = if rooted { root_task.to_string() } else { "-".to_owned() };
        let knows = rank == root_task || !rooted;
        let blocks = if knows { format!(" blocks={}", members.len()) } else { String::new() };
        let request = if waits { String::new() } else { format!(" req={index}") };
        if !waits {
            requests += &format!(" {index}");
        }
        line += &format!("{kind} {root} {bytes} comm={comm}{request}{blocks}; ");
    }
    if requests.is_empty() { line + "\n" } else { format!("{line}wait{requests}\n") }
}

const ROOTED: [&str; 4] = ["bcast", "reduce", "gather", "scatter"];

fn members(comm: u32, size: u32) -> Vec<u32> {
    match comm {
        0 => (0..size).collect(),
        comm => (0..size).filter(|rank| rank % 2 == comm - 1).collect(),
    }
}

fn collectives(size: u32, operations: &[Operation]) -> Activity {
    let mut activity = activity(&(0..size).map(|rank| collective_line(rank, size, operations)).collect::<String>());
    for comm in 0..3 {
        let group = members(comm, size).into_iter().map(TaskId).collect();
        activity.groups.insert(chronos_activity::CommId(comm), group);
    }
    activity
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn collectives_in_any_sequence_complete(
        size in 2u32..34,
        operations in prop::collection::vec(any_operation(), 1..12),
        network in prop::sample::select(vec!["ethernet-100", "shared-memory"]),
        together in any::<bool>(),
    ) {
        let activity = collectives(size, &operations);
        let placement = if together { Placement::together(size as usize) } else { Placement::spread() };
        let result = play(&activity, &Network::load(network).unwrap(), placement);
        prop_assert!(result.complete, "{}", faults(&result));
        prop_assert!(result.diagnostics.is_empty(), "{}", faults(&result));
    }
}
