//! What needs no other task to act: one-sided accesses, locks of windows, and the file system that all share.
//!
//! An access is a message there and one back, or a bare confirmation; it waits for the ports that it leaves through,
//! not for those that it comes to. Locks are granted in the order in which they are asked for. The file system serves
//! one request after the other.

use super::Engine;
use crate::codes;
use crate::events::queue::EventKind;
use crate::matching::channel::Channel;
use crate::matching::operation::{Completion, OpKind, Owner, PendingOp};
use crate::memory::call_site::CallSite;
use crate::network::cost::MessageCost;
use crate::result::Part;
use crate::task::state::Status;
use chronos_activity::{CommId, Feed, RequestId, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::units::{Bytes, Picoseconds};

impl<F: Feed> Engine<'_, '_, F> {
    /// A one-sided access; it is complete when its answer is back.
    pub fn access(&mut self, id: TaskId, to: TaskId, sent: Bytes, returned: Bytes, request: RequestId) -> bool {
        let (out, back) = (self.cost(id, to, sent.0), self.cost(to, id, returned.0));
        let (out, back) = [out, back].map(|cost| self.of_call(self.tasks[id].site, cost)).into();
        self.tasks[id].pass(Part::Send, out.send_overhead);
        self.count_traffic(id, to, sent.0);
        let left = self.tasks[id].now;
        // The target does nothing: its port answers when the request has come.
        let there = self.pass_ports(id, left, &out);
        let at = self.pass_ports(to, there, &back);
        self.note_access(to, there);
        let channel = Channel::internal(to, id, CommId(0), 0);
        let op = PendingOp::new(Owner::Request(request), OpKind::Send, channel, sent.0, left);
        let completion = Completion { at, overhead: back.recv_overhead, partner: at, from: id, left };
        let op = self.ops.insert(op.ended(completion), self.tasks[id].site);
        self.remember(id, Some(request), op);
        if returned.0 > 0 {
            self.count_traffic(to, id, returned.0);
        }
        self.return_from_call(id);
        true
    }

    /// When something that leaves at `left` is at its destination.
    fn pass_ports(&mut self, from: TaskId, left: Picoseconds, cost: &MessageCost) -> Picoseconds {
        let begin = if cost.ports { self.occupy_port(from, left, cost) } else { left };
        begin + cost.head + cost.transfer
    }

    pub(crate) fn count_traffic(&mut self, from: TaskId, to: TaskId, bytes: u64) {
        self.sent_traffic.count(&mut self.tasks[from].sent_traffic, from.0, to.0, bytes);
    }

    /// A lock is asked for and granted by messages without data.
    pub fn lock(&mut self, id: TaskId, comm: CommId, of: Option<TaskId>, exclusive: bool) -> bool {
        let Some(of) = of else { return self.lock_all(id, comm) };
        let key = (comm, of);
        let (out, back) = (self.cost(id, of, 0), self.cost(of, id, 0));
        self.tasks[id].pass(Part::Send, out.send_overhead);
        let now = self.tasks[id].now;
        let shared = self.remote.sharer(comm).is_some();
        let lock = self.remote.locks.entry(key).or_default();
        if !lock.waiting.is_empty() || !lock.admits(exclusive) || exclusive && shared {
            lock.waiting.push_back((id, exclusive));
            return self.await_lock(id, (comm, Some(of)));
        }
        lock.grant(id, exclusive);
        let asked = now + out.head + out.transfer;
        // Asked for and granted by a message without data each way.
        let granted = asked.max(lock.free) + back.head + back.transfer;
        self.note_wait_for_nobody(id, granted - now);
        self.tasks[id].wait_idle(granted - now, Part::Send);
        self.return_from_call(id);
        true
    }

    fn await_lock(&mut self, id: TaskId, lock: (CommId, Option<TaskId>)) -> bool {
        self.block(id, Status::Lock);
        self.tasks[id].extras_mut().lock = Some(lock);
        false
    }

    /// Libraries ask nobody before the first access, so this costs a call where nobody holds a lock exclusively.
    fn lock_all(&mut self, id: TaskId, comm: CommId) -> bool {
        let call = self.costs.call;
        self.tasks[id].pass(Part::Send, call);
        let excluded = self.remote.exclusive_holder(comm).is_some();
        let shared = self.remote.shared.entry(comm).or_default();
        if excluded {
            shared.waiting.push(id);
            return self.await_lock(id, (comm, None));
        }
        shared.holders.push(id);
        self.return_from_call(id);
        true
    }

    /// Gives a lock back, and to those who wait for it next.
    pub fn unlock(&mut self, id: TaskId, comm: CommId, of: Option<TaskId>) -> bool {
        let Some(of) = of else { return self.unlock_all(id, comm) };
        let key = (comm, of);
        let out = self.cost(id, of, 0);
        self.tasks[id].pass(Part::Send, out.send_overhead);
        let free = self.tasks[id].now + out.head + out.transfer;
        let lock = self.remote.locks.entry(key).or_default();
        lock.holders.retain(|&holder| holder != id);
        lock.exclusive = false;
        lock.free = lock.free.max(free);
        self.hand_on(key, free);
        if self.remote.exclusive_holder(comm).is_none() {
            self.share(comm, of, free);
        }
        self.return_from_call(id);
        true
    }

    fn unlock_all(&mut self, id: TaskId, comm: CommId) -> bool {
        let call = self.costs.call;
        self.tasks[id].pass(Part::Send, call);
        let shared = self.remote.shared.entry(comm).or_default();
        shared.holders.retain(|&holder| holder != id);
        if shared.holders.is_empty() {
            let mut keys: Vec<_> = self.remote.locks.keys().copied().filter(|key| key.0 == comm).collect();
            keys.sort_unstable();
            for key in keys {
                let free = self.tasks[id].now + self.cost(id, key.1, 0).head;
                self.hand_on(key, free);
            }
        }
        self.return_from_call(id);
        true
    }

    /// Those who come next get a lock that is free from then on.
    fn hand_on(&mut self, key: (CommId, TaskId), free: Picoseconds) {
        for next in self.remote.grant(key) {
            self.wake_locked(next, key.1, free);
        }
    }

    /// Those who wait for no exclusive lock to be held share all.
    fn share(&mut self, comm: CommId, of: TaskId, free: Picoseconds) {
        let Some(shared) = self.remote.shared.get_mut(&comm) else { return };
        let waiting = std::mem::take(&mut shared.waiting);
        shared.holders.extend(&waiting);
        waiting.into_iter().for_each(|next| self.wake_locked(next, of, free));
    }

    fn wake_locked(&mut self, next: TaskId, of: TaskId, free: Picoseconds) {
        let back = self.cost(of, next, 0);
        let task = &self.tasks[next];
        self.queue.push((free + back.head + back.transfer).max(task.now), EventKind::Task, next.0, task.epoch);
    }

    /// The lock that a task waited for is granted.
    pub fn locked(&mut self, id: TaskId, time: Picoseconds) {
        let waited = time - self.tasks[id].now;
        self.note_wait_for_nobody(id, waited);
        self.tasks[id].wait_idle(waited, Part::Send);
        self.return_from_call(id);
        self.schedule(id);
    }

    /// One of those who hold the lock that a task waits for.
    pub fn holder(&self, comm: CommId, of: Option<TaskId>) -> Option<TaskId> {
        let Some(of) = of else { return self.remote.exclusive_holder(comm) };
        let holder = self.remote.locks.get(&(comm, of)).and_then(|lock| lock.holders.first().copied());
        holder.or_else(|| self.remote.sharer(comm))
    }

    /// A network without a file system: nothing is known of how long its files take.
    fn tell_free_files(&mut self, id: TaskId) {
        if self.costs.network().storage.is_some() || self.remote.reported_free_files {
            return;
        }
        self.remote.reported_free_files = true;
        let fault = Diagnostic::warning(&codes::FREE_FILES, "file access through MPI takes no time in this prediction")
            .help("give the network file a `storage` with latency_ns and ns_per_byte");
        let fault = self.at_site(fault, self.tasks[id].site.get(), "the first one");
        self.diagnostics.push(fault);
    }

    /// A request to the file system, served after those before it.
    pub fn storage(&mut self, id: TaskId, bytes: u64, write: bool, request: Option<RequestId>) -> bool {
        let part = if write { Part::Send } else { Part::Recv };
        self.tell_free_files(id);
        let (latency, transfer) = self.costs.storage(bytes);
        let call = self.costs.call;
        self.tasks[id].pass(part, call);
        let now = self.tasks[id].now;
        // One server: first come, first served.
        let begin = now.max(self.remote.storage_free);
        self.remote.storage_free = begin + transfer;
        let at = begin + latency + transfer;
        if let Some(request) = request {
            let channel = Channel::internal(id, id, CommId(0), 0);
            let op = PendingOp::new(Owner::Request(request), OpKind::Send, channel, bytes, now);
            let completion = Completion { at, overhead: Picoseconds::ZERO, partner: at, from: id, left: now };
            let op = self.ops.insert(op.ended(completion), CallSite::default());
            self.remember(id, Some(request), op);
        } else {
            self.tasks[id].pass(part, at - now);
        }
        self.return_from_call(id);
        true
    }
}
