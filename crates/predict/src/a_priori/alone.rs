//! Tasks followed alone: what a few of many tasks execute, without the others.
//!
//! Most tasks of most programs do the same, so that a few tell what all of them do on average; evaluating all takes as
//! long as predicting them. Calls are over at once and bring unknown contents. Where any of that decides how often
//! something is executed or what is sent (values that are received, the order of arrival, members of a new
//! communicator), nothing is said. The module knows no times.
//!
//! Literature: Snavely and others, SC 2002, and ScalaExtrap, PPoPP 2011, take the work of many tasks from that of a few
//! representatives.

use crate::evaluation::{self, Job};
use crate::report_sections::mpi_name;
use chronos_activity::{
    Activity, Arrival, Collective, CollectiveKind, CommId, CountSource, CountValue, Event, Feed, MessageId, Operation,
    Outcome, Recorder, RequestId, Segments, Step, TaskId,
};
use chronos_base::hash::FxHashMap;
use chronos_base::units::Bytes;
use chronos_ir::Program;

/// So many tasks are followed at most; of fewer all.
const MOST_FOLLOWED: usize = 64;
/// Of more tasks none are followed: the state that each has before it begins would take gigabytes.
const MOST_TASKS: usize = 65_536;
/// Steps of all of them; whoever does more is not cheap.
const MOST_STEPS: usize = 1 << 20;
/// Collective operations of one task, times the tasks: what each of them remembers of each member.
const MOST_REMEMBERED: usize = 1 << 22;

/// Tasks that stand for all tasks of a job.
pub(super) struct FollowedTasks {
    /// Those that were followed, with the number of tasks that each stands for.
    pub tasks: Vec<(TaskId, f64)>,
    /// Their steps by rank; the others have none.
    pub activity: Activity,
}

impl FollowedTasks {
    /// `None` where what they do depends on the other tasks, or is not cheap to find out.
    pub(super) fn new(job: &Job) -> Option<Self> {
        if job.tasks > MOST_TASKS {
            return None;
        }
        let tasks = representatives(job.tasks);
        let mut evaluator = evaluation::feed(job, Vec::new());
        let mut recorder = Recorder::new(&mut evaluator);
        let mut room = MOST_STEPS;
        for &(task, _) in &tasks {
            Follower { feed: &mut recorder, job, task, open: FxHashMap::default(), collectives: 0 }
                .follow(&mut room)?;
        }
        let activity = recorder.finish();
        let found = evaluator.diagnostics();
        let certain = evaluator.uncertain().is_empty() && !found.iter().any(|found| found.is_error());
        (certain && is_exact(&activity.segments)).then_some(Self { tasks, activity })
    }
}

/// The first and the last task, which often have a border of the data, stand for themselves. The others are spread by the
/// golden section: evenly (Steinhaus' three distances), and never all in one column of a grid of tasks.
fn representatives(tasks: usize) -> Vec<(TaskId, f64)> {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let all = |ranks: Vec<usize>, weight: f64| ranks.into_iter().map(move |rank| (TaskId(rank as u32), weight));
    if tasks <= MOST_FOLLOWED {
        return all((0..tasks).collect(), 1.0).collect();
    }
    let (inner, chosen) = ((tasks - 2) as f64, MOST_FOLLOWED - 2);
    let rank = |i: usize| 1 + ((GOLDEN * (i + 1) as f64).fract() * inner) as usize;
    let mut between: Vec<usize> = (0..chosen).map(rank).collect();
    between.sort_unstable();
    between.dedup();
    let weight = inner / between.len() as f64;
    all(vec![0], 1.0).chain(all(between, weight)).chain(all(vec![tasks - 1], 1.0)).collect()
}

/// Nothing in them was assumed, expected or unknown.
fn is_exact(segments: &Segments) -> bool {
    segments
        .iter()
        .flat_map(|(_, segment)| segment.by_counter())
        .all(|(_, count)| matches!(count.value, CountValue::Exact(_)) && matches!(count.source, CountSource::Static))
}

/// One task that is followed.
struct Follower<'a, F> {
    feed: &'a mut F,
    job: &'a Job,
    task: TaskId,
    /// Receives under way.
    open: FxHashMap<RequestId, Arrival>,
    collectives: usize,
}

impl<F: Feed> Follower<'_, F> {
    /// To the end of the task.
    fn follow(mut self, room: &mut usize) -> Option<()> {
        let mut outcome = Outcome::None;
        loop {
            *room = room.checked_sub(1)?;
            outcome = match self.feed.next(self.task, outcome) {
                Step::End => return Some(()),
                Step::Stuck | Step::Spin(_) => return None,
                Step::Event(event) => self.outcome(&event)?,
                Step::Repeat(repeat) => self.repeated(&repeat.steps)?,
                Step::Work(_) | Step::LoopEnter | Step::LoopIteration | Step::LoopExit => Outcome::None,
            };
        }
    }

    /// Of repeated calls no outcome is told, and requests that are open behind them began before them.
    fn repeated(&mut self, steps: &[Step]) -> Option<Outcome> {
        for step in steps {
            match step {
                Step::Event(event) => _ = self.outcome(event)?,
                Step::Repeat(repeat) => _ = self.repeated(&repeat.steps)?,
                Step::Stuck | Step::Spin(_) => return None,
                _ => {}
            }
        }
        Some(Outcome::None)
    }

    /// How the call ends, where that is known without the other tasks.
    fn outcome(&mut self, event: &Event) -> Option<Outcome> {
        match &event.operation {
            Operation::Send { comm, .. } => is_world(*comm).then_some(Outcome::None),
            Operation::Recv { from, tag, comm, bytes, request } => {
                let arrival = arrival((*from)?, (*tag)?, *bytes, *request);
                is_world(*comm).then(|| self.received(arrival))
            }
            Operation::WaitAll { requests } => {
                Some(Outcome::Arrived(requests.iter().filter_map(|request| self.open.remove(request)).collect()))
            }
            Operation::Collective(collective) => self.collective(collective, &self.job.program, event),
            Operation::Local { .. }
            | Operation::ReadClock { .. }
            | Operation::Elapsed { .. }
            | Operation::Storage { .. } => Some(Outcome::None),
            // Which of several comes first, and whether something has come, others decide; so do memories of others.
            _ => None,
        }
    }

    fn received(&mut self, arrival: Arrival) -> Outcome {
        match arrival.request {
            Some(request) => {
                self.open.insert(request, arrival);
                Outcome::None
            }
            None => Outcome::Arrived(vec![arrival]),
        }
    }

    fn collective(&mut self, collective: &Collective, program: &Program, event: &Event) -> Option<Outcome> {
        self.collectives += 1;
        let cheap = self.collectives.saturating_mul(self.job.tasks) <= MOST_REMEMBERED;
        // All others make communicators, windows or files of what all members say.
        let ends = || event.site.is_some_and(|site| mpi_name(program, site.block).ends_with("MPI_Finalize"));
        let alone = collective.kind != CollectiveKind::Agreement || ends();
        (cheap && alone && is_world(collective.comm)).then_some(Outcome::None)
    }
}

fn is_world(comm: CommId) -> bool {
    comm == CommId(0)
}

/// A message that nobody sent: its contents are unknown, and it is as long as there is room.
fn arrival(sender: TaskId, tag: i32, bytes: Bytes, request: Option<RequestId>) -> Arrival {
    Arrival { message: MessageId { sender, sequence: u64::MAX }, tag, bytes, request }
}
