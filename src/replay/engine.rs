//! The loop over simulated time and the steps of a task.

use super::collective::Collectives;
use super::flows::Flows;
use super::message::Messages;
use super::packed_steps::{NextStep, RepeatCursor};
use super::places::RepeatStack;
use super::polls::PollsInVain;
use super::ports::{MessagePath, Port, nodes_of, ports_of};
use super::price::MessageCosts;
use super::processors::{self, SharedProcessors};
use super::queue::{EventKind, Queue, SimEvent};
use super::remote::OneSided;
use super::spans::{SpanRecorder, WindowRecorder, shares_of};
use super::state::{Completion, PendingOps, Status, Task};
use super::steady::PeriodSearch;
use super::task_tables::TaskTables;
use super::traffic::TrafficCounters;
use super::{Finish, MessageTime, ReplayOptions, SiteTime, codes};
use crate::activity::{Event, Feed, FeedItem, Operation, Outcome, Repeat, Site, Step, TaskId, Work};
use crate::diag::Diagnostic;
use crate::governor;
use crate::hash::FastMap;
use crate::units::Picoseconds;
use std::sync::Arc;

/// Steps that a task goes ahead of others at most, so that no sender fills the memory with messages.
const BURST: u32 = 1 << 8;

/// Steps after which the limits of the command are looked at.
const LOOK: u64 = 1 << 10;

/// Waits that are kept for the critical path; all repetitions of a loop are among them.
const MOST_DEPENDENCES: usize = 1 << 22;

/// The whole simulation; its parts are in `calls`, `waits`, `transfer` and `collective`.
pub(super) struct Engine<'f, 'a, F> {
    pub feed: &'f mut F,
    pub options: ReplayOptions<'a>,
    pub costs: MessageCosts<'a>,
    pub queue: Queue,
    pub tasks: Vec<Task>,
    /// Where each task is in its repeats; empty as long as none is in one.
    pub cursors: Vec<RepeatStack>,
    /// Node of each task, apart from the rest of it because it is asked for with every message.
    pub nodes: Vec<u32>,
    pub ops: PendingOps,
    pub messages: Messages,
    /// Of each task, what it sent to whom.
    pub sent_traffic: TrafficCounters,
    /// Of each task, its time by call.
    pub sites: TaskTables<Site, SiteTime>,
    /// By node.
    pub ports: Vec<Port>,
    /// What can go on at once.
    pub ready: Vec<Runnable>,
    /// Receives posted so far.
    pub receives: u64,
    pub collectives: Collectives,
    pub remote: OneSided,
    pub dependences: Vec<Dependence>,
    pub log: Vec<MessageTime>,
    /// Room for the completions of a wait.
    pub scratch: Vec<Completion>,
    pub diagnostics: Vec<Diagnostic>,
    pub steps: u64,
    pub abort: Option<i32>,
    /// The simulation cannot go on.
    pub stopped: bool,
    /// It was said that the network has no time for the start of a task.
    pub reported_free_start: bool,
    /// Of each node; `None` where there are processors enough.
    pub pools: Vec<Option<SharedProcessors>>,
    /// Until when messages are on the wire, by sending and receiving node, where that holds up those the other way.
    pub under_way: FastMap<(u32, u32), Picoseconds>,
    pub steady: PeriodSearch,
    pub polls_in_vain: PollsInVain,
    /// Messages that share the links of a topology.
    pub flows: Option<Box<Flows<'a>>>,
    pub message_path: MessagePath,
}

/// What goes through steps of its own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Runnable {
    Task(u32),
    Frame(u32),
}

/// A wait that another task ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dependence {
    pub task: u32,
    pub at: Picoseconds,
    pub from: u32,
    pub left: Picoseconds,
    pub site: Option<Site>,
}

impl<'f, 'a, F: Feed> Engine<'f, 'a, F> {
    pub fn new(feed: &'f mut F, options: ReplayOptions<'a>) -> Self {
        let nodes = nodes_of(feed.tasks(), &options.placement.nodes);
        let ports = nodes.iter().max().map_or(0, |&node| node as usize + 1);
        let (pools, shared) = processors::pools(&nodes, ports, &options.placement);
        let flows = Flows::new(options.links);
        let mut engine = Self {
            message_path: MessagePath::of(&options, flows.is_some()),
            costs: MessageCosts::new(options.network),
            pools,
            under_way: FastMap::default(),
            flows,
            feed,
            options,
            queue: Queue::default(),
            tasks: nodes.iter().map(|_| Task::new()).collect(),
            cursors: Vec::new(),
            ops: PendingOps::default(),
            messages: Messages::default(),
            sent_traffic: TrafficCounters::default(),
            sites: TaskTables::default(),
            ports: ports_of(&nodes, ports),
            nodes,
            ready: Vec::new(),
            scratch: Vec::new(),
            receives: 0,
            collectives: Collectives::default(),
            remote: OneSided::default(),
            dependences: Vec::new(),
            log: Vec::new(),
            diagnostics: shared.into_iter().collect(),
            steady: PeriodSearch::default(),
            polls_in_vain: PollsInVain::default(),
            steps: 0,
            abort: None,
            stopped: false,
            reported_free_start: false,
        };
        engine.keep_timeline();
        engine
    }

