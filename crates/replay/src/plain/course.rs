//! What tasks do, as short operations that tasks with equal steps share.

use super::messages::MessageSizes;
use crate::options::ReplayOptions;
use chronos_activity::{
    Activity, Collective, CollectiveKind, CommId, Event, Operation, Repeat, RequestId, SegmentId, SendMode, Site, Step,
    TaskId, Volume, Work,
};
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;

/// No site, no wait.
pub(super) const NONE: u32 = u32::MAX;
/// Repeats inside one another.
pub(super) const DEPTH: usize = 4;
/// Steps of a task, in the mean, from which on iterations that repeat are better looked for.
const MOST_STEPS: u64 = 1 << 12;
/// Receives of a task that are open at once.
const MOST_OPEN: u16 = 64;

/// One operation. Partners are so many ranks ahead, around the end of all numbers; `site` is among those of the course.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    /// Works of the course.
    Compute {
        work: u32,
        times: u64,
    },
    Send {
        ahead: u32,
        tag: i32,
        comm: u32,
        size: u32,
        /// The call is over when the message has left, which a receive has to grant.
        waits: bool,
        site: u32,
    },
    Recv {
        receive: Receive,
        site: u32,
    },
    /// For these slots of `Course::waits`.
    Wait {
        first: u32,
        count: u32,
        site: u32,
    },
    Collective {
        index: u32,
        site: u32,
    },
    Local {
        site: u32,
    },
    ReadClock {
        call: u32,
        site: u32,
    },
    Elapsed {
        from: u32,
        to: u32,
    },
    Enter {
        times: u32,
    },
    /// Again from the operation behind its `Enter`, as often as that says.
    Again {
        from: u32,
    },
    End,
}

/// A receive as the program asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Receive {
    pub ahead: u32,
    pub tag: i32,
    pub comm: u32,
    pub room: u64,
    pub slot: u16,
    pub way: Way,
}

/// How a task receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Way {
    Blocking,
    /// It is a call of its own, which takes time.
    Request,
    /// It begins where a blocking one stands.
    Split,
}

/// What some tasks do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Course {
    pub ops: Vec<Op>,
    pub waits: Vec<u16>,
    pub sites: Vec<Site>,
    works: Vec<(bool, u64)>,
    /// How often each segment is executed, sorted.
    pub segments: Vec<(SegmentId, u64)>,
    pub slots: u16,
    steps: u64,
}

/// Courses and prices of all tasks.
pub(super) struct Courses {
    pub courses: Vec<Course>,
    pub prices: Vec<Vec<Picoseconds>>,
    /// Course and prices of each task.
    pub of_task: Vec<(u32, u32)>,
    pub sizes: MessageSizes,
    pub collectives: Vec<Collective>,
    steps: u64,
}

impl Courses {
    /// `None` where a task does something that is not plain, or tasks do very much.
    pub fn new(activity: &Activity, options: &mut ReplayOptions<'_>) -> Option<Self> {
        let mut shared = Shared { sizes: MessageSizes::new(options.network), ..Shared::default() };
        let (mut known, mut known_prices) = (FxHashMap::default(), FxHashMap::default());
        let (mut courses, mut prices): (Vec<Course>, Vec<Vec<Picoseconds>>) = Default::default();
        let (mut of_task, mut all_steps) = (Vec::with_capacity(activity.tasks.len()), 0u64);
        for (task, steps) in (0..).map(TaskId).zip(&activity.tasks) {
            let course = Writer::new(task, &mut shared).written(steps)?;
            let mut price = |work: &(bool, u64)| (options.pricing)(task, given_work(*work), &activity.segments);
            let own: Vec<Picoseconds> = course.works.iter().map(&mut price).collect();
            all_steps = all_steps.saturating_add(course.steps);
            if all_steps / activity.tasks.len() as u64 > MOST_STEPS {
                return None;
            }
            let price = *known_prices.entry(own).or_insert_with_key(|own| {
                prices.push(own.clone());
                prices.len() as u32 - 1
            });
            let course = *known.entry(course).or_insert_with_key(|course| {
                courses.push(course.clone());
                courses.len() as u32 - 1
            });
            of_task.push((course, price));
        }
        let Shared { sizes, collectives, .. } = shared;
        Some(Self { courses, prices, of_task, sizes, collectives, steps: all_steps })
    }

