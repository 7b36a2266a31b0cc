//! Completion: waits for all, for one, and probes; idle time ends when the partner has arrived.

use super::Engine;
use super::dependences::Dependence;
use crate::events::queue::EventKind;
use crate::ids::OpId;
use crate::matching::channel::Channel;
use crate::matching::completion::{WaitSummary, complete_in_order, completion_of};
use crate::matching::operation::{Completion, OpKind, Owner};
use crate::matching::requests::WaitItem;
use crate::result::{Part, Peer};
use crate::task::state::{Status, Task};
use chronos_activity::{Feed, Outcome, RequestId, TaskId};
use chronos_base::units::{Bytes, Picoseconds};

impl Task {
    /// The rest of a wait until `end`, of which `idle` is spent idle.
    #[inline]
    fn wait_until(&mut self, part: Part, summary: &WaitSummary) {
        let whole = summary.end - self.now;
        self.wait_idle(summary.idle, part);
        self.pass(part, whole - summary.idle);
    }
}

impl<F: Feed> Engine<'_, '_, F> {
    /// An operation is complete, perhaps at a time still to come.
    #[inline]
    pub fn complete(&mut self, op: OpId, completion: Completion) {
        self.ops[op].end(completion);
        let Owner::Frame(frame) = self.ops[op].owner() else {
            return self.complete_for_task(op, completion);
        };
        self.ops.release(op);
        self.frame_progress(frame, completion);
    }

    #[inline]
    fn complete_for_task(&mut self, op: OpId, completion: Completion) {
        let id = self.ops[op].task();
        let task = &mut self.tasks[id];
        match task.status {
            Status::All(part) if self.ops[op].is_awaited() => {
                task.pending -= 1;
                if task.pending == 0 {
                    self.finish_all(id, part);
                    self.schedule(id);
                }
            }
            Status::Any(_) | Status::Spin => {
                self.queue.push(completion.at.max(task.now), EventKind::Task, id.0, task.epoch);
            }
            _ => {}
        }
    }

    /// Waits for all of `task.waiting`; whether the task can go on at once.
    #[inline]
    pub fn wait_all(&mut self, id: TaskId, part: Part) -> bool {
        let mut pending = 0;
        for &item in self.tasks[id].waiting.iter() {
            let lacks = completion_of(&self.ops, &self.messages, item).is_none();
            match WaitItem::of(item) {
                WaitItem::Op(op) => self.ops[op].set_awaited(lacks),
                WaitItem::Message(message) => self.messages[message].set_awaited(lacks),
                WaitItem::LazyReceive(_) => {}
            }
            pending += u32::from(lacks);
        }
        // All completions are known, perhaps at times still to come: the task passes them without an event.
        if pending == 0 {
            self.finish_all(id, part);
            return true;
        }
        self.block(id, Status::All(part));
        self.tasks[id].pending = pending;
        false
    }

    pub(crate) fn finish_all(&mut self, id: TaskId, part: Part) {
        if let [op] = *self.tasks[id].waiting {
            return self.finish_sole(id, part, op);
        }
        let waiting = self.tasks[id].waiting.take();
        let mut completions = std::mem::take(&mut self.scratch);
        completions.clear();
        completions.extend(waiting.iter().filter_map(|&item| completion_of(&self.ops, &self.messages, item)));
        let summary = complete_in_order(self.tasks[id].now, &mut completions);
        self.note_waits(id, &completions);
        self.scratch = completions;
        self.note_binding(id, &waiting, &summary);
        self.settle(id, part, &summary);
        if self.reports_outcome(id) {
            let arrivals = waiting.iter().filter_map(|&op| self.arrival(op)).collect::<Vec<_>>();
            if !arrivals.is_empty() {
                self.report(id, Outcome::Arrived(arrivals));
            }
        }
        waiting.iter().for_each(|&op| self.release_item(op));
        self.tasks[id].waiting.put_back(waiting);
        self.return_from_call(id);
    }

