//! Records what a feed gives, folded, so that it can be replayed without evaluating the program again.
//!
//! Iterations of a loop that are equal and follow one another become one [`Repeat`]; loops inside have
//! been folded by then, so that nested loops give nested repeats. Unfolding a recording gives back
//! the recorded sequence, without the hints about loops.

use super::{Activity, CommId, Feed, Operation, Outcome, Repeat, Segments, Spin, Step, TaskId, Work};
use chronos_base::hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A feed that passes another one on and keeps what it gave.
#[derive(Debug)]
pub struct Recorder<'a, F> {
    feed: &'a mut F,
    tasks: Vec<TaskRecording>,
    /// Spins that the tasks are in.
    spins: FxHashMap<TaskId, Arc<Spin>>,
}

impl<'a, F: Feed> Recorder<'a, F> {
    /// A recorder of a feed that has not given anything yet.
    pub fn new(feed: &'a mut F) -> Self {
        let tasks = (0..feed.tasks()).map(|_| TaskRecording::default()).collect();
        Self { feed, tasks, spins: FxHashMap::default() }
    }

    /// A spin is over: it is recorded as what it did.
    fn spun(&mut self, task: TaskId, times: u64) {
        if let Some(spin) = self.spins.remove(&task).filter(|_| times > 0) {
            let repeat = Repeat { steps: spin.steps.clone(), times };
            self.tasks[task.0 as usize].add(&Step::Repeat(Arc::new(repeat)));
        }
    }

    /// What was recorded; whether it depends on timing is for the feed's owner to say.
    pub fn finish(self) -> Activity {
        let tasks: Vec<_> = self.tasks.into_iter().map(TaskRecording::finish).collect();
        let groups = groups(&tasks, self.feed);
        Activity { tasks, segments: self.feed.segments().clone(), groups, timing_dependent: false }
    }
}

/// What is recorded of a task to which a feed gave these steps.
pub fn folded<'s>(steps: impl IntoIterator<Item = &'s Step>) -> Vec<Step> {
    let mut recording = TaskRecording::default();
    steps.into_iter().for_each(|step| recording.add(step));
    recording.finish()
}

/// The members of the communicators on which steps have collective operations.
pub fn groups<F: Feed>(tasks: &[Vec<Step>], feed: &F) -> FxHashMap<CommId, Arc<[TaskId]>> {
    let mut groups = FxHashMap::default();
    tasks.iter().for_each(|steps| collect_groups(steps, feed, &mut groups));
    groups
}

impl<F: Feed> Feed for Recorder<'_, F> {
    fn tasks(&self) -> usize {
        self.feed.tasks()
    }

    fn next(&mut self, task: TaskId, outcome: Outcome) -> Step {
        if let Outcome::Spun { times } = outcome {
            self.spun(task, times);
        }
        let step = self.feed.next(task, outcome);
        match &step {
            Step::Spin(spin) => _ = self.spins.insert(task, Arc::clone(spin)),
            step => self.tasks[task.0 as usize].add(step),
        }
        step
    }

    fn wants_outcome(&self, task: TaskId) -> bool {
        self.feed.wants_outcome(task)
    }

    fn group(&self, comm: CommId) -> Arc<[TaskId]> {
        self.feed.group(comm)
    }

    fn window(&self, comm: CommId) -> Option<usize> {
        self.feed.window(comm)
    }

    fn segments(&self) -> &Segments {
        self.feed.segments()
    }
}

/// Runs of iterations whose steps are shared with a new one.
const ALTERNATING: usize = 2;
/// Steps of such a run at most: each is compared with each.
const SHORT: usize = 64;

/// One task's steps so far.
#[derive(Debug, Default)]
struct TaskRecording {
    steps: Vec<Step>,
    loops: Vec<RecordedLoop>,
}

impl TaskRecording {
    fn add(&mut self, step: &Step) {
        match step {
            Step::LoopEnter => self.loops.push(RecordedLoop::default()),
            Step::LoopIteration => {
                if let Some(innermost) = self.loops.last_mut() {
                    innermost.close();
                }
            }
            Step::LoopExit => self.leave(),
            other => self.current().push(other.clone()),
        }
    }

