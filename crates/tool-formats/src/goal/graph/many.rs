//! A task of which many operations are looked at at a time.

use super::few::FewGraph;
use super::{Wait, step, wait_for};
use chronos_activity::frontier::{ListFrontier, TaskView};
use chronos_activity::schedule::Action;
use chronos_activity::{FeedItem, Outcome, RequestId, Step};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[derive(Debug)]
pub(in super::super) struct ManyGraph {
    frontier: ListFrontier,
    /// Operations that might begin from the start on and have not, the last one first.
    free: Vec<u32>,
    /// Others that may begin.
    ready: BinaryHeap<Reverse<u32>>,
    /// Messages that have begun and not ended, as they began.
    open: Vec<Open>,
    /// Sends that were over at once and have not ended.
    over: Vec<u32>,
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

impl ManyGraph {
    /// Goes on where few operations are too many, and none of those may begin.
    pub fn behind(few: &FewGraph, place: TaskView<'_>) -> Self {
        let mut free = Vec::new();
        let frontier = ListFrontier::behind(&few.frontier, place, |operation| free.push(operation));
        free.reverse();
        let sends = |operation| matches!(place.schedule.operation(place.task, operation).action, Action::Send { .. });
        let open: Vec<Open> = few
            .open()
            .map(|(operation, RequestId(request))| Open { operation, request, sends: sends(operation) })
            .collect();
        let begun = (0..few.frontier.entered()).filter(|&operation| few.frontier.has_begun(operation)).count();
        let left = place.schedule.length(place.task) - begun as u32;
        let spare = (0..64).filter(|&request| open.iter().all(|open| open.request != request)).collect();
        let (ready, over, wait) = Default::default();
        Self { frontier, free, ready, open, over, wait, left, requests: 64, spare }
    }

    #[inline]
    pub fn next(&mut self, place: TaskView<'_>, outcome: &Outcome) -> FeedItem {
        self.end_awaited(place, outcome);
        match self.take().or_else(|| self.end_over(place)) {
            Some(operation) => self.begin(place, operation),
            None => self.wait(),
        }
    }

    /// The send that began last is over.
    pub fn send_completed(&mut self) {
        if let Some(Open { operation, request, .. }) = self.open.pop() {
            self.spare.push(request);
            self.over.push(operation);
        }
    }

    pub(crate) fn waits_for_first(&self) -> bool {
        self.wait == Wait::First
    }

    /// The operation under way with this request.
    pub fn operation(&self, RequestId(request): RequestId) -> Option<u32> {
        self.open.iter().find(|open| open.request == request).map(|open| open.operation)
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

    fn begin(&mut self, place: TaskView<'_>, operation: u32) -> FeedItem {
        let action = place.schedule.operation(place.task, operation).action;
        self.left -= 1;
        self.frontier.began(operation, |after| self.ready.push(Reverse(after)));
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

    fn ended(&mut self, place: TaskView<'_>, operation: u32) {
        self.frontier.ended(place, operation, |after| self.ready.push(Reverse(after)));
    }

    /// What was over when nothing else could begin has ended; what may begin then.
    fn end_over(&mut self, place: TaskView<'_>) -> Option<u32> {
        let mut over = std::mem::take(&mut self.over);
        over.drain(..).for_each(|operation| self.ended(place, operation));
        self.over = over;
        self.take()
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
        !open.sends || self.frontier.is_awaited(open.operation)
    }

    fn end_awaited(&mut self, place: TaskView<'_>, outcome: &Outcome) {
        let wait = std::mem::take(&mut self.wait);
        let number = match (wait, outcome) {
            (Wait::None, _) => return,
            (Wait::First, Outcome::Any { index, .. }) => Some(*index),
            (Wait::First, _) => Some(0),
            (Wait::Awaited | Wait::All, _) => None,
        };
        let (before, mut seen) = (std::mem::take(&mut self.open), 0..);
        let ends = |open: &Open| {
            (wait == Wait::All || self.is_awaited(*open)) && number.is_none_or(|number| seen.next() == Some(number))
        };
        let (over, open): (Vec<Open>, Vec<Open>) = before.into_iter().partition(ends);
        self.open = open;
        for open in over {
            self.spare.push(open.request);
            self.ended(place, open.operation);
        }
    }

    fn wait(&mut self) -> FeedItem {
        if self.open.is_empty() {
            return FeedItem::Step(Step::End);
        }
        let mut waited_for: Vec<Open> = self.open.iter().copied().filter(|&open| self.is_awaited(open)).collect();
        let together = || {
            let operations: Vec<u32> = waited_for.iter().map(|open| open.operation).collect();
            self.frontier.lets_begin_together(&operations)
        };
        self.wait = match () {
            // Nobody waits for one of them; looking for the first one again and again would take long.
            () if self.left == 0 || waited_for.is_empty() => Wait::All,
            () if together() => Wait::Awaited,
            () => Wait::First,
        };
        if self.wait == Wait::All {
            waited_for.clone_from(&self.open);
        }
        wait_for(self.wait, waited_for.into_iter().map(|open| RequestId(open.request)).collect())
    }
}
