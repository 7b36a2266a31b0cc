//! Many replays of one activity, each with other computing times (what-if questions).
//!
//! Each segment is priced once, block by block; a replay asks what is left of the time of each block. What an order of
//! arrival decides is evaluated anew in each replay, because another timing may be another program.

use crate::cache_factors::CacheFactors;
use crate::evaluation::Job;
use crate::evaluation::{clocks, random_numbers};
use crate::pricing::Prices;
use crate::target::Target;
use crate::{Evaluated, evaluation, with_pricing};
use chronos_activity::{Activity, ContextId, SegmentId, Segments, Site, TaskId, Work};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id as _;
use chronos_base::units::Picoseconds;
use chronos_cost::{EntryCost, Priced};
use chronos_ir::BlockId;
use chronos_machine::network::Network;
use chronos_machine::platform::Platform;
use chronos_replay::{self as replay, FasterMessages, ReplayOptions, ReplayResult};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What is left of the time of a block in a context, as a factor: 1 where nothing changes.
pub type Remaining<'r> = dyn Fn(TaskId, &EntryCost, &Segments) -> f64 + Sync + 'r;

/// Nothing changes.
pub fn unchanged(_: TaskId, _: &EntryCost, _: &Segments) -> f64 {
    1.0
}

/// An activity with its prices on a target.
pub struct Replays<'a> {
    job: &'a Job,
    target: Target<'a>,
    activity: Cow<'a, Activity>,
    /// By kind of machine; without those of an activity that is evaluated anew.
    prices: Vec<Vec<Priced>>,
    /// Empty where there is one kind.
    kinds: Vec<u32>,
    /// What blocks find in the caches, of an activity that is evaluated anew.
    caches: CacheFactors,
}

/// What to keep of a replay, and what is other in it than the network says.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Nothing but when the last task ends.
    pub total_alone: bool,
    /// The critical path.
    pub path: bool,
    /// What tasks did and whom they waited for; in place of the critical path.
    pub waiting: bool,
    /// So many spans and messages.
    pub spans: usize,
    /// Messages that take less time than the network says.
    pub faster: Option<FasterMessages>,
    /// Other nodes and links in place of the target's, with the same machines.
    pub platform: Option<Platform>,
    /// Other figures of the network in place of the target's.
    pub network: Option<Network>,
    /// Stretches of each task's time, to add up what it did there.
    pub windows: Vec<Vec<(Picoseconds, Picoseconds)>>,
}

impl Kept {
    /// When the last task ends alone.
    fn total() -> Self {
        Self { total_alone: true, ..Self::default() }
    }

    /// The critical path alone.
    pub fn path() -> Self {
        Self { path: true, ..Self::default() }
    }

    /// What tasks waited for alone.
    pub fn waiting() -> Self {
        Self { waiting: true, ..Self::default() }
    }
}

/// A replay and the segments that its tasks executed.
pub struct Replayed<'r> {
    /// Times of all tasks.
    pub result: ReplayResult,
    /// All segments that the result names.
    pub segments: Cow<'r, Segments>,
    /// Messages that took less time in it than the network says.
    pub faster: Option<FasterMessages>,
}

/// What the critical path consists of.
#[derive(Clone, Debug, Default)]
pub struct PathTimes {
    /// Seconds of computing, by task and place.
    pub computing: BTreeMap<(TaskId, ContextId, BlockId), f64>,
    /// Seconds in MPI calls, waiting included, by task and call.
    pub calls: BTreeMap<(TaskId, Site), f64>,
    /// Seconds in which tasks are ready and others have the processor.
    pub ready: BTreeMap<TaskId, f64>,
    /// Messages between two tasks and their seconds, where the path waits for them.
    pub links: BTreeMap<(TaskId, TaskId), (u64, f64)>,
}

impl<'a> Replays<'a> {
    /// Of what was evaluated.
    pub fn new(job: &'a Job, target: Target<'a>, evaluated: &'a Evaluated) -> Self {
        let caches = evaluated.found.clocks.caches.clone();
        Self { caches, ..Self::of(job, target, Cow::Borrowed(&evaluated.activity)) }
    }

    /// Of an activity that was made of one that was evaluated.
    pub fn of(job: &'a Job, target: Target<'a>, activity: Cow<'a, Activity>) -> Self {
        let target = Target { timeline: false, ..target };
        let (prices, kinds) = match activity.timing_dependent {
            true => Default::default(),
            false => Prices::of_activity(job, target, &activity).into_table(&activity.segments),
        };
        Self { job, target, activity, prices, kinds, caches: CacheFactors::default() }
    }

