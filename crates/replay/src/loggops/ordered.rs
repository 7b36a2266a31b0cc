//! Schedules of any shape, in the order of simulated time. What happens at one time happens in the order in which it
//! became known: what has to wait for a processor keeps its place. Of what one operation lets go on, sends come first,
//! then receives, then computing, and its message last.

mod prefetch;

use super::event::{HostEvent, HostEventKind, OperationSet};
use super::host::GraphHost;
use super::ids::{HostMessageId, OperationSetId, QueueEntryId, Subject};
use super::message::{HostMessage, Pattern};
use super::model::{Delivered, LogGopsModel, ReplayLog, TaskOutcome};
use super::posted::ListedReceives;
use super::processor_queue::{NOTHING, QueueEntry};
use super::queue::HostEventQueue;
use crate::memory::slab::{NONE, Slab};
use crate::result::Part;
use chronos_activity::TaskId;
use chronos_activity::frontier::{Frontier, Sections, TaskView};
use chronos_activity::schedule::{Action, Schedule, ScheduledOperation, TaskSchedule};
use chronos_base::ids::{Id as _, Table};
use rayon::iter::ParallelIterator;

struct GraphSimulation<'a> {
    schedule: &'a Schedule,
    sections: &'a Sections,
    /// Some operation names another processor than the first, so that each has to be asked.
    has_several_processors: bool,
    model: &'a LogGopsModel,
    hosts: Table<TaskId, GraphHost>,
    messages: Slab<HostMessageId, HostMessage>,
    posted: ListedReceives,
    /// What stands in lines.
    waiting: Slab<QueueEntryId, QueueEntry>,
    queue: HostEventQueue,
    made: u64,
    /// Room for what is free to go on.
    free: Vec<u32>,
    /// What is free at one time, until then.
    operation_sets: Slab<OperationSetId, OperationSet>,
    /// Room for putting that in order.
    keys: Vec<u64>,
    log: &'a mut ReplayLog,
}

/// Windows of the queue for each flight of a message.
const BUCKETS: u64 = 32;
/// Tasks from which on it pays to look ahead.
const MANY: usize = 2048;

pub(super) fn run(schedule: &Schedule, model: &LogGopsModel, log: &mut ReplayLog) -> Vec<TaskOutcome> {
    let sections = &Sections::of(schedule, |_| true);
    let mut simulation = GraphSimulation {
        schedule,
        sections,
        has_several_processors: schedule.par_tasks().any(TaskSchedule::has_other_processors),
        model,
        hosts: Table::new(),
        messages: Slab::default(),
        posted: ListedReceives::default(),
        waiting: Slab::default(),
        queue: HostEventQueue::new(model.flight().div_ceil(BUCKETS)),
        made: 0,
        free: Vec::new(),
        operation_sets: Slab::default(),
        keys: Vec::new(),
        log,
    };
    simulation.begin();
    let exceeds_caches = schedule.len() >= MANY;
    while let Some(event) = simulation.queue.pop() {
        if exceeds_caches {
            simulation.prefetch_upcoming();
        }
        simulation.handle_event(event);
    }
    simulation.hosts.iter().map(|(host, state)| state.outcome(schedule.length(host))).collect()
}

/// What is first in a queue for a processor.
#[derive(Clone, Copy)]
struct Waiter {
    /// When it can begin, and its number.
    next: (u64, u64),
    kind: HostEventKind,
    what: Subject,
}

impl<'a> GraphSimulation<'a> {
    fn begin(&mut self) {
        for host in (0..self.schedule.len()).map(TaskId::new) {
            let mut free = Vec::new();
            let frontier = Frontier::new(self.place(host), |operation| free.push(operation));
            self.hosts.push(GraphHost::new(self.schedule.begin(host), frontier));
            self.enqueue_initial(host, free);
        }
    }