    /// Simulates to the end.
    pub fn run(mut self) -> super::ReplayResult {
        let _phase = governor::enter(governor::Phase::Replay, None);
        self.queue = Queue::new(self.lookahead(), self.tasks.len() as u32);
        self.steady = PeriodSearch::new(self.may_jump());
        while let Some(sim_event) = {
            if self.exceeds_caches() {
                self.prefetch_upcoming();
            }
            self.queue.pop(&|message| self.messages.sender(message))
        } {
            self.handle_event(sim_event);
            self.drain();
            if self.steady.is_due() {
                self.look_for_period();
            }
            if self.stopped {
                break;
            }
        }
        self.diagnose();
        self.finish()
    }

    /// The time that passes at least between a send and its message at a port. Shared links are shared in the order of time,
    /// and what measured tables make of a latency is not known before.
    fn lookahead(&self) -> Picoseconds {
        let network = self.costs.network();
        if self.flows.is_some() || !network.measured_collectives.is_empty() || self.collectives.is_trial() {
            return Picoseconds::ZERO;
        }
        network.between_nodes.shortest()
    }

    fn handle_event(&mut self, sim_event: SimEvent) {
        match sim_event.kind {
            EventKind::PortArrival => self.head(sim_event.subject, sim_event.time),
            EventKind::Data => self.data(sim_event.subject, sim_event.time),
            EventKind::Enter => self.enter_connection(sim_event.subject, sim_event.time),
            EventKind::Through => self.through(sim_event.subject, sim_event.task, sim_event.time),
            EventKind::Share => self.share_links(sim_event.time),
            EventKind::Arrive => self.arrive(sim_event.subject, sim_event.time),
            EventKind::Frame => self.advance_frame(sim_event.subject),
            EventKind::Processor => self.end_jobs(sim_event.task, sim_event.subject, sim_event.time),
            EventKind::Compute => self.begin_job(sim_event.task, sim_event.time),
            EventKind::Task if self.tasks[sim_event.task as usize].epoch == sim_event.subject => {
                self.wake(sim_event.task, sim_event.time);
            }
            EventKind::Task => {}
        }
    }

    /// Lets everything go on that can.
    fn drain(&mut self) {
        while let Some(runnable) = self.ready.pop() {
            match runnable {
                Runnable::Task(task) => self.proceed(task),
                Runnable::Frame(frame) => self.advance_frame(frame),
            }
        }
    }

    /// Continues a task at its own clock.
    #[inline]
    pub fn schedule(&mut self, id: u32) {
        self.ready.push(Runnable::Task(id));
    }

    /// Lets a task wait for its turn.
    fn defer(&mut self, id: u32) {
        let task = &self.tasks[id as usize];
        self.queue.push(task.now, EventKind::Task, id, task.epoch);
    }

    /// Whether something else may happen before this time.
    pub fn is_preceded(&self, time: Picoseconds, kind: EventKind, task: u32) -> bool {
        !self.ready.is_empty() || self.queue.precedes(time, kind, task)
    }

    /// Runs a task until it waits, or must wait for its turn.
    pub fn proceed(&mut self, id: u32) {
        let mut cursors = self.cursors.get_mut(id as usize).map(std::mem::take).unwrap_or_default();
        let mut more = true;
        for _ in 0..BURST {
            more = !self.stopped && self.step(id, &mut cursors);
            // A task that waits for nobody stops as well where its iterations are to be compared.
            if !more || self.steady.is_due_for(id) {
                break;
            }
        }
        self.keep_cursors(id, cursors);
        if more {
            self.defer(id);
        }
    }

    fn keep_cursors(&mut self, id: u32, cursors: RepeatStack) {
        if self.cursors.is_empty() {
            if cursors.is_empty() {
                return;
            }
            self.cursors.resize_with(self.tasks.len(), RepeatStack::default);
        }
        self.cursors[id as usize] = cursors;
    }

