//! Prefetches what the next events need: tasks and messages first, and then the data that tasks lead to.

use super::GraphSimulation;
use crate::loggops::event::{HostEvent, HostEventKind};
use chronos_base::prefetch::prefetch;

/// Events that are looked at at once.
const BATCH: usize = 8;

impl GraphSimulation<'_> {
    /// Looks at what comes next, once for several events. It changes nothing.
    #[inline]
    pub(super) fn prefetch_upcoming(&self) {
        let coming = self.queue.coming();
        if coming.is_empty() || !coming.len().is_multiple_of(BATCH) {
            return;
        }
        let (before, next) = coming.split_at(coming.len() - BATCH);
        before.iter().rev().take(BATCH).for_each(|event| self.prefetch_task(event));
        next.iter().for_each(|event| self.prefetch_operation(event));
    }

    fn prefetch_task(&self, event: &HostEvent) {
        self.hosts[event.host].prefetch();
        self.schedule.prefetch_task(event.host);
        match event.kind() {
            HostEventKind::Take => prefetch(&self.messages[event.what.message()]),
            HostEventKind::OperationSet => prefetch(&self.operation_sets[event.what.operation_set()]),
            HostEventKind::Send | HostEventKind::Recv | HostEventKind::Compute => {}
        }
    }

    fn prefetch_operation(&self, event: &HostEvent) {
        let host = &self.hosts[event.host];
        let operation = match event.kind() {
            HostEventKind::Send | HostEventKind::Recv | HostEventKind::Compute => event.what.operation(),
            HostEventKind::OperationSet => self.operation_sets[event.what.operation_set()].first,
            HostEventKind::Take => host.frontier.base(),
        };
        self.schedule.prefetch(host.begin + operation as usize);
        host.prefetch_queues(&self.waiting);
        host.frontier.prefetch(self.place(event.host));
    }
}