    fn place(&self, host: TaskId) -> TaskView<'a> {
        TaskView { schedule: self.schedule, sections: self.sections, task: host }
    }

    /// What is ready from the begin on: often all of a task, so that an event for each would be many.
    fn enqueue_initial(&mut self, host: TaskId, mut operations: Vec<u32>) {
        operations.sort_by_key(|&operation| self.kind(host, operation));
        for operation in operations {
            self.made += 1;
            let kind = self.kind(host, operation);
            let cpu = self.cpu(kind, host, Subject(operation));
            self.enqueue(host, cpu, kind, self.made, Subject(operation));
            self.schedule_earliest(host, cpu, 0);
        }
    }

    fn push(&mut self, time: u64, kind: HostEventKind, host: TaskId, what: Subject) {
        self.made += 1;
        self.queue.push(HostEvent::new((time, self.made), kind, false, (host, what)));
    }

    fn enqueue(&mut self, host: TaskId, cpu: u16, kind: HostEventKind, number: u64, what: Subject) {
        self.hosts[host].processor_queue_mut(kind, cpu).push(&mut self.waiting, number, what);
    }

    /// What cannot begin before a time keeps its place among others.
    fn postpone(&mut self, event: HostEvent, cpu: u16, free: u64) {
        let HostEvent { host, what, .. } = event;
        let (kind, number) = (event.kind(), event.number());
        self.enqueue(host, cpu, kind, number, what);
        let state = &mut self.hosts[host];
        let is_first = state.processor_queue_mut(kind, cpu).front(&self.waiting) == Some((number, what));
        if is_first && (free, number) < *state.next_mut(cpu) {
            self.schedule_first(host, cpu, Waiter { next: (free, number), kind, what });
        }
    }

    /// Sees to it that what can begin first, of all that waits for a processor, is looked at then.
    fn schedule_earliest(&mut self, host: TaskId, cpu: u16, now: u64) {
        let state = &self.hosts[host];
        let Some(processor_queues) = state.processor_queues(cpu) else { return };
        let busy = state.busy(cpu);
        let begins = [
            (HostEventKind::Send, busy.max(state.sends)),
            (HostEventKind::Recv, 0),
            (HostEventKind::Compute, busy),
            (HostEventKind::Take, busy.max(state.receives)),
        ];
        let mut first = Waiter { next: NOTHING, kind: HostEventKind::Send, what: Subject(0) };
        for (kind, begin) in begins {
            if let Some((number, what)) = processor_queues[kind as usize].front(&self.waiting) {
                let next = (begin.max(now), number);
                if next < first.next {
                    first = Waiter { next, kind, what };
                }
            }
        }
        if first.next != *self.hosts[host].next_mut(cpu) && first.next != NOTHING {
            self.schedule_first(host, cpu, first);
        }
    }

    /// Looks at the first of a line then, and at no other before.
    fn schedule_first(&mut self, host: TaskId, cpu: u16, first: Waiter) {
        let Waiter { next, kind, what } = first;
        *self.hosts[host].next_mut(cpu) = next;
        self.queue.push(HostEvent::new(next, kind, true, (host, what)));
    }

    /// Takes the first of a line out, where it is still the one that was to be looked at and can begin.
    fn dequeue(&mut self, event: HostEvent) -> bool {
        let HostEvent { time, host, what, .. } = event;
        let kind = event.kind();
        let cpu = self.cpu(kind, host, what);
        let next = self.hosts[host].next_mut(cpu);
        if *next != (time, event.number()) {
            return false;
        }
        *next = NOTHING;
        let is_free = self.free(kind, host, cpu) <= time;
        match is_free {
            true => self.hosts[host].processor_queue_mut(kind, cpu).pop(&mut self.waiting),
            false => self.schedule_earliest(host, cpu, time),
        }
        is_free
    }

    fn cpu(&self, kind: HostEventKind, host: TaskId, what: Subject) -> u16 {
        match kind {
            _ if !self.has_several_processors => 0,
            HostEventKind::Take => self.messages[what.message()].cpu,
            HostEventKind::Send | HostEventKind::Recv | HostEventKind::Compute => {
                self.operation(host, what.operation()).cpu
            }
            HostEventKind::OperationSet => 0,
        }
    }

    #[inline]
    fn operation(&self, host: TaskId, operation: u32) -> ScheduledOperation {
        self.schedule.at(self.hosts[host].begin + operation as usize)
    }

    fn action(&self, host: TaskId, operation: u32) -> Action {
        self.operation(host, operation).action
    }

    fn kind(&self, host: TaskId, operation: u32) -> HostEventKind {
        match self.action(host, operation) {
            Action::Send { .. } => HostEventKind::Send,
            Action::Recv { .. } => HostEventKind::Recv,
            Action::Compute { .. } => HostEventKind::Compute,
        }
    }

    /// What is free to go on does so when its processor is.
    #[inline]
    fn ready(&mut self, host: TaskId, time: u64) {
        if self.free.is_empty() {
            return;
        }
        let mut operations = std::mem::take(&mut self.free);
        match OperationSet::new(&operations).filter(|_| !self.has_several_processors) {
            Some(operation_set) => self.push_set(time.max(self.hosts[host].busy(0)), host, operation_set),
            None => self.push_each(time, host, &mut operations),
        }
        operations.clear();
        self.free = operations;
    }

    fn push_each(&mut self, time: u64, host: TaskId, operations: &mut [u32]) {
        if operations.len() > 1 {
            operations.sort_unstable_by_key(|&operation| (self.kind(host, operation), operation));
        }
        for &operation in &*operations {
            let kind = self.kind(host, operation);
            let processor = self.free(HostEventKind::Compute, host, self.cpu(kind, host, Subject(operation)));
            self.push(time.max(processor), kind, host, Subject(operation));
        }
    }

    /// One event for all of them, with as many numbers.
    fn push_set(&mut self, time: u64, host: TaskId, operation_set: OperationSet) {
        let first = self.made + 1;
        self.made += u64::from(operation_set.count());
        let set = self.operation_sets.insert(operation_set);
        self.queue.push(HostEvent::new((time, first), HostEventKind::OperationSet, false, (host, set.into())));
    }

    /// Each of several, by kind, those of one kind in the order of the schedule; where something else comes between,
    /// the others come later.
    fn handle_group(&mut self, event: HostEvent) {
        let HostEvent { time, host, what, .. } = event;
        let set = what.operation_set();
        let operation_set = self.operation_sets[set];
        self.operation_sets.release(set);
        let mut keys = std::mem::take(&mut self.keys);
        keys.extend(operation_set.iter().map(|one| (self.kind(host, one) as u64) << u32::BITS | u64::from(one)));
        keys.sort_unstable();
        for (&key, number) in keys.iter().zip(event.number()..) {
            let operation = Subject(key as u32);
            let one = HostEvent::new((time, number), HostEventKind::nth(key >> u32::BITS), false, (host, operation));
            if self.queue.precedes(one) {
                let left = operation_set.without(keys.iter().take_while(|&&done| done != key));
                let set = self.operation_sets.insert(left);
                self.queue.push(HostEvent::new((time, number), HostEventKind::OperationSet, false, (host, set.into())));
                break;
            }
            self.handle_event(one);
        }
        keys.clear();
        self.keys = keys;
    }

    fn handle_event(&mut self, event: HostEvent) {
        if event.is_queued() && !self.dequeue(event) {
            return;
        }
        let kind = event.kind();
        match kind {
            HostEventKind::Compute => self.compute(event),
            HostEventKind::Send => self.send(event),
            HostEventKind::Recv => self.post(event),
            HostEventKind::Take => self.take(event),
            HostEventKind::OperationSet => self.handle_group(event),
        }
        if event.is_queued() {
            let HostEvent { time, host, what, .. } = event;
            self.schedule_earliest(host, self.cpu(kind, host, what), time);
        }
    }

    /// When something of a kind can begin.
    #[inline]
    fn free(&self, kind: HostEventKind, host: TaskId, cpu: u16) -> u64 {
        let host = &self.hosts[host];
        match kind {
            HostEventKind::Send => host.busy(cpu).max(host.sends),
            HostEventKind::Take => host.busy(cpu).max(host.receives),
            HostEventKind::Recv => 0,
            HostEventKind::Compute | HostEventKind::OperationSet => host.busy(cpu),
        }
    }

    /// Lets those go on that wait for the begin of an operation.
    fn began(&mut self, host: TaskId, operation: u32, time: u64) {
        let place = self.place(host);
        let free = &mut self.free;
        self.hosts[host].frontier.began(place, operation, |after| free.push(after));
        self.ready(host, time);
    }

    /// The same for the end.
    fn ended(&mut self, host: TaskId, operation: u32, time: u64) {
        let place = self.place(host);
        let (state, free) = (&mut self.hosts[host], &mut self.free);
        state.spent.end = state.spent.end.max(time);
        state.frontier.ended(place, operation, |after| free.push(after));
        self.ready(host, time);
    }

    fn compute(&mut self, event: HostEvent) {
        let HostEvent { time, host, what, .. } = event;
        let operation = what.operation();
        let Action::Compute { ns } = self.action(host, operation) else { return };
        let cpu = self.cpu(HostEventKind::Compute, host, what);
        let free = self.free(HostEventKind::Compute, host, cpu);
        if free > time {
            return self.postpone(event, cpu, free);
        }
        let duration = ns.saturating_mul(1000);
        let state = &mut self.hosts[host];
        state.occupy(cpu, time.saturating_add(duration));
        state.spent.compute += duration;
        self.log.span(host, Part::Compute, time, time.saturating_add(duration));
        self.began(host, operation, time);
        self.ended(host, operation, time.saturating_add(duration));
    }

    fn send(&mut self, event: HostEvent) {
        let HostEvent { time, host, what, .. } = event;
        let operation = what.operation();
        let Action::Send { to, tag, bytes } = self.action(host, operation) else { return };
        let cpu = self.cpu(HostEventKind::Send, host, what);
        let free = self.free(HostEventKind::Send, host, cpu);
        if free > time {
            return self.postpone(event, cpu, free);
        }
        let model = self.model;
        let end = time.saturating_add(model.sending(bytes));
        let state = &mut self.hosts[host];
        state.occupy(cpu, end);
        state.sends = time.saturating_add(model.interface(bytes));
        state.spent.send += model.sending(bytes);
        state.spent.end = state.spent.end.max(end);
        self.log.span(host, Part::Send, time, end);
        let is_eager = model.is_eager(bytes);
        let rendezvous = if is_eager { NONE } else { operation };
        let message = HostMessage { from: host, tag, bytes, rendezvous, next: NONE, number: 0, cpu };
        let message = self.messages.insert(message);
        self.log.leaves(message, end);
        self.began(host, operation, time);
        if is_eager {
            self.ended(host, operation, end);
        }
        self.push(time.saturating_add(model.flight()), HostEventKind::Take, TaskId(to), message.into());
    }

    fn post(&mut self, event: HostEvent) {
        let HostEvent { time, host, what, .. } = event;
        let operation = what.operation();
        let Action::Recv { from, tag, .. } = self.action(host, operation) else { return };
        self.began(host, operation, time);
        let state = &mut self.hosts[host];
        match state.unexpected(Pattern { from: TaskId(from), tag }, &mut self.messages) {
            Some(message) => self.received(time, time, host, operation, message),
            None => {
                state.post(self.schedule, operation, &mut self.posted);
            }
        }
    }

    fn take(&mut self, event: HostEvent) {
        let HostEvent { time, host, what, .. } = event;
        let id = what.message();
        let message = self.messages[id];
        let model = self.model;
        let free = self.free(HostEventKind::Take, host, message.cpu);
        if free > time {
            return self.postpone(event, message.cpu, free);
        }
        let end = time.saturating_add(model.receiving(message.bytes));
        let state = &mut self.hosts[host];
        state.occupy(message.cpu, end);
        state.receives = time.saturating_add(model.interface(message.bytes));
        state.spent.recv += model.receiving(message.bytes);
        state.spent.end = state.spent.end.max(end);
        self.log.span(host, Part::Recv, time, end);
        match state.posted_for(self.schedule, &message, &mut self.posted) {
            Some(operation) => self.received(time, end, host, operation, id),
            None => state.keep(id, &mut self.messages),
        }
    }

    /// Message and receive have met: the sender of a large message goes on now, the receiver then.
    fn received(&mut self, now: u64, then: u64, host: TaskId, operation: u32, id: HostMessageId) {
        let message = self.messages[id];
        self.messages.release(id);
        let (HostMessage { from, tag, bytes, .. }, sent) = (message, self.log.left(id));
        self.log.message(Delivered { from, to: host, tag, bytes, sent, received: then });
        self.ended(host, operation, then);
        if message.rendezvous != NONE {
            self.ended(message.from, message.rendezvous, now);
        }
    }
}
