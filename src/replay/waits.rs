//! Completion: waits for all, for one, and probes; idle time ends when the partner has arrived.

use super::engine::{Dependence, Engine};
use super::implied::done;
use super::matching::Channel;
use super::queue::Kind;
use super::requests::Item;
use super::result::Peer;
use super::state::{Done, OpKind, Owner, Part, Status, Task};
use crate::activity::{Feed, Outcome, RequestId, TaskId};
use crate::units::{Bytes, Picoseconds};

/// The number of a message of a sender that has sent so many, of which fewer than a `u32` tells apart are under way.
pub(super) fn numbered(sent: u64, sequence: u32) -> u64 {
    sent.wrapping_sub(u64::from((sent as u32).wrapping_sub(sequence)))
}

/// A wait for several completions, one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Folded {
    pub end: Picoseconds,
    pub idle: Picoseconds,
    /// The completion that was waited for last.
    pub binding: Option<Done>,
}

/// Completions are dealt with in the order in which they come, each taking its overhead.
#[inline]
pub(super) fn fold(since: Picoseconds, dones: &mut [Done]) -> Folded {
    if dones.len() > 1 {
        dones.sort_by_key(|done| done.at);
    }
    let mut folded = Folded { end: since, ..Folded::default() };
    for done in dones.iter() {
        if done.at > folded.end {
            folded.idle += done.partner.min(done.at) - folded.end;
            folded.binding = Some(*done);
        }
        folded.end = folded.end.max(done.at) + done.overhead;
    }
    folded
}

impl Task {
    /// The rest of a wait until `end`, of which `idle` is spent idle.
    #[inline]
    fn wait_until(&mut self, part: Part, folded: &Folded) {
        let whole = folded.end - self.now;
        self.wait_idle(folded.idle, part);
        self.pass(part, whole - folded.idle);
    }
}

impl<F: Feed> Engine<'_, '_, F> {
    /// An operation is complete, perhaps at a time still to come.
    #[inline]
    pub fn complete(&mut self, op: u32, done: Done) {
        self.ops[op].end(done);
        let Owner::Frame(frame) = self.ops[op].owner() else {
            return self.complete_for_task(op, done);
        };
        self.ops.release(op);
        self.frame_progress(frame, done);
    }

    #[inline]
    fn complete_for_task(&mut self, op: u32, done: Done) {
        let id = self.ops[op].task();
        let task = &mut self.tasks[id as usize];
        match task.status {
            Status::All(part) if self.ops[op].is_awaited() => {
                task.pending -= 1;
                if task.pending == 0 {
                    self.finish_all(id, part);
                    self.schedule(id);
                }
            }
            Status::Any(_) | Status::Spin => self.queue.push(done.at.max(task.now), Kind::Task, id, task.epoch),
            _ => {}
        }
    }

    /// Waits for all of `task.waiting`; whether the task can go on at once.
    #[inline]
    pub fn wait_all(&mut self, id: u32, part: Part) -> bool {
        let mut pending = 0;
        for &item in self.tasks[id as usize].waiting.iter() {
            let lacks = done(&self.ops, &self.messages, item).is_none();
            match Item::of(item) {
                Item::Op(op) => self.ops[op].set_awaited(lacks),
                Item::Message(message) => self.messages[message].set_awaited(lacks),
                Item::Implied(_) => {}
            }
            pending += u32::from(lacks);
        }
        if pending == 0 {
            self.finish_all(id, part);
            return true;
        }
        self.block(id, Status::All(part));
        self.tasks[id as usize].pending = pending;
        false
    }

