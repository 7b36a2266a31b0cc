//! Work on all processors whose results are handed over in order, as soon as those before them are done.
//!
//! Work may lead to more work: what was found once is then used by all that wait for it, side by side.

use super::progress::Progress;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The evaluation follows calls of the program by calls of its own.
const STACK_BYTES: usize = 512 << 20;

/// What was made, or is to be done, with its position: the first of the results that it makes.
pub type Indexed<T> = (usize, T);

/// How the work is divided.
pub struct WorkQueue<W> {
    /// What is to be done at first. Each piece of work makes its results one after the other.
    pub work: Vec<Indexed<W>>,
    /// Results that come of all of it.
    pub results: usize,
    /// Pieces of work that are done at the same time; `None`: as many as there are processors.
    pub jobs: Option<u32>,
}

impl<W: Send> WorkQueue<W> {
    /// Lets `make` do all of the work, sending what it made and giving what is to be done then; `each` gets what was made
    /// by ascending positions.
    ///
    /// # Errors
    /// The first error of `each`; what is not yet begun then is left undone.
    pub fn run<T: Send, E>(
        self,
        progress: &dyn Progress,
        make: impl Fn(W, &Sender<Indexed<T>>) -> Vec<Indexed<W>> + Sync,
        each: impl FnMut(usize, T) -> Result<(), E>,
    ) -> Result<(), E> {
        progress.begin(self.results as u64);
        let threads = self.threads();
        let agenda = Agenda::new(self.work);
        let work = |sender: Sender<Indexed<T>>| {
            while let Some((work, mut under_way)) = agenda.take() {
                under_way.further = make(work, &sender);
            }
        };
        let work = &work;
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            let spawn = |sender: Sender<Indexed<T>>| {
                thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, move || work(sender)).is_ok()
            };
            let spawned = (0..threads).filter(|_| spawn(sender.clone())).count();
            if spawned == 0 {
                work(sender.clone());
            }
            drop(sender);
            let handed = hand_over(receiver, progress, each);
            agenda.stop();
            handed
        })
    }

    fn threads(&self) -> usize {
        let processors = || thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(processors, |jobs| jobs as usize).min(self.results)
    }
}

/// Work that is not yet begun, what comes first first.
struct Agenda<W> {
    pending: Mutex<Pending<W>>,
    changed: Condvar,
}

struct Pending<W> {
    waiting: BTreeMap<usize, W>,
    /// Pieces of work that were begun and may lead to more.
    under_way: usize,
    stopped: bool,
}

/// A piece of work that was begun. It ends when this is dropped, also by a panic: nobody waits for it then.
struct UnderWay<'a, W> {
    agenda: &'a Agenda<W>,
    further: Vec<Indexed<W>>,
}

impl<W> Agenda<W> {
    fn new(work: Vec<Indexed<W>>) -> Self {
        let pending = Pending { waiting: work.into_iter().collect(), under_way: 0, stopped: false };
        Self { pending: Mutex::new(pending), changed: Condvar::new() }
    }

    /// Nothing that is kept here can be left half changed.
    fn lock(&self) -> MutexGuard<'_, Pending<W>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next piece of work; waits for it as long as there may be one.
    fn take(&self) -> Option<(W, UnderWay<'_, W>)> {
        let is_open =
            |pending: &mut Pending<W>| !pending.stopped && pending.waiting.is_empty() && pending.under_way > 0;
        let mut pending = self.changed.wait_while(self.lock(), is_open).unwrap_or_else(PoisonError::into_inner);
        let (_, work) = if pending.stopped { None } else { pending.waiting.pop_first() }?;
        pending.under_way += 1;
        Some((work, UnderWay { agenda: self, further: Vec::new() }))
    }

    fn stop(&self) {
        self.lock().stopped = true;
        self.changed.notify_all();
    }
}

impl<W> Drop for UnderWay<'_, W> {
    fn drop(&mut self) {
        let mut pending = self.agenda.lock();
        pending.under_way -= 1;
        pending.waiting.extend(self.further.drain(..));
        self.agenda.changed.notify_all();
    }
}

/// Puts what was made into order.
fn hand_over<T, E>(
    made: Receiver<Indexed<T>>,
    progress: &dyn Progress,
    mut each: impl FnMut(usize, T) -> Result<(), E>,
) -> Result<(), E> {
    let mut waiting = BTreeMap::new();
    let mut expected = 0;
    for (index, made) in made {
        progress.advance();
        waiting.insert(index, made);
        while let Some(made) = waiting.remove(&expected) {
            each(expected, made)?;
            expected += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    /// Of ten results, the work on 0, 3 and 6 makes the first, and leads to work on those behind it.
    fn check(jobs: u32, fails_at: usize) -> (Vec<usize>, Result<(), usize>) {
        let mut handed = Vec::new();
        let work = vec![(0, 0..3), (3, 3..6), (6, 6..10)];
        let result = WorkQueue { work, results: 10, jobs: Some(jobs) }.run(
            &Silent,
            |mut positions, sender| {
                let first = positions.next().expect("one");
                sender
                    .send((first, first))
                    .map_or_else(|_| Vec::new(), |()| positions.map(|at| (at, at..at + 1)).collect())
            },
            |index, made| {
                assert_eq!(index, made);
                handed.push(made);
                if index == fails_at { Err(index) } else { Ok(()) }
            },
        );
        (handed, result)
    }

    #[test]
    fn what_follows_from_work_comes_in_order() {
        for jobs in [1, 2, 8] {
            assert_eq!(check(jobs, 10), ((0..10).collect(), Ok(())));
            assert_eq!(check(jobs, 4), ((0..5).collect(), Err(4)));
        }
    }
}