    /// The same for a wait for one operation, as blocking calls wait.
    #[inline]
    fn finish_sole(&mut self, id: TaskId, part: Part, op: u32) {
        let Some(completion) = completion_of(&self.ops, &self.messages, op) else { return };
        let summary = complete_in_order(self.tasks[id].now, &mut [completion]);
        self.note_waits(id, &[completion]);
        self.note_binding(id, &[op], &summary);
        self.settle(id, part, &summary);
        if self.reports_outcome(id)
            && let Some(arrival) = self.arrival(op)
        {
            self.report(id, Outcome::Arrived(vec![arrival]));
        }
        self.release_item(op);
        self.tasks[id].waiting.clear();
        self.return_from_call(id);
    }

    /// For the timeline: the message that a wait was for, or that it was longest for.
    #[inline]
    fn note_binding(&mut self, id: TaskId, waiting: &[u32], summary: &WaitSummary) {
        if self.tasks[id].spans().is_none() {
            return;
        }
        let last = |&&op: &&u32| summary.binding.is_some() && self.ops[OpId(op)].completion() == summary.binding;
        let single = || waiting.first().filter(|_| waiting.len() == 1);
        let Some(&op) = waiting.iter().find(last).or_else(single) else { return };
        let arrival = self.arrival(op);
        let op = &self.ops[OpId(op)];
        let sent = || {
            let peer = Peer { task: Some(op.channel.to), tag: Some(op.channel.tag), bytes: Some(Bytes(op.bytes())) };
            Some(peer).filter(|_| op.kind() == OpKind::Send)
        };
        if let Some(peer) = arrival.as_ref().map(Peer::arrived).or_else(sent) {
            self.tasks[id].note_peer(peer);
        }
    }

    /// Lets the wait pass and remembers what ended it.
    #[inline]
    pub fn settle(&mut self, id: TaskId, part: Part, summary: &WaitSummary) {
        let task = &mut self.tasks[id];
        task.wait_until(part, summary);
        if let Some(completion) = summary.binding.filter(|_| self.options.critical_path) {
            let (at, site) = (task.now, task.site.get());
            let origin = self.origin_of(id, &completion);
            if self.may_keep_dependences(1) {
                let (from, left, partner) = (origin.task, origin.left, completion.from);
                self.dependences.push(Dependence { task: id, at, from, left, partner, site });
            }
        }
    }

    #[inline]
    pub(crate) fn release_item(&mut self, item: u32) {
        let op = match WaitItem::of(item) {
            WaitItem::Op(op) => op,
            WaitItem::Message(message) => return self.release_claimed(message),
            WaitItem::LazyReceive(_) => return,
        };
        if self.origins.is_some() {
            self.forget_item(self.task_of(op), item);
        }
        let operation = &self.ops[op];
        if let Owner::Request(request) = operation.owner() {
            self.tasks[operation.task()].waiting.requests_mut().remove(request);
        }
        self.ops.release(op);
    }

    #[inline]
    pub fn block(&mut self, id: TaskId, status: Status) {
        let task = &mut self.tasks[id];
        task.status = status;
        task.epoch += 1;
    }

    /// A task's time has come: it goes on, or looks again whether it can.
    pub(crate) fn wake(&mut self, id: TaskId, time: Picoseconds) {
        match self.tasks[id].status {
            Status::Ready => self.proceed(id),
            Status::Any(part) => self.finish_any(id, part, time),
            Status::Spin => self.spun(id, time),
            Status::Lock => self.locked(id, time),
            Status::Computing | Status::All(_) | Status::Probe | Status::Frame(_) | Status::Ended | Status::Stuck => {}
        }
    }

