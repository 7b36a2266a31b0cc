//! What may begin, against the definition.

use super::*;
use crate::TaskId;
use crate::edges::Edge;
use crate::schedule::{Action, Schedule, ScheduledOperation};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn schedule_of(length: u32, edges: &[(u32, u32, bool)]) -> Schedule {
    let mut schedule = Schedule::new(2);
    for task in [TaskId(0), TaskId(1)] {
        for _ in 0..length {
            schedule.push(task, ScheduledOperation { action: Action::Compute { ns: 1 }, cpu: 0, linked: false });
        }
        edges.iter().for_each(|&(after, before, begin)| schedule.depend(task, Edge { after, before, begin }));
        schedule.seal(task);
    }
    schedule
}

/// What may begin, as the definition says.
fn may_begin(operation: u32, edges: &[(u32, u32, bool)], begun: &BTreeSet<u32>, ended: &BTreeSet<u32>) -> bool {
    let holds = |&&(after, before, begin): &&(u32, u32, bool)| {
        after == operation && !(if begin { begun } else { ended }).contains(&before)
    };
    !begun.contains(&operation) && !edges.iter().any(|edge| holds(&edge))
}

/// Edges among few operations, or of many operations among neighbours.
fn edges() -> impl Strategy<Value = (u32, Vec<(u32, u32, bool)>)> {
    let few = (1u32..20, prop::bool::weighted(0.2)).prop_flat_map(|(length, forward)| {
        let edge = (0..length, 0..length, prop::bool::weighted(0.2));
        let fits = move |&(after, before, _): &(u32, u32, bool)| before < after || forward && before != after;
        let chosen = move |edges: Vec<_>| (length, edges.into_iter().filter(fits).collect());
        prop::collection::vec(edge, 0..30).prop_map(chosen)
    });
    let neighbours = (2u32..160, 1usize..4, 1u32..7).prop_flat_map(|(length, each, far)| {
        let edge = (1..length, 1..=far, prop::bool::weighted(0.1));
        let edge = edge.prop_map(|(after, back, begin)| (after, after.saturating_sub(back), begin));
        (Just(length), prop::collection::vec(edge, each * length as usize))
    });
    prop_oneof![few, neighbours, rounds()]
}

/// Rounds of operations that wait for all of the round before, but for a few.
fn rounds() -> impl Strategy<Value = (u32, Vec<(u32, u32, bool)>)> {
    prop::collection::vec((1u32..7, 0u32..40), 1..30).prop_map(|rounds| {
        let (mut edges, mut before, mut begin) = (Vec::new(), 0..0, 0);
        for (size, gap) in rounds {
            let all = (begin..begin + size).flat_map(|after| before.clone().map(move |before| (after, before, false)));
            edges.extend(all.enumerate().filter(|&(number, _)| number as u32 != gap).map(|(_, edge)| edge));
            (before, begin) = (begin..begin + size, begin + size);
        }
        (begin, edges)
    })
}

/// A task, as the definition says.
struct Played<'e> {
    length: u32,
    edges: &'e [(u32, u32, bool)],
    begun: BTreeSet<u32>,
    ended: BTreeSet<u32>,
}

impl Played<'_> {
    fn due(&self) -> Vec<u32> {
        (0..self.length).filter(|&operation| may_begin(operation, self.edges, &self.begun, &self.ended)).collect()
    }

    fn open(&self) -> Vec<u32> {
        self.begun.difference(&self.ended).copied().collect()
    }

    fn base(&self) -> u32 {
        (0..self.length).find(|operation| !self.ended.contains(operation)).unwrap_or(self.length)
    }
}

proptest! {
    #[test]
    fn what_may_begin_is_told_once_and_at_once(
        (length, edges) in edges(),
        is_many in any::<bool>(),
        choices in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>()), 400),
    ) {
        let schedule = schedule_of(length, &edges);
        let sections = &Sections::of(&schedule, |_| true);
        let place = TaskView { schedule: &schedule, sections, task: TaskId(1) };
        let mut played = Played { length, edges: &edges, begun: BTreeSet::new(), ended: BTreeSet::new() };
        let (mut told, mut news) = (BTreeSet::new(), Vec::new());
        let mut frontier = match is_many {
            true => Frontier::List(Box::new(ListFrontier::behind(&WindowFrontier::default(), place, |operation| news.push(operation)))),
            false => Frontier::new(place, |operation| news.push(operation)),
        };
        for (ends, choice) in choices {
            for operation in news.drain(..) {
                prop_assert!(told.insert(operation), "told twice");
            }
            let (due, open) = (played.due(), played.open());
            prop_assert_eq!(told.difference(&played.begun).copied().collect::<Vec<u32>>(), due.clone());
            if let Frontier::Window(few) = &frontier {
                prop_assert_eq!(few.first_ready(), due.first().copied());
                prop_assert!(few.open().eq(open.iter().copied()));
            }
            if !due.is_empty() && (!ends || open.is_empty()) {
                let operation = *choice.get(&due);
                played.begun.insert(operation);
                frontier.began(place, operation, |operation| news.push(operation));
            } else if !open.is_empty() {
                let operation = *choice.get(&open);
                played.ended.insert(operation);
                frontier.ended(place, operation, |operation| news.push(operation));
            }
        }
        prop_assert_eq!(frontier.base(), played.base());
    }
}
