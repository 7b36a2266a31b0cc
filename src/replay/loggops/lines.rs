//! What belongs to a processor of a task: nearly all tasks have one alone, which is found without a search.

use crate::hash::FastMap;
use std::collections::VecDeque;

/// Something of each processor.
#[derive(Debug, Default)]
pub(super) struct ByProcessor<T> {
    first: T,
    others: FastMap<u16, T>,
}

impl<T: Default> ByProcessor<T> {
    pub fn get(&self, cpu: u16) -> Option<&T> {
        if cpu == 0 { Some(&self.first) } else { self.others.get(&cpu) }
    }

    pub fn entry(&mut self, cpu: u16) -> &mut T {
        if cpu == 0 { &mut self.first } else { self.others.entry(cpu).or_default() }
    }
}

/// What waits for a processor, and for an interface where it is a send or a message: all until the same time, so that one
/// happening for the first of them does. In the order in which they became known.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub waiting: VecDeque<(u64, u32)>,
    /// For whom a happening is in the queue, and when; others are void.
    pub next: Option<(u64, u64)>,
}

impl Line {
    /// Mostly at one of the ends.
    pub fn push(&mut self, number: u64, what: u32) {
        let item = (number, what);
        if self.waiting.back().is_none_or(|last| *last < item) {
            return self.waiting.push_back(item);
        }
        if self.waiting.front().is_some_and(|first| item < *first) {
            return self.waiting.push_front(item);
        }
        let position = self.waiting.partition_point(|other| *other < item);
        self.waiting.insert(position, item);
    }
}
