//! The point between evaluation and replay at which an activity is changed.
//!
//! A what-if question ("half the message size", "this function twice as fast") does not ask for another evaluation of
//! the program: it asks for another activity. It implements [`Transform`], and whoever replays an activity applies it
//! first ([`apply`]). A repeat is visited once, not once per iteration, so that a changed activity is folded as the
//! one before. This module must not know where an activity comes from, what replays it, or any question.

use super::{Activity, Event, Repeat, Segment, SegmentId, Segments, Spin, Step, TaskId, Work};
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;
use std::borrow::Cow;
use std::sync::Arc;

/// Maps the parts of an activity; each method is told the part as it was evaluated and returns `None` where it stays.
pub trait Transform {
    /// The segment instead of this one; asked once for each, whatever tasks execute it.
    fn segment(&mut self, _segment: &Segment) -> Option<Segment> {
        None
    }

    /// The duration instead of a recorded or given one.
    fn duration(&mut self, _task: TaskId, _time: Picoseconds) -> Option<Picoseconds> {
        None
    }

    /// The MPI operation instead of this one. Partners have to be changed together: the replay reports a send without
    /// its receive.
    fn event(&mut self, _task: TaskId, _event: &Event) -> Option<Event> {
        None
    }
}

/// Changes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity;

impl Transform for Identity {}

/// The activity as changed by a transformation; borrowed where nothing has changed.
pub fn apply<'a>(activity: &'a Activity, transform: &mut dyn Transform) -> Cow<'a, Activity> {
    let mut mapping = Mapping { transform, segments: None, changed: FxHashMap::default() };
    for (id, segment) in activity.segments.iter() {
        mapping.segment(&activity.segments, id, segment);
    }
    let mut tasks = Vec::with_capacity(activity.tasks.len());
    let mut is_changed = mapping.segments.is_some();
    for (task, steps) in (0..).map(TaskId).zip(&activity.tasks) {
        let mapped = mapping.steps(task, steps);
        is_changed |= mapped.is_some();
        tasks.push(mapped);
    }
    if !is_changed {
        return Cow::Borrowed(activity);
    }
    let tasks = tasks.into_iter().zip(&activity.tasks).map(|(mapped, steps)| mapped.unwrap_or_else(|| steps.clone()));
    Cow::Owned(Activity {
        tasks: tasks.collect(),
        segments: mapping.segments.unwrap_or_else(|| activity.segments.clone()),
        groups: activity.groups.clone(),
        timing_dependent: activity.timing_dependent,
    })
}

struct Mapping<'t> {
    transform: &'t mut dyn Transform,
    /// Those of the activity and the changed ones behind them, as soon as one has changed.
    segments: Option<Segments>,
    /// What is executed instead of a segment.
    changed: FxHashMap<SegmentId, SegmentId>,
}

impl Mapping<'_> {
    fn segment(&mut self, all: &Segments, id: SegmentId, segment: &Segment) {
        if let Some(other) = self.transform.segment(segment) {
            let segments = self.segments.get_or_insert_with(|| all.clone());
            self.changed.insert(id, segments.intern(other));
        }
    }

    /// `None` where none of the steps has changed.
    fn steps(&mut self, task: TaskId, steps: &[Step]) -> Option<Vec<Step>> {
        let mut mapped: Option<Vec<Step>> = None;
        for (position, step) in steps.iter().enumerate() {
            match (self.step(task, step), &mut mapped) {
                (Some(other), Some(mapped)) => mapped.push(other),
                (None, Some(mapped)) => mapped.push(step.clone()),
                // The steps before the first that changes are copied when it comes, so that the identity copies nothing.
                (Some(other), None) => mapped = Some(steps[..position].iter().cloned().chain([other]).collect()),
                (None, None) => {}
            }
        }
        mapped
    }

    fn step(&mut self, task: TaskId, step: &Step) -> Option<Step> {
        match step {
            Step::Work(work) => self.work(task, *work).map(Step::Work),
            Step::Event(event) => Some(Step::Event(Arc::new(self.transform.event(task, event)?))),
            Step::Repeat(repeat) => {
                let steps = self.steps(task, &repeat.steps)?;
                Some(Step::Repeat(Arc::new(Repeat { steps, times: repeat.times })))
            }
            Step::Spin(spin) => {
                let steps = self.steps(task, &spin.steps)?;
                Some(Step::Spin(Arc::new(Spin { steps, most: spin.most })))
            }
            Step::LoopEnter | Step::LoopIteration | Step::LoopExit | Step::End | Step::Stuck => None,
        }
    }

    fn work(&mut self, task: TaskId, work: Work) -> Option<Work> {
        match work {
            Work::Segment(id) => self.changed.get(&id).copied().map(Work::Segment),
            Work::Time(time) => self.transform.duration(task, time).map(Work::Time),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CommId, ContextId, Count, Operation};
    use chronos_base::units::Bytes;
    use chronos_ir::CounterId;

    fn recv(bytes: u64) -> Step {
        let operation = Operation::Recv { from: None, tag: None, comm: CommId(0), bytes: Bytes(bytes), request: None };
        Step::Event(Arc::new(Event { operation, site: None }))
    }

    fn counted(n: u128) -> Segment {
        Segment { counts: vec![(ContextId(0), CounterId(0), Count::exact(n))], ..Segment::default() }
    }

    fn nested(segment: SegmentId, bytes: u64, time: u64) -> Vec<Step> {
        let inner = vec![Step::Work(Work::Segment(segment)), recv(bytes)];
        let inner = Step::Repeat(Arc::new(Repeat { steps: inner, times: 7 }));
        vec![Step::Repeat(Arc::new(Repeat { steps: vec![inner], times: 5 })), Step::Work(Work::Time(Picoseconds(time)))]
    }

    /// Twice as many bytes, executions and picoseconds.
    #[derive(Default)]
    struct Doubled {
        events: usize,
    }

    impl Transform for Doubled {
        fn segment(&mut self, segment: &Segment) -> Option<Segment> {
            let counts =
                segment.counts.iter().map(|&(context, counter, n)| (context, counter, n.times(Count::exact(2))));
            Some(Segment { counts: counts.collect(), ..segment.clone() })
        }

        fn duration(&mut self, _: TaskId, time: Picoseconds) -> Option<Picoseconds> {
            Some(time + time)
        }

        fn event(&mut self, _: TaskId, event: &Event) -> Option<Event> {
            self.events += 1;
            let mut event = event.clone();
            let Operation::Recv { bytes, .. } = &mut event.operation else { return None };
            *bytes = *bytes + *bytes;
            Some(event)
        }
    }

    fn activity(n: u128, bytes: u64, time: u64) -> Activity {
        let mut segments = Segments::default();
        let segment = segments.intern(counted(n));
        Activity { tasks: vec![nested(segment, bytes, time), vec![recv(bytes)]], segments, ..Activity::default() }
    }

    #[test]
    fn the_identity_copies_nothing() {
        let before = activity(3, 8, 11);
        assert!(matches!(apply(&before, &mut Identity), Cow::Borrowed(_)));
    }

    #[test]
    fn what_is_in_nested_repeats_is_changed_once_and_stays_folded() {
        let (before, mut doubled) = (activity(3, 8, 11), Doubled::default());
        let after = apply(&before, &mut doubled);
        assert_eq!(doubled.events, 2);
        let changed = SegmentId(1);
        assert_eq!(after.tasks, [nested(changed, 16, 22), vec![recv(16)]]);
        assert_eq!(**after.segments.get(changed), counted(6));
        assert_eq!(before.tasks[1], [recv(8)]);
    }
}
