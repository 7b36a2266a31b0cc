//! What a task of a schedule does next where its operations do not simply follow one another.
//!
//! Of the operations that may begin, the first ones in the file begin first. Where none may, the task waits for the first of
//! those that let others begin, or, where nothing can begin before all of them have ended, for all. This module must not know
//! times.

use super::feed::{event, step};
use crate::activity::frontier::{Frontier, Place};
use crate::activity::schedule::Action;
use crate::activity::{Given, Operation, Outcome, RequestId, Step};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[derive(Debug)]
pub(super) struct Graph {
    /// `None` where no operation waits for another one.
    frontier: Option<Frontier>,
    /// Operations that might begin from the start on and have not, the last one first.
    free: Vec<u32>,
    /// Others that may begin.
    ready: BinaryHeap<Reverse<u32>>,
    /// Operations that have begun and not ended, as they began.
    open: Vec<Open>,
    wait: Wait,
    /// Operations that have not begun.
    left: u32,
    /// Numbers of requests so far, and those of them that are over.
    requests: u32,
    spare: Vec<u32>,
}

/// A message under way.
#[derive(Clone, Copy, Debug)]
struct Open {
    operation: u32,
    request: u32,
    sends: bool,
}

/// Which of the open operations that may let others begin the task waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Wait {
    #[default]
    None,
    First,
    All,
}

impl Graph {
    pub fn new(place: Place<'_>) -> Self {
        let task = place.schedule.task(place.task);
        let left = task.len() as u32;
        let is_plain = task.edges().next().is_none() && !(0..left).any(|operation| task.is_linked(operation));
        let mut free = Vec::new();
        let frontier = (!is_plain).then(|| Frontier::new(place, |operation| free.push(operation)));
        if is_plain {
            free.extend(0..left);
        }
        free.reverse();
        let (ready, open, wait, requests, spare) = Default::default();
        Self { frontier, free, ready, open, wait, left, requests, spare }
    }

    #[inline]
    pub fn next(&mut self, place: Place<'_>, outcome: &Outcome) -> Given {
        self.end_awaited(place, outcome);
        let Some(operation) = self.take() else { return self.wait() };
        let action = place.schedule.operation(place.task, operation).action;
        self.left -= 1;
        if let Some(frontier) = &mut self.frontier {
            frontier.began(operation, |after| self.ready.push(Reverse(after)));
        }
        let request = match action {
            Action::Compute { .. } => {
                self.ended(place, operation);
                None
            }
            Action::Send { .. } => Some(self.open(operation, true)),
            Action::Recv { .. } => Some(self.open(operation, false)),
        };
        step(action, request)
    }

    /// The wait that it is in ends with the first of several.
    pub fn waits_for_first(&self) -> bool {
        self.wait == Wait::First
    }

    /// No operation waits for another one.
    pub fn is_plain(&self) -> bool {
        self.frontier.is_none()
    }

    /// The first operation that may begin.
    #[inline]
    fn take(&mut self) -> Option<u32> {
        match (self.free.last(), self.ready.peek()) {
            (Some(free), Some(Reverse(ready))) if ready < free => self.ready.pop().map(|Reverse(ready)| ready),
            (None, _) => self.ready.pop().map(|Reverse(ready)| ready),
            _ => self.free.pop(),
        }
    }

    fn ended(&mut self, place: Place<'_>, operation: u32) {
        if let Some(frontier) = &mut self.frontier {
            frontier.ended(place, operation, |after| self.ready.push(Reverse(after)));
        }
    }

    fn open(&mut self, operation: u32, sends: bool) -> RequestId {
        let request = self.spare.pop().unwrap_or_else(|| {
            self.requests += 1;
            self.requests - 1
        });
        self.open.push(Open { operation, request, sends });
        RequestId(request)
    }

    /// A send that nobody waits for need not be waited for before the end.
    fn is_awaited(&self, open: Open) -> bool {
        let lets_begin =
            |frontier: &Frontier| frontier.is_gate(open.operation) || frontier.waiting(open.operation).next().is_some();
        !open.sends || self.frontier.as_ref().is_some_and(lets_begin)
    }

    fn end_awaited(&mut self, place: Place<'_>, outcome: &Outcome) {
        let number = match (std::mem::take(&mut self.wait), outcome) {
            (Wait::None, _) => return,
            (Wait::First, Outcome::Any { index, .. }) => Some(*index),
            (Wait::First, _) => Some(0),
            (Wait::All, _) => None,
        };
        let (before, mut seen) = (std::mem::take(&mut self.open), 0..);
        let ends = |open: &Open| self.is_awaited(*open) && number.is_none_or(|number| seen.next() == Some(number));
        let (over, open): (Vec<Open>, Vec<Open>) = before.into_iter().partition(ends);
        self.open = open;
        for open in over {
            self.spare.push(open.request);
            self.ended(place, open.operation);
        }
    }

