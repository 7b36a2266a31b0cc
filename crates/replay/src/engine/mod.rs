//! What happens at each event: the loop over simulated time, and the rules by which tasks, messages and collective
//! operations go on.
//!
//! A sequential discrete-event simulation. Every file is a part of [`Engine`]: `steps` takes the steps of a task from
//! its feed, `calls` begins an MPI call, `waits` and `polls` complete one, `transfer` carries a message (protocol,
//! ports), `flows` does so over the links of a topology, `collectives` goes through the rounds of collective
//! operations, `held` times some of them as a whole, `waiting` keeps who waited for whom, `dependences` what
//! the critical path is found in, `lazy_receive` avoids records of receives, `steady` jumps over
//! iterations that repeat, `deadlock` says what is wrong at the end (a cycle in the wait-for graph: Holt, Computing
//! Surveys 4(3), 1972), `launcher` what ends with a task that leaves early, `finish` makes the result. Data and pure rules are in the folders beside it, which must not know the engine; it must not know C, nor
//! what blocks contain, nor how a network was measured.

mod arrivals;
mod benchmark;
mod calls;
mod collectives;
mod deadlock;
pub(crate) mod dependences;
mod finish;
mod flows;
mod held;
mod launcher;
mod lazy_receive;
pub(crate) mod limits;
mod looking;
pub mod names;
mod one_sided;
mod origins;
mod period;
mod polls;
mod ports;
mod prefetch;
mod processors;
mod spin;
mod steady;
mod steps;
mod transfer;
mod wait_list;
mod wait_recorder;
mod waiting;
mod waits;

use crate::collective::Collectives;
use crate::engine::dependences::Dependences;
use crate::engine::period::PeriodSearch;
use crate::engine::wait_recorder::WaitRecorder;
use crate::events::queue::{EventKind, Queue, SimEvent};
use crate::ids::{FrameId, MsgId, NodeId};
use crate::matching::message::Messages;
use crate::matching::operation::{Completion, PendingOps};
use crate::memory::task_tables::TaskTables;
use crate::network::cost::MessageCosts;
use crate::network::flows::Flows;
use crate::network::one_sided::OneSided;
use crate::network::origins::Origins;
use crate::network::ports::{MessagePath, Port, nodes_of, ports_of};
use crate::network::traffic::TrafficCounters;
use crate::options::ReplayOptions;
use crate::result::{MessageTime, SiteTime};
use crate::task::processors::{SharedProcessors, pools};
use crate::task::repeats::RepeatStack;
use crate::task::spans::{SpanRecorder, WindowRecorder, shares_of};
use crate::task::state::Task;
use chronos_activity::{Feed, Site, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::governor;
use chronos_base::hash::FxHashMap;
use chronos_base::ids::{Id, Table};
use chronos_base::units::Picoseconds;

/// The whole simulation; its parts are in `calls`, `waits`, `transfer` and `collective`.
pub(crate) struct Engine<'f, 'a, F> {
    pub feed: &'f mut F,
    pub options: ReplayOptions<'a>,
    pub costs: MessageCosts<'a>,
    /// What a message costs is known by its size and by how far its tasks are apart.
    pub(crate) costs_by_size: bool,
    pub queue: Queue,
    pub tasks: Table<TaskId, Task>,
    /// Where each task is in its repeats; empty as long as none is in one.
    pub(crate) cursors: Table<TaskId, RepeatStack>,
    /// Node of each task, apart from the rest of it because it is asked for with every message.
    pub nodes: Table<TaskId, NodeId>,
    pub ops: PendingOps,
    pub messages: Messages,
    /// Of each task, what it sent to whom.
    pub(crate) sent_traffic: TrafficCounters,
    /// Of each task, its time by call.
    pub sites: TaskTables<Site, SiteTime>,
    /// By node.
    pub ports: Table<NodeId, Port>,
    /// What can go on at once.
    pub ready: Vec<Runnable>,
    /// Receives posted so far.
    pub receives: u64,
    pub collectives: Collectives,
    /// Windows of the queue are to go on when nothing can go on at once.
    pub(crate) resumes: bool,
    pub remote: OneSided,
    pub(crate) dependences: Dependences,
    /// On whom messages depend, where the critical path is asked for.
    pub(crate) origins: Option<Box<Origins>>,
    pub log: Vec<MessageTime>,
    /// Room for the completions of a wait.
    pub scratch: Vec<Completion>,
    pub diagnostics: Vec<Diagnostic>,
    pub steps: u64,
    /// After how many of them the limits of the command are looked at.
    pub(crate) next_look: u64,
    pub abort: Option<i32>,
    /// The simulation cannot go on.
    pub stopped: bool,
    /// As in its result.
    pub(crate) other_sizes: bool,
    /// It was said that the network has no time for the start of a task.
    pub(crate) reported_free_start: bool,
    /// Of each node; `None` where there are processors enough.
    pub(crate) pools: Table<NodeId, Option<SharedProcessors>>,
    /// Until when messages are on the wire, by sending and receiving node, where that holds up those the other way.
    pub(crate) under_way: FxHashMap<(NodeId, NodeId), Picoseconds>,
    /// When the last message that was held up so is there, by sending and receiving task.
    pub(crate) held_until: FxHashMap<(TaskId, TaskId), Picoseconds>,
    pub steady: PeriodSearch,
    pub(crate) polls_in_vain: PollsInVain,
    /// Messages that share the links of a topology.
    pub flows: Option<Box<Flows<'a>>>,
    /// What tasks wait for, where that is asked for.
    pub(crate) waiting: Option<Box<WaitRecorder>>,
    pub(crate) message_path: MessagePath,
}

/// Windows of a smaller part of the shortest latency hold so few messages each that they save nothing.
const LEAST_WINDOW: f64 = 1.0 / 16.0;

/// What goes through steps of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Runnable {
    Task(TaskId),
    Frame(FrameId),
}

