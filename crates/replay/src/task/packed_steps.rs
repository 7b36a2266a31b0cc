//! Steps of a repeat side by side, where a task goes through it often.
//!
//! The steps of an activity lie apart in memory, one or two cache lines for each. What a task does again and
//! again is copied once into 32 bytes per step; what does not fit there is looked up where it was.

use chronos_activity::{CommId, ContextId, Event, Operation, Repeat, RequestId, SendMode, Site, Step, TaskId, Work};
use chronos_base::prefetch::prefetch;
use chronos_base::units::Bytes;
use chronos_ir::BlockId;
use std::num::NonZeroU64;
use std::sync::Arc;

/// Iterations, and tasks, from which on a copy pays.
const PACKING_ITERATIONS: u64 = 8;
pub(crate) const PACKING_TASKS: usize = 128;

/// A place in a folded repeat.
#[derive(Debug)]
pub(crate) struct RepeatCursor {
    steps: StepStorage,
    index: u32,
    left: NonZeroU64,
}

#[derive(Debug)]
enum StepStorage {
    FeedItem(Arc<Repeat>),
    /// The first one is the repeat that the others are from.
    PackedStep(Box<[PackedStep]>),
}

#[derive(Debug)]
enum PackedStep {
    From(Arc<Repeat>),
    Work(Work),
    Send(SendMode, PackedMessageStep),
    Recv(PackedMessageStep),
    /// Whatever else.
    Long,
}

/// Of a send or receive that names partner and tag.
#[derive(Clone, Copy, Debug)]
struct PackedMessageStep {
    partner: u32,
    tag: i32,
    comm: u32,
    bytes: u32,
    /// `NONE`: blocking.
    request: u32,
    /// Context and block; the context is `NONE` where there is no site.
    site: (u32, u32),
}

const NONE: u32 = u32::MAX;

/// What comes in a repeat.
pub(crate) enum NextStep<'c> {
    Work(Work),
    Event(Event),
    Long(&'c Step),
}

impl RepeatCursor {
    /// At the begin; `None` where nothing is repeated. `many_tasks`: there are so many tasks that the steps of one do
    /// not stay in the caches until it is its turn again.
    pub fn new(repeat: Arc<Repeat>, many_tasks: bool) -> Option<Self> {
        let left = NonZeroU64::new(repeat.times).filter(|_| !repeat.steps.is_empty())?;
        let steps = if left.get() < PACKING_ITERATIONS || !many_tasks {
            StepStorage::FeedItem(repeat)
        } else {
            StepStorage::PackedStep(packed(repeat))
        };
        Some(Self { steps, index: 0, left })
    }

    pub fn repeat(&self) -> &Arc<Repeat> {
        self.steps.repeat()
    }

    /// Steps of this iteration that the task has begun.
    pub fn index(&self) -> usize {
        self.index as usize
    }

    /// Iterations, with the one that the task is in.
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Counts so many iterations as done; at least one is left.
    pub fn skip(&mut self, iterations: u64) {
        self.left = NonZeroU64::new(self.left.get().saturating_sub(iterations)).unwrap_or(NonZeroU64::MIN);
    }

    /// Begins the next step; whether the iteration has one.
    #[inline]
    pub fn advance(&mut self) -> bool {
        let index = self.index as usize;
        let more = match &self.steps {
            StepStorage::FeedItem(repeat) => index < repeat.steps.len(),
            StepStorage::PackedStep(steps) => index + 1 < steps.len(),
        };
        self.index += u32::from(more);
        more
    }

    /// The step that was begun last; at the begin the first one.
    #[inline(always)]
    pub fn current(&self) -> NextStep<'_> {
        let index = (self.index as usize).saturating_sub(1);
        match &self.steps {
            StepStorage::FeedItem(repeat) => NextStep::Long(&repeat.steps[index]),
            StepStorage::PackedStep(steps) => match &steps[index + 1] {
                PackedStep::Work(work) => NextStep::Work(*work),
                PackedStep::Send(mode, fields) => NextStep::Event(fields.send(*mode)),
                PackedStep::Recv(fields) => NextStep::Event(fields.receive()),
                PackedStep::From(_) | PackedStep::Long => NextStep::Long(&self.steps.repeat().steps[index]),
            },
        }
    }

    /// Begins the next iteration; whether there is one.
    pub fn iterate(&mut self) -> bool {
        self.index = 0;
        match NonZeroU64::new(self.left.get() - 1) {
            None => false,
            Some(left) => {
                self.left = left;
                true
            }
        }
    }

    /// The step that was begun last.
    pub fn latest(&self) -> Option<&Step> {
        self.repeat().steps.get((self.index as usize).checked_sub(1)?)
    }

    /// Prefetches what so many of the next steps are made of.
    pub fn prefetch(&self, steps: usize) {
        let index = self.index as usize;
        match &self.steps {
            StepStorage::FeedItem(repeat) => {
                repeat.steps.iter().skip(index).chain(&repeat.steps).take(steps).for_each(prefetch);
            }
            StepStorage::PackedStep(pack) => {
                pack.iter().skip(index + 1).chain(pack.iter().skip(1)).take(steps).for_each(prefetch);
            }
        }
    }
}

