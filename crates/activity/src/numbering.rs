//! Contexts and segments of an activity numbered by what they are, whatever the order in which they were met.
//!
//! Who evaluates a job meets them in an order of its own: as a replay asks for steps, or class by class. Sums over segments
//! differ in their last digits with it, so activities that are to be equal get numbers that do not hang on it. This module must
//! not know who evaluates.

use super::{Activity, Context, ContextId, Event, Repeat, Segment, SegmentId, Segments, Spin, Step, Work};
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_ir::{BlockId, FuncId};
use std::sync::Arc;

/// The same activity; contexts are numbered in the order of their calls from the root on, segments in the order of the first
/// task that executes them. What no task executes is left out.
pub fn renumbered(activity: &Activity) -> Activity {
    let mut used = Used::default();
    activity.tasks.iter().for_each(|steps| used.add_steps(steps, &activity.segments));
    let numbers = Numbers::new(&activity.segments, used);
    let mut known = FxHashMap::default();
    let tasks = activity.tasks.iter().map(|steps| numbers.steps(steps, &mut known)).collect();
    let (groups, timing_dependent) = (activity.groups.clone(), activity.timing_dependent);
    Activity { tasks, segments: numbers.segments, groups, timing_dependent }
}

/// What tasks execute.
#[derive(Default)]
struct Used {
    /// In the order of their first execution.
    segments: Vec<SegmentId>,
    known: FxHashSet<SegmentId>,
    contexts: FxHashSet<ContextId>,
}

impl Used {
    fn add_steps(&mut self, steps: &[Step], all: &Segments) {
        for step in steps {
            match step {
                Step::Work(Work::Segment(id)) if self.known.insert(*id) => {
                    self.segments.push(*id);
                    self.add_segment(all.get(*id));
                }
                Step::Event(event) => self.contexts.extend(event.site.map(|site| site.context)),
                Step::Repeat(repeat) => self.add_steps(&repeat.steps, all),
                Step::Spin(spin) => self.add_steps(&spin.steps, all),
                _ => {}
            }
        }
    }

    fn add_segment(&mut self, segment: &Segment) {
        self.contexts.extend(segment.counts.iter().map(|one| one.0));
        self.contexts.extend(segment.volumes.iter().map(|one| one.0));
        self.contexts.extend(segment.mispredicted.iter().map(|one| one.context));
        if let Some(team) = &segment.team {
            self.contexts.extend(team.site.map(|site| site.0));
            team.intervals.iter().flat_map(|one| &one.threads).for_each(|thread| self.add_segment(thread));
        }
    }
}

/// The new numbers of what is used.
struct Numbers {
    contexts: FxHashMap<ContextId, ContextId>,
    of_segment: FxHashMap<SegmentId, SegmentId>,
    segments: Segments,
}

impl Numbers {
    fn new(all: &Segments, used: Used) -> Self {
        let (contexts, of_segment, segments) = Default::default();
        let mut numbers = Self { contexts, of_segment, segments };
        let mut paths: Vec<_> = used.contexts.into_iter().map(|id| (calls_to(all, id), id)).collect();
        paths.sort_unstable();
        paths.iter().for_each(|&(_, id)| _ = numbers.context(all, id));
        for id in used.segments {
            let segment = all.get(id);
            let new = numbers.segment(segment);
            let mispredicted = numbers.mispredicted(segment);
            let new = numbers.segments.intern_with(new, |new| new.mispredicted = mispredicted);
            numbers.of_segment.insert(id, new);
        }
        numbers
    }

    /// The number of a context, those of its callers first.
    fn context(&mut self, all: &Segments, id: ContextId) -> ContextId {
        if let Some(&known) = self.contexts.get(&id) {
            return known;
        }
        let context = all.context(id);
        let parent = context.parent.map(|parent| self.context(all, parent));
        let new = self.segments.intern_context(Context { parent, ..context });
        self.contexts.insert(id, new);
        new
    }

    fn segment(&self, segment: &Segment) -> Segment {
        let mut counts: Vec<_> = segment.counts.iter().map(|&(at, what, n)| (self.contexts[&at], what, n)).collect();
        counts.sort_by_key(|&(at, what, _)| (at, what));
        let mut volumes: Vec<_> = segment.volumes.iter().map(|&(at, what, n)| (self.contexts[&at], what, n)).collect();
        volumes.sort_by_key(|&(at, what, _)| (at, what));
        let mut thread = |thread: &Segment| {
            let mispredicted = self.mispredicted(thread);
            Segment { mispredicted, ..self.segment(thread) }
        };
        let mut team = segment.changed_team(&mut thread);
        if let Some(site) = team.as_mut().and_then(|team| Arc::make_mut(team).site.as_mut()) {
            site.0 = self.contexts[&site.0];
        }
        Segment { counts, volumes, mispredicted: Vec::new(), team }
    }

