//! A task of which no operation waits for another one: all begin, then it waits for all.

use super::{Wait, step, wait_for};
use chronos_activity::frontier::TaskView;
use chronos_activity::schedule::Action;
use chronos_activity::{FeedItem, RequestId, Step};

#[derive(Debug, Default)]
pub(in super::super) struct Plain {
    /// Operations that have begun.
    begun: u32,
    /// Messages among them that were not over at once.
    open: u32,
    has_waited: bool,
}

impl Plain {
    pub fn next(&mut self, place: TaskView<'_>) -> FeedItem {
        if self.begun == place.schedule.length(place.task) {
            return self.wait();
        }
        let action = place.schedule.operation(place.task, self.begun).action;
        self.begun += 1;
        if let Action::Compute { .. } = action {
            return step(action, None);
        }
        self.open += 1;
        step(action, Some(RequestId(self.open - 1)))
    }

    /// The message that began last needs no request.
    pub fn send_completed(&mut self) {
        self.open -= 1;
    }

    fn wait(&mut self) -> FeedItem {
        if self.open == 0 || std::mem::replace(&mut self.has_waited, true) {
            return FeedItem::Step(Step::End);
        }
        wait_for(Wait::All, (0..self.open).map(RequestId).collect())
    }
}