    /// One step; whether the task can go on at once.
    fn step(&mut self, id: u32, cursors: &mut RepeatStack) -> bool {
        let task = &mut self.tasks[id as usize];
        if std::mem::take(&mut task.holds)
            && let Some(event) = task.extras_mut().held.take()
        {
            return self.call(id, &event);
        }
        self.steps += 1;
        if self.steps > self.options.step_limit {
            return self.give_up();
        }
        if self.steps.is_multiple_of(LOOK) {
            governor::replayed(LOOK);
            if let Some(resource) = governor::exceeded() {
                return self.stop_at(resource);
            }
            if self.tasks[id as usize].now == Picoseconds(u64::MAX) {
                self.end_of_time();
                return false;
            }
        }
        while let Some(cursor) = cursors.innermost_mut() {
            if !cursor.advance() {
                self.end_iteration(id, cursors);
                continue;
            }
            let cursor = &*cursor;
            // Where it is, because it was just made.
            match cursor.current() {
                NextStep::Work(work) => {
                    let time = self.price(id, work);
                    return self.compute(id, time);
                }
                NextStep::Event(ref event) => return self.take_turn(id, event, || original(cursor, event)),
                NextStep::Long(Step::Event(event)) => return self.take_turn(id, event, || Arc::clone(event)),
                NextStep::Long(step) => {
                    let step = step.clone();
                    return self.other_step(id, step, cursors);
                }
            }
        }
        let outcome = self.tasks[id as usize].take_outcome();
        self.steady.fed += 1;
        let given = self.feed.next_event(TaskId(id), outcome);
        // Where it is, because it was just made.
        if let FeedItem::Event(event) = &given {
            return self.take_turn(id, event, || Arc::new(event.clone()));
        }
        let FeedItem::Step(step) = given else { return true };
        match step {
            Step::Work(work) => {
                let time = self.work(id, work, 1);
                self.compute(id, time)
            }
            Step::Event(event) => self.take_turn(id, &event, || Arc::clone(&event)),
            Step::Repeat(repeat) => self.enter(id, repeat, cursors),
            Step::Spin(spin) => self.spin(id, spin),
            Step::LoopEnter | Step::LoopIteration | Step::LoopExit => true,
            Step::End => self.end(id, Status::Ended),
            Step::Stuck => self.end(id, Status::Stuck),
        }
    }

    /// A step of a repeat that is no event.
    fn other_step(&mut self, id: u32, step: Step, cursors: &mut RepeatStack) -> bool {
        match step {
            Step::Work(work) => {
                let time = self.price(id, work);
                self.compute(id, time)
            }
            Step::Repeat(repeat) => self.enter(id, repeat, cursors),
            _ => true,
        }
    }

    fn end_iteration(&mut self, id: u32, cursors: &mut RepeatStack) {
        if cursors.innermost_mut().is_some_and(RepeatCursor::iterate) {
            self.steady.iterated(id, self.tasks[id as usize].now);
        } else {
            self.leave(id, cursors);
        }
    }

    /// Performs an event, now or when it is its turn. `original` gives it to keep.
    #[inline]
    fn take_turn(&mut self, id: u32, event: &Event, original: impl FnOnce() -> Arc<Event>) -> bool {
        if self.needs_order(id, &event.operation) && self.is_preceded(self.tasks[id as usize].now, EventKind::Task, id)
        {
            let task = &mut self.tasks[id as usize];
            (task.extras_mut().held, task.holds) = (Some(original()), true);
            self.defer(id);
            return false;
        }
        self.call(id, event)
    }

    /// Whether what the call does depends on what others did before it in simulated time.
    #[inline]
    fn needs_order(&self, id: u32, operation: &Operation) -> bool {
        match operation {
            Operation::Send { .. } => self.shares_port(id, self.tasks[id as usize].now),
            Operation::Recv { from: Some(_), tag: Some(_), .. } => {
                self.tasks[id as usize].matching_queues.observes_arrivals
            }
            Operation::Recv { .. }
            | Operation::WaitAny { .. }
            | Operation::TestAll { .. }
            | Operation::TestAny { .. }
            | Operation::Probe { .. }
            | Operation::Access { .. }
            | Operation::Lock { .. }
            | Operation::Unlock { .. }
            | Operation::Storage { .. }
            | Operation::Abort { .. } => true,
            Operation::WaitAll { .. }
            | Operation::Collective(_)
            | Operation::ReadClock { .. }
            | Operation::Elapsed { .. }
            | Operation::Start
            | Operation::Local { .. } => false,
        }
    }

    /// Computing alone is multiplied instead of repeated.
    fn enter(&mut self, id: u32, repeat: Arc<Repeat>, cursors: &mut RepeatStack) -> bool {
        if repeat.times == 0 || repeat.steps.is_empty() {
            return true;
        }
        if repeat.steps.iter().all(|step| matches!(step, Step::Work(_))) {
            let mut time = Picoseconds::ZERO;
            for step in &repeat.steps {
                if let Step::Work(work) = step {
                    let one = self.work(id, *work, repeat.times);
                    match self.shares_processors(id) {
                        true => time += one,
                        false => _ = self.compute(id, one),
                    }
                }
            }
            return self.compute(id, time);
        }
        let far = self.tasks.len() >= super::packed_steps::PACKING_TASKS;
        let Some(cursor) = RepeatCursor::new(repeat, far) else { return true };
        if cursors.is_empty() {
            self.steady.entered(id);
        }
        cursors.push(cursor);
        self.tasks[id as usize].repeats = true;
        true
    }

