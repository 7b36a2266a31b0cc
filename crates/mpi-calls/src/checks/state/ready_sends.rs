//! Ready sends under way, and receives that may get them.

use chronos_activity::{MessageId, RequestId, TaskId};
use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;
use std::collections::BTreeSet;

/// Ready sends under way, and receives that may get them.
#[derive(Clone, Debug, Default)]
pub struct ReadySends {
    pub(crate) sent: FxHashMap<MessageId, ReadySend>,
    /// By task and request.
    pub(crate) posted: FxHashMap<(TaskId, RequestId), PostedReceive>,
    /// Something is known to tasks that the clocks do not know of.
    pub(crate) unsure: bool,
    /// The sends that are told already.
    pub(crate) told: BTreeSet<Span>,
}

#[derive(Clone, Debug)]
pub(crate) struct ReadySend {
    pub(crate) name: &'static str,
    pub(crate) span: Span,
    pub(crate) to: TaskId,
    pub(crate) tag: i32,
    /// What the sender knew of the receiver, as a time of that one.
    pub(crate) known: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PostedReceive {
    /// As a time of the receiver.
    pub(crate) at: u64,
    pub(crate) span: Span,
}

impl ReadySends {
    /// The clocks miss what tasks do from now on, or what a call tells.
    pub fn give_up(&mut self) {
        self.unsure = true;
    }

    pub(crate) fn forget(
        &mut self,
        task: TaskId,
        message: MessageId,
        request: Option<RequestId>,
    ) -> (Option<ReadySend>, Option<PostedReceive>) {
        let posted = request.and_then(|request| self.posted.remove(&(task, request)));
        (self.sent.remove(&message), posted)
    }
}
