//! Exchanges of everybody with everybody at once, without their messages: when each member is through.
//!
//! Every member sends to all others, its right neighbour first, and then waits for what all others sent to it. Where each
//! member has a port for itself, the times at which messages leave follow from their sender alone, and those at which
//! they are there from the order in which they come to the receiver's port. The rules are those of `engine::transfer`,
//! which replays every message and is the oracle of the tests. This module must not know the engine.

use super::whole::{WholeCompletion, WholeMember};
use crate::network::cost::MessageCost;
use crate::network::origins::Origin;
use chronos_activity::TaskId;
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;

/// Receivers whose messages are kept at a time: all at once would be the square of the members.
const RECEIVERS: usize = 512;

/// Costs of the sizes of messages that occur.
#[derive(Debug, Default)]
pub(crate) struct MessageKinds {
    kinds: Vec<MessageCost>,
    by_size: FxHashMap<u64, u32>,
}

impl MessageKinds {
    /// The kind of a message, which is one of few.
    fn of(&mut self, bytes: u64, cost: &mut dyn FnMut(u64) -> MessageCost) -> u32 {
        *self.by_size.entry(bytes).or_insert_with(|| {
            self.kinds.push(cost(bytes));
            self.kinds.len() as u32 - 1
        })
    }
}

/// A message on its way to a port.
#[derive(Clone, Copy, Debug)]
struct Arriving {
    head: Picoseconds,
    origin: Origin,
    from: u32,
    kind: u32,
}

/// Sends and receives everything: `bytes` by the ranks of sender and receiver. Gives when the last message came to a port;
/// `None` where a message waits for its receiver.
pub(crate) fn exchange(
    members: &mut [WholeMember],
    bytes: &dyn Fn(usize, usize) -> u64,
    cost: &mut dyn FnMut(u64) -> MessageCost,
) -> Option<Picoseconds> {
    let before = members.to_vec();
    let mut kinds = MessageKinds::default();
    let mut latest = Picoseconds::ZERO;
    for begin in (0..members.len()).step_by(RECEIVERS) {
        let receivers = begin..members.len().min(begin + RECEIVERS);
        let mut arriving: Vec<Vec<Arriving>> = vec![Vec::with_capacity(members.len()); receivers.len()];
        for (sender, state) in before.iter().enumerate() {
            let mut state = *state;
            for receiver in (sender + 1..members.len()).chain(0..sender) {
                let kind = kinds.of(bytes(sender, receiver), cost);
                let (head, origin) = state.send(&kinds.kinds[kind as usize])?;
                if receivers.contains(&receiver) {
                    arriving[receiver - begin].push(Arriving { head, origin, from: sender as u32, kind });
                }
            }
            if begin == 0 {
                members[sender] = state;
            }
        }
        for (member, mut messages) in members[receivers].iter_mut().zip(arriving) {
            messages.sort_unstable_by_key(|message| (message.head, before[message.from as usize].task));
            latest = latest.max(messages.last()?.head);
            let mut completions: Vec<(TaskId, WholeCompletion)> = Vec::with_capacity(messages.len());
            for message in messages {
                let WholeMember { task, partner, .. } = before[message.from as usize];
                completions.push((task, member.receive(&message, &kinds.kinds[message.kind as usize], partner)));
            }
            // In this order those of one time are completed: see `matching::completion::complete_in_order`.
            completions.sort_by_key(|(from, completion)| (completion.at, completion.partner, *from));
            completions.into_iter().for_each(|(_, completion)| member.complete(completion));
        }
    }
    Some(latest)
}

impl WholeMember {
    /// When a message comes to the port of its receiver, and what it depends on.
    fn send(&mut self, cost: &MessageCost) -> Option<(Picoseconds, Origin)> {
        self.clock += cost.send_overhead;
        let start = self.clock.max(self.out_free);
        let own = Origin { task: self.task, left: self.clock };
        let origin = self.outwards.pass(own, start > self.clock);
        self.out_free = start + cost.occupancy;
        cost.eager.then_some((start + cost.head, origin))
    }

    /// Messages go through the port one after the other; when and by whom one is complete.
    fn receive(&mut self, message: &Arriving, cost: &MessageCost, came: Picoseconds) -> WholeCompletion {
        let begin = message.head.max(self.in_free);
        self.in_free = begin + cost.occupancy;
        let origin = self.inwards.pass(message.origin, begin > message.head);
        let at = begin + cost.transfer;
        self.partner = self.partner.max(came);
        WholeCompletion { origin, at, partner: came, overhead: cost.recv_overhead }
    }
}
