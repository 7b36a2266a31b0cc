//! Operations of a schedule as steps of a feed.

use chronos_activity::schedule::{ANY, Action};
use chronos_activity::{CommId, Event, FeedItem, Operation, RequestId, SendMode, Step, TaskId, Work};
use chronos_base::units::{Bytes, Picoseconds};

#[inline]
pub(super) fn step(action: Action, request: Option<RequestId>) -> FeedItem {
    let comm = CommId(0);
    event(match action {
        Action::Compute { ns } => {
            return FeedItem::Step(Step::Work(Work::Time(Picoseconds(ns.saturating_mul(1000)))));
        }
        Action::Send { to, tag, bytes } => {
            let (to, tag, bytes, mode) = (TaskId(to), tag as i32, Bytes(bytes), SendMode::Standard);
            Operation::Send { to, tag, comm, bytes, mode, request }
        }
        Action::Recv { from, tag, bytes } => {
            let known = |value: u32| Some(value).filter(|&value| value != ANY);
            let (from, tag) = (known(from).map(TaskId), known(tag).map(|tag| tag as i32));
            Operation::Recv { from, tag, comm, bytes: Bytes(bytes), request }
        }
    })
}

#[inline]
pub(super) fn event(operation: Operation) -> FeedItem {
    FeedItem::Event(Event { operation, site: None })
}
