//! Activity: what tasks execute and which MPI operations they ask for, without times.
//!
//! # Purpose
//!
//! The crate is the interface between what makes an activity (evaluation of a program, a trace, a file of another
//! tool) and what uses it (pricing on a machine, replay on a network). It knows neither where an activity comes from
//! nor any time but given durations.
//!
//! # How it works
//!
//! **Feeds.** The activity of a task is a sequence of [`Step`]s: segments of computation and MPI events. Whoever
//! produces them one by one, perhaps depending on what messages bring, implements [`Feed`]; the replay pulls from it
//! and hands back the outcome of each event.
//!
//! **Segments.** Every block of a program has counters: executions; for a loop iterations and entries; for a branch
//! evaluations and how often each arm was taken. A [`Segment`] is what a task executes between two MPI events: a
//! sparse vector of counts over calling context and counter. A context is a path of calls from `main` with recursion
//! folded, so inclusive times are sums over contexts. Segments and contexts are interned in [`Segments`].
//!
//! **Recording.** [`Recorder`] keeps what a feed gave. Equal iterations that follow one another become a [`Repeat`],
//! nested loops nested repeats. [`ActivityFeed`] gives a recorded [`Activity`] again, for other machines and
//! networks.
//!
//! Of an activity that was recorded in another order, `numbering` makes one with the same numbers of contexts and segments.
//!
//! **Changing an activity.** A what-if question implements `transform::Transform` and is applied by
//! `transform::apply`. This is the one point between evaluation and replay at which an activity is changed.
//!
//! **Schedules.** [`schedule`] holds activities as operations that depend on one another, 12 bytes each, in one piece
//! of memory for all tasks. A dependence on the operation before is one bit; others take about two bytes (`edges`).
//! [`frontier`] tells which operations of a task may begin as others end. It looks at a task section by section
//! ([`sections`]: behind a wait for everything nothing begins before it), so that its memory grows with what is under
//! way. Up to 64 operations of a task are bits, and who waits for whom is read from the schedule again where it may
//! matter (`frontier::window`); more of them are unpacked (`frontier::list`).
//!
//! # Invariants
//!
//! - A repeat holds no `Loop*`, `End` or `Stuck` step. Unfolding a recording gives back the recorded sequence,
//!   without the hints about loops.
//! - Ranks in events are ranks of `MPI_COMM_WORLD`. `MPI_PROC_NULL` does not occur: a call that names nobody else is
//!   [`Operation::Local`].
//! - Equal segments have equal ids. The shares of mispredicted branches take no part in that: a segment has those that
//!   were known when it was first seen, and where one task was followed, those of its whole activity once that has ended.
//! - `Activity::timing_dependent` says that the structure depends on the order of arrival, so that another timing
//!   needs another evaluation.
//!
//! # Limits
//!
//! - A count is an integer of 128 bits; sums and products beyond become expected values in double precision.
//! - A schedule numbers operations of a task and tasks by 32 bits.
//!
//! # Literature
//!
//! - Calling contexts: Ammons, Ball, Larus: Exploiting hardware performance counters with flow and context sensitive
//!   profiling, PLDI 1997.
//! - Schedules have the form of GOAL: Hoefler, Siebert, Lumsdaine: Group Operation Assembly Language, ICPP 2009.

#![forbid(unsafe_code)]

pub mod count;
pub mod draft;
mod edges;
pub mod event;
pub mod executed;
pub mod frontier;
pub mod numbering;
pub mod record;
pub mod schedule;
pub mod sections;
pub mod stored;
pub mod transform;

pub use count::{Count, CountSource, CountValue};
pub use event::{
    Arrival, Collective, CollectiveKind, Event, GRANT, MessageId, Operation, Outcome, SendMode, Site, Volume,
};
pub use record::Recorder;
pub use stored::ActivityFeed;

use chronos_base::hash::FxHashMap;
use chronos_base::ids::Table;
use chronos_base::units::{Bytes, Picoseconds};
use chronos_ir::{BlockId, CounterId, FuncId};
use std::sync::Arc;

chronos_base::define_ids! {
    /// A task: rank in MPI_COMM_WORLD.
    TaskId = "task";
    /// An interned segment.
    SegmentId = "seg";
    /// A calling context: a path of calls from `main`.
    ContextId = "ctx";
    /// A communicator; one id for all its members. 0 is MPI_COMM_WORLD.
    CommId = "comm";
    /// A request of a task; may be reused once completed.
    RequestId = "req";
}

