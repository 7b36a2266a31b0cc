//! Work on all processors whose results are handed over in order, as soon as those before them are done.

use super::progress::Progress;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// The evaluation follows calls of the program by calls of its own.
const STACK_BYTES: usize = 512 << 20;

/// What was made, with its position.
pub type Indexed<T> = (usize, T);

/// How the work is divided.
pub struct WorkQueue<'a> {
    /// Positions that are made together, one after the other.
    pub groups: &'a [Vec<usize>],
    /// Groups made at the same time; `None`: as many as there are processors.
    pub jobs: Option<u32>,
}

impl WorkQueue<'_> {
    /// Lets `make` work on every group, sending what it made; `each` gets that by ascending positions.
    ///
    /// # Errors
    /// The first error of `each`; what is not yet begun then is left undone.
    pub fn run<T: Send, E>(
        &self,
        progress: &dyn Progress,
        make: impl Fn(&[usize], &Sender<Indexed<T>>) + Sync,
        each: impl FnMut(usize, T) -> Result<(), E>,
    ) -> Result<(), E> {
        progress.begin(self.groups.iter().map(|group| group.len() as u64).sum());
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = |sender: Sender<Indexed<T>>| {
            while !stop.load(Ordering::Relaxed) {
                let Some(group) = self.groups.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                make(group, &sender);
            }
        };
        let work = &work;
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            let spawn = |sender: Sender<Indexed<T>>| {
                thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, move || work(sender)).is_ok()
            };
            let spawned = (0..self.threads()).filter(|_| spawn(sender.clone())).count();
            if spawned == 0 {
                work(sender.clone());
            }
            drop(sender);
            let handed = hand_over(receiver, progress, each);
            stop.store(true, Ordering::Relaxed);
            handed
        })
    }

    fn threads(&self) -> usize {
        let processors = || thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(processors, |jobs| jobs as usize).min(self.groups.len())
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
