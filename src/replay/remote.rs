//! What needs no other task to act: one-sided accesses, locks of windows, and the file system that all share.
//!
//! An access is a message there and one back, or a bare confirmation; it waits for the ports that it leaves through, not
//! for those that it comes to. Locks are granted in the order in which they are asked for. The file system serves one
//! request after the other.

use super::codes;
use super::engine::Engine;
use super::hash::FastMap;
use super::matching::Channel;
use super::price::MessageCost;
use super::queue::Kind;
use super::state::{Done, Op, OpKind, Owner, Part, Status};
use crate::activity::{CommId, Feed, RequestId, TaskId};
use crate::diag::Diagnostic;
use crate::units::{Bytes, Picoseconds};
use std::collections::VecDeque;

/// Locks of windows, by window and task; and when the file system is free.
#[derive(Debug, Default)]
pub(super) struct Remote {
    locks: FastMap<(CommId, TaskId), Lock>,
    storage_free: Picoseconds,
    /// That files take no time has been said.
    told_free: bool,
}

/// Who may access the memory that a task exposes.
#[derive(Debug, Default)]
struct Lock {
    /// Tasks that hold it; more than one where it is shared.
    holders: Vec<u32>,
    exclusive: bool,
    /// Nobody gets it before then.
    free: Picoseconds,
    /// Tasks that wait for it, and whether exclusively.
    waiting: VecDeque<(u32, bool)>,
}

impl Remote {
    /// Nothing was ever accessed or stored.
    pub fn is_idle(&self) -> bool {
        self.locks.is_empty() && self.storage_free == Picoseconds::ZERO
    }
}

impl Lock {
    fn admits(&self, exclusive: bool) -> bool {
        self.holders.is_empty() || !(exclusive || self.exclusive)
    }

    fn grant(&mut self, id: u32, exclusive: bool) {
        self.holders.push(id);
        self.exclusive = exclusive;
    }
}

impl<F: Feed> Engine<'_, '_, F> {
    /// A one-sided access; it is complete when its answer is back.
    pub fn access(&mut self, id: u32, to: TaskId, (sent, returned): (Bytes, Bytes), request: RequestId) -> bool {
        let (out, back) = (self.cost(id, to.0, sent.0), self.cost(to.0, id, returned.0));
        self.tasks[id as usize].pass(Part::Send, out.send_overhead);
        self.count_traffic(id, to.0, sent.0);
        let left = self.tasks[id as usize].now;
        let there = self.pass_ports(id, left, out);
        let at = self.pass_ports(to.0, there, back);
        let channel = Channel::internal(to.0, id, CommId(0), 0);
        let mut op = Op::new(id, Owner::Request(request), OpKind::Send, channel, sent.0, left);
        op.site = self.tasks[id as usize].site;
        op.done = Some(Done { at, overhead: back.recv_overhead, partner: at, from: id, left });
        let op = self.ops.insert(op);
        self.remember(id, Some(request), op);
        if returned.0 > 0 {
            self.count_traffic(to.0, id, returned.0);
        }
        self.return_from_call(id);
        true
    }

    /// When something that leaves at `left` is at its destination.
    fn pass_ports(&mut self, from: u32, left: Picoseconds, cost: MessageCost) -> Picoseconds {
        let begin = if cost.ports { self.occupy_port(from, left, Picoseconds::ZERO, cost) } else { left };
        begin + cost.head + cost.transfer
    }

    fn count_traffic(&mut self, from: u32, to: u32, bytes: u64) {
        let pair = self.tasks[from as usize].pairs.entry(to);
        pair.messages += 1;
        pair.bytes += bytes;
    }

    /// A lock is asked for and granted by messages without data.
    pub fn lock(&mut self, id: u32, key: (CommId, TaskId), exclusive: bool) -> bool {
        let (out, back) = (self.cost(id, key.1.0, 0), self.cost(key.1.0, id, 0));
        self.tasks[id as usize].pass(Part::Send, out.send_overhead);
        let now = self.tasks[id as usize].now;
        let lock = self.remote.locks.entry(key).or_default();
        if !lock.waiting.is_empty() || !lock.admits(exclusive) {
            lock.waiting.push_back((id, exclusive));
            self.block(id, Status::Lock(key.0, key.1));
            return false;
        }
        lock.grant(id, exclusive);
        let asked = now + out.head + out.transfer;
        let granted = asked.max(lock.free) + back.head + back.transfer;
        self.tasks[id as usize].wait_idle(granted - now, Part::Send);
        self.return_from_call(id);
        true
    }

    /// Gives a lock back, and to those who wait for it next.
    pub fn unlock(&mut self, id: u32, key: (CommId, TaskId)) -> bool {
        let out = self.cost(id, key.1.0, 0);
        self.tasks[id as usize].pass(Part::Send, out.send_overhead);
        let free = self.tasks[id as usize].now + out.head + out.transfer;
        let lock = self.remote.locks.entry(key).or_default();
        lock.holders.retain(|&holder| holder != id);
        lock.free = lock.free.max(free);
        let mut granted = Vec::new();
        while let Some(&(next, exclusive)) = lock.waiting.front() {
            if !lock.admits(exclusive) {
                break;
            }
            lock.waiting.pop_front();
            lock.grant(next, exclusive);
            granted.push(next);
        }
        for next in granted {
            let back = self.cost(key.1.0, next, 0);
            let task = &self.tasks[next as usize];
            self.queue.push((free + back.head + back.transfer).max(task.now), Kind::Task, next, task.epoch);
        }
        self.return_from_call(id);
        true
    }

    /// The lock that a task waited for is granted.
    pub fn locked(&mut self, id: u32, time: Picoseconds) {
        let waited = time - self.tasks[id as usize].now;
        self.tasks[id as usize].wait_idle(waited, Part::Send);
        self.return_from_call(id);
        self.schedule(id);
    }

    /// One of those who hold the lock that a task waits for.
    pub fn holder(&self, key: (CommId, TaskId)) -> Option<u32> {
        self.remote.locks.get(&key)?.holders.first().copied()
    }

    /// A network without a file system: nothing is known of how long its files take.
    fn tell_free_files(&mut self, id: u32) {
        if self.prices.network().storage.is_some() || self.remote.told_free {
            return;
        }
        self.remote.told_free = true;
        let fault = Diagnostic::warning(&codes::FREE_FILES, "file access through MPI takes no time in this prediction")
            .help("give the network file a `storage` with latency_ns and ns_per_byte");
        let fault = self.at_site(fault, self.tasks[id as usize].site, "the first one");
        self.diagnostics.push(fault);
    }

    /// A request to the file system, served after those before it.
    pub fn storage(&mut self, id: u32, bytes: u64, write: bool, request: Option<RequestId>) -> bool {
        let part = if write { Part::Send } else { Part::Recv };
        self.tell_free_files(id);
        let (latency, transfer) = self.prices.storage(bytes);
        let call = self.prices.call;
        self.tasks[id as usize].pass(part, call);
        let now = self.tasks[id as usize].now;
        let begin = now.max(self.remote.storage_free);
        self.remote.storage_free = begin + transfer;
        let at = begin + latency + transfer;
        if let Some(request) = request {
            let channel = Channel::internal(id, id, CommId(0), 0);
            let mut op = Op::new(id, Owner::Request(request), OpKind::Send, channel, bytes, now);
            op.done = Some(Done { at, overhead: Picoseconds::ZERO, partner: at, from: id, left: now });
            let op = self.ops.insert(op);
            self.remember(id, Some(request), op);
        } else {
            self.tasks[id as usize].pass(part, at - now);
        }
        self.return_from_call(id);
        true
    }
}
