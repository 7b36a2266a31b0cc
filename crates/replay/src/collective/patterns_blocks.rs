//! Patterns in which members hand on blocks of others, which may all have sizes of their own.
//!
//! This module must not know which operation a pattern serves.

use super::patterns::{CollectiveRound, PatternOperands, exchange, recv};
use chronos_base::units::Bytes;
use std::sync::Arc;

/// The sums of the blocks that members gave last: those of one operation have the same ones.
#[derive(Debug, Default)]
pub(crate) struct BlockSums {
    /// These blocks; none as long as no operation had any.
    of: Option<Arc<[Bytes]>>,
    sums: Option<Arc<[u64]>>,
}

impl BlockSums {
    /// Bytes of the blocks up to each rank, with it; `None` where they are more than can be counted.
    pub(super) fn of(&mut self, blocks: &Arc<[Bytes]>) -> Option<Arc<[u64]>> {
        if self.of.as_ref().is_some_and(|known| Arc::ptr_eq(known, blocks)) {
            return self.sums.clone();
        }
        let add = |sum: &mut u64, bytes: &Bytes| {
            *sum = sum.checked_add(bytes.0)?;
            Some(*sum)
        };
        let sums: Arc<[u64]> = blocks.iter().scan(0, add).collect();
        self.of = Some(Arc::clone(blocks));
        self.sums = Some(sums).filter(|sums| sums.len() == blocks.len());
        self.sums.clone()
    }
}

impl PatternOperands {
    /// Bytes of so many blocks, from that of a rank to the right.
    pub(super) fn blocks_from(&self, rank: u32, count: u32) -> u64 {
        let Some(blocks) = &self.blocks else { return self.bytes.saturating_mul(u64::from(count)) };
        let (begin, count) = (rank as usize % blocks.len().max(1), count as usize);
        let end = (begin + count).min(blocks.len());
        let wrapped = count - (end - begin);
        if let Some(sums) = &self.sums {
            let up_to = |end: usize| end.checked_sub(1).map_or(0, |last| sums[last]);
            return (up_to(end) - up_to(begin)).saturating_add(up_to(wrapped.min(begin)));
        }
        let sum = |blocks: &[Bytes]| blocks.iter().fold(0u64, |sum, bytes| sum.saturating_add(bytes.0));
        sum(&blocks[begin..end]).saturating_add(sum(&blocks[..wrapped.min(begin)]))
    }

    pub(super) fn bruck(&self, k: u32, empty: bool) -> CollectiveRound {
        let distance = 1 << k;
        if empty {
            return CollectiveRound {
                send: Some((self.rank_at_distance(distance), 0)),
                ..recv(self.rank_at_distance(self.size - distance), 0)
            };
        }
        // Twice as many blocks every round, as far as there are any (Bruck et al., 1997): its own and those to its right.
        let bytes = self.blocks_from(self.rank, distance.min(self.size - distance));
        let to = self.rank_at_distance(self.size - distance);
        CollectiveRound { send: Some((to, bytes)), ..recv(self.rank_at_distance(distance), 0) }
    }

    /// A member's left or right neighbour by turns. What it sends is what it received in the round before.
    pub(super) fn neighbor_exchange(&self, k: u32) -> CollectiveRound {
        let is_even = self.rank.is_multiple_of(2);
        let right = is_even == k.is_multiple_of(2);
        let with = self.rank_at_distance(if right { 1 } else { self.size - 1 });
        let bytes = match k {
            0 => self.blocks_from(self.rank, 1),
            _ => self.blocks_from(self.pair_received(k - 1), 2),
        };
        exchange(with, bytes, 0)
    }

    /// The first block of the pair that comes in a round of a neighbour exchange; each side brings pairs that are ever
    /// further away on that side.
    fn pair_received(&self, k: u32) -> u32 {
        let pair = self.rank - self.rank % 2;
        let right = self.rank.is_multiple_of(2) == k.is_multiple_of(2);
        // The first round completes the own pair.
        let distance = k.div_ceil(2) * 2;
        let place = if right { pair + distance } else { pair + self.size - distance };
        place % self.size
    }

    pub(super) fn bruck_exchange(&self, k: u32) -> CollectiveRound {
        let distance = 1u32 << k;
        // Of every 2 * distance blocks, those in the upper half have this bit set.
        let (whole, rest) = (self.size / (2 * distance), self.size % (2 * distance));
        let blocks = u64::from(whole) * u64::from(distance) + u64::from(rest.saturating_sub(distance));
        let bytes = self.bytes.saturating_mul(blocks);
        CollectiveRound {
            send: Some((self.rank_at_distance(distance), bytes)),
            ..recv(self.rank_at_distance(self.size - distance), 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of 5, 0, 7, 1 and 4 bytes, added up one by one and from their sums, around the end and without it.
    #[test]
    fn sums_of_blocks_are_those_of_the_blocks() {
        let blocks: Arc<[Bytes]> = [5, 0, 7, 1, 4].map(Bytes).into();
        let mut known = BlockSums::default();
        let sums = known.of(&blocks);
        assert_eq!(sums.as_deref(), Some(&[5, 5, 12, 13, 17][..]));
        assert!(Arc::ptr_eq(&known.of(&blocks).unwrap(), &sums.clone().unwrap()));
        assert_eq!(known.of(&[Bytes(u64::MAX), Bytes(1)].into()), None);
        let of = |sums| PatternOperands {
            rank: 0,
            size: 5,
            root: 0,
            bytes: 0,
            own: 0,
            segment: u64::MAX,
            blocks: Some(Arc::clone(&blocks)),
            sums,
        };
        let (one_by_one, added) = (of(None), of(sums));
        for (rank, count) in (0..5).flat_map(|rank| (0..=5).map(move |count| (rank, count))) {
            assert_eq!(added.blocks_from(rank, count), one_by_one.blocks_from(rank, count), "{count} from {rank}");
        }
    }
}
