//! Where the operations of a task fall into sections of which each waits for what came before.
//!
//! What comes behind a wait for all cannot begin before it, so that only a short stretch of a task has to be looked
//! at at a time. This module must not know what the operations do, nor which of them have ended.

use super::TaskId;
use super::edges::Edge;
use super::schedule::{Schedule, TaskSchedule};
use crate::edges::EdgePosition;
use chronos_base::prefetch::prefetch_at;
use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use std::sync::atomic::{AtomicU64, Ordering};

/// Where sections of the tasks of a schedule begin. The first operation of a section waits for the end of the one
/// before it and perhaps for others; each operation behind it waits, perhaps through others, for all of these too.
#[derive(Debug, Default)]
pub struct Sections {
    /// One bit for each operation of all tasks.
    bits: Vec<u64>,
}

/// A task of a schedule, with its sections.
#[derive(Clone, Copy, Debug)]
pub struct TaskView<'s> {
    /// The schedule that the task is of.
    pub schedule: &'s Schedule,
    /// Sections of all tasks of the schedule.
    pub sections: &'s Sections,
    /// The task that is looked at.
    pub task: TaskId,
}

impl<'s> TaskView<'s> {
    pub(super) fn schedule(self) -> TaskSchedule<'s> {
        self.schedule.task(self.task)
    }

    /// The first section that begins behind a position, or the end of the task.
    pub(super) fn next_section(self, position: u32) -> u32 {
        self.sections.next(self.schedule.begin(self.task), position, self.schedule.length(self.task))
    }

    /// Prefetches what will be needed to go on at a position, and where its dependences are.
    #[inline]
    pub(super) fn prefetch_at(self, position: u32, edges: Option<EdgePosition>) {
        let bytes = self.schedule().edges;
        if let Some(next) = edges.and_then(|position| bytes.len().checked_sub(position.left as usize)) {
            prefetch_at(bytes, next);
        }
        let operation = self.schedule.begin(self.task) + position as usize;
        prefetch_at(&self.sections.bits, operation / 64);
        self.schedule.prefetch(operation);
    }
}

impl Sections {
    /// Those of the tasks for which it is asked.
    pub fn of(schedule: &Schedule, asked: impl Fn(TaskSchedule<'_>) -> bool + Sync) -> Self {
        let mut bits = Vec::new();
        bits.resize_with(schedule.room().div_ceil(64), AtomicU64::default);
        let mark = |awaited: &mut Awaited, (rank, task): (usize, TaskSchedule<'_>)| {
            if asked(task) && task.edges().all(|edge| edge.before <= edge.after) {
                awaited.read(task);
                mark(&bits, schedule.begin(TaskId(rank as u32)), awaited);
            }
        };
        schedule.par_tasks().enumerate().for_each_init(Awaited::default, mark);
        Self { bits: bits.into_iter().map(AtomicU64::into_inner).collect() }
    }

    fn next(&self, begin: usize, position: u32, length: u32) -> u32 {
        let mut bit = begin + position as usize + 1;
        let end = begin + length as usize;
        while bit < end {
            let word = self.bits[bit / 64] >> (bit % 64);
            if word != 0 {
                bit += word.trailing_zeros() as usize;
                break;
            }
            bit += 64 - bit % 64;
        }
        (bit.min(end) - begin) as u32
    }
}

/// Marks the begins of the sections of a task, whose operations begin there.
fn mark(bits: &[AtomicU64], begin: usize, awaited: &Awaited) {
    let mut least = u32::MAX;
    for position in (0..awaited.open.len()).rev() {
        least = least.min(awaited.behind(position));
        if least as usize >= position && !awaited.open[position] {
            let bit = begin + position;
            bits[bit / 64].fetch_or(1 << (bit % 64), Ordering::Relaxed);
        }
    }
}

/// For whose ends the operations of a task wait.
#[derive(Debug, Default)]
struct Awaited {
    /// Those of all operations, each with its own in order.
    all: Vec<u32>,
    /// Where those of each operation end.
    ends: Vec<usize>,
    /// By operation: some behind it wait for the one just before it, and not for all for which it waits.
    open: Vec<bool>,
}

impl Awaited {
    fn read(&mut self, task: TaskSchedule<'_>) {
        self.all.clear();
        self.ends.clear();
        let mut edges = task.edges().filter(|edge| !edge.begin).peekable();
        for operation in 0..task.len() as u32 {
            while let Some(Edge { before, .. }) = edges.next_if(|edge| edge.after == operation) {
                self.all.push(before);
            }
            if task.is_linked(operation) {
                self.all.push(operation - 1);
            }
            self.ends.push(self.all.len());
        }
        self.compare();
    }

