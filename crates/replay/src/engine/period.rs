//! The search for a period: which iterations of which task are compared, and when.

use crate::task::read_clocks::ReadClocks;
use chronos_activity::{CommId, TaskId};
use chronos_base::units::Picoseconds;

/// Iterations after which a period is looked for; doubled every time.
pub const FIRST: u64 = 8;
/// Longest period that is found, in iterations of the task that is watched.
pub const LONGEST: u64 = 6;
/// Iterations without windows before states are compared.
pub(crate) const SETTLING: u64 = 2;

/// The search for a period.
#[derive(Debug)]
pub(crate) struct PeriodSearch {
    pub(crate) enabled: bool,
    /// The task whose iterations are counted.
    pub watched: TaskId,
    /// Its iterations since the last jump, or since it came to another repeat.
    pub iterations: u64,
    /// When the search begins next.
    pub next: u64,
    /// How often it was looked in this search.
    pub looks: u64,
    /// Its clock at the end of an iteration; looked at when everything has gone on that can.
    pub due: Option<Picoseconds>,
    pub seen: Option<PeriodStart>,
    /// Words of the last state that was kept.
    pub words: usize,
    /// Steps that were asked of the feed.
    pub fed: u64,
    /// Steps that were counted instead of replayed.
    pub skipped: u64,
}

/// The state after an iteration.
#[derive(Debug)]
pub(crate) struct PeriodStart {
    pub at: Picoseconds,
    /// What the state is compared with; empty for the second of two that were found equal.
    pub snapshot: Vec<u64>,
    pub(crate) remaining_iterations: Vec<Vec<u64>>,
    pub counters: Vec<u64>,
    pub receives: u64,
    /// Messages that each task sent, and collective operations that it joined.
    pub sent: Vec<u64>,
    pub joined: Vec<Vec<(CommId, u32)>>,
    pub clocks: Vec<ReadClocks>,
    pub fed: u64,
    pub diagnostics: usize,
    pub dependences: usize,
}

impl PeriodStart {
    /// Whether what clocks told up to now is told again and again.
    pub fn clocks_go_on_as(&self, now: &Self) -> bool {
        let period = now.at - self.at;
        let mut clocks = self.clocks.iter().zip(&now.clocks);
        clocks.all(|(before, now)| before.go_on_as(now, period))
    }
}

impl Default for PeriodSearch {
    fn default() -> Self {
        Self {
            enabled: false,
            watched: TaskId(0),
            iterations: 0,
            next: FIRST,
            looks: 0,
            due: None,
            seen: None,
            words: 0,
            fed: 0,
            skipped: 0,
        }
    }
}

impl PeriodSearch {
    pub fn new(enabled: bool) -> Self {
        Self { enabled, next: FIRST, ..Self::default() }
    }

    /// A task has ended an iteration.
    pub fn iterated(&mut self, task: TaskId, now: Picoseconds) {
        if self.enabled && task == self.watched {
            self.iterations += 1;
            if self.iterations >= self.next {
                self.due = Some(now);
            }
        }
    }

    /// A task enters a repeat that is in no other one.
    pub fn entered(&mut self, task: TaskId) {
        if task == self.watched {
            self.restart();
        }
    }

    /// A task does nothing any more.
    pub fn ended(&mut self, task: TaskId) {
        if task == self.watched {
            self.watched.0 += 1;
            self.restart();
        }
    }

    pub(crate) fn is_due(&self) -> bool {
        self.due.is_some()
    }

    fn restart(&mut self) {
        (self.iterations, self.next, self.due) = (0, FIRST, None);
        (self.looks, self.seen) = (0, None);
    }
}