    pub fn finish_all(&mut self, id: u32, part: Part) {
        if let [op] = *self.tasks[id as usize].waiting {
            return self.finish_sole(id, part, op);
        }
        let waiting = self.tasks[id as usize].waiting.take();
        let mut dones = std::mem::take(&mut self.scratch);
        dones.clear();
        dones.extend(waiting.iter().filter_map(|&item| done(&self.ops, &self.messages, item)));
        let folded = fold(self.tasks[id as usize].now, &mut dones);
        self.scratch = dones;
        self.note_binding(id, &waiting, &folded);
        self.settle(id, part, &folded);
        if self.is_heard(id) {
            let arrivals = waiting.iter().filter_map(|&op| self.arrival(op)).collect::<Vec<_>>();
            if !arrivals.is_empty() {
                self.report(id, Outcome::Arrived(arrivals));
            }
        }
        waiting.iter().for_each(|&op| self.forget(op));
        self.tasks[id as usize].waiting.put_back(waiting);
        self.return_from_call(id);
    }

    /// The same for a wait for one operation, as blocking calls wait.
    #[inline]
    fn finish_sole(&mut self, id: u32, part: Part, op: u32) {
        let Some(done) = done(&self.ops, &self.messages, op) else { return };
        let folded = fold(self.tasks[id as usize].now, &mut [done]);
        self.note_binding(id, &[op], &folded);
        self.settle(id, part, &folded);
        if self.is_heard(id)
            && let Some(arrival) = self.arrival(op)
        {
            self.report(id, Outcome::Arrived(vec![arrival]));
        }
        self.forget(op);
        self.tasks[id as usize].waiting.clear();
        self.return_from_call(id);
    }

    /// For the timeline: the message that a wait was for, or that it was longest for.
    #[inline]
    fn note_binding(&mut self, id: u32, waiting: &[u32], folded: &Folded) {
        if self.tasks[id as usize].spans().is_none() {
            return;
        }
        let last = |&&op: &&u32| folded.binding.is_some() && self.ops[op].done() == folded.binding;
        let single = || waiting.first().filter(|_| waiting.len() == 1);
        let Some(&op) = waiting.iter().find(last).or_else(single) else { return };
        let arrival = self.arrival(op);
        let op = &self.ops[op];
        let sent = || {
            let peer =
                Peer { task: Some(TaskId(op.channel.to)), tag: Some(op.channel.tag), bytes: Some(Bytes(op.bytes())) };
            Some(peer).filter(|_| op.kind() == OpKind::Send)
        };
        if let Some(peer) = arrival.as_ref().map(Peer::arrived).or_else(sent) {
            self.tasks[id as usize].note_peer(peer);
        }
    }

    /// Lets the wait pass and remembers what ended it.
    #[inline]
    pub fn settle(&mut self, id: u32, part: Part, folded: &Folded) {
        let task = &mut self.tasks[id as usize];
        task.wait_until(part, folded);
        if let Some(done) = folded.binding.filter(|_| self.options.critical_path) {
            let (at, site) = (task.now, task.site.get());
            if self.may_keep_dependences(1) {
                self.dependences.push(Dependence { task: id, at, from: done.from, left: done.left, site });
            }
        }
    }

    #[inline]
    pub fn forget(&mut self, item: u32) {
        let op = match Item::of(item) {
            Item::Op(op) => op,
            Item::Message(message) => return self.forget_claimed(message),
            Item::Implied(_) => return,
        };
        let operation = &self.ops[op];
        if let Owner::Request(request) = operation.owner() {
            self.tasks[operation.task() as usize].waiting.requests_mut().remove(request);
        }
        self.ops.release(op);
    }

    #[inline]
    pub fn block(&mut self, id: u32, status: Status) {
        let task = &mut self.tasks[id as usize];
        task.status = status;
        task.epoch += 1;
    }

    /// A task's time has come: it goes on, or looks again whether it can.
    pub fn wake(&mut self, id: u32, time: Picoseconds) {
        match self.tasks[id as usize].status {
            Status::Ready => self.proceed(id),
            Status::Any(part) => self.finish_any(id, part, time),
            Status::Spin => self.spun(id, time),
            Status::Lock => self.locked(id, time),
            Status::Computing | Status::All(_) | Status::Probe | Status::Frame(_) | Status::Ended | Status::Stuck => {}
        }
    }