    /// The job.
    pub fn job(&self) -> &'a Job {
        self.job
    }

    /// Where it is replayed.
    pub fn target(&self) -> Target<'a> {
        self.target
    }

    /// What is replayed; another one is evaluated in each replay where it depends on arrival.
    pub fn activity(&self) -> &Activity {
        &self.activity
    }

    /// The time until the last task ends; `None` where a task does not end.
    pub fn total(&self, remaining: &Remaining<'_>) -> Option<Picoseconds> {
        let result = self.replay(remaining, &Kept::total()).result;
        result.complete.then_some(result.total)
    }

    /// The same where some messages take less time.
    pub fn total_with(&self, faster: FasterMessages) -> Option<Picoseconds> {
        let result = self.replay(&unchanged, &Kept { faster: Some(faster), ..Kept::total() }).result;
        result.complete.then_some(result.total)
    }

    /// The same where the network has other figures.
    pub fn total_over(&self, network: Network) -> Option<Picoseconds> {
        let result = self.replay(&unchanged, &Kept { network: Some(network), ..Kept::total() }).result;
        result.complete.then_some(result.total)
    }

    /// The same on other nodes and links, with the same machines.
    pub fn total_on(&self, platform: Platform) -> Option<Picoseconds> {
        let result = self.replay(&unchanged, &Kept { platform: Some(platform), ..Kept::total() }).result;
        result.complete.then_some(result.total)
    }

    /// One replay.
    pub fn replay(&self, remaining: &Remaining<'_>, kept: &Kept) -> Replayed<'_> {
        if self.activity.timing_dependent {
            return self.evaluate_anew(remaining, kept);
        }
        let mut times = Times::new(self.activity.tasks.len(), self.activity.segments.len());
        let mut pricing = |task: TaskId, work: Work, _: &Segments| match work {
            Work::Time(time) => time,
            Work::Segment(id) => times.get(task, id, || self.time(task, id, remaining)),
        };
        let result = with_pricing(self.job, kept.on(self.target), &mut pricing, |options| {
            replay::replay_activity(&self.activity, kept.options(options))
        });
        Replayed { result, segments: Cow::Borrowed(&self.activity.segments), faster: kept.faster }
    }

    fn evaluate_anew(&self, remaining: &Remaining<'_>, kept: &Kept) -> Replayed<'_> {
        let mut evaluate = |job: &Job| {
            let mut prices = Prices::with_caches(job, self.target, &self.caches);
            let mut pricing = |task: TaskId, work: Work, segments: &Segments| {
                let whole = prices.time(task, work, segments);
                let Work::Segment(id) = work else { return whole };
                prices.parts(task, id).map_or(whole, |priced| time(task, priced, segments, remaining))
            };
            with_pricing(job, kept.on(self.target), &mut pricing, |options| {
                evaluation::evaluate(job, kept.options(options))
            })
        };
        let evaluation =
            clocks::followed_if_they_decide(self.job, |job| random_numbers::followed_if_few(job, &mut evaluate));
        Replayed { result: evaluation.result, segments: Cow::Owned(evaluation.segments), faster: kept.faster }
    }

    /// The price of a segment of the activity, block by block; `None` where it is evaluated anew in each replay.
    pub fn price(&self, task: TaskId, segment: SegmentId) -> Option<&Priced> {
        let kind = self.kinds.get(task.index()).map_or(0, |&kind| kind as usize);
        self.prices.get(kind)?.get(segment.index())
    }

    /// The time of a segment of the activity; none where it is evaluated anew.
    pub fn time(&self, task: TaskId, segment: SegmentId, remaining: &Remaining<'_>) -> Picoseconds {
        let priced = self.price(task, segment);
        priced.map_or(Picoseconds::ZERO, |priced| time(task, priced, &self.activity.segments, remaining))
    }

    /// The time of a computing step of the activity.
    pub fn work_time(&self, task: TaskId, work: Work, remaining: &Remaining<'_>) -> Picoseconds {
        match work {
            Work::Time(time) => time,
            Work::Segment(id) => self.time(task, id, remaining),
        }
    }

    /// Prices of the segments of a replay, also where that evaluated the program anew.
    pub fn prices_of_replay(&self) -> ReplayPrices<'_, 'a> {
        let anew = self.activity.timing_dependent.then(|| Prices::with_caches(self.job, self.target, &self.caches));
        ReplayPrices { replays: self, anew }
    }

    /// The same replay once more, with what tasks did on the critical path of `replayed`.
    pub fn path_times(&self, replayed: &Replayed<'_>, remaining: &Remaining<'_>) -> PathTimes {
        let mut times = PathTimes::default();
        times.add_links(&replayed.result);
        let windows = replayed.result.path_windows();
        let kept = Kept { windows, faster: replayed.faster, ..Kept::default() };
        let mut prices = self.prices_of_replay();
        let again = self.replay(remaining, &kept);
        for (task, window) in (0..).map(TaskId).zip(&again.result.windows) {
            for &(id, on_path) in &window.segments {
                let priced = prices.price(task, id, &again.segments);
                times.add_segment(task, on_path, &priced, &|entry| remaining(task, entry, &again.segments));
            }
            if window.ready > Picoseconds::ZERO {
                times.ready.insert(task, window.ready.as_seconds());
            }
            times.calls.extend(window.sites.iter().map(|&(site, time)| ((task, site), time.as_seconds())));
        }
        times
    }
}

/// Times of segments under one change, each found once.
enum Times {
    /// By task and segment; `UNKNOWN` as long as nobody has asked. A replay asks for each step, so that looking them up counts.
    Dense(Vec<Picoseconds>, usize),
    /// Where that would be a large table.
    Sparse(FxHashMap<(TaskId, SegmentId), Picoseconds>),
}

/// The largest table, in times of 8 bytes.
const MOST_DENSE: usize = 1 << 22;
/// No segment takes as long: clocks end before.
const UNKNOWN: Picoseconds = Picoseconds(u64::MAX);

impl Times {
    fn new(tasks: usize, segments: usize) -> Self {
        match tasks.saturating_mul(segments) {
            all if all <= MOST_DENSE => Self::Dense(vec![UNKNOWN; all], segments),
            _ => Self::Sparse(FxHashMap::default()),
        }
    }

    fn get(&mut self, task: TaskId, id: SegmentId, time: impl FnOnce() -> Picoseconds) -> Picoseconds {
        let known = match self {
            Self::Sparse(times) => return *times.entry((task, id)).or_insert_with(time),
            Self::Dense(times, segments) => &mut times[task.index() * *segments + id.index()],
        };
        if *known == UNKNOWN {
            *known = time();
        }
        *known
    }
}

/// Prices of the segments of a replay.
pub struct ReplayPrices<'s, 'a> {
    replays: &'s Replays<'a>,
    /// Of an activity that is evaluated anew.
    anew: Option<Prices<'a>>,
}

impl<'s> ReplayPrices<'s, '_> {
    /// A segment of a replay, whose segments are `segments`, block by block.
    pub fn price(&mut self, task: TaskId, id: SegmentId, segments: &Segments) -> Cow<'s, Priced> {
        let Some(prices) = &mut self.anew else {
            return self.replays.price(task, id).map_or_else(Default::default, Cow::Borrowed);
        };
        prices.time(task, Work::Segment(id), segments);
        Cow::Owned(prices.parts(task, id).cloned().unwrap_or_default())
    }
}