    fn current(&mut self) -> &mut Vec<Step> {
        self.loops.last_mut().map_or(&mut self.steps, |innermost| &mut innermost.current)
    }

    fn leave(&mut self) {
        if let Some(mut innermost) = self.loops.pop() {
            innermost.close();
            innermost.fold_into(self.current());
        }
    }

    fn finish(mut self) -> Vec<Step> {
        while !self.loops.is_empty() {
            self.leave();
        }
        self.steps
    }
}

/// A loop that is being recorded.
#[derive(Debug, Default)]
struct RecordedLoop {
    /// Iterations that were met, each once as far as that was seen.
    known: KnownIterations,
    /// Which of them came how often in a row.
    runs: Vec<Run>,
    current: Vec<Step>,
}

/// Equal iterations that followed one another.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Its number among the known ones.
    iteration: u32,
    times: u32,
}

/// From so many runs on, iterations that come again and again in changing order stand once in memory, each time as a repeat
/// of one period. What follows from a short activity does not hang on how it is kept.
const MANY_RUNS: usize = 1 << 10;

impl RecordedLoop {
    /// Ends an iteration: it joins the run of equal ones before it.
    fn close(&mut self) {
        if self.current.is_empty() {
            return;
        }
        let joined = self.runs.last_mut().is_some_and(|run| {
            let more = repeated(&self.current, self.known.steps(run.iteration));
            let times = more.and_then(|more| run.times.checked_add(u32::try_from(more).ok()?));
            times.map(|times| run.times = times).is_some()
        });
        match joined {
            true => self.current.clear(),
            false => self.begin_run(),
        }
    }

    /// An iteration that was met before is the same one. Of another one, steps that stand in one of the runs before are shared
    /// with it: loops often do something else in every so many iterations, and with many tasks their events are most of an
    /// activity.
    fn begin_run(&mut self) {
        let sketch = sketch(&self.current);
        if let Some(iteration) = self.known.find(sketch, &self.current) {
            self.current.clear();
            return self.runs.push(Run { iteration, times: 1 });
        }
        let mut steps = Vec::with_capacity(self.current.len());
        steps.append(&mut self.current);
        let before = self.runs.iter().rev().take(ALTERNATING).map(|run| self.known.steps(run.iteration));
        let short: Vec<&[Step]> = before.filter(|before| before.len().max(steps.len()) <= SHORT).collect();
        let known = || short.iter().copied().flatten();
        for step in steps.iter_mut().filter(|step| matches!(step, Step::Event(_) | Step::Repeat(_))) {
            if let Some(same) = known().find(|other| *other == step) {
                *step = same.clone();
            }
        }
        let iteration = self.known.add(sketch, steps);
        self.runs.push(Run { iteration, times: 1 });
    }

    /// Appends what was recorded.
    fn fold_into(self, steps: &mut Vec<Step>) {
        let mut shared = self.shared();
        steps.reserve_exact(shared.len());
        for Run { iteration, times } in self.runs {
            let period = self.known.steps(iteration);
            match shared.get_mut(iteration as usize) {
                Some(Some(repeat)) if times == 1 => steps.push(Step::Repeat(Arc::clone(repeat))),
                _ if times == 1 || !repeatable(period) => (0..times).for_each(|_| steps.extend_from_slice(period)),
                _ => steps.push(repeat(period, times)),
            }
        }
    }

    /// By number of the iteration: what stands in its place each time it comes once; empty where all are written out.
    fn shared(&self) -> Vec<Option<Arc<Repeat>>> {
        if self.runs.len() < MANY_RUNS {
            return Vec::new();
        }
        let mut seen = vec![0u32; self.known.all.len()];
        self.runs.iter().filter(|run| run.times == 1).for_each(|run| seen[run.iteration as usize] += 1);
        let shared = |(steps, &seen): (&Vec<Step>, &u32)| {
            let pays = seen > 1 && steps.len() > 1 && repeatable(steps);
            pays.then(|| Arc::new(Repeat { steps: steps.clone(), times: 1 }))
        };
        self.known.all.iter().zip(&seen).map(shared).collect()
    }
}

