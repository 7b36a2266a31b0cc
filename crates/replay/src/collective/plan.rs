//! Which algorithm a collective operation uses, and one member's rounds in it.

use super::patterns::{CollectiveRound, CommPattern, PatternOperands};
use super::patterns_blocks::BlockSums;
use super::ring::{RingBlock, RingBlocks};
use crate::network::cost::{CostFactor, MessageCost};
use chronos_activity::{Collective, CollectiveKind, Volume};
use chronos_base::hash::FxHashMap;
use chronos_base::units::{Bytes, Picoseconds};
use chronos_machine::network::{Algorithm, CollectiveName, Network};
use std::sync::Arc;

/// One member's part in an operation; rounds are made on demand, so that it stays small.
#[derive(Clone, Debug)]
pub struct Plan {
    first: CommPattern,
    second: Option<CommPattern>,
    operands: PatternOperands,
}

/// What all members of an operation must agree on; the first one to call decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AlgorithmChoice {
    /// By which rules and measured tables go.
    pub bytes: u64,
    pub(super) algorithm: Algorithm,
    pub(super) segment: u64,
    pub scale: CostFactor,
}

impl AlgorithmChoice {
    pub fn of(network: &Network, collective: &Collective, size: u32) -> Self {
        let bytes = deciding_bytes(collective, size);
        let (name, vector) = (CollectiveName::from(collective.kind), is_vector(collective));
        let rule = network.rule_of_form(name, vector, size, bytes);
        let algorithm = rule.map_or_else(|| fallback(collective.kind, bytes), |rule| rule.algorithm);
        let is_own = rule.is_some_and(|rule| rule.collective != name);
        let algorithm = if vector && !is_own { of_vector_form(collective.kind, algorithm) } else { algorithm };
        let segment = rule.and_then(|rule| rule.segment_bytes).unwrap_or(u64::MAX);
        Self { bytes, algorithm, segment, scale: CostFactor::NONE }
    }
}

impl AlgorithmChoice {
    /// With large messages that queue at ports, or where the time was measured, partners come one after the other
    /// instead of all at once: all messages share a port then as flows do, and a member that comes late does not
    /// leave ports empty, which the order of whole messages would.
    pub(crate) fn in_turn(self, kind: CollectiveKind) -> Self {
        match (kind, self.algorithm) {
            (CollectiveKind::Alltoall, Algorithm::Linear) => Self { algorithm: Algorithm::Pairwise, ..self },
            _ => self,
        }
    }
}

impl Plan {
    pub fn new(collective: &Collective, decision: AlgorithmChoice, rank: u32, size: u32, root: u32) -> Self {
        let AlgorithmChoice { bytes, algorithm, segment, .. } = decision;
        let (own, blocks) = own_and_blocks(collective, size);
        let (first, second) = patterns(collective.kind, algorithm, size);
        let members = u64::from(size.max(1));
        let bytes = match algorithm {
            // These cut the buffer into a block for each member.
            Algorithm::ScatterAllgather | Algorithm::ScatterRing => bytes.div_ceil(members),
            // The broadcast has the blocks of all.
            Algorithm::GatherBcast => {
                blocks.as_ref().map_or(bytes.saturating_mul(members), |b| b.iter().copied().sum::<Bytes>().0)
            }
            _ => bytes,
        };
        Self { first, second, operands: PatternOperands { rank, size, root, bytes, own, segment, blocks, sums: None } }
    }

    /// Has the sums of its blocks at hand, where a round may hand on those of many members.
    pub(crate) fn with_sums(mut self, known: &mut BlockSums) -> Self {
        let adds = matches!(self.first, CommPattern::Bruck { empty: false } | CommPattern::DoublingGather);
        if let Some(blocks) = self.operands.blocks.as_ref().filter(|_| adds) {
            self.operands.sums = known.of(blocks);
        }
        self
    }