/// Numbers of requests from here on stand for blocking receives.
const OF_BLOCKING: u32 = 1 << 31;

impl RequestId {
    /// The request of a receive that begins where a blocking one stands and is completed later. Unlike a non-blocking
    /// receive of the program it is no further call, so that beginning it takes no time.
    pub fn of_blocking(number: u32) -> Self {
        Self(OF_BLOCKING | number)
    }

    /// Whether it is one of these.
    pub fn is_of_blocking(self) -> bool {
        self.0 >= OF_BLOCKING
    }
}

/// What a task does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Computes.
    Work(Work),
    /// Calls MPI. The feed is asked again when the event is complete, with its outcome.
    Event(Arc<Event>),
    /// `times` times the same steps; outcomes inside are not reported back. Messages sent inside
    /// count in [`MessageId`] sequence numbers as if they were unrolled.
    Repeat(Arc<Repeat>),
    /// Polls in vain: the same steps again as long as no test or probe among them succeeds. The feed is told how often
    /// ([`Outcome::Spun`]), and gives the steps one by one from there.
    Spin(Arc<Spin>),
    /// Begin of a loop that holds events: a hint for folding, no time.
    LoopEnter,
    /// Begin of an iteration of the innermost loop entered.
    LoopIteration,
    /// End of the innermost loop entered.
    LoopExit,
    /// The task left `main` or called `exit`.
    End,
    /// The task cannot be followed further; the feed holds the diagnostic.
    Stuck,
}

/// Steps that are executed several times; no `Loop*`, `End` or `Stuck` among them.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// One period.
    pub steps: Vec<Step>,
    /// Number of periods.
    pub times: u64,
}

/// A period of a task that polls and whose state no unsuccessful poll changes: work, tests, probes that do not block,
/// and calls that move no message.
#[derive(Clone, Debug, PartialEq)]
pub struct Spin {
    /// One period in which every poll fails.
    pub steps: Vec<Step>,
    /// Whole periods after which the task does something else, even though no poll has succeeded.
    pub most: u64,
}

/// A stretch of computation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// Blocks and how often, priced by a cost model.
    Segment(SegmentId),
    /// A recorded or given duration (GOAL, recorded runs).
    Time(Picoseconds),
}

/// Makes the steps of all tasks, one at a time.
pub trait Feed {
    /// Number of tasks.
    fn tasks(&self) -> usize;
    /// The next step of `task`. `outcome` is that of its previous event, `Outcome::None` otherwise.
    fn next(&mut self, task: TaskId, outcome: Outcome) -> Step;
    /// The same; a feed that makes each event anew need not put it where others can share it.
    fn next_event(&mut self, task: TaskId, outcome: Outcome) -> FeedItem {
        FeedItem::Step(self.next(task, outcome))
    }
    /// Whether it looks at the outcomes of this task's events; else they need not be put together.
    fn wants_outcome(&self, _task: TaskId) -> bool {
        true
    }
    /// The send that it gave last for a task, with a request, was over at once. Whether it will not wait for it, so
    /// that nothing need be kept of it.
    fn send_completed(&mut self, _task: TaskId, _request: RequestId) -> bool {
        false
    }
    /// The receive that it gave for a task with this request, as long as that was not waited for, where it can tell it
    /// again: then it need not be kept by others. Of calls without a site alone.
    fn pending_receive(&self, _task: TaskId, _request: RequestId) -> Option<Receive> {
        None
    }
    /// Prefetches what the next step of the task is made of; a hint that may be ignored.
    fn prefetch(&self, _task: TaskId) {}
    /// World ranks of the members of a communicator, in the order of their ranks in it.
    fn group(&self, comm: CommId) -> Arc<[TaskId]>;
    /// The number, from 1, of the window that the communicator stands for.
    fn window(&self, _comm: CommId) -> Option<usize> {
        None
    }
    /// Whether the task has stored to its own memory in a window before the step that it gave last; asked once.
    fn take_stored(&mut self, _task: TaskId) -> bool {
        false
    }
    /// Segments made so far.
    fn segments(&self) -> &Segments;
}

impl<F: Feed + ?Sized> Feed for &mut F {
    fn tasks(&self) -> usize {
        (**self).tasks()
    }

    fn next(&mut self, task: TaskId, outcome: Outcome) -> Step {
        (**self).next(task, outcome)
    }

    fn next_event(&mut self, task: TaskId, outcome: Outcome) -> FeedItem {
        (**self).next_event(task, outcome)
    }

