//! Ready sends: whether anything makes sure that the receive is posted first.
//!
//! A ready send must not begin before its receive is posted. That a run gets the order right by its times is no
//! excuse, so the clocks are asked: the sender must have heard of something that the receiver did behind its call
//! that posts the receive. The match is known where the message is delivered, and is looked at there.

use super::remote_codes::READY;
use super::tell;
use crate::call::Call;
use crate::request::Work;
use chronos_activity::{MessageId, Operation, RequestId, SendMode, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_base::span::Span;
use std::collections::{BTreeSet, HashMap};

/// Ready sends under way, and receives that may get them.
#[derive(Clone, Debug, Default)]
pub struct Ready {
    sent: HashMap<MessageId, Sent>,
    /// By task and slot.
    posted: HashMap<(TaskId, usize), Posted>,
    /// Something is known to tasks that the clocks do not know of.
    unsure: bool,
    /// The sends that are told already.
    told: BTreeSet<Span>,
}

#[derive(Clone, Debug)]
struct Sent {
    name: &'static str,
    span: Span,
    to: TaskId,
    tag: i32,
    /// What the sender knew of the receiver, as a time of that one.
    known: u64,
}

#[derive(Clone, Copy, Debug)]
struct Posted {
    /// As a time of the receiver.
    at: u64,
    span: Span,
}

impl Ready {
    /// The clocks miss what tasks do from now on, or what a call tells.
    pub fn give_up(&mut self) {
        self.unsure = true;
    }

    fn forget(
        &mut self,
        task: TaskId,
        message: MessageId,
        request: Option<RequestId>,
    ) -> (Option<Sent>, Option<Posted>) {
        let posted = request.and_then(|request| self.posted.remove(&(task, request.index())));
        (self.sent.remove(&message), posted)
    }
}

impl Call<'_> {
    /// The last message of the task is sent so.
    pub(crate) fn check_ready(&mut self, operation: Option<&Operation>) {
        let Some(&Operation::Send { to, tag, mode, .. }) = operation else { return };
        let (task, name, span) = (self.task, self.name, self.span);
        let last = self.world.task(task).sent.checked_sub(1);
        let Some(checks) = &mut self.world.checks else { return };
        match (mode, checks.clocks.known(task, to), last) {
            (SendMode::Ready, Some(known), Some(sequence)) => {
                let message = MessageId { sender: task, sequence };
                checks.ready.sent.insert(message, Sent { name, span, to, tag, known });
            }
            // Its end tells the sender that the receiver has come so far.
            (SendMode::Synchronous, ..) => checks.ready.give_up(),
            _ => {}
        }
    }

    /// A request was made or started: where it receives, it is posted from now on.
    pub(crate) fn check_posted(&mut self, slot: usize) {
        let (task, span) = (self.task, self.span);
        let receives = self.request(slot).is_some_and(|request| matches!(request.work, Work::Receive { .. }));
        let Some(at) = self.world.clocks().and_then(|clocks| clocks.now(task)).filter(|_| receives) else { return };
        if let Some(checks) = &mut self.world.checks {
            checks.ready.posted.insert((task, slot), Posted { at, span });
        }
    }

    /// A receive has got the message; without a request it was posted by the call that ends now, of which nobody knows.
    pub(crate) fn check_was_posted(&mut self, message: MessageId, request: Option<RequestId>) {
        let (task, here) = (self.task, self.span);
        let Some(checks) = &mut self.world.checks else { return };
        let (Some(sent), posted) = checks.ready.forget(task, message, request) else { return };
        let ordered = posted.is_some_and(|posted| posted.at <= sent.known);
        if ordered || checks.ready.unsure || !checks.ready.told.insert(sent.span) {
            return;
        }
        let finding = unordered(&sent, message.sender, posted.map_or(here, |posted| posted.span));
        tell(self.world, finding);
    }
}

fn unordered(sent: &Sent, sender: TaskId, posted: Span) -> Diagnostic {
    let Sent { name, to, tag, .. } = sent;
    let message = format!(
        "{name} of task {} to task {} (tag {tag}) may begin before its receive is posted: nothing orders the two",
        sender.0, to.0
    );
    Diagnostic::error(&READY, message)
        .label(sent.span, "a ready send needs a receive that is posted already")
        .label(posted, "the receive is posted here")
        .help("let the receiver post a non-blocking receive and tell the sender (a message, MPI_Barrier) before this call, or use MPI_Send")
}