impl Kept {
    fn on<'k>(&'k self, target: Target<'k>) -> Target<'k> {
        Target {
            platform: self.platform.as_ref().or(target.platform),
            network: self.network.as_ref().unwrap_or(target.network),
            ..target
        }
    }

    fn options<'o>(&self, options: ReplayOptions<'o>) -> ReplayOptions<'o> {
        let (timeline, messages, windows) = (self.spans, self.spans, self.windows.clone());
        ReplayOptions {
            critical_path: self.path,
            total_alone: self.total_alone,
            waiting: self.waiting,
            faster: self.faster,
            path_in_collectives: self.path,
            timeline,
            messages,
            windows,
            ..options
        }
    }
}

impl PathTimes {
    /// Of a segment that lies on the path in part, each block has its share.
    fn add_segment(&mut self, task: TaskId, on_path: Picoseconds, priced: &Priced, left: &dyn Fn(&EntryCost) -> f64) {
        let own = |entry: &EntryCost| entry.time.0 * left(entry);
        let whole: f64 = priced.entries.iter().map(own).sum();
        for entry in priced.entries.iter().filter(|_| whole > 0.0) {
            *self.computing.entry((task, entry.context, entry.block)).or_default() +=
                on_path.as_seconds() * own(entry) / whole;
        }
    }

    fn add_links(&mut self, result: &ReplayResult) {
        for part in &result.critical_path {
            let Some(partner) = part.partner.filter(|&partner| partner != part.task) else { continue };
            let link = self.links.entry((partner, part.task)).or_default();
            *link = (link.0 + 1, link.1 + part.message.as_seconds());
        }
    }
}

fn time(task: TaskId, priced: &Priced, segments: &Segments, remaining: &Remaining<'_>) -> Picoseconds {
    let left = priced.entries.iter().map(|entry| entry.time.0 * remaining(task, entry, segments));
    Picoseconds::from_nanoseconds(left.sum())
}