    fn wants_outcome(&self, task: TaskId) -> bool {
        (**self).wants_outcome(task)
    }

    fn send_completed(&mut self, task: TaskId, request: RequestId) -> bool {
        (**self).send_completed(task, request)
    }

    fn pending_receive(&self, task: TaskId, request: RequestId) -> Option<Receive> {
        (**self).pending_receive(task, request)
    }

    fn prefetch(&self, task: TaskId) {
        (**self).prefetch(task);
    }

    fn group(&self, comm: CommId) -> Arc<[TaskId]> {
        (**self).group(comm)
    }

    fn take_stored(&mut self, task: TaskId) -> bool {
        (**self).take_stored(task)
    }

    fn window(&self, comm: CommId) -> Option<usize> {
        (**self).window(comm)
    }

    fn segments(&self) -> &Segments {
        (**self).segments()
    }
}

/// A receive without wildcards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receive {
    /// The sender.
    pub from: TaskId,
    /// Tag that it matches.
    pub tag: i32,
    /// Communicator that it matches.
    pub comm: CommId,
    /// Room.
    pub bytes: Bytes,
}

/// A step, or an event that nobody else has.
#[derive(Clone, Debug, PartialEq)]
pub enum FeedItem {
    /// A step that may be shared.
    Step(Step),
    /// An event made for this call alone.
    Event(Event),
}

/// A calling context. Recursion is folded: a function that is already on the path is not entered anew,
/// so every path is finite and names a function at most once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Context {
    /// `None` for `main`.
    pub parent: Option<ContextId>,
    /// The function that is executed.
    pub function: FuncId,
    /// The call block in the parent.
    pub call: Option<BlockId>,
}

/// What a task executes between two MPI events: a sparse vector of counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Segment {
    /// Sorted by context, then counter; no zero entries.
    pub counts: Vec<(ContextId, CounterId, Count)>,
    /// Bytes by calling context and call block, in total over the executions of the block; sorted.
    ///
    /// - Of library calls whose time depends on size (memset, memcpy, strlen, fread, printf): bytes handled.
    /// - Of allocators (malloc): bytes asked for.
    /// - Of MPI calls: bytes of the pages of large objects that MPI has not written before. They stand in the segment
    ///   behind the event of the call, or of the wait for its request; what a root copies for itself before it sends
    ///   stands in the segment before.
    pub volumes: Vec<(ContextId, BlockId, f64)>,
    /// Of branches and ends of loops that were followed, in the order of `counts`; it takes no part in whether two
    /// segments are equal.
    pub mispredicted: Vec<Mispredicted>,
    /// Threads that execute what is counted here beside one another; the counts are those of all of them. None: one thread
    /// executes everything.
    pub team: Option<Arc<Team>>,
}

/// Threads of a task in a parallel region, between two events of the task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Team {
    /// The call that stands for the begin of the region, in its context.
    pub site: Option<(ContextId, BlockId)>,
    /// What the threads execute from one barrier to the next. They come after one another.
    pub intervals: Vec<Interval>,
}

/// What the threads of a team execute between two barriers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interval {
    /// What each of them executes; none of these has a team.
    pub threads: Vec<Segment>,
    /// Pieces of work that whichever thread is free takes (`schedule(dynamic)`, tasks). Which thread they stand with says
    /// nothing about who executes them in a run; 0 where all is fixed.
    pub pieces: u64,
}

/// How often a branch, or the condition of a loop, goes another way than its history suggests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mispredicted {
    /// Calling context of the block.
    pub context: ContextId,
    /// The branch or loop.
    pub block: BlockId,
    /// Of its evaluations.
    pub share: f64,
}

/// All segments and contexts of an activity, interned: equal ones have equal ids.
#[derive(Clone, Debug, Default)]
pub struct Segments {
    segments: Table<SegmentId, Arc<Segment>>,
    by_hash: FxHashMap<u64, Vec<SegmentId>>,
    contexts: Table<ContextId, Context>,
    context_ids: FxHashMap<Context, ContextId>,
}

impl Segments {
    /// The id of an equal segment, entered where it is new.
    pub fn intern(&mut self, segment: Segment) -> SegmentId {
        self.intern_with(segment, |_| {})
    }

