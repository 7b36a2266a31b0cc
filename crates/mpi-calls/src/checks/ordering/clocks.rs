//! What tasks know of each other: vector clocks over messages, collectives and the synchronisation of windows.
//!
//! One event is before another where messages or synchronisation lead from it to the other (L. Lamport, CACM 1978;
//! vector clocks: F. Mattern 1988). The replay gives the tasks' calls in an order that agrees with it. Kept as long
//! as there are windows, and for ready sends.

use crate::call::Call;
use crate::checks::state::clocks::{Clocks, Orders};
use crate::state::delivery::EnteredCollective;
use crate::state::mpi_state::MpiState;
use chronos_activity::{CommId, MessageId, TaskId};
use chronos_functions::DataFlow;

fn orders(flow: DataFlow, root: Option<usize>) -> Orders {
    match (flow, root) {
        (DataFlow::OneToAll, Some(root)) => Orders::FromRoot(root),
        (DataFlow::AllToOne, Some(root)) => Orders::ToRoot(root),
        (DataFlow::Prefix, _) => Orders::Before,
        // All meet, so each hears of all.
        (DataFlow::AllToAll | DataFlow::OneToAll | DataFlow::AllToOne, _) => Orders::Everyone,
    }
}

impl MpiState {
    /// Clocks, where they are kept: while there are windows, or in a program with ready sends.
    pub(crate) fn clocks(&mut self) -> Option<&mut Clocks> {
        let any = !self.windows.is_empty() || self.options.ready_sends;
        self.checks.as_mut().map(|checks| &mut checks.clocks).filter(|_| any)
    }

    pub(crate) fn check_sent(&mut self, message: MessageId) {
        if let Some(clocks) = self.clocks() {
            clocks.sent(message.sender, message);
        }
    }
}

impl Call<'_> {
    pub(crate) fn check_message_received(&mut self, message: MessageId) {
        let task = self.task;
        if let Some(clocks) = self.mpi.clocks() {
            clocks.received(task, message);
        }
    }

    pub(crate) fn check_entered(&mut self, comm: CommId, number: u64, root: Option<TaskId>) {
        let group = self.mpi.members(comm);
        let (task, size, rank) = (self.task, group.size(), group.rank(self.task).unwrap_or(0));
        let orders = orders(self.function.flow(), root.and_then(|root| group.rank(root)));
        if let Some(clocks) = self.mpi.clocks() {
            clocks.enter(task, (comm, number), (rank, size), orders);
        }
    }

    pub(crate) fn check_left(&mut self, joined: &EnteredCollective) {
        let task = self.task;
        if let Some(clocks) = self.mpi.clocks() {
            clocks.leave(task, (joined.comm, joined.number), joined.rank);
        }
    }
}
