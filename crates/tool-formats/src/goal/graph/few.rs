//! A task of which few operations are looked at at a time.

use super::{Wait, step, wait_for};
use chronos_activity::frontier::{FrontierPause, TaskView, WindowFrontier};
use chronos_activity::schedule::Action;
use chronos_activity::{FeedItem, Outcome, RequestId, Step};

/// The number of an operation modulo 64 is that of its request.
#[derive(Debug)]
pub(in super::super) struct FewGraph {
    pub(super) frontier: WindowFrontier,
    /// By request, sends that were over at once and have not ended.
    over: u64,
    wait: Wait,
}

fn request(operation: u32) -> RequestId {
    RequestId(operation % 64)
}

impl FewGraph {
    pub fn new(place: TaskView<'_>) -> Self {
        let mut frontier = WindowFrontier::default();
        frontier.enter(place, |_| {});
        Self { frontier, over: 0, wait: Wait::None }
    }

    /// `None` where there is no room for what may begin next.
    pub fn next(&mut self, place: TaskView<'_>, outcome: &Outcome) -> Option<FeedItem> {
        self.end_awaited(place, outcome);
        if let Some(operation) = self.frontier.first_ready().or_else(|| self.end_over(place)) {
            return Some(self.begin(place, operation));
        }
        (!self.frontier.is_full()).then(|| self.wait(place))
    }

    /// Where it goes on, where it waits for all that is under way and nothing else is left to begin before.
    pub fn pause(&self, place: TaskView<'_>) -> Option<FrontierPause> {
        let waits_for = |operation| self.wait == Wait::All || self.is_awaited(place, operation);
        let waits = matches!(self.wait, Wait::All | Wait::Awaited) && self.over == 0;
        let pause = self.frontier.pause().filter(|_| waits)?;
        self.frontier.open().all(waits_for).then_some(pause)
    }

    /// Goes on there.
    pub fn resume(place: TaskView<'_>, pause: FrontierPause) -> Self {
        Self { frontier: WindowFrontier::resume(place, pause), over: 0, wait: Wait::None }
    }

    pub fn send_completed(&mut self, request: RequestId) {
        self.over |= 1 << request.0;
    }

    pub(crate) fn waits_for_first(&self) -> bool {
        self.wait == Wait::First
    }

    /// Messages under way, with their requests.
    pub fn open(&self) -> impl Iterator<Item = (u32, RequestId)> {
        self.frontier.open().map(|operation| (operation, request(operation)))
    }

    /// The operation under way with this request.
    #[inline]
    pub fn operation(&self, request: RequestId) -> u32 {
        self.frontier.operation(request.0)
    }

    fn begin(&mut self, place: TaskView<'_>, operation: u32) -> FeedItem {
        let action = place.schedule.operation(place.task, operation).action;
        self.frontier.began(place, operation, |_| {});
        if let Action::Compute { .. } = action {
            self.frontier.ended(place, operation, |_| {});
            return step(action, None);
        }
        step(action, Some(request(operation)))
    }

    /// What was over when nothing else could begin has ended; what may begin then.
    fn end_over(&mut self, place: TaskView<'_>) -> Option<u32> {
        let over = std::mem::take(&mut self.over);
        let is_over = |&operation: &u32| over & 1 << request(operation).0 != 0;
        if over != 0 {
            self.frontier.open().filter(is_over).for_each(|operation| self.frontier.ended(place, operation, |_| {}));
        }
        self.frontier.first_ready()
    }

    fn end_awaited(&mut self, place: TaskView<'_>, outcome: &Outcome) {
        let wait = std::mem::take(&mut self.wait);
        let first = match (wait, outcome) {
            (Wait::None, _) => return,
            (Wait::First, Outcome::Any { index, .. }) => Some(*index),
            (Wait::First, _) => Some(0),
            (Wait::Awaited | Wait::All, _) => None,
        };
        let all = self.waited_for(place, wait);
        match first {
            Some(index) => self.frontier.ended(place, all[index], |_| {}),
            None => all.into_iter().for_each(|operation| self.frontier.ended(place, operation, |_| {})),
        }
    }

    /// The operations that it waits for in a wait of a kind.
    fn waited_for(&self, place: TaskView<'_>, wait: Wait) -> Vec<u32> {
        self.frontier.open().filter(|&operation| wait == Wait::All || self.is_awaited(place, operation)).collect()
    }

    /// A send that nobody waits for need not be waited for before the end.
    fn is_awaited(&self, place: TaskView<'_>, operation: u32) -> bool {
        let action = place.schedule.operation(place.task, operation).action;
        !matches!(action, Action::Send { .. }) || self.frontier.is_awaited(place, operation)
    }

    fn wait(&mut self, place: TaskView<'_>) -> FeedItem {
        if self.frontier.open().next().is_none() {
            return FeedItem::Step(Step::End);
        }
        let awaited = self.waited_for(place, Wait::Awaited);
        self.wait = match () {
            // Nobody waits for one of them; looking for the first one again and again would take long.
            () if awaited.is_empty() || self.frontier.has_all_begun(place) => Wait::All,
            () if self.frontier.lets_begin_together(place, awaited.iter().copied()) => Wait::Awaited,
            () => Wait::First,
        };
        let waited_for = if self.wait == Wait::All { self.waited_for(place, Wait::All) } else { awaited };
        wait_for(self.wait, waited_for.into_iter().map(request).collect())
    }
}
