//! Programs that poll: each poll replayed, and whole periods skipped where the feed says that nothing changes.

use super::*;
use chronos_activity::{CommId, Operation, Outcome, Spin, Step};
use proptest::prelude::*;
use std::sync::Arc;

/// Steps that are done once, or again until a poll among them succeeds or so many accesses were made to the task, so many times at
/// most.
#[derive(Clone, Debug)]
struct WaitItem {
    steps: Vec<Step>,
    polls: bool,
    accesses: u64,
    most: u64,
}

fn once(text: &str) -> WaitItem {
    WaitItem { steps: script::steps(text), polls: false, accesses: u64::MAX, most: 1 }
}

fn until(text: &str, most: u64) -> WaitItem {
    WaitItem { steps: script::steps(text), polls: true, accesses: u64::MAX, most }
}

/// Polls for something that never comes, until so many accesses were made.
fn until_accessed(text: &str, accesses: u64) -> WaitItem {
    WaitItem { accesses, ..until(text, u64::MAX) }
}

#[derive(Clone, Debug, Default)]
struct Place {
    item: usize,
    step: usize,
    iterations: u64,
    spins: bool,
}

/// Tasks that poll; with `skips` it says after two iterations in vain that they spin.
struct Polling {
    tasks: Vec<Vec<WaitItem>>,
    places: Vec<Place>,
    segments: Segments,
    skips: bool,
    /// Steps that it gave.
    given: u64,
    /// The task that is accessed by the step that each task was given last, and accesses so far.
    accessing: Vec<Option<TaskId>>,
    accessed: Vec<u64>,
}

impl Polling {
    fn note_outcome(&mut self, id: usize, outcome: &Outcome) {
        let place = &mut self.places[id];
        let polls = self.tasks[id].get(place.item).is_some_and(|item| item.polls);
        if let &Outcome::Spun { times } = outcome {
            place.iterations += times;
        }
        if polls && matches!(outcome, Outcome::Arrived(_) | Outcome::Any { .. }) {
            *place = Place { item: place.item + 1, ..Place::default() };
        }
    }
}

impl Feed for Polling {
    fn tasks(&self) -> usize {
        self.tasks.len()
    }

    fn next(&mut self, task: TaskId, outcome: Outcome) -> Step {
        let id = task.0 as usize;
        self.note_outcome(id, &outcome);
        self.given += 1;
        // An access has its effect when its origin goes on.
        if let Some(to) = self.accessing[id].take() {
            self.accessed[to.0 as usize] += 1;
        }
        loop {
            let place = &mut self.places[id];
            let Some(item) = self.tasks[id].get(place.item) else { return Step::End };
            let accessed = place.step == 0 && self.accessed[id] >= item.accesses;
            if place.iterations == item.most || accessed {
                *place = Place { item: place.item + 1, ..Place::default() };
                continue;
            }
            let skips = self.skips && item.polls && place.step == 0 && place.iterations >= 2;
            if skips && !std::mem::replace(&mut place.spins, true) {
                let spin = Spin { steps: item.steps.clone(), most: item.most - place.iterations };
                return Step::Spin(Arc::new(spin));
            }
            if let Some(step) = item.steps.get(place.step) {
                place.step += 1;
                self.accessing[id] = accessed_task(step);
                return step.clone();
            }
            *place = Place { item: place.item, iterations: place.iterations + 1, ..Place::default() };
        }
    }

    fn group(&self, _: CommId) -> Arc<[TaskId]> {
        (0..self.tasks.len() as u32).map(TaskId).collect()
    }

    fn segments(&self) -> &Segments {
        &self.segments
    }
}

fn accessed_task(step: &Step) -> Option<TaskId> {
    match step {
        Step::Event(event) => match event.operation {
            Operation::Access { to, .. } => Some(to),
            _ => None,
        },
        _ => None,
    }
}

fn polled(tasks: &[Vec<WaitItem>], nodes: &[u32], skips: bool) -> (ReplayResult, u64) {
    polled_for(None, tasks, nodes, skips)
}

fn polled_for(poll_ns: Option<f64>, tasks: &[Vec<WaitItem>], nodes: &[u32], skips: bool) -> (ReplayResult, u64) {
    let places = vec![Place::default(); tasks.len()];
    let (accessing, accessed) = (vec![None; tasks.len()], vec![0; tasks.len()]);
    let segments = Segments::default();
    let mut feed = Polling { tasks: tasks.to_vec(), places, segments, skips, given: 0, accessing, accessed };
    let mut network = round_network();
    (network.call_ns, network.poll_ns) = (3.0, poll_ns);
    let mut pricing = given_time;
    let placement = Placement { nodes: nodes.to_vec(), ..Placement::default() };
    let options = ReplayOptions { placement, ..ReplayOptions::new(&network, &mut pricing, &|_| None) };
    let result = replay(&mut feed, options);
    (result, feed.given)
}