fn repeat(steps: &[Step], times: u32) -> Step {
    Step::Repeat(Arc::new(Repeat { steps: steps.to_vec(), times: times.into() }))
}

/// Iterations of a loop by number.
#[derive(Debug, Default)]
struct KnownIterations {
    all: Vec<Vec<Step>>,
    /// Those that are looked for again, by what is seen of them at a glance.
    by_sketch: FxHashMap<u64, Vec<u32>>,
}

/// Iterations that are looked for. A loop that has more of them does something else each time.
const MOST_LOOKED_FOR: usize = 1 << 14;
/// Of those that look alike, so many are compared.
const MOST_ALIKE: usize = 8;

impl KnownIterations {
    fn steps(&self, number: u32) -> &[Step] {
        &self.all[number as usize]
    }

    /// One that is equal.
    fn find(&self, sketch: u64, steps: &[Step]) -> Option<u32> {
        let alike = self.by_sketch.get(&sketch).filter(|_| steps.len() <= SHORT)?;
        alike.iter().copied().find(|&number| self.steps(number) == steps)
    }

    fn add(&mut self, sketch: u64, steps: Vec<Step>) -> u32 {
        let number = self.all.len() as u32;
        if steps.len() <= SHORT && (self.all.len() < MOST_LOOKED_FOR) {
            let alike = self.by_sketch.entry(sketch).or_default();
            if alike.len() < MOST_ALIKE {
                alike.push(number);
            }
        }
        self.all.push(steps);
        number
    }
}

/// A number that equal steps have in common, and others mostly not.
fn sketch(steps: &[Step]) -> u64 {
    let mut hasher = FxHasher::default();
    for step in steps.iter().take(SHORT) {
        std::mem::discriminant(step).hash(&mut hasher);
        match step {
            Step::Work(Work::Segment(segment)) => segment.hash(&mut hasher),
            Step::Work(Work::Time(time)) => time.hash(&mut hasher),
            Step::Event(event) => {
                event.site.hash(&mut hasher);
                partner(&event.operation).hash(&mut hasher);
            }
            Step::Repeat(repeat) => (repeat.times, repeat.steps.len()).hash(&mut hasher),
            _ => {}
        }
    }
    hasher.finish()
}

/// Whom a message is for or from, with its tag.
fn partner(operation: &Operation) -> Option<(Option<TaskId>, Option<i32>)> {
    match operation {
        Operation::Send { to, tag, .. } => Some((Some(*to), Some(*tag))),
        Operation::Recv { from, tag, .. } => Some((*from, *tag)),
        _ => None,
    }
}

/// `End` and `Stuck` may not stand in a repeat.
fn repeatable(steps: &[Step]) -> bool {
    !steps.iter().any(|step| matches!(step, Step::End | Step::Stuck))
}

/// How often an iteration repeats `steps`: once if it equals them, more often if it is a repeat of them.
fn repeated(iteration: &[Step], steps: &[Step]) -> Option<u64> {
    match iteration {
        _ if iteration == steps => Some(1),
        [Step::Repeat(repeat)] if repeat.steps == steps => Some(repeat.times),
        _ => None,
    }
}