impl<'f, 'a, F: Feed> Engine<'f, 'a, F> {
    pub fn new(feed: &'f mut F, options: ReplayOptions<'a>) -> Self {
        let nodes = nodes_of(feed.tasks(), &options.placement.nodes);
        let ports = nodes.values().max().map_or(0, |&node| node.index() + 1);
        let (pools, shared) = pools(&nodes, ports, &options.placement);
        let flows = Flows::new(options.links);
        let origins = options.critical_path.then(|| Box::new(Origins::new(ports)));
        let mut engine = Self {
            message_path: MessagePath::of(&options, flows.is_some()),
            costs_by_size: options.network.delays.is_none() && options.links.is_none() && options.faster.is_none(),
            costs: MessageCosts::new(options.network),
            pools,
            under_way: FxHashMap::default(),
            held_until: FxHashMap::default(),
            flows,
            waiting: options.waiting.then(|| Box::new(WaitRecorder::new(nodes.len()))),
            feed,
            options,
            queue: Queue::default(),
            tasks: nodes.values().map(|_| Task::new()).collect(),
            cursors: Table::new(),
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
            resumes: false,
            remote: OneSided::default(),
            dependences: Dependences::default(),
            origins,
            log: Vec::new(),
            diagnostics: shared.into_iter().collect(),
            steady: PeriodSearch::default(),
            polls_in_vain: PollsInVain::default(),
            steps: 0,
            next_look: 0,
            abort: None,
            stopped: false,
            other_sizes: false,
            reported_free_start: false,
        };
        engine.next_look = steps::next_look(0, engine.options.step_limit);
        engine.keep_timeline();
        engine.collectives.held.enabled = engine.may_hold();
        engine
    }

    /// Simulates to the end.
    pub fn run(mut self) -> super::ReplayResult {
        let _phase = governor::enter(governor::Phase::Replay, None);
        self.queue = Queue::new(self.lookahead(), self.tasks.len() as u32);
        self.steady = PeriodSearch::new(self.may_jump());
        while !self.stopped && self.go_on() {
            self.drain();
            self.resume_windows();
            if self.steady.is_due() {
                self.look_for_period();
            }
        }
        self.diagnose();
        self.finish()
    }

