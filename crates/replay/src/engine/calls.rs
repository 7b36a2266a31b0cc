//! MPI calls of a task.
//!
//! A test or probe that is not successful takes the time of a poll, and the task goes on. A feed that knows that
//! nothing changes between the polls of its task says so (`spin`); all other polls are replayed one by one.

use super::{Engine, PollsInVain};
use crate::codes;
use crate::ids::OpId;
use crate::matching::channel::Channel;
use crate::matching::message::{Message, MessageExtras};
use crate::matching::operation::{OpKind, Owner, PendingOp};
use crate::matching::requests::WaitItem;
use crate::memory::call_site::CallSite;
use crate::result::Part;
use crate::task::state::Status;
use chronos_activity::{CommId, Event, Feed, Operation, Outcome, RequestId, SendMode, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::units::{Bytes, Picoseconds};
use chronos_ir::BlockId;

/// A send as the program asks for it.
struct SendCall {
    to: TaskId,
    tag: i32,
    comm: CommId,
    bytes: Bytes,
    mode: SendMode,
    request: Option<RequestId>,
}

impl<F: Feed> Engine<'_, '_, F> {
    /// Performs an event; whether the task can go on at once.
    pub fn call(&mut self, id: TaskId, event: &Event) -> bool {
        let task = &mut self.tasks[id];
        task.started = task.now;
        task.idle = Picoseconds::ZERO;
        task.site = CallSite::of(event.site.as_ref());
        task.note_call(event);
        task.polled = false;
        if !only_starts_message(&event.operation) && !matches!(event.operation, Operation::WaitAll { .. }) {
            self.materialize_lazy_receives(id);
        }
        if event.operation.is_poll() {
            return self.poll(id, &event.operation);
        }
        self.polls_in_vain = PollsInVain::default();
        self.dispatch(id, event)
    }

    fn dispatch(&mut self, id: TaskId, event: &Event) -> bool {
        match &event.operation {
            &Operation::Send { to, tag, comm, bytes, mode, request } => {
                self.send(id, SendCall { to, tag, comm, bytes, mode, request })
            }
            &Operation::Recv { from, tag, comm, bytes, request } => {
                self.recv(id, Channel::user(id, from, comm, tag), bytes, request)
            }
            Operation::WaitAll { requests } => {
                let part = self.gather(id, requests);
                self.wait_all(id, part)
            }
            Operation::WaitAny { requests } => {
                let part = self.gather(id, requests);
                self.wait_any(id, part)
            }
            &Operation::Cancel { request } => self.cancel(id, request),
            Operation::TestAll { .. } | Operation::TestAny { .. } | Operation::Probe { blocking: false, .. } => true,
            &Operation::Probe { from, tag, comm, blocking: true } => self.probe(id, Channel::user(id, from, comm, tag)),
            Operation::Collective(collective) => self.collective(id, collective),
            &Operation::Access { to, sent, returned, request } => self.access(id, to, sent, returned, request),
            &Operation::Lock { comm, of, exclusive } => self.lock(id, comm, of, exclusive),
            &Operation::Unlock { comm, of } => self.unlock(id, comm, of),
            &Operation::Storage { bytes, write, request } => self.storage(id, bytes.0, write, request),
            &Operation::ReadClock { slot } => self.read_clock(id, slot),
            &Operation::Elapsed { from, to } => self.elapsed(id, from, to),
            Operation::Local { .. } => self.local(id),
            Operation::Start => self.start(id),
            &Operation::Abort { code } => self.abort(id, code),
        }
    }

    /// The call is over: its time is attributed to its place.
    pub(crate) fn return_from_call(&mut self, id: TaskId) {
        let task = &mut self.tasks[id];
        if task.status != Status::Ready {
            task.status = Status::Ready;
            task.epoch += 1;
        }
        if let Some(site) = task.site.get() {
            let (time, idle) = (task.now - task.started, task.idle);
            let entry = self.sites.entry(&mut task.sites, id.0, site);
            entry.calls += 1;
            entry.time += time;
            entry.idle += idle;
        }
    }

    fn send(&mut self, id: TaskId, send: SendCall) -> bool {
        let mut cost = self.cost(id, send.to, send.bytes.0);
        if self.options.faster.is_some() {
            cost = self.of_call(self.tasks[id].site, cost);
        }
        // A buffered send never waits for its receive, a synchronous one always does (MPI 4.1, sec. 3.4).
        let rendezvous = match send.mode {
            SendMode::Synchronous => true,
            SendMode::Buffered => false,
            SendMode::Standard | SendMode::Ready => !cost.eager,
        };
        let task = &mut self.tasks[id];
        let sequence = task.sent;
        task.sent += 1;
        // o of LogGP: the processor is busy before the message leaves.
        task.pass(Part::Send, cost.send_overhead);
        let channel = Channel::user(send.to, Some(id), send.comm, Some(send.tag));
        let op = self.send_op(id, channel, &send, rendezvous);
        let (started, left) = (self.tasks[id].started, self.tasks[id].now);
        let mut message = Message::new(channel, send.bytes.0, started, left);
        message.sequence = sequence as u32;
        let site = self.tasks[id].site;
        let extras = MessageExtras { send: op.filter(|_| rendezvous), site, ..MessageExtras::default() };
        self.launch(message, extras, &cost);
        self.after_post(id, op.filter(|_| send.request.is_none()), Part::Send)
    }

    /// The operation that completes a send, where it does not complete at once and nobody asks for it.
    #[inline]
    fn send_op(&mut self, id: TaskId, channel: Channel, send: &SendCall, rendezvous: bool) -> Option<OpId> {
        let owner = send.request.map_or(Owner::Call, Owner::Request);
        // An eager send is complete when it has left the processor, so most need no record.
        if !rendezvous && send.request.is_none_or(|request| self.feed.send_completed(id, request)) {
            return None;
        }
        let op = self.new_op(id, owner, OpKind::Send, channel, send.bytes.0);
        let op = if rendezvous { op } else { op.completed_at_once() };
        let op = self.ops.insert(op, self.tasks[id].site);
        self.remember(id, send.request, op);
        Some(op)
    }

    #[inline]
    fn recv(&mut self, id: TaskId, channel: Channel, bytes: Bytes, request: Option<RequestId>) -> bool {
        // Posting a non-blocking receive costs a call; a blocking one costs its overhead when the message has come.
        if request.is_some_and(|request| !request.is_of_blocking()) {
            let call = self.costs.call;
            self.tasks[id].pass(Part::Recv, call);
        }
        if request.is_some_and(|request| self.post_lazily(id, channel, bytes, request)) {
            self.return_from_call(id);
            return true;
        }
        self.materialize_lazy_receives(id);
        let owner = request.map_or(Owner::Call, Owner::Request);
        let op = self.new_op(id, owner, OpKind::Recv, channel, bytes.0);
        let op = self.post(op, self.tasks[id].site);
        self.remember(id, request, op);
        self.after_post(id, Some(op).filter(|_| request.is_none()), Part::Recv)
    }

    #[inline]
    pub(crate) fn new_op(&self, id: TaskId, owner: Owner, kind: OpKind, channel: Channel, bytes: u64) -> PendingOp {
        PendingOp::new(owner, kind, channel, bytes, self.tasks[id].now)
    }

    #[inline]
    pub fn remember(&mut self, id: TaskId, request: Option<RequestId>, op: OpId) {
        if let Some(request) = request {
            let requests = self.tasks[id].waiting.requests_mut();
            if !requests.has_room() || requests.get(request).is_some() {
                self.materialize_lazy_receives(id);
            }
            self.tasks[id].waiting.requests_mut().insert(request, WaitItem::Op(op).number());
        }
    }

    /// Waits for the operation of a blocking call.
    #[inline]
    fn after_post(&mut self, id: TaskId, op: Option<OpId>, part: Part) -> bool {
        let Some(op) = op else {
            self.return_from_call(id);
            return true;
        };
        let task = &mut self.tasks[id];
        task.waiting.clear();
        task.waiting.push(WaitItem::Op(op).number());
        self.wait_all(id, part)
    }

    fn local(&mut self, id: TaskId) -> bool {
        let call = self.costs.call;
        self.tasks[id].pass(Part::Compute, call);
        self.return_from_call(id);
        true
    }

    /// A spawned task begins: nothing that it did before counts as its own.
    fn start(&mut self, id: TaskId) -> bool {
        let network = self.costs.network();
        let took = network.start_time(self.nodes[id].0);
        if took.is_none() && !std::mem::replace(&mut self.reported_free_start, true) {
            let fault = Diagnostic::warning(
                &codes::FREE_START,
                "starting spawned tasks takes no time in this prediction",
            )
            .help("give the network file a `spawn_ns`: the time from the request until a task's first instruction");
            self.diagnostics.push(fault);
        }
        self.tasks[id].pass(Part::Compute, took.unwrap_or_default());
        true
    }

    fn read_clock(&mut self, id: TaskId, slot: BlockId) -> bool {
        let now = self.tasks[id].now;
        self.tasks[id].extras_mut().clocks.readings.insert(slot, now);
        self.report(id, Outcome::Time { at: now });
        self.local(id)
    }

    fn elapsed(&mut self, id: TaskId, from: BlockId, to: BlockId) -> bool {
        self.tasks[id].extras_mut().clocks.tell(from, to);
        true
    }

    fn abort(&mut self, id: TaskId, code: i32) -> bool {
        self.return_from_call(id);
        let fault = Diagnostic::warning(
            &codes::ABORTED,
            format!("task {id} aborts the program with code {code}", id = id.0),
        )
        .help(
            "if it should not, correct the condition that leads to MPI_Abort; the prediction ends here, as a run does",
        );
        let fault = self.at_site(fault, self.tasks[id].site.get(), "aborted here");
        self.diagnostics.push(fault);
        self.abort = Some(code);
        self.stopped = true;
        let at = self.tasks[id].now;
        // Tasks run ahead of one another: what they did beyond the abort has not happened.
        for task in self.tasks.values_mut().filter(|task| task.status != Status::Ended || task.now > at) {
            task.end_at(at);
            task.status = Status::Ready;
        }
        false
    }
}

/// A send or a receive, which do not look at what is under way.
fn only_starts_message(operation: &Operation) -> bool {
    matches!(operation, Operation::Send { .. } | Operation::Recv { .. })
}
