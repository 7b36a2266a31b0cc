//! Threads of POSIX: what each of them waits for, and who holds what they share.
//!
//! They are followed as those of OpenMP are, one after the other; each goes on until it waits for another one, or gives back
//! what others may wait for. Mutexes, semaphores and barriers are known by where they lie. This module must not know how
//! threads are executed.

use chronos_base::span::Span;
use chronos_ir::FuncId;
use chronos_values::{ObjectId, Pointer, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Where a mutex, a semaphore, a barrier or a condition variable lies.
pub(crate) type Place = (ObjectId, i64);

/// The place of an object that a pointer leads to.
pub(crate) fn place(pointer: Pointer) -> Place {
    (pointer.object, pointer.offset)
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The end of a thread, by its number.
    End(u32),
    /// The ends of all others.
    AllEnds,
    Mutex(Place),
    /// A signal, and its mutex behind that. The number says who came first.
    Signal {
        condition: Place,
        mutex: Option<Place>,
        since: u64,
        /// The register that says whether the time is over, where that is limited.
        timed: Option<u32>,
    },
    Barrier(Place),
    Semaphore(Place),
}

impl Wait {
    /// What it is that the thread waits for.
    pub fn text(&self) -> &'static str {
        match self {
            Self::End(_) | Self::AllEnds => "the end of a thread",
            Self::Mutex(_) => "a mutex",
            Self::Signal { .. } => "a signal of a condition variable",
            Self::Barrier(_) => "others at a barrier",
            Self::Semaphore(_) => "a semaphore",
        }
    }
}

/// Threads that were started, of one team: the first one is the one that the program began with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Started {
    /// The number of each thread, by which it is joined.
    pub numbers: Vec<u32>,
    pub waits: Vec<Option<Wait>>,
    /// Until a thread has begun, what its argument points to, and what stood there when it was started.
    pub arguments: Vec<Option<(Pointer, Vec<Value>)>>,
}

/// What threads of a task share, and which of them have ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct PosixThreads {
    /// Number of the thread that holds a mutex, and how often.
    pub mutexes: BTreeMap<Place, (u32, u32)>,
    pub semaphores: BTreeMap<Place, i64>,
    /// Threads that meet at a barrier.
    pub barriers: BTreeMap<Place, u32>,
    /// Numbers in use: of threads that run, and of those that nobody has joined.
    pub used: BTreeSet<u32>,
    /// Numbers of threads that have ended.
    pub ended: BTreeSet<u32>,
    /// Waits for signals so far.
    pub signals: u64,
    /// Where a thread was started last, and the function that does so; none once nobody need be waited for.
    pub started: Option<(Span, FuncId)>,
    /// Times that threads gave way.
    pub turns: u64,
}

impl PosixThreads {
    /// The lowest number that no thread has, the first one aside.
    pub fn free_number(&self, most: u32) -> Option<u32> {
        (1..=most).find(|number| !self.used.contains(number))
    }

    /// Whether what a thread waits for has come; `others`: whether all other threads have ended.
    pub fn has_come(&self, wait: Option<Wait>, others: bool) -> bool {
        match wait {
            None => true,
            Some(Wait::End(number)) => self.ended.contains(&number),
            Some(Wait::AllEnds) => others,
            Some(Wait::Mutex(place)) => !self.mutexes.contains_key(&place),
            Some(Wait::Semaphore(place)) => self.semaphores.get(&place).is_some_and(|&value| value > 0),
            Some(Wait::Signal { .. } | Wait::Barrier(_)) => false,
        }
    }

    /// The thread has what it waited for.
    pub fn take(&mut self, wait: Option<Wait>, number: u32) {
        match wait {
            Some(Wait::Mutex(place)) => {
                self.mutexes.insert(place, (number, 1));
            }
            Some(Wait::Semaphore(place)) => {
                if let Some(value) = self.semaphores.get_mut(&place) {
                    *value -= 1;
                }
            }
            Some(Wait::End(number)) => {
                self.ended.remove(&number);
                self.used.remove(&number);
            }
            _ => {}
        }
    }

    /// Gives a mutex back; nothing where the thread does not hold it.
    pub fn release(&mut self, place: Place) {
        if let Some((_, times)) = self.mutexes.get_mut(&place) {
            *times -= 1;
            if *times == 0 {
                self.mutexes.remove(&place);
            }
        }
    }
}

impl Started {
    /// Wakes those that wait for a signal: the one that waits longest, or all of them.
    pub fn signal(&mut self, condition: Place, all: bool) {
        let since = |wait: &Option<Wait>| match wait {
            Some(Wait::Signal { condition: own, since, .. }) if *own == condition => Some(*since),
            _ => None,
        };
        let mut waiting: Vec<(u64, usize)> =
            self.waits.iter().enumerate().filter_map(|(at, wait)| Some((since(wait)?, at))).collect();
        waiting.sort_unstable();
        waiting.truncate(if all { usize::MAX } else { 1 });
        for (_, at) in waiting {
            if let Some(Wait::Signal { mutex, .. }) = self.waits[at] {
                self.waits[at] = mutex.map(Wait::Mutex);
            }
        }
    }

    /// Threads that wait at a barrier.
    pub fn at_barrier(&self, place: Place) -> usize {
        self.waits.iter().filter(|&&wait| wait == Some(Wait::Barrier(place))).count()
    }

    /// The barrier opens.
    pub fn open(&mut self, place: Place) {
        self.waits.iter_mut().filter(|wait| **wait == Some(Wait::Barrier(place))).for_each(|wait| *wait = None);
    }
}

#[cfg(test)]
mod tests {
    use super::{PosixThreads, Started, Wait};
    use chronos_base::ids::Id;
    use chronos_values::ObjectId;

    #[test]
    fn the_one_that_waits_longest_is_woken() {
        let condition = (ObjectId::new(1), 0);
        let wait = |since| Some(Wait::Signal { condition, mutex: None, since, timed: None });
        let mut started = Started { numbers: vec![0, 1, 2], waits: vec![None, wait(8), wait(3)], ..Started::default() };
        started.signal(condition, false);
        assert_eq!(started.waits, [None, wait(8), None]);
        started.signal(condition, true);
        assert_eq!(started.waits, [None, None, None]);
    }

    #[test]
    fn a_mutex_has_one_holder() {
        let mutex = (ObjectId::new(1), 4);
        let mut threads = PosixThreads::default();
        assert!(threads.has_come(Some(Wait::Mutex(mutex)), false));
        threads.take(Some(Wait::Mutex(mutex)), 2);
        assert!(!threads.has_come(Some(Wait::Mutex(mutex)), false));
        threads.release(mutex);
        assert!(threads.has_come(Some(Wait::Mutex(mutex)), false));
    }
}