    /// Deals with what happens next; whether there was anything.
    fn go_on(&mut self) -> bool {
        if self.end_held() {
            return true;
        }
        if self.exceeds_caches() {
            self.prefetch_upcoming();
        }
        // Nearly all that happens is this.
        if self.collectives.held.comm().is_none()
            && let Some((message, time)) = self.queue.pop_port_arrival()
        {
            self.head(message, time);
            return true;
        }
        match self.queue.pop(&|message| self.messages.sender(message)) {
            Some(sim_event) if self.comes_behind_held(&sim_event) => self.release_before(sim_event),
            Some(sim_event) => self.handle_event(sim_event),
            None => return self.release_held(),
        }
        true
    }

    /// The time that passes at least between a send and its message at a port. Shared links are shared in the order
    /// of time, and what measured tables make of a latency is not known before.
    fn lookahead(&self) -> Picoseconds {
        let network = self.costs.network();
        if self.flows.is_some() || !network.measured_collectives.is_empty() || self.collectives.is_trial() {
            return Picoseconds::ZERO;
        }
        let shortest = network.between_nodes.shortest();
        // Faster messages may take less than any of the network does, and as many windows as they ask for take longer than
        // the order of all.
        match self.options.faster {
            Some(faster) if faster.left < LEAST_WINDOW => Picoseconds::ZERO,
            Some(faster) => Picoseconds((shortest.0 as f64 * faster.left.min(1.0)) as u64),
            None => shortest,
        }
    }

    fn handle_event(&mut self, sim_event: SimEvent) {
        match sim_event.kind {
            EventKind::PortArrival => self.head(MsgId(sim_event.subject), sim_event.time),
            EventKind::Data => self.data(MsgId(sim_event.subject), sim_event.time),
            EventKind::Enter => self.enter_connection(MsgId(sim_event.subject), sim_event.time),
            EventKind::Through => self.through(sim_event.subject, sim_event.place, sim_event.time),
            EventKind::Share => self.share_links(sim_event.time),
            EventKind::Arrive => self.arrive(MsgId(sim_event.subject), sim_event.time),
            EventKind::Frame => self.advance_frame(FrameId(sim_event.subject)),
            EventKind::Processor => self.end_jobs(NodeId(sim_event.place), sim_event.subject, sim_event.time),
            EventKind::Compute => self.begin_job(TaskId(sim_event.place), sim_event.time),
            EventKind::Task if self.tasks[TaskId(sim_event.place)].epoch == sim_event.subject => {
                self.wake(TaskId(sim_event.place), sim_event.time);
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

    /// The timeline is of tasks that were named.
    fn is_chosen(&self) -> bool {
        !self.options.timeline_tasks.is_empty()
    }

    /// Of how many tasks spans are kept, and how many of each.
    fn timeline_shares(&self) -> (usize, usize) {
        let tasks = if self.is_chosen() { self.options.timeline_tasks.len() } else { self.tasks.len() };
        shares_of(self.options.timeline, tasks)
    }

    /// The message is one of those that the timeline shows.
    pub(crate) fn shows_message(&self, channel: crate::matching::channel::Channel) -> bool {
        let shows = |task: TaskId| self.options.timeline_tasks.binary_search(&task).is_ok();
        !self.is_chosen() || shows(channel.from) || shows(channel.to)
    }

    fn keep_timeline(&mut self) {
        if self.options.timeline > 0 {
            let (shown, room) = self.timeline_shares();
            let first = (0..shown).map(TaskId::new);
            let chosen: Vec<TaskId> =
                if self.is_chosen() { self.options.timeline_tasks.clone() } else { first.collect() };
            chosen.iter().for_each(|&id| _ = self.tasks[id].show(|| SpanRecorder::new(room)));
        }
        for (task, stretches) in self.tasks.values_mut().zip(std::mem::take(&mut self.options.windows)) {
            task.show(|| SpanRecorder::new(0)).windows = Some(WindowRecorder::new(stretches));
        }
        if self.waiting.is_some() {
            self.tasks.values_mut().for_each(|task| task.show(|| SpanRecorder::new(0)).history = Some(Vec::new()));
        }
    }
}

/// Unsuccessful polls since any task did something else in MPI.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PollsInVain {
    polls: u32,
    rounds: u32,
}
