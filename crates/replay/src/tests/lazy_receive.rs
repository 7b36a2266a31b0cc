//! Receives without records end as those with them.

use super::*;
use chronos_activity::schedule::{ANY, Action, Edge, Schedule, ScheduledOperation};
use chronos_activity::{CommId, FeedItem, Outcome, Receive, RequestId, Step};
use chronos_tool_formats::goal::ScheduleFeed;
use proptest::prelude::*;
use std::sync::Arc;

/// A schedule that wants the outcomes of all its calls, and that may tell pending receives or not.
struct WithOutcomes<'s> {
    feed: ScheduleFeed<'s>,
    tells_receives: bool,
    /// By task, the outcomes it was told.
    outcomes: Vec<Vec<Outcome>>,
}

impl Feed for WithOutcomes<'_> {
    fn tasks(&self) -> usize {
        self.feed.tasks()
    }

    fn next(&mut self, task: TaskId, outcome: Outcome) -> Step {
        self.feed.next(task, outcome)
    }

    fn next_event(&mut self, task: TaskId, outcome: Outcome) -> FeedItem {
        self.outcomes[task.0 as usize].push(outcome.clone());
        self.feed.next_event(task, outcome)
    }

    fn send_completed(&mut self, task: TaskId, request: RequestId) -> bool {
        self.feed.send_completed(task, request)
    }

    fn pending_receive(&self, task: TaskId, request: RequestId) -> Option<Receive> {
        self.feed.pending_receive(task, request).filter(|_| self.tells_receives)
    }

    fn group(&self, comm: CommId) -> Arc<[TaskId]> {
        self.feed.group(comm)
    }

    fn segments(&self) -> &Segments {
        self.feed.segments()
    }
}

/// A message of a round: from, to, tag, bytes, whether its receive asks for less room, and which wildcards that has.
type Sent = (u32, u32, u32, u64, bool, (bool, bool));

#[derive(Clone, Debug)]
struct Round {
    calc: Vec<u64>,
    sent: Vec<Sent>,
    /// Which operations of the round the next one waits for.
    joins: u8,
    receives_first: bool,
}

fn round(size: u32) -> impl Strategy<Value = Round> {
    let bytes = prop_oneof![4 => Just(8u64), 1 => Just(900), 1 => Just(5000)];
    let rarely = || prop::bool::weighted(0.02);
    let sent = (0..size, 0..size, 0u32..2, bytes, rarely(), (rarely(), rarely()));
    let joins = prop_oneof![3 => Just(u8::MAX), 1 => any::<u8>()];
    (prop::collection::vec(0u64..400, size as usize), prop::collection::vec(sent, 0..12), joins, any::<bool>())
        .prop_map(|(calc, sent, joins, receives_first)| Round { calc, sent, joins, receives_first })
}

fn rounds() -> impl Strategy<Value = Vec<Round>> {
    (2u32..6).prop_flat_map(|size| prop::collection::vec(round(size), 1..5))
}

/// What a task does in a round, in which receives or sends come first.
fn operations(round: &Round, task: u32) -> Vec<Action> {
    let send = |&(from, to, tag, bytes, ..): &Sent| (from == task).then_some(Action::Send { to, tag, bytes });
    let receive = |&(from, to, tag, bytes, short, (any_source, any_tag)): &Sent| {
        let (from, tag) = (if any_source { ANY } else { from }, if any_tag { ANY } else { tag });
        (to == task).then_some(Action::Recv { from, tag, bytes: if short { bytes / 2 } else { bytes } })
    };
    let (sends, receives) = (round.sent.iter().filter_map(send), round.sent.iter().filter_map(receive));
    if round.receives_first { receives.chain(sends).collect() } else { sends.chain(receives).collect() }
}

fn schedule(rounds: &[Round]) -> Schedule {
    let size = rounds[0].calc.len();
    let mut schedule = Schedule::new(size);
    for id in (0..size as u32).map(TaskId) {
        let mut before: Vec<u32> = Vec::new();
        for round in rounds {
            let calc = Action::Compute { ns: round.calc[id.0 as usize] };
            let mut push = |action| schedule.push(id, ScheduledOperation { action, cpu: 0, linked: false });
            let first = push(calc);
            let all: Vec<u32> = operations(round, id.0).into_iter().map(push).collect();
            before.iter().for_each(|&before| schedule.depend(id, Edge { after: first, before, begin: false }));
            all.iter().for_each(|&after| schedule.depend(id, Edge { after, before: first, begin: false }));
            let joined = |(position, _): &(usize, &u32)| round.joins & 1 << (position % 8) != 0;
            before = all.iter().enumerate().filter(joined).map(|(_, &operation)| operation).chain([first]).collect();
        }
        schedule.seal(id);
    }
    schedule
}

fn network(slow: bool, wired: bool) -> Network {
    let mut network = round_network();
    if slow {
        // More than a message has room for.
        network.between_nodes.recv_overhead_ns = Curve::constant(5e6);
    }
    network.between_nodes.ports = wired;
    network
}

fn outcome(schedule: &Schedule, tells_receives: bool, network: &Network, messages: usize, nodes: u32) -> String {
    let mut pricing = given_time;
    let outcomes = vec![Vec::new(); schedule.len()];
    let mut feed = WithOutcomes { feed: ScheduleFeed::new(schedule), tells_receives, outcomes };
    let placed = (0..feed.tasks() as u32).map(|task| task % nodes).collect();
    let options = ReplayOptions {
        messages,
        placement: Placement { nodes: placed, ..Placement::default() },
        critical_path: true,
        ..ReplayOptions::new(network, &mut pricing, &|_| None)
    };
    let result = replay(&mut feed, options);
    let (tasks, faults) = (&result.tasks, faults(&result));
    let (messages, path, outcomes) = (&result.messages, &result.critical_path, &feed.outcomes);
    format!("{tasks:?}\n{messages:?}\n{path:?}\n{:?}\n{outcomes:?}\n{faults}", result.matrix)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn receives_without_records_end_as_those_with_them(
        rounds in rounds(),
        slow in prop::bool::weighted(0.1),
        wired in prop::bool::weighted(0.8),
        messages in prop_oneof![3 => Just(0usize), 1 => 0usize..9],
        nodes in 1u32..6,
    ) {
        let (schedule, network) = (schedule(&rounds), network(slow, wired));
        let told = outcome(&schedule, true, &network, messages, nodes);
        let recorded = outcome(&schedule, false, &network, messages, nodes);
        prop_assert_eq!(told, recorded);
    }
}
