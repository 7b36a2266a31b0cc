//! The state of a replay as numbers that are equal where it goes on in the same way.
//!
//! Times are told from the clock of the task watched, what is counted from the count of its task; operations and
//! messages by what they are, not by where they are kept. How much of a repeat is left is not in it.
//!
//! Most states differ from the one that they are compared with in their first tasks, so that nothing is built for them.

use crate::engine::Engine;
use crate::events::queue::{EventKind, SimEvent};
use crate::ids::{FrameId, MsgId, OpId};
use crate::matching::channel::Channel;
use crate::matching::operation::{Completion, OpKind, Owner};
use crate::matching::queues::QueueSide;
use crate::matching::requests::Requests;
use crate::network::origins::Origin;
use crate::task::repeats::RepeatStack;
use crate::task::state::{Status, Task};
use chronos_activity::{Feed, Outcome, Site, TaskId};
use chronos_base::units::Picoseconds;
use std::sync::Arc;

pub(crate) struct StateSnapshot<'e, 'f, 'a, F> {
    engine: &'e Engine<'f, 'a, F>,
    words: Words<'e>,
    origin: Picoseconds,
    /// Nothing happens before: earlier times at which something is free again are all the same.
    next: Picoseconds,
    /// Something is under way that is not described.
    undescribed: bool,
}

impl<'e, 'f, 'a, F: Feed> StateSnapshot<'e, 'f, 'a, F> {
    /// `None` where nothing will happen, or something is under way that is not described.
    pub fn of(engine: &'e Engine<'f, 'a, F>, origin: Picoseconds) -> Option<Vec<u64>> {
        match Self::told(engine, origin, Words::Kept(Vec::with_capacity(engine.steady.words)))? {
            Words::Kept(words) => Some(words),
            Words::Compared { .. } => None,
        }
    }

    /// Whether the state is the same as another one, and described.
    pub fn is_same(engine: &'e Engine<'f, 'a, F>, origin: Picoseconds, other: &'e [u64]) -> bool {
        let words = Self::told(engine, origin, Words::Compared { rest: other, differs: false });
        matches!(words, Some(Words::Compared { rest: [], differs: false }))
    }

