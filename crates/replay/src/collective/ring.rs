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
    let mut entries = vec![PortEntries::default(); members.len()];
    for round in 0..blocks.rounds {
        for ((member, begun), block) in members.iter_mut().zip(&mut begun).zip(blocks.sent(round)) {
            begun.posted = member.clock;
            // o of LogGP, for every message of a round.
            member.clock += block.cost.send_overhead;
            begun.left = member.clock;
        }
        let mut left = members.len() - 1;
        for (right, block) in (0..members.len()).zip(blocks.received(round)) {
            transfer(members, &mut begun, (left, right), &block.cost, &mut entries[right])?;
            left = right;
        }
        let reduces = round < blocks.reducing;
        for ((member, begun), block) in members.iter_mut().zip(&begun).zip(blocks.received(round)) {
            member.finish(begun)?;
            member.clock += if reduces { block.reduction } else { Picoseconds::ZERO };
        }
    }
    entries.into_iter().map(|entries| entries.latest).max()
}

/// What came to a port.
#[derive(Clone, Copy, Debug, Default)]
struct PortEntries {
    /// When the last message came.
    latest: Picoseconds,
    /// From when on the port was free before that.
    free_before: Picoseconds,
}

/// The way of a message from a member to its right neighbour.
fn transfer(
    members: &mut [WholeMember],
    begun: &mut [Begun],
    (left, right): (usize, usize),
    cost: &MessageCost,
    entries: &mut PortEntries,
) -> Option<()> {
    let mut leaves = begun[left].left;
    let mut origin = Origin { task: members[left].task, left: leaves };
    begun[left].confirmed = None;
    if !cost.eager {
        // The request waits for the port as any frame does, and takes none of its time; the grant leaves when both the
        // request and the receive are there.
        let head = leaves + cost.request;
        entries.ask(head)?;
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
    let (begin, origin) = entries.enter(&mut members[right], start + cost.head, cost.occupancy, origin)?;
    begun[right].received = WholeCompletion {
        origin,
        at: begin + cost.transfer,
        partner: members[left].partner,
        overhead: cost.recv_overhead,
    };
    Some(())
}

impl PortEntries {
    /// A request comes, which waits for the port and takes none of its time.
    fn ask(&mut self, head: Picoseconds) -> Option<()> {
        let is_last = head >= self.latest;
        (self.latest, self.free_before) = (head, Picoseconds::MAX);
        is_last.then_some(())
    }

    /// A message comes that takes the port for some time: when it begins to, and what it depended on. A small one may
    /// overtake the larger one before it, if it is through when that comes.
    fn enter(
        &mut self,
        to: &mut WholeMember,
        head: Picoseconds,
        occupancy: Picoseconds,
        origin: Origin,
    ) -> Option<(Picoseconds, Origin)> {
        if head < self.latest {
            let fits = head >= self.free_before && head + occupancy <= self.latest;
            self.free_before = head + occupancy;
            return fits.then_some((head, origin));
        }
        (self.latest, self.free_before) = (head, to.in_free);
        let begin = head.max(to.in_free);
        to.in_free = begin + occupancy;
        Some((begin, to.inwards.pass(origin, begin > head)))
    }
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
