//! Tests, and probes that do not block: they look when they are called, and take the time of a call if they find
//! something, else that of a poll.
//!
//! A program that polls for ever with a state that changes each time (it counts its polls, say) has no end that could
//! be proved. It is given up where everybody who is not blocked has polled in vain very often and nothing is under
//! way.

use super::{Engine, PollsInVain};
use crate::codes;
use crate::ids::OpId;
use crate::matching::channel::Channel;
use crate::matching::completion::{complete_in_order, numbered};
use crate::matching::operation::Completion;
use crate::result::Part;
use crate::task::state::Status;
use chronos_activity::{Arrival, Feed, MessageId, Operation, Outcome, RequestId, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::units::Bytes;

/// Polls after which it is looked whether anybody can do something else.
const POLLS_PER_ROUND: u32 = 1 << 19;
/// Rounds in a row in which nobody could, after which the replay is given up.
const HOPELESS_ROUNDS: u32 = 4;

impl<F: Feed> Engine<'_, '_, F> {
    /// A test or probe. Whether the task can go on at once.
    pub fn poll(&mut self, id: TaskId, operation: &Operation) -> bool {
        let (found, part) = self.attempt(id, operation);
        let time = if found { self.costs.call } else { self.costs.poll };
        let task = &mut self.tasks[id];
        task.pass(part, time);
        task.polled = !found;
        self.return_from_call(id);
        if found {
            self.polls_in_vain = PollsInVain::default();
            return true;
        }
        self.report(id, Outcome::NotYet);
        self.polled_in_vain()
    }

    /// Whether the test or probe succeeds now, then it has its outcome; and what its time counts as.
    fn attempt(&mut self, id: TaskId, operation: &Operation) -> (bool, Part) {
        match operation {
            Operation::TestAll { requests } => self.test_all(id, requests),
            Operation::TestAny { requests } => self.test_any(id, requests),
            Operation::Probe { from, tag, comm, .. } => {
                (self.try_probe(id, Channel::user(id, *from, *comm, *tag)), Part::Recv)
            }
            _ => (false, Part::Recv),
        }
    }

    fn test_all(&mut self, id: TaskId, requests: &[RequestId]) -> (bool, Part) {
        let now = self.tasks[id].now;
        let part = self.gather(id, requests);
        let waiting = self.tasks[id].waiting.take();
        let ready = |&op: &u32| self.ops[OpId(op)].completion().is_some_and(|completion| completion.at <= now);
        if !waiting.iter().all(ready) {
            return (false, part);
        }
        let mut completions: Vec<Completion> =
            waiting.iter().filter_map(|&op| self.ops[OpId(op)].completion()).collect();
        let summary = complete_in_order(now, &mut completions);
        self.note_waits(id, &completions);
        self.settle(id, part, &summary);
        let arrivals = waiting.iter().filter_map(|&op| self.arrival(op)).collect();
        self.report(id, Outcome::Arrived(arrivals));
        waiting.iter().for_each(|&op| self.release_item(op));
        (true, part)
    }

    fn test_any(&mut self, id: TaskId, requests: &[RequestId]) -> (bool, Part) {
        let now = self.tasks[id].now;
        let part = self.gather(id, requests);
        let found = self.earliest(id).filter(|(_, completion)| completion.at <= now);
        if let Some((index, completion)) = found {
            self.take_any(id, part, index, completion);
        }
        self.tasks[id].waiting.clear();
        (found.is_some(), part)
    }

    pub(crate) fn try_probe(&mut self, id: TaskId, pattern: Channel) -> bool {
        let now = self.tasks[id].now;
        self.observe_arrivals(id, now);
        let Some(found) = self.arrived_message(pattern, now) else { return false };
        let message = self.messages[found];
        let sender = message.channel.from;
        let sent = self.tasks[message.channel.from].sent;
        let sequence = numbered(sent, message.sequence);
        let message_id = MessageId { sender, sequence };
        let (tag, bytes) = (message.channel.tag, Bytes(message.bytes));
        self.report(id, Outcome::Arrived(vec![Arrival { message: message_id, tag, bytes, request: None }]));
        true
    }

    /// One more of them; whether to go on.
    fn polled_in_vain(&mut self) -> bool {
        self.polls_in_vain.polls += 1;
        if self.polls_in_vain.polls < POLLS_PER_ROUND {
            return true;
        }
        let hopeless =
            self.queue.has_only_task_events() && self.tasks.values().all(|task| task.polled || is_blocked(task.status));
        let rounds = if hopeless { self.polls_in_vain.rounds + 1 } else { 0 };
        self.polls_in_vain = PollsInVain { polls: 0, rounds };
        if rounds >= HOPELESS_ROUNDS {
            return self.give_up_polling();
        }
        // Whoever is not blocked has to poll again in the next round.
        self.tasks.values_mut().for_each(|task| task.polled = false);
        true
    }

    fn give_up_polling(&mut self) -> bool {
        let polling: Vec<TaskId> = self.tasks.ids().filter(|&id| self.tasks[id].polled).collect();
        let Some(&first) = polling.first() else { return true };
        let others = if polling.len() > 1 { format!(", as do {} more", polling.len() - 1) } else { String::new() };
        let polls = POLLS_PER_ROUND * HOPELESS_ROUNDS;
        let text = format!(
            "task {first} polls in vain{others}: {polls} times, while no other task does anything else",
            first = first.0
        );
        let fault = Diagnostic::error(&codes::POLLS_IN_VAIN, text).help(codes::COMPARE_SIDES);
        let fault = self.at_site(fault, self.tasks[first].site.get(), "this call finds nothing");
        self.diagnostics.push(fault);
        self.stopped = true;
        false
    }
}

/// The task does nothing until another one does something.
fn is_blocked(status: Status) -> bool {
    !matches!(status, Status::Ready | Status::Computing)
}
