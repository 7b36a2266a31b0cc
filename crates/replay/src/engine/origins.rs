//! Keeps on whom messages and completions depended, where the critical path is asked for.

use super::Engine;
use crate::ids::{MsgId, OpId};
use crate::matching::completion::completion_of;
use crate::matching::message::Message;
use crate::matching::operation::Completion;
use crate::network::cost::MessageCost;
use crate::network::origins::Origin;
use chronos_activity::{Feed, TaskId};
use chronos_base::units::Picoseconds;

impl<F: Feed> Engine<'_, '_, F> {
    /// The origin of a message, or of its request, that its sender hands over; before it takes the port.
    #[inline]
    pub(crate) fn origin_at_launch(&mut self, message: &Message, is_request: bool, cost: &MessageCost) -> Origin {
        let own = Origin { task: message.channel.from, left: message.left };
        if is_request || !cost.ports { own } else { self.origin_through_port(message, message.left, own, cost) }
    }

    /// The same behind the port of its sender, to which it comes at `ready`.
    #[inline]
    pub(crate) fn origin_through_port(
        &mut self,
        message: &Message,
        ready: Picoseconds,
        own: Origin,
        cost: &MessageCost,
    ) -> Origin {
        if self.origins.is_none() {
            return own;
        }
        let port = self.port_of(message.channel.from, cost);
        let is_busy = self.ports[port].out_free > ready;
        self.origins.as_mut().map_or(own, |origins| origins.leave(port, own, is_busy))
    }

    /// The same where messages of a pair keep their order.
    #[inline]
    pub(crate) fn origin_in_order(&mut self, message: &Message, own: Origin, waited: bool) -> Origin {
        let pair = (message.channel.from, message.channel.to);
        self.origins.as_mut().map_or(own, |origins| origins.follow(pair, own, waited))
    }

    #[inline]
    pub(crate) fn set_origin(&mut self, id: MsgId, origin: Origin) {
        if let Some(origins) = &mut self.origins {
            origins.set_message(id, origin);
        }
    }

    /// A message comes to the port of its receiver, which may be busy; a request does not keep it.
    #[inline]
    pub(crate) fn note_entry(&mut self, id: MsgId, is_busy: bool, keeps: bool) {
        let Some(origins) = &mut self.origins else { return };
        let port = self.nodes[self.messages[id].channel.to];
        let own = origins.message(id);
        let origin = match keeps {
            true => origins.enter(port, own, is_busy),
            false if is_busy => origins.kept_by(port),
            false => own,
        };
        origins.set_message(id, origin);
    }

    /// A rendezvous is granted: by its request, or by a receive that was posted later.
    #[inline]
    pub(crate) fn note_grant(&mut self, id: MsgId, requested: Picoseconds, posted: Picoseconds) {
        if posted > requested && self.origins.is_some() {
            let task = self.messages[id].channel.to;
            self.set_origin(id, Origin { task, left: posted });
        }
    }

    /// The same for what an operation waits for.
    #[inline]
    pub(crate) fn note_completion_of(&mut self, op: OpId, id: MsgId, completion: &Completion) {
        if self.origins.is_some() {
            self.note_completion(self.task_of(op), id, completion.from, completion.left);
        }
    }

    /// What a task will wait for has the origin of a message.
    #[inline]
    pub(crate) fn note_completion(&mut self, task: TaskId, id: MsgId, from: TaskId, left: Picoseconds) {
        if let Some(origins) = &mut self.origins {
            let origin = origins.message(id);
            origins.complete((task, from, left), origin);
        }
    }

    /// Where the critical path goes from a completion that a task waited for.
    #[inline]
    pub(crate) fn origin_of(&self, task: TaskId, completion: &Completion) -> Origin {
        let own = Origin { task: completion.from, left: completion.left };
        self.origins.as_ref().map_or(own, |origins| origins.of((task, completion.from, completion.left)))
    }

    /// A task has waited for these.
    pub(crate) fn forget_origins(&mut self, task: TaskId, completions: &[Completion]) {
        let Some(origins) = &mut self.origins else { return };
        completions.iter().for_each(|completion| origins.forget((task, completion.from, completion.left)));
    }

    /// The same for what a wait is about.
    pub(crate) fn forget_item(&mut self, task: TaskId, item: u32) {
        if self.origins.is_some()
            && let Some(completion) = completion_of(&self.ops, &self.messages, item)
        {
            self.forget_origins(task, &[completion]);
        }
    }

    /// The task that an operation belongs to.
    pub(crate) fn task_of(&self, op: OpId) -> TaskId {
        self.ops[op].task()
    }
}
