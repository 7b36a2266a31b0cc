//! Collective operations of all tasks around a ring, timed as a whole.
//!
//! Their messages are as many as the square of the tasks. Members that come are held until all have: nobody is through
//! before, so what others do meanwhile sees nothing of the operation but its messages at ports. An event that comes to
//! a port behind the first message that a held member may send there is the end of holding: the members begin as
//! those of any other operation, and their messages are replayed (`release_before`). Where all have come and nothing
//! is on its way, `collective::ring` gives the times at which they are through, which are those of the replay of the
//! messages as long as nothing that is sent afterwards can come to a port before the last message of the ring.

use super::{Engine, Runnable};
use crate::collective::CollectiveFrame;
use crate::collective::ring::{RingBinding, RingMember, go_round};
use crate::events::queue::{EventKind, SimEvent};
use crate::ids::{FrameId, MsgId};
use crate::matching::operation::Completion;
use crate::network::cost::{CostFactor, Distance};
use crate::network::ports::MessagePath;
use chronos_activity::{Feed, TaskId};
use chronos_base::units::Picoseconds;

impl<F: Feed> Engine<'_, '_, F> {
    /// Whether messages of a collective operation meet none but those of its own: each task has a port for itself, and
    /// nobody asks what happens inside the operation.
    pub(crate) fn may_hold(&self) -> bool {
        let alone = self.ports.len() == self.tasks.len() && self.ports.values().all(|port| port.users == 1);
        let options = &self.options;
        let told = self.waiting.is_some() || options.faster.is_some() || options.path_in_collectives;
        let plain = self.message_path == MessagePath::Ports && options.links.is_none();
        options.rings_as_a_whole
            && alone
            && plain
            && !told
            && options.network.between_nodes.ports
            && self.pools.values().all(Option::is_none)
    }

    /// Lets a member wait until all have come, if that can be.
    pub(crate) fn hold(&mut self, id: FrameId) -> bool {
        if !self.collectives.held.enabled {
            return false;
        }
        let frame = &self.collectives.frames[id];
        let port = &self.ports[self.nodes[frame.task]];
        let whole = frame.group.len() == self.tasks.len() && frame.op.is_none();
        // What else of the task sends meanwhile competes for its port.
        let alone = port.users == 1 && !port.is_shared(Picoseconds::MAX);
        if !whole || !alone || frame.decision.scale != CostFactor::NONE || frame.plan.ring_rounds().is_none() {
            return false;
        }
        let (operation, size) = ((frame.comm, frame.number), frame.group.len());
        let Some(rank) = self.collectives.groups.get(&frame.comm).and_then(|group| group.rank(frame.task)) else {
            return false;
        };
        self.collectives.held.hold(operation, rank, size, id)
    }

    /// Lets the held members be through if all have come and nothing else is under way; whether it did.
    pub(crate) fn end_held(&mut self) -> bool {
        if !self.collectives.held.is_complete() || self.queue.has_messages() {
            return false;
        }
        let frames = self.collectives.held.take();
        let members = self.ring_members(&frames);
        match self.timed(&frames, members) {
            Some(members) => self.end_ring(&frames, &members),
            None => self.begin_frames(frames),
        }
        true
    }

    /// Lets the held members begin; whether there were any.
    pub(crate) fn release_held(&mut self) -> bool {
        let frames = self.collectives.held.take();
        let any = !frames.is_empty();
        self.begin_frames(frames);
        any
    }

    fn begin_frames(&mut self, frames: Vec<FrameId>) {
        self.ready.extend(frames.into_iter().rev().map(Runnable::Frame));
    }

    /// Whether a message of a held member may come to a port before what comes there in this event.
    pub(crate) fn comes_behind_held(&self, event: &SimEvent) -> bool {
        if event.kind != EventKind::PortArrival {
            return false;
        }
        let held = &self.collectives.held;
        let Some(group) = held.comm().and_then(|comm| self.collectives.groups.get(&comm)) else { return false };
        let Some(rank) = group.rank(self.messages[MsgId(event.subject)].channel.to) else { return false };
        let shortest = self.costs.network().between_nodes.shortest();
        held.left_of(rank).is_some_and(|frame| event.time >= self.collectives.frames[frame].entered + shortest)
    }

    /// Lets the held members begin, whose messages may come before this event.
    pub(crate) fn release_before(&mut self, event: SimEvent) {
        let windows = self.queue.has_windows();
        self.queue.suspend_windows(&|message| self.messages.sender(message));
        self.queue.put_back(event, &|message| self.messages.sender(message));
        self.release_held();
        self.drain();
        if windows {
            self.queue.resume_windows();
        }
    }

    fn ring_members(&self, frames: &[FrameId]) -> Vec<RingMember> {
        let member = |&id: &FrameId| {
            let CollectiveFrame { task, clock, idle, partner, .. } = self.collectives.frames[id];
            let port = &self.ports[self.nodes[task]];
            let (out_free, in_free) = (port.out_free, port.in_free);
            RingMember { clock, idle, partner, out_free, in_free, binding: None }
        };
        frames.iter().map(member).collect()
    }

    /// The members when they are through; `None` where the messages must be replayed.
    fn timed(&mut self, frames: &[FrameId], mut members: Vec<RingMember>) -> Option<Vec<RingMember>> {
        let plans = || frames.iter().map(|&id| &self.collectives.frames[id].plan);
        let plan = plans().next()?;
        if !plans().all(|other| other.is_like(plan)) {
            return None;
        }
        let costs = &mut self.costs;
        let blocks =
            plan.ring_blocks(&mut |bytes| (costs.message(bytes, Distance::Network), costs.reduction(bytes)))?;
        let latest = go_round(&mut members, &blocks)?;
        let first = members.iter().map(|member| member.clock).min()?;
        (latest <= first + self.costs.network().between_nodes.shortest()).then_some(members)
    }

    fn end_ring(&mut self, frames: &[FrameId], members: &[RingMember]) {
        let tasks: Vec<TaskId> = frames.iter().map(|&id| self.collectives.frames[id].task).collect();
        for (rank, (&id, member)) in frames.iter().zip(members).enumerate() {
            let neighbour = |by_receiver| tasks[(rank + if by_receiver { 1 } else { tasks.len() - 1 }) % tasks.len()];
            let frame = &mut self.collectives.frames[id];
            let (task, rounds) = (frame.task, frame.plan.ring_rounds().unwrap_or_default());
            (frame.clock, frame.idle, frame.partner) = (member.clock, member.idle, member.partner);
            frame.binding = member.binding.map(|binding| binding.completed_by(neighbour(binding.by_receiver)));
            let entered = frame.entered;
            let port = self.port_mut(task);
            (port.out_free, port.in_free) = (member.out_free, member.in_free);
            self.tasks[task].launched = self.tasks[task].launched.wrapping_add(rounds);
            self.receives = self.receives.wrapping_add(u64::from(rounds));
            self.end_frame(id, entered);
        }
    }
}

impl RingBinding {
    fn completed_by(self, from: TaskId) -> Completion {
        let Self { at, left, partner, overhead, .. } = self;
        Completion { at, overhead, partner, left, from }
    }
}
