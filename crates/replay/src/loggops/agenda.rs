//! When which task is looked at next.
//!
//! Nothing reaches a task sooner than a message takes to fly. So the tasks of one such stretch of time, a window, may
//! be dealt with in any order, each until its end: one after the other by rank, which keeps their data in the
//! processor's caches, and without an order among all of them. Where a receive can release a sender at once, all is
//! in the order of time.

use chronos_activity::TaskId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Windows that are kept apart before they open.
const BUCKETS: u64 = 64;

#[derive(Debug)]
pub(super) struct Agenda {
    /// Length of a window; 0: all is in the order of time.
    length: u64,
    /// How long a task goes on by itself where there are no windows.
    alone: u64,
    /// The window that is open, counted from time 0.
    open: u64,
    /// Tasks that are looked at in it, the last one first, and when.
    now: Vec<(TaskId, u64)>,
    /// The windows after it.
    later: Vec<Vec<(TaskId, u64)>>,
    /// In how much of `later` something waits.
    waiting: usize,
    /// Room of windows that were dealt with.
    spare: Vec<Vec<(TaskId, u64)>>,
    /// What comes behind those windows, or everything.
    far: BinaryHeap<Reverse<(u64, TaskId)>>,
}

/// A task to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Visit {
    pub task: TaskId,
    pub time: u64,
    /// Nothing that is not known yet reaches it before.
    pub until: u64,
}

impl Agenda {
    pub fn new(flight: u64, ordered: bool) -> Self {
        let length = if ordered { 0 } else { flight };
        let later = vec![Vec::new(); if length == 0 { 0 } else { BUCKETS as usize }];
        let (now, spare, far) = (Vec::new(), Vec::new(), BinaryHeap::new());
        Self { length, alone: flight.max(1), open: 0, now, later, waiting: 0, spare, far }
    }

    pub fn push(&mut self, task: TaskId, time: u64) {
        match time.checked_div(self.length).and_then(|window| window.checked_sub(self.open)) {
            Some(0) => self.now.push((task, time)),
            Some(ahead) if ahead < BUCKETS => self.delay(task, time),
            _ => self.far.push(Reverse((time, task))),
        }
    }

    fn delay(&mut self, task: TaskId, time: u64) {
        let window = &mut self.later[(time / self.length % BUCKETS) as usize];
        if window.capacity() == 0 {
            *window = self.spare.pop().unwrap_or_default();
        }
        window.push((task, time));
        self.waiting += 1;
    }

    pub fn pop(&mut self) -> Option<Visit> {
        if self.length == 0 {
            let Reverse((time, task)) = self.far.pop()?;
            return Some(Visit { task, time, until: time.saturating_add(self.alone) });
        }
        loop {
            if let Some((task, time)) = self.now.pop() {
                return Some(Visit { task, time, until: (self.open + 1).saturating_mul(self.length) });
            }
            self.open_next()?;
        }
    }

    /// Tasks that are looked at in the open window, the last one first.
    pub fn coming(&self) -> &[(TaskId, u64)] {
        &self.now
    }

    fn open_next(&mut self) -> Option<()> {
        self.open = match self.far.peek() {
            _ if self.waiting > 0 => self.open + 1,
            Some(&Reverse((time, _))) => time / self.length,
            None => return None,
        };
        while let Some(&Reverse((time, task))) =
            self.far.peek().filter(|next| next.0.0 / self.length < self.open + BUCKETS)
        {
            self.far.pop();
            self.delay(task, time);
        }
        let next = std::mem::take(&mut self.later[(self.open % BUCKETS) as usize]);
        let room = std::mem::replace(&mut self.now, next);
        if room.capacity() > 0 {
            self.spare.push(room);
        }
        self.waiting -= self.now.len();
        self.now.sort_unstable_by_key(|&(task, _)| Reverse(task));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn windows_come_in_order_and_nothing_is_lost(times in prop::collection::vec(0u64..100_000, 1..80), length in 1u64..5000) {
            let mut agenda = Agenda::new(length, false);
            times.iter().enumerate().for_each(|(task, &time)| agenda.push(TaskId(task as u32), time));
            let visits: Vec<Visit> = std::iter::from_fn(|| agenda.pop()).collect();
            prop_assert_eq!(visits.len(), times.len());
            prop_assert!(visits.iter().all(|visit| visit.time < visit.until && visit.time + length >= visit.until));
            prop_assert!(visits.is_sorted_by_key(|visit| visit.until));
        }

        #[test]
        fn without_windows_all_is_in_the_order_of_time(times in prop::collection::vec(0u64..1000, 1..80)) {
            let mut agenda = Agenda::new(10, true);
            times.iter().enumerate().for_each(|(task, &time)| agenda.push(TaskId(task as u32), time));
            let visits: Vec<u64> = std::iter::from_fn(|| agenda.pop()).map(|visit| visit.time).collect();
            prop_assert!(visits.is_sorted() && visits.len() == times.len());
        }
    }
}
