//! Reuse distances: how much memory a task uses between two uses of the same, over its segments and messages in order.
//!
//! What a segment leaves in the caches, others may drive out before it comes again. Of steps that repeat, the second
//! round tells: it finds what a round leaves. It must not know caches, nor what lines cost.

use chronos_activity::{Activity, Collective, CollectiveKind, Event, Operation, SegmentId, Step, TaskId, Volume, Work};
use chronos_base::hash::FxHashMap;
use chronos_base::units::Bytes;
use chronos_cost::{CostModel, Object, Reuse, Use};
use chronos_functions::buffers;
use chronos_ir::{BlockId, Callee, Program};
use std::rc::Rc;

/// Steps of a task that are followed; what comes later is taken to go on alike.
const MOST_STEPS: u64 = 1 << 20;

/// The reuse distances of all segments, as the first task that executes them finds them.
pub fn distances(
    model: &dyn CostModel,
    program: &Program,
    activity: &Activity,
    tasks: impl Iterator<Item = TaskId>,
) -> FxHashMap<SegmentId, Reuse> {
    let mut found = FxHashMap::default();
    let mut uses = FxHashMap::default();
    for task in tasks {
        let Some(steps) = activity.tasks.get(task.0 as usize).filter(|steps| brings_new(steps, &found)) else {
            continue;
        };
        let memory = Memory::default();
        let own = FxHashMap::default();
        let mut walk = Walk { model, program, activity, task, memory, left: MOST_STEPS, own, uses: &mut uses };
        walk.steps(steps);
        let own = walk.own;
        own.into_iter().for_each(|(id, reuse)| _ = found.entry(id).or_insert(reuse));
    }
    found
}

fn brings_new(steps: &[Step], found: &FxHashMap<SegmentId, Reuse>) -> bool {
    steps.iter().any(|step| match step {
        Step::Work(Work::Segment(id)) => !found.contains_key(id),
        Step::Repeat(repeat) => brings_new(&repeat.steps, found),
        _ => false,
    })
}

struct Walk<'a> {
    model: &'a dyn CostModel,
    program: &'a Program,
    activity: &'a Activity,
    task: TaskId,
    memory: Memory,
    /// Steps that may still be followed.
    left: u64,
    /// The latest distances of this task's segments.
    own: FxHashMap<SegmentId, Reuse>,
    uses: &'a mut FxHashMap<SegmentId, Rc<Vec<Vec<Use>>>>,
}

impl Walk<'_> {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            if let Step::Repeat(once) = step
                && once.times == 1
            {
                self.steps(&once.steps);
                continue;
            }
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            match step {
                Step::Work(Work::Segment(id)) => self.segment(*id),
                Step::Event(event) => self.event(event),
                Step::Repeat(repeat) => (0..repeat.times.min(2)).for_each(|_| self.steps(&repeat.steps)),
                _ => {}
            }
        }
    }

    fn segment(&mut self, id: SegmentId) {
        let segments = &self.activity.segments;
        let made = || Rc::new(self.model.uses(segments.get(id), segments));
        let nests = Rc::clone(self.uses.entry(id).or_insert_with(made));
        let mut reuse = Vec::new();
        for nest in nests.iter() {
            let far = |one: &Use| Some((one.context, one.place, self.memory.distance(one.object, one.bytes)?));
            reuse.extend(nest.iter().filter_map(far));
            self.memory.touch(nest.iter().map(|one| (one.object, one.bytes)));
        }
        self.own.insert(id, Reuse(reuse));
    }

    fn event(&mut self, event: &Event) {
        let Some(site) = event.site else { return };
        let Some(buffers) = mpi_name(self.program, site.block).map(buffers) else { return };
        let [sent, received] = self.moved(&event.operation);
        let sides = buffers.sent.iter().map(|buffer| (buffer.0, sent));
        let sides = sides.chain(buffers.received.iter().map(|buffer| (buffer.0, received)));
        let segments = &self.activity.segments;
        let object = |position| self.model.argument(site.context, site.block, position, segments);
        let touched: Vec<_> = sides.filter_map(|(position, bytes)| Some((object(position)?, bytes?))).collect();
        self.memory.touch(touched.into_iter());
    }

    /// Bytes that a call reads from its buffer, and that it writes.
    fn moved(&self, operation: &Operation) -> [Option<Bytes>; 2] {
        match operation {
            Operation::Send { bytes, .. } => [Some(*bytes), None],
            Operation::Recv { bytes, .. } => [None, Some(*bytes)],
            Operation::Collective(collective) => self.exchanged(collective),
            _ => [None, None],
        }
    }

    fn exchanged(&self, collective: &Collective) -> [Option<Bytes>; 2] {
        use CollectiveKind as K;
        let members = self.activity.groups.get(&collective.comm).map_or(1, |group| group.len() as u64);
        let (one, all) = match &collective.volume {
            Volume::Each(bytes) => (*bytes, Bytes(bytes.0.saturating_mul(members))),
            Volume::Blocks { own, blocks } => (*own, blocks.iter().fold(Bytes(0), |sum, &block| sum + block)),
        };
        let at_root = (collective.root == Some(self.task)).then_some(all);
        match collective.kind {
            K::Gather => [Some(one), at_root],
            K::Scatter => [at_root, Some(one)],
            K::Allgather => [Some(one), Some(all)],
            K::Alltoall | K::ReduceScatter => [Some(all), Some(all)],
            K::Barrier | K::Agreement => [None, None],
            K::Bcast | K::Reduce | K::Allreduce | K::Scan | K::Exscan => [Some(one), Some(one)],
        }
    }
}

