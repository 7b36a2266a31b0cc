//! Records what a feed gives, folded, so that it can be replayed without evaluating the program again.
//!
//! Iterations of a loop that are equal and follow one another become one [`Repeat`]; loops inside have
//! been folded by then, so that nested loops give nested repeats. Unfolding a recording gives back
//! the recorded sequence, without the hints about loops.

use super::{Activity, CommId, Feed, Operation, Outcome, Repeat, Segments, Spin, Step, TaskId};
use chronos_base::hash::FxHashMap;
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
        let mut groups = FxHashMap::default();
        tasks.iter().for_each(|steps| collect_groups(steps, self.feed, &mut groups));
        Activity { tasks, segments: self.feed.segments().clone(), groups, timing_dependent: false }
    }
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

/// A loop that is being recorded.
#[derive(Debug, Default)]
struct RecordedLoop {
    /// Iterations and how often each came in a row.
    runs: Vec<(Vec<Step>, u64)>,
    current: Vec<Step>,
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
            let folded = innermost.folded();
            self.current().extend(folded);
        }
    }

    fn finish(mut self) -> Vec<Step> {
        while !self.loops.is_empty() {
            self.leave();
        }
        self.steps
    }
}

impl RecordedLoop {
    /// Ends an iteration: it joins the run of equal ones before it.
    fn close(&mut self) {
        if self.current.is_empty() {
            return;
        }
        let Some((steps, times)) = self.runs.last_mut() else { return self.begin_run() };
        match repeated(&self.current, steps) {
            Some(more) => {
                *times += more;
                self.current.clear();
            }
            None => self.begin_run(),
        }
    }

    /// Steps that stand in one of the runs before are shared with it: loops often do something else in every so many
    /// iterations, and with many tasks their events are most of an activity.
    fn begin_run(&mut self) {
        let mut steps = std::mem::take(&mut self.current);
        let before = self.runs.iter().rev().take(ALTERNATING).map(|(steps, _)| steps);
        let short: Vec<&Vec<Step>> = before.filter(|before| before.len().max(steps.len()) <= SHORT).collect();
        let known = || short.iter().copied().flatten();
        for step in steps.iter_mut().filter(|step| matches!(step, Step::Event(_) | Step::Repeat(_))) {
            if let Some(same) = known().find(|other| *other == step) {
                *step = same.clone();
            }
        }
        self.runs.push((steps, 1));
    }

    fn folded(self) -> impl Iterator<Item = Step> {
        self.runs.into_iter().flat_map(|(steps, times)| {
            if times == 1 || !repeatable(&steps) {
                return std::iter::repeat_n(steps, times as usize).flatten().collect::<Vec<_>>();
            }
            vec![Step::Repeat(Arc::new(Repeat { steps, times }))]
        })
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
    use crate::Work;
    use chronos_base::units::Picoseconds;
    use proptest::prelude::*;

    fn work(n: u64) -> Step {
        Step::Work(Work::Time(Picoseconds(n)))
    }

    fn record(steps: &[Step]) -> Vec<Step> {
        let mut recording = TaskRecording::default();
        steps.iter().for_each(|step| recording.add(step));
        recording.finish()
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
        #[test]
        fn unfolding_gives_back_the_sequence(steps in prop::collection::vec(any_step(), 0..60)) {
            prop_assert_eq!(expanded(&record(&steps)), expanded(&steps));
        }
    }
}