fn collect_groups<F: Feed>(steps: &[Step], feed: &F, groups: &mut FxHashMap<CommId, Arc<[TaskId]>>) {
    for step in steps {
        match step {
            Step::Repeat(repeat) => collect_groups(&repeat.steps, feed, groups),
            Step::Event(event) => {
                if let Operation::Collective(collective) = &event.operation {
                    groups.entry(collective.comm).or_insert_with(|| feed.group(collective.comm));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_base::units::Picoseconds;
    use proptest::prelude::*;

    fn work(n: u64) -> Step {
        Step::Work(Work::Time(Picoseconds(n)))
    }

    fn record(steps: &[Step]) -> Vec<Step> {
        folded(steps)
    }

    fn expanded(steps: &[Step]) -> Vec<Step> {
        let mut result = Vec::new();
        for step in steps {
            match step {
                Step::Repeat(repeat) => (0..repeat.times).for_each(|_| result.extend(expanded(&repeat.steps))),
                Step::LoopEnter | Step::LoopIteration | Step::LoopExit => {}
                other => result.push(other.clone()),
            }
        }
        result
    }

    #[test]
    fn nested_loops_become_nested_repeats() {
        let looped = |iteration: Vec<Step>, times: usize| {
            let one = [vec![Step::LoopIteration], iteration].concat();
            let all = std::iter::repeat_n(one, times).flatten().collect();
            [vec![Step::LoopEnter], all, vec![Step::LoopExit]].concat()
        };
        let inner = looped(vec![work(1)], 3);
        let steps = [looped([inner, vec![work(2)]].concat(), 4), vec![Step::End]].concat();
        let threefold = Step::Repeat(Arc::new(Repeat { steps: vec![work(1)], times: 3 }));
        let fourfold = Step::Repeat(Arc::new(Repeat { steps: vec![threefold, work(2)], times: 4 }));
        assert_eq!(record(&steps), [fourfold, Step::End]);
    }

    #[test]
    fn a_repeat_of_the_iterations_before_it_joins_them() {
        let rest = Step::Repeat(Arc::new(Repeat { steps: vec![work(1)], times: 8 }));
        let steps = [Step::LoopEnter, Step::LoopIteration, work(1), Step::LoopIteration, rest, Step::LoopExit];
        assert_eq!(record(&steps), [Step::Repeat(Arc::new(Repeat { steps: vec![work(1)], times: 9 }))]);
    }

    /// Every third iteration does something more, as in jacobi.c.
    #[test]
    fn iterations_that_come_again_share_their_events() {
        let event = || {
            let operation = Operation::Local { function: "MPI_Comm_rank".into() };
            Step::Event(Arc::new(crate::Event { operation, site: None }))
        };
        let iteration = |number: u64| {
            let more = number.is_multiple_of(3).then(|| work(7));
            [Step::LoopIteration, event()].into_iter().chain(more)
        };
        let steps: Vec<Step> = [Step::LoopEnter].into_iter().chain((1..=9).flat_map(iteration)).collect();
        let recorded = record(&[&steps[..], &[Step::LoopExit]].concat());
        let mut events = Vec::new();
        for step in recorded.iter().flat_map(|step| match step {
            Step::Repeat(repeat) => repeat.steps.clone(),
            other => vec![other.clone()],
        }) {
            if let Step::Event(event) = step {
                events.push(event);
            }
        }
        assert_eq!(events.len(), 6);
        assert!(events.windows(2).all(|pair| Arc::ptr_eq(&pair[0], &pair[1])));
    }

    fn any_step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0u64..3).prop_map(work),
            2 => Just(Step::LoopIteration),
            1 => Just(Step::LoopEnter),
            1 => Just(Step::LoopExit),
        ]
    }

    proptest! {
        /// Iterations of a few kinds in any order, more of them than are written out.
        #[test]
        fn iterations_that_come_in_any_order_are_kept(kinds in prop::collection::vec(0u64..5, 1500..1600)) {
            let iteration = |kind: u64| {
                [vec![Step::LoopIteration], (0..=kind).map(|number| work(kind + number % 2)).collect()].concat()
            };
            let iterations: Vec<Step> = kinds.iter().copied().flat_map(iteration).collect();
            let all = [vec![Step::LoopEnter], iterations, vec![Step::LoopExit, work(9), Step::End]].concat();
            let recorded = record(&all);
            prop_assert_eq!(expanded(&recorded), expanded(&all));
            prop_assert!(recorded.len() <= kinds.len() + 2);
        }

        #[test]
        fn unfolding_gives_back_the_sequence(steps in prop::collection::vec(any_step(), 0..60)) {
            prop_assert_eq!(expanded(&record(&steps)), expanded(&steps));
        }
    }
}