    /// Steps of all tasks.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

fn given_work((is_time, number): (bool, u64)) -> Work {
    if is_time { Work::Time(Picoseconds(number)) } else { Work::Segment(SegmentId(number as u32)) }
}

fn numbered_work(work: Work) -> (bool, u64) {
    match work {
        Work::Time(time) => (true, time.0),
        Work::Segment(id) => (false, u64::from(id.0)),
    }
}

/// What tasks have in common.
#[derive(Default)]
struct Shared {
    sizes: MessageSizes,
    collectives: Vec<Collective>,
    known: FxHashMap<(CollectiveKind, CommId, Option<TaskId>, u64), u32>,
}

/// What a request stands for.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    Send,
    Receive(u16),
}

/// Writes the course of one task.
struct Writer<'s> {
    task: TaskId,
    shared: &'s mut Shared,
    course: Course,
    open: FxHashMap<RequestId, Open>,
    /// Slots that a receive has.
    taken: u64,
    depth: usize,
    segments: FxHashMap<SegmentId, u64>,
}

impl<'s> Writer<'s> {
    fn new(task: TaskId, shared: &'s mut Shared) -> Self {
        let (open, segments) = Default::default();
        Self { task, shared, course: Course::default(), open, taken: 0, depth: 0, segments }
    }

    fn written(mut self, steps: &[Step]) -> Option<Course> {
        let end = steps.iter().position(|step| matches!(step, Step::End)).unwrap_or(steps.len());
        self.course.steps = self.steps(&steps[..end], 1)?.checked_add(1)?;
        self.course.ops.push(Op::End);
        self.course.segments = self.segments.into_iter().collect();
        self.course.segments.sort_unstable();
        self.open.is_empty().then_some(self.course)
    }

    /// Steps that are executed so many times; how many one execution has.
    fn steps(&mut self, steps: &[Step], times: u64) -> Option<u64> {
        let mut count = 0u64;
        for step in steps {
            count = count.checked_add(match step {
                Step::Work(work) => self.work(*work, 1, times)?,
                Step::Event(event) => self.event(event)?,
                Step::Repeat(repeat) => self.repeat(repeat, times)?,
                Step::LoopEnter | Step::LoopIteration | Step::LoopExit => 1,
                Step::Spin(_) | Step::End | Step::Stuck => return None,
            })?;
        }
        Some(count)
    }

    fn work(&mut self, work: Work, times: u64, outer: u64) -> Option<u64> {
        if let Work::Segment(id) = work {
            let count = self.segments.entry(id).or_default();
            *count = count.checked_add(times.checked_mul(outer)?)?;
        }
        let work = position(&mut self.course.works, numbered_work(work));
        self.course.ops.push(Op::Compute { work, times });
        Some(1)
    }

    fn repeat(&mut self, repeat: &Repeat, outer: u64) -> Option<u64> {
        if repeat.times == 0 || repeat.steps.is_empty() {
            return Some(1);
        }
        if repeat.steps.iter().all(|step| matches!(step, Step::Work(_))) {
            for step in &repeat.steps {
                if let Step::Work(work) = step {
                    self.work(*work, repeat.times, outer)?;
                }
            }
            return Some(1);
        }
        self.depth += 1;
        let times = u32::try_from(repeat.times).ok().filter(|_| self.depth <= DEPTH)?;
        self.course.ops.push(Op::Enter { times });
        let from = self.course.ops.len() as u32;
        let open = self.open.clone();
        let count = self.steps(&repeat.steps, outer.checked_mul(repeat.times)?)?;
        self.course.ops.push(Op::Again { from });
        self.depth -= 1;
        // Each iteration finds the same requests open.
        (open == self.open).then_some(count.checked_mul(repeat.times)?.checked_add(1)?)
    }

