//! Limits at which a replay ends or leaves something out.

use super::Engine;
use crate::codes;
use chronos_activity::Feed;
use chronos_base::diag::Diagnostic;
use chronos_base::governor;

/// Waits that are kept for the critical path; all repetitions of a loop are among them.
pub(crate) const MOST_DEPENDENCES: usize = 1 << 22;

impl<F: Feed> Engine<'_, '_, F> {
    pub fn give_up(&mut self) -> bool {
        let limit = self.options.step_limit;
        self.diagnostics.push(
            Diagnostic::error(&codes::STEP_LIMIT, format!("the replay gave up after {limit} steps"))
                .help("the program may not end; raise the limit if it is only long"),
        );
        self.stopped = true;
        false
    }

    /// Whether so many more waits can be kept for the critical path; where not, none are, and it is said once.
    pub(crate) fn may_keep_dependences(&mut self, more: usize) -> bool {
        if !self.options.critical_path {
            return false;
        }
        if self.dependences.len().saturating_add(more) <= MOST_DEPENDENCES {
            return true;
        }
        self.dependences = Default::default();
        self.options.critical_path = false;
        self.diagnostics.push(long_path());
        false
    }

    /// The clocks cannot tell what comes.
    pub(crate) fn end_of_time(&mut self) {
        let message = "the program takes more than 213 days, which no clock of the replay can tell";
        let help = "predict fewer iterations: --iterations FILE:LINE=N, a smaller problem or other arguments";
        self.diagnostics.push(Diagnostic::error(&codes::END_OF_TIME, message).help(help));
        self.stopped = true;
    }

    /// The limit of the command is reached.
    pub(crate) fn stop_at(&mut self, resource: governor::Resource) -> bool {
        let steps = self.steps;
        self.diagnostics.push(governor::diagnostic(resource, &format!("in the replay, after {steps} steps of tasks")));
        self.stopped = true;
        false
    }
}

/// There are more waits than are kept for the critical path.
pub(crate) fn long_path() -> Diagnostic {
    let message = format!("the critical path is left out: it is among more than {MOST_DEPENDENCES} waits");
    let help = "times and tables are complete; predict fewer tasks or iterations to see the path";
    Diagnostic::note(&codes::LONG_PATH, message).help(help)
}