impl StepStorage {
    fn repeat(&self) -> &Arc<Repeat> {
        match self {
            Self::FeedItem(repeat) => repeat,
            Self::PackedStep(steps) => match &steps[0] {
                PackedStep::From(repeat) => repeat,
                _ => unreachable!("`shortened` puts the repeat first"),
            },
        }
    }
}

fn packed(repeat: Arc<Repeat>) -> Box<[PackedStep]> {
    let steps: Vec<PackedStep> = repeat.steps.iter().map(pack).collect();
    std::iter::once(PackedStep::From(repeat)).chain(steps).collect()
}

fn pack(step: &Step) -> PackedStep {
    match step {
        Step::Work(work) => PackedStep::Work(*work),
        Step::Event(event) => pack_event(event).unwrap_or(PackedStep::Long),
        _ => PackedStep::Long,
    }
}

fn pack_event(event: &Event) -> Option<PackedStep> {
    let site = event.site.map_or((NONE, NONE), |site| (site.context.0, site.block.0));
    let fields = |partner: TaskId, tag: i32, comm: CommId, bytes: Bytes, request: Option<RequestId>| {
        let bytes = u32::try_from(bytes.0).ok()?;
        let known = site != (NONE, 0) && request != Some(RequestId(NONE));
        let request = request.map_or(NONE, |request| request.0);
        known.then_some(PackedMessageStep { partner: partner.0, tag, comm: comm.0, bytes, request, site })
    };
    match event.operation {
        Operation::Send { to, tag, comm, bytes, mode, request } => {
            Some(PackedStep::Send(mode, fields(to, tag, comm, bytes, request)?))
        }
        Operation::Recv { from: Some(from), tag: Some(tag), comm, bytes, request } => {
            Some(PackedStep::Recv(fields(from, tag, comm, bytes, request)?))
        }
        _ => None,
    }
}

impl PackedMessageStep {
    #[inline]
    fn site(self) -> Option<Site> {
        let (context, block) = self.site;
        (context != NONE).then_some(Site { context: ContextId(context), block: BlockId(block) })
    }

    #[inline]
    fn request(self) -> Option<RequestId> {
        (self.request != NONE).then_some(RequestId(self.request))
    }

    #[inline]
    fn send(self, mode: SendMode) -> Event {
        let Self { partner, tag, comm, bytes, .. } = self;
        let (to, comm, bytes) = (TaskId(partner), CommId(comm), Bytes(u64::from(bytes)));
        let operation = Operation::Send { to, tag, comm, bytes, mode, request: self.request() };
        Event { operation, site: self.site() }
    }

    #[inline]
    fn receive(self) -> Event {
        let (from, tag) = (Some(TaskId(self.partner)), Some(self.tag));
        let (comm, bytes) = (CommId(self.comm), Bytes(u64::from(self.bytes)));
        Event { operation: Operation::Recv { from, tag, comm, bytes, request: self.request() }, site: self.site() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(repeat: Repeat) -> Vec<Step> {
        let mut cursor = RepeatCursor::new(Arc::new(repeat), true).unwrap();
        let mut all = Vec::new();
        loop {
            while cursor.advance() {
                let step = match cursor.current() {
                    NextStep::Work(work) => Step::Work(work),
                    NextStep::Event(event) => Step::Event(Arc::new(event)),
                    NextStep::Long(step) => step.clone(),
                };
                assert_eq!(Some(&step), cursor.latest());
                all.push(step);
            }
            if !cursor.iterate() {
                return all;
            }
        }
    }

    #[test]
    fn a_copy_says_what_the_repeat_says() {
        assert_eq!(size_of::<PackedStep>(), 32);
        assert_eq!((size_of::<RepeatCursor>(), size_of::<Option<RepeatCursor>>()), (32, 32));
        let site = Some(Site { context: ContextId(4), block: BlockId(5) });
        let event = |operation, site| Step::Event(Arc::new(Event { operation, site }));
        let (comm, mode) = (CommId(3), SendMode::Synchronous);
        let request = Some(RequestId(6));
        let send = |bytes| Operation::Send { to: TaskId(1), tag: 2, comm, bytes: Bytes(bytes), mode, request };
        let recv = |from| Operation::Recv { from, tag: Some(7), comm, bytes: Bytes(9), request: None };
        let steps = vec![
            Step::Work(Work::Segment(chronos_activity::SegmentId(1))),
            event(send(8), site),
            event(send(1 << 40), None),
            event(recv(Some(TaskId(2))), None),
            event(recv(None), site),
            Step::Repeat(Arc::new(Repeat { steps: Vec::new(), times: 1 })),
        ];
        for times in [1, 3, PACKING_ITERATIONS, 20] {
            let expected: Vec<Step> = steps.iter().cloned().cycle().take(steps.len() * times as usize).collect();
            assert_eq!(walked(Repeat { steps: steps.clone(), times }), expected);
        }
        assert!(RepeatCursor::new(Arc::new(Repeat { steps, times: 0 }), true).is_none());
    }
}