    /// Stops at the first task, or part of the network, that differs from what it is compared with.
    fn told(engine: &'e Engine<'f, 'a, F>, origin: Picoseconds, words: Words<'e>) -> Option<Words<'e>> {
        let held = engine.collectives.held.frames().map(|frame| engine.collectives.frames[frame].entered);
        let next = engine.queue.first().into_iter().chain(held).min()?;
        let mut snapshot = Self { engine, words, origin, next, undescribed: !engine.remote.is_idle() };
        for (id, task) in engine.tasks.iter() {
            snapshot.task(id, task);
            if snapshot.undescribed || snapshot.words.differ() {
                return None;
            }
        }
        for part in [Self::queue, Self::ports, Self::collectives] {
            part(&mut snapshot);
            if snapshot.undescribed || snapshot.words.differ() {
                return None;
            }
        }
        Some(snapshot.words)
    }

    fn add(&mut self, word: impl Into<u64>) {
        self.words.push(word.into());
    }

    fn time(&mut self, time: Picoseconds) {
        self.words.push(time.0.wrapping_sub(self.origin.0));
    }

    fn free_at(&mut self, time: Picoseconds) {
        self.time(time.max(self.next));
    }

    fn site(&mut self, site: Option<Site>) {
        let word = site.map_or(u64::MAX, |site| u64::from(site.context.0) << 32 | u64::from(site.block.0));
        self.add(word);
    }

    fn channel(&mut self, channel: Channel) {
        let (first, second) = channel.words();
        self.words.extend([first, second]);
    }

    fn task(&mut self, id: TaskId, task: &Task) {
        self.status(task.status);
        self.add(task.matching_queues.is_empty());
        if task.is_over() {
            return;
        }
        self.time(task.now);
        self.time(task.started);
        self.add(task.idle.0);
        self.add(u64::from(task.pending) << 32 | u64::from(task.matching_queues.wildcards));
        self.add(task.matching_queues.observes_arrivals);
        self.site(task.site.get());
        let held = task.extras().and_then(|extras| extras.held.as_ref());
        self.add(held.map_or(0, |event| std::sync::Arc::as_ptr(event) as u64));
        self.undescribed |= task.extras().is_some_and(|extras| extras.outcome != Outcome::None);
        let cursors = self.engine.cursors.get(id);
        self.add(cursors.map_or(0, RepeatStack::len) as u64);
        for cursor in cursors.into_iter().flat_map(RepeatStack::iter) {
            self.words.extend([identity(cursor.repeat()), cursor.index() as u64]);
        }
        self.add(task.waiting.len() as u64);
        task.waiting.iter().for_each(|&op| self.op(OpId(op)));
        self.requests(task);
        self.matching_queues(task);
        self.clocks(task);
        self.arrivals(id);
    }

    fn status(&mut self, status: Status) {
        match status {
            Status::Ready => self.add(0u64),
            Status::All(part) => self.add(1 + 16 * part as u64),
            Status::Any(part) => self.add(2 + 16 * part as u64),
            Status::Frame(frame) => {
                self.add(3u64);
                self.frame(frame);
            }
            Status::Ended => self.add(4u64),
            Status::Stuck => self.add(5u64),
            Status::Computing | Status::Spin | Status::Probe | Status::Lock => self.undescribed = true,
        }
    }

    fn op(&mut self, id: OpId) {
        let op = self.engine.ops[id];
        self.channel(op.channel);
        match op.owner() {
            Owner::Call => self.add(u64::MAX),
            Owner::Request(request) => self.add(u64::from(request.0)),
            Owner::Frame(frame) => {
                self.add(1u64 << 40);
                self.undescribed |= !self.engine.collectives.frames[frame].is_blocking();
            }
        }
        let kind = match op.kind() {
            OpKind::Send => 0u64,
            OpKind::Recv => 1,
            OpKind::Collective => 2,
        };
        self.add(kind << 1 | u64::from(op.is_awaited()));
        self.add(op.bytes());
        if let Some(open) = op.open() {
            self.time(open.posted);
            self.time(open.partner);
            self.add(if op.channel.is_wild() { self.engine.receives.wrapping_sub(open.number) } else { 0 });
        }
        self.completion(op.completion());
        self.site(self.engine.ops.site(id).get());
        if let Some(completion) = op.completion().filter(|_| self.engine.origins.is_some()) {
            self.origin(self.engine.origin_of(op.task(), &completion));
        }
        self.add(op.is_matched());
        if op.is_matched() {
            let sent = self.engine.tasks[op.channel.from].sent as u32;
            self.add(sent.wrapping_sub(op.sequence()));
        }
    }

    fn completion(&mut self, completion: Option<Completion>) {
        self.add(completion.is_some());
        if let Some(completion) = completion {
            self.time(completion.at);
            self.time(completion.partner);
            self.time(completion.left);
            self.words.extend([completion.overhead.0, u64::from(completion.from.0)]);
        }
    }

    fn message(&mut self, id: MsgId) {
        let message = self.engine.messages[id];
        self.channel(message.channel);
        let extras = self.engine.messages.extras(id);
        let sent = self.engine.tasks[message.channel.from].sent as u32;
        let number = if message.channel.is_user() { sent.wrapping_sub(message.sequence) } else { 0 };
        let order = self.engine.tasks[message.channel.from].launched.wrapping_sub(message.order);
        let (number, order) = (u64::from(number), u64::from(order));
        self.words.extend([message.bytes, number, order, extras.scale.word(), extras.delay.0, message.word()]);
        if let Some(origins) = &self.engine.origins {
            self.origin(origins.message(id));
        }
        message.arrival().into_iter().for_each(|arrival| self.time(arrival));
        self.time(message.partner);
        self.time(message.left);
        self.site(extras.site.get());
        let send = extras.send;
        send.into_iter().chain(message.recv()).for_each(|op| self.op(op));
    }

    fn requests(&mut self, task: &Task) {
        let open: Vec<u32> = task.waiting.requests().into_iter().flat_map(Requests::items).collect();
        self.add(open.len() as u64);
        open.into_iter().for_each(|op| self.op(OpId(op)));
    }

    /// What waits, by channel.
    fn matching_queues(&mut self, task: &Task) {
        let engine = self.engine;
        let mut posted = task.matching_queues.items(QueueSide::Posted, &engine.ops);
        posted.sort_by_key(|&op| engine.ops[op].channel.words());
        let mut unexpected = task.matching_queues.items(QueueSide::Unexpected, &engine.messages);
        unexpected.sort_by_key(|&message| engine.messages[message].channel.words());
        self.words.extend([posted.len() as u64, unexpected.len() as u64]);
        posted.into_iter().for_each(|op| self.op(op));
        unexpected.into_iter().for_each(|message| self.message(message));
    }

    /// The order of unmatched messages by arrival.
    fn arrivals(&mut self, id: TaskId) {
        let arrived = self.engine.tasks[id].extras().map(|extras| &extras.arrived);
        arrived.into_iter().flatten().for_each(|&item| self.message(item));
        self.add(u64::MAX);
    }

    /// What was told of clocks; their readings are compared apart from it, because those from before a period stay.
    fn clocks(&mut self, task: &Task) {
        let Some(clocks) = task.extras().map(|extras| &extras.clocks) else { return self.add(0u64) };
        let mut extremes: Vec<_> = clocks.elapsed.values().collect();
        extremes.sort_unstable_by_key(|elapsed| (elapsed.from, elapsed.to));
        for elapsed in extremes {
            self.words.extend([elapsed.least.0, elapsed.most.0]);
        }
    }

    fn queue(&mut self) {
        let tasks = &self.engine.tasks;
        let valid =
            |first: &&SimEvent| first.kind != EventKind::Task || tasks[TaskId(first.place)].epoch == first.subject;
        let mut sim_events: Vec<SimEvent> = self.engine.queue.iter().filter(valid).copied().collect();
        sim_events.sort_unstable();
        for sim_event in sim_events {
            self.time(sim_event.time);
            self.words.extend([sim_event.kind as u64, u64::from(sim_event.place)]);
            match sim_event.kind {
                EventKind::PortArrival | EventKind::Data | EventKind::Arrive => self.message(MsgId(sim_event.subject)),
                EventKind::Frame => self.frame(FrameId(sim_event.subject)),
                EventKind::Task => {}
                EventKind::Enter
                | EventKind::Through
                | EventKind::Share
                | EventKind::Processor
                | EventKind::Compute => self.undescribed = true,
            }
        }
    }

    fn ports(&mut self) {
        let engine = self.engine;
        engine.ports.values().map(|port| port.out_free).for_each(|time| self.free_at(time));
        engine.ports.values().map(|port| port.in_free).for_each(|time| self.free_at(time));
        self.origins_of_ports();
        engine.sent_traffic.times().for_each(|time| self.free_at(time));
        let ways = engine.under_way.iter().map(|(&(from, to), &until)| (from.0, to.0, until));
        self.held_up(ways.collect());
        let pairs = engine.held_until.iter().map(|(&(from, to), &until)| (from.0, to.0, until));
        self.held_up(pairs.collect());
    }

    /// Until when something holds up others, by the numbers of two ends.
    fn held_up(&mut self, mut all: Vec<(u32, u32, Picoseconds)>) {
        all.retain(|&(.., until)| until > self.next);
        all.sort_unstable();
        for (from, to, until) in all {
            self.add(u64::from(from) << 32 | u64::from(to));
            self.time(until);
        }
    }

    /// On whom things will depend that find a port busy.
    fn origins_of_ports(&mut self) {
        let engine = self.engine;
        let Some(origins) = &engine.origins else { return };
        for (node, port) in engine.ports.iter() {
            let kept = [port.out_free, port.in_free].map(|time| time > self.next);
            for (origin, _) in origins.of_port(node).into_iter().zip(kept).filter(|(_, kept)| *kept) {
                self.origin(origin);
            }
        }
    }

    fn origin(&mut self, origin: Origin) {
        self.add(origin.task.0);
        self.time(origin.left);
    }

    fn collectives(&mut self) {
        let mut open: Vec<_> = self.engine.collectives.open.iter().collect();
        open.sort_unstable_by_key(|(key, _)| **key);
        for (&(comm, number), instance) in open {
            let extras = self.engine.tasks[instance.first].extras();
            let joined = extras.into_iter().flat_map(|extras| extras.collectives.iter());
            let count = joined.copied().find(|(other, _)| *other == comm).map_or(0, |(_, count)| count);
            self.words.extend([u64::from(comm.0), u64::from(count.wrapping_sub(number))]);
            self.words.extend(instance.words());
            self.site(instance.site);
        }
    }

    fn frame(&mut self, id: FrameId) {
        let frame = &self.engine.collectives.frames[id];
        self.undescribed |= !frame.is_blocking();
        self.words.extend(frame.words());
        for time in frame.times() {
            self.time(time);
        }
        frame.completions().for_each(|completion| self.completion(Some(completion)));
    }
}

/// Where the words of a state go.
enum Words<'w> {
    Kept(Vec<u64>),
    /// Compared with those of another state, of which some are left.
    Compared {
        rest: &'w [u64],
        differs: bool,
    },
}

impl Words<'_> {
    fn push(&mut self, word: u64) {
        match self {
            Self::Kept(words) => words.push(word),
            Self::Compared { rest, differs } => match rest.split_first() {
                Some((&expected, others)) if expected == word => *rest = others,
                _ => *differs = true,
            },
        }
    }

    fn extend(&mut self, words: impl IntoIterator<Item = u64>) {
        words.into_iter().for_each(|word| self.push(word));
    }

    fn differ(&self) -> bool {
        matches!(self, Self::Compared { differs: true, .. })
    }
}

/// Which repeat it is.
fn identity(repeat: &Arc<chronos_activity::Repeat>) -> u64 {
    Arc::as_ptr(repeat) as u64
}
