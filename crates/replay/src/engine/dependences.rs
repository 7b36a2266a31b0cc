//! The waits of a replay that another task ended, kept for the critical path.
//!
//! Waits of a period that was jumped over are kept once, with how often they come again. They are told apart only when the path
//! is followed backwards, and of the tasks that it comes to alone. Nothing here knows the engine.

use super::wait_list::WaitList;
use crate::result::PathPart;
use chronos_activity::{Site, TaskId};
use chronos_base::ids::Id as _;
use chronos_base::units::Picoseconds;

/// A wait that another task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dependence {
    pub task: TaskId,
    pub at: Picoseconds,
    /// Where the critical path goes on.
    pub from: TaskId,
    pub left: Picoseconds,
    /// Whose message or receive ended the wait; another one than `from` where that waited itself.
    pub partner: TaskId,
    pub site: Option<Site>,
}

/// All of them; those of a task by time.
#[derive(Debug, Default)]
pub(crate) struct Dependences {
    list: WaitList,
    /// Parts of the list that come again behind themselves, in order; they do not overlap.
    repeated: Vec<Repeated>,
    /// What these parts stand for beside themselves.
    more: usize,
}

/// A part of the list that comes so many times more, each time later by the period.
#[derive(Clone, Copy, Debug)]
struct Repeated {
    begin: usize,
    end: usize,
    period: Picoseconds,
    times: u64,
}

impl Dependences {
    /// How many there are, with all repetitions.
    pub fn len(&self) -> usize {
        self.list.len().saturating_add(self.more)
    }

    /// Where the next one will stand.
    pub fn position(&self) -> usize {
        self.list.len()
    }

    #[inline]
    pub fn push(&mut self, dependence: Dependence) {
        self.list.push(dependence);
    }

    /// How many come to those from a position on, where they are repeated so often.
    pub fn more(&self, begin: usize, times: u64) -> usize {
        let once = self.list.len().saturating_sub(begin);
        once.saturating_mul(usize::try_from(times).unwrap_or(usize::MAX))
    }

    /// Those from a position on come so many times more.
    pub fn repeat(&mut self, begin: usize, period: Picoseconds, times: u64) {
        self.more = self.more.saturating_add(self.more(begin, times));
        self.repeated.push(Repeated { begin, end: self.list.len(), period, times });
    }

    /// From the task that ends last, backwards along what each wait depended on; tasks end at these times.
    pub fn critical_path(self, ends: &[Picoseconds]) -> Vec<PathPart> {
        let last = ends.iter().enumerate().map(|(id, &end)| (end, std::cmp::Reverse(id))).max();
        let Some((mut to, std::cmp::Reverse(id))) = last else { return Vec::new() };
        let mut task = id as u32;
        let mut waits = self.backwards(ends.len());
        let mut path = Vec::new();
        loop {
            let Some(found) = waits.take(TaskId(task), to) else {
                let from = Picoseconds::ZERO;
                path.push(PathPart { task: TaskId(task), from, to, site: None, partner: None, message: from });
                break;
            };
            let message = found.at - found.left;
            let partner = Some(found.partner);
            path.push(PathPart { task: TaskId(task), from: found.at, to, site: found.site, partner, message });
            (task, to) = (found.from.0, found.left);
        }
        path.reverse();
        path
    }

    /// To be followed backwards; tasks have numbers below `tasks`.
    pub fn backwards(self, tasks: usize) -> Backwards {
        let mut cursors = vec![Cursor::default(); tasks];
        self.list.tasks().for_each(|task| cursors[task.index()].next += 1);
        let mut begin = 0;
        for cursor in &mut cursors {
            let count = cursor.next;
            (cursor.first, cursor.next) = (begin, begin);
            begin += count;
        }
        // Tasks are small numbers, so that sorting by them is counting.
        let mut by_task = vec![0; self.list.len()];
        for (position, task) in (0..).zip(self.list.tasks()) {
            let cursor = &mut cursors[task.index()];
            by_task[cursor.next] = position;
            cursor.next += 1;
        }
        Backwards { list: self.list, repeated: self.repeated, by_task, cursors }
    }
}

/// The waits of each task from the last one on.
#[derive(Debug)]
pub(crate) struct Backwards {
    list: WaitList,
    repeated: Vec<Repeated>,
    /// Positions in the list by task, then in order.
    by_task: Vec<u32>,
    cursors: Vec<Cursor>,
}

