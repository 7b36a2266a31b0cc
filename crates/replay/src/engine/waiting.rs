//! Keeps what tasks wait for, where the causes of waiting are asked for.

use crate::codes;
use crate::collective::CollectiveFrame;
use crate::engine::Engine;
use crate::matching::operation::Completion;
use crate::result::WaitingLog;
use chronos_activity::{Feed, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::units::Picoseconds;

/// Steps of which waits and what tasks do are kept.
const MOST_STEPS: u64 = 1 << 22;

impl<F: Feed> Engine<'_, '_, F> {
    /// A task is about to wait for these completions, in the order in which they come.
    #[inline]
    pub(crate) fn note_waits(&mut self, id: TaskId, completions: &[Completion]) {
        if let Some(waiting) = &mut self.waiting {
            let task = &self.tasks[id];
            waiting.note(id, task.now, task.site.get(), completions);
        }
    }

    /// A task is about to be idle for something that is no other task's.
    pub(crate) fn note_wait_for_nobody(&mut self, id: TaskId, idle: Picoseconds) {
        if let Some(waiting) = &mut self.waiting {
            let task = &self.tasks[id];
            waiting.push(id, task.now, idle, task.site.get(), None);
        }
    }

    pub(crate) fn note_member(&mut self, frame: &CollectiveFrame) {
        if let Some(waiting) = &mut self.waiting {
            waiting.note_member(frame);
        }
    }

    /// Gives the log up where it is too long.
    pub(crate) fn bound_waiting(&mut self) {
        if self.steps <= MOST_STEPS || self.waiting.take().is_none() {
            return;
        }
        self.tasks.values_mut().filter_map(|task| task.spans_mut()).for_each(|spans| spans.history = None);
        let message =
            format!("the causes of waiting are left out: they are among more than {MOST_STEPS} steps of tasks");
        let help = "times and tables are complete; ask with fewer tasks or iterations to see the causes";
        self.diagnostics.push(Diagnostic::warning(&codes::LONG_WAITING, message).help(help));
    }

    pub(crate) fn take_waiting(&mut self) -> Option<WaitingLog> {
        let mut log = self.waiting.take()?.log;
        let taken = self.tasks.values_mut().map(|task| task.spans_mut().and_then(|spans| spans.history.take()));
        log.histories = taken.map(Option::unwrap_or_default).collect();
        Some(log)
    }
}
