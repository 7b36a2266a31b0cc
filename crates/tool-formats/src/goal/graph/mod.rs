//! What a task of a schedule does next where its operations do not simply follow one another.
//!
//! Of the operations that may begin, the first ones in the file begin first. Sends that were over at once end when
//! nothing else may begin. Where nothing may even then, the task waits for the first of those that let others begin,
//! or, where nothing can begin before all of them have ended, for all. A task of which nothing is open and something
//! has not begun waits for itself; it ends, because there is no step that could say so. This module must not know
//! times.

mod few;
mod many;
mod plain;
#[cfg(test)]
mod tests;

use super::steps::{event, step};
use chronos_activity::frontier::{FrontierPause, TaskView};
use chronos_activity::{FeedItem, Operation, Outcome, RequestId};
use few::FewGraph;
use many::ManyGraph;
use plain::Plain;

#[derive(Debug)]
pub(super) enum Graph {
    Few(FewGraph),
    Many(Box<ManyGraph>),
    /// No operation waits for another one.
    Plain(Box<Plain>),
}

/// Which of the open operations the task waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Wait {
    #[default]
    None,
    /// The first of those that let others begin.
    First,
    /// All of those.
    Awaited,
    All,
}

fn wait_for(wait: Wait, requests: Vec<RequestId>) -> FeedItem {
    let requests = requests.into();
    event(match wait {
        Wait::First => Operation::WaitAny { requests },
        Wait::None | Wait::Awaited | Wait::All => Operation::WaitAll { requests },
    })
}

impl Graph {
    pub fn new(place: TaskView<'_>) -> Self {
        let task = place.schedule.task(place.task);
        let length = task.len() as u32;
        match task.edges().next().is_none() && !(0..length).any(|operation| task.is_linked(operation)) {
            true => Self::Plain(Box::default()),
            false => Self::Few(FewGraph::new(place)),
        }
    }

    /// Where it goes on, where it waits for all that is under way: nothing more of it need be kept until then.
    #[inline]
    pub fn pause(&self, place: TaskView<'_>) -> Option<FrontierPause> {
        if let Self::Few(few) = self { few.pause(place) } else { None }
    }

    /// Goes on there.
    pub fn resume(place: TaskView<'_>, pause: FrontierPause) -> Self {
        Self::Few(FewGraph::resume(place, pause))
    }

    #[inline]
    pub fn next(&mut self, place: TaskView<'_>, outcome: &Outcome) -> FeedItem {
        match self {
            Self::Few(few) => few.next(place, outcome).unwrap_or_else(|| self.make_room(place)),
            Self::Many(many) => many.next(place, outcome),
            Self::Plain(plain) => plain.next(place),
        }
    }

    /// What few operations had no room for may begin.
    #[cold]
    fn make_room(&mut self, place: TaskView<'_>) -> FeedItem {
        if let Self::Few(few) = self {
            *self = Self::Many(Box::new(ManyGraph::behind(few, place)));
        }
        self.next(place, &Outcome::None)
    }

    /// The send that began last is over at once.
    #[inline]
    pub fn send_completed(&mut self, request: RequestId) {
        match self {
            Self::Few(few) => few.send_completed(request),
            Self::Many(many) => many.send_completed(),
            Self::Plain(plain) => plain.send_completed(),
        }
    }

    /// The operation under way with this request, where that can be told.
    #[inline]
    pub fn operation(&self, request: RequestId) -> Option<u32> {
        match self {
            Self::Few(few) => Some(few.operation(request)),
            Self::Many(many) => many.operation(request),
            Self::Plain(_) => None,
        }
    }

    /// Prefetches what will be needed when a message ends.
    pub fn prefetch(&self, place: TaskView<'_>) {
        if let Self::Few(few) = self {
            few.frontier.prefetch(place);
        }
    }

    /// The wait that it is in ends with the first of several.
    pub(crate) fn waits_for_first(&self) -> bool {
        match self {
            Self::Few(few) => few.waits_for_first(),
            Self::Many(many) => many.waits_for_first(),
            Self::Plain(_) => false,
        }
    }
}