/// Where a task is: what stands in `by_task` from `first` up to `next` is still to come.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    first: usize,
    next: usize,
    round: Option<Round>,
}

/// A repetition that a task is in: what stands from `low` up to `next` is still to come of it, then those before it.
#[derive(Clone, Copy, Debug)]
struct Round {
    low: usize,
    high: usize,
    next: usize,
    /// The repetitions before it; none before the waits that are repeated themselves.
    before: u64,
    period: Picoseconds,
}

impl Backwards {
    /// The last wait of a task that ended at this time or before; it is no more there then.
    pub fn take(&mut self, task: TaskId, until: Picoseconds) -> Option<Dependence> {
        loop {
            let found = self.last(task)?;
            if found.at <= until {
                return Some(found);
            }
        }
    }

    fn last(&mut self, task: TaskId) -> Option<Dependence> {
        let mut cursor = self.cursors[task.index()];
        let found = self.step(&mut cursor);
        self.cursors[task.index()] = cursor;
        found
    }

    fn step(&self, cursor: &mut Cursor) -> Option<Dependence> {
        loop {
            let Some(round) = &mut cursor.round else {
                if cursor.next == cursor.first {
                    return None;
                }
                cursor.round = self.round(cursor);
                if cursor.round.is_some() {
                    continue;
                }
                cursor.next -= 1;
                return Some(self.list.get(self.by_task[cursor.next] as usize));
            };
            if round.next > round.low {
                round.next -= 1;
                let by = round.period.saturating_mul(round.before);
                let once = self.list.get(self.by_task[round.next] as usize);
                return Some(Dependence { at: once.at + by, left: once.left + by, ..once });
            }
            match round.before.checked_sub(1) {
                Some(before) => (round.before, round.next) = (before, round.high),
                None => (cursor.next, cursor.round) = (round.low, None),
            }
        }
    }

    /// The last repetition, where the next wait is a repeated one.
    fn round(&self, cursor: &Cursor) -> Option<Round> {
        let position = self.by_task[cursor.next - 1] as usize;
        let before = self.repeated.partition_point(|repeated| repeated.begin <= position);
        let repeated = self.repeated.get(before.checked_sub(1)?).filter(|repeated| position < repeated.end)?;
        let own = &self.by_task[cursor.first..cursor.next];
        let low = cursor.first + own.partition_point(|&position| (position as usize) < repeated.begin);
        let high = cursor.next;
        Some(Round { low, high, next: high, before: repeated.times, period: repeated.period })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Waits of tasks, and how often those since the last repetition come again.
    fn any_part() -> impl Strategy<Value = (Vec<u32>, u64)> {
        (prop::collection::vec(0u32..4, 0..6), 0u64..4)
    }

    proptest! {
        #[test]
        fn repeated_waits_are_those_that_were_written_out(parts in prop::collection::vec(any_part(), 0..8)) {
            let (mut folded, mut all) = (Dependences::default(), Vec::new());
            let mut now = 0;
            for (tasks, times) in parts {
                let (begin, from) = (folded.position(), now);
                for task in tasks {
                    now += 10;
                    let (at, left) = (Picoseconds(now), Picoseconds(now - 5));
                    let from = TaskId(now as u32 % 7);
                    let one = Dependence { task: TaskId(task), at, from, left, partner: from, site: None };
                    folded.push(one);
                    all.push(one);
                }
                let period = now - from;
                let once = all[all.len() - (folded.position() - begin)..].to_vec();
                if !once.is_empty() {
                    folded.repeat(begin, Picoseconds(period), times);
                }
                for number in 1..=times {
                    let by = Picoseconds(period * number);
                    all.extend(once.iter().map(|one| Dependence { at: one.at + by, left: one.left + by, ..*one }));
                }
                now += period * times;
            }
            prop_assert_eq!(folded.len(), all.len());
            let mut backwards = folded.backwards(4);
            for task in (0..4).map(TaskId) {
                for one in all.iter().rev().filter(|one| one.task == task) {
                    prop_assert_eq!(backwards.take(task, Picoseconds(now)), Some(*one));
                }
                prop_assert_eq!(backwards.take(task, Picoseconds(now)), None);
            }
        }
    }
}