    /// A repeat is over; what was computed in it is counted at once.
    fn leave(&mut self, id: u32, cursors: &mut RepeatStack) {
        let task = &mut self.tasks[id as usize];
        if let Some(cursor) = cursors.pop() {
            task.count_segments(&cursor.repeat().steps, cursor.repeat().times);
        }
        task.repeats = !cursors.is_empty();
    }

    /// What it takes, and that it was done.
    fn work(&mut self, id: u32, work: Work, times: u64) -> Picoseconds {
        let price = self.price(id, work).saturating_mul(times);
        self.tasks[id as usize].count_segments(&[Step::Work(work)], times);
        price
    }

    /// What it takes once.
    pub fn price(&mut self, id: u32, work: Work) -> Picoseconds {
        let price = (self.options.pricing)(TaskId(id), work, self.feed.segments());
        let task = &mut self.tasks[id as usize];
        task.note_segment(if let Work::Segment(segment) = work { Some(segment) } else { None });
        price
    }

    fn end(&mut self, id: u32, status: Status) -> bool {
        self.polls_in_vain = PollsInVain::default();
        let task = &mut self.tasks[id as usize];
        task.status = status;
        task.epoch += 1;
        self.steady.ended(id);
        false
    }

    fn give_up(&mut self) -> bool {
        let limit = self.options.step_limit;
        self.diagnostics.push(
            Diagnostic::error(&codes::STEP_LIMIT, format!("the replay gave up after {limit} steps"))
                .help("the program may not end; raise the limit if it is only long"),
        );
        self.stopped = true;
        false
    }

    /// Whether so many more waits can be kept for the critical path; where not, none are, and it is said once.
    pub fn may_keep_dependences(&mut self, more: usize) -> bool {
        if !self.options.critical_path {
            return false;
        }
        if self.dependences.len().saturating_add(more) <= MOST_DEPENDENCES {
            return true;
        }
        self.dependences = Vec::new();
        self.options.critical_path = false;
        let message = format!("the critical path is left out: it is among more than {MOST_DEPENDENCES} waits");
        let help = "times and tables are complete; predict fewer tasks or iterations to see the path";
        self.diagnostics.push(Diagnostic::note(&codes::LONG_PATH, message).help(help));
        false
    }

    /// The clocks cannot tell what comes.
    pub fn end_of_time(&mut self) {
        let message = "the program takes more than 213 days, which no clock of the replay can tell";
        let help = "predict fewer iterations: --iterations FILE:LINE=N, a smaller problem or other arguments";
        self.diagnostics.push(Diagnostic::error(&codes::END_OF_TIME, message).help(help));
        self.stopped = true;
    }

    /// The limit of the command is reached.
    fn stop_at(&mut self, resource: governor::Resource) -> bool {
        let steps = self.steps;
        self.diagnostics.push(governor::diagnostic(resource, &format!("in the replay, after {steps} steps of tasks")));
        self.stopped = true;
        false
    }

    fn keep_timeline(&mut self) {
        if self.options.timeline > 0 {
            let (shown, room) = shares_of(self.options.timeline, self.tasks.len());
            self.tasks[..shown].iter_mut().for_each(|task| _ = task.show(|| SpanRecorder::new(room)));
        }
        for (task, stretches) in self.tasks.iter_mut().zip(std::mem::take(&mut self.options.windows)) {
            task.show(|| SpanRecorder::new(0)).windows = Some(WindowRecorder::new(stretches));
        }
    }

    /// Hands the outcome to the feed, unless it does not look at it.
    pub fn report(&mut self, id: u32, outcome: Outcome) {
        if self.reports_outcome(id) {
            self.tasks[id as usize].extras_mut().outcome = outcome;
        }
    }

    /// Of calls inside a repeat nobody hears.
    pub fn reports_outcome(&self, id: u32) -> bool {
        !self.tasks[id as usize].repeats && self.feed.wants_outcome(TaskId(id))
    }

    pub fn finish_of(&self, id: usize) -> Finish {
        match self.tasks[id].status {
            Status::Ended => Finish::Ended,
            Status::Stuck => Finish::Stuck,
            _ if self.abort.is_some() => Finish::Aborted,
            _ => Finish::Blocked,
        }
    }
}

/// The event that a step was copied from.
fn original(cursor: &RepeatCursor, copy: &Event) -> Arc<Event> {
    match cursor.latest() {
        Some(Step::Event(event)) => Arc::clone(event),
        _ => Arc::new(copy.clone()),
    }
}