    /// Nothing may begin before something ends. A task of which nothing is open and something has not begun
    /// waits for itself; it has no step that could say so but a receive from itself that never comes.
    fn wait(&mut self) -> Given {
        if self.open.is_empty() {
            return Given::Step(Step::End);
        }
        let awaited: Vec<Open> = self.open.iter().copied().filter(|&open| self.is_awaited(open)).collect();
        if self.left == 0 || awaited.is_empty() {
            // Nobody waits for one of them; looking for the first one again and again would take long.
            let requests = self.open.drain(..).map(|open| RequestId(open.request)).collect();
            return event(Operation::WaitAll { requests });
        }
        let requests = awaited.iter().map(|open| RequestId(open.request)).collect();
        if self.lets_begin_together(&awaited) {
            self.wait = Wait::All;
            return event(Operation::WaitAll { requests });
        }
        self.wait = Wait::First;
        event(Operation::WaitAny { requests })
    }

    /// Nothing can begin before all of these have ended: what waits for one of them waits for as many as they are.
    fn lets_begin_together(&self, awaited: &[Open]) -> bool {
        let Some(frontier) = &self.frontier else { return false };
        let together = |open: &Open| frontier.waiting(open.operation).all(|pending| pending as usize >= awaited.len());
        awaited.len() == 1 || awaited.iter().all(|open| !frontier.is_gate(open.operation) && together(open))
    }
}

#[cfg(test)]
mod tests {
    use super::super::ScheduleFeed;
    use super::*;
    use crate::activity::schedule::Schedule;
    use crate::activity::schedule::{Edge, ScheduledOperation};
    use crate::activity::{Feed, TaskId};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// A task of computing, sends and receives, with these dependences.
    fn schedule_of(kinds: &[u8], edges: &BTreeSet<(u32, u32)>) -> Schedule {
        let mut schedule = Schedule::new(1);
        for (kind, tag) in kinds.iter().zip(0..) {
            let action = match kind {
                0 => Action::Compute { ns: 1 },
                1 => Action::Send { to: 0, tag, bytes: 8 },
                _ => Action::Recv { from: 0, tag, bytes: 8 },
            };
            schedule.push(TaskId(0), ScheduledOperation { action, cpu: 0, linked: false });
        }
        edges.iter().for_each(|&(after, before)| schedule.depend(TaskId(0), Edge { after, before, begin: false }));
        schedule.seal(TaskId(0));
        schedule
    }

    /// Ends what is waited for in some order. Notes in which order operations began, and what was waited for at once, with how many
    /// that had begun and what was over.
    struct Player<'c> {
        choices: &'c [prop::sample::Index],
        begun: Vec<u32>,
        ended: BTreeSet<u32>,
        /// Operation by request.
        requests: Vec<Option<u32>>,
        together: Vec<(usize, BTreeSet<u32>, Vec<u32>)>,
    }

    impl Player<'_> {
        fn play(&mut self, schedule: &Schedule) {
            let mut feed = ScheduleFeed::new(schedule);
            let (mut outcome, mut turn) = (Outcome::None, 0);
            let is_compute =
                |operation| matches!(schedule.operation(TaskId(0), operation).action, Action::Compute { .. });
            loop {
                let event = match feed.next(TaskId(0), std::mem::take(&mut outcome)) {
                    Step::Event(event) => event,
                    Step::Work(_) => {
                        let may =
                            |o: &u32| is_compute(*o) && !self.begun.contains(o) && may_begin(schedule, *o, &self.ended);
                        let operation = (0..schedule.length(TaskId(0))).find(may).unwrap();
                        self.begun.push(operation);
                        self.ended.insert(operation);
                        continue;
                    }
                    _ => return,
                };
                match &event.operation {
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

        fn end(&mut self, request: RequestId) {
            self.ended.insert(self.requests[request.0 as usize].take().unwrap());
        }
    }

    fn may_begin(schedule: &Schedule, operation: u32, ended: &BTreeSet<u32>) -> bool {
        let task = schedule.task(TaskId(0));
        (!task.is_linked(operation) || ended.contains(&(operation - 1)))
            && task.edges().all(|edge| edge.after != operation || ended.contains(&edge.before))
    }

    proptest! {
        #[test]
        fn everything_begins_as_soon_as_it_may(
            kinds in prop::collection::vec(0u8..3, 1..20),
            raw in prop::collection::vec((0u32..20, 0u32..20), 0..40),
            choices in prop::collection::vec(any::<prop::sample::Index>(), 40),
        ) {
            let length = kinds.len() as u32;
            let edges = raw.into_iter().map(|(after, before)| (after % length, before % length));
            let edges: BTreeSet<_> = edges.filter(|(after, before)| before < after).collect();
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
}