/// The MPI function that the block calls, without the P of the profiling interface.
pub fn mpi_name(program: &Program, block: BlockId) -> Option<&str> {
    match &program.call(block)?.callee {
        Callee::Mpi(name) => Some(name.strip_prefix('P').unwrap_or(name)),
        _ => None,
    }
}

/// What a task has used, the latest last.
#[derive(Default)]
struct Memory {
    objects: FxHashMap<Object, Used>,
    clock: u64,
}

/// When an object was used, and how much of it: the last time, and the last time that much of it was.
struct Used {
    latest: (u64, Bytes),
    bulk: (u64, Bytes),
}

/// Uses of at least this share of as many bytes count as uses of all of them.
const MUCH: u64 = 2;

impl Memory {
    /// Different bytes used since so many bytes of an object were used before; `None` where they were not.
    fn distance(&self, object: Object, bytes: Bytes) -> Option<Bytes> {
        let used = self.objects.get(&object)?;
        let before = [used.latest, used.bulk].into_iter().find(|(_, some)| covers(*some, bytes))?.0;
        let since = |used: &Used| [used.bulk, used.latest].into_iter().find(|(clock, _)| *clock >= before);
        Some(self.objects.values().filter_map(since).fold(Bytes(0), |sum, (_, bytes)| sum + bytes))
    }

    /// Uses all of these at once.
    fn touch(&mut self, objects: impl Iterator<Item = (Object, Bytes)>) {
        self.clock += 1;
        for (object, bytes) in objects {
            let now = (self.clock, bytes);
            let used = self.objects.entry(object).or_insert(Used { latest: now, bulk: now });
            used.latest = now;
            if covers(bytes, used.bulk.1) {
                used.bulk = now;
            }
        }
    }
}

fn covers(some: Bytes, all: Bytes) -> bool {
    some.0.saturating_mul(MUCH) >= all.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_activity::{ContextId, Count, Repeat, Segment, Segments};
    use chronos_base::ids::Id as _;
    use chronos_cost::Priced;
    use chronos_ir::{CounterId, VarId};
    use std::sync::Arc;

    /// Segment `n` walks over what stands at position `n`: objects with their bytes.
    struct Walks(Vec<Vec<(u32, u64)>>);

    impl CostModel for Walks {
        fn name(&self) -> &'static str {
            "walks"
        }

        fn price(&self, _: &Segment, _: &Reuse) -> Priced {
            Priced::default()
        }

        fn uses(&self, segment: &Segment, _: &Segments) -> Vec<Vec<Use>> {
            let one = |&(object, bytes): &(u32, u64)| Use {
                context: ContextId(0),
                place: chronos_cost::reuse::Place::default(),
                object: Object::Variable(VarId(object)),
                bytes: Bytes(bytes),
            };
            vec![self.0[segment.counts[0].1.0 as usize].iter().map(one).collect()]
        }
    }

    /// Distances of the segments' objects, in order, after steps made of segments.
    fn check(walks: &[&[(u32, u64)]], steps: impl Fn(&dyn Fn(usize) -> Step) -> Vec<Step>) -> Vec<Vec<u64>> {
        let mut segments = Segments::default();
        let counts = |n: usize| vec![(ContextId(0), CounterId(n as u32), Count::ONE)];
        let mut segment = |n| segments.intern(Segment { counts: counts(n), ..Segment::default() });
        let ids: Vec<SegmentId> = (0..walks.len()).map(&mut segment).collect();
        let tasks = vec![steps(&|n| Step::Work(Work::Segment(ids[n])))];
        let activity = Activity { tasks, segments, ..Activity::default() };
        let model = Walks(walks.iter().map(|walk| walk.to_vec()).collect());
        let found = distances(&model, &Program::default(), &activity, [TaskId::new(0)].into_iter());
        ids.iter().map(|id| found[id].0.iter().map(|(.., bytes)| bytes.0).collect()).collect()
    }

    fn repeated(steps: Vec<Step>, times: u64) -> Step {
        Step::Repeat(Arc::new(Repeat { steps, times }))
    }

    #[test]
    fn what_lies_between_two_uses_counts_once() {
        let walks: [&[(u32, u64)]; 3] = [&[(0, 100)], &[(1, 30), (2, 7)], &[(0, 100)]];
        assert_eq!(check(&walks, |s| vec![s(0), s(1), s(1), s(2)]), [vec![], vec![37, 37], vec![137]]);
    }

    #[test]
    fn the_second_round_of_a_loop_finds_what_a_round_leaves() {
        let walks: [&[(u32, u64)]; 2] = [&[(0, 100), (1, 50)], &[(1, 50), (2, 25)]];
        assert_eq!(check(&walks, |s| vec![repeated(vec![s(0), s(1)], 1000)]), [vec![175, 75], vec![150, 175]]);
    }

    #[test]
    fn a_part_does_not_bring_back_the_whole() {
        let walks: [&[(u32, u64)]; 3] = [&[(0, 100)], &[(1, 500)], &[(0, 10)]];
        assert_eq!(check(&walks, |s| vec![s(0), s(1), s(2), s(0)]), [vec![600], vec![], vec![600]]);
    }
}
