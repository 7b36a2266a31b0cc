//! Collective operations around a ring without their messages: when each member is through with all rounds.
//!
//! In every round each member sends to its right neighbour and receives from its left one. On a network without
//! contention between these messages the rounds are a max-plus recurrence (Baccelli, Cohen, Olsder, Quadrat:
//! Synchronization and Linearity, 1992): the state after a round follows from the state before it by additions and
//! maxima. The rules are those of `engine::transfer` and `matching::completion`, which replay every message and are the
//! oracle of the tests. This module must not know the engine: it is given the state of members and ports as they came,
//! and gives the state when they are through.

use super::whole::{WholeCompletion, WholeMember};
use crate::network::cost::MessageCost;
use crate::network::origins::Origin;
use chronos_base::units::Picoseconds;

/// A block that goes around the ring.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RingBlock {
    pub cost: MessageCost,
    /// Arithmetic on it by a member that receives it.
    pub reduction: Picoseconds,
}

/// The blocks, and who sends which of them when.
#[derive(Debug)]
pub(crate) struct RingBlocks {
    /// Those that differ.
    pub kinds: Vec<RingBlock>,
    /// By the rank whose block it is.
    pub kind_of: Vec<u32>,
    /// How far to the left of a member's rank the block is that it sends first.
    pub first: u32,
    pub rounds: u32,
    /// So many rounds, the first ones, have arithmetic.
    pub reducing: u32,
}

impl RingBlocks {
    /// The kinds of block that members send in a round, from rank 0 on.
    fn sent(&self, round: u32) -> impl Iterator<Item = &RingBlock> + Clone {
        let size = self.kind_of.len();
        let begin = (size - (self.first + round) as usize % size) % size;
        let kinds = self.kind_of[begin..].iter().chain(&self.kind_of[..begin]);
        kinds.map(|&kind| &self.kinds[kind as usize])
    }

    /// Those that they receive, each from its left neighbour.
    fn received(&self, round: u32) -> impl Iterator<Item = &RingBlock> + Clone {
        self.sent(round + 1)
    }
}

/// A member in the middle of a round: it has posted its receive and sent.
#[derive(Clone, Copy, Default)]
struct Begun {
    posted: Picoseconds,
    /// When its message left its processor.
    left: Picoseconds,
    received: WholeCompletion,
    /// Its message waited for the receiver.
    confirmed: Option<WholeCompletion>,
}

/// Goes through all rounds. Gives when the last message came to a port; `None` where messages come to a port in another
/// order than that of the rounds, or where the order of two completions decides: the states are of no use then.
pub(crate) fn go_round(members: &mut [WholeMember], blocks: &RingBlocks) -> Option<Picoseconds> {
    let mut begun = vec![Begun::default(); members.len()];
    let mut latest = vec![Picoseconds::ZERO; members.len()];
    for round in 0..blocks.rounds {
        for ((member, begun), block) in members.iter_mut().zip(&mut begun).zip(blocks.sent(round)) {
            begun.posted = member.clock;
            // o of LogGP, for every message of a round.
            member.clock += block.cost.send_overhead;
            begun.left = member.clock;
        }
        let mut left = members.len() - 1;
        for (right, block) in (0..members.len()).zip(blocks.received(round)) {
            transfer(members, &mut begun, (left, right), &block.cost, &mut latest[right])?;
            left = right;
        }
        let reduces = round < blocks.reducing;
        for ((member, begun), block) in members.iter_mut().zip(&begun).zip(blocks.received(round)) {
            member.finish(begun)?;
            member.clock += if reduces { block.reduction } else { Picoseconds::ZERO };
        }
    }
    latest.into_iter().max()
}

/// The way of a message from a member to its right neighbour, to whose port the latest message came at `latest`.
fn transfer(
    members: &mut [WholeMember],
    begun: &mut [Begun],
    (left, right): (usize, usize),
    cost: &MessageCost,
    latest: &mut Picoseconds,
) -> Option<()> {
    let mut leaves = begun[left].left;
    let mut origin = Origin { task: members[left].task, left: leaves };
    begun[left].confirmed = None;
    if !cost.eager {
        // The request waits for the port as any frame does, and takes none of its time; the grant leaves when both the
        // request and the receive are there.
        let head = in_order(leaves + cost.request, latest)?;
        let request = head.max(members[right].in_free);
        let posted = begun[right].posted;
        if posted > request {
            origin = Origin { task: members[right].task, left: posted };
        } else if request > head {
            origin = members[right].inwards;
        }
        leaves = request.max(posted) + cost.grant;
    }
    let start = leaves.max(members[left].out_free);
    origin = members[left].outwards.pass(origin, start > leaves);
    members[left].out_free = start + cost.occupancy;
    if !cost.eager {
        begun[left].confirmed = Some(WholeCompletion {
            origin,
            at: start + cost.transfer,
            partner: members[right].partner,
            overhead: Picoseconds::ZERO,
        });
    }
    let head = in_order(start + cost.head, latest)?;
    let begin = head.max(members[right].in_free);
    origin = members[right].inwards.pass(origin, begin > head);
    members[right].in_free = begin + cost.occupancy;
    begun[right].received = WholeCompletion {
        origin,
        at: begin + cost.transfer,
        partner: members[left].partner,
        overhead: cost.recv_overhead,
    };
    Some(())
}

/// The time at which something comes to a port, unless it should have been dealt with before what came there last.
fn in_order(head: Picoseconds, latest: &mut Picoseconds) -> Option<Picoseconds> {
    (head >= *latest).then(|| {
        *latest = head;
        head
    })
}

impl WholeMember {
    /// Waits for what the round has begun, in the order in which it completes.
    fn finish(&mut self, begun: &Begun) -> Option<()> {
        match begun.confirmed {
            None => self.complete(begun.received),
            Some(confirmed) if confirmed.at == begun.received.at => return None,
            Some(confirmed) if confirmed.at < begun.received.at => {
                self.complete(confirmed);
                self.complete(begun.received);
            }
            Some(confirmed) => {
                self.complete(begun.received);
                self.complete(confirmed);
            }
        }
        let confirmed = begun.confirmed.map_or(Picoseconds::ZERO, |confirmed| confirmed.partner);
        self.partner = self.partner.max(begun.received.partner).max(confirmed);
        Some(())
    }
}
