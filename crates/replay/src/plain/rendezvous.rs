//! Sends of calls that wait for their receives: a request goes ahead, a receive grants it, and the message follows.

use super::inbox::Completed;
use super::messages::{Kind, Message};
use super::simulation::{Ready, Simulation, Status};
use crate::matching::completion::complete_in_order;
use crate::matching::operation::Completion;
use crate::network::origins::Origin;
use crate::result::Part;
use chronos_activity::TaskId;
use chronos_base::units::Picoseconds;

impl Simulation<'_> {
    /// A request and its receive, posted at some time, belong together: the message leaves, and with its last byte the sender
    /// goes on.
    pub(super) fn grant_call(&mut self, request: Message, slot: u16, posted: Picoseconds) {
        let completed = self.granted(request, Kind::Data { slot }, posted, posted);
        self.end_send(request.from, completed);
    }

    /// A request is granted by a receive that is posted at some time: the message leaves as one of a kind. How the send is complete.
    pub(super) fn granted(
        &mut self,
        request: Message,
        kind: Kind,
        posted: Picoseconds,
        partner: Picoseconds,
    ) -> Completed {
        let cost = self.courses.sizes[request.size].cost;
        let receiver = TaskId(request.to);
        let granted = request.at.max(posted) + cost.grant;
        let own = if posted > request.at { Origin { task: receiver, left: posted } } else { request.origin };
        let sender = &mut self.tasks[request.from as usize];
        let origin = sender.outwards.pass(own, sender.out_free > granted);
        let start = sender.leave(granted, cost.occupancy);
        let sent = Message { at: start + cost.head, origin, kind, ..request };
        self.failed |= !self.arrivals.push(sent);
        let (at, overhead) = (start + cost.transfer, Picoseconds::ZERO);
        Completed { completion: Completion { at, overhead, partner, from: receiver, left: posted }, origin }
    }

    fn end_send(&mut self, id: u32, sent: Completed) {
        let Status::Sends { site } = self.tasks[id as usize].status else {
            self.failed = true;
            return;
        };
        let summary = complete_in_order(self.tasks[id as usize].now, &mut [sent.completion]);
        let binding = summary.binding.map(|binding| (sent.origin, binding.from));
        self.settle(id, Part::Send, &summary, binding, site);
        self.return_from_call(id, site);
        self.tasks[id as usize].status = Status::Runs;
        self.ready.push(Ready::Caller(id));
    }
}
