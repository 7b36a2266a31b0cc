//! Computing times that were recorded in a real run, put between the MPI calls of an activity: what is left of the
//! error of a prediction is the network's.
//!
//! A record gives, for each task, the seconds between one MPI call and the next, from the end of `MPI_Init` to
//! `MPI_Finalize`. Every call that communicates ends a stretch, those whose partners are all `MPI_PROC_NULL` too; of calls
//! that never move a message only `MPI_Wtime` and `MPI_Comm_free` do. How much a program computes is in the record: it need
//! not be known otherwise, as long as its MPI calls are. What the record does not have is time inside calls: of
//! segments, the pages stay that MPI is the first to write.

use crate::aggregate::Aggregate;
use crate::evaluation::Job;
use crate::pricing::Prices;
use crate::reuse::mpi_name;
use crate::target::Target;
use crate::{Evaluated, Outcome, assemble, with_options, with_prices};
use chronos_activity::stored::ActivityFeed;
use chronos_activity::{
    CommId, Event, Feed, Operation, Outcome as EventOutcome, Repeat, Segment, SegmentId, Segments, Step, TaskId, Work,
};
use chronos_base::diag::{Code, Diagnostic};
use chronos_base::units::Picoseconds;
use chronos_interpreter::codes as interp;
use chronos_ir::BlockId;
use chronos_mpi_calls::moves_messages;
use chronos_replay as replay;
use std::collections::{HashMap, VecDeque};
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
    let name = |block: BlockId| mpi_name(&job.program, block);
    let inner = ActivityFeed::new(&evaluated.activity);
    let kept = MpiWork::new(&evaluated.activity.segments, &|block| name(block).is_some());
    let mut feed = RecordedFeed::new(inner, kept, stretches, &name);
    let mut result = with_options(job, target, &mut prices, |options| replay::replay_dyn(&mut feed, options));
    let used = feed.used();
    let aggregate = Aggregate::new(job, feed.segments(), &result, &prices);
    let prediction = assemble(job, target, &result, &aggregate, &prices, &evaluated.found);
    let diagnostics = with_prices(&of_calls(&evaluated.diagnostics), std::mem::take(&mut result.diagnostics), &prices);
    (Outcome::of(prediction, diagnostics, target.timeline.then_some(result)), used)
}

/// Without what is said of how much is computed.
fn of_calls(diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    const COMPUTING: &[&Code] = &[
        &interp::UNKNOWN_TRIPS,
        &interp::ASSUMED_PROBABILITY,
        &interp::ASSUMED_TRIPS,
        &interp::ASSUMED_CALLS,
        &interp::UNKNOWN_CALLS,
        &interp::UNKNOWN_WORK,
    ];
    diagnostics.iter().filter(|diagnostic| !COMPUTING.contains(&diagnostic.code)).cloned().collect()
}

/// What calls of MPI do within segments: parts of them, as segments of their own.
struct MpiWork {
    segments: Segments,
    /// The part of a segment, where there is one.
    parts: HashMap<SegmentId, SegmentId>,
}

impl MpiWork {
    fn new(all: &Segments, is_mpi: &dyn Fn(BlockId) -> bool) -> Self {
        let mut kept = Self { segments: all.clone(), parts: HashMap::new() };
        for (id, segment) in all.iter() {
            let volumes: Vec<_> = segment.volumes.iter().filter(|volume| is_mpi(volume.1)).copied().collect();
            if !volumes.is_empty() {
                kept.parts.insert(id, kept.segments.intern(Segment { volumes, ..Segment::default() }));
            }
        }
        kept
    }

    fn part(&self, work: Work) -> Work {
        let part = if let Work::Segment(id) = work { self.parts.get(&id) } else { None };
        part.map_or(Work::Time(Picoseconds::ZERO), |&part| Work::Segment(part))
    }
}