    /// How many rounds around a ring it is, if it is nothing else: then nobody is through before all have come.
    pub(crate) fn ring_rounds(&self) -> Option<u32> {
        let is_ring = matches!(self.first, CommPattern::Ring | CommPattern::RingScatter | CommPattern::RingReduce);
        // Two members send in both directions between the same nodes.
        (is_ring && self.second.is_none() && self.operands.size > 2).then(|| self.first.rounds(&self.operands))
    }

    /// Everybody sends to everybody else at once, and then waits for all: nobody is through before all have come.
    pub(crate) fn is_linear_exchange(&self) -> bool {
        let exchange = CommPattern::Exchange { wait_each: false, reduce: false };
        self.first == exchange && self.second.is_none() && self.operands.size > 2
    }

    /// Whether it sends to a member in one of so many rounds.
    pub(crate) fn sends_before(&self, index: u32, to: u32) -> bool {
        let sends_to = |round: CollectiveRound| round.send.is_some_and(|(other, _)| other == to);
        (0..index).filter_map(|earlier| self.round(earlier)).any(sends_to)
    }

    /// Bytes that the member has for another one.
    pub(crate) fn bytes_for(&self, rank: u32) -> u64 {
        self.operands.block(rank)
    }

    /// What goes around the ring, where it is one: the blocks by rank, with what messages of a size and arithmetic cost.
    pub(crate) fn ring_blocks(&self, cost: &mut dyn FnMut(u64) -> (MessageCost, Picoseconds)) -> Option<RingBlocks> {
        let rounds = self.ring_rounds()?;
        let mut blocks = RingBlocks { kinds: Vec::new(), kind_of: Vec::new(), first: 0, rounds, reducing: 0 };
        let mut known = FxHashMap::default();
        for rank in 0..self.operands.size {
            let bytes = self.first.ring_block(&self.operands, rank);
            let kind = *known.entry(bytes).or_insert_with(|| {
                let (cost, reduction) = cost(bytes);
                blocks.kinds.push(RingBlock { cost, reduction });
                blocks.kinds.len() as u32 - 1
            });
            blocks.kind_of.push(kind);
        }
        (blocks.first, blocks.reducing) = match self.first {
            CommPattern::RingScatter => (1, rounds),
            CommPattern::RingReduce => (0, rounds / 2),
            _ => (0, 0),
        };
        Some(blocks)
    }

    /// Whether another member goes through the same rounds.
    pub(crate) fn is_as(&self, other: &Self) -> bool {
        (self.first, self.second, self.operands.bytes) == (other.first, other.second, other.operands.bytes)
    }

    /// Whether it differs from another member's in the rank alone.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let blocks = (&self.operands.blocks, &other.operands.blocks);
        let same = match blocks {
            (Some(own), Some(others)) => Arc::ptr_eq(own, others) || own == others,
            (own, others) => own.is_none() && others.is_none(),
        };
        self.is_as(other) && same
    }

    /// How many rounds it has.
    pub(crate) fn rounds(&self) -> u32 {
        let second = self.second.map_or(0, |second| second.rounds(&self.operands));
        self.first.rounds(&self.operands).saturating_add(second)
    }

    pub fn round(&self, index: u32) -> Option<CollectiveRound> {
        if self.operands.size < 2 {
            return None;
        }
        let count = self.first.rounds(&self.operands);
        if index < count {
            return Some(self.first.round(&self.operands, index));
        }
        let second = self.second?;
        (index - count < second.rounds(&self.operands)).then(|| second.round(&self.operands, index - count))
    }
}

/// Bytes by which an algorithm is chosen, as this member sees it.
pub(crate) fn deciding_bytes(collective: &Collective, size: u32) -> u64 {
    const AGREEMENT: u64 = 8;
    let members = u64::from(size.max(1));
    match (&collective.volume, collective.kind) {
        (_, CollectiveKind::Agreement) => AGREEMENT,
        (Volume::Each(bytes), CollectiveKind::ReduceScatter) => bytes.0 / members,
        (Volume::Each(bytes), _) => bytes.0,
        (Volume::Blocks { blocks, .. }, _) if blocks.len() == size as usize => {
            blocks.iter().copied().sum::<Bytes>().0 / members
        }
        (Volume::Blocks { own, .. }, _) => own.0,
    }
}

