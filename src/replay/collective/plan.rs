//! Which algorithm a collective operation uses, and one member's rounds in it.

use super::correction::Scale;
use super::shape::{Operands, Shape};
use crate::activity::{Collective, CollectiveKind, Volume};
use crate::machine::network::{Algorithm, Network};
use crate::units::Bytes;
use std::sync::Arc;

/// What a member does at one step: posts a receive, sends, waits for all it has begun, computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::replay) struct Round {
    /// Rank in the communicator and bytes.
    pub send: Option<(u32, u64)>,
    pub recv: Option<u32>,
    pub wait: bool,
    /// Bytes that reduction arithmetic goes over after the wait.
    pub reduce: u64,
}

/// One member's part in an operation; rounds are made on demand, so that it stays small.
#[derive(Clone, Debug)]
pub(in crate::replay) struct Plan {
    first: Shape,
    second: Option<Shape>,
    operands: Operands,
}

/// What all members of an operation must agree on; the first one to call decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replay) struct Decision {
    /// By which rules and measured tables go.
    pub bytes: u64,
    pub(super) algorithm: Algorithm,
    pub(super) segment: u64,
    pub scale: Scale,
}

impl Decision {
    pub fn of(network: &Network, collective: &Collective, size: u32) -> Self {
        let bytes = deciding_bytes(collective, size);
        let rule = network.rule(collective.kind.into(), size, bytes);
        let algorithm = rule.map_or_else(|| fallback(collective.kind, bytes), |rule| rule.algorithm);
        let segment = rule.and_then(|rule| rule.segment_bytes).unwrap_or(u64::MAX);
        Self { bytes, algorithm, segment, scale: Scale::NONE }
    }
}

impl Decision {
    /// With large messages that queue at ports, or where the time was measured, partners come one after the other instead of all at once: all messages
    /// share a port then as flows do, and a member that comes late does not leave ports empty, which the order of whole messages would.
    pub fn in_turn(self, kind: CollectiveKind) -> Self {
        match (kind, self.algorithm) {
            (CollectiveKind::Alltoall, Algorithm::Linear) => Self { algorithm: Algorithm::Pairwise, ..self },
            _ => self,
        }
    }
}

impl Plan {
    pub fn new(collective: &Collective, decision: Decision, rank: u32, size: u32, root: u32) -> Self {
        let Decision { bytes, algorithm, segment, .. } = decision;
        let (own, blocks) = own_and_blocks(collective, size);
        let vector = matches!(collective.volume, Volume::Blocks { .. });
        let (first, second) = shapes(collective.kind, algorithm, size, vector);
        // This algorithm cuts the buffer into a block for each member.
        let cuts = matches!(algorithm, Algorithm::ScatterAllgather | Algorithm::ScatterRing);
        let bytes = if cuts { bytes.div_ceil(u64::from(size.max(1))) } else { bytes };
        Self { first, second, operands: Operands { rank, size, root, bytes, own, segment, blocks } }
    }