/// What a period of 7 + 3 ns does until a message is there at 1118 ns: it is found by the poll that begins at 1127.
#[test]
fn a_poll_looks_when_it_is_called_and_costs_its_call() {
    let tasks = [vec![once("calc 1000; send 1 8")], vec![until("calc 7; iprobe 0", u64::MAX), once("recv 0 8")]];
    for skips in [false, true] {
        let (result, given) = polled(&tasks, &[0, 1], skips);
        insta::allow_duplicates! {
            insta::assert_snapshot!(table(&result), @r"
            0: 1010 compute 1000 send 10
            1: 1140 compute 791 recv 349
            ");
        }
        assert_eq!(given < 20, skips, "{given} steps");
    }
}

/// The same where a poll that finds nothing takes 13 ns: periods of 20 ns, so that the one that begins at 1127 ns finds it again, for 3 ns.
#[test]
fn a_period_has_the_time_of_polls_in_vain() {
    let tasks = [vec![once("calc 1000; send 1 8")], vec![until("calc 7; iprobe 0", u64::MAX), once("recv 0 8")]];
    for skips in [false, true] {
        let (result, given) = polled_for(Some(13.0), &tasks, &[0, 1], skips);
        insta::allow_duplicates! {
            insta::assert_snapshot!(table(&result), @r"
            0: 1010 compute 1000 send 10
            1: 1140 compute 399 recv 741
            ");
        }
        assert_eq!(given < 20, skips, "{given} steps");
    }
}

/// The flag is looked at when a period of 7 + 3 ns begins: the first one behind the access, which is made at 1000 ns.
#[test]
fn an_access_by_another_task_ends_a_spin() {
    let tasks = [vec![once("calc 1000; put 1 8 req=1; wait 1")], vec![until_accessed("calc 7; iprobe 0", 1)]];
    for skips in [false, true] {
        let (result, given) = polled(&tasks, &[0, 1], skips);
        insta::allow_duplicates! {
            insta::assert_snapshot!(table(&result), @r"
            0: 1228 compute 1000 send 20 idle 208
            1: 1010 compute 707 recv 303
            ");
        }
        assert_eq!(given < 20, skips, "{given} steps");
    }
}

/// A flag that is looked at by loads alone, in periods of 7 ns. The access is made at 1000 ns, leaves 10 ns later and arrives at
/// 1118 ns: it is seen by the period that begins at 1120 ns.
#[test]
fn a_loop_of_loads_ends_when_an_access_has_arrived() {
    let tasks = [vec![once("calc 1000; put 1 8 req=1; wait 1")], vec![until_accessed("calc 7", 1)]];
    let (result, given) = polled(&tasks, &[0, 1], true);
    insta::assert_snapshot!(table(&result), @r"
    0: 1228 compute 1000 send 20 idle 208
    1: 1120 compute 1120
    ");
    assert!(given < 20, "{given} steps");
}

/// The access has arrived before the task says that it spins.
#[test]
fn a_loop_of_loads_sees_what_came_before_it() {
    let tasks = [vec![once("put 1 8 req=1; wait 1")], vec![once("calc 1000"), until_accessed("calc 7", 1)]];
    let (result, given) = polled(&tasks, &[0, 1], true);
    insta::assert_snapshot!(table(&result), @r"
    0: 228 send 20 idle 208
    1: 1000 compute 1000
    ");
    assert!(given < 20, "{given} steps");
}

#[test]
fn work_between_polls_is_no_deadlock() {
    let tasks = [vec![once("recv 1 8")], vec![until("calc 7; iprobe 0", 50), once("send 0 8")]];
    for skips in [false, true] {
        let (result, _) = polled(&tasks, &[0, 1], skips);
        assert!(result.complete, "{}", faults(&result));
        assert_eq!(result.tasks[1].end, Picoseconds(510_000));
        assert_eq!((result.tasks[1].compute, result.tasks[1].recv), (Picoseconds(350_000), Picoseconds(150_000)));
    }
}

#[test]
fn who_polls_for_a_task_that_has_ended_polls_for_ever() {
    let tasks = [vec![once("calc 5")], vec![until("iprobe 0", u64::MAX)]];
    let (result, _) = polled(&tasks, &[0, 1], true);
    insta::assert_snapshot!(faults(&result), @"C0702 Error task 1 waits for a message from task 0 (tag 0), polling, but task 0 has ended");
    let (result, _) = polled(&tasks, &[0, 1], false);
    assert!(faults(&result).starts_with("C0717 Error task 1 polls in vain"), "{}", faults(&result));
}

#[test]
fn tasks_that_poll_for_one_another_are_in_a_deadlock() {
    let tasks = [vec![until("iprobe 1", u64::MAX)], vec![once("recv 0 8")]];
    let (result, _) = polled(&tasks, &[0, 1], true);
    assert!(
        faults(&result)
            .starts_with("C0701 Error deadlock: task 0 waits for a message from task 1 (tag 0), polling; task 1")
    );
}

/// A message, when it is sent, and how its receiver looks for it.
#[derive(Clone, Debug)]
struct Sent {
    from: u32,
    distance: u32,
    bytes: u64,
    after: u64,
    work: (u64, u64),
    looks: Look,
}

#[derive(Clone, Copy, Debug)]
enum Look {
    Probes,
    /// For anything, and twice in a period.
    ProbesAny,
    Tests,
    /// Tests with another request open.
    TestsAny,
    Bounded(u64),
    /// For its flag, beside messages, which never come.
    Flag,
}

fn sent(size: u32) -> impl Strategy<Value = Sent> {
    let look = prop_oneof![
        Just(Look::Probes),
        Just(Look::ProbesAny),
        Just(Look::Tests),
        Just(Look::TestsAny),
        (1u64..400).prop_map(Look::Bounded),
        Just(Look::Flag)
    ];
    let bytes = prop_oneof![0u64..900, 990u64..1010, 1001u64..5000];
    (0..size, 1..size, bytes, 0u64..5000, (0u64..40, 0u64..40), look)
        .prop_map(|(from, distance, bytes, after, work, looks)| Sent { from, distance, bytes, after, work, looks })
}

/// All tasks go through the list in its order.
fn program(size: u32, list: &[Sent]) -> Vec<Vec<WaitItem>> {
    let mut tasks = vec![Vec::new(); size as usize];
    let mut accesses = vec![0; size as usize];
    for (tag, one) in list.iter().enumerate() {
        let (from, to, (before, behind)) = (one.from, (one.from + one.distance) % size, one.work);
        if let Look::Flag = one.looks {
            let put = format!("calc {}; put {to} {} req={}; wait {}", one.after, one.bytes, tag + 1, tag + 1);
            tasks[from as usize].push(once(&put));
            accesses[to as usize] += 1;
            let probe = format!("calc {before}; iprobe {from} tag=9999; calc {behind}");
            tasks[to as usize].push(until_accessed(&probe, accesses[to as usize]));
            continue;
        }
        tasks[from as usize].push(once(&format!("calc {}; send {to} {} tag={tag}", one.after, one.bytes)));
        let around = |poll: &str| format!("calc {before}; {poll}; calc {behind}");
        let receive = once(&format!("recv {from} 5000 tag={tag}"));
        let posted = once(&format!("irecv {from} 5000 tag={tag} req={}", tag + 1));
        let own = match one.looks {
            Look::Probes => vec![until(&around(&format!("iprobe {from} tag={tag}")), u64::MAX), receive],
            Look::ProbesAny => {
                let probe = format!("iprobe * tag={tag}");
                vec![until(&around(&format!("{probe}; calc 1; {probe}")), u64::MAX), receive]
            }
            Look::Tests => vec![posted, until(&around(&format!("test {}", tag + 1)), u64::MAX)],
            Look::TestsAny => vec![posted, until(&around(&format!("testany {}", tag + 1)), u64::MAX)],
            Look::Flag => Vec::new(),
            Look::Bounded(most) => vec![until(&around(&format!("iprobe {from} tag={tag}")), most), receive],
        };
        tasks[to as usize].extend(own);
    }
    tasks
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn skipped_periods_change_nothing(
        (size, list) in (2u32..5).prop_flat_map(|size| (Just(size), prop::collection::vec(sent(size), 1..12))),
        per_node in 1u32..3,
    ) {
        let tasks = program(size, &list);
        let nodes: Vec<u32> = (0..size).map(|task| task / per_node).collect();
        let (full, _) = polled(&tasks, &nodes, false);
        let (skipped, _) = polled(&tasks, &nodes, true);
        prop_assert!(full.complete, "{}", faults(&full));
        prop_assert_eq!(&full.tasks, &skipped.tasks);
    }
}