    fn compare(&mut self) {
        self.open.clear();
        self.open.resize(self.ends.len(), false);
        for operation in 0..self.ends.len() {
            let first = self.behind(operation) as usize;
            if first < operation && !self.holds(operation, first) {
                self.open[first] = true;
            }
        }
    }

    fn of(&self, operation: usize) -> &[u32] {
        let begin = operation.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[begin..self.ends[operation]]
    }

    /// The position behind the last one for whose end it waits; 0: there is none.
    fn behind(&self, operation: usize) -> u32 {
        self.of(operation).last().map_or(0, |&last| last + 1)
    }

    /// It waits for all for which another one waits.
    fn holds(&self, operation: usize, other: usize) -> bool {
        let mut own = self.of(operation).iter();
        self.of(other).iter().all(|before| own.any(|other| other == before))
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::{Action, ScheduledOperation};
    use super::*;

    fn begins(length: u32, edges: &[(u32, u32, bool)]) -> Vec<u32> {
        let mut schedule = Schedule::new(2);
        for task in [TaskId(0), TaskId(1)] {
            for _ in 0..length {
                schedule.push(task, ScheduledOperation { action: Action::Compute { ns: 1 }, cpu: 0, linked: false });
            }
            edges.iter().for_each(|&(after, before, begin)| schedule.depend(task, Edge { after, before, begin }));
            schedule.seal(task);
        }
        let sections = &Sections::of(&schedule, |_| true);
        let place = TaskView { schedule: &schedule, sections, task: TaskId(1) };
        std::iter::successors(Some(0), |&last| Some(place.next_section(last)).filter(|&next| next < length)).collect()
    }

    #[test]
    fn a_wait_for_all_ends_a_section() {
        // 1, 2 and 3 wait for 0, 4 for all of them; 5 and 6 for 4, 7 for 6 alone.
        let joined = [(1, 0), (2, 0), (3, 0), (4, 1), (4, 2), (4, 3), (5, 4), (6, 4), (7, 6)];
        let joined = joined.map(|(after, before)| (after, before, false));
        assert_eq!(begins(8, &joined), [0, 1, 4, 5, 7]);
        assert_eq!(begins(8, &joined[..8]), [0], "the last one may begin at once");
        assert_eq!(begins(3, &[(1, 0, true), (2, 1, false)]), [0, 2], "begins make none");
        assert_eq!(begins(3, &[(1, 0, false), (0, 2, false)]), [0], "nor do tasks with edges forward");
    }

    #[test]
    fn several_that_wait_for_the_same_ones_begin_one() {
        let rounds = |edges: &[(u32, u32)]| begins(6, &edges.iter().map(|&(a, b)| (a, b, false)).collect::<Vec<_>>());
        let both = [(2, 0), (2, 1), (3, 0), (3, 1), (4, 2), (4, 3), (5, 2), (5, 3)];
        assert_eq!(rounds(&both), [0, 2, 4]);
        // 3 does not wait for 0, so that it may begin before 2.
        assert_eq!(rounds(&[(2, 0), (2, 1), (3, 1), (4, 2), (4, 3), (5, 2), (5, 3)]), [0, 4]);
    }
}