    /// Waits for one of `task.waiting`.
    pub fn wait_any(&mut self, id: u32, part: Part) -> bool {
        let now = self.tasks[id as usize].now;
        if self.tasks[id as usize].waiting.is_empty() {
            self.return_from_call(id);
            return true;
        }
        self.block(id, Status::Any(part));
        if let Some((_, done)) = self.earliest(id) {
            let epoch = self.tasks[id as usize].epoch;
            self.queue.push(done.at.max(now), Kind::Task, id, epoch);
        }
        false
    }

    /// The completion that comes first among `task.waiting`, by position.
    pub fn earliest(&self, id: u32) -> Option<(usize, Done)> {
        let waiting = self.tasks[id as usize].waiting.iter().enumerate();
        waiting
            .filter_map(|(index, &op)| Some((index, self.ops[op].done()?)))
            .min_by_key(|(index, done)| (done.at, *index))
    }

    fn finish_any(&mut self, id: u32, part: Part, time: Picoseconds) {
        let Some((index, done)) = self.earliest(id).filter(|(_, done)| done.at <= time) else { return };
        self.take_any(id, part, index, done);
        self.return_from_call(id);
        self.schedule(id);
    }

    pub fn take_any(&mut self, id: u32, part: Part, index: usize, done: Done) {
        let folded = fold(self.tasks[id as usize].now, &mut [done]);
        let op = self.tasks[id as usize].waiting[index];
        self.note_binding(id, &[op], &folded);
        self.settle(id, part, &folded);
        let arrival = self.arrival(op);
        self.report(id, Outcome::Any { index, arrival });
        self.forget(op);
    }

    /// Puts the operations of the requests into `task.waiting`.
    pub fn gather(&mut self, id: u32, requests: &[RequestId]) -> Part {
        let task = &mut self.tasks[id as usize];
        task.waiting.gather(requests);
        let kind_of = |item: u32| if let Item::Op(op) = Item::of(item) { self.ops[op].kind() } else { OpKind::Recv };
        let kinds = |kind| task.waiting.iter().any(|&item| kind_of(item) == kind);
        match (kinds(OpKind::Recv), kinds(OpKind::Collective)) {
            (true, _) => Part::Recv,
            (false, true) => Part::Collective,
            (false, false) => Part::Send,
        }
    }

    /// A blocking probe.
    pub fn probe(&mut self, id: u32, pattern: Channel) -> bool {
        let call = self.prices.call;
        self.tasks[id as usize].pass(Part::Recv, call);
        if self.try_probe(id, pattern) {
            self.return_from_call(id);
            return true;
        }
        self.block(id, Status::Probe);
        self.tasks[id as usize].extras_mut().probe = Some(pattern);
        false
    }

    /// A message has arrived that no receive waits for.
    pub fn notice(&mut self, channel: Channel, time: Picoseconds) {
        let id = channel.to;
        let task = &self.tasks[id as usize];
        if task.status == Status::Spin {
            self.queue.push(time.max(task.now), Kind::Task, id, task.epoch);
        } else if let Some(pattern) = task.probed().filter(|pattern| pattern.accepts(channel)) {
            self.finish_probe(id, pattern, time);
        }
    }

    fn finish_probe(&mut self, id: u32, pattern: Channel, time: Picoseconds) {
        let Some(found) = self.arrived_message(pattern, time) else { return };
        let message = self.messages[found];
        let (from, left) = (message.channel.from, message.left);
        let done = Done { at: time, overhead: Picoseconds::ZERO, partner: message.partner, from, left };
        let folded = fold(self.tasks[id as usize].now, &mut [done]);
        self.settle(id, Part::Recv, &folded);
        self.try_probe(id, pattern);
        self.return_from_call(id);
        self.schedule(id);
    }
}