    fn event(&mut self, event: &Event) -> Option<u64> {
        let site = event.site.map_or(NONE, |site| position(&mut self.course.sites, site));
        let op = match &event.operation {
            &Operation::Send { to, tag, comm, bytes, mode, request } => {
                let size = self.shared.sizes.of(bytes.0);
                let waits = match mode {
                    SendMode::Synchronous => true,
                    SendMode::Buffered => false,
                    SendMode::Standard | SendMode::Ready => !self.shared.sizes[size].cost.eager,
                };
                // Who does something else while a message waits for its receive may send others before it.
                let plain = to != self.task && !(waits && request.is_some()) && self.begin(request, Open::Send);
                let ahead = to.0.wrapping_sub(self.task.0);
                plain.then_some(Op::Send { ahead, tag, comm: comm.0, size, waits, site })?
            }
            &Operation::Recv { from: Some(from), tag: Some(tag), comm, bytes, request } => {
                let slot = self.free_slot().filter(|_| from != self.task)?;
                let way = match request {
                    None => Way::Blocking,
                    Some(request) if request.is_of_blocking() => Way::Split,
                    Some(_) => Way::Request,
                };
                if request.is_some() {
                    self.taken |= 1 << slot;
                }
                let ahead = from.0.wrapping_sub(self.task.0);
                let receive = Receive { ahead, tag, comm: comm.0, room: bytes.0, slot, way };
                self.begin(request, Open::Receive(slot)).then_some(Op::Recv { receive, site })?
            }
            Operation::WaitAll { requests } => self.wait(requests, site)?,
            Operation::Collective(collective) => Op::Collective { index: self.collective(collective)?, site },
            Operation::Local { .. } => Op::Local { site },
            Operation::ReadClock { slot } => Op::ReadClock { call: slot.0, site },
            Operation::Elapsed { from, to } => Op::Elapsed { from: from.0, to: to.0 },
            _ => return None,
        };
        self.course.ops.push(op);
        Some(1)
    }

    /// Whether the request stands for nothing else yet.
    fn begin(&mut self, request: Option<RequestId>, open: Open) -> bool {
        request.is_none_or(|request| self.open.insert(request, open).is_none())
    }

    fn free_slot(&mut self) -> Option<u16> {
        let slot = self.taken.trailing_ones() as u16;
        self.course.slots = self.course.slots.max(slot + 1);
        (slot < MOST_OPEN).then_some(slot)
    }

    /// Sends are over when they have begun, so that receives are waited for alone.
    fn wait(&mut self, requests: &[RequestId], site: u32) -> Option<Op> {
        let first = self.course.waits.len() as u32;
        for (at, request) in requests.iter().enumerate() {
            if requests[..at].contains(request) {
                return None;
            }
            if let Some(Open::Receive(slot)) = self.open.remove(request) {
                self.taken &= !(1 << slot);
                self.course.waits.push(slot);
            }
        }
        Some(Op::Wait { first, count: self.course.waits.len() as u32 - first, site })
    }

    /// No receive of a call is open meanwhile, and members are of the same size.
    fn collective(&mut self, collective: &Collective) -> Option<u32> {
        let Volume::Each(bytes) = &collective.volume else { return None };
        if collective.request.is_some() || self.taken != 0 {
            return None;
        }
        let key = (collective.kind, collective.comm, collective.root, bytes.0);
        let Shared { collectives, known, .. } = &mut *self.shared;
        Some(*known.entry(key).or_insert_with(|| {
            collectives.push(collective.clone());
            collectives.len() as u32 - 1
        }))
    }
}

/// Where something is in a short list, to which it is added where it is new.
fn position<T: PartialEq>(list: &mut Vec<T>, item: T) -> u32 {
    let found = list.iter().position(|other| *other == item);
    found.unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    }) as u32
}
