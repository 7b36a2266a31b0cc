//! Ready sends: whether anything makes sure that the receive is posted first.
//!
//! A ready send must not begin before its receive is posted. That a run gets the order right by its times is no
//! excuse, so the clocks are asked: the sender must have heard of something that the receiver did behind its call
//! that posts the receive. The match is known where the message is delivered, and is looked at there.

use crate::call::Call;
use crate::checks::remote_codes::READY;
use crate::checks::state::ready_sends::{PostedReceive, ReadySend};
use crate::state::requests::RequestKind;
use chronos_activity::{MessageId, Operation, RequestId, SendMode, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;

impl Call<'_> {
    /// The last message of the task is sent so.
    pub(crate) fn check_ready(&mut self, operation: Option<&Operation>) {
        let Some(&Operation::Send { to, tag, mode, .. }) = operation else { return };
        let (task, name, span) = (self.task, self.name(), self.span);
        let last = self.mpi.task(task).sent.checked_sub(1);
        let Some(checks) = &mut self.mpi.checks else { return };
        match (mode, checks.clocks.known(task, to), last) {
            (SendMode::Ready, Some(known), Some(sequence)) => {
                let message = MessageId { sender: task, sequence };
                checks.ready.sent.insert(message, ReadySend { name, span, to, tag, known });
            }
            // Its end tells the sender that the receiver has come so far.
            (SendMode::Synchronous, ..) => checks.ready.give_up(),
            _ => {}
        }
    }

    /// A request was made or started: where it receives, it is posted from now on.
    pub(crate) fn check_posted(&mut self, id: RequestId) {
        let (task, span) = (self.task, self.span);
        let receives = self.request(id).is_some_and(|request| matches!(request.work, RequestKind::Receive { .. }));
        let Some(at) = self.mpi.clocks().and_then(|clocks| clocks.now(task)).filter(|_| receives) else { return };
        if let Some(checks) = &mut self.mpi.checks {
            checks.ready.posted.insert((task, id), PostedReceive { at, span });
        }
    }

    /// A receive has got the message; without a request it was posted by the call that ends now, of which nobody knows.
    pub(crate) fn check_was_posted(&mut self, message: MessageId, request: Option<RequestId>) {
        let (task, here) = (self.task, self.span);
        let Some(checks) = &mut self.mpi.checks else { return };
        let (Some(sent), posted) = checks.ready.forget(task, message, request) else { return };
        let ordered = posted.is_some_and(|posted| posted.at <= sent.known);
        if ordered || checks.ready.unsure || !checks.ready.told.insert(sent.span) {
            return;
        }
        let finding = unordered(&sent, message.sender, posted.map_or(here, |posted| posted.span));
        self.mpi.tell(finding);
    }
}

fn unordered(sent: &ReadySend, sender: TaskId, posted: Span) -> Diagnostic {
    let ReadySend { name, to, tag, .. } = sent;
    let message = format!(
        "{name} of task {} to task {} (tag {tag}) may begin before its receive is posted: nothing orders the two",
        sender.0, to.0
    );
    Diagnostic::error(&READY, message)
        .label(sent.span, "a ready send needs a receive that is posted already")
        .label(posted, "the receive is posted here")
        .help("let the receiver post a non-blocking receive and tell the sender (a message, MPI_Barrier) before this call, or use MPI_Send")
}