/// This member's own block, and the blocks of all members where it gave them.
fn own_and_blocks(collective: &Collective, size: u32) -> (u64, Option<Arc<[Bytes]>>) {
    match (&collective.volume, collective.kind) {
        (Volume::Blocks { own, blocks }, kind) if kind != CollectiveKind::Agreement => {
            (own.0, (blocks.len() == size as usize).then(|| Arc::clone(blocks)))
        }
        _ => (deciding_bytes(collective, size), None),
    }
}

/// What is used where the network file has no rule.
fn fallback(kind: CollectiveKind, bytes: u64) -> Algorithm {
    // An assumption, which the rules of a network file replace: from here on bandwidth outweighs latency.
    const LARGE: u64 = 1 << 16;
    // Few long messages, or many short ones: rings move the fewest bytes in as many steps as there are members, and
    // recursive doubling and binomial trees take a logarithm of steps (Thakur, Rabenseifner and Gropp 2005).
    match kind {
        CollectiveKind::Barrier => Algorithm::Dissemination,
        CollectiveKind::Bcast | CollectiveKind::Reduce => Algorithm::Binomial,
        CollectiveKind::Allreduce | CollectiveKind::Allgather if bytes >= LARGE => Algorithm::Ring,
        CollectiveKind::Allreduce | CollectiveKind::Allgather | CollectiveKind::Agreement => {
            Algorithm::RecursiveDoubling
        }
        CollectiveKind::Gather | CollectiveKind::Scatter => Algorithm::Binomial,
        CollectiveKind::Alltoall | CollectiveKind::ReduceScatter => Algorithm::Pairwise,
        CollectiveKind::Scan | CollectiveKind::Exscan => Algorithm::RecursiveDoubling,
    }
}

/// Whether members have sizes of their own. Only the call tells: members other than the root have no blocks.
fn is_vector(collective: &Collective) -> bool {
    matches!(collective.volume, Volume::Blocks { .. })
}

/// What is used for the form with a size for each member where the network file has no rule for it: the sizes of others
/// on the way are unknown to those who only have their own, so trees are not to be had, and libraries that have one
/// algorithm for allgather take the ring.
fn of_vector_form(kind: CollectiveKind, algorithm: Algorithm) -> Algorithm {
    match (kind, algorithm) {
        (CollectiveKind::Gather | CollectiveKind::Scatter, _) | (CollectiveKind::Alltoall, Algorithm::Bruck) => {
            Algorithm::Linear
        }
        (CollectiveKind::Allgather, _) => Algorithm::Ring,
        (CollectiveKind::ReduceScatter, Algorithm::RecursiveHalving) => Algorithm::Pairwise,
        (_, algorithm) => algorithm,
    }
}

