//! Computing times that were recorded in a real run, put between the MPI calls of an activity: what is left of the error of
//! a prediction is the network's.
//!
//! A record gives, for each task, the seconds between one MPI call and the next, from the end of MPI_Init to MPI_Finalize. Calls
//! that only name MPI_PROC_NULL, and local calls but MPI_Wtime and MPI_Comm_free, end no stretch.

use super::{Evaluated, Job, Outcome, Target, assemble, with_options, with_prices};
use crate::activity::stored::ActivityFeed;
use crate::activity::{CommId, Event, Feed, Operation, Outcome as EventOutcome, Repeat, Segments, Step, TaskId, Work};
use crate::predict::aggregate::Aggregate;
use crate::predict::pricing::Prices;
use crate::replay;
use crate::units::Picoseconds;
use std::collections::VecDeque;
use std::sync::Arc;

/// Stretches of computation of each task, in seconds.
#[derive(Clone, Debug, Default)]
pub struct Stretches(pub Vec<Vec<f64>>);

impl Stretches {
    /// Of files of 8-byte numbers in the order of bytes of this machine, each number made `slower` times as long.
    pub fn of_bytes(files: &[Vec<u8>], slower: f64) -> Self {
        let number = |bytes: &[u8]| <[u8; 8]>::try_from(bytes).map_or(0.0, f64::from_ne_bytes) * slower;
        Self(files.iter().map(|file| file.chunks_exact(8).map(number).collect()).collect())
    }
}

/// Predicts with recorded computing times; for each task how many stretches were needed and how many there were.
pub fn predict_recorded(
    job: &Job,
    target: Target<'_>,
    evaluated: &Evaluated,
    stretches: &Stretches,
) -> (Outcome, Vec<(usize, usize)>) {
    let mut prices = Prices::new(job, target);
    let mut feed = Recorded::new(ActivityFeed::new(&evaluated.activity), stretches);
    let mut result = with_options(job, target, &mut prices, |options| replay::replay(&mut feed, options));
    let used = feed.used();
    let aggregate = Aggregate::new(job, &evaluated.activity.segments, &result, &prices);
    let prediction = assemble(job, target, &result, &aggregate, &prices, &evaluated.found);
    let diagnostics = with_prices(&evaluated.diagnostics, std::mem::take(&mut result.diagnostics), &prices);
    (Outcome { prediction, diagnostics, activity: None, once: None, replayed: target.timeline.then_some(result) }, used)
}

/// A feed without its own work, but with recorded times before its calls.
struct Recorded<'a, F> {
    inner: F,
    stretches: &'a Stretches,
    tasks: Vec<Progress>,
}

#[derive(Debug, Default)]
struct Progress {
    /// Repeats that are under way, with position and how often they are still to be gone through.
    repeats: Vec<(Arc<Repeat>, usize, u64)>,
    pending: VecDeque<Step>,
    last: Option<Arc<Event>>,
    used: usize,
}

impl<'a, F: Feed> Recorded<'a, F> {
    fn new(inner: F, stretches: &'a Stretches) -> Self {
        let tasks = (0..inner.tasks()).map(|_| Progress::default()).collect();
        Self { inner, stretches, tasks }
    }

    fn used(&self) -> Vec<(usize, usize)> {
        let given = |task: usize| self.stretches.0.get(task).map_or(0, Vec::len);
        self.tasks.iter().enumerate().map(|(task, progress)| (progress.used, given(task))).collect()
    }

    /// The next step that is no repeat.
    fn unrolled(&mut self, task: TaskId, outcome: EventOutcome) -> Step {
        let progress = &mut self.tasks[task.0 as usize];
        while let Some((repeat, index, left)) = progress.repeats.last_mut() {
            if let Some(step) = repeat.steps.get(*index) {
                *index += 1;
                match step {
                    Step::Repeat(inner) if inner.times > 0 => {
                        let inner = (Arc::clone(inner), 0, inner.times);
                        progress.repeats.push(inner);
                        continue;
                    }
                    step => return step.clone(),
                }
            }
            (*index, *left) = (0, *left - 1);
            if *left == 0 {
                progress.repeats.pop();
            }
        }
        match self.inner.next(task, outcome) {
            Step::Repeat(repeat) if repeat.times > 0 => {
                let times = repeat.times;
                self.tasks[task.0 as usize].repeats.push((repeat, 0, times));
                self.unrolled(task, EventOutcome::None)
            }
            step => step,
        }
    }
}

