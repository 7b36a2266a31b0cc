//! Patterns that halve what they work on: split binary trees (Pjesivac-Grbovic et al., 2007), recursive halving and
//! Rabenseifner's reduction (Thakur, Rabenseifner, Gropp, 2005).

use super::patterns::{CollectiveRound, PatternOperands, exchange, recv, send};

impl PatternOperands {
    /// The first half of the buffer, which goes down the left subtree; the second goes down the right one.
    fn half(&self, left: bool) -> u64 {
        if left { self.bytes - self.bytes / 2 } else { self.bytes / 2 }
    }

    /// Segments of a half; the second half has as many, the last one possibly empty.
    fn split_segments(&self) -> u32 {
        u32::try_from(self.half(true).div_ceil(self.segment)).unwrap_or(u32::MAX / 8).clamp(1, u32::MAX / 8)
    }

    pub(crate) fn split_rounds(&self) -> u32 {
        3 * self.split_segments() + 1
    }

    fn split_segment(&self, left: bool, index: u32) -> u64 {
        let (half, begin) = (self.half(left), u64::from(index).saturating_mul(self.segment));
        (half - begin.min(half)).min(self.segment)
    }

    /// Level of a place in the tree whose places are dealt to the subtrees in turn, and its position there.
    fn level(&self) -> (u32, u32) {
        let level = (self.relative_rank() + 1).ilog2();
        (level, self.relative_rank() + 1 - (1 << level))
    }

    /// Odd places are in the left subtree, the other ones in the right.
    fn split_child(&self, which: u32) -> Option<u32> {
        let child = u64::from(self.relative_rank()) + (1u64 << (self.level().0 + which));
        (child < u64::from(self.size)).then(|| self.absolute_rank(child as u32))
    }

    fn split_parent(&self) -> Option<u32> {
        let (level, position) = self.level();
        let above = 1u32.checked_shl(level.checked_sub(1)?)?;
        Some(self.absolute_rank(above - 1 + position % above))
    }

    pub(crate) fn split_out(&self, k: u32) -> CollectiveRound {
        if k == 3 * self.split_segments() {
            return self.split_exchange();
        }
        // Of each segment: one round to receive it from the parent, one for each child to send it on.
        match k % 3 {
            0 => CollectiveRound { recv: self.split_parent(), wait: true, ..CollectiveRound::default() },
            which => {
                let left = if self.relative_rank() == 0 { which == 1 } else { self.relative_rank() % 2 == 1 };
                let bytes = self.split_segment(left, k / 3);
                let send = self.split_child(which - 1).map(|to| (to, bytes));
                CollectiveRound { send, wait: which == 2, ..CollectiveRound::default() }
            }
        }
    }

    /// Neighbours of different subtrees give each other their halves; the last place may have none but the root.
    fn split_exchange(&self) -> CollectiveRound {
        let alone = self.size.is_multiple_of(2).then(|| self.size - 1);
        match self.relative_rank() {
            0 => alone.map_or_else(CollectiveRound::default, |last| send(self.absolute_rank(last), self.half(false))),
            relative_rank if Some(relative_rank) == alone => recv(self.root, 0),
            relative_rank if relative_rank % 2 == 1 => {
                exchange(self.absolute_rank(relative_rank + 1), self.half(true), 0)
            }
            relative_rank => exchange(self.absolute_rank(relative_rank - 1), self.half(false), 0),
        }
    }

    /// Members beyond the largest power of two: how many there are.
    fn surplus(&self) -> u32 {
        self.size - (1 << self.log2())
    }

    /// Reduce-scatter; members beyond the largest power of two fold into their neighbours and get their block at the
    /// end.
    pub fn halving(&self, k: u32) -> CollectiveRound {
        let (steps, surplus) = (self.log2(), self.surplus());
        let (summary, even) = (self.rank < 2 * surplus, self.rank.is_multiple_of(2));
        let whole = self.bytes.saturating_mul(u64::from(self.size));
        // As in recursive doubling, even members of the first 2 * surplus fold in and come back at the end for their
        // block (Thakur, Rabenseifner and Gropp 2005).
        match (summary, even) {
            (true, true) if k == 0 => return send(self.rank + 1, whole),
            (true, true) if k == steps + 1 => return recv(self.rank + 1, 0),
            (true, false) if k == 0 => return recv(self.rank - 1, whole),
            (true, false) if k == steps + 1 => return send(self.rank - 1, self.bytes),
            (true, true) => return CollectiveRound::default(),
            (false, _) if k == 0 || k == steps + 1 => return CollectiveRound::default(),
            _ => {}
        }
        let place = if summary { self.rank / 2 } else { self.rank - surplus };
        let absolute_rank = |place: u32| if place < surplus { 2 * place + 1 } else { place + surplus };
        // The farthest partner first: each step halves the data and the distance.
        let part = whole >> k;
        exchange(absolute_rank(place ^ (1 << (steps - k))), part, part)
    }

    /// Reduction to the root: odd places beyond the largest power of two fold in, the rest halve and hand their parts
    /// on.
    pub(crate) fn halving_gather(&self, k: u32) -> CollectiveRound {
        let (steps, surplus, relative_rank) = (self.log2(), self.surplus(), self.relative_rank());
        let summary = relative_rank < 2 * surplus;
        match (summary, relative_rank.is_multiple_of(2)) {
            (true, false) if k == 0 => return send(self.absolute_rank(relative_rank - 1), self.bytes),
            (true, true) if k == 0 => return recv(self.absolute_rank(relative_rank + 1), self.bytes),
            (true, false) => return CollectiveRound::default(),
            (false, _) if k == 0 => return CollectiveRound::default(),
            _ => {}
        }
        let place = if summary { relative_rank / 2 } else { relative_rank - surplus };
        let absolute_rank = |place: u32| self.absolute_rank(if place < surplus { 2 * place } else { place + surplus });
        if k <= steps {
            let part = self.bytes >> k;
            return exchange(absolute_rank(place ^ (1 << (steps - k))), part, part);
        }
        // A binomial gather of the parts: their size doubles with each step, and half of those left drop out.
        let step = k - steps - 1;
        let (low, mask) = (place & ((1 << step) - 1), 1 << step);
        match (low, place & mask) {
            (0, 0) => recv(absolute_rank(place | mask), 0),
            (0, _) => send(absolute_rank(place ^ mask), self.bytes >> (steps - step)),
            _ => CollectiveRound::default(),
        }
    }
}