    /// Waits for one of `task.waiting`.
    pub(crate) fn wait_any(&mut self, id: TaskId, part: Part) -> bool {
        let now = self.tasks[id].now;
        if self.tasks[id].waiting.is_empty() {
            self.return_from_call(id);
            return true;
        }
        // Which one is first may change until its time has come, so the task looks again then.
        self.block(id, Status::Any(part));
        if let Some((_, completion)) = self.earliest(id) {
            let epoch = self.tasks[id].epoch;
            self.queue.push(completion.at.max(now), EventKind::Task, id.0, epoch);
        }
        false
    }

    /// The completion that comes first among `task.waiting`, by position.
    pub(crate) fn earliest(&self, id: TaskId) -> Option<(usize, Completion)> {
        let waiting = self.tasks[id].waiting.iter().enumerate();
        waiting
            .filter_map(|(index, &op)| Some((index, self.ops[OpId(op)].completion()?)))
            .min_by_key(|(index, completion)| (completion.at, *index))
    }

    fn finish_any(&mut self, id: TaskId, part: Part, time: Picoseconds) {
        let Some((index, completion)) = self.earliest(id).filter(|(_, completion)| completion.at <= time) else {
            return;
        };
        self.take_any(id, part, index, completion);
        self.return_from_call(id);
        self.schedule(id);
    }

    pub(crate) fn take_any(&mut self, id: TaskId, part: Part, index: usize, completion: Completion) {
        let summary = complete_in_order(self.tasks[id].now, &mut [completion]);
        let op = self.tasks[id].waiting[index];
        self.note_waits(id, &[completion]);
        self.note_binding(id, &[op], &summary);
        self.settle(id, part, &summary);
        let arrival = self.arrival(op);
        self.report(id, Outcome::Any { index, arrival });
        self.release_item(op);
    }

    /// Puts the operations of the requests into `task.waiting`.
    pub fn gather(&mut self, id: TaskId, requests: &[RequestId]) -> Part {
        let task = &mut self.tasks[id];
        task.waiting.gather(requests);
        let kind_of = |item: u32| {
            if let WaitItem::Op(op) = WaitItem::of(item) { self.ops[op].kind() } else { OpKind::Recv }
        };
        let kinds = |kind| task.waiting.iter().any(|&item| kind_of(item) == kind);
        match (kinds(OpKind::Recv), kinds(OpKind::Collective)) {
            (true, _) => Part::Recv,
            (false, true) => Part::Collective,
            (false, false) => Part::Send,
        }
    }

    /// A blocking probe.
    pub fn probe(&mut self, id: TaskId, pattern: Channel) -> bool {
        let call = self.costs.call;
        self.tasks[id].pass(Part::Recv, call);
        if self.try_probe(id, pattern) {
            self.return_from_call(id);
            return true;
        }
        self.block(id, Status::Probe);
        self.tasks[id].extras_mut().probe = Some(pattern);
        false
    }

    /// A message has arrived that no receive waits for.
    pub fn notice(&mut self, channel: Channel, time: Picoseconds) {
        let id = channel.to;
        let task = &self.tasks[id];
        if task.status == Status::Spin {
            self.queue.push(time.max(task.now), EventKind::Task, id.0, task.epoch);
        } else if let Some(pattern) = task.probed().filter(|pattern| pattern.accepts(channel)) {
            self.finish_probe(id, pattern, time);
        }
    }

    fn finish_probe(&mut self, id: TaskId, pattern: Channel, time: Picoseconds) {
        let Some(found) = self.arrived_message(pattern, time) else { return };
        let message = self.messages[found];
        let (from, left) = (message.channel.from, message.left);
        let completion = Completion { at: time, overhead: Picoseconds::ZERO, partner: message.partner, from, left };
        let summary = complete_in_order(self.tasks[id].now, &mut [completion]);
        self.note_waits(id, &[completion]);
        self.note_completion(id, found, from, left);
        self.settle(id, Part::Recv, &summary);
        self.forget_origins(id, &[completion]);
        self.try_probe(id, pattern);
        self.return_from_call(id);
        self.schedule(id);
    }
}