/// A feed without its own work, but with recorded times before its calls.
struct RecordedFeed<'a, F> {
    inner: F,
    kept: MpiWork,
    stretches: &'a Stretches,
    /// The MPI function that a block calls.
    name: &'a dyn Fn(BlockId) -> Option<&'a str>,
    tasks: Vec<FeedPosition>,
}

#[derive(Debug, Default)]
struct FeedPosition {
    /// Repeats that are under way, with position and how often they are still to be gone through.
    repeats: Vec<(Arc<Repeat>, usize, u64)>,
    pending: VecDeque<Step>,
    last: Option<Arc<Event>>,
    used: usize,
}

impl<'a, F: Feed> RecordedFeed<'a, F> {
    fn new(inner: F, kept: MpiWork, stretches: &'a Stretches, name: &'a dyn Fn(BlockId) -> Option<&'a str>) -> Self {
        let tasks = (0..inner.tasks()).map(|_| FeedPosition::default()).collect();
        Self { inner, kept, stretches, name, tasks }
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

impl FeedPosition {
    fn ends_stretch(&self, event: &Event, name: Option<&str>) -> bool {
        match &event.operation {
            Operation::Elapsed { .. } => false,
            Operation::Local { function } => &**function == "MPI_Comm_free" || moves_messages(function),
            _ => !self.goes_on(event, name),
        }
    }

    /// Whether the event is of the same call as the one before it.
    fn goes_on(&self, event: &Event, name: Option<&str>) -> bool {
        use Operation as O;
        let last = self.last.as_ref().filter(|last| last.site.is_some() && last.site == event.site);
        last.is_some_and(|last| match (&last.operation, &event.operation) {
            (O::Recv { request: Some(_), .. }, O::Send { request: Some(_), .. } | O::WaitAll { .. })
            | (O::Send { request: Some(_), .. }, O::WaitAll { .. }) => true,
            (O::Recv { .. } | O::Send { .. }, O::Recv { .. } | O::Send { .. }) => name == Some("MPI_Startall"),
            (O::WaitAny { .. } | O::TestAny { .. }, O::TestAny { .. }) => name == Some("MPI_Waitsome"),
            _ => false,
        })
    }
}

impl<F: Feed> Feed for RecordedFeed<'_, F> {
    fn tasks(&self) -> usize {
        self.inner.tasks()
    }

    fn next(&mut self, task: TaskId, outcome: EventOutcome) -> Step {
        let id = task.0 as usize;
        if let Some(step) = self.tasks[id].pending.pop_front() {
            return step;
        }
        match self.unrolled(task, outcome) {
            Step::Work(work) => Step::Work(self.kept.part(work)),
            Step::Repeat(_) => Step::Work(Work::Time(Picoseconds::ZERO)),
            Step::Event(event) => {
                let progress = &mut self.tasks[id];
                let ends = progress.ends_stretch(&event, event.site.and_then(|site| (self.name)(site.block)));
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
        &self.kept.segments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_activity::{Activity, RequestId};
    use chronos_activity::{SendMode, Site};
    use chronos_base::units::Bytes;

    fn event(operation: Operation, site: u32) -> Step {
        let site = Site { context: chronos_activity::ContextId(0), block: BlockId(site) };
        Step::Event(Arc::new(Event { operation, site: Some(site) }))
    }

    fn recv(request: u32) -> Operation {
        let request = Some(RequestId(request));
        Operation::Recv { from: Some(TaskId(0)), tag: Some(0), comm: CommId(0), bytes: Bytes(8), request }
    }

    fn send(request: u32) -> Operation {
        let (mode, request) = (SendMode::Standard, Some(RequestId(request)));
        Operation::Send { to: TaskId(0), tag: 0, comm: CommId(0), bytes: Bytes(8), mode, request }
    }

    fn wait<const N: usize>(requests: [u32; N]) -> Operation {
        Operation::WaitAll { requests: requests.map(RequestId).into() }
    }

    /// Stretches before events, in seconds, and the number of events, of an activity whose only task does this.
    fn times(steps: Vec<Step>, given: &[f64], names: &[&str]) -> (Vec<f64>, usize) {
        let activity = Activity { tasks: vec![steps], ..Activity::default() };
        let files = [given.iter().flat_map(|x: &f64| x.to_ne_bytes()).collect()];
        let stretches = Stretches::of_bytes(&files, 2.0);
        let name = |block: BlockId| names.get(block.0 as usize).copied();
        let kept = MpiWork::new(&activity.segments, &|_| false);
        let mut feed = RecordedFeed::new(ActivityFeed::new(&activity), kept, &stretches, &name);
        let (mut times, mut events) = (Vec::new(), 0);
        loop {
            match feed.next(TaskId(0), EventOutcome::None) {
                Step::Work(Work::Time(time)) if time > Picoseconds::ZERO => times.push(time.as_seconds()),
                Step::Event(_) => events += 1,
                Step::End => break,
                _ => {}
            }
        }
        assert_eq!(feed.used(), [(given.len(), given.len())]);
        (times, events)
    }

    #[test]
    fn each_call_is_preceded_by_its_stretch() {
        let clock = Operation::ReadClock { slot: BlockId(7) };
        let work = Step::Work(Work::Time(Picoseconds(5)));
        let exchange = [event(recv(0), 1), event(send(1), 1), event(wait([0, 1]), 1)];
        let steps = [vec![work], exchange.to_vec(), vec![event(clock, 2)]].concat();
        let thrice = vec![Step::Repeat(Arc::new(Repeat { steps, times: 3 }))];
        let found = times(thrice, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[]);
        assert_eq!(found, (vec![2.0, 4.0, 6.0, 8.0, 10.0, 12.0], 12));
    }

    #[test]
    fn calls_without_a_partner_end_stretches_and_half_exchanges_only_one() {
        let local = |function: &str| Operation::Local { function: function.into() };
        let half = [event(recv(0), 1), event(wait([0]), 1)];
        let others = ["MPI_Sendrecv", "MPI_Type_commit", "MPI_Isend", "MPI_Waitall"].map(|name| event(local(name), 2));
        let found = times([half.to_vec(), others.to_vec()].concat(), &[1.0, 2.0, 3.0, 4.0], &[]);
        assert_eq!(found, (vec![2.0, 4.0, 6.0, 8.0], 6));
    }

    #[test]
    fn all_requests_that_one_call_starts_have_one_stretch() {
        let steps = || vec![event(recv(0), 0), event(recv(1), 0), event(send(2), 0), event(send(3), 0)];
        assert_eq!(times(steps(), &[1.0], &["MPI_Startall"]).0, [2.0]);
        assert_eq!(times(steps()[..2].to_vec(), &[1.0, 2.0], &["MPI_Irecv"]).0, [2.0, 4.0]);
    }

    #[test]
    fn of_segments_only_what_calls_of_mpi_do_is_kept() {
        let context = chronos_activity::ContextId(0);
        let volume = |block: u32| (context, BlockId(block), 4096.0);
        let counts = vec![(context, chronos_ir::CounterId(0), chronos_activity::Count::exact(5))];
        let mut segments = Segments::default();
        let both = segments.intern(Segment { counts, volumes: vec![volume(0), volume(1)], ..Segment::default() });
        let other = segments.intern(Segment { volumes: vec![volume(0)], ..Segment::default() });
        let kept = MpiWork::new(&segments, &|block| block == BlockId(1));
        let Work::Segment(part) = kept.part(Work::Segment(both)) else { panic!("nothing is kept") };
        let expected = Segment { volumes: vec![volume(1)], ..Segment::default() };
        assert_eq!(**kept.segments.get(part), expected);
        assert_eq!(kept.segments.get(both), segments.get(both));
        for nothing in [Work::Segment(other), Work::Time(Picoseconds(5))] {
            assert_eq!(kept.part(nothing), Work::Time(Picoseconds::ZERO));
        }
    }
}
