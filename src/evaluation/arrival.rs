//! Notes the calls whose outcome the order of arrival decides, while a feed is replayed.

use crate::activity::{CommId, Feed, Operation, Outcome, Segments, Step, TaskId};
use crate::program::BlockId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A feed that passes another one on.
pub struct Watch<'a, F> {
    feed: &'a mut F,
    /// Calls that took what came first, or looked whether something had come.
    pub calls: BTreeSet<BlockId>,
    /// Calls that completed receives posted by others: what they bring was decided there.
    completions: BTreeSet<BlockId>,
    posted: bool,
}

impl<'a, F: Feed> Watch<'a, F> {
    pub fn new(feed: &'a mut F) -> Self {
        Self { feed, calls: BTreeSet::new(), completions: BTreeSet::new(), posted: false }
    }

    /// The calls, when the replay is over.
    pub fn finish(mut self) -> BTreeSet<BlockId> {
        if self.posted {
            self.calls.append(&mut self.completions);
        }
        self.calls
    }

    fn note(&mut self, step: &Step) {
        match step {
            Step::Event(event) => {
                if let Some(site) = event.site {
                    self.note_event(&event.operation, site.block);
                }
            }
            Step::Repeat(repeat) => repeat.steps.iter().for_each(|step| self.note(step)),
            _ => {}
        }
    }

    fn note_event(&mut self, operation: &Operation, call: BlockId) {
        match operation {
            Operation::Recv { from: None, request, .. } => {
                self.posted |= request.is_some();
                self.calls.insert(call);
            }
            Operation::Probe { from, blocking, .. } if from.is_none() || !blocking => {
                self.calls.insert(call);
            }
            Operation::WaitAny { requests } if requests.len() > 1 => {
                self.calls.insert(call);
            }
            Operation::TestAll { .. } | Operation::TestAny { .. } => {
                self.calls.insert(call);
            }
            Operation::WaitAll { .. } | Operation::WaitAny { .. } => {
                self.completions.insert(call);
            }
            _ => {}
        }
    }
}

impl<F: Feed> Feed for Watch<'_, F> {
    fn tasks(&self) -> usize {
        self.feed.tasks()
    }

    fn next(&mut self, task: TaskId, outcome: Outcome) -> Step {
        let step = self.feed.next(task, outcome);
        self.note(&step);
        step
    }

    fn group(&self, comm: CommId) -> Arc<[TaskId]> {
        self.feed.group(comm)
    }

    fn segments(&self) -> &Segments {
        self.feed.segments()
    }
}