    pub fn round(&self, index: u32) -> Option<Round> {
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
pub(in crate::replay) fn deciding_bytes(collective: &Collective, size: u32) -> u64 {
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
    const LARGE: u64 = 1 << 16;
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

fn shapes(kind: CollectiveKind, algorithm: Algorithm, size: u32, vector: bool) -> (Shape, Option<Shape>) {
    use Algorithm as A;
    use CollectiveKind as K;
    let one = |shape| (shape, None);
    match (kind, algorithm) {
        // The v-forms need the sizes of others on the way, which trees do not know. Only the call tells whether
        // it is one: members other than the root have no blocks.
        (K::Gather, _) if vector => one(Shape::LinearIn { reduce: false }),
        (K::Scatter, _) if vector => one(Shape::LinearOut { wait_each: false }),
        (K::Allgather, _) if vector => one(Shape::Ring),
        (K::Alltoall, A::Bruck) if vector => one(Shape::Exchange { wait_each: false, reduce: false }),
        (K::Barrier, A::Linear) => (Shape::LinearIn { reduce: false }, Some(Shape::LinearOut { wait_each: false })),
        (K::Barrier, A::Binomial) => {
            (Shape::BinomialIn { reduce: false, gather: false }, Some(Shape::BinomialOut { scatter: false }))
        }
        (K::Barrier, A::RecursiveDoubling) => one(Shape::Doubling { halving: false }),
        (K::Barrier, _) => one(Shape::Bruck { empty: true }),
        (K::Bcast, A::Linear) => one(Shape::LinearOut { wait_each: false }),
        (K::Bcast, A::BinaryTree) => one(Shape::TreeOut),
        (K::Bcast, A::Chain) => one(Shape::ChainOut),
        (K::Bcast, A::KNomial) => one(Shape::QuaternomialOut),
        (K::Bcast, A::ScatterAllgather) => {
            let gather = if size.is_power_of_two() { Shape::DoublingGather } else { Shape::Ring };
            (Shape::BinomialOut { scatter: true }, Some(gather))
        }
        (K::Bcast, A::ScatterRing) => (Shape::BinomialOut { scatter: true }, Some(Shape::Ring)),
        (K::Bcast, A::SplitBinary) => one(Shape::SplitOut),
        (K::Bcast, _) => one(Shape::BinomialOut { scatter: false }),
        (K::Reduce, A::Linear) => one(Shape::LinearIn { reduce: true }),
        (K::Reduce, A::BinaryTree) => one(Shape::TreeIn),
        (K::Reduce, A::Chain) => one(Shape::ChainIn),
        (K::Reduce, A::Rabenseifner) => one(Shape::HalvingGather),
        (K::Reduce, _) => one(Shape::BinomialIn { reduce: true, gather: false }),
        (K::Allreduce, A::Linear) => (Shape::LinearIn { reduce: true }, Some(Shape::LinearOut { wait_each: false })),
        (K::Allreduce, A::ReduceBcast) => {
            (Shape::BinomialIn { reduce: true, gather: false }, Some(Shape::BinomialOut { scatter: false }))
        }
        (K::Allreduce, A::Ring) => one(Shape::RingReduce),
        (K::Allreduce, A::Rabenseifner) => one(Shape::Doubling { halving: true }),
        (K::Allreduce, _) => one(Shape::Doubling { halving: false }),
        (K::Gather, A::Linear) => one(Shape::LinearIn { reduce: false }),
        (K::Gather, _) => one(Shape::BinomialIn { reduce: false, gather: true }),
        (K::Scatter, A::Linear) => one(Shape::LinearOut { wait_each: false }),
        (K::Scatter, _) => one(Shape::BinomialOut { scatter: true }),
        (K::Allgather | K::Agreement, A::Ring) => one(Shape::Ring),
        (K::Allgather | K::Agreement, A::Linear) => one(Shape::Exchange { wait_each: false, reduce: false }),
        (K::Allgather | K::Agreement, A::RecursiveDoubling) if size.is_power_of_two() => one(Shape::DoublingGather),
        (K::Allgather | K::Agreement, _) => one(Shape::Bruck { empty: false }),
        (K::Alltoall, A::Bruck) => one(Shape::BruckExchange),
        (K::Alltoall, A::Linear) => one(Shape::Exchange { wait_each: false, reduce: false }),
        (K::Alltoall, _) => one(Shape::Exchange { wait_each: true, reduce: false }),
        (K::ReduceScatter, A::RecursiveHalving) if !vector => one(Shape::Halving),
        (K::ReduceScatter, _) => one(Shape::Exchange { wait_each: true, reduce: true }),
        (K::Scan | K::Exscan, A::Linear) => one(Shape::LinearScan),
        (K::Scan | K::Exscan, _) => one(Shape::DoublingScan),
    }
}
