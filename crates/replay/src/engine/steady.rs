//! Iterations that repeat with the same timing are counted instead of replayed.
//!
//! What a replay does next depends on its state alone: on how far the clocks of all tasks are apart, what is under
//! way and where every task is in its repeats. So when the state, seen from the clock of one task, is what it was
//! some iterations of that task before, all that happened in between happens again and again: the clocks, and what is
//! added up, advance by as much as they did then. The replay goes on as many such periods later as every repeat still
//! has. The result is that of the full replay, to the picosecond.
//!
//! States are compared as a whole, never by a hash, and seldom: a few iterations in a row after 8, 16, 32, ... of
//! them, because a program may take long until its iterations repeat. Between these, events need no order among ports
//! (`events::queue`).

use super::Engine;
use super::period::{LONGEST, PeriodStart, SETTLING};
use super::steady::snapshot::StateSnapshot;
use crate::task::packed_steps::RepeatCursor;
use crate::task::read_clocks::ReadClocks;
use crate::task::repeats::RepeatStack;
use crate::task::state::Task;
use chronos_activity::{CommId, Feed};
use chronos_base::units::Picoseconds;

mod shift;
mod snapshot;

impl<F: Feed> Engine<'_, '_, F> {
    /// Whether nothing is asked for that happens anew in every iteration.
    pub(crate) fn may_jump(&self) -> bool {
        let options = &self.options;
        let watched = self.tasks.values().any(|task| task.spans().is_some_and(|spans| spans.windows.is_some()));
        let told = options.timeline > 0 || options.messages > 0 || watched || options.waiting;
        let shared = self.flows.is_some() || self.pools.values().any(Option::is_some);
        options.jump_ahead && !told && !shared
    }

    /// Looks for a period, where an iteration of the task watched has just ended.
    pub(crate) fn look_for_period(&mut self) {
        let Some(at) = self.steady.due.take() else { return };
        self.tasks.ids().for_each(|id| self.materialize_lazy_receives(id));
        self.steady.looks += 1;
        if self.steady.looks == 1 {
            self.queue.suspend_windows(&|message| self.messages.sender(message));
        }
        // Ports that were dealt with out of order come into order first.
        if self.steady.looks <= SETTLING {
            return;
        }
        if self.steady.looks > SETTLING + LONGEST + 1 {
            return self.search_later();
        }
        match self.steady.seen.take() {
            Some(before) => {
                if StateSnapshot::is_same(self, at, &before.snapshot) {
                    let now = self.period_start(at, Vec::new());
                    if before.clocks_go_on_as(&now) {
                        return self.jump(&before, &now);
                    }
                }
                self.steady.seen = Some(before);
            }
            None => match StateSnapshot::of(self, at) {
                Some(snapshot) => {
                    self.steady.words = snapshot.len();
                    self.steady.seen = Some(self.period_start(at, snapshot));
                }
                None => self.search_later(),
            },
        }
    }

    fn search_later(&mut self) {
        (self.steady.looks, self.steady.seen) = (0, None);
        self.steady.next = self.steady.iterations * 2;
        self.queue.resume_windows();
    }

    fn period_start(&mut self, at: Picoseconds, snapshot: Vec<u64>) -> PeriodStart {
        let remaining_iterations =
            self.tasks.ids().map(|id| self.cursors.get(id).map_or_else(Vec::new, remaining_iterations)).collect();
        let mut counters = Vec::new();
        self.count(&mut |counter| counters.push(*counter));
        PeriodStart {
            at,
            snapshot,
            remaining_iterations,
            counters,
            receives: self.receives,
            sent: self.tasks.values().map(|task| task.sent).collect(),
            joined: self.tasks.values().map(joined).collect(),
            clocks: self.tasks.values().map(ReadClocks::of).collect(),
            fed: self.steady.fed,
            diagnostics: self.diagnostics.len(),
            dependences: self.dependences.position(),
        }
    }

    fn jump(&mut self, before: &PeriodStart, now: &PeriodStart) {
        let same = before.fed == now.fed && before.diagnostics == now.diagnostics;
        let same = same && before.counters.len() == now.counters.len();
        let times = if same { self.periods(before, now) } else { None };
        if let Some(times) = times.filter(|&times| times > 0) {
            if !self.has_time_for(now.at - before.at, times) {
                return self.end_of_time();
            }
            let steps = self.steps;
            self.advance(before, now, times);
            self.steady.skipped += self.steps - steps;
        }
        self.search_later();
    }

    /// Periods that no repeat ends in.
    fn periods(&self, before: &PeriodStart, now: &PeriodStart) -> Option<u64> {
        let mut most = u64::MAX;
        for (task, (before, now)) in
            self.tasks.values().zip(before.remaining_iterations.iter().zip(&now.remaining_iterations))
        {
            if !task.is_over() {
                let (level, gone) = progress(before, now)?;
                most = most.min((now[level] - 1) / gone);
            }
        }
        Some(most)
    }

    /// Whether clocks can tell the time after so many more periods.
    fn has_time_for(&self, period: Picoseconds, times: u64) -> bool {
        let latest = self.tasks.values().map(|task| task.now.0).max().unwrap_or(0);
        period.0.checked_mul(times).and_then(|more| more.checked_add(latest)).is_some()
    }

    fn advance(&mut self, before: &PeriodStart, now: &PeriodStart, times: u64) {
        for ((task, cursors), (before, now)) in self
            .tasks
            .values()
            .zip(self.cursors.values_mut())
            .zip(before.remaining_iterations.iter().zip(&now.remaining_iterations))
        {
            if let Some((level, gone)) = progress(before, now).filter(|_| !task.is_over())
                && let Some(cursor) = cursors.iter_mut().nth(level)
            {
                cursor.skip(gone * times);
            }
        }
        let period = now.at - before.at;
        self.repeat_dependences(before.dependences, period, times);
        self.renumber(before, times);
        let mut earlier = before.counters.iter();
        self.count(&mut |counter| {
            let gained = *counter - earlier.next().copied().unwrap_or(*counter);
            *counter = counter.saturating_add(gained.saturating_mul(times));
        });
        self.shift(period.saturating_mul(times));
        self.shift_readings(before, now, period.saturating_mul(times));
    }

    fn shift_readings(&mut self, before: &PeriodStart, now: &PeriodStart, by: Picoseconds) {
        let clocks = before.clocks.iter().zip(&now.clocks);
        self.tasks.values_mut().zip(clocks).for_each(|(task, (before, now))| now.shift(before, task, by));
    }
}

/// Collective operations that a task joined, by communicator.
fn joined(task: &Task) -> Vec<(CommId, u32)> {
    task.extras().map_or_else(Vec::new, |extras| extras.collectives.iter().copied().collect())
}

fn remaining_iterations(cursors: &RepeatStack) -> Vec<u64> {
    cursors.iter().map(RepeatCursor::left).collect()
}

/// The outermost repeat that went on, and by how much; those inside it must be where they were.
fn progress(before: &[u64], now: &[u64]) -> Option<(usize, u64)> {
    let level = before.iter().zip(now).position(|(before, now)| before != now)?;
    let inner_same = before[level + 1..] == now[level + 1..];
    (inner_same && before[level] > now[level]).then(|| (level, before[level] - now[level]))
}
