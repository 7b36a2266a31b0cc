//! The part of an array that one task of a grid holds (`MPI_Type_create_darray`).

use super::Datatype;
use std::sync::Arc;

/// How one dimension of the array is dealt out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// All of it to everyone.
    Whole,
    /// So many elements to each task along this dimension; of the last ones, what remains.
    Block(u64),
    /// So many in turn.
    Cyclic(u64),
}

/// One dimension of the array and of the grid of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DistributedDimension {
    /// Elements of the array along this dimension.
    pub size: u64,
    /// How the elements are dealt out to the tasks along this dimension.
    pub distribution: Distribution,
    /// Tasks along this dimension, and the place of the own one among them.
    pub tasks: u64,
    /// Place of the own task along this dimension, from 0.
    pub place: u64,
}

impl DistributedDimension {
    /// First element of the own part, elements of each of its blocks, how many whole blocks there are, from begin to
    /// begin, and elements of a shorter one behind them.
    fn blocks(&self) -> (u64, u64, u64, u64, u64) {
        let (block, stride) = match self.distribution {
            Distribution::Whole => return (0, self.size, 1, self.size, 0),
            Distribution::Block(block) => (block, self.size.max(block)),
            Distribution::Cyclic(block) => (block, block.saturating_mul(self.tasks)),
        };
        let (first, stride) = (self.place.saturating_mul(block), stride.max(1));
        let left = self.size.saturating_sub(first);
        let (rounds, rest) = (left / stride, left % stride);
        let whole = rounds + u64::from(rest >= block);
        (first, block, whole, stride, if rest < block { rest } else { 0 })
    }

    /// The own part along this dimension of something that `pitch` bytes lie between.
    fn part(&self, pitch: i64, inner: &Arc<Datatype>) -> Datatype {
        let (first, block, whole, stride, rest) = self.blocks();
        let bytes = |elements: u64| pitch.saturating_mul(i64::try_from(elements).unwrap_or(i64::MAX));
        let row = Arc::new(Datatype::repeat(block, pitch, inner));
        let blocks = Arc::new(Datatype::repeat(whole, bytes(stride), &row));
        let mut members = vec![(Some(bytes(first)), 1, blocks)];
        if rest > 0 {
            let behind = first.saturating_add(whole.saturating_mul(stride));
            members.push((Some(bytes(behind)), 1, Arc::new(Datatype::repeat(rest, pitch, inner))));
        }
        Datatype::structure(&members, false)
    }
}

impl Datatype {
    /// `MPI_Type_create_darray`, the slowest dimension first; it spans the whole array.
    #[must_use]
    pub fn darray(dimensions: &[DistributedDimension], of: &Arc<Self>) -> Self {
        let mut pitch = of.extent();
        let mut inner = of.clone();
        for dimension in dimensions.iter().rev() {
            let part = dimension.part(pitch, &inner);
            pitch = pitch.saturating_mul(i64::try_from(dimension.size).unwrap_or(i64::MAX));
            inner = Arc::new(part.resized(0, pitch));
        }
        inner.resized(0, pitch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Predefined;
    use chronos_ir::DataModel;

    fn int() -> Arc<Datatype> {
        Arc::new(Datatype::predefined(Predefined::Int, DataModel::Lp64))
    }

    fn line(size: u64, distribution: Distribution, tasks: u64, place: u64) -> DistributedDimension {
        DistributedDimension { size, distribution, tasks, place }
    }

    /// Numbers of the ints that belong to the part, and what it spans.
    fn elements(dimensions: &[DistributedDimension]) -> (Vec<i64>, u64, i64) {
        let part = Datatype::darray(dimensions, &int());
        let pieces = part.pieces(1, 1000).expect("few");
        let ints = pieces.iter().flat_map(|piece| (0..piece.bytes / 4).map(|i| piece.memory / 4 + i as i64)).collect();
        (ints, part.size, part.extent())
    }

    #[test]
    fn blocks_leave_what_remains_to_the_last() {
        // 10 ints among 4 in blocks of 3: 0-2, 3-5, 6-8, 9.
        let block = |place| elements(&[line(10, Distribution::Block(3), 4, place)]);
        assert_eq!(block(1), (vec![3, 4, 5], 12, 40));
        assert_eq!(block(3), (vec![9], 4, 40));
        // 4 ints among 4 in blocks of 2: nothing is left for the last two.
        assert_eq!(elements(&[line(4, Distribution::Block(2), 4, 3)]), (vec![], 0, 16));
    }

    #[test]
    fn cyclic_blocks_come_in_turn() {
        // 11 ints among 2 in blocks of 2: 0 1 | 4 5 | 8 9 and 2 3 | 6 7 | 10.
        let cyclic = |place| elements(&[line(11, Distribution::Cyclic(2), 2, place)]);
        assert_eq!(cyclic(0), (vec![0, 1, 4, 5, 8, 9], 24, 44));
        assert_eq!(cyclic(1), (vec![2, 3, 6, 7, 10], 20, 44));
        // One by one among 3.
        assert_eq!(elements(&[line(7, Distribution::Cyclic(1), 3, 2)]), (vec![2, 5], 8, 28));
    }

    #[test]
    fn dimensions_are_dealt_out_apart() {
        // Of 4 x 6: rows 2 and 3, columns 1, 4 (every third from 1).
        let both = [line(4, Distribution::Block(2), 2, 1), line(6, Distribution::Cyclic(1), 3, 1)];
        assert_eq!(elements(&both), (vec![13, 16, 19, 22], 16, 96));
        // All rows of 3, of 4 columns the last two.
        let whole = [line(3, Distribution::Whole, 1, 0), line(4, Distribution::Block(2), 2, 1)];
        assert_eq!(elements(&whole), (vec![2, 3, 6, 7, 10, 11], 24, 48));
    }
}
