//! What happens to one task at one time.

use super::ids::Subject;
use chronos_activity::TaskId;
use std::cmp::Ordering;

/// Kinds of events in the order of those that become known at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum HostEventKind {
    Send,
    Recv,
    Compute,
    /// A message is taken from the interface, whether or not there is a receive for it.
    Take,
    /// Several operations, one after the other as if each had an event of its own.
    OperationSet,
}

/// Ordered by time, then as they became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HostEvent {
    pub time: u64,
    /// As they became known, then the kind, then whether the first of a line may go on now, which is the lowest bit.
    order: u64,
    pub host: TaskId,
    pub what: Subject,
}

const KINDS: [HostEventKind; 8] = {
    let mut kinds = [HostEventKind::OperationSet; 8];
    (kinds[0], kinds[1], kinds[2], kinds[3]) =
        (HostEventKind::Send, HostEventKind::Recv, HostEventKind::Compute, HostEventKind::Take);
    kinds
};

impl HostEventKind {
    /// From the lowest bits of a number.
    #[inline]
    pub fn nth(number: u64) -> Self {
        KINDS[(number & 7) as usize]
    }
}

impl Ord for HostEvent {
    /// As one number, which needs no branches.
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for HostEvent {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl HostEvent {
    /// No two have the same, unless one of them is void.
    #[inline]
    pub fn key(self) -> u128 {
        u128::from(self.time) << 64 | u128::from(self.order)
    }

    #[inline]
    pub fn new(
        (time, number): (u64, u64),
        kind: HostEventKind,
        is_queued: bool,
        (host, what): (TaskId, Subject),
    ) -> Self {
        Self { time, order: number << 4 | (kind as u64) << 1 | u64::from(is_queued), host, what }
    }

    #[inline]
    pub fn number(self) -> u64 {
        self.order >> 4
    }

    #[inline]
    pub fn kind(self) -> HostEventKind {
        HostEventKind::nth(self.order >> 1)
    }

    #[inline]
    pub(crate) fn is_queued(self) -> bool {
        self.order & 1 != 0
    }
}

/// Some operations of a task that are not far from one another.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperationSet {
    pub first: u32,
    /// One bit for each, from the first on.
    bits: u64,
}

impl OperationSet {
    /// More than one, where there is room for all.
    #[inline]
    pub fn new(operations: &[u32]) -> Option<Self> {
        let (first, last) = (operations.iter().min()?, operations.iter().max()?);
        let has_room = operations.len() > 1 && last - first < u64::BITS;
        let bits = || operations.iter().fold(0, |bits, operation| bits | 1 << (operation - first));
        has_room.then(|| Self { first: *first, bits: bits() })
    }

    pub fn count(self) -> u32 {
        self.bits.count_ones()
    }

    /// In order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = u32> {
        let mut left = self.bits;
        std::iter::from_fn(move || {
            let next = (left != 0).then(|| self.first + left.trailing_zeros());
            left &= left.wrapping_sub(1);
            next
        })
    }

    /// The others; the lower half of what is given tells operations.
    pub fn without<'k>(self, done: impl Iterator<Item = &'k u64>) -> Self {
        let bits = done.fold(self.bits, |bits, &key| bits & !(1 << (key as u32 - self.first)));
        Self { bits, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_are_what_they_were_made_of() {
        let operation_set = OperationSet::new(&[70, 12, 75, 13]).unwrap();
        assert_eq!((operation_set.count(), operation_set.iter().collect::<Vec<_>>()), (4, vec![12, 13, 70, 75]));
        assert!(operation_set.without([12, 75].iter()).iter().eq([13, 70]));
        assert!(
            OperationSet::new(&[12, 76]).is_none()
                && OperationSet::new(&[12]).is_none()
                && OperationSet::new(&[]).is_none()
        );
    }
}
