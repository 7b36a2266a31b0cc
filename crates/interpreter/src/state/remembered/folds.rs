//! What is remembered of the iterations of loops that hold MPI calls.

use crate::state::location::Location;
use chronos_activity::Step;
use chronos_values::Value;
use std::collections::VecDeque;

/// What a loop that holds events did in its last iterations.
#[derive(Clone, Debug, Default)]
pub struct Fold {
    pub history: VecDeque<Iteration>,
    /// Per multiple of the base period: how many iterations in a row did what the one a period before did.
    pub runs: Vec<usize>,
    /// Steps in the history.
    pub held: usize,
    pub current: Vec<Step>,
    pub off: bool,
    /// Something happened that another iteration may do differently.
    pub disturbed: bool,
    /// The iteration has asked the simulated clock.
    pub asked_time: bool,
    /// The last one that did.
    pub(crate) alike: Option<Box<AlikeIteration>>,
    /// Tests and probes of this iteration.
    pub polls: u64,
    /// Unsuccessful ones of the task before it.
    pub failed: u64,
    pub(crate) watching: bool,
    pub epoch: u64,
    /// The period that is tried out.
    pub(crate) trial: Option<Trial>,
    /// The longest period that was tried out in vain.
    pub(crate) tried: usize,
    /// Operations of the task when the loop could be folded first but for mispredicted branches.
    pub(crate) spent: Option<u64>,
}

/// An iteration that asked the clock.
#[derive(Clone, Debug)]
pub(crate) struct AlikeIteration {
    pub(crate) steps: Vec<Step>,
    /// Places that were written, with their values before.
    pub(crate) changes: Vec<(Location, Value)>,
}

/// A period that is followed operation by operation once more.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// In iterations.
    pub(crate) period: usize,
    /// Iterations that are not over yet.
    pub(crate) left: usize,
    /// What moves, by as much.
    pub(crate) moving: Vec<Moving>,
}

/// One iteration of a loop that is being folded.
#[derive(Clone, Debug)]
pub struct Iteration {
    pub steps: Vec<Step>,
    /// Places that were written, with their values before.
    pub changes: Vec<(Location, Value)>,
    /// For a task that stands for others: changes so far of what depends on its rank.
    pub(crate) ended: u64,
    /// Mispredicted branches so far.
    pub(crate) missed: u64,
}

/// A relevant place that moves by a constant in every period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moving {
    pub place: Location,
    /// What a period adds.
    pub step: i64,
    /// In iterations.
    pub period: u64,
    /// Iterations after which it is still within what its uses can hold.
    pub room: u64,
    /// Iterations in which its comparisons have the same results.
    pub turn: u64,
}

/// Places that a period changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Changed {
    /// Of which nothing follows.
    pub lost: Vec<Location>,
    pub moving: Vec<Moving>,
    /// Iterations in which the comparisons of the loop's counter in its body have the results that they had.
    pub turn: Option<u64>,
}

impl Changed {
    /// Iterations in which all that moves goes on as it does.
    pub fn room(&self) -> u64 {
        self.moving.iter().map(|one| one.room).min().unwrap_or(u64::MAX).min(self.turn())
    }

    /// Iterations in which all comparisons have the results that they had.
    pub fn turn(&self) -> u64 {
        self.moving.iter().map(|one| one.turn).chain(self.turn).min().unwrap_or(u64::MAX)
    }
}

/// A spin that the loop is in.
#[derive(Clone, Debug)]
pub(crate) struct Spinning {
    /// Of the task's loops.
    pub(crate) at: usize,
    /// In iterations.
    pub(crate) period: u64,
    /// Iterations that are left; `None`: no counter ends the loop.
    pub(crate) remaining: Option<u64>,
    pub(crate) changed: Changed,
    /// The loop is one of jumps.
    pub(crate) jump: bool,
    /// The steps of the task tell where its iterations begin.
    pub(crate) told: bool,
}

/// When the iterations of a loop without a counter are watched again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Patience {
    /// Unsuccessful polls of the task when it was looked last.
    pub(crate) failed: u64,
    /// Iterations that are not watched yet.
    pub(crate) left: u32,
    /// How many they are next time.
    pub(crate) wait: u32,
}

/// Iterations that are not watched at most, after watching was in vain.
const LONGEST_WAIT: u32 = 1 << 10;

impl Patience {
    /// Whether to watch the next iteration.
    pub(crate) fn is_over(&mut self, failed: u64, glances: bool) -> bool {
        let polled = std::mem::replace(&mut self.failed, failed) != failed || glances;
        if !polled || self.left > 0 {
            self.left = self.left.saturating_sub(1);
            return false;
        }
        true
    }

    pub(crate) fn lose(&mut self) {
        self.wait = (2 * self.wait).clamp(1, LONGEST_WAIT);
        self.left = self.wait;
    }
}