fn patterns(kind: CollectiveKind, algorithm: Algorithm, size: u32) -> (CommPattern, Option<CommPattern>) {
    use Algorithm as A;
    use CollectiveKind as K;
    let one = |shape| (shape, None);
    match (kind, algorithm) {
        (K::Barrier, A::Linear) => {
            (CommPattern::LinearIn { reduce: false }, Some(CommPattern::LinearOut { wait_each: false }))
        }
        (K::Barrier, A::Binomial) => (
            CommPattern::BinomialIn { reduce: false, gather: false },
            Some(CommPattern::BinomialOut { scatter: false }),
        ),
        (K::Barrier, A::RecursiveDoubling) => one(CommPattern::Doubling { halving: false }),
        (K::Barrier, _) => one(CommPattern::Bruck { empty: true }),
        (K::Bcast, A::Linear) => one(CommPattern::LinearOut { wait_each: false }),
        (K::Bcast, A::BinaryTree) => one(CommPattern::TreeOut),
        (K::Bcast, A::Chain) => one(CommPattern::ChainOut),
        (K::Bcast, A::KNomial) => one(CommPattern::QuaternomialOut),
        (K::Bcast, A::ScatterAllgather) => {
            let gather = if size.is_power_of_two() { CommPattern::DoublingGather } else { CommPattern::Ring };
            (CommPattern::BinomialOut { scatter: true }, Some(gather))
        }
        (K::Bcast, A::ScatterRing) => (CommPattern::BinomialOut { scatter: true }, Some(CommPattern::Ring)),
        (K::Bcast, A::SplitBinary) => one(CommPattern::SplitOut),
        (K::Bcast, _) => one(CommPattern::BinomialOut { scatter: false }),
        (K::Reduce, A::Linear) => one(CommPattern::LinearIn { reduce: true }),
        (K::Reduce, A::BinaryTree) => one(CommPattern::TreeIn),
        (K::Reduce, A::Chain) => one(CommPattern::ChainIn),
        (K::Reduce, A::Rabenseifner) => one(CommPattern::HalvingGather),
        (K::Reduce, _) => one(CommPattern::BinomialIn { reduce: true, gather: false }),
        (K::Allreduce, A::Linear) => {
            (CommPattern::LinearIn { reduce: true }, Some(CommPattern::LinearOut { wait_each: false }))
        }
        (K::Allreduce, A::ReduceBcast) => {
            (CommPattern::BinomialIn { reduce: true, gather: false }, Some(CommPattern::BinomialOut { scatter: false }))
        }
        (K::Allreduce, A::Ring) => one(CommPattern::RingReduce),
        (K::Allreduce, A::Rabenseifner) => one(CommPattern::Doubling { halving: true }),
        (K::Allreduce, _) => one(CommPattern::Doubling { halving: false }),
        (K::Gather, A::Linear) => one(CommPattern::LinearIn { reduce: false }),
        (K::Gather, _) => one(CommPattern::BinomialIn { reduce: false, gather: true }),
        (K::Scatter, A::Linear) => one(CommPattern::LinearOut { wait_each: false }),
        (K::Scatter, _) => one(CommPattern::BinomialOut { scatter: true }),
        (K::Allgather | K::Agreement, A::Ring) => one(CommPattern::Ring),
        (K::Allgather, A::GatherBcast) => {
            (CommPattern::LinearIn { reduce: false }, Some(CommPattern::BinomialOut { scatter: false }))
        }
        (K::Allgather, A::NeighborExchange) if size.is_multiple_of(2) => one(CommPattern::NeighborExchange),
        (K::Allgather, A::NeighborExchange) => one(CommPattern::Ring),
        (K::Allgather | K::Agreement, A::Linear) => one(CommPattern::Exchange { wait_each: false, reduce: false }),
        (K::Allgather | K::Agreement, A::RecursiveDoubling) if size.is_power_of_two() => {
            one(CommPattern::DoublingGather)
        }
        (K::Allgather | K::Agreement, _) => one(CommPattern::Bruck { empty: false }),
        (K::Alltoall, A::Bruck) => one(CommPattern::BruckExchange),
        (K::Alltoall, A::Linear) => one(CommPattern::Exchange { wait_each: false, reduce: false }),
        (K::Alltoall, _) => one(CommPattern::Exchange { wait_each: true, reduce: false }),
        (K::ReduceScatter, A::RecursiveHalving) => one(CommPattern::Halving),
        (K::ReduceScatter, A::Ring) => one(CommPattern::RingScatter),
        (K::ReduceScatter, _) => one(CommPattern::Exchange { wait_each: true, reduce: true }),
        (K::Scan | K::Exscan, A::Linear) => one(CommPattern::LinearScan),
        (K::Scan | K::Exscan, _) => one(CommPattern::DoublingScan),
    }
}
