//! Steps of a repeat side by side, where a task goes through it often.
//!
//! The steps of an activity lie apart in memory, a line of the cache or two for each. What a task does again and again is
//! copied once into 32 bytes per step; what does not fit there is looked up where it was.

use crate::activity::{CommId, ContextId, Event, Operation, Repeat, RequestId, SendMode, Site, Step, TaskId, Work};
use crate::fetch::fetch;
use crate::program::BlockId;
use crate::units::Bytes;
use std::num::NonZeroU64;
use std::sync::Arc;

/// Iterations, and tasks, from which on a copy pays.
const OFTEN: u64 = 8;
pub(super) const MANY: usize = 128;

/// A place in a folded repeat.
#[derive(Debug)]
pub(super) struct Cursor {
    steps: Steps,
    index: u32,
    left: NonZeroU64,
}

#[derive(Debug)]
enum Steps {
    Given(Arc<Repeat>),
    /// The first one is the repeat that the others are from.
    Short(Box<[Short]>),
}

#[derive(Debug)]
enum Short {
    From(Arc<Repeat>),
    Work(Work),
    Send(SendMode, Fields),
    Recv(Fields),
    /// Whatever else.
    Long,
}

/// Of a send or receive that names partner and tag.
#[derive(Clone, Copy, Debug)]
struct Fields {
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
pub(super) enum Next<'c> {
    Work(Work),
    Event(Event),
    Long(&'c Step),
}

impl Cursor {
    /// At the begin; `None` where nothing is repeated. `far`: there are so many tasks that the steps of one do not stay in
    /// the caches until it is its turn again.
    pub fn new(repeat: Arc<Repeat>, far: bool) -> Option<Self> {
        let left = NonZeroU64::new(repeat.times).filter(|_| !repeat.steps.is_empty())?;
        let steps = if left.get() < OFTEN || !far { Steps::Given(repeat) } else { Steps::Short(shortened(repeat)) };
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
            Steps::Given(repeat) => index < repeat.steps.len(),
            Steps::Short(steps) => index + 1 < steps.len(),
        };
        self.index += u32::from(more);
        more
    }

    /// The step that was begun last; at the begin the first one.
    #[inline]
    pub fn current(&self) -> Next<'_> {
        let index = (self.index as usize).saturating_sub(1);
        match &self.steps {
            Steps::Given(repeat) => Next::Long(&repeat.steps[index]),
            Steps::Short(steps) => match &steps[index + 1] {
                Short::Work(work) => Next::Work(*work),
                Short::Send(mode, fields) => Next::Event(fields.send(*mode)),
                Short::Recv(fields) => Next::Event(fields.receive()),
                Short::From(_) | Short::Long => Next::Long(&self.steps.repeat().steps[index]),
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

    /// Brings near what so many of the next steps are made of: see `foresight`.
    pub fn fetch(&self, steps: usize) {
        let index = self.index as usize;
        match &self.steps {
            Steps::Given(repeat) => {
                repeat.steps.iter().skip(index).chain(&repeat.steps).take(steps).for_each(fetch);
            }
            Steps::Short(short) => {
                short.iter().skip(index + 1).chain(short.iter().skip(1)).take(steps).for_each(fetch);
            }
        }
    }
}

impl Steps {
    fn repeat(&self) -> &Arc<Repeat> {
        match self {
            Self::Given(repeat) => repeat,
            Self::Short(steps) => match &steps[0] {
                Short::From(repeat) => repeat,
                _ => unreachable!("`shortened` puts the repeat first"),
            },
        }
    }
}

fn shortened(repeat: Arc<Repeat>) -> Box<[Short]> {
    let steps: Vec<Short> = repeat.steps.iter().map(short).collect();
    std::iter::once(Short::From(repeat)).chain(steps).collect()
}

fn short(step: &Step) -> Short {
    match step {
        Step::Work(work) => Short::Work(*work),
        Step::Event(event) => short_event(event).unwrap_or(Short::Long),
        _ => Short::Long,
    }
}

fn short_event(event: &Event) -> Option<Short> {
    let site = event.site.map_or((NONE, NONE), |site| (site.context.0, site.block.0));
    let fields = |partner: TaskId, tag: i32, comm: CommId, bytes: Bytes, request: Option<RequestId>| {
        let bytes = u32::try_from(bytes.0).ok()?;
        let known = site != (NONE, 0) && request != Some(RequestId(NONE));
        let request = request.map_or(NONE, |request| request.0);
        known.then_some(Fields { partner: partner.0, tag, comm: comm.0, bytes, request, site })
    };
    match event.operation {
        Operation::Send { to, tag, comm, bytes, mode, request } => {
            Some(Short::Send(mode, fields(to, tag, comm, bytes, request)?))
        }
        Operation::Recv { from: Some(from), tag: Some(tag), comm, bytes, request } => {
            Some(Short::Recv(fields(from, tag, comm, bytes, request)?))
        }
        _ => None,
    }
}

impl Fields {
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
        let mut cursor = Cursor::new(Arc::new(repeat), true).unwrap();
        let mut all = Vec::new();
        loop {
            while cursor.advance() {
                let step = match cursor.current() {
                    Next::Work(work) => Step::Work(work),
                    Next::Event(event) => Step::Event(Arc::new(event)),
                    Next::Long(step) => step.clone(),
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
        assert_eq!(size_of::<Short>(), 32);
        assert_eq!((size_of::<Cursor>(), size_of::<Option<Cursor>>()), (32, 32));
        let site = Some(Site { context: ContextId(4), block: BlockId(5) });
        let event = |operation, site| Step::Event(Arc::new(Event { operation, site }));
        let (comm, mode) = (CommId(3), SendMode::Synchronous);
        let request = Some(RequestId(6));
        let send = |bytes| Operation::Send { to: TaskId(1), tag: 2, comm, bytes: Bytes(bytes), mode, request };
        let recv = |from| Operation::Recv { from, tag: Some(7), comm, bytes: Bytes(9), request: None };
        let steps = vec![
            Step::Work(Work::Segment(crate::activity::SegmentId(1))),
            event(send(8), site),
            event(send(1 << 40), None),
            event(recv(Some(TaskId(2))), None),
            event(recv(None), site),
            Step::Repeat(Arc::new(Repeat { steps: Vec::new(), times: 1 })),
        ];
        for times in [1, 3, OFTEN, 20] {
            let expected: Vec<Step> = steps.iter().cloned().cycle().take(steps.len() * times as usize).collect();
            assert_eq!(walked(Repeat { steps: steps.clone(), times }), expected);
        }
        assert!(Cursor::new(Arc::new(Repeat { steps, times: 0 }), true).is_none());
    }
}
