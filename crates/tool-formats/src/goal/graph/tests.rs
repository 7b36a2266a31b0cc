//! What begins when, whatever ends first.

use super::super::ScheduleFeed;
use super::*;
use chronos_activity::schedule::{Action, Edge, Schedule, ScheduledOperation};
use chronos_activity::{Feed, Step, TaskId, Work};
use chronos_base::units::Picoseconds;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A task of computing, sends and receives, with these dependences.
fn schedule_of(kinds: &[u8], edges: &BTreeSet<(u32, u32)>) -> Schedule {
    let mut schedule = Schedule::new(1);
    for (kind, tag) in kinds.iter().zip(0..) {
        let action = match kind {
            0 => Action::Compute { ns: u64::from(tag) },
            1 => Action::Send { to: 0, tag, bytes: 8 },
            _ => Action::Recv { from: 0, tag, bytes: 8 },
        };
        schedule.push(TaskId(0), ScheduledOperation { action, cpu: 0, linked: false });
    }
    edges.iter().for_each(|&(after, before)| schedule.depend(TaskId(0), Edge { after, before, begin: false }));
    schedule.seal(TaskId(0));
    schedule
}

/// Ends what is waited for in some order. Notes in which order operations began, and what was waited for at once,
/// with how many that had begun and what was over.
struct Player<'c> {
    choices: &'c [prop::sample::Index],
    begun: Vec<u32>,
    /// Sends that were over at once among them.
    ended: BTreeSet<u32>,
    /// Operation by request.
    requests: Vec<Option<u32>>,
    together: Vec<(usize, BTreeSet<u32>, Vec<u32>)>,
}

impl Player<'_> {
    fn play(&mut self, schedule: &Schedule) {
        let mut feed = ScheduleFeed::new(schedule);
        let (mut outcome, mut turn) = (Outcome::None, 0);
        loop {
            let event = match feed.next(TaskId(0), std::mem::take(&mut outcome)) {
                Step::Event(event) => event,
                Step::Work(Work::Time(Picoseconds(time))) => {
                    let operation = (time / 1000) as u32;
                    assert!(may_begin(schedule, operation, &self.ended));
                    self.begun.push(operation);
                    self.ended.insert(operation);
                    continue;
                }
                _ => return,
            };
            match &event.operation {
                Operation::Send { tag, request: Some(request), .. } if self.is_over(*tag as u32) => {
                    assert!(feed.send_completed(TaskId(0), *request));
                    self.begun.push(*tag as u32);
                    self.ended.insert(*tag as u32);
                }
                Operation::Send { tag, request, .. } | Operation::Recv { tag: Some(tag), request, .. } => {
                    let number = request.unwrap().0 as usize;
                    self.requests.resize(self.requests.len().max(number + 1), None);
                    assert_eq!(self.requests[number].replace(*tag as u32), None);
                    self.begun.push(*tag as u32);
                }
                Operation::WaitAny { requests } => {
                    let index = self.choices[turn % self.choices.len()].index(requests.len());
                    turn += 1;
                    self.end(requests[index]);
                    outcome = Outcome::Any { index, arrival: None };
                }
                Operation::WaitAll { requests } => {
                    let all = requests.iter().map(|request| self.requests[request.0 as usize].unwrap()).collect();
                    self.together.push((self.begun.len(), self.ended.clone(), all));
                    requests.iter().for_each(|&request| self.end(request));
                }
                other => panic!("{other:?}"),
            }
        }
    }

    fn is_over(&self, send: u32) -> bool {
        self.choices[send as usize % self.choices.len()].index(3) == 0
    }

    fn end(&mut self, request: RequestId) {
        self.ended.insert(self.requests[request.0 as usize].take().unwrap());
    }
}

fn may_begin(schedule: &Schedule, operation: u32, ended: &BTreeSet<u32>) -> bool {
    let task = schedule.task(TaskId(0));
    (!task.is_linked(operation) || ended.contains(&(operation - 1)))
        && task.edges().all(|edge| edge.after != operation || ended.contains(&edge.before))
}

/// Of one operation each in bytes 0 (computing) to 2, and how far before it those are for which it waits.
type Operations = Vec<(u8, Vec<u32>)>;

fn operations() -> impl Strategy<Value = Operations> {
    let few = prop::collection::vec((0u8..3, prop::collection::vec(1u32..20, 0..4)), 1..20);
    let neighbours = prop::collection::vec((0u8..3, prop::collection::vec(1u32..6, 1..4)), 1..150);
    prop_oneof![few, neighbours]
}

proptest! {
    #[test]
    fn everything_begins_as_soon_as_it_may(
        operations in operations(),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 40),
    ) {
        let kinds: Vec<u8> = operations.iter().map(|(kind, _)| *kind).collect();
        let edge = |after: u32, back: &u32| Some((after, after.checked_sub(*back)?));
        let edges = (0..).zip(&operations).flat_map(|(after, (_, all))| all.iter().filter_map(move |back| edge(after, back)));
        let edges: BTreeSet<_> = edges.collect();
        let schedule = schedule_of(&kinds, &edges);
        prop_assume!(!schedule.task(TaskId(0)).is_sequential());
        let (begun, ended, requests, together) = Default::default();
        let mut player = Player { choices: &choices, begun, ended, requests, together };
        player.play(&schedule);
        prop_assert_eq!(player.begun.len(), kinds.len());
        let position = |operation: u32| player.begun.iter().position(|&other| other == operation);
        for &(after, before) in &edges {
            prop_assert!(position(before) < position(after));
        }
        for (before, ended, all) in player.together {
            for last in &all {
                let others = ended.iter().chain(&all).filter(|&other| other != last).copied().collect();
                let early = player.begun[before..].iter().find(|&&operation| may_begin(&schedule, operation, &others));
                prop_assert_eq!(early, None, "may begin before {} has ended", last);
            }
        }
    }
}
