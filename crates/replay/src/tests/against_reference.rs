//! Random programs that cannot deadlock: the engine against the reference, and with its jumps against without.

use super::*;
use proptest::prelude::*;

/// Who sends to whom how much; whether each of them waits at once, and whether the receive is from anyone.
#[derive(Clone, Debug)]
pub(super) enum Exchange {
    Message { from: u32, to: u32, bytes: u64, sends: Way, waits: bool, wild: bool },
    Compute { task: u32, ns: u64 },
    Collective { kind: &'static str, root: u32, bytes: u64 },
    WaitAll { task: u32 },
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    Standard,
    Synchronous,
    Request,
}

const KINDS: [&str; 9] =
    ["barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "scan"];

pub(super) fn any_exchange(size: u32) -> impl Strategy<Value = Exchange> {
    let bytes = prop_oneof![0u64..900, 990u64..1010, 1001u64..5000];
    let way = prop_oneof![3 => Just(Way::Standard), 1 => Just(Way::Synchronous), 2 => Just(Way::Request)];
    let message = (0..size, 1..size, bytes.clone(), way, any::<bool>(), prop::bool::weighted(0.2)).prop_map(
        move |(from, distance, bytes, sends, waits, wild)| {
            // Whoever waits for anyone takes what comes first, so nobody may wait to be taken.
            let (bytes, sends) = if wild { (bytes % 900, Way::Standard) } else { (bytes, sends) };
            Exchange::Message { from, to: (from + distance) % size, bytes, sends, waits, wild }
        },
    );
    let compute = (0..size, 0u64..3000).prop_map(|(task, ns)| Exchange::Compute { task, ns });
    let collective = (prop::sample::select(KINDS.as_slice()), 0..size, bytes)
        .prop_map(|(kind, root, bytes)| Exchange::Collective { kind, root, bytes });
    let wait = (0..size).prop_map(|task| Exchange::WaitAll { task });
    prop_oneof![6 => message, 3 => compute, 1 => collective, 1 => wait]
}

/// All tasks go through the list in its order, so somebody can always go on.
pub(super) fn text(size: u32, exchanges: &[Exchange], times: u64) -> String {
    let mut lines = vec![String::new(); size as usize];
    let mut open: Vec<Vec<String>> = vec![Vec::new(); size as usize];
    for (number, exchange) in exchanges.iter().enumerate() {
        // Many of them come to ports, and to one another, at the same instant.
        lines.iter_mut().for_each(|line| *line += "calc 1; ");
        match *exchange {
            Exchange::Compute { task, ns } => lines[task as usize] += &format!("calc {ns}; "),
            Exchange::WaitAll { task } => wait(&mut lines[task as usize], &mut open[task as usize]),
            Exchange::Collective { kind, root, bytes } => {
                let rooted = ["bcast", "reduce", "gather", "scatter"].contains(&kind);
                let root = if rooted { root.to_string() } else { "-".to_owned() };
                lines.iter_mut().for_each(|line| *line += &format!("{kind} {root} {bytes}; "));
            }
            Exchange::Message { from, to, bytes, sends, waits, wild } => {
                // Wildcards have a tag of their own, so that they take no message that another receive waits for.
                let (tag, source) = if wild { (9, "*".to_owned()) } else { (number % 3, from.to_string()) };
                let (sender, receiver) = (&mut lines[from as usize], number);
                *sender += &match sends {
                    Way::Standard => format!("send {to} {bytes} tag={tag}; "),
                    Way::Synchronous => format!("ssend {to} {bytes} tag={tag}; "),
                    Way::Request => format!("isend {to} {bytes} tag={tag} req={}; ", 2 * number),
                };
                if matches!(sends, Way::Request) {
                    open[from as usize].push((2 * number).to_string());
                }
                if waits || wild {
                    lines[to as usize] += &format!("recv {source} 5000 tag={tag}; ");
                } else {
                    lines[to as usize] += &format!("irecv {source} 5000 tag={tag} req={}; ", 2 * receiver + 1);
                    open[to as usize].push((2 * receiver + 1).to_string());
                }
            }
        }
    }
    let whole = |(rank, mut line): (usize, String)| {
        wait(&mut line, &mut open[rank]);
        let body = line.trim_end().trim_end_matches(';').to_owned();
        if body.is_empty() { format!("{rank}: calc 1\n") } else { format!("{rank}: loop {times} [ {body} ]\n") }
    };
    lines.into_iter().enumerate().map(whole).collect()
}

fn wait(line: &mut String, open: &mut Vec<String>) {
    if !open.is_empty() {
        *line += &format!("wait {}; ", open.join(" "));
        open.clear();
    }
}

/// Networks with and without ports, lookahead and stored frames.
fn networks() -> Vec<Network> {
    let plain = round_network();
    let mut without_lookahead = round_network();
    without_lookahead.between_nodes.latency_ns = Curve::constant(0.0);
    let mut without_ports = round_network();
    without_ports.between_nodes.ports = false;
    let mut stored = round_network();
    stored.between_nodes.store_and_forward_bytes = Some(300);
    stored.call_ns = 3.0;
    stored.reduction_ns_per_byte = 0.5;
    vec![plain, without_lookahead, without_ports, stored]
}

fn nodes(size: u32, per_node: u32) -> Vec<u32> {
    (0..size).map(|task| task / per_node).collect()
}

fn program() -> impl Strategy<Value = (u32, Vec<Exchange>)> {
    (2u32..7).prop_flat_map(|size| (Just(size), prop::collection::vec(any_exchange(size), 1..30)))
}

fn replayed(activity: &Activity, network: &Network, nodes: Vec<u32>, jump_ahead: bool) -> ReplayResult {
    let mut pricing = given_time;
    let options = ReplayOptions {
        placement: Placement { nodes, ..Placement::default() },
        critical_path: true,
        jump_ahead,
        ..ReplayOptions::new(network, &mut pricing, &|_| None)
    };
    replay(&mut ActivityFeed::new(activity), options)
}

/// Between messages of a scan stands a reduction, which is part of it even where it takes no time.
#[test]
fn a_scan_goes_before_a_call_of_the_same_instant() {
    let text = "0: calc 1; send 1 0 tag=0; calc 1; ssend 4 0 tag=1; calc 1; recv 2 5000 tag=2; calc 1; scan - 40; calc 1; send 2 91 tag=1
1: calc 1; irecv 0 5000 tag=0 req=1; calc 3; scan - 40; calc 1; wait 1
2: calc 3; send 0 0 tag=2; calc 1; scan - 40; calc 1; irecv 0 5000 tag=1 req=9; wait 9
3: calc 4; scan - 40; calc 1
4: calc 2; recv 0 5000 tag=1; calc 2; scan - 40; calc 1";
    let (activity, network) = (activity(text), &networks()[1]);
    let ends = [325_000, 346_000, 505_000, 415_000, 375_000];
    assert_eq!(reference::ends(&activity, network, &nodes(5, 2)), ends);
    let result = replayed(&activity, network, nodes(5, 2), false);
    assert!(result.tasks.iter().map(|task| task.end.0).eq(ends));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn the_engine_ends_as_the_reference(
        (size, exchanges) in program(),
        network in 0usize..4,
        per_node in 1u32..3,
        times in 1u64..4,
    ) {
        let text = text(size, &exchanges, times);
        let (activity, network) = (activity(&text), &networks()[network]);
        let expected = reference::ends(&activity, network, &nodes(size, per_node));
        let result = replayed(&activity, network, nodes(size, per_node), false);
        prop_assert!(result.complete, "{text}{}", faults(&result));
        let found: Vec<u64> = result.tasks.iter().map(|task| task.end.0).collect();
        prop_assert_eq!(found, expected, "{}", text);
    }

    #[test]
    fn jumps_change_nothing((size, exchanges) in program(), network in 0usize..4, per_node in 1u32..3, times in 20u64..200) {
        let text = text(size, &exchanges, times);
        let (activity, network) = (activity(&text), &networks()[network]);
        let full = replayed(&activity, network, nodes(size, per_node), false);
        let jumped = replayed(&activity, network, nodes(size, per_node), true);
        prop_assert_eq!(&full.tasks, &jumped.tasks, "{}", text);
        prop_assert_eq!(&full.matrix, &jumped.matrix);
        prop_assert_eq!(&full.critical_path, &jumped.critical_path);
        prop_assert_eq!(full.steps, jumped.steps);
    }
}

/// The same programs with clocks: read before the loop, in it or behind it, and their differences told in it or behind it.
pub(super) fn with_clocks(text: &str, told: &str) -> String {
    let line = |line: &str| {
        let (rank, steps) = line.split_once(": ").expect("a task and its steps");
        let timed = steps.replacen("[ ", "[ clock 2; ", 1).replacen(" ]", &format!("; clock 3{told} ]"), 1);
        format!("{rank}: clock 1; {timed}; clock 4; elapsed 1 4; elapsed 2 3; elapsed 1 2\n")
    };
    text.lines().map(line).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn jumps_keep_clocks(
        (size, exchanges) in program(),
        network in 0usize..4,
        times in 20u64..200,
        told in prop::sample::select(["", "; elapsed 2 3", "; elapsed 1 3", "; elapsed 2 1"].as_slice()),
    ) {
        let text = with_clocks(&text(size, &exchanges, times), told);
        let (activity, network) = (activity(&text), &networks()[network]);
        let full = replayed(&activity, network, nodes(size, 1), false);
        let jumped = replayed(&activity, network, nodes(size, 1), true);
        prop_assert_eq!(&full.tasks, &jumped.tasks, "{}", text);
        prop_assert_eq!(full.steps, jumped.steps);
    }
}

/// The stretches of a task and its waits, without gaps from its begin to its end.
fn fills(log: &WaitingLog, task: usize) -> bool {
    let waits = log.waits.iter().filter(|wait| wait.task.0 as usize == task).map(|wait| (wait.begin, wait.end));
    let done = log.histories[task].iter().map(|stretch| (stretch.begin, stretch.end));
    let mut all: Vec<_> = waits.chain(done).collect();
    all.sort_unstable();
    let begins = all.first().is_none_or(|first| first.0 == Picoseconds::ZERO);
    begins && all.windows(2).all(|pair| pair[0].1 == pair[1].0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn waits_and_what_tasks_do_fill_their_time(
        (size, exchanges) in program(),
        network in 0usize..4,
        per_node in 1u32..3,
        times in 1u64..4,
    ) {
        let text = text(size, &exchanges, times);
        let (activity, network) = (activity(&text), &networks()[network]);
        let mut pricing = given_time;
        let placement = Placement { nodes: nodes(size, per_node), ..Placement::default() };
        let options = ReplayOptions { placement, waiting: true, ..ReplayOptions::new(network, &mut pricing, &|_| None) };
        let result = replay(&mut ActivityFeed::new(&activity), options);
        prop_assert_eq!(&result.tasks, &replayed(&activity, network, nodes(size, per_node), false).tasks);
        let log = result.waiting.as_ref().expect("there is room");
        for (rank, task) in result.tasks.iter().enumerate() {
            let own = log.waits.iter().filter(|wait| wait.task.0 as usize == rank);
            let waited: u64 = own.map(|wait| wait.end.0 - wait.begin.0).sum();
            prop_assert_eq!(waited, task.idle.0, "task {} of {}", rank, text);
            prop_assert!(fills(log, rank), "task {} of {}", rank, text);
        }
        // Nobody waits for itself, nor for somebody who came before the wait began.
        for wait in &log.waits {
            let late = wait.late.expect("all of these waits are for tasks");
            prop_assert!(late.task != wait.task && late.came >= wait.end, "{:?} of {}", wait, text);
        }
    }
}

#[test]
fn most_of_a_steady_program_is_not_replayed() {
    let text = "0: loop 1000000 [ calc 50; send 1 8; recv 1 8; loop 5 [ calc 3; send 1 2000; barrier ] ]\n\
                1: loop 1000000 [ calc 70; recv 0 8; send 0 8; loop 5 [ recv 0 2000; barrier ] ]";
    let result = replayed(&activity(text), &round_network(), vec![0, 1], true);
    assert!(result.complete && result.skipped > result.steps / 2, "{} of {}", result.skipped, result.steps);
}

#[test]
fn a_task_that_waits_for_nobody_is_not_replayed_in_full() {
    let result = replayed(&activity("0: loop 10000000000 [ calc 50; barrier ]"), &round_network(), vec![0], true);
    assert!(result.complete && result.skipped > result.steps - 10_000, "{} of {}", result.skipped, result.steps);
}

#[test]
fn a_clock_read_before_a_loop_keeps_none_of_it_from_being_counted() {
    let line = |rank: u32| {
        format!(
            "{rank}: clock 1; loop 1000000 [ calc 50; barrier; clock 2; calc 1; clock 3; elapsed 2 3 ]; clock 4; elapsed 1 4\n"
        )
    };
    let result = replayed(&activity(&(line(0) + &line(1))), &round_network(), vec![0, 1], true);
    assert!(result.complete && result.skipped > result.steps - 10_000, "{} of {}", result.skipped, result.steps);
    let [outer, inner] = result.tasks[1].elapsed[..] else { panic!("two differences") };
    assert_eq!((inner.times, inner.total.0), (1_000_000, 1_000_000 * 1000));
    assert_eq!((outer.times, outer.total), (1, result.tasks[1].end));
}
