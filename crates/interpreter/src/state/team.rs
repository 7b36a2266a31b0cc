//! The threads of a parallel region (OpenMP): those that wait, and what each has counted since the last barrier.

use crate::state::open_counts::Layer;
use crate::state::posix_threads::Started;
use crate::state::task::{Frame, LoopState};
use chronos_activity::{ContextId, Interval, Segment};
use chronos_ir::BlockId;
use chronos_values::storage::Content;
use chronos_values::{ObjectId, Value};

/// What a thread of a team has for itself where it stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Thread {
    /// The frame that the region stands in, and those above.
    pub frames: Vec<Frame>,
    pub stack: Vec<Value>,
    /// Loops that were entered in the region.
    pub loops: Vec<LoopState>,
    /// Objects of its own: copies of the variables that the region declares.
    pub objects: Vec<ObjectId>,
    /// Its values of variables that are `threadprivate`, where the thread does not run.
    pub private: ThreadPrivate,
    pub state: ThreadState,
    pub stage: Stage,
}

/// Values of the variables that are `threadprivate`: of task registers, and of objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadPrivate {
    pub globals: Vec<(u32, Value)>,
    pub contents: Vec<(ObjectId, Content)>,
}

/// What OpenMP knows of a thread.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ThreadState {
    /// `single` constructs that it came to in the region.
    pub singles: u32,
    /// Parallel regions of one thread that it is in, inside of the innermost region with several.
    pub inactive: u32,
    /// Its part of the loop that it came to last.
    pub share: Share,
    /// Critical sections and locks that it is in.
    pub locked: u32,
}

/// The team of a league that runs, and what holds for it (`teams`).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct League {
    pub team: u32,
    /// None outside of leagues.
    pub teams: u32,
    /// Most threads of a region in it; none where nothing says so.
    pub limit: u32,
}

/// How far a thread has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    #[default]
    Ready,
    /// It looks at what others write, and may wait for it: they run first.
    Looking,
    AtBarrier,
    Ended,
}

/// Numbers of a share: of one loop its begin, end, width and stride of chunks; of nested loops three for each of them.
pub(crate) type Range = [i64; 15];

/// The part of a worksharing loop that a thread executes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    /// What `__chronos_omp_range` gives, by its argument; unknown where the bounds are.
    pub range: Option<Range>,
    /// The thread executes the last iteration.
    pub last: bool,
    /// Which thread executes an iteration is decided in the run.
    pub dynamic: bool,
}

/// A team of several threads. They are executed one after the other, each up to the next barrier: of the orders that a run may
/// have, one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Team {
    pub threads: Vec<Thread>,
    pub current: usize,
    /// What the task has of frames, stack and loops below the region.
    pub frames: usize,
    pub stack: usize,
    pub loops: usize,
    pub splits: usize,
    /// Allocations of the frame that were made in front of the region.
    pub allocations: usize,
    pub site: Option<(ContextId, BlockId)>,
    /// What was counted in front of the region; it is nobody's where the region was handed out apart.
    pub outside: Option<Layer>,
    /// By thread, since the last barrier.
    pub parts: Vec<Segment>,
    /// Pieces of work that are not bound to a thread, since the last barrier.
    pub pieces: u64,
    pub intervals: Vec<Interval>,
    /// `single` constructs that a thread has taken.
    pub singles: u32,
    /// Of threads that POSIX started; none of a region of OpenMP.
    pub posix: Option<Box<Started>>,
}

impl Team {
    pub fn size(&self) -> u32 {
        u32::try_from(self.threads.len()).unwrap_or(u32::MAX)
    }

    /// The region whose begin and end cost time; threads of POSIX cost that where they are started and joined.
    pub fn region(&self) -> Option<(ContextId, BlockId)> {
        self.site.filter(|_| self.posix.is_none())
    }

    /// All threads have come to the barrier, or to the end: what they counted is one interval.
    pub fn close_interval(&mut self) {
        let empty = vec![Segment::default(); self.threads.len()];
        let threads = std::mem::replace(&mut self.parts, empty);
        let pieces = std::mem::take(&mut self.pieces);
        self.intervals.push(Interval { threads, pieces });
    }

    /// The thread to go on with, if all do not wait: the next one that can.
    pub fn ready(&self) -> Option<usize> {
        // The next ones by number, so that a thread that waits for another one does not keep it from running.
        let count = self.threads.len();
        let next = |stage: Stage| {
            let mut order = (1..=count).map(|step| (self.current + step) % count);
            order.find(|&at| self.threads[at].stage == stage)
        };
        next(Stage::Ready).or_else(|| next(Stage::Looking))
    }
}

/// Adds up counts and volumes of segments.
pub(crate) fn sum<'s>(parts: impl Iterator<Item = &'s Segment> + Clone) -> Segment {
    let mut counts = std::collections::BTreeMap::new();
    let mut volumes = std::collections::BTreeMap::new();
    for part in parts {
        for &(context, counter, count) in &part.counts {
            *counts.entry((context, counter)).or_insert(chronos_activity::Count::ZERO) += count;
        }
        for &(context, block, bytes) in &part.volumes {
            *volumes.entry((context, block)).or_insert(0.0) += bytes;
        }
    }
    Segment {
        counts: counts.into_iter().map(|((context, counter), count)| (context, counter, count)).collect(),
        volumes: volumes.into_iter().map(|((context, block), bytes)| (context, block, bytes)).collect(),
        ..Segment::default()
    }
}