    /// As `intern`; a new segment is completed first by what makes no difference to its being equal.
    pub fn intern_with(&mut self, mut segment: Segment, complete: impl FnOnce(&mut Segment)) -> SegmentId {
        let candidates = self.by_hash.entry(segment.fingerprint()).or_default();
        if let Some(&id) = candidates.iter().find(|&&id| self.segments[id].is_like(&segment)) {
            return id;
        }
        complete(&mut segment);
        let id = self.segments.push(Arc::new(segment));
        candidates.push(id);
        id
    }

    /// Changes in each segment what makes no difference to its being equal to others.
    pub fn complete_all(&mut self, mut complete: impl FnMut(&mut Segment)) {
        self.segments.values_mut().for_each(|segment| complete(Arc::make_mut(segment)));
    }

    /// The segment of an id of this table.
    pub fn get(&self, id: SegmentId) -> &Arc<Segment> {
        &self.segments[id]
    }

    /// All segments in the order in which they were interned.
    pub fn iter(&self) -> impl Iterator<Item = (SegmentId, &Arc<Segment>)> {
        self.segments.iter()
    }

    /// Number of segments.
    pub fn len(&self) -> usize {
        self.segments.len()
    }

    /// Whether there are no segments.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// The context of `main`.
    pub fn root(&mut self, main: FuncId) -> ContextId {
        self.intern_context(Context { parent: None, function: main, call: None })
    }

    /// The context of `function` called by block `call` in `parent`; a function that is already on the
    /// path leads back to its context there.
    pub fn enter(&mut self, parent: ContextId, call: BlockId, function: FuncId) -> ContextId {
        let on_path = self.path(parent).find(|&(_, context)| context.function == function);
        match on_path {
            Some((id, _)) => id,
            None => self.intern_context(Context { parent: Some(parent), function, call: Some(call) }),
        }
    }

    /// The context and its ancestors, innermost first.
    pub fn path(&self, from: ContextId) -> impl Iterator<Item = (ContextId, Context)> {
        let with_id = |id: ContextId| (id, self.contexts[id]);
        std::iter::successors(Some(with_id(from)), move |(_, c)| c.parent.map(with_id))
    }

    /// The context of an id of this table.
    pub fn context(&self, id: ContextId) -> Context {
        self.contexts[id]
    }

    /// All contexts in the order in which they were interned.
    pub fn contexts(&self) -> impl Iterator<Item = (ContextId, &Context)> {
        self.contexts.iter()
    }

    /// The id of an equal context, entered where it is new.
    pub fn intern_context(&mut self, context: Context) -> ContextId {
        *self.context_ids.entry(context).or_insert_with(|| self.contexts.push(context))
    }
}

impl Segment {
    fn is_like(&self, other: &Self) -> bool {
        self.counts == other.counts && self.volumes == other.volumes && self.team == other.team
    }

    fn fingerprint(&self) -> u64 {
        use std::hash::{Hash, Hasher};
        let mut hasher = chronos_base::hash::FxHasher::default();
        for (context, counter, count) in &self.counts {
            (context, counter).hash(&mut hasher);
            count.hash_bits(&mut hasher);
        }
        for (context, block, bytes) in &self.volumes {
            (context, block, bytes.to_bits()).hash(&mut hasher);
        }
        let intervals = self.team.iter().flat_map(|team| &team.intervals);
        for thread in intervals.flat_map(|interval| &interval.threads) {
            thread.fingerprint().hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The team, where each of its threads executes what `change` makes of it; for whoever makes another segment of this one.
    pub fn changed_team(&self, change: &mut dyn FnMut(&Self) -> Self) -> Option<Arc<Team>> {
        let team = self.team.as_ref()?;
        let mut intervals = team.intervals.clone();
        for thread in intervals.iter_mut().flat_map(|interval| &mut interval.threads) {
            *thread = change(thread);
        }
        Some(Arc::new(Team { intervals, ..**team }))
    }

    /// Counts without regard to the context.
    pub fn by_counter(&self) -> impl Iterator<Item = (CounterId, Count)> {
        self.counts.iter().map(|&(_, counter, count)| (counter, count))
    }
}

/// A whole activity, recorded: it can be priced and replayed any number of times.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    /// Per task, folded.
    pub tasks: Vec<Vec<Step>>,
    /// All segments and contexts that the steps name.
    pub segments: Segments,
    /// World ranks of the members of each communicator, by rank in it.
    pub groups: FxHashMap<CommId, Arc<[TaskId]>>,
    /// Its structure depends on the order in which messages arrived: replaying it under another
    /// timing is an approximation, so it is evaluated anew for each machine.
    pub timing_dependent: bool,
}