impl Progress {
    fn ends_stretch(&self, event: &Event) -> bool {
        use Operation as O;
        let same_call = self.last.as_ref().filter(|last| last.site.is_some() && last.site == event.site);
        let goes_on = same_call.is_some_and(|last| {
            matches!(
                (&last.operation, &event.operation),
                (O::Recv { request: Some(_), .. }, O::Send { request: Some(_), .. } | O::WaitAll { .. })
                    | (O::Send { request: Some(_), .. }, O::WaitAll { .. })
            )
        });
        match &event.operation {
            O::Elapsed { .. } => false,
            O::Local { function } => &**function == "MPI_Comm_free",
            _ => !goes_on,
        }
    }
}

impl<F: Feed> Feed for Recorded<'_, F> {
    fn tasks(&self) -> usize {
        self.inner.tasks()
    }

    fn next(&mut self, task: TaskId, outcome: EventOutcome) -> Step {
        let id = task.0 as usize;
        if let Some(step) = self.tasks[id].pending.pop_front() {
            return step;
        }
        match self.unrolled(task, outcome) {
            Step::Work(_) | Step::Repeat(_) => Step::Work(Work::Time(Picoseconds::ZERO)),
            Step::Event(event) => {
                let progress = &mut self.tasks[id];
                let ends = progress.ends_stretch(&event);
                progress.last = Some(Arc::clone(&event));
                if !ends {
                    return Step::Event(event);
                }
                let seconds = self.stretches.0.get(id).and_then(|own| own.get(progress.used)).copied();
                progress.used += 1;
                progress.pending.push_back(Step::Event(event));
                Step::Work(Work::Time(Picoseconds::from_seconds(seconds.unwrap_or(0.0))))
            }
            step => step,
        }
    }

    fn group(&self, comm: CommId) -> Arc<[TaskId]> {
        self.inner.group(comm)
    }

    fn window(&self, comm: CommId) -> Option<usize> {
        self.inner.window(comm)
    }

    fn segments(&self) -> &Segments {
        self.inner.segments()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activity::{Activity, RequestId};
    use crate::activity::{SendMode, Site};
    use crate::units::Bytes;

    fn event(operation: Operation, site: u32) -> Step {
        let site = Site { context: crate::activity::ContextId(0), block: crate::program::BlockId(site) };
        Step::Event(Arc::new(Event { operation, site: Some(site) }))
    }

    /// Three times: an exchange in one call, then the clock.
    fn activity() -> Activity {
        let (tag, comm, bytes, request) = (0, CommId(0), Bytes(8), Some(RequestId(0)));
        let recv = Operation::Recv { from: Some(TaskId(0)), tag: Some(tag), comm, bytes, request };
        let mode = SendMode::Standard;
        let send = Operation::Send { to: TaskId(0), tag, comm, bytes, mode, request: Some(RequestId(1)) };
        let wait = Operation::WaitAll { requests: [RequestId(0), RequestId(1)].into() };
        let clock = Operation::ReadClock { slot: crate::program::BlockId(7) };
        let steps = vec![
            Step::Work(Work::Time(Picoseconds(5))),
            event(recv, 1),
            event(send, 1),
            event(wait, 1),
            event(clock, 2),
        ];
        Activity { tasks: vec![vec![Step::Repeat(Arc::new(Repeat { steps, times: 3 }))]], ..Activity::default() }
    }

    #[test]
    fn each_call_is_preceded_by_its_stretch() {
        let activity = activity();
        let files = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|x: &f64| x.to_ne_bytes()).collect()];
        let stretches = Stretches::of_bytes(&files, 2.0);
        let mut feed = Recorded::new(ActivityFeed::new(&activity), &stretches);
        let (mut times, mut events) = (Vec::new(), 0);
        loop {
            match feed.next(TaskId(0), EventOutcome::None) {
                Step::Work(Work::Time(time)) if time > Picoseconds::ZERO => times.push(time.as_seconds()),
                Step::Event(_) => events += 1,
                Step::End => break,
                _ => {}
            }
        }
        assert_eq!((times, events), (vec![2.0, 4.0, 6.0, 8.0, 10.0, 12.0], 12));
        assert_eq!(feed.used(), [(6, 6)]);
    }
}