    fn mispredicted(&self, segment: &Segment) -> Vec<super::Mispredicted> {
        let with = |one: &super::Mispredicted| super::Mispredicted { context: self.contexts[&one.context], ..*one };
        let mut all: Vec<_> = segment.mispredicted.iter().map(with).collect();
        all.sort_by_key(|one| one.context);
        all
    }

    fn steps(&self, steps: &[Step], known: &mut KnownEvents) -> Vec<Step> {
        steps.iter().map(|step| self.step(step, known)).collect()
    }

    /// Events that stand once in memory do so again.
    fn step(&self, step: &Step, known: &mut KnownEvents) -> Step {
        match step {
            Step::Work(Work::Segment(id)) => Step::Work(Work::Segment(self.of_segment[id])),
            Step::Event(event) => {
                let changed = || {
                    let site = event.site.map(|site| super::Site { context: self.contexts[&site.context], ..site });
                    Arc::new(Event { site, ..Event::clone(event) })
                };
                Step::Event(Arc::clone(known.entry(Arc::as_ptr(event)).or_insert_with(changed)))
            }
            Step::Repeat(repeat) => {
                Step::Repeat(Arc::new(Repeat { steps: self.steps(&repeat.steps, known), times: repeat.times }))
            }
            Step::Spin(spin) => {
                Step::Spin(Arc::new(Spin { steps: self.steps(&spin.steps, known), ..Spin::clone(spin) }))
            }
            other => other.clone(),
        }
    }
}

/// Events that were changed, by where they stand in memory.
type KnownEvents = FxHashMap<*const Event, Arc<Event>>;

/// The calls on the path from the root to a context, in order.
fn calls_to(all: &Segments, id: ContextId) -> Vec<(Option<BlockId>, FuncId)> {
    let mut calls: Vec<_> = all.path(id).map(|(_, context)| (context.call, context.function)).collect();
    calls.reverse();
    calls
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Count, Operation, Site};
    use chronos_ir::CounterId;

    const CALLED: [u32; 3] = [7, 3, 5];

    /// Two tasks that execute calls of `main` in some order, met as `order` says.
    fn activity(order: [usize; 3]) -> Activity {
        let mut segments = Segments::default();
        let root = segments.root(FuncId(0));
        let mut contexts = [root; 3];
        for at in order {
            contexts[at] = segments.enter(root, BlockId(CALLED[at]), FuncId(at as u32 + 1));
        }
        let mut ids = [SegmentId(0); 3];
        for at in order {
            let mut counts = vec![(root, CounterId(1), Count::ONE), (contexts[at], CounterId(at as u32), Count::ONE)];
            counts.sort_by_key(|one| one.0);
            ids[at] = segments.intern(Segment { counts, ..Segment::default() });
        }
        let work = |at: usize| Step::Work(Work::Segment(ids[at]));
        let site = Some(Site { context: contexts[1], block: BlockId(9) });
        let call = Step::Event(Arc::new(Event { operation: Operation::Local { function: "MPI_Init".into() }, site }));
        let repeat = Step::Repeat(Arc::new(Repeat { steps: vec![work(1), call], times: 4 }));
        let tasks = vec![vec![work(2), repeat, Step::End], vec![work(0), work(2), Step::End]];
        Activity { tasks, segments, ..Activity::default() }
    }

    fn text(activity: &Activity) -> String {
        let segments: Vec<String> = activity.segments.iter().map(|segment| format!("{segment:?}")).collect();
        let contexts: Vec<String> = activity.segments.contexts().map(|context| format!("{context:?}")).collect();
        format!("{}\n{}\n{:?}", segments.join("\n"), contexts.join("\n"), activity.tasks)
    }

    #[test]
    fn numbers_do_not_hang_on_the_order_in_which_things_were_met() {
        let expected = renumbered(&activity([0, 1, 2]));
        for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            assert_eq!(text(&renumbered(&activity(order))), text(&expected), "{order:?}");
        }
        let calls: Vec<_> = expected.segments.contexts().map(|(_, context)| context.call).collect();
        assert_eq!(calls, [None, Some(BlockId(3)), Some(BlockId(5)), Some(BlockId(7))]);
        assert_eq!(expected.tasks[0][0], Step::Work(Work::Segment(SegmentId(0))), "task 0 executes it first");
    }
}
